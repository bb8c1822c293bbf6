/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branch and call stacks, made by hand: what is undone of the program of the specification's example, and what counts
 * as what. */
#include "helpers/shared/profgen_memory.h"

#include <stdlib.h>
#include <string.h>

#include "profgen/profgen_raw.h"
#include "profgen/profgen_traces.h"

#define OUTSIDE 0x7f0000000000u
/* Addresses of the program: entries, calls and where they return to, jumps, returns. */
#define LEAF 0x201120u
#define LEAF_RETURN 0x201129u
#define TOP 0x201130u
#define TOP_LOOP 0x20113cu
#define TOP_JE 0x20113fu
#define TOP_CALL 0x201143u
#define TOP_AFTER 0x201148u /* a jump to TOP_JOIN */
#define TOP_ELSE 0x20114au
#define TOP_JOIN 0x20114du
#define TOP_JL 0x201152u
#define TOP_RETURN 0x201158u
#define MAIN 0x201160u
#define MAIN_CALL 0x201169u
#define MAIN_AFTER 0x20116eu
#define MAIN_RETURN 0x20116fu

struct opened {
    struct apf_input input;
    struct debug_search search;
    struct apf_options options;
    struct profgen_program program;
    struct profgen_traces traces;
};

static void open_traces(struct opened *o)
{
    memset(o, 0, sizeof *o);
    o->input = pm_probed();
    o->search.max_bytes = UINT64_MAX;
    o->options.size = sizeof o->options;
    assert_int_equal(profgen_program_open(&o->program, &o->input, &o->options, 0, &o->search, NULL), APF_OK);
}

static void close_traces(struct opened *o)
{
    profgen_traces_free(&o->traces);
    profgen_program_close(&o->program);
}

/* The counts of finished traces, as unsymbolized profiles have them. */
static void check_raw(struct opened *o, const char *expected)
{
    struct apf_buffer raw = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&raw);
    struct file_out *out;
    assert_int_equal(profgen_traces_finish(&o->traces, &o->program, NULL), APF_OK);
    assert_int_equal(pair_counts_sort(&o->traces.found.ranges, NULL), APF_OK);
    assert_int_equal(pair_counts_sort(&o->traces.found.branches, NULL), APF_OK);
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    int code = profgen_raw_write(&o->traces.found, o->program.image.base, out, NULL);
    assert_int_equal(file_out_finish(out, code, NULL), APF_OK);
    if (raw.n != strlen(expected) || memcmp(raw.data, expected, raw.n) != 0)
        fail_msg("%.*s", (int)raw.n, (const char *)raw.data);
    apf_buffer_free(&raw);
}

struct sample {
    struct address_pair branches[8]; /* up to one of two zeros */
    uint64_t frames[6];              /* up to a zero */
};

static void add(struct opened *o, const struct sample *sample, uint64_t count, bool ignore)
{
    struct profgen_sample s = {sample->branches, 0, sample->frames, 0, count};
    while (s.n_branches < COUNT(sample->branches) && sample->branches[s.n_branches].a)
        s.n_branches++;
    while (s.n_frames < COUNT(sample->frames) && sample->frames[s.n_frames])
        s.n_frames++;
    int code = s.n_frames ? profgen_traces_add_called(&o->traces, &o->program, &s, ignore, NULL)
                          : profgen_traces_add(&o->traces, &o->program, &s, NULL);
    assert_int_equal(code, APF_OK);
}

static void check(const struct sample *sample, const char *raw)
{
    struct opened o;
    open_traces(&o);
    add(&o, sample, 1, false);
    check_raw(&o, raw);
    close_traces(&o);
}

/* ---- without call stacks ---- */

