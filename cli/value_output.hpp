// cli/value_output.hpp - the values of a read as a table, as CSV or as JSON, on standard output.
//
// A row of the table and of the CSV is one (step, node): the step and its time, then the node, then one column for each
// component. What a read holds fixed is left out: a trace has no node column, a snapshot no step and time. Fields with
// more axes, or more than 16 components, get one row a value, with a column for each index.
//
// CSV and JSON give every value with the fewest digits that read back exactly; a value of a float field always shows
// that it is one ("1.0"). In JSON, which has no NaN and no infinity, those are null.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "weft/storage/series_catalog.hpp"
#include "weft/support/large_memory.hpp"
#include "weft/support/shape.hpp"

namespace weft::cli {

enum class Selection : unsigned char { trace, snapshot, box };

struct ReadValues {
  storage::FieldEntry field;
  Selection selection;
  Box box;                  // in the dataset's coordinates
  Values<double> times;     // of the box's steps
  Values<std::byte> bytes;  // the row-major array of box.count
};

// The shape the values have once the axis a trace or snapshot holds fixed is left out.
Shape shown_shape(const ReadValues& values);

// At most `most_rows` rows, the middle left out where there are more.
void print_table(const ReadValues& values, std::size_t most_rows);
void print_csv(const ReadValues& values);
// `head` with the key "values" added: nested lists of shown_shape().
void print_json(const ReadValues& values, const nlohmann::json& head);

}  // namespace weft::cli
