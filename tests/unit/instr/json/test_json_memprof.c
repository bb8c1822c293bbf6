/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory profiles in JSON: sections of every version and schema come back as they were, and each thing that can be
 * wrong with one is reported. */
#include "helpers/shared/memprof_build.h"
#include "helpers/shared/open_memory.h"

#include <stdio.h>
#include <string.h>

static const uint64_t few[] = {1, 5, 10, 23};
static const uint64_t all[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                               15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};

static struct apf_buffer json_of(struct apf_instr *instr)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_instr_write_json(instr, &output, NULL), APF_OK);
    return out;
}

static struct apf_buffer yaml_of(struct apf_instr *instr)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_memprof_print(apf_instr_memprof(instr), &output, NULL), APF_OK);
    return out;
}

/* What a merge of the bytes writes, in a version of MemProf data. */
static struct apf_buffer merged(const void *p, size_t n, unsigned version)
{
    struct apf_merge *m = NULL;
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_input input = apf_input_memory(p, n, "memory");
    struct apf_write_options o = {.size = sizeof o,
                                  .flags = APF_WRITE_MEMPROF_VERSION | APF_WRITE_MEMPROF_FULL,
                                  .memprof_version = version};
    assert_int_equal(apf_target_parse("indexed-12", &o.target, NULL), APF_OK);
    assert_int_equal(apf_merge_new(&m, NULL, NULL), APF_OK);
    assert_int_equal(apf_merge_add(m, &input, 1, NULL), APF_OK);
    assert_int_equal(apf_merge_input(m, 0)->code, APF_OK);
    assert_int_equal(apf_merge_write(m, &o, &output, NULL), APF_OK);
    apf_merge_free(m);
    return out;
}

static void same(const struct apf_buffer *a, const struct apf_buffer *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->data, b->data, a->n);
}

static void free_all(struct apf_buffer *buffers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        apf_buffer_free(&buffers[i]);
}

static void check_round(const struct mb_section *s, const struct rb_file *file)
{
    struct opened first, back, without;
    open_memory(&first, file->data, file->n, 0);
    assert_int_equal(first.code, APF_OK);
    struct apf_buffer json = json_of(first.instr);
    open_memory(&back, json.data, json.n, 0);
    if (back.code != APF_OK)
        fail_msg("%s", back.error.message);
    const struct apf_memprof_info *a = apf_memprof_info(apf_instr_memprof(first.instr));
    const struct apf_memprof_info *b = apf_memprof_info(apf_instr_memprof(back.instr));
    assert_int_equal(b->version, s->version);
    assert_int_equal(b->schema, a->schema);
    assert_int_equal(b->fields, a->fields);
    assert_memory_equal(&b->summary, &a->summary, sizeof a->summary);
    assert_true(apf_instr_info(back.instr)->variant == apf_instr_info(first.instr)->variant);
    struct apf_buffer of[] = {json_of(back.instr), yaml_of(first.instr), yaml_of(back.instr)};
    same(&of[0], &json);
    same(&of[1], &of[2]);
    free_all(of, 3);
    for (unsigned version = 0; version <= MB_NEWEST; version++) {
        struct apf_buffer made[] = {merged(file->data, file->n, version), merged(json.data, json.n, version)};
        same(&made[0], &made[1]);
        free_all(made, 2);
    }
    open_memory(&without, json.data, json.n, APF_FLAG_DROP_MEMPROF);
    assert_int_equal(without.code, APF_OK);
    assert_null(apf_instr_memprof(without.instr));
    assert_false(apf_instr_info(without.instr)->variant & APF_VARIANT_MEMPROF);
    assert_false(apf_instr_info(without.instr)->last_variant & APF_VARIANT_MEMPROF);
    EXPECT_FINDING(&without, "quirk.MEMPROF_DROPPED", APF_SEVERITY_NOTE, APF_NOTE, 1);
    opened_close(&first);
    opened_close(&back);
    opened_close(&without);
    apf_buffer_free(&json);
}

static void test_round(void **state)
{
    (void)state;
    for (unsigned v = 0; v <= MB_NEWEST; v++)
        for (unsigned full = 0; full < 2; full++) {
            struct mb_section s = {
                .version = v, .schema = full ? all : few, .n_schema = full ? COUNT(all) : COUNT(few)};
            struct ib_profile p = {
                .version = 12, .variant = IB_MEMPROF, .memprof = mb_append, .memprof_context = &s};
            struct rb_file file = {0};
            struct ib_places at;
            ib_append(&file, &p, &at);
            check_round(&s, &file);
            rb_free(&file);
        }
}

