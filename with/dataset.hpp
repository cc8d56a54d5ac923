// with/dataset.hpp - the datasets and files that the program has open, each once, however many identifiers it has.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "with/counters.hpp"
#include "with/direct_file.hpp"
#include "with/library.hpp"
#include "with/ranks.hpp"
#include "with/step_window.hpp"

namespace weft::with {

// An object of an open file: HDF5's number of that opening, and where the object lies in it.
struct Identity {
  unsigned long file = 0;
  std::array<std::uint8_t, 16> object{};
  auto operator<=>(const Identity&) const = default;
};
std::optional<Identity> identity_of(Library& library, hid_t object);

struct OpenFile {
  std::string name;
  std::shared_ptr<FileCounters> counters;
  bool read_only = false;
  bool through_mpi = false;
  std::shared_ptr<Ranks> ranks;        // of a file through MPI-IO, where they are known
  std::shared_ptr<DirectFile> direct;  // where ranks may write it by themselves
  bool can_wait = true;                // steps may wait: not where others are to see each at once (SWMR, atomic MPI-IO)
};

// Steps of one part of a dataset that wait to be written (with/write_behind.hpp).
struct Lane {
  StepWindow window;
  hid_t type = -1;               // of the values, in the program's memory; ours
  Box bounds;                    // what the parts of all ranks lie in; of one's own, where it is independent
  std::uint64_t from = 0;        // its steps are from this one on,
  std::uint64_t next = 0;        // and up to this one; the same on all ranks, whoever has written what
  std::uint64_t step_bytes = 0;  // of the rank that has most
  bool direct = false;           // goes straight into its chunks, on all ranks
  std::uint64_t all_steps = 0;   // that ever waited in it
};

// What came by independent calls is a rank's own; what came by collective ones is the same on all ranks.
struct Waiting {
  struct Side {
    std::vector<Lane> lanes;
    std::uint64_t short_lanes = 0;  // that ended with a step or two
    bool given_up = false;          // such calls pass through from now on
    int trials = 0;                 // steps that passed through, to see how long they take
    double trial_seconds = 0;       // of the quickest
  };
  hid_t held = -1;  // an identifier that keeps the dataset open; one of its references is ours
  Side independent;
  Side collective;
  std::uint64_t order = 0;  // among those that wait by collective calls, the same on every rank
  bool empty() const { return independent.lanes.empty() && collective.lanes.empty(); }
};

struct OpenDataset {
  Library* library = nullptr;
  Identity identity;
  std::string path;
  std::shared_ptr<OpenFile> file;
  std::shared_ptr<DatasetCounters> counters;
  Shape chunk;  // empty where it is not chunked
  std::uint64_t element_bytes = 0;
  int filters = 0;
  bool zero_fill = false;   // what nobody wrote is zero
  bool left_alone = false;  // all calls pass through from now on
  bool is_virtual = false;
  bool plain_values = false;  // no pointers: not of variable length, no references
  Waiting waiting;
};

// All tables are behind this one; held while a function of HDF5 runs for them, and so recursive.
std::recursive_mutex& gate();

// The dataset of an identifier; null for what is none. Cheap after the first time. `known_type`: of one that was just
// created.
std::shared_ptr<OpenDataset> dataset_of(Library& library, hid_t id, hid_t known_type = -1);
// The file that an identifier of any object belongs to.
std::shared_ptr<OpenFile> file_of(Library& library, hid_t id);
// The file of an identifier that H5Fcreate() or H5Fopen() has just given. Collective where it is through MPI-IO.
void opened(Library& library, hid_t file);
// Whether nothing was done in that file through this identifier; it is then forgotten.
bool forget_fresh(Library& library, hid_t file);

// An identifier that the program gives back: it may come to mean something else.
void forget(Library& library, hid_t id);
// Those of the file that an object belongs to, or of all files of this library: nothing of them is remembered.
void forget_file(Library& library, unsigned long file);

// Datasets with steps that wait, of one file or of the whole library: in the same order on every rank, as far as they
// wait by collective calls.
std::vector<std::shared_ptr<OpenDataset>> waiting_in(Library& library, std::optional<unsigned long> file);

// Values of this type hold no addresses of memory: they can be copied, and mean the same later.
bool is_plain_type(Library& library, hid_t type);

// Drops all that waits, unwritten.
void forget_all_lanes();

}  // namespace weft::with
