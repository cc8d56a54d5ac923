#include "with/step_window.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace weft::with {

std::size_t step_axis_of(const Box& box, const Shape& shape) {
  // The slowest axis that is one step thick; one that the dataset itself has but one of is no axis of steps, unless it
  // is the first: a series has one step when it begins.
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (box.count[axis] == 1 && (shape[axis] > 1 || axis == 0)) return axis;
  }
  return std::string_view::npos;
}

StepWindow::StepWindow(Step part, std::uint64_t first, std::uint64_t capacity, std::uint64_t element_bytes)
    : part_(std::move(part)),
      first_(first),
      capacity_(std::max<std::uint64_t>(capacity, 1)),
      element_bytes_(element_bytes) {
  if (!part_.nothing()) {
    std::uint64_t inner = element_bytes_;
    for (std::size_t axis = 0; axis < part_.box.count.size(); ++axis) {
      (axis < part_.axis ? runs_ : inner) *= part_.box.count[axis];
    }
    run_bytes_ = inner;
    step_bytes_ = runs_ * run_bytes_;
  }
  map();
}

void StepWindow::map() {
  const std::size_t bytes = step_bytes_ * capacity_;
  if (bytes <= mapped_) return;
  memory_.reset();
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  madvise(memory, bytes, MADV_HUGEPAGE);
  memory_ = std::unique_ptr<std::byte, Unmap>(static_cast<std::byte*>(memory), Unmap{bytes});
  mapped_ = bytes;
}

void StepWindow::Unmap::operator()(std::byte* memory) const { munmap(memory, bytes); }

bool StepWindow::same_part(const Step& step) const {
  if (nothing() || step.nothing()) return nothing() && step.nothing();
  if (step.axis != part_.axis || step.box.count != part_.box.count) return false;
  for (std::size_t axis = 0; axis < part_.box.start.size(); ++axis) {
    if (axis != part_.axis && step.box.start[axis] != part_.box.start[axis]) return false;
  }
  return true;
}

bool StepWindow::fits(const Step& step, std::uint64_t index) const {
  return same_part(step) && !full() && index == first_ + steps_;
}

std::byte* StepWindow::next() const { return memory_.get() + steps_ * run_bytes_; }

// NOLINTNEXTLINE(readability-make-member-function-const): it fills the window
void StepWindow::put(const std::byte* values) {
  std::byte* to = next();
  for (std::uint64_t run = 0; run < runs_; ++run) {
    std::memcpy(to + run * stride_bytes(), values + run * run_bytes_, run_bytes_);
  }
}

void StepWindow::added(double seconds) {
  if (steps_ == 0) since_ = seconds;
  ++steps_;
}

Box StepWindow::filled() const {
  if (nothing()) return {};
  Box box = part_.box;
  box.start[part_.axis] = first_ + written_;
  box.count[part_.axis] = steps_ - written_;
  return box;
}

Shape StepWindow::memory_shape() const {
  Shape shape = part_.box.count;
  shape[part_.axis] = capacity_;
  return shape;
}

Box StepWindow::memory_box() const {
  Box box{Shape(part_.box.count.size(), 0), part_.box.count};
  box.start[part_.axis] = written_;
  box.count[part_.axis] = steps_ - written_;
  return box;
}

void StepWindow::restart(std::uint64_t first, std::uint64_t capacity) {
  first_ = first;
  steps_ = 0;
  written_ = 0;
  capacity_ = std::max<std::uint64_t>(capacity, 1);
  map();
}

}  // namespace weft::with
