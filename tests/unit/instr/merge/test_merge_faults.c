/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every allocation of reading, merging, writing and showing fails in turn: the error is that memory is out, nothing is
 * written, nothing leaks (which the sanitizers and valgrind see), and what can be tried again works then. */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/anyprof.h>

#include "helpers/shared/fault.h"
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/raw_runs.h"

#define N_INPUTS 8u

static const char text[] = ":ir\n:temporal_prof_traces\n2\n3\n2\nfoo,a.c;bar\n1\nfoo\n"
                           "foo\n1\n2\n3\n4\n1\n0\n2\n2\nfoo:5\na.c;bar:6\n1\nnowhere:9\n\n"
                           "a.c;bar\n2\n1\n7\n\n";
static const char bitmap_text[] = "# a bitmap\nfoo\n9\n1\n5\n$2\n0x5\n0xff\n\n";

static char long_texts[2][20000]; /* a site of very many values, several names for one, and many traces */
static struct runs runs;
static struct rb_file indexed;
static struct apf_input inputs[N_INPUTS];

static void add_input(size_t i, const void *p, size_t n)
{
    inputs[i] = apf_input_memory(p, n, NULL);
    inputs[i].weight = i + 1;
}

static size_t make_long_text(char *p, unsigned first)
{
    size_t n = 0, size = sizeof long_texts[0];
    n += (size_t)snprintf(p, size, ":ir\n:temporal_prof_traces\n30\n90\n");
    for (unsigned i = 30; i > 0; i--)
        n += (size_t)snprintf(p + n, size - n, "1\nname_%u,foo\n", i);
    n += (size_t)snprintf(p + n, size - n, "many\n1\n1\n5\n2\n0\n1\n270\n");
    for (unsigned i = first + 270; i > first; i--)
        n += (size_t)snprintf(p + n, size - n, "a.c%cname_%u:%u\n", i % 2 ? ':' : ';', i / 2, i);
    n += (size_t)snprintf(p + n, size - n, "1\n1\n270\n");
    for (unsigned i = first + 270; i > first; i--)
        n += (size_t)snprintf(p + n, size - n, "%u:%u\n", i / 2, i);
    assert_true(n < size);
    return n;
}

static int setup(void **state)
{
    (void)state;
    static const uint64_t counts[] = {7, 8}, ids[] = {1, 2};
    static const uint8_t bits[] = {3, 4, 5}, uniformity[] = {1};
    static const struct ib_record records[] = {
        {.hash = 1, .counts = counts, .n_counts = 2, .bitmap = bits, .n_bitmap = 3},
        {.hash = 2, .counts = counts, .n_counts = 1, .uniformity = uniformity, .n_uniformity = 1}};
    static const struct ib_key keys[] = {{"main", records, 2}, {"other", records, 1}};
    static const struct rb_bytes id = {"eight by", 8};
    static const struct ib_trace traces[] = {{1, ids, 2}};
    struct ib_profile p = {.version = 14,
                           .keys = keys,
                           .n_keys = 2,
                           .ids = &id,
                           .n_ids = 1,
                           .variant = RB_TEMPORAL | RB_IR,
                           .traces = traces,
                           .n_traces = 1,
                           .stream_size = 1};
    make_runs(&runs, 3, 10, 8, false); /* two of one binary, one of another */
    runs.profiles[2].version = 11;
    runs.profiles[2].uniform = true;
    runs.profiles[2].zlib = 1;
    for (size_t i = 0; i < 3; i++) {
        runs.profiles[i].variant = RB_IR | RB_TEMPORAL;
        rb_append(&runs.files[i], &runs.profiles[i], NULL);
        add_input(i, runs.files[i].data, runs.files[i].n);
    }
    ib_append(&indexed, &p, NULL);
    add_input(3, indexed.data, indexed.n);
    add_input(4, text, sizeof text - 1);
    add_input(5, bitmap_text, sizeof bitmap_text - 1);
    for (size_t i = 0; i < 2; i++)
        add_input(6 + i, long_texts[i], make_long_text(long_texts[i], 200 * (unsigned)i));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fault_reset();
    free_runs(&runs);
    rb_free(&indexed);
    return 0;
}

/* An attempt; on failure it must have freed all its memory. */
typedef int attempt_fn(unsigned what, struct apf_error *e);

/* Makes each allocation of a kind fail in turn; returns how many there are. */
static uint64_t sweep_kind(enum fault_call call, attempt_fn *attempt, unsigned what)
{
    for (uint64_t k = 1;; k++) {
        struct apf_error e;
        fault_fail(call, k, ENOMEM);
        int code = attempt(what, &e);
        bool hit = fault_hit() || code != APF_OK; /* after a failure the attempt may have reset it */
        fault_reset();
        if (!hit) {
            assert_int_equal(code, APF_OK);
            return k - 1;
        }
        if (code == APF_OK) /* an optional allocation, which only saves time */
            continue;
        assert_int_equal(e.code, code);
        /* The output buffer belongs to the caller, so its failure has another code. */
        assert_true(code == APF_NO_MEMORY || (code == APF_IO && e.sys_errno == ENOMEM));
        assert_string_equal(e.where, code == APF_IO ? "output.write" : "memory");
    }
}

