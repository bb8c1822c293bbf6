/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/fault.h"
#include "instr/model/summary.h"

static struct record make_record(uint64_t hash, const uint64_t *counts, size_t n)
{
    struct record r = {0};
    r.hash = hash;
    r.counts = counts;
    r.n_counts = (uint32_t)n;
    return r;
}

struct totals {
    uint64_t n_functions, n_counters, max_function_count, max_count, max_internal_count, total_count;
};

static void check_totals(const struct apf_summary *s, struct totals t)
{
    assert_int_equal(s->n_functions, t.n_functions);
    assert_int_equal(s->n_counters, t.n_counters);
    assert_int_equal(s->max_function_count, t.max_function_count);
    assert_int_equal(s->max_count, t.max_count);
    assert_int_equal(s->max_internal_count, t.max_internal_count);
    assert_int_equal(s->total_count, t.total_count);
}

static void check_rows(const struct apf_summary *s, size_t n, const struct apf_summary_row *rows)
{
    assert_int_equal(s->n_rows, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(s->rows[i].cutoff, rows[i].cutoff);
        assert_int_equal(s->rows[i].min_count, rows[i].min_count);
        assert_int_equal(s->rows[i].n_blocks, rows[i].n_blocks);
    }
}

static struct apf_summary *summarise(const struct record *records, size_t n, int cs, uint32_t flags,
                                     struct arena *arena)
{
    struct summary_input in = {records, NULL, n, cs, flags, NULL, 0};
    struct apf_summary *s = summary_make(&in, arena, arena);
    assert_non_null(s);
    return s;
}

/* As llvm-profdata-22 shows foo {100, 50, 7}, main {1}, bar {0, 60}. */
static void test_known(void **state)
{
    (void)state;
    static const uint64_t foo[] = {100, 50, 7}, main_[] = {1}, bar[] = {0, 60};
    static const struct apf_summary_row rows[] = {
        {10000, 100, 1},  {100000, 100, 1}, {200000, 100, 1}, {300000, 100, 1},
        {400000, 100, 1}, {500000, 60, 2},  {600000, 60, 2},  {700000, 60, 2},
        {800000, 50, 3},  {900000, 50, 3},  {950000, 50, 3},  {990000, 7, 4},
        {999000, 7, 4},   {999900, 7, 4},   {999990, 7, 4},   {999999, 7, 4}};
    const struct record r[] = {make_record(1, foo, 3), make_record(2, main_, 1), make_record(3, bar, 2)};
    struct arena arena = {0};
    const struct apf_summary *s = summarise(r, 3, 0, 0, &arena);
    check_totals(s, (struct totals){3, 6, 100, 100, 60, 218});
    check_rows(s, COUNT(rows), rows);
    arena_free(&arena);
}

static void test_empty(void **state)
{
    (void)state;
    static const uint64_t zeros[3];
    const struct record r[] = {make_record(1, zeros, 3), make_record(2, zeros, 0)};
    struct arena arena = {0};
    struct apf_summary_row rows[SUMMARY_CUTOFFS] = {{0, 0, 0}};
    for (size_t i = 0; i < SUMMARY_CUTOFFS; i++)
        rows[i].cutoff = summary_cutoffs[i];
    const struct apf_summary *s = summarise(NULL, 0, -1, 0, &arena);
    check_totals(s, (struct totals){0, 0, 0, 0, 0, 0});
    check_rows(s, SUMMARY_CUTOFFS, rows);
    s = summarise(r, 2, -1, 0, &arena); /* nothing is desired of a total of 0 */
    check_totals(s, (struct totals){1, 3, 0, 0, 0, 0});
    check_rows(s, SUMMARY_CUTOFFS, rows);
    arena_free(&arena);
}

/* The first rows may want no part of a small total: they are zero, not the largest count. */
static void test_tiny_total(void **state)
{
    (void)state;
    static const uint64_t ones[] = {1, 1, 1};
    static const struct apf_summary_row rows[] = {
        {10000, 0, 0},  {100000, 0, 0}, {200000, 0, 0}, {300000, 0, 0}, {400000, 1, 3}, {500000, 1, 3},
        {600000, 1, 3}, {700000, 1, 3}, {800000, 1, 3}, {900000, 1, 3}, {950000, 1, 3}, {990000, 1, 3},
        {999000, 1, 3}, {999900, 1, 3}, {999990, 1, 3}, {999999, 1, 3}};
    const struct record r = make_record(1, ones, 3);
    struct arena arena = {0};
    check_rows(summarise(&r, 1, 0, 0, &arena), COUNT(rows), rows);
    arena_free(&arena);
}

