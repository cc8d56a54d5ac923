#include "weft/inspect/sample_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "weft/storage/hdf5_objects.hpp"
#include "weft/storage/read_executor.hpp"
#include "weft/support/read_count.hpp"
#include "weft/support/stopwatch.hpp"
#include "weft/survey/chunk_source.hpp"
#include "weft/survey/open_file.hpp"

namespace weft::inspect {

namespace {

using storage::Handle;

constexpr double kMostSecondsToFindChunks = 2;
constexpr std::uint64_t kMostListed = 1ULL << 24;

// Calls `work` for 0 .. count - 1 on as many threads as pay; throws what one of them threw.
void on_cores(std::size_t count, const std::function<void(std::size_t first, std::size_t stride)>& work) {
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, count);
  std::exception_ptr failed;
  std::mutex mutex;
  const auto guarded = [&](std::size_t first) {
    try {
      work(first, threads);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failed = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(guarded, i);
    guarded(0);
  }
  if (failed) std::rethrow_exception(failed);
}

}  // namespace

SampleReader::SampleReader(const std::string& path, const survey::DatasetFacts& facts, const survey::KnownAxes& known,
                           const Arrangement& stored)
    : path_(path), facts_(facts), known_(known), stored_(stored), file_(survey::open_file(path)) {
  bytes_ = storage::counting_store(survey::open_bytes(path), counters_);
  if (!stored.chunked) return;
  const Handle dataset = opened();
  // Reads the index, which is told apart from the data.
  storage::stored_chunks(dataset, facts.path, facts.chunk, stored.grid.chunk_bytes());
  places_ =
      std::make_unique<storage::ChunkPlaces>(dataset, facts.path, facts.shape, facts.chunk, stored.grid.chunk_bytes());
}

// For one sample only: as long as a dataset is open HDF5 keeps chunks of it.
Handle SampleReader::opened() const {
  return Handle(storage::check_hdf5(H5Dopen2(file_, facts_.path.c_str(), H5P_DEFAULT), facts_.path, "cannot be opened",
                                    ErrorKind::data));
}

std::byte* SampleReader::destination(std::uint64_t bytes) {
  if (bytes > memory_bytes_) {
    memory_ = std::make_unique<std::byte[]>(bytes);  // zeroed: the system hands it out before the clock runs
    memory_bytes_ = bytes;
  }
  return memory_.get();
}

// The file's dataspace with the box of the dataset as seen selected in it.
Handle SampleReader::selected(hid_t dataset, const Box& box) const {
  Handle space(H5Dget_space(dataset));
  std::vector<hsize_t> start = storage::to_hsize(box.start);
  std::vector<hsize_t> block = storage::to_hsize(box.count);
  std::vector<hsize_t> stride;
  std::vector<hsize_t> count;
  if (known_.form != survey::Form::plain) {  // the step stands before the file's first axis
    const hsize_t steps = block[0];
    const hsize_t first = start[0];
    start.erase(start.begin());
    block.erase(block.begin());
    stride = block;
    count.assign(block.size(), 1);
    if (known_.form == survey::Form::folded) {
      start[0] += first * known_.shape[1];
      stride[0] = known_.shape[1];
      count[0] = steps;
    }
  } else {
    count = block;
    std::fill(block.begin(), block.end(), 1);
  }
  storage::check_hdf5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), stride.empty() ? nullptr : stride.data(),
                                          count.data(), block.data()),
                      facts_.path, "HDF5 cannot select a box of it");
  return space;
}

Taken SampleReader::through_hdf5(const Box& box) {
  const Handle dataset = opened();
  const Handle space = selected(dataset, box);
  const Handle memory = storage::simple_space(box.count);
  const Handle type(H5Dget_type(dataset));
  std::byte* to = destination(element_count(box.count) * facts_.element_bytes);
  Taken taken;
  const ReadCount before = count_reads();
  const Stopwatch clock;
  storage::check_hdf5(H5Dread(dataset, type, memory, space, H5P_DEFAULT, to), facts_.path, "cannot be read by HDF5",
                      ErrorKind::data);
  taken.seconds = clock.seconds();
  const ReadCount reads = reads_between(before, count_reads());
  taken.price = {reads.requests, reads.bytes};
  taken.counted = reads.known;
  return taken;
}

