#include "weft/verify/value_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "weft/storage/hdf5_objects.hpp"
#include "weft/support/amount.hpp"
#include "weft/survey/box_copy.hpp"
#include "weft/survey/dataset_reader.hpp"
#include "weft/survey/pieces.hpp"
#include "weft/verify/common_boxes.hpp"
#include "weft/verify/element_arena.hpp"

namespace weft::verify {

namespace {

using storage::check_hdf5;
using storage::Handle;

// Does `work` with one of the files, and says which it was where it fails.
template <typename Work>
auto with(const ComparedFile& file, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;
    throw Error(error.kind(), file.path, error.what());
  }
}

Handle open_dataset(const ComparedFile& file, const std::string& path) {
  return Handle(check_hdf5(H5Dopen2(file.file, path.c_str(), H5P_DEFAULT), path, "cannot be opened", ErrorKind::data));
}

// Counts what differs, and keeps the first of it in the order of the whole array.
class Tally {
 public:
  Tally(const ComparedFile& left, const ComparedFile& right, const ElementType& type, const Shape& shape)
      : left_(left), right_(right), type_(type), shape_(shape) {}

  void look_at(const Box& box, const std::byte* left, const std::byte* right) {
    const std::uint64_t elements = element_count(box.count);
    const std::size_t size = type_.bytes();
    if (type_.plain() && std::memcmp(left, right, elements * size) == 0) return;
    for (std::uint64_t n = 0; n < elements; ++n) {
      const std::byte* one = left + n * size;
      const std::byte* other = right + n * size;
      if (type_.same(one, left_.names, other, right_.names)) continue;
      ++differing_;
      const std::uint64_t place = place_of(box, n);
      if (differing_ > 1 && place > first_) continue;
      first_ = place;
      left_text_ = type_.text(one, left_.names);
      right_text_ = type_.text(other, right_.names);
    }
  }

  std::optional<ValueDifference> result(const std::string& path) const {
    if (differing_ == 0) return std::nullopt;
    Shape index(shape_.size());
    std::uint64_t rest = first_;
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      index[axis] = rest % shape_[axis];
      rest /= shape_[axis];
    }
    return ValueDifference{path, differing_, element_count(shape_), index, left_text_, right_text_};
  }

 private:
  // Where element n of a box stands in the whole array.
  std::uint64_t place_of(const Box& box, std::uint64_t n) const {
    std::uint64_t place = 0;
    std::uint64_t stride = 1;
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      place += (box.start[axis] + n % box.count[axis]) * stride;
      n /= box.count[axis];
      stride *= shape_[axis];
    }
    return place;
  }

  const ComparedFile& left_;
  const ComparedFile& right_;
  const ElementType& type_;
  const Shape& shape_;
  std::uint64_t differing_ = 0;
  std::uint64_t first_ = 0;
  std::string left_text_;
  std::string right_text_;
};

using Compared = std::function<void(std::uint64_t bytes)>;

// What is to be compared: all pieces of the array, or those of these numbers.
struct Walked {
  survey::Pieces pieces;
  std::optional<std::set<std::uint64_t>> numbers;
};

// Where little of either side is stored, and all else is the same fill value: the pieces that hold it, each as large as
// a chunk, so that a dataset that is mostly holes takes the time of what is in it. Else nothing.
std::optional<Walked> walk_of_few(const survey::DatasetReader& one, const survey::DatasetReader& other,
                                  std::uint64_t most_bytes) {
  const auto stored = one.few_stored_chunks();
  const auto others = other.few_stored_chunks();
  if (!stored || !others || one.fill_value() != other.fill_value()) return std::nullopt;
  Shape piece(one.shape().size(), 1);
  for (std::size_t axis = 0; axis < piece.size(); ++axis) {
    if (!stored->empty()) piece[axis] = std::max(piece[axis], one.chunk()[axis]);
    if (!others->empty()) piece[axis] = std::max(piece[axis], other.chunk()[axis]);
    piece[axis] = std::min(piece[axis], one.shape()[axis]);
  }
  if (element_count(piece) > most_bytes / one.element_bytes()) return std::nullopt;
  Walked walked{survey::Pieces(one.shape(), piece), std::set<std::uint64_t>()};
  const auto add = [&](const survey::DatasetReader& side, const std::vector<std::uint64_t>& numbers) {
    const survey::Pieces chunks(side.shape(), side.chunk());
    for (const std::uint64_t chunk : numbers) {
      survey::for_each_index(survey::chunks_touched(chunks.box(chunk), piece), [&](const Shape& place) {
        std::uint64_t number = 0;
        for (std::size_t axis = 0; axis < place.size(); ++axis) {
          number = number * walked.pieces.counts()[axis] + place[axis];
        }
        walked.numbers->insert(number);
      });
    }
  };
  add(one, *stored);
  add(other, *others);
  return walked;
}