#define HEAD "{\"schema\":\"anyprof-profile/1\",\n"
#define MEMORY HEAD "\"memprof\":{"

/* Keys in another order, what may be left out, and numbers as strings. */
static void test_least(void **state)
{
    static const char text[] = MEMORY
        "\"functions\":[{\"call_sites\":[{\"callees\":[\"0x7\",8]}],\"allocs\":[{\"values\":"
        "{\"AllocCount\":\"0xffffffff\"},\"stack\":[{\"function\":5},{\"column\":2,\"inline\":true}]}],"
        "\"guid\":\"0x9\",\"new\":[{}]}],\"data\":[{\"symbol\":\"s\",\"locations\":[{\"line\":3}]}],"
        "\"cold_symbols\":[\"c\"],\"cold_hashes\":[\"0xa\"]}}";
    (void)state;
    struct opened o;
    struct apf_memprof_function f = {.size = sizeof f};
    struct apf_memprof_alloc a = {.size = sizeof a};
    struct apf_memprof_call_site s = {.size = sizeof s};
    struct apf_memprof_data d = {.size = sizeof d};
    struct apf_memprof_location l = {.size = sizeof l};
    uint32_t frames[2];
    open_memory(&o, text, sizeof text - 1, 0);
    assert_int_equal(o.code, APF_OK);
    const struct apf_memprof *m = apf_instr_memprof(o.instr);
    const struct apf_memprof_info *info = apf_memprof_info(m);
    assert_int_equal(info->version, APF_MEMPROF_NO_VERSION);
    assert_int_equal(info->n_functions, 1);
    assert_true(apf_memprof_function(m, 0, &f, NULL) == APF_OK && f.guid == 9 && f.n_allocs == 1 &&
                f.n_call_sites == 1);
    assert_true(apf_memprof_alloc(m, 0, 0, &a, NULL) == APF_OK && a.fields == 1u << 1 &&
                a.values[1] == UINT32_MAX);
    assert_int_equal(apf_memprof_stack(m, a.stack, frames, 2), 2);
    assert_int_equal(info->frames[frames[0]].function, 5);
    assert_int_equal(info->frames[frames[1]].column, 2);
    assert_int_equal(info->frames[frames[1]].is_inline, 1);
    assert_true(apf_memprof_call_site(m, 0, 0, &s, NULL) == APF_OK && s.stack == 0 && s.n_callees == 2 &&
                s.callees[1] == 8);
    assert_true(apf_memprof_data(m, 0, &d, NULL) == APF_OK && d.symbol.n == 1 && d.n_locations == 1);
    assert_true(apf_memprof_data_location(m, 0, 0, &l, NULL) == APF_OK && l.file.n == 0 && l.line == 3);
    assert_true(info->n_cold_symbols == 1 && info->n_cold_hashes == 1 && info->cold_hashes[0] == 10);
    assert_true(apf_instr_info(o.instr)->variant == APF_VARIANT_MEMPROF);
    opened_close(&o);
}

#define IN_FUNCTION MEMORY "\"functions\":[{\"guid\":1,"
static const struct {
    const char *text, *where, *why;
    uint32_t column;
} wrongs[] = {
    {MEMORY "\"version\":5}}", "json.memprof.version", "the number is too large", 22},
    {MEMORY "\"schema\":[\"X\"]}}", "json.memprof.schema", "unknown field", 22},
    {MEMORY "\"functions\":[{\"allocs\":[]}]}}", "json.memprof.functions",
     "the id of the function is missing", 37},
    {MEMORY "\"functions\":[{\"guid\":1},{\"guid\":1}]}}", "json.memprof.functions.guid", "repeated function",
     44},
    {IN_FUNCTION "\"allocs\":[{\"values\":{\"X\":1}}]}]}}", "json.memprof.allocs.values", "unknown field",
     56},
    {IN_FUNCTION "\"allocs\":[{\"values\":{\"AllocCount\":1,\"AllocCount\":1}}]}]}}",
     "json.memprof.allocs.values", "repeated key", 71},
    {IN_FUNCTION "\"allocs\":[{\"values\":{\"AllocCount\":4294967296}}]}]}}", "json.memprof.allocs.values",
     "the number is too large", 69},
    {IN_FUNCTION "\"allocs\":[{\"stack\":[{\"column\":-1}]}]}]}}", "json.memprof.stack.column",
     "this is no whole number from 0 to 2^64-1", 65},
    {IN_FUNCTION "\"call_sites\":[{\"callees\":1}]}]}}", "json.memprof.call_sites.callees",
     "an array was expected", 60},
    {MEMORY "\"data\":[{\"access_count\":1}]}}", "json.memprof.data",
     "expected a symbol or the hash of a literal, and not both", 37},
    {MEMORY "\"data\":[{\"symbol\":\"a\\u0001b\"}]}}", "json.memprof.data.symbol",
     "a name contains the byte 1", 30},
};

