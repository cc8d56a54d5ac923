// weft/convert/job.hpp - what the writer of every format is given, and what it hands back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/convert/conversion.hpp"
#include "weft/convert/step_source.hpp"
#include "weft/support/communicator.hpp"

namespace weft::convert {

// This rank's part; convert_file() adds them up.
struct Written {
  std::string open;  // the file to open first
  std::vector<std::string> further{};
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> left_out{};
};

struct Job {
  Communicator& comm;
  const Conversion& conversion;
  const StepSource& source;
  std::vector<std::uint64_t> steps;  // the chosen ones, rising
  std::string folder;                // of the files; it is there
  std::string name;                  // what their names begin with

  std::string path_of(const std::string& file) const { return folder.empty() ? file : folder + "/" + file; }
  // The step as it stands in a file's name: "0007".
  std::string number(std::uint64_t step) const;
  // What the names of a block's files begin with: NAME, or NAME.nodes_of_listed for a further one.
  std::string name_of_block(std::size_t block) const;
  // One more file, which is whole.
  void count(Written& all, const std::string& file, std::uint64_t bytes) const {
    ++all.files;
    all.bytes += bytes;
    if (conversion.written) conversion.written(file);
  }
  void tell(std::uint64_t done, std::uint64_t of) const {
    if (conversion.progress) conversion.progress(done, of);
  }
};

// How many steps fit the budget beside `fixed` bytes. Throws Error(usage), naming the budget it takes, where there is
// not room for one; `what` is "one step of this rank's piece". 0 bytes a step: any number.
std::uint64_t steps_that_fit(const Job& job, std::uint64_t fixed, std::uint64_t bytes_a_step, std::string_view what);

// All collective, as convert_file().
Written convert_to_vtk(const Job& job);
Written convert_to_tecplot(const Job& job);
Written convert_to_csv(const Job& job);

}  // namespace weft::convert
