/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs: what fits an instrumentation profile, what is stale, and the probes of a program alone. */
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/probe_build.h"
#include "helpers/shared/program_build.h"
#include "report/report_model.h"

static const struct pb_function functions[] = {
    {"fits", 1, 2, 0, 0}, {"stale", 2, 1, 0, 0}, {"never", 3, 1, 0, 0}, {"old", 4, 1, 0, 0}};
static const struct pb_program program = {.version = 9,
                                          .bytes = 8,
                                          .functions = functions,
                                          .n_functions = COUNT(functions),
                                          .version_word = 9 | RB_IR};
static const char profile[] =
    ":ir\nfits\n1\n2\n3\n4\n\nstale\n22\n1\n50\n\nold\n44\n1\n60\n\nold\n4\n1\n1\n\n"
    "<i>strange</i>\n5\n1\n7\n\n";

static int try_make(struct apf_report **r, const struct apf_input *profiles, size_t n,
                    const struct eb_bytes *elf, struct apf_error *error)
{
    const struct apf_input input = apf_input_memory(elf->data, elf->n, "program");
    const struct apf_report_options options = {
        .size = sizeof options, .profiles = profiles, .n_profiles = n, .programs = &input, .n_programs = 1};
    return apf_report_new(r, &options, error);
}

static uint32_t state_of(const struct apf_report *r, const char *name, uint64_t hash)
{
    for (size_t i = 0; i < r->functions.n; i++) {
        const struct apf_str raw = r->names.data[r->functions.data[i].name].raw;
        if (raw.n == strlen(name) && memcmp(raw.p, name, raw.n) == 0 && r->functions.data[i].hash == hash)
            return r->functions.data[i].state;
    }
    fail_msg("no function %s", name);
    return 0;
}

static uint64_t number_at(const struct apf_report *r, size_t table, size_t row)
{
    assert_true(table < r->parts[REPORT_PART_PROGRAM].tables.n);
    const struct report_table *t = &r->parts[REPORT_PART_PROGRAM].tables.data[table];
    assert_true((row + 1) * t->n_columns <= t->cells.n);
    return t->cells.data[row * t->n_columns + 1].value;
}

/* One profile is its file; several are what was merged. */
static void check_instr(size_t n)
{
    const struct apf_input one = apf_input_memory(profile, strlen(profile), "profile"), inputs[] = {one, one};
    const struct eb_bytes elf = pb_build(&program);
    struct apf_report *r;
    struct apf_error error = {.message = ""};
    if (try_make(&r, inputs, n, &elf, &error) != APF_OK)
        fail_msg("%s", error.message);
    assert_int_equal(state_of(r, "fits", 1), REPORT_FITS);
    assert_int_equal(state_of(r, "stale", 22), REPORT_STALE);
    assert_int_equal(state_of(r, "old", 44), REPORT_OTHER_BUILD);
    assert_int_equal(state_of(r, "old", 4), REPORT_FITS);
    assert_int_equal(state_of(r, "<i>strange</i>", 5), REPORT_FOREIGN);
    assert_int_equal(number_at(r, 0, 0), 4); /* functions */
    assert_int_equal(number_at(r, 0, 1), 2); /* that fit */
    assert_int_equal(number_at(r, 0, 2), 1); /* stale */
    assert_int_equal(number_at(r, 0, 3), 1); /* without counts */
    assert_int_equal(number_at(r, 1, 0), 8 * n);
    assert_int_equal(number_at(r, 1, 1), 50 * n);
    assert_int_equal(number_at(r, 1, 2), 7 * n);
    assert_int_equal(number_at(r, 1, 3), 60 * n); /* of other builds */
    /* "never" is listed, then what is stale, of other builds, and what the program lacks. */
    const struct report_part *part = &r->parts[REPORT_PART_PROGRAM];
    assert_int_equal(part->tables.n, 6);
    assert_int_equal(part->tables.data[2].n_all, 1);
    assert_int_equal(part->tables.data[3].n_all, 1);
    assert_int_equal(part->tables.data[4].n_all, 1);
    assert_int_equal(number_at(r, 3, 0), 50 * n);
    assert_int_equal(number_at(r, 4, 0), 60 * n);
    assert_int_equal(number_at(r, 5, 0), 7 * n);
    apf_report_free(r);
    free(elf.data);
}

static void test_instr(void **state)
{
    (void)state;
    check_instr(1);
    check_instr(2);
}

static void test_refused(void **state)
{
    const struct apf_input input = apf_input_memory(profile, strlen(profile), "profile");
    const struct eb_bytes none = {.data = (uint8_t *)"x", .n = 1}, probes = probe_build_program();
    struct apf_report *r;
    struct apf_error error;
    (void)state;
    assert_int_equal(try_make(&r, &input, 1, &none, &error), APF_BAD_ELF);
    assert_null(r);
    /* It is a program, but not an instrumented one. */
    assert_int_equal(try_make(&r, &input, 1, &probes, &error), APF_UNABLE_TO_CORRELATE);
    assert_null(r);
    free(probes.data);
}

