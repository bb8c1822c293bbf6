# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DOUTPUT=FILE -DSOVERSION=VERSION -DSYMBOLS=LIST -DHEADERS=LIST -P version_script.cmake
#
# Writes the version script of libanyprof.so: the public functions, and the private SYMBOLS that libanyprof-elf.so uses,
# in a node named after the contents of HEADERS. With another libanyprof.so, whose structs or functions may differ,
# libanyprof-elf.so is not loaded: "version `ANYPROF_PRIVATE_...' not found".
set(contents)
list(SORT HEADERS)
foreach(header ${HEADERS})
    file(SHA256 ${header} digest)
    string(APPEND contents ${digest})
endforeach()
string(SHA256 digest "${contents}")
string(SUBSTRING ${digest} 0 16 digest)

set(script "ANYPROF_${SOVERSION} { global: apf_*; local: *; };\n")
if(SYMBOLS)
    list(JOIN SYMBOLS "; " symbols)
    string(APPEND script "ANYPROF_PRIVATE_${digest} { global: ${symbols}; };\n")
endif()
file(WRITE ${OUTPUT} "${script}")
