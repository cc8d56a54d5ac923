// kernels/mhm/threads.hpp - a loop that OpenMP's threads share, as the original's `parallel for` over local problems.
#pragma once

#include <cstdint>
#include <functional>

namespace weft::kernels::mhm {

// Whether there is OpenMP; without, one thread does all.
bool has_threads();

// work(i, thread) for i in [0, count), in contiguous even parts for so many threads. What a thread throws first is
// thrown again when all have ended; none begins anew after that.
void on_threads(std::uint64_t threads, std::uint64_t count,
                const std::function<void(std::uint64_t i, std::uint64_t thread)>& work);

}  // namespace weft::kernels::mhm
