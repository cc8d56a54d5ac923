# `cmake --install`: headers, libraries, the command, and a package for find_package(weft).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)

# The front door (weft/weft.hpp, weft/mpi.hpp) and the headers it includes; no others are promised, or installed.
function(weft_install_headers)
  set(waiting ${ARGN})
  set(seen "")
  while(waiting)
    list(POP_FRONT waiting header)
    if(header IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${header})
    set(file ${PROJECT_SOURCE_DIR}/src/${header})
    if(NOT EXISTS ${file})
      set(file ${PROJECT_BINARY_DIR}/include/${header})  # made by CMake
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
    # What is declared between the two can be called in libweft.so.
    file(STRINGS ${file} declares REGEX "^namespace weft")
    file(STRINGS ${file} visibility REGEX "^#pragma GCC visibility (push\\(default\\)|pop)$")
    list(LENGTH visibility pragmas)
    if(declares AND NOT pragmas EQUAL 2 AND NOT header STREQUAL "weft/version.hpp")
      message(FATAL_ERROR "${header} is installed: put '#pragma GCC visibility push(default)' behind its includes, "
                          "'#pragma GCC visibility pop' at its end.")
    endif()
    file(STRINGS ${file} includes REGEX "^#include \"weft/")
    list(TRANSFORM includes REPLACE "^#include \"(.*)\".*" "\\1")
    list(APPEND waiting ${includes})
  endwhile()
endfunction()
weft_install_headers(weft/weft.hpp)
if(TARGET weft_mpi)
  weft_install_headers(weft/mpi.hpp)
endif()
# Archives are left alone by CMake's own stripping, which would take their list of symbols, too.
set(weft_archives "")
if(WEFT_STRIP)
  install(CODE "set(CMAKE_INSTALL_DO_STRIP ON)")
endif()
install(TARGETS weft_core EXPORT weft-core)
list(APPEND weft_archives $<TARGET_FILE_NAME:weft_core>)
install(EXPORT weft-core NAMESPACE weft:: DESTINATION ${package_dir} FILE weft-core-targets.cmake)
if(TARGET weft_mpi)
  install(TARGETS weft_mpi EXPORT weft-mpi)
  list(APPEND weft_archives $<TARGET_FILE_NAME:weft_mpi>)
  install(EXPORT weft-mpi NAMESPACE weft:: DESTINATION ${package_dir} FILE weft-mpi-targets.cmake)
endif()
if(TARGET weft_shared)
  install(TARGETS weft_shared EXPORT weft-shared)
  install(EXPORT weft-shared NAMESPACE weft:: DESTINATION ${package_dir} FILE weft-shared-targets.cmake)
endif()
if(TARGET weft)
  install(TARGETS weft)
endif()
if(WEFT_STRIP AND CMAKE_STRIP)
  install(CODE "
    foreach(archive ${weft_archives})
      execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug
                      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/\${archive}\"
                      COMMAND_ERROR_IS_FATAL ANY)
    endforeach()")
endif()

configure_package_config_file(cmake/weft-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/weft-config.cmake
                              INSTALL_DESTINATION ${package_dir})
# Until 1.0 a minor version may change the interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weft-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/weft-config-version.cmake
              cmake/WeftMpiHdf5.cmake cmake/WeftCodecs.cmake
        DESTINATION ${package_dir})
