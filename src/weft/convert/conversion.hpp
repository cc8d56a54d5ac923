// weft/convert/conversion.hpp - real copies of a series in formats of others: VTU and VTI, Tecplot, CSV.
//
// For whoever needs files and not a view (view/ copies nothing). What a viewer sees is what is converted. Which rank
// writes what: of a .vtu every rank the piece of its cells; of a Tecplot file every rank its nodes and cells, at the
// places arithmetic gives them; of .vti and .csv each rank whole files of its steps. Memory beside the piece's mesh:
// the budget. No file stands under its name before it is whole.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/convert/step_source.hpp"
#include "weft/convert/values.hpp"
#include "weft/storage/new_file.hpp"
#include "weft/support/communicator.hpp"

#pragma GCC visibility push(default)

namespace weft::convert {

enum class Format : std::uint8_t { vtu, tecplot, csv };

// "vtu", "tecplot" or "csv"; throws Error(usage) for any other word.
Format parse_format(std::string_view word);
std::string_view name_of(Format format);

struct Conversion {
  SourceFile file;
  Format to = Format::vtu;
  std::string steps;                // as parse_steps() takes them (convert/step_range.hpp); all where empty
  std::vector<std::string> fields;  // as the view names them, or as the file does; all where empty
  std::string out;                  // a folder, of Tecplot a file; where empty PATH_vtu, PATH_csv, PATH.plt
  bool take_over = false;           // the place, from a conversion of which nobody knows whether it lives
  storage::IfExists if_exists = storage::IfExists::replace;  // fail: also where the folder has any file
  int level = 0;                                             // of zlib, 0 to 9; vtu alone
  Precision precision = Precision::keep;
  std::uint64_t budget_bytes = 256ULL << 20;                                // memory a rank may use
  std::uint64_t steps_at_once = std::numeric_limits<std::uint64_t>::max();  // however many more the budget holds
  std::function<void(std::uint64_t done, std::uint64_t of)> progress{};     // steps of this rank; may throw, to end it
  std::function<void(const std::string& file)> written{};                   // each file that is whole, on its rank
};

struct ConversionReport {
  std::string out;                   // what to open first
  std::vector<std::string> further;  // what stands on meshes of its own, also to open
  std::uint64_t files = 0;           // of all ranks
  std::uint64_t bytes = 0;
  std::uint64_t steps = 0;
  std::vector<std::string> left_out;  // each with the reason; rank 0's
  double seconds = 0;
};

// Collective. Throws agreed errors: Error(usage) where the steps, fields or format make no sense for the file, or the
// budget does not hold what has to be in memory at once; Error(system) and Error(data) as files go.
ConversionReport convert_file(Communicator& comm, const Conversion& conversion);

// The same of a source that is open already (convert/step_source.hpp): `conversion.file` gives the files their names.
ConversionReport convert_source(Communicator& comm, const Conversion& conversion, const StepSource& source);

}  // namespace weft::convert

#pragma GCC visibility pop
