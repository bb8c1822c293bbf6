/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sample profiles as JSON: a document with everything there can be, both ways, random profiles, and each thing that can
 * be wrong with a document. */
#include "helpers/shared/sample_random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_views.h>

#include "helpers/shared/fault.h"
#include "instr/json/profile_json.h"
#include "sample/json/sample_json_read.h"

static const struct sample_read_options defaults = {
    .max_bytes = UINT64_MAX, .max_records = UINT64_MAX, .max_depth = SAMPLE_MAX_DEPTH};

static const char whole[] =
    "{\n  \"schema\": \"anyprof-sample/1\",\n  \"generator\": {\n    \"name\": \"anyprof\",\n"
    "    \"version\": \"0.1.0\"\n  },\n"
    "  \"source\": {\n    \"kind\": \"gcc\",\n    \"version\": 3,\n    \"layout\": \"3a\",\n"
    "    \"byte_order\": \"big\"\n  },\n"
    "  \"flags\": [\n    \"contexts\",\n    \"preinlined\",\n    \"partial\",\n    \"vtables\",\n"
    "    \"attributes\",\n    "
    "\"times\"\n"
    "  ],\n  \"findings\": {\n    \"DECIMAL_NAMES\": 2\n  },\n"
    "  \"summary\": {\n    \"total\": 10,\n    \"max_count\": 9,\n    \"max_head\": 8,\n    \"counts\": 7,\n"
    "    \"functions\": 6,\n    \"rows\": [\n"
    "      {\"cutoff\": 990000, \"min_count\": \"18446744073709551615\", \"counts\": 3}\n    ]\n  },\n"
    "  \"symbols\": [\n    \"a\",\n    \"\\udcff\"\n  ],\n"
    "  \"names\": [\n    {\"hash\": \"0x0000000000000009\"},\n    {\"name\": \"alone\"}\n  ],\n"
    "  \"functions\": [\n"
    "    {\n      \"name\": \"leaf\",\n      \"file\": \"x.c\",\n      \"context\": [\n"
    "        {\"name\": \"main\", \"line\": 1},\n"
    "        {\"hash\": \"0x0000000000000007\", \"line\": 2, \"discriminator\": 4294967295}\n      ],\n"
    "      \"total\": \"18446744073709551615\",\n      \"head\": 3,\n"
    "      \"checksum\": \"0x000000000000001f\",\n"
    "      \"attributes\": [\n        \"should_be_inlined\",\n        \"0x8\"\n      ],\n"
    "      \"first_time\": 77,\n      \"saturated\": true,\n      \"lines\": [\n"
    "        {\"line\": 1, \"count\": \"9223372036854775808\", \"targets\": [{\"name\": \"b\", \"count\": "
    "2}, "
    "{\"hash\": \"0x0000000000000007\", \"count\": 1}]},\n"
    "        {\"line\": 65535, \"discriminator\": 3, \"count\": 0}\n      ],\n"
    "      \"vtables\": [\n        {\"line\": 2, \"name\": \"_ZTV1A\", \"count\": 4}\n      ],\n"
    "      \"inlined\": [\n"
    "        {\n          \"depth\": 1,\n          \"line\": 4,\n          \"name\": "
    "\"\\\"\\u0001\\udcff{\",\n"
    "          \"total\": 5,\n          \"head\": 1,\n          \"lines\": []\n        },\n"
    "        {\n          \"depth\": 2,\n          \"line\": 5,\n          \"discriminator\": 6,\n"
    "          \"name\": \"\",\n          \"total\": 0,\n          \"lines\": [\n"
    "            {\"line\": 0, \"count\": 1}\n          ]\n        },\n"
    "        {\n          \"depth\": 1,\n          \"line\": 4,\n          \"name\": \"b\",\n"
    "          \"total\": 1,\n          \"checksum\": \"0x0000000000000001\",\n          \"lines\": []\n"
    "        }\n      ]\n    },\n"
    "    {\n      \"hash\": \"0x0000000000000007\",\n      \"total\": 1,\n      \"head\": 0,\n"
    "      \"lines\": []\n    }\n  ]\n}\n";

static int read_text(struct apf_sample *s, const char *text, const struct sample_read_options *options,
                     struct apf_error *error)
{
    return sample_json_read(s, (const uint8_t *)text, strlen(text), options, error);
}

