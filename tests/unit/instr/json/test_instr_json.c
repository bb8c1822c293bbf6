/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles as JSON: a document with everything there can be, both ways, and each thing that can be wrong with one. */
#include "helpers/shared/open_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instr/model/profile.h"

/* As it is written; the ids are the first 8 bytes of the MD5 of "f", "g", "_ZTV1A". */
#define HEAD                                                                                                 \
    "{\n  \"schema\": \"anyprof-profile/1\",\n  \"generator\": {\n    \"name\": \"anyprof\",\n    "          \
    "\"version\": "                                                                                          \
    "\"0.1.0\"\n  },\n"
static const char whole[] = HEAD
    "  \"source\": {\n    \"kind\": \"raw\",\n    \"version\": 11,\n    \"version_word\": "
    "\"0x8100000000000b\",\n"
    "    \"byte_order\": \"big\",\n    \"pointer_bits\": 32,\n    \"profiles\": 2,\n    \"value_kinds\": 3,\n"
    "    \"front_end\": true\n  },\n"
    "  \"variant\": [\n    \"ir\",\n    \"loop_entries\"\n  ],\n  \"variant_bits\": \"0x180000000000000\",\n"
    "  \"last_variant_bits\": \"0x100000000000000\",\n  \"binary_ids\": [\n    \"00ff10\",\n    \"ab\"\n  "
    "],\n"
    "  \"findings\": {\n    \"MISSING_VALUE_DATA\": 2,\n    \"NAMELESS\": 1\n  },\n"
    "  \"vtable_names\": [\n    \"_ZTV2B\",\n    \"_ZTV1A\"\n  ],\n  \"names\": [\n    \"alone\"\n  ],\n"
    "  \"trace_stream_size\": 7,\n  \"traces\": [\n    {\n      \"weight\": 3,\n      \"functions\": [\n"
    "        {\"id\": \"0xcaa0aeb95077e28f\", \"name\": \"f\"},\n        {\"id\": \"0x0000000000000005\", "
    "\"name\": null}\n"
    "      ]\n    },\n    {\n      \"weight\": \"18446744073709551615\",\n      \"functions\": []\n    }\n  "
    "],\n"
    "  \"functions\": [\n"
    "    {\"name\": \"f\", \"hash\": \"0xffffffffffffffff\", \"timestamp\": 4, \"counts\": [1, "
    "\"9223372036854775807\", "
    "\"9223372036854775808\"], \"uniform_counts\": [1, 2, 3], \"uniformity\": \"05\", \"bitmap\": \"80ff\", "
    "\"dense_bitmap\": false, \"indirect_calls\": [[{\"id\": \"0x0f42bd61d1e1f5b2\", \"name\": \"g\", "
    "\"count\": 2}, {\"id\": \"0x0000000000000000\", "
    "\"name\": "
    "null, \"count\": 1}], []], \"memory_sizes\": [[{\"size\": 8, \"count\": \"18446744073709551615\"}]], "
    "\"vtables\": "
    "[[{\"id\": \"0x0000000000000009\", \"name\": null, \"count\": 0}]]},\n"
    "    {\"name\": null, \"id\": \"0x0000000000000077\", \"hash\": \"0x0000000000000000\", \"saturated\": "
    "true, \"counts\": "
    "[\"18446744073709551614\"]},"
    "\n    {\"name\": \"\\\"\\u0001\\udcff{\", \"hash\": \"0x0000000000000001\", \"counts\": [0]}\n"
    "  ]\n}\n";

static void open_json(struct opened *o, const char *text)
{
    open_memory(o, text, strlen(text), 0);
}

static uint64_t id_of(const char *name)
{
    return rb_id(name);
}

static struct apf_buffer write_json(struct apf_instr *instr)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_error error;
    assert_int_equal(apf_instr_write_json(instr, &output, &error), APF_OK);
    return out;
}

