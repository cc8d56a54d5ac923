// weft/storage/metadata_watch.hpp - the metadata of a file that somebody may be changing, seen whole.
//
// A reader takes no lock. What it makes of a file's metadata may be half of what was and half of what is new, or an
// error of HDF5's; so it looks again until nobody changed them meanwhile. None is collective.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

// To be made before a look, and asked after it.
class MetadataWatch {
 public:
  explicit MetadataWatch(std::string path);
  // Whether what was read since is of one state. Values that a run adds are no change.
  bool unchanged() const;

 private:
  // What the file system says of the file; all 0 where there is none.
  struct Stamp {
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp() const;
  // How often a series' metadata were changed (storage/writer_state.hpp): odd in the midst of a change.
  std::optional<std::uint64_t> changes() const;

  std::string path_;
  bool written_;  // by somebody who lives
  Stamp stamp_;
  std::optional<SeriesCatalog>
      catalog_;  // where the number stands; nothing where it is not written, or could not be read
  std::optional<std::uint64_t> changes_;
};

// Calls `look` until nobody changed the metadata meanwhile. It returns false where it sees for itself that it has to
// look again; what it throws counts only of a look that nobody disturbed. Throws Error(data) where a change was cut
// short and the file cannot be read, and where it is being changed for ten seconds on end.
void look_until_whole(const std::string& path, const std::function<bool()>& look);

}  // namespace weft::storage
