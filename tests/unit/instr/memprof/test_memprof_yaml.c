/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory profiles in YAML: contents, errors with their places, and printed names. */
#include "helpers/shared/open_memory.h"

#include <stdio.h>
#include <string.h>

#define ONE "---\nHeapProfileRecords:\n  - GUID: 0x1\n"
#define FRAME "{ Function: 0xa, LineOffset: 1, Column: 2, IsInlineFrame: false }"
#define ALLOCS "    AllocSites:\n      - Callstack: [ " FRAME " ]\n        MemInfoBlock: { "
#define MD5_FOO 0x5cf8c24cdb18bdacu

static void read_text(struct opened *o, const char *text)
{
    open_memory(o, text, strlen(text), 0);
    if (o->code != APF_OK)
        fail_msg("%s", o->error.message);
}

/* Merged, and the memory profile of that. */
static struct apf_merge *merge_text_of(const char *text, const struct apf_memprof **m)
{
    struct apf_merge *merge = NULL;
    struct apf_instr *view = NULL;
    struct apf_input input = apf_input_memory(text, strlen(text), "yaml");
    assert_int_equal(apf_merge_new(&merge, NULL, NULL), APF_OK);
    assert_int_equal(apf_merge_add(merge, &input, 1, NULL), APF_OK);
    assert_int_equal(apf_merge_input(merge, 0)->code, APF_OK);
    assert_int_equal(apf_merge_view(merge, &view, NULL), APF_OK);
    *m = apf_instr_memprof(view);
    return merge;
}

static void test_what_is_read(void **state)
{
    static const char text[] =
        "---\n# MemProfSummary:\n#   Total contexts: 1\n---\nHeapProfileRecords:\n"
        "  - CallSites: [ { Frames: [ ], CalleeGuids: [ foo, 0x2 ] } ]\n"
        "    GUID: foo.llvm.123\n"
        "    AllocSites:\n"
        "      - MemInfoBlock: { MaxSize: 4294967295, AllocCount: 0x10 }\n"
        "        Callstack:\n"
        "          - { Function: foo.part.1, LineOffset: 1, Column: 2, IsInlineFrame: true }\n"
        "          - { Function: 0xFF, LineOffset: 010, Column: 4, IsInlineFrame: no }\n...\n";
    (void)state;
    struct opened o;
    struct apf_memprof_function f = {.size = sizeof f};
    struct apf_memprof_alloc a = {.size = sizeof a};
    struct apf_memprof_call_site s = {.size = sizeof s};
    uint32_t frames[2];
    read_text(&o, text);
    assert_int_equal(apf_instr_info(o.instr)->format, APF_FORMAT_MEMPROF);
    assert_int_equal(apf_instr_info(o.instr)->n_records, 0);
    const struct apf_memprof *m = apf_instr_memprof(o.instr);
    assert_int_equal(apf_memprof_info(m)->version, APF_MEMPROF_NO_VERSION);
    assert_int_equal(apf_memprof_info(m)->schema, 0);
    assert_int_equal(apf_memprof_info(m)->fields, 1u << 7 | 1u << 1);
    assert_int_equal(apf_memprof_function(m, 0, &f, NULL), APF_OK);
    assert_int_equal(f.guid, MD5_FOO);
    assert_int_equal(apf_memprof_alloc(m, 0, 0, &a, NULL), APF_OK);
    assert_int_equal(a.fields, 1u << 7 | 1u << 1);
    assert_int_equal(a.values[APF_MEMPROF_MAX_SIZE], 4294967295u);
    assert_int_equal(a.values[APF_MEMPROF_ALLOC_COUNT], 16);
    assert_int_equal(apf_memprof_stack(m, a.stack, frames, 2), 2);
    assert_int_equal(apf_memprof_info(m)->frames[frames[0]].function, MD5_FOO);
    assert_int_equal(apf_memprof_info(m)->frames[frames[0]].is_inline, 1);
    assert_int_equal(apf_memprof_info(m)->frames[frames[1]].function, 255);
    assert_int_equal(apf_memprof_info(m)->frames[frames[1]].line_offset, 8);
    assert_int_equal(apf_memprof_call_site(m, 0, 0, &s, NULL), APF_OK);
    assert_int_equal(apf_memprof_stack(m, s.stack, frames, 2), 0);
    assert_int_equal(s.n_callees, 2);
    assert_int_equal(s.callees[0], MD5_FOO);
    assert_int_equal(s.callees[1], 2);
    const struct apf_str name = apf_instr_name(o.instr, MD5_FOO);
    assert_true(name.n == 3 && memcmp(name.p, "foo", 3) == 0); /* without suffixes, as its id is made */
    assert_int_equal(apf_instr_name(o.instr, 255).n, 0);
    opened_close(&o);
}

