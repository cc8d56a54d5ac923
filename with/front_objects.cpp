// with/front_objects.cpp - datasets and files are created, opened and closed.
#include <cstdlib>

#include "weft/support/error.hpp"
#include "with/chunk_choice.hpp"
#include "with/closing.hpp"
#include "with/front.hpp"
#include "with/front_files.hpp"

using namespace weft::with;  // NOLINT(google-build-using-namespace): this file defines HDF5's names, which are global

namespace {

void say_choice(const std::string& path, const ChosenChunk& chosen) {
  say(path + ": chunks of " + weft::to_string(chosen.chunk) +
      (chosen.instead_of.empty() ? ", where the program had none"
                                 : " instead of " + weft::to_string(chosen.instead_of)));
}

// Creates a dataset with `create`, which takes the lists of creation and access properties: those of the rules, or the
// program's own where there is none or HDF5 does not take them.
template <class Create>
hid_t create_chosen(Library& library, const std::string& path, hid_t type, hid_t space, hid_t creation, hid_t access,
                    Create create) {
  std::optional<ChosenChunk> chosen;
  std::optional<hid_t> cache;
  if (settings().layout) {
    guarded(0, [&] {
      try {
        chosen = choose_chunk(library, path, type, space, creation);
      } catch (const weft::Error& error) {
        say(path + " is created as the program wants it: " + error.what());
      }
      if (chosen && !settings().write_behind) {
        cache =
            cache_for_steps(library, access, chosen->expected, chosen->chunk, WEFT_CALL(library, H5Tget_size)(type));
      }
      return 0;
    });
  }
  hid_t made = -1;
  bool by_rule = false;
  {
    const Inside inside;
    if (chosen) {
      made = create(chosen->creation, cache.value_or(access));
      WEFT_CALL(library, H5Pclose)(chosen->creation);
      if (cache) WEFT_CALL(library, H5Pclose)(*cache);
      by_rule = made >= 0;
    }
    if (made < 0) made = create(creation, access);
  }
  if (made < 0) return made;
  guarded(0, [&] {
    note_hdf5(library);
    if (!by_rule && !settings().watch && !settings().write_behind) return 0;
    const auto dataset = dataset_of(library, made, type);
    if (!dataset) return 0;
    dataset->counters->created = true;
    if (by_rule) {
      dataset->counters->wanted_chunk = chosen->instead_of;
      say_choice(path, *chosen);
    }
    return 0;
  });
  return made;
}

std::string path_below(Library& library, hid_t location, const char* name) {
  if (!settings().layout) return "";
  return guarded<std::string>("", [&] { return path_of(library, location, name); });
}

// A dataset that was opened: known from now on, with a chunk cache that serves it where the file is only
// read.
hid_t after_open(Library& library, hid_t id, hid_t location, const char* name) {
  if (id < 0) return id;
  return guarded(id, [&] {
    note_hdf5(library);
    const auto dataset = dataset_of(library, id);
    if (!dataset || !settings().layout || !dataset->file) return id;
    if (!dataset->file->read_only) return id;
    const auto access = raise_cache(library, id);
    if (!access) return id;
    forget(library, id);
    WEFT_CALL(library, H5Dclose)(id);
    hid_t again = WEFT_CALL(library, H5Dopen2)(location, name, *access);
    if (again < 0) again = WEFT_CALL(library, H5Dopen2)(location, name, H5P_DEFAULT);
    WEFT_CALL(library, H5Pclose)(*access);
    dataset_of(library, again);
    return again;
  });
}

}  // namespace

extern "C" hid_t H5Dcreate2(hid_t location, const char* name, hid_t type, hid_t space, hid_t link, hid_t creation,
                            hid_t access) {
  WEFT_FRONT(H5Dcreate2, location, name, type, space, link, creation, access);
  return create_chosen(library, path_below(library, location, name), type, space, creation, access,
                       [&](hid_t made, hid_t used) { return real(location, name, type, space, link, made, used); });
}

extern "C" hid_t H5Dcreate1(hid_t location, const char* name, hid_t type, hid_t space, hid_t creation) {
  WEFT_FRONT(H5Dcreate1, location, name, type, space, creation);
  return create_chosen(library, path_below(library, location, name), type, space, creation, H5P_DEFAULT,
                       [&](hid_t made, hid_t /*used*/) { return real(location, name, type, space, made); });
}

