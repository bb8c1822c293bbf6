# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds d3.min.js, version 5 to 7, the library of charts that is part of reports, and defines D3_SCRIPT. Debian's
# package is node-d3; without it, download the file and give -DD3_SCRIPT=PATH.
find_file(D3_SCRIPT d3.min.js PATHS /usr/share/nodejs/d3/dist /usr/share/javascript/d3 /usr/lib/nodejs/d3/dist
    NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
if(D3_SCRIPT)
    file(STRINGS ${D3_SCRIPT} D3_VERSION REGEX "v[0-9]+[.][0-9]+[.][0-9]+ Copyright" LIMIT_COUNT 1)
    string(REGEX REPLACE ".* v([0-9.]+) Copyright.*" "\\1" D3_VERSION "${D3_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(D3 REQUIRED_VARS D3_SCRIPT VERSION_VAR D3_VERSION
    REASON_FAILURE_MESSAGE "install node-d3 (Debian), or give -DD3_SCRIPT=PATH of d3.min.js")
mark_as_advanced(D3_SCRIPT)
