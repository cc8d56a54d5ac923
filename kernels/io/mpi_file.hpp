// kernels/io/mpi_file.hpp - a file through MPI-IO, every call of it counted and timed.
//
// What is counted is what the application hands to MPI-IO: one write of so many bytes, whatever becomes of it below.
// Setting a view is no seek; MPI_File_seek is. Failures throw Error(system) with MPI's words, on the rank that met
// them: callers agree (support/communicator.hpp).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>

#include "kernels/io/calls.hpp"
#include "kernels/io/phase_times.hpp"

namespace weft::kernels {

using Hints = std::map<std::string, std::string>;

// How a file is written, and on whose account.
struct MpiAccount {
  Calls& calls;
  PhaseTimes& times;
};

class MpiFile {
 public:
  // MPI_File_open of all ranks of `comm`, collective over it. `mode`: MPI_MODE_WRONLY | MPI_MODE_CREATE, ...
  MpiFile(MPI_Comm comm, const std::string& path, int mode, const Hints& hints, MpiAccount account);
  // Closes, where close() was not called; a failure is not told.
  ~MpiFile();
  MpiFile(const MpiFile&) = delete;
  MpiFile& operator=(const MpiFile&) = delete;

  // Collective.
  void set_view(MPI_Offset displacement, MPI_Datatype element, MPI_Datatype file_type, const Hints& hints = {});
  void seek(MPI_Offset offset, int whence);

  // `count` of `type` from `data`: at the file pointer, at an offset, alone or with all ranks. A write of nothing is a
  // call where all ranks make it, and none otherwise.
  void write(const void* data, int count, MPI_Datatype type);
  void write_all(const void* data, int count, MPI_Datatype type);
  void write_at(MPI_Offset offset, const void* data, int count, MPI_Datatype type);
  void write_at_all(MPI_Offset offset, const void* data, int count, MPI_Datatype type);

  // Collective.
  void close();

 private:
  template <typename Call>
  void counted_write(int count, MPI_Datatype type, const Call& call);

  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  MpiAccount account_;
  WriteCounter writes_;
};

// An MPI datatype that is committed, and freed when it goes.
class MpiType {
 public:
  explicit MpiType(MPI_Datatype type);
  ~MpiType();
  MpiType(MpiType&& other) noexcept;
  MpiType& operator=(MpiType&&) = delete;
  MpiType(const MpiType&) = delete;
  MpiType& operator=(const MpiType&) = delete;

  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
};

}  // namespace weft::kernels