/* The ids of names in the document above, which is made with any. */
static char *with_ids(void)
{
    char *text = malloc(sizeof whole + 64), id[40];
    assert_non_null(text);
    memcpy(text, whole, sizeof whole);
    static const struct {
        const char *old, *name;
    } ids[] = {{"0xcaa0aeb95077e28f", "f"}, {"0x0f42bd61d1e1f5b2", "g"}};
    for (size_t i = 0; i < COUNT(ids); i++) {
        char *at = strstr(text, ids[i].old);
        assert_non_null(at);
        int n = snprintf(id, sizeof id, "0x%llx", (unsigned long long)id_of(ids[i].name));
        size_t old = strlen(ids[i].old);
        memmove(at + n, at + old, strlen(at + old) + 1);
        memcpy(at, id, (size_t)n);
    }
    return text;
}

static void check_info(const struct apf_instr_info *info)
{
    assert_int_equal(info->format, APF_FORMAT_JSON);
    assert_int_equal(info->origin, APF_FORMAT_RAW);
    assert_int_equal(info->version, 11);
    assert_int_equal(info->version_word, 0x8100000000000b);
    assert_int_equal(info->variant, APF_VARIANT_IR | APF_VARIANT_LOOP_ENTRIES);
    assert_int_equal(info->last_variant, APF_VARIANT_IR);
    assert_int_equal(info->pointer_bits, 32);
    assert_int_equal(info->big_endian, 1);
    assert_int_equal(info->front_end, 1);
    assert_int_equal(info->n_profiles, 2);
    assert_int_equal(info->n_records, 3);
    assert_int_equal(info->n_counters, 5);
    assert_int_equal(info->nameless, 1);
    assert_int_equal(info->n_binary_ids, 2);
    assert_int_equal(info->binary_ids[0].n, 3);
    assert_memory_equal(info->binary_ids[0].p, "\0\xff\x10", 3);
    assert_int_equal(info->n_vtable_names, 2);
    assert_string_equal(info->vtable_names[0].p, "_ZTV2B");
    assert_int_equal(info->trace_stream_size, 7);
    assert_int_equal(info->n_traces, 2);
    assert_int_equal(info->traces[0].weight, 3);
    assert_int_equal(info->traces[0].n, 2);
    assert_int_equal(info->traces[0].ids[0], id_of("f"));
    assert_int_equal(info->traces[0].ids[1], 5);
    assert_true(info->traces[1].weight == UINT64_MAX);
}

static void check_first(const struct apf_record *r)
{
    static const uint64_t counts[] = {1, INT64_MAX, (uint64_t)INT64_MAX + 1}, uniform[] = {1, 2, 3};
    assert_true(r->hash == UINT64_MAX);
    assert_int_equal(r->timestamp, 4);
    assert_int_equal(r->n_counts, 3);
    assert_memory_equal(r->counts, counts, sizeof counts);
    assert_int_equal(r->n_uniform, 3);
    assert_memory_equal(r->uniform, uniform, sizeof uniform);
    assert_int_equal(r->n_uniformity, 1);
    assert_int_equal(r->uniformity[0], 5);
    assert_int_equal(r->n_bitmap, 2);
    assert_memory_equal(r->bitmap, "\x80\xff", 2);
    assert_int_equal(r->flags, APF_RECORD_SPARSE_BITMAP);
    assert_int_equal(r->n_sites[APF_VALUE_INDIRECT_CALL], 2);
    assert_int_equal(r->sites[APF_VALUE_INDIRECT_CALL][0].n, 2);
    assert_int_equal(r->sites[APF_VALUE_INDIRECT_CALL][0].values[0].value, id_of("g"));
    assert_int_equal(r->sites[APF_VALUE_INDIRECT_CALL][0].values[1].count, 1);
    assert_int_equal(r->sites[APF_VALUE_INDIRECT_CALL][1].n, 0);
    assert_int_equal(r->sites[APF_VALUE_MEMOP_SIZE][0].values[0].value, 8);
    assert_true(r->sites[APF_VALUE_MEMOP_SIZE][0].values[0].count == UINT64_MAX);
    assert_int_equal(r->sites[APF_VALUE_VTABLE][0].values[0].value, 9);
}

