// weft/support/wide_code.hpp - loops compiled several times, for the vector instructions of newer processors too; and
// what the code of others for such instructions leaves behind.
//
// WEFT_WIDE before a function: the machine it runs on decides which version is called (GCC's function multiversioning,
// resolved when the program is loaded). What the loop computes is the same to the bit: lanes only get wider, and
// contraction to fused operations is off (-ffp-contract=off). Nothing where the compiler or the C library lacks it, or
// a sanitizer would be entered before it is ready.
#pragma once

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WEFT_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WEFT_WIDE
#endif

namespace weft {

// After code for AVX that leaves something in the upper halves of the vector registers, as ISA-L 2.30 does: until they
// are cleared, every instruction of SSE waits for the one before it (Intel's optimization manual, "Mixing AVX code with
// SSE code"). The thread's own code then takes several times as long, and so does the application's.
inline void clear_upper_halves() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx") != 0) asm volatile("vzeroupper");
#endif
}

}  // namespace weft
