# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds Capstone and defines Capstone::Capstone.
find_path(Capstone_INCLUDE_DIR capstone/capstone.h)
find_library(Capstone_LIBRARY capstone)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Capstone DEFAULT_MSG Capstone_LIBRARY Capstone_INCLUDE_DIR)
if(Capstone_FOUND AND NOT TARGET Capstone::Capstone)
    add_library(Capstone::Capstone UNKNOWN IMPORTED)
    set_target_properties(Capstone::Capstone PROPERTIES
        IMPORTED_LOCATION "${Capstone_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${Capstone_INCLUDE_DIR}")
endif()
mark_as_advanced(Capstone_INCLUDE_DIR Capstone_LIBRARY)
