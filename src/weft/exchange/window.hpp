// weft/exchange/window.hpp - the memory in which a rank gathers a window of steps of one field, laid out as the file
// is.
//
// Memory of a window of w steps over the tiles this rank owns: [tile][step][element], so that the steps of one tile are
// one contiguous run of its chunk. What belongs to tiles of other ranks waits in an outbox, [peer][step][element],
// until deliver() sends it. A window owns its memory: zeroed pages, so that padding at the edges is 0 in the file.
//
// Where HDF5's shuffle is the first that is done to a chunk, put() may do it on the way: the window then holds
// [tile][byte of an element][step][element], and nobody has to go through its memory a second time for that. It takes
// put() longer than a copy, so each window may be filled in the other way than the one before.
//
// Example: 58 tiles of 55,184 bytes and 5 steps: 16 MB, of which tile 3, step 2 begins at (3 * 5 + 2) * 55,184.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "weft/partition/move_plan.hpp"
#include "weft/support/communicator.hpp"

#pragma GCC visibility push(default)

namespace weft::exchange {

// Zeroed memory straight from the system, given back whole.
class PageMemory {
 public:
  PageMemory() = default;
  explicit PageMemory(std::uint64_t bytes);
  PageMemory(PageMemory&& other) noexcept;
  PageMemory& operator=(PageMemory&& other) noexcept;
  ~PageMemory();
  std::byte* data() const { return data_; }
  std::uint64_t size() const { return size_; }
  // Has the system give every page now, contents untouched; safe beside a thread that uses the memory already. A wish:
  // where it is not granted (before Linux 5.14) pages come one by one as they are first used.
  void populate() const;

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

// What never changes between the windows of a field.
struct WindowShape {
  std::shared_ptr<const partition::MovePlan> plan;  // of all fields that are dealt out and cut alike
  std::uint64_t tile_bytes = 0;
  std::uint64_t element_bytes = 0;
  std::uint64_t steps = 0;   // capacity
  bool may_shuffle = false;  // on the way

  std::uint64_t tile_memory() const { return plan->tiles.size() * steps * tile_bytes; }
  std::uint64_t outbox_memory() const { return plan->sent_elements * element_bytes * steps; }
  std::uint64_t inbox_memory() const { return plan->received_elements * element_bytes * steps; }
};

// The tiles of one window, ready to be written once delivered.
class TileMemory {
 public:
  explicit TileMemory(const WindowShape& shape)
      : shape_(&shape), memory_(shape.tile_memory()), shuffles_(shape.may_shuffle) {}

  // Whether elements are shuffled on their way into it.
  bool shuffles() const { return shuffles_; }
  // Has the next window filled so, where the shape allows it; what it holds is lost.
  void begin(bool shuffles);

  // The bytes of `steps` steps of the tile in `slot`, from step `first` of the window on.
  std::span<std::byte> steps_of(std::uint64_t slot, std::uint64_t first, std::uint64_t steps) const {
    return {memory_.data() + (slot * shape_->steps + first) * shape_->tile_bytes, steps * shape_->tile_bytes};
  }
  // What `steps_of` cannot show of tiles that are shuffled on the way: one as it lies in memory, with all its steps.
  std::span<std::byte> tile(std::uint64_t slot) const { return steps_of(slot, 0, shape_->steps); }
  // One step's elements of a tile, from element `offset` on.
  void place(std::uint64_t slot, std::uint64_t step, std::uint64_t offset, std::span<const std::byte> values) const;
  void populate() const { memory_.populate(); }

 private:
  const WindowShape* shape_;
  PageMemory memory_;
  bool shuffles_;
};

// The mail between ranks for one field: one outbox and one inbox, shared by all its windows.
class Mail {
 public:
  explicit Mail(const WindowShape& shape);

  // Takes one step from the rank's own array: what it owns goes to `tiles`, the rest to the outbox. `visit` is shown
  // the larger pieces that went to a tile: its slot, the first element, the bytes. Not collective.
  using Visit = std::function<void(std::size_t slot, std::uint64_t offset, std::span<const std::byte> values)>;
  void put(std::uint64_t step, std::span<const std::byte> local, const TileMemory& tiles, const Visit& visit = {});

  // What is to be sent and to arrive for `steps` steps goes behind what the lists have; the memory is the mail's.
  void address(std::uint64_t steps, std::vector<Outgoing>& outgoing, std::vector<Incoming>& incoming) const;
  // Places what has arrived.
  void open(std::uint64_t steps, const TileMemory& tiles) const;

  // All of it for one field alone. Collective among neighbours.
  void deliver(Communicator& comm, std::uint64_t steps, const TileMemory& tiles) const;

 private:
  const WindowShape* shape_;
  PageMemory outbox_;
  PageMemory inbox_;
};

}  // namespace weft::exchange

#pragma GCC visibility pop
