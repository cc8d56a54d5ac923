// Loaded into ranks by the tests (LD_PRELOAD), never into anything a user runs: into MPICH's, and into those of crowds.
//
// Debian's MPICH waits by polling UCX without ever giving the core away. With more ranks than cores a waiting rank then
// burns its whole time slice before the one it waits for may run: 2,000 reductions on 7 ranks and 2 cores take 57 s.
// This hands the core over after 100 polls that found nothing: 0.5 s. Open MPI does the same by itself
// (--oversubscribe). A rank that has waited for long sleeps, as other tests have work for the cores.
//
// While Open MPI starts, a rank looks for news every 100 us. 256 of them then leave the daemon that they wait for no
// core: a start on 2 cores takes 53 s. With 5 ms it takes 12 s.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

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

int usleep(useconds_t microseconds) {
  const useconds_t longer = microseconds == 100 ? 5000 : microseconds;
  const struct timespec asked = {longer / 1000000, longer % 1000000 * 1000L};
  return nanosleep(&asked, 0);
}
