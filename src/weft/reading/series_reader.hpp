// weft/reading/series_reader.hpp - reads fields over steps: snapshots, traces, blocks, any box of any field.
//
// Reads Weft files and any HDF5 file whose steps are recognised (reading/foreign_series.hpp): netCDF-4, VTKHDF,
// openPMD, Chaste, or a dataset with named axes. FILE:DATASET names one of its datasets. Filters are decoded and packed
// values unpacked (reading/value_coding.hpp). Axes come in Weft's order, and times in the units of the file.
//
// The metadata are read once, when the file is opened. Data are then read by positioned reads of only the bytes that
// are worth reading (storage/read_plan), not whole chunks. A box has the axes of the field's dataset: the step, then
// the axes of one step. It may span any number of segments.
//
// Only committed steps can be read: those that every writing rank has completed. A reader of a running simulation sees
// more of them after reload(). Several threads may use one reader at once, except for reload() and use_access_cost().
//
// Memory: the caller gives the destination. A read also holds at most one request per thread
// (access.max_request_bytes, 8 MiB), and only if it gathers many small rows from one request.
//
// Collective: only the open() and reload() that take a Communicator. Reads do not communicate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/layout/access_cost.hpp"
#include "weft/layout/read_cost.hpp"
#include "weft/reading/field_boxes.hpp"
#include "weft/reading/foreign_series.hpp"
#include "weft/reading/stored_array.hpp"
#include "weft/storage/attributes.hpp"
#include "weft/storage/byte_store.hpp"
#include "weft/storage/read_executor.hpp"
#include "weft/storage/read_plan.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/support/communicator.hpp"
#include "weft/support/data_type.hpp"
#include "weft/support/large_memory.hpp"
#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft {

namespace storage {
class StoreCost;
}

struct ReadOptions {
  // The cost of requests and bytes on the file's file system; if empty, it is measured once per file system, and put
  // right by what reads take (storage/store_cost).
  std::optional<layout::AccessCost> access;
  // The memory of a SnapshotSweep (reading/snapshot_sweep.hpp). A quarter of it, besides, is for chunks that a read
  // decoded for a part of them, as a trace does: those that follow find them.
  std::uint64_t budget_bytes = 256ULL << 20;
  int max_threads = storage::kDefaultReadThreads;
  // Wraps the file's store into another one (to count or delay requests). The wrapped store is the one that is
  // measured.
  std::function<std::unique_ptr<storage::ByteStore>(std::unique_ptr<storage::ByteStore>)> wrap;
  std::shared_ptr<storage::SyscallCounters> counters;  // counts the file's system calls; may be null
  // Called before each request that does not use that store: for a chunk that is decoded, or by HDF5.
  std::function<void(std::uint64_t bytes)> on_request{};
  reading::SeriesChoice choice{};  // for a file that Weft did not write
};

class SeriesReader {
 public:
  // `path` is FILE, or FILE:NAME for one of its fields or datasets. Throws Error(system) if the file cannot be
  // opened, Error(data) if it is damaged or no steps are recognised in it.
  static SeriesReader open(const std::string& path, ReadOptions options = {});
  // Collective: rank 0 reads the metadata and the committed steps, measures the store, and sends all this to the
  // others. If one rank fails, all throw. `comm` is not kept. The path must name the same file on every rank.
  static SeriesReader open(Communicator& comm, const std::string& path, ReadOptions options = {});

  // Reads the number of committed steps and new segments again. Throws Error(data) if the path names another file now,
  // because the run was started again.
  void reload();
  void reload(Communicator& comm);  // collective; afterwards all ranks see the same steps

  const std::string& path() const { return catalog_.path; }
  bool is_weft() const { return foreign_ == nullptr; }
  // How a file that Weft did not write was recognised; nullptr for a Weft file.
  const reading::ForeignSeries* foreign() const { return foreign_.get(); }
  // The name after FILE:, or SeriesChoice::dataset; "" if none was given.
  const std::string& named() const { return named_; }
  // The field that FILE:NAME named, or the only one; "" if there are several. Throws Error(usage) if it does not exist.
  std::string named_field() const;
  // The name of a field that is given by its name or by the path of its dataset; "" stands for named_field(). Throws
  // Error(usage) if it does not exist, or if there are several and none is named.
  std::string chosen_field(const std::string& asked) const;
  std::uint64_t steps() const {
    return catalog_.length;
  }  // the length of the datasets, as other readers of HDF5 see it
  std::uint64_t committed() const { return committed_; }
  // The fields, without "time".
  std::span<const storage::FieldEntry> fields() const { return std::span(catalog_.fields).subspan(1); }
  const storage::FieldEntry& field(const std::string& name) const;  // also "time"; Error(usage) if there is none
  const storage::SeriesCatalog& catalog() const { return catalog_; }
  // What reads are planned for now: as measured and as reads taught, or as given.
  layout::AccessCost access_cost() const;
  // Plans later reads for this cost, whatever they take. Throws Error(usage) unless the latency is at least 0 and the
  // other values are above 0.
  void use_access_cost(const layout::AccessCost& access);
  const ReadOptions& options() const { return options_; }

  // The time of every committed step.
  std::vector<double> times() const;

  // The attributes of a dataset or group by its path, without those of dimension scales; read from the file each time.
  // Throws Error(data) if it does not exist. Not collective.
  storage::Attributes attributes(const std::string& object) const;

