# The compiler options of everything built here. Not exported: who uses Weft keeps their own.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(WEFT_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns about overlapping copies inside std::string's own operator+ (GCC bug 105651).
  add_compile_options(-Wno-restrict)
endif()

if(WEFT_SANITIZE)
  add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WEFT_SANITIZE})
endif()
