# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Man pages of the public headers, for man3, where there is a python3, and the target `site`, which makes the pages for
# the web with Sphinx. The headers are all that the man pages need, so that builds for another machine have them, too.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
    message(STATUS "anyprof: no python3, the man pages of the headers (man3) are not made")
    return()
endif()

set(apf_api_pages ${CMAKE_CURRENT_BINARY_DIR}/man3)
set(apf_api_options)
if(NOT ANYPROF_ELF)
    set(apf_api_options --without-elf)
endif()
file(GLOB apf_api_inputs CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_SOURCE_DIR}/docs/*.py ${CMAKE_CURRENT_SOURCE_DIR}/examples/*.c)
add_custom_command(OUTPUT ${apf_api_pages}/made
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/docs/api_pages.py man ${apf_api_pages} ${apf_api_options}
    COMMAND ${CMAKE_COMMAND} -E touch ${apf_api_pages}/made
    DEPENDS ${apf_api_inputs} ${apf_public_headers} src/rooms.txt
    VERBATIM COMMENT "Man pages of the public headers")
add_custom_target(api_man_pages ALL DEPENDS ${apf_api_pages}/made)
install(DIRECTORY ${apf_api_pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 OPTIONAL FILES_MATCHING PATTERN "*.3")

add_custom_target(site
    COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/docs/site/build.py ${CMAKE_CURRENT_BINARY_DIR}/site
    VERBATIM USES_TERMINAL COMMENT "Pages for the web, in ${CMAKE_CURRENT_BINARY_DIR}/site")
