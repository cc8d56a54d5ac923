# `cmake --install`: headers, libraries, the command, and a package for find_package(weft COMPONENTS core mpi).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)

install(DIRECTORY src/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(TARGETS weft_core EXPORT weft-core)
install(EXPORT weft-core NAMESPACE weft:: DESTINATION ${package_dir} FILE weft-core-targets.cmake)
if(TARGET weft_mpi)
  install(TARGETS weft_mpi EXPORT weft-mpi)
  install(EXPORT weft-mpi NAMESPACE weft:: DESTINATION ${package_dir} FILE weft-mpi-targets.cmake)
endif()
if(TARGET weft)
  install(TARGETS weft)
endif()

configure_package_config_file(cmake/weft-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/weft-config.cmake
                              INSTALL_DESTINATION ${package_dir})
# Until 1.0 a minor version may change the interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weft-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/weft-config-version.cmake
              cmake/WeftMpiHdf5.cmake cmake/WeftCodecs.cmake
        DESTINATION ${package_dir})
