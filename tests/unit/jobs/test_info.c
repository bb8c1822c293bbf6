/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Exact results of apf_info_open. */
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/info_memory.h"
#include "helpers/shared/memprof_build.h"

#include <string.h>

#include <anyprof/jobs.h>

static const uint64_t counts[] = {7, 0, 9}, zeros[] = {0, 0};
static const uint8_t bits[] = {1, 2, 3};
static const struct rb_pair pairs[] = {{1, 9, false}, {2, 3, false}};
static const struct rb_site sites[] = {{pairs, 2}, {pairs, 1}};
static const struct rb_function functions[] = {
    {.name = "first",
     .hash = 11,
     .counts = counts,
     .n_counts = 3,
     .bitmap = bits,
     .n_bitmap = 3,
     .sites = {sites, sites},
     .n_sites = {2, 1}},
    {.name = "second", .hash = 12, .counts = zeros, .n_counts = 2},
};

static void expect_part(const struct apf_file_facts *f, size_t i, const char *name, uint64_t offset,
                        uint64_t size)
{
    assert_true(i < f->n_parts);
    assert_string_equal(f->parts[i].name, name);
    assert_int_equal(f->parts[i].offset, offset);
    assert_int_equal(f->parts[i].size, size);
}

/* ---- profiles ---- */

static void raw_profile(void **state)
{
    (void)state;
    static const struct rb_bytes ids[] = {{"0123456789", 10}};
    struct rb_profile p = {.version = 10,
                           .bytes = 4,
                           .big = true,
                           .variant = RB_IR | RB_ENTRY_FIRST,
                           .functions = functions,
                           .n_functions = 2,
                           .ids = ids,
                           .n_ids = 1};
    struct rb_file file = {0};
    struct rb_places at, second;
    rb_append(&file, &p, &at);
    rb_append(&file, &p, &second);
    struct apf_input input = input_in_memory(file.data, file.n, "raw");
    struct apf_info *info = info_of_inputs(&input, 1);
    const struct apf_file_facts *f = apf_info_file(info, 0);
    assert_null(f->error);
    assert_int_equal(f->file->kind, APF_KIND_INSTR_RAW);
    assert_int_equal(f->version, 10);
    assert_int_equal(f->pointer_bits, 32);
    assert_int_equal(f->big_endian, 1);
    assert_true(f->variant == (APF_VARIANT_IR | APF_VARIANT_ENTRY_FIRST));
    assert_int_equal(f->n_profiles, 2);
    assert_int_equal(f->n_functions, 4);
    assert_int_equal(f->n_unexecuted, 2);
    assert_int_equal(f->n_counters, 10);
    assert_int_equal(f->n_sites[0], 4);
    assert_int_equal(f->n_sites[1], 2);
    assert_int_equal(f->n_sites[2], 0);
    assert_int_equal(f->n_values[0], 6);
    assert_int_equal(f->n_values[1], 4);
    assert_int_equal(f->n_bitmaps, 2);
    assert_int_equal(f->n_bitmap_bytes, 6);
    assert_int_equal(f->n_binary_ids, 2);
    assert_memory_equal(f->binary_ids[0].p, "0123456789", 10);
    assert_true(f->producers == releases_from_to("19", "22"));
    assert_true(f->readers == releases_from_to("19", "22"));
    assert_int_equal(f->memprof_version, APF_MEMPROF_NO_VERSION);
    expect_part(f, 0, "header", 0, 128);
    expect_part(f, 1, "binary_ids", 128, 24);
    expect_part(f, 2, "data", at.data, 96);
    expect_part(f, 3, "counters", at.counters, 40);
    expect_part(f, 4, "bitmap", at.bitmap, 3);
    expect_part(f, 5, "padding", at.bitmap + 3, 5);
    uint64_t sum = 0, of_second = 0;
    for (size_t i = 0; i < f->n_parts; i++) {
        assert_int_equal(f->parts[i].offset, sum);
        sum += f->parts[i].size;
        of_second += f->parts[i].profile == 1 ? f->parts[i].size : 0;
    }
    assert_int_equal(sum, file.n);
    assert_int_equal(of_second, file.n - second.start);
    apf_info_close(info);
    rb_free(&file);
}

