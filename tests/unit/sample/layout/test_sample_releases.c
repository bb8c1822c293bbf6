/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each release of LLVM and GCC reads, and the names of targets. */
#include <string.h>

#include "base/number.h"
#include "sample/layout/gcc_layout.h"
#include "sample/layout/sample_releases.h"

#include "helpers/shared/unit.h"

static const struct sample_release *release_of(const char *target)
{
    struct apf_sample_target t;
    assert_int_equal(apf_sample_target_parse(target, &t, NULL), APF_OK);
    assert_true(sample_target_known(&t));
    return sample_target_row(&t);
}

static void test_targets(void **state)
{
    static const struct {
        const char *text;
        uint32_t kind;
        const char *name;
    } rows[] = {
        {"llvm-16", APF_SAMPLE_FOR_LLVM, "16"},
        {"clang-16", APF_SAMPLE_FOR_LLVM, "16"},
        {"16", APF_SAMPLE_FOR_LLVM, "16"},
        {"16.0.6", APF_SAMPLE_FOR_LLVM, "16"},
        {"clang-3.9.1", APF_SAMPLE_FOR_LLVM, "3.9"},
        {"3.4", APF_SAMPLE_FOR_LLVM, "3.4"},
        {"4", APF_SAMPLE_FOR_LLVM, "4"},
        {"llvm-23", APF_SAMPLE_FOR_LLVM, "23"},
        {"gcc-12", APF_SAMPLE_FOR_GCC, "12"},
        {"gcc-5.4", APF_SAMPLE_FOR_GCC, "5"},
        {"gcc-16", APF_SAMPLE_FOR_GCC, "16"},
    };
    static const char *const wrong[] = {"",       "llvm",   "llvm-",  "llvm-24",   "gcc",
                                        "gcc-4",  "gcc-17", "3",      "gcc-3.9",   "160",
                                        "llvm16", "AUTO",   "gcc--5", "indexed-9", "clang-gcc-5"};
    struct apf_sample_target t;
    struct apf_error error;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(apf_sample_target_parse(rows[i].text, &t, &error), APF_OK);
        assert_int_equal(t.kind, rows[i].kind);
        assert_string_equal(apf_sample_release_name(t.kind, t.release), rows[i].name);
    }
    assert_int_equal(apf_sample_target_parse("auto", &t, &error), APF_OK);
    assert_int_equal(t.kind, APF_SAMPLE_FOR_AUTO);
    assert_int_equal(t.release, 0);
    assert_string_equal(sample_target_row(&t)->name, "23");
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(apf_sample_target_parse(wrong[i], &t, &error), APF_ARGUMENT);
        assert_int_equal(error.subject, APF_SUBJECT_OPTION);
    }
    assert_string_equal(
        error.message,
        "invalid argument: unknown target 'clang-gcc-5'; use auto, llvm-N (3.7 to 23) or gcc-N "
        "(5 to 16); indexed-N is for instrumentation profiles; clang-16 and 16 mean llvm-16");
}

static void test_names(void **state)
{
    static const struct apf_sample_target unknown[] = {{APF_SAMPLE_FOR_AUTO, 1},
                                                       {APF_SAMPLE_FOR_LLVM, 26},
                                                       {APF_SAMPLE_FOR_GCC, 12},
                                                       {3, 0},
                                                       {UINT32_MAX, 0}};
    (void)state;
    assert_string_equal(apf_sample_release_name(APF_SAMPLE_FOR_LLVM, 0), "3.4");
    assert_string_equal(apf_sample_release_name(APF_SAMPLE_FOR_LLVM, 25), "23");
    assert_string_equal(apf_sample_release_name(APF_SAMPLE_FOR_GCC, 11), "16");
    assert_null(apf_sample_release_name(APF_SAMPLE_FOR_AUTO, 0));
    for (size_t i = 0; i < COUNT(unknown); i++) {
        assert_false(sample_target_known(&unknown[i]));
        assert_null(apf_sample_release_name(unknown[i].kind, unknown[i].release));
    }
}