static void test_everything(void **state)
{
    struct apf_sample *s = sample_of_json(whole);
    (void)state;
    assert_int_equal(s->info.format, APF_SAMPLE_JSON);
    assert_int_equal(s->info.origin, APF_SAMPLE_GCC);
    assert_int_equal(s->info.version, 3);
    assert_string_equal(s->info.layout, "3a");
    assert_int_equal(s->info.big_endian, 1);
    assert_int_equal(s->info.n_functions, 2);
    assert_int_equal(s->info.n_inlined, 3);
    assert_int_equal(s->info.max_context, 3);
    assert_int_equal(s->findings[SAMPLE_FINDING_DECIMAL_NAMES], 2);
    assert_int_equal(s->stored->n_functions, 6);
    assert_int_equal(s->symbols.n, 2);
    assert_memory_equal(s->symbols.data[1].p, "\xff", 1);
    const struct sample_node *f = &s->nodes.data[0];
    assert_true(f->total == UINT64_MAX);
    assert_int_equal(f->checksum, 31);
    assert_int_equal(f->attributes, 10);
    assert_int_equal(f->extra->first_time, 77);
    assert_true(f->state & SAMPLE_SATURATED);
    assert_true(f->lines.data[0].count == (uint64_t)1 << 63);
    assert_int_equal(f->lines.data[1].at, sample_place(65535, 3));
    assert_int_equal(f->callees.n, 2);
    assert_int_equal(s->nodes.data[2].caller, 1);
    assert_int_equal(s->nodes.data[2].at, sample_place(5, 6));
    const struct sample_context *c = &s->contexts.list.data[f->context];
    assert_int_equal(c->at, sample_place(2, UINT32_MAX));
    assert_int_equal(s->names.list.data[s->contexts.list.data[c->caller].name].hash, 7);
    struct apf_buffer out = sample_to_json(s);
    sample_assert_text(&out, whole);
    apf_buffer_free(&out);
    sample_free(s);
}

/* What people may leave out; keys in another order; a name with its hash; numbers in other forms; functions, lines and
 * targets that occur twice. */
static void test_least(void **state)
{
    (void)state;
    struct apf_sample *s = sample_of_json(
        "{\"functions\":[{\"lines\":[{\"count\":\"0x10\",\"line\":2,\"targets\":[{\"name\":\"g\",\"count\":1}"
        ","
        "{\"hash\":\"0xb671664347fff5b2\",\"name\":null,\"count\":2}]},{\"line\":2,\"count\":1}],\"total\":5,"
        "\"name\":\"f\",\"hash\":\"0xcc914f75dd4ca18f\",\"new key\":[{}]},"
        "{\"name\":\"f\",\"total\":2,\"head\":1,\"checksum\":9}],\"schema\":\"anyprof-sample/1\"}");
    const struct sample_node *f = &s->nodes.data[0];
    assert_int_equal(s->info.origin, APF_SAMPLE_JSON);
    assert_int_equal(s->info.flags, APF_SAMPLE_PROBES); /* no flags are given, but a checksum */
    assert_int_equal(s->top.n, 1);
    assert_int_equal(f->total, 7);
    assert_int_equal(f->head, 1);
    assert_int_equal(f->checksum, 9);
    assert_int_equal(f->lines.n, 1);
    assert_int_equal(f->lines.data[0].count, 17);
    assert_int_equal(f->targets.n, 1);
    assert_int_equal(f->targets.data[0].count, 3);
    sample_free(s);
    s = sample_of_json("{\"schema\": \"anyprof-sample/1\", \"flags\": []}");
    assert_int_equal(s->top.n, 0);
    assert_false(s->has_symbols);
    assert_null(s->stored);
    sample_free(s);
    s = sample_of_json("{\"schema\": \"anyprof-sample/1\", \"symbols\": []}");
    assert_true(s->has_symbols);
    sample_free(s);
}

static void test_random(void **state)
{
    uint64_t chance = 20;
    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        const struct sample_wish wish = {.contexts = i % 2, .probes = i % 3 == 0, .all = i % 4 != 0};
        struct apf_sample *s = sample_random(&wish, &chance);
        struct apf_buffer out = sample_to_json(s), again;
        struct apf_sample *t = sample_new();
        struct apf_error error;
        if (sample_json_read(t, out.data, out.n, &defaults, &error) != APF_OK)
            fail_msg("%s", error.message);
        sample_assert_same(s, t);
        again = sample_to_json(t);
        assert_int_equal(again.n, out.n);
        assert_memory_equal(again.data, out.data, out.n);
        apf_buffer_free(&out);
        apf_buffer_free(&again);
        sample_free(s);
        sample_free(t);
    }
}

