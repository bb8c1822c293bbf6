# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds libdw (elfutils) and defines LibDw::LibDw; with ANYPROF_STATIC, what a static libdw needs is part of it.
find_path(LibDw_INCLUDE_DIR elfutils/libdw.h)
find_library(LibDw_LIBRARY dw)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibDw DEFAULT_MSG LibDw_LIBRARY LibDw_INCLUDE_DIR)
if(LibDw_FOUND AND NOT TARGET LibDw::LibDw)
    add_library(LibDw::LibDw UNKNOWN IMPORTED)
    set_target_properties(LibDw::LibDw PROPERTIES
        IMPORTED_LOCATION "${LibDw_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${LibDw_INCLUDE_DIR}")
endif()
if(LibDw_FOUND AND ANYPROF_STATIC)
    find_package(LibElf REQUIRED)
    find_package(LibZstd REQUIRED)
    find_package(ZLIB REQUIRED)
    find_library(LibDw_LZMA_LIBRARY lzma REQUIRED)
    find_library(LibDw_BZ2_LIBRARY bz2 REQUIRED)
    set_target_properties(LibDw::LibDw PROPERTIES INTERFACE_LINK_LIBRARIES
        "LibElf::LibElf;${LibDw_LZMA_LIBRARY};${LibDw_BZ2_LIBRARY};LibZstd::LibZstd;ZLIB::ZLIB")
    mark_as_advanced(LibDw_LZMA_LIBRARY LibDw_BZ2_LIBRARY)
endif()
mark_as_advanced(LibDw_INCLUDE_DIR LibDw_LIBRARY)
