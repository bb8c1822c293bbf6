/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_options.h"

#include "rt_message.h"

#include <anyprof/rt.h>

#include <stdlib.h>
#include <string.h>

/* Programs may define this function. */
#pragma weak apf_rt_default_options

enum { MOST_SECONDS = 1000000 }; /* fits an int in milliseconds */

static int parse_number(const char *digits, size_t n, unsigned *value)
{
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (digits[i] < '0' || digits[i] > '9' || sum > 99999999)
            return 0;
        sum = sum * 10 + (unsigned)(digits[i] - '0');
    }
    *value = sum < MOST_SECONDS ? sum : MOST_SECONDS;
    return n > 0;
}

static int read_option(struct aprt_options *options, const char *word, size_t n)
{
    const struct {
        const char *name;
        int *flag;
    } flags[] = {{"signals", &options->signals},
                 {"live", &options->live},
                 {"sync", &options->sync},
                 {"compatible", &options->compatible}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strlen(flags[i].name) == n && memcmp(flags[i].name, word, n) == 0)
            return *flags[i].flag = 1;
    }
    return n > 5 && memcmp(word, "wait=", 5) == 0 && parse_number(word + 5, n - 5, &options->wait);
}

static void report_unknown(const char *word, size_t n)
{
    char name[64];
    n = n < sizeof name ? n : sizeof name - 1;
    memcpy(name, word, n);
    name[n] = 0;
    aprt_message(RT_WARNING, "ANYPROF_RT_OPTIONS knows signals, live, sync, compatible, wait=SECONDS; not",
                 name, 0);
}

static void read_list(struct aprt_options *options, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ":,");
        if (n && !read_option(options, list, n))
            report_unknown(list, n);
        list += n + (list[n] != 0);
    }
}

void aprt_options_read(struct aprt_options *options)
{
    const char *environment = getenv("ANYPROF_RT_OPTIONS");
    *options = (struct aprt_options){.wait = 10};
    if (apf_rt_default_options)
        read_list(options, apf_rt_default_options());
    if (environment)
        read_list(options, environment);
}
