/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/raw_runs.h"

#include <string.h>

#include "helpers/shared/merge_memory.h"

static const uint64_t main_counts[] = {1, 20, 300}, callee_counts[] = {4000}, local_counts[] = {7, 0};
static const uint64_t main_uniform[] = {1, 19, 300}, callee_uniform[] = {0}, local_uniform[] = {7, 7};
static const uint8_t bits[] = {0x81, 2, 0x30};
static const struct rb_pair called[] = {
    {0x1040, 5, false}, {0xbad0, 3, false}, {0xbad8, 2, false}, {0x1080, 9, false}, {0x1000, 1, false},
};
static const struct rb_pair sizes[] = {{8, 5, false}, {513, 7, false}};
static const struct rb_pair tables[] = {{0x8010, 4, false}, {0x8028, 3, false}, {0x9000, 2, false}};
static const struct rb_site calls[] = {{called, 5}, {NULL, 0}}, moves[] = {{sizes, 2}},
                            loads[] = {{tables, 3}};
static const struct rb_function functions[] = {
    {.name = "main",
     .hash = 0x1234,
     .counts = main_counts,
     .n_counts = 3,
     .address = 0x1000,
     .bitmap = bits,
     .n_bitmap = 3,
     .uniform = main_uniform,
     .timestamp = 1,
     .sites = {calls, moves, loads},
     .n_sites = {2, 1, 1}},
    {.name = "callee",
     .hash = 0x777,
     .counts = callee_counts,
     .n_counts = 1,
     .address = 0x1040,
     .uniform = callee_uniform,
     .timestamp = 3,
     .gap = 1,
     .sites = {NULL, moves},
     .n_sites = {0, 1}},
    {.name = "a.c:local",
     .hash = 9,
     .counts = local_counts,
     .n_counts = 2,
     .address = 0x1080,
     .uniform = local_uniform,
     .timestamp = 2},
};
static const struct rb_vtable vtables[] = {{"_ZTV1A", 0x8000, 0x20}, {"_ZTV1B", 0x8020, 0x10}};
static const struct rb_bytes id = {"twenty bytes of hash", 20};

void make_runs(struct runs *r, size_t n, unsigned version, unsigned bytes, bool big)
{
    memset(r, 0, sizeof *r);
    r->n = n;
    for (size_t i = 0; i < n; i++) {
        struct rb_profile *p = &r->profiles[i];
        memcpy(r->functions[i], functions, sizeof functions);
        for (size_t k = 0; k < 3; k++)
            r->counts[i][k] = main_counts[k] * (i + 1);
        r->functions[i][0].counts = r->counts[i];
        p->version = version;
        p->bytes = bytes;
        p->big = big;
        p->functions = r->functions[i];
        p->n_functions = COUNT(functions);
        p->vtables = vtables;
        p->n_vtables = COUNT(vtables);
        p->ids = &id;
        p->n_ids = 1;
        p->load = bytes == 4 ? 0x10000 * i : (uint64_t)0x7f0000001000 * i;
    }
}

uint64_t merge_runs(struct runs *r)
{
    static const struct merge_way general = {APF_MERGE_GENERAL, 1, 0}, fast = {0, 1, 0};
    struct merged want, got;
    for (size_t i = 0; i < r->n; i++) {
        rb_free(&r->files[i]);
        rb_append(&r->files[i], &r->profiles[i], NULL);
        uint64_t weight = r->inputs[i].weight; /* set by the test */
        r->inputs[i] = apf_input_memory(r->files[i].data, r->files[i].n, NULL);
        r->inputs[i].weight = weight;
    }
    merge_memory(&want, r->inputs, r->n, general);
    assert_int_equal(want.stats[0].n_rejected, 0);
    assert_int_equal(want.stats[0].n_fast, 0);
    merge_memory(&got, r->inputs, r->n, fast);
    EXPECT_SAME_MERGE(&want, &got);
    uint64_t n = got.stats[0].n_fast;
    merged_free(&want);
    merged_free(&got);
    return n;
}

void free_runs(struct runs *r)
{
    for (size_t i = 0; i < r->n; i++)
        rb_free(&r->files[i]);
}
