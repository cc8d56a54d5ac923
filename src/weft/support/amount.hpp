// weft/support/amount.hpp - sizes, times and rates as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

// "1MiB", "1.5 GB", "4096", "256k" -> bytes. MiB, GiB, KiB, TiB are powers of 1024; kB, MB, GB, TB powers of 1000; a
// bare k, M, G or T is a power of 1024, as in dd and ls. Throws Error(usage) naming the text.
std::uint64_t parse_bytes(std::string_view text);

// "1ms", "20us", "0.5s", "100ns" -> seconds (a bare number is seconds). Throws Error(usage).
double parse_seconds(std::string_view text);

// "1GB/s", "800MB/s", "2GiB/s" -> bytes per second ("/s" may be left out). Throws Error(usage).
double parse_rate(std::string_view text);

// 1048544 -> "1.0 MiB", 16 -> "16 B".
std::string format_bytes(std::uint64_t bytes);

// 0.0012 -> "1.2 ms".
std::string format_seconds(double seconds);

// 3253316 -> "3,253,316".
std::string format_count(std::uint64_t count);

}  // namespace weft
