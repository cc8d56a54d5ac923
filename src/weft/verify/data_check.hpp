// weft/verify/data_check.hpp - whether the data of a file can be read, and are those the checksums were taken of.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>

#include "weft/survey/object_walk.hpp"
#include "weft/verify/check_list.hpp"

namespace weft::verify {

// Reads what reading can tell anything of: filtered chunks, all of which have to decode, and every dataset that has
// checksums; each once. `progress` is told bytes done of all that will be read. Not collective.
void check_data(hid_t file, const survey::ObjectWalk& walk, std::uint64_t budget_bytes,
                const std::function<void(std::uint64_t done, std::uint64_t total)>& progress, Check& chunks,
                Check& checksums);

}  // namespace weft::verify
