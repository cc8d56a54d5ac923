#include "weft/exchange/window.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "weft/exchange/stream_copy.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/byte_planes.hpp"
#include "weft/support/error.hpp"

namespace weft::exchange {

PageMemory::PageMemory(std::uint64_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorKind::system, "window", fmt::format("cannot get {} of memory", format_bytes(bytes)),
                "give a smaller --budget");
  }
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // fewer page faults in the first window; a refusal costs nothing
  data_ = static_cast<std::byte*>(memory);
}

PageMemory::PageMemory(PageMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

PageMemory& PageMemory::operator=(PageMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void PageMemory::populate() const {
#ifdef MADV_POPULATE_WRITE
  if (data_ != nullptr) ::madvise(data_, size_, MADV_POPULATE_WRITE);
#endif
}

PageMemory::~PageMemory() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

// Padding lies elsewhere then, where values were.
void TileMemory::begin(bool shuffles) {
  shuffles = shuffles && shape_->may_shuffle;
  if (shuffles == shuffles_) return;
  shuffles_ = shuffles;
  const partition::MovePlan& plan = *shape_->plan;
  std::vector<std::uint64_t> elements(plan.tiles.size());
  for (const partition::Copy& copy : plan.copies) elements[copy.slot] += copy.length;
  for (const partition::Inbound& inbound : plan.inbound) {
    for (const partition::Placed& place : inbound.places) elements[place.slot] += place.length;
  }
  for (std::uint64_t slot = 0; slot < elements.size(); ++slot) {
    if (elements[slot] * shape_->element_bytes < shape_->tile_bytes) std::ranges::fill(tile(slot), std::byte{0});
  }
}

void TileMemory::place(std::uint64_t slot, std::uint64_t step, std::uint64_t offset,
                       std::span<const std::byte> values) const {
  const std::uint64_t element = shape_->element_bytes;
  if (!shuffles_) {
    stream_copy(steps_of(slot, step, 1).data() + offset * element, values.data(), values.size());
    return;
  }
  const std::uint64_t step_elements = shape_->tile_bytes / element;
  to_byte_planes(values, element, tile(slot).data() + step * step_elements + offset, shape_->steps * step_elements);
}

Mail::Mail(const WindowShape& shape) : shape_(&shape), outbox_(shape.outbox_memory()), inbox_(shape.inbox_memory()) {}

void Mail::put(std::uint64_t step, std::span<const std::byte> local, const TileMemory& tiles, const Visit& visit) {
  constexpr std::uint64_t kWorthVisiting = 4096;  // bytes
  const std::uint64_t element = shape_->element_bytes;
  for (const partition::Copy& copy : shape_->plan->copies) {
    const std::span<const std::byte> values = local.subspan(copy.local * element, copy.length * element);
    tiles.place(copy.slot, step, copy.offset, values);
    if (visit && values.size() >= kWorthVisiting) visit(copy.slot, copy.offset, values);
  }
  std::byte* message = outbox_.data();
  for (const partition::Outbound& outbound : shape_->plan->outbound) {
    std::byte* at = message + step * outbound.elements * element;
    for (const partition::Taken& run : outbound.runs) {
      std::memcpy(at, local.data() + run.local * element, run.length * element);
      at += run.length * element;
    }
    message += shape_->steps * outbound.elements * element;
  }
}

void Mail::address(std::uint64_t steps, std::vector<Outgoing>& outgoing, std::vector<Incoming>& incoming) const {
  const std::uint64_t element = shape_->element_bytes;
  const auto cut = [&](const auto& messages, const PageMemory& memory, auto& list) {
    std::byte* at = memory.data();
    for (const auto& message : messages) {
      list.push_back({message.peer, {at, steps * message.elements * element}});
      at += shape_->steps * message.elements * element;
    }
  };
  cut(shape_->plan->outbound, outbox_, outgoing);
  cut(shape_->plan->inbound, inbox_, incoming);
}

void Mail::open(std::uint64_t steps, const TileMemory& tiles) const {
  const std::uint64_t element = shape_->element_bytes;
  const std::byte* begin = inbox_.data();
  for (const partition::Inbound& inbound : shape_->plan->inbound) {
    for (std::uint64_t step = 0; step < steps; ++step) {
      const std::byte* from = begin + step * inbound.elements * element;
      for (const partition::Placed& place : inbound.places) {
        tiles.place(place.slot, step, place.offset, {from, place.length * element});
        from += place.length * element;
      }
    }
    begin += shape_->steps * inbound.elements * element;
  }
}

void Mail::deliver(Communicator& comm, std::uint64_t steps, const TileMemory& tiles) const {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  address(steps, outgoing, incoming);
  if (outgoing.empty() && incoming.empty()) return;
  comm.exchange(outgoing, incoming);
  open(steps, tiles);
}

}  // namespace weft::exchange
