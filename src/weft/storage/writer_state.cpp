#include "weft/storage/writer_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "weft/storage/commit_slots.hpp"
#include "weft/storage/writer_lock.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

bool has_words(const SeriesCatalog& catalog) {
  return !catalog.writer.shape.empty() && catalog.writer.shape[0] >= kWriterWords;
}

}  // namespace

std::vector<std::uint64_t> to_words(const WriterState& state) {
  std::vector<std::uint64_t> words(kWriterWords, 0);
  words[0] = state.epoch;
  words[1] = state.boot[0];
  words[2] = state.boot[1];
  words[3] = state.changes;
  words[4] = state.data_end;
  words[5] = state.end_ahead;
  return words;
}

WriterState read_writer_state(ByteStore& store, const SeriesCatalog& catalog) {
  if (!has_words(catalog)) return {};
  std::array<std::uint64_t, kWriterWords> words{};
  store.read_at(catalog.writer.address(), std::as_writable_bytes(std::span(words)));
  return {words[0], {words[1], words[2]}, words[3], words[4], words[5]};
}

void write_writer_state(ByteStore& store, const SeriesCatalog& catalog, const WriterState& state) {
  if (!has_words(catalog)) return;
  const std::vector<std::uint64_t> words = to_words(state);
  store.write_at(catalog.writer.address(), std::as_bytes(std::span(words)));
}

namespace {

// Writes no word that stays as it is: another thread of the writer may change that one meanwhile (forget_boot).
void change_state(const SeriesCatalog& catalog, const std::function<void(WriterState&)>& change,
                  OpenMode mode = OpenMode::write_through) {
  if (!has_words(catalog)) return;
  const auto store = open_store(catalog.path, mode);
  WriterState state = read_writer_state(*store, catalog);
  const std::vector<std::uint64_t> before = to_words(state);
  change(state);
  const std::vector<std::uint64_t> after = to_words(state);
  std::size_t first = 0;
  std::size_t end = before.size();
  while (first < end && before[first] == after[first]) ++first;
  while (first < end && before[end - 1] == after[end - 1]) --end;
  if (first < end) {
    const std::span changed = std::span(after).subspan(first, end - first);
    store->write_at(catalog.writer.address() + first * sizeof(std::uint64_t), std::as_bytes(changed));
  }
  store->close();
}

}  // namespace

void begin_epoch(const SeriesCatalog& catalog) {
  change_state(catalog, [](WriterState& state) { ++state.epoch; });
}

void set_boot(const SeriesCatalog& catalog, const BootId& boot) {
  change_state(catalog, [&](WriterState& state) { state.boot = boot; });
}

void forget_boot(ByteStore& store, const SeriesCatalog& catalog) {
  if (!has_words(catalog)) return;
  constexpr BootId kNone{};
  store.write_at(catalog.writer.address() + sizeof(std::uint64_t), std::as_bytes(std::span(kNone)));
}

void note_data_end(const SeriesCatalog& catalog, std::uint64_t data_end, std::uint64_t ahead, bool durably) {
  const auto note = [&](WriterState& state) {
    state.data_end = data_end;
    state.end_ahead = ahead;
  };
  change_state(catalog, note, durably ? OpenMode::write_through : OpenMode::metadata);
}

// After a change that was cut short the number is odd already.
void begin_change(const SeriesCatalog& catalog) {
  change_state(catalog, [](WriterState& state) { state.changes |= 1U; });
}

void end_change(const SeriesCatalog& catalog) {
  change_state(catalog, [](WriterState& state) { state.changes = (state.changes | 1U) + 1; });
}

void end_interrupted_change(const SeriesCatalog& catalog) {
  if (read_writer_state(*open_store(catalog.path, OpenMode::read), catalog).changes % 2 != 0) end_change(catalog);
}

void check_epoch(ByteStore& store, const SeriesCatalog& catalog, std::uint64_t mine) {
  if (!has_words(catalog)) return;
  std::uint64_t epoch = 0;
  store.read_at(catalog.writer.address(), std::as_writable_bytes(std::span(&epoch, 1)));
  if (epoch == mine) return;
  throw Error(ErrorKind::usage, catalog.path,
              fmt::format("has another writer now (epoch {}; this one is of epoch {})", epoch, mine),
              "nothing more is written; end this run");
}

void write_new_writer(ByteStore& store, const SeriesCatalog& catalog, const NewWriter& writer) {
  store.write_at(catalog.durable.address(), std::as_bytes(std::span(writer.durable)));
  write_writer_state(store, catalog, {.epoch = 1, .boot = writer.boot});
  write_slots(store, catalog, writer.commit);
}

std::uint64_t durable_steps(ByteStore& store, const SeriesCatalog& catalog) {
  if (catalog.durable.shape.empty()) return kIdleSlot;
  std::vector<std::uint64_t> slots(catalog.durable.shape[0]);
  store.read_at(catalog.durable.address(), std::as_writable_bytes(std::span(slots)));
  return slots.empty() ? kIdleSlot : *std::min_element(slots.begin(), slots.end());
}

void raise_durable(ByteStore& store, const SeriesCatalog& catalog, std::uint64_t slot, std::uint64_t steps) {
  store.write_at(catalog.durable.address() + slot * sizeof steps, std::as_bytes(std::span(&steps, 1)));
}

std::uint64_t readable_steps(ByteStore& store, const SeriesCatalog& catalog, LockIs lock) {
  // Durable first: it never passes what was written before.
  const std::uint64_t durable = durable_steps(store, catalog);
  const std::uint64_t written = committed_steps(read_slots(store, catalog));
  if (durable >= written) return written;
  const BootId boot = read_writer_state(store, catalog).boot;
  if (boot != BootId{} && boot == boot_id()) return written;
  return lock == LockIs::of_others && has_living_writer(catalog.path) ? written : durable;
}

}  // namespace weft::storage
