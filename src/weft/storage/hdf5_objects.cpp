#include "weft/storage/hdf5_objects.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "weft/storage/chunk_places.hpp"

namespace weft::storage {

namespace {

// Space now, contents never: what is not written is never read either.
Handle early_and_unfilled() {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
  return properties;
}

std::optional<DataType> data_type_of_hdf5(hid_t type) {
  for (const DataType candidate :
       {DataType::float32, DataType::float64, DataType::int32, DataType::int64, DataType::uint8}) {
    if (H5Tequal(type, native_type(candidate)) > 0) return candidate;
  }
  if (H5Tequal(type, H5T_NATIVE_UINT64) > 0) return DataType::int64;  // commit slots
  return std::nullopt;
}

std::vector<std::string> filter_names(hid_t properties) {
  std::vector<std::string> names;
  const int filters = H5Pget_nfilters(properties);
  for (int i = 0; i < filters; ++i) {
    std::array<char, 64> name{};
    unsigned flags = 0;
    unsigned config = 0;
    std::size_t values = 0;
    const H5Z_filter_t id = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr, name.size(),
                                           name.data(), &config);
    names.emplace_back(name[0] != '\0' ? std::string(name.data()) : fmt::format("filter {}", id));
  }
  return names;
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type, H5T_VARIABLE);  // h5py shows it as str
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

void write_value(hid_t object, const std::string& name, hid_t type, hid_t space, const void* value) {
  if (H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
  const Handle attribute(check_hdf5(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), name,
                                    "cannot create the attribute"));
  check_hdf5(H5Awrite(attribute, type, value), name, "cannot write the attribute");
}

}  // namespace

bool open_for_writing(hid_t file) {
  unsigned intent = 0;
  return H5Fget_intent(file, &intent) >= 0 && (intent & H5F_ACC_RDWR) != 0;
}

std::vector<hsize_t> to_hsize(const Shape& shape) { return {shape.begin(), shape.end()}; }

