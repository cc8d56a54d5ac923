// kernels/ecg/source_writer.hpp - the series that a source's steps are written into: a new one, or one that goes on.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/ecg/ecg_kernel.hpp"
#include "kernels/ecg/step_source.hpp"
#include "weft/series/series_writer.hpp"
#include "weft/series/window_observer.hpp"

namespace weft::kernels::ecg {

using Observers = std::vector<std::shared_ptr<series::WindowObserver>>;

// What the file has of a field. Pure.
FieldSpec field_spec(const SourceField& from, const EcgOptions& options);

// With `append`, or from `restart_step` on, the writer goes on with the file. Collective; throws agreed errors.
SeriesWriter make_writer(MPI_Comm comm, StepSource& source, const EcgOptions& options, const Observers& observers,
                         std::optional<std::uint64_t> restart_step);

}  // namespace weft::kernels::ecg
