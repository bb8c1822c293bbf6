/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Salvage of damaged files: the records that are kept, with exact counts, and those that are lost. */
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/open_memory.h"

#include <stdio.h>
#include <string.h>

#define SALVAGE APF_FLAG_SALVAGE

static const uint64_t two[] = {3, 4}, three[] = {5, 6, 7}, one[] = {8};
static const uint8_t bits[] = {1, 2};
static const struct rb_pair pairs[] = {{9, 6, false}, {16, 7, false}};
static const struct rb_site sites[] = {{pairs, 2}, {pairs, 1}};
static const struct rb_function functions[] = {
    {.name = "alpha", .hash = 11, .counts = two, .n_counts = 2, .sites = {NULL, sites}, .n_sites = {0, 2}},
    {.name = "beta", .hash = 12, .counts = three, .n_counts = 3},
    {.name = "gamma", .hash = 13, .counts = one, .n_counts = 1, .sites = {NULL, sites}, .n_sites = {0, 1}},
};

struct sample {
    struct rb_profile p;
    struct rb_file file;
    struct rb_places at;
};

static void make_of(struct sample *s, const struct rb_profile *p)
{
    memset(s, 0, sizeof *s);
    s->p = *p;
    if (!s->p.functions) {
        s->p.functions = functions;
        s->p.n_functions = COUNT(functions);
    }
    rb_append(&s->file, &s->p, &s->at);
}

static void make(struct sample *s, unsigned version)
{
    struct rb_profile p = {.version = version, .bytes = 8};
    make_of(s, &p);
}

/* What is salvaged of bytes, of which something can be. */
static const struct apf_salvage *salvage(struct opened *o, const void *p, size_t n)
{
    open_memory(o, p, n, 0);
    int32_t code = o->code;
    assert_int_not_equal(code, APF_OK); /* without the flag nothing changes */
    open_memory(o, p, n, SALVAGE);
    if (o->code != APF_OK)
        print_error("%s\n", o->error.message);
    assert_int_equal(o->code, APF_OK);
    const struct apf_salvage *s = apf_instr_salvage(o->instr);
    assert_non_null(s);
    assert_int_equal(s->error.code, code);
    assert_int_equal(s->functions, apf_instr_info(o->instr)->n_records);
    return s;
}

/* Nothing can be: the error is that of an ordinary reader. */
static void check_nothing(const void *p, size_t n)
{
    struct opened o, salvaged;
    open_memory(&o, p, n, 0);
    open_memory(&salvaged, p, n, SALVAGE);
    assert_int_not_equal(o.code, APF_OK);
    assert_int_equal(salvaged.code, o.code);
    assert_string_equal(salvaged.error.message, o.error.message);
}

/* A record with these counts: "alpha:3,4"; a nameless one begins with ":". */
static void check_record(struct record_walk *iter, const char *want)
{
    const struct apf_record *r = next_record(iter);
    char text[200];
    assert_non_null(r);
    size_t n = (size_t)snprintf(text, sizeof text, "%.*s:", (int)r->name.n, r->name.n ? r->name.p : "");
    for (size_t i = 0; i < r->n_counts; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%llu", i ? "," : "",
                              (unsigned long long)r->counts[i]);
    assert_string_equal(text, want);
}

static void check_records(struct opened *o, const char *const *want)
{
    struct record_walk *iter = first_record(o);
    for (; *want; want++)
        check_record(iter, *want);
    last_record(iter, o);
}

#define RECORDS(o, ...) check_records(o, (const char *const[]){__VA_ARGS__, NULL})

/* ---- raw ---- */

static void test_counters_that_are_cut(void **state)
{
    struct sample s;
    struct opened o;
    (void)state;
    for (unsigned v = 3; v <= RB_NEWEST; v++) {
        make(&s, v);
        size_t cut = s.at.counters + 5 * 8; /* alpha's and beta's are there */
        const struct apf_salvage *got = salvage(&o, s.file.data, cut);
        assert_int_equal(got->lost_known, 1);
        assert_int_equal(got->lost_functions, 1);
        assert_int_equal(got->nameless, 2);
        assert_int_equal(got->lost_values, v > 3 ? 1 : 0); /* version 3 has no room for kind 1 */
        assert_int_equal(got->values, 0);
        assert_int_equal(apf_instr_info(o.instr)->n_counters, 5);
        RECORDS(&o, ":3,4", ":5,6,7");
        salvage(&o, s.file.data, cut - 1);
        RECORDS(&o, ":3,4");
        check_nothing(s.file.data, s.at.counters + 2 * 8 - 1);
        check_nothing(s.file.data, s.at.data + 3);
        check_nothing(s.file.data, 20);
        rb_free(&s.file);
    }
}

