// Opening a series to read it, and looking again what it has grown to.
#include "weft/reading/series_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "weft/storage/measure_access_cost.hpp"
#include "weft/storage/metadata_watch.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/shared_file.hpp"
#include "weft/storage/store_cost.hpp"
#include "weft/storage/writer_lock.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/error.hpp"
#include "weft/survey/open_file.hpp"

namespace weft {

namespace {

// What rank 0 found out and the others are told, besides the catalog itself.
struct Findings {
  layout::AccessCost access;
  std::uint64_t given;  // 1 where `access` was given, not measured
  std::uint64_t committed;
  std::uint64_t inode;
};

}  // namespace

SeriesReader SeriesReader::open(const std::string& path, ReadOptions options) {
  SelfCommunicator alone;
  return open(alone, path, std::move(options));
}

SeriesReader SeriesReader::open(Communicator& comm, const std::string& path, ReadOptions options) {
  SeriesReader reader;
  reader.options_ = std::move(options);
  std::vector<std::byte> state;
  const survey::NamedFile file = survey::named_file(path);
  reader.named_ = file.dataset.empty() ? reader.options_.choice.dataset : file.dataset;
  reader.options_.choice.dataset = reader.named_;
  reader.whole_path_ = storage::whole_path(file.path);
  storage::find_one_file(comm, file.path);
  std::uint64_t foreign = 0;
  agree_on(comm, [&] {
    if (comm.rank() != 0) return;
    Found found = Found::replaced;
    while (found == Found::replaced) {
      reader.open_bytes(file.path);
      found = reader.read_catalog_and_slots(file.path);
    }
    foreign = found == Found::foreign ? 1 : 0;
  });
  if (comm.max(foreign) == 1) {
    agree_on(comm, [&] { reader.open_foreign(file.path); });
    return reader;
  }
  agree_on(comm, [&] {
    if (!reader.options_.choice.axes.empty() || reader.options_.choice.time) {
      throw Error(ErrorKind::usage, file.path, "is a Weft file, which says itself what its axes and times are",
                  "leave --axes and --time out");
    }
    if (comm.rank() != 0) return reader.open_bytes(file.path);
    reader.take_access_cost();
    if (comm.size() > 1) state = reader.shared_state();
  });
  if (comm.size() > 1) {
    comm.broadcast(state, 0);
    agree_on(comm, [&] {
      if (comm.rank() != 0) reader.take_shared_state(file.path, state);
    });
  }
  reader.open_arrays();
  if (!reader.named_.empty()) agree_on(comm, [&] { reader.named_field(); });  // refused where there is none of it
  return reader;
}

void SeriesReader::reload() {
  SelfCommunicator alone;
  reload(alone);
}

void SeriesReader::reload(Communicator& comm) {
  const std::string given = catalog_.path;
  if (foreign_) {
    return agree_on(comm, [&] {
      open_foreign(whole_path_);
      catalog_.path = given;
    });
  }
  std::vector<std::byte> state;
  agree_on(comm, [&] {
    if (comm.rank() != 0) return;
    // The catalog too: a restart may have added segments or moved the slots.
    if (read_catalog_and_slots(whole_path_) != Found::series) throw reading::replaced(given);
    if (comm.size() > 1) state = shared_state();
  });
  if (comm.size() > 1) {
    comm.broadcast(state, 0);
    agree_on(comm, [&] {
      if (comm.rank() != 0) take_shared_state(given, state);
    });
  }
  catalog_.path = given;
  const auto is_filtered = [](const storage::FieldEntry& field) { return !field.filter.empty(); };
  if (std::ranges::none_of(catalog_.fields, is_filtered)) return;
  // HDF5 keeps the index and the end of a file that it has open, and both have moved.
  open_arrays();
}

layout::AccessCost SeriesReader::access_cost() const { return learned_ ? learned_->now() : access_; }

void SeriesReader::use_access_cost(const layout::AccessCost& access) {
  if (!(access.latency_s >= 0 && access.bandwidth > 0 && access.max_request_bytes > 0)) {
    throw Error(ErrorKind::usage, bytes_->name(), "the store's latency, bandwidth or longest request cannot be used",
                "give a latency of at least 0, and the others above 0");
  }
  access_ = access;
  learned_.reset();
}

void SeriesReader::take_access_cost() {
  if (options_.access) return use_access_cost(*options_.access);
  // A store that is wrapped costs what the wrapping makes it cost: that is no property of the file system.
  learned_ = options_.wrap ? std::make_shared<storage::StoreCost>(storage::measure(*bytes_))
                           : storage::cost_of_file_system(*bytes_);
}

void SeriesReader::open_bytes(const std::string& path) {
  do {
    inode_ = storage::inode_of(path);
    bytes_ = storage::open_store(path, storage::OpenMode::read, options_.counters);
  } while (storage::inode_of(path) != inode_);
  if (options_.wrap) bytes_ = options_.wrap(std::move(bytes_));
}

// Every rank looks for itself: the file is not changed beside it.
void SeriesReader::open_foreign(const std::string& path) {
  open_bytes(path);
  take_access_cost();
  foreign_ = std::make_shared<const reading::ForeignSeries>(reading::find_series(path, options_.choice));
  catalog_ = foreign_->catalog;
  committed_ = catalog_.length;
  open_arrays();
}

void SeriesReader::open_arrays() {
  opened_ = std::make_shared<reading::OpenedFile>(path(), whole_path_, inode_);
  arrays_ = std::make_unique<reading::StoredArrays>(options_.budget_bytes / 4);
}

SeriesReader::Found SeriesReader::read_catalog_and_slots(const std::string& path) {
  bool foreign = false;
  storage::look_until_whole(path, [&] {
    std::optional<storage::SeriesCatalog> catalog = storage::find_catalog(path);
    foreign = !catalog;
    return foreign || take_metadata(std::move(*catalog));
  });
  if (storage::inode_of(path) != inode_) return Found::replaced;
  return foreign ? Found::foreign : Found::series;
}

// False where the catalog is older than the slots.
bool SeriesReader::take_metadata(storage::SeriesCatalog catalog) {
  const std::string& path = catalog.path;
  const std::uint64_t committed = storage::readable_steps(*bytes_, catalog);
  const bool written = storage::has_living_writer(path);
  if (committed > catalog.capacity()) {
    if (written) return false;  // a segment was added since
    throw Error(ErrorKind::data, path,
                fmt::format("says {} steps are committed but has room for {}", committed, catalog.capacity()),
                "the file is damaged: copy it again or write it again");
  }
  // The slots say more than pages that were read before them.
  if (written) storage::look_past_cache(path);
  catalog_ = std::move(catalog);
  committed_ = committed;
  return true;
}

std::vector<std::byte> SeriesReader::shared_state() const {
  const Findings findings{access_cost(), options_.access ? 1U : 0U, committed_, inode_};
  std::vector<std::byte> state(sizeof(findings));
  std::memcpy(state.data(), &findings, sizeof(findings));
  const std::vector<std::byte> catalog = to_bytes(catalog_);
  state.insert(state.end(), catalog.begin(), catalog.end());
  return state;
}

void SeriesReader::take_shared_state(const std::string& path, const std::vector<std::byte>& state) {
  Findings findings;
  std::memcpy(&findings, state.data(), sizeof(findings));
  if (findings.inode != inode_) throw reading::replaced(path);
  if (findings.given != 0) {
    access_ = findings.access;
  } else {
    learned_ = std::make_shared<storage::StoreCost>(findings.access);
  }
  committed_ = findings.committed;
  catalog_ = storage::catalog_from_bytes({state.begin() + sizeof(findings), state.end()});
}

}  // namespace weft
