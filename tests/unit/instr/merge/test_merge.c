/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rules of merging, through the public interface, on text profiles. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/merge.h>

#include "helpers/shared/unit.h"

#define MAX_INPUTS 8

/* Inputs, what was found, and the result as text. */
struct run {
    struct apf_merge *merge;
    struct apf_error error;
    struct apf_buffer text;
    int n_findings;
    int32_t last_code;
};

static int count_finding(void *user, const struct apf_diag *d)
{
    struct run *r = user;
    r->n_findings++;
    r->last_code = d->code;
    assert_true(d->error->message[0] != '\0');
    return 0;
}

static void start(struct run *r)
{
    struct apf_merge_options options = {.tolerance = &any_loss};
    memset(r, 0, sizeof *r);
    options.size = sizeof options;
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.diag = count_finding;
    common.user = r;
    assert_int_equal(apf_merge_new(&r->merge, &options, &r->error), APF_OK);
}

static void add(struct run *r, const char *text, uint64_t weight)
{
    struct apf_input input = apf_input_file(NULL);
    input.data = text;
    input.n = strlen(text);
    input.name = "text";
    input.weight = weight;
    assert_int_equal(apf_merge_add(r->merge, &input, 1, &r->error), APF_OK);
}

static const char *as_text(struct run *r)
{
    struct apf_write_options options = {0};
    struct apf_output output = apf_output_file(NULL);
    options.size = sizeof options;
    options.format = APF_FORMAT_TEXT;
    output.write = apf_buffer_write;
    output.user = &r->text;
    r->text.n = 0;
    assert_int_equal(apf_merge_write(r->merge, &options, &output, &r->error), APF_OK);
    assert_int_equal(apf_buffer_write(&r->text, "", 1), 0);
    return r->text.data;
}

static void write_for(struct run *r, const char *target, struct apf_buffer *out)
{
    struct apf_write_options options = {0};
    struct apf_output output = apf_output_file(NULL);
    options.size = sizeof options;
    output.write = apf_buffer_write;
    output.user = out;
    assert_int_equal(apf_target_parse(target, &options.target, &r->error), APF_OK);
    assert_int_equal(apf_merge_write(r->merge, &options, &output, &r->error), APF_OK);
}

static void finish(struct run *r)
{
    apf_buffer_free(&r->text);
    apf_merge_free(r->merge);
}

static const struct apf_record *find(struct run *r, const char *name, uint64_t hash)
{
    struct apf_instr *view;
    static struct apf_record record;
    struct apf_str s = {name, strlen(name)};
    record.size = sizeof record;
    assert_int_equal(apf_merge_view(r->merge, &view, &r->error), APF_OK);
    assert_int_equal(apf_instr_find(view, s, hash, &record, &r->error), APF_OK);
    return &record;
}

/* ---- counters ---- */

static void test_sums_and_weights(void **state)
{
    struct run r;
    (void)state;
    start(&r);
    add(&r, "foo\n1\n2\n10\n20\n", 1);
    add(&r, "foo\n1\n2\n1\n2\n", 5);
    const struct apf_record *foo = find(&r, "foo", 1);
    assert_int_equal(foo->n_counts, 2);
    assert_int_equal(foo->counts[0], 15);
    assert_int_equal(foo->counts[1], 30);
    assert_int_equal(apf_merge_stats(r.merge)->saturated, 0);
    finish(&r);
}

static void test_one_input_is_copied(void **state)
{
    struct run r;
    (void)state;
    start(&r);
    add(&r, "foo\n1\n2\n5\n18446744073709551615\n", 1); /* only the first counter can be a pseudo count */
    const struct apf_record *foo = find(&r, "foo", 1);
    assert_true(foo->counts[1] == UINT64_MAX);
    assert_int_equal(foo->flags, 0);
    finish(&r);
}

