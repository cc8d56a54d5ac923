#include "weft/survey/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "weft/storage/chunk_places.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_versions.hpp"
#include "weft/survey/open_file.hpp"

namespace weft::survey {

namespace {

using storage::Handle;

std::string byte_order_suffix(hid_t type) {
  return H5Tget_size(type) > 1 && H5Tget_order(type) == H5T_ORDER_BE ? ", big-endian" : "";
}

std::string type_text(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return fmt::format("{}int{}{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", 8 * size, byte_order_suffix(type));
    case H5T_FLOAT: return fmt::format("float{}{}", 8 * size, byte_order_suffix(type));
    case H5T_STRING: return H5Tis_variable_str(type) > 0 ? "text" : fmt::format("text of {} bytes", size);
    case H5T_COMPOUND: return fmt::format("compound of {}, {} bytes", H5Tget_nmembers(type), size);
    case H5T_REFERENCE: return "reference";
    case H5T_ENUM: return fmt::format("enumeration of {} bytes", size);
    case H5T_VLEN: return "lists of any length";
    case H5T_ARRAY: {
      const Handle inner(H5Tget_super(type));
      return fmt::format("array of {}, {} bytes", type_text(inner), size);
    }
    case H5T_OPAQUE: return fmt::format("opaque, {} bytes", size);
    case H5T_BITFIELD: return fmt::format("bits of {} bytes", size);
    default: return fmt::format("type of {} bytes", size);
  }
}

bool is_movable(hid_t type) {
  return H5Tdetect_class(type, H5T_VLEN) <= 0 && H5Tdetect_class(type, H5T_REFERENCE) <= 0 &&
         H5Tis_variable_str(type) <= 0 && !has_variable_text(type);
}

// Metadata that HDF5 cannot make sense of.
template <typename Result>
Result readable(Result result, std::string_view where, std::string_view what) {
  if (result < 0) {
    throw Error(ErrorKind::data, where, fmt::format("{}: {}", what, storage::take_hdf5_error()),
                "the file may be damaged: copy it again");
  }
  return result;
}

StorageKind storage_kind(hid_t properties) {
  switch (H5Pget_layout(properties)) {
    case H5D_COMPACT: return StorageKind::compact;
    case H5D_CHUNKED: return StorageKind::chunked;
    case H5D_VIRTUAL: return StorageKind::view;
    default: return H5Pget_external_count(properties) > 0 ? StorageKind::external : StorageKind::contiguous;
  }
}

// Older files have no checksums over their metadata: what cannot be is the only sign of damage.
void check_possible(const DatasetFacts& facts, std::uint64_t file_bytes) {
  const auto damaged = [&](std::string_view what) {
    return Error(ErrorKind::data, facts.path, what, "the file is damaged: copy it again");
  };
  std::uint64_t bytes = facts.element_bytes;
  bool fits = bytes > 0;
  for (const std::uint64_t extent : facts.shape) fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
  if (!fits || bytes > std::numeric_limits<std::int64_t>::max()) {
    throw damaged(fmt::format("says that it is {} elements of {} bytes", to_string(facts.shape), facts.element_bytes));
  }
  if (facts.storage == StorageKind::chunked &&
      (facts.chunk.size() != facts.shape.size() || std::count(facts.chunk.begin(), facts.chunk.end(), 0U) > 0)) {
    throw damaged(fmt::format("says that its chunks are {}", to_string(facts.chunk)));
  }
  if (facts.storage != StorageKind::external && facts.stored_bytes > file_bytes) {
    throw damaged(fmt::format("says that it stores {} bytes, in a file of {}", facts.stored_bytes, file_bytes));
  }
}

struct Walk {
  hid_t file;
  Survey* survey;
  const std::function<void(const std::string&)>& visiting;
  std::string last;  // what was looked at before HDF5 gave up
  std::optional<Error> error;
};

herr_t visit(hid_t from, const char* name, const storage::VisitedObject* info, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  storage::ObjectMetadata metadata;
  if (storage::object_metadata(from, name, metadata) < 0) return -1;
  walk.last = name;
  walk.survey->metadata_bytes += metadata.header_bytes + metadata.object.index_size + metadata.object.heap_size +
                                 metadata.attributes.index_size + metadata.attributes.heap_size;
  if (info->type != H5O_TYPE_DATASET) return 0;
  try {
    const std::string path = std::string("/") + name;
    if (walk.visiting) walk.visiting(path);
    const Handle dataset(readable(H5Dopen2(walk.file, path.c_str(), H5P_DEFAULT), path, "cannot be opened"));
    DatasetFacts facts = facts_of(dataset, path);
    facts.index_bytes = metadata.object.index_size;
    check_possible(facts, walk.survey->file_bytes);
    walk.survey->datasets.push_back(std::move(facts));
  } catch (const Error& error) {
    walk.error = Error(ErrorKind::data, walk.survey->path, error.what());
    return -1;
  }
  return 0;
}

}  // namespace

