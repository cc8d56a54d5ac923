// A series with every kind of field there is, and the plain reference it is compared with. Shared by series_*_test.cpp.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstring>
#include <string>
#include <vector>

#include "weft/series/mpi_series.hpp"
#include "weft/storage/commit_slots.hpp"
#include "weft/storage/series_file.hpp"

namespace weft::test {

// The bytes of one element: any value that step, field and place in the step decide. SplitMix64's mixer, for bits that
// differ everywhere.
inline std::uint64_t bits_of(std::uint64_t field, std::uint64_t step, std::uint64_t global) {
  std::uint64_t z = (field << 56) + (step << 40) + global + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

inline void store_element(DataType type, std::uint64_t bits, std::byte* to) {
  const auto put = [&](auto value) { std::memcpy(to, &value, sizeof value); };
  switch (type) {
    case DataType::float32: return put(static_cast<float>(bits >> 40));
    case DataType::float64: return put(static_cast<double>(bits >> 11));
    case DataType::int32: return put(static_cast<std::int32_t>(bits >> 32));
    case DataType::int64: return put(static_cast<std::int64_t>(bits));
    case DataType::uint8: return put(static_cast<std::uint8_t>(bits >> 56));
  }
}

inline hid_t memory_type(DataType type) {
  switch (type) {
    case DataType::float32: return H5T_NATIVE_FLOAT;
    case DataType::float64: return H5T_NATIVE_DOUBLE;
    case DataType::int32: return H5T_NATIVE_INT32;
    case DataType::int64: return H5T_NATIVE_INT64;
    case DataType::uint8: return H5T_NATIVE_UINT8;
  }
  return -1;
}

// A dataset as HDF5 itself reads it, whole.
inline std::vector<std::byte> read_hdf5(const std::string& path, const std::string& name, DataType type, Shape& shape) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  EXPECT_GE(dataset, 0) << path << " " << name;
  const hid_t space = H5Dget_space(dataset);
  std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  shape.assign(extents.begin(), extents.end());
  const hid_t stored = H5Dget_type(dataset);
  EXPECT_GT(H5Tequal(stored, memory_type(type)), 0) << name << " has another type";
  std::vector<std::byte> bytes(element_count(shape) * size_of(type));
  EXPECT_GE(H5Dread(dataset, memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
  H5Tclose(stored);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return bytes;
}

// What a rank hands to put(): the owned elements hold their values, ghosts hold what must never reach the file.
inline std::vector<std::byte> local_values(const FieldSpec& field, std::uint64_t number, std::uint64_t step) {
  const std::uint64_t size = size_of(field.type);
  std::vector<std::byte> local(field.owned.local_elements() * size, std::byte{0xdd});
  for (const partition::Run& run : field.owned.runs()) {
    for (std::uint64_t i = 0; i < run.length; ++i) {
      store_element(field.type, bits_of(number, step, run.global + i), local.data() + (run.local + i) * size);
    }
  }
  return local;
}

inline std::vector<std::byte> reference(const FieldSpec& field, std::uint64_t number, std::uint64_t steps) {
  const std::uint64_t size = size_of(field.type);
  const std::uint64_t elements = element_count(field.per_step);
  std::vector<std::byte> all(steps * elements * size);
  for (std::uint64_t s = 0; s < steps; ++s) {
    for (std::uint64_t i = 0; i < elements; ++i) {
      store_element(field.type, bits_of(number, s, i), all.data() + (s * elements + i) * size);
    }
  }
  return all;
}

inline FieldSpec field_of(std::string name, DataType type, Shape per_step, partition::Ownership owned,
                          Support support = Support::nodes) {
  FieldSpec field;
  field.name = std::move(name);
  field.type = type;
  field.per_step = std::move(per_step);
  field.owned = std::move(owned);
  field.support = support;
  field.layout.kind = LayoutKind::isotropic;
  field.layout.target_bytes = 1 << 10;  // several chunks along every axis
  return field;
}

// Nodes dealt out in turn, in falling order, with some of the next rank's as ghosts.
inline partition::Ownership in_turn(const Shape& per_step, int rank, int ranks) {
  std::vector<std::uint64_t> ids;
  std::vector<std::uint8_t> ghost;
  for (std::uint64_t n = per_step[0]; n-- > 0;) {
    const int owner = static_cast<int>(n % static_cast<std::uint64_t>(ranks));
    if (owner != rank && (n % 5 != 0 || owner != (rank + 1) % ranks)) continue;
    ids.push_back(n);
    ghost.push_back(owner == rank ? 0 : 1);
  }
  return partition::Ownership::nodes(per_step, ids, ghost);
}

// One field of every kind: see the names. Rank 1 has no cells, and with more ranks than a grid has planes the last have
// nothing of the grid.
inline std::vector<FieldSpec> fields_of_every_kind(Communicator& comm) {
  using partition::Ownership;
  const int rank = comm.rank();
  const int ranks = comm.size();
  std::vector<FieldSpec> fields;
  fields.push_back(field_of("beat", DataType::int64, {}, Ownership::all({}), Support::global));
  fields.push_back(field_of("lead", DataType::float32, {12}, Ownership::all({12}), Support::global));
  fields.push_back(field_of("V", DataType::float64, {101}, in_turn({101}, rank, ranks)));
  fields.push_back(field_of("u", DataType::float32, {101, 3}, partition::even_nodes({101, 3}, rank, ranks)));
  fields.push_back(field_of("stress", DataType::float64, {31, 3, 3}, in_turn({31, 3, 3}, rank, ranks)));

  const Shape grid{5, 6, 7};  // (z, y, x), cut along z, a plane of ghosts on either side
  const partition::Block planes = partition::even_block(grid[0], rank, ranks);
  Box owned{{planes.first, 0, 0}, {planes.count, 6, 7}};
  Box held = owned;
  if (planes.count > 0) {
    held.start[0] -= planes.first > 0 ? 1 : 0;
    held.count[0] = std::min(grid[0], planes.first + planes.count + 1) - held.start[0];
  }
  fields.push_back(field_of("grid", DataType::int32, grid, Ownership::box_with_ghosts(grid, held, owned)));

  const std::uint64_t cells = rank == 1 ? 0 : 9 + static_cast<std::uint64_t>(rank);
  const Ownership my_cells = own_cells(comm, cells, {2});
  fields.push_back(field_of("flag", DataType::uint8, my_cells.shape(), my_cells, Support::cells));

  // On every third of 101 nodes: row i stands for node 3 i.
  FieldSpec heart = field_of("heart", DataType::float64, {34, 2}, partition::even_nodes({34, 2}, rank, ranks));
  const partition::Block rows = partition::even_block(34, rank, ranks);
  heart.subset.emplace();
  for (std::uint64_t i = 0; i < rows.count; ++i) heart.subset->push_back(3 * (rows.first + i));
  fields.push_back(std::move(heart));
  return fields;
}

inline void put_step(SeriesWriter& writer, const std::vector<FieldSpec>& fields, std::uint64_t step) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    writer.put_bytes(fields[f].name, fields[f].type, local_values(fields[f], f, step));
  }
}

inline double time_of(std::uint64_t step) { return 0.25 * static_cast<double>(step) - 1.0; }

inline void write_steps(SeriesWriter& writer, const std::vector<FieldSpec>& fields, std::uint64_t end) {
  for (std::uint64_t step = writer.next_step(); step < end; ++step) {
    put_step(writer, fields, step);
    writer.end_step(time_of(step));
  }
}

// The first `steps` steps of every field in the file, and their times, byte for byte. Called by one rank.
inline void expect_steps(const std::string& path, const std::vector<FieldSpec>& fields, std::uint64_t steps) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    SCOPED_TRACE(fields[f].name);
    Shape shape;
    const std::vector<std::byte> got = read_hdf5(path, "/" + fields[f].name, fields[f].type, shape);
    const std::vector<std::byte> wanted = reference(fields[f], f, steps);
    ASSERT_GE(shape[0], steps);
    ASSERT_EQ(Shape(shape.begin() + 1, shape.end()), fields[f].per_step);
    for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(got[i], wanted[i]) << "byte " << i;
  }
  Shape shape;
  const std::vector<std::byte> times = read_hdf5(path, "/time", DataType::float64, shape);
  for (std::uint64_t s = 0; s < steps; ++s) {
    double time = 0;
    std::memcpy(&time, times.data() + 8 * s, 8);
    ASSERT_EQ(time, time_of(s)) << "step " << s;
  }
}

inline std::uint64_t committed_in(const std::string& path) {
  const storage::SeriesCatalog catalog = storage::read_catalog(path);
  const auto store = storage::open_store(path, storage::OpenMode::read);
  return storage::committed_steps(storage::read_slots(*store, catalog));
}

// All ranks wait for one another, so that one may look at what all have written.
inline void meet() { MPI_Barrier(MPI_COMM_WORLD); }

// A name of this test's own, the same on all ranks; the working directory is the test's own too.
inline std::string file_name() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test.test_suite_name()) + "-" + test.name() + ".h5";
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

}  // namespace weft::test
