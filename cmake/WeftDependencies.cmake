# What Weft is built with. MPI and HDF5 are the delicate part and have a file of their own.
if(NOT WEFT_MPI MATCHES "^(openmpi|mpich|auto|off)$")
  message(FATAL_ERROR "WEFT_MPI is '${WEFT_MPI}': use openmpi, mpich, auto or off.")
endif()
include(WeftMpiHdf5)
message(STATUS "MPI: ${WEFT_MPI_FLAVOUR}")

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(pugixml REQUIRED)
find_package(ZLIB REQUIRED)
include(WeftCodecs)
find_package(CLI11 REQUIRED)  # the command only
find_path(WEFT_TOML_HEADERS toml++/toml.h DOC "Where toml++ is (the command only)")
if(NOT WEFT_TOML_HEADERS)
  message(FATAL_ERROR "toml++ is not there (Debian: libtomlplusplus-dev).")
endif()

# The kernel that solves (weft run ecg --source solve), where it is built on the same MPI: Debian's PETSc is Open MPI's.
option(WEFT_PETSC "Look for PETSc" ON)
if(WEFT_PETSC AND PkgConfig_FOUND AND WEFT_MPI MATCHES "^(openmpi|auto)$")
  pkg_check_modules(WEFT_PETSC QUIET IMPORTED_TARGET PETSc)
endif()
if(TARGET PkgConfig::WEFT_PETSC)
  message(STATUS "PETSc: ${WEFT_PETSC_VERSION}")
else()
  message(STATUS "PETSc: none, so no --source solve")
endif()

option(WEFT_CAIRO "Draw ECG sheets (weft ecg --plot) with cairo, where it is found" ON)
if(WEFT_CAIRO AND PkgConfig_FOUND)
  pkg_check_modules(WEFT_CAIRO_LIBRARY QUIET IMPORTED_TARGET cairo>=1.14)  # the command only
endif()
if(WEFT_CAIRO AND NOT WEFT_CAIRO_LIBRARY_FOUND)
  message(STATUS "No cairo: weft ecg will not draw (--plot)")
endif()
