/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What LLVM's binary formats have in common: numbers, the summary, tables of names, functions.
 *
 * A decoder reads one part of a file after the other. Functions refer to names and contexts by numbers of tables in the
 * file; the decoder has the profile's number for each. A table can be interned as a whole, or entry by entry when a
 * function refers to it, for lookups. */
#ifndef SAMPLE_DECODE_H
#define SAMPLE_DECODE_H

#include "base/cursor.h"
#include "base/error.h"
#include "sample/layout/sample_versions.h"
#include "sample/model/sample_profile.h"

/* ---- numbers ---- */

struct sample_number {
    uint64_t value;
    const uint8_t *next; /* after the number; NULL: it does not end before `end`, or has more than 64 bits */
};

/* A number of which at least two bytes, if they are there, have their highest bit set. */
struct sample_number sample_number_long(const uint8_t *p, const uint8_t *end);

/* The ULEB128 number at *p, which moves after it. If there is none, *p stays and *failed is set, so that all further
 * numbers are 0, too. The addresses of local variables are fine: they stay in registers. */
static ALWAYS_INLINE uint64_t sample_number_at(const uint8_t **p, const uint8_t *end, bool *failed)
{
    const uint8_t *at = *p;
    if (LIKELY(at < end && at[0] < 0x80)) {
        *p = at + 1;
        return at[0];
    }
    if (LIKELY(end - at > 1 && at[1] < 0x80)) {
        *p = at + 2;
        return (uint64_t)at[1] << 7 | (at[0] & 0x7f);
    }
    struct sample_number number = sample_number_long(at, end);
    if (LIKELY(number.next != NULL))
        *p = number.next;
    else
        *failed = true;
    return number.value;
}

/* ---- tables of names ---- */

/* The name table of a file: names, or hashes. All zero = empty. */
struct sample_name_table {
    size_t n;
    VEC(struct apf_str) names; /* n of them, or none; they point into the bytes that were read */
    VEC(uint64_t) hashes;      /* n of them, or none */
    bool ascending;            /* names ascend strictly */
};

void sample_name_table_free(struct sample_name_table *t);

/* ---- the decoder ---- */

/* A function that is being read. */
struct sample_level {
    uint32_t node;
    uint32_t left; /* functions inlined in it that are still to come */
};

/* All zero but for the first members: nothing was read. sample_decoder_free frees it. */
struct sample_decoder {
    struct apf_sample *s;
    const struct sample_read_options *options;
    struct cursor c;    /* the part that is read; its `failed` is set by numbers that do not fit */
    const char *where;  /* name of the part in errors */
    uint64_t stored_at; /* offset of the part in the file, if it was inflated from there; else NO_OFFSET */
    uint32_t mask;      /* of discriminators */
    bool has_vtables;   /* bodies end with vtables */
    bool has_contexts;  /* keys of functions are numbers of a table of contexts, else of the name table */
    struct sample_name_table table;
    bool in_order; /* entry i of the name table is name i of the profile, and `names` is unused */
    VEC(uint32_t)
    names; /* for each entry of the name table the name's number; SAMPLE_NONE: not interned yet */
    VEC(uint32_t) contexts; /* likewise of the table of contexts */
    /* Interns the context with a number of that table. */
    int (*intern_context)(struct sample_decoder *d, size_t i, uint32_t *context, struct apf_error *error);
    void *user;             /* for intern_context */
    VEC(uint32_t) interned; /* entries of the name table that were interned when they were first used */
    VEC(struct sample_level) levels;
    uint64_t n_records;              /* functions and inlined functions so far */
    struct sample_progress progress; /* as in the options, which get it when reading fails */
    bool stopped;                    /* options->max_functions were read */
};

void sample_decoder_free(struct sample_decoder *d);

static inline uint64_t sample_decode_number(struct sample_decoder *d)
{
    return sample_number_at(&d->c.p, d->c.end, &d->c.failed);
}

/* The offset in the file of a byte of the part; all bytes of an inflated part have that of its section. */
static inline uint64_t sample_decode_offset(const struct sample_decoder *d, const uint8_t *p)
{
    uint64_t inside = (uint64_t)((uintptr_t)p - (uintptr_t)d->c.base);
    return d->stored_at == NO_OFFSET ? d->c.origin + inside : d->stored_at;
}

/* ---- errors ---- */

/* Reports that a number does not fit: LLVM's words are those for data that is cut off, or for too many bits. `what` is
 * its meaning. */
int sample_decode_cut(const struct sample_decoder *d, const char *what, struct apf_error *error);
/* Reports, at d->c.p, a value that `expected` bounds. `detail` may be NULL. */
int sample_decode_bound(const struct sample_decoder *d, int code, uint64_t found, uint64_t expected,
                        const char *detail, struct apf_error *error);
