// What a series holds when it is finished: compared with a plain reference, byte for byte, whatever the strategy, the
// number of ranks and the way the elements are dealt to them.
#include <gmock/gmock.h>

#include "series_fixture.hpp"
#include "weft/reading/series_reader.hpp"

namespace weft::test {
namespace {

using testing::HasSubstr;

struct Way {
  Strategy strategy;
  std::uint64_t count_limit;
  std::uint64_t budget;
};

std::string name_of_way(const testing::TestParamInfo<Way>& info) {
  std::string name = std::string(name_of(info.param.strategy)) + std::to_string(info.param.count_limit % 10000) + "b" +
                     std::to_string(info.param.budget >> 10);
  std::erase(name, '-');
  return name;
}

class SeriesValuesTest : public testing::TestWithParam<Way> {
 protected:
  MpiCommunicator comm_{MPI_COMM_WORLD};
  std::vector<FieldSpec> fields_ = fields_of_every_kind(comm_);
  std::string path_ = file_name();

  static MpiOptions options() {
    MpiOptions options;
    options.strategy = GetParam().strategy;
    options.count_limit = GetParam().count_limit;
    return options;
  }

  SeriesSpec spec(std::optional<std::uint64_t> steps) const {
    SeriesSpec spec;
    spec.steps = steps;
    spec.fields = fields_;
    spec.time_units = "ms";
    spec.options.budget_bytes = GetParam().budget;
    return spec;
  }

  // The ownership of every field that is not global.
  AppendSpec going_on(const std::vector<FieldSpec>& fields, std::optional<std::uint64_t> from = {}) const {
    AppendSpec spec;
    for (const FieldSpec& field : fields) {
      if (field.support != Support::global) spec.owned.emplace_back(field.name, field.owned);
    }
    spec.from_step = from;
    spec.options.budget_bytes = GetParam().budget;
    return spec;
  }

  void expect_file(std::uint64_t steps) {
    meet();
    if (comm_.rank() == 0) {
      expect_steps(path_, fields_, steps);
      EXPECT_EQ(committed_in(path_), steps);
      Shape shape;
      read_hdf5(path_, "/time", DataType::float64, shape);
      EXPECT_EQ(shape, Shape{steps});
      // Row i of the subset field stands for node 3 i.
      const std::vector<std::byte> ids = read_hdf5(path_, "/weft/subsets/heart", DataType::int64, shape);
      ASSERT_EQ(shape, Shape{34});
      for (std::uint64_t i = 0; i < 34; ++i) {
        std::int64_t id = 0;
        std::memcpy(&id, ids.data() + 8 * i, 8);
        EXPECT_EQ(id, static_cast<std::int64_t>(3 * i));
      }
    }
    meet();
  }
};

TEST_P(SeriesValuesTest, EveryKindOfField) {
  SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, spec(11), options());
  write_steps(writer, fields_, 11);
  writer.close();
  expect_file(11);

  // The reader, opened by all ranks together, sees the same; each reads its own.
  const SeriesReader reader = SeriesReader::open(comm_, path_);
  EXPECT_EQ(reader.committed(), 11U);
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const Shape per_step = fields_[f].per_step;
    Box box = whole(per_step);
    box.start.insert(box.start.begin(), static_cast<std::uint64_t>(comm_.rank() % 11));
    box.count.insert(box.count.begin(), 1);
    const std::uint64_t bytes = element_count(per_step) * size_of(fields_[f].type);
    std::vector<std::byte> got(bytes);
    reader.read(fields_[f].name, box, std::span(got));
    const std::vector<std::byte> all = reference(fields_[f], f, 11);
    EXPECT_EQ(std::memcmp(got.data(), all.data() + box.start[0] * bytes, bytes), 0) << fields_[f].name;
  }
}