static void test_context_sensitive(void **state)
{
    (void)state;
    static const uint64_t a[] = {5, 1}, b[] = {70000, 2, 3};
    const struct record r[] = {make_record(1, a, 2), make_record(1 | APF_HASH_CS, b, 3),
                               make_record(~APF_HASH_CS, a, 1)};
    struct arena arena = {0};
    check_totals(summarise(r, 3, 0, 0, &arena), (struct totals){2, 3, 5, 5, 1, 11});
    check_totals(summarise(r, 3, 1, 0, &arena), (struct totals){1, 3, 70000, 70000, 3, 70005});
    check_totals(summarise(r, 3, 7, 0, &arena), (struct totals){1, 3, 70000, 70000, 3, 70005});
    check_totals(summarise(r, 3, -1, 0, &arena), (struct totals){3, 6, 70000, 70000, 3, 70016});
    arena_free(&arena);
}

/* The same profile in llvm-profdata-22 (as in 16) and -15 (as in 13): f, bar (hot), baz (warm). */
static void test_pseudo(void **state)
{
    (void)state;
    static const uint64_t f[] = {5, UINT64_MAX, UINT64_MAX - 1}, bar[] = {UINT64_MAX, 4};
    static const uint64_t baz[] = {UINT64_MAX - 1, 70000};
    const struct record r[] = {make_record(1, f, 3), make_record(1, bar, 2), make_record(1, baz, 2)};
    struct arena arena = {0};
    const struct apf_summary *s = summarise(r, 3, -1, 0, &arena);
    check_totals(s, (struct totals){1, 3, 5, UINT64_MAX, UINT64_MAX, 2});
    for (size_t i = 0; i < SUMMARY_CUTOFFS; i++) {
        assert_int_equal(s->rows[i].min_count, i < 5 ? 0 : UINT64_MAX);
        assert_int_equal(s->rows[i].n_blocks, i >= 5);
    }
    s = summarise(r, 3, -1, SUMMARY_NO_PSEUDO, &arena);
    check_totals(s, (struct totals){3, 5, UINT64_MAX - 1, UINT64_MAX - 1, UINT64_MAX - 1, 70005});
    for (size_t i = 0; i < SUMMARY_CUTOFFS; i++) {
        assert_int_equal(s->rows[i].min_count, UINT64_MAX - 1);
        assert_int_equal(s->rows[i].n_blocks, 2);
    }
    arena_free(&arena);
}

static void test_own_cutoffs(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 2, 40000, 40000, 100000};
    static const uint32_t cutoffs[] = {0, 1, 555520, 555560, 999989, 1000000};
    static const struct apf_summary_row rows[] = {{0, 0, 0},          {1, 0, 0},      {555520, 100000, 1},
                                                  {555560, 40000, 3}, {999989, 2, 4}, {1000000, 1, 5}};
    const struct record r = make_record(1, counts, 5);
    struct arena arena = {0};
    struct summary_input in = {&r, NULL, 1, -1, 0, cutoffs, COUNT(cutoffs)};
    const struct apf_summary *s = summary_make(&in, &arena, &arena);
    assert_non_null(s);
    assert_int_equal(s->total_count, 180003);
    check_rows(s, COUNT(rows), rows);
    arena_free(&arena);
}

/* ---- against a plain computation ---- */

static int descending(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x < y) - (x > y);
}

__extension__ typedef unsigned __int128 wide;

static void check_against_plain(const struct apf_summary *s, uint64_t *all, size_t n)
{
    qsort(all, n, sizeof *all, descending);
    uint64_t total = 0, sum = 0;
    size_t seen = 0;
    for (size_t i = 0; i < n; i++)
        total += all[i];
    assert_int_equal(s->total_count, total);
    assert_int_equal(s->n_counters, n);
    assert_int_equal(s->max_count, all[0]);
    for (size_t i = 0; i < SUMMARY_CUTOFFS; i++) {
        uint64_t desired = (uint64_t)((wide)total * summary_cutoffs[i] / 1000000);
        while (sum < desired && seen < n) {
            uint64_t count = all[seen];
            for (; seen < n && all[seen] == count; seen++)
                sum += count;
        }
        assert_int_equal(s->rows[i].min_count, seen ? all[seen - 1] : 0);
        assert_int_equal(s->rows[i].n_blocks, seen);
    }
}

static void test_random(void **state)
{
    (void)state;
    enum { MOST = 30000 }; /* so that small and large profiles come up */
    static uint64_t all[MOST];
    static struct record records[MOST];
    uint64_t seed = 1;
    for (unsigned round = 0; round < 200; round++) {
        uint64_t *counts = (uint64_t *)malloc(sizeof all);
        assert_non_null(counts);
        size_t n = 1 + (size_t)(next_random(&seed) % MOST), n_records = 0;
        for (size_t i = 0; i < n; i++) {
            unsigned shift = (unsigned)(next_random(&seed) % 64);
            counts[i] = next_random(&seed) >> (round % 4 == 0   ? shift
                                               : round % 4 == 1 ? 50
                                               : round % 4 == 2 ? 48
                                                                : 20);
            if (counts[i] > COUNT_MAX)
                counts[i] = COUNT_MAX;
        }
        memcpy(all, counts, n * sizeof *all);
        for (size_t at = 0, take; at < n; at += take) {
            take = 1 + (size_t)(next_random(&seed) % 9);
            take = take < n - at ? take : n - at;
            records[n_records++] = make_record(next_random(&seed), counts + at, take);
        }
        struct arena arena = {0};
        const struct apf_summary *s = summarise(records, n_records, -1, 0, &arena);
        assert_int_equal(s->n_functions, n_records);
        check_against_plain(s, all, n);
        arena_free(&arena);
        free(counts);
    }
}

