/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Address spaces beside a model of them, in which every address of every process has its place in a file. */
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/unit.h"
#include "perf/perf_spaces.h"

#define ADDRESSES 300u
#define PIDS 12u

struct place {
    bool mapped, executable;
    uint32_t file;
    uint64_t offset;
};

struct model {
    struct perf_spaces s;
    struct place places[PIDS][ADDRESSES];
    bool ended[PIDS];
    uint32_t ended_at[PIDS]; /* in collections */
    uint64_t random;
};

static unsigned pick(struct model *m, unsigned n)
{
    return (unsigned)(next_random(&m->random) % n);
}

static void map(struct model *m, unsigned pid)
{
    unsigned start = pick(m, ADDRESSES), end = start + pick(m, pick(m, 2) ? 10 : ADDRESSES - start + 1);
    end = end < ADDRESSES ? end : ADDRESSES;
    struct perf_mapping mapping = {start, end, next_random(&m->random) % 5000, pick(m, 9), pick(m, 2)};
    assert_int_equal(perf_spaces_map(&m->s, pid, &mapping, NULL), APF_OK);
    for (unsigned i = start; i < end; i++)
        m->places[pid][i] =
            (struct place){true, mapping.executable, mapping.file, mapping.offset + i - start};
}

static void clear(struct model *m, unsigned pid)
{
    memset(m->places[pid], 0, sizeof m->places[pid]);
}

/* What ended is dropped by the second collection. */
static void forget(struct model *m)
{
    for (unsigned pid = 0; pid < PIDS; pid++)
        if (m->ended[pid] && m->s.collections >= m->ended_at[pid] + 2)
            clear(m, pid);
}

static void fork_process(struct model *m, unsigned parent, unsigned child)
{
    assert_int_equal(perf_spaces_fork(&m->s, parent, child, NULL), APF_OK);
    if (parent == child)
        return;
    memcpy(m->places[child], m->places[parent], sizeof m->places[child]);
    m->ended[child] = false;
}

static void change(struct model *m)
{
    unsigned pid = pick(m, PIDS), what = pick(m, 40);
    forget(m);
    if (what < 6) {
        fork_process(m, pid, pick(m, PIDS));
    } else if (what == 6) {
        perf_spaces_exec(&m->s, pid);
        clear(m, pid);
    } else if (what == 7 && perf_spaces_find(&m->s, pid) != UINT32_MAX) {
        perf_spaces_exit(&m->s, pid);
        m->ended[pid] = true;
        m->ended_at[pid] = m->s.collections;
    } else if (!m->ended[pid]) {
        map(m, pid);
    }
    forget(m);
}

static void check(struct model *m, unsigned pid, unsigned address)
{
    const struct place *want = &m->places[pid][address];
    const struct perf_mapping *got = perf_spaces_at(&m->s, perf_spaces_find(&m->s, pid), address);
    assert_int_equal(got != NULL, want->mapped);
    if (!got)
        return;
    assert_true(got->start <= address && address < got->end);
    assert_int_equal(got->file, want->file);
    assert_int_equal(got->executable, want->executable);
    assert_int_equal(address - got->start + got->offset, want->offset);
}

static void compare(uint64_t seed, size_t most, unsigned changes)
{
    struct model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->s.most_mappings = most;
    m->random = seed;
    for (unsigned i = 0; i < changes; i++) {
        change(m);
        for (unsigned k = 0; k < 5; k++)
            check(m, pick(m, PIDS), pick(m, ADDRESSES));
        for (unsigned pid = 0; i % 500 == 0 && pid < PIDS; pid++)
            for (unsigned address = 0; address < ADDRESSES; address++)
                check(m, pid, address);
    }
    assert_true(most > 10000 || m->s.collections > 10);
    perf_spaces_free(&m->s);
    free(m);
}

static void as_the_model(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        compare(seed, 1 << 20, 5000);
}

static void with_collections(void **state)
{
    (void)state;
    for (uint64_t seed = 10; seed < 14; seed++)
        compare(seed, 1500, 20000);
}

/* ---- single rules ---- */

static void add(struct perf_spaces *s, uint32_t pid, uint64_t start, uint64_t end, uint32_t file)
{
    struct perf_mapping mapping = {start, end, 0, file, true};
    assert_int_equal(perf_spaces_map(s, pid, &mapping, NULL), APF_OK);
}