static void test_saturation(void **state)
{
    struct run r;
    (void)state;
    start(&r);
    add(&r, "foo\n1\n1\n18446744073709551600\n\nbar\n1\n1\n3\n", 1);
    add(&r, "foo\n1\n1\n100\n", 1);
    add(&r, "bar\n1\n1\n2\n", UINT64_MAX);
    assert_true(find(&r, "foo", 1)->counts[0] == UINT64_MAX - 2);
    assert_int_equal(find(&r, "foo", 1)->flags, APF_RECORD_SATURATED);
    assert_true(find(&r, "bar", 1)->counts[0] == UINT64_MAX - 2);
    assert_int_equal(apf_merge_stats(r.merge)->saturated, 2);
    finish(&r);
}

static void test_pseudo_counts(void **state)
{
    struct run r;
    (void)state;
    start(&r);
    add(&r, "hot\n1\n1\n18446744073709551614\n\nmixed\n1\n1\n18446744073709551615\n", 7);
    add(&r, "hot\n1\n1\n18446744073709551615\n\nmixed\n1\n1\n12\n", 7);
    assert_true(find(&r, "hot", 1)->counts[0] == UINT64_MAX); /* hot wins over warm; no weight */
    assert_int_equal(find(&r, "hot", 1)->flags, APF_RECORD_PSEUDO);
    assert_int_equal(find(&r, "mixed", 1)->counts[0], 84); /* a number says more */
    assert_int_equal(apf_merge_stats(r.merge)->count_mismatches, 1);
    finish(&r);
}

/* ---- what does not fit together ---- */

static void test_majority_of_counter_numbers(void **state)
{
    static const char *const two = "foo\n1\n2\n1\n1\n", *const three = "foo\n1\n3\n1\n1\n1\n";
    const char *const orders[][3] = {{two, three, two}, {three, two, two}, {two, two, three}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct run r;
        start(&r);
        for (size_t k = 0; k < 3; k++)
            add(&r, orders[i][k], 1);
        assert_int_equal(find(&r, "foo", 1)->n_counts, 2);
        assert_int_equal(find(&r, "foo", 1)->counts[0], 2);
        assert_int_equal(apf_merge_stats(r.merge)->count_mismatches, 1);
        assert_int_equal(r.n_findings, 1);
        assert_int_equal(r.last_code, APF_COUNT_MISMATCH);
        finish(&r);
    }
}

static void test_majority_by_weight_then_size(void **state)
{
    struct run r;
    (void)state;
    start(&r);
    add(&r, "foo\n1\n2\n1\n1\n", 3);
    add(&r, "foo\n1\n3\n1\n1\n1\n", 1);
    add(&r, "foo\n1\n3\n1\n1\n1\n", 1);
    assert_int_equal(find(&r, "foo", 1)->n_counts, 2);
    add(&r, "foo\n1\n3\n1\n1\n1\n", 1); /* a tie: the larger one */
    assert_int_equal(find(&r, "foo", 1)->n_counts, 3);
    assert_int_equal(find(&r, "foo", 1)->counts[2], 3);
    finish(&r);
}

static void test_bitmap_and_site_mismatch_keep_counters(void **state)
{
    struct run r;
    (void)state;
    start(&r);
    add(&r, "foo\n1\n1\n4\n$2\n0x1\n0x2\n1\n1\n1\n1\n8:5\n", 1);
    add(&r, "foo\n1\n1\n5\n$3\n0x1\n0x2\n0x4\n1\n1\n2\n1\n8:7\n0\n", 1);
    add(&r, "foo\n1\n1\n6\n$3\n0x8\n0x2\n0x4\n1\n1\n2\n1\n8:1\n0\n", 1);
    const struct apf_record *foo = find(&r, "foo", 1);
    assert_int_equal(foo->counts[0], 15);
    assert_int_equal(foo->n_bitmap, 3);
    assert_int_equal(foo->bitmap[0], 9);
    assert_int_equal(foo->n_sites[APF_VALUE_MEMOP_SIZE], 2);
    assert_int_equal(foo->sites[APF_VALUE_MEMOP_SIZE][0].n, 1);
    assert_int_equal(foo->sites[APF_VALUE_MEMOP_SIZE][0].values[0].count, 8);
    const struct apf_merge_stats *s = apf_merge_stats(r.merge);
    assert_int_equal(s->bitmap_mismatches, 1);
    assert_int_equal(s->site_mismatches, 1);
    assert_int_equal(s->count_mismatches, 0);
    finish(&r);
}

