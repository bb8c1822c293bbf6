/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* New inputs decide anew which classes go together; earlier inputs are visited again only if that changes. */
#include "helpers/shared/unit.h"

#include <string.h>

#include <anyprof/anyprof.h>

#include "instr/merge/merge.h"

static struct apf_error error;

struct findings {
    unsigned count, stop_at; /* stop_at 0: never */
    uint64_t input;          /* the last one's */
};

static int collect_finding(void *user, const struct apf_diag *d)
{
    struct findings *f = (struct findings *)user;
    f->input = d->input;
    return ++f->count == f->stop_at;
}

static struct apf_merge *start(struct findings *f)
{
    struct apf_merge *m;
    struct apf_merge_options options = {.size = sizeof options};
    memset(f, 0, sizeof *f);
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.diag = collect_finding;
    common.user = f;
    assert_int_equal(apf_merge_new(&m, &options, &error), APF_OK);
    return m;
}

static void add(struct apf_merge *m, const char *text)
{
    struct apf_input input = apf_input_memory(text, strlen(text), NULL);
    assert_int_equal(apf_merge_add(m, &input, 1, &error), APF_OK);
}

static void add_record(struct apf_merge *m, uint64_t variant)
{
    const uint64_t counts[] = {5};
    const struct apf_record record = {
        .size = sizeof record, .name = {"f", 1}, .hash = 1, .counts = counts, .n_counts = 1};
    assert_int_equal(apf_merge_set_variant(m, variant, &error), APF_OK);
    assert_int_equal(apf_merge_add_record(m, &record, 1, &error), APF_OK);
}

static void expect_numbers(const struct apf_merge *m, uint64_t merged, uint64_t rejected, uint64_t empty)
{
    const struct apf_merge_stats *s = apf_merge_stats(m);
    assert_int_equal(s->n_inputs, merged + rejected + empty);
    assert_int_equal(s->n_merged, merged);
    assert_int_equal(s->n_rejected, rejected);
    assert_int_equal(s->n_empty, empty);
}

/* Work is counted here by what it would find: an input that has been counted is made to look as if it lacked something,
 * so that each that is counted again is in the statistics. */
#define INPUTS 20000u

static void test_one_by_one(void **state)
{
    (void)state;
    static const char *const texts[] = {":ir\na\n1\n1\n1\n", "", "b\n1\n1\n2\n", "bad\nx\n",
                                        ":fe\nc\n1\n1\n1\n"};
    struct findings f;
    struct apf_instr *view;
    struct apf_merge *m = start(&f);
    for (size_t i = 0; i < INPUTS; i++) {
        add(m, texts[i % 5]);
        assert_int_equal(m->n_settled, i + 1);
        m->inputs.data[i].missing_value_data = i >= 2; /* since then the same classes are accepted */
    }
    assert_int_equal(apf_merge_view(m, &view, &error), APF_OK);
    expect_numbers(m, INPUTS / 5 * 2, INPUTS / 5 * 2, INPUTS / 5);
    assert_int_equal(apf_merge_stats(m)->missing_value_data, 0);
    assert_int_equal(f.count, INPUTS / 5 * 3);
    apf_merge_free(m);
}

/* When other classes are accepted, all inputs are counted again, and newly refused ones are reported. */
static void test_majority_changes(void **state)
{
    (void)state;
    struct findings f;
    struct apf_instr *view;
    struct apf_merge *m = start(&f);
    add(m, ":ir\na\n1\n1\n1\n");
    add(m, "b\n1\n1\n2\n");
    add(m, ":fe\nc\n1\n1\n1\n");
    m->inputs.data[1].missing_value_data = 1;
    expect_numbers(m, 2, 1, 0);
    assert_int_equal(apf_merge_stats(m)->missing_value_data, 0);
    assert_int_equal(f.count, 1);
    add(m, ":fe\nc\n1\n1\n1\n");
    expect_numbers(m, 3, 1, 0);
    assert_int_equal(apf_merge_stats(m)->missing_value_data, 1);
    assert_int_equal(f.count, 2);
    assert_int_equal(f.input, 0);
    assert_int_equal(apf_merge_input(m, 0)->code, APF_LEVEL_CONFLICT);
    assert_int_equal(apf_merge_input(m, 0)->error->input, 0);
    assert_null(apf_merge_input(m, 2)->error);
    /* Records weigh as well, and to and fro takes no more memory. */
    size_t used = m->arena.used;
    for (unsigned i = 0; i < 10; i++) {
        add_record(m, APF_VARIANT_IR);
        add_record(m, APF_VARIANT_IR | APF_VARIANT_ENTRY_ONLY); /* goes with the other */
        assert_int_equal(apf_merge_view(m, &view, &error), APF_OK);
        expect_numbers(m, 2, 2, 0);
        assert_int_equal(apf_merge_input(m, 3)->code, APF_LEVEL_CONFLICT);
        assert_int_equal(apf_merge_input(m, 3)->error->input, 3);
        if (i == 0)
            used = m->arena.used;
        assert_int_equal(m->arena.used, used);
        m->classes[CLASS_FRONT_END].weight += 2; /* as if two more had come */
        assert_int_equal(merge_settle(m, &error), APF_OK);
        expect_numbers(m, 3, 1, 0);
        assert_null(apf_merge_input(m, 3)->error);
    }
    apf_merge_free(m);
}

/* Where the callback stops a view, the next one goes on. */
static void test_stopped(void **state)
{
    (void)state;
    struct findings f;
    struct apf_instr *view;
    struct apf_merge *m = start(&f);
    for (unsigned i = 0; i < 4; i++)
        add(m, i & 1 ? "b\n1\n1\n2\n" : ":fe\nc\n1\n1\n1\n");
    for (unsigned i = 0; i < 5; i++)
        add_record(m, APF_VARIANT_IR);
    f.stop_at = 1;
    assert_int_equal(apf_merge_view(m, &view, &error), APF_STOPPED);
    assert_null(view);
    assert_int_equal(apf_merge_view(m, &view, &error), APF_OK);
    assert_int_equal(f.count, 2);
    assert_int_equal(f.input, 2);
    expect_numbers(m, 2, 2, 0);
    assert_int_equal(apf_merge_view(m, &view, &error), APF_OK);
    expect_numbers(m, 2, 2, 0);
    apf_merge_free(m);
}

TEST_FILE(merge_settle)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_by_one),
        cmocka_unit_test(test_majority_changes),
        cmocka_unit_test(test_stopped),
    };
    return RUN_TESTS(tests);
}