/* The table of the formats' document, as clang 13 to 22 were seen to read them. */
static void test_llvm(void **state)
{
    static const char *const names[] = {"llvm-13", "llvm-14", "llvm-16", "llvm-19", "llvm-22"};
    static const struct {
        enum sample_form form;
        uint32_t features;
        bool reads[5];
    } rows[] = {
        {SAMPLE_FORM_TEXT, 0, {true, true, true, true, true}},
        {SAMPLE_FORM_BINARY, 0, {true, true, true, true, true}},
        {SAMPLE_FORM_GCC_LLVM, 0, {true, true, true, true, true}},
        {SAMPLE_FORM_TEXT, SAMPLE_HAS_VTABLES, {false, false, false, false, true}},
        {SAMPLE_FORM_EXT, 0, {false, true, true, true, true}},
        {SAMPLE_FORM_EXT, SAMPLE_HAS_VTABLES, {false, false, false, false, true}},
        {SAMPLE_FORM_EXT_OLD, 0, {true, true, true, true, true}},
        {SAMPLE_FORM_EXT_OLD, SAMPLE_HAS_CHECKSUMS, {true, false, false, false, false}},
        {SAMPLE_FORM_EXT_NAMED, SAMPLE_HAS_CONTEXTS, {true, false, false, false, false}},
        {SAMPLE_FORM_EXT_SPLIT, 0, {true, true, true, true, true}},
        {SAMPLE_FORM_EXT_SPLIT, SAMPLE_HAS_CHECKSUMS, {false, true, true, true, true}},
        {SAMPLE_FORM_COMPACT, 0, {true, true, true, false, false}},
        {SAMPLE_FORM_TEXT, SAMPLE_HAS_CONTEXTS, {true, true, true, true, true}},
        {SAMPLE_FORM_EXT, SAMPLE_HAS_CONTEXTS, {false, true, true, true, true}},
        {SAMPLE_FORM_TEXT, SAMPLE_HAS_INNER_METADATA, {false, true, true, true, true}},
        {SAMPLE_FORM_GCC_1, 0, {false, false, false, false, false}},
        {SAMPLE_FORM_GCC_2, 0, {false, false, false, false, false}},
        {SAMPLE_FORM_GCC_3, 0, {false, false, false, false, false}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t k = 0; k < COUNT(names); k++)
            assert_int_equal(sample_release_reads(release_of(names[k]), rows[i].form, rows[i].features),
                             rows[i].reads[k]);
    /* A feature that a form does not store does no harm. */
    assert_true(sample_release_reads(release_of("13"), SAMPLE_FORM_BINARY, SAMPLE_HAS_VTABLES));
    assert_int_equal(release_of("3.6")->reads, 0);
    assert_int_equal(release_of("3.7")->reads, 1u << SAMPLE_FORM_GCC_LLVM);
    assert_int_equal(release_of("3.8")->usual, SAMPLE_FORM_TEXT);
    assert_false(sample_release_reads(release_of("3.8"), SAMPLE_FORM_BINARY, 0));
    assert_false(sample_release_reads(release_of("6"), SAMPLE_FORM_COMPACT, 0));
    assert_true(sample_release_reads(release_of("7"), SAMPLE_FORM_COMPACT, 0));
    assert_false(sample_release_reads(release_of("9"), SAMPLE_FORM_EXT_OLD, 0));
    assert_true(sample_release_reads(release_of("10"), SAMPLE_FORM_EXT_OLD, 0));
    assert_false(sample_release_reads(release_of("11"), SAMPLE_FORM_EXT_OLD, SAMPLE_HAS_CHECKSUMS));
    assert_false(sample_release_reads(release_of("21"), SAMPLE_FORM_TEXT, SAMPLE_HAS_VTABLES));
}

/* Each release of GCC reads one layout, which the table of layouts has, too. */
static void test_gcc(void **state)
{
    static const uint32_t forms[] = {SAMPLE_FORM_GCC_1, SAMPLE_FORM_GCC_1, SAMPLE_FORM_GCC_1,
                                     SAMPLE_FORM_GCC_1, SAMPLE_FORM_GCC_1, SAMPLE_FORM_GCC_1,
                                     SAMPLE_FORM_GCC_1, SAMPLE_FORM_GCC_2, SAMPLE_FORM_GCC_2,
                                     SAMPLE_FORM_GCC_2, SAMPLE_FORM_GCC_2, SAMPLE_FORM_GCC_3};
    (void)state;
    assert_int_equal(sample_release_count(APF_SAMPLE_FOR_GCC), COUNT(forms));
    for (unsigned i = 0; i < COUNT(forms); i++) {
        uint64_t major;
        const struct sample_release *row = sample_release_row(APF_SAMPLE_FOR_GCC, i);
        assert_true(number_decimal(row->name, strlen(row->name), &major));
        assert_int_equal(major, 5 + i);
        assert_int_equal(row->usual, forms[i]);
        assert_int_equal(row->reads, 1u << forms[i]);
        const struct gcc_layout *layout = gcc_layout_named(sample_form_row(row->usual)->variant);
        assert_non_null(layout);
        assert_false(layout->caps & GCC_CAP_DEVELOPMENT);
        assert_int_equal(row->knows & SAMPLE_HAS_DISCRIMINATORS, major < 13 ? 0 : SAMPLE_HAS_DISCRIMINATORS);
        assert_int_equal(!(row->knows & SAMPLE_HAS_TARGETS), major == 10 || major == 11);
        assert_int_equal(row->suffixes, major < 16 ? GCC_SUFFIXES_ALL : GCC_SUFFIXES_CLONES);
    }
}

static void test_forms(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SAMPLE_FORM_COUNT; i++) {
        const struct sample_form_row *row = sample_form_row((enum sample_form)i);
        /* Two forms are the same layout, of which a profile's contexts choose one. */
        unsigned found = i == SAMPLE_FORM_EXT_NAMED ? SAMPLE_FORM_EXT_OLD : i;
        assert_int_equal(sample_form_find(row->format, row->layout), found);
        assert_true(sample_layout_fits(row->format, row->layout));
        assert_true(sample_layout_fits(0, row->layout));
        if (row->format != APF_SAMPLE_GCC)
            continue;
        const struct gcc_layout *layout = gcc_layout_named(row->variant);
        assert_non_null(layout);
        assert_int_equal(layout->version, row->version);
        assert_int_equal((layout->caps & GCC_CAP_FILES) != 0, (row->holds & SAMPLE_HAS_FILES) != 0);
        assert_int_equal((layout->caps & GCC_CAP_TIMES) != 0, (row->holds & SAMPLE_HAS_TIMES) != 0);
        assert_int_equal(sample_form_of_gcc(layout->version, layout->variant), i);
    }
    assert_int_equal(sample_form_find(APF_SAMPLE_EXTBINARY, APF_SAMPLE_LAYOUT_AUTO), SAMPLE_FORM_EXT);
    assert_int_equal(sample_form_find(APF_SAMPLE_JSON, APF_SAMPLE_LAYOUT_AUTO), SAMPLE_FORM_COUNT);
    assert_int_equal(sample_form_find(APF_SAMPLE_TEXT, APF_SAMPLE_LAYOUT_SPLIT), SAMPLE_FORM_COUNT);
    assert_false(sample_layout_fits(APF_SAMPLE_TEXT, APF_SAMPLE_LAYOUT_SPLIT));
    assert_true(sample_layout_fits(APF_SAMPLE_TEXT, APF_SAMPLE_LAYOUT_AUTO));
    assert_false(sample_layout_fits(0, 99));
    assert_int_equal(sample_form_of_gcc(704, "2"), SAMPLE_FORM_GCC_2); /* mislabelled */
    assert_int_equal(sample_form_of_gcc(9, ""), SAMPLE_FORM_COUNT);
}

TEST_FILE(sample_releases)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets), cmocka_unit_test(test_names), cmocka_unit_test(test_llvm),
        cmocka_unit_test(test_gcc),     cmocka_unit_test(test_forms),
    };
    return RUN_TESTS(tests);
}
