/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of indexed profiles: each kind of damage, with its place and both numbers, in every version that has it. */
#include "helpers/shared/check_memory.h"
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/memprof_build.h"

#include <stdio.h>
#include <string.h>

static const uint64_t counts[] = {7, 8, 9}, large[] = {7, (uint64_t)1 << 60}, hot[] = {UINT64_MAX, 0};
static const uint8_t bits[] = {1, 2, 3}, uniformity[] = {5, 6};
static const struct rb_pair pairs[] = {{1, 9, false}, {2, 3, false}},
                            unsorted[] = {{1, 3, false}, {2, 9, false}};
static const struct rb_site sites[] = {{pairs, 2}, {pairs, 1}}, unsorted_sites[] = {{unsorted, 2}};
static const struct ib_record records[] = {
    {.hash = 1,
     .counts = counts,
     .n_counts = 3,
     .bitmap = bits,
     .n_bitmap = 3,
     .uniformity = uniformity,
     .n_uniformity = 2,
     .sites = {sites, sites},
     .n_sites = {2, 1}},
    {.hash = 2, .counts = counts, .n_counts = 1},
};
static const struct ib_key keys[] = {{"name", records, 2}, {"other", records + 1, 1}};
static const struct rb_bytes ids[] = {{"twenty bytes of hash", 20}, {"x", 1}};

static struct checked now; /* what was found last */

struct sample {
    struct rb_file file;
    struct ib_places at;
    struct ib_profile p;
};

static struct sample sample_of(unsigned version)
{
    uint64_t trace_ids[] = {rb_id("other"), rb_id("name")};
    struct ib_trace traces[] = {{3, trace_ids, 2}, {1, trace_ids, 1}};
    struct sample s = {.p = {.version = version,
                             .variant = version >= 10 ? RB_IR | RB_TEMPORAL : 0,
                             .keys = keys,
                             .n_keys = COUNT(keys),
                             .n_buckets = 4,
                             .ids = ids,
                             .n_ids = COUNT(ids),
                             .vtable_names = {"\x06\0_ZTV1A", 8},
                             .traces = traces,
                             .n_traces = COUNT(traces),
                             .stream_size = 2}};
    ib_append(&s.file, &s.p, &s.at);
    s.p.traces = NULL;
    return s;
}

/* The builder stores no summary of the counts: one finding for that in each version. */
static void expect_totals(struct checked *c, const struct sample *s)
{
    if (s->p.version <= 3)
        EXPECT_CHECKED(c, WARNING, INCONSISTENT, "indexed.header.max_function_count", 16,
                       rb_get(&s->file, 16, 8), 7);
    else
        EXPECT_CHECKED(c, WARNING, INCONSISTENT, "indexed.summary.num_functions", s->at.summary + 16, 0,
                       s->p.version == 1 ? 2 : 3);
}

static void check_sample(struct checked *c, const struct sample *s)
{
    check_memory_bytes(c, s->file.data, s->file.n);
}

static void good_ones(void **state)
{
    (void)state;
    for (unsigned v = 1; v <= IB_NEWEST; v++) {
        struct sample s = sample_of(v);
        check_sample(&now, &s);
        expect_totals(&now, &s);
        EXPECT_NO_MORE(&now);
        assert_int_equal(now.verdict.n_records, v == 1 ? 2 : 3);
        rb_free(&s.file);
    }
}

/* One number is changed, found, and put back. */
#define DAMAGE(s, at, bytes, value, ...)                                                                     \
    do {                                                                                                     \
        uint64_t good_ = rb_get(&(s)->file, at, bytes);                                                      \
        rb_put(&(s)->file, at, bytes, value);                                                                \
        check_sample(&now, s);                                                                               \
        __VA_ARGS__;                                                                                         \
        rb_put(&(s)->file, at, bytes, good_);                                                                \
    } while (0)
#define FOUND(...) EXPECT_CHECKED(&now, __VA_ARGS__)

