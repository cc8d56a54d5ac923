# One line per test: weft_add_unit_tests, weft_add_mpi_test, weft_add_python_tests.
# No test may run longer than this, whatever else the machine does; a hanging rank ends here.
set(WEFT_TEST_TIMEOUT 300)
if(WEFT_SANITIZE)
  set(WEFT_TEST_TIMEOUT 600)
endif()

# How this MPI starts ranks. More ranks than cores is what tests do; bound to cores, two tests at once would share one.
if(WEFT_MPI_FLAVOUR STREQUAL "openmpi")
  set(mpiexec_names mpiexec.openmpi mpiexec)
  set(mpiexec_flags --oversubscribe --bind-to none)
else()
  set(mpiexec_names mpiexec.mpich mpiexec.hydra mpiexec)
  set(mpiexec_flags "")
  if(WEFT_MPI STREQUAL "mpich" AND NOT WEFT_SANITIZE)
    set(mpiexec_flags -genv LD_PRELOAD ${PROJECT_BINARY_DIR}/tests/weft_yield_when_idle.so)
  endif()
endif()
if(WEFT_HAVE_MPI AND NOT WEFT_SANITIZE)
  add_library(weft_yield_when_idle MODULE mpi/yield_when_idle.c)
  target_link_libraries(weft_yield_when_idle PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(weft_yield_when_idle PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endif()
if(WEFT_HAVE_MPI)
  # First where the compiler of the MPI found lies (WEFT_MPI=auto): on a cluster the PATH may lead to another one.
  get_filename_component(mpi_bin "${MPI_C_COMPILER}" DIRECTORY)
  find_program(WEFT_MPIEXEC_${WEFT_MPI_FLAVOUR} NAMES ${mpiexec_names} NAMES_PER_DIR HINTS ${mpi_bin} REQUIRED)
  set(mpiexec ${WEFT_MPIEXEC_${WEFT_MPI_FLAVOUR}} ${mpiexec_flags})
endif()

# Debian's Python has the h5py that the packages bring; another one on the PATH may not.
find_program(WEFT_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH DOC "The Python with h5py and pytest")

# Open MPI refuses root unless asked twice (containers are root), and copies between ranks through a system call that
# containers forbid; and ranks that wait are to leave their core to other tests. To look for networks takes 0.2 s of the 0.4
# that a start takes, and mpiexec misses the end of ranks where the disk that it keeps its own files on is busy (docs/write.md).
# MPICH ignores all of it.
set(weft_test_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
                          OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
                          OMPI_MCA_pml=ob1 OMPI_MCA_btl=^openib,uct,tcp,usnic,ofi OMPI_MCA_orte_tmpdir_base=/dev/shm)

# cmake/leaks-of-others.txt goes by names that only whole stacks show, and those are slow to take: for MPI tests alone.
if(WEFT_SANITIZE MATCHES address)
  set(weft_mpi_test_environment ${weft_test_environment} ASAN_OPTIONS=fast_unwind_on_malloc=0)
  list(APPEND weft_test_environment ASAN_OPTIONS=detect_leaks=0)
else()
  set(weft_mpi_test_environment ${weft_test_environment})
endif()

# A directory of its own for each test: tests run side by side and leave files.
function(weft_scratch name out)
  set(directory ${PROJECT_BINARY_DIR}/scratch/${name})
  file(MAKE_DIRECTORY ${directory})
  set(${out} ${directory} PARENT_SCOPE)
endfunction()

function(weft_add_unit_tests name library)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ${library} fmt::fmt nlohmann_json::nlohmann_json Threads::Threads
                                        GTest::gtest_main GTest::gmock)
  weft_scratch(${name} scratch)
  gtest_discover_tests(${name} WORKING_DIRECTORY ${scratch} DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS unit TIMEOUT ${WEFT_TEST_TIMEOUT})
endfunction()

# weft_add_mpi_test(exchange RANKS 1 2 3 4 7 [TIMEOUT s] [ALONE] [LIBRARIES ..])
# builds tests/mpi/exchange_test.cpp and makes the tests mpi.exchange.r1 ... mpi.exchange.r7. ALONE: nothing else runs
# meanwhile (for tests that measure).
function(weft_add_mpi_test name)
  cmake_parse_arguments(arg "ALONE" "TIMEOUT" "RANKS;LIBRARIES" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${WEFT_TEST_TIMEOUT})
  endif()
  set(target mpi_${name}_test)
  add_executable(${target} ${name}_test.cpp)
  target_link_libraries(${target} PRIVATE weft_mpi_test_main weft::mpi fmt::fmt nlohmann_json::nlohmann_json ${arg_LIBRARIES})
  foreach(ranks ${arg_RANKS})
    set(test mpi.${name}.r${ranks})
    weft_scratch(${test} scratch)
    add_test(NAME ${test} COMMAND ${mpiexec} -n ${ranks} $<TARGET_FILE:${target}> WORKING_DIRECTORY ${scratch})
    set(cores ${ranks})
    if(cores GREATER 2)
      set(cores 2)  # ranks of a test mostly wait; holding four cores each, tests would queue for nothing
    endif()
    set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT ${arg_TIMEOUT} PROCESSORS ${cores}
                         ENVIRONMENT "${weft_mpi_test_environment}")
    if(arg_ALONE)
      set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
    endif()
  endforeach()
