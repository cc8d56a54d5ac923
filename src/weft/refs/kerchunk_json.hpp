// weft/refs/kerchunk_json.hpp - references as kerchunk's JSON, version 1, of zarr format 2.
//
// {"version":1,"refs":{".zgroup":"{..}","V/.zarray":"{..}","V/.zattrs":"{..}","V/0.0":["heart.h5",4096,131072],..}}
//
// https://fsspec.github.io/kerchunk/spec.html and https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "weft/refs/references.hpp"

namespace weft::refs {

// The text; `url` is what every chunk names as its file. Every array has codecs for its filters.
std::string kerchunk_text(const References& references, const std::string& url);

// The pieces, for tests: an array's description, and the key of one of its chunks ("0.3.1"; "0" of a scalar).
nlohmann::json zarray_of(const ArrayReferences& array);
std::string chunk_key(const ArrayReferences& array, std::uint64_t number);
std::string base64(const std::vector<std::byte>& bytes);

}  // namespace weft::refs