static void damaged_header(void **state)
{
    (void)state;
    for (unsigned v = 4; v <= IB_NEWEST; v++) {
        struct sample s = sample_of(v);
        uint64_t n = s.file.n, word = rb_get(&s.file, 8, 8);
        DAMAGE(&s, 8, 4, 99, FOUND(ERROR, UNSUPPORTED_VERSION, "indexed.header.version", 8, 99, 14);
               EXPECT_NO_MORE(&now));
        DAMAGE(&s, 8, 8, word | (uint64_t)1 << 33,
               FOUND(NOTE, NOTE, "indexed.header.version", 8, word | (uint64_t)1 << 33, word));
        DAMAGE(&s, 16, 8, 5, FOUND(NOTE, NOTE, "indexed.header.unused", 16, 5, 0); expect_totals(&now, &s);
               EXPECT_NO_MORE(&now));
        DAMAGE(&s, 24, 8, 1, FOUND(ERROR, UNSUPPORTED_HASH_TYPE, "indexed.header.hash_type", 24, 1, 0);
               expect_totals(&now, &s); EXPECT_NO_MORE(&now));
        DAMAGE(&s, 32, 8, n, FOUND(ERROR, TRUNCATED, "indexed.header.hash_offset", 32, n, n - 16));
        DAMAGE(&s, 32, 8, 8, FOUND(ERROR, TRUNCATED, "indexed.header.hash_offset", 32, 8, s.at.payload));
        DAMAGE(&s, s.at.summary, 8, (uint64_t)1 << 40,
               FOUND(ERROR, TRUNCATED, "indexed.summary.num_fields", s.at.summary, (uint64_t)1 << 40,
                     (n - s.at.summary - 16) / 8));
        if (v >= 9)
            DAMAGE(&s, 48, 8, n, FOUND(ERROR, MALFORMED, "indexed.header.binary_ids_offset", 48, n, n - 8));
        if (v >= 10)
            DAMAGE(&s, 56, 8, n, FOUND(ERROR, TRUNCATED, "indexed.header.traces_offset", 56, n, n - 16));
        if (v >= 12)
            DAMAGE(&s, 64, 8, n, FOUND(ERROR, TRUNCATED, "indexed.header.vtable_names_offset", 64, n, n - 8));
        rb_free(&s.file);
    }
}

/* The reader of MemProf sections reports the damage, and the other parts are still checked. */
static void damaged_memprof(void **state)
{
    (void)state;
    static const uint64_t fields[] = {1, 5, 10, 23};
    for (unsigned v = 0; v <= MB_NEWEST; v++) {
        struct mb_section m = {.version = v, .schema = fields, .n_schema = COUNT(fields)};
        struct sample s = {.p = {.version = 12,
                                 .variant = IB_MEMPROF,
                                 .keys = keys,
                                 .n_keys = COUNT(keys),
                                 .n_buckets = 4,
                                 .memprof = mb_append,
                                 .memprof_context = &m}};
        ib_append(&s.file, &s.p, &s.at);
        check_sample(&now, &s);
        expect_totals(&now, &s);
        EXPECT_NO_MORE(&now);
        DAMAGE(&s, m.schema_at, 8, 28, FOUND(ERROR, MALFORMED, "indexed.memprof.schema", m.schema_at, 28, 27);
               expect_totals(&now, &s); EXPECT_NO_MORE(&now));
        DAMAGE(&s, m.second - 8, 8, 7,
               FOUND(ERROR, MALFORMED, "indexed.memprof.record_table", m.second - 32, MB_SECOND, 7);
               expect_totals(&now, &s); EXPECT_NO_MORE(&now));
        rb_free(&s.file);
    }
}

/* Number of the bucket of a key, by the specification. */
static size_t bucket_at(const struct sample *s, const char *name)
{
    return s->at.buckets + 16 + 8 * (rb_id(name) & (s->p.n_buckets - 1));
}

static size_t empty_bucket(const struct sample *s)
{
    size_t at = s->at.buckets + 16;
    while (rb_get(&s->file, at, 8))
        at += 8;
    assert_true(at < s->at.buckets + 16 + 8 * s->p.n_buckets);
    return at;
}

/* The number of records that were checked beside the damage and found intact. The stored summary is 0 in these files;
 * the intact records have more. */
