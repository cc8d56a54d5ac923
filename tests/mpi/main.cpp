// The main() of every test on MPI ranks: each rank runs all tests, rank 0 tells the story, the other ranks speak up
// only when a check of theirs fails. The exit code is non-zero on every rank when any rank failed, so no launcher can
// miss it.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <memory>
#include <string>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace {

class FailuresOfThisRank : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOfThisRank(int rank) : rank_(rank) {}

 private:
  // Kept from here: asking GoogleTest for the current test while it reports a failure deadlocks on its own mutex.
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) {
      const char* file = result.file_name() == nullptr ? "?" : result.file_name();
      std::fprintf(stderr, "rank %d: %s: %s:%d: %s\n", rank_, test_.c_str(), file, result.line_number(),
                   result.message());
    }
  }

  std::string test_;
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  // The I/O thread makes no MPI call, but it exists.
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  testing::InitGoogleTest(&argc, argv);

  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    const std::unique_ptr<testing::TestEventListener> printer(listeners.Release(listeners.default_result_printer()));
    listeners.Append(new FailuresOfThisRank(rank));  // GoogleTest owns it from here on
  }

  int failed = RUN_ALL_TESTS();
  int any_failed = 0;
  MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && failed == 0 && any_failed != 0) {
    std::fprintf(stderr, "rank 0 passed, another rank did not\n");
  }
#ifdef __SANITIZE_ADDRESS__
  // Now, not at exit: MPI_Finalize unloads the plug-ins whose leaks are known by name (cmake/leaks-of-others.txt).
  __lsan_do_leak_check();
#endif
  MPI_Finalize();
  return any_failed;
}
