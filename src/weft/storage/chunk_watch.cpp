#include "weft/storage/chunk_watch.hpp"

#if !H5_VERSION_GE(1, 12, 3)

#include <sys/stat.h>

#include <limits>
#include <new>
#include <span>

#include "weft/storage/fresh_driver.hpp"
#include "weft/storage/hdf5_versions.hpp"

namespace weft::storage {

namespace {

// HDF5 finds its own part at the beginning.
struct OpenFile {
  H5FD_t of_hdf5{};
  ChunkWatch::Sight* sight = nullptr;
  haddr_t end_of_addresses = 0;
  haddr_t end_of_file = 0;
};

OpenFile& mine(H5FD_t* file) { return *reinterpret_cast<OpenFile*>(file); }
const OpenFile& mine(const H5FD_t* file) { return *reinterpret_cast<const OpenFile*>(file); }

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  auto* const* sight = static_cast<ChunkWatch::Sight* const*>(H5Pget_driver_info(access));
  struct stat status {};
  if (sight == nullptr || ::fstat((*sight)->descriptor, &status) != 0) return nullptr;
  auto* file = new (std::nothrow) OpenFile;
  if (file == nullptr) return nullptr;
  file->sight = *sight;
  file->end_of_file = static_cast<haddr_t>(status.st_size);
  return &file->of_hdf5;
}

herr_t close_file(H5FD_t* file) {
  delete &mine(file);
  return 0;
}

herr_t no_features(const H5FD_t*, unsigned long* flags) {  // no sieve above all: what is asked for is what is read
  *flags = 0;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) { return mine(file).end_of_addresses; }
herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  mine(file).end_of_addresses = end;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return mine(file).end_of_file; }

herr_t read(H5FD_t* file, H5FD_mem_t what, hid_t, haddr_t address, std::size_t bytes, void* buffer) {
  ChunkWatch::Sight& sight = *mine(file).sight;
  const std::span<std::byte> to(static_cast<std::byte*>(buffer), bytes);
  if (sight.watching && what == H5FD_MEM_DRAW) {
    ++sight.looks;
    sight.place = {address, bytes, 0};
    return 0;
  }
  return read_or_zeros(sight.descriptor, address, to) ? 0 : -1;
}

herr_t write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) { return -1; }

H5FD_class_t driver() {
  H5FD_class_t driver{};
  driver.name = "weft_chunk_watch";
  driver.maxaddr = std::numeric_limits<std::int64_t>::max();
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(ChunkWatch::Sight*);
  driver.open = open_file;
  driver.close = close_file;
  driver.query = no_features;
  driver.get_eoa = end_of_addresses;
  driver.set_eoa = set_end_of_addresses;
  driver.get_eof = end_of_file;
  driver.read = read;
  driver.write = write;
  return driver;
}

// What HDF5 has the file open with, where that is a descriptor it only reads by.
std::optional<int> descriptor_of(hid_t file) {
  unsigned intent = 0;
  if (H5Fget_intent(file, &intent) < 0 || (intent & H5F_ACC_RDWR) != 0) return std::nullopt;
  const Handle access(H5Fget_access_plist(file));
  void* descriptor = nullptr;
  const hid_t driver = H5Pget_driver(access);
  const bool plain = driver == H5FD_SEC2 || driver == H5Pget_driver(fresh_access());
  if (!plain || H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor) < 0) return std::nullopt;
  return *static_cast<const int*>(descriptor);
}

bool only_bytes(hid_t type) {
  return H5Tdetect_class(type, H5T_VLEN) <= 0 && H5Tdetect_class(type, H5T_REFERENCE) <= 0 &&
         H5Tdetect_class(type, H5T_STRING) <= 0;
}

}  // namespace

std::optional<ChunkWatch> ChunkWatch::of(hid_t dataset) {
  ChunkWatch watch;
  const Handle type(H5Dget_type(dataset));
  const Handle file(H5Iget_file_id(dataset));
  const std::optional<int> descriptor = descriptor_of(file);
  ObjectInfo info;
  if (!only_bytes(type) || !descriptor || object_info(dataset, info) < 0) return std::nullopt;
  watch.sight_->descriptor = *descriptor;

  static const H5FD_class_t kDriver = driver();
  watch.driver_ = Handle(H5FDregister(&kDriver));
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  const ChunkWatch::Sight* const sight = watch.sight_.get();
  H5Pset_driver(access, watch.driver_, &sight);
  H5Pset_cache(access, 0, 0, 0, 0);  // chunks that are kept would be read whole
  // It is open already, so whatever mark of a writer it has was dealt with then.
  const hbool_t unmarked = true;
  H5Pset(access, "clear_status_flags", &unmarked);
  watch.file_ = Handle(H5Fopen("as it is open", H5F_ACC_RDONLY, access));
  watch.dataset_ = Handle(H5Oopen_by_addr(watch.file_, info.address));
  if (!watch.dataset_.valid()) {
    H5Eclear2(H5E_DEFAULT);
    return std::nullopt;
  }
  return watch;
}

std::optional<ChunkPlace> ChunkWatch::chunk_at(const std::vector<hsize_t>& origin) {
  const QuietHdf5 quiet;  // most failures are chunks that are not there
  std::byte untouched{};  // the driver brings nothing
  std::uint32_t skipped = 0;
  sight_->looks = 0;
  sight_->watching = true;
  const herr_t read = H5Dread_chunk(dataset_, H5P_DEFAULT, origin.data(), &skipped, &untouched);
  sight_->watching = false;
  if (read < 0) H5Eclear2(H5E_DEFAULT);
  if (read < 0 || sight_->looks != 1) return std::nullopt;
  sight_->place.skipped = skipped;
  return sight_->place;
}

}  // namespace weft::storage

#else

namespace weft::storage {

std::optional<ChunkWatch> ChunkWatch::of(hid_t /*dataset*/) { return std::nullopt; }
std::optional<ChunkPlace> ChunkWatch::chunk_at(const std::vector<hsize_t>& /*origin*/) { return std::nullopt; }

}  // namespace weft::storage

#endif
