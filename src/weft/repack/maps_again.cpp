#include "weft/repack/maps_again.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <map>
#include <nlohmann/json.hpp>

#include "weft/reduce/field_choice.hpp"
#include "weft/repack/told_by_rank_0.hpp"
#include "weft/storage/catalog_open_file.hpp"
#include "weft/storage/hdf5_handle.hpp"
#include "weft/storage/hdf5_objects.hpp"
#include "weft/support/error.hpp"

namespace weft::repack {

namespace {

using nlohmann::json;

const std::string kRows = "/weft/maps/";
const std::string kShown = "/maps/";

struct Maps {  // of one folder of /maps
  std::string field;
  std::vector<std::string> quantities;
  reduce::Settings settings;
};

// By folder; what cannot be made again is said in `left_out`.
std::map<std::string, Maps> look(const storage::SeriesCatalog& catalog, std::vector<std::string>& left_out) {
  std::map<std::string, Maps> found;
  const storage::QuietHdf5 quiet;
  const storage::Handle file = storage::open_for_reading(catalog.path);
  for (const storage::ArrayEntry& array : catalog.fixed_arrays) {
    if (!array.path.starts_with(kRows)) continue;
    const std::string name = array.path.substr(kRows.size());
    const std::size_t slash = name.rfind('/');
    if (slash == std::string::npos || name.substr(slash + 1) == "beats") continue;
    const std::string quantity = name.substr(slash + 1);
    const auto refuse = [&](const std::string& why) { left_out.push_back(fmt::format("{}{}: {}", kShown, name, why)); };
    const storage::Handle map(H5Dopen2(file, (kShown + name).c_str(), H5P_DEFAULT));
    if (!map.valid()) {
      refuse("the run did not end, and the map was never made");
      continue;
    }
    std::vector<reduce::Quantity> known;
    try {
      known = reduce::parse_quantities(quantity);
    } catch (const Error&) {
      refuse("is of a quantity that the program brought along");
      continue;
    }
    if (reduce::wants_conduction(known)) {
      refuse("the file does not say from which node velocities are measured");
      continue;
    }
    const std::string field = storage::read_text(map, "field");
    try {
      reduce::choose_field(catalog.path, std::span(catalog.fields).subspan(1), field);
    } catch (const Error&) {
      refuse("does not say which of the fields it is of");
      continue;
    }
    Maps& maps = found[name.substr(0, slash)];
    maps.field = field;
    maps.quantities.push_back(quantity);
    const std::vector<double> threshold = storage::read_numbers(map, "threshold");
    if (!threshold.empty()) maps.settings.threshold = threshold[0];
    if (known[0].per_beat()) maps.settings.max_beats = array.shape.at(0);
  }
  return found;
}

}  // namespace

MapsAgain maps_again(Communicator& comm, const storage::SeriesCatalog& catalog) {
  json told = {{"made", json::array()}, {"left_out", json::array()}};
  agree_on(comm, [&] {
    if (comm.rank() > 0) return;
    std::vector<std::string> left_out;
    for (const auto& [folder, maps] : look(catalog, left_out)) {
      told["made"].push_back({{"field", maps.field},
                              {"quantities", fmt::format("{}", fmt::join(maps.quantities, ","))},
                              {"threshold", maps.settings.threshold},
                              {"max_beats", maps.settings.max_beats}});
    }
    told["left_out"] = left_out;
  });
  told = json::parse(told_by_rank_0(comm, told.dump()));
  MapsAgain again;
  for (const json& one : told["made"]) {
    reduce::RunReductionSpec spec;
    spec.field = one["field"];
    spec.quantities = reduce::parse_quantities(one["quantities"].get<std::string>());
    spec.settings.threshold = one["threshold"];
    spec.settings.max_beats = one["max_beats"];
    again.made.push_back(std::move(spec));
  }
  again.left_out = told["left_out"].get<std::vector<std::string>>();
  return again;
}

}  // namespace weft::repack