static void test_branches(void **state)
{
    static const struct sample mixed = {.branches = {{TOP_JL, TOP_LOOP, 0},
                                                     {OUTSIDE, OUTSIDE + 1, 0},
                                                     {TOP_JE, TOP_ELSE, 0},
                                                     {OUTSIDE, TOP_LOOP, 0},
                                                     {MAIN_RETURN, OUTSIDE, 0},
                                                     {TOP_CALL + 1, LEAF + 2, 0},
                                                     {TOP_RETURN, MAIN_AFTER, 0}}},
                               nowhere = {.branches = {{OUTSIDE, 5, 0}}};
    struct opened o;
    (void)state;
    open_traces(&o);
    add(&o, &mixed, 2, false);
    add(&o, &nowhere, 3, false);
    check_raw(&o, "3\n13c-13f:2\n14a-152:2\n16e-16f:2\n4\nffffffffffdff001->13c:2\n13f->14a:2\n152->13c:"
                  "2\n158->16e:2\n");
    const struct profgen_trace_counts *n = &o.traces.counts;
    assert_int_equal(n->stacks, 5);
    assert_int_equal(n->empty, 3);
    assert_int_equal(n->branches, 17);
    assert_int_equal(n->outside, 3 + 2 * 2); /* an address inside an instruction is outside */
    assert_int_equal(n->into_program, 2);
    assert_int_equal(n->out_of_it, 2);
    assert_int_equal(n->ranges, 8);
    assert_int_equal(n->ranges_outside, 2);
    assert_int_equal(n->ranges_broken, 0);
    close_traces(&o);
}

static void test_broken_ranges(void **state)
{
    static const struct sample s = {.branches = {{TOP_JE, TOP_ELSE, 0},    /* 14d to 13f: backwards */
                                                 {TOP_AFTER, TOP_JOIN, 0}, /* 13c to 148: over a call */
                                                 {TOP_JL, TOP_LOOP, 0}}};
    struct opened o;
    (void)state;
    open_traces(&o);
    add(&o, &s, 4, false);
    check_raw(&o, "0\n3\n13f->14a:4\n148->14d:4\n152->13c:4\n");
    assert_int_equal(o.traces.counts.ranges, 8);
    assert_int_equal(o.traces.counts.ranges_broken, 8);
    close_traces(&o);
}

static void test_saturated(void **state)
{
    static const struct sample s = {.branches = {{TOP_JL, TOP_LOOP, 0}, {TOP_JE, TOP_ELSE, 0}}};
    struct opened o;
    (void)state;
    open_traces(&o);
    add(&o, &s, UINT64_MAX - 1, false);
    add(&o, &s, 1, false);
    add(&o, &s, 1, false);
    check_raw(
        &o,
        "1\n14a-152:18446744073709551615\n2\n13f->14a:18446744073709551615\n152->13c:18446744073709551615\n");
    assert_true(o.traces.counts.branches == UINT64_MAX && o.traces.counts.stacks == UINT64_MAX);
    close_traces(&o);
}

/* ---- hops that come again, and hops that never do ---- */

/* What many stacks add up to, branch by branch. */
struct expected {
    struct profgen_counts found;
    struct profgen_trace_counts counts;
};

static void expect_branch(struct expected *e, struct code_map *code, const struct address_pair *b,
                          uint64_t count)
{
    const bool from = code_map_has(code, b->a), to = code_map_has(code, b->b);
    const struct pair_count counted = {{from ? b->a : PROFGEN_OUTSIDE, b->b, 0}, count};
    e->counts.branches += count;
    e->counts.outside += from || to ? 0 : count;
    e->counts.into_program += !from && to ? count : 0;
    e->counts.out_of_it += from && !to ? count : 0;
    e->counts.in_kernel += b->a >= PROFGEN_KERNEL || b->b >= PROFGEN_KERNEL ? count : 0;
    e->counts.misplaced +=
        (!from && code_map_covers(code, b->a)) || (!to && code_map_covers(code, b->b)) ? count : 0;
    if (to)
        assert_int_equal(pair_counts_add(&e->found.branches, &counted, 1, NULL), APF_OK);
}