/* The symbols of a program have the names that memory profiles have hashes of. */
static void test_memory_names(void **state)
{
    static const char memory[] =
        "---\nHeapProfileRecords:\n  - GUID: main\n    AllocSites:\n      - Callstack:\n"
        "          - { Function: main, LineOffset: 1, Column: 1, IsInlineFrame: false }\n"
        "          - { Function: unknown, LineOffset: 1, Column: 1, IsInlineFrame: false }\n"
        "        MemInfoBlock:\n          AllocCount: 1\n          TotalSize: 9\n    CallSites: []\n";
    const struct apf_input input = apf_input_memory(memory, strlen(memory), "memory");
    const struct eb_bytes probes = probe_build_program(), none = {.data = (uint8_t *)"x", .n = 1};
    struct apf_report *r;
    struct apf_error error = {.message = ""};
    (void)state;
    if (try_make(&r, &input, 1, &probes, &error) != APF_OK)
        fail_msg("%s", error.message);
    assert_int_equal(r->functions.n, 1);
    assert_int_equal(state_of(r, "main", 0), REPORT_UNCOMPARED);
    assert_int_equal(r->names.n, 2);
    assert_int_equal(r->parts[REPORT_PART_PROGRAM].tables.n, 0);
    apf_report_free(r);
    assert_int_equal(try_make(&r, &input, 1, &none, &error), APF_BAD_ELF);
    assert_null(r);
    free(probes.data);
}

/* ---- probes ---- */

static void test_probes(void **state)
{
    const struct eb_bytes elf = probe_build_program();
    struct apf_report *r;
    struct apf_error error = {.message = ""};
    (void)state;
    if (try_make(&r, NULL, 0, &elf, &error) != APF_OK)
        fail_msg("%s", error.message);
    assert_int_equal(r->family, REPORT_PROBES);
    assert_int_equal(r->functions.n, 4);
    assert_int_equal(r->total, 11);
    assert_int_equal(r->functions.data[0].total, 5); /* mid, which is inlined in top */
    assert_int_equal(r->functions.data[0].n_counts, 1);
    assert_int_equal(number_at(r, 0, 0), 2); /* descriptors */
    assert_int_equal(number_at(r, 0, 1), 4);
    assert_int_equal(number_at(r, 0, 2), 1);
    assert_int_equal(number_at(r, 0, 3), 11);
    assert_int_equal(number_at(r, 0, 5), 2); /* direct calls */
    assert_int_equal(r->stacks.frames.n, 5);
    assert_int_equal(r->stacks.frames.data[0].total, 11);
    apf_report_free(r);
    free(elf.data);
}

/* Checksums of main fit, those of top do not; there is no descriptor of other; rest has no checksum. */
static void test_sample(void **state)
{
    static const char text[] = "main:10:1\n 1: 10\n !CFGChecksum: 17\ntop:20:1\n 1: 20\n !CFGChecksum: 35\n"
                               "other:30:1\n 1: 30\n !CFGChecksum: 1\nrest:5:0\n 1: 5\n";
    const struct apf_input input = apf_input_memory(text, strlen(text), "samples.prof");
    const struct eb_bytes elf = probe_build_program();
    struct apf_report *r;
    struct apf_error error = {.message = ""};
    (void)state;
    if (try_make(&r, &input, 1, &elf, &error) != APF_OK)
        fail_msg("%s", error.message);
    assert_int_equal(state_of(r, "main", 17), REPORT_FITS);
    assert_int_equal(state_of(r, "top", 35), REPORT_STALE);
    assert_int_equal(state_of(r, "other", 1), REPORT_FOREIGN);
    assert_int_equal(state_of(r, "rest", 0), REPORT_UNCOMPARED);
    assert_int_equal(number_at(r, 0, 0), 2);
    assert_int_equal(number_at(r, 0, 1), 1);
    assert_int_equal(number_at(r, 0, 2), 1);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(number_at(r, 1, i), ((const uint64_t[]){10, 20, 30, 5})[i]);
    assert_int_equal(r->parts[REPORT_PART_PROGRAM].tables.n, 5);
    assert_int_equal(number_at(r, 3, 0), 20);
    assert_int_equal(number_at(r, 4, 0), 30);
    apf_report_free(r);
    free(elf.data);
}

TEST_FILE(report_program)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_instr), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_memory_names), cmocka_unit_test(test_probes),
                                       cmocka_unit_test(test_sample)};
    return RUN_TESTS(tests);
}
