# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds Capstone and defines Capstone::Headers and the variable Capstone_SONAME: the name that the run-time linker knows
# the library by, under which it is loaded when there is something to disassemble. With ANYPROF_STATIC, Capstone::Linked
# is the static library.
find_path(Capstone_INCLUDE_DIR capstone/capstone.h)
find_library(Capstone_LIBRARY capstone)
unset(Capstone_SONAME)
if(Capstone_LIBRARY AND CMAKE_READELF)
    execute_process(COMMAND ${CMAKE_READELF} -d "${Capstone_LIBRARY}" OUTPUT_VARIABLE Capstone_dynamic ERROR_QUIET)
    if(Capstone_dynamic MATCHES "\\(SONAME\\)[^\n]*\\[([^]\n]+)\\]")
        set(Capstone_SONAME "${CMAKE_MATCH_1}")
    endif()
endif()
include(FindPackageHandleStandardArgs)
if(ANYPROF_STATIC)
    find_package_handle_standard_args(Capstone DEFAULT_MSG Capstone_LIBRARY Capstone_INCLUDE_DIR)
else()
    find_package_handle_standard_args(Capstone DEFAULT_MSG Capstone_LIBRARY Capstone_SONAME Capstone_INCLUDE_DIR)
endif()
if(Capstone_FOUND AND NOT TARGET Capstone::Headers)
    add_library(Capstone::Headers INTERFACE IMPORTED)
    set_target_properties(Capstone::Headers PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${Capstone_INCLUDE_DIR}"
        INTERFACE_COMPILE_DEFINITIONS "ANYPROF_CAPSTONE=\"${Capstone_SONAME}\"")
endif()
if(Capstone_FOUND AND ANYPROF_STATIC AND NOT TARGET Capstone::Linked)
    add_library(Capstone::Linked STATIC IMPORTED)
    set_target_properties(Capstone::Linked PROPERTIES IMPORTED_LOCATION "${Capstone_LIBRARY}")
    set_target_properties(Capstone::Headers PROPERTIES INTERFACE_COMPILE_DEFINITIONS ANYPROF_CAPSTONE_LINKED)
endif()
mark_as_advanced(Capstone_INCLUDE_DIR Capstone_LIBRARY)
