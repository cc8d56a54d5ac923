// weft/support/process_identity.hpp - a process told apart from every other one, on this machine or another, now or
// after a reboot.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#pragma GCC visibility push(default)

namespace weft {

// A number that the kernel draws when a machine starts: two processes with the same one share a running kernel. Zeros
// where the system has none.
using BootId = std::array<std::uint64_t, 2>;
BootId boot_id();

struct ProcessIdentity {
  std::string host;
  BootId boot{};
  std::uint64_t pid_namespace = 0;  // process numbers mean something within one alone
  std::int64_t pid = 0;
  std::uint64_t start = 0;  // clock ticks from the machine's start to the process's: numbers are used again

  bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity this_process();

// Whether the process still runs; nothing where this process cannot tell: on another machine, or out of its namespace.
std::optional<bool> is_alive(const ProcessIdentity& process);

}  // namespace weft

#pragma GCC visibility pop