/* ---- value sites ---- */

static void test_values(void **state)
{
    struct run r;
    (void)state;
    start(&r);
    add(&r, "foo\n1\n1\n1\n1\n1\n1\n3\n8:5\n4:5\n1:1\n", 1);
    const struct apf_site *site = find(&r, "foo", 1)->sites[APF_VALUE_MEMOP_SIZE];
    assert_int_equal(site->values[0].value, 8); /* one input: ties stay in its order */
    assert_int_equal(site->values[1].value, 4);
    add(&r, "foo\n1\n1\n1\n1\n1\n1\n1\n2:3\n", 2);
    site = find(&r, "foo", 1)->sites[APF_VALUE_MEMOP_SIZE];
    assert_int_equal(site->n, 4);
    assert_int_equal(site->values[0].value, 2); /* new to the site, and weighted */
    assert_int_equal(site->values[0].count, 6);
    assert_int_equal(site->values[1].value, 4); /* several inputs: ties by value */
    assert_int_equal(site->values[2].value, 8);
    finish(&r);
}

static void test_repeated_values(void **state)
{
    static const char *const text = "foo\n1\n1\n1\n1\n0\n1\n2\n"
                                    "** External Symbol **:5\n** External Symbol **:3\n";
    struct run r;
    (void)state;
    start(&r);
    add(&r, text, 1);
    assert_int_equal(find(&r, "foo", 1)->sites[0]->n, 2); /* as it came */
    assert_int_equal(apf_merge_stats(r.merge)->unknown_targets, 2);
    add(&r, text, 1);
    assert_int_equal(find(&r, "foo", 1)->sites[0]->n, 1);
    assert_int_equal(find(&r, "foo", 1)->sites[0]->values[0].count, 16);
    finish(&r);
}

static void test_cut_to_255_comes_last(void **state)
{
    char text[8192];
    struct run r;
    (void)state;
    start(&r);
    for (unsigned half = 0; half < 2; half++) {
        int n = snprintf(text, sizeof text, "foo\n1\n1\n1\n1\n1\n1\n200\n");
        for (unsigned i = 0; i < 200; i++) /* the second half has the higher counts */
            n += snprintf(text + n, sizeof text - (size_t)n, "%u:%u\n", half * 200 + i, half * 200 + i + 1);
        add(&r, text, 1);
    }
    const struct apf_site *site = find(&r, "foo", 1)->sites[APF_VALUE_MEMOP_SIZE];
    assert_int_equal(site->n, 255);
    assert_int_equal(site->values[0].count, 400);
    assert_int_equal(site->values[254].count, 146);
    assert_int_equal(apf_merge_stats(r.merge)->truncated_sites, 1);
    assert_int_equal(apf_merge_stats(r.merge)->truncated_values, 145);
    finish(&r);
}

/* ---- kinds ---- */

static const struct {
    const char *first, *second;
    int code; /* of the one that is refused; of equals the one of the higher class */
} kinds[] = {
    {":ir\na\n1\n1\n1\n", "b\n1\n1\n1\n", APF_OK}, /* a front-end profile that does not say so */
    {":ir\na\n1\n1\n1\n", ":fe\nb\n1\n1\n1\n", APF_LEVEL_CONFLICT},
    {":ir\na\n1\n1\n1\n", ":csir\nb\n1\n1\n1\n", APF_OK},
    {":ir\na\n1\n1\n1\n", ":ir\n:entry_first\nb\n1\n1\n1\n", APF_OK},
    {":ir\n:single_byte_coverage\na\n1\n1\n1\n", ":ir\nb\n1\n1\n1\n", APF_COVERAGE_CONFLICT},
    {"a\n1\n1\n1\n", ":fe\nb\n1\n1\n1\n", APF_OK},
    {":ir\na\n1\n1\n1\n", ":fe\n:ir\nb\n1\n1\n1\n", APF_LEVEL_CONFLICT},
};

