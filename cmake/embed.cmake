# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes a C source with the bytes of files: cmake -DOUT=FILE.c -DHEADER=HEADER.h "-DFILES=NAME=PATH;..." -P embed.cmake.
# Each is a `const struct page_asset NAME`: its bytes, their number, and their SHA-256.
function(as_bytes out hex)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n"
        bytes "${bytes}")
    set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

set(text "/* Made by embed.cmake. */\n#include \"${HEADER}\"\n")
foreach(entry ${FILES})
    string(REGEX REPLACE "=.*" "" name ${entry})
    string(REGEX REPLACE "^[^=]*=" "" path ${entry})
    file(READ ${path} contents HEX)
    file(SHA256 ${path} digest)
    as_bytes(contents ${contents})
    as_bytes(digest ${digest})
    string(APPEND text "static const uint8_t ${name}_bytes[] = {\n${contents}};\n"
        "const struct page_asset ${name} = {${name}_bytes, sizeof ${name}_bytes, {\n${digest}}};\n")
endforeach()
file(WRITE ${OUT} "${text}")