std::string_view name_of(StorageKind kind) {
  constexpr std::array<std::string_view, 5> kNames{"compact", "contiguous", "chunked", "view", "external"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::uint64_t DatasetDescription::logical_bytes() const { return empty ? 0 : element_count(shape) * element_bytes; }

std::uint64_t DatasetFacts::stored_elements_bytes() const {
  if (storage != StorageKind::chunked) return logical_bytes();
  return std::min(logical_bytes(), stored_chunks * element_count(chunk) * element_bytes);
}

const DatasetFacts* Survey::find(std::string_view name) const {
  const std::string wanted = name.starts_with('/') ? std::string(name) : "/" + std::string(name);
  const auto found = std::find_if(datasets.begin(), datasets.end(), [&](const auto& d) { return d.path == wanted; });
  return found == datasets.end() ? nullptr : &*found;
}

bool has_variable_text(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_STRING: return H5Tis_variable_str(type) > 0;
    case H5T_ARRAY: {
      const Handle inner(H5Tget_super(type));
      return has_variable_text(inner);
    }
    case H5T_COMPOUND:
      for (int i = 0; i < H5Tget_nmembers(type); ++i) {
        const Handle member(H5Tget_member_type(type, static_cast<unsigned>(i)));
        if (has_variable_text(member)) return true;
      }
      return false;
    default: return false;
  }
}

DatasetDescription description_of(hid_t dataset, const std::string& path) {
  DatasetDescription facts;
  facts.path = path;
  const Handle type(readable(H5Dget_type(dataset), path, "has no type HDF5 knows"));
  facts.type = type_text(type);
  facts.element_bytes = H5Tget_size(type);
  facts.movable = is_movable(type);
  facts.numbers =
      H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_ENUM;

  const Handle space(readable(H5Dget_space(dataset), path, "has no extents"));
  const H5S_class_t kind = H5Sget_simple_extent_type(space);
  facts.scalar = kind == H5S_SCALAR;
  facts.empty = kind == H5S_NULL;
  if (kind == H5S_SIMPLE) {
    std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    std::vector<hsize_t> most(extents.size());
    H5Sget_simple_extent_dims(space, extents.data(), most.data());
    facts.shape.assign(extents.begin(), extents.end());
    for (const hsize_t extent : most) facts.most.push_back(extent == H5S_UNLIMITED ? 0 : extent);
    facts.empty = std::find(extents.begin(), extents.end(), 0U) != extents.end();
  }

  const Handle properties(readable(H5Dget_create_plist(dataset), path, "has no properties"));
  facts.storage = storage_kind(properties);
  facts.filters = storage::filters_of(properties);
  if (facts.storage == StorageKind::chunked) {
    std::vector<hsize_t> chunk(facts.shape.size());
    chunk.resize(static_cast<std::size_t>(readable(
        H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data()), path, "has no chunk extents")));
    facts.chunk.assign(chunk.begin(), chunk.end());
  }
  return facts;
}

DatasetFacts facts_of(hid_t dataset, const std::string& path) {
  DatasetFacts facts{description_of(dataset, path)};
  if (facts.storage != StorageKind::chunked) {
    facts.stored_bytes = H5Dget_storage_size(dataset);
    return facts;
  }
  const std::uint64_t chunk_bytes = element_count(facts.chunk) * facts.element_bytes;
  const storage::StoredChunks stored = storage::stored_chunks(dataset, path, facts.chunk, chunk_bytes);
  facts.stored_chunks = stored.count;
  facts.stored_bytes = stored.bytes;
  return facts;
}

Survey survey(const std::string& path, const std::function<void(const std::string&)>& visiting) {
  const storage::QuietHdf5 quiet;
  Survey result;
  result.path = path;
  result.file_bytes = open_bytes(path)->size();
  const Handle file = open_file(path);
  result.free_bytes = static_cast<std::uint64_t>(std::max<hssize_t>(0, H5Fget_freespace(file)));
  Walk walk{file, &result, visiting, "", std::nullopt};
  const herr_t walked = storage::visit_objects(file, visit, &walk);
  if (walk.error) throw *walk.error;
  readable(walked, path, "the object after " + (walk.last == "." ? "/" : "/" + walk.last) + " cannot be read");
  return result;
}

}  // namespace weft::survey