static void indexed_profile(void **state)
{
    (void)state;
    static const struct ib_record records[] = {
        {.hash = (uint64_t)1 << 60, .counts = counts, .n_counts = 3, .sites = {sites}, .n_sites = {1}},
        {.hash = 2, .counts = counts, .n_counts = 1}};
    static const struct ib_key keys[] = {{"a.c;name", records, 2}};
    uint64_t trace_ids[] = {rb_id("a.c;name")};
    struct ib_trace traces[] = {{3, trace_ids, 1}};
    static const uint64_t fields[] = {1, 5, 10, 23};
    for (unsigned v = 10; v <= IB_NEWEST; v++) {
        struct mb_section section = {.version = 3, .schema = fields, .n_schema = COUNT(fields)};
        struct ib_profile p = {.version = v,
                               .variant = RB_IR | RB_TEMPORAL | IB_MEMPROF,
                               .keys = keys,
                               .n_keys = 1,
                               .traces = traces,
                               .n_traces = 1,
                               .stream_size = 9,
                               .memprof = mb_append,
                               .memprof_context = &section};
        struct rb_file file = {0};
        struct ib_places at;
        struct rb_file alone = {0};
        mb_append(&alone, &section);
        ib_append(&file, &p, &at);
        struct apf_input input = input_in_memory(file.data, file.n, "indexed");
        struct apf_info *info = info_of_inputs(&input, 1);
        const struct apf_file_facts *f = apf_info_file(info, 0);
        assert_null(f->error);
        assert_int_equal(f->file->kind, APF_KIND_INSTR_INDEXED);
        assert_int_equal(f->version, v);
        assert_int_equal(f->n_functions, 2);
        assert_int_equal(f->n_contextual, 1);
        assert_int_equal(f->n_traces, 1);
        assert_int_equal(f->n_traces_seen, 9);
        assert_int_equal(f->memprof_version, 3);
        assert_true(f->variant & APF_VARIANT_MEMPROF);
        assert_true(f->producers != 0);
        /* MemProf 3 is read since 19; each release reads its own version and those before it. */
        const char *oldest = v <= 12 ? "19" : v == 13 ? "22" : "23";
        assert_true(f->readers == releases_from_to(oldest, "23"));
        uint64_t sum = 0;
        bool memprof = false;
        for (size_t i = 0; i < f->n_parts; i++) {
            assert_int_equal(f->parts[i].offset, sum);
            sum += f->parts[i].size;
            if (strcmp(f->parts[i].name, "memprof") == 0) {
                assert_int_equal(f->parts[i].offset, at.memprof);
                assert_int_equal(f->parts[i].size, alone.n);
                memprof = true;
            }
        }
        assert_true(memprof);
        assert_int_equal(sum, file.n);
        apf_info_close(info);
        rb_free(&alone);
        rb_free(&file);
    }
}

static uint64_t number_of(const struct apf_file_facts *f, const char *name)
{
    for (size_t i = 0; i < f->n_numbers; i++)
        if (strcmp(f->numbers[i].name, name) == 0)
            return f->numbers[i].n;
    return UINT64_MAX;
}

