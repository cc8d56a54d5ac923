#include "kernels/blast/blast_result.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>

#include "kernels/io/values.hpp"

namespace weft::kernels::blast {

namespace {

constexpr std::uint64_t kSizes = ~0ULL;  // the stream of the results' lengths; that of a result is its task's number

// A hit without its three sequences and without a longer name is never longer than this.
constexpr std::uint64_t kHitFrame = 1000;

constexpr std::string_view kAminoAcids = "ACDEFGHIKLMNPQRSTVWY";
constexpr std::array<std::string_view, 8> kKinds{"hypothetical", "predicted",       "putative", "conserved",
                                                 "probable",     "uncharacterized", "partial",  "unnamed"};
constexpr std::array<std::string_view, 8> kProteins{"ATP-binding cassette transporter",
                                                    "serine/threonine protein kinase",
                                                    "cytochrome P450",
                                                    "heat shock protein 70",
                                                    "zinc finger protein",
                                                    "DNA-directed RNA polymerase subunit beta",
                                                    "elongation factor Tu",
                                                    "glyceraldehyde-3-phosphate dehydrogenase"};
constexpr std::array<std::string_view, 8> kSpecies{"Homo sapiens",         "Mus musculus",
                                                   "Danio rerio",          "Drosophila melanogaster",
                                                   "Arabidopsis thaliana", "Saccharomyces cerevisiae",
                                                   "Escherichia coli",     "Bacillus subtilis"};
constexpr std::string_view kFiller = " homolog";

// A task's random numbers, one after the other.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t task) : seed_(seed), task_(task) {}
  std::uint64_t bits() { return random_bits(seed_, task_, index_++); }
  std::uint64_t below(std::uint64_t end) { return bits() % end; }

 private:
  std::uint64_t seed_;
  std::uint64_t task_;
  std::uint64_t index_ = 0;
};

// An aligned stretch of the query, what was found there, and BLAST's line between them: the letter where they agree, a
// plus where they are alike.
struct Alignment {
  std::uint64_t from = 0;  // in the query
  std::string found;
  std::string between;
  std::uint64_t identical = 0;
  std::uint64_t positive = 0;
};

Alignment align(Draws& draws, const std::string& query, std::uint64_t length) {
  Alignment alignment{.from = draws.below(query.size() - length + 1),
                      .found = std::string(length, ' '),
                      .between = std::string(length, ' ')};
  const std::uint64_t identity = 82 + draws.below(18);  // in a hundred
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::uint64_t bits = draws.bits();
    const char asked = query[alignment.from + i];
    if (bits % 100 < identity) {
      alignment.found[i] = alignment.between[i] = asked;
      ++alignment.identical;
      ++alignment.positive;
    } else {
      alignment.found[i] = kAminoAcids[(bits >> 32) % kAminoAcids.size()];
      const bool alike = (bits >> 40) % 4 == 0;
      if (alike) alignment.between[i] = '+';
      alignment.positive += alike ? 1 : 0;
    }
  }
  return alignment;
}

// A hit of that many aligned residues; where `bytes` is not 0 its name is made longer until the hit is so long.
std::string hit(Draws& draws, const std::string& query, std::uint64_t number, std::uint64_t length,
                std::uint64_t bytes) {
  const std::uint64_t gi = 10'000'000 + draws.below(90'000'000);
  const std::uint64_t accession = 1'000'000 + draws.below(9'000'000);
  const std::string_view kind = kKinds[draws.below(kKinds.size())];
  const std::string_view protein = kProteins[draws.below(kProteins.size())];
  const std::string_view species = kSpecies[draws.below(kSpecies.size())];
  const std::uint64_t beyond = draws.below(400);  // what the hit has more than is aligned
  const std::uint64_t hit_from = 1 + draws.below(beyond + 1);
  const std::uint64_t mantissa = 1 + draws.below(9);
  const std::uint64_t exponent = 20 + draws.below(150);
  const Alignment alignment = align(draws, query, length);
  const std::uint64_t score = 5 * alignment.identical + alignment.positive;

  std::string text =
      fmt::format("<Hit>\n  <Hit_num>{}</Hit_num>\n  <Hit_id>gi|{}|ref|XP_{}.1|</Hit_id>\n  <Hit_def>{} {} [{}]",
                  number, gi, accession, kind, protein, species);
  const std::string rest = fmt::format(
      "</Hit_def>\n  <Hit_accession>XP_{}</Hit_accession>\n  <Hit_len>{}</Hit_len>\n  <Hit_hsps>\n    <Hsp>\n"
      "      <Hsp_num>1</Hsp_num>\n      <Hsp_bit-score>{}.{:03}</Hsp_bit-score>\n      <Hsp_score>{}</Hsp_score>\n"
      "      <Hsp_evalue>{}e-{}</Hsp_evalue>\n      <Hsp_query-from>{}</Hsp_query-from>\n"
      "      <Hsp_query-to>{}</Hsp_query-to>\n      <Hsp_hit-from>{}</Hsp_hit-from>\n"
      "      <Hsp_hit-to>{}</Hsp_hit-to>\n      <Hsp_query-frame>0</Hsp_query-frame>\n"
      "      <Hsp_hit-frame>0</Hsp_hit-frame>\n      <Hsp_identity>{}</Hsp_identity>\n"
      "      <Hsp_positive>{}</Hsp_positive>\n      <Hsp_gaps>0</Hsp_gaps>\n      <Hsp_align-len>{}</Hsp_align-len>\n"
      "      <Hsp_qseq>{}</Hsp_qseq>\n      <Hsp_hseq>{}</Hsp_hseq>\n      <Hsp_midline>{}</Hsp_midline>\n"
      "    </Hsp>\n  </Hit_hsps>\n</Hit>\n",
      accession, length + beyond, score * 385 / 1000, score * 385 % 1000, score, mantissa, exponent, alignment.from + 1,
      alignment.from + length, hit_from, hit_from + length - 1, alignment.identical, alignment.positive, length,
      std::string_view(query).substr(alignment.from, length), alignment.found, alignment.between);
  for (std::uint64_t i = 0; text.size() + rest.size() < bytes; ++i) text += kFiller[i % kFiller.size()];
  return text += rest;
}

