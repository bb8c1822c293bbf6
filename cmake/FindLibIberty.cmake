# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds libiberty (names of C++ and Rust) and defines LibIberty::LibIberty. Its headers are in a directory of their own
# (Debian's libiberty-dev), or not (binutils-dev, binutils-devel). The licence of its demanglers, at the top of
# demangle.h, permits to link them into any program.
find_path(LibIberty_INCLUDE_DIR demangle.h PATH_SUFFIXES libiberty)
find_library(LibIberty_LIBRARY iberty)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibIberty DEFAULT_MSG LibIberty_LIBRARY LibIberty_INCLUDE_DIR)
if(LibIberty_FOUND AND NOT TARGET LibIberty::LibIberty)
    add_library(LibIberty::LibIberty UNKNOWN IMPORTED)
    set_target_properties(LibIberty::LibIberty PROPERTIES
        IMPORTED_LOCATION "${LibIberty_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${LibIberty_INCLUDE_DIR}")
endif()
mark_as_advanced(LibIberty_INCLUDE_DIR LibIberty_LIBRARY)
