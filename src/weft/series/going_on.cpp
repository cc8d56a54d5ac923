#include "weft/series/going_on.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weft/support/error.hpp"

namespace weft::series {

namespace {

partition::Ownership ownership_for(const storage::SeriesCatalog& catalog, const storage::FieldEntry& field,
                                   const AppendSpec& spec, int rank) {
  if (field.support == Support::global) return of_rank_zero(field.per_step, rank);
  const auto given =
      std::find_if(spec.owned.begin(), spec.owned.end(), [&](const auto& one) { return one.first == field.name; });
  if (given == spec.owned.end()) {
    throw Error(ErrorKind::usage, catalog.path, fmt::format("no ownership is given for field {}", field.name),
                "name every field that is not global");
  }
  if (given->second.shape() != field.per_step) {
    throw Error(ErrorKind::usage, catalog.path,
                fmt::format("field {} is {} a step, the ownership given {}", field.name, to_string(field.per_step),
                            to_string(given->second.shape())),
                "append with the mesh that the series was created with");
  }
  return given->second;
}

}  // namespace

partition::Ownership of_rank_zero(const Shape& per_step, int rank) {
  return rank == 0 ? partition::Ownership::all(per_step) : partition::Ownership::none(per_step);
}

std::uint64_t step_to_go_on_with(const storage::SeriesCatalog& catalog, std::uint64_t committed,
                                 const AppendSpec& spec) {
  storage::check_writable(catalog);
  const std::uint64_t step = spec.from_step.value_or(committed);
  if (step > committed) {
    throw Error(ErrorKind::usage, catalog.path,
                fmt::format("cannot resume at step {}: {} steps are committed", step, committed),
                "resume at one of those, or at the end");
  }
  return step;
}

std::vector<partition::Ownership> ownerships_for(const storage::SeriesCatalog& catalog, const AppendSpec& spec,
                                                 int rank) {
  for (const auto& [name, owned] : spec.owned) {
    if (catalog.find_field(name).value_or(0) != 0) continue;
    throw Error(ErrorKind::usage, catalog.path, fmt::format("has no field {} to append to", name),
                "a series keeps the fields it was created with");
  }
  std::vector<partition::Ownership> owned;
  for (std::size_t f = 0; f < catalog.fields.size(); ++f) {  // fields[0], the time, is a global one
    owned.push_back(ownership_for(catalog, catalog.fields[f], spec, rank));
  }
  return owned;
}

}  // namespace weft::series
