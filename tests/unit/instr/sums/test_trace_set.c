/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Temporal traces of a merge: which ones stay. Of one input those that llvm-profdata-22 keeps, of several those that no
 * order of the inputs changes. */
#include "helpers/shared/unit.h"

#include <string.h>

#include "base/mt19937.h"
#include "instr/sums/trace_set.h"

#define TRACES 12u

/* The numbers are std::mt19937's and std::uniform_int_distribution's of libstdc++ 12. */
static void test_generator(void **state)
{
    (void)state;
    static const struct {
        uint32_t most, draws[4];
    } rows[] = {{0, {0, 0, 0, 0}},
                {1, {1, 0, 1, 1}},
                {9, {8, 1, 9, 8}},
                {99, {81, 13, 90, 83}},
                {1000000, {814724, 135477, 905792, 835009}},
                {0xfffffffe, {3499211611u, 581869301u, 3890346733u, 3586334584u}}};
    struct mt19937 g;
    mt19937_seed(&g, MT19937_DEFAULT_SEED);
    uint32_t last = 0;
    for (unsigned i = 0; i < 10000; i++)
        last = mt19937_next(&g);
    assert_int_equal(last, 4123659995u); /* as the C++ standard says */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mt19937_seed(&g, MT19937_DEFAULT_SEED);
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(mt19937_below(&g, rows[i].most), rows[i].draws[k]);
    }
    /* Draws that would favour some numbers are repeated: half of them, for this range. */
    mt19937_seed(&g, MT19937_DEFAULT_SEED);
    uint64_t sum = 0;
    for (unsigned i = 0; i < 1000; i++)
        sum += mt19937_below(&g, 0x80000000);
    assert_true(g.next != 1000 % MT19937_N);
    assert_in_range(sum / 1000, 0x3c000000, 0x44000000);
}

static uint64_t ids[TRACES][2];

/* Trace i: weight i + 1, functions i and 0 (trace 0: function 0). */
static void make_traces(struct apf_trace *traces)
{
    for (unsigned i = 0; i < TRACES; i++) {
        ids[i][0] = i;
        ids[i][1] = 0;
        traces[i] = (struct apf_trace){i + 1, ids[i], i ? 2 : 1};
    }
}

struct kept {
    struct arena arena;
    struct apf_trace *traces;
    size_t n;
    uint64_t stream;
};

static void finish(struct trace_set *t, struct kept *k)
{
    struct renames none = {0};
    memset(k, 0, sizeof *k);
    assert_int_equal(trace_set_finish(t, &none, &k->arena, &k->traces, &k->n, &k->stream, NULL), APF_OK);
    trace_set_free(t);
}

static void expect_weights(const struct kept *k, const uint64_t *weights, size_t n)
{
    assert_int_equal(k->n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(k->traces[i].weight, weights[i]);
}

/* What `llvm-profdata-22 merge --temporal-profile-trace-reservoir-size=` keeps of a text profile of these traces. */
static void test_one_input(void **state)
{
    (void)state;
    static const struct {
        uint64_t reservoir, stream;
        size_t n;
        uint64_t weights[4];
    } rows[] = {{1, 12, 1, {5}},
                {4, 12, 4, {8, 9, 11, 6}},
                {1, 50, 1, {6}},
                {4, 50, 4, {8, 9, 10, 6}},
                {0, 12, 0, {0}}};
    struct apf_trace traces[TRACES];
    make_traces(traces);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace_set t = {.reservoir = rows[i].reservoir, .length = 100};
        struct kept k;
        assert_int_equal(trace_set_add(&t, traces, TRACES, rows[i].stream, 0, NULL), APF_OK);
        finish(&t, &k);
        expect_weights(&k, rows[i].weights, rows[i].n);
        assert_int_equal(k.stream, rows[i].stream);
        arena_free(&k.arena);
    }
}

