/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* BOLT's profiles: branches, entries, calls and mispredictions from fdata and YAML, and bad inputs among several. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/unit.h"
#include "report/report_model.h"

#define MOST_INPUTS 4u

static int try_make_of(struct apf_report **r, const char *const *texts, size_t n, const char *base,
                       size_t n_base, struct apf_error *error)
{
    struct apf_input inputs[MOST_INPUTS];
    const struct apf_input good = apf_input_memory(base, base ? strlen(base) : 0, "base"),
                           bases[] = {good, apf_input_memory("bad", 3, "bad base")};
    struct apf_report_options options = {
        .size = sizeof options, .profiles = inputs, .n_profiles = n, .base = bases, .n_base = n_base};
    assert_true(n <= MOST_INPUTS);
    for (size_t i = 0; i < n; i++)
        inputs[i] = apf_input_memory(texts[i], strlen(texts[i]), "profile");
    return apf_report_new(r, &options, error);
}

static int try_make(struct apf_report **r, const char *const *texts, size_t n, const char *base,
                    struct apf_error *error)
{
    return try_make_of(r, texts, n, base, base != NULL, error);
}

static struct apf_report *make(const char *text, const char *base)
{
    struct apf_report *r;
    struct apf_error error = {.message = ""};
    if (try_make(&r, &text, 1, base, &error) != APF_OK)
        fail_msg("%s", error.message);
    return r;
}

static const struct report_function *find(const struct apf_report *r, const char *name)
{
    for (size_t i = 0; i < r->functions.n; i++) {
        const struct apf_str raw = r->names.data[r->functions.data[i].name].raw;
        if (raw.n == strlen(name) && memcmp(raw.p, name, raw.n) == 0)
            return &r->functions.data[i];
    }
    fail_msg("no function %s", name);
    return NULL;
}

/* The number in the row of a table that begins with these words. */
static uint64_t row_of(const struct apf_report *r, enum report_part_kind part, const char *words)
{
    for (size_t i = 0; i < r->parts[part].tables.n; i++) {
        const struct report_table *t = &r->parts[part].tables.data[i];
        for (size_t k = 0; k < t->cells.n; k += t->n_columns)
            if (t->cells.data[k].text.n == strlen(words) &&
                memcmp(t->cells.data[k].text.p, words, strlen(words)) == 0)
                return t->cells.data[k + 1].value;
    }
    fail_msg("no row %s", words);
    return 0;
}

static const char fdata[] = "boltedcollection\n"
                            "1 main 10 1 main 20 3 70\n"
                            "1 main 30 1 work 0 1 50\n"
                            "1 main 30 1 rest 0 0 20\n"
                            "1 work 8 1 main 35 2 40\n"
                            "0 [unknown] 0 1 main 0 0 5\n"
                            "1 work 10 0 [unknown] 0 0 4\n"
                            "4 main 50 4 table 8 6\n";

static void test_fdata(void **state)
{
    struct apf_report *r = make(fdata, NULL);
    (void)state;
    assert_int_equal(r->family, REPORT_BOLT);
    assert_int_equal(r->functions.n, 3);
    assert_int_equal(find(r, "main")->total, 140);
    assert_int_equal(find(r, "main")->entries, 5);
    assert_int_equal(find(r, "main")->most, 70);
    assert_int_equal(find(r, "work")->total, 44);
    assert_int_equal(find(r, "work")->entries, 50);
    assert_int_equal(find(r, "rest")->total, 0);
    assert_int_equal(r->total, 184);
    assert_int_equal(row_of(r, REPORT_PART_SAMPLES, "branches"), 189);
    assert_int_equal(row_of(r, REPORT_PART_SAMPLES, "from a place in no known symbol"), 5);
    assert_int_equal(row_of(r, REPORT_PART_SAMPLES, "to a place in no known symbol"), 4);
    assert_int_equal(row_of(r, REPORT_PART_SAMPLES, "from one function to another"), 110);
    assert_int_equal(row_of(r, REPORT_PART_SAMPLES, "loads, in number, which are in no other table"), 1);
    assert_int_equal(row_of(r, REPORT_PART_BRANCHES, "mispredicted"), 6);
    /* The calls of one place, and the branch that is mispredicted most. */
    assert_int_equal(r->sites.n, 2);
    assert_int_equal(r->sites.data[0].line, 0x30);
    assert_int_equal(r->sites.data[0].n_values, 2);
    assert_int_equal(r->sites.data[0].values[0].count, 50);
    const struct report_cell *worst = r->parts[REPORT_PART_BRANCHES].tables.data[1].cells.data;
    assert_int_equal(worst[1].value, 0x10);
    assert_int_equal(worst[3].value, 0x20);
    assert_int_equal(worst[5].value, 3);
    apf_report_free(r);
}

