// weft/storage/object_plan.hpp - HDF5 objects to be made, as plain data: groups, links, small arrays, virtual datasets.
//
// A view of a file (view/vtkhdf.hpp) is computed as such a plan, which can be printed and compared; make_objects() then
// makes it. Objects are made in the order of the list; groups on the way to a path are made as needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "weft/storage/attributes.hpp"
#include "weft/support/data_type.hpp"
#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

// A group, or only its attributes where it is there already.
struct GroupObject {
  std::string path;
  Attributes attributes{};
  bool creation_order = false;  // links can be listed in the order they were made
};

// A second name of an object of the same file.
struct HardLink {
  std::string path;
  std::string target;
};
struct SoftLink {
  std::string path;
  std::string target;
};

// An array with its values, row-major in the type's native order.
struct ArrayObject {
  std::string path;
  DataType type = DataType::int64;
  Shape shape{};
  std::vector<std::byte> values{};
};

template <typename T>
ArrayObject array_of(const std::string& path, const Shape& shape, const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {path, data_type_of<T>(), shape, {bytes.begin(), bytes.end()}};
}

// An array of one integer throughout; takes no space for it.
struct ConstantObject {
  std::string path;
  Shape shape{};
  std::int64_t value = 0;
};

// A regular pattern of an array's elements: along axis i, `count[i]` blocks of `block[i]` elements, `stride[i]` apart.
struct Slab {
  Shape start{};
  Shape stride{};
  Shape count{};
  Shape block{};
  static Slab of(const Box& box) {
    return {box.start, Shape(box.start.size(), 1), box.count, Shape(box.count.size(), 1)};
  }
  std::uint64_t elements() const { return element_count(count) * element_count(block); }
};

// A dataset that holds nothing and shows elements of others: those of each source in row-major order at those of the
// target, in row-major order too. What no mapping covers reads as NaN (floating point) or 0.
struct Mapping {
  std::string file;  // "." is the file itself; a relative name counts from the folder of the file that has the view
  std::string source;
  Shape source_shape{};
  Slab from{};
  Slab to{};
};
struct VirtualObject {
  std::string path;
  DataType type = DataType::float64;
  Shape shape{};
  std::vector<Mapping> mappings{};
  Attributes attributes{};
  std::optional<double> fill{};  // what is not covered reads as this
};

using Object = std::variant<GroupObject, HardLink, SoftLink, ArrayObject, ConstantObject, VirtualObject>;
using ObjectPlan = std::vector<Object>;

const std::string& path_of(const Object& object);

// One line for each object: what it is, its path and shape.
std::string describe(const ObjectPlan& plan);

// A new HDF5 file of these objects and nothing else; an existing one is replaced.
void create_object_file(const std::string& path, const ObjectPlan& plan);

// The fill value of a dataset of this type, as VirtualObject has it.
void set_fill(std::int64_t hdf5_properties, DataType type, std::optional<double> fill);

// Makes the objects in an open file. Throws Error(system) where HDF5 refuses one.
void make_objects(std::int64_t hdf5_file, const ObjectPlan& plan);

}  // namespace weft::storage

#pragma GCC visibility pop
