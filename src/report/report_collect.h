/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What instrumentation, memory and sample profiles say. */
#ifndef REPORT_REPORT_COLLECT_H
#define REPORT_REPORT_COLLECT_H

#include "jobs/check_programs.h"
#include "report/report_set.h"

/* The programs that profiles are compared with, which also complete profiles that need one. */
struct report_programs {
    const struct apf_input *list;
    size_t n;
    struct apf_check_programs *check; /* NULL: none, or they are for sample profiles, or `failure` */
    struct apf_error failure; /* they do not describe the functions that they count, but may have mappings */
    const struct apf_input *file; /* of the only profile; NULL: it is in no file */
};

/* Opens the programs of options, those of instrumentation profiles, and sets common->correlation.
 * report_programs_close must follow either way. */
int report_programs_open(struct report_programs *p, uint32_t family, const struct apf_report_options *o,
                         struct apf_options *common, struct apf_error *error);
void report_programs_close(struct report_programs *p);
/* Collects all that there is to say of `now`, and compares it with `base`, which may be empty, and with programs. */
int report_collect(struct apf_report *r, const struct report_set *now, const struct report_set *base,
                   const struct report_programs *programs, const struct apf_options *common,
                   struct apf_error *error);

#endif
