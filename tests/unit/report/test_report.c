/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The model of reports: names, sums that cannot wrap, the values and sites that are kept, frames that are dropped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/unit.h"
#include "report/report_model.h"

static struct apf_report *new_report(void)
{
    struct apf_report *r = calloc(1, sizeof *r);
    assert_non_null(r);
    return r;
}

static uint32_t name(struct apf_report *r, const char *text)
{
    return report_name(r, (struct apf_str){text, strlen(text)});
}

static void test_names(void **state)
{
    struct apf_report *r = new_report();
    (void)state;
    const uint32_t a = name(r, "a"), empty = name(r, "");
    assert_int_not_equal(a, empty);
    assert_int_equal(name(r, "a"), a);
    assert_int_equal(name(r, ""), empty);
    assert_string_equal(r->names.data[report_hash_name(r, 0x2a)].raw.p, "0x000000000000002a");
    assert_int_equal(r->names.n, 3);
    apf_report_free(r);
}

static void test_values(void **state)
{
    struct report_site site = {.kind = REPORT_SIZES};
    (void)state;
    for (unsigned i = 0; i < 2 * REPORT_VALUES; i++)
        report_add_value(&site, i, i % 2 ? 100 + i : i);
    assert_int_equal(site.n_values, 2 * REPORT_VALUES);
    for (unsigned i = 0; i < REPORT_VALUES; i++)
        assert_int_equal(site.values[i].value, 2 * REPORT_VALUES - 1 - 2 * i);
    report_add_value(&site, 99, UINT64_MAX);
    assert_int_equal(site.values[0].value, 99);
    assert_true(site.total == UINT64_MAX);
}

static void test_sites(void **state)
{
    struct apf_report *r = new_report();
    struct apf_error error;
    (void)state;
    for (unsigned i = 0; i < 10000; i++) {
        struct report_site site = {.line = i};
        report_add_value(&site, 1, i * 7919 % 10000);
        assert_true(report_add_site(r, &site));
    }
    assert_int_equal(report_finish(r, &error), APF_OK);
    assert_int_equal(r->n_sites, 9999); /* one has no counts */
    assert_int_equal(r->sites.n, 500);
    for (unsigned i = 0; i < 500; i++)
        assert_int_equal(r->sites.data[i].total, 9999 - i);
    apf_report_free(r);
}

static void test_counts(void **state)
{
    struct apf_report *r = new_report();
    (void)state;
    report_count(r, 0);
    report_count(r, 1);
    report_count(r, 2);
    report_count(r, 3);
    report_count(r, UINT64_MAX);
    assert_int_equal(r->powers[0], 1);
    assert_int_equal(r->powers[1], 1);
    assert_int_equal(r->powers[2], 2);
    assert_int_equal(r->powers[64], 1);
    assert_int_equal(r->n_counts, 5);
    assert_true(r->total == UINT64_MAX);
    apf_report_free(r);
}

/* Half of the counts are in the first function, 90 % in the first two, and so on. */
static void test_quantiles(void **state)
{
    static const uint64_t totals[] = {0, 1, 9, 90, 400, 500};
    struct apf_report *r = new_report();
    struct apf_error error;
    (void)state;
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        const struct report_function f = {.name = name(r, "f"), .total = totals[i], .hash = i};
        assert_true(VEC_PUSH(&r->functions, f));
    }
    assert_int_equal(report_finish(r, &error), APF_OK);
    assert_int_equal(r->functions.data[0].total, 500);
    for (size_t i = 0; i < REPORT_QUANTILES; i++)
        assert_int_equal(r->quantiles[i].functions, i + 1);
    assert_int_equal(r->n_cold, 1);
    apf_report_free(r);
}

/* Sentences are kept once, in order. */
static void test_notes(void **state)
{
    struct apf_report *r = new_report();
    struct apf_str note;
    (void)state;
    assert_true(report_add_note(r, "b") && report_add_note(r, "a") && report_add_note(r, "b"));
    assert_int_equal(apf_report_note(r, 1, &note), APF_OK);
    assert_string_equal(note.p, "a");
    assert_int_equal(apf_report_note(r, 2, &note), APF_END);
    apf_report_free(r);
}

TEST_FILE(report)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names),     cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_sites),     cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_quantiles), cmocka_unit_test(test_notes)};
    return RUN_TESTS(tests);
}