static void test_samples(void **state)
{
    struct apf_report *r = make("no_lbr cycles\n1 main 10 7\n1 work 4 2\n0 [unknown] 0 1\n", NULL);
    (void)state;
    assert_int_equal(find(r, "main")->total, 7);
    assert_int_equal(row_of(r, REPORT_PART_SAMPLES, "samples"), 10);
    assert_int_equal(row_of(r, REPORT_PART_SAMPLES, "from a place in no known symbol"), 1);
    const struct report_table *header = &r->parts[REPORT_PART_SAMPLES].tables.data[0];
    assert_int_equal(header->n_all, 3);
    assert_memory_equal(header->cells.data[5].text.p, "cycles", 6);
    apf_report_free(r);
}

#define YAML_HEAD                                                                                            \
    "---\nheader:\n  profile-version: 1\n  binary-name: 'a <b>'\n  binary-build-id: '<unknown>'\n"           \
    "  profile-flags: [ lbr ]\n  profile-origin: made\n  profile-events: ''\n  dfs-order: false\n"           \
    "  hash-func: xxh3\nfunctions:\n"
static const char yaml[] =
    YAML_HEAD "  - name: main\n    fid: 1\n    hash: 0x11\n    exec: 5\n    nblocks: 3\n    blocks:\n"
              "      - bid: 0\n        insns: 2\n        hash: 0x1\n        exec: 5\n"
              "        calls: [ { off: 0x4, fid: 2, cnt: 50, mis: 2 }, { off: 0x4, fid: 99, cnt: 3 } ]\n"
              "        succ: [ { bid: 1, cnt: 70, mis: 7 }, { bid: 2, cnt: 10 } ]\n"
              "  - name: work\n    fid: 2\n    hash: 0x22\n    exec: 50\n    nblocks: 1\n    blocks:\n"
              "      - bid: 0\n        insns: 2\n        hash: 0x1\n        exec: 50\n";

static void test_yaml(void **state)
{
    struct apf_report *r = make(yaml, NULL);
    (void)state;
    assert_int_equal(find(r, "main")->total, 133);
    assert_int_equal(find(r, "main")->hash, 0x11);
    assert_int_equal(find(r, "main")->entries, 5);
    assert_int_equal(find(r, "work")->entries, 50);
    assert_int_equal(row_of(r, REPORT_PART_BRANCHES, "mispredicted"), 9);
    assert_int_equal(row_of(r, REPORT_PART_SAMPLES, "to a place in no known symbol"), 3);
    assert_int_equal(r->sites.n, 1);
    assert_int_equal(r->sites.data[0].kind, REPORT_BLOCK_CALLS);
    assert_int_equal(r->sites.data[0].discriminator, 4);
    assert_int_equal(r->sites.data[0].values[1].value, UINT64_MAX);
    apf_report_free(r);
}

/* Of 184 counts and 133, shares of main 140/184 and 1, of work 44/184 and 0. */
static void test_comparison(void **state)
{
    struct apf_report *r = make(yaml, fdata);
    (void)state;
    assert_true(r->comparison.made);
    assert_true(r->comparison.moved > 0.2391 && r->comparison.moved < 0.2392);
    assert_int_equal(r->comparison.list.n, 3);
    assert_int_equal(r->comparison.list.data[0].changes & (REPORT_GREW | REPORT_SHRANK) ? 1 : 0, 1);
    apf_report_free(r);
    r = make(fdata, fdata);
    assert_true(r->comparison.moved == 0);
    assert_int_equal(r->comparison.list.n, 0);
    assert_int_equal(r->comparison.equal, 3);
    apf_report_free(r);
}

