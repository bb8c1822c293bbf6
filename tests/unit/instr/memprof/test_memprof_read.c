/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MemProf sections of every version: exact values, each way in which one can be damaged, every prefix, flipped bits. */
#include "helpers/shared/memprof_build.h"
#include "helpers/shared/open_memory.h"

#include <string.h>

static const uint64_t few[] = {1, 5, 10, 23}, odd[] = {27, 1, 6, 2};
static const uint64_t all[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                               15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
static const struct {
    const uint64_t *fields;
    size_t n;
} schemas[] = {{few, COUNT(few)}, {odd, COUNT(odd)}, {all, COUNT(all)}, {NULL, 0}};

struct sample {
    struct rb_file file;
    struct ib_places at;
    struct mb_section s;
};

/* Version 8 files end with the section. */
static void make(struct sample *sample, unsigned indexed, unsigned version, unsigned schema)
{
    memset(sample, 0, sizeof *sample);
    struct ib_profile p = {
        .version = indexed, .variant = IB_MEMPROF, .memprof = mb_append, .memprof_context = &sample->s};
    sample->s.version = version;
    sample->s.schema = schemas[schema].fields;
    sample->s.n_schema = schemas[schema].n;
    ib_append(&sample->file, &p, &sample->at);
}

/* ---- what is in it ---- */

static void check_stack(const struct apf_memprof *m, uint32_t stack, const char *frames)
{
    uint32_t numbers[4];
    uint64_t n = apf_memprof_stack(m, stack, numbers, COUNT(numbers));
    assert_int_equal(n, strlen(frames));
    for (uint64_t i = 0; i < n; i++) {
        const struct apf_memprof_frame *f = &apf_memprof_info(m)->frames[numbers[i]];
        const struct mb_frame *e = &mb_frames[frames[i] - 'a'];
        assert_int_equal(f->function, e->function);
        assert_int_equal(f->line_offset, e->line);
        assert_int_equal(f->column, e->column);
        assert_int_equal(f->is_inline, e->is_inline);
    }
    uint32_t untouched = 7; /* no room: only the number */
    assert_int_equal(apf_memprof_stack(m, stack, &untouched, 0), n);
    assert_int_equal(untouched, 7);
}

static void check_allocs(const struct apf_memprof *m, const struct mb_section *s)
{
    for (unsigned i = 0; i < 2; i++) {
        struct apf_memprof_alloc a = {.size = sizeof a};
        uint32_t known = 0;
        assert_int_equal(apf_memprof_alloc(m, 0, i, &a, NULL), APF_OK);
        check_stack(m, a.stack, i == 0 ? "ab" : "acb");
        for (size_t f = 0; f < s->n_schema; f++) {
            known |= (uint32_t)1 << s->schema[f];
            assert_int_equal(a.values[s->schema[f]], mb_value(s->schema[f], i));
        }
        assert_int_equal(a.fields, known);
        for (unsigned f = 0; f < APF_MEMPROF_FIELDS; f++)
            assert_true(known >> f & 1 || a.values[f] == 0);
    }
}

static void check_sites(const struct apf_memprof *m, unsigned version)
{
    static const uint64_t callees[] = MB_CALLEES;
    struct apf_memprof_call_site site = {.size = sizeof site};
    struct apf_memprof_alloc none = {.size = sizeof none};
    assert_int_equal(apf_memprof_call_site(m, 1, 0, &site, NULL), APF_OK);
    check_stack(m, site.stack, "b");
    assert_int_equal(site.n_callees, version == 4 ? 2 : 0);
    if (version == 4)
        assert_memory_equal(site.callees, callees, sizeof callees);
    assert_int_equal(apf_memprof_call_site(m, 1, 1, &site, NULL), APF_OK);
    check_stack(m, site.stack, "acb");
    assert_int_equal(site.n_callees, 0);
    assert_int_equal(apf_memprof_call_site(m, 1, 2, &site, NULL), APF_END);
    assert_int_equal(apf_memprof_call_site(m, 2, 0, &site, NULL), APF_END);
    assert_int_equal(apf_memprof_alloc(m, 1, 0, &none, NULL), APF_END);
    assert_int_equal(apf_memprof_alloc(m, 2, 0, &none, NULL), APF_END);
}

static void check_text(struct apf_str text, const char *expected)
{
    assert_int_equal(text.n, strlen(expected));
    assert_memory_equal(text.p, expected, text.n);
}

static void check_data(const struct apf_memprof *m)
{
    const struct apf_memprof_info *info = apf_memprof_info(m);
    struct apf_memprof_data d = {.size = sizeof d};
    struct apf_memprof_location l = {.size = sizeof l};
    assert_int_equal(info->n_data, 2);
    assert_int_equal(apf_memprof_data(m, 0, &d, NULL), APF_OK);
    assert_null(d.symbol.p);
    assert_int_equal(d.hash, MB_LITERAL);
    assert_int_equal(d.access_count, 5);
    assert_int_equal(d.n_locations, 0);
    assert_int_equal(apf_memprof_data_location(m, 0, 0, &l, NULL), APF_END);
    assert_int_equal(apf_memprof_data(m, 1, &d, NULL), APF_OK);
    check_text(d.symbol, "sym");
    assert_int_equal(d.access_count, 6);
    assert_int_equal(d.n_locations, 2);
    assert_int_equal(apf_memprof_data_location(m, 1, 0, &l, NULL), APF_OK);
    check_text(l.file, "a.h");
    assert_int_equal(l.line, 7);
    assert_int_equal(apf_memprof_data_location(m, 1, 1, &l, NULL), APF_OK);
    check_text(l.file, "");
    assert_int_equal(l.line, 0xffffffff);
    assert_int_equal(apf_memprof_data(m, 2, &d, NULL), APF_END);
    assert_int_equal(info->n_cold_symbols, 1);
    check_text(info->cold_symbols[0], "cold");
    assert_int_equal(info->n_cold_hashes, 1);
    assert_int_equal(info->cold_hashes[0], MB_COLD_HASH);
}

static void check(unsigned indexed, unsigned version, unsigned schema)
{
    struct sample sample;
    struct opened o;
    struct apf_memprof_function f = {.size = sizeof f};
    make(&sample, indexed, version, schema);
    open_file(&o, &sample.file);
    const struct apf_memprof *m = apf_instr_memprof(o.instr);
    const struct apf_memprof_info *info = apf_memprof_info(m);
    assert_int_equal(info->version, version);
    assert_int_equal(info->n_functions, 2);
    assert_int_equal(info->n_allocs, 2);
    assert_int_equal(info->n_call_sites, 2);
    assert_int_equal(info->n_frames, 3);
    assert_int_equal(apf_memprof_function(m, 0, &f, NULL), APF_OK);
    assert_int_equal(f.guid, MB_FIRST);
    assert_int_equal(f.n_allocs, 2);
    assert_int_equal(f.n_call_sites, 0);
    assert_int_equal(apf_memprof_function(m, 1, &f, NULL), APF_OK);
    assert_int_equal(f.guid, MB_SECOND);
    assert_int_equal(apf_memprof_function(m, 2, &f, NULL), APF_END);
    check_allocs(m, &sample.s);
    check_sites(m, version);
    if (version == 4) {
        const struct apf_memprof_summary as_stored = {100, 101, 102, 103, 104, 105};
        check_data(m);
        assert_memory_equal(&info->summary, &as_stored, sizeof as_stored);
    } else {
        assert_int_equal(info->n_data + info->n_cold_symbols + info->n_cold_hashes, 0);
        assert_int_equal(info->summary.contexts, 2);
    }
    opened_close(&o);
    rb_free(&sample.file);
}

static void test_values(void **state)
{
    (void)state;
    for (unsigned indexed = 8; indexed <= IB_NEWEST; indexed += 3)
        for (unsigned version = 0; version <= MB_NEWEST; version++)
            for (unsigned schema = 0; schema < COUNT(schemas); schema++)
                check(indexed, version, schema);
}

static void test_none(void **state)
{
    (void)state;
    struct rb_file file = {0};
    struct ib_profile p = {.version = 13};
    struct opened o;
    ib_append(&file, &p, NULL);
    open_file(&o, &file);
    assert_null(apf_instr_memprof(o.instr));
    opened_close(&o);
    rb_free(&file);
}

static void test_field_names(void **state)
{
    (void)state;
    assert_null(apf_memprof_field_name(0));
    assert_string_equal(apf_memprof_field_name(APF_MEMPROF_ALLOC_COUNT), "AllocCount");
    assert_string_equal(apf_memprof_field_name(APF_MEMPROF_TOTAL_LIFETIME_ACCESS_DENSITY),
                        "TotalLifetimeAccessDensity");
    assert_string_equal(apf_memprof_field_name(APF_MEMPROF_ACCESS_HISTOGRAM), "AccessHistogram");
    assert_null(apf_memprof_field_name(APF_MEMPROF_FIELDS));
}

/* ---- damage ---- */

static void refused(struct sample *sample, size_t at, unsigned bytes, uint64_t value, int code,
                    const char *where, uint64_t offset, uint64_t found, uint64_t expected, int line)
{
    uint64_t good = rb_get(&sample->file, at, bytes);
    rb_put(&sample->file, at, bytes, value);
    expect_refused(sample->file.data, sample->file.n, code, where, offset, found, expected, __FILE__, line);
    rb_put(&sample->file, at, bytes, good);
}

#define DAMAGED(at, bytes, value, where, offset, found, expected)                                            \
    refused(&x, at, bytes, value, APF_MALFORMED, "indexed.memprof" where, offset, found, expected, __LINE__)

static void test_header(void **state)
{
    (void)state;
    for (unsigned v = 0; v <= MB_NEWEST; v++) {
        struct sample x;
        make(&x, 13, v, 0);
        size_t n = x.file.n, at = x.s.schema_at, start = x.s.start;
        DAMAGED(at, 8, 28, ".schema", at, 28, 27);
        DAMAGED(at, 8, UINT64_MAX, ".schema", at, UINT64_MAX, 27);
        DAMAGED(at + 8, 8, 0, ".schema", at + 8, 0, 27);
        DAMAGED(at + 8, 8, 28, ".schema", at + 8, 28, 27);
        DAMAGED(at + 16, 8, 1, ".schema", at + 16, 1, 27); /* a second time */
        refused(&x, 40, 8, n - 7, APF_MALFORMED, "indexed.header.memprof_offset", 40, n - 7, n - 8, __LINE__);
        refused(&x, 40, 8, UINT64_MAX, APF_MALFORMED, "indexed.header.memprof_offset", 40, UINT64_MAX, n - 8,
                __LINE__);
        size_t record_table = v >= 3 ? x.s.words + 16 : x.s.words;
        DAMAGED(record_table, 8, UINT64_MAX, ".record_table", start, UINT64_MAX, n - 16);
        DAMAGED(record_table, 8, n - 15, ".record_table", start, n - 15, n - 16);
        rb_free(&x.file);
    }
}

static void test_records(void **state)
{
    (void)state;
    for (unsigned v = 0; v <= MB_NEWEST; v++) {
        struct sample x;
        make(&x, 13, v, 0);
        size_t item = x.s.first - 32, size = x.s.second - 32 - x.s.first, table = x.s.record_table;
        size_t room = table - x.s.first, buckets = (x.file.n - table - 16) / 8;
        DAMAGED(table, 8, 3, ".record_table", table, 3, 2);
        DAMAGED(table, 8, 0, ".record_table", table, 0, 1);
        DAMAGED(table, 8, (uint64_t)1 << 62, ".record_table", table, (uint64_t)1 << 62, buckets);
        DAMAGED(table + 8, 8, UINT64_MAX, ".record_table", table + 8, UINT64_MAX, (table - x.s.records) / 24);
        DAMAGED(x.s.records, 2, 0, ".record_table", x.s.records, 0, 1);
        DAMAGED(item, 8, 1, ".record_table", item, 1, MB_FIRST);
        DAMAGED(item + 8, 8, 7, ".record_table", item + 8, 7, 8);
        DAMAGED(item + 16, 8, room + 1, ".record_table", item + 16, room + 1, room);
        DAMAGED(x.s.first, 8, UINT64_MAX, ".record.allocs", x.s.first, UINT64_MAX, (size - 8) / 4);
        size_t none = x.s.first + size - 8; /* there are no call sites */
        DAMAGED(none, 8, 1, ".record.call_sites", none, 1, 0);
        rb_free(&x.file);
    }
}

static void test_ids(void **state)
{
    (void)state;
    struct sample x;
    make(&x, 13, 1, 0);
    size_t id = x.s.first + 16;
    refused(&x, id, 8, 5, APF_HASH_MISMATCH, "indexed.memprof.frames", id, 5, 0, __LINE__);
    DAMAGED(x.s.first + 8, 8, UINT64_MAX, ".call_stacks", x.s.first + 8, UINT64_MAX,
            (x.s.second - 32 - x.s.first - 16) / 8);
    size_t frame = x.s.frames + 2, next = frame + 32 + 17; /* a second frame with the id of the first */
    rb_put(&x.file, next, 8, 0xf0f0f0f000000000u);
    DAMAGED(next + 24, 8, 0xf0f0f0f000000000u, ".frames", next, 0xf0f0f0f000000000u, 0);
    rb_put(&x.file, next, 8, 0xf0f0f0f000000001u);
    DAMAGED(frame + 16, 8, 16, ".frames", frame + 32, 16, 17);
    rb_free(&x.file);
    make(&x, 13, 2, 0);
    refused(&x, x.s.first + 8, 8, 5, APF_HASH_MISMATCH, "indexed.memprof.call_stacks", x.s.first + 8, 5, 0,
            __LINE__);
    size_t path = x.s.stacks + 2 + 24;
    refused(&x, path, 8, 5, APF_HASH_MISMATCH, "indexed.memprof.frames", path, 5, 0, __LINE__);
    rb_free(&x.file);
}

static void test_arrays(void **state)
{
    (void)state;
    for (unsigned v = 3; v <= MB_NEWEST; v++) {
        struct sample x;
        make(&x, 13, v, 0);
        size_t n = x.file.n, w = x.s.stacks;
        DAMAGED(x.s.words, 8, w + 1, ".frames", x.s.frames, w + 1, n);
        DAMAGED(x.s.words, 8, x.s.frames - 1, ".frames", x.s.frames, x.s.frames - 1, n);
        DAMAGED(x.s.words + 8, 8, w + 35, ".call_stacks", w, w + 35, n);
        DAMAGED(x.s.words + 8, 8, n + 1, ".call_stacks", w, n + 1, n);
        DAMAGED(x.s.first + 8, 4, 9, ".record.call_stack", x.s.first + 8, 9, 9);
        DAMAGED(w, 4, 10, ".call_stacks", w, 10, 9);
        DAMAGED(w + 4, 4, 3, ".call_stacks", w + 4, 3, 3);
        DAMAGED(w + 12, 4, 0x80000000u, ".call_stacks", w + 36, 1, 0);
        DAMAGED(w + 24, 4, 3, ".call_stacks", w + 36, 1, 0);
        DAMAGED(w + 16, 4, 2, ".call_stacks", w + 32, 2, 1); /* c b, where it was b */
        rb_free(&x.file);
    }
}

static void test_version_4(void **state)
{
    (void)state;
    struct sample x;
    make(&x, 13, 4, 0);
    size_t n = x.file.n, at = x.s.summary, data = x.s.data, callees = x.s.second + 20;
    DAMAGED(at, 4, 5, ".summary", at, 5, 6);
    DAMAGED(at, 4, UINT32_MAX, ".summary", at, UINT32_MAX, (n - at - 4) / 8);
    DAMAGED(callees, 8, 9, ".record.callees", callees, 9, 3);
    DAMAGED(x.s.words + 24, 8, n + 1, ".data", x.s.start, n + 1, n);
    DAMAGED(x.s.words + 24, 8, n - 3, ".data", n - 3, 3, 24);
    DAMAGED(data + 16, 8, n, ".data", data + 16, n, n - data - 24);
    DAMAGED(data, 8, 3, ".data", data, 3, 5);
    DAMAGED(data, 8, 6, ".data", data, 6, 5);
    DAMAGED(data + 8, 8, 2, ".data", data, 4, 5);
    size_t cold = data + 24 + 24, records = cold + 16;
    DAMAGED(cold, 8, UINT64_MAX, ".data", cold, UINT64_MAX, (n - cold - 8) / 8);
    DAMAGED(records, 8, UINT64_MAX, ".data", records, UINT64_MAX, (n - records - 8) / 25);
    size_t second = records + 8 + 25;
    DAMAGED(second, 8, 4, ".data", second, 4, 4);
    DAMAGED(second + 17, 8, UINT64_MAX, ".data", second, UINT64_MAX, (n - second - 25) / 12);
    DAMAGED(second + 25, 8, 4, ".data", second + 25, 4, 4);
    rb_free(&x.file);
}

/* ---- any damage ---- */

static void open_and_print(const void *p, size_t n)
{
    struct opened o;
    struct apf_buffer text = {0};
    struct apf_output output = apf_output_buffer(&text);
    open_memory(&o, p, n, 0);
    if (o.code == APF_OK && apf_instr_memprof(o.instr))
        assert_int_equal(apf_memprof_print(apf_instr_memprof(o.instr), &output, NULL), APF_OK);
    else if (o.code != APF_OK)
        assert_true(o.error.offset == UINT64_MAX || o.error.offset <= n);
    apf_buffer_free(&text);
    opened_close(&o);
}

static void test_sweep(void **state)
{
    (void)state;
    for (unsigned v = 0; v <= MB_NEWEST; v++) {
        struct sample x;
        make(&x, 8, v, 0);
        for (size_t n = 0; n < x.file.n; n++) { /* what is cut off is missing */
            struct opened o;
            open_memory(&o, x.file.data, n, 0);
            assert_int_not_equal(o.code, APF_OK);
            opened_close(&o);
        }
        for (size_t at = x.s.start; at < x.file.n; at++)
            for (unsigned bit = 0; bit < 8; bit++) {
                x.file.data[at] ^= (uint8_t)(1u << bit);
                open_and_print(x.file.data, x.file.n);
                x.file.data[at] ^= (uint8_t)(1u << bit);
            }
        rb_free(&x.file);
    }
}

/* Stacks that share their frames can stand for more than there is in the file. */
static void append_shared(struct rb_file *file, void *context)
{
    static const uint64_t fields[] = {1};
    const size_t n = *(const size_t *)context, words = 2 * n;
    size_t start = file->n;
    const uint64_t head[] = {3, start + 48 + 17, start + 48 + 17 + 4 * words, 0, 1, fields[0]};
    rb_append_zeros(file, sizeof head + 17 + 4 * words + 2 + 32 + 8 + 8 * n + 8);
    rb_append_zeros(file, -file->n & 7);
    for (size_t i = 0; i < COUNT(head); i++)
        rb_put(file, start + 8 * i, 8, head[i]);
    /* A stack of n frames, and before it the lengths of n stacks that are parts of it. */
    size_t array = start + 48 + 17;
    for (size_t i = 0; i < words; i++)
        rb_put(file, array + 4 * i, 4, i < n ? (i + 1 == n ? n : 0) : 0);
    size_t item = array + 4 * words;
    rb_put(file, item, 2, 1);
    rb_put(file, item + 2, 8, 7);
    rb_put(file, item + 10, 8, 8);
    rb_put(file, item + 18, 8, 8 + 8 * n + 8);
    rb_put(file, item + 26, 8, 7);
    rb_put(file, item + 34, 8, n);
    for (size_t i = 0; i < n; i++)
        rb_put(file, item + 42 + 8 * i, 4, n - 1);
    size_t table = file->n;
    rb_append_zeros(file, 24);
    rb_put(file, table, 8, 1);
    rb_put(file, table + 8, 8, 1);
    rb_put(file, table + 16, 8, item);
    rb_put(file, start + 24, 8, table);
}

static void test_shared_stacks(void **state)
{
    (void)state;
    size_t n = 100;
    struct rb_file file = {0}, large = {0};
    struct ib_profile p = {
        .version = 8, .variant = IB_MEMPROF, .memprof = append_shared, .memprof_context = &n};
    struct opened o;
    ib_append(&file, &p, NULL);
    open_file(&o, &file);
    assert_int_equal(apf_memprof_info(apf_instr_memprof(o.instr))->n_allocs, n);
    opened_close(&o);
    rb_free(&file);
    n = 20000; /* 400 KB stand for 3.2 GB */
    ib_append(&large, &p, NULL);
    open_memory(&o, large.data, large.n, 0);
    assert_int_equal(o.code, APF_LIMIT);
    assert_string_equal(o.error.where, "indexed.memprof.call_stacks");
    assert_int_equal(o.error.found, n);
    opened_close(&o);
    rb_free(&large);
}

static void test_limit(void **state)
{
    (void)state;
    struct sample x;
    struct opened o;
    struct apf_options options = {.size = sizeof options, .max_records = 1};
    make(&x, 13, 3, 0);
    open_memory_options(&o, x.file.data, x.file.n, &options);
    assert_int_equal(o.code, APF_LIMIT);
    assert_string_equal(o.error.where, "indexed.memprof.frames"); /* they come first */
    opened_close(&o);
    rb_free(&x.file);
}

TEST_FILE(memprof_read)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),      cmocka_unit_test(test_none),
        cmocka_unit_test(test_field_names), cmocka_unit_test(test_header),
        cmocka_unit_test(test_records),     cmocka_unit_test(test_ids),
        cmocka_unit_test(test_arrays),      cmocka_unit_test(test_version_4),
        cmocka_unit_test(test_sweep),       cmocka_unit_test(test_shared_stacks),
        cmocka_unit_test(test_limit),
    };
    return RUN_TESTS(tests);
}
