/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which compiler a program is of. */
#ifndef PROFGEN_PROFGEN_GCC_PRODUCER_H
#define PROFGEN_PROFGEN_GCC_PRODUCER_H

#include "profgen/profgen_program.h"
#include "sample/layout/sample_releases.h"

/* What the text of a unit's producer says. */
enum profgen_producer {
    PROFGEN_PRODUCER_UNKNOWN, /* nothing, or an assembler */
    PROFGEN_PRODUCER_SAME,    /* a GCC whose lines the release understands */
    PROFGEN_PRODUCER_OTHER
};

/* Releases that ignore discriminators understand each other. */
enum profgen_producer profgen_producer_of(const char *text, const struct sample_release *release);
/* Reports to p->options->diag if all units are of other compilers than the release. */
int profgen_gcc_check_producers(const struct profgen_program *p, const struct sample_release *release,
                                struct apf_error *error);

#endif
