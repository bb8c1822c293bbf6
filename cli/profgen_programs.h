/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The programs of profgen: what was recorded, what its profile is made of, and where it is written. */
#ifndef CLI_PROFGEN_PROGRAMS_H
#define CLI_PROFGEN_PROGRAMS_H

#include <anyprof/profgen.h>

#include "command.h"
#include "places.h"

struct profgen_program {
    struct apf_input input;
    struct apf_input original; /* path NULL: BOLT did not write the program */
    struct place output;
    char *what; /* output.what; NULL: it is a constant */
    struct apf_profgen *profgen;
    struct apf_sample *sample; /* NULL: not made */
};

struct profgen_programs {
    struct profgen_program *list;
    size_t n;
};

/* Parses --binary, --original and -o, all of which must go together. 0, or an exit code after a report.
 * profgen_programs_free must follow in any case. */
int profgen_programs_parse(struct profgen_programs *p, const struct session *session,
                           const struct arguments *args);
void profgen_programs_free(struct profgen_programs *p);
/* The handles of all programs, for free(). */
struct apf_profgen **profgen_programs_handles(const struct profgen_programs *p);
/* Whether an output would replace one of the programs or of n inputs, or another output, after a report. */
bool profgen_programs_clash(const struct profgen_programs *p, const struct session *session,
                            const struct place *report, const struct apf_input *inputs, size_t n);

#endif