static void expect_kept(struct checked *c, const struct sample *s, uint64_t n_records)
{
    assert_int_equal(c->verdict.n_records, n_records);
    if (s->p.version <= 3)
        EXPECT_CHECKED(c, WARNING, INCONSISTENT, "indexed.header.max_function_count", 16,
                       rb_get(&s->file, 16, 8), 7);
    else
        EXPECT_CHECKED(c, WARNING, INCONSISTENT, "indexed.summary.num_functions", s->at.summary + 16, 0,
                       n_records);
    EXPECT_NO_MORE(c);
}

/* The buckets locate the functions, also after a damaged summary. */
static void damaged_summary(void **state)
{
    (void)state;
    for (unsigned v = 4; v <= IB_NEWEST; v++) {
        struct sample s = sample_of(v);
        uint64_t left = (s.file.n - s.at.summary - 16) / 8, cutoffs = rb_get(&s.file, s.at.summary + 8, 8);
        DAMAGE(&s, s.at.summary, 8, UINT64_MAX,
               FOUND(ERROR, TRUNCATED, "indexed.summary.num_fields", s.at.summary, UINT64_MAX, left);
               assert_int_equal(now.verdict.n_records, 3); EXPECT_NO_MORE(&now));
        DAMAGE(&s, s.at.summary + 8, 8, cutoffs + 1,
               FOUND(ERROR, INCONSISTENT, "indexed.summary", s.at.summary, s.at.payload + 24, s.at.payload);
               assert_int_equal(now.verdict.n_records, 3));
        rb_free(&s.file);
    }
}

static void damaged_table(void **state)
{
    (void)state;
    for (unsigned v = 1; v <= IB_NEWEST; v++) {
        struct sample s = sample_of(v);
        size_t item = s.at.items[0], bucket = bucket_at(&s, keys[0].name), empty = empty_bucket(&s);
        uint64_t offset = rb_get(&s.file, bucket, 8), hash = rb_get(&s.file, item, 8);
        DAMAGE(&s, s.at.buckets, 8, 3,
               FOUND(ERROR, MALFORMED, "indexed.table.num_buckets", s.at.buckets, 3, 2);
               expect_kept(&now, &s, v == 1 ? 2 : 3));
        DAMAGE(&s, s.at.buckets, 8, 1 << 20,
               FOUND(ERROR, MALFORMED, "indexed.table.num_buckets", s.at.buckets, 1 << 20,
                     (s.file.n - s.at.buckets - 16) / 8);
               expect_kept(&now, &s, v == 1 ? 2 : 3));
        DAMAGE(&s, bucket, 8, offset + 1,
               FOUND(ERROR, INCONSISTENT, "indexed.table.buckets", bucket, offset + 1, offset);
               expect_totals(&now, &s); EXPECT_NO_MORE(&now));
        DAMAGE(&s, empty, 8, offset, FOUND(WARNING, INCONSISTENT, "indexed.table.buckets", empty, offset, 0);
               expect_totals(&now, &s); EXPECT_NO_MORE(&now));
        DAMAGE(&s, empty, 8, offset + 1,
               FOUND(ERROR, INCONSISTENT, "indexed.table.buckets", empty, offset + 1, 0);
               expect_totals(&now, &s); EXPECT_NO_MORE(&now));
        DAMAGE(&s, bucket, 8, 0, FOUND(ERROR, INCONSISTENT, "indexed.table.buckets", bucket, 0, offset));
        DAMAGE(&s, item, 8, hash ^ (uint64_t)1 << 63,
               FOUND(ERROR, MALFORMED, "indexed.table.item.hash", item, hash ^ (uint64_t)1 << 63, hash);
               expect_kept(&now, &s, 1));
        DAMAGE(&s, item + 8, 8, 1 << 20,
               FOUND(ERROR, TRUNCATED, "indexed.table.item.key_size", item + 8, 1 << 20,
                     s.at.buckets - item - 24));
        DAMAGE(&s, item + 16, 8, 1 << 20,
               FOUND(ERROR, TRUNCATED, "indexed.table.item.data_size", item + 16, 1 << 20,
                     s.at.buckets - item - 24 - strlen(keys[0].name)));
        DAMAGE(&s, s.at.buckets + 8, 8, 1 << 20,
               FOUND(ERROR, TRUNCATED, "indexed.table.num_entries", s.at.buckets + 8, 1 << 20,
                     (s.at.buckets - s.at.payload) / 24));
        rb_free(&s.file);
    }
}

