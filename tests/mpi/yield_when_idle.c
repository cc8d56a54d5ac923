// Loaded into MPICH's ranks by the tests (LD_PRELOAD), never into anything a user runs.
//
// Debian's MPICH waits by polling UCX without ever giving the core away. With more ranks than cores a waiting rank then
// burns its whole time slice before the one it waits for may run: 2,000 reductions on 7 ranks and 2 cores take 57 s.
// This hands the core over after 100 polls that found nothing: 0.5 s. Open MPI does the same by itself
// (--oversubscribe). A rank that has waited for long sleeps, as other tests have work for the cores.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*polls)(void*);
  static _Thread_local unsigned idle;
  static _Thread_local unsigned yields;
  if (!polls) {
    *(void**)&polls = dlsym(RTLD_NEXT, "ucp_worker_progress");
  }
  const unsigned progressed = polls(worker);
  if (progressed != 0) {
    idle = 0;
    yields = 0;
  } else if (++idle == 100) {
    idle = 0;
    if (++yields < 50) {
      sched_yield();
    } else {
      const struct timespec while_others_work = {0, 100000};
      nanosleep(&while_others_work, 0);
    }
  }
  return progressed;
}
