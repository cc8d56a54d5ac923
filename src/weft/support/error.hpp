// weft/support/error.hpp - the one exception Weft throws, and how its line reads.
//
// Every failure a user can meet is one line: where it happened (file, dataset, rank), what is wrong, what to do about
// it. Nothing in Weft throws anything else on purpose; library errors (HDF5, MPI, the system) are turned into this type
// where they happen. Not collective: before a collective call, ranks agree on failure with `agree()`
// (support/communicator.hpp).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace weft {

// Decides the exit code of the command: the caller's mistake ends with 2, everything else with 1.
enum class ErrorKind {
  usage,   // an argument that cannot be used: a bad shape, an unknown field, a put() of the wrong size
  data,    // a file that is not what it should be: truncated, not a Weft file, a dataset that is missing
  system,  // the machine said no: disk full, permission denied, a failed MPI call
};

class Error : public std::runtime_error {
 public:
  // `where` may be empty; `remedy` is an instruction ("pass --nodes 1 or more"), and may be empty too.
  Error(ErrorKind kind, std::string_view where, std::string_view what, std::string_view remedy = {});

  ErrorKind kind() const noexcept { return kind_; }
  // An agreed error is being thrown by every rank of the group at the same place, so each may end on its own; any other
  // one leaves the other ranks running, and the program has to stop them (MPI_Abort).
  Error agreed() const {
    Error copy = *this;
    copy.agreed_ = true;
    return copy;
  }
  bool is_agreed() const noexcept { return agreed_; }

  // What the system said, where it was asked: ENOENT, EACCES, ... ; else 0. For callers that have a type for each.
  int errno_value() const noexcept { return errno_value_; }
  Error with_errno(int errno_value) const {
    Error copy = *this;
    copy.errno_value_ = errno_value;
    return copy;
  }

  int exit_code() const noexcept { return kind_ == ErrorKind::usage ? 2 : 1; }

 private:
  ErrorKind kind_;
  bool agreed_ = false;
  int errno_value_ = 0;
};

// `where: what: strerror(errno_value)`, with a remedy for the causes users can act on (a full disk, no permission).
Error system_error(std::string_view where, std::string_view what, int errno_value);

}  // namespace weft

#pragma GCC visibility pop
