// weft/verify/comparison.hpp - whether two HDF5 files hold the same, however either stores it.
//
// Compared are groups and links (names, where soft and external ones point, which names are of one object), attributes,
// datasets (shape, type, every value bit for bit), committed types, and references by what they point at. Not compared
// is how it is stored: chunks, filters, contiguous or compact, virtual or not; and, unless strict, byte order, the
// padding inside compounds, extents a dataset may grow to, fill values, checksums of chunks, what Weft notes of its
// layouts, and which rank committed what, where as many steps are committed.
//
// Values are read in boxes that suit both layouts (verify/common_boxes.hpp), so memory is bounded and chunks are read
// once where that can be. Virtual datasets that show the same of the same datasets are not read: what they show is
// compared where it lies. Not collective.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weft/support/shape.hpp"
#include "weft/survey/object_walk.hpp"

namespace weft::verify {

struct ComparisonOptions {
  bool strict = false;
  std::uint64_t budget_bytes = 256ULL << 20;  // for values, of both files together
  // Called now and then with the bytes compared so far, of all there are.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

// Values of one dataset that differ.
struct ValueDifference {
  std::string path;
  std::uint64_t differing = 0;
  std::uint64_t elements = 0;
  Shape first;  // the index of the first, row-major
  std::string left;
  std::string right;
};

struct Comparison {
  std::string left;
  std::string right;
  std::vector<survey::Problem> differences;  // of anything but values; in the order they were met
  std::vector<ValueDifference> values;       // a dataset each
  std::vector<survey::Problem> unreadable;   // what could not be compared, and why
  std::vector<std::string> left_out;         // user-defined links: nobody knows what they mean
  std::uint64_t groups = 0;
  std::uint64_t datasets = 0;
  std::uint64_t types = 0;
  std::uint64_t links = 0;  // soft and external
  std::uint64_t attributes = 0;
  std::uint64_t bytes = 0;  // of values, as one file has them

  bool equal() const { return differences.empty() && values.empty() && unreadable.empty(); }
};

// Throws Error(system) or Error(data) where a file cannot be opened as HDF5, Error(usage) where the budget holds
// nothing. Whatever is wrong inside is told in the result.
Comparison compare_files(const std::string& left, const std::string& right, const ComparisonOptions& options);

}  // namespace weft::verify
