// weft/reading/series_reader.hpp - reads fields over steps: snapshots, traces, blocks, any box of any field.
//
// Of a Weft file, and of any HDF5 file whose steps are known (reading/foreign_series.hpp): netCDF-4, VTKHDF, openPMD,
// Chaste, or a dataset whose axes are told. FILE:DATASET names one of its datasets. Filters are undone and packed
// values unpacked (reading/value_coding.hpp), axes come in Weft's order, and times in the units they are recorded in.
//
// The map of the file is read once, when it is opened; from then on data move by positioned reads of exactly the bytes
// that pay (storage/read_plan), never whole chunks. A box is given in the coordinates of the field's dataset: (step,
// then one step's axes); how many segments it spans does not show.
//
// Only committed steps can be read: those that are whole in the file on every rank that writes it. A reader of a
// running simulation sees more of them after reload(). Reading moves no file position and changes nothing, so one
// reader may be used by several threads at once, reload() and use_access_cost() excepted.
//
// Memory: the destination is the caller's. Beyond it a read may hold one request a thread (access.max_request_bytes,
// 8 MiB), and only where many small rows are gathered from one request.
//
// Collective: only the open() and reload() that take a Communicator. Reads never communicate.
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
#include "weft/storage/byte_store.hpp"
#include "weft/storage/read_executor.hpp"
#include "weft/storage/read_plan.hpp"
#include "weft/storage/series_map.hpp"
#include "weft/support/communicator.hpp"
#include "weft/support/data_type.hpp"
#include "weft/support/large_memory.hpp"
#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft {

struct ReadOptions {
  // What requests and bytes cost where the file lies; measured once per file system (storage/measure_access_cost) when
  // absent.
  std::optional<layout::AccessCost> access;
  // What a SnapshotSweep (reading/snapshot_sweep.hpp) may hold.
  std::uint64_t budget_bytes = 256ULL << 20;
  int max_threads = storage::kDefaultReadThreads;
  // Puts a store around the file's (to count, to delay); what it returns is what is read, and is measured afresh.
  std::function<std::unique_ptr<storage::ByteStore>(std::unique_ptr<storage::ByteStore>)> wrap;
  std::shared_ptr<storage::SyscallCounters> counters;  // where the file's system calls are counted; may be null
  // Called before each request that does not go through that store: of a chunk that is decoded, or by HDF5.
  std::function<void(std::uint64_t bytes)> on_request{};
  reading::SeriesChoice choice{};  // of a file that Weft did not write
};

class SeriesReader {
 public:
  // `path` is FILE, or FILE:NAME for one of its fields or datasets. Throws Error(system) where the file cannot be
  // opened, Error(data) where it holds no steps that are known or is damaged.
  static SeriesReader open(const std::string& path, ReadOptions options = {});
  // Collective: rank 0 reads the map, the committed steps and measures the store, and tells the others. All throw where
  // one fails. `comm` is not kept. The path must lead every rank to the same file.
  static SeriesReader open(Communicator& comm, const std::string& path, ReadOptions options = {});

  // Looks again how many steps are committed, and at segments that were added since. Throws Error(data) where the path
  // leads to another file by now: the run was begun anew.
  void reload();
  void reload(Communicator& comm);  // collective; afterwards all ranks see the same steps

  const std::string& path() const { return map_.path; }
  bool is_weft() const { return foreign_ == nullptr; }
  // How a file that Weft did not write was understood; nullptr of a Weft file.
  const reading::ForeignSeries* foreign() const { return foreign_.get(); }
  // What stood behind FILE:, or SeriesChoice::dataset; "" where nothing was named.
  const std::string& named() const { return named_; }
  // The field that FILE:NAME named, else the only one there is; "" where there are several. Error(usage) where it is
  // not there.
  std::string named_field() const;
  // The name of the field that is asked for, by its name or its dataset's path; "" asks for named_field(). Error(usage)
  // where it is not there, or there are several and none is named.
  std::string chosen_field(const std::string& asked) const;
  std::uint64_t steps() const { return map_.length; }  // of the datasets, as every other reader of HDF5 sees them
  std::uint64_t committed() const { return committed_; }
  // The fields, without "time".
  std::span<const storage::FieldMap> fields() const { return std::span(map_.fields).subspan(1); }
  const storage::FieldMap& field(const std::string& name) const;  // "time" too; Error(usage) where there is none
  const storage::SeriesMap& map() const { return map_; }
  const layout::AccessCost& access_cost() const { return access_; }
  // From here on, reads are planned for a store of this cost. Throws Error(usage) for one that cannot be.
  void use_access_cost(const layout::AccessCost& access);
  const ReadOptions& options() const { return options_; }