  // The boxes of snapshots, traces and blocks (reading/field_boxes.hpp).
  reading::FieldBoxes boxes(const std::string& name) const;
  Box snapshot_box(const std::string& name, std::uint64_t step) const { return boxes(name).snapshot(step); }
  Box trace_box(const std::string& name, std::uint64_t node) const { return boxes(name).trace(node); }
  Box trace_box(const std::string& name, const Shape& place) const { return boxes(name).trace(place); }
  Box block_box(const std::string& name, std::uint64_t first_node, std::uint64_t nodes, std::uint64_t first_step,
                std::uint64_t steps) const {
    return boxes(name).block(first_node, nodes, first_step, steps);
  }
  Box block_box(const std::string& name, std::uint64_t first_node, std::uint64_t nodes) const {
    return block_box(name, first_node, nodes, 0, committed_);
  }

  // Throw Error(usage) unless the field holds `type`, and unless `box` is inside the field and the committed steps.
  void check_type(const std::string& name, DataType type) const;
  void check_box(const std::string& name, const Box& box) const { boxes(name).check(box); }

  // Fills `values`, the row-major array of box.count in the field's own type. Throws Error(usage) if the box is
  // not inside the field and the committed steps, or `values` has another size; Error(data) if the file is truncated.
  void read(const std::string& name, const Box& box, std::span<std::byte> values) const {
    read(name, std::span(&box, 1), values);
  }
  // Several boxes; their values follow each other. Neighbours in the file become one request.
  void read(const std::string& name, std::span<const Box> boxes, std::span<std::byte> values) const;

  // The same, with T checked against the field's type. It allocates the vector; for many reads, pass your own memory.
  template <typename T>
  void read(const std::string& name, const Box& box, std::span<T> values) const {
    check_type(name, data_type_of<T>());
    read(name, box, std::as_writable_bytes(values));
  }
  template <typename T>
  Values<T> read(const std::string& name, const Box& box) const {
    check_box(name, box);  // before memory is allocated for a wrong box
    Values<T> values = make_values<T>(element_count(box.count));
    read(name, box, std::span<T>(values));
    return values;
  }
  template <typename T>
  Values<T> snapshot(const std::string& name, std::uint64_t step) const {
    return read<T>(name, snapshot_box(name, step));
  }
  template <typename T>
  Values<T> trace(const std::string& name, std::uint64_t node) const {
    return read<T>(name, trace_box(name, node));
  }
  template <typename T>
  Values<T> block(const std::string& name, std::uint64_t first_node, std::uint64_t nodes) const {
    return read<T>(name, block_box(name, first_node, nodes));
  }
  template <typename T>
  Values<T> block(const std::string& name, std::uint64_t first_node, std::uint64_t nodes, std::uint64_t first_step,
                  std::uint64_t steps) const {
    return read<T>(name, block_box(name, first_node, nodes, first_step, steps));
  }

  // Nodes [first, first + nodes), numbered as trace_box() has it, of steps [first_step, first_step + steps): fills
  // `values` with [step][node][component]. Throws as read().
  void read_nodes(const std::string& name, std::uint64_t first, std::uint64_t nodes, std::uint64_t first_step,
                  std::uint64_t steps, std::span<std::byte> values) const;

  // Whether a field's values are read directly from the file; otherwise whole chunks are decoded, or HDF5 reads them.
  bool reads_directly(const std::string& name) const;
  // The plan of read(), without reading. Throws Error(usage) unless the field is read directly.
  storage::ReadPlan plan(const std::string& name, const Box& box) const;
  // The predicted cost of the same read (layout/read_cost), without the addresses of chunks; of filtered chunks, with
  // the length of each.
  layout::ReadCost predicted(const std::string& name, const Box& box) const;

  // The cost that the field's layout was chosen for, as recorded in the file; the default if none is recorded.
  layout::AccessCost recorded_access_cost(const std::string& name) const;

  // Reads an array that has no step axis ("/mesh/points") whole. Throws Error(usage) if the file has no such array.
  void read_fixed(const std::string& path, std::span<std::byte> values) const;

 private:
  SeriesReader() = default;
  void open_bytes(const std::string& path);
  void take_access_cost();
  // What a path leads to: to a series, to HDF5 that is none, or to another file than `bytes_` by now.
  enum class Found : std::uint8_t { series, foreign, replaced };
  Found read_catalog_and_slots(const std::string& path);
  bool take_metadata(storage::SeriesCatalog catalog);
  std::vector<std::byte> shared_state() const;
  void take_shared_state(const std::string& path, const std::vector<std::byte>& state);
  std::size_t field_number(const std::string& name) const;
  void open_foreign(const std::string& path);
  void open_arrays();
  // Calls `visit` with the part of `box` in each segment, in order of the steps.
  void for_each_segment(const Box& box, const std::function<void(std::size_t segment, const Box&)>& visit) const;
  // The array of a field, where its catalog alone does not say where its values lie; nullptr where it does.
  reading::StoredArray* stored_array(std::size_t segment, std::size_t field) const;
  // Where the values lie, if they can be read from there.
  const storage::ArrayEntry* direct_entry(std::size_t segment, std::size_t field) const;
  // Carries out a plan that was made for the cost `access`.
  void execute(const storage::ReadPlan& plan, const layout::AccessCost& access, std::span<std::byte> values) const;

  ReadOptions options_;
  storage::SeriesCatalog catalog_;
  layout::AccessCost access_;
  std::shared_ptr<storage::StoreCost> learned_;  // null where the cost was given
  std::uint64_t committed_ = 0;
  std::unique_ptr<storage::ByteStore> bytes_;
  std::uint64_t inode_ = 0;  // of the file that `bytes_` is
  std::shared_ptr<const reading::ForeignSeries> foreign_;
  std::string named_;
  std::string whole_path_;  // what is opened later: the process may be in another folder then
  std::shared_ptr<reading::OpenedFile> opened_;
  std::unique_ptr<reading::StoredArrays> arrays_ = std::make_unique<reading::StoredArrays>(0);
};

}  // namespace weft

#pragma GCC visibility pop