/* After a damaged item the next bucket is found, and what is damaged there, too. */
static void two_damages(void **state)
{
    (void)state;
    struct sample s = sample_of(13);
    bool apart = bucket_at(&s, keys[0].name) != bucket_at(&s, keys[1].name);
    size_t first = s.at.items[0] < s.at.items[1] ? 0 : 1, other = 1 - first;
    assert_true(apart);
    rb_put(&s.file, s.at.items[first] + 8, 8, 1 << 20);
    rb_put(&s.file, s.at.data[other] + 8, 8, 1 << 20);
    check_sample(&now, &s);
    EXPECT_CHECKED(&now, ERROR, TRUNCATED, "indexed.table.item.key_size", s.at.items[first] + 8, 1 << 20,
                   s.at.buckets - s.at.items[first] - 24);
    size_t size = rb_get(&s.file, s.at.items[other] + 16, 8);
    EXPECT_CHECKED(&now, ERROR, MALFORMED, "indexed.record.num_counters", s.at.data[other] + 8, 1 << 20,
                   (size - 16) / 8);
    EXPECT_NO_MORE(&now);
    rb_free(&s.file);
}

/* Whatever the largest count is. */
static void expect_any_totals(const struct sample *s)
{
    for (size_t i = 0; i < now.n; i++)
        if (now.list[i].offset == (s->p.version <= 3 ? 16 : s->at.summary + 16)) {
            now.list[i] = now.list[--now.n];
            return;
        }
    fail();
}

static void damaged_records(void **state)
{
    (void)state;
    for (unsigned v = 2; v <= IB_NEWEST; v++) {
        struct sample s = sample_of(v);
        size_t data = s.at.data[0], size = rb_get(&s.file, s.at.items[0] + 16, 8), values = data + 16 + 24;
        DAMAGE(&s, data + 8, 8, 0, FOUND(ERROR, MALFORMED, "indexed.record.num_counters", data + 8, 0, 1));
        DAMAGE(&s, data + 8, 8, 1 << 20,
               FOUND(ERROR, MALFORMED, "indexed.record.num_counters", data + 8, 1 << 20, (size - 16) / 8));
        /* A sum may be as large as it likes. */
        DAMAGE(&s, data + 16, 8, large[1], expect_any_totals(&s); EXPECT_NO_MORE(&now));
        DAMAGE(&s, data + 16, 8, UINT64_MAX, FOUND(NOTE, NOTE, "indexed.record.counter", data, 1, 0));
        if (v >= 11 && v <= 13) {
            DAMAGE(&s, values + 8, 8, 256 + 1, FOUND(NOTE, NOTE, "indexed.record.bitmap", values + 8, 1, 0));
            values += 8 + 24;
        }
        if (v >= 14) {
            DAMAGE(&s, values + 8 + 3, 1, 1, FOUND(NOTE, NOTE, "indexed.record.bitmap", values + 11, 1, 0));
            values += 16 + 16;
        }
        if (v >= 3) {
            DAMAGE(&s, values + 8, 4, 9, FOUND(ERROR, MALFORMED, "value_data.kind", values + 8, 9, 2));
            DAMAGE(&s, values + 8 + 8 + 2, 1, 1,
                   FOUND(NOTE, NOTE, "value_data.padding", values + 8 + 8 + 2, 1, 0));
        }
        rb_free(&s.file);
    }
}

/* Bytes after the end are found, and taken off again. */
static void trailing(struct sample *s, const char *bytes, size_t n, int severity, int code)
{
    rb_append_bytes(&s->file, bytes, n);
    check_sample(&now, s);
    s->file.n -= n;
    expect_totals(&now, s);
    expect_checked(&now, severity, code, "indexed.unclaimed", s->at.end, n, 0, __FILE__, __LINE__);
    EXPECT_NO_MORE(&now);
}

