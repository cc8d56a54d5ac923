// Every plan is compared with one made element by element, and with the price layout/read_cost puts on it.
#include "weft/storage/read_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "weft/layout/chunk_grid.hpp"
#include "weft/layout/read_cost.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {
namespace {

using layout::AccessCost;

ArrayEntry array_of(const Shape& shape, const Shape& chunk, DataType type = DataType::float64) {
  ArrayEntry array{"/weft/segments/0/V", type, shape, chunk, {}, {}};
  std::uint64_t chunk_bytes = size_of(type);
  for (const std::uint64_t extent : chunk) chunk_bytes *= extent;
  array.addresses = ChunkAddresses::in_a_row(4096, chunk_bytes);
  return array;
}

// A store that bridges gaps of `bridge` bytes.
AccessCost bridging(std::uint64_t bridge, std::uint64_t max_request = 8 << 20) {
  return {1.0, static_cast<double>(bridge), max_request};
}

struct Reference {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> requests;    // offset, length
  std::map<std::uint64_t, std::uint64_t> destination_of_file_byte;  // of each wanted element's first byte
};

Reference element_by_element(const ArrayEntry& array, const Box& box, const AccessCost& access) {
  const std::uint64_t element = size_of(array.type);
  Shape counts;
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis) {
    counts.push_back(ceil_div(array.shape[axis], array.chunk[axis]));
  }
  struct Wanted {
    std::uint64_t address, chunk;
  };
  std::vector<Wanted> wanted;
  Reference reference;
  for (std::uint64_t n = 0; n < element_count(box.count); ++n) {
    std::uint64_t rest = n;
    std::uint64_t chunk = 0, inside = 0, chunk_scale = 1, inside_scale = 1;
    for (std::size_t axis = array.shape.size(); axis-- > 0;) {
      const std::uint64_t at = box.start[axis] + rest % box.count[axis];
      rest /= box.count[axis];
      chunk += at / array.chunk[axis] * chunk_scale;
      chunk_scale *= counts[axis];
      inside += at % array.chunk[axis] * inside_scale;
      inside_scale *= array.chunk[axis];
    }
    const std::uint64_t address = array.addresses.at(chunk) + inside * element;
    wanted.push_back({address, chunk});
    reference.destination_of_file_byte[address] = n * element;
  }
  std::ranges::sort(wanted, {}, &Wanted::address);
  const auto close = [&](std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t parts = ceil_div(end - begin, access.max_request_bytes);
    for (std::uint64_t part = 0; part < parts; ++part) {
      const std::uint64_t length = (end - begin) / (parts - part) + ((end - begin) % (parts - part) != 0 ? 1 : 0);
      reference.requests.emplace_back(begin, length);
      begin += length;
    }
  };
  std::uint64_t begin = wanted[0].address;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::uint64_t end = wanted[i].address + element;
    if (i + 1 == wanted.size()) {
      close(begin, end);
      break;
    }
    const std::uint64_t gap = wanted[i + 1].address - end;
    const bool bridged = wanted[i + 1].chunk == wanted[i].chunk && gap <= access.bridge_bytes();
    if (gap != 0 && !bridged) {
      close(begin, end);
      begin = wanted[i + 1].address;
    }
  }
  return reference;
}

void expect_equal(const ReadPlan& plan, const Reference& reference, std::uint64_t element) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> requests;
  std::map<std::uint64_t, std::uint64_t> bytes;  // file byte -> destination byte
  std::size_t next_piece = 0;
  for (const ReadRequest& request : plan.requests) {
    requests.emplace_back(request.file_offset, request.length);
    EXPECT_EQ(request.first_piece, next_piece);
    next_piece += request.pieces;
    std::uint64_t previous_end = request.file_offset;
    for (const ReadPiece& piece : plan.pieces_of(request)) {
      EXPECT_GE(piece.file_offset, previous_end);
      previous_end = piece.file_end();
      EXPECT_LE(previous_end, request.file_offset + request.length);
      for (std::uint64_t row = 0; row < piece.rows; ++row) {
        for (std::uint64_t byte = 0; byte < piece.row_bytes; ++byte) {
          const bool is_new = bytes
                                  .emplace(piece.file_offset + row * piece.file_stride + byte,
                                           piece.destination + row * piece.destination_stride + byte)
                                  .second;
          EXPECT_TRUE(is_new);
        }
      }
    }
  }
  EXPECT_EQ(next_piece, plan.pieces.size());
  EXPECT_EQ(requests, reference.requests);
  std::map<std::uint64_t, std::uint64_t> expected;
  for (const auto& [address, destination] : reference.destination_of_file_byte) {
    for (std::uint64_t byte = 0; byte < element; ++byte) expected[address + byte] = destination + byte;
  }
  EXPECT_EQ(bytes, expected);
}