static const char functions[] = "{\"schema\":\"anyprof-sample/1\",\"functions\":[";

static void test_errors(void **state)
{
    static const struct {
        int code;
        const char *where, *text, *detail;
    } cases[] = {
        {APF_BAD_JSON, "json.document.schema", "{}", "expected anyprof-sample/1"},
        {APF_BAD_JSON, "json.document.schema", "{\"schema\":\"anyprof-sample/2\"}", "expected"},
        {APF_BAD_JSON, "json.document.schema", "{\"schema\":\"anyprof-profile/1\"}", "expected"},
        {APF_BAD_JSON, "json.source.kind", "{\"schema\":\"anyprof-sample/1\",\"source\":{\"kind\":\"raw\"}}",
         "expected text, binary"},
        {APF_BAD_JSON, "json.source.byte_order",
         "{\"schema\":\"anyprof-sample/1\",\"source\":{\"byte_order\":\"middle\"}}", "expected big"},
        {APF_BAD_JSON, "json.source.layout",
         "{\"schema\":\"anyprof-sample/1\",\"source\":{\"layout\":\"3\\u0000\"}}", "expected 1, 704,"},
        {APF_BAD_JSON, "json.source.layout",
         "{\"schema\":\"anyprof-sample/1\",\"source\":{\"layout\":\"4\"}}", "expected 1, 704,"},
        {APF_BAD_JSON, "json.document.flags", "{\"schema\":\"anyprof-sample/1\",\"flags\":[\"ir\"]}",
         "unknown flag"},
        {APF_BAD_JSON, "json.summary.total", "{\"schema\":\"anyprof-sample/1\",\"summary\":{}}",
         "a number is missing"},
        {APF_BAD_JSON, "json.names.name", "{\"schema\":\"anyprof-sample/1\",\"names\":[{}]}", "neither"},
        {APF_BAD_JSON, "json.functions.name", "{\"total\":1}", "neither a name nor a hash"},
        {APF_BAD_JSON, "json.functions.total", "{\"name\":\"f\"}", "a number is missing"},
        {APF_BAD_JSON, "json.functions.hash", "{\"hash\":0,\"total\":1}", "the hash is 0"},
        {APF_BAD_JSON, "json.functions.hash", "{\"name\":\"f\",\"hash\":1,\"total\":1}", "not the hash"},
        {APF_BAD_JSON, "json.functions.attributes", "{\"name\":\"f\",\"total\":1,\"attributes\":[\"x\"]}",
         "unknown attribute"},
        {APF_BAD_JSON, "json.functions.attributes",
         "{\"name\":\"f\",\"total\":1,\"attributes\":[\"0x100000000\"]}", "unknown attribute"},
        {APF_BAD_JSON, "json.lines.line", "{\"name\":\"f\",\"total\":1,\"lines\":[{\"count\":1}]}",
         "missing"},
        {APF_BAD_JSON, "json.lines.count", "{\"name\":\"f\",\"total\":1,\"lines\":[{\"line\":1}]}",
         "missing"},
        {APF_BAD_JSON, "json.lines.line",
         "{\"name\":\"f\",\"total\":1,\"lines\":[{\"line\":4294967296,\"count\":1}]}", NULL},
        {APF_BAD_JSON, "json.targets.name",
         "{\"name\":\"f\",\"total\":1,\"lines\":[{\"line\":1,\"count\":1,\"targets\":[{\"count\":1}]}]}",
         "neither"},
        {APF_BAD_JSON, "json.vtables.line",
         "{\"name\":\"f\",\"total\":1,\"vtables\":[{\"name\":\"v\",\"count\":1}]}", "missing"},
        {APF_BAD_JSON, "json.context.line", "{\"name\":\"f\",\"total\":1,\"context\":[{\"name\":\"m\"}]}",
         "missing"},
        {APF_BAD_JSON, "json.inlined.depth",
         "{\"name\":\"f\",\"total\":1,\"inlined\":[{\"name\":\"g\",\"line\":1,\"total\":1}]}", "missing"},
        {APF_BAD_JSON, "json.inlined.depth",
         "{\"name\":\"f\",\"total\":1,\"inlined\":[{\"depth\":2,\"name\":\"g\",\"line\":1,\"total\":1}]}",
         "there is no function of the depth above"},
        {APF_BAD_JSON, "json.inlined.depth",
         "{\"name\":\"f\",\"total\":1,\"inlined\":[{\"depth\":0,\"name\":\"g\",\"line\":1,\"total\":1}]}",
         "there is no function of the depth above"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[400];
        struct apf_sample *s = sample_new();
        struct apf_error error;
        bool part = cases[i].text[1] == '"' && strncmp(cases[i].text, "{\"schema", 8) != 0;
        snprintf(text, sizeof text, "%s%s%s", part ? functions : "", cases[i].text, part ? "]}" : "");
        int code = read_text(s, text, &defaults, &error);
        if (code != cases[i].code || strcmp(error.where, cases[i].where) != 0)
            fail_msg("%s: %d %s", text, code, error.where);
        assert_int_equal(error.line, 1);
        if (cases[i].detail)
            assert_non_null(strstr(error.message, cases[i].detail));
        sample_free(s);
    }
}

static void check_limit(const char *text, const struct sample_read_options *options, int want)
{
    struct apf_sample *s = sample_new();
    struct apf_error error;
    assert_int_equal(read_text(s, text, options, &error), want);
    sample_free(s);
}

static void test_limits(void **state)
{
    static const char nested[] =
        "{\"schema\":\"anyprof-sample/1\",\"functions\":[{\"name\":\"f\",\"total\":1,\"inlined\":["
        "{\"depth\":1,\"name\":\"g\",\"line\":1,\"total\":1},{\"depth\":2,\"name\":\"g\",\"line\":1,"
        "\"total\":1}"
        "]}]}";
    static const char context[] =
        "{\"schema\":\"anyprof-sample/1\",\"functions\":[{\"name\":\"f\",\"total\":1,\"context\":["
        "{\"name\":\"g\",\"line\":1},{\"name\":\"g\",\"line\":1}]}]}";
    struct sample_read_options options = defaults;
    (void)state;
    options.max_records = 3;
    check_limit(nested, &options, APF_OK);
    options.max_records = 2;
    check_limit(nested, &options, APF_LIMIT);
    options = defaults;
    options.max_depth = 2;
    check_limit(nested, &options, APF_OK);
    check_limit(context, &options, APF_LIMIT);
    options.max_depth = 1;
    check_limit(nested, &options, APF_LIMIT);
    options.max_depth = 3;
    check_limit(context, &options, APF_OK);
}

/* Bits of discriminators that a pass of the compiler does not know are left out, if they are flow-sensitive. */
static void test_mask(void **state)
{
    static const char text[] = "{\"schema\":\"anyprof-sample/1\",\"functions\":[{\"name\":\"f\",\"total\":1,"
                               "\"context\":[{\"name\":\"m\",\"line\":1,\"discriminator\":769}],"
                               "\"lines\":[{\"line\":1,\"discriminator\":769,\"count\":2},"
                               "{\"line\":1,\"discriminator\":257,\"count\":3}]}],\"flags\":[%s]}";
    struct sample_read_options options = defaults;
    (void)state;
    options.discriminator = 0xff;
    for (unsigned fs = 0; fs < 2; fs++) {
        char document[400];
        struct apf_sample *s = sample_new();
        snprintf(document, sizeof document, text, fs ? "\"fs_discriminators\"" : "");
        assert_int_equal(read_text(s, document, &options, NULL), APF_OK);
        assert_int_equal(s->nodes.data[0].lines.n, fs ? 1 : 2);
        assert_int_equal(s->nodes.data[0].lines.data[0].at, sample_place(1, fs ? 1 : 257));
        assert_int_equal(s->nodes.data[0].lines.data[0].count, fs ? 5 : 3);
        /* contexts keep them, as in text and extbinary */
        assert_int_equal(s->contexts.list.data[s->nodes.data[0].context].at, sample_place(1, 769));
        sample_free(s);
    }
}

static bool begins(const char *text)
{
    return sample_json_begins((const uint8_t *)text, strlen(text));
}

static bool begins_instr(const char *text)
{
    return profile_json_begins((const uint8_t *)text, strlen(text));
}

/* Documents of the two rooms are told apart by their schema. */
static void test_begins(void **state)
{
    (void)state;
    assert_true(begins(whole));
    assert_false(begins_instr(whole));
    assert_true(begins(" {\"functions\":[1,{}],\"schema\":\"anyprof-sample/22\""));
    assert_false(begins_instr(" {\"functions\":[1,{}],\"schema\":\"anyprof-sample/22\""));
    static const char *const others[] = {"{\"schema\":\"anyprof-profile/1\"}",
                                         "{\"schema\":\"anyprof-sample-diff/1\"}",
                                         "{\"schema\":\"anyprof-sample/\"}",
                                         "{\"schema\":\"anyprof-sample/1x\"}",
                                         "{\"schema\":7}",
                                         "{}",
                                         "{\"a\":{\"schema\":\"anyprof-sample/1\"}}"};
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_false(begins(others[i]));
        assert_true(begins_instr(others[i]));
    }
    assert_false(begins(""));
    assert_false(begins("[\"schema\"]"));
    assert_false(begins("main:1:2"));
}

