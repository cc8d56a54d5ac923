// weft/storage/series_catalog.hpp - the catalog of a Weft file: where everything in it lies.
//
// The catalog is read out of HDF5 once (storage/series_file.hpp); from then on data move by positioned reads and writes
// alone. It is plain data: it can be printed, sent to other ranks and computed with. docs/format.md describes the file
// itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/support/data_type.hpp"
#include "weft/support/shape.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

// Where the chunks of a dataset begin in the file, numbered row-major over the chunk grid; or that nobody knows. What
// is not known cannot be asked for, so that nothing is read or written through a guess (storage/chunk_places.hpp says
// how it comes to be known).
class ChunkAddresses {
 public:
  // A stretch of chunks that lie one behind the other, all as far apart: from number `first` on, up to where the next
  // stretch begins.
  struct Stretch {
    std::uint64_t first = 0;
    std::uint64_t address = 0;
  };

  static constexpr std::uint64_t kNowhere = ~0ULL;  // of a chunk that has no place, or whose place was not asked for

  ChunkAddresses() = default;  // unknown
  // One behind the other: chunk n at first + n * chunk_bytes.
  static ChunkAddresses in_a_row(std::uint64_t first, std::uint64_t chunk_bytes);
  // In stretches, by ascending numbers; the first begins with chunk 0. `pitch`: from one chunk to the next.
  static ChunkAddresses in_stretches(std::vector<Stretch> stretches, std::uint64_t pitch);
  // Each somewhere else: chunk n at addresses[n].
  static ChunkAddresses listed(std::vector<std::uint64_t> addresses);

  bool known() const { return !stretches_.empty() || !listed_.empty(); }
  bool are_in_a_row() const { return stretches_.size() == 1; }

  // Of chunk `number`. Throws Error(data) where it is not known.
  std::uint64_t at(std::uint64_t number) const {
    return are_in_a_row() ? stretches_[0].address + number * pitch_ : look_up(number);
  }

  // The stretches that chunks [0, chunks) lie in, as ranges of bytes; a chunk each where they are listed.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> byte_ranges(std::uint64_t chunks,
                                                                   std::uint64_t chunk_bytes) const;

 private:
  std::uint64_t look_up(std::uint64_t number) const;

  std::vector<Stretch> stretches_;
  std::uint64_t pitch_ = 0;  // in a stretch
  std::vector<std::uint64_t> listed_;

  friend class AddressCode;
};

// For handing addresses to other ranks. from_bytes(to_bytes(a)) equals a.
std::vector<std::byte> to_bytes(const ChunkAddresses& addresses);
ChunkAddresses chunk_addresses_from_bytes(const std::vector<std::byte>& bytes);

// One dataset. A contiguous dataset is one chunk: `chunk` equals `shape`.
struct ArrayEntry {
  std::string path;  // inside the file, as "/weft/segments/0/V"
  DataType type = DataType::float64;
  Shape shape;
  Shape chunk;
  ChunkAddresses addresses;          // unknown where it has filters
  std::vector<std::string> filters;  // names as HDF5 gives them; empty in what Weft writes

  std::uint64_t chunk_bytes() const { return element_count(chunk) * size_of(type); }
  std::uint64_t chunks() const;
  // The address of an array that lies in one piece, row-major. Throws Error(data) where it does not, or has filters.
  std::uint64_t address() const;
};

// Throws Error(data) where the place of a chunk of `array` is not known: it has filters.
void check_addresses(const ArrayEntry& array);

// What a field's values stand on.
enum class Support : std::uint8_t { nodes, cells, global };

// "nodes", "cells" or "global", as the attribute weft_support says it; support_of takes any other word for nodes.
std::string_view name_of(Support support);
Support support_of(std::string_view name);

// Which of the nodes (or cells) a field stands on.
enum class Subset : std::uint8_t {
  all,
  first,   // the first per_step[0]
  listed,  // those of /weft/subsets/NAME
};

struct FieldEntry {
  std::string name;
  DataType type = DataType::float64;
  Shape per_step;  // one step's shape: {N, 2} for a dataset of (steps, N, 2); empty for one number a step
  Support support = Support::nodes;
  std::string units;
  std::string rationale;  // the layout design as JSON text (layout/design.hpp); empty where the chunk was given
  std::vector<std::string> components{};  // their names, where they were given
  Subset subset = Subset::all;
  // The leading axes of per_step that say which node (or cell): 2 or 3 on a grid; 0 where it is global.
  std::size_t node_axes = 1;
  std::vector<std::string> component_units{};  // one each, where they are not all `units`
  std::string filter{};                        // of its chunks, as storage::parse_filters() takes it; empty: none
  unsigned kept_bits = 0;  // to which values are rounded before (storage/bit_rounding.hpp); 0: they are not
};

