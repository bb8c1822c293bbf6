/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Trees of frames: how deep and how large they become, and that names of what is left out go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/unit.h"
#include "report/report_model.h"

static struct apf_report *make(void)
{
    struct apf_report *r = calloc(1, sizeof *r);
    assert_non_null(r);
    return r;
}

static uint32_t name_of(struct apf_report *r, size_t i)
{
    char text[32];
    const int n = snprintf(text, sizeof text, "f%zu", i);
    const uint32_t name = report_name(r, (struct apf_str){text, (size_t)n});
    assert_int_not_equal(name, HASH_INDEX_NONE);
    return name;
}

static void finish(struct apf_report *r)
{
    assert_int_equal(report_finish(r, NULL), APF_OK);
    assert_int_equal(report_drop_names(r, NULL), APF_OK);
}

/* What is deeper than the limit counts for the last frame. */
static void test_depth(void **state)
{
    struct apf_report *r = make();
    uint32_t at = 0;
    (void)state;
    for (size_t i = 0; i < REPORT_DEPTH + 50; i++) {
        at = report_frame(&r->stacks, at, name_of(r, i));
        assert_int_not_equal(at, HASH_INDEX_NONE);
        r->stacks.frames.data[at].self += 1;
    }
    finish(r);
    assert_int_equal(r->stacks.frames.n, REPORT_DEPTH + 1);
    assert_int_equal(r->stacks.n_deep, 50);
    assert_int_equal(r->stacks.frames.data[0].total, REPORT_DEPTH + 50);
    assert_int_equal(r->stacks.frames.data[at].self, 51);
    assert_int_equal(r->names.n, REPORT_DEPTH);
    apf_report_free(r);
}

/* Frames of equal size: the first ones stay, none without its parent. Afterwards numbers of names are others. */
static void test_ties(void **state)
{
    enum { MANY = 30000 };
    struct apf_report *r = make();
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        const uint32_t parent = report_frame(&r->stacks, 0, name_of(r, MANY - i));
        const uint32_t child = report_frame(&r->stacks, parent, name_of(r, MANY + i));
        r->stacks.frames.data[child].self = i < 10 ? 2 : 1;
    }
    finish(r);
    assert_int_equal(r->stacks.frames.n, 20000);
    assert_int_equal(r->stacks.n_small, 2 * MANY + 1 - 20000);
    assert_int_equal(r->stacks.frames.data[0].total, MANY + 10);
    for (size_t i = 1; i < r->stacks.frames.n; i++) {
        const struct report_frame *f = &r->stacks.frames.data[i];
        assert_true(f->parent < i && f->total <= r->stacks.frames.data[f->parent].total);
        assert_true(f->name < r->names.n);
    }
    assert_true(r->names.n < 20000);
    /* The first pair. */
    const struct apf_str first = r->names.data[r->stacks.frames.data[1].name].raw;
    assert_int_equal(first.n, 6);
    assert_memory_equal(first.p, "f30000", 6);
    apf_report_free(r);
}

TEST_FILE(report_tree)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_depth), cmocka_unit_test(test_ties)};
    return RUN_TESTS(tests);
}