TEST_P(SeriesValuesTest, AnUnknownNumberOfSteps) {
  // Without global fields, whose long chunks make the first segment 1,024 steps long; and of a collective strategy's
  // fields only some, as each makes a collective call a step.
  const bool collective = GetParam().strategy != Strategy::owner;
  std::erase_if(fields_, [&](const FieldSpec& field) {
    return field.support == Support::global || (collective && field.name != "V" && field.name != "heart");
  });
  SeriesWriter writer = create_series(MPI_COMM_WORLD, path_, spec(std::nullopt), options());
  write_steps(writer, fields_, 141);
  writer.close();
  EXPECT_GT(writer.catalog().segments.at(0).rooms.at(1).stretches.size(), 1U);
  expect_file(141);
}

TEST_P(SeriesValuesTest, GoingOnWithAnotherNumberOfRanks) {
  // Begun by the first half of the ranks, gone on with by all, ended by the last one, which goes back a little.
  const int half = (comm_.size() + 1) / 2;
  const auto on_some = [&](bool takes_part, const auto& action) {
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, comm_.rank(), &some);
    if (takes_part) {
      MpiCommunicator group(some);
      // Cells are numbered in rank order, so other ranks would mean another field: its cells are dealt anew.
      std::vector<FieldSpec> fields = fields_of_every_kind(group);
      for (FieldSpec& field : fields) {
        if (field.support != Support::cells) continue;
        field.per_step = {29, 2};
        field.owned = partition::even_nodes(field.per_step, group.rank(), group.size());
      }
      action(some, fields);
      MPI_Comm_free(&some);
    }
    meet();
  };
  on_some(comm_.rank() < half, [&](MPI_Comm some, const std::vector<FieldSpec>& fields) {
    SeriesSpec begun = spec(17);
    begun.fields = fields;
    SeriesWriter writer = create_series(some, path_, begun, options());
    write_steps(writer, fields, 5);
    writer.close();
  });
  on_some(true, [&](MPI_Comm some, const std::vector<FieldSpec>& fields) {
    SeriesWriter writer = append_series(some, path_, going_on(fields), options());
    EXPECT_EQ(writer.next_step(), 5U);
    write_steps(writer, fields, 12);
    writer.close();
  });
  on_some(comm_.rank() == comm_.size() - 1, [&](MPI_Comm some, const std::vector<FieldSpec>& fields) {
    SeriesWriter writer = append_series(some, path_, going_on(fields, 9), options());
    EXPECT_EQ(writer.next_step(), 9U);
    write_steps(writer, fields, 40);  // beyond what the series was declared for
    writer.close();
  });
  for (FieldSpec& field : fields_) {
    if (field.support == Support::cells) field.per_step = {29, 2};
  }
  expect_file(40);
}

INSTANTIATE_TEST_SUITE_P(Ways, SeriesValuesTest,
                         testing::Values(Way{Strategy::owner, 0x7fffffff, 1 << 20},
                                         Way{Strategy::owner, 1000, 40 << 10},
                                         Way{Strategy::cached, 0x7fffffff, 1 << 20},
                                         Way{Strategy::per_step, 0x7fffffff, 1 << 20}),
                         name_of_way);

// A collective call is cut where it would pass the limit, on every rank alike.
TEST(SeriesCountLimit, CollectiveWritesAreCut) {
  MpiCommunicator comm(MPI_COMM_WORLD);
  const std::vector<FieldSpec> fields{
      field_of("u", DataType::float64, {301, 3}, in_turn({301, 3}, comm.rank(), comm.size())),
      field_of("V", DataType::float64, {301}, partition::even_nodes({301}, comm.rank(), comm.size()))};
  for (const Strategy strategy : {Strategy::cached, Strategy::per_step}) {
    SeriesSpec spec;
    spec.steps = 3;
    spec.fields = fields;
    MpiOptions options;
    options.strategy = strategy;
    options.count_limit = 1000;
    SeriesWriter writer = create_series(MPI_COMM_WORLD, file_name(), spec, options);
    write_steps(writer, fields, 3);
    writer.close();
    // Uncut they would be one for each field and step, or one for each field: 3 steps are one row of chunks.
    EXPECT_GT(writer.counters().hdf5_collective_writes, strategy == Strategy::per_step ? 6U : 2U);
    meet();
    if (comm.rank() == 0) expect_steps(file_name(), fields, 3);
    meet();
  }
}