static uint64_t sweep(attempt_fn *attempt, unsigned what)
{
    return sweep_kind(FAULT_MEMORY, attempt, what) + sweep_kind(FAULT_ARENA, attempt, what) +
           sweep_kind(FAULT_ZLIB, attempt, what);
}

/* ---- reading ---- */

static int open_and_look(unsigned what, struct apf_error *e)
{
    struct apf_instr *p = NULL;
    const struct apf_summary *summary;
    struct apf_record r = {.size = sizeof r};
    struct apf_str name = {"main", 4};
    int code = apf_instr_open(&p, &inputs[what], NULL, e);
    assert_true((code == APF_OK) == (p != NULL));
    if (code == APF_OK)
        code = apf_instr_summary(p, APF_SUMMARY_ALL, &summary, e);
    if (code == APF_OK) {
        code = apf_instr_find(p, name, 0, &r, e);
        code = code == APF_HASH_MISMATCH || code == APF_UNKNOWN_FUNCTION ? APF_OK : code;
    }
    apf_instr_close(p);
    return code;
}

static void test_reading(void **state)
{
    (void)state;
    for (unsigned i = 0; i < N_INPUTS; i++)
        assert_true(sweep(open_and_look, i) >= 6);
}

static int show(unsigned flags, struct apf_error *e)
{
    static const uint32_t cutoffs[] = {999999, 5};
    struct apf_instr *p = NULL;
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_write_options write = {.size = sizeof write, .format = APF_FORMAT_TEXT};
    struct apf_instr_print_options o = {
        .size = sizeof o, .flags = flags, .topn = 2, .cutoffs = cutoffs, .n_cutoffs = 2};
    int code = apf_instr_open(&p, &inputs[flags == APF_INSTR_PRINT_TEXT || !flags ? 3 : 4], NULL, e);
    if (code == APF_OK)
        code = flags ? apf_instr_print(p, &o, &output, e) : apf_instr_write_text(p, &write, &output, e);
    apf_instr_close(p);
    apf_buffer_free(&buffer);
    return code;
}

static void test_showing(void **state)
{
    (void)state;
    const uint32_t values =
        APF_INSTR_PRINT_IC_TARGETS | APF_INSTR_PRINT_VTABLES | APF_INSTR_PRINT_MEMOP_SIZES;
    assert_true(sweep(show, 0) >= 6);
    assert_true(sweep(show, APF_INSTR_PRINT_TEXT) >= 6);
    assert_true(sweep(show, APF_INSTR_PRINT_ALL_FUNCTIONS | APF_INSTR_PRINT_HOT_FUNCTIONS | values) >= 10);
}

/* ---- merging ---- */

static int new_merge(struct apf_merge **m, uint32_t flags, struct apf_error *e)
{
    static const struct apf_name_change remap = {{"foo", 3}, {"new", 3}}, map = {{"f", 1}, {"g", 1}};
    struct apf_merge_options o = {.size = sizeof o, .flags = flags};
    o.remaps = &remap;
    o.prefix_maps = &map;
    o.n_remaps = o.n_prefix_maps = 1;
    struct apf_options common = {.size = sizeof common};
    o.options = &common;
    common.threads = 1;
    o.trace_reservoir = 1;
    *m = NULL;
    return apf_merge_new(m, &o, e);
}

/* With the inputs in this order and in the other, together and one by one, by both paths. */
static int merge_inputs(unsigned what, struct apf_error *e)
{
    struct apf_input list[N_INPUTS];
    struct apf_merge *m = NULL;
    struct apf_instr *view = NULL;
    for (size_t i = 0; i < N_INPUTS; i++)
        list[i] = inputs[what & 1 ? N_INPUTS - 1 - i : i];
    int code = new_merge(&m, what & 2 ? APF_MERGE_GENERAL : 0, e);
    for (size_t i = 0; code == APF_OK && what & 4 && i < N_INPUTS; i++)
        code = apf_merge_add(m, &list[i], 1, e);
    if (code == APF_OK && !(what & 4))
        code = apf_merge_add(m, list, N_INPUTS, e);
    if (m && code != APF_OK) { /* half-way: it can only be freed */
        struct apf_error other;
        fault_reset();
        assert_int_equal(apf_merge_add(m, list, 1, &other), APF_ARGUMENT);
        assert_int_equal(apf_merge_view(m, &view, &other), APF_ARGUMENT);
    }
    if (code == APF_OK)
        code = apf_merge_view(m, &view, e);
    apf_merge_free(m);
    return code;
}