/* In versions 1 and 2 records point to their names, the only identification of their functions. */
static void test_names_that_are_pointed_to(void **state)
{
    struct sample s;
    struct opened o;
    (void)state;
    for (unsigned v = 1; v <= 2; v++) {
        make(&s, v);
        const struct apf_salvage *got = salvage(&o, s.file.data, s.at.names + strlen("alphabeta"));
        assert_int_equal(got->lost_functions, 1);
        assert_int_equal(got->nameless, 0);
        RECORDS(&o, "alpha:3,4", "beta:5,6,7");
        salvage(&o, s.file.data, s.at.names + strlen("alphabet"));
        RECORDS(&o, "alpha:3,4");
        check_nothing(s.file.data, s.at.names + strlen("alph"));
        rb_free(&s.file);
    }
}

static void test_names_that_are_cut(void **state)
{
    struct sample s;
    struct opened o;
    (void)state;
    make(&s, 10);
    /* Two bytes of sizes, "alpha", 1, "bet": the pieces that have the id of a record are names. */
    const struct apf_salvage *got = salvage(&o, s.file.data, s.at.names + 2 + strlen("alpha.bet"));
    assert_int_equal(got->nameless, 2);
    assert_int_equal(got->lost_functions, 0);
    assert_int_equal(got->lost_values, 2);
    RECORDS(&o, "alpha:3,4", ":5,6,7", ":8");
    salvage(&o, s.file.data, s.at.names + 2 + strlen("alpha.beta"));
    RECORDS(&o, "alpha:3,4", "beta:5,6,7", ":8");
    rb_free(&s.file);
    struct rb_profile packed = {.version = 10, .bytes = 8, .zlib = 1};
    make_of(&s, &packed);
    got = salvage(&o, s.file.data, s.at.names + 2 + 12); /* the header of zlib and some of what follows */
    assert_int_equal(got->functions, 3);
    assert_true(got->nameless > 0 && got->nameless <= 3);
    opened_close(&o);
    rb_free(&s.file);
}

/* Where names are there, and none of them is right, the header may be wrong about everything. */
static void test_names_that_are_wrong(void **state)
{
    struct sample s;
    struct opened o;
    struct rb_profile p = {.version = 10, .bytes = 8, .chunks = 2};
    (void)state;
    make(&s, 10);
    memset(s.file.data + s.at.names, 0,
           s.at.values - s.at.names); /* a hole that begins with the names, or before */
    check_nothing(s.file.data, s.file.n);
    rb_free(&s.file);
    make_of(&s, &p);
    uint64_t size = s.file.data[s.at.names];
    s.file.data[s.at.names + 2 + size + 7] = 0xff; /* sizes of the second chunk, after zeros */
    size_t second = s.at.names + 2 + size;
    while (!s.file.data[second])
        second++;
    s.file.data[second] = 0x7f;
    const struct apf_salvage *got = salvage(&o, s.file.data, s.file.n);
    assert_int_equal(got->functions, 3);
    assert_true(got->nameless > 0 && got->nameless < 3);
    opened_close(&o);
    rb_free(&s.file);
}

/* A data record that contradicts the header: then the owners of the counters are unknown. */
static void test_records_that_are_wrong(void **state)
{
    struct sample s;
    (void)state;
    make(&s, 10);
    size_t record = s.at.data + rb_field_at(10, 8, RB_RECORD_SIZE);
    rb_put(&s.file, record + rb_field_at(10, 8, RB_NUM_COUNTS), 4, 100);
    check_nothing(s.file.data, s.file.n);
    check_nothing(s.file.data, s.at.names + 4);
    rb_free(&s.file);
}