/* Words of the header for sections that are not announced. */
static void absent(void **state)
{
    (void)state;
    for (unsigned v = 10; v <= IB_NEWEST; v++) {
        struct sample s = sample_of(v);
        uint64_t word = rb_get(&s.file, 8, 8), traces = s.at.traces;
        DAMAGE(&s, 8, 8, word & ~RB_TEMPORAL,
               FOUND(WARNING, INCONSISTENT, "indexed.header.traces_offset", 56, traces, 0);
               expect_totals(&now, &s); EXPECT_NO_MORE(&now));
        DAMAGE(&s, 40, 8, (uint64_t)1 << 40,
               FOUND(NOTE, NOTE, "indexed.header.memprof_offset", 40, (uint64_t)1 << 40, 0);
               expect_totals(&now, &s); EXPECT_NO_MORE(&now));
        rb_free(&s.file);
    }
}

/* Other findings are reported beside an error, and the bytes of a damaged section are not unclaimed. */
static void beside_errors(void **state)
{
    (void)state;
    struct sample s = sample_of(10);
    rb_put(&s.file, s.at.traces, 8, 1 << 20);
    check_sample(&now, &s);
    FOUND(ERROR, TRUNCATED, "indexed.traces.count", s.at.traces, 1 << 20, (s.file.n - s.at.traces - 16) / 16);
    expect_totals(&now, &s);
    EXPECT_NO_MORE(&now);
    assert_int_equal(now.verdict.n_records, 3);
    rb_free(&s.file);
}

static void sections(void **state)
{
    (void)state;
    for (unsigned v = 9; v <= IB_NEWEST; v++) {
        struct sample s = sample_of(v);
        size_t at = s.at.ids;
        DAMAGE(&s, at, 8, 12, FOUND(ERROR, BAD_HEADER, "indexed.binary_ids.size", at, 12, 16));
        DAMAGE(&s, at + 8, 8, 0, FOUND(ERROR, MALFORMED, "indexed.binary_ids", at + 8, 0, 1));
        DAMAGE(&s, at + 8 + 8 + 20, 1, 1, FOUND(NOTE, NOTE, "indexed.binary_ids", at + 8 + 8 + 20, 0, 0));
        DAMAGE(&s, at + 16, 1, 'z', FOUND(NOTE, NOTE, "indexed.binary_ids", at + 8 + 8 + 24, 0, 0));
        if (v >= 10)
            DAMAGE(&s, s.at.traces + 24, 8, 1 << 20,
                   FOUND(ERROR, TRUNCATED, "indexed.traces", s.at.traces + 16, 1 << 20,
                         (s.file.n - s.at.traces - 32) / 8));
        if (v >= 10) /* no function has this id */
            DAMAGE(&s, s.at.traces + 32, 8, 5, FOUND(NOTE, NOTE, "indexed.traces", s.at.traces, 1, 0));
        if (v >= 12)
            DAMAGE(&s, s.at.vtables + 8, 1, 0x70,
                   FOUND(ERROR, MALFORMED, "indexed.vtable_names", s.at.vtables + 10, 0x70, 6));
        trailing(&s, "trailing", 8, APF_SEVERITY_WARNING, APF_INCONSISTENT);
        trailing(&s, "\xfflprofi\x81", 8, APF_SEVERITY_WARNING, APF_INCONSISTENT); /* another profile */
        trailing(&s, "\0", 1, APF_SEVERITY_NOTE, APF_NOTE);
        rb_free(&s.file);
    }
}

