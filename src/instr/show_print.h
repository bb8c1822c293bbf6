/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile while it is printed: show_print.c walks it, show_record.c prints functions, show_tail.c what is behind. */
#ifndef INSTR_SHOW_PRINT_H
#define INSTR_SHOW_PRINT_H

#include <anyprof/show.h>

#include "base/text_put.h"
#include "instr/profile.h"
#include "instr/summary.h"
#include "instr/text_write.h"

/* How the value sites of one kind are filled. */
struct site_stats {
    uint64_t sites, with_values, values;
    VEC(uint64_t) histogram; /* [n]: sites with n + 1 values */
};

/* Blocks that together hold this much of the total (in millionths) are hot. */
#define SHOW_HOT_CUTOFF 990000u

/* A function and its largest count, for the lists of the hottest. */
struct hot_function {
    const struct record *record;
    uint64_t max;
};

struct show {
    const struct apf_instr *instr;
    struct apf_show_options options;
    struct file_out *out;
    bool ir;
    uint64_t shown, below;
    struct site_stats stats[APF_VALUE_KINDS];
    VEC(struct hot_function) hot;
    struct text_writer *text; /* with APF_SHOW_TEXT */
    struct arena scratch;
};

static inline bool show_asked(const struct show *s, uint32_t flag)
{
    return (s->options.flags & flag) != 0;
}

static inline void show_bytes(const struct show *s, struct apf_str bytes)
{
    (void)file_out_write(s->out, bytes.p, bytes.n);
}

/* A name behind an id; nothing for an unknown one. */
void show_name(const struct show *s, uint64_t id);
/* "  NAME:" and what the options ask for. False: memory is out. */
bool show_record(struct show *s, const struct record *r);
/* Everything behind the functions. */
int show_tail(struct show *s, struct apf_error *error);

#endif