static void test_values_that_are_cut(void **state)
{
    struct sample s;
    struct opened o;
    (void)state;
    make(&s, 10);
    size_t second = s.at.values + rb_get(&s.file, s.at.values, 4);
    const struct apf_salvage *got = salvage(&o, s.file.data, s.file.n - 1);
    assert_int_equal(got->values, 1);
    assert_int_equal(got->lost_values, 1);
    assert_int_equal(got->nameless, 0);
    assert_int_equal(got->error.offset, second);
    struct record_walk *iter = first_record(&o);
    const struct apf_record *r = next_record(iter);
    assert_int_equal(r->n_sites[1], 2);
    assert_int_equal(r->sites[1][0].n, 2);
    assert_int_equal(r->sites[1][0].values[1].value, 16);
    assert_int_equal(r->sites[1][0].values[1].count, 7);
    check_record(iter, "beta:5,6,7");
    r = next_record(iter);
    assert_int_equal(r->n_sites[1], 1); /* the site is there, without values */
    assert_int_equal(r->sites[1][0].n, 0);
    last_record(iter, &o);
    /* A hole instead of the second block may have begun with the zeros at the end of the first. */
    memset(s.file.data + second, 0, s.file.n - second);
    got = salvage(&o, s.file.data, s.file.n);
    assert_int_equal(got->values, 0);
    assert_int_equal(got->lost_values, 2);
    RECORDS(&o, "alpha:3,4", "beta:5,6,7", "gamma:8");
    rb_free(&s.file);
}

static void test_several_profiles(void **state)
{
    struct sample s;
    struct rb_places second;
    struct opened o;
    (void)state;
    make(&s, 9);
    rb_append(&s.file, &s.p, &second);
    const struct apf_salvage *got = salvage(&o, s.file.data, second.start + 9); /* in the header */
    assert_int_equal(got->lost_known, 0);
    assert_int_equal(got->values, 2);
    assert_int_equal(apf_instr_info(o.instr)->n_profiles, 1);
    RECORDS(&o, "alpha:3,4", "beta:5,6,7", "gamma:8");
    got = salvage(&o, s.file.data, second.counters + 16);
    assert_int_equal(got->lost_functions, 2);
    assert_int_equal(got->nameless, 0); /* the first profile has the name */
    assert_int_equal(apf_instr_info(o.instr)->n_profiles, 2);
    RECORDS(&o, "alpha:3,4", "beta:5,6,7", "gamma:8", "alpha:3,4");
    got = salvage(&o, s.file.data,
                  second.counters + 8); /* as if the second were not there, but for what is lost */
    assert_int_equal(got->lost_functions, 3);
    assert_int_equal(apf_instr_info(o.instr)->n_profiles, 1);
    RECORDS(&o, "alpha:3,4", "beta:5,6,7", "gamma:8");
    rb_append_bytes(&s.file, "no profile", 10);
    got = salvage(&o, s.file.data, s.file.n);
    assert_int_equal(got->lost_known, 0);
    assert_int_equal(got->functions, 6);
    opened_close(&o);
    rb_free(&s.file);
}

static void test_bitmaps_and_traces(void **state)
{
    static const struct rb_function f[] = {
        {.name = "alpha", .hash = 1, .counts = two, .n_counts = 2, .timestamp = 2},
        {.name = "beta", .hash = 2, .counts = one, .n_counts = 1, .timestamp = 1},
    };
    static const struct rb_function g[] = {
        {.name = "alpha", .hash = 1, .counts = two, .n_counts = 2, .bitmap = bits, .n_bitmap = 2},
        {.name = "beta", .hash = 2, .counts = one, .n_counts = 1},
    };
    struct rb_profile p = {
        .version = 10, .bytes = 8, .variant = RB_IR | RB_TEMPORAL, .functions = f, .n_functions = 2};
    struct sample s;
    struct opened o;
    (void)state;
    make_of(&s, &p);
    const struct apf_salvage *got = salvage(&o, s.file.data, s.at.names + 1);
    assert_int_equal(apf_instr_info(o.instr)->n_traces, 1);
    assert_int_equal(got->lost_sections, 0);
    opened_close(&o);
    got = salvage(&o, s.file.data, s.at.counters + 4 * 8);
    assert_int_equal(got->lost_sections, APF_LOST_TRACES); /* an order without beta is none */
    assert_int_equal(apf_instr_info(o.instr)->n_traces, 0);
    RECORDS(&o, ":3,4");
    rb_free(&s.file);
    p.variant = 0;
    p.functions = g;
    make_of(&s, &p);
    salvage(&o, s.file.data, s.at.bitmap + 1);
    RECORDS(&o, ":8");
    salvage(&o, s.file.data, s.at.bitmap + 2);
    RECORDS(&o, ":3,4", ":8");
    rb_free(&s.file);
}

/* ---- indexed ---- */

static const struct ib_record records[] = {{.hash = 1, .counts = two, .n_counts = 2},
                                           {.hash = 2, .counts = three, .n_counts = 3}};