/* Names go along with a merge and with JSON; a name that cannot stand among others only has its id. */
static void test_names(void **state)
{
    static const char text[] =
        ONE "    CallSites: [ { Frames: [ { Function: foo, LineOffset: 1, Column: 1, "
            "IsInlineFrame: false } ], CalleeGuids: [ foo, \"a\\x01b\", .llvm.1 ] } ]\n";
    (void)state;
    struct opened o, again;
    struct apf_buffer json = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&json);
    const struct apf_memprof *m;
    struct apf_merge *merge = merge_text_of(text, &m);
    struct apf_instr *view = NULL;
    assert_int_equal(apf_merge_view(merge, &view, NULL), APF_OK);
    assert_int_equal(apf_instr_name(view, MD5_FOO).n, 3);
    apf_merge_free(merge);
    read_text(&o, text);
    assert_int_equal(apf_instr_write_json(o.instr, &output, NULL), APF_OK);
    open_memory(&again, json.data, json.n, 0);
    assert_int_equal(again.code, APF_OK);
    assert_int_equal(apf_instr_name(again.instr, MD5_FOO).n, 3);
    assert_int_equal(apf_instr_info(again.instr)->n_records, 0);
    opened_close(&again);
    opened_close(&o);
    apf_buffer_free(&json);
}

/* Two records of a function, and two contexts of a stack, are one when they are merged. */
static void test_twice(void **state)
{
    static const char text[] = ONE ALLOCS
        "AllocCount: 1, MinSize: 9 }\n      - Callstack: [ " FRAME
        " ]\n        MemInfoBlock: { AllocCount: 2 }\n  - GUID: 0x1\n" ALLOCS "AllocCount: 4, MinSize: 7 }\n"
        "DataAccessProfiles:\n  SampledRecords:\n    - { Symbol: s.llvm.1, AccessCount: 1 }\n"
        "    - { Symbol: s, AccessCount: 2 }\n";
    (void)state;
    struct opened o;
    struct apf_memprof_alloc a = {.size = sizeof a};
    struct apf_memprof_data d = {.size = sizeof d};
    const struct apf_memprof *m;
    read_text(&o, text);
    assert_int_equal(apf_memprof_info(apf_instr_memprof(o.instr))->n_functions, 1);
    assert_int_equal(apf_memprof_info(apf_instr_memprof(o.instr))->n_allocs, 3);
    opened_close(&o);
    struct apf_merge *merge = merge_text_of(text, &m);
    assert_int_equal(apf_memprof_info(m)->n_allocs, 1);
    assert_int_equal(apf_memprof_alloc(m, 0, 0, &a, NULL), APF_OK);
    assert_int_equal(a.values[APF_MEMPROF_ALLOC_COUNT], 7);
    assert_int_equal(a.values[APF_MEMPROF_MIN_SIZE], 7);
    assert_int_equal(apf_memprof_info(m)->n_data, 1);
    assert_int_equal(apf_memprof_data(m, 0, &d, NULL), APF_OK);
    assert_int_equal(d.symbol.n, 1);
    assert_int_equal(d.access_count, 3);
    apf_merge_free(merge);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *where;
        uint32_t line, column;
    } rows[] = {
        {"---\n", "memprof.yaml", 1, 1},
        {"---\nHeapProfileRecords: []\n", "memprof.yaml", 3, 1},
        {"---\n- a\n", "memprof.yaml", 2, 1},
        {"---\nFoo: 1\n", "memprof.yaml", 2, 1},
        {"---\nHeapProfileRecords: 3\n", "memprof.yaml.HeapProfileRecords", 2, 21},
        {"---\nHeapProfileRecords: [ 3 ]\n", "memprof.yaml.HeapProfileRecords", 2, 23},
        {"---\nHeapProfileRecords: [ { AllocSites: [] } ]\n", "memprof.yaml.HeapProfileRecords.GUID", 2, 23},
        {"---\nHeapProfileRecords: [ { GUID: 11 } ]\n", "memprof.yaml.HeapProfileRecords.GUID", 2, 31},
        {"---\nHeapProfileRecords: [ { GUID: 0xg } ]\n", "memprof.yaml.HeapProfileRecords.GUID", 2, 31},
        {"---\nHeapProfileRecords: [ { GUID: [] } ]\n", "memprof.yaml.HeapProfileRecords.GUID", 2, 31},
        {"---\nHeapProfileRecords: [ { GUID: a, GUID: a } ]\n", "memprof.yaml.HeapProfileRecords.GUID", 2,
         34},
        {"---\nHeapProfileRecords: [ { GUID: a, X: a } ]\n", "memprof.yaml.HeapProfileRecords", 2, 34},
        {ONE ALLOCS "Foo: 1 }\n", "memprof.yaml.MemInfoBlock", 6, 25},
        {ONE ALLOCS "MinSize: 1, MinSize: 1 }\n", "memprof.yaml.MemInfoBlock", 6, 37},
        {ONE ALLOCS "AllocCount: 4294967296 }\n", "memprof.yaml.MemInfoBlock", 6, 37},
        {ONE ALLOCS "TotalSize: 18446744073709551616 }\n", "memprof.yaml.MemInfoBlock", 6, 36},
        {ONE "    AllocSites: [ { MemInfoBlock: {} } ]\n", "memprof.yaml.AllocSites.Callstack", 4, 19},
        {ONE "    AllocSites: [ { Callstack: [] } ]\n", "memprof.yaml.AllocSites.MemInfoBlock", 4, 19},
        {ONE "    CallSites: [ { } ]\n", "memprof.yaml.CallSites.Frames", 4, 18},
        {ONE "    CallSites: [ { Frames: [ { Function: a, LineOffset: -1 } ] } ]\n",
         "memprof.yaml.frame.LineOffset", 4, 57},
        {ONE "    CallSites: [ { Frames: [ { IsInlineFrame: 1 } ] } ]\n", "memprof.yaml.frame.IsInlineFrame",
         4, 47},
        {ONE "    CallSites: [ { Frames: [], CalleeGuids: [ 7 ] } ]\n", "memprof.yaml.CallSites.CalleeGuids",
         4, 47},
        {"---\nDataAccessProfiles: { SampledRecords: [ { Symbol: '', AccessCount: 1 } ] }\n",
         "memprof.yaml.SampledRecords.Symbol", 2, 51},
        {"---\nDataAccessProfiles: { SampledRecords: [ { Symbol: a } ] }\n",
         "memprof.yaml.SampledRecords.AccessCount", 2, 41},
        {"---\nDataAccessProfiles: { KnownColdStrHashes: [ a ] }\n", "memprof.yaml.KnownColdStrHashes", 2,
         45},
        {"---\nDataAccessProfiles: { KnownColdSymbols: [ \"a\\x01b\" ] }\n", "memprof.yaml.KnownColdSymbols",
         2, 43},
        {"---\nHeapProfileRecords: [ { GUID: a } ]\n---\nHeapProfileRecords: [ { GUID: b } ]\n",
         "memprof.yaml", 3, 1},
        {"---\nHeapProfileRecords: [ { GUID: *a } ]\n", "yaml.syntax", 2, 31},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct opened o;
        open_memory(&o, rows[i].text, strlen(rows[i].text), 0);
        if (o.code != APF_BAD_YAML || strcmp(o.error.where, rows[i].where) != 0 ||
            o.error.line != rows[i].line || o.error.column != rows[i].column)
            fail_msg("row %zu: code %d, %s at %u:%u", i, o.code, o.error.where, o.error.line, o.error.column);
        opened_close(&o);
    }
}