static int add_record(unsigned what, struct apf_error *e)
{
    static const struct apf_value values[] = {{1, 2}, {3, 4}};
    static const struct apf_site sites[] = {{values, 2}, {NULL, 0}};
    static const uint64_t counts[] = {1, 2}, uniform[] = {1, 1};
    static const uint8_t bits[] = {1};
    struct apf_record r = {
        .size = sizeof r, .name = {"foo", 3}, .hash = 1, .counts = counts, .n_counts = 2, .bitmap = bits};
    struct apf_merge *m = NULL;
    (void)what;
    r.n_bitmap = 1;
    r.sites[0] = sites;
    r.n_sites[0] = 2;
    r.uniform = uniform;
    r.n_uniform = 2;
    int code = new_merge(&m, 0, e);
    for (size_t i = 0; code == APF_OK && i < 2; i++)
        code = apf_merge_add_record(m, &r, 3, e);
    apf_merge_free(m);
    return code;
}

static int ignore_finding(void *user, const struct apf_diag *d)
{
    (void)user;
    (void)d;
    return 0;
}

/* Inputs that do not fit together, in all ways: refused ones, and records of other structures. */
static int merge_misfits(unsigned what, struct apf_error *e)
{
    static const char *const texts[] = {
        ":ir\nfoo\n1\n1\n5\n$1\n7\n1\n1\n1\n1\n5:6\n", ":ir\nfoo\n1\n1\n5\n$2\n7\n8\n1\n1\n2\n1\n5:6\n0\n",
        ":ir\nfoo\n1\n2\n5\n6\n", ":fe\nfoo\n1\n1\n5\n", ":ir\nfoo\n1\n1\nx\n"};
    struct apf_input list[sizeof texts / sizeof *texts];
    struct apf_merge_options o = {.size = sizeof o};
    struct apf_merge *m = NULL;
    struct apf_instr *view = NULL;
    size_t n = sizeof texts / sizeof *texts;
    for (size_t i = 0; i < n; i++) {
        list[i] = apf_input_memory(texts[i], strlen(texts[i]), NULL);
    }
    struct apf_options common = {.size = sizeof common};
    o.options = &common;
    common.threads = 1;
    common.diag = what ? ignore_finding : NULL;
    int code = apf_merge_new(&m, &o, e);
    if (code == APF_OK)
        code = apf_merge_add(m, list, n, e);
    if (code == APF_OK)
        code = apf_merge_view(m, &view, e);
    if (code == APF_OK) {
        assert_int_equal(apf_merge_input(m, 3)->code, APF_LEVEL_CONFLICT);
        assert_int_equal(apf_merge_input(m, 4)->code, APF_MALFORMED);
        assert_int_equal(apf_merge_stats(m)->count_mismatches, 1);
        assert_int_equal(apf_merge_stats(m)->bitmap_mismatches, 1);
        assert_int_equal(apf_merge_stats(m)->site_mismatches, 1);
    }
    apf_merge_free(m);
    return code;
}

static void test_merging(void **state)
{
    (void)state;
    for (unsigned what = 0; what < 8; what++)
        assert_true(sweep(merge_inputs, what) >= 60);
    assert_true(sweep(add_record, 0) >= 8);
    assert_true(sweep(merge_misfits, 0) >= 20);
    assert_true(sweep(merge_misfits, 1) >= 20);
}

/* ---- writing ---- */

static struct apf_merge *merge; /* of all inputs */

static int write_to(struct apf_buffer *buffer, unsigned what, struct apf_error *e)
{
    struct apf_output output = apf_output_buffer(buffer);
    struct apf_write_options w = {.size = sizeof w};
    w.format = what == 0 ? APF_FORMAT_TEXT : APF_FORMAT_INDEXED;
    w.flags = what % 2 ? APF_WRITE_VTABLE_NAMES : APF_WRITE_SPARSE;
    w.target.kind = what == 15 ? APF_TARGET_AUTO : APF_TARGET_INDEXED;
    w.target.version = what;
    return apf_merge_write(merge, &w, &output, e);
}

static int write_version(unsigned what, struct apf_error *e)
{
    struct apf_buffer first = {NULL, 0, 0}, again = {NULL, 0, 0};
    int code = write_to(&first, what, e);
    if (code != APF_OK) { /* what could not be written can be, when there is memory again */
        struct apf_error other;
        fault_reset();
        assert_int_equal(write_to(&again, what, &other), APF_OK);
        assert_true(again.n > 0 && first.n < again.n);
        apf_buffer_free(&again);
    }
    apf_buffer_free(&first);
    return code;
}

static void test_writing(void **state)
{
    (void)state;
    for (unsigned what = 0; what <= 15; what++) {
        struct apf_error e;
        assert_int_equal(new_merge(&merge, 0, &e), APF_OK);
        assert_int_equal(apf_merge_add(merge, inputs, N_INPUTS, &e), APF_OK);
        assert_int_equal(apf_merge_stats(merge)->n_rejected, 0);
        assert_true(sweep(write_version, what) >= 4);
        apf_merge_free(merge);
    }
}

TEST_FILE(merge_faults)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_reading, setup, teardown),
        cmocka_unit_test_setup_teardown(test_showing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_merging, setup, teardown),
        cmocka_unit_test_setup_teardown(test_writing, setup, teardown),
    };
    return RUN_TESTS(tests);
}