static void test_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(wrongs); i++) {
        struct opened o;
        char want[300];
        open_memory(&o, wrongs[i].text, strlen(wrongs[i].text), 0);
        snprintf(want, sizeof want, "JSON with an error: %s [line 2, column %u, %s]", wrongs[i].why,
                 (unsigned)wrongs[i].column, wrongs[i].where);
        if (o.code != APF_BAD_JSON || strcmp(o.error.message, want) != 0)
            fail_msg("%s: %s, not %s", wrongs[i].text, o.error.message, want);
        assert_int_equal(o.error.subject, APF_SUBJECT_MEMPROF);
        opened_close(&o);
        open_memory(&o, wrongs[i].text, strlen(wrongs[i].text), APF_FLAG_DROP_MEMPROF);
        assert_int_equal(o.code, APF_OK); /* what is left out is JSON, and no more */
        opened_close(&o);
    }
}

/* A second memory profile is refused; a leak of the first one would be seen. */
static void test_twice(void **state)
{
    static const char text[] = MEMORY "\"version\":2},\n\"memprof\":{\"version\":3}}";
    static const uint32_t flags[] = {0, APF_FLAG_DROP_MEMPROF};
    (void)state;
    for (size_t i = 0; i < COUNT(flags); i++) {
        struct opened o;
        open_memory(&o, text, sizeof text - 1, flags[i]);
        assert_int_equal(o.code, APF_BAD_JSON);
        assert_string_equal(o.error.message,
                            "JSON with an error: repeated key [line 3, column 1, json.memprof]");
        assert_int_equal(o.error.subject,
                         APF_SUBJECT_INPUT); /* leaving the memory profile out does not help */
        opened_close(&o);
    }
}

static void test_limit(void **state)
{
    static const char text[] = MEMORY "\"functions\":[{\"guid\":1},{\"guid\":2}]}}";
    struct apf_options options = {.size = sizeof options, .max_records = 1};
    struct opened o;
    (void)state;
    open_memory_options(&o, text, sizeof text - 1, &options);
    assert_int_equal(o.code, APF_LIMIT);
    assert_string_equal(o.error.where, "json.memprof.functions");
    opened_close(&o);
    options.max_records = 2;
    open_memory_options(&o, text, sizeof text - 1, &options);
    assert_int_equal(o.code, APF_OK);
    opened_close(&o);
}

/* Cut anywhere it is refused. */
static void test_prefixes(void **state)
{
    (void)state;
    struct mb_section s = {.version = 4, .schema = few, .n_schema = COUNT(few)};
    struct ib_profile p = {.version = 12, .variant = IB_MEMPROF, .memprof = mb_append, .memprof_context = &s};
    struct rb_file file = {0};
    struct ib_places at;
    struct opened whole, o;
    ib_append(&file, &p, &at);
    open_memory(&whole, file.data, file.n, 0);
    struct apf_buffer json = json_of(whole.instr);
    for (size_t cut = 5; cut < json.n - 1; cut++) {
        open_memory(&o, json.data, cut, 0);
        assert_int_equal(o.code, APF_BAD_JSON);
        opened_close(&o);
    }
    opened_close(&whole);
    apf_buffer_free(&json);
    rb_free(&file);
}

TEST_FILE(json_memprof)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round), cmocka_unit_test(test_least), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_twice), cmocka_unit_test(test_limit), cmocka_unit_test(test_prefixes),
    };
    return RUN_TESTS(tests);
}
