/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stable sorting. The scratch memory is the caller's, so that sorting cannot fail. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True when *a must come before *b; must be a strict weak order. */
typedef bool sort_before(const void *context, const void *a, const void *b);

/* Merge sort of n items of `size` bytes, `scratch` being as large as they are. Stable. */
void sort_merge(void *items, void *scratch, size_t n, size_t size, sort_before *before, const void *context);

/* Sorts a vector (base/vec.h); its spare room is the scratch memory. False when memory is out. */
#define SORT_VEC(v, before, context)                                                                         \
    (VEC_RESERVE(v, (v)->n) &&                                                                               \
     ((v)->n < 2 ||                                                                                          \
      (sort_merge((v)->data, (v)->data + (v)->n, (v)->n, sizeof *(v)->data, before, context), true)))

/* Sorts numbers, ascending. */
void sort_numbers(uint64_t *numbers, uint64_t *scratch, size_t n);
/* Whether a number is among sorted ones. */
bool sort_has_number(const uint64_t *numbers, size_t n, uint64_t number);

/* A number to be sorted by, and the caller's number for it. */
struct sort_key {
    uint64_t key, value;
};

/* Sorts by key, ascending. Stable. */
void sort_keys(struct sort_key *keys, struct sort_key *scratch, size_t n);

/* A string to be sorted by its bytes (a prefix of another one comes first), with the caller's number for it. */
struct sort_name {
    uint64_t prefix; /* made by sort_names */
    const char *p;
    uint32_t n;
    uint32_t index;
};

/* Sorts by bytes. Stable. */
void sort_names(struct sort_name *names, struct sort_name *scratch, size_t n);
/* The order sort_names uses: below, equal to or above 0. */
int sort_compare_bytes(const void *a, size_t na, const void *b, size_t nb);
/* That order of two struct apf_str, for sort_merge. */
bool sort_text_before(const void *context, const void *a, const void *b);

#endif