static void test_everything(void **state)
{
    struct opened o;
    char *text = with_ids();
    (void)state;
    open_json(&o, text);
    if (o.code != APF_OK)
        fail_msg("%s", o.error.message);
    check_info(apf_instr_info(o.instr));
    EXPECT_FINDING(&o, "quirk.MISSING_VALUE_DATA", APF_SEVERITY_WARNING, APF_TRUNCATED, 2);
    EXPECT_FINDING(&o, "quirk.NAMELESS", APF_SEVERITY_WARNING, APF_UNKNOWN_FUNCTION, 1);
    assert_int_equal(apf_instr_name(o.instr, id_of("alone")).n, 5);
    struct record_walk *iter = first_record(&o);
    check_first(next_record(iter));
    const struct apf_record *r = next_record(iter);
    assert_int_equal(r->name.n, 0);
    assert_int_equal(r->id, 0x77);
    assert_int_equal(r->flags, APF_RECORD_PSEUDO | APF_RECORD_SATURATED);
    r = next_record(iter);
    assert_int_equal(r->name.n, 4);
    assert_memory_equal(r->name.p, "\"\x01\xff{", 4);
    assert_null(r->sites[0]);
    struct apf_buffer out = write_json(o.instr);
    if (out.n != strlen(text) || memcmp(out.data, text, out.n) != 0)
        fail_msg("got %.*s\nwant %s", (int)out.n, (const char *)out.data, text);
    apf_buffer_free(&out);
    last_record(iter, &o);
    free(text);
}

/* What people may leave out; keys in another order; vtable names after their use. */
static void test_least(void **state)
{
    struct opened o;
    (void)state;
    open_json(&o,
              "{\"functions\":[{\"counts\":[\"0x10\"],\"hash\":2,\"name\":\"f\",\"id\":null,\"new key\":{},"
              "\"vtables\":[[{\"name\":\"_ZTV2B\",\"count\":1}]],\"indirect_calls\":[[{\"name\":\"g\"}]]}],"
              "\"vtable_names\":[\"_ZTV1A\"],\"schema\":\"anyprof-profile/1\",\"variant\":[\"ir\"]}");
    assert_int_equal(o.code, APF_OK);
    const struct apf_instr_info *info = apf_instr_info(o.instr);
    assert_int_equal(info->origin, 0);
    assert_int_equal(info->producers, 0);
    assert_int_equal(info->n_profiles, 1);
    assert_int_equal(info->variant, APF_VARIANT_IR);
    assert_int_equal(info->last_variant, APF_VARIANT_IR);
    assert_int_equal(info->n_vtable_names, 2);
    assert_string_equal(info->vtable_names[0].p, "_ZTV1A");
    struct record_walk *iter = first_record(&o);
    const struct apf_record *r = next_record(iter);
    assert_int_equal(r->id, id_of("f"));
    assert_int_equal(r->counts[0], 16);
    assert_int_equal(r->sites[APF_VALUE_INDIRECT_CALL][0].values[0].value, id_of("g"));
    assert_int_equal(r->sites[APF_VALUE_INDIRECT_CALL][0].values[0].count, 0);
    assert_int_equal(r->sites[APF_VALUE_VTABLE][0].values[0].value, id_of("_ZTV2B"));
    last_record(iter, &o);
    open_json(&o, "{\"schema\": \"anyprof-profile/1\"}");
    assert_int_equal(o.code, APF_OK);
    assert_int_equal(apf_instr_info(o.instr)->n_records, 0);
    opened_close(&o);
}

