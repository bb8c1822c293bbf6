# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds libmd (message digests) and defines LibMD::LibMD.
find_path(LibMD_INCLUDE_DIR md5.h)
find_library(LibMD_LIBRARY md)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibMD DEFAULT_MSG LibMD_LIBRARY LibMD_INCLUDE_DIR)
if(LibMD_FOUND AND NOT TARGET LibMD::LibMD)
    add_library(LibMD::LibMD UNKNOWN IMPORTED)
    set_target_properties(LibMD::LibMD PROPERTIES
        IMPORTED_LOCATION "${LibMD_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${LibMD_INCLUDE_DIR}")
endif()
mark_as_advanced(LibMD_INCLUDE_DIR LibMD_LIBRARY)
