#include "kernels/ecg/source_writer.hpp"

namespace weft::kernels::ecg {

FieldSpec field_spec(const SourceField& from, const EcgOptions& options) {
  FieldSpec field;
  field.name = from.name;
  field.units = from.units;
  field.type = from.type;
  field.per_step = from.per_step;
  field.owned = from.owned;
  field.layout = options.layout;
  field.filters = options.filters;
  field.components = from.components;
  field.component_units = from.component_units;
  field.support = from.support;
  field.attributes = from.attributes;
  field.subset = from.subset;
  return field;
}

SeriesWriter make_writer(MPI_Comm comm, StepSource& source, const EcgOptions& options, const Observers& observers,
                         std::optional<std::uint64_t> restart_step) {
  if (options.append || restart_step) {
    AppendSpec spec;
    spec.observers = observers;
    spec.from_step = restart_step ? restart_step : options.from_step;
    spec.options = options.writer;
    for (const SourceField& field : source.fields()) {
      if (field.support != Support::global) spec.owned.emplace_back(field.name, field.owned);
    }
    return append_series(comm, options.out, spec, options.mpi);
  }
  SeriesSpec spec;
  spec.observers = observers;
  spec.if_exists = options.if_exists;
  if (!options.unknown_steps) spec.steps = source.steps();
  spec.time_units = source.time_units();
  spec.align_bytes = options.align_bytes;
  spec.mesh = source.mesh();
  spec.options = options.writer;
  for (const SourceField& from : source.fields()) spec.fields.push_back(field_spec(from, options));
  SeriesWriter writer = create_series(comm, options.out, spec, options.mpi);
  source.forget_mesh();
  return writer;
}

}  // namespace weft::kernels::ecg
