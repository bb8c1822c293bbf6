/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Salvage of damaged files whose metadata is in their program, alone and in a merge, and of MemProf sections. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/correlate.h>
#include <anyprof/memprof.h>
#include <anyprof/merge.h>

#include "helpers/shared/memprof_build.h"
#include "helpers/shared/open_memory.h"
#include "helpers/shared/program_build.h"

#define FIRST 0xa1b2c3d4e5f607u /* the first counter: nothing else in the file is like it */

static const struct pb_function some[] = {
    {"main", 0x1111, 3, 0, 0},
    {"file.c;local", 0x2222, 1, 0, 0},
    {"_ZN1a1bEv", 0xfff0000000000001, 7, 0, 0},
    {"last", 5, 2, 0, 0},
};

/* A program, a profile of it, and the place of its counters. */
struct sample {
    struct pb_program p;
    struct eb_bytes elf;
    struct apf_correlator *correlator;
    struct rb_file file;
    size_t counters;
};

static void make(struct sample *s, const struct pb_program *p)
{
    struct apf_correlator_options options = {.size = sizeof options, .n_programs = 1};
    struct apf_error error;
    memset(s, 0, sizeof *s);
    s->p = *p;
    s->elf = pb_build(p);
    struct apf_input input = apf_input_memory(s->elf.data, s->elf.n, "program");
    options.programs = &input;
    options.kind = p->kind == PB_BINARY ? APF_METADATA_BINARY : APF_METADATA_DEBUG_INFO;
    if (apf_correlator_open(&s->correlator, &options, &error) != APF_OK)
        fail_msg("%s", error.message);
    pb_append(&s->file, p, FIRST, NULL);
    while (rb_get(&s->file, s->counters, 8) != FIRST)
        s->counters++;
}

static void drop(struct sample *s)
{
    apf_correlator_close(s->correlator);
    free(s->elf.data);
    rb_free(&s->file);
}

static struct apf_options options_of(const struct sample *s, uint32_t flags, bool source)
{
    struct apf_options o = {.size = sizeof o, .flags = flags};
    o.correlation = source ? apf_correlator_source(s->correlator) : NULL;
    return o;
}

static int open_cut(struct apf_instr **instr, const struct sample *s, size_t cut, uint32_t flags, bool source,
                    struct apf_error *error)
{
    struct apf_options o = options_of(s, flags, source);
    uint8_t *copy = malloc(cut); /* of this size: the sanitizer sees a read after it */
    assert_non_null(copy);
    memcpy(copy, s->file.data, cut);
    struct apf_input input = apf_input_memory(copy, cut, "cut");
    int code = apf_instr_open(instr, &input, &o, error);
    free(copy);
    return code;
}

/* Where the counters of a function end. */
static size_t end_of(const struct sample *s, size_t function)
{
    size_t n = 0;
    for (size_t i = 0; i <= function; i++)
        n += s->p.functions[i].n_counts;
    return s->counters + 8 * n;
}

static void check_taken(struct apf_instr *instr, const struct sample *s, size_t want)
{
    struct apf_record r = {.size = sizeof r};
    uint64_t count = FIRST;
    for (size_t i = 0; i < want; i++) {
        const struct pb_function *f = &s->p.functions[i];
        assert_int_equal(apf_instr_record(instr, i, &r, NULL), APF_OK);
        assert_int_equal(r.name.n, strlen(f->name));
        assert_memory_equal(r.name.p, f->name, r.name.n);
        assert_int_equal(r.hash, f->hash);
        assert_int_equal(r.n_counts, f->n_counts);
        for (size_t k = 0; k < r.n_counts; k++)
            assert_true(r.counts[k] == count++);
    }
    assert_int_equal(apf_instr_record(instr, want, &r, NULL), APF_END);
    const struct apf_salvage *got = apf_instr_salvage(instr);
    assert_non_null(got);
    assert_int_equal(got->functions, want);
    assert_int_equal(got->lost_known, 1);
    assert_int_equal(got->lost_functions, s->p.n_functions - want);
    assert_int_equal(got->nameless, 0);
}

