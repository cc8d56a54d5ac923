// with/step_window.hpp - steps of one part of a dataset, gathered until they are written together.
//
// Pure but for the memory: it decides nothing about when, and calls no HDF5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "weft/support/shape.hpp"

namespace weft::with {

// Which part: a box that is one step thick along `axis`; box.start[axis] is the step. A part may be nothing, where a
// rank takes part in a collective write without having elements of its own.
struct Step {
  std::size_t axis = 0;
  Box box;  // empty start and count: nothing
  bool nothing() const { return box.count.empty(); }
  std::uint64_t index() const { return box.start[axis]; }
};

// The axis along which a box of a dataset is a step: the first on which it is one thick, and the dataset is not.
// npos where there is none.
std::size_t step_axis_of(const Box& box, const Shape& shape);

class StepWindow {
 public:
  // For `capacity` steps of this part, of elements of so many bytes (in the program's memory), from step `first` on.
  // The memory is the system's until it is used.
  StepWindow(Step part, std::uint64_t first, std::uint64_t capacity, std::uint64_t element_bytes);

  StepWindow() : StepWindow({}, 0, 0, 0) {}

  // The same part, one step on.
  bool fits(const Step& step, std::uint64_t index) const;
  bool same_part(const Step& step) const;
  // Where the values of the next step go: `runs` runs of run_bytes, stride_bytes apart. Then added().
  std::byte* next() const;
  std::uint64_t runs() const { return runs_; }
  std::uint64_t run_bytes() const { return run_bytes_; }
  std::uint64_t stride_bytes() const { return run_bytes_ * capacity_; }
  // NOLINTNEXTLINE(readability-make-member-function-const): it fills the window
  void put(const std::byte* values);  // the elements of a step, in the order of the file
  void added(double seconds);         // at this time

  std::uint64_t first() const { return first_; }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t bytes() const { return steps_ * step_bytes_; }
  std::uint64_t step_bytes() const { return step_bytes_; }
  std::size_t axis() const { return part_.axis; }
  const Step& part() const { return part_; }
  bool nothing() const { return part_.nothing(); }
  bool full() const { return steps_ == capacity_; }
  double since() const { return since_; }  // when its oldest step came

  // What is in it, in the dataset: written steps of it are left out.
  Box filled() const;
  std::uint64_t written() const { return written_; }
  void wrote_own_part() { written_ = steps_; }
  // The shape of its memory, and where filled() lies in it.
  Shape memory_shape() const;
  Box memory_box() const;
  const std::byte* data() const { return memory_.get(); }

  // Empty again, from this step on.
  void restart(std::uint64_t first, std::uint64_t capacity);

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* memory) const;
  };
  void map();

  Step part_;
  std::uint64_t first_;
  std::uint64_t capacity_;
  std::uint64_t element_bytes_;
  std::uint64_t steps_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t step_bytes_ = 0;
  std::uint64_t runs_ = 1;
  std::uint64_t run_bytes_ = 0;
  std::size_t mapped_ = 0;
  double since_ = 0;
  std::unique_ptr<std::byte, Unmap> memory_;
};

}  // namespace weft::with
