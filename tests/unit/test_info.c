/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What apf_info_read says of files, exactly. */
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/memprof_build.h"
#include "helpers/shared/unit.h"

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

static struct apf_info *read_all(const struct apf_input *inputs, size_t n)
{
    struct apf_info *info;
    struct apf_error error;
    assert_int_equal(apf_info_read(&info, inputs, n, NULL, &error), APF_OK);
    return info;
}

static struct apf_input input_of(const void *p, size_t n, const char *name)
{
    struct apf_input input = {NULL, p, n, name, 0};
    return input;
}

static unsigned release_number(const char *name)
{
    unsigned i = 0;
    while (strcmp(apf_release_name(i), name) != 0)
        i++;
    return i;
}

/* A bit for each release from one to another one. */
static uint64_t releases(const char *first, const char *last)
{
    uint64_t set = 0;
    for (unsigned i = release_number(first); i <= release_number(last); i++)
        set |= (uint64_t)1 << i;
    return set;
}

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
    struct apf_input input = input_of(file.data, file.n, "raw");
    struct apf_info *info = read_all(&input, 1);
    const struct apf_file_facts *f = apf_info_file(info, 0);
    assert_null(f->error);
    assert_int_equal(f->file.kind, APF_KIND_INSTR_RAW);
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
    assert_true(f->writers == releases("19", "22"));
    assert_true(f->readers == releases("19", "22"));
    assert_true(f->memprof_version == UINT64_MAX);
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
    apf_info_free(info);
    rb_free(&file);
}