/* Ranges lie between branches that have an end in the program. */
static void expect_stack(struct expected *e, struct code_map *code, const struct profgen_sample *s)
{
    const struct address_pair *newer = NULL;
    e->counts.stacks += s->count;
    for (size_t i = 0; i < s->n_branches; i++) {
        const struct address_pair *b = &s->branches[i];
        const bool gap = b->context == PROFGEN_GAP, from = code_map_has(code, b->a),
                   to = code_map_has(code, b->b);
        if (!gap)
            expect_branch(e, code, b, s->count);
        if (!gap && !from && !to)
            continue;
        const bool ends = newer && code_map_has(code, newer->a),
                   lost = newer && newer->context == PROFGEN_GAP;
        const struct pair_count range = {{to ? b->b : PROFGEN_OUTSIDE, ends ? newer->a : PROFGEN_OUTSIDE, 0},
                                         s->count};
        if (newer && !(gap && !to) && !(lost && !ends)) {
            e->counts.ranges += s->count;
            assert_int_equal(pair_counts_add(&e->found.ranges, &range, 1, NULL), APF_OK);
        }
        newer = b;
    }
    e->counts.empty += newer ? 0 : s->count;
}

/* An address of the program, in the midst of an instruction, outside, in the kernel, or the last one of all. */
static uint64_t any_address(uint64_t *random, bool repeat)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    const uint64_t n = *random >> 33;
    switch (n % 16) {
    case 0:
        return OUTSIDE + (repeat ? n / 16 % 4 : n);
    case 1:
        return UINT64_MAX;
    case 2:
        return PROFGEN_KERNEL;
    case 3:
        return LEAF + n / 16 % 80;
    default:
        return repeat ? (n & 16 ? TOP_LOOP : TOP_JE) : LEAF + n / 16 % 80;
    }
}

static void check_same(struct pair_counts *a, struct pair_counts *b)
{
    assert_int_equal(pair_counts_sort(a, NULL), APF_OK);
    assert_int_equal(pair_counts_sort(b, NULL), APF_OK);
    assert_int_equal(a->list.n, b->list.n);
    for (size_t i = 0; i < a->list.n; i++) {
        assert_true(a->list.data[i].pair.a == b->list.data[i].pair.a);
        assert_true(a->list.data[i].pair.b == b->list.data[i].pair.b);
        assert_true(a->list.data[i].count == b->list.data[i].count);
    }
}

static void close_expected(struct expected *e, struct opened *o)
{
    assert_int_equal(profgen_traces_update(&o->traces, &o->program, NULL), APF_OK);
    assert_memory_equal(&o->traces.counts, &e->counts, sizeof e->counts);
    check_same(&o->traces.found.branches, &e->found.branches);
    check_same(&o->traces.found.ranges, &e->found.ranges);
    profgen_counts_free(&e->found);
    close_traces(o);
}

/* Long enough for phases in which the table of hops is not used. */
static void test_hops(void **state)
{
    struct address_pair stack[32];
    struct expected e = {.found = {.named = NULL}};
    uint64_t random = 1;
    bool was_off = false;
    size_t n_switched = 0;
    struct opened o;
    (void)state;
    open_traces(&o);
    for (size_t i = 0; i < 90000; i++) {
        const bool repeat = i % 8192 < 2048 || i > 70000;
        const struct profgen_sample s = {stack, i % COUNT(stack), NULL, 0,
                                         i % 16 ? i % 4 : (uint64_t)1 << (i % 35)};
        for (size_t k = 0; k < s.n_branches; k++)
            stack[k] = (struct address_pair){any_address(&random, repeat), any_address(&random, repeat),
                                             (random >> 40) % 64 == 0 ? PROFGEN_GAP : 0};
        expect_stack(&e, o.program.code, &s);
        assert_int_equal(profgen_traces_add(&o.traces, &o.program, &s, NULL), APF_OK);
        n_switched += was_off != o.traces.hops.off;
        was_off = o.traces.hops.off;
        if (i % 5000 == 0)
            assert_int_equal(profgen_traces_update(&o.traces, &o.program, NULL), APF_OK);
    }
    assert_int_equal(n_switched, 2); /* such a phase began, and ended */
    close_expected(&e, &o);
}