Handle simple_space(const Shape& shape) {
  const std::vector<hsize_t> extents = to_hsize(shape);
  return Handle(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
}

Handle with_groups_on_the_way() {
  Handle links(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(links, 1);
  return links;
}

Handle create_dataset(hid_t file, const std::string& path, hid_t type, hid_t space, hid_t properties) {
  return Handle(
      check_hdf5(H5Dcreate2(file, path.c_str(), type, space, with_groups_on_the_way(), properties, H5P_DEFAULT), path,
                 "cannot create the dataset"));
}

Handle file_access(H5F_libver_t newest, H5F_libver_t oldest) {
  Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access, oldest, newest);
  H5Pset_alignment(access, 1, 8);
  H5Pset_fclose_degree(access, H5F_CLOSE_SEMI);
  return access;
}

Handle create_chunked(hid_t file, const std::string& path, DataType type, const Shape& shape, const Shape& chunk) {
  const Handle properties = early_and_unfilled();
  const std::vector<hsize_t> extents = to_hsize(chunk);
  check_hdf5(H5Pset_chunk(properties, static_cast<int>(extents.size()), extents.data()), path,
             fmt::format("HDF5 refuses a chunk of {}", to_string(chunk)), ErrorKind::usage);
  return create_dataset(file, path, native_type(type), simple_space(shape), properties);
}

Handle create_contiguous(hid_t file, const std::string& path, DataType type, const Shape& shape) {
  return create_dataset(file, path, native_type(type), simple_space(shape), early_and_unfilled());
}

void create_slots(hid_t file, const std::string& path, const std::vector<std::uint64_t>& values) {
  const Handle dataset =
      create_dataset(file, path, H5T_NATIVE_UINT64, simple_space({values.size()}), early_and_unfilled());
  check_hdf5(H5Dwrite(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), path,
             "cannot write the commit slots");
}

std::uint64_t dataset_length(hid_t file, const std::string& path) {
  const Handle dataset(check_hdf5(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path, "cannot open", ErrorKind::data));
  const Handle space(H5Dget_space(dataset));
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return extents[0];
}

namespace {

ArrayEntry array_facts(const Handle& dataset, const std::string& path) {
  ArrayEntry array;
  array.path = path;
  const Handle type(H5Dget_type(dataset));
  const auto known = data_type_of_hdf5(type);
  if (!known) throw Error(ErrorKind::data, path, "has an element type Weft does not write");
  array.type = *known;
  const Handle space(H5Dget_space(dataset));
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  array.shape.assign(extents.begin(), extents.end());
  array.chunk = array.shape;
  const Handle properties(H5Dget_create_plist(dataset));
  array.filters = filter_names(properties);
  if (H5Pget_layout(properties) != H5D_CHUNKED) return array;
  H5Pget_chunk(properties, static_cast<int>(extents.size()), extents.data());
  array.chunk.assign(extents.begin(), extents.end());
  return array;
}

Handle open_dataset(hid_t file, const std::string& path) {
  return Handle(check_hdf5(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path, "cannot open", ErrorKind::data));
}

}  // namespace

ArrayEntry array_without_addresses(hid_t file, const std::string& path) {
  return array_facts(open_dataset(file, path), path);
}

ArrayEntry array_entry(hid_t file, const std::string& path) {
  const Handle dataset = open_dataset(file, path);
  ArrayEntry array = array_facts(dataset, path);
  const Handle properties(H5Dget_create_plist(dataset));
  if (H5Pget_layout(properties) == H5D_CHUNKED) {
    array.addresses = addresses_of_chunks(dataset, array.shape, array.chunk, array.chunk_bytes());
    if (array.filters.empty() && !array.addresses.known() && !open_for_writing(file)) {
      throw Error(ErrorKind::data, path, "has chunks without a place in the file",
                  "it was not written by Weft to its end, or is damaged");
    }
  } else {
    const haddr_t at = H5Dget_offset(dataset);
    if (at == HADDR_UNDEF) throw Error(ErrorKind::data, path, "has no space in the file");
    hsize_t room = 0;
    H5Fget_filesize(file, &room);
    if (at > room || element_count(array.shape) > (room - at) / size_of(array.type)) {
      throw Error(ErrorKind::data, path, fmt::format("ends after the end of the file, which has {} bytes", room),
                  "the file is damaged: copy it again");
    }
    array.addresses = ChunkAddresses::in_a_row(at, array.chunk_bytes());
  }
  return array;
}

void write_attribute(hid_t object, const std::string& name, const AttributeValue& value) {
  const Handle scalar(H5Screate(H5S_SCALAR));
  if (const auto* text = std::get_if<std::string>(&value)) {
    const char* pointer = text->c_str();
    write_value(object, name, text_type(), scalar, &pointer);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    write_value(object, name, H5T_NATIVE_INT64, scalar, integer);
  } else if (const auto* number = std::get_if<double>(&value)) {
    write_value(object, name, H5T_NATIVE_DOUBLE, scalar, number);
  } else if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    write_value(object, name, H5T_NATIVE_DOUBLE, simple_space({list->size()}), list->data());
  } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
    write_value(object, name, H5T_NATIVE_INT64, simple_space({integers->size()}), integers->data());
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    std::vector<const char*> pointers;
    for (const std::string& one : *texts) pointers.push_back(one.c_str());
    write_value(object, name, text_type(), simple_space({texts->size()}), pointers.data());
  } else {
    const std::string& fixed = std::get<FixedText>(value).text;
    const Handle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, std::max<std::size_t>(1, fixed.size()));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    write_value(object, name, type, scalar, fixed.c_str());
  }
}

namespace {

// What dimension scales keep in attributes: of use with the object alone.
bool is_of_scales(std::string_view name) {
  return name == "CLASS" || name == "NAME" || name == "REFERENCE_LIST" || name == "DIMENSION_LIST" ||
         name.starts_with("DIMENSION_LABELS");
}

}  // namespace

