# cmake -DNM=nm -DARCHIVE=libweft_core.a -P check_no_mpi_symbol.cmake
# weft::core must link where there is no MPI: fails when the archive asks for a symbol of Open MPI or MPICH.
execute_process(COMMAND ${NM} --undefined-only ${ARCHIVE} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " U P?(MPI_|MPIX_|ompi_|opal_|MPID|MPIR)[^\n]*" found "${symbols}")
if(found)
  list(REMOVE_DUPLICATES found)
  list(JOIN found "\n " lines)
  message(FATAL_ERROR "${ARCHIVE} asks for MPI symbols:\n ${lines}\n"
                      "MPI code belongs in a file named mpi_*.cpp (see CMakeLists.txt).")
endif()