/* The process has the program twice; the first address of the third mapping stands for 2^64-1. */
static const struct profgen_mapping mappings[] = {{0x550000000000, 0x400000, 0x550000000000},
                                                  {0x560000000000, 0x400000, 0x560000000000},
                                                  {0x570000000000, 16, 0x570000000001}};

static int look_up(void *user, struct profgen_space *space, uint64_t address, struct apf_error *error)
{
    (void)user;
    (void)error;
    space->other = (struct profgen_mapping){address & ~(uint64_t)0xffff, 0x10000, 0};
    for (size_t i = 0; i < COUNT(mappings); i++)
        if (profgen_mapping_has(&mappings[i], address))
            space->ours = space->other = mappings[i];
    return APF_OK;
}

/* An address of the process, and what it is in the program. */
static uint64_t any_recorded(uint64_t *random, bool repeat, uint64_t *linked)
{
    const uint64_t address = any_address(random, repeat);
    if (address < mappings[0].n) {
        *linked = address;
        return address + mappings[repeat ? 0 : *random >> 50 & 1].bias;
    }
    if (address == UINT64_MAX && *random >> 50 & 1) {
        *linked = address;
        return mappings[2].start;
    }
    *linked = profgen_outside(address);
    return address == OUTSIDE ? mappings[0].start + mappings[0].n : address;
}

static void test_recorded(void **state)
{
    struct apf_perf_branch stack[32];
    struct address_pair linked[32];
    struct profgen_space space = {.look_up = look_up};
    struct expected e = {.found = {.named = NULL}};
    uint64_t random = 2;
    bool was_off = false, switched = false;
    struct opened o;
    (void)state;
    open_traces(&o);
    for (size_t i = 0; i < 90000; i++) {
        const bool repeat = i % 8192 < 2048 || i > 70000;
        const struct profgen_sample s = {linked, i % COUNT(stack), NULL, 0, 1};
        for (size_t k = 0; k < s.n_branches; k++) {
            stack[k].from = any_recorded(&random, repeat, &linked[k].a);
            stack[k].to = any_recorded(&random, repeat, &linked[k].b);
            linked[k].context = 0;
        }
        expect_stack(&e, o.program.code, &s);
        if (i % 999 == 0)
            profgen_space_forget(&space);
        assert_int_equal(
            profgen_traces_add_recorded(&o.traces, &o.program, &space, stack, s.n_branches, NULL), APF_OK);
        switched |= was_off && !o.traces.hops.off;
        was_off = o.traces.hops.off;
    }
    assert_true(switched); /* a phase without the table began, and ended */
    close_expected(&e, &o);
}

/* ---- call stacks ---- */

/* A call is undone: what is older ran in the caller. */
static void test_call(void **state)
{
    static const struct sample s = {
        .branches = {{TOP_CALL, LEAF, 0}, {TOP_JL, TOP_LOOP, 0}, {MAIN_CALL, TOP, 0}},
        .frames = {0x201124, TOP_AFTER, MAIN_AFTER, OUTSIDE}};
    (void)state;
    /* from 201130 to 201152 a call lies between: older branches have no context */
    check(&s, "[]\n  0\n  1\n  169->130:1\n[0x169]\n  1\n  13c-143:1\n  2\n  143->120:1\n  152->13c:1\n");
}

