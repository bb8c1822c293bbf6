# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# -DANYPROF_STATIC=ON: the command with all libraries in it, the C library, too, so that one file runs on every Linux
# system of its architecture. Only static libraries are looked for; those of Debian's -dev packages will do. A program
# that is linked statically cannot load libraries: Capstone is in it, and what else would be loaded is missing, which
# the command says when you ask for it.
if(ANYPROF_TESTS OR ANYPROF_FUZZ OR ANYPROF_MPI OR ANYPROF_SANITIZE)
    message(FATAL_ERROR "ANYPROF_STATIC builds the command alone, without tests, MPI and sanitizers")
endif()
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
add_compile_definitions(ANYPROF_STATIC)
add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static-pie>)

set(ANYPROF_LICENCES /usr/share/doc CACHE PATH "PACKAGE/copyright here is the licence of a library's Debian package")
set(ANYPROF_LICENCE_TEXTS /usr/share/common-licenses CACHE PATH "Texts that the licences of Debian's packages refer to")

# The licences of what is in the command, in share/doc/anyprof/licences. A package without them is not made.
function(apf_install_licences)
    set(packages zlib1g-dev libdeflate-dev libzstd-dev libmd-dev libxxhash-dev libiberty-dev libc6-dev)
    if(ANYPROF_ELF)
        list(APPEND packages libyaml-dev libprotobuf-c-dev libelf-dev libdw-dev libcapstone-dev node-d3)
    endif()
    file(GLOB gcc LIST_DIRECTORIES true RELATIVE ${ANYPROF_LICENCES} ${ANYPROF_LICENCES}/gcc-[0-9]*-base)
    list(FILTER gcc INCLUDE REGEX "^gcc-[0-9]+-base$")
    list(SORT gcc COMPARE NATURAL ORDER DESCENDING)
    list(APPEND gcc gcc-12-base)
    list(GET gcc 0 gcc) # libgcc has the same licence in all of them
    list(APPEND packages ${gcc})
    set(doc ${CMAKE_INSTALL_DATADIR}/doc/anyprof)
    foreach(package ${packages})
        string(REGEX REPLACE "-(dev|base)$" "" name ${package})
        if(NOT EXISTS ${ANYPROF_LICENCES}/${package}/copyright)
            message(FATAL_ERROR "The licence of ${name}, which is part of a static command, is not at "
                "${ANYPROF_LICENCES}/${package}/copyright; -DANYPROF_LICENCES=DIR names another directory")
        endif()
        install(FILES ${ANYPROF_LICENCES}/${package}/copyright DESTINATION ${doc}/licences RENAME ${name}.txt)
    endforeach()
    foreach(text GPL-2 GPL-3 LGPL-2 LGPL-2.1 LGPL-3)
        install(FILES ${ANYPROF_LICENCE_TEXTS}/${text} DESTINATION ${doc}/licences RENAME ${text}.txt)
    endforeach()
    install(FILES ${PROJECT_SOURCE_DIR}/packaging/static_licences.md DESTINATION ${doc}/licences RENAME README.md)
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/NEWS.md
        DESTINATION ${doc})
endfunction()

# `cpack` in the build directory makes anyprof-VERSION-linux-ARCHITECTURE.tar.gz.
macro(apf_static_package)
    apf_install_licences()
    install(FILES ${PROJECT_SOURCE_DIR}/include/anyprof/rt.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/anyprof)
    set(CPACK_GENERATOR TGZ)
    set(CPACK_PACKAGE_NAME anyprof)
    set(CPACK_PACKAGE_FILE_NAME anyprof-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
    set(CPACK_STRIP_FILES ON)
    set(CPACK_VERBATIM_VARIABLES ON)
    include(CPack)
endmacro()
