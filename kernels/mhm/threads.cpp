#include "kernels/mhm/threads.hpp"

#include <atomic>
#include <exception>

#include "weft/partition/ownership.hpp"

namespace weft::kernels::mhm {

bool has_threads() {
#ifdef _OPENMP
  return true;
#else
  return false;
#endif
}

void on_threads(std::uint64_t threads, std::uint64_t count,
                const std::function<void(std::uint64_t i, std::uint64_t thread)>& work) {
  std::exception_ptr failure;
  std::atomic<bool> failed = false;
  const int parts = static_cast<int>(threads);
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(parts)
#endif
  for (int part = 0; part < parts; ++part) {
    const partition::Block block = partition::even_block(count, part, parts);
    for (std::uint64_t i = block.first; i < block.first + block.count && !failed; ++i) {
      try {
        work(i, static_cast<std::uint64_t>(part));
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace weft::kernels::mhm