#define SCHEMA "{\"schema\":\"anyprof-profile/1\",\n"
#define FUNCTION SCHEMA "\"functions\":[{"
static const struct {
    const char *text, *where, *why;
    uint32_t line, column;
    int32_t code;
} wrongs[] = {
    {"{}", "json", "the schema is missing: expected anyprof-profile/1", 1, 2, APF_BAD_JSON},
    {"{\"schema\":\"anyprof-probe-list/1\"}", "json.schema", "expected anyprof-profile/1", 1, 11,
     APF_BAD_JSON},
    {"{\"schema\":\"anyprof-profile/1\",\"schema\":1}", "json.schema", "repeated key", 1, 31, APF_BAD_JSON},
    {SCHEMA "\"source\":{\"kind\":\"elf\"}}", "json.source.kind",
     "expected raw, indexed, text, memprof, json or merged", 2, 18, APF_BAD_JSON},
    {SCHEMA "\"source\":{\"byte_order\":\"x\"}}", "json.source.byte_order", "expected big or little", 2, 24,
     APF_BAD_JSON},
    {SCHEMA "\"source\":{\"version\":4294967296}}", "json.source.version", "the number is too large", 2, 21,
     APF_BAD_JSON},
    {SCHEMA "\"variant\":[\"IR\"]}", "json.variant", "unknown variant", 2, 12, APF_BAD_JSON},
    {SCHEMA "\"variant\":[\"ir\"],\"variant_bits\":\"0x0\"}", "json",
     "\"variant\" and \"variant_bits\" differ", 2, 38, APF_BAD_JSON},
    {SCHEMA "\"binary_ids\":[\"0\"]}", "json.binary_ids", "expected two hexadecimal digits for each byte", 2,
     15, APF_BAD_JSON},
    {SCHEMA "\"binary_ids\":[\"0g\"]}", "json.binary_ids", "expected two hexadecimal digits for each byte", 2,
     15, APF_BAD_JSON},
    {SCHEMA "\"binary_ids\":[\"\"]}", "json.binary_ids", "empty binary id", 2, 15, APF_BAD_JSON},
    {SCHEMA "\"traces\":[{\"functions\":[{}]}]}", "json.traces.functions", "neither an id nor a name", 2, 26,
     APF_BAD_JSON},
    {SCHEMA "\"traces\":[{\"functions\":[{\"name\":\"f\",\"id\":\"0x1\"}]}]}", "json.traces.functions.id",
     "this is not the id of the name", 2, 42, APF_BAD_JSON},
    {SCHEMA "\"traces\":[{\"functions\":[{\"id\":\"0x1\",\"name\":\"f\"}]}]}", "json.traces.functions.name",
     "this is not the name of the id", 2, 44, APF_BAD_JSON},
    {FUNCTION "\"hash\":1,\"counts\":[1]}]}", "json.functions", "neither a name nor an id", 2, 36,
     APF_BAD_JSON},
    {FUNCTION "\"name\":\"f\",\"counts\":[1]}]}", "json.functions", "the hash is missing", 2, 38,
     APF_BAD_JSON},
    {FUNCTION "\"name\":\"f\",\"hash\":1}]}", "json.functions", "there are no counts", 2, 34, APF_BAD_JSON},
    {FUNCTION "\"name\":\"f\",\"hash\":1,\"counts\":[]}]}", "json.functions", "there are no counts", 2, 46,
     APF_BAD_JSON},
    {FUNCTION "\"name\":\"f\",\"hash\":-1}]}", "json.functions.hash",
     "this is no whole number from 0 to 2^64-1", 2, 33, APF_BAD_JSON},
    {FUNCTION "\"name\":\"f\",\"hash\":1,\"counts\":[1],\"uniform_counts\":[1,2]}]}", "json.functions",
     "not as many uniform counts as counts", 2, 70, APF_BAD_JSON},
    {FUNCTION "\"memory_sizes\":[[{\"count\":1}]]}]}", "json.functions.memory_sizes", "the size is missing",
     2, 42, APF_BAD_JSON},
    {FUNCTION "\"counts\":[1,2,x]}]}", "json.functions", "a value was expected", 2, 29, APF_BAD_JSON},
    {FUNCTION "\"counts\":[1,2,-3]}]}", "json.functions.counts", "this is no whole number from 0 to 2^64-1",
     2, 29, APF_BAD_JSON},
};

