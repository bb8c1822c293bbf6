# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds Capstone and defines Capstone::Headers and the variable Capstone_SONAME: the file to be loaded at run time.
find_path(Capstone_INCLUDE_DIR capstone/capstone.h)
find_library(Capstone_LIBRARY capstone)
if(Capstone_LIBRARY)
    file(REAL_PATH "${Capstone_LIBRARY}" Capstone_file)
    cmake_path(GET Capstone_file FILENAME Capstone_SONAME)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Capstone DEFAULT_MSG Capstone_LIBRARY Capstone_INCLUDE_DIR)
if(Capstone_FOUND AND NOT TARGET Capstone::Headers)
    add_library(Capstone::Headers INTERFACE IMPORTED)
    set_target_properties(Capstone::Headers PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${Capstone_INCLUDE_DIR}"
        INTERFACE_COMPILE_DEFINITIONS "ANYPROF_CAPSTONE=\"${Capstone_SONAME}\"")
endif()
mark_as_advanced(Capstone_INCLUDE_DIR Capstone_LIBRARY)