  // The time of every committed step.
  std::vector<double> times() const;

  // The boxes of a field's steps that are read (reading/field_boxes.hpp).
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

  // Throw Error(usage) unless the field holds `type`; unless `box` lies inside the field and the committed steps.
  void check_type(const std::string& name, DataType type) const;
  void check_box(const std::string& name, const Box& box) const { boxes(name).check(box); }

  // Fills `values`, the row-major array of box.count in the field's own type. Throws Error(usage) where the box leaves
  // the field or the committed steps, or `values` has another size; Error(data) where the file ends early.
  void read(const std::string& name, const Box& box, std::span<std::byte> values) const {
    read(name, std::span(&box, 1), values);
  }
  // Several boxes, the values of one behind those of the other; neighbours in the file become one request.
  void read(const std::string& name, std::span<const Box> boxes, std::span<std::byte> values) const;

  // The same with T checked against the field's type. The vector is made here; for many reads, hand one in.
  template <typename T>
  void read(const std::string& name, const Box& box, std::span<T> values) const {
    check_type(name, data_type_of<T>());
    read(name, box, std::as_writable_bytes(values));
  }
  template <typename T>
  Values<T> read(const std::string& name, const Box& box) const {
    check_box(name, box);  // before memory for a box that was mistyped
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

  // Whether a field's values are read as they lie in the file; else whole chunks are decoded, or HDF5 reads.
  bool reads_directly(const std::string& name) const;
  // What read() would do, without doing it. Throws Error(usage) unless the field is read directly.
  storage::ReadPlan plan(const std::string& name, const Box& box) const;
  // The arithmetic prediction of the same (layout/read_cost), which knows nothing of addresses.
  layout::ReadCost predicted(const std::string& name, const Box& box) const;

  // The store the field's layout was designed for, from its rationale; the default one where none is recorded.
  layout::AccessCost recorded_access_cost(const std::string& name) const;

  // Reads an array that has no step axis ("/mesh/points") whole. Error(usage) where the file has none of that path.
  void read_fixed(const std::string& path, std::span<std::byte> values) const;

 private:
  SeriesReader() = default;
  void open_bytes(const std::string& path);
  bool read_map_and_slots(const std::string& path);
  bool read_map(const std::string& path);
  std::vector<std::byte> shared_state() const;
  void take_shared_state(const std::string& path, const std::vector<std::byte>& state);
  std::size_t field_number(const std::string& name) const;
  void open_foreign(const std::string& path);
  // Calls `visit` with the part of `box` in each segment, in order of the steps.
  void for_each_segment(const Box& box, const std::function<void(std::size_t segment, const Box&)>& visit) const;
  // The array of a field, where its map alone does not say where its values lie; nullptr where it does.
  reading::StoredArray* stored_array(std::size_t segment, std::size_t field) const;
  // Where the values lie, if they can be read from there.
  const storage::ArrayMap* direct_map(std::size_t segment, std::size_t field) const;
  void execute(const storage::ReadPlan& plan, std::span<std::byte> values) const;

  ReadOptions options_;
  storage::SeriesMap map_;
  layout::AccessCost access_;
  std::uint64_t committed_ = 0;
  std::unique_ptr<storage::ByteStore> bytes_;
  std::uint64_t inode_ = 0;  // of the file that `bytes_` is
  std::shared_ptr<const reading::ForeignSeries> foreign_;
  std::string named_;
  std::shared_ptr<reading::OpenedFile> opened_;
  std::unique_ptr<reading::StoredArrays> arrays_ = std::make_unique<reading::StoredArrays>();
};

}  // namespace weft

#pragma GCC visibility pop
