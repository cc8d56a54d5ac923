#include "with/dataset.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "with/closing.hpp"
#include "with/settings.hpp"

namespace weft::with {

namespace {

// HDF5's own words for these check the version of the library they are compiled with.
constexpr unsigned kReadWrite = 0x1;
constexpr unsigned kSwmrWrite = 0x20;

using IdKey = std::pair<Library*, hid_t>;
using ObjectKey = std::pair<Library*, Identity>;
using FileKey = std::pair<Library*, unsigned long>;

struct Tables {
  std::map<IdKey, std::shared_ptr<OpenDataset>> by_id;
  std::map<ObjectKey, std::weak_ptr<OpenDataset>> by_object;
  std::map<FileKey, std::shared_ptr<OpenFile>> files;
  // Files that were opened, and nothing was done in them yet, by their identifiers. To ask for the number of a file
  // reads its root group, which a program may see (H5Fget_mdc_size, a cache image); so it waits.
  std::map<IdKey, std::shared_ptr<OpenFile>> fresh;
};

// Never destroyed: HDF5 may close what is open after everything else.
Tables& tables() {
  static auto* own = new Tables;
  return *own;
}

std::string text_of(ssize_t (*get)(hid_t, char*, size_t), hid_t id) {
  const ssize_t length = get(id, nullptr, 0);
  if (length <= 0) return "";
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  get(id, text.data(), text.size());
  text.resize(static_cast<std::size_t>(length));
  return text;
}

// A function until HDF5 1.14, a variable from 2.0 on; -2 where there is no MPI.
hid_t mpi_io_driver(Library& library) {
  if (const auto* number = static_cast<hid_t*>(library.find_by_name("H5FD_MPIO_id_g"))) return *number;
  return library.has(Call::H5FD_mpio_init) ? WEFT_CALL(library, H5FD_mpio_init)() : -2;
}

// Addresses that HDF5 gives are places in the file: no user block comes before.
bool begins_at_zero(Library& library, hid_t file) {
  const Closing list(WEFT_CALL(library, H5Fget_create_plist)(file), WEFT_CALL(library, H5Pclose));
  hsize_t block = 1;
  return WEFT_CALL(library, H5Pget_userblock)(list.id(), &block) >= 0 && block == 0;
}

std::shared_ptr<OpenFile> describe_file(Library& library, hid_t id, bool just_opened) {
  auto file = std::make_shared<OpenFile>();
  file->name = text_of(WEFT_CALL(library, H5Fget_name), id);
  file->counters = counters_of(file->name);
  const Closing handle(WEFT_CALL(library, H5Iget_file_id)(id), WEFT_CALL(library, H5Idec_ref));
  unsigned intent = 0;
  WEFT_CALL(library, H5Fget_intent)(handle.id(), &intent);
  file->read_only = (intent & kReadWrite) == 0;
  if ((intent & kSwmrWrite) != 0 || file->read_only) file->can_wait = false;
  const Closing access(WEFT_CALL(library, H5Fget_access_plist)(handle.id()), WEFT_CALL(library, H5Pclose));
  const hid_t driver = WEFT_CALL(library, H5Pget_driver)(access.id());
  file->through_mpi = driver == mpi_io_driver(library);
  if (file->through_mpi) {
    // Only where the file has just been opened do all its ranks come by here together.
    if (just_opened) file->ranks = Ranks::of(library, access.id());
    if (!file->ranks) file->can_wait = false;
    if (file->can_wait && settings().write_behind && begins_at_zero(library, handle.id())) {
      file->direct = DirectFile::open(file->name);
    }
  }
  return file;
}

// Its path, and the counters that go by it. One that was made without a name gets it later.
void name(Library& library, hid_t id, OpenDataset& dataset) {
  dataset.path = text_of(WEFT_CALL(library, H5Iget_name), id);
  const std::shared_ptr<DatasetCounters> before = dataset.counters;
  dataset.counters = counters_of(dataset.file ? dataset.file->name : "", dataset.path);
  if (before) *dataset.counters = std::exchange(*before, {});
}

// `known_type`: what it was created with, or below 0. HDF5 1.10.8 leaves a file open where a dataset is asked for its
// type and that has a committed type in it.
void describe(Library& library, hid_t id, hid_t known_type, OpenDataset& dataset) {
  dataset.file = file_of(library, id);
  name(library, id, dataset);
  const Closing asked(known_type < 0 ? WEFT_CALL(library, H5Dget_type)(id) : -1, WEFT_CALL(library, H5Tclose));
  const hid_t type = known_type < 0 ? asked.id() : known_type;
  dataset.element_bytes = WEFT_CALL(library, H5Tget_size)(type);
  dataset.plain_values = is_plain_type(library, type);
  const Closing made(WEFT_CALL(library, H5Dget_create_plist)(id), WEFT_CALL(library, H5Pclose));
  const H5D_layout_t layout = WEFT_CALL(library, H5Pget_layout)(made.id());
  dataset.is_virtual = layout == H5D_VIRTUAL;
  H5D_fill_value_t fill = H5D_FILL_VALUE_ERROR;
  dataset.zero_fill =
      WEFT_CALL(library, H5Pfill_value_defined)(made.id(), &fill) >= 0 && fill == H5D_FILL_VALUE_DEFAULT;
  dataset.filters = std::max(0, WEFT_CALL(library, H5Pget_nfilters)(made.id()));
  if (layout == H5D_CHUNKED) {
    std::array<hsize_t, H5S_MAX_RANK> chunk{};
    const int axes = WEFT_CALL(library, H5Pget_chunk)(made.id(), H5S_MAX_RANK, chunk.data());
    if (axes > 0) dataset.chunk.assign(chunk.begin(), chunk.begin() + axes);
  }
  DatasetCounters& counters = *dataset.counters;
  counters.chunk = dataset.chunk;
  counters.element_bytes = dataset.element_bytes;
  counters.filters = dataset.filters;
  // To ask a virtual dataset for its extents looks into its sources, and HDF5 1.10.8 may crash over it later.
  if (dataset.is_virtual) return;
  const Closing space(WEFT_CALL(library, H5Dget_space)(id), WEFT_CALL(library, H5Sclose));
  if (const auto shape = extents(library, space.id())) counters.shape = *shape;
  const Closing access(WEFT_CALL(library, H5Dget_access_plist)(id), WEFT_CALL(library, H5Pclose));
  size_t slots = 0;
  size_t bytes = 0;
  double preemption = 0;
  if (!dataset.chunk.empty() && WEFT_CALL(library, H5Pget_chunk_cache)(access.id(), &slots, &bytes, &preemption) >= 0) {
    counters.cache_bytes = bytes;
  }
}

}  // namespace

bool is_plain_type(Library& library, hid_t type) {
  const auto has = [&](H5T_class_t kind) { return WEFT_CALL(library, H5Tdetect_class)(type, kind) > 0; };
  return !has(H5T_VLEN) && !has(H5T_REFERENCE) && !has(H5T_STRING);
}

std::recursive_mutex& gate() {
  static auto* one = new std::recursive_mutex;
  return *one;
}

std::optional<Identity> identity_of(Library& library, hid_t object) {
  if (WEFT_CALL(library, H5Iget_type)(object) <= H5I_BADID) return std::nullopt;  // HDF5 would complain
  struct {
    unsigned long file;
    std::array<std::uint8_t, 16> object;
    std::array<std::uint8_t, 1024> rest;  // its length differs
  } info{};
  const std::size_t known = library.object_info(object, &info);
  if (known == 0) return std::nullopt;
  Identity identity;
  identity.file = info.file;
  std::copy_n(info.object.begin(), known, identity.object.begin());
  return identity;
}

namespace {

// Fresh files get their numbers.
void number_fresh_files(Library& library) {
  Tables& all = tables();
  for (auto fresh = all.fresh.begin(); fresh != all.fresh.end();) {
    if (fresh->first.first != &library) {
      ++fresh;
      continue;
    }
    if (const auto identity = identity_of(library, fresh->first.second)) {
      std::shared_ptr<OpenFile>& file = all.files[{&library, identity->file}];
      if (!file) {
        file = fresh->second;
      } else {  // is open a second time
        file->can_wait = file->can_wait && fresh->second->can_wait;
      }
    }
    fresh = all.fresh.erase(fresh);
  }
}

}  // namespace

std::shared_ptr<OpenFile> file_of(Library& library, hid_t id) {
  const std::lock_guard lock(gate());
  Tables& all = tables();
  if (const auto fresh = all.fresh.find({&library, id}); fresh != all.fresh.end()) return fresh->second;
  number_fresh_files(library);
  const auto identity = identity_of(library, id);
  if (!identity) return nullptr;
  std::shared_ptr<OpenFile>& file = all.files[{&library, identity->file}];
  if (!file) file = describe_file(library, id, false);
  return file;
}

void opened(Library& library, hid_t id) {
  const std::lock_guard lock(gate());
  tables().fresh[{&library, id}] = describe_file(library, id, true);
}

bool forget_fresh(Library& library, hid_t file) {
  const std::lock_guard lock(gate());
  return tables().fresh.erase({&library, file}) > 0;
}

std::shared_ptr<OpenDataset> dataset_of(Library& library, hid_t id, hid_t known_type) {
  const std::lock_guard lock(gate());
  Tables& all = tables();
  if (const auto known = all.by_id.find({&library, id}); known != all.by_id.end()) {
    if (known->second->path.empty()) name(library, id, *known->second);
    return known->second;
  }
  if (WEFT_CALL(library, H5Iget_type)(id) != H5I_DATASET) return nullptr;
  const auto identity = identity_of(library, id);
  if (!identity) return nullptr;
  std::weak_ptr<OpenDataset>& known = all.by_object[{&library, *identity}];
  std::shared_ptr<OpenDataset> dataset = known.lock();
  if (!dataset) {
    dataset = std::make_shared<OpenDataset>();
    dataset->library = &library;
    dataset->identity = *identity;
    describe(library, id, known_type, *dataset);
    known = dataset;
  }
  all.by_id[{&library, id}] = dataset;
  return dataset;
}

void forget(Library& library, hid_t id) {
  const std::lock_guard lock(gate());
  Tables& all = tables();
  const auto known = all.by_id.find({&library, id});
  if (known == all.by_id.end()) return;
  // What waits is found by the identifier that is held for it.
  if (known->second->waiting.held == id && known->second->waiting.held >= 0) return;
  const std::shared_ptr<OpenDataset> last = known->second;
  all.by_id.erase(known);
  if (last.use_count() == 1) all.by_object.erase({&library, last->identity});
}

void forget_file(Library& library, unsigned long file) {
  const std::lock_guard lock(gate());
  Tables& all = tables();
  for (auto known = all.by_id.begin(); known != all.by_id.end();) {
    const bool of_it = known->first.first == &library && known->second->identity.file == file;
    known = of_it ? all.by_id.erase(known) : std::next(known);
  }
  for (auto known = all.by_object.begin(); known != all.by_object.end();) {
    known = known->second.expired() ? all.by_object.erase(known) : std::next(known);
  }
  all.files.erase({&library, file});
}

std::vector<std::shared_ptr<OpenDataset>> waiting_in(Library& library, std::optional<unsigned long> file) {
  const std::lock_guard lock(gate());
  std::vector<std::shared_ptr<OpenDataset>> found;
  for (const auto& [key, dataset] : tables().by_id) {
    if (key.first != &library || dataset->waiting.held != key.second) continue;
    if (!file || dataset->identity.file == *file) found.push_back(dataset);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a->waiting.order < b->waiting.order; });
  return found;
}

void forget_all_lanes() {
  for (const auto& [key, dataset] : tables().by_id) dataset->waiting = {};
}

}  // namespace weft::with