/* Whatever the order, the result is the same: of contradicting kinds the heavier one stays. */
static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *texts[2];
        for (unsigned swap = 0; swap < 2; swap++) {
            struct run r;
            start(&r);
            add(&r, swap ? kinds[i].second : kinds[i].first, 1);
            add(&r, swap ? kinds[i].first : kinds[i].second, 1);
            const struct apf_merge_stats *s = apf_merge_stats(r.merge);
            bool agree = kinds[i].code == APF_OK;
            assert_int_equal(s->n_rejected, !agree);
            assert_int_equal(s->n_merged, agree ? 2 : 1);
            int codes = apf_merge_input(r.merge, 0)->code + apf_merge_input(r.merge, 1)->code;
            assert_int_equal(codes, kinds[i].code);
            texts[swap] = strdup(as_text(&r));
            assert_non_null(texts[swap]);
            finish(&r);
        }
        assert_string_equal(texts[0], texts[1]);
        free(texts[0]);
        free(texts[1]);
    }
}

/* The majority can change while inputs come; what was refused is taken back then, and with it its names. */
static void test_kinds_by_weight(void **state)
{
    struct run r;
    (void)state;
    start(&r);
    add(&r, ":ir\na\n1\n1\n1\n", 2);
    add(&r, ":fe\nb\n1\n1\n2\n", 1);
    assert_int_equal(apf_merge_input(r.merge, 1)->code, APF_LEVEL_CONFLICT);
    assert_string_equal(apf_merge_input(r.merge, 1)->error->message,
                        "Merge IR generated profile with Clang generated profile.");
    assert_int_equal(find(&r, "a", 1)->counts[0], 2);
    add(&r, "c\n1\n1\n4\n", 1); /* says nothing of its kind: goes with both */
    assert_int_equal(find(&r, "c", 1)->counts[0], 4);
    add(&r, ":fe\nb\n1\n1\n8\n", 2);
    assert_int_equal(apf_merge_input(r.merge, 0)->code, APF_LEVEL_CONFLICT);
    assert_int_equal(apf_merge_input(r.merge, 1)->code, APF_OK);
    assert_int_equal(find(&r, "b", 1)->counts[0], 18);
    struct apf_instr *view;
    assert_int_equal(apf_merge_view(r.merge, &view, &r.error), APF_OK);
    assert_int_equal(apf_instr_info(view)->n_records, 2);
    assert_int_equal(apf_instr_info(view)->variant, 0);
    finish(&r);
}

/* A view stays while the merge is written for a target that wants other names, and its records can be added. */
static void test_view_lives(void **state)
{
    struct run r;
    struct apf_buffer out = {0};
    struct apf_instr *view;
    struct apf_record record = {.size = sizeof record};
    (void)state;
    start(&r);
    add(&r, ":ir\na.c;f\n1\n1\n3\n", 1);
    assert_int_equal(apf_merge_view(r.merge, &view, &r.error), APF_OK);
    assert_int_equal(apf_instr_record(view, 0, &record, &r.error), APF_OK);
    write_for(&r, "llvm-16", &out);
    apf_instr_close(view); /* does nothing: the view is the merge's */
    assert_int_equal(apf_instr_info(view)->n_records, 1);
    assert_memory_equal(record.name.p, "a.c;f", 5);
    assert_int_equal(apf_instr_name(view, record.id).n, 5);
    assert_int_equal(apf_merge_add_record(r.merge, find(&r, "a.c;f", 1), 4, &r.error), APF_OK);
    assert_int_equal(find(&r, "a.c;f", 1)->counts[0], 15);
    apf_buffer_free(&out);
    finish(&r);
}

/* ---- bad inputs, order ---- */

