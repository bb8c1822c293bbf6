/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "diff_limit.h"

#include <inttypes.h>
#include <stdio.h>

#define PERCENT_ROOM 32u /* bytes of a share as text */

struct diff_limit diff_limit_of(const struct arguments *args)
{
    struct diff_limit limit = {args->values[OPT_FAIL_ABOVE].place != 0,
                               option_number(args, OPT_FAIL_ABOVE, 0)};
    return limit;
}

/* Writes millionths of a per cent without zeros at the end. */
static const char *write_percent(char text[PERCENT_ROOM], uint64_t millionths)
{
    size_t n = (size_t)snprintf(text, PERCENT_ROOM, "%" PRIu64 ".%06" PRIu64, millionths / 1000000,
                                millionths % 1000000);
    while (text[n - 1] == '0')
        text[--n] = '\0';
    if (text[n - 1] == '.')
        text[n - 1] = '\0';
    return text;
}

int diff_limit_judge(const struct session *session, const struct diff_limit *limit, const char *what,
                     double difference, const char *missing)
{
    const double unit = 1e8;
    uint64_t moved = (uint64_t)(difference * unit + 0.5);
    if (missing) {
        (limit->fails ? report_error : report_warning)(
            session, NULL, "no function was compared: neither profile has %s", missing);
        return limit->fails ? EXIT_DATA : 0;
    }
    if (!limit->fails || moved <= limit->limit)
        return 0;
    char share[PERCENT_ROOM], most[PERCENT_ROOM];
    report_error(session, NULL, "%s %% of the %s moved, more than %s %%", write_percent(share, moved), what,
                 write_percent(most, limit->limit));
    return EXIT_ABOVE;
}