/* What is in a MemProf section; one that cannot be read is left out, and the rest is known. */
static void memory_profiles(void **state)
{
    (void)state;
    static const uint64_t fields[] = {1, 5, 10, 23};
    for (unsigned v = 0; v <= MB_NEWEST; v++) {
        struct mb_section s = {.version = v, .schema = fields, .n_schema = COUNT(fields)};
        struct ib_profile p = {
            .version = 12, .variant = IB_MEMPROF, .memprof = mb_append, .memprof_context = &s};
        struct rb_file file = {0};
        struct ib_places at;
        ib_append(&file, &p, &at);
        struct apf_input input = input_in_memory(file.data, file.n, "indexed");
        for (unsigned damaged = 0; damaged < 2; damaged++) {
            if (damaged)
                rb_put(&file, s.first + 1, 8, UINT64_MAX);
            struct apf_info *info = info_of_inputs(&input, 1);
            const struct apf_file_facts *f = apf_info_file(info, 0);
            assert_null(f->error);
            assert_int_equal(f->memprof_version, v);
            assert_true(f->variant & APF_VARIANT_MEMPROF);
            assert_true(number_of(f, "memprof_functions") == (damaged ? UINT64_MAX : 2));
            assert_true(number_of(f, "memprof_contexts") == (damaged ? UINT64_MAX : 2));
            assert_true(number_of(f, "memprof_frames") == (damaged ? UINT64_MAX : 3));
            assert_int_equal(f->n_findings, damaged);
            if (damaged) {
                assert_string_equal(f->findings[0].where, "quirk.MEMPROF_DROPPED");
                assert_string_equal(f->refusal, "its memory profile is damaged");
            }
            assert_true((f->readers == 0) == (damaged != 0));
            assert_true((f->refusal == NULL) == (damaged == 0));
            apf_info_close(info);
        }
        rb_free(&file);
    }
}

/* The same of YAML, and nothing of what a profile with counts has. */
static void memory_profile_in_yaml(void **state)
{
    (void)state;
    static const char text[] =
        "---\nHeapProfileRecords:\n  - GUID: 0x1\n    CallSites:\n      - Frames:\n"
        "          - { Function: 0xa, LineOffset: 1, Column: 2, IsInlineFrame: false }\n";
    struct apf_input inputs[] = {input_in_memory(text, sizeof text - 1, "yaml"),
                                 input_in_memory(text, sizeof text - 4, "cut")};
    struct apf_info *info = info_of_inputs(inputs, 2);
    const struct apf_file_facts *f = apf_info_file(info, 0);
    assert_null(f->error);
    assert_int_equal(f->file->kind, APF_KIND_MEMPROF_YAML);
    assert_int_equal(number_of(f, "memprof_functions"), 1);
    assert_int_equal(number_of(f, "memprof_contexts"), 0);
    assert_int_equal(number_of(f, "memprof_frames"), 1);
    assert_int_equal(f->n_numbers, 3);
    assert_int_equal(f->n_parts, 0);
    assert_int_equal(f->n_findings, 0);
    assert_int_equal(f->memprof_version, APF_MEMPROF_NO_VERSION);
    assert_int_equal(apf_info_file(info, 1)->error->code, APF_BAD_YAML);
    apf_info_close(info);
}

/* A profile in JSON is what it was made of, and says so. */
static void json_profile(void **state)
{
    (void)state;
    static const char text[] =
        "{\"schema\": \"anyprof-profile/1\", \"source\": {\"kind\": \"raw\", \"version\": 9, "
        "\"byte_order\": \"big\", \"pointer_bits\": 32}, \"variant\": [\"ir\"], "
        "\"functions\": [{\"name\": \"f\", \"hash\": 5, \"counts\": [1, 2, 3]}]}";
    static const char other[] = "{\"schema\": \"lookup/1\"}";
    struct apf_input inputs[] = {input_in_memory(text, sizeof text - 1, "json"),
                                 input_in_memory(other, sizeof other - 1, "other")};
    struct apf_info *info = info_of_inputs(inputs, 2);
    const struct apf_file_facts *f = apf_info_file(info, 0);
    assert_null(f->error);
    assert_int_equal(f->file->kind, APF_KIND_INSTR_JSON);
    assert_int_equal(f->origin, APF_FORMAT_RAW);
    assert_int_equal(f->version, 9);
    assert_int_equal(f->pointer_bits, 32);
    assert_int_equal(f->big_endian, 1);
    assert_true(f->variant == APF_VARIANT_IR);
    assert_int_equal(f->n_functions, 1);
    assert_int_equal(f->n_counters, 3);
    assert_true(f->producers == releases_from_to("18", "18"));
    assert_true(f->readers == 0);
    assert_int_equal(f->n_parts, 0);
    assert_int_equal(apf_info_file(info, 1)->file->kind, APF_KIND_UNKNOWN);
    assert_int_equal(apf_info_file(info, 1)->error->code, APF_UNRECOGNIZED_FORMAT);
    apf_info_close(info);
}