// The nodes (or cells) a field has, numbered row-major over node_axes; 1 where it is global. And the values of each.
std::uint64_t nodes_of(const FieldEntry& field);
std::uint64_t components_of(const FieldEntry& field);
// The extents of its node_axes: {nodes} where there is no grid.
Shape places_of(const FieldEntry& field);

// The place of the field of this name, or of the only one whose name ends in "/name".
std::optional<std::size_t> field_called(std::span<const FieldEntry> fields, const std::string& name);

// A regular grid of nodes: shape of one step's grid, slowest axis first ({nz, ny, nx} or {ny, nx}; empty: no grid), and
// the place of node 0 and the distance of neighbours along x, y and z.
struct RegularGrid {
  Shape shape{};
  std::array<double, 3> origin{0, 0, 0};
  std::array<double, 3> spacing{1, 1, 1};
};

// FieldEntry::node_axes of a field of these steps in a series on this grid.
std::size_t node_axes_of(const Shape& per_step, Support support, const RegularGrid& grid);

// The room that a field's dataset has for chunks, and the index that leads to them (storage/chunk_room.hpp).
struct ChunkRoom {
  std::uint64_t index = 0;  // where it begins in the file
  // Where the chunks lie. Of a field with filters: one chunk of nothing, which stands for all that are not written yet,
  // and what it takes there. Those that are written lie where there was room; the index alone says where.
  std::vector<ChunkAddresses::Stretch> stretches{};
  std::uint64_t blank_bytes = 0;  // 0 without filters
  std::uint64_t pitch = 0;        // from one chunk to the next; 0: with filters
};

// A stretch of steps with one dataset a field. A series has one, which gets more room as it grows; in files of format 1
// it grows by segments whose lengths double.
struct SegmentEntry {
  std::uint64_t first_step = 0;
  std::uint64_t steps = 0;
  std::vector<ArrayEntry> fields;  // as SeriesCatalog::fields
  std::vector<ChunkRoom> rooms{};  // likewise; none where its datasets cannot get more room (format 1)
  std::uint64_t align = 0;         // chunks that different ranks may write begin at multiples of this; 0: no matter
};

// Steps that are written into the same chunks and room: chunks count from `first`, and no window reaches over the end.
struct StepRoom {
  std::uint64_t first = 0;
  std::uint64_t steps = 0;
};

struct SeriesCatalog {
  std::string path;
  std::uint64_t format_version = 0;
  std::string created_by;
  std::vector<FieldEntry> fields;  // fields[0] is "time": float64, one number a step, global
  std::vector<SegmentEntry> segments;
  std::uint64_t length = 0;  // of the top-level datasets: what other readers see
  std::uint64_t viewed = 0;  // steps that the view shows (/VTKHDF); 0 where there is none
  ArrayEntry commit;         // uint64 slots, kept as int64 in `type`
  ArrayEntry durable{};      // as many; no shape in files of before (storage/writer_state.hpp)
  ArrayEntry writer{};       // its words; likewise
  RegularGrid grid;
  std::vector<ArrayEntry> fixed_arrays;  // mesh points, connectivity, ...: written once, with no step axis
  // Whether HDF5 gives out the file's space in pages. What is small lies at any byte there, so that new slots could
  // straddle two pages of memory.
  bool in_pages = false;

  // The steps there is room for: the end of the last segment.
  std::uint64_t capacity() const { return segments.empty() ? 0 : segments.back().first_step + segments.back().steps; }
  // Whether its datasets can get more room where they are, and may be shorter than it.
  bool has_rooms() const { return segments.size() == 1 && !segments[0].rooms.empty(); }
  // Where a step is written to. Behind the capacity, what will be added is taken for granted.
  StepRoom room_around(std::uint64_t step) const;
  std::optional<std::size_t> find_field(const std::string& name) const;
  const ArrayEntry* find_fixed(const std::string& wanted) const;
};

// What a file shows to other readers.
struct ShownSteps {
  std::uint64_t length = 0;               // of the top-level datasets
  std::optional<std::uint64_t> viewed{};  // steps that the view shows; nothing where there is none
};

// A map (/maps/..) and how many steps it is of.
struct MapAge {
  std::string path;
  std::uint64_t steps = 0;
};

// Whether a series can be gone on with where it lies: throws Error(data) where the place of some value is not known, as
// in a file whose chunks were given filters, and where its space is in pages. Nothing is changed.
void check_writable(const SeriesCatalog& catalog);

// For handing a catalog to other ranks. from_bytes(to_bytes(m)) equals m.
std::vector<std::byte> to_bytes(const SeriesCatalog& catalog);
SeriesCatalog catalog_from_bytes(const std::vector<std::byte>& bytes);

// A commit slot of a rank that writes nothing: it never holds the others back.
inline constexpr std::uint64_t kIdleSlot = ~0ULL;

// The steps that are whole in the file: the least of the slots; 0 where no rank writes.
std::uint64_t committed_steps(const std::vector<std::uint64_t>& slots);

}  // namespace weft::storage

#pragma GCC visibility pop
