#include "weft/convert/csv_text.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "weft/convert/value_text.hpp"

namespace weft::convert {
namespace {

TEST(CsvText, NamesHaveUnitsAndQuotes) {
  EXPECT_EQ(csv_name("V", "mV"), "V (mV)");
  EXPECT_EQ(csv_name("phi e"), "phi e");
  EXPECT_EQ(csv_name("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_name("the \"V\"", "mV"), "\"the \"\"V\"\" (mV)\"");
  EXPECT_EQ(csv_line(std::vector<std::string>{"x", "\"a,b\""}), "x,\"a,b\"\n");
}

TEST(CsvText, NumbersAreTheShortestThatReadBack) {
  const std::vector<double> values{0.1, -85.0, 1e300, 1.0 / 3.0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(values_text(DataType::float64, std::as_bytes(std::span(values)), ","),
            "0.1,-85,1e+300,0.3333333333333333,nan");
  const std::vector<float> floats{0.1F};
  EXPECT_EQ(values_text(DataType::float32, std::as_bytes(std::span(floats)), ","), "0.1");
  const std::vector<std::uint8_t> bytes{7, 65};
  EXPECT_EQ(values_text(DataType::uint8, std::as_bytes(std::span(bytes)), " "), "7 65");
}

}  // namespace
}  // namespace weft::convert
