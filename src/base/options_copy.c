/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/options.h"

#include <string.h>

#define DEFAULT_MAX_BYTES ((uint64_t)64 << 30)

struct apf_options options_copy(const struct apf_options *options)
{
    struct apf_options o = {0};
    if (options)
        memcpy(&o, options, options->size && options->size < sizeof o ? options->size : sizeof o);
    return o;
}

uint64_t options_max_bytes(const struct apf_options *options)
{
    return options->max_bytes ? options->max_bytes : DEFAULT_MAX_BYTES;
}