endfunction()

# weft_add_python_tests(FOLDER [TIMEOUT s] [PYTHON path] [ONE_PROCESS NAME...] [ONE_MPI NAME...] [LONG NAME...]): each tests/FOLDER/test_*.py is the test FOLDER.NAME. What it is given:
#   WEFT              the command
#   WEFT_EXAMPLES     the folder of the built examples
#   WEFT_READER_CASES a program that writes what tests/readers looks at
#   WEFT_MPIEXEC      the launcher with its options, as shell words: "mpiexec.openmpi --oversubscribe"
#   WEFT_MPI_FLAVOUR  openmpi or mpich
# ONE_PROCESS names files whose commands run on no ranks, or on few of many: they run with one MPI alone, Open MPI. ONE_MPI names others that
# run with one alone: MPICH, which starts ranks in a third of the time. Under the
# sanitizers, which are built with Open MPI alone, they run there. LONG names those that begin first, so that none is left
# over at the end with one core idle.
# tests/ is on the path, for modules that several folders share; tmp_path lies in the build tree and stays till next time.
function(weft_add_python_tests folder)
  cmake_parse_arguments(arg "" "TIMEOUT;PYTHON" "ONE_PROCESS;ONE_MPI;LONG" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)  # many commands each, every one with a time limit of its own; 120 s is little on a busy machine
  endif()
  if(NOT arg_PYTHON)
    set(arg_PYTHON ${WEFT_PYTHON})
  endif()
  set(here ${PROJECT_SOURCE_DIR}/tests)
  file(GLOB files CONFIGURE_DEPENDS ${here}/${folder}/test_*.py ${here}/${folder}/*_test.py)
  if(files AND NOT arg_PYTHON)
    message(WARNING "No python3 in /usr/bin: the tests in tests/${folder} are left out. Set WEFT_PYTHON.")
    return()
  endif()
  list(JOIN mpiexec " " launcher)
  foreach(file ${files})
    cmake_path(GET file STEM name)
    if(WEFT_MPI_FLAVOUR STREQUAL "mpich" AND name IN_LIST arg_ONE_PROCESS)
      continue()
    endif()
    if(WEFT_MPI_FLAVOUR STREQUAL "openmpi" AND name IN_LIST arg_ONE_MPI AND NOT WEFT_SANITIZE)
      continue()
    endif()
    set(test ${folder}.${name})
    weft_scratch(${test} scratch)
    add_test(NAME ${test} WORKING_DIRECTORY ${scratch}
             COMMAND ${arg_PYTHON} -m pytest -q -p no:cacheprovider --basetemp ${scratch}/tmp ${file})
    # OPENBLAS_NUM_THREADS: each import of numpy begins threads that spin for a tenth of a second.
    # PROCESSORS 1, on ranks, too: they mostly start, wait and touch files, and two such tests side by side take less time.
    set_tests_properties(${test} PROPERTIES LABELS "python;${folder}" TIMEOUT ${arg_TIMEOUT} PROCESSORS 1
      ENVIRONMENT "${weft_test_environment};PYTHONDONTWRITEBYTECODE=1;OPENBLAS_NUM_THREADS=1;PYTHONPATH=${here};WEFT=$<TARGET_FILE:weft>;WEFT_EXAMPLES=${PROJECT_BINARY_DIR}/examples;WEFT_READER_CASES=${PROJECT_BINARY_DIR}/tests/weft_reader_cases;WEFT_MPIEXEC=${launcher};WEFT_MPI_FLAVOUR=${WEFT_MPI_FLAVOUR}")
    if(name IN_LIST arg_LONG)
      set_tests_properties(${test} PROPERTIES COST 100)  # seconds, where no run before has told
    endif()
  endforeach()
endfunction()
