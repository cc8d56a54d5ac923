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
// Threads: make all calls from one thread. Memory: put() copies; a rank holds at most WriterOptions::budget_bytes, plus
// the tables of ownership. Errors: a put() that is refused changes nothing, and a right one may follow. Where none
// does, the step cannot end: all ranks throw at the next collective call, so no rank waits for one that caught it. An
// error that all ranks have thrown ends the writer: every later call, close() included, throws it again. On one rank
// nothing of this ends it: end_step() and flush() that are refused change nothing, and close() writes the steps that
// have ended before it throws. An error of a background write is thrown by the next end_step(). A writer that is
// destroyed without close() leaves the committed steps in the file; on one rank it writes all steps first. A rank that
// hangs or exits needs MPI_Abort, as in every MPI program.
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
  // Creates the file at its full extent and closes it as HDF5; steps are then written by positioned writes. The file is
  // made as FILE.weft-part and renamed when it is complete and all checks have passed: an existing file is unchanged
  // until then (or, with SeriesSpec::if_exists, the call is refused from the start). `prepare` is called on rank 0 with
  // the name of the part before it is made, and may create an empty file there. Collective; throws agreed errors.
  static SeriesWriter create(std::shared_ptr<Communicator> comm, const std::string& path, const SeriesSpec& spec,
                             const series::StrategyFactory& strategy = series::make_owner_strategy,
                             const std::function<void(const std::string& part)>& prepare = {});

  // Appends to an existing series, on any number of ranks. Collective; throws agreed errors: Error(usage) if from_step
  // is after the committed steps. An error leaves the file unchanged.
  static SeriesWriter append(std::shared_ptr<Communicator> comm, const std::string& path, const AppendSpec& spec,
                             const series::StrategyFactory& strategy = series::make_owner_strategy);

  // A child of fork() has a copy of the writer that it cannot use: its calls throw Error(usage), and its end is none of
  // the series. The process that made it goes on.
  SeriesWriter(SeriesWriter&&) noexcept;
  SeriesWriter& operator=(SeriesWriter&&) noexcept;
  ~SeriesWriter();

  // A handle of a field for put(), which saves the lookup of the name in every step. Throws Error(usage) if there is no
  // such field. Not collective.
  FieldHandle field(std::string_view name) const;

  // This rank's values of one field for the current step: local_elements() values of its ownership. Not collective.
  template <typename T>
  void put(const FieldKey& field, std::span<const T> values) {
    put_bytes(field, data_type_of<T>(), std::as_bytes(values));
  }
  // The same for a std::vector, a std::array, or a span of values that are not const.
  template <std::ranges::contiguous_range Values>
  void put(const FieldKey& field, const Values& values) {
    using T = std::ranges::range_value_t<Values>;
    put<T>(field, std::span<const T>(std::ranges::data(values), std::ranges::size(values)));
  }
  template <typename T>
  void put(const FieldKey& field, const T* values, std::size_t count) {
    put<T>(field, std::span<const T>(values, count));
  }
  // One number, for a global field.
  template <typename T>
  requires std::is_arithmetic_v<T>
  void put(const FieldKey& field, T value) { put<T>(field, std::span<const T>(&value, 1)); }
  // The same for callers that know the type only at run time (bindings, replays).
  void put_bytes(const FieldKey& field, DataType type, std::span<const std::byte> values);

  // Ends the current step. `time` must be the same on all ranks (that of rank 0 is written) and later than the time of
  // the step before; otherwise it is an error like those of put(). Every rank must have put every field of which it
  // holds a part. Collective.
  void end_step(double time);

  // Writes all steps so far; they are committed when it returns. For checkpoints: flushing often makes more and smaller
  // writes. Call it between two steps. Collective; throws agreed errors.
  void flush();

  // Writes all steps and gives the datasets their final length. Nothing can be put after it. Collective; throws agreed
  // errors.
  void close();

  // Drops the steps that are not written yet, without a message, for a file that is not to be kept. Not collective.
  void abandon();

  std::uint64_t next_step() const;                // the number of the current step
  const storage::SeriesCatalog& catalog() const;  // the addresses of everything in the file
  const series::WriteCounters& counters() const;  // of this rank; complete after close()

 private:
  class Impl;
  explicit SeriesWriter(std::unique_ptr<Impl> impl);
  Impl& mine() const;
  std::unique_ptr<Impl> impl_;
};

// The ownership of a rank's cells in a field on cells, if cells are numbered over all ranks in rank order, as in the
// mesh. `components` are the axes after the cell axis. Collective.
partition::Ownership own_cells(Communicator& comm, std::uint64_t local_cells, const Shape& components = {});

}  // namespace weft

#pragma GCC visibility pop