/* Documents of other commands, by their schema; they are read to their end. */
static void other_json(void **state)
{
    (void)state;
    static const struct {
        const char *text, *schema;
        int kind, code;
    } rows[] = {
        {"{\"schema\": \"anyprof-lookup/1\"}", "anyprof-lookup/1", APF_KIND_OTHER_JSON, APF_OK},
        {"{\"a\": [1, {}], \"schema\": \"anyprof-probe-list/12\", \"b\": 2}", "anyprof-probe-list/12",
         APF_KIND_OTHER_JSON, APF_OK},
        {"{\"schema\": \"anyprof-lookup/1\", \"a\": }", "anyprof-lookup/1", APF_KIND_OTHER_JSON,
         APF_BAD_JSON},
        {"{\"schema\": \"anyprof-profile/2\"}", NULL, APF_KIND_INSTR_JSON, APF_BAD_JSON},
        {"{\"schema\": \"anyprof-/1\"}", NULL, APF_KIND_UNKNOWN, APF_UNRECOGNIZED_FORMAT},
        {"{\"schema\": \"anyprof-x/\"}", NULL, APF_KIND_UNKNOWN, APF_UNRECOGNIZED_FORMAT},
        {"{\"schema\": \"anyprof-x/1a\"}", NULL, APF_KIND_UNKNOWN, APF_UNRECOGNIZED_FORMAT},
        {"{\"schema\": 1}", NULL, APF_KIND_UNKNOWN, APF_UNRECOGNIZED_FORMAT},
        {"{\"functions\": []}", NULL, APF_KIND_UNKNOWN, APF_UNRECOGNIZED_FORMAT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_input input = input_in_memory(rows[i].text, strlen(rows[i].text), "json");
        struct apf_info *info = info_of_inputs(&input, 1);
        const struct apf_file_facts *f = apf_info_file(info, 0);
        assert_int_equal(f->file->kind, rows[i].kind);
        assert_int_equal(f->error ? f->error->code : APF_OK, rows[i].code);
        if (rows[i].schema)
            assert_string_equal(f->schema, rows[i].schema);
        else
            assert_null(f->schema);
        apf_info_close(info);
    }
}

/* ---- texts and others ---- */

static void other_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        int kind;
    } rows[] = {
        {"", 0, APF_KIND_EMPTY},
        {"f\n1\n1\n5\n\n", 9, APF_KIND_INSTR_TEXT},
        {"1 main 0 1 foo 0 0 5\n", 21, APF_KIND_BOLT_FDATA},
        {"B 4005f0 400600 12 0\n", 21, APF_KIND_BOLT_SAMPLES},
        {"main:184019:0\n 4: 534\n", 22, APF_KIND_SAMPLE_TEXT},
        {"\x81rforpm\xff\3\0\0\0\0\0\0\0", 16, APF_KIND_MEMPROF_RAW},
        {"PERFILE2\20\0\0\0\0\0\0\0", 16, APF_KIND_PERF_DATA},
        {"BZh91AY&SY....", 14, APF_KIND_BZIP2},
        {"!<arch>\n", 8, APF_KIND_ARCHIVE},
        {"# captured\n\n  app 12 1.000001: 250000 cycles:u: 5640 f+0x0 (/app)\n", 66, APF_KIND_PERF_SCRIPT},
        {" 12/13 1.000001:  PERF_RECORD_MMAP2 12/13: [0x4(0x2) @ 0x1 08:01 7 0]: r-xp /a\n", 79,
         APF_KIND_PERF_SCRIPT},
        {"12 0x400100/0x400200/P/-/-/0/\n", 30, APF_KIND_PERF_SCRIPT},
        {" 4005dc 0x400100/0x400200/P/-/-/0/\n", 35, APF_KIND_PERF_SCRIPT},
        {"\t  4005dc\n\t  400684\n 0x4005c8/0x4005dc/P/-/-/0/\n", 48, APF_KIND_PERF_SCRIPT},
        {"PERF_RECORD_MMAP2 1/1: [0x4(0x2) @ 0 08:01 7 0]: r-xp /a\n f 0x1/0x2/P\n", 70,
         APF_KIND_PERF_SCRIPT},
        {"\5\0\0\0\4\0\0\0\1\0\0\0BOLT\0\0\0\0\0\0\0\0", 24, APF_KIND_BAT_SECTION},
    };
    struct apf_input inputs[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++)
        inputs[i] = input_in_memory(rows[i].bytes, rows[i].n, "other");
    struct apf_info *info = info_of_inputs(inputs, COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct apf_file_facts *f = apf_info_file(info, i);
        assert_int_equal(f->file->kind, rows[i].kind);
        assert_null(f->error);
        assert_int_equal(f->file->file_size, rows[i].n);
    }
    assert_int_equal(apf_info_unreadable(info), 0);
    assert_int_equal(apf_info_file(info, 5)->version, 3);
    assert_string_equal(apf_info_file(info, 2)->numbers[0].name, "branches");
    assert_int_equal(apf_info_file(info, 2)->numbers[0].n, 1);
    assert_int_equal(apf_info_file(info, 3)->numbers[1].n, 12);
    assert_string_equal(apf_info_file(info, 6)->numbers[0].name, "piped");
    assert_int_equal(apf_info_file(info, 6)->numbers[0].n, 1);
    assert_int_equal(apf_info_file(info, 9)->numbers[2].n, 3); /* other lines */
    assert_string_equal(apf_info_file(info, 11)->numbers[0].name, "samples");
    assert_int_equal(apf_info_file(info, 11)->numbers[0].n, 1);
    assert_int_equal(apf_info_file(info, 13)->numbers[0].n, 1);
    assert_string_equal(apf_info_file(info, 15)->numbers[0].name, "bat_functions");
    assert_null(apf_info_file(info, COUNT(rows)));
    apf_info_close(info);
}