/* Around the borders between groups, and where many different counts are in one group. */
static void test_groups(void **state)
{
    (void)state;
    static const uint64_t around[] = {512,           1024, 32768, (uint64_t)511 << 20, (uint64_t)1 << 50,
                                      COUNT_MAX - 30};
    uint64_t counts[100];
    for (size_t k = 0; k < COUNT(around); k++) {
        for (size_t i = 0; i < COUNT(counts); i++)
            counts[i] = around[k] - 25 + i / 2;
        const struct record r = make_record(1, counts, COUNT(counts));
        struct arena arena = {0};
        check_against_plain(summarise(&r, 1, -1, 0, &arena), counts, COUNT(counts));
        arena_free(&arena);
    }
}

/* Records that were chosen from others. */
static void test_chosen(void **state)
{
    (void)state;
    static const uint64_t a[] = {5, 1}, b[] = {70000, 2, 3};
    const struct record first = make_record(1, a, 2), second = make_record(2, b, 3);
    const struct record *const chosen[] = {&second, &first};
    struct summary_input in = {NULL, chosen, 2, -1, 0, NULL, 0};
    struct arena arena = {0};
    const struct apf_summary *s = summary_make(&in, &arena, &arena);
    assert_non_null(s);
    check_totals(s, (struct totals){2, 5, 70000, 70000, 3, 70011});
    in.n = 1;
    s = summary_make(&in, &arena, &arena);
    assert_non_null(s);
    check_totals(s, (struct totals){1, 3, 70000, 70000, 3, 70005});
    arena_free(&arena);
}

/* ---- the public call ---- */

static void test_public(void **state)
{
    (void)state;
    static const uint64_t a[] = {5, 1}, b[] = {7};
    struct apf_instr *p = profile_new();
    const struct apf_summary *s, *again;
    assert_non_null(p);
    assert_true(VEC_PUSH(&p->records, make_record(1, a, 2)));
    assert_true(VEC_PUSH(&p->records, make_record(APF_HASH_CS, b, 1)));
    assert_int_equal(apf_instr_summary(p, APF_SUMMARY_NOT_CS, &s, NULL), APF_OK);
    check_totals(s, (struct totals){1, 2, 5, 5, 1, 6});
    assert_int_equal(apf_instr_summary(p, APF_SUMMARY_NOT_CS, &again, NULL), APF_OK);
    assert_ptr_equal(s, again);
    assert_int_equal(apf_instr_summary(p, APF_SUMMARY_CS, &again, NULL), APF_OK);
    check_totals(again, (struct totals){1, 1, 7, 7, 0, 7});
    assert_int_equal(apf_instr_summary(p, APF_SUMMARY_ALL, &again, NULL), APF_OK);
    check_totals(again, (struct totals){2, 3, 7, 7, 1, 13});
    check_totals(s, (struct totals){1, 2, 5, 5, 1, 6});
    profile_free(p);
}

static void test_memory_faults(void **state)
{
    (void)state;
    static const uint64_t counts[] = {5, 70000};
    struct apf_instr *p = profile_new();
    static const struct apf_summary never;
    const struct apf_summary *s;
    struct apf_error error;
    assert_non_null(p);
    assert_true(VEC_PUSH(&p->records, make_record(1, counts, 2)));
    uint64_t k = 1;
    for (;; k++) {
        s = &never;
        fault_fail(FAULT_MEMORY, k, ENOMEM);
        int code = apf_instr_summary(p, APF_SUMMARY_ALL, &s, &error);
        bool hit = fault_hit();
        fault_reset();
        assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
        if (!hit)
            break;
        assert_null(s);
        assert_int_equal(error.code, APF_NO_MEMORY);
    }
    assert_in_range(k, 3, 8);
    check_totals(s, (struct totals){1, 2, 5, 70000, 70000, 70005});
    profile_free(p);
}

TEST_FILE(summary)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),         cmocka_unit_test(test_empty),
        cmocka_unit_test(test_tiny_total),    cmocka_unit_test(test_context_sensitive),
        cmocka_unit_test(test_pseudo),        cmocka_unit_test(test_own_cutoffs),
        cmocka_unit_test(test_random),        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_chosen),        cmocka_unit_test(test_public),
        cmocka_unit_test(test_memory_faults),
    };
    return RUN_TESTS(tests);
}
