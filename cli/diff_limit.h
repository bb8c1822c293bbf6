/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* diff --fail-above. */
#ifndef CLI_DIFF_LIMIT_H
#define CLI_DIFF_LIMIT_H

#include "request.h"

struct diff_limit {
    bool fails;     /* --fail-above was given */
    uint64_t limit; /* in millionths of a per cent */
};

struct diff_limit diff_limit_of(const struct arguments *args);
/* The exit code for a difference, from 0 to 1, of what is counted; a report if it is above the limit. `missing`: NULL,
 * or what neither profile has, so that no function was compared: that must not look like equality. */
int diff_limit_judge(const struct session *session, const struct diff_limit *limit, const char *what,
                     double difference, const char *missing);

#endif