/* A text whose first lines are those of no kind is of none; else it is of that kind, and damaged. */
static void texts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int kind, code;
    } rows[] = {
        {"root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1::/:/bin/sh\n", APF_KIND_UNKNOWN,
         APF_UNRECOGNIZED_FORMAT},
        {"# Title\n\nA file to be read first.\nMore.\n", APF_KIND_UNKNOWN, APF_UNRECOGNIZED_FORMAT},
        {"#include <a.h>\nint main(void)\n{\n}\n", APF_KIND_UNKNOWN, APF_UNRECOGNIZED_FORMAT},
        {":toc:\n", APF_KIND_UNKNOWN, APF_UNRECOGNIZED_FORMAT},
        {"100\n", APF_KIND_UNKNOWN, APF_UNRECOGNIZED_FORMAT},
        {"f\n200\n", APF_KIND_INSTR_TEXT, APF_TRUNCATED},
        {"Probes:\n 12 a\n13 b\n", APF_KIND_UNKNOWN, APF_UNRECOGNIZED_FORMAT},
        {"f\n12abc\n1\n5\n", APF_KIND_INSTR_TEXT, APF_MALFORMED},
        {"# a comment\n:IR\nf\nx\n", APF_KIND_INSTR_TEXT, APF_MALFORMED},
        {"f\n0x12\nx\n", APF_KIND_INSTR_TEXT, APF_MALFORMED},
        {"1 main 0 1 foo 0 0 5\n1 main 0 1 foo\n", APF_KIND_BOLT_FDATA, APF_BAD_FDATA},
        {"B 4005f0 400600 12 0\nB 4005f0 400600 12\n", APF_KIND_BOLT_SAMPLES, APF_BAD_SAMPLES},
        {"12 1.000001: cycles: 0x1/0x2/P/-/-/0/\n12 1.000002: cycles: 0x1", APF_KIND_PERF_SCRIPT,
         APF_BAD_SAMPLES},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_input input = input_in_memory(rows[i].text, strlen(rows[i].text), "text");
        struct apf_info *info = info_of_inputs(&input, 1);
        const struct apf_file_facts *f = apf_info_file(info, 0);
        assert_non_null(f->error);
        assert_int_equal(f->error->code, rows[i].code);
        assert_int_equal(f->file->kind, rows[i].kind);
        assert_int_equal(f->n_numbers, 0);
        apf_info_close(info);
    }
}

