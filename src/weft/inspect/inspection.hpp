// weft/inspect/inspection.hpp - what reading a dataset costs each way, as it is and with the layout Weft would choose,
// and what to do about it.
//
// Pure arithmetic over facts that are known (survey.hpp, known_axes.hpp); reading nothing, it is the same for a file on
// this disk and for one that never existed. Not collective.
//
// Worked, 151x400000x2 doubles in chunks of 41x400000x2 (262 MB), 1 ms a request and 1 GB/s. A chunk is larger than
// HDF5's cache, so a trace is 151 requests of 16 bytes through either reader, 151 ms, and a snapshot one request of 6.4
// MB. Weft would choose 19x3449x2: a trace then is 8 requests, 16 ms, and a snapshot 116, 122 ms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/inspect/arrangement.hpp"
#include "weft/inspect/read_price.hpp"
#include "weft/survey/known_axes.hpp"
#include "weft/survey/survey.hpp"

namespace weft::inspect {

struct Question {
  // As layout/reads.hpp has them, with their weights. Where nothing is said, snapshots and traces weigh 1 and blocks
  // and planes are priced beside them, where a dataset has such.
  std::string reads{};
  std::uint64_t ranks = 16;  // that a block is one share of
  layout::AccessCost access{};
  std::uint64_t target_bytes = 1ULL << 20;  // the largest chunk to choose
  Hdf5Reader hdf5{};
};

struct PricedRead {
  std::string name;
  double weight = 0;  // 0: priced, but not chosen for
  Box box;            // of the dataset as it is seen
  std::uint64_t asked_bytes = 0;
  Price hdf5{};
  Price weft{};
  std::optional<Price> hdf5_repacked{};
  std::optional<Price> weft_repacked{};

  // Bytes moved for each byte asked.
  double amplification(const Price& price) const;
};

enum class AdviceKind : std::uint8_t { nothing, leave, repack, import_series, unreadable };
std::string_view name_of(AdviceKind kind);

struct Advice {
  AdviceKind kind = AdviceKind::nothing;
  std::string text;  // one line, without the command; "" for nothing
};

struct Inspection {
  survey::DatasetFacts facts;
  std::uint64_t alike = 1;  // datasets like this one, a step each, itself among them; all but 1 in openPMD's files
  std::optional<survey::KnownAxes> known;
  std::uint64_t padding_bytes = 0;
  std::vector<PricedRead> reads{};
  std::string not_priced{};  // why there are no reads; "" where there are, or where nobody would ask
  // The chunk `weft repack` would choose, of the dataset as it is in the file; nothing where it leaves it as it is.
  std::optional<Shape> better{};
  Advice advice{};

  std::string path() const { return alike > 1 ? known->series : facts.path; }
};

// What its chunks hold beyond the dataset, of what it takes in the file; where it is filtered, the padding's share.
std::uint64_t padding_of(const survey::DatasetFacts& facts);

// What a dataset is, without prices.
Inspection looked_at(const survey::DatasetFacts& facts, std::optional<survey::KnownAxes> known,
                     std::uint64_t alike = 1);

// Adds prices and advice. Throws Error(usage) where the question's reads do not fit the dataset.
void price(Inspection& inspection, const Question& question);

}  // namespace weft::inspect
