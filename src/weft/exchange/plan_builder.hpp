// weft/exchange/plan_builder.hpp - the move plan of partition/move_plan.hpp, built by all ranks together.
//
// No rank sees more than its own elements and those of its neighbours: what each tile is made of is gathered at the
// rank the tile would be dealt to, which checks it, applies the owner rule and answers. Same plan as
// partition::plan_moves, tested so.
#pragma once

#include <string>

#include "weft/partition/move_plan.hpp"
#include "weft/support/communicator.hpp"

namespace weft::exchange {

// Collective. Throws an agreed Error(usage) on every rank where an element has two owners or none; `field` is named in
// it.
partition::MovePlan build_plan(Communicator& comm, const partition::TileGrid& grid,
                               const partition::Ownership& ownership, const partition::Writers& writers,
                               partition::OwnerRule rule, const std::string& field);

}  // namespace weft::exchange
