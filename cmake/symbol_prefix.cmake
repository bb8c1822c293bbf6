# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sources call private functions by short names: arena_alloc, file_open. In the libraries, their symbols have the prefix
# anyprof_, so that a program that links libanyprof.a can have an arena_alloc of its own.
#
# For each header of src, this file writes a header of the same name into the directory `prefixed_headers` of the build
# tree, which comes before src in the include path. That for src/base/arena.h has a line
#     #pragma redefine_extname arena_alloc anyprof_arena_alloc
# for each function and variable that src/base/arena.h declares, then includes it. Unlike a macro, the pragma does not
# rename members, parameters or types, and messages of the compiler keep the names of the source. After a change of a
# header, the build runs CMake again, which takes less than a second, and compiles only what includes the header.
#
# A declaration is found if the line with the name begins with the type in the first column, as clang-format has it.
# tests/rules/symbol_prefix.sh reports symbols that have no prefix.

set(apf_prefixed_dir ${CMAKE_CURRENT_BINARY_DIR}/prefixed_headers)

# apf_declared_names(header out): the functions and variables that the header declares, without those of our prefixes.
function(apf_declared_names header out)
    set(names)
    file(STRINGS ${header} lines REGEX "^[a-z]")
    foreach(line IN LISTS lines)
        if(line MATCHES "^extern [A-Za-z0-9_ *]*[ *]([a-z][a-z0-9_]*)[[;]") # a variable
            list(APPEND names ${CMAKE_MATCH_1})
        elseif(line MATCHES "^[a-z0-9_]+_fn ([a-z0-9_, ]+);") # functions of a type: compare_fn by_name, by_size;
            string(REPLACE ", " ";" functions ${CMAKE_MATCH_1})
            list(APPEND names ${functions})
        elseif(NOT line MATCHES "^(static|typedef) " AND line MATCHES "^[A-Za-z0-9_ *]*[ *]([a-z][a-z0-9_]*)\\(")
            list(APPEND names ${CMAKE_MATCH_1})
        endif()
    endforeach()
    list(FILTER names EXCLUDE REGEX "^(apf|anyprof)_")
    set(${out} "${names}" PARENT_SCOPE)
endfunction()

set(apf_source_dir ${CMAKE_CURRENT_SOURCE_DIR}/src)
file(GLOB_RECURSE apf_private_headers RELATIVE ${apf_source_dir} CONFIGURE_DEPENDS ${apf_source_dir}/*.h)
file(GLOB_RECURSE apf_outdated RELATIVE ${apf_prefixed_dir} ${apf_prefixed_dir}/*.h)
foreach(header ${apf_private_headers})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${apf_source_dir}/${header})
    apf_declared_names(${apf_source_dir}/${header} names)
    list(TRANSFORM names REPLACE "(.+)" "#pragma redefine_extname \\1 anyprof_\\1\n")
    list(JOIN names "" names)
    file(CONFIGURE OUTPUT ${apf_prefixed_dir}/${header} @ONLY # is not touched if nothing changes
        CONTENT "/* Made by cmake/symbol_prefix.cmake. */\n${names}#include \"src/${header}\"\n")
    list(REMOVE_ITEM apf_outdated ${header})
endforeach()
list(TRANSFORM apf_outdated PREPEND ${apf_prefixed_dir}/)
if(apf_outdated)
    file(REMOVE ${apf_outdated})
endif()

# For code that includes headers of src.
add_library(anyprof_private INTERFACE)
target_include_directories(anyprof_private INTERFACE
    ${apf_prefixed_dir} ${apf_source_dir} ${CMAKE_CURRENT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
