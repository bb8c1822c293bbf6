/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Growable arrays: VEC(type) declares one; an all-zero one is empty. Growth is by half, checked, and never
 * beyond the limit given. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/compiler.h"

#define VEC(type)                                                                                            \
    struct {                                                                                                 \
        type *data;                                                                                          \
        size_t n, capacity;                                                                                  \
    }

/* The most bytes of an array. */
#define VEC_MAX_BYTES ((size_t)1 << 46)

/* Makes room for `more` entries; false when an allocation failed, which leaves the vector unchanged. */
#define VEC_RESERVE(v, more)                                                                                 \
    ((more) <= (v)->capacity - (v)->n ||                                                                     \
     vec_grow(&(v)->data, &(v)->capacity, (v)->n, (more), sizeof *(v)->data))
#define VEC_PUSH(v, value) (VEC_RESERVE(v, 1) && ((v)->data[(v)->n++] = (value), true))
/* Gives back the room that is not used. */
#define VEC_TRIM(v) vec_trim(&(v)->data, &(v)->capacity, (v)->n, sizeof *(v)->data)
#define VEC_FREE(v) (free((v)->data), (v)->data = NULL, (v)->n = (v)->capacity = 0)

/* The address of entry i of an array; NULL if the array is NULL, as that of an empty vector: C allows no addition to
 * NULL, not even of 0. */
#define ENTRY_AT(array, i) ((array) ? (array) + (i) : (array))

/* `field` is the address of a vector's `data`. */
void vec_trim(void *field, size_t *capacity, size_t n, size_t size);
bool vec_grow(void *field, size_t *capacity, size_t n, size_t more, size_t size) MUST_USE;

#endif
