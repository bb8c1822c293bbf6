/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts for BOLT, by their first lines. */
#include <stdlib.h>
#include <string.h>

#include "bolt/bolt_begins.h"
#include "bolt/bolt_kind.h"
#include "helpers/shared/unit.h"

static void check(const char *text, size_t n, bool fdata, bool samples, bool yaml)
{
    const uint8_t *p = (const uint8_t *)text;
    if (fdata_begins(p, n) != fdata || preagg_begins(p, n) != samples ||
        (bolt_kind_of(p, n) == BOLT_YAML) != yaml)
        fail_msg("%s: fdata %d, samples %d, YAML %d", text, fdata_begins(p, n), preagg_begins(p, n),
                 bolt_kind_of(p, n) == BOLT_YAML);
}

/* The first record decides, so that what comes after it may be damaged, or not be there. */
static void test_begins(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool fdata, samples, yaml;
    } rows[] = {
        {"1 main d4 1 worker 0 0 3\n", true, false, false},
        {"1 main d4 1 worker 0 0 3\nzork\n", true, false, false},
        {"4 worker 3 4 table 8 5\n", true, false, false},
        {"boltedcollection\n1 f 0 1 f 8 0 1\n", true, false, false},
        {"no_lbr cycles:u\nboltedcollection\n1 f 0 2\n", true, false, false},
        {"no_lbr\n", true, false, false},
        {"no_lbr\n1 f 0 1 f 8 0 1\n", false, false, false},
        {"no_lbr\nno_lbr\nno_lbr\n1 f 0 2\n", false, false, false},
        {"no_lbrx\n1 f 0 2\n", false, false, false},
        {"1 main d4 1 worker 0 0 3", false, false, false}, /* cut off */
        {"T 4010b4 4010d4 4010e7 52\n", false, true, false},
        {"E cycles:u\nS 4010b4 5\nzork\n", false, true, false},
        {"E cycles:u\n", false, false, false},
        {"T 4010b4 4010d4 4010e7 52", false, false, false},
        {"---\nheader:\n", false, false, true},
        {"---\r\nheader:\r\n", false, false, true},
        {"---\r\nhaeder:\r\n", false, false, false},
        {"main\n1\n1\n5\n", false, false, false},
        {"main:100:1\n 1: 60\n", false, false, false},
        {"\n", false, false, false},
        {"", false, false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const size_t n = strlen(rows[i].text);
        check(rows[i].text, n, rows[i].fdata, rows[i].samples, rows[i].yaml);
        for (size_t cut = 0; cut < n; cut++) { /* an exact copy: sanitizers report a read past its end */
            uint8_t *copy = malloc(cut ? cut : 1);
            assert_non_null(copy);
            memcpy(copy, rows[i].text, cut);
            (void)fdata_begins(copy, cut); /* the lines of a header alone are fdata */
            assert_false(preagg_begins(copy, cut) && !rows[i].samples);
            (void)bolt_kind_of(copy, cut);
            free(copy);
        }
    }
    check("1 \0 d4 1 f 0 0 3\n", 18, false, false, false);
    assert_false(fdata_begins(NULL, 0));
    assert_false(preagg_begins(NULL, 0));
}

TEST_FILE(bolt_begins)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_begins)};
    return RUN_TESTS(tests);
}
