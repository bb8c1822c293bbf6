# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds libzstd and defines LibZstd::LibZstd. (zstd has a CMake package of its own, which not every distribution ships.)
find_path(LibZstd_INCLUDE_DIR zstd_errors.h)
find_library(LibZstd_LIBRARY zstd)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibZstd DEFAULT_MSG LibZstd_LIBRARY LibZstd_INCLUDE_DIR)
if(LibZstd_FOUND AND NOT TARGET LibZstd::LibZstd)
    add_library(LibZstd::LibZstd UNKNOWN IMPORTED)
    set_target_properties(LibZstd::LibZstd PROPERTIES
        IMPORTED_LOCATION "${LibZstd_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${LibZstd_INCLUDE_DIR}")
endif()
mark_as_advanced(LibZstd_INCLUDE_DIR LibZstd_LIBRARY)
