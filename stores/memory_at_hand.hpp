// stores/memory_at_hand.hpp - memory that the system surely has when something is measured.
//
// A virtual machine may give large pages that have been free for two seconds to the machine below it. Whoever uses them
// next waits until they are back: 2 s a GB, ten times what the page itself takes. A file system is to be measured
// and not that, so memory is had before, and given back to the system just then.
#pragma once

#include <cstdint>

namespace weft::stores {

// So many bytes for each of `ranks` that call it on this node; less where memory is short. Takes 0.1 s a GB where the
// system has it.
void have_memory_at_hand(std::uint64_t bytes, int ranks);

}  // namespace weft::stores