TEST(SeriesMesh, PointsAndMixedCellsOfAllRanks) {
  MpiCommunicator comm(MPI_COMM_WORLD);
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  SeriesSpec spec;
  spec.steps = 1;
  spec.fields.push_back(field_of("V", DataType::float64, {101}, in_turn({101}, comm.rank(), comm.size())));
  std::vector<double> coordinates;
  std::vector<std::uint8_t> cell_types;
  std::vector<std::int64_t> cell_sizes;
  std::vector<std::int64_t> numbers;  // of the cells' points
  MeshSpec mesh;
  mesh.points = 101;
  mesh.owned = in_turn({101, 3}, comm.rank(), comm.size());
  coordinates.assign(mesh.owned.local_elements(), -7.0);
  for (const partition::Run& run : mesh.owned.runs()) {
    for (std::uint64_t i = 0; i < run.length; ++i) {
      coordinates[run.local + i] = static_cast<double>(run.global + i);
    }
  }
  // Cell c of rank r: tetrahedra (VTK type 10) and hexahedra (12) in turn; ranks 1, 4, ... have none.
  const auto cells_of = [](std::uint64_t r) { return r % 3 == 1 ? 0 : 3 + r; };
  const auto corners = [](std::uint64_t c) { return c % 2 == 0 ? 4U : 8U; };
  for (std::uint64_t c = 0; c < cells_of(rank); ++c) {
    cell_types.push_back(c % 2 == 0 ? 10 : 12);
    cell_sizes.push_back(corners(c));
    for (unsigned i = 0; i < corners(c); ++i) numbers.push_back(static_cast<std::int64_t>((rank + c + i) % 101));
  }
  mesh.coordinates = coordinates;
  mesh.cell_types = cell_types;
  mesh.cell_sizes = cell_sizes;
  mesh.connectivity = numbers;
  spec.mesh = mesh;
  SeriesWriter writer = create_series(MPI_COMM_WORLD, file_name(), spec);
  write_steps(writer, spec.fields, 1);
  writer.close();
  meet();
  if (comm.rank() != 0) return;

  Shape shape;
  const std::vector<std::byte> points = read_hdf5(file_name(), "/mesh/points", DataType::float64, shape);
  EXPECT_EQ(shape, (Shape{101, 3}));
  for (std::uint64_t i = 0; i < 303; ++i) {
    double x = 0;
    std::memcpy(&x, points.data() + 8 * i, 8);
    ASSERT_EQ(x, static_cast<double>(i));
  }
  std::vector<std::uint8_t> types;
  std::vector<std::int64_t> connectivity;
  std::vector<std::int64_t> offsets{0};
  for (std::uint64_t r = 0; r < static_cast<std::uint64_t>(comm.size()); ++r) {
    for (std::uint64_t c = 0; c < cells_of(r); ++c) {
      types.push_back(c % 2 == 0 ? 10 : 12);
      for (unsigned i = 0; i < corners(c); ++i) connectivity.push_back(static_cast<std::int64_t>((r + c + i) % 101));
      offsets.push_back(static_cast<std::int64_t>(connectivity.size()));
    }
  }
  const auto expect_array = [&](const std::string& name, DataType type, const auto& wanted) {
    const std::vector<std::byte> got = read_hdf5(file_name(), name, type, shape);
    ASSERT_EQ(shape, Shape{wanted.size()}) << name;
    EXPECT_EQ(std::memcmp(got.data(), wanted.data(), got.size()), 0) << name;
  };
  expect_array("/mesh/types", DataType::uint8, types);
  expect_array("/mesh/connectivity", DataType::int64, connectivity);
  expect_array("/mesh/offsets", DataType::int64, offsets);
}

TEST(SeriesReaderOnRanks, AFileThatIsNotThereIsToldToAll) {
  MpiCommunicator comm(MPI_COMM_WORLD);
  try {
    SeriesReader::open(comm, "no-such-file.h5");
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_TRUE(error.is_agreed());
    EXPECT_THAT(error.what(), HasSubstr("no-such-file.h5"));
  }
}

}  // namespace
}  // namespace weft::test
