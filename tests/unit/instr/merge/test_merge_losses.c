/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the inputs with records that a merge left out. */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <anyprof/merge.h>

#include "helpers/shared/fault.h"

/* Functions that agree, and f: its counters, bitmap and values. */
#define F(counts) "f\n1\n" counts "\ng\n1\n1\n5\n"
#define TWO "2\n7\n8\n"
#define THREE "3\n1\n2\n3\n"
#define BITMAP "$1\n0x1\n"
#define LARGER_BITMAP "$2\n0x1\n0x2\n"
#define SITE "1\n1\n1\n1\n4:5\n"
#define SITES "1\n1\n2\n0\n1\n4:5\n"

struct losses {
    uint32_t known;
    uint64_t functions, bitmaps, values;
};

struct loss_log {
    unsigned n;
    uint64_t inputs; /* a bit each */
};

static int collect_loss(void *user, const struct apf_diag *d)
{
    struct loss_log *log = (struct loss_log *)user;
    if (d->code != APF_LEFT_OUT)
        return 0;
    assert_int_equal(d->severity, APF_SEVERITY_WARNING);
    log->n++;
    log->inputs |= (uint64_t)1 << d->input;
    return 0;
}

static void write_inputs(const char *const *texts, size_t n)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < n; i++)
        file_make(temp_path(names[i]), texts[i], strlen(texts[i]));
}

static int merge(struct apf_merge **m, size_t n, uint32_t flags, uint32_t threads, struct loss_log *log)
{
    static char paths[4][600];
    struct apf_input inputs[4];
    struct apf_merge_options o = {.size = sizeof o, .tolerance = &any_loss, .flags = flags};
    struct apf_instr *view;
    struct apf_options common = {.size = sizeof common};
    o.options = &common;
    common.threads = threads;
    common.diag = collect_loss;
    common.user = log;
    for (size_t i = 0; i < n; i++) {
        static const char *const names[] = {"a", "b", "c", "d"};
        snprintf(paths[i], sizeof paths[i], "%s/%s", temp_dir, names[i]);
        inputs[i] = apf_input_file(paths[i]);
    }
    int code = apf_merge_new(m, &o, NULL);
    if (code == APF_OK)
        code = apf_merge_add(*m, inputs, n, NULL);
    return code == APF_OK ? apf_merge_view(*m, &view, NULL) : code;
}

static void expect(const struct apf_merge *m, size_t i, struct losses l)
{
    const struct apf_input_result *r = apf_merge_input(m, i);
    assert_int_equal(r->losses_known, l.known);
    assert_int_equal(r->lost_functions, l.functions);
    assert_int_equal(r->lost_bitmaps, l.bitmaps);
    assert_int_equal(r->lost_values, l.values);
}

static void test_who_lost(void **state)
{
    (void)state;
    static const char *const texts[] = {F(TWO BITMAP SITE), F(TWO BITMAP SITE), F(THREE),
                                        F(TWO LARGER_BITMAP SITES)};
    write_inputs(texts, 4);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct apf_merge *m = NULL;
        struct loss_log log = {0, 0};
        assert_int_equal(merge(&m, 4, APF_MERGE_FIND_LOSSES, threads, &log), APF_OK);
        expect(m, 0, (struct losses){1, 0, 0, 0});
        expect(m, 1, (struct losses){1, 0, 0, 0});
        expect(m, 2, (struct losses){1, 1, 0, 0});
        expect(m, 3, (struct losses){1, 0, 1, 1});
        assert_int_equal(log.n, 2);
        assert_int_equal(log.inputs, 4 | 8);
        apf_merge_free(m);
    }
}

/* The option is not set, or nothing is lost. */
static void test_nothing_to_find(void **state)
{
    (void)state;
    static const char *const texts[] = {F(TWO), F(THREE)}, *const alike[] = {F(TWO), F(TWO)};
    struct apf_merge *m = NULL;
    struct loss_log log = {0, 0};
    write_inputs(texts, 2);
    assert_int_equal(merge(&m, 2, 0, 1, &log), APF_OK);
    expect(m, 0, (struct losses){0, 0, 0, 0});
    assert_int_equal(apf_merge_stats(m)->count_mismatches, 1);
    apf_merge_free(m);
    write_inputs(alike, 2);
    assert_int_equal(merge(&m, 2, APF_MERGE_FIND_LOSSES, 1, &log), APF_OK);
    expect(m, 0, (struct losses){1, 0, 0, 0});
    expect(m, 1, (struct losses){1, 0, 0, 0});
    apf_merge_free(m);
    assert_int_equal(log.n, 0);
}

/* An input in memory, or a file that was removed or replaced, cannot be read again. */
static void test_not_known(void **state)
{
    (void)state;
    static const char *const texts[] = {F(TWO), F(THREE), F(TWO)};
    static const char other[] = F(TWO) "h\n1\n1\n1\n";
    struct apf_merge *m = NULL;
    struct apf_merge_options o = {.size = sizeof o, .tolerance = &any_loss, .flags = APF_MERGE_FIND_LOSSES};
    struct apf_instr *view;
    write_inputs(texts, 3);
    struct apf_input inputs[] = {apf_input_memory(texts[0], strlen(texts[0]), NULL), apf_input_file(NULL),
                                 apf_input_file(NULL), apf_input_file(NULL)};
    char paths[3][600];
    for (size_t i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%c", temp_dir, (int)('a' + i));
        inputs[i + 1].path = paths[i];
    }
    assert_int_equal(apf_merge_new(&m, &o, NULL), APF_OK);
    assert_int_equal(apf_merge_add(m, inputs, 4, NULL), APF_OK);
    assert_int_equal(unlink(paths[0]), 0);
    file_make(temp_path("c"), other, strlen(other));
    assert_int_equal(apf_merge_view(m, &view, NULL), APF_OK);
    expect(m, 0, (struct losses){0, 0, 0, 0});
    expect(m, 1, (struct losses){0, 0, 0, 0});
    expect(m, 2, (struct losses){1, 1, 0, 0});
    expect(m, 3, (struct losses){0, 0, 0, 0});
    apf_merge_free(m);
}

/* A merge whose memory runs out while it looks fails; that of a second reading only says that it is not known. */
static void test_faults(void **state)
{
    (void)state;
    static const char *const texts[] = {F(TWO BITMAP), F(THREE)};
    write_inputs(texts, 2);
    for (uint64_t k = 1;; k++) {
        struct apf_merge *m = NULL;
        struct loss_log log = {0, 0};
        fault_fail(FAULT_MEMORY, k, ENOMEM);
        int code = merge(&m, 2, APF_MERGE_FIND_LOSSES, 1, &log);
        bool hit = fault_hit();
        fault_reset();
        assert_true(code == APF_OK || code == APF_NO_MEMORY);
        for (size_t i = 0; code == APF_OK && i < 2; i++) {
            const struct apf_input_result *r = apf_merge_input(m, i);
            assert_int_equal(r->lost_functions,
                             r->losses_known ? i == 0 : 0); /* the larger number of counters wins */
            assert_true(r->losses_known || hit);
        }
        apf_merge_free(m);
        if (!hit)
            break;
    }
}

TEST_FILE(merge_losses)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_who_lost), TEST_WITH_DIR(test_nothing_to_find),
                                       TEST_WITH_DIR(test_not_known), TEST_WITH_DIR(test_faults)};
    return RUN_TESTS(tests);
}
