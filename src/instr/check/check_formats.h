/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The checks that check.c calls: one for each format, and one for profiles of any format. */
#ifndef INSTR_CHECK_FORMATS_H
#define INSTR_CHECK_FORMATS_H

#include "base/check_report.h"
#include "instr/model/profile.h"

/* A profile that is checked. */
struct check_profile {
    const struct read_options *options;
    struct apf_instr *instr;       /* the whole profile or, if the reader refuses the file, its intact part */
    bool whole;                    /* the reader accepts the file */
    bool names_lost, records_lost; /* names or records are missing, so that unmatched data is no finding */
    uint64_t traces_at;            /* offset of the traces, or NO_OFFSET */
    uint64_t kind_at;              /* offset where a text contradicts its first kind, or NO_OFFSET */
};

/* The checks of each format. They read the intact part of a file that the reader refuses. */
void indexed_check(struct check *c, struct check_profile *p, const uint8_t *data, size_t n);
void raw_check(struct check *c, struct check_profile *p, const uint8_t *data, size_t n);
void text_check(struct check *c, struct check_profile *p, const uint8_t *data, size_t n);
/* The name with an id in the traces at *at of a text; *at becomes its offset. */
struct apf_str text_trace_name(const uint8_t *data, size_t n, uint64_t id, uint64_t *at);
/* Checks a profile of any format. */
void profile_check(struct check *c, const struct check_profile *p);

#endif