static const struct ib_key keys[] = {
    {"alpha", records, 2}, {"beta", records, 1}, {"delta", records, 1}, {"gamma", records + 1, 1}};

static void make_indexed(struct rb_file *file, struct ib_places *at, size_t n_buckets)
{
    static const struct rb_bytes ids[] = {{"an id", 5}};
    static const uint64_t trace_ids[] = {1, 2};
    static const struct ib_trace traces[] = {{3, trace_ids, 2}};
    struct ib_profile p = {.version = 12,
                           .variant = RB_IR | RB_TEMPORAL,
                           .keys = keys,
                           .n_keys = COUNT(keys),
                           .n_buckets = n_buckets,
                           .ids = ids,
                           .n_ids = 1,
                           .traces = traces,
                           .n_traces = 1,
                           .stream_size = 1};
    memset(file, 0, sizeof *file);
    ib_append(file, &p, at);
}

/* The number of a key among those by their places in the file, and the end of its item. */
static size_t item_end(const struct rb_file *file, const struct ib_places *at, size_t key)
{
    return at->data[key] + rb_get(file, at->items[key] + 16, 8);
}

static size_t count_items_before(const struct rb_file *file, const struct ib_places *at, size_t cut)
{
    size_t n = 0;
    for (size_t k = 0; k < COUNT(keys); k++)
        n += item_end(file, at, k) <= cut ? keys[k].n_records : 0;
    return n;
}

static void test_indexed_that_is_cut(void **state)
{
    struct rb_file file;
    struct ib_places at;
    struct opened o;
    (void)state;
    make_indexed(&file, &at, 4);
    for (size_t cut = at.payload; cut < file.n; cut++) {
        size_t want = count_items_before(&file, &at, cut);
        if (!want) {
            check_nothing(file.data, cut);
            continue;
        }
        const struct apf_salvage *got = salvage(&o, file.data, cut);
        assert_int_equal(got->functions, want);
        assert_int_equal(got->nameless, 0);
        if (cut >= at.buckets) {
            assert_int_equal(got->lost_known, 1);
            assert_int_equal(got->lost_functions, 0);
        }
        assert_int_equal((got->lost_sections & APF_LOST_BINARY_IDS) == 0,
                         apf_instr_info(o.instr)->n_binary_ids);
        assert_int_equal(got->lost_sections & APF_LOST_TRACES ? 0 : 1, apf_instr_info(o.instr)->n_traces);
        opened_close(&o);
    }
    check_nothing(file.data, at.payload - 1);
    rb_free(&file);
}

/* After a damaged item the buckets say where others begin. */
static void test_indexed_with_a_damaged_item(void **state)
{
    struct rb_file file;
    struct ib_places at;
    struct opened o;
    (void)state;
    for (size_t key = 0; key < COUNT(keys); key++) {
        make_indexed(&file, &at, 64);
        rb_put(&file, at.data[key] + 8, 8, 1000); /* its first record's number of counters */
        const struct apf_salvage *got = salvage(&o, file.data, file.n);
        assert_int_equal(got->lost_known, 1);
        assert_int_equal(got->lost_functions, 1); /* names, of an indexed file */
        assert_int_equal(got->functions, 5 - keys[key].n_records);
        assert_int_equal(got->lost_sections, 0);
        assert_int_equal(apf_instr_info(o.instr)->n_binary_ids, 1);
        opened_close(&o);
        rb_put(&file, at.items[key], 8, 77); /* its hash is wrong, too */
        got = salvage(&o, file.data, file.n);
        assert_int_equal(got->functions, 5 - keys[key].n_records);
        opened_close(&o);
        rb_free(&file);
    }
    make_indexed(&file, &at, 64);
    rb_put(&file, at.summary, 8, UINT64_MAX / 2); /* a damaged summary does not matter */
    const struct apf_salvage *got = salvage(&o, file.data, file.n);
    assert_int_equal(got->functions, 5);
    assert_int_equal(got->lost_functions, 0);
    opened_close(&o);
    rb_put(&file, 32, 8, file.n + 100); /* nor does it help when the buckets are lost as well */
    check_nothing(file.data, file.n);
    rb_free(&file);
    make_indexed(&file, &at, 64);
    rb_put(&file, 32, 8, file.n + 100);
    got = salvage(&o, file.data, file.n);
    assert_int_equal(got->functions, 5);
    assert_int_equal(got->lost_known, 0);
    opened_close(&o);
    rb_free(&file);
}

