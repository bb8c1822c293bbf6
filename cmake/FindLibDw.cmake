# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds libdw (elfutils) and defines LibDw::LibDw; with ANYPROF_STATIC, what a static libdw needs is part of it. Its
# libdwfl opens compressed files with liblzma and libbz2, too; anyprof uses nothing of it that does.
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
    set_target_properties(LibDw::LibDw PROPERTIES INTERFACE_LINK_LIBRARIES
        "LibElf::LibElf;LibZstd::LibZstd;ZLIB::ZLIB")
endif()
mark_as_advanced(LibDw_INCLUDE_DIR LibDw_LIBRARY)
