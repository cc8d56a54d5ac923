// weft/reduce/map_rows.hpp - the rows of the maps of one tile of nodes, while they fill, in bounded memory.
//
// Row b has the values of beat b, for every quantity and node: [quantity][node]. A row takes memory when the first node
// comes with it, and gives it back when it has been written: once all nodes have come.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::reduce {

class MapRows {
 public:
  struct Limits {
    std::size_t quantities = 0;
    std::uint64_t nodes = 0;
    std::uint64_t rows = 0;  // what comes for later beats is not kept
  };
  // `bytes_left` is shared by all tiles: what they may take yet.
  MapRows(const Limits& limits, std::uint64_t& bytes_left) : limits_(limits), bytes_left_(&bytes_left) {}

  // The values of beat `beat` of a node. Returns false where there is no memory left for another row.
  bool put(std::uint64_t node, std::uint64_t beat, std::span<const double> values);
  // Whether all nodes have come with it.
  bool is_full(std::uint64_t beat) const;
  // Gives its memory back.
  void set_written(std::uint64_t beat);

  // The row, or nothing where it holds no value or is written already.
  std::span<double> row(std::uint64_t beat);
  std::span<const double> row(std::uint64_t beat) const;
  bool is_written(std::uint64_t beat) const { return beat < rows_.size() && rows_[beat].written; }

 private:
  struct Row {
    std::vector<double> values;
    std::uint64_t nodes = 0;  // that have come
    bool written = false;
  };
  std::uint64_t row_bytes() const { return limits_.quantities * limits_.nodes * sizeof(double); }

  Limits limits_;
  std::uint64_t* bytes_left_;
  std::vector<Row> rows_;
};

}  // namespace weft::reduce
