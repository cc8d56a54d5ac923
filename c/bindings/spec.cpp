#include "bindings/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "weft/series/series_writer.hpp"
#include "weft/series/spec_options.hpp"
#include "weft/series/spec_words.hpp"
#include "weft/storage/series_file.hpp"

namespace weft::c {

using partition::Ownership;

DataType type_of(weft_type type) {
  switch (type) {
    case WEFT_FLOAT32: return DataType::float32;
    case WEFT_FLOAT64: return DataType::float64;
    case WEFT_INT32: return DataType::int32;
    case WEFT_INT64: return DataType::int64;
    case WEFT_UINT8: return DataType::uint8;
    default:
      throw Error(ErrorKind::usage, fmt::format("type {}", type), "is not known",
                  "use WEFT_FLOAT32, WEFT_FLOAT64, WEFT_INT32, WEFT_INT64 or WEFT_UINT8");
  }
}

weft_type type_of(DataType type) {
  switch (type) {
    case DataType::float32: return WEFT_FLOAT32;
    case DataType::float64: return WEFT_FLOAT64;
    case DataType::int32: return WEFT_INT32;
    case DataType::int64: return WEFT_INT64;
    case DataType::uint8: return WEFT_UINT8;
  }
  return WEFT_UINT8;
}

namespace {

Shape shape_of(int rank, const std::uint64_t* extents) {
  if (rank < 0 || rank > WEFT_MAX_RANK) {
    throw Error(ErrorKind::usage, fmt::format("a shape of {} axes", rank), "is not possible",
                fmt::format("give 0 to {}", WEFT_MAX_RANK));
  }
  return rank == 0 ? Shape{} : Shape(&given(extents, "shape"), extents + rank);
}

template <typename T>
std::vector<T> copied(const T* from, std::size_t count, std::string_view what) {
  return count == 0 ? std::vector<T>{} : std::vector<T>(&given(from, what), from + count);
}

// What a rank holds of a field; collective, as the cells of a mesh are counted.
Ownership held(const weft_spec& spec, Communicator& comm, const std::string& field, Support support,
               const Shape& per_step) {
  if (const auto said = spec.owned.find(field); said != spec.owned.end()) return said->second;
  if (support == Support::cells && spec.mesh && !per_step.empty()) {
    return own_cells(comm, spec.mesh->types.size(), Shape(per_step.begin() + 1, per_step.end()));
  }
  return partition::even_nodes(per_step, comm.rank(), comm.size());
}

// Rank 0 reads it for all.
storage::SeriesCatalog catalog_of(const std::string& path, Communicator& comm) {
  std::vector<std::byte> bytes;
  agree_on(comm, [&] {
    if (comm.rank() == 0) bytes = to_bytes(storage::read_catalog(path));
  });
  comm.broadcast(bytes, 0);
  return storage::catalog_from_bytes(bytes);
}

bool is_of_ranks(std::string_view name) {
  return name == "strategy" || name == "stripe_count" || name == "stripe_size" || name.starts_with("hint.");
}

}  // namespace

SeriesSpec series_of(const weft_spec& spec, Communicator& comm) {
  SeriesSpec series = spec.series;
  if (spec.mesh) {
    const MeshArrays& mesh = *spec.mesh;
    const Shape shape{mesh.total, 3};
    series.mesh = MeshSpec{.points = mesh.total,
                           .owned = mesh.owned ? *mesh.owned : partition::even_nodes(shape, comm.rank(), comm.size()),
                           .coordinates = mesh.coordinates,
                           .cell_types = mesh.types,
                           .cell_sizes = mesh.sizes,
                           .connectivity = mesh.connectivity};
  }
  for (FieldSpec& field : series.fields) {
    if (field.support == Support::global) continue;
    field.owned = held(spec, comm, field.name, field.support, field.per_step);
  }
  return series;
}

AppendSpec append_of(const weft_spec& spec, Communicator& comm, const std::string& path) {
  AppendSpec append{.from_step = spec.from_step, .options = spec.series.options};
  const storage::SeriesCatalog catalog = catalog_of(path, comm);
  for (const storage::FieldEntry& field : std::span(catalog.fields).subspan(1)) {
    if (field.support == Support::global) continue;
    append.owned.emplace_back(field.name, held(spec, comm, field.name, field.support, field.per_step));
  }
  return append;
}

}  // namespace weft::c

using namespace weft;     // NOLINT(google-build-using-namespace): below is the interface of C, in no namespace
using namespace weft::c;  // NOLINT(google-build-using-namespace)

FieldSpec& weft_spec::field(std::string_view name) {
  const auto found = std::ranges::find(series.fields, name, &FieldSpec::name);
  if (found != series.fields.end()) return *found;
  throw Error(ErrorKind::usage, fmt::format("field '{}'", name), "was not added", "call weft_add_field first");
}

weft_spec* weft_spec_new() {
  weft_spec* spec = nullptr;
  guarded([&] { spec = Handles<weft_spec>::add(std::make_unique<weft_spec>()); });
  return spec;
}

void weft_spec_free(weft_spec* spec) {
  if (spec == nullptr) return;
  guarded([&] { Handles<weft_spec>::take(spec, "spec"); });
}