/* Reports, at d->c.p, what no numbers describe. */
int sample_decode_wrong(const struct sample_decoder *d, int code, const char *detail,
                        struct apf_error *error);

/* ---- parts ---- */

/* Reads a number of at most 32 bits, as LLVM reads it: larger ones are malformed. */
int sample_decode_u32(struct sample_decoder *d, uint32_t *value, const char *what, struct apf_error *error);
/* Checks that a number of entries of at least `size` bytes each fits, which was read before d->c.p. */
int sample_decode_fits(struct sample_decoder *d, uint64_t count, size_t size, const char *what,
                       struct apf_error *error);
/* Reads the number of entries of a list, and checks it like sample_decode_fits. */
int sample_decode_count(struct sample_decoder *d, uint64_t *count, size_t size, const char *what,
                        struct apf_error *error);
/* As sample_decode_count, where LLVM reads 32 bits. */
int sample_decode_long_count32(struct sample_decoder *d, uint32_t *count, size_t size, const char *what,
                               struct apf_error *error);
static inline int sample_decode_count32(struct sample_decoder *d, uint32_t *count, size_t size,
                                        const char *what, struct apf_error *error)
{
    if (LIKELY(cursor_left(&d->c) > 0x80 * size && *d->c.p < 0x80)) { /* one byte, whose entries fit */
        *count = *d->c.p++;
        return APF_OK;
    }
    return sample_decode_long_count32(d, count, size, what, error);
}
/* Reads a summary into s->stored. */
int sample_decode_summary(struct sample_decoder *d, struct apf_error *error);
/* Reads the bytes up to a NUL, which ends a name. */
int sample_decode_text(struct sample_decoder *d, struct apf_str *text, struct apf_error *error);
/* Reads a name table of strings, which replaces the last one. None of them is interned yet. */
int sample_decode_names(struct sample_decoder *d, struct apf_error *error);
/* Reads a name table of hashes, as words of 8 bytes (`fixed`) or as numbers. */
int sample_decode_hashes(struct sample_decoder *d, bool fixed, struct apf_error *error);
/* Copies the bytes of all names of the table to the profile, where later copies are not needed. */
int sample_decode_adopt(struct sample_decoder *d, struct apf_error *error);
/* Interns all names of the table, which must be the first of the profile. */
int sample_decode_intern(struct sample_decoder *d, struct apf_error *error);
/* The profile's number for entry i of the name table; SAMPLE_NONE: it is not interned yet. */
static inline uint32_t sample_decode_interned(const struct sample_decoder *d, size_t i)
{
    return d->in_order ? (uint32_t)i : d->names.data[i];
}
/* Finds the profile's number for entry i of the name table. If it is not interned yet, that is done without a copy of
 * its bytes, and i is appended to d->interned. */
int sample_decode_name_of(struct sample_decoder *d, size_t i, uint32_t *name, struct apf_error *error);
/* Reads the number of an entry of a table of n entries. */
int sample_decode_index(struct sample_decoder *d, size_t n, const char *what, size_t *i,
                        struct apf_error *error);
/* Reads the number of a name in the table, and finds the profile's. */
int sample_decode_name(struct sample_decoder *d, uint32_t *name, struct apf_error *error);
/* The number of entries that keys of functions at the top level are numbers of. */
static inline size_t sample_decode_keys(const struct sample_decoder *d)
{
    return d->has_contexts ? d->contexts.n : d->table.n;
}
/* Finds the context of a key, which is below that number. */
int sample_decode_context_of(struct sample_decoder *d, size_t key, uint32_t *context,
                             struct apf_error *error);
/* Reads the key of a function, and finds its context. */
int sample_decode_key(struct sample_decoder *d, uint32_t *context, struct apf_error *error);

/* Reads a function at the top level. */
int sample_decode_function(struct sample_decoder *d, struct apf_error *error);
/* Reads functions with `decode` up to the end of the part, or up to options->max_functions, and counts them in
 * d->progress. */
typedef int sample_decode_fn(struct sample_decoder *d, struct apf_error *error);
int sample_decode_functions(struct sample_decoder *d, sample_decode_fn *decode, struct apf_error *error);
/* Counts a function that was read as a whole in d->progress. */
void sample_decode_counted(struct sample_decoder *d);
/* Appends the node for a context at the top level, and adds its head. APF_LIMIT: too many functions. */
int sample_decode_top(struct sample_decoder *d, uint32_t context, uint64_t head, uint32_t *node,
                      struct apf_error *error);
#endif