/* A return is undone: what was called ran before. */
static void test_return(void **state)
{
    static const struct sample s = {.branches = {{TOP_JL, TOP_LOOP, 0},
                                                 {TOP_AFTER, TOP_JOIN, 0},
                                                 {LEAF_RETURN, TOP_AFTER, 0},
                                                 {TOP_CALL, LEAF, 0},
                                                 {TOP_JL, TOP_LOOP, 0}},
                                    .frames = {TOP_LOOP, MAIN_AFTER}};
    (void)state;
    check(
        &s,
        "[0x169]\n  3\n  13c-143:1\n  148-148:1\n  14d-152:1\n  3\n  143->120:1\n  148->14d:1\n  152->13c:2\n"
        "[0x169 @ 0x143]\n  1\n  120-129:1\n  1\n  129->148:1\n");
}

/* A call that the call stack lacks counts as one that does not fit. */
static void test_mismatch(void **state)
{
    static const struct sample s = {.branches = {{TOP_CALL, LEAF, 0}, {TOP_JL, TOP_LOOP, 0}},
                                    .frames = {0x201124, MAIN_AFTER}};
    struct opened o;
    (void)state;
    open_traces(&o);
    add(&o, &s, 5, false);
    check_raw(&o, "[0x169]\n  1\n  13c-143:5\n  2\n  143->120:5\n  152->13c:5\n");
    assert_int_equal(o.traces.counts.calls_mismatched, 5);
    assert_int_equal(o.traces.counts.calls_broken, 0);
    close_traces(&o);
}

/* Other code that is called, and calls the program: it stands for one frame. */
static void test_outside(void **state)
{
    static const struct sample returned = {.branches = {{TOP_JL, TOP_LOOP, 0},
                                                        {TOP_AFTER, TOP_JOIN, 0},
                                                        {OUTSIDE, TOP_AFTER, 0},
                                                        {TOP_CALL, OUTSIDE, 0},
                                                        {TOP_JL, TOP_LOOP, 0}},
                                           .frames = {TOP_LOOP, MAIN_AFTER}},
                               entered = {.branches = {{TOP_JL, TOP_LOOP, 0}, {OUTSIDE, TOP, 0}},
                                          .frames = {TOP_LOOP, OUTSIDE, OUTSIDE + 9, MAIN_AFTER}};
    (void)state;
    check(&returned, "[]\n  0\n  1\n  ffffffffffdff001->148:1\n[0x169]\n  3\n  13c-143:1\n  148-148:1\n"
                     "  14d-152:1\n  2\n  148->14d:1\n  152->13c:2\n");
    check(&entered,
          "[]\n  0\n  1\n  ffffffffffdff001->130:1\n[0x169 @ 0xffffffffffdff001]\n  0\n  1\n  152->13c:1\n");
}

static void count_called(const struct sample *s, struct profgen_trace_counts *n, bool ignore)
{
    struct opened o;
    open_traces(&o);
    add(&o, s, 7, ignore);
    *n = o.traces.counts;
    close_traces(&o);
}

/* Whether a sample that was taken at an address is used. */
static void check_ready(uint64_t address, bool ready)
{
    struct sample s = {.branches = {{TOP_JL, TOP_LOOP, 0}}, .frames = {address, MAIN_AFTER}};
    struct profgen_trace_counts n, again;
    count_called(&s, &n, false);
    count_called(&s, &again, true);
    assert_int_equal(n.calls, 7);
    assert_int_equal(n.calls_unready, ready ? 0 : 7);
    assert_int_equal(n.stacks, ready ? 7 : 0);
    assert_int_equal(again.stacks, n.stacks);
    assert_int_equal(again.calls_unready, n.calls_unready);
}

/* The first two instructions of a function, its return and the instruction before. */
static void test_unready(void **state)
{
    (void)state;
    check_ready(LEAF, false);
    check_ready(0x201121, false);
    check_ready(0x201124, true);
    check_ready(0x201128, false);
    check_ready(LEAF_RETURN, false);
    check_ready(TOP, false);
    check_ready(0x201131, false);
    check_ready(0x201134, true);
    check_ready(0x201157, false);
    check_ready(0x201156, true);
    check_ready(MAIN_RETURN, false);
    check_ready(OUTSIDE, true);
    check_ready(0x201122, true); /* inside an instruction */
}