static uint64_t offset_at(struct perf_spaces *s, uint32_t pid, uint64_t address)
{
    const struct perf_mapping *m = perf_spaces_at(s, perf_spaces_find(s, pid), address);
    return m ? m->offset + (address - m->start) : UINT64_MAX;
}

/* The parts of a mapping that another one does not cover stay, with their places in the file. */
static void what_is_covered(void **state)
{
    struct perf_spaces s = {.most_mappings = 100};
    (void)state;
    add(&s, 1, 0x1000, 0x9000, 1);
    add(&s, 1, 0x3000, 0x5000, 2);
    assert_int_equal(offset_at(&s, 1, 0x2fff), 0x1fff);
    assert_int_equal(offset_at(&s, 1, 0x3000), 0);
    assert_int_equal(offset_at(&s, 1, 0x5000), 0x4000);
    assert_int_equal(offset_at(&s, 1, 0x8fff), 0x7fff);
    assert_int_equal(offset_at(&s, 1, 0x9000), UINT64_MAX);
    assert_int_equal(offset_at(&s, 1, 0xfff), UINT64_MAX);
    add(&s, 1, 0, UINT64_MAX, 3);
    assert_int_equal(offset_at(&s, 1, 0), 0);
    assert_int_equal(offset_at(&s, 1, UINT64_MAX - 1), UINT64_MAX - 1);
    assert_null(perf_spaces_at(&s, perf_spaces_find(&s, 1), UINT64_MAX));
    add(&s, 1, 7, 7, 4); /* nothing */
    assert_int_equal(offset_at(&s, 1, 7), 7);
    perf_spaces_free(&s);
}

static void unknown_processes(void **state)
{
    struct perf_spaces s = {.most_mappings = 100};
    (void)state;
    assert_int_equal(perf_spaces_find(&s, 1), UINT32_MAX);
    perf_spaces_exec(&s, 1);
    perf_spaces_exit(&s, 1);
    assert_null(perf_spaces_at(&s, UINT32_MAX, 0));
    add(&s, 5, 10, 20, 1);
    assert_int_equal(perf_spaces_fork(&s, 99, 5, NULL), APF_OK); /* of a parent without mappings */
    assert_int_equal(offset_at(&s, 5, 15), UINT64_MAX);
    perf_spaces_free(&s);
}

/* Forks take no nodes, and a change in one of two processes few. */
static void forks_share(void **state)
{
    const uint32_t n = 2000;
    struct perf_spaces s = {.most_mappings = 1 << 20};
    (void)state;
    for (uint32_t i = 0; i < n; i++)
        add(&s, 0, 16 * i, 16 * i + 16, i);
    size_t nodes = s.nodes.n;
    for (uint32_t i = 1; i < n; i++)
        assert_int_equal(perf_spaces_fork(&s, 0, i, NULL), APF_OK);
    assert_int_equal(s.nodes.n, nodes);
    for (uint32_t i = 1; i < n; i++)
        add(&s, i, 16 * i, 16 * i + 8, n + i);
    assert_true(s.nodes.n < nodes + 150 * (size_t)n);
    for (uint32_t i = 1; i < n; i++) {
        assert_int_equal(perf_spaces_at(&s, perf_spaces_find(&s, i), 16 * i)->file, n + i);
        assert_int_equal(perf_spaces_at(&s, perf_spaces_find(&s, i), 16 * i + 8)->file, i);
        assert_int_equal(perf_spaces_at(&s, perf_spaces_find(&s, 0), 16 * i)->file, i);
    }
    perf_spaces_free(&s);
}

static void limit(void **state)
{
    struct perf_spaces s = {.most_mappings = 100};
    struct apf_error error;
    int code = APF_OK;
    uint64_t n = 0;
    (void)state;
    for (uint32_t i = 0; i < 10000; i++) /* one mapping, again and again */
        add(&s, 1, 0, 1 + i % 7, i);
    while (code == APF_OK && n < 1000) {
        struct perf_mapping mapping = {16 * n, 16 * n + 16, 0, 0, true};
        code = perf_spaces_map(&s, 1, &mapping, &error);
        n++;
    }
    assert_int_equal(code, APF_LIMIT);
    assert_string_equal(error.where, "perf.mapping");
    assert_in_range(n, 100, 201);
    perf_spaces_free(&s);
}

TEST_FILE(perf_spaces)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_model),    cmocka_unit_test(with_collections),
        cmocka_unit_test(what_is_covered), cmocka_unit_test(unknown_processes),
        cmocka_unit_test(forks_share),     cmocka_unit_test(limit),
    };
    return RUN_TESTS(tests);
}