static void unreadable(void **state)
{
    (void)state;
    struct apf_input inputs[] = {input_in_memory("\1\2\3\4\5\6\7\10\11", 9, "a"),
                                 apf_input_file("/nonexistent/file"),
                                 input_in_memory("f\n1\nx\n", 6, "c"),
                                 input_in_memory("\x1f\x8b\10\0rubbish", 11, "d"),
                                 input_in_memory("PERFILE2\150\0\0\0\0\0\0\0", 16, "e"),
                                 input_in_memory("f\n1\n1\n5\n\n", 9, "f")};
    static const int codes[] = {APF_UNRECOGNIZED_FORMAT, APF_IO, APF_MALFORMED, APF_TRUNCATED,
                                APF_BAD_RECORDING};
    struct apf_info *info = info_of_inputs(inputs, COUNT(inputs));
    assert_int_equal(apf_info_unreadable(info), COUNT(codes));
    for (size_t i = 0; i < COUNT(codes); i++) {
        assert_non_null(apf_info_file(info, i)->error);
        assert_int_equal(apf_info_file(info, i)->error->code, codes[i]);
        assert_true(apf_info_group(info, i) == SIZE_MAX);
    }
    assert_null(apf_info_file(info, 5)->error);
    assert_int_equal(apf_info_group(info, 5), 0);
    assert_true(apf_info_group(info, 6) == SIZE_MAX);
    apf_info_close(info);
}

