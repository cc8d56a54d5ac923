// weft/support/end_signals.hpp - the signals by which a batch system says that the end is near: SIGTERM before SIGKILL
// at a job's time limit, SIGUSR1 where a script asked for an early warning (Slurm: --signal=USR1@300).
//
// While somebody listens, such a signal is remembered instead of ending the process. A SIGTERM that the program handles
// itself is left to it. SIGUSR1 asks for nothing that could be in its way, so both hear of it: MPICH handles it always.
// What the program ignores stays ignored. Not collective; one handler for the whole process, any number of listeners.
#pragma once

namespace weft {

class EndSignals {
 public:
  EndSignals();
  ~EndSignals();  // with the last listener the signals mean again what they meant
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  // The signals that came since this listener last answered them: 0, or the last of them.
  int pending() const;
  // What was pending is done, and the program goes on.
  void answer();

 private:
  int seen_ = 0;
};

// Ends the process by SIGTERM, as if nobody had listened.
[[noreturn]] void end_by_sigterm();

}  // namespace weft
