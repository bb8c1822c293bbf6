/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_remap.h"

#include <stdlib.h>

#include "sample/model/sample_share.h"

#include "helpers/shared/sample_change.h"
#include "helpers/shared/unit.h"

#define NAME(text) {text, sizeof text - 1}

/* foo becomes bar, bar becomes foo; a third and a later rule of foo. */
static const struct apf_name_change changes[] = {
    {NAME("foo"), NAME("bar")}, {NAME("bar"), NAME("foo")},  {NAME("foo"), NAME("wrong")},
    {NAME("old"), NAME("new")}, {NAME("twin"), NAME("new")}, {NAME("f1"), NAME("f0")},
    {NAME("f2"), NAME("f5")},   {NAME("f3"), NAME("f9")},    {NAME("f4"), NAME("f1")}};

/* Changes names of a copy of a profile, and resolves it. The names of `from` grow. */
static int remap(const struct apf_sample *from, const void *how, struct apf_sample **to,
                 struct sample_losses *losses, struct apf_error *error)
{
    struct sample_remaps remaps = {0};
    struct arena arena = {0};
    struct apf_sample *s = (struct apf_sample *)from;
    uint32_t *map = NULL;
    (void)how;
    int code = sample_remaps_copy(&remaps, changes, COUNT(changes), &arena, error);
    if (code == APF_OK)
        code = sample_remaps_map(&remaps, &s->names, &map, error);
    if (code == APF_OK)
        code = sample_share(from, &from->names, to, error);
    if (code == APF_OK)
        code = sample_share_own(*to, error);
    if (code == APF_OK) {
        (*to)->is_sum = true;
        code = sample_change_names(*to, map, error);
    }
    if (code == APF_OK)
        code = sample_resolve(*to, losses, error);
    free(map);
    sample_remaps_free(&remaps);
    arena_free(&arena);
    if (code != APF_OK) {
        sample_share_free(*to);
        *to = NULL;
    }
    return code;
}

/* Names change wherever they stand, once; checksums, attributes and vtables stay. */
static void test_names(void **state)
{
    (void)state;
    EXPECT_CHANGE(remap, NULL,
                  "foo:9:1\n 1: 5 zed:7 bar:2 foo:1\n 2: vtables foo:3\n 3: old:4\n  1: 4 foo:1\n"
                  "  !CFGChecksum: 5\n  !Attributes: 1\n !CFGChecksum: 6\n !Attributes: 2\n",
                  "bar:9:1\n 1: 5 zed:7 foo:2 bar:1\n 2: vtables bar:3\n 3: new:4\n  1: 4 bar:1\n"
                  "  !CFGChecksum: 5\n  !Attributes: 1\n !CFGChecksum: 6\n !Attributes: 2\n");
}

static void test_contexts(void **state)
{
    (void)state;
    EXPECT_CHANGE(remap, NULL, "[foo:1 @ old:2.1 @ x]:9:1\n 1: 9\n[bar:1 @ twin:2.1 @ x]:5:2\n 2: 5\n",
                  "[bar:1 @ new:2.1 @ x]:9:1\n 1: 9\n[foo:1 @ new:2.1 @ x]:5:2\n 2: 5\n");
    EXPECT_CHANGE(remap, NULL, "[foo:1 @ old:2.1 @ x]:9:1\n 1: 9\n[foo:1 @ twin:2.1 @ x]:5:2\n 2: 5\n",
                  "[bar:1 @ new:2.1 @ x]:14:3\n 1: 9\n 2: 5\n");
}

/* Functions that become equal are added up, at the top level, inlined, and as targets; votes decide about checksums,
 * of which the helper gives a function total % 4. */
static void test_equal(void **state)
{
    struct sample_losses losses = {0};
    (void)state;
    EXPECT_CHANGE(remap, NULL,
                  "old:9:1\n 1: 5 new:4 twin:2 old:1\n 2: old:2\n  1: 2\n 2: twin:3\n  1: 3\n"
                  "new:5:7\n 1: 1\ntwin:4:2\n 1: 3\n 1: vtables old:1 twin:1\n",
                  "new:18:10\n 1: 9 new:7\n 1: vtables new:2\n 2: new:5\n  1: 5\n");
    expect_change(remap, NULL, "old:9:1\n !CFGChecksum: 1\ntwin:7:2\n !CFGChecksum: 2\nnew:4:4\n",
                  "new:11:6\n !CFGChecksum: 2\n", &losses, __FILE__, __LINE__);
    assert_int_equal(losses.functions, 1);
    assert_int_equal(losses.samples, 9);
    sample_losses_free(&losses);
}

/* A hash is that of a name; 6699318081062747564 is the hash of foo. */
static void test_hashes(void **state)
{
    (void)state;
    EXPECT_CHANGE(remap, NULL, "6699318081062747564:9:1\n 1: 5 6699318081062747564:2 99:1\n",
                  "bar:9:1\n 1: 5 bar:2 99:1\n");
}

/* The new name has the source file of the old one. */
static void test_files(void **state)
{
    struct apf_sample *s = sample_new(), *to = NULL;
    struct sample_losses losses = {0};
    const struct apf_str old = NAME("old"), file = NAME("a.c");
    uint32_t in_file, name, context, node;
    (void)state;
    assert_int_equal(text_set_add(&s->names.files, file, &in_file, NULL), APF_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(sample_names_add(&s->names, old, i ? in_file : SAMPLE_NONE, true, &name, NULL),
                         APF_OK);
        assert_int_equal(sample_contexts_base(&s->contexts, name, &context, NULL), APF_OK);
        assert_int_equal(sample_top(s, context, &node, NULL), APF_OK);
    }
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    assert_int_equal(remap(s, NULL, &to, &losses, NULL), APF_OK);
    EXPECT_NOTES(to, "new:0:0\nnew:0:0\n");
    assert_int_equal(to->names.list.data[to->nodes.data[0].name].file, SAMPLE_NONE);
    assert_int_equal(to->names.list.data[to->nodes.data[1].name].file, in_file);
    sample_share_free(to);
    sample_free(s);
}

static void test_orders(void **state)
{
    static const struct sample_random like = {.functions = 9,
                                              .names = 7,
                                              .depth = 3,
                                              .frames = 2,
                                              .checksums = 2,
                                              .hashes = 30,
                                              .attributes = true};
    (void)state;
    change_in_any_order(remap, NULL, &like);
}

static void test_faults(void **state)
{
    (void)state;
    change_with_faults(remap, NULL,
                       "old:9:1\n 1: 5 old:1 twin:2 new:4\n 2: twin:3\n  1: 3\n 2: old:2\n  1: 2\n"
                       " 3: vtables old:1 twin:1\ntwin:4:2\n 1: 3\n!x:1:1\n");
}

TEST_FILE(sample_remap)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),  cmocka_unit_test(test_contexts), cmocka_unit_test(test_equal),
        cmocka_unit_test(test_hashes), cmocka_unit_test(test_files),    cmocka_unit_test(test_orders),
        cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}
