#include "cli/interruption.hpp"

#include <csignal>
#include <initializer_list>

namespace weft::cli {

namespace {

volatile std::sig_atomic_t told_to_stop = 0;

}  // namespace

void listen_for_interruption() {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::signal(signal, [](int) { told_to_stop = 1; });
  }
}

bool interrupted() { return told_to_stop != 0; }

}  // namespace weft::cli