/* No beginning of a document is one. */
static void test_prefixes(void **state)
{
    size_t n = sizeof whole - 2; /* without the last newline */
    (void)state;
    for (size_t i = 0; i < n; i++) {
        struct apf_sample *s = sample_new();
        uint8_t *copy = malloc(i ? i : 1);
        memcpy(copy, whole, i);
        assert_int_equal(sample_json_read(s, copy, i, &defaults, NULL), APF_BAD_JSON);
        free(copy);
        sample_free(s);
    }
}

/* A changed byte is an error, or makes another profile, which can be written. */
static void test_flips(void **state)
{
    const size_t n = sizeof whole - 1;
    unsigned accepted = 0;
    (void)state;
    for (size_t i = 0; i < 8 * n; i++) {
        struct apf_sample *s = sample_new();
        uint8_t *copy = malloc(n);
        memcpy(copy, whole, n);
        copy[i / 8] ^= (uint8_t)(1u << i % 8);
        if (sample_json_read(s, copy, n, &defaults, NULL) == APF_OK) {
            struct apf_buffer out = sample_to_json(s);
            apf_buffer_free(&out);
            accepted++;
        }
        free(copy);
        sample_free(s);
    }
    assert_true(accepted > 100);
}

static int try_all(void)
{
    struct apf_sample *s = sample_new();
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    int code = s ? read_text(s, whole, &defaults, NULL) : APF_NO_MEMORY;
    if (code == APF_OK)
        code = apf_sample_write_json(s, &output, NULL);
    apf_buffer_free(&out);
    sample_free(s);
    return code;
}

