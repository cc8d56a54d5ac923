// with/ranks.hpp - the ranks that share a file, where it was opened through MPI-IO.
//
// What needs MPI is in a library of its own, made for one MPI (with/mpi/ranks_of_file.cpp). It is loaded when the first
// such file is opened, so that serial programs never see an MPI.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "with/library.hpp"

namespace weft::with {

class Ranks {
 public:
  // Those of the communicator in this list of file access. Collective over them. Null where there is no library for the
  // program's MPI, which is said once.
  static std::shared_ptr<Ranks> of(Library& library, hid_t access_list);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  // Each value becomes the largest that any rank has there. Collective.
  void greatest(std::vector<std::int64_t>& values) const;

 private:
  Ranks(void* ranks, void* library) : ranks_(ranks), library_(library) {}

  void* ranks_;
  void* library_;
};

}  // namespace weft::with
