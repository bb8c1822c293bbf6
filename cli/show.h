/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `show` needs to know of one profile while it prints it. Text as llvm-profdata 22 prints it. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <stdio.h>

#include <anyprof/instr.h>

#include "command.h"

/* How the value sites of one kind are filled. */
struct site_stats {
    uint64_t sites, with_values, values;
    uint64_t *histogram; /* [n]: sites with n + 1 values */
    size_t n_histogram;
};

/* A function and its largest count, for the lists of the hottest. */
struct hot_function {
    uint64_t id, max;
    size_t place; /* in the profile; keeps equals in order */
};

struct show {
    const struct session *session;
    const struct arguments *args;
    struct apf_instr *instr;
    const struct apf_instr_info *info;
    FILE *out;
    bool ir, all;
    const char *filter; /* part of the names to show; "" none */
    uint64_t cutoff, topn;
    uint64_t shown, below;
    struct site_stats stats[APF_VALUE_KINDS];
    struct hot_function *hot;
    size_t n_hot, hot_capacity;
};

/* "  NAME:" and what the options ask for. */
void show_record(struct show *show, const struct apf_record *record);
/* Everything behind the functions. */
int show_tail(struct show *show, struct apf_error *error);

/* A name as it is; nothing for an unknown one. */
void show_name(const struct show *show, struct apf_str name);

#endif
