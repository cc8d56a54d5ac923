// weft/series/owner_strategy.hpp - Weft's own way: windows cut by memory, chunk owners, direct writes behind the
// computation.
#pragma once

#include "weft/series/write_strategy.hpp"

#pragma GCC visibility push(default)

namespace weft::series {

// Collective. Throws Error(usage) where the budget does not hold one step twice, or where ownerships overlap or leave
// holes.
std::unique_ptr<WriteStrategy> make_owner_strategy(const StrategyContext& context);

}  // namespace weft::series

#pragma GCC visibility pop
