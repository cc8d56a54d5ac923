#include "weft/inspect/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "weft/support/amount.hpp"

namespace weft::inspect {

namespace {

constexpr double kWorthIt = 1.5;        // times cheaper
constexpr double kRequestsWorthIt = 3;  // and as much time as so many requests
constexpr double kMuchPadding = 0.25;   // of what a dataset takes
constexpr std::uint64_t kPaddingBytes = 64 << 10;
constexpr const char* kAsItIs = "cannot be rechunked: its elements lie in other files, or point to others";
constexpr const char* kWell = "well laid out for these reads: no change is needed";
constexpr double kDearer = 1.5;  // a read that becomes so much dearer is told too

// One of the two readers: what it pays now, and repacked.
struct Reader {
  std::string_view name;
  Price PricedRead::*now;
  std::optional<Price> PricedRead::*repacked;
};
// HDF5's first: it is the one that every tool reads with.
constexpr std::array<Reader, 2> kReaders{
    {{"HDF5", &PricedRead::hdf5, &PricedRead::hdf5_repacked}, {"Weft", &PricedRead::weft, &PricedRead::weft_repacked}}};

double least_seconds(const PricedRead& read, const layout::AccessCost& access) {
  return access.seconds(1, read.asked_bytes);
}

// As layout/design.hpp weighs reads: each beside the least it could cost.
double gain(const Inspection& inspection, const Reader& reader, const layout::AccessCost& access) {
  double now = 0;
  double repacked = 0;
  for (const PricedRead& read : inspection.reads) {
    const double share = read.weight / least_seconds(read, access);
    now += share * (read.*reader.now).seconds(access);
    repacked += share * (read.*reader.repacked)->seconds(access);
  }
  return repacked > 0 ? now / repacked : 1.0;
}

double saved(const PricedRead& read, const Reader& reader, const layout::AccessCost& access) {
  return (read.*reader.now).seconds(access) - (read.*reader.repacked)->seconds(access);
}

const PricedRead& that_gains_most(const Inspection& inspection, const Reader& reader,
                                  const layout::AccessCost& access) {
  return *std::max_element(inspection.reads.begin(), inspection.reads.end(), [&](const auto& a, const auto& b) {
    const auto weighed = [&](const PricedRead& r) {
      return r.weight * saved(r, reader, access) / least_seconds(r, access);
    };
    return weighed(a) < weighed(b);
  });
}

std::string with_article(const std::string& read) { return read.starts_with("box[") ? read : "a " + read; }

bool bytes_dominate(const Price& price, const layout::AccessCost& access) {
  return static_cast<double>(price.bytes) / access.bandwidth > static_cast<double>(price.requests) * access.latency_s;
}

// What becomes dearer through a reader: "a snapshot 116.0 MiB instead of 6.1 MiB"; "" where nothing does.
std::string dearer(const Inspection& inspection, const Reader& reader, const layout::AccessCost& access) {
  for (const PricedRead& read : inspection.reads) {
    const Price& now = read.*reader.now;
    const Price& then = *(read.*reader.repacked);
    if (read.weight == 0 || then.seconds(access) < kDearer * now.seconds(access)) continue;
    const std::string what = with_article(read.name);
    if (then.requests > now.requests && !bytes_dominate(then, access)) {
      return fmt::format("{} {} requests instead of {}", what, format_count(then.requests), format_count(now.requests));
    }
    return fmt::format("{} {} instead of {}", what, format_bytes(then.bytes), format_bytes(now.bytes));
  }
  return {};
}

// The cost that dominates is the one that is told: bytes, requests, or undoing filters.
std::string cheaper(const PricedRead& read, const Reader& reader, const layout::AccessCost& access) {
  const Price& now = read.*reader.now;
  const Price& then = *(read.*reader.repacked);
  const std::string what = with_article(read.name);
  if (now.decode_seconds > access.seconds(now.requests, now.bytes)) {
    return fmt::format("{} decodes whole chunks for {} to return {}; repacked it would for {}", what,
                       format_seconds(now.decode_seconds), format_bytes(read.asked_bytes),
                       format_seconds(then.decode_seconds));
  }
  if (bytes_dominate(now, access)) {
    return fmt::format("{} reads {} through {} to return {}; repacked it would read {}", what, format_bytes(now.bytes),
                       reader.name, format_bytes(read.asked_bytes), format_bytes(then.bytes));
  }
  return fmt::format("{} takes {} requests through {}, {}; repacked it would take {}, {}", what,
                     format_count(now.requests), reader.name, format_seconds(now.seconds(access)),
                     format_count(then.requests), format_seconds(then.seconds(access)));
}

std::string repack_text(const Inspection& inspection, const Reader& reader, const layout::AccessCost& access) {
  std::string text = cheaper(that_gains_most(inspection, reader, access), reader, access);
  if (const std::string price = dearer(inspection, reader, access); !price.empty()) text += ", and " + price;
  return text;
}

bool padding_is_much(const Inspection& inspection) {
  return inspection.padding_bytes >= kPaddingBytes &&
         static_cast<double>(inspection.padding_bytes) >=
             kMuchPadding * static_cast<double>(inspection.facts.stored_bytes);
}

std::string padding_text(const Inspection& inspection) {
  return fmt::format(
      "{:.0f} % of its {} is padding, of chunks that reach beyond it",
      100.0 * static_cast<double>(inspection.padding_bytes) / static_cast<double>(inspection.facts.stored_bytes),
      format_bytes(inspection.facts.stored_bytes));
}

// Steps that no chunk brings together: a trace makes a request for each, whatever is repacked. Nothing where that is
// no many.
std::optional<Advice> import_advice(const Inspection& inspection) {
  const survey::Form form = inspection.known->form;
  if (form == survey::Form::plain) return std::nullopt;
  const auto trace = std::find_if(inspection.reads.begin(), inspection.reads.end(),
                                  [](const PricedRead& read) { return read.name == "trace" && read.weight > 0; });
  if (trace == inspection.reads.end() || static_cast<double>(trace->hdf5.requests) <= kRequestsWorthIt) {
    return std::nullopt;
  }
  const char* const why =
      form == survey::Form::folded ? "steps and nodes lie on one axis" : "every step is a dataset of its own";
  return Advice{AdviceKind::import_series,
                fmt::format("a trace takes {} requests through HDF5: {}, which no chunk mends; a series does",
                            format_count(trace->hdf5.requests), why)};
}

}  // namespace

Advice advice_without_prices(const Inspection& inspection) {
  if (const storage::Filter* unknown = storage::first_unknown(inspection.facts.filters)) {
    return {AdviceKind::unreadable,
            fmt::format("cannot be read here: no plugin for its filter {} ({}); put one where HDF5_PLUGIN_PATH leads",
                        unknown->name, unknown->id)};
  }
  if (padding_is_much(inspection)) return {AdviceKind::repack, padding_text(inspection)};
  return {};
}

Advice advice_on(const Inspection& inspection, const layout::AccessCost& access) {
  Advice before = advice_without_prices(inspection);
  if (before.kind == AdviceKind::unreadable) return before;
  if (std::optional<Advice> apart = import_advice(inspection)) return *std::move(apart);
  if (!inspection.better) {
    return {AdviceKind::leave, inspection.known->form == survey::Form::folded ? kWell : kAsItIs};
  }
  for (const Reader& reader : kReaders) {
    if (gain(inspection, reader, access) < kWorthIt) continue;
    if (saved(that_gains_most(inspection, reader, access), reader, access) < kRequestsWorthIt * access.latency_s)
      continue;
    return {AdviceKind::repack, repack_text(inspection, reader, access)};
  }
  if (before.kind == AdviceKind::repack) return before;
  return {AdviceKind::leave, kWell};
}

}  // namespace weft::inspect
