#include "weft/verify/recovery.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>

#include "weft/storage/catalog_open_file.hpp"
#include "weft/storage/commit_slots.hpp"
#include "weft/storage/file_end.hpp"
#include "weft/storage/fresh_driver.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/metadata_change.hpp"
#include "weft/storage/new_file.hpp"
#include "weft/storage/open_elsewhere.hpp"
#include "weft/storage/series_changes.hpp"
#include "weft/storage/series_file.hpp"
#include "weft/storage/superblock.hpp"
#include "weft/storage/take_file.hpp"
#include "weft/storage/writer_lock.hpp"
#include "weft/storage/writer_state.hpp"
#include "weft/support/amount.hpp"
#include "weft/survey/open_file.hpp"
#include "weft/verify/file_check.hpp"
#include "weft/verify/mesh_check.hpp"
#include "weft/view/series_view.hpp"
#include "weft/view/vtkhdf.hpp"

namespace weft::verify {

namespace {

using storage::Handle;
using storage::SeriesCatalog;
using storage::Superblock;

constexpr const char* kOthers = "what others wrote is not recovered; h5clear and h5repack may help";

// The file as if it were not marked. HDF5 has this for h5clear alone; without it the file stays closed.
Handle open_unmarked(const std::string& path) {
  const Handle access = storage::fresh_access(storage::file_access());
  const hbool_t clear = true;
  H5Pset(access, "clear_status_flags", &clear);
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access));
  if (file.valid()) return file;
  storage::throw_not_opened(path, "if it was killed while it was made there is nothing in it; write it again");
}

class Work {
 public:
  Work(const std::string& path, const RecoveryOptions& options) : path_(path), options_(options) {
    result_.path = path;
    result_.dry_run = options.dry_run;
  }

  Recovery run() {
    const storage::QuietHdf5 quiet;
    check_made();
    const std::optional<storage::LockHolder> holder = storage::lock_holder(path_);
    std::optional<storage::WriterLock> lock;
    if (!result_.dry_run) {
      lock = storage::WriterLock::take(path_, {"weft recover", options_.take_over});
    } else {
      storage::check_no_living_writer(path_);
    }
    if (storage::is_open_for_writing(path_)) {
      throw Error(ErrorKind::usage, path_, "is being written: a program has it open", "wait for it to end, or end it");
    }
    undo_change();
    if (!result_.all_told) return std::move(result_);
    mend_indexes();
    if (!result_.all_told) return std::move(result_);
    const SeriesCatalog catalog = unmark();
    if (lock) storage::end_interrupted_change(catalog);
    if (lock && lock->taken_over()) storage::begin_epoch(catalog);
    result_.steps = committed_steps(catalog);
    if (result_.steps == 0) check_beginning(catalog);
    clear_scratch();
    cut_end(catalog);
    clear_parts();
    end_with_committed(catalog);
    if (holder && result_.actions.empty())
      act(fmt::format("remove the lock of {}, which has ended", holder->describe()));
    if (!result_.dry_run) check_result();
    return std::move(result_);
  }

 private:
  // Says what is done, and whether to do it.
  bool act(const std::string& action) {
    result_.actions.push_back(action);
    return !result_.dry_run;
  }

  // A run that is killed while it makes its file leaves only the part of it.
  void check_made() const {
    const auto is_there = [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; };
    if (is_there(path_) || !is_there(storage::part_path(path_))) return;
    throw Error(ErrorKind::data, path_,
                "is not there: a run was killed before its file was whole, and committed nothing",
                "start the run again");
  }

  Superblock superblock() const {
    const auto bytes = survey::open_bytes(path_);
    std::optional<Superblock> found = storage::read_superblock(*bytes);
    if (!found) throw Error(ErrorKind::data, path_, "is not an HDF5 file", "check the path");
    if (!found->intact) {
      throw Error(ErrorKind::data, path_, "has a damaged superblock", "nothing it says can be trusted; write it again");
    }
    if (found->end_of_file > bytes->size()) {
      throw Error(ErrorKind::data, path_,
                  fmt::format("is truncated: it has {} of {} bytes", format_count(bytes->size()),
                              format_count(found->end_of_file)),
                  "copy it again from where it is intact");
    }
    return *found;
  }

  void undo_change() {
    const storage::UndoState state = storage::interrupted_change(path_);
    if (state == storage::UndoState::none) return;
    scratch_was_there_ = true;
    const bool in_part = state == storage::UndoState::part;
    const bool done =
        act(in_part                              ? "undo a metadata change that was interrupted"
            : state == storage::UndoState::after ? "remove the undo file of a metadata change that was complete"
                                                 : "remove the undo file of a change that never reached the file");
    if (done) storage::undo_metadata_change(path_);
    result_.all_told = done || !in_part;  // a file that is changed in part cannot be read
  }

  // Where the chunks lie is known without them. What is written is what should be there: half of it does no harm.
  void mend_indexes() {
    if (superblock().marked) return;  // then it is of a format that has none
    std::vector<storage::IndexPlan> wrong;
    {
      const storage::QuietHdf5 quiet;
      wrong = storage::wrong_indexes(survey::open_file(path_));
    }
    for (const storage::IndexPlan& plan : wrong) {
      if (!plan.array.filters.empty()) continue;  // the index alone said where its chunks lie
      result_.all_told = act(fmt::format("make the index of {} anew", plan.array.path));
      if (!result_.all_told) continue;
      const auto store = storage::open_store(path_, storage::OpenMode::write_through);
      storage::write_index(*store, plan);
      store->close();
    }
  }

