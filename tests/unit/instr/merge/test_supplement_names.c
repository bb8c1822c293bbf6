/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sample profiles have names of local functions without their file. */
#include "helpers/shared/supplement_merge.h"

#include <stdio.h>
#include <string.h>

#include "instr/merge/supplement_match.h"

static struct apf_error error;

static void test_names(void **state)
{
    static const struct {
        const char *name, *want, *unique;
    } cases[] = {
        {"a.cpp;s", "s", "s.__uniq.38778660903440678728007816739275208962"},
        {"a.c;s", "s", "s.__uniq.189702194130118823156495581805298510048"},
        {"acc;s", "s", NULL},
        {"dir/x.HPP;s", "s", NULL},
        {"x.H;s", "s", NULL},
        {".c;s", "s", NULL},
        {"x.c;b.cpp;s", "s", NULL},
        {"x.cpp;b.c;s", "b.c;s", NULL},
        {"a.c;b.c;s", "b.c;s", NULL},
        {"a.c:s", "s", NULL},
        {"a.m;b.c:s", "s", NULL},
        {"a.c:b.h;s", "s", NULL},
        {"a.c;s.__uniq.12", "s", "s.__uniq.12"},
        {"a.c;s.x.__uniq.12.__uniq.3", "s.x", "s.x.__uniq.12.__uniq.3"},
        {"a.c;s.__uniq", "s.__uniq", NULL},
        {"a.c;s.__uniq.", "s", "s.__uniq."},
        {"a.c;.__uniq.1", "", ".__uniq.1"},
        {"a.c;", NULL, NULL},
        {"a.cxx;s", NULL, NULL},
        {"a.rs;s", NULL, NULL},
        {";s", NULL, NULL},
        {"c;s", NULL, NULL},
        {"foo", NULL, NULL},
        {"", NULL, NULL},
    };
    struct supplement_name found = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (unsigned unique = 0; unique < 2; unique++) {
            struct apf_str name = {cases[i].name, strlen(cases[i].name)};
            const char *want = unique ? cases[i].unique : cases[i].want;
            if (!want && cases[i].want)
                continue;
            assert_true(supplement_name_find(&found, name, unique));
            assert_int_equal(found.name.n, want ? strlen(want) : 0);
            assert_memory_equal(found.name.n ? found.name.p : "", want ? want : "", found.name.n);
        }
    VEC_FREE(&found.text);
}

static const char locals[] =
    ":ir\na.c;st\n1\n1\n0\nb.c;st\n1\n1\n0\nc.c;ot.__uniq.77\n1\n1\n0\n"
    "d.c;ot.__uniq.78\n1\n1\n0\ne.c;qq.__uniq.5\n1\n1\n0\nst2\n1\n1\n0\nf.c;st2\n1\n1\n0\n";

/* A name of several local functions is none of them. It is reported, in the order of the records. */
static void test_several(void **state)
{
    static const struct row rows[] = {
        {"ot", 9, 9, 0}, {"st", 9, 9, 0}, {"qq", 9, 9, 0}, {"st2", 9, 9, 0}, {"e.c;qq.__uniq.5", 0, 3, 1}};
    static const struct samples s = {rows, COUNT(rows), 9, 4, 0}, cold = {rows, COUNT(rows), 11, 10, 0};
    struct found found = {0};
    struct apf_merge *m = supplement_merge_found(&found, locals);
    (void)state;
    assert_int_equal(supplement_apply_to(m, &s, &from_one), APF_OK);
    CHECK(m, "a.c;st", 1, 0);
    CHECK(m, "b.c;st", 1, 0);
    CHECK(m, "c.c;ot.__uniq.77", 1, 0);
    CHECK(m, "d.c;ot.__uniq.78", 1, 0);
    CHECK(m, "e.c;qq.__uniq.5", 1, HOT);
    CHECK(m, "st2", 1, HOT);
    CHECK(m, "f.c;st2", 1, 0);
    assert_int_equal(apf_merge_stats(m)->supplement_ambiguous, 2);
    assert_int_equal(found.n, 2);
    assert_string_equal(found.text,
                        "ot|Static function ot has multiple promoted names, cannot adjust profile.");
    assert_int_equal(supplement_apply_to(m, &cold, &from_one), APF_OK);
    CHECK(m, "st2", 1, 0);
    assert_int_equal(apf_merge_stats(m)->supplement_ambiguous, 0);
    assert_int_equal(found.n, 2);
    apf_merge_free(m);
}

/* Inlined functions with a name of several count for the function around, and LLVM adds their entries, too. */
static void test_several_inlined(void **state)
{
    static const char text[] = ":ir\na.c;st\n1\n1\n0\nb.c;st\n1\n1\n0\nmain\n1\n1\n0\n";
    static const struct row rows[] = {{"main", 10, 0, 0}, {"st", 20, 5, 1}};
    static const struct samples warm = {rows, COUNT(rows), 31, 30, 0}, cold = {rows, COUNT(rows), 32, 31, 0};
    struct found found = {0};
    struct apf_merge *m = supplement_merge_found(&found, text);
    (void)state;
    assert_int_equal(supplement_apply_to(m, &warm, &from_one), APF_OK);
    CHECK(m, "main", 1, WARM);
    assert_int_equal(supplement_apply_to(m, &cold, &from_one), APF_OK);
    CHECK(m, "main", 1, 0);
    assert_int_equal(found.n, 0);
    apf_merge_free(m);
}

/* Suffixes that only one of the profiles has. 189702194130118823156495581805298510048 is the MD5 of "a.c". */
static void test_unique(void **state)
{
    static const struct row rows[] = {{"st.__uniq.189702194130118823156495581805298510048", 9, 9, 0},
                                      {"ot.__uniq.77", 9, 9, 0},
                                      {"qq", 9, 9, 0}};
    static const struct samples s = {rows, COUNT(rows), 9, 1, 1};
    struct apf_merge *m = supplement_merge(locals, &s, &from_one);
    (void)state;
    CHECK(m, "a.c;st", 1, HOT);
    CHECK(m, "b.c;st", 1, 0);
    CHECK(m, "c.c;ot.__uniq.77", 1, HOT);
    CHECK(m, "d.c;ot.__uniq.78", 1, 0);
    CHECK(m, "e.c;qq.__uniq.5", 1, 0);
    apf_merge_free(m);
}

/* A long name, and one that a terminal would obey. */
static void test_long_name(void **state)
{
    char text[2000], name[600], want[400];
    struct found found = {0};
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    memcpy(name, "\033[2J", 4);
    snprintf(text, sizeof text, ":ir\na.c;%s\n1\n1\n0\nb.c;%s\n1\n1\n0\n", name, name);
    const struct row row = {name, 9, 9, 0};
    const struct samples s = {&row, 1, 9, 1, 0};
    struct apf_merge *m = supplement_merge_found(&found, text);
    struct apf_instr *view;
    (void)state;
    assert_int_equal(supplement_apply_to(m, &s, &from_one), APF_OK);
    assert_int_equal(apf_merge_view(m, &view, &error), APF_OK);
    snprintf(want, sizeof want,
             "Static function \\x1b[2J%.160s... has multiple promoted names, cannot adjust profile.",
             name + 4);
    assert_int_equal(found.n, 1);
    assert_string_equal(strchr(found.text, '|') + 1, want);
    apf_merge_free(m);
}

TEST_FILE(supplement_names)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),           cmocka_unit_test(test_several),
        cmocka_unit_test(test_several_inlined), cmocka_unit_test(test_unique),
        cmocka_unit_test(test_long_name),
    };
    return RUN_TESTS(tests);
}