/* Findings of profile_check.c. */
static void odd_records(void **state)
{
    (void)state;
    static const struct ib_record odd[] = {
        {.hash = 1, .counts = hot, .n_counts = 2},
        {.hash = (uint64_t)1 << 60,
         .counts = counts,
         .n_counts = 1,
         .sites = {unsorted_sites},
         .n_sites = {1}},
        {.hash = 3, .counts = counts, .n_counts = 1},
        {.hash = 3, .counts = counts, .n_counts = 2},
    };
    static const struct ib_key odd_keys[] = {{"odd", odd, 4}};
    struct ib_profile p = {.version = 7, .variant = RB_IR, .keys = odd_keys, .n_keys = 1};
    struct rb_file file = {0};
    struct ib_places at;
    ib_append(&file, &p, &at);
    check_memory_bytes(&now, file.data, file.n);
    size_t second = at.data[0] + 16 + 16 + 8, third = second + 16 + 8 + 8 + 16 + 32,
           fourth = third + 16 + 8 + 8;
    EXPECT_CHECKED(&now, WARNING, INCONSISTENT, "indexed.summary.num_functions", at.summary + 16, 0, 3);
    EXPECT_CHECKED(&now, NOTE, NOTE, "indexed.record.values", second + 16 + 8 + 8 + 16 + 16, 1, 0);
    EXPECT_CHECKED(&now, NOTE, NOTE, "indexed.record.counter", at.data[0], 1, 0);
    EXPECT_CHECKED(&now, NOTE, NOTE, "indexed.record.hash", second, 1, 0);
    EXPECT_CHECKED(&now, WARNING, INCONSISTENT, "indexed.record", fourth, 1, 0);
    EXPECT_NO_MORE(&now);
    rb_free(&file);
}

/* A summary that is right by the rules of its version, or by those of a release before it. */
static void summaries(void **state)
{
    (void)state;
    static const struct ib_record plain[] = {{.hash = 1, .counts = counts, .n_counts = 3}};
    static const struct ib_key plain_keys[] = {{"plain", plain, 1}};
    static const uint64_t totals[] = {1, 3, 7, 9, 9, 24};
    struct ib_profile p = {.version = 5, .keys = plain_keys, .n_keys = 1};
    struct sample s = {.p = p};
    ib_append(&s.file, &p, &s.at);
    size_t rows = s.at.summary + 16 + 48, n_rows = rb_get(&s.file, s.at.summary + 8, 8);
    for (size_t i = 0; i < COUNT(totals); i++)
        rb_put(&s.file, s.at.summary + 16 + 8 * i, 8, totals[i]);
    for (size_t i = 0; i < n_rows; i++) { /* 24 * 900000 / 1000000 = 21: 9 + 8 are not enough */
        rb_put(&s.file, rows + 24 * i, 8, 900000);
        rb_put(&s.file, rows + 24 * i + 8, 8, 7);
        rb_put(&s.file, rows + 24 * i + 16, 8, 3);
    }
    check_sample(&now, &s);
    EXPECT_NO_MORE(&now);
    for (size_t i = 0; i < COUNT(totals); i++) {
        static const char *const names[] = {"num_functions", "num_counters",       "max_function_count",
                                            "max_count",     "max_internal_count", "total_count"};
        char where[64];
        snprintf(where, sizeof where, "indexed.summary.%s", names[i]);
        DAMAGE(&s, s.at.summary + 16 + 8 * i, 8, totals[i] + 1,
               FOUND(WARNING, INCONSISTENT, where, s.at.summary + 16 + 8 * i, totals[i] + 1, totals[i]);
               EXPECT_NO_MORE(&now));
    }
    if (n_rows) {
        DAMAGE(&s, rows + 8, 8, 8, FOUND(WARNING, INCONSISTENT, "indexed.summary.min_count", rows + 8, 8, 7));
        DAMAGE(&s, rows + 16, 8, 2,
               FOUND(WARNING, INCONSISTENT, "indexed.summary.num_blocks", rows + 16, 2, 3));
        DAMAGE(&s, rows, 8, 900001,
               FOUND(WARNING, INCONSISTENT, "indexed.summary.cutoff", rows + 24, 900000, 900001));
    }
    rb_free(&s.file);
}

TEST_FILE(check_indexed)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_ones),       cmocka_unit_test(damaged_header),
        cmocka_unit_test(damaged_memprof), cmocka_unit_test(damaged_table),
        cmocka_unit_test(two_damages),     cmocka_unit_test(damaged_records),
        cmocka_unit_test(sections),        cmocka_unit_test(odd_records),
        cmocka_unit_test(summaries),       cmocka_unit_test(damaged_summary),
        cmocka_unit_test(absent),          cmocka_unit_test(beside_errors),
    };
    return RUN_TESTS(tests);
}
