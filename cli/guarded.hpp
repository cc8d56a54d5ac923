// cli/guarded.hpp - work on files that may be damaged, in a process of its own.
#pragma once

#include <functional>
#include <string>

namespace weft::cli {

// Does `work` in a child process and returns the exit code that work returned. HDF5 may crash or run in circles in a
// damaged file: where the child is killed, or has used a whole minute of processor time without calling
// still_working(), one line says so of `path` and the answer is 1. What `work` throws is told as main() tells it. Not
// to be called where MPI runs.
int guarded(const std::string& path, const std::function<int()>& work);

// Called by the work now and then, on any thread.
void still_working();

}  // namespace weft::cli