static void test_frames(void **state)
{
    static const struct sample cut = {.branches = {{TOP_JL, TOP_LOOP, 0}},
                                      .frames = {TOP_LOOP, TOP_ELSE, MAIN_AFTER}},
                               at = {.branches = {{TOP_JL, TOP_LOOP, 0}},
                                     .frames = {OUTSIDE, OUTSIDE, MAIN_AFTER}};
    struct profgen_trace_counts n;
    (void)state;
    count_called(&cut, &n, false); /* no call stands before 20114a */
    assert_int_equal(n.calls_cut, 7);
    check(&cut, "[]\n  0\n  1\n  152->13c:1\n");
    count_called(&at, &n, false);
    assert_int_equal(n.calls_elsewhere, 7);
    assert_int_equal(n.calls_cut, 0);
    check(&at, "[0x169]\n  0\n  1\n  152->13c:1\n");
}

/* More frames than a chain may have. */
static void test_long(void **state)
{
    static uint64_t frames[PROFGEN_LONGEST_CHAIN + 5];
    const struct address_pair branch = {TOP_JL, TOP_LOOP, 0};
    struct opened o;
    (void)state;
    frames[0] = TOP_LOOP;
    for (size_t i = 1; i < COUNT(frames); i++)
        frames[i] = i % 2 ? TOP_AFTER : MAIN_AFTER;
    for (size_t n = COUNT(frames) - 5; n < COUNT(frames); n++) {
        const struct profgen_sample s = {&branch, 1, frames, n, 1};
        open_traces(&o);
        assert_int_equal(profgen_traces_add_called(&o.traces, &o.program, &s, false, NULL), APF_OK);
        assert_int_equal(o.traces.counts.calls_long, n > PROFGEN_LONGEST_CHAIN + 1);
        assert_int_equal(
            profgen_chain_at(&o.traces.found.chains, o.traces.found.branches.list.data[0].pair.context).depth,
            n - 1 < PROFGEN_LONGEST_CHAIN ? n - 1 : PROFGEN_LONGEST_CHAIN);
        close_traces(&o);
    }
}

/* Returns that are undone do not make chains longer than the longest one. */
static void test_long_returns(void **state)
{
    static struct address_pair branches[PROFGEN_LONGEST_CHAIN + 5];
    static const uint64_t frames[] = {TOP_LOOP};
    struct opened o;
    (void)state;
    for (size_t i = 0; i < COUNT(branches); i++) /* a range from 148 to 129 is broken, unless it is outside */
        branches[i] = (struct address_pair){i % 2 ? OUTSIDE : LEAF_RETURN, i % 2 ? OUTSIDE : TOP_AFTER, 0};
    const struct profgen_sample s = {branches, COUNT(branches), frames, 1, 1};
    open_traces(&o);
    assert_int_equal(profgen_traces_add_called(&o.traces, &o.program, &s, false, NULL), APF_OK);
    for (size_t i = 0; i < o.traces.found.chains.list.n; i++)
        assert_true(o.traces.found.chains.list.data[i].depth <= PROFGEN_LONGEST_CHAIN);
    close_traces(&o);
}

TEST_FILE(profgen_traces)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches),     cmocka_unit_test(test_broken_ranges),
        cmocka_unit_test(test_saturated),    cmocka_unit_test(test_call),
        cmocka_unit_test(test_return),       cmocka_unit_test(test_mismatch),
        cmocka_unit_test(test_outside),      cmocka_unit_test(test_unready),
        cmocka_unit_test(test_frames),       cmocka_unit_test(test_long),
        cmocka_unit_test(test_long_returns), cmocka_unit_test(test_hops),
        cmocka_unit_test(test_recorded)};
    return RUN_TESTS(tests);
}