weft_status weft_set(weft_spec* spec, const char* name, const char* value) {
  return guarded([&] {
    weft_spec& of = Handles<weft_spec>::at(spec, "spec");
    const std::string_view option = text(name, "name");
    const std::string_view chosen = text(value, "value");
    if (is_of_ranks(option)) {
      of.of_ranks[std::string(option)] = chosen;
    } else if (option == "from_step") {
      of.from_step = series::parse_whole_number(chosen, option);
    } else {
      series::set_option(of.series, option, chosen);
    }
  });
}

weft_status weft_add_field(weft_spec* spec, const char* field, weft_type type, int rank, const uint64_t* shape) {
  return guarded([&] {
    weft_spec& of = Handles<weft_spec>::at(spec, "spec");
    FieldSpec added{
        .name = std::string(text(field, "field")), .type = type_of(type), .per_step = shape_of(rank, shape)};
    if (rank == 0) added.support = Support::global;
    if (std::ranges::find(of.series.fields, added.name, &FieldSpec::name) != of.series.fields.end()) {
      throw Error(ErrorKind::usage, fmt::format("field '{}'", added.name), "was added already", "");
    }
    of.series.fields.push_back(std::move(added));
  });
}

weft_status weft_set_field(weft_spec* spec, const char* field, const char* name, const char* value) {
  return guarded([&] {
    series::set_option(Handles<weft_spec>::at(spec, "spec").field(text(field, "field")), text(name, "name"),
                       text(value, "value"));
  });
}

weft_status weft_own_boxes(weft_spec* spec, const char* field, size_t boxes, const uint64_t* start,
                           const uint64_t* count) {
  return guarded([&] {
    const FieldSpec& of = Handles<weft_spec>::at(spec, "spec").field(text(field, "field"));
    const std::size_t rank = of.per_step.size();
    if (boxes > element_count(of.per_step)) {
      throw Error(ErrorKind::usage, fmt::format("field '{}'", of.name),
                  fmt::format("{} boxes in steps of {}", boxes, to_string(of.per_step)), "give the number of boxes");
    }
    std::vector<Box> held;
    for (std::size_t box = 0; box < boxes; ++box) {
      const std::size_t at = box * rank;
      held.push_back({shape_of(static_cast<int>(rank), &given(start, "start") + at),
                      shape_of(static_cast<int>(rank), &given(count, "count") + at)});
    }
    spec->owned.insert_or_assign(of.name, Ownership::boxes(of.per_step, held));
  });
}

weft_status weft_own_ids(weft_spec* spec, const char* field, size_t rows, const uint64_t* ids, const uint8_t* ghosts) {
  return guarded([&] {
    const FieldSpec& of = Handles<weft_spec>::at(spec, "spec").field(text(field, "field"));
    if (rows > 0) given(ids, "ids");
    // With ghosts there may be more rows than nodes: where a field is periodic, a rank has copies of its own.
    const bool all_owned = ghosts == nullptr && !of.per_step.empty();
    if (rows > (all_owned ? of.per_step[0] : std::numeric_limits<std::size_t>::max() / sizeof(std::uint64_t))) {
      throw Error(ErrorKind::usage, fmt::format("field '{}'", of.name),
                  fmt::format("{} rows in steps of {}", rows, to_string(of.per_step)),
                  "give the number of rows that this rank holds");
    }
    spec->owned.insert_or_assign(
        of.name, Ownership::nodes(of.per_step, {ids, rows},
                                  ghosts == nullptr ? std::span<const std::uint8_t>() : std::span(ghosts, rows)));
  });
}

weft_status weft_set_grid(weft_spec* spec, int rank, const uint64_t* shape, const double* origin,
                          const double* spacing) {
  return guarded([&] {
    storage::RegularGrid grid{.shape = shape_of(rank, shape)};
    if (origin != nullptr) std::copy_n(origin, 3, grid.origin.begin());
    if (spacing != nullptr) std::copy_n(spacing, 3, grid.spacing.begin());
    Handles<weft_spec>::at(spec, "spec").series.grid = grid;
  });
}

weft_status weft_set_mesh(weft_spec* spec, uint64_t total, size_t points, const uint64_t* ids,
                          const double* coordinates, size_t cells, const uint8_t* types, const int64_t* sizes,
                          const int64_t* connectivity) {
  return guarded([&] {
    if (points > total) {
      throw Error(ErrorKind::usage, "the mesh", fmt::format("{} points of this rank of {}", points, total),
                  "give the number of points that this rank owns, and that of all");
    }
    MeshArrays mesh{.total = total, .coordinates = copied(coordinates, 3 * points, "coordinates")};
    if (ids != nullptr) mesh.owned = Ownership::nodes({total, 3}, {ids, points});
    mesh.types = copied(types, cells, "types");
    mesh.sizes = copied(sizes, cells, "sizes");
    std::size_t corners = 0;
    for (const std::int64_t size : mesh.sizes) {
      if (size < 0) throw Error(ErrorKind::usage, "sizes", fmt::format("has a cell of {} points", size), "");
      corners += static_cast<std::size_t>(size);
    }
    mesh.connectivity = copied(connectivity, corners, "connectivity");
    Handles<weft_spec>::at(spec, "spec").mesh = std::move(mesh);
  });
}
