/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/sample_change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/model/sample_share.h"

#include "helpers/shared/fault.h"
#include "helpers/shared/unit.h"

#define MOST_BLOCKS 256u

/* A profile with votes that depend on its text only. */
static struct apf_sample *from_notes(const char *text)
{
    struct apf_sample *s = sample_from_notes(text);
    for (size_t i = 0; i < s->nodes.n; i++) {
        s->nodes.data[i].votes = s->nodes.data[i].total % 4;
        s->nodes.data[i].input = (uint32_t)(s->nodes.data[i].total % 5);
    }
    return s;
}

void expect_change(sample_change_fn *change, const void *how, const char *text, const char *expected,
                   struct sample_losses *losses, const char *file, int line)
{
    struct apf_sample *from = from_notes(text), *to = NULL;
    struct sample_losses own = {0};
    assert_int_equal(change(from, how, &to, losses ? losses : &own, NULL), APF_OK);
    expect_notes(to, expected, file, line);
    sample_share_free(to);
    EXPECT_NOTES(from, text); /* it has not changed */
    sample_free(from);
    sample_losses_free(&own);
}

/* ---- any order ---- */

/* The functions of a text in another order; the caller frees it. */
static char *reorder(const char *text, uint64_t *state)
{
    const char *blocks[MOST_BLOCKS + 1];
    size_t n = 0, order[MOST_BLOCKS];
    char *out = calloc(1, strlen(text) + 1), *at = out;
    for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
        if (*p == ' ')
            continue;
        assert_true(n < MOST_BLOCKS);
        order[n] = n;
        blocks[n++] = p;
    }
    blocks[n] = text + strlen(text);
    for (size_t i = n; i > 0; i--) {
        size_t k = next_random(state) % i, block = order[k];
        order[k] = order[i - 1];
        memcpy(at, blocks[block], (size_t)(blocks[block + 1] - blocks[block]));
        at += blocks[block + 1] - blocks[block];
    }
    return out;
}

/* All about the result of a change. */
static char *describe(sample_change_fn *change, const void *how, const char *text)
{
    struct apf_sample *from = from_notes(text), *to = NULL;
    struct sample_losses losses = {0};
    uint64_t votes = 0, first = 0;
    assert_int_equal(change(from, how, &to, &losses, NULL), APF_OK);
    char *notes = sample_to_notes(to);
    for (size_t i = 0; i < to->nodes.n; i++) {
        votes += to->nodes.data[i].state & SAMPLE_GONE ? 0 : to->nodes.data[i].votes;
        first += to->nodes.data[i].state & SAMPLE_GONE ? 0 : to->nodes.data[i].input;
    }
    size_t size = strlen(notes) + 200;
    char *all = malloc(size);
    snprintf(all, size, "%s%llu %llu %llu %llu %llu\n", notes, (unsigned long long)votes,
             (unsigned long long)first, (unsigned long long)losses.functions,
             (unsigned long long)losses.inlined, (unsigned long long)losses.samples);
    free(notes);
    sample_share_free(to);
    sample_free(from);
    sample_losses_free(&losses);
    return all;
}

void change_in_any_order(sample_change_fn *change, const void *how, const struct sample_random *like)
{
    uint64_t random = 11;
    for (unsigned round = 0; round < 20; round++) {
        char *notes = sample_random_notes(like, &random);
        struct apf_sample *s = sample_from_notes(notes);
        char *text = sample_to_notes(s), *first = describe(change, how, text);
        sample_free(s);
        free(notes);
        for (unsigned order = 0; order < 20; order++) {
            char *other = reorder(text, &random), *result = describe(change, how, other);
            assert_string_equal(result, first);
            free(other);
            free(result);
        }
        free(first);
        free(text);
    }
}

/* ---- failures ---- */

void change_with_faults(sample_change_fn *change, const void *how, const char *text)
{
    static const enum fault_call calls[] = {FAULT_MEMORY, FAULT_ARENA};
    struct apf_sample *from = from_notes(text);
    for (size_t c = 0; c < COUNT(calls); c++) {
        bool hit = true;
        for (uint64_t at = 1; hit; at++) {
            struct apf_sample *to = NULL;
            struct sample_losses losses = {0};
            struct apf_error error = {0};
            fault_fail(calls[c], at, 12);
            int code = change(from, how, &to, &losses, &error);
            hit = fault_hit();
            fault_reset();
            assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
            assert_int_equal(error.code, code);
            assert_true(hit == (to == NULL));
            sample_share_free(to);
            sample_losses_free(&losses);
        }
    }
    sample_free(from);
}
