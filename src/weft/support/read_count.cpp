#include "weft/support/read_count.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <string>

namespace weft {

// One read call whose length is known, whatever number of digits the counts have by now: a stream would ask again for
// the end, and its length would have to be guessed.
ReadCount count_reads() {
  ReadCount count;
  const int descriptor = ::open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return count;
  std::array<char, 4096> text{};
  const ssize_t bytes = ::read(descriptor, text.data(), text.size());
  ::close(descriptor);
  if (bytes <= 0) return count;
  count.asking_bytes = static_cast<std::uint64_t>(bytes);
  std::istringstream lines(std::string(text.data(), count.asking_bytes));
  std::string name;
  for (std::uint64_t value = 0; lines >> name >> value;) {
    if (name == "rchar:") count.bytes = value;
    if (name == "syscr:") count.requests = value;
  }
  count.known = count.requests > 0;
  return count;
}

ReadCount reads_between(const ReadCount& before, const ReadCount& after) {
  if (!before.known || !after.known) return {};
  return {after.requests - before.requests - 1, after.bytes - before.bytes - before.asking_bytes, true, 0};
}

}  // namespace weft
