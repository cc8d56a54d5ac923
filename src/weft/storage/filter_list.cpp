// Which filters a dataset has: asked of HDF5, said in words, handed to HDF5.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "weft/storage/chunk_codec.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/support/error.hpp"

namespace weft::storage {

namespace {

struct Known {
  int id;
  std::string_view name;
};
// The last ones are only named, so that a file can say what it needs:
// https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilters.md
constexpr std::array<Known, 18> kNames{{{H5Z_FILTER_DEFLATE, "deflate"},
                                        {H5Z_FILTER_SHUFFLE, "shuffle"},
                                        {H5Z_FILTER_FLETCHER32, "fletcher32"},
                                        {H5Z_FILTER_SZIP, "szip"},
                                        {H5Z_FILTER_NBIT, "nbit"},
                                        {H5Z_FILTER_SCALEOFFSET, "scaleoffset"},
                                        {kLzfFilter, "lzf"},
                                        {kZstdFilter, "zstd"},
                                        {305, "lzo"},
                                        {307, "bzip2"},
                                        {32001, "blosc"},
                                        {32004, "lz4"},
                                        {32008, "bitshuffle"},
                                        {32013, "zfp"},
                                        {32017, "sz"},
                                        {32023, "granular bitround"},
                                        {32024, "sz3"},
                                        {32026, "blosc2"}}};

std::string name_of_filter(int id, std::string_view given) {
  const auto* known = std::find_if(kNames.begin(), kNames.end(), [&](const Known& k) { return k.id == id; });
  if (known != kNames.end()) return std::string(known->name);
  return given.empty() ? fmt::format("filter {}", id) : fmt::format("filter {} ({})", id, given);
}

bool has_level(int id) { return id == H5Z_FILTER_DEFLATE || id == kZstdFilter; }

bool coded_here(int id) {
  return id == H5Z_FILTER_DEFLATE || id == H5Z_FILTER_SHUFFLE || id == H5Z_FILTER_FLETCHER32 || id == kZstdFilter ||
         id == kLzfFilter;
}

unsigned parse_level(std::string_view word, std::string_view digits, unsigned least, unsigned most) {
  unsigned level = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), level);
  if (problem != std::errc{} || end != digits.data() + digits.size() || level < least || level > most) {
    throw Error(ErrorKind::usage, fmt::format("filter {}", word), "has no such level",
                fmt::format("levels are {} to {}", least, most));
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
    const std::string_view name = word.substr(0, colon);
    const bool with_level = colon != std::string_view::npos;
    const std::string_view digits = with_level ? word.substr(colon + 1) : std::string_view();
    if (name == "deflate") {
      filters.push_back(
          {H5Z_FILTER_DEFLATE, "deflate", H5Z_FLAG_OPTIONAL, {with_level ? parse_level(word, digits, 0, 9) : 6}});
    } else if (name == "zstd") {
      filters.push_back({kZstdFilter, "zstd", H5Z_FLAG_OPTIONAL, {with_level ? parse_level(word, digits, 1, 22) : 3}});
    } else if (name == "shuffle" && !with_level) {
      filters.push_back({H5Z_FILTER_SHUFFLE, "shuffle", H5Z_FLAG_OPTIONAL, {static_cast<unsigned>(element_bytes)}});
    } else if (name == "lzf" && !with_level) {
      filters.push_back({kLzfFilter, "lzf", H5Z_FLAG_OPTIONAL, {0, 0, 0}});  // HDF5 asks register_filters()'s for them
    } else if (name == "fletcher32" && !with_level) {
      filters.push_back({H5Z_FILTER_FLETCHER32, "fletcher32", H5Z_FLAG_MANDATORY, {}});
    } else {
      throw Error(ErrorKind::usage, fmt::format("filter '{}'", word), "is not one that Weft writes",
                  fmt::format("use {}; for example shuffle+deflate:6", kFilterWords));
    }
    begin = end + 1;
  }
  return filters;
}

std::string to_text(const std::vector<Filter>& filters) {
  std::string text;
  for (const Filter& filter : filters) {
    if (!text.empty()) text += "+";
    text += filter.name;
    if (has_level(filter.id) && !filter.settings.empty()) text += fmt::format(":{}", filter.settings[0]);
  }
  return text.empty() ? "none" : text;
}

bool compresses(const Filter& filter) { return has_level(filter.id) || filter.id == kLzfFilter; }

bool coded_here(const std::vector<Filter>& filters) {
  // Between two that compress, the length is known to HDF5 alone.
  return std::count_if(filters.begin(), filters.end(), compresses) <= 1 &&
         std::all_of(filters.begin(), filters.end(), [](const Filter& filter) { return coded_here(filter.id); });
}

const Filter* first_unknown(const std::vector<Filter>& filters) {
  const auto found = std::find_if(filters.begin(), filters.end(), [](const Filter& filter) {
    unsigned config = 0;
    return !coded_here(filter.id) && (H5Zfilter_avail(filter.id) <= 0 || H5Zget_filter_info(filter.id, &config) < 0 ||
                                      (config & H5Z_FILTER_CONFIG_DECODE_ENABLED) == 0);
  });
  return found == filters.end() ? nullptr : &*found;
}

}  // namespace weft::storage
