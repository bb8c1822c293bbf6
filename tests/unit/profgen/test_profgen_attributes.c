/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that are made of several contexts have the attributes of the first one. Expected profiles are those of
 * llvm-profdata-22, which nests contexts with the code of llvm-profgen. */
#include "profgen/profgen_attributes.h"

#include "sample/merge/sample_nest.h"
#include "sample/model/sample_share.h"

#include "helpers/shared/sample_change.h"
#include "helpers/shared/unit.h"

static const bool merged_base = true;

static int nest(const struct apf_sample *from, const void *how, struct apf_sample **to,
                struct sample_losses *losses, struct apf_error *error)
{
    int code = sample_nest(from, how != NULL, to, losses, error);
    if (code != APF_OK)
        return code;
    code = profgen_first_attributes(from, *to, how != NULL, error);
    if (code != APF_OK) {
        sample_share_free(*to);
        *to = NULL;
    }
    return code;
}

/* foo and bar are called at two places each, bar also by functions without counts; what foo calls is nested in it. */
static const char contexts[] =
    "[main]:1000:1\n 1: 700\n 2: 300 foo:300\n"
    "[main:2 @ foo]:500:50\n 1: 300\n 3: 200 bar:150\n !Attributes: 2\n"
    "[main:2 @ foo:3 @ bar]:100:10\n 1: 60\n !Attributes: 3\n"
    "[main:5 @ foo]:50:5\n 1: 30\n !Attributes: 1\n[zed:1 @ bar]:37:37\n 1: 37\n !Attributes: 1\n"
    "[main:5 @ foo:3 @ bar]:10:1\n 1: 6\n[zeta:1 @ bar]:7:7\n 1: 7\n !Attributes: 2\n";

static void test_first(void **state)
{
    (void)state;
    EXPECT_CHANGE(nest, NULL, contexts,
                  "main:1210:1\n 1: 700\n 2: foo:450\n  1: 300\n  3: 50\n  3: bar:100\n   1: 60\n"
                  "   !Attributes: 3\n  !Attributes: 2\n 5: foo:60\n  1: 30\n  3: bar:10\n   1: 6\n"
                  "  !Attributes: 1\nbar:44:44\n 1: 44\n !Attributes: 2\n");
    EXPECT_CHANGE(nest, &merged_base, contexts,
                  "main:1210:1\n 1: 700\n 2: foo:450\n  1: 300\n  3: 50\n  3: bar:100\n   1: 60\n"
                  "   !Attributes: 7\n  !Attributes: 6\n 5: foo:60\n  1: 30\n  3: bar:10\n   1: 6\n"
                  "   !Attributes: 4\n  !Attributes: 5\nfoo:510:55\n 1: 330\n 3: 50\n 3: bar:110\n"
                  "  1: 66\n  !Attributes: 7\n !Attributes: 2\nbar:154:55\n 1: 110\n !Attributes: 2\n");
}

static void test_orders(void **state)
{
    static const struct sample_random like = {
        .functions = 20, .names = 4, .depth = 1, .frames = 4, .hashes = 20, .attributes = true};
    (void)state;
    change_in_any_order(nest, NULL, &like);
    change_in_any_order(nest, &merged_base, &like);
}

static void test_faults(void **state)
{
    (void)state;
    change_with_faults(nest, &merged_base, contexts);
}

TEST_FILE(profgen_attributes)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first), cmocka_unit_test(test_orders),
                                       cmocka_unit_test(test_faults)};
    return RUN_TESTS(tests);
}
