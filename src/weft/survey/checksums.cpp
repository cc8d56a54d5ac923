#include "weft/survey/checksums.hpp"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>

#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/hdf5_versions.hpp"
#include "weft/support/error.hpp"

namespace weft::survey {

namespace {

using storage::check_hdf5;
using storage::Handle;

constexpr const char* kAlgorithm = "crc32";

std::string table_path(const std::string& dataset) { return kChecksumsGroup + dataset; }

Error bad_table(const std::string& dataset, std::string_view what) {
  return {ErrorKind::data, table_path(dataset), what, "remove it, or make the checksums again"};
}

Shape shape_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset));
  if (H5Sget_simple_extent_type(space) == H5S_SCALAR) return {1};
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

// The rows of the innermost axis that has padding behind it, each in one piece.
struct Rows {
  std::uint64_t bytes = 0;
  std::size_t axes = 0;  // the axes that are walked
};

Rows rows_inside(const Shape& extents, const Shape& inside, std::uint64_t element_bytes) {
  Rows rows{element_bytes, extents.size()};
  while (rows.axes > 0) {
    --rows.axes;
    rows.bytes *= inside[rows.axes];
    if (inside[rows.axes] != extents[rows.axes]) break;
  }
  return rows;
}

}  // namespace

std::uint32_t chunk_checksum(std::span<const std::byte> chunk, std::uint32_t before) {
  return libdeflate_crc32(before, chunk.data(), chunk.size());
}

std::uint32_t chunk_checksum(std::span<const std::byte> chunk, const Shape& extents, const Shape& inside,
                             std::uint64_t element_bytes) {
  if (extents.size() != inside.size() || element_count(extents) * element_bytes != chunk.size() ||
      !std::equal(inside.begin(), inside.end(), extents.begin(), std::less_equal<>())) {
    throw Error(ErrorKind::usage, fmt::format("a chunk of {}", to_string(extents)),
                fmt::format("{} bytes, of which {} elements count", chunk.size(), to_string(inside)),
                "give the chunk whole, and what of it lies within the dataset");
  }
  const Rows rows = rows_inside(extents, inside, element_bytes);
  std::vector<std::uint64_t> stride(extents.size(), element_bytes);  // bytes from one element to the next
  for (std::size_t axis = extents.size(); axis-- > 1;) stride[axis - 1] = stride[axis] * extents[axis];
  const Shape walked(inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(rows.axes));
  std::uint32_t sum = 0;
  for (std::uint64_t row = 0; row < element_count(walked); ++row) {
    std::uint64_t rest = row;
    std::uint64_t at = 0;
    for (std::size_t axis = rows.axes; axis-- > 0;) {
      at += rest % walked[axis] * stride[axis];
      rest /= walked[axis];
    }
    sum = chunk_checksum(chunk.subspan(at, rows.bytes), sum);
  }
  return sum;
}

void store_checksums(hid_t file, const ChecksumTable& table) {
  const std::string path = table_path(table.dataset);
  if (table.sums.size() != table.pieces.count() || table.sums.empty()) {
    throw Error(ErrorKind::usage, path,
                fmt::format("{} checksums for {} pieces", table.sums.size(), table.pieces.count()),
                "give one for each piece");
  }
  if (H5Lexists(file, kChecksumsGroup, H5P_DEFAULT) > 0 && H5Oexists_by_name(file, path.c_str(), H5P_DEFAULT) > 0) {
    check_hdf5(H5Ldelete(file, path.c_str(), H5P_DEFAULT), path, "cannot be replaced");
  }
  H5Eclear2(H5E_DEFAULT);  // H5Oexists_by_name() complains of groups that are not there yet
  const Handle dataset =
      storage::create_dataset(file, path, H5T_NATIVE_UINT32, storage::simple_space(table.pieces.counts()), H5P_DEFAULT);
  check_hdf5(H5Dwrite(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.sums.data()), path,
             "cannot write the checksums");
  const Shape& piece = table.pieces.piece();
  storage::write_attribute(dataset, "algorithm", std::string(kAlgorithm));
  storage::write_attribute(dataset, "chunk", std::vector<std::int64_t>(piece.begin(), piece.end()));
}

std::optional<ChecksumTable> load_checksums(hid_t file, const std::string& dataset) {
  const std::string path = table_path(dataset);
  const storage::QuietHdf5 quiet;
  const Handle stored(H5Dopen2(file, path.c_str(), H5P_DEFAULT));
  if (!stored.valid()) {
    H5Eclear2(H5E_DEFAULT);
    return std::nullopt;
  }
  const Handle of(check_hdf5(H5Dopen2(file, dataset.c_str(), H5P_DEFAULT), path, "is of a dataset that does not open",
                             ErrorKind::data));
  const std::string algorithm = storage::read_text(stored, "algorithm");
  if (algorithm != kAlgorithm) {
    throw Error(ErrorKind::data, path, fmt::format("has checksums by '{}'", algorithm), "use a newer Weft");
  }
  Shape piece;
  for (const double extent : storage::read_numbers(stored, "chunk")) {
    if (!(extent >= 1.0 && extent < 1e18)) throw bad_table(dataset, "has no shape of a piece");
    piece.push_back(static_cast<std::uint64_t>(extent));
  }
  const Shape shape = shape_of(of);
  if (piece.size() != shape.size()) throw bad_table(dataset, "has no shape of a piece");
  ChecksumTable table{dataset, Pieces(shape, piece), {}};
  if (shape_of(stored) != table.pieces.counts()) {
    throw bad_table(dataset, fmt::format("has {} checksums where {} has {} pieces", to_string(shape_of(stored)),
                                         dataset, to_string(table.pieces.counts())));
  }
  constexpr std::uint64_t kMostTimes = 1024;  // smaller than it is by a filter: no more than 4096 times
  if (table.pieces.count() / kMostTimes > H5Dget_storage_size(stored)) {
    throw bad_table(dataset, "has fewer checksums in the file than it says");
  }
  table.sums.resize(table.pieces.count());
  check_hdf5(H5Dread(stored, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.sums.data()), path,
             "cannot be read", ErrorKind::data);
  return table;
}

std::vector<std::string> datasets_with_checksums(hid_t file) {
  std::vector<std::string> paths;
  const storage::QuietHdf5 quiet;
  if (H5Lexists(file, "/weft", H5P_DEFAULT) <= 0 || H5Lexists(file, kChecksumsGroup, H5P_DEFAULT) <= 0) {
    H5Eclear2(H5E_DEFAULT);
    return paths;
  }
  const Handle group(
      check_hdf5(H5Gopen2(file, kChecksumsGroup, H5P_DEFAULT), kChecksumsGroup, "cannot be opened", ErrorKind::data));
  // Links are visited, not objects: a table is told by its own name.
  const auto visit = [](hid_t from, const char* name, const storage::LinkInfo* link, void* data) -> herr_t {
    if (link->type != H5L_TYPE_HARD) return 0;
    const Handle object(H5Oopen(from, name, H5P_DEFAULT));
    if (!object.valid()) return -1;
    if (H5Iget_type(object) == H5I_DATASET)
      static_cast<std::vector<std::string>*>(data)->push_back(std::string("/") + name);
    return 0;
  };
  check_hdf5(storage::visit_all_links(group, visit, &paths), kChecksumsGroup, "cannot be walked", ErrorKind::data);
  return paths;
}

}  // namespace weft::survey
