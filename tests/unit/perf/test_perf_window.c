/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order of time, beside perf's rule: at a mark, what is not later than the latest record before the mark before is
 * passed on, in the order of time, and of the file where times are equal. */
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/fault.h"
#include "helpers/shared/unit.h"
#include "perf/perf_window.h"

#define MOST 4000u

struct passed {
    struct perf_timed list[MOST];
    size_t n, stop; /* stop: fails at this record, unless 0 */
};

static int keep(void *user, const struct perf_timed *record, struct apf_error *error)
{
    struct passed *p = user;
    (void)error;
    assert_true(p->n < MOST);
    p->list[p->n++] = *record;
    return p->n == p->stop ? 77 : APF_OK;
}

static void add(struct perf_window *w, struct perf_blocks *blocks, uint64_t time, uint32_t number)
{
    struct perf_timed record = {.time = time, .attr = number};
    assert_int_equal(perf_window_add(w, blocks, &record, NULL), APF_OK);
}

/* perf's rule, by the letter. */
struct model {
    struct perf_timed queue[MOST], out[MOST];
    size_t n, n_out;
    uint64_t limit, max;
};

static void model_pass(struct model *m, uint64_t limit)
{
    for (;;) {
        size_t first = m->n;
        for (size_t i = 0; i < m->n; i++)
            if (m->queue[i].time <= limit && (first == m->n || m->queue[i].time < m->queue[first].time))
                first = i;
        if (first == m->n)
            return;
        m->out[m->n_out++] = m->queue[first];
        memmove(&m->queue[first], &m->queue[first + 1], (m->n - first - 1) * sizeof *m->queue);
        m->n--;
    }
}

static void compare(uint64_t seed, unsigned spread, unsigned marks)
{
    struct perf_window w = {.n_sorted = 0};
    struct perf_blocks blocks = {.unused = NULL};
    struct passed *p = calloc(1, sizeof *p);
    struct model *m = calloc(1, sizeof *m);
    assert_non_null(p);
    assert_non_null(m);
    for (uint32_t i = 0; i < MOST; i++) {
        uint64_t time = 1 + i / 10 + next_random(&seed) % spread;
        add(&w, &blocks, time, i);
        m->queue[m->n++] = (struct perf_timed){.time = time, .attr = i};
        m->max = time > m->max ? time : m->max;
        if (next_random(&seed) % marks)
            continue;
        assert_int_equal(perf_window_mark(&w, &blocks, keep, p, NULL), APF_OK);
        model_pass(m, m->limit);
        m->limit = m->max;
        assert_int_equal(p->n, m->n_out);
    }
    assert_int_equal(perf_window_shrink(&w, true, &blocks, keep, p, NULL), APF_OK);
    model_pass(m, UINT64_MAX);
    assert_int_equal(p->n, MOST);
    for (size_t i = 0; i < MOST; i++)
        assert_int_equal(p->list[i].attr, m->out[i].attr);
    perf_window_free(&w, &blocks);
    free(p);
    free(m);
}

static void as_perf(void **state)
{
    (void)state;
    compare(1, 1, 20);
    compare(2, 10, 20);
    compare(3, 100, 50);
    compare(4, 400, 3);
    compare(5, 3, 1000000);
}

static void shrinking(void **state)
{
    static const uint64_t times[] = {50, 20, 20, 90, 10, 70, 20, 60, 80, 40};
    static const uint32_t order[] = {4, 1, 2, 6, 9, 0, 7, 5, 8, 3};
    struct perf_window w = {.n_sorted = 0};
    struct perf_blocks blocks = {.unused = NULL};
    struct passed *p = calloc(1, sizeof *p);
    (void)state;
    assert_non_null(p);
    for (uint32_t i = 0; i < COUNT(times); i++)
        add(&w, &blocks, times[i], i);
    assert_int_equal(perf_window_shrink(&w, false, &blocks, keep, p, NULL), APF_OK);
    assert_int_equal(p->n, 5);
    assert_int_equal(w.n_late, 0);
    add(&w, &blocks, 39, 100); /* 40 has been passed on */
    add(&w, &blocks, 40, 101);
    assert_int_equal(w.n_late, 1);
    assert_int_equal(perf_window_shrink(&w, true, &blocks, keep, p, NULL), APF_OK);
    assert_int_equal(p->n, 12);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(p->list[i].attr, order[i]);
    assert_int_equal(p->list[5].attr, 100);
    assert_int_equal(p->list[6].attr, 101);
    for (size_t i = 5; i < 10; i++)
        assert_int_equal(p->list[i + 2].attr, order[i]);
    assert_int_equal(perf_window_shrink(&w, true, &blocks, keep, p, NULL), APF_OK);
    assert_int_equal(perf_window_mark(&w, &blocks, keep, p, NULL), APF_OK);
    assert_int_equal(p->n, 12);
    perf_window_free(&w, &blocks);
    free(p);
}

/* ---- blocks ---- */

static struct perf_block *make_block(struct perf_blocks *blocks)
{
    struct perf_block *b = calloc(1, sizeof *b);
    assert_non_null(b);
    blocks->n_used++;
    return b;
}

static void add_in(struct perf_window *w, struct perf_blocks *blocks, struct perf_block *b, uint64_t time)
{
    struct perf_timed record = {.time = time, .raw = {.block = b}};
    b->users++;
    assert_int_equal(perf_window_add(w, blocks, &record, NULL), APF_OK);
}

/* A block is free as soon as its last record has been passed on, or cannot be. */
static void blocks_are_released(void **state)
{
    struct perf_window w = {.n_sorted = 0};
    struct perf_blocks blocks = {.unused = NULL};
    struct passed *p = calloc(1, sizeof *p);
    (void)state;
    assert_non_null(p);
    struct perf_block *a = make_block(&blocks), *b = make_block(&blocks), *c = make_block(&blocks);
    add_in(&w, &blocks, a, 1);
    add_in(&w, &blocks, b, 2);
    add_in(&w, &blocks, a, 3);
    add_in(&w, &blocks, c, 9);
    add_in(&w, &blocks, c, 8);
    assert_int_equal(perf_window_shrink(&w, false, &blocks, keep, p, NULL), APF_OK);
    assert_int_equal(blocks.n_used, 2);
    assert_ptr_equal(blocks.unused, b);
    p->stop = 3; /* the next record */
    assert_int_equal(perf_window_shrink(&w, true, &blocks, keep, p, NULL), 77);
    assert_int_equal(p->n, 3);
    assert_int_equal(blocks.n_used, 1);
    perf_window_free(&w, &blocks);
    assert_int_equal(blocks.n_used, 0);
    struct perf_timed record = {.time = 1, .raw = {.block = make_block(&blocks)}};
    record.raw.block->users = 1;
    fault_fail(FAULT_MEMORY, 1, 12);
    assert_int_equal(perf_window_add(&w, &blocks, &record, NULL), APF_NO_MEMORY);
    fault_reset();
    assert_int_equal(blocks.n_used, 0);
    perf_window_free(&w, &blocks);
    perf_blocks_free(&blocks);
    free(p);
}

TEST_FILE(perf_window)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_perf),
        cmocka_unit_test(shrinking),
        cmocka_unit_test(blocks_are_released),
    };
    return RUN_TESTS(tests);
}