std::string head(std::uint64_t task, std::uint64_t query_length) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<!DOCTYPE BlastOutput PUBLIC \"-//NCBI//NCBI BlastOutput/EN\" "
      "\"http://www.ncbi.nlm.nih.gov/dtd/NCBI_BlastOutput.dtd\">\n"
      "<BlastOutput>\n  <BlastOutput_program>blastp</BlastOutput_program>\n"
      "  <BlastOutput_version>BLASTP 2.2.26</BlastOutput_version>\n  <BlastOutput_db>random</BlastOutput_db>\n"
      "  <BlastOutput_query-ID>Query_{0}</BlastOutput_query-ID>\n"
      "  <BlastOutput_query-def>task {0}</BlastOutput_query-def>\n"
      "  <BlastOutput_query-len>{1}</BlastOutput_query-len>\n  <BlastOutput_param>\n    <Parameters>\n"
      "      <Parameters_matrix>BLOSUM62</Parameters_matrix>\n      <Parameters_expect>10</Parameters_expect>\n"
      "      <Parameters_gap-open>11</Parameters_gap-open>\n      <Parameters_gap-extend>1</Parameters_gap-extend>\n"
      "      <Parameters_filter>F</Parameters_filter>\n    </Parameters>\n  </BlastOutput_param>\n"
      "<BlastOutput_iterations>\n<Iteration>\n  <Iteration_iter-num>1</Iteration_iter-num>\n"
      "  <Iteration_query-ID>Query_{0}</Iteration_query-ID>\n  <Iteration_query-def>task {0}</Iteration_query-def>\n"
      "  <Iteration_query-len>{1}</Iteration_query-len>\n<Iteration_hits>\n",
      task, query_length);
}

constexpr std::string_view kFoot =
    "</Iteration_hits>\n  <Iteration_stat>\n    <Statistics>\n      <Statistics_db-num>100000</Statistics_db-num>\n"
    "      <Statistics_db-len>35000000</Statistics_db-len>\n      <Statistics_hsp-len>0</Statistics_hsp-len>\n"
    "      <Statistics_eff-space>0</Statistics_eff-space>\n      <Statistics_kappa>0.041</Statistics_kappa>\n"
    "      <Statistics_lambda>0.267</Statistics_lambda>\n      <Statistics_entropy>0.14</Statistics_entropy>\n"
    "    </Statistics>\n  </Iteration_stat>\n</Iteration>\n</BlastOutput_iterations>\n</BlastOutput>\n";

}  // namespace

std::uint64_t result_bytes(const ResultSpec& spec, std::uint64_t task) {
  return spec.mean_bytes / 2 + random_bits(spec.seed, kSizes, task) % (spec.mean_bytes + 1);
}

// Hits are as long as they come while there is room for two more of the longest; the last ones are made to measure.
void append_result(std::string& text, const ResultSpec& spec, std::uint64_t task) {
  const std::uint64_t end = text.size() + result_bytes(spec, task) - kFoot.size();
  text.reserve(end + kFoot.size());
  Draws draws(spec.seed, task);
  std::string query(350 + draws.below(200), ' ');
  for (char& residue : query) residue = kAminoAcids[draws.below(kAminoAcids.size())];
  text += head(task, query.size());

  const std::uint64_t longest = kHitFrame + 3 * query.size();
  for (std::uint64_t number = 1; text.size() < end; ++number) {
    const std::uint64_t room = end - text.size();
    if (room >= 2 * longest) {
      text += hit(draws, query, number, query.size() - draws.below(query.size() / 4), 0);
    } else {
      const std::uint64_t bytes = room > longest ? room / 2 : room;
      text += hit(draws, query, number, (bytes - kHitFrame) / 3, bytes);
    }
  }
  text += kFoot;
}

}  // namespace weft::kernels::blast