// Elements that are bytes alone: in boxes that suit both layouts. A quarter of the budget is one side's box, an eighth
// each side's chunks, and the rest HDF5's caches.
std::optional<ValueDifference> compare_bytes(const ComparedFile& left, const ComparedFile& right,
                                             const std::string& path, hid_t memory_type, std::uint64_t budget,
                                             const Compared& compared) {
  const ElementType type(memory_type);
  const survey::ReadLimits limits{std::min<std::uint64_t>(32ULL << 20, budget / 16), budget / 8};
  const auto open = [&](const ComparedFile& file) {
    return with(file, [&] { return survey::DatasetReader(file.file, path, memory_type, limits); });
  };
  survey::DatasetReader one = open(left);
  survey::DatasetReader other = open(right);
  const Shape shape = one.shape();
  const Walked walked = [&]() -> Walked {
    if (auto few = walk_of_few(one, other, budget / 4)) return *few;
    with(left, [&] { one.check_readable(); });
    with(right, [&] { other.check_readable(); });
    const CommonBoxes boxes = common_boxes(shape, type.bytes(), {one.chunk(), one.fetches_whole_chunks()},
                                           {other.chunk(), other.fetches_whole_chunks()}, budget / 4);
    return {survey::Pieces(shape, boxes.box), std::nullopt};
  }();
  std::vector<std::byte> left_values;
  std::vector<std::byte> right_values;
  Tally tally(left, right, type, shape);
  const auto compare = [&](std::uint64_t number) {
    const Box box = walked.pieces.box(number);
    const std::uint64_t bytes = element_count(box.count) * type.bytes();
    left_values.resize(bytes);
    right_values.resize(bytes);
    with(left, [&] { one.read(box, left_values); });
    with(right, [&] { other.read(box, right_values); });
    tally.look_at(box, left_values.data(), right_values.data());
    compared(bytes);
  };
  if (walked.numbers) {
    for (const std::uint64_t number : *walked.numbers) compare(number);
  } else {
    for (std::uint64_t number = 0; number < walked.pieces.count(); ++number) compare(number);
  }
  return tally.result(path);
}

// Elements of variable length, and references: a few at a time, and fewer where they are long.
class VariableComparison {
 public:
  VariableComparison(const ComparedFile& left, const ComparedFile& right, const std::string& path, hid_t memory_type,
                     std::uint64_t budget)
      : path_(path),
        memory_type_(memory_type),
        type_(memory_type),
        left_file_(left),
        right_file_(right),
        left_(open_dataset(left, path)),
        right_(open_dataset(right, path)),
        shape_(shape_of(left_)),
        left_arena_(budget / 4),
        right_arena_(budget / 4),
        tally_(left, right, type_, shape_) {}

  std::optional<ValueDifference> run(const Compared& compared) {
    constexpr std::uint64_t kElements = 16384;
    const survey::Pieces pieces(shape_, survey::row_major_piece(shape_, kElements));
    for (std::uint64_t n = 0; n < pieces.count(); ++n) {
      compare(pieces.box(n));
      compared(element_count(pieces.box(n).count) * type_.bytes());
    }
    return tally_.result(path_);
  }

 private:
  static Shape shape_of(hid_t dataset) {
    const Handle space(H5Dget_space(dataset));
    if (H5Sget_simple_extent_type(space) == H5S_SCALAR) return {1};
    std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    return {extents.begin(), extents.end()};
  }

  void compare(const Box& box) {
    std::vector<std::byte> left(element_count(box.count) * type_.bytes());
    std::vector<std::byte> right(left.size());
    if (with(left_file_, [&] { return read(left_, left_arena_, box, left); }) &&
        with(right_file_, [&] { return read(right_, right_arena_, box, right); })) {
      tally_.look_at(box, left.data(), right.data());
      return;
    }
    const auto longest = std::max_element(box.count.begin(), box.count.end());
    if (*longest == 1) {
      throw Error(ErrorKind::usage, path_,
                  fmt::format("the element at {} exceeds the budget", survey::index_text(box.start)),
                  "give a larger --budget");
    }
    const auto axis = static_cast<std::size_t>(longest - box.count.begin());
    Box half = box;
    half.count[axis] = box.count[axis] / 2;
    compare(half);
    half.start[axis] += half.count[axis];
    half.count[axis] = box.count[axis] - half.count[axis];
    compare(half);
  }

