// with/counters.hpp - what a process did to each dataset, as `weft with --watch` reports it.
//
// Calls are counted where they enter HDF5, requests where HDF5 leaves it for the file system: the system calls that
// read and write, made while a call on the dataset runs (with/front_posix.cpp). What HDF5 does later, when it flushes
// or closes, is counted for the file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "with/selection.hpp"

namespace weft::with {

// What went to the file system.
struct Requests {
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t chunk_loads = 0;       // reads as long as a chunk: the chunk cache did not have it
  std::uint64_t whole_read_bytes = 0;  // how long that is; 0 where chunks differ in length, or there are none
};

struct Kind {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  // asked for, in the file's type
  std::uint64_t collective = 0;
  std::uint64_t chunks = 0;  // that the calls touched
  double seconds = 0;        // inside HDF5
  Requests requests;
};

struct DatasetCounters {
  Shape shape;         // as last seen
  Shape chunk;         // empty where it is not chunked
  Shape wanted_chunk;  // what the program asked for, where it was given another
  std::uint64_t element_bytes = 0;
  int filters = 0;
  std::uint64_t cache_bytes = 0;
  bool created = false;
  std::map<Access, Kind> reads;
  std::map<Access, Kind> writes;
  std::uint64_t gathered_steps = 0;   // written behind the program
  std::uint64_t gathered_writes = 0;  // in so many windows
  bool told = false;                  // it was said how it is written
};

struct FileCounters {
  std::uint64_t opens = 0;
  std::uint64_t flushes = 0;
  double open_seconds = 0;
  double flush_seconds = 0;
  double close_seconds = 0;
  Requests requests;  // of opening, flushing and closing
};

// The counters of a dataset or a file, which stay until the process ends.
std::shared_ptr<DatasetCounters> counters_of(const std::string& file, const std::string& path);
std::shared_ptr<FileCounters> counters_of(const std::string& file);

// Where the requests of this thread are counted at present; null where they are not.
Requests*& counted_here();

class Counting {
 public:
  explicit Counting(Requests* into) : before_(counted_here()) { counted_here() = into; }
  ~Counting() { counted_here() = before_; }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

 private:
  Requests* before_;
};

double now();  // seconds of a clock that only rises

// That a function of HDF5 was called at all, in this process.
void note_hdf5(Library& library);

// Leaves this process's report where the settings say, once; called when it ends.
void leave_report();

}  // namespace weft::with
