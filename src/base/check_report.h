/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports what is wrong with a file that is checked: findings are counted by severity, and get the line of a text and
 * the function. How serious a finding is:
 *   error    a compiler or tool that knows the version refuses the file or does not find a function, or we refuse it
 *   warning  counts are missing or probably wrong, or parts contradict each other
 *   note     odd, and harmless */
#ifndef BASE_CHECK_REPORT_H
#define BASE_CHECK_REPORT_H

#include "base/error.h"
#include "base/vec.h"

/* Lines of a checked text. */
struct check_line {
    uint64_t number, from; /* from 1; offset of the line */
};
struct check_lines {
    const uint8_t *text; /* NULL: no text */
    size_t n;
    bool columns; /* findings have columns, since a line may have several */
    VEC(struct check_line)
    list; /* the line in which each block of the text begins; made when first needed */
};

struct check {
    apf_diag_fn *diag;
    void *user;
    uint64_t input;
    struct apf_str source;
    uint64_t n[APF_SEVERITY_ERROR + 1]; /* findings of each severity */
    uint64_t n_records;                 /* checked records */
    struct apf_str function;            /* function of the next finding; n == 0: none */
    uint64_t hash;
    const struct apf_error *refused; /* the reader's error: reported unless a finding has its place */
    bool refusal_reported;           /* a finding had the place of `refused` */
    struct check_lines lines;
    int code; /* APF_OK until an allocation fails or the callback stops; then calls do nothing */
    struct apf_error *error;
};

static inline struct error_at check_spot(const char *where, uint64_t offset, uint64_t found,
                                         uint64_t expected)
{
    struct error_at at = {where, offset, found, expected};
    return at;
}
/* Report a finding at a place: with an expected number, with one that the detail states, with a bound, or without
 * numbers. */
void check_at(struct check *c, uint32_t severity, int code, struct error_at at, const char *detail);
void check_with_numbers(struct check *c, uint32_t severity, int code, struct error_at at, const char *detail);
void check_bound(struct check *c, uint32_t severity, int code, struct error_at at, const char *detail);
void check_place(struct check *c, uint32_t severity, int code, const char *where, uint64_t offset,
                 const char *detail);
/* Reports the error of a decoder. */
void check_failure(struct check *c, const struct apf_error *error);
/* Reports the error of a decoder with another severity. */
void check_failure_as(struct check *c, uint32_t severity, const struct apf_error *error);
/* Sets the text that further offsets refer to, until check_text_end. */
void check_text(struct check *c, const uint8_t *data, size_t n, bool columns);
void check_text_end(struct check *c);
/* Sets the function that findings are about, until the next call. */
void check_function(struct check *c, struct apf_str name, uint64_t hash);
void check_no_function(struct check *c);
void check_memory(struct check *c);

/* Findings that are reported once, with their number, and the place and function of the first one. */
struct check_tally {
    uint64_t n;
    struct error_at at;
    struct apf_str function;
    uint64_t hash;
};
void check_count(struct check_tally *t, const struct check *c, const char *where, uint64_t offset);
/* Reports a tally that is not empty; the number follows `detail`. */
void check_tally_report(struct check *c, const struct check_tally *t, uint32_t severity, int code,
                        const char *detail);

#endif