static void test_prefixes(void **state)
{
    static const char text[] =
        ONE ALLOCS "AllocCount: 1 }\n    CallSites: [ { Frames: [ " FRAME " ], CalleeGuids: [ a ] } ]\n"
                   "DataAccessProfiles:\n  KnownColdSymbols: [ a, 'b' ]\n";
    (void)state;
    for (size_t n = 4; n < sizeof text; n++) {
        struct opened o;
        open_memory(&o, text, n, 0);
        assert_true(o.code == APF_OK || o.code == APF_BAD_YAML);
        opened_close(&o);
    }
}

/* Names with and without quotes, as LLVM writes them; but DEL, which it lets stand. */
static void test_quotes(void **state)
{
    static const struct {
        const char *shown;
    } rows[] = {{"a"},    {"a b"}, {"'a/b'"}, {"'1.5'"},     {"'0x12'"},    {"'true'"},      {"'it''s'"},
                {"' a'"}, {"'~'"}, {"a\tb"},  {"\"a\\nb\""}, {"\"\\x7F\""}, {"\"\xc3\xbc\""}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_buffer text = {0};
        struct apf_output output = apf_output_buffer(&text);
        char yaml[400];
        snprintf(yaml, sizeof yaml,
                 "---\nDataAccessProfiles: { SampledRecords: [ { Symbol: s, AccessCount: 1, Locations: [ { "
                 "FileName: %s, "
                 "Line: 1 } ] } ] }\n",
                 rows[i].shown);
        struct opened o;
        read_text(&o, yaml);
        assert_int_equal(apf_memprof_print(apf_instr_memprof(o.instr), &output, NULL), APF_OK);
        assert_int_equal(apf_buffer_write(&text, "", 1), 0);
        char line[100];
        snprintf(line, sizeof line, "        - FileName:        %s\n          Line:            1\n",
                 rows[i].shown);
        if (!strstr((const char *)text.data, line))
            fail_msg("row %zu: %s", i, (const char *)text.data);
        apf_buffer_free(&text);
        opened_close(&o);
    }
}

TEST_FILE(memprof_yaml)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_read), cmocka_unit_test(test_twice),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_prefixes),     cmocka_unit_test(test_quotes), cmocka_unit_test(test_names),
    };
    return RUN_TESTS(tests);
}