Taken SampleReader::through_weft(const Box& box, const layout::AccessCost& access) {
  const std::vector<Box> boxes = boxes_in(stored_, known_, box);
  // Whether addresses count it differs between versions of HDF5.
  if (survey::user_block_of(file_) > 0) throw Error(ErrorKind::data, path_, "has a user block: left to HDF5");
  if (stored_.filtered && !storage::coded_here(facts_.filters)) {
    throw Error(ErrorKind::data, facts_.path, fmt::format("{} is left to HDF5", storage::to_text(facts_.filters)));
  }
  const std::vector<std::uint64_t> chunks = chunks_of(boxes);
  const Handle dataset = opened();
  find_chunks(dataset, chunks);  // reading the index is not part of the price
  const Price before{counters_->reads, counters_->bytes_read};
  const Stopwatch clock;
  if (stored_.filtered) {
    read_chunks(chunks);
  } else {
    read_pieces(dataset, boxes, access);
  }
  return {{counters_->reads - before.requests, counters_->bytes_read - before.bytes}, clock.seconds(), true};
}

void SampleReader::find_chunks(hid_t dataset, const std::vector<std::uint64_t>& chunks) {
  const Stopwatch clock;
  for (const std::uint64_t number : chunks) {
    if (places_->at(dataset, number).address == HADDR_UNDEF) {
      throw Error(ErrorKind::data, facts_.path, "some of its chunks were never written");
    }
    if (clock.seconds() > kMostSecondsToFindChunks) {
      throw Error(ErrorKind::data, facts_.path, "its chunks lie scattered, and HDF5 takes long to say where");
    }
  }
}

void SampleReader::read_pieces(hid_t dataset, const std::vector<Box>& boxes, const layout::AccessCost& access) {
  storage::ChunkAddresses addresses;
  if (!stored_.chunked) {
    const haddr_t at = H5Dget_offset(dataset);
    if (at == HADDR_UNDEF) throw Error(ErrorKind::data, facts_.path, "was never written");
    addresses = storage::ChunkAddresses::in_a_row(at, facts_.logical_bytes());
  } else if (places_->all().known()) {
    addresses = places_->all();
  } else {
    // Some were never written. The plan looks up only the chunks it touches; the others need no place.
    if (stored_.grid.chunks() > kMostListed) {
      throw Error(ErrorKind::data, facts_.path, "has very many chunks, not all of them written: left to HDF5");
    }
    std::vector<std::uint64_t> listed(stored_.grid.chunks(), storage::ChunkAddresses::kNowhere);
    for (const std::uint64_t number : chunks_of(boxes)) listed[number] = places_->known(number).address;
    addresses = storage::ChunkAddresses::listed(std::move(listed));
  }
  const storage::ArrayEntry array = survey::array_of_bytes(facts_.path, stored_.grid.shape(), stored_.grid.chunk(),
                                                           facts_.element_bytes, std::move(addresses));
  storage::ReadPlan plan;
  for (Box box : boxes) {
    box.start.push_back(0);
    box.count.push_back(facts_.element_bytes);
    storage::append_read(plan, array, box, access);
  }
  storage::execute_read(plan, *bytes_, access, {destination(plan.wanted_bytes), plan.wanted_bytes});
}

void SampleReader::read_chunks(const std::vector<std::uint64_t>& chunks) {
  on_cores(chunks.size(), [&](std::size_t first, std::size_t stride) {
    storage::ChunkCoder coder(facts_.filters);
    std::vector<std::byte> raw;
    std::vector<std::byte> chunk(stored_.grid.chunk_bytes());
    for (std::size_t i = first; i < chunks.size(); i += stride) {
      const storage::ChunkPlace place = places_->known(chunks[i]);
      raw.resize(place.bytes);
      bytes_->read_at(place.address, storage::MutableBytes(raw));
      coder.decode(raw, place.skipped, chunk);
    }
  });
}

// The chunks that some box touches, in the order of their numbers.
std::vector<std::uint64_t> SampleReader::chunks_of(const std::vector<Box>& boxes) const {
  std::vector<std::uint64_t> numbers;
  if (!stored_.chunked) return numbers;
  const layout::ChunkGrid& grid = stored_.grid;
  for (const Box& box : boxes) {
    Shape first(box.start.size());
    Shape last(box.start.size());
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
      first[axis] = box.start[axis] / grid.chunk()[axis];
      last[axis] = (box.start[axis] + box.count[axis] - 1) / grid.chunk()[axis];
    }
    for (Shape at = first;;) {
      numbers.push_back(grid.linear(at));
      std::size_t axis = at.size();
      while (axis > 0 && at[axis - 1] == last[axis - 1]) {
        --axis;
        at[axis] = first[axis];
      }
      if (axis == 0) break;
      ++at[axis - 1];
    }
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace weft::inspect
