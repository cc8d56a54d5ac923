// predict/series_requests.hpp - the windows of a series, and the requests that write them, as the engine joins them
// (storage/write_plan). Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/series_messages.hpp"
#include "predict/series_shape.hpp"

namespace weft::predict {

// From one of the field's chunks to the next in the file, in bytes (storage/chunk_room).
std::uint64_t pitch_of_chunks(const FieldSpec& field, const Shape& chunk, std::uint64_t align_bytes);

// A field's chunks: those of one step are its tiles.
struct Tiles {
  std::uint64_t chunk_steps = 1;
  std::uint64_t count = 1;        // of a step
  std::uint64_t bytes = 0;        // of a tile, padding included
  std::uint64_t step_bytes = 0;   // of the field, without padding
  std::uint64_t pitch_bytes = 0;  // from one chunk to the next
};

Tiles tiles_of(const FieldSpec& field, const SeriesShape& shape);

// The steps of each window of a series (series/window_length).
struct Window {
  std::uint64_t first = 0;
  std::uint64_t steps = 0;
};
std::vector<Window> windows_of(std::uint64_t window_steps, std::uint64_t chunk_steps, std::uint64_t all_steps);

// Of a window: whole requests, and what is left of each run of bytes.
struct WindowRequests {
  std::uint64_t whole = 0;
  std::uint64_t rest_bytes = 0;
  std::uint64_t rests = 0;
};

// Of `owned` tiles that follow one another, `steps` steps of each.
WindowRequests window_requests(const Tiles& tiles, std::uint64_t owned, std::uint64_t steps, std::uint64_t most_bytes);

// The values of all fields, in these windows: of all ranks, whose tiles are known.
Requests requests_of_values(const SeriesShape& shape, const std::vector<Tiles>& fields, const WindowMessages& messages,
                            const std::vector<Window>& windows);

// What a file says of its writer: room for slots of both kinds and the writer's own words when it begins, then
// `commits` times how far all is written, and `durable` times how far it is on the disk (storage/commit_groups,
// writer_state). `writes`: which ranks write values.
Requests requests_of_state(const std::vector<std::uint64_t>& nodes, const std::vector<bool>& writes,
                           std::uint64_t most_groups, std::uint64_t commits, std::uint64_t durable);

}  // namespace weft::predict