static void test_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(wrongs); i++) {
        struct opened o;
        char want[300];
        open_json(&o, wrongs[i].text);
        snprintf(want, sizeof want, "JSON with an error: %s [line %u, column %u, %s]", wrongs[i].why,
                 (unsigned)wrongs[i].line, (unsigned)wrongs[i].column, wrongs[i].where);
        if (strcmp(o.error.message, want) != 0)
            fail_msg("%s: %s, not %s", wrongs[i].text, o.error.message, want);
        assert_int_equal(o.code, wrongs[i].code);
        opened_close(&o);
    }
}

static void test_limits(void **state)
{
    static const char text[] = SCHEMA "\"functions\":[{\"name\":\"f\",\"hash\":1,\"counts\":[1]},"
                                      "{\"name\":\"g\",\"hash\":1,\"counts\":[1]}]}";
    struct apf_options options = {.size = sizeof options, .max_records = 1};
    struct opened o;
    (void)state;
    open_memory_options(&o, text, sizeof text - 1, &options);
    assert_int_equal(o.code, APF_LIMIT);
    assert_string_equal(o.error.where, "json.functions");
    opened_close(&o);
    options.max_records = 2;
    open_memory_options(&o, text, sizeof text - 1, &options);
    assert_int_equal(o.code, APF_OK);
    opened_close(&o);
}

/* Cut anywhere it is refused, at a place that is there. (The first byte alone is text.) */
static void test_prefixes(void **state)
{
    char *text = with_ids();
    size_t n = strlen(text) - 2; /* the last brace is the end */
    (void)state;
    for (size_t cut = 5; cut <= n; cut++) {
        struct opened o;
        open_memory(&o, text, cut, 0);
        if (o.code != APF_BAD_JSON)
            fail_msg("cut at %zu: %d", cut, o.code);
        assert_true(o.error.offset <= cut);
        assert_true(o.error.line >= 1 && o.error.column >= 1);
        opened_close(&o);
    }
    free(text);
}

/* A text profile whose first function would be taken for JSON can be read again. */
static void test_text_is_no_json(void **state)
{
    static const char *const names[] = {"{\"", "{}", " {x", "{"};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        char text[100];
        struct opened o, again;
        struct apf_buffer out = {NULL, 0, 0};
        struct apf_output output = apf_output_buffer(&out);
        int n = snprintf(text, sizeof text, "# text\n%s\n1\n1\n5\n", names[i]);
        open_memory(&o, text, (size_t)n, 0);
        assert_int_equal(o.code, APF_OK);
        assert_int_equal(apf_instr_info(o.instr)->format, APF_FORMAT_TEXT);
        assert_int_equal(apf_instr_write_text(o.instr, NULL, &output, NULL), APF_OK);
        assert_memory_equal(out.data, "# Text profile\n", 15);
        open_memory(&again, out.data, out.n, 0);
        assert_int_equal(apf_instr_info(again.instr)->format, APF_FORMAT_TEXT);
        struct record_walk *iter = first_record(&again);
        const struct apf_record *r = next_record(iter);
        assert_int_equal(r->name.n, strlen(names[i]));
        assert_memory_equal(r->name.p, names[i], r->name.n);
        last_record(iter, &again);
        opened_close(&o);
        apf_buffer_free(&out);
    }
}

TEST_FILE(instr_json)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything), cmocka_unit_test(test_least),
        cmocka_unit_test(test_wrong),      cmocka_unit_test(test_limits),
        cmocka_unit_test(test_prefixes),   cmocka_unit_test(test_text_is_no_json)};
    return RUN_TESTS(tests);
}
