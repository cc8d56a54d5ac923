# cmake -DBUILD=.. -DSCRATCH=.. -DCOMPONENT=core|mpi -DGENERATOR=.. -DCXX=.. -DLAUNCHER="mpiexec .." -P run.cmake
# Installs the build, then configures, builds and runs the consumer against what was installed.
set(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer)
file(REMOVE_RECURSE ${SCRATCH})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
foreach(page share/man/man1/weft.1 share/man/man1/weft-run.1 share/bash-completion/completions/weft)
  if(NOT EXISTS ${SCRATCH}/prefix/${page})
    message(FATAL_ERROR "${page} is not installed")
  endif()
endforeach()
run(${CMAKE_COMMAND} -S ${consumer} -B ${SCRATCH}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCOMPONENT=${COMPONENT})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)

separate_arguments(launcher UNIX_COMMAND "${LAUNCHER}")
if(COMPONENT STREQUAL "mpi")
  run(${launcher} -n 2 ${SCRATCH}/build/consumer WORKING_DIRECTORY ${SCRATCH})
else()
  run(${SCRATCH}/build/consumer WORKING_DIRECTORY ${SCRATCH})
endif()
