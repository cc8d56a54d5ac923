// weft/reduce/map_writer.hpp - maps in a file: what they are called, and writing parts of their rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/support/shape.hpp"

namespace weft::reduce {

struct MapPlan {
  std::string name;
  std::string units;  // "" where not known
  std::uint64_t rows = 1;
  bool per_beat = false;
  bool is_conduction = false;  // a velocity, made of upstroke times at the end

  // With one axis for the nodes, as it is written, or the grid's, as it is shown.
  Shape shape(Shape places) const {
    if (per_beat) places.insert(places.begin(), rows);
    return places;
  }
};

// Positioned writes into datasets that are there; any rank may write any nodes.
class MapWriter {
 public:
  // `addresses` of the maps, float64, and last, where there is one, of the count of beats, int64. `store` outlives it.
  MapWriter(storage::ByteStore& store, std::vector<std::uint64_t> addresses, std::uint64_t nodes, double fill)
      : store_(store), addresses_(std::move(addresses)), nodes_(nodes), fill_(fill) {}

  // The values of nodes `first` and following. NaN are replaced by the fill value, in place too.
  void write(std::size_t map, std::uint64_t row, std::uint64_t first, std::span<double> values);
  void read(std::size_t map, std::uint64_t row, std::uint64_t first, std::span<double> values);
  void write_beats(std::uint64_t first, std::span<const std::int64_t> beats);

 private:
  std::uint64_t place(std::size_t map, std::uint64_t row, std::uint64_t first) const {
    return addresses_[map] + (row * nodes_ + first) * sizeof(double);
  }

  storage::ByteStore& store_;
  std::vector<std::uint64_t> addresses_;
  std::uint64_t nodes_;
  double fill_;
};

}  // namespace weft::reduce