static void check_cut(const struct sample *s, size_t cut)
{
    struct apf_instr *instr;
    struct apf_error plain, error;
    size_t want = 0;
    while (want < s->p.n_functions && end_of(s, want) <= cut)
        want++;
    /* Without a source the owners of the counters are unknown. */
    int code = open_cut(&instr, s, cut, 0, false, &plain);
    assert_int_not_equal(code, APF_OK);
    assert_int_equal(open_cut(&instr, s, cut, APF_FLAG_SALVAGE, false, &error), code);
    assert_string_equal(error.message, plain.message);
    code = open_cut(&instr, s, cut, 0, true, &plain);
    assert_int_not_equal(code, APF_OK);
    int salvaged = open_cut(&instr, s, cut, APF_FLAG_SALVAGE, true, &error);
    assert_int_equal(salvaged, want ? APF_OK : code);
    if (want) {
        check_taken(instr, s, want);
        assert_int_equal(apf_instr_salvage(instr)->error.code, code);
        apf_instr_close(instr);
    } else {
        assert_string_equal(error.message, plain.message);
    }
}

static struct pb_program program_of(enum pb_kind kind, unsigned version, unsigned way)
{
    struct pb_program p = {.kind = kind, .version = version, .bytes = way & 1 ? 4 : 8, .dwarf = 5};
    p.big = (way & 2) != 0;
    p.functions = some;
    p.n_functions = COUNT(some);
    return p;
}

static void test_counters_that_are_cut(void **state)
{
    (void)state;
    for (unsigned version = 9; version <= RB_NEWEST; version++)
        for (unsigned way = 0; way < 8; way++) {
            struct pb_program p = program_of(way & 4 ? PB_BINARY : PB_DEBUG_INFO, version, way);
            struct sample s;
            make(&s, &p);
            for (size_t cut = s.counters; cut < end_of(&s, COUNT(some) - 1); cut++)
                check_cut(&s, cut);
            drop(&s);
        }
}

/* A bitmap that is cut off is missed by its function only. */
static void test_bitmaps_that_are_cut(void **state)
{
    static const struct pb_function with[] = {{"a", 1, 2, 3, 0}, {"b", 2, 1, 0, 0}};
    struct pb_program p = program_of(PB_BINARY, 10, 0);
    struct sample s;
    struct apf_instr *instr;
    struct apf_record r = {.size = sizeof r};
    (void)state;
    p.functions = with;
    p.n_functions = COUNT(with);
    make(&s, &p);
    assert_int_equal(open_cut(&instr, &s, end_of(&s, 1) + 2, APF_FLAG_SALVAGE, true, NULL), APF_OK);
    assert_int_equal(apf_instr_salvage(instr)->lost_functions, 1);
    assert_int_equal(apf_instr_record(instr, 0, &r, NULL), APF_OK);
    assert_memory_equal(r.name.p, "b", 1);
    assert_true(r.counts[0] == FIRST + 2);
    assert_int_equal(apf_instr_record(instr, 1, &r, NULL), APF_END);
    apf_instr_close(instr);
    drop(&s);
}

/* A sum of the first count of a function; UINT64_MAX when it is not there. */
static uint64_t sum_of(struct apf_merge *m, const struct pb_function *f)
{
    struct apf_instr *view;
    struct apf_record r = {.size = sizeof r};
    struct apf_str name = {f->name, strlen(f->name)};
    assert_int_equal(apf_merge_view(m, &view, NULL), APF_OK);
    return apf_instr_find(view, name, f->hash, &r, NULL) == APF_OK ? r.counts[0] : UINT64_MAX;
}

/* In any order, with any number of threads, by the fast path or not. */
static void test_merge(void **state)
{
    struct pb_program p = program_of(PB_BINARY, 10, 0);
    struct sample s;
    (void)state;
    make(&s, &p);
    struct apf_input inputs[] = {apf_input_memory(s.file.data, end_of(&s, 1), "cut"),
                                 apf_input_memory(s.file.data, s.file.n, "whole"),
                                 apf_input_memory(s.file.data, s.file.n, "again"),
                                 apf_input_memory(s.file.data, end_of(&s, 0) - 1, "nothing")};
    for (unsigned way = 0; way < 8; way++) {
        struct apf_merge_options options = {
            .size = sizeof options, .tolerance = &any_loss, .flags = way & 1 ? APF_MERGE_GENERAL : 0};
        struct apf_input ordered[COUNT(inputs)];
        struct apf_merge *m;
        struct apf_options common = options_of(&s, APF_FLAG_SALVAGE, true);
        options.options = &common;
        common.threads = way & 2 ? 3 : 1;
        for (size_t i = 0; i < COUNT(inputs); i++)
            ordered[i] = inputs[way & 4 ? COUNT(inputs) - 1 - i : i];
        assert_int_equal(apf_merge_new(&m, &options, NULL), APF_OK);
        assert_int_equal(apf_merge_add(m, ordered, COUNT(ordered), NULL), APF_OK);
        const struct apf_merge_stats *stats = apf_merge_stats(m);
        assert_int_equal(stats->n_merged, 2);
        assert_int_equal(stats->n_salvaged, 1);
        assert_int_equal(stats->n_rejected, 1);
        assert_int_equal(stats->salvaged_functions, 2);
        assert_int_equal(stats->salvage_lost_functions, 2);
        assert_true(sum_of(m, &some[0]) == 3 * FIRST);
        assert_true(sum_of(m, &some[1]) == 3 * (FIRST + 3));
        assert_true(sum_of(m, &some[2]) == 2 * (FIRST + 4));
        assert_true(sum_of(m, &some[3]) == 2 * (FIRST + 11));
        apf_merge_free(m);
    }
    drop(&s);
}

