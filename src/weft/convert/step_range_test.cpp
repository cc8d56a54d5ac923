#include "weft/convert/step_range.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "weft/support/error.hpp"

namespace weft::convert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string complaint(const std::string& text, std::uint64_t steps = 10) {
  try {
    parse_steps(text, steps);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(StepRange, SlicesAsPythonDoes) {
  EXPECT_THAT(parse_steps("2:8:3", 10), ElementsAre(2, 5));
  EXPECT_THAT(parse_steps("-3:", 10), ElementsAre(7, 8, 9));
  EXPECT_THAT(parse_steps("::4", 10), ElementsAre(0, 4, 8));
  EXPECT_THAT(parse_steps(":-8", 10), ElementsAre(0, 1));
  EXPECT_THAT(parse_steps("8:100", 10), ElementsAre(8, 9));
  EXPECT_THAT(parse_steps("-100:1", 10), ElementsAre(0));
  EXPECT_THAT(parse_steps("3::9223372036854775807", 10), ElementsAre(3));
  EXPECT_EQ(parse_steps("", 10).size(), 10);
  EXPECT_EQ(parse_steps(":", 10).size(), 10);
}

TEST(StepRange, ANumberAloneIsOneStep) {
  EXPECT_THAT(parse_steps("7", 10), ElementsAre(7));
  EXPECT_THAT(parse_steps("-1", 10), ElementsAre(9));
}

TEST(StepRange, SaysWhatIsWrong) {
  EXPECT_THAT(complaint("10"), HasSubstr("is not one of the 10 steps"));
  EXPECT_THAT(complaint("-11"), HasSubstr("is not one of the 10 steps"));
  EXPECT_THAT(complaint("5:5"), HasSubstr("selects none of the 10 steps"));
  EXPECT_THAT(complaint("::-1"), HasSubstr("counts backwards"));
  EXPECT_THAT(complaint("::0"), HasSubstr("counts backwards"));
  EXPECT_THAT(complaint("a:3"), HasSubstr("'a' is not a step"));
  EXPECT_THAT(complaint("1.5"), HasSubstr("'1.5' is not a step"));
  EXPECT_THAT(complaint("1:2:3:4"), HasSubstr("more than three parts"));
  EXPECT_THAT(complaint("", 0), HasSubstr("selects none of the 0 steps"));
}

TEST(StepRange, RunsOfConsecutiveSteps) {
  EXPECT_THAT(step_runs({2, 3, 4, 8, 9}), ElementsAre(StepRun{2, 3}, StepRun{8, 2}));
  EXPECT_THAT(step_runs({}), ElementsAre());
}

}  // namespace
}  // namespace weft::convert