/* All of them, as they came; the length is cut; what is empty is left out. */
static void test_room_for_all(void **state)
{
    (void)state;
    struct apf_trace traces[TRACES];
    struct trace_set t = {.reservoir = TRACES, .length = 1};
    struct kept k;
    make_traces(traces);
    traces[3].n = 0;
    assert_int_equal(trace_set_add(&t, traces, TRACES, 77, 0, NULL), APF_OK);
    finish(&t, &k);
    static const uint64_t weights[] = {1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12};
    expect_weights(&k, weights, 11);
    for (size_t i = 0; i < k.n; i++) {
        assert_int_equal(k.traces[i].n, 1);
        assert_int_equal(k.traces[i].ids[0], k.traces[i].weight - 1);
    }
    assert_int_equal(k.stream, 77);
    arena_free(&k.arena);

    struct trace_set none = {.reservoir = TRACES, .length = 0};
    assert_int_equal(trace_set_add(&none, traces, TRACES, 5, 0, NULL), APF_OK);
    assert_int_equal(none.inputs, 0);
    finish(&none, &k);
    assert_int_equal(k.n, 0);
    arena_free(&k.arena);
}

static void expect_same(const struct kept *a, const struct kept *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->stream, b->stream);
    for (size_t i = 0; i < a->n; i++) {
        assert_int_equal(a->traces[i].weight, b->traces[i].weight);
        assert_int_equal(a->traces[i].n, b->traces[i].n);
        assert_memory_equal(a->traces[i].ids, b->traces[i].ids, a->traces[i].n * sizeof(uint64_t));
    }
}

/* The same traces from several inputs, in one order and in the other, so many that some are dropped on the way. */
static void test_several_inputs(void **state)
{
    (void)state;
    struct apf_trace traces[TRACES];
    struct kept want, got;
    make_traces(traces);
    for (uint64_t reservoir = 0; reservoir <= 40; reservoir++) {
        for (unsigned order = 0; order < 2; order++) {
            struct trace_set t = {.reservoir = reservoir, .length = 100};
            for (unsigned i = 0; i < 60; i++) {
                unsigned first = (order ? 59 - i : i) % TRACES;
                assert_int_equal(trace_set_add(&t, traces + first, 1, 3, 0, NULL), APF_OK);
            }
            finish(&t, order ? &got : &want);
        }
        expect_same(&want, &got);
        assert_int_equal(want.n, reservoir);
        assert_int_equal(want.stream, 180);
        for (size_t i = 1; i < want.n; i++) /* in the order of what they are */
            assert_true(want.traces[i - 1].ids[0] <= want.traces[i].ids[0]);
        arena_free(&want.arena);
        arena_free(&got.arena);
    }
}

/* Inputs of a random merge: of traces first ... first + n - 1, and with one of few sources. */
#define INPUTS 40u
struct input {
    unsigned first, n;
    uint64_t source;
};

static void add_input(struct trace_set *t, const struct input *i)
{
    struct apf_trace traces[TRACES];
    make_traces(traces);
    assert_int_equal(trace_set_add(t, traces + i->first, i->n, i->n + 1, i->source, NULL), APF_OK);
}

/* Joins sets of one input each, in a tree that is drawn by lot. */
static void join_all(const struct input *inputs, size_t n, uint64_t reservoir, uint64_t *random,
                     struct kept *kept)
{
    struct trace_set sets[INPUTS];
    for (size_t i = 0; i < n; i++) {
        sets[i] = (struct trace_set){.reservoir = reservoir, .length = 100};
        add_input(&sets[i], &inputs[i]);
    }
    for (; n > 1; n--) {
        const size_t a = next_random(random) % n, b = (a + 1 + next_random(random) % (n - 1)) % n;
        assert_int_equal(trace_set_join(&sets[a], &sets[b], NULL), APF_OK);
        trace_set_free(&sets[b]);
        sets[b] = sets[n - 1];
    }
    finish(&sets[0], kept);
}

static void test_joined(void **state)
{
    uint64_t random = 11;
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        const size_t n = 1 + next_random(&random) % INPUTS;
        const uint64_t reservoir = next_random(&random) % 14, sources = 1 + next_random(&random) % 3;
        struct trace_set all = {.reservoir = reservoir, .length = 100};
        struct input inputs[INPUTS];
        struct kept want, got;
        for (size_t i = 0; i < n; i++) {
            inputs[i].first = (unsigned)(next_random(&random) % TRACES);
            inputs[i].n = 1 + (unsigned)(next_random(&random) % (TRACES - inputs[i].first));
            inputs[i].source = next_random(&random) % sources;
            add_input(&all, &inputs[i]);
        }
        finish(&all, &want);
        join_all(inputs, n, reservoir, &random, &got);
        expect_same(&want, &got);
        arena_free(&want.arena);
        arena_free(&got.arena);
    }
}

