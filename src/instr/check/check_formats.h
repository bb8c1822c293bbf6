/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The checks behind the dispatcher, check.c: one for each format, and one for what was read, whatever the format. */
#ifndef INSTR_CHECK_FORMATS_H
#define INSTR_CHECK_FORMATS_H

#include "instr/check/check_report.h"

/* What could be read of a profile. */
struct check_profile {
    struct apf_instr *instr;       /* all of it or, where the reader refuses the file, what is intact */
    bool whole;                    /* the reader takes it */
    bool names_lost, records_lost; /* not all are there: of what no other part has nothing can be said */
    uint64_t traces_at;            /* where they are, or NO_OFFSET */
    uint64_t kind_at; /* of a text that says twice what it is, differently: the second time, or NO_OFFSET */
};

/* The checks of each format, behind the reader. What that refuses they read as far as it is intact. */
void indexed_check(struct check *c, struct check_profile *p, const uint8_t *data, size_t n);
void raw_check(struct check *c, struct check_profile *p, const uint8_t *data, size_t n);
void text_check(struct check *c, struct check_profile *p, const uint8_t *data, size_t n);
/* The name with an id in the traces at *at in a text; *at becomes its place. */
struct apf_str text_trace_name(const uint8_t *data, size_t n, uint64_t id, uint64_t *at);
/* What can be seen in what was read, whatever the format. */
void profile_check(struct check *c, const struct check_profile *p);

#endif
