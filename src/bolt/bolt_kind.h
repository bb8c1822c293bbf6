/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kind of profile in a file, by its first bytes, as llvm-bolt tells them apart: fdata is what nothing else
 * matches. */
#ifndef BOLT_BOLT_KIND_H
#define BOLT_BOLT_KIND_H

#include "base/file_magic.h"

enum bolt_kind { BOLT_FDATA, BOLT_YAML, BOLT_PERF_DATA };

static inline enum bolt_kind bolt_kind_of(const void *p, size_t n)
{
    if (perf_data_begins((const uint8_t *)p, n))
        return BOLT_PERF_DATA;
    return yaml_begins((const uint8_t *)p, n) || bolt_yaml_begins((const uint8_t *)p, n) ? BOLT_YAML
                                                                                         : BOLT_FDATA;
}

#endif
