/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The grammar of one line of a text profile (docs/formats/sample.md). Nothing here knows the model. */
#ifndef SAMPLE_TEXT_LINE_H
#define SAMPLE_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anyprof/error.h>

#include "base/number.h"

enum sample_text_kind {
    SAMPLE_TEXT_HEADER,
    SAMPLE_TEXT_BODY,
    SAMPLE_TEXT_INLINED,
    SAMPLE_TEXT_VTABLES,
    SAMPLE_TEXT_CHECKSUM,
    SAMPLE_TEXT_ATTRIBUTES,
    SAMPLE_TEXT_FLAT
};

struct sample_text_line {
    enum sample_text_kind kind; /* of a line with an error: what decides about the message */
    size_t depth;               /* blanks before it */
    uint64_t at;                /* body, inlined, vtables: the place */
    uint64_t count;             /* of the line, or its total; value of metadata */
    uint64_t head;              /* header */
    struct apf_str name;        /* header, inlined */
    const char *rest;           /* body: after the count; vtables: after the word */
    const char *end;            /* of the line */
    const char *bad;            /* after a failure: the first byte that is wrong; may be `end` */
    uint64_t most; /* after a failure: the largest right number where `count` is too large; else 0 */
};

/* Decimal digits of the largest hash, 2^64-1. */
#define SAMPLE_TEXT_HASH_DIGITS 20

/* The end of the hash that begins at p, as LLVM prints one in place of a name: a decimal number of as many digits at
 * most, which may be too large for a hash. NULL: there is none. */
static inline const char *sample_text_hash_end(const char *p, const char *end)
{
    const char *s = p;
    while (s < end && number_is_digit(*s))
        s++;
    return s > p && s - p <= SAMPLE_TEXT_HASH_DIGITS ? s : NULL;
}

/* Parse the line from p to end, which has at least one byte. False: it is no such line. */
bool sample_text_header(struct sample_text_line *l, const char *p, const char *end);
/* A line that has `depth` blanks before p. */
bool sample_text_indented(struct sample_text_line *l, size_t depth, const char *p, const char *end);
/* A body line of LLVM 3.5 to 3.7, which begins at the first column. */
bool sample_text_old_body(struct sample_text_line *l, const char *p, const char *end);

/* Parses the next call target of a body line, from l->rest on, which moves after it. *more is false where there is
 * none. False: an error. */
bool sample_text_target(struct sample_text_line *l, struct apf_str *name, uint64_t *count, bool *more);
/* As sample_text_target, of a line of vtables. */
bool sample_text_vtable(struct sample_text_line *l, struct apf_str *name, uint64_t *count, bool *more);

/* What is between the brackets of a context. LLVM takes away the last byte of the name for the closing one, whatever it
 * is. n == 0: the context is empty. */
static inline struct apf_str sample_text_frames(struct apf_str name)
{
    struct apf_str inner = {name.p + 1, name.n > 2 ? name.n - 2 : 0};
    return inner;
}
/* Parses the outermost frame of what is left of a context, and moves `frames` after it. */
void sample_text_frame(struct apf_str *frames, struct apf_str *name, uint64_t *at);

#endif
