/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/canonical_name.h"

#include <string.h>

void drop_suffix(struct apf_str *name, const char *suffix)
{
    size_t n = strlen(suffix), end = name->n;
    while (end && name->p[end - 1] != '.')
        end--; /* after the last dot */
    if (end >= n && memcmp(name->p + end - n, suffix, n) == 0)
        name->n = end - n;
}

struct apf_str canonical_name(struct apf_str name)
{
    drop_suffix(&name, ".llvm.");
    drop_suffix(&name, ".part.");
    return name;
}
