#include "weft/inspect/inspection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "weft/inspect/advice.hpp"
#include "weft/layout/design.hpp"
#include "weft/layout/reads.hpp"

namespace weft::inspect {

namespace {

using layout::NamedRead;

constexpr std::string_view kUsualReads = "snapshot=1,trace=1";

// What is chosen for, and then what is priced beside it at no weight.
std::vector<NamedRead> reads_of(const survey::KnownAxes& known, const Question& question) {
  const auto parsed = [&](std::string_view text) {
    return layout::parse_reads(text, known.shape, known.axes, question.ranks);
  };
  if (!question.reads.empty()) return parsed(question.reads);
  std::vector<NamedRead> reads = parsed(kUsualReads);
  const std::size_t spatial = spatial_axes(known.axes).size();
  std::vector<std::string_view> beside;
  if (spatial > 0) beside.emplace_back("block");
  if (spatial > 1) beside.emplace_back("plane");
  for (const std::string_view name : beside) {
    reads.push_back(parsed(name)[0]);
    reads.back().weight = 0;
  }
  return reads;
}

std::string why_not_priced(const survey::DatasetFacts& facts, const survey::KnownAxes& known) {
  if (facts.storage == survey::StorageKind::compact) return "lies in its header and is read with it";
  if (facts.storage == survey::StorageKind::view) return "is a view: reading it costs what its sources cost";
  if (known.axes.size() == 1) return "is one value a step";
  return {};
}

// Reads that go over all steps go over all datasets where every step has its own.
Price times(Price price, std::uint64_t factor) {
  return {price.requests * factor, price.bytes * factor, price.decode_seconds * static_cast<double>(factor)};
}

}  // namespace

double PricedRead::amplification(const Price& price) const {
  return asked_bytes == 0 ? 1.0 : static_cast<double>(price.bytes) / static_cast<double>(asked_bytes);
}

std::string_view name_of(AdviceKind kind) {
  constexpr std::array<std::string_view, 5> kNames{"nothing", "leave", "repack", "import", "unreadable"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::uint64_t padding_of(const survey::DatasetFacts& facts) {
  if (facts.storage != survey::StorageKind::chunked || facts.empty || facts.stored_chunks == 0) return 0;
  double room = 1;  // of all chunks, in datasets
  for (std::size_t axis = 0; axis < facts.shape.size(); ++axis) {
    const auto chunks = static_cast<double>(ceil_div(facts.shape[axis], facts.chunk[axis]));
    room *= chunks * static_cast<double>(facts.chunk[axis]) / static_cast<double>(facts.shape[axis]);
  }
  const double share = (room - 1) / room;
  return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(facts.stored_bytes)));
}

Inspection looked_at(const survey::DatasetFacts& facts, std::optional<survey::KnownAxes> known, std::uint64_t alike) {
  Inspection inspection{facts, alike, std::move(known), padding_of(facts)};
  inspection.advice = advice_without_prices(inspection);
  return inspection;
}

void price(Inspection& inspection, const Question& question) {
  const survey::DatasetFacts& facts = inspection.facts;
  if (!inspection.known) return;
  const survey::KnownAxes& known = *inspection.known;
  inspection.not_priced = why_not_priced(facts, known);
  const std::optional<Arrangement> stored = arrangement_of(facts, known);
  if (!inspection.not_priced.empty() || !stored) return;

  const std::vector<NamedRead> reads = reads_of(known, question);
  layout::DesignRequest request;
  request.shape = known.shape;
  request.element_bytes = facts.element_bytes;
  request.target_bytes = std::max(question.target_bytes, facts.element_bytes);
  request.axes = known.axes;
  request.access = question.access;
  request.coding = coding_of(facts, facts.filters);
  for (const NamedRead& read : reads) {
    if (read.weight > 0) request.reads.push_back(read);
  }
  const Shape chosen = layout::design(request).chunk;
  // What `weft repack` would do: elements that hold references or lie in other files it leaves where they are.
  if (facts.movable && facts.storage != survey::StorageKind::external)
    inspection.better = survey::chunk_in_file(known, chosen);
  std::optional<Arrangement> repacked;
  if (inspection.better) repacked = rearranged(facts, known, chosen);

  for (const NamedRead& read : reads) {
    const bool over_all_steps = read.name == "trace" || read.name == "block";
    const std::uint64_t datasets = over_all_steps ? inspection.alike : 1;
    const std::vector<Box> boxes = boxes_in(*stored, known, read.box);
    PricedRead priced{read.name, read.weight, read.box, element_count(read.box.count) * facts.element_bytes * datasets};
    priced.hdf5 = times(through_hdf5(*stored, boxes, question.hdf5), datasets);
    priced.weft = times(through_weft(*stored, boxes, question.access), datasets);
    if (repacked) {
      const std::span<const Box> box(&read.box, 1);
      priced.hdf5_repacked = times(through_hdf5(*repacked, box, question.hdf5), datasets);
      priced.weft_repacked = times(through_weft(*repacked, box, question.access), datasets);
    }
    inspection.reads.push_back(std::move(priced));
  }
  inspection.advice = advice_on(inspection, question.access);
}

}  // namespace weft::inspect