  // False where the arena has no room for so many.
  bool read(hid_t dataset, ElementArena& arena, const Box& box, std::span<std::byte> values) const {
    arena.clear();
    const Handle transfer = arena.transfer_properties();
    const Handle memory = storage::simple_space(box.count);
    const Handle space(H5Dget_space(dataset));
    if (H5Sget_simple_extent_type(space) == H5S_SIMPLE) {
      H5Sselect_hyperslab(space, H5S_SELECT_SET, storage::to_hsize(box.start).data(), nullptr,
                          storage::to_hsize(box.count).data(), nullptr);
    }
    const herr_t result = H5Dread(dataset, memory_type_, memory, space, transfer, values.data());
    if (result < 0 && arena.refused() > 0) {
      H5Eclear2(H5E_DEFAULT);
      const Handle file(H5Iget_file_id(dataset));
      hsize_t file_bytes = 0;
      H5Fget_filesize(file, &file_bytes);
      if (arena.refused() <= file_bytes) return false;
      throw Error(ErrorKind::data, path_,
                  fmt::format("has an element longer than the file, from {} on", survey::index_text(box.start)));
    }
    check_hdf5(result, path_, fmt::format("cannot be read from {} on", survey::index_text(box.start)), ErrorKind::data);
    return true;
  }

  const std::string& path_;
  hid_t memory_type_;
  ElementType type_;
  const ComparedFile& left_file_;
  const ComparedFile& right_file_;
  Handle left_;
  Handle right_;
  Shape shape_;
  ElementArena left_arena_;
  ElementArena right_arena_;
  Tally tally_;
};

// An attribute's values; HDF5's own memory behind texts and lists is given back.
class AttributeValues {
 public:
  AttributeValues(hid_t attribute, hid_t memory_type, const std::string& name)
      : type_(H5Tcopy(memory_type)), space_(H5Aget_space(attribute)) {
    const hssize_t count = std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space_));
    count_ = static_cast<std::uint64_t>(count);
    bytes_.resize(count_ * H5Tget_size(type_));
    if (count_ == 0) return;
    check_hdf5(H5Aread(attribute, type_, bytes_.data()), name, "cannot be read", ErrorKind::data);
    is_read_ = true;
  }
  ~AttributeValues() {
    if (is_read_) H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, bytes_.data());
  }
  AttributeValues(const AttributeValues&) = delete;
  AttributeValues& operator=(const AttributeValues&) = delete;

  std::uint64_t count() const { return count_; }
  const std::byte* at(std::uint64_t n) const { return bytes_.data() + n * H5Tget_size(type_); }

 private:
  Handle type_;
  Handle space_;
  std::uint64_t count_ = 0;
  std::vector<std::byte> bytes_;
  bool is_read_ = false;
};

}  // namespace

std::optional<ValueDifference> compare_values(const ComparedFile& left, const ComparedFile& right,
                                              const std::string& path, std::uint64_t budget_bytes,
                                              const Compared& compared) {
  const Handle dataset = with(left, [&] { return open_dataset(left, path); });
  const Handle stored(check_hdf5(H5Dget_type(dataset), path, "has no type", ErrorKind::data));
  const Handle memory_type = ElementType::in_memory(stored);
  if (survey::facts_of(dataset, path).movable) {
    return compare_bytes(left, right, path, memory_type, budget_bytes, compared);
  }
  return VariableComparison(left, right, path, memory_type, budget_bytes).run(compared);
}

std::optional<std::string> compare_attribute_values(const ComparedFile& left, hid_t left_attribute,
                                                    const ComparedFile& right, hid_t right_attribute,
                                                    const std::string& name) {
  const Handle stored(check_hdf5(H5Aget_type(left_attribute), name, "has no type", ErrorKind::data));
  const Handle memory_type = ElementType::in_memory(stored);
  const ElementType type(memory_type);
  const AttributeValues one(left_attribute, memory_type, name);
  const AttributeValues other(right_attribute, memory_type, name);
  // HDF5 lists the datasets a scale belongs to in the order in which they were attached.
  std::vector<std::uint64_t> order(one.count());
  std::vector<std::uint64_t> other_order(other.count());
  for (std::uint64_t n = 0; n < order.size(); ++n) order[n] = other_order[n] = n;
  if (name == "REFERENCE_LIST") {
    const auto sort = [&](std::vector<std::uint64_t>& numbers, const AttributeValues& values,
                          const ComparedFile& file) {
      std::sort(numbers.begin(), numbers.end(), [&](std::uint64_t a, std::uint64_t b) {
        return type.text(values.at(a), file.names) < type.text(values.at(b), file.names);
      });
    };
    sort(order, one, left);
    sort(other_order, other, right);
  }
  std::uint64_t differing = 0;
  std::string words;
  for (std::uint64_t n = 0; n < order.size(); ++n) {
    const std::byte* a = one.at(order[n]);
    const std::byte* b = other.at(other_order[n]);
    if (type.same(a, left.names, b, right.names)) continue;
    if (differing++ == 0) words = fmt::format("{} / {}", type.text(a, left.names), type.text(b, right.names));
  }
  if (differing == 0) return std::nullopt;
  return order.size() == 1 ? words : fmt::format("{} of {} differ: {}", differing, order.size(), words);
}

}  // namespace weft::verify