/* An item that was zeroed from the middle on: the one before it ends with zeros, which may belong to the hole. */
static void test_indexed_with_a_hole(void **state)
{
    struct rb_file file;
    struct ib_places at;
    struct opened o;
    size_t first = 0, second = 0;
    (void)state;
    make_indexed(&file, &at, 1); /* one bucket: items follow each other */
    for (size_t k = 1; k < COUNT(keys); k++)
        first = at.items[k] < at.items[first] ? k : first;
    second = first == 0 ? 1 : 0;
    for (size_t k = 0; k < COUNT(keys); k++)
        second = k != first && at.items[k] < at.items[second] ? k : second;
    size_t third = item_end(&file, &at, second);
    memset(file.data + third, 0, 24); /* the head of an item */
    const struct apf_salvage *got = salvage(&o, file.data, file.n);
    assert_int_equal(got->functions, keys[first].n_records);
    assert_int_equal(got->lost_functions, 3);
    opened_close(&o);
    rb_free(&file);
}

/* ---- text ---- */

static void check_text(const char *text, const char *first, const char *second)
{
    struct opened o;
    open_memory(&o, text, strlen(text), SALVAGE);
    assert_int_equal(o.code, APF_OK);
    assert_non_null(apf_instr_salvage(o.instr));
    assert_int_equal(apf_instr_salvage(o.instr)->lost_known, 0);
    if (second)
        RECORDS(&o, first, second);
    else
        RECORDS(&o, first);
}

static void test_texts(void **state)
{
    static const char tool[] = "foo\n# Func Hash:\n1\n# Num Counters:\n1\n# Counter Values:\n12\n\n"
                               "bar\n# Func Hash:\n2\n# Num Counters:\n1\n# Counter Values:\n34\n";
    static const char bitmap[] = "foo\n# Func Hash:\n1\n# Num Counters:\n1\n# Counter Values:\n12\n"
                                 "# Num Bitmap Bytes:\n$1\n# Bitmap Byte Values:\n0x3\n\n";
    static const char nul[] = "foo\n1\n1\n12\nbar\n2\n1\n34\0 56\n";
    struct opened o;
    (void)state;
    check_text("foo\n1\n1\n12\nbar\n2\n1\n34", "foo:12", NULL);   /* perhaps of 345 */
    check_text("foo\n1\n1\n12\nbar\n2\n2\n34\n", "foo:12", NULL); /* one is missing */
    check_text("foo\n1\n1\n12\nbar", "foo:12", NULL);
    check_text("foo\n1\n1\n12\nbar\n2\n1\n34\nbaz\nx\n", "foo:12", "bar:34");
    check_text(tool, "foo:12", NULL); /* values may follow */
    open_memory(&o, bitmap, sizeof bitmap - 1, SALVAGE);
    assert_int_equal(o.code, APF_TRUNCATED); /* values may follow the bitmap and its empty line */
    assert_string_equal(o.error.where, "text.end");
    assert_int_equal(o.error.offset, sizeof bitmap - 1);
    open_memory(&o, bitmap, sizeof bitmap - 1, 0);
    assert_int_equal(o.code, APF_OK); /* an ordinary reader takes it, as LLVM does */
    opened_close(&o);
    open_memory(&o, nul, sizeof nul - 1, SALVAGE);
    assert_int_equal(o.code, APF_OK);
    RECORDS(&o, "foo:12");
    open_memory(&o, "foo\n1\n1\n12\n", 11, SALVAGE); /* as people write it */
    assert_int_equal(o.code, APF_OK);
    assert_null(apf_instr_salvage(o.instr));
    RECORDS(&o, "foo:12");
    check_nothing("foo\n1\n", 6);
    check_nothing(":nonsense\nfoo\n1\n1\n1\n", 20);
}

TEST_FILE(salvage)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters_that_are_cut),  cmocka_unit_test(test_names_that_are_pointed_to),
        cmocka_unit_test(test_names_that_are_cut),     cmocka_unit_test(test_names_that_are_wrong),
        cmocka_unit_test(test_records_that_are_wrong), cmocka_unit_test(test_values_that_are_cut),
        cmocka_unit_test(test_several_profiles),       cmocka_unit_test(test_bitmaps_and_traces),
        cmocka_unit_test(test_indexed_that_is_cut),    cmocka_unit_test(test_indexed_with_a_damaged_item),
        cmocka_unit_test(test_indexed_with_a_hole),    cmocka_unit_test(test_texts),
    };
    return RUN_TESTS(tests);
}
