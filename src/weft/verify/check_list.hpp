// weft/verify/check_list.hpp - what was checked of a file, and what came of it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::verify {

enum class Verdict : std::uint8_t {
  pass,
  note,      // sound, and worth knowing
  fail,      // not sound
  left_out,  // could not be looked at, or was not asked for
};

constexpr std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass: return "ok";
    case Verdict::note: return "note";
    case Verdict::fail: return "FAIL";
    case Verdict::left_out: return "-";
  }
  return "-";
}

struct Check {
  std::string what;  // "superblock"
  Verdict verdict = Verdict::pass;
  std::string detail;                 // what was found, where all is well
  std::vector<std::string> problems;  // failures first, then notes
  std::uint64_t more = 0;             // problems beyond those that are kept

  static constexpr std::size_t kMostProblems = 50;

  void fail(std::string problem) {
    if (verdict != Verdict::fail) problems.clear();  // notes give way
    verdict = Verdict::fail;
    keep(std::move(problem));
  }
  void note(std::string problem) {
    if (verdict == Verdict::fail) return;
    verdict = Verdict::note;
    keep(std::move(problem));
  }
  void leave_out(std::string why) {
    if (verdict == Verdict::fail) return;
    verdict = Verdict::left_out;
    detail = std::move(why);
  }

  // One line: the first problem, or what was found.
  std::string line() const {
    if (problems.empty()) return detail;
    const std::uint64_t others = problems.size() - 1 + more;
    return others == 0 ? problems[0] : fmt::format("{} (and {} more)", problems[0], others);
  }

 private:
  void keep(std::string problem) {
    if (problems.size() < kMostProblems) {
      problems.push_back(std::move(problem));
    } else {
      ++more;
    }
  }
};

struct CheckList {
  std::vector<Check> checks;

  // Does a check; what it throws is its failure. The answer is good until the next one.
  template <typename Work>
  const Check& run(std::string what, const Work& work) {
    Check check;
    check.what = std::move(what);
    try {
      work(check);
    } catch (const std::exception& error) {
      check.fail(error.what());
    }
    checks.push_back(std::move(check));
    return checks.back();
  }

  bool sound() const {
    return std::none_of(checks.begin(), checks.end(), [](const Check& c) { return c.verdict == Verdict::fail; });
  }
};

}  // namespace weft::verify
