/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reporting what a check finds: counted by severity, with the line of a text, and the function it is about. How serious
 * a finding is:
 *   error    a reader of LLVM that knows the version refuses the file or does not find a function, or we refuse it
 *   warning  counts are missing or probably wrong, or parts contradict each other
 *   note     odd, and harmless */
#ifndef INSTR_CHECK_REPORT_H
#define INSTR_CHECK_REPORT_H

#include "base/error.h"
#include "base/vec.h"
#include "instr/model/profile.h"

/* Text that is checked: its findings have a line. */
struct check_line {
    uint64_t number, from; /* from 1; where it begins */
};
struct check_lines {
    const uint8_t *text; /* NULL: it is no text */
    size_t n;
    bool columns; /* a line may have more than one thing that is wrong */
    VEC(struct check_line)
    list; /* the line that each block of the text begins in; made when one is asked for */
};

struct check {
    apf_diag_fn *diag;
    void *user;
    uint64_t input;
    struct apf_str source;
    const struct read_options *options;
    uint64_t n[APF_SEVERITY_ERROR + 1]; /* findings of each severity */
    uint64_t n_records;                 /* that were looked at */
    struct apf_str function;            /* what the next finding is about; n == 0: nothing */
    uint64_t hash;
    const struct apf_error *refused; /* the reader's error: told if nothing else tells of that place */
    bool told;
    struct check_lines lines;
    int code; /* APF_OK until memory is out or the callback says stop; then every call does nothing */
    struct apf_error *error;
};

static inline struct error_at check_spot(const char *where, uint64_t offset, uint64_t found,
                                         uint64_t expected)
{
    struct error_at at = {where, offset, found, expected};
    return at;
}
/* A finding at a place where another number is expected, or a bound, or nothing can be compared. */
void check_at(struct check *c, int severity, int code, struct error_at at, const char *detail);
void check_bound(struct check *c, int severity, int code, struct error_at at, const char *detail);
void check_place(struct check *c, int severity, int code, const char *where, uint64_t offset,
                 const char *detail);
/* What a decoder says. */
void check_failure(struct check *c, const struct apf_error *error);
/* The same where it is less than an error. */
void check_failure_as(struct check *c, int severity, const struct apf_error *error);
/* From now on offsets are in this text, of that format; of other formats this does nothing. */
void check_text(struct check *c, int32_t format, const uint8_t *data, size_t n);
void check_text_end(struct check *c);
/* The function that findings are about, until the next call. */
void check_function(struct check *c, struct apf_str name, uint64_t hash);
void check_no_function(struct check *c);
void check_memory(struct check *c);

/* Findings that are told once, with their number: where the first one is, and what function it is about. */
struct check_tally {
    uint64_t n;
    struct error_at at;
    struct apf_str function;
    uint64_t hash;
};
void check_count(struct check_tally *t, const struct check *c, const char *where, uint64_t offset);
/* `detail` is followed by how many there are. */
void check_tally_report(struct check *c, const struct check_tally *t, int severity, int code,
                        const char *detail);

#endif
