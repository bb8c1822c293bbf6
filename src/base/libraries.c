/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

#include <libdeflate.h>
#include <zlib.h>
#include <zstd.h>

#include <anyprof/error.h>

#include "base/yaml_events.h"

size_t apf_libraries(char *to, size_t size)
{
    const char *yaml = yaml_library_version();
    int n =
        snprintf(to, size, "zlib %s, libdeflate %s, zstd %s%s%s", zlibVersion(), LIBDEFLATE_VERSION_STRING,
                 ZSTD_versionString(), yaml ? ", libyaml " : "", yaml ? yaml : "");
    return n > 0 ? (size_t)n : 0;
}