static void test_bad_input_adds_nothing(void **state)
{
    struct run r;
    (void)state;
    start(&r);
    add(&r, "foo\n1\n1\n1\n", 1);
    add(&r, "foo\n1\n1\n1\n\nbar\n1\n2\n1\n", 1); /* ends too early */
    add(&r, "", 1);
    const struct apf_merge_stats *s = apf_merge_stats(r.merge);
    assert_int_equal(s->n_merged, 1);
    assert_int_equal(s->n_rejected, 1);
    assert_int_equal(s->n_empty, 1);
    assert_int_equal(apf_merge_input(r.merge, 1)->code, APF_TRUNCATED);
    assert_int_equal(apf_merge_input(r.merge, 1)->error->input, 1);
    assert_int_equal(apf_merge_input(r.merge, 2)->code, APF_EMPTY_PROFILE);
    assert_null(apf_merge_input(r.merge, 3));
    assert_int_equal(find(&r, "foo", 1)->counts[0], 1);
    finish(&r);
}

static void test_view_then_more(void **state)
{
    struct run r;
    (void)state;
    start(&r);
    add(&r, "foo\n1\n1\n1\n1\n1\n1\n2\n8:5\n4:6\n", 1);
    assert_int_equal(find(&r, "foo", 1)->counts[0], 1);
    add(&r, "foo\n1\n1\n1\n1\n1\n1\n2\n8:5\n4:6\n", 1);
    assert_int_equal(find(&r, "foo", 1)->counts[0], 2);
    assert_int_equal(find(&r, "foo", 1)->sites[1]->values[0].count, 12);
    add(&r, "foo\n1\n1\n1\n1\n1\n1\n2\n8:5\n4:6\n", 1);
    assert_int_equal(find(&r, "foo", 1)->counts[0], 3);
    assert_int_equal(find(&r, "foo", 1)->sites[1]->values[1].count, 15);
    finish(&r);
}

static void test_add_record(void **state)
{
    uint64_t counts[] = {3, 4};
    struct apf_record record = {.size = sizeof record};
    struct run r;
    (void)state;
    start(&r);
    record.counts = counts;
    record.n_counts = 2;
    record.hash = 9;
    assert_int_equal(apf_merge_add_record(r.merge, &record, 1, &r.error), APF_ARGUMENT); /* no name */
    record.name.p = "made";
    record.name.n = 4;
    assert_int_equal(apf_merge_add_record(r.merge, &record, 2, &r.error), APF_OK);
    assert_int_equal(apf_merge_add_record(r.merge, &record, 0, &r.error), APF_OK);
    assert_int_equal(find(&r, "made", 9)->counts[1], 12);
    assert_string_equal(as_text(&r),
                        "made\n# Func Hash:\n9\n# Num Counters:\n2\n# Counter Values:\n9\n12\n\n");
    finish(&r);
}

/* ---- targets ---- */

