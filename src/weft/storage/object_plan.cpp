#include "weft/storage/object_plan.hpp"

#include <fmt/format.h>

#include <limits>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"

namespace weft::storage {

namespace {

void select(hid_t space, const Slab& slab, const std::string& path) {
  check_hdf5(H5Sselect_hyperslab(space, H5S_SELECT_SET, to_hsize(slab.start).data(), to_hsize(slab.stride).data(),
                                 to_hsize(slab.count).data(), to_hsize(slab.block).data()),
             path, "cannot select what it shows");
}

class Maker {
 public:
  explicit Maker(hid_t file) : file_(file) {}

  void operator()(const GroupObject& group) const {
    Handle handle;
    if (H5Lexists(file_, group.path.c_str(), H5P_DEFAULT) > 0) {
      handle = Handle(H5Gopen2(file_, group.path.c_str(), H5P_DEFAULT));
    } else {
      const Handle properties(H5Pcreate(H5P_GROUP_CREATE));
      if (group.creation_order) {
        H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
      }
      handle = Handle(H5Gcreate2(file_, group.path.c_str(), with_groups_on_the_way(), properties, H5P_DEFAULT));
    }
    check_hdf5(static_cast<hid_t>(handle), group.path, "cannot create the group");
    for (const auto& [name, value] : group.attributes) write_attribute(handle, name, value);
  }

  void operator()(const HardLink& link) const {
    check_hdf5(
        H5Lcreate_hard(file_, link.target.c_str(), file_, link.path.c_str(), with_groups_on_the_way(), H5P_DEFAULT),
        link.path, "cannot link to " + link.target);
  }

  void operator()(const SoftLink& link) const {
    check_hdf5(H5Lcreate_soft(link.target.c_str(), file_, link.path.c_str(), with_groups_on_the_way(), H5P_DEFAULT),
               link.path, "cannot link to " + link.target);
  }

  void operator()(const ArrayObject& array) const {
    const Handle dataset =
        create_dataset(file_, array.path, native_type(array.type), simple_space(array.shape), H5P_DEFAULT);
    check_hdf5(H5Dwrite(dataset, native_type(array.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()),
               array.path, "cannot write");
  }

  // Never written and so never given space: every reader gets the fill value.
  void operator()(const ConstantObject& constant) const {
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_fill_value(properties, H5T_NATIVE_INT64, &constant.value);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_LATE);
    create_dataset(file_, constant.path, H5T_NATIVE_INT64, simple_space(constant.shape), properties);
  }

  void operator()(const VirtualObject& object) const {
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
    set_fill(properties, object.type, object.fill);
    for (const Mapping& mapping : object.mappings) {
      const Handle source = simple_space(mapping.source_shape);
      const Handle target = simple_space(object.shape);
      select(source, mapping.from, object.path);
      select(target, mapping.to, object.path);
      check_hdf5(H5Pset_virtual(properties, target, mapping.file.c_str(), mapping.source.c_str(), source), object.path,
                 "cannot show " + mapping.source);
    }
    const Handle dataset =
        create_dataset(file_, object.path, native_type(object.type), simple_space(object.shape), properties);
    for (const auto& [name, value] : object.attributes) write_attribute(dataset, name, value);
  }

 private:
  hid_t file_;
};

struct Line {
  std::string operator()(const GroupObject& group) const { return fmt::format("group     {}", group.path); }
  std::string operator()(const HardLink& link) const {
    return fmt::format("link      {} = {}", link.path, link.target);
  }
  std::string operator()(const SoftLink& link) const {
    return fmt::format("link      {} -> {}", link.path, link.target);
  }
  std::string operator()(const ArrayObject& array) const {
    return fmt::format("array     {} {} {}", array.path, to_string(array.shape), name_of(array.type));
  }
  std::string operator()(const ConstantObject& constant) const {
    return fmt::format("constant  {} {} = {}", constant.path, to_string(constant.shape), constant.value);
  }
  std::string operator()(const VirtualObject& object) const {
    std::string line = fmt::format("virtual   {} {} {}", object.path, to_string(object.shape), name_of(object.type));
    for (const Mapping& mapping : object.mappings) {
      line += fmt::format(" <- {}{}", mapping.file == "." ? "" : mapping.file + ":", mapping.source);
    }
    return line;
  }
};

}  // namespace

const std::string& path_of(const Object& object) {
  return std::visit([](const auto& one) -> const std::string& { return one.path; }, object);
}

std::string describe(const ObjectPlan& plan) {
  std::string text;
  for (const Object& object : plan) text += std::visit(Line{}, object) + "\n";
  return text;
}

void create_object_file(const std::string& path, const ObjectPlan& plan) {
  const QuietHdf5 quiet;
  const Handle access = file_access();
  Handle file(check_hdf5(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), path, "cannot create"));
  make_objects(file, plan);
  check_hdf5(file.reset(), path, "cannot finish the file");
}

void set_fill(std::int64_t hdf5_properties, DataType type, std::optional<double> fill) {
  const bool floating = type == DataType::float32 || type == DataType::float64;
  if (!fill && !floating) return;
  const double value = fill.value_or(std::numeric_limits<double>::quiet_NaN());
  H5Pset_fill_value(hdf5_properties, H5T_NATIVE_DOUBLE, &value);
}

void make_objects(std::int64_t hdf5_file, const ObjectPlan& plan) {
  const Maker maker(hdf5_file);
  for (const Object& object : plan) std::visit(maker, object);
}

}  // namespace weft::storage
