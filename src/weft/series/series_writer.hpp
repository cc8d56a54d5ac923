// weft/series/series_writer.hpp - how a simulation writes its steps.
//
//   auto writer = weft::SeriesWriter::create(comm, "heart.h5", spec);     // collective
//   for (each step) {
//     writer.put<double>("V", v);                                          // this rank's nodes, in its own order
//     writer.end_step(time);                                               // collective now and then
//   }
//   writer.close();                                                        // collective
//
// On MPI ranks use weft::create_series (series/mpi_series.hpp), which also knows the papers' collective strategies.
//
// Threads: all calls come from one thread. Memory: put() copies; at most WriterOptions::budget_bytes are held on a rank
// (plus the maps of who owns what). Errors: what put() finds wrong is thrown at once on that rank and again, agreed, on
// all ranks at the next collective point, so a rank that swallows it leaves nobody waiting. A rank that does not come
// back at all has to be answered by MPI_Abort, as in every MPI program. What all ranks have
// thrown ends the writer: it then says the same to every call, close() included. What fails behind the computation is
// told at the next step. A writer that is destroyed without close() leaves the committed steps; one alone brings all of
// its steps into the file first.
#pragma once

#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "weft/series/field_key.hpp"
#include "weft/series/owner_strategy.hpp"
#include "weft/series/series_spec.hpp"
#include "weft/series/write_strategy.hpp"
#include "weft/support/communicator.hpp"

#pragma GCC visibility push(default)

namespace weft {

class SeriesWriter {
 public:
  // Creates the file, at full extent, and closes it again as HDF5; from then on there are only positioned writes. It is
  // made as FILE.weft-part and gets its name when it is whole and all checks have passed: until then an existing file
  // is as it was, and then it is replaced (or, with SeriesSpec::if_exists, refused from the start). `prepare` is given
  // the part's name on rank 0 before anything is made, and may make an empty file there. Collective; throws agreed
  // errors.
  static SeriesWriter create(std::shared_ptr<Communicator> comm, const std::string& path, const SeriesSpec& spec,
                             const series::StrategyFactory& strategy = series::make_owner_strategy,
                             const std::function<void(const std::string& part)>& prepare = {});

  // Goes on with an existing series, on any number of ranks. Collective; throws agreed errors, among them Error(usage)
  // where from_step lies behind the committed steps. What is refused leaves the file as it was.
  static SeriesWriter append(std::shared_ptr<Communicator> comm, const std::string& path, const AppendSpec& spec,
                             const series::StrategyFactory& strategy = series::make_owner_strategy);

  SeriesWriter(SeriesWriter&&) noexcept;
  SeriesWriter& operator=(SeriesWriter&&) noexcept;
  ~SeriesWriter();

  // A handle of a field, for put(): it saves looking up the name at every step. Error(usage) where there is no such
  // field. Not collective.
  FieldHandle field(std::string_view name) const;

  // This rank's values of one field for the present step, as long as its ownership's local_elements(). Not collective.
  template <typename T>
  void put(const FieldKey& field, std::span<const T> values) {
    put_bytes(field, data_type_of<T>(), std::as_bytes(values));
  }
  // The same of a std::vector, std::array, or span of values that are not const.
  template <std::ranges::contiguous_range Values>
  void put(const FieldKey& field, const Values& values) {
    using T = std::ranges::range_value_t<Values>;
    put<T>(field, std::span<const T>(std::ranges::data(values), std::ranges::size(values)));
  }
  template <typename T>
  void put(const FieldKey& field, const T* values, std::size_t count) {
    put<T>(field, std::span<const T>(values, count));
  }
  // One number: of a global field.
  template <typename T>
  requires std::is_arithmetic_v<T>
  void put(const FieldKey& field, T value) { put<T>(field, std::span<const T>(&value, 1)); }
  // The same for callers that know the type at run time only (bindings, replays).
  void put_bytes(const FieldKey& field, DataType type, std::span<const std::byte> values);

  // Ends the present step; `time` must be the same on all ranks (rank 0's is written), and later than that of the step
  // before: what does not rise is an error as those of put() are. Every field must have been put
  // by every rank that holds a part of it. Collective.
  void end_step(double time);

  // Brings every step so far into the file: they are committed when it returns. For checkpoints; windows that are cut
  // short make more and smaller writes. Between two steps only. Collective; throws agreed errors.
  void flush();

  // Brings every step into the file and gives the datasets their final length. Collective. Nothing may be put
  // afterwards.
  void close();

  // Ends the writer where the file is not to be kept: whatever is gathered is dropped, without a word. Not collective.
  void abandon();

  std::uint64_t next_step() const;                // the present step's number
  const storage::SeriesMap& map() const;          // where everything lies
  const series::WriteCounters& counters() const;  // this rank's; complete after close()

 private:
  class Impl;
  explicit SeriesWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The ownership of a rank's own cells in a field on cells, when cells are numbered over all ranks in rank order as in
// the mesh: `components` is what follows the cell axis. Collective.
partition::Ownership own_cells(Communicator& comm, std::uint64_t local_cells, const Shape& components = {});

}  // namespace weft

#pragma GCC visibility pop
