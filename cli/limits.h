/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include <anyprof/io.h>

#include "command.h"

/* Options with nothing but the limits of each input that the command line sets: --max-input-size, --max-records,
 * --max-depth, where the command has them. */
static inline struct apf_options limits_of(const struct arguments *args)
{
    struct apf_options options = {.size = sizeof options};
    options.max_bytes = option_number(args, OPT_MAX_INPUT_SIZE, 0);
    options.max_records = option_number(args, OPT_MAX_RECORDS, 0);
    options.max_depth = option_number(args, OPT_MAX_DEPTH, 0);
    return options;
}

#endif
