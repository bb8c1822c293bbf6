/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lower half of show_print.c: the state of `show`, and how it prints one function. */
#ifndef INSTR_SHOW_RECORD_H
#define INSTR_SHOW_RECORD_H

#include <anyprof/show.h>

#include "base/text_append.h"
#include "instr/model/profile.h"
#include "instr/model/summary.h"
#include "instr/text/text_write.h"

/* Statistics of the printed value sites of one kind. */
struct site_stats {
    uint64_t sites;
    uint64_t with_values;    /* sites that have values */
    uint64_t values;         /* values of all sites */
    VEC(uint64_t) histogram; /* [n]: number of sites with n + 1 values */
};

/* A function and its largest count, for the lists of the hottest. */
struct hot_function {
    const struct record *record;
    uint64_t max;
};

struct show {
    const struct apf_instr *instr;
    struct apf_instr_print_options options;
    struct file_out *out;
    bool ir;        /* the profile is an IR profile */
    uint64_t shown; /* number of functions printed by show_record */
    uint64_t below; /* number of functions below the value cutoff */
    struct site_stats stats[APF_VALUE_KINDS];
    VEC(struct hot_function) hot; /* filled if the options ask for a list of hot functions */
    struct text_writer *text;     /* NULL without APF_INSTR_PRINT_TEXT */
    struct arena scratch;         /* holds the summary */
};

static inline bool show_asked(const struct show *s, uint32_t flag)
{
    return (s->options.flags & flag) != 0;
}

/* Prints the name of a function. */
static inline void show_function(const struct show *s, struct apf_str name)
{
    (void)file_out_function(s->out, name);
}

/* Prints a number between two texts. */
void show_number(const struct show *s, const char *before, uint64_t v, const char *behind);
/* Prints the name with an id; nothing if it is unknown. */
void show_name(const struct show *s, uint64_t id);
/* Prints the name of a function and the details that the options ask for. False: allocation failed. */
bool show_record(struct show *s, const struct record *r);

#endif
