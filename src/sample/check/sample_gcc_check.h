/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of the check of GCC's profiles; for its files only. */
#ifndef SAMPLE_GCC_CHECK_H
#define SAMPLE_GCC_CHECK_H

#include "base/cursor.h"
#include "sample/check/sample_names_check.h"
#include "sample/layout/sample_releases.h"

struct sample_gcc_name {
    struct apf_str text; /* in the file */
    uint64_t at;
};

struct sample_gcc_checker {
    struct sample_checker *k;
    struct cursor c;
    bool swap;
    const struct gcc_layout *layout;
    const struct sample_release *release; /* the newest one of GCC that reads the layout; NULL: none */
    unsigned n_releases;
    bool some_plain, all_plain; /* ... some of those, or all, ignore discriminators */
    VEC(struct sample_gcc_name) names;
    uint64_t names_at;
    uint32_t names_length;
    struct sample_summary summary; /* rows == NULL: there is none */
    uint64_t summary_at;
};

/* Whether the layout has a capability, GCC_CAP_*. */
bool sample_gcc_has(const struct sample_gcc_checker *g, uint32_t cap);
/* Compares the summary with the functions. */
void sample_gcc_check_summary(struct sample_gcc_checker *g);
/* Checks the functions for what releases of GCC read otherwise, or not. */
void sample_gcc_check_functions(struct sample_gcc_checker *g);

#endif
