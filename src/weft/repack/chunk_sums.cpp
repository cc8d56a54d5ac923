#include "weft/repack/chunk_sums.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "weft/support/error.hpp"
#include "weft/survey/piece_sums.hpp"

namespace weft::repack {

namespace {

std::uint32_t sum_of_fill(std::uint64_t elements, const std::vector<std::byte>& fill) {
  constexpr std::uint64_t kAtOnce = 4096;
  std::vector<std::byte> some;
  for (std::uint64_t i = 0; i < std::min(elements, kAtOnce); ++i) some.insert(some.end(), fill.begin(), fill.end());
  std::uint32_t sum = 0;
  for (std::uint64_t done = 0; done < elements; done += kAtOnce) {
    const std::uint64_t count = std::min(kAtOnce, elements - done);
    sum = survey::chunk_checksum(std::span(some).first(count * fill.size()), sum);
  }
  return sum;
}

}  // namespace

ChunkSums::ChunkSums(const survey::Pieces& chunks, const std::vector<std::byte>& fill) {
  std::map<std::uint64_t, std::uint32_t> by_elements;
  of_fill_.reserve(chunks.count());
  for (std::uint64_t number = 0; number < chunks.count(); ++number) {
    const std::uint64_t elements = element_count(survey::inside_of(chunks, number));
    const auto [at, is_new] = by_elements.try_emplace(elements);
    if (is_new) at->second = sum_of_fill(elements, fill);
    of_fill_.push_back(at->second);
  }
  sums_ = of_fill_;
}

void ChunkSums::gather(Communicator& comm) {
  using Set = std::array<std::uint64_t, 2>;  // number, sum
  std::vector<std::vector<std::byte>> outgoing(static_cast<std::size_t>(comm.size()));
  if (comm.rank() != 0) {
    for (std::uint64_t number = 0; number < sums_.size(); ++number) {
      if (sums_[number] == of_fill_[number]) continue;
      const Set set{number, sums_[number]};
      const auto bytes = std::as_bytes(std::span(set));
      outgoing[0].insert(outgoing[0].end(), bytes.begin(), bytes.end());
    }
  }
  for (const std::vector<std::byte>& message : comm.all_to_all(outgoing)) {
    for (std::size_t at = 0; at < message.size(); at += sizeof(Set)) {
      Set set{};
      std::memcpy(set.data(), message.data() + at, sizeof(Set));
      sums_[set[0]] = static_cast<std::uint32_t>(set[1]);
    }
  }
}

void store_sums(hid_t out, const RepackRequest& request, const RepackPlan& plan,
                const std::vector<survey::ChecksumTable>& tables, const std::function<void()>& check) {
  for (const survey::ChecksumTable& table : tables) survey::store_checksums(out, table);
  for (const survey::DatasetFacts& facts : plan.survey.datasets) {
    const bool summed = std::any_of(tables.begin(), tables.end(),
                                    [&](const survey::ChecksumTable& table) { return table.dataset == facts.path; });
    if (summed || !survey::may_have_checksums(facts)) continue;
    check();
    survey::PieceSums sums = survey::sum_pieces(out, facts.path, survey::checksum_pieces(facts),
                                                survey::PieceChoice::all, request.budget_bytes, {});
    if (!sums.failures.empty()) throw Error(ErrorKind::data, request.in, sums.failures[0].what);
    survey::store_checksums(out, sums.table);
  }
}

}  // namespace weft::repack
