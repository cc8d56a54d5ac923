#include "weft/reduce/map_file.hpp"

#include <cstring>

#include "weft/storage/chunk_room.hpp"
#include "weft/storage/hand_over.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/object_plan.hpp"
#include "weft/storage/shared_file.hpp"

namespace weft::reduce {

namespace {

const std::string kRows = "/rows/";

std::vector<std::uint64_t> create_rows(const std::string& out, std::span<const MapPlan> maps, std::uint64_t nodes) {
  const storage::QuietHdf5 quiet;
  const storage::Handle access = storage::file_access();
  storage::Handle file(
      storage::check_hdf5(H5Fcreate(out.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), out, "cannot create"));
  std::vector<std::uint64_t> addresses;
  const auto add = [&](const std::string& path, DataType type, const Shape& shape) {
    addresses.push_back(H5Dget_offset(storage::create_contiguous(file, path, type, shape)));
  };
  for (const MapPlan& map : maps) add(kRows + map.name, DataType::float64, map.shape({nodes}));
  add("/beats", DataType::int64, {nodes});
  storage::check_hdf5(file.reset(), out, "cannot finish the file");
  return addresses;
}

void show_maps(const std::string& path, std::span<const MapPlan> maps, const Shape& places, std::uint64_t rows,
               const MapOrigin& origin) {
  const storage::QuietHdf5 quiet;
  const storage::Handle access = storage::file_access();
  storage::Handle file(storage::check_hdf5(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), path, "cannot open"));
  std::vector<storage::IndexPlan> indexes;
  for (const MapPlan& map : maps) {
    const Shape shape = map.shape({element_count(places)});
    storage::VirtualObject shown{"/" + map.name, DataType::float64, map.shape(places), {}};
    shown.fill = origin.fill;
    shown.attributes = {{"source", origin.source}, {"field", origin.field}, {"threshold", origin.threshold}};
    if (!map.units.empty()) shown.attributes["units"] = map.units;
    Box from = whole(shape);
    Box to = whole(shown.shape);
    if (map.per_beat) from.count[0] = to.count[0] = rows;
    if (from.count[0] > 0) {
      shown.mappings.push_back({".", kRows + map.name, shape, storage::Slab::of(from), storage::Slab::of(to)});
    }
    if (auto index = storage::create_rows(file, shown)) indexes.push_back(std::move(*index));
  }
  storage::check_hdf5(file.reset(), path, "cannot finish the file");
  const auto store = storage::open_store(path, storage::OpenMode::write);
  for (const storage::IndexPlan& index : indexes) storage::write_index(*store, index);
  store->close();
}

}  // namespace

MapFile::MapFile(Communicator& comm, const std::string& path, storage::IfExists if_exists, bool take_over)
    : comm_(comm), path_(path), part_(storage::part_path(path)), mode_(storage::shared_mode(comm, path)) {
  agree_on(comm_, [&] {
    if (comm_.rank() == 0) file_.emplace(path, if_exists, storage::LockWish{"weft reduce", take_over});
  });
}

std::vector<std::uint64_t> MapFile::create(std::span<const MapPlan> maps, std::uint64_t nodes) {
  std::vector<std::uint64_t> addresses;
  agree_on(comm_, [&] {
    if (comm_.rank() != 0) return;
    addresses = create_rows(part_, maps, nodes);
    storage::hand_over(comm_, part_);
  });
  const auto mine = std::as_bytes(std::span(addresses));
  std::vector<std::byte> bytes(mine.begin(), mine.end());
  comm_.broadcast(bytes, 0);
  storage::find_one_file(comm_, part_);
  addresses.resize(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(addresses.data(), bytes.data(), bytes.size());
  return addresses;
}

std::unique_ptr<storage::ByteStore> MapFile::open() const { return storage::open_store(part_, mode_, nullptr, path_); }

void MapFile::finish(std::span<const MapPlan> maps, const Shape& places, std::uint64_t rows, const MapOrigin& origin) {
  agree_on(comm_, [&] {
    if (comm_.rank() != 0) return;
    show_maps(part_, maps, places, rows, origin);
    file_->finish(true);
  });
}

}  // namespace weft::reduce
