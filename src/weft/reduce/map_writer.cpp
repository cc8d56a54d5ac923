#include "weft/reduce/map_writer.hpp"

#include <cmath>

namespace weft::reduce {

void MapWriter::write(std::size_t map, std::uint64_t row, std::uint64_t first, std::span<double> values) {
  if (!std::isnan(fill_)) {
    for (double& value : values) value = std::isnan(value) ? fill_ : value;
  }
  store_.write_at(place(map, row, first), std::as_bytes(values));
}

void MapWriter::read(std::size_t map, std::uint64_t row, std::uint64_t first, std::span<double> values) {
  store_.read_at(place(map, row, first), std::as_writable_bytes(values));
}

void MapWriter::write_beats(std::uint64_t first, std::span<const std::int64_t> beats) {
  store_.write_at(addresses_.back() + first * sizeof(std::int64_t), std::as_bytes(beats));
}

}  // namespace weft::reduce