void copy_attributes(hid_t file, const std::string& from, const std::string& to) {
  const Handle source(check_hdf5(H5Dopen2(file, from.c_str(), H5P_DEFAULT), from, "cannot open"));
  const Handle target(check_hdf5(H5Dopen2(file, to.c_str(), H5P_DEFAULT), to, "cannot open"));
  const auto copy = [](hid_t object, const char* name, const H5A_info_t*, void* data) -> herr_t {
    if (is_of_scales(name)) return 0;
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
    const Handle type(H5Aget_type(attribute));
    const Handle space(H5Aget_space(attribute));
    std::vector<std::byte> value(H5Tget_size(type) * static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    if (H5Aread(attribute, type, value.data()) < 0) return -1;
    const hid_t copied_to = *static_cast<hid_t*>(data);
    if (H5Aexists(copied_to, name) > 0) H5Adelete(copied_to, name);
    const Handle written(H5Acreate2(copied_to, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    const herr_t result = H5Awrite(written, type, value.data());
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, value.data());
    return result;
  };
  hid_t destination = target;
  check_hdf5(H5Aiterate2(source, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, copy, &destination), to,
             "cannot copy the attributes");
}

std::int64_t read_integer(hid_t object, const std::string& name) {
  std::int64_t value = 0;
  if (H5Aexists(object, name.c_str()) <= 0) return value;
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
  H5Aread(attribute, H5T_NATIVE_INT64, &value);
  return value;
}

std::string read_text(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return {};
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
  const Handle type(H5Aget_type(attribute));
  if (H5Tis_variable_str(type) <= 0) return {};
  const Handle memory = text_type();
  char* pointer = nullptr;
  if (H5Aread(attribute, memory, &pointer) < 0 || pointer == nullptr) return {};
  std::string text(pointer);
  H5free_memory(pointer);
  return text;
}

std::vector<std::string> read_texts(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return {};
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
  const Handle type(H5Aget_type(attribute));
  const Handle space(H5Aget_space(attribute));
  const hssize_t entries = H5Sget_simple_extent_npoints(space);
  if (H5Tget_class(type) != H5T_STRING || entries < 1) return {};
  const auto count = static_cast<std::size_t>(entries);
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> pointers(count, nullptr);
    if (H5Aread(attribute, type, pointers.data()) < 0) return {};
    for (const char* pointer : pointers) texts.emplace_back(pointer == nullptr ? "" : pointer);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
  } else {
    const std::size_t length = H5Tget_size(type);
    std::string all(count * length, '\0');
    if (H5Aread(attribute, type, all.data()) < 0) return {};
    for (std::size_t i = 0; i < count; ++i) texts.push_back(all.substr(i * length, length));
  }
  for (std::string& text : texts) {
    text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
    while (!text.empty() && text.back() == ' ') text.pop_back();
  }
  return texts;
}

std::vector<double> read_numbers(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return {};
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
  const Handle space(H5Aget_space(attribute));
  std::vector<double> values(static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
  if (H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0) return {};
  return values;
}

std::vector<std::int64_t> read_integers(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return {};
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
  const Handle space(H5Aget_space(attribute));
  std::vector<std::int64_t> values(
      static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
  if (H5Aread(attribute, H5T_NATIVE_INT64, values.data()) < 0) return {};
  return values;
}

Attributes read_attributes(hid_t object) {
  Attributes attributes;
  const auto take = [](hid_t of, const char* name, const H5A_info_t*, void* data) -> herr_t {
    if (is_of_scales(name)) return 0;
    const Handle attribute(H5Aopen(of, name, H5P_DEFAULT));
    const Handle type(H5Aget_type(attribute));
    const Handle space(H5Aget_space(attribute));
    const bool scalar = H5Sget_simple_extent_type(space) == H5S_SCALAR;
    auto& found = *static_cast<Attributes*>(data);
    const auto put = [&](auto values) {
      if (!scalar) {
        found[name] = std::move(values);
      } else if (!values.empty()) {
        found[name] = values.front();
      }
    };
    switch (H5Tget_class(type)) {
      case H5T_STRING: put(read_texts(of, name)); break;
      case H5T_INTEGER: put(read_integers(of, name)); break;
      case H5T_FLOAT: put(read_numbers(of, name)); break;
      default: break;  // references, compounds: of use with HDF5 alone
    }
    return 0;
  };
  check_hdf5(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, take, &attributes), "attributes", "cannot read",
             ErrorKind::data);
  return attributes;
}

void write_names(hid_t object, const std::string& attribute, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  write_attribute(object, attribute, text);
}

std::vector<std::string> read_names(hid_t object, const std::string& attribute) {
  std::vector<std::string> names;
  std::istringstream text(read_text(object, attribute));
  for (std::string line; std::getline(text, line);) names.push_back(line);
  return names;
}

void make_scale(hid_t dataset, const std::string& name) {
  if (H5DSis_scale(dataset) > 0) return;
  check_hdf5(H5DSset_scale(dataset, name.c_str()), name, "cannot make it a dimension scale");
}

void attach_scale(hid_t dataset, hid_t scale, unsigned axis, const std::string& label) {
  check_hdf5(H5DSattach_scale(dataset, scale, axis), label, "cannot attach the dimension scale");
  check_hdf5(H5DSset_label(dataset, axis, label.c_str()), label, "cannot name the axis");
}

}  // namespace weft::storage
