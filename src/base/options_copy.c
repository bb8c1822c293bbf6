/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/options.h"

#include <string.h>

#define DEFAULT_MAX_BYTES ((uint64_t)64 << 30)

void options_take(void *to, size_t size, const void *from)
{
    size_t given;
    if (!from)
        return;
    memcpy(&given, from, sizeof given);
    memcpy(to, from, given && given < size ? given : size);
}

struct apf_options options_copy(const struct apf_options *options)
{
    struct apf_options o = {0};
    options_take(&o, sizeof o, options);
    return o;
}

uint64_t options_max_bytes(const struct apf_options *options)
{
    return options->max_bytes ? options->max_bytes : DEFAULT_MAX_BYTES;
}
