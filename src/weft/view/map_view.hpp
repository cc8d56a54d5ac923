// weft/view/map_view.hpp - maps of quantities as a viewer shows them: arrays on the nodes that are the same at every
// step.
//
// A map is shown under FIELD_QUANTITY, one with a row for each beat under FIELD_QUANTITY_1, FIELD_QUANTITY_2, ... Only
// rows that were reached are shown, so a map of a run that has not ended is not there yet.
#pragma once

#include <string>

#include "weft/storage/object_plan.hpp"
#include "weft/storage/series_catalog.hpp"
#include "weft/view/view.hpp"

namespace weft::view {

// Adds the maps among `objects` ("/maps/V/peak", a virtual dataset over its rows) to the view's first block, where they
// are on its nodes. Pure.
void add_maps(View& view, const storage::ObjectPlan& objects);

// The maps that a file shows, as such objects. Throws Error(data) where one cannot be read. Not collective.
storage::ObjectPlan maps_in(const std::string& path, const storage::SeriesCatalog& catalog);

}  // namespace weft::view
