# cmake -DBUILD=.. -DSCRATCH=.. -DCOMPONENT=core|mpi|weft|c|fortran -DGENERATOR=.. -DCXX=.. -DCC=.. -DFC=.. -DLAUNCHER="mpiexec .." -DMPI=ON|OFF -DPYTHON=..
#       -DNM=.. -DREADELF=.. -P run.cmake
# Installs the build, then configures, builds and runs the consumer against what was installed.
set(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer)
file(REMOVE_RECURSE ${SCRATCH})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
foreach(file share/man/man1/weft.1 share/man/man1/weft-run.1 share/bash-completion/completions/weft bin/weft-campaign
        share/weft/python/weft/campaigns/peers/campaign.toml share/man/man1/weft-campaign-run.1 share/man/man1/weft-report.1)
  if(NOT EXISTS ${SCRATCH}/prefix/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()

# What only debuggers read stays behind, in archives, too.
file(GLOB binaries ${SCRATCH}/prefix/lib*/*.a ${SCRATCH}/prefix/lib*/*.so ${SCRATCH}/prefix/bin/weft
     ${SCRATCH}/prefix/lib*/weft/*)
list(LENGTH binaries count)
if(count LESS 2)
  message(FATAL_ERROR "no libraries are installed")
endif()
foreach(binary ${binaries})
  execute_process(COMMAND ${READELF} --sections --wide ${binary} OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
  if(sections MATCHES "\\.debug_info")
    message(FATAL_ERROR "${binary} is not stripped")
  endif()
endforeach()

# The libraries for other languages say themselves all that they need.
if(COMPONENT MATCHES "^(c|fortran)$")
  set(source main.c)
  set(module weft)
  set(flags_of_test -std=c99 -pedantic -Wall -Werror)
  if(COMPONENT STREQUAL "fortran")
    set(source main.f90)
    set(module weft-fortran)
    set(flags_of_test "")
    set(CC ${FC})
  endif()
  run(${CMAKE_COMMAND} -S ${consumer}_${COMPONENT} -B ${SCRATCH}/build -G ${GENERATOR} -DCMAKE_C_COMPILER=${CC}
      -DCMAKE_Fortran_COMPILER=${FC} -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix)
  run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
  run(${SCRATCH}/build/consumer WORKING_DIRECTORY ${SCRATCH})
  file(GLOB pc ${SCRATCH}/prefix/lib*/pkgconfig ${SCRATCH}/prefix/lib/*/pkgconfig)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc} pkg-config --cflags --libs ${module} OUTPUT_VARIABLE flags
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${CC} ${flags_of_test} ${consumer}_${COMPONENT}/${source} ${flags} -o ${SCRATCH}/by-pkg-config)
  file(GLOB library ${SCRATCH}/prefix/lib*/libweft.so ${SCRATCH}/prefix/lib/*/libweft.so)
  run(${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ${SCRATCH}/by-pkg-config WORKING_DIRECTORY ${SCRATCH})
  execute_process(COMMAND ${READELF} -d ${library} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "SONAME[^\n]*libweft\\.so\\.0\\]")
    message(FATAL_ERROR "libweft.so has another soname than libweft.so.0, and programs do not find it")
  endif()
  return()
endif()

run(${CMAKE_COMMAND} -S ${consumer} -B ${SCRATCH}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCOMPONENT=${COMPONENT} -DMPI=${MPI})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)

separate_arguments(launcher UNIX_COMMAND "${LAUNCHER}")
if(COMPONENT STREQUAL "core" OR NOT MPI)
  run(${SCRATCH}/build/consumer WORKING_DIRECTORY ${SCRATCH})
else()
  run(${launcher} -n 2 ${SCRATCH}/build/consumer WORKING_DIRECTORY ${SCRATCH})
endif()

# The Python side comes along, and takes any Python that has what it needs.
if(COMPONENT STREQUAL "weft")
  execute_process(COMMAND ${CMAKE_COMMAND} -E env WEFT_PYTHON=${PYTHON} ${SCRATCH}/prefix/bin/weft campaign list
                  OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  if(NOT listed MATCHES "ecg-table-1")
    message(FATAL_ERROR "the installed weft campaign lists:\n${listed}")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env WEFT_PYTHON=no-such-python ${SCRATCH}/prefix/bin/weft report x
                  ERROR_VARIABLE line RESULT_VARIABLE code)
  if(code EQUAL 0 OR NOT line MATCHES "^weft: error: weft report: there is no 'no-such-python'[^\n]*\n$")
    message(FATAL_ERROR "without Python, weft report says: ${line}")
  endif()
endif()

# What weft with loads is found beside the installed command.
if(COMPONENT STREQUAL "weft")
  execute_process(COMMAND ${SCRATCH}/prefix/bin/weft with --watch ${SCRATCH}/prefix/bin/weft info no-such-file.h5
                  ERROR_VARIABLE line RESULT_VARIABLE code)
  if(code EQUAL 0 OR NOT line MATCHES "no-such-file.h5" OR line MATCHES "libweft-with.so")
    message(FATAL_ERROR "the installed weft with says: ${line}")
  endif()
endif()

# The shared library shows Weft's names alone, and says which interface it has.
if(COMPONENT STREQUAL "weft")
  file(GLOB library ${SCRATCH}/prefix/lib*/libweft_cpp.so)
  execute_process(COMMAND ${NM} -DC --defined-only ${library} OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[^\n]*[ ]((typeinfo|typeinfo name|vtable|VTT) for |(non-)?(virtual )?thunk to )?weft::[^\n]*\n" "" others "${names}")
  if(NOT names MATCHES "weft::SeriesWriter::put_bytes" OR NOT others STREQUAL "" OR names MATCHES "pugi|nlohmann::json::")
    message(FATAL_ERROR "libweft_cpp.so shows: ${others}")
  endif()
  if(names MATCHES "weft::storage::RunJoiner|weft::survey::ObjectWalk")
    message(FATAL_ERROR "libweft_cpp.so shows what no installed header declares")
  endif()
  execute_process(COMMAND ${READELF} -d ${library} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "SONAME[^\n]*libweft_cpp\\.so\\.[0-9]+\\.[0-9]+\\]")
    message(FATAL_ERROR "libweft_cpp.so has no soname with a version")
  endif()
endif()