  SeriesCatalog unmark() {
    const Superblock found = superblock();
    SeriesCatalog catalog;
    {
      const Handle file = found.marked ? open_unmarked(path_) : survey::open_file(path_);
      if (!storage::has_series(file)) {
        if (!found.marked) throw Error(ErrorKind::data, path_, "is not a Weft file", kOthers);
        throw Error(ErrorKind::data, path_, "is marked as being written, and not a Weft file",
                    fmt::format("a run that was killed while it made its file must be started again; what others wrote "
                                "is not recovered, but h5clear -s {} removes the mark",
                                path_));
      }
      catalog = storage::catalog_open_file(file, path_);
    }
    if (found.marked && act("remove the mark of a program that was writing it")) {
      storage::clear_write_mark(*storage::open_store(path_, storage::OpenMode::write), found);
    }
    return catalog;
  }

  // What a change cut short before its undo file was there has left.
  void clear_scratch() {
    const bool scratch = storage::metadata_leftovers(path_).scratch;
    if (scratch && act("remove the scratch files of a change that had not begun")) {
      storage::forget_metadata_changes(path_);
    }
    if (!scratch && !scratch_was_there_) return;
    const std::uint64_t end = superblock().end_of_file;
    const std::uint64_t size = survey::open_bytes(path_)->size();
    if (size == end || !act(fmt::format("cut off {} of unused bytes at its end", format_bytes(size - end)))) return;
    if (::truncate(path_.c_str(), static_cast<off_t>(end)) != 0) {
      throw system_error(path_, "cannot be cut to its length", errno);
    }
  }

  // Of a run that was killed while it wrote filtered chunks.
  void cut_end(const SeriesCatalog& catalog) {
    const std::optional<std::uint64_t> end = storage::forgotten_end(catalog);
    if (!end) return;
    const std::uint64_t size = survey::open_bytes(path_)->size();
    if (act(fmt::format("cut off {} at its end, which no chunk has taken", format_bytes(size - *end)))) {
      storage::cut_end(catalog, *end);
    }
  }

  void clear_parts() {
    if (storage::has_parts(path_) && act("remove the unfinished file of a command that died")) {
      storage::remove_parts(path_);
    }
  }

  // A mesh is written before the first step, and no slot tells whether all of it is there.
  void check_beginning(const SeriesCatalog& catalog) const {
    const Handle file = open_unmarked(path_);
    Check mesh;
    check_mesh(file, catalog, true, mesh);
    if (mesh.verdict != Verdict::fail) return;
    throw Error(ErrorKind::data, path_, "was interrupted before its mesh was complete, and no step is committed",
                "there is nothing in it to recover; write it again");
  }

  void end_with_committed(const SeriesCatalog& catalog) {
    const std::uint64_t committed = result_.steps;
    const storage::ViewMaker view = [](const SeriesCatalog& changed, std::uint64_t steps) {
      const auto bytes = storage::open_store(changed.path, storage::OpenMode::read);
      return view::vtkhdf_objects(view::series_view(changed, steps, view::reader_of(*bytes)));
    };
    if (catalog.length != committed) {
      const std::string action = catalog.length > committed
                                     ? fmt::format("end the series with its {} committed steps, of {}",
                                                   format_count(committed), format_count(catalog.length))
                                     : fmt::format("show all {} committed steps, not {}", format_count(committed),
                                                   format_count(catalog.length));
      if (act(action)) storage::set_length(catalog, committed, view);
    } else if (catalog.viewed != 0 && catalog.viewed != committed) {
      const std::string action =
          fmt::format("let the view show all {} steps, not {}", format_count(committed), format_count(catalog.viewed));
      if (act(action)) storage::renew_view(catalog, committed, view);
    }
  }

  std::uint64_t committed_steps(const SeriesCatalog& catalog) const {
    const auto bytes = survey::open_bytes(path_);
    const std::uint64_t committed = options_.keep_written
                                        ? storage::committed_steps(storage::read_slots(*bytes, catalog))
                                        : storage::readable_steps(*bytes, catalog, storage::LockIs::mine);
    if (committed <= catalog.capacity()) return committed;
    throw Error(
        ErrorKind::data, path_,
        fmt::format("says that {} steps are committed where there is room for {}", committed, catalog.capacity()),
        "it is damaged; weft verify says what else is");
  }

  void check_result() const {
    FileCheckOptions options;
    options.quick = true;
    options.lock = storage::LockIs::mine;
    const FileReport report = check_file(path_, options);
    for (const Check& check : report.list.checks) {
      if (check.verdict != Verdict::fail) continue;
      throw Error(ErrorKind::data, path_, fmt::format("is damaged beyond recovery: {}", check.line()),
                  "weft verify says what else is; the committed steps may still be read");
    }
  }

  std::string path_;
  RecoveryOptions options_;
  Recovery result_;
  bool scratch_was_there_ = false;
};

}  // namespace

Recovery recover_file(const std::string& path, const RecoveryOptions& options) {
  if (!options.dry_run) {
    // A sound file is not touched, and needs no lock: it may lie where nobody can write.
    RecoveryOptions look = options;
    look.dry_run = true;
    Recovery nothing = Work(path, look).run();
    nothing.dry_run = false;
    if (nothing.actions.empty()) return nothing;
  }
  return Work(path, options).run();
}

}  // namespace weft::verify