/* fdata has backslashes before blanks and backslashes; YAML and programs do not. */
static void test_escaped(void **state)
{
    struct apf_report *r = make("1 a\\ b\\\\c 1 1 a\\ b\\\\c 2 0 7\n", NULL);
    (void)state;
    assert_int_equal(r->functions.n, 1);
    assert_int_equal(find(r, "a b\\c")->total, 7);
    apf_report_free(r);
}

/* A function with another hash is REPORT_EDITED. */
static void test_edited(void **state)
{
    char other[sizeof yaml];
    (void)state;
    memcpy(other, yaml, sizeof yaml);
    memcpy(strstr(other, "0x22"), "0x23", 4);
    struct apf_report *r = make(yaml, other);
    assert_int_equal(r->comparison.list.n, 1);
    assert_int_equal(r->comparison.list.data[0].changes, REPORT_EDITED);
    apf_report_free(r);
}

static void test_several(void **state)
{
    const char *texts[] = {fdata, "not a profile\n", "", fdata};
    struct apf_report *r;
    struct apf_error error = {.message = ""};
    (void)state;
    assert_int_equal(try_make(&r, texts, 4, NULL, &error), APF_OK);
    assert_int_equal(r->inputs.n, 4);
    assert_int_equal(r->inputs.data[0].fate, REPORT_LOST);
    assert_true(r->inputs.data[0].why.n > 0);
    assert_int_equal(r->inputs.data[1].fate, REPORT_EMPTY);
    assert_int_equal(r->inputs.data[2].fate, REPORT_MERGED);
    assert_int_equal(r->inputs.data[2].counts, 184);
    assert_int_equal(r->total, 368);
    apf_report_free(r);
    /* A bad one among those that are compared with. */
    assert_int_equal(try_make_of(&r, texts, 1, fdata, 2, &error), APF_OK);
    assert_int_equal(r->inputs.n, 2);
    assert_int_equal(r->inputs.data[0].fate, REPORT_LOST);
    assert_memory_equal(r->inputs.data[0].name.p, "bad base", 8);
    assert_int_equal(r->inputs.data[1].fate, REPORT_MERGED);
    assert_true(r->inputs.data[0].is_base && r->inputs.data[1].is_base);
    assert_true(r->comparison.moved == 0);
    apf_report_free(r);
    /* Profiles that do not go together. */
    const char *others[] = {fdata, "no_lbr\n1 main 10 7\n"};
    assert_int_equal(try_make(&r, others, 2, NULL, &error), APF_FDATA_CONFLICT);
    assert_null(r);
}

/* Samples need their program, and profiles none. */
static void test_programs(void **state)
{
    const char *samples[] = {"T 0 600000 600019 1\n"};
    const struct apf_input input = apf_input_memory(fdata, strlen(fdata), "profile"),
                           program = apf_input_memory("x", 1, "program");
    const struct apf_report_options options = {
        .size = sizeof options, .profiles = &input, .n_profiles = 1, .programs = &program, .n_programs = 1};
    struct apf_report *r;
    struct apf_error error;
    (void)state;
    assert_int_equal(try_make(&r, samples, 1, NULL, &error), APF_ARGUMENT);
    assert_string_equal(error.where, "apf_report_options.programs");
    assert_int_equal(apf_report_new(&r, &options, &error), APF_ARGUMENT);
    assert_string_equal(error.where, "apf_report_options.programs");
}

TEST_FILE(report_bolt)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fdata),   cmocka_unit_test(test_samples),
                                       cmocka_unit_test(test_yaml),    cmocka_unit_test(test_comparison),
                                       cmocka_unit_test(test_edited),  cmocka_unit_test(test_escaped),
                                       cmocka_unit_test(test_several), cmocka_unit_test(test_programs)};
    return RUN_TESTS(tests);
}
