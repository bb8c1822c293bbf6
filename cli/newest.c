/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "newest.h"

#include <stddef.h>

#include <anyprof/instr.h>

const char *newest_release(void)
{
    const char *name, *newest = "";
    for (unsigned i = 0; (name = apf_release_name(i)) != NULL; i++)
        newest = name;
    return newest;
}

struct apf_sample_target newest_sample_target(enum apf_sample_target_kind kind)
{
    struct apf_sample_target target = {kind, 0};
    while (apf_sample_release_name(kind, target.release + 1))
        target.release++;
    return target;
}