static void test_target_parse(void **state)
{
    struct apf_target t;
    struct apf_error error;
    (void)state;
    assert_int_equal(apf_target_parse("llvm-16", &t, &error), APF_OK);
    assert_int_equal(t.version, 9);
    assert_string_equal(apf_release_name(t.release), "16");
    assert_int_equal(apf_target_parse("llvm-3.9", &t, &error), APF_OK);
    assert_int_equal(t.version, 4);
    assert_int_equal(apf_target_parse("clang-19", &t, &error), APF_OK);
    assert_string_equal(apf_release_name(t.release), "19");
    assert_int_equal(apf_target_parse("16.0.6", &t, &error), APF_OK);
    assert_string_equal(apf_release_name(t.release), "16");
    assert_int_equal(apf_target_parse("indexed-14", &t, &error), APF_OK);
    assert_int_equal(t.version, 14);
    static const char *const bad[] = {"",          "llvm",       "llvm-", "llvm-24", "llvm-1",
                                      "indexed-0", "indexed-15", "24",    "clang-",  "gcc-16"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(apf_target_parse(bad[i], &t, &error), APF_ARGUMENT);
}

/* Local functions get the separator that the consumer looks for, and so do the values that point to them. */
static void test_renames(void **state)
{
    struct run r;
    struct apf_buffer out = {0};
    struct apf_instr *back;
    struct apf_input input = apf_input_file(NULL);
    (void)state;
    start(&r);
    add(&r, ":ir\na.c;f\n1\n1\n3\n\nmain\n1\n1\n1\n1\n0\n1\n1\na.c;f:3\n", 1);
    add(&r, ":ir\na.c:f\n1\n1\n4\n", 1);
    write_for(&r, "llvm-16", &out);
    const struct apf_merge_stats *s = apf_merge_stats(r.merge);
    assert_int_equal(s->renamed, 1);
    assert_int_equal(s->renamed_merged, 1);
    assert_int_equal(s->n_functions, 2);
    input.data = out.data;
    input.n = out.n;
    assert_int_equal(apf_instr_open(&back, &input, NULL, &r.error), APF_OK);
    assert_int_equal(apf_instr_info(back)->version, 9);
    struct apf_record record = {.size = sizeof record};
    struct apf_str local = {"a.c:f", 5}, main_name = {"main", 4};
    assert_int_equal(apf_instr_find(back, local, 1, &record, &r.error), APF_OK);
    assert_int_equal(record.counts[0], 7);
    uint64_t id = record.id;
    assert_int_equal(apf_instr_find(back, main_name, 1, &record, &r.error), APF_OK);
    assert_true(record.sites[0]->values[0].value == id);
    apf_instr_close(back);
    apf_buffer_free(&out);
    finish(&r);
}

/* Indexed inputs bind the automatic version, text does not. */
static void test_auto_version(void **state)
{
    static const struct {
        const char *text;
        const char *made_for; /* the input is that text as such a file; NULL: as text */
        uint32_t version;
    } rows[] = {
        {":ir\na\n1\n1\n1\n", NULL, 14},
        {":ir\na\n1\n1\n1\n", "llvm-16", 9},
        {":ir\na\n1\n1\n1\n", "llvm-13", 7},
        {"a\n1\n1\n1\n", "llvm-16", 9}, /* front-end: within the versions of one hash scheme */
        {"a\n1\n1\n1\n", "llvm-22", 13},
        {"a\n1\n1\n1\n", "llvm-10", 5},
        {"a\n1\n1\n1\n$1\n0x1\n", "llvm-18", 11}, /* needs a bitmap */
        {"a\n1\n1\n1\n$1\n0x1\n", "llvm-19", 12}, /* needs one whose bits LLVM 19 numbers */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run r;
        struct apf_buffer made = {0}, out = {0};
        struct apf_input input = apf_input_file(NULL);
        start(&r);
        add(&r, rows[i].text, 1);
        if (rows[i].made_for) {
            write_for(&r, rows[i].made_for, &made);
            finish(&r);
            start(&r);
            input.data = made.data;
            input.n = made.n;
            assert_int_equal(apf_merge_add(r.merge, &input, 1, &r.error), APF_OK);
        }
        write_for(&r, "auto", &out);
        assert_int_equal(apf_merge_stats(r.merge)->version, rows[i].version);
        assert_int_equal(((const uint8_t *)out.data)[8], rows[i].version);
        apf_buffer_free(&made);
        apf_buffer_free(&out);
        finish(&r);
    }
}

TEST_FILE(merge)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_and_weights),
        cmocka_unit_test(test_one_input_is_copied),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_pseudo_counts),
        cmocka_unit_test(test_majority_of_counter_numbers),
        cmocka_unit_test(test_majority_by_weight_then_size),
        cmocka_unit_test(test_bitmap_and_site_mismatch_keep_counters),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_repeated_values),
        cmocka_unit_test(test_cut_to_255_comes_last),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_kinds_by_weight),
        cmocka_unit_test(test_view_lives),
        cmocka_unit_test(test_bad_input_adds_nothing),
        cmocka_unit_test(test_view_then_more),
        cmocka_unit_test(test_add_record),
        cmocka_unit_test(test_target_parse),
        cmocka_unit_test(test_renames),
        cmocka_unit_test(test_auto_version),
    };
    return RUN_TESTS(tests);
}
