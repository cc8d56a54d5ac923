// weft/storage/series_changes.hpp - what is changed in a Weft file after it was made: its room, its length, its view,
// its writer.
//
// Every function makes one change of metadata (storage/metadata_change.hpp): no HDF5 handle outlives a call, and a
// crash leaves no change half done. None is collective: one rank calls, and the result is broadcast.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/storage/series_catalog.hpp"
#include "weft/storage/top_level.hpp"
#include "weft/storage/writer_state.hpp"

#pragma GCC visibility push(default)

namespace weft::storage {

// Gives every field room for `steps` more, which the top-level datasets then show: where they are (docs/format.md,
// "Room"), and in files of format 1 by a segment of its own. The change is rehearsed on a sparse copy, the bytes it
// will overwrite are saved beside the file first, and only then it is applied.
SeriesCatalog add_room(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view = {});

// Makes the top-level datasets exactly `steps` long, when a series ends before its room does.
SeriesCatalog set_length(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view = {});

// Replaces the view by one of the first `steps` steps, and changes nothing else.
void renew_view(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view);

// Asked of the file itself: a `weft view` may have changed it since its catalog was read.
ShownSteps shown_steps(const std::string& path);

// Ends a series with `steps` steps: makes the top-level datasets and the view show these, whatever they show now. The
// view is made in any case where it is wanted `anew`; where all is right already, nothing is changed.
void show_steps(const SeriesCatalog& catalog, std::uint64_t steps, const ViewMaker& view, bool anew = false);

// The maps that are of fewer than `steps` steps, and not of none: a run that went on did not go on with them.
std::vector<MapAge> maps_behind(const SeriesCatalog& catalog, std::uint64_t steps);

// Readies a series for writers from step `from_step` on, in one change: the checksums (survey/checksums.hpp) go, the
// top-level datasets and the view become as long as there is room, maps of steps that are written anew show nothing,
// and the commit slots are made anew, with these values, at a place of their own. The bytes of the old slots are used
// for nothing ever after, so that a rank of an earlier run that still raises its slot does no harm. Returns the new
// catalog.
SeriesCatalog continue_series(const SeriesCatalog& catalog, std::uint64_t from_step, const NewWriter& writer,
                              const ViewMaker& view = {});

}  // namespace weft::storage

#pragma GCC visibility pop
