// weft/convert/step_windows.hpp - how many steps, and how many rows of them, are read at a time.
//
// Consecutive steps of a chunk lie together, so a window of steps is read at once and each chunk of the file is touched
// as few times as the budget allows: windows end where chunks do, where that is possible. Pure arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace weft::convert {

// A stretch [first, first + count) of a list of chosen steps.
struct StepWindow {
  std::size_t first;
  std::size_t count;
  bool operator==(const StepWindow&) const = default;
};

// Windows of at most `most` (1 or more) steps. `chunk_of` gives the chunk along the steps that a step lies in.
//
// Example: steps 0 .. 19 in chunks of 8, at most 10 at once: 8, 8 and 4 steps; at most 5: 5, 3, 5, 3, 4.
std::vector<StepWindow> step_windows(std::span<const std::uint64_t> steps, std::uint64_t most,
                                     const std::function<std::uint64_t(std::uint64_t step)>& chunk_of);

// How much of a file is read at a time where a rank may take a part of the rows too.
struct Tile {
  std::uint64_t steps;
  std::uint64_t rows;  // 0: not even one row of one step fits
  bool operator==(const Tile&) const = default;
};

// The most that fits `fitting` rows of one step, in whole chunks if possible: all rows of many steps, else some columns
// of chunks, else less than a chunk.
//
// Example: 1000 rows of 151 steps in chunks of 19 x 100: 200,000 fit in one tile of 151 x 1000; 50,000 in 38 x 1000;
// 5,000 in 19 x 200; 1,000 in 19 x 52.
Tile tile_for(std::uint64_t steps, std::uint64_t rows, std::uint64_t chunk_steps, std::uint64_t chunk_rows,
              std::uint64_t fitting);

}  // namespace weft::convert