/* Of many inputs with a trace each, all have the same chance; of equal traces of equal inputs, about as many stay as of
 * others, however many there are. */
static void test_fair(void **state)
{
    unsigned kept_of[TRACES] = {0};
    struct apf_trace traces[TRACES];
    struct kept k;
    (void)state;
    make_traces(traces);
    for (uint64_t round = 0; round < 1200; round++) {
        struct trace_set t = {.reservoir = 3, .length = 100};
        for (unsigned i = 0; i < TRACES; i++)
            assert_int_equal(trace_set_add(&t, traces + i, 1, 1, round, NULL), APF_OK);
        finish(&t, &k);
        for (size_t i = 0; i < k.n; i++)
            kept_of[k.traces[i].weight - 1]++;
        arena_free(&k.arena);
    }
    for (unsigned i = 0; i < TRACES; i++)
        assert_in_range(kept_of[i], 240, 360);
    struct trace_set t = {.reservoir = 100, .length = 100};
    unsigned first = 0;
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(trace_set_add(&t, traces + (i >= 950), 1, 1, 0, NULL), APF_OK);
    finish(&t, &k);
    assert_int_equal(k.n, 100);
    for (size_t i = 0; i < k.n; i++)
        first += k.traces[i].weight == 1;
    assert_in_range(first, 40, 60);
    arena_free(&k.arena);
}

/* Enormous reservoirs keep all. */
static void test_large_reservoirs(void **state)
{
    static const uint64_t reservoirs[] = {100, (uint64_t)1 << 62, (uint64_t)1 << 63, UINT64_MAX - 7,
                                          UINT64_MAX};
    struct apf_trace traces[TRACES];
    (void)state;
    make_traces(traces);
    for (size_t i = 0; i < sizeof reservoirs / sizeof *reservoirs; i++) {
        struct trace_set t = {.reservoir = reservoirs[i], .length = UINT64_MAX};
        struct kept k;
        for (unsigned round = 0; round < 4; round++)
            assert_int_equal(trace_set_add(&t, traces, TRACES, TRACES, round, NULL), APF_OK);
        finish(&t, &k);
        assert_int_equal(k.n, 4 * TRACES);
        arena_free(&k.arena);
    }
}

static void test_stream_is_cut(void **state)
{
    (void)state;
    struct apf_trace traces[TRACES];
    struct kept k;
    make_traces(traces);
    for (unsigned i = 0; i < 2; i++) {
        struct trace_set t = {.reservoir = 4, .length = 100};
        uint64_t streams[] = {UINT64_MAX - 1, i + 1};
        assert_int_equal(trace_set_add(&t, traces, TRACES, streams[0], 0, NULL), APF_OK);
        assert_int_equal(trace_set_add(&t, traces, TRACES, streams[1], 0, NULL), APF_OK);
        finish(&t, &k);
        assert_int_equal(k.stream, UINT64_MAX);
        assert_int_equal(k.n, 4);
        arena_free(&k.arena);
    }
    /* Draws from an enormous stream end. */
    struct trace_set t = {.reservoir = 4, .length = 100};
    assert_int_equal(trace_set_add(&t, traces, TRACES, UINT64_MAX, 0, NULL), APF_OK);
    finish(&t, &k);
    assert_int_equal(k.stream, UINT64_MAX);
    assert_int_equal(k.n, 4);
    arena_free(&k.arena);
}

TEST_FILE(trace_set)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generator),        cmocka_unit_test(test_one_input),
        cmocka_unit_test(test_room_for_all),     cmocka_unit_test(test_several_inputs),
        cmocka_unit_test(test_large_reservoirs), cmocka_unit_test(test_stream_is_cut),
        cmocka_unit_test(test_joined),           cmocka_unit_test(test_fair),
    };
    return RUN_TESTS(tests);
}
