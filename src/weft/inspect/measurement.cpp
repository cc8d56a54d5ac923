#include "weft/inspect/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "weft/inspect/sample_reader.hpp"
#include "weft/storage/measure_access_cost.hpp"
#include "weft/storage/page_cache.hpp"
#include "weft/support/amount.hpp"
#include "weft/support/stopwatch.hpp"

namespace weft::inspect {

namespace {

constexpr std::size_t kMostSamples = 5;
constexpr std::uint64_t kMostBytes = 1ULL << 30;  // of memory for one sample

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// Another read of the same kind: where the box is shorter than the dataset it moves by its own length, as a node or a
// rank's share does.
Box moved(const Box& box, const Shape& shape, std::mt19937_64& random) {
  Box other = box;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::uint64_t places = shape[axis] / box.count[axis];
    if (places > 1)
      other.start[axis] = std::uniform_int_distribution<std::uint64_t>(0, places - 1)(random) * box.count[axis];
  }
  return other;
}

// The samples of one read through one reader.
class Samples {
 public:
  void add(const Price& predicted, const layout::AccessCost& access, const Taken& taken) {
    const auto keep = [](std::vector<double>& values, double value) { values.push_back(value); };
    keep(predicted_requests_, static_cast<double>(predicted.requests));
    keep(predicted_bytes_, static_cast<double>(predicted.bytes));
    keep(predicted_seconds_, predicted.seconds(access));
    keep(requests_, static_cast<double>(taken.price.requests));
    keep(bytes_, static_cast<double>(taken.price.bytes));
    keep(seconds_, taken.seconds);
  }

  std::optional<Compared> compared() const {
    if (seconds_.empty()) return std::nullopt;
    const auto whole = [](const std::vector<double>& values) { return static_cast<std::uint64_t>(median(values)); };
    return Compared{seconds_.size(),
                    {whole(predicted_requests_), whole(predicted_bytes_)},
                    median(predicted_seconds_),
                    {whole(requests_), whole(bytes_)},
                    median(seconds_)};
  }

 private:
  std::vector<double> predicted_requests_, predicted_bytes_, predicted_seconds_;
  std::vector<double> requests_, bytes_, seconds_;
};

class Sampling {
 public:
  Sampling(const Inspection& inspection, const Measuring& how)
      : inspection_(inspection),
        how_(how),
        stored_(*arrangement_of(inspection.facts, *inspection.known)),
        reader_(how.path, inspection.facts, *inspection.known, stored_),
        seconds_each_(how.seconds / static_cast<double>(2 * inspection.reads.size())) {}

  MeasuredRead read(const PricedRead& priced) {
    MeasuredRead measured{priced.name, element_count(priced.box.count) * inspection_.facts.element_bytes};
    measured.left_out = too_long(priced.box, measured.asked_bytes);
    if (!measured.left_out.empty()) return measured;
    const auto predicted_hdf5 = [&](const std::vector<Box>& boxes) { return through_hdf5(stored_, boxes, how_.hdf5); };
    const auto predicted_weft = [&](const std::vector<Box>& boxes) {
      return through_weft(stored_, boxes, how_.access);
    };
    try {
      measured.hdf5 = samples(priced, predicted_hdf5, [&](const Box& box) { return reader_.through_hdf5(box); });
      measured.weft =
          samples(priced, predicted_weft, [&](const Box& box) { return reader_.through_weft(box, how_.access); });
    } catch (const Error& error) {
      measured.left_out = error.what();
    }
    return measured;
  }

  bool cold() const { return cold_; }

 private:
  std::string too_long(const Box& box, std::uint64_t asked_bytes) const {
    const std::vector<Box> boxes = boxes_in(stored_, *inspection_.known, box);
    const Price price = through_hdf5(stored_, boxes, how_.hdf5);
    const double seconds = price.seconds(how_.access);
    if (asked_bytes <= kMostBytes && seconds <= how_.seconds) return {};
    return fmt::format("would move {} and take about {}: left out", format_bytes(std::max(asked_bytes, price.bytes)),
                       format_seconds(seconds));
  }

  template <typename Predict, typename Take>
  std::optional<Compared> samples(const PricedRead& priced, const Predict& predict, const Take& take) {
    std::mt19937_64 random(1);  // the same places for both readers, and every time
    Samples all;
    const Stopwatch clock;
    for (std::size_t i = 0; i < kMostSamples && (i == 0 || clock.seconds() < seconds_each_); ++i) {
      if (how_.at) how_.at(inspection_.facts.path);
      const Box box = moved(priced.box, inspection_.known->shape, random);
      cold_ = storage::forget_pages(how_.path) && cold_;
      all.add(predict(boxes_in(stored_, *inspection_.known, box)), how_.access, take(box));
    }
    return all.compared();
  }

  const Inspection& inspection_;
  const Measuring& how_;
  Arrangement stored_;
  SampleReader reader_;
  double seconds_each_;
  bool cold_ = true;
};

}  // namespace

layout::AccessCost measured_access_cost(const std::string& path) {
  const auto bytes = storage::open_store(path, storage::OpenMode::read);
  storage::forget_pages(path);
  return storage::measure(*bytes);
}

Measured measure(const Inspection& inspection, const Measuring& how) {
  Measured measured;
  if (inspection.reads.empty()) return measured;
  const storage::QuietHdf5 quiet;
  Sampling sampling(inspection, how);
  const survey::DatasetFacts& facts = inspection.facts;
  for (const PricedRead& read : inspection.reads) {
    if (inspection.advice.kind == AdviceKind::unreadable || facts.storage == survey::StorageKind::external ||
        !facts.movable) {
      measured.reads.push_back({read.name});
      measured.reads.back().left_out = facts.storage == survey::StorageKind::external ? "lies in other files"
                                       : !facts.movable                               ? "has elements of any length"
                                                                                      : "cannot be decoded here";
      continue;
    }
    measured.reads.push_back(sampling.read(read));
  }
  measured.cold = sampling.cold();
  return measured;
}

}  // namespace weft::inspect
