// weft/storage/writer_state.hpp - what a file says of its writer, and how many of its steps may be believed in.
//
// Two words a writer. Its commit slots (storage/commit_slots.hpp) say what is *written*: in the file, for everybody who
// reads it on a living system. Its durable slots say what is *durable*: on the disk, so that a power cut leaves it.
// A written slot may reach the disk before its data; so once a machine has gone down, only durable steps count.
//
// The words of /weft/writer (8 x uint64, at a multiple of 8): the epoch, which grows by one with every writer, so that
// a rank of an earlier one sees that it is too late; the boot id of the machine that all ranks run on (0, 0 where they
// run on several, and once a sync has failed); the number of changes of metadata, odd while one is under way; and where
// the data ended before the end of the file was moved ahead (storage/file_end.hpp). docs/format.md, "Commit slots".
//
// Files that Weft 0.1 made before have neither: their written steps count. None is collective.
#pragma once

#include <cstdint>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/support/process_identity.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

struct WriterState {
  std::uint64_t epoch = 0;
  BootId boot{};
  std::uint64_t changes = 0;
  // Where the data ended when the end of the file was moved ahead (storage/file_end.hpp), and to where; 0: it was not.
  std::uint64_t data_end = 0;
  std::uint64_t end_ahead = 0;
};

constexpr std::size_t kWriterWords = 8;
std::vector<std::uint64_t> to_words(const WriterState& state);

// Epoch 0 where the file has no such words.
WriterState read_writer_state(ByteStore& store, const SeriesCatalog& catalog);
void write_writer_state(ByteStore& store, const SeriesCatalog& catalog, const WriterState& state);

// A new epoch, on the disk when this returns, for files that have epochs: a rank of an earlier one writes nothing more.
void begin_epoch(const SeriesCatalog& catalog);
// The machine that the writer's ranks run on, on the disk when this returns: once its own slots are in the file, and
// not before, as it makes others believe in written ones.
void set_boot(const SeriesCatalog& catalog, const BootId& boot);
// The disk has refused a sync: written steps count no longer, once this writer has ended. Changes these words alone, so
// any thread of the writer may call it.
void forget_boot(ByteStore& store, const SeriesCatalog& catalog);

// Notes both, before the end is moved; 0 and 0 when it is back. `durably`: on the disk when this returns.
void note_data_end(const SeriesCatalog& catalog, std::uint64_t data_end, std::uint64_t ahead, bool durably = true);

// Around the moment in which a change overwrites metadata: whoever reads the number before and after, and finds it even
// and the same, has read nothing half changed.
void begin_change(const SeriesCatalog& catalog);
void end_change(const SeriesCatalog& catalog);
// Ends the change of a writer that died in the midst of it, once it is undone: readers would wait for its end.
void end_interrupted_change(const SeriesCatalog& catalog);

// Throws Error(usage) where another writer has the file by now. Does nothing for a file without epochs.
void check_epoch(ByteStore& store, const SeriesCatalog& catalog, std::uint64_t mine);

// What a file is to say of a writer when it begins.
struct NewWriter {
  std::vector<std::uint64_t> commit;
  std::vector<std::uint64_t> durable;
  BootId boot{};
};
// All of it, epoch 1, in a file that nobody knows yet.
void write_new_writer(ByteStore& store, const SeriesCatalog& catalog, const NewWriter& writer);

// The steps that a power cut leaves: kIdleSlot where nobody promises any (files of before; Sync::none).
std::uint64_t durable_steps(ByteStore& store, const SeriesCatalog& catalog);
// Raises one durable slot; what lies below is on the disk.
void raise_durable(ByteStore& store, const SeriesCatalog& catalog, std::uint64_t slot, std::uint64_t steps);

// Whose the lock of the file is, where it is held (storage/writer_lock.hpp). One's own says nothing of the writer that
// was before.
enum class LockIs : std::uint8_t { of_others, mine };

// How many steps count: the written ones where the machine that wrote them has not gone down since, as far as this one
// can know (it is the same and has not been restarted, or the writer lives); else the durable ones. Machines may know
// different things, so ranks let one of them say it.
std::uint64_t readable_steps(ByteStore& store, const SeriesCatalog& catalog, LockIs lock = LockIs::of_others);

}  // namespace weft::storage

#pragma GCC visibility pop
