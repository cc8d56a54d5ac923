// kernels/blast/blast_result.hpp - what a task finds: the hits of one query, as BLAST writes them in XML.
//
// A result is a whole document of its own: head, so many hits, foot. It depends on seed and task number alone, and its
// length is known before it is made. With zlib it becomes about 7.5 times shorter at 200 KiB, as the paper's did.
// docs/kernels/blast.md says how every letter is drawn, so that anybody can make it again. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace weft::kernels::blast {

struct ResultSpec {
  std::uint64_t seed = 1;
  std::uint64_t mean_bytes = 200ULL << 10;

  // Lengths are drawn from [mean/2, mean/2 + mean].
  std::uint64_t most_bytes() const { return mean_bytes / 2 + mean_bytes; }
};

// A document needs room for its head, its foot and one hit.
inline constexpr std::uint64_t kLeastMeanBytes = 8192;

std::uint64_t result_bytes(const ResultSpec& spec, std::uint64_t task);

// Appends the text, of exactly result_bytes().
void append_result(std::string& text, const ResultSpec& spec, std::uint64_t task);

}  // namespace weft::kernels::blast