/* The facts of a damaged profile come from its header; without a readable header there are none. */
static void damaged(void **state)
{
    (void)state;
    static const struct rb_bytes ids[] = {{"0123456789", 10}};
    static const struct ib_record records[] = {{.hash = 2, .counts = counts, .n_counts = 1}};
    static const struct ib_key keys[] = {{"name", records, 1}};
    struct rb_profile p = {.version = 10,
                           .bytes = 4,
                           .big = true,
                           .variant = RB_IR,
                           .functions = functions,
                           .n_functions = 2,
                           .ids = ids,
                           .n_ids = 1};
    struct ib_profile q = {.version = 9, .variant = RB_IR, .keys = keys, .n_keys = 1};
    struct rb_file raw = {0}, indexed = {0};
    struct rb_places at;
    struct ib_places places;
    rb_append(&raw, &p, &at);
    ib_append(&indexed, &q, &places);
    struct apf_input inputs[] = {
        input_in_memory(raw.data, at.counters + 8, "counters"), input_in_memory(raw.data, at.ids + 8, "ids"),
        input_in_memory(raw.data, 16, "version"), input_in_memory(raw.data, 8, "magic"),
        input_in_memory(indexed.data, indexed.n / 2, "indexed")};
    struct apf_info *info = info_of_inputs(inputs, COUNT(inputs));
    for (size_t i = 0; i < COUNT(inputs); i++) {
        const struct apf_file_facts *f = apf_info_file(info, i);
        bool header = i < 2, version = i != 3;
        assert_non_null(f->error);
        assert_int_equal(f->file->kind, i < 4 ? APF_KIND_INSTR_RAW : APF_KIND_INSTR_INDEXED);
        assert_int_equal(f->version, !version ? 0 : i < 4 ? 10 : 9);
        assert_true(f->variant == (version ? APF_VARIANT_IR : 0));
        assert_int_equal(f->pointer_bits, i < 4 ? 32 : 0);
        assert_int_equal(f->big_endian, i < 4);
        assert_int_equal(f->n_functions, header ? 2 : 0);
        assert_int_equal(f->n_counters, header ? 5 : 0);
        assert_int_equal(f->n_binary_ids, i == 0);
        assert_true(f->producers == (!version ? 0
                                     : i < 4  ? releases_from_to("19", "22")
                                              : releases_from_to("16", "16")));
        assert_true(f->readers == 0 && f->build_digest == 0 && f->n_parts == 0);
        assert_int_equal(f->memprof_version, APF_MEMPROF_NO_VERSION);
        assert_true(apf_info_group(info, i) == SIZE_MAX);
    }
    assert_memory_equal(apf_info_file(info, 0)->binary_ids[0].p, "0123456789", 10);
    apf_info_close(info);
    rb_free(&raw);
    rb_free(&indexed);
}

/* Files that LLVM refuses for another reason than their version. */
static void refusals(void **state)
{
    (void)state;
    static const struct rb_function plain[] = {{.name = "f", .hash = 1, .counts = counts, .n_counts = 1},
                                               {.name = "g", .hash = 2, .counts = counts, .n_counts = 1}};
    const struct rb_profile good = {.version = 10, .bytes = 8, .functions = functions, .n_functions = 2};
    struct rb_profile narrow = good, big = good, older = good, empty = good, v7 = good;
    narrow.bytes = 4;
    big.big = true;
    older.version = 9;
    empty.no_values = true;
    v7.version = 7;
    v7.functions = plain;
    v7.relative = true;
    const struct {
        const struct rb_profile *first, *second;
        const char *words;
    } rows[] = {
        {&good, &good, NULL},
        {&good, &narrow, "LLVM reads files of one byte order and pointer width only"},
        {&good, &big, "LLVM reads files of one byte order and pointer width only"},
        {&good, &older, "LLVM reads files of one version only"},
        {&empty, NULL, "LLVM refuses profiles without the value data that they announce"},
        {&v7, NULL, "only a development version of LLVM 14 reads this version 7"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rb_file file = {0};
        rb_append(&file, rows[i].first, NULL);
        if (rows[i].second)
            rb_append(&file, rows[i].second, NULL);
        struct apf_input input = input_in_memory(file.data, file.n, "raw");
        struct apf_info *info = info_of_inputs(&input, 1);
        const struct apf_file_facts *f = apf_info_file(info, 0);
        assert_null(f->error);
        assert_true((f->readers == 0) == (rows[i].words != NULL));
        assert_true(f->producers != 0);
        if (rows[i].words)
            assert_string_equal(f->refusal, rows[i].words);
        else
            assert_null(f->refusal);
        apf_info_close(info);
        rb_free(&file);
    }
}

TEST_FILE(info)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_profile),     cmocka_unit_test(indexed_profile),
        cmocka_unit_test(memory_profiles), cmocka_unit_test(memory_profile_in_yaml),
        cmocka_unit_test(json_profile),    cmocka_unit_test(other_json),
        cmocka_unit_test(other_kinds),     cmocka_unit_test(texts),
        cmocka_unit_test(unreadable),      cmocka_unit_test(damaged),
        cmocka_unit_test(refusals),
    };
    return RUN_TESTS(tests);
}