/* No more than its version is looked at. */
static void add_memprof(struct rb_file *file, void *context)
{
    (void)context;
    static const uint8_t version[8] = {3};
    rb_append_bytes(file, version, sizeof version);
    rb_append_zeros(file, 16);
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
    for (unsigned v = 10; v <= IB_NEWEST; v++) {
        struct ib_profile p = {.version = v,
                               .variant = RB_IR | RB_TEMPORAL | IB_MEMPROF,
                               .keys = keys,
                               .n_keys = 1,
                               .traces = traces,
                               .n_traces = 1,
                               .stream_size = 9,
                               .memprof = add_memprof};
        struct rb_file file = {0};
        struct ib_places at;
        ib_append(&file, &p, &at);
        struct apf_input input = input_of(file.data, file.n, "indexed");
        struct apf_info *info = read_all(&input, 1);
        const struct apf_file_facts *f = apf_info_file(info, 0);
        assert_null(f->error);
        assert_int_equal(f->file.kind, APF_KIND_INSTR_INDEXED);
        assert_int_equal(f->version, v);
        assert_int_equal(f->n_functions, 2);
        assert_int_equal(f->n_contextual, 1);
        assert_int_equal(f->n_traces, 1);
        assert_int_equal(f->n_traces_seen, 9);
        assert_int_equal(f->memprof_version, 3);
        assert_true(f->variant & APF_VARIANT_MEMPROF);
        assert_true(f->writers != 0);
        /* MemProf 3 is read since 19; each release reads its own version and those before it. */
        const char *oldest = v <= 12 ? "19" : v == 13 ? "22" : "23";
        assert_true(f->readers == releases(oldest, "23"));
        uint64_t sum = 0;
        bool memprof = false;
        for (size_t i = 0; i < f->n_parts; i++) {
            assert_int_equal(f->parts[i].offset, sum);
            sum += f->parts[i].size;
            if (strcmp(f->parts[i].name, "memprof") == 0) {
                assert_int_equal(f->parts[i].offset, at.memprof);
                assert_int_equal(f->parts[i].size, 24);
                memprof = true;
            }
        }
        assert_true(memprof);
        assert_int_equal(sum, file.n);
        apf_info_free(info);
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
        struct apf_input input = input_of(file.data, file.n, "indexed");
        for (unsigned damaged = 0; damaged < 2; damaged++) {
            if (damaged)
                rb_put(&file, s.first + 1, 8, UINT64_MAX);
            struct apf_info *info = read_all(&input, 1);
            const struct apf_file_facts *f = apf_info_file(info, 0);
            assert_null(f->error);
            assert_int_equal(f->memprof_version, v);
            assert_true(f->variant & APF_VARIANT_MEMPROF);
            assert_true(number_of(f, "memprof_functions") == (damaged ? UINT64_MAX : 2));
            assert_true(number_of(f, "memprof_contexts") == (damaged ? UINT64_MAX : 2));
            assert_true(number_of(f, "memprof_frames") == (damaged ? UINT64_MAX : 3));
            assert_int_equal(f->n_findings, damaged);
            if (damaged)
                assert_string_equal(f->findings[0].where, "quirk.MEMPROF_DROPPED");
            apf_info_free(info);
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
    struct apf_input inputs[] = {input_of(text, sizeof text - 1, "yaml"),
                                 input_of(text, sizeof text - 4, "cut")};
    struct apf_info *info = read_all(inputs, 2);
    const struct apf_file_facts *f = apf_info_file(info, 0);
    assert_null(f->error);
    assert_int_equal(f->file.kind, APF_KIND_MEMPROF_YAML);
    assert_int_equal(number_of(f, "memprof_functions"), 1);
    assert_int_equal(number_of(f, "memprof_contexts"), 0);
    assert_int_equal(number_of(f, "memprof_frames"), 1);
    assert_int_equal(f->n_numbers, 3);
    assert_int_equal(f->n_parts, 0);
    assert_int_equal(f->n_findings, 0);
    assert_true(f->memprof_version == UINT64_MAX);
    assert_int_equal(apf_info_file(info, 1)->error->code, APF_BAD_YAML);
    apf_info_free(info);
}

/* A profile in JSON is what it was made of, and says so. */
static void json_profile(void **state)
{
    (void)state;
    static const char text[] =
        "{\"schema\": \"anyprof-profile/1\", \"source\": {\"kind\": \"raw\", \"version\": 9, "
        "\"byte_order\": \"big\", \"pointer_bits\": 32}, \"variant\": [\"ir\"], "
        "\"functions\": [{\"name\": \"f\", \"hash\": 5, \"counts\": [1, 2, 3]}]}";
    static const char other[] = "{\"schema\": \"anyprof-lookup/1\"}";
    struct apf_input inputs[] = {input_of(text, sizeof text - 1, "json"),
                                 input_of(other, sizeof other - 1, "other")};
    struct apf_info *info = read_all(inputs, 2);
    const struct apf_file_facts *f = apf_info_file(info, 0);
    assert_null(f->error);
    assert_int_equal(f->file.kind, APF_KIND_INSTR_JSON);
    assert_int_equal(f->origin, APF_FORMAT_RAW);
    assert_int_equal(f->version, 9);
    assert_int_equal(f->pointer_bits, 32);
    assert_int_equal(f->big_endian, 1);
    assert_true(f->variant == APF_VARIANT_IR);
    assert_int_equal(f->n_functions, 1);
    assert_int_equal(f->n_counters, 3);
    assert_true(f->writers == releases("18", "18"));
    assert_true(f->readers == 0);
    assert_int_equal(f->n_parts, 0);
    assert_int_equal(apf_info_file(info, 1)->file.kind, APF_KIND_INSTR_JSON);
    assert_int_equal(apf_info_file(info, 1)->error->code, APF_BAD_JSON);
    apf_info_free(info);
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
    };
    struct apf_input inputs[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++)
        inputs[i] = input_of(rows[i].bytes, rows[i].n, "other");
    struct apf_info *info = read_all(inputs, COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct apf_file_facts *f = apf_info_file(info, i);
        assert_int_equal(f->file.kind, rows[i].kind);
        assert_null(f->error);
        assert_int_equal(f->file.size, rows[i].n);
    }
    assert_int_equal(apf_info_unreadable(info), 0);
    assert_int_equal(apf_info_file(info, 5)->version, 3);
    assert_string_equal(apf_info_file(info, 2)->numbers[0].name, "branches");
    assert_int_equal(apf_info_file(info, 2)->numbers[0].n, 1);
    assert_int_equal(apf_info_file(info, 3)->numbers[1].n, 12);
    assert_string_equal(apf_info_file(info, 6)->numbers[0].name, "piped");
    assert_int_equal(apf_info_file(info, 6)->numbers[0].n, 1);
    assert_null(apf_info_file(info, COUNT(rows)));
    apf_info_free(info);
}

static void unreadable(void **state)
{
    (void)state;
    struct apf_input inputs[] = {input_of("\1\2\3\4\5\6\7\10\11", 9, "a"),
                                 {"/nonexistent/file", NULL, 0, NULL, 0},
                                 input_of("f\n1\nx\n", 6, "c"),
                                 input_of("\x1f\x8b\10\0rubbish", 11, "d"),
                                 input_of("PERFILE2\150\0\0\0\0\0\0\0", 16, "e"),
                                 input_of("f\n1\n1\n5\n\n", 9, "f")};
    static const int codes[] = {APF_UNRECOGNIZED_FORMAT, APF_IO, APF_MALFORMED, APF_TRUNCATED, APF_TRUNCATED};
    struct apf_info *info = read_all(inputs, COUNT(inputs));
    assert_int_equal(apf_info_unreadable(info), COUNT(codes));
    for (size_t i = 0; i < COUNT(codes); i++) {
        assert_non_null(apf_info_file(info, i)->error);
        assert_int_equal(apf_info_file(info, i)->error->code, codes[i]);
        assert_true(apf_info_group(info, i) == SIZE_MAX);
    }
    assert_null(apf_info_file(info, 5)->error);
    assert_int_equal(apf_info_group(info, 5), 0);
    assert_true(apf_info_group(info, 6) == SIZE_MAX);
    apf_info_free(info);
}

/* ---- groups ---- */

/* Runs of one program have its id, or its shape; counts and load address are their own. */
static void groups(void **state)
{
    (void)state;
    static const struct rb_bytes one[] = {{"one", 3}}, two[] = {{"two", 3}};
    static const struct rb_function changed[] = {
        {.name = "first", .hash = 11, .counts = counts, .n_counts = 3},
        {.name = "second", .hash = 13, .counts = zeros, .n_counts = 2}};
    const struct rb_profile runs[] = {
        {.version = 10, .bytes = 8, .functions = functions, .n_functions = 2, .ids = one, .n_ids = 1},
        {.version = 10, .bytes = 8, .functions = functions, .n_functions = 2, .ids = two, .n_ids = 1},
        {.version = 10,
         .bytes = 8,
         .functions = functions,
         .n_functions = 2,
         .ids = one,
         .n_ids = 1,
         .load = 4096},
        {.version = 10, .bytes = 8, .functions = functions, .n_functions = 2},
        {.version = 10, .bytes = 8, .functions = changed, .n_functions = 2},
        {.version = 10, .bytes = 8, .functions = functions, .n_functions = 2, .load = 8192},
        {.version = 9, .bytes = 8, .functions = functions, .n_functions = 2},
        {.version = 10, .bytes = 8, .functions = functions, .n_functions = 2, .variant = RB_IR},
    };
    static const size_t expected[] = {0, 1, 0, 2, 3, 2, 4, 5};
    struct rb_file files[COUNT(runs)] = {{0}};
    struct apf_input inputs[COUNT(runs)];
    for (size_t i = 0; i < COUNT(runs); i++) {
        rb_append(&files[i], &runs[i], NULL);
        inputs[i] = input_of(files[i].data, files[i].n, "run");
    }
    struct apf_info *info = read_all(inputs, COUNT(runs));
    for (size_t i = 0; i < COUNT(runs); i++) {
        assert_int_equal(apf_info_group(info, i), expected[i]);
        rb_free(&files[i]);
    }
    assert_true(apf_info_file(info, 3)->shape == apf_info_file(info, 0)->shape);
    assert_true(apf_info_file(info, 3)->shape != apf_info_file(info, 4)->shape);
    apf_info_free(info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_profile),     cmocka_unit_test(indexed_profile),
        cmocka_unit_test(memory_profiles), cmocka_unit_test(memory_profile_in_yaml),
        cmocka_unit_test(json_profile),    cmocka_unit_test(other_kinds),
        cmocka_unit_test(unreadable),      cmocka_unit_test(groups),
    };
    return RUN_TESTS(tests);
}
