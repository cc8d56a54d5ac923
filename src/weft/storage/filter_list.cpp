// Which filters a dataset has: asked of HDF5, said in words, handed to HDF5.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/filter_codec.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

struct Known {
  int id;
  std::string_view name;
};
// Only named, so that a file can say what it needs:
// https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilters.md
constexpr std::array kOthers{Known{H5Z_FILTER_SZIP, "szip"},
                             Known{H5Z_FILTER_NBIT, "nbit"},
                             Known{H5Z_FILTER_SCALEOFFSET, "scaleoffset"},
                             Known{305, "lzo"},
                             Known{307, "bzip2"},
                             Known{32001, "blosc"},
                             Known{32004, "lz4"},
                             Known{32008, "bitshuffle"},
                             Known{32013, "zfp"},
                             Known{32017, "sz"},
                             Known{32023, "granular bitround"},
                             Known{32024, "sz3"},
                             Known{32026, "blosc2"}};

constexpr std::array<int, 3> kNotCompressing{H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32, H5Z_FILTER_NBIT};
constexpr std::array<int, 5> kQuick{kZstdFilter, kLzfFilter, 32001, 32004, 32026};

std::string name_of_filter(int id, std::string_view given) {
  if (const FilterKind* kind = filter_kind(id)) return std::string(kind->name);
  const auto* other = std::find_if(kOthers.begin(), kOthers.end(), [&](const Known& known) { return known.id == id; });
  if (other != kOthers.end()) return std::string(other->name);
  return given.empty() ? fmt::format("filter {}", id) : fmt::format("filter {} ({})", id, given);
}

unsigned parse_level(std::string_view word, std::string_view digits, const FilterKind::Levels& levels) {
  unsigned level = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), level);
  if (problem != std::errc{} || end != digits.data() + digits.size() || level < levels.least || level > levels.most) {
    throw Error(ErrorKind::usage, fmt::format("filter {}", word), "has no such level",
                fmt::format("levels are {} to {}", levels.least, levels.most));
  }
  return level;
}

}  // namespace

std::vector<Filter> filters_of(hid_t properties) {
  std::vector<Filter> filters;
  const int count = H5Pget_nfilters(properties);
  for (int i = 0; i < count; ++i) {
    Filter filter;
    std::array<char, 80> name{};
    std::array<unsigned, 64> settings{};
    std::size_t used = settings.size();
    unsigned config = 0;
    filter.id = H5Pget_filter2(properties, static_cast<unsigned>(i), &filter.flags, &used, settings.data(),
                               name.size() - 1, name.data(), &config);
    filter.settings.assign(settings.begin(), settings.begin() + static_cast<long>(std::min(used, settings.size())));
    filter.name = name_of_filter(filter.id, name.data());
    filters.push_back(std::move(filter));
  }
  return filters;
}

void add_filters(hid_t properties, const std::vector<Filter>& filters) {
  for (const Filter& filter : filters) {
    check_hdf5(H5Pset_filter(properties, filter.id, filter.flags, filter.settings.size(), filter.settings.data()),
               filter.name, "HDF5 refuses this filter", ErrorKind::usage);
  }
}

std::vector<Filter> parse_filters(std::string_view text, std::uint64_t element_bytes) {
  std::vector<Filter> filters;
  if (text == "none") return filters;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t colon = word.find(':');
    const bool with_level = colon != std::string_view::npos;
    const auto kinds = filter_kinds();
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const FilterKind* kind) {
      return kind->name == word.substr(0, colon) && (kind->levels || !with_level);
    });
    if (found == kinds.end()) {
      throw Error(ErrorKind::usage, fmt::format("filter '{}'", word), "is not one that Weft writes",
                  fmt::format("use {}; for example shuffle+deflate:6", filter_words()));
    }
    const FilterKind& kind = **found;
    Filter filter{kind.id,
                  std::string(kind.name),
                  static_cast<unsigned>(kind.optional ? H5Z_FLAG_OPTIONAL : H5Z_FLAG_MANDATORY),
                  {}};
    if (kind.settings != nullptr) filter.settings = kind.settings(element_bytes);
    if (kind.levels) {
      filter.settings = {with_level ? parse_level(word, word.substr(colon + 1), *kind.levels) : kind.levels->usual};
    }
    filters.push_back(std::move(filter));
    begin = end + 1;
  }
  return filters;
}

std::string filter_words() {
  std::string words = "none, or filters joined by +: ";
  for (const FilterKind* kind : filter_kinds()) {
    if (!words.ends_with(": ")) words += ", ";
    words += std::string(kind->name) + (kind->levels ? ":LEVEL" : "");
  }
  return words;
}

double decode_bandwidth(const std::vector<Filter>& filters) {
  const auto among = [](const auto& list, int id) { return std::find(list.begin(), list.end(), id) != list.end(); };
  double slowest = 2e9;
  for (const Filter& filter : filters) {
    if (!among(kNotCompressing, filter.id)) slowest = std::min(slowest, among(kQuick, filter.id) ? 1e9 : 250e6);
  }
  return slowest;
}

std::string to_text(const std::vector<Filter>& filters) {
  std::string text;
  for (const Filter& filter : filters) {
    if (!text.empty()) text += "+";
    text += filter.name;
    const FilterKind* kind = filter_kind(filter.id);
    if (kind != nullptr && kind->levels && !filter.settings.empty()) text += fmt::format(":{}", filter.settings[0]);
  }
  return text.empty() ? "none" : text;
}

bool compresses(const Filter& filter) {
  const FilterKind* kind = filter_kind(filter.id);
  return kind != nullptr && kind->compresses;
}

bool shuffles_first(const std::vector<Filter>& filters) {
  return !filters.empty() && filters.front().id == H5Z_FILTER_SHUFFLE;
}

bool coded_here(const std::vector<Filter>& filters) {
  // Between two that compress, the length is known to HDF5 alone.
  return std::count_if(filters.begin(), filters.end(), compresses) <= 1 &&
         std::all_of(filters.begin(), filters.end(),
                     [](const Filter& filter) { return filter_kind(filter.id) != nullptr; });
}

const Filter* first_unknown(const std::vector<Filter>& filters) {
  const auto found = std::find_if(filters.begin(), filters.end(), [](const Filter& filter) {
    unsigned config = 0;
    return filter_kind(filter.id) == nullptr &&
           (H5Zfilter_avail(filter.id) <= 0 || H5Zget_filter_info(filter.id, &config) < 0 ||
            (config & H5Z_FILTER_CONFIG_DECODE_ENABLED) == 0);
  });
  return found == filters.end() ? nullptr : &*found;
}

}  // namespace weft::storage