/* ---- MemProf ---- */

static const uint64_t counts[] = {3, 4};

/* An indexed profile whose table is damaged: the section after it is there, or damaged too. */
static void check_memprof(unsigned version, bool damaged)
{
    static const uint64_t fields[] = {1, 5, 10, 23};
    static const struct ib_record record = {.hash = 1, .counts = counts, .n_counts = 2};
    static const struct ib_key keys[] = {{"alpha", &record, 1}, {"beta", &record, 1}};
    struct mb_section section = {.version = version, .schema = fields, .n_schema = COUNT(fields)};
    struct ib_profile p = {.version = 12,
                           .variant = RB_IR | IB_MEMPROF,
                           .keys = keys,
                           .n_keys = COUNT(keys),
                           .n_buckets = 64,
                           .memprof = mb_append,
                           .memprof_context = &section};
    struct rb_file file = {0};
    struct ib_places at;
    struct opened o;
    ib_append(&file, &p, &at);
    rb_put(&file, at.data[0] + 8, 8, 1000); /* the number of counters of a record */
    if (damaged)
        rb_put(&file, section.schema_at, 8, 99);
    open_memory(&o, file.data, file.n, APF_FLAG_SALVAGE);
    assert_int_equal(o.code, APF_OK);
    const struct apf_memprof *m = apf_instr_memprof(o.instr);
    uint64_t variant = apf_instr_info(o.instr)->variant;
    assert_int_equal(apf_instr_salvage(o.instr)->functions, 1);
    assert_int_equal(apf_instr_salvage(o.instr)->lost_sections, damaged ? APF_LOST_MEMPROF : 0);
    assert_int_equal((variant & APF_VARIANT_MEMPROF) != 0, !damaged);
    assert_int_equal(m != NULL, !damaged);
    if (m) {
        assert_int_equal(apf_memprof_info(m)->version, version);
        assert_int_equal(apf_memprof_info(m)->n_functions, 2);
        assert_int_equal(apf_memprof_info(m)->n_allocs, 2);
        assert_int_equal(apf_memprof_info(m)->n_call_sites, 2);
    }
    opened_close(&o);
    /* Cut inside the section: all counts, and none of its data. */
    if (damaged) {
        rb_put(&file, at.data[0] + 8, 8, 2);
        rb_put(&file, section.schema_at, 8, COUNT(fields));
        open_memory(&o, file.data, section.first + 3, APF_FLAG_SALVAGE);
        assert_int_equal(o.code, APF_OK);
        assert_int_equal(apf_instr_salvage(o.instr)->functions, 2);
        assert_true(apf_instr_salvage(o.instr)->lost_sections & APF_LOST_MEMPROF);
        assert_null(apf_instr_memprof(o.instr));
        assert_false(apf_instr_info(o.instr)->variant & APF_VARIANT_MEMPROF);
        opened_close(&o);
    }
    rb_free(&file);
}

static void test_memprof(void **state)
{
    (void)state;
    for (unsigned version = 0; version <= MB_NEWEST; version++)
        for (unsigned damaged = 0; damaged < 2; damaged++)
            check_memprof(version, damaged != 0);
}

TEST_FILE(salvage_sections)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters_that_are_cut),
        cmocka_unit_test(test_bitmaps_that_are_cut),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_memprof),
    };
    return RUN_TESTS(tests);
}
