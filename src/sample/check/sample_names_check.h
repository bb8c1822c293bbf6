/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the checks of LLVM's binary formats have in common: bytes, tables of names, tables of functions. */
#ifndef SAMPLE_NAMES_CHECK_H
#define SAMPLE_NAMES_CHECK_H

#include "sample/binary/sample_decode.h"
#include "sample/check/sample_checker.h"

/* Reports bytes that belong to no part of the file. */
void sample_check_unclaimed(struct sample_checker *k, const char *where, uint64_t at, uint64_t n);
/* Reports gaps and overlaps of the parts in a map that was filled in. */
struct byte_map;
void sample_check_map(struct sample_checker *k, const struct byte_map *map, const char *unclaimed,
                      const char *overlap);

/* Checks the table of names that a decoder has just read from its part, which began at offset `at`: order, repeated and
 * empty names and, if the whole profile was read and `used` says that they should be used, names that nothing has. */
void sample_check_name_table(struct sample_checker *k, const struct sample_decoder *d, uint64_t at,
                             bool used);
/* Sets the function of findings to entry i of the table. */
void sample_check_entry_name(struct sample_checker *k, const struct sample_decoder *d, uint64_t i);

/* ---- tables that say where functions are ---- */

/* Offsets are from the beginning of the decoder's part. */

/* A function of a part of a file. */
struct sample_start_at {
    uint64_t at;  /* its offset */
    uint64_t key; /* the number of its name or context */
    uint64_t n_inlined;
    uint64_t n_listed; /* entries of the table for it */
};
/* An entry of a table. */
struct sample_listed {
    uint64_t key, at; /* of the function */
    uint64_t entry;   /* offset of the entry in the file */
};
struct sample_listing {
    VEC(struct sample_start_at) functions; /* in the order of the file */
    VEC(struct sample_listed) entries;
    uint64_t end;         /* offset after the last function that is intact */
    bool whole;           /* no function is damaged */
    const char *where;    /* of entries in findings */
    const char *unlisted; /* of functions without an entry */
};
void sample_listing_free(struct sample_listing *l);
/* Sorts the entries by offset. */
void sample_listing_sort(struct sample_checker *k, struct sample_listing *l);
/* Lists the functions from the decoder's position on up to an offset, or to damage. The position does not change. */
void sample_listing_find(struct sample_checker *k, const struct sample_decoder *d, struct sample_listing *l,
                         uint64_t end);
/* Compares the entries, which are sorted by offset then, with the functions: each function must have one, which has its
 * key. Entries after damage are not looked at. `name` sets the function of findings to a key. */
typedef void sample_name_fn(struct sample_checker *k, const struct sample_decoder *d, uint64_t key);
void sample_listing_check(struct sample_checker *k, const struct sample_decoder *d, struct sample_listing *l,
                          sample_name_fn *name);
/* Reads the functions of the sorted entries from l->end on, each on its own, and reports their damage. */
void sample_listing_read_on(struct sample_checker *k, struct sample_decoder *d,
                            const struct sample_listing *l);

#endif