extern "C" hid_t H5Dcreate_anon(hid_t location, hid_t type, hid_t space, hid_t creation, hid_t access) {
  WEFT_FRONT(H5Dcreate_anon, location, type, space, creation, access);
  // It gets its name later: a rule can be for it only where it is for all.
  return create_chosen(library, "/", type, space, creation, access,
                       [&](hid_t made, hid_t used) { return real(location, type, space, made, used); });
}

extern "C" hid_t H5Dopen2(hid_t location, const char* name, hid_t access) {
  WEFT_FRONT(H5Dopen2, location, name, access);
  return after_open(library, real(location, name, access), location, name);
}

extern "C" hid_t H5Dopen1(hid_t location, const char* name) {
  WEFT_FRONT(H5Dopen1, location, name);
  return after_open(library, real(location, name), location, name);
}

extern "C" hid_t H5Oopen(hid_t location, const char* name, hid_t access) {
  WEFT_FRONT(H5Oopen, location, name, access);
  return after_open(library, real(location, name, access), location, name);
}

extern "C" herr_t H5Dclose(hid_t dataset) {
  WEFT_FRONT(H5Dclose, dataset);
  Requests* requests = nullptr;
  if (settings().watch) {
    requests = guarded<Requests*>(nullptr, [&]() -> Requests* {
      const std::lock_guard lock(gate());
      const auto known = dataset_of(library, dataset);
      return known && known->file ? &known->file->counters->requests : nullptr;
    });
  }
  forget(library, dataset);
  const Inside inside;
  const Counting counting(requests);
  return real(dataset);
}

extern "C" herr_t H5Dclose_async(const char* file, const char* function, unsigned line, hid_t dataset, hid_t set) {
  WEFT_FRONT(H5Dclose_async, file, function, line, dataset, set);
  forget(library, dataset);
  return real(file, function, line, dataset, set);
}

extern "C" herr_t H5Oclose(hid_t object) {
  WEFT_FRONT(H5Oclose, object);
  forget(library, object);
  return real(object);
}

extern "C" herr_t H5Oclose_async(const char* file, const char* function, unsigned line, hid_t object, hid_t set) {
  WEFT_FRONT(H5Oclose_async, file, function, line, object, set);
  forget(library, object);
  return real(file, function, line, object, set);
}

// Identifiers that are held are the program's; one reference of them is not.
namespace {

std::shared_ptr<OpenDataset> held_as(Library& library, hid_t id) {
  if (!settings().write_behind || id <= 0) return nullptr;
  return guarded<std::shared_ptr<OpenDataset>>(nullptr, [&]() -> std::shared_ptr<OpenDataset> {
    const std::lock_guard lock(gate());
    for (const auto& dataset : waiting_in(library, std::nullopt)) {
      if (dataset->waiting.held == id) return dataset;
    }
    return nullptr;
  });
}

}  // namespace

extern "C" int H5Idec_ref(hid_t id) {
  WEFT_FRONT(H5Idec_ref, id);
  const auto held = held_as(library, id);
  if (!held) {
    const H5I_type_t type = WEFT_CALL(library, H5Iget_type)(id);
    if (type == H5I_FILE && WEFT_CALL(library, H5Iget_ref)(id) == 1) {
      return close_file(library, id, [&] { return real(id); });
    }
    if (type != H5I_DATASET) return real(id);
    // One that was made without a name has got it by now.
    if (settings().watch) guarded(0, [&] { return dataset_of(library, id) ? 1 : 0; });
    const int left = real(id);
    if (left == 0) forget(library, id);
    return left;
  }
  const Inside inside;
  if (WEFT_CALL(library, H5Iget_ref)(id) > 1) return real(id) - 1;
  guarded(0, [&] {
    const std::lock_guard lock(gate());
    return release(*held, true);
  });
  return 0;
}

extern "C" int H5Iget_ref(hid_t id) {
  WEFT_FRONT(H5Iget_ref, id);
  return real(id) - (held_as(library, id) ? 1 : 0);
}

extern "C" htri_t H5Iis_valid(hid_t id) {
  WEFT_FRONT(H5Iis_valid, id);
  const htri_t valid = real(id);
  if (valid <= 0 || !held_as(library, id)) return valid;
  return WEFT_CALL(library, H5Iget_ref)(id) > 1 ? valid : 0;
}
