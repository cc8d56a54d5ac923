# cmake -DNM=nm -DLIBRARY=libweft.so -DNAMES=names.txt -P check_names.cmake
# A program that was built with an earlier weft.h runs with this library: what is in the list is there. And nothing that
# is not: neither C++ nor HDF5 is a part of the interface.
execute_process(COMMAND ${NM} -D --defined-only --without-symbol-versions ${LIBRARY} OUTPUT_VARIABLE shown COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]+\n" shown "${shown}")
list(TRANSFORM shown STRIP)
list(REMOVE_ITEM shown WEFT_0)  # the version of the names itself
file(STRINGS ${NAMES} names)
set(lost ${names})
list(REMOVE_ITEM lost ${shown})
list(REMOVE_ITEM shown ${names})
if(lost)
  message(FATAL_ERROR "libweft.so no longer has: ${lost}")
endif()
if(shown)
  message(FATAL_ERROR "libweft.so shows what ${NAMES} does not name: ${shown}")
endif()
