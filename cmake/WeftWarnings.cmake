# The compiler options of everything built here. Not exported: who uses Weft keeps their own.
set(weft_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(WEFT_WERROR)
  list(APPEND weft_warnings -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns about overlapping copies inside std::string's own operator+ (GCC bug 105651).
  list(APPEND weft_warnings -Wno-restrict)
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${weft_warnings}>")  # Fortran's: fortran/CMakeLists.txt

if(WEFT_SANITIZE)
  add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WEFT_SANITIZE})
endif()
