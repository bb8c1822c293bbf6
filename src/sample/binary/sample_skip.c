/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/binary/sample_skip.h"

void sample_skipper_free(struct sample_skipper *skipper)
{
    VEC_FREE(&skipper->left);
}

static void skip_numbers(struct cursor *c, uint64_t n)
{
    for (uint64_t i = 0; i < n && !c->failed; i++)
        (void)cursor_uleb128(c);
}

/* Skips n pairs, such as targets with their counts. */
static void skip_pairs(struct cursor *c, uint64_t n)
{
    for (uint64_t i = 0; i < n && !c->failed; i++)
        skip_numbers(c, 2);
}

/* Skips the total and the lines; returns the number of inlined functions, which follow. */
static uint64_t skip_lines(struct cursor *c)
{
    skip_numbers(c, 1);
    uint64_t n = cursor_uleb128(c);
    for (uint64_t i = 0; i < n && !c->failed; i++) {
        skip_numbers(c, 3);
        skip_pairs(c, cursor_uleb128(c));
    }
    return cursor_uleb128(c);
}

static void skip_vtables(struct cursor *c)
{
    uint64_t n = cursor_uleb128(c);
    for (uint64_t i = 0; i < n && !c->failed; i++) {
        skip_numbers(c, 2);
        skip_pairs(c, cursor_uleb128(c));
    }
}

bool sample_skip_function(struct sample_skipper *skipper, struct cursor *c)
{
    skip_numbers(c, 1);
    skipper->key = cursor_uleb128(c);
    skipper->left.n = 0;
    skipper->n_inlined = 0;
    bool done = VEC_PUSH(&skipper->left, skip_lines(c));
    while (done && !c->failed && skipper->left.n) {
        uint64_t *left = &skipper->left.data[skipper->left.n - 1];
        if (*left) {
            --*left;
            skipper->n_inlined++;
            skip_numbers(c, 3); /* place and name */
            done = VEC_PUSH(&skipper->left, skip_lines(c));
            continue;
        }
        if (skipper->has_vtables)
            skip_vtables(c);
        skipper->left.n--;
    }
    return done;
}