static void test_faults(void **state)
{
    static const enum fault_call calls[] = {FAULT_MEMORY, FAULT_ARENA};
    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++)
        for (unsigned at = 1;; at++) {
            fault_fail(calls[i], at, ENOMEM);
            int code = try_all();
            bool hit = fault_hit();
            fault_reset();
            assert_true(hit ? code == APF_NO_MEMORY || code == APF_IO : code == APF_OK);
            if (!hit) {
                assert_true(at > 5);
                break;
            }
        }
}

/* One function 20,000 times, each time with the same inlined function and line: not quadratic. */
static void test_many(void **state)
{
    enum { MANY = 20000, ENTRY = 140 };
    char *text = malloc((size_t)MANY * ENTRY + sizeof functions + 3);
    size_t n = (size_t)snprintf(text, sizeof functions, "%s", functions);
    (void)state;
    for (unsigned i = 0; i < MANY; i++)
        n += (size_t)snprintf(
            text + n, ENTRY,
            "%s{\"name\":\"f\",\"total\":1,\"lines\":[{\"line\":%u,\"count\":1}],\"inlined\":["
            "{\"depth\":1,\"line\":1,\"name\":\"g\",\"total\":1}]}",
            i ? "," : "", MANY - i);
    snprintf(text + n, 3, "]}");
    struct apf_sample *s = sample_of_json(text);
    assert_int_equal(s->top.n, 1);
    assert_int_equal(s->nodes.data[0].total, MANY);
    assert_int_equal(s->nodes.data[0].lines.n, MANY);
    assert_int_equal(s->nodes.data[0].callees.n, 1);
    assert_int_equal(s->nodes.data[1].total, MANY);
    free(text);
    sample_free(s);
}

TEST_FILE(sample_json)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything), cmocka_unit_test(test_least),    cmocka_unit_test(test_random),
        cmocka_unit_test(test_errors),     cmocka_unit_test(test_limits),   cmocka_unit_test(test_mask),
        cmocka_unit_test(test_begins),     cmocka_unit_test(test_prefixes), cmocka_unit_test(test_flips),
        cmocka_unit_test(test_faults),     cmocka_unit_test(test_many),
    };
    return RUN_TESTS(tests);
}