TEST(ReadPlan, EqualsTheElementByElementPlanOnRandomArrays) {
  std::mt19937 random(7);
  const auto draw = [&](std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  };
  for (int trial = 0; trial < 1500; ++trial) {
    const std::size_t rank = draw(1, 4);
    const DataType type = std::array{DataType::uint8, DataType::float32, DataType::float64}[draw(0, 2)];
    Shape shape, chunk;
    Box box;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      shape.push_back(draw(1, 9));
      chunk.push_back(draw(1, shape.back()));
      box.start.push_back(draw(0, shape.back() - 1));
      box.count.push_back(draw(1, shape.back() - box.start.back()));
    }
    ArrayEntry array = array_of(shape, chunk, type);
    // Whole elements, so that a gap is often exactly the longest one bridged.
    const AccessCost access = bridging(draw(0, 12) * size_of(type), draw(0, 1) == 0 ? 8 << 20 : draw(1, 300));
    SCOPED_TRACE(to_string(shape) + " in " + to_string(chunk) + " box " + to_string(box.start) + " + " +
                 to_string(box.count) + " bridge " + std::to_string(access.bridge_bytes()) + " cut " +
                 std::to_string(access.max_request_bytes));
    const layout::ReadCost cost = layout::predict(layout::ChunkGrid(shape, chunk, size_of(type)), box, access);
    const ReadPlan plan = plan_read(array, box, access);
    EXPECT_EQ(plan.requests.size(), cost.requests);
    EXPECT_EQ(plan.bytes(), cost.bytes);
    EXPECT_EQ(plan.wanted_bytes, cost.asked_bytes);
    expect_equal(plan, element_by_element(array, box, access), size_of(type));

    // The same chunks at scattered places, in any order, some touching.
    const layout::ChunkGrid grid(shape, chunk, size_of(type));
    std::uint64_t address = 100;
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t n = 0; n < grid.chunks(); ++n) {
      addresses.push_back(address);
      address += grid.chunk_bytes() + (n % 2) * 8;
    }
    std::ranges::shuffle(addresses, random);
    array.addresses = ChunkAddresses::listed(std::move(addresses));
    expect_equal(plan_read(array, box, access), element_by_element(array, box, access), size_of(type));
    if (HasFailure()) break;
  }
}

TEST(ReadPlan, WorkedExampleOfATrace) {
  const ArrayEntry array = array_of({151, 400000, 2}, {19, 3449, 2});
  const Box trace{{0, 12345, 0}, {151, 1, 2}};
  const ReadPlan far = plan_read(array, trace, AccessCost{});
  ASSERT_EQ(far.requests.size(), 8U);
  EXPECT_EQ(far.pieces.size(), 8U);
  EXPECT_EQ(far.requests[0].length, 18U * 55184 + 16);
  EXPECT_EQ(far.pieces[0].rows, 19U);
  EXPECT_EQ(far.pieces[7].rows, 18U);
  EXPECT_EQ(plan_read(array, trace, AccessCost{1e-6, 5e9}).requests.size(), 151U);
}

TEST(ReadPlan, ABlockOfNodesStaysCompact) {
  const ArrayEntry array = array_of({151, 400000, 2}, {19, 3449, 2});
  const Box block{{0, 100000, 0}, {151, 100000, 2}};
  const ReadPlan plan = plan_read(array, block, AccessCost{});
  const auto cost = layout::predict(layout::ChunkGrid(array.shape, array.chunk, 8), block, AccessCost{});
  EXPECT_EQ(plan.requests.size(), cost.requests);
  EXPECT_EQ(plan.bytes(), cost.bytes);
  EXPECT_LE(plan.pieces.size(), 400U);  // a chunk's 19 rows are one piece; 240 chunks, some cut
}

TEST(ReadPlan, AScalarAndAContiguousArray) {
  ArrayEntry scalar{"/x", DataType::float64, {}, {}, ChunkAddresses::in_a_row(640, 8), {}};
  const ReadPlan plan = plan_read(scalar, Box{}, AccessCost{});
  ASSERT_EQ(plan.requests.size(), 1U);
  EXPECT_EQ(plan.requests[0].file_offset, 640U);
  EXPECT_EQ(plan.requests[0].length, 8U);
  EXPECT_EQ(plan_read(array_of({1000, 3}, {1000, 3}), Box{{10, 0}, {5, 3}}, AccessCost{}).bytes(), 120U);
}

TEST(ReadPlan, AnEmptyBoxAsksForNothing) {
  const ReadPlan plan = plan_read(array_of({10, 10}, {5, 5}), Box{{3, 10}, {2, 0}}, AccessCost{});
  EXPECT_TRUE(plan.requests.empty());
  EXPECT_EQ(plan.wanted_bytes, 0U);
}

TEST(ReadPlan, AppendsBehindWhatIsThere) {
  const ArrayEntry first = array_of({4, 10}, {4, 10});
  ArrayEntry second = array_of({4, 10}, {4, 10});
  // Touches the first in the file; still a request of its own.
  second.addresses = ChunkAddresses::in_a_row(first.addresses.at(0) + first.chunk_bytes(), first.chunk_bytes());
  ReadPlan plan = plan_read(first, whole(first.shape), AccessCost{});
  append_read(plan, second, whole(second.shape), AccessCost{});
  ASSERT_EQ(plan.requests.size(), 2U);
  EXPECT_EQ(plan.pieces_of(plan.requests[1])[0].destination, 320U);
  EXPECT_EQ(plan.wanted_bytes, 640U);
}

TEST(ReadPlan, RefusesABoxOutsideAndAFilteredArray) {
  ArrayEntry array = array_of({10, 10}, {5, 5});
  const auto message = [&](const Box& box) -> std::string {
    try {
      plan_read(array, box, AccessCost{});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({{8, 0}, {3, 1}}),
            "/weft/segments/0/V: the box from (8, 0) of (3, 1) leaves the array along axis 0; stay inside its shape "
            "10x10");
  EXPECT_NE(message({{0, ~0ULL}, {1, 2}}).find("leaves the array along axis 1"), std::string::npos);
  EXPECT_NE(message({{0}, {1}}).find("another number of axes"), std::string::npos);
  array.filters = {"deflate"};
  EXPECT_NE(message({{0, 0}, {1, 1}}).find("filtered (deflate)"), std::string::npos);
}

}  // namespace
}  // namespace weft::storage
