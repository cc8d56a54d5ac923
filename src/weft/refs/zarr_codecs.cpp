#include "weft/refs/zarr_codecs.hpp"

#include <algorithm>
#include <optional>

namespace weft::refs {

namespace {

using nlohmann::json;

unsigned first_setting(const storage::Filter& filter, unsigned otherwise) {
  return filter.settings.empty() ? otherwise : filter.settings[0];
}

// Readers undo a filter whatever level it was done with; the level is for who writes.
std::optional<json> codec_of(const storage::Filter& filter, std::uint64_t element_bytes) {
  switch (filter.id) {
    case H5Z_FILTER_SHUFFLE:
      return json{{"id", "shuffle"}, {"elementsize", first_setting(filter, static_cast<unsigned>(element_bytes))}};
    case H5Z_FILTER_DEFLATE: return json{{"id", "zlib"}, {"level", first_setting(filter, 6)}};
    case storage::kZstdFilter: return json{{"id", "zstd"}, {"level", first_setting(filter, 3)}};
    case H5Z_FILTER_FLETCHER32: return json{{"id", "fletcher32"}};
    default: return std::nullopt;
  }
}

}  // namespace

const storage::Filter* first_without_codec(const std::vector<storage::Filter>& filters) {
  const auto found =
      std::find_if(filters.begin(), filters.end(), [](const storage::Filter& filter) { return !codec_of(filter, 1); });
  return found == filters.end() ? nullptr : &*found;
}

json codecs_of(const std::vector<storage::Filter>& filters, std::uint64_t element_bytes) {
  if (filters.empty()) return nullptr;
  json codecs = json::array();
  for (const storage::Filter& filter : filters) codecs.push_back(codec_of(filter, element_bytes).value());
  return codecs;
}

}  // namespace weft::refs
