# Finds MPI and the HDF5 built on it, and makes two targets of them:
#   weft::hdf5         HDF5 and its high-level library (dimension scales)
#   weft::mpi_library  MPI, unless WEFT_MPI is off
# and sets WEFT_HAVE_MPI and WEFT_MPI_FLAVOUR (openmpi, mpich or off; mpich stands for all of its children).
#
# Used by Weft's own build and, installed beside it, by weft-config.cmake: whoever links Weft meets the same MPI.
# Both targets are imported, so their headers are SYSTEM and our warnings stay ours.

add_library(weft::hdf5 INTERFACE IMPORTED GLOBAL)
# MPI's deprecated C++ bindings would bring MPI symbols into every file that includes hdf5.h.
target_compile_definitions(weft::hdf5 INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
if(NOT WEFT_MPI STREQUAL "off")
  add_library(weft::mpi_library INTERFACE IMPORTED GLOBAL)
  target_compile_definitions(weft::mpi_library INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endif()

# Debian's way: one pkg-config module for each MPI and for each HDF5 built on it. HDF5_ROOT names another HDF5.
set(weft_hdf5_module_openmpi hdf5-openmpi)
set(weft_mpi_module_openmpi ompi-c)
set(weft_hdf5_module_mpich hdf5-mpich)
set(weft_mpi_module_mpich mpich)
set(weft_hdf5_module_off hdf5-serial)

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND AND NOT WEFT_MPI STREQUAL "auto" AND NOT DEFINED HDF5_ROOT AND NOT DEFINED ENV{HDF5_ROOT})
  pkg_check_modules(WEFT_HDF5_${WEFT_MPI} QUIET IMPORTED_TARGET ${weft_hdf5_module_${WEFT_MPI}})
  if(NOT WEFT_MPI STREQUAL "off")
    pkg_check_modules(WEFT_MPI_${WEFT_MPI} QUIET IMPORTED_TARGET ${weft_mpi_module_${WEFT_MPI}})
  endif()
endif()

if(WEFT_HDF5_${WEFT_MPI}_FOUND AND (WEFT_MPI STREQUAL "off" OR WEFT_MPI_${WEFT_MPI}_FOUND))
  # The modules leave out the high-level library; it lies beside the main one, since Debian 14 with the module's name.
  string(REPLACE - _ weft_hdf5_hl ${weft_hdf5_module_${WEFT_MPI}}_hl)
  find_library(WEFT_HDF5_HL_${WEFT_MPI} NAMES ${weft_hdf5_hl} hdf5_hl REQUIRED NO_DEFAULT_PATH
               HINTS ${WEFT_HDF5_${WEFT_MPI}_LIBRARY_DIRS} ${WEFT_HDF5_${WEFT_MPI}_LIBDIR})
  target_link_libraries(weft::hdf5 INTERFACE ${WEFT_HDF5_HL_${WEFT_MPI}} PkgConfig::WEFT_HDF5_${WEFT_MPI})
  if(NOT WEFT_MPI STREQUAL "off")
    target_link_libraries(weft::mpi_library INTERFACE PkgConfig::WEFT_MPI_${WEFT_MPI})
  endif()
  set(WEFT_MPI_FLAVOUR ${WEFT_MPI})
else()
  # Anywhere else: what mpicc and h5pcc, or their packages, say.
  if(WEFT_MPI STREQUAL "off")
    set(WEFT_MPI_FLAVOUR off)
  else()
    set(HDF5_PREFER_PARALLEL ON)
    find_package(MPI REQUIRED COMPONENTS C)
    include(CheckSymbolExists)
    set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
    check_symbol_exists(OPEN_MPI mpi.h WEFT_MPI_IS_OPENMPI)
    unset(CMAKE_REQUIRED_LIBRARIES)
    set(WEFT_MPI_FLAVOUR mpich)
    if(WEFT_MPI_IS_OPENMPI)
      set(WEFT_MPI_FLAVOUR openmpi)
    endif()
    if(NOT WEFT_MPI STREQUAL "auto" AND NOT WEFT_MPI STREQUAL WEFT_MPI_FLAVOUR)
      if(WEFT_MPI_${WEFT_MPI}_FOUND)
        message(FATAL_ERROR "WEFT_MPI=${WEFT_MPI}: this MPI is there, but no HDF5 built on it (pkg-config knows no "
                            "${weft_hdf5_module_${WEFT_MPI}}). Install it (Debian: libhdf5-${WEFT_MPI}-dev), or name one with "
                            "-DHDF5_ROOT=... and set MPI_C_COMPILER to the mpicc it was built with.")
      endif()
      message(FATAL_ERROR "WEFT_MPI=${WEFT_MPI}, but the MPI found is ${WEFT_MPI_FLAVOUR} (${MPI_C_COMPILER}). "
                          "Set MPI_C_COMPILER to the other, or use -DWEFT_MPI=auto.")
    endif()
    target_link_libraries(weft::mpi_library INTERFACE MPI::MPI_C)
    target_link_libraries(weft::hdf5 INTERFACE MPI::MPI_C)  # hdf5.h includes mpi.h
  endif()
  find_package(HDF5 REQUIRED COMPONENTS C HL)
  # HDF5 2.0 and later say it in another variable, which CMake's module does not look at.
  if(NOT WEFT_MPI STREQUAL "off" AND NOT HDF5_IS_PARALLEL AND NOT HDF5_PROVIDES_PARALLEL)
    message(FATAL_ERROR "The HDF5 found (${HDF5_C_INCLUDE_DIRS}) is not a parallel one. "
                        "Set HDF5_ROOT to one built with MPI, or use -DWEFT_MPI=off.")
  endif()
  if(WEFT_MPI STREQUAL "off" AND (HDF5_IS_PARALLEL OR HDF5_PROVIDES_PARALLEL))
    include(CheckIncludeFileCXX)
    check_include_file_cxx(mpi.h WEFT_MPI_HEADER)  # a compiler that is MPI's own finds it
    if(NOT WEFT_MPI_HEADER)
      message(FATAL_ERROR "The HDF5 found (${HDF5_C_INCLUDE_DIRS}) is a parallel one, whose header includes mpi.h. Install one "
                          "without MPI (Debian: libhdf5-dev), set HDF5_ROOT to one, or leave -DWEFT_MPI=off out.")
    endif()
  endif()
  target_link_libraries(weft::hdf5 INTERFACE hdf5::hdf5_hl hdf5::hdf5)
endif()

if(WEFT_MPI_FLAVOUR STREQUAL "off")
  set(WEFT_HAVE_MPI OFF)
else()
  set(WEFT_HAVE_MPI ON)
endif()
