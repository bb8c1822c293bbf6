/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions and their refs, also those that a damaged profile gives. */
#include <errno.h>
#include <string.h>

#include "base/md5.h"
#include "cov/names.h"
#include "helpers/shared/fault.h"
#include "helpers/shared/unit.h"

static struct apf_str name_of(const char *text)
{
    return (struct apf_str){text, strlen(text)};
}

static uint64_t ref_of(const char *text)
{
    return md5_name_ref(text, strlen(text));
}

static void test_names(void **state)
{
    struct cov_names t = {.list = {NULL, 0, 0}};
    struct apf_error error;
    uint32_t a, b, again;
    char local[] = "bar";
    (void)state;
    assert_int_equal(cov_names_give(&t, ref_of("foo"), name_of("foo"), &a, &error), APF_OK);
    assert_int_equal(cov_names_give(&t, ref_of("unknown"), name_of(""), &b, &error), APF_OK);
    assert_int_not_equal(a, b);
    /* a name that the profile has, one of which it has the ref, and a new one, whose bytes are copied */
    assert_int_equal(cov_names_add(&t, name_of("foo"), true, &again, &error), APF_OK);
    assert_int_equal(again, a);
    assert_int_equal(cov_names_add(&t, name_of("unknown"), true, &again, &error), APF_OK);
    assert_int_equal(again, b);
    assert_int_equal(cov_names_text(&t, b).n, 7);
    assert_int_equal(cov_names_add(&t, name_of(local), false, &again, &error), APF_OK);
    memset(local, 'x', 3);
    assert_memory_equal(cov_names_text(&t, again).p, "bar", 3);
    assert_int_equal(cov_names_find(&t, ref_of("bar")), again);
    assert_int_equal(cov_names_find(&t, ref_of("baz")), HASH_INDEX_NONE);
    assert_int_equal(t.list.n, 3);
    assert_int_equal(cov_names_check(&t, &error), APF_OK);
    cov_names_free(&t);
}

/* Wrong refs come to light when an object has the name of the ref, two names are the same, or two have one ref. */
static void test_wrong_refs(void **state)
{
    struct apf_error error;
    uint32_t number;
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct cov_names t = {.list = {NULL, 0, 0}};
        assert_int_equal(cov_names_give(&t, ref_of("foo"), name_of("fox"), &number, &error), APF_OK);
        if (i == 0)
            assert_int_equal(cov_names_add(&t, name_of("foo"), true, &number, &error), APF_MALFORMED);
        else if (i == 1)
            assert_int_equal(cov_names_give(&t, ref_of("fox"), name_of("fox"), &number, &error),
                             APF_MALFORMED);
        else if (i == 2)
            assert_int_equal(cov_names_check(&t, &error), APF_MALFORMED);
        else
            assert_int_equal(cov_names_give(&t, ref_of("foo"), name_of("bar"), &number, &error),
                             APF_MALFORMED);
        assert_string_equal(error.where, "profile.name");
        cov_names_free(&t);
    }
}

static void test_faults(void **state)
{
    (void)state;
    for (uint64_t at = 1;; at++) {
        struct cov_names t = {.list = {NULL, 0, 0}};
        struct apf_error error;
        uint32_t number;
        fault_fail(FAULT_MEMORY, at, ENOMEM);
        int code = cov_names_give(&t, ref_of("foo"), name_of("foo"), &number, &error);
        if (code == APF_OK)
            code = cov_names_add(&t, name_of("bar"), false, &number, &error);
        const bool hit = fault_hit();
        fault_reset();
        assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
        cov_names_free(&t);
        if (!hit)
            break;
    }
}

TEST_FILE(names)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_wrong_refs),
                                       cmocka_unit_test(test_faults)};
    return RUN_TESTS(tests);
}
