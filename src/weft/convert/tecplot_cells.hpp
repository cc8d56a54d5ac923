// weft/convert/tecplot_cells.hpp - a rank's share of the cells of a mesh, as elements of a Tecplot zone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/convert/step_source.hpp"
#include "weft/convert/tecplot_elements.hpp"
#include "weft/partition/ownership.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/support/communicator.hpp"

namespace weft::convert {

struct TecplotCells {
  partition::Block mine{0, 0};      // dealt in contiguous blocks
  std::vector<std::uint8_t> types;  // of those
  ZoneType zone = ZoneType::ordered;
  std::uint64_t elements = 0;         // of all ranks
  std::uint64_t elements_before = 0;  // of the ranks before this one
  std::vector<std::string> left_out;  // cells that are no elements, and why

  bool all_are_elements() const;  // of `mine`
};

// Collective; throws agreed errors.
TecplotCells deal_cells(Communicator& comm, const StepSource& source, const view::Unstructured& mesh);

// Writes this rank's elements, the first rank's at `address`. Not collective; Error(data) where the mesh is damaged.
void write_elements(const StepSource& source, const view::Unstructured& mesh, const TecplotCells& cells,
                    storage::ByteStore& store, std::uint64_t address);

}  // namespace weft::convert
