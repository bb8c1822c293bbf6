/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Indexed profiles with damage in their records, and in the sections after the table. */
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/open_memory.h"

#include <string.h>

static const uint64_t counts[] = {7, 8, 9};
static const uint8_t bits[] = {1, 2, 3}, uniformity[] = {5, 6};
static const struct rb_pair pairs[] = {{1, 9, false}, {2, 3, false}};
static const struct rb_site sites[] = {{pairs, 2}, {pairs, 1}};
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
static const struct ib_key key[] = {{"name", records, 2}};
static const struct rb_bytes ids[] = {{"twenty bytes of hash", 20}, {"x", 1}};
static const uint64_t trace_ids[] = {1, 2, 3};
static const struct ib_trace traces[] = {{3, trace_ids, 3}, {1, trace_ids, 1}};

struct sample {
    struct rb_file file;
    struct ib_places at;
    unsigned version;
    size_t first, bitmap, uniformity, values, second, end; /* offsets inside the item's data */
};

/* Where the parts of the first record are, by the specification. */
static void place(struct sample *s)
{
    unsigned v = s->version;
    s->first = s->at.data[0];
    s->end = s->first + rb_get(&s->file, s->at.items[0] + 16, 8);
    s->bitmap = s->first + (v == 1 ? 8 : 16) + 24;
    s->values = s->bitmap;
    if (v >= 11 && v <= 13)
        s->values += 8 + 24;
    if (v >= 14) {
        s->uniformity = s->bitmap + 16;
        s->values = s->uniformity + 16;
    }
    s->second = v >= 3 ? s->values + rb_get(&s->file, s->values, 4) : s->values;
}

static void for_versions(unsigned first, unsigned last, void (*f)(struct sample *s))
{
    for (unsigned v = first; v <= last; v++) {
        struct sample s = {.version = v};
        struct ib_profile p = {.version = v,
                               .variant = v >= 10 ? RB_IR | RB_TEMPORAL : 0,
                               .keys = key,
                               .n_keys = 1,
                               .ids = ids,
                               .n_ids = COUNT(ids),
                               .vtable_names = {"\x06\0_ZTV1A", 8},
                               .traces = traces,
                               .n_traces = COUNT(traces),
                               .stream_size = 2};
        ib_append(&s.file, &p, &s.at);
        place(&s);
        f(&s);
        rb_free(&s.file);
    }
}

#define REFUSED(s, code, where, offset, found, expected)                                                     \
    EXPECT_REFUSED((s)->file.data, (s)->file.n, code, where, offset, found, expected)

/* Refused with another number of so many bytes at a place, which is then put back. */
#define DAMAGED(s, at, bytes, value, code, where, offset, found, expected)                                   \
    do {                                                                                                     \
        uint64_t good_ = rb_get(&(s)->file, at, bytes);                                                      \
        rb_put(&(s)->file, at, bytes, value);                                                                \
        REFUSED(s, code, where, offset, found, expected);                                                    \
        rb_put(&(s)->file, at, bytes, good_);                                                                \
    } while (0)

/* ---- records ---- */

static void check_counts(struct sample *s)
{
    size_t at = s->first + 8, room = (s->end - at - 8) / 8;
    const uint64_t wild[] = {
        0, room + 1, (uint64_t)1 << 61, ((uint64_t)1 << 61) + 1, (uint64_t)1 << 63, UINT64_MAX};
    for (size_t i = 0; i < COUNT(wild); i++)
        DAMAGED(s, at, 8, wild[i], APF_MALFORMED, "indexed.record.num_counters", at, wild[i], room);
}

/* Version 1 has no number of counters: all of the data are counters. */
static void check_version_1(struct sample *s)
{
    size_t size = s->at.items[0] + 16;
    DAMAGED(s, size, 8, 8, APF_MALFORMED, "indexed.record.num_counters", s->first + 8, 0, 0);
    for (uint64_t odd = 17; odd < 24; odd++)
        DAMAGED(s, size, 8, odd, APF_MALFORMED, "indexed.record.hash", s->first + 16, odd - 16, 8);
}

/* Bytes after the last record that are not enough for one. */
static void check_rest(struct sample *s)
{
    size_t size = s->at.items[0] + 16;
    uint64_t first = s->second - s->first;
    for (uint64_t odd = 1; odd < 8; odd++)
        DAMAGED(s, size, 8, first + odd, APF_MALFORMED, "indexed.record.hash", s->second, odd, 8);
    for (uint64_t odd = 8; odd < 16; odd++)
        DAMAGED(s, size, 8, first + odd, APF_MALFORMED, "indexed.record.num_counters", s->second + 8, 0, 0);
}

static void check_bitmaps(struct sample *s)
{
    bool words = s->version < 14;
    size_t at = s->bitmap, left = s->end - at - 8, room = words ? left / 8 : left;
    const uint64_t wild[] = {room + 1, (uint64_t)1 << 61, UINT64_MAX};
    for (size_t i = 0; i < COUNT(wild); i++)
        DAMAGED(s, at, 8, wild[i], APF_MALFORMED, "indexed.record.bitmap", at, wild[i], room);
    if (words)
        return;
    at = s->uniformity;
    left = s->end - at - 8;
    DAMAGED(s, at, 8, left + 1, APF_MALFORMED, "indexed.record.uniformity", at, left + 1, left);
    DAMAGED(s, at, 8, UINT64_MAX, APF_MALFORMED, "indexed.record.uniformity", at, UINT64_MAX, left);
}

static void test_records(void **state)
{
    (void)state;
    for_versions(1, 1, check_version_1);
    for_versions(2, IB_NEWEST, check_counts);
    for_versions(2, IB_NEWEST, check_rest);
    for_versions(11, IB_NEWEST, check_bitmaps);
}

/* A bitmap whose padding is cut off by the end of the data. */
static void test_bitmap_padding(void **state)
{
    (void)state;
    struct sample s = {.version = 14};
    struct ib_profile p = {.version = 14, .keys = key, .n_keys = 1};
    ib_append(&s.file, &p, &s.at);
    place(&s);
    for (uint64_t n = 9; n < 16; n++) { /* length, three bytes, and less padding than five bytes */
        rb_put(&s.file, s.at.items[0] + 16, 8, s.bitmap - s.first + n);
        if (n < 11)
            REFUSED(&s, APF_MALFORMED, "indexed.record.bitmap", s.bitmap, 3, n - 8);
        else
            REFUSED(&s, APF_MALFORMED, "indexed.record.bitmap", s.bitmap, 3, n - 11);
    }
    rb_free(&s.file);
}

/* ---- value data: a kind of 2 sites with 2 and 1 values, one of 1 site with 2 ---- */

static void check_values(struct sample *s)
{
    size_t at = s->values, kind = at + 8, next = kind + 16 + 48;
    uint64_t total = s->second - at, left = s->end - at;
    DAMAGED(s, at, 4, left + 8, APF_MALFORMED, "value_data.total_size", at, left + 8, left);
    DAMAGED(s, at, 4, UINT32_MAX, APF_MALFORMED, "value_data.total_size", at, UINT32_MAX, left);
    DAMAGED(s, at, 4, 0, APF_MALFORMED, "value_data.total_size", at, 0, 8);
    DAMAGED(s, at, 4, total - 4, APF_MALFORMED, "value_data.total_size", at, total - 4, total);
    DAMAGED(s, at, 4, total - 8, APF_MALFORMED, "value_data.kind.size", next, 48, total - 8 - 72);
    DAMAGED(s, at + 4, 4, 4, APF_MALFORMED, "value_data.num_kinds", at + 4, 4, 3);
    DAMAGED(s, at + 4, 4, 3, APF_MALFORMED, "value_data.kind.size", s->second, 8, 0);
    DAMAGED(s, kind, 4, 3, APF_MALFORMED, "value_data.kind", kind, 3, 2);
    DAMAGED(s, next, 4, 0, APF_MALFORMED, "value_data.kind", next, 0, 1);
    DAMAGED(s, kind + 4, 4, UINT32_MAX, APF_MALFORMED, "value_data.kind.size", kind, 8 + ((uint64_t)1 << 32),
            total - 8);
    DAMAGED(s, kind + 8, 1, 200, APF_MALFORMED, "value_data.kind.size", kind, 16 + 16 * 201, total - 8);
    /* The item ends inside the block. */
    for (uint64_t n = 0; n < 8; n++)
        DAMAGED(s, s->at.items[0] + 16, 8, at - s->first + n, APF_MALFORMED, "value_data.total_size", at, n,
                8);
}

static void test_value_data(void **state)
{
    (void)state;
    for_versions(3, IB_NEWEST, check_values);
}

/* ---- binary ids ---- */

static void check_ids(struct sample *s)
{
    size_t at = s->at.ids, last = s->file.n - 8, left = s->file.n - at - 8;
    const uint64_t wild[] = {last + 1, s->file.n, (uint64_t)1 << 40, UINT64_MAX};
    for (size_t i = 0; i < COUNT(wild); i++)
        DAMAGED(s, 48, 8, wild[i], APF_MALFORMED, "indexed.header.binary_ids_offset", 48, wild[i], last);
    DAMAGED(s, at, 8, 41, APF_BAD_HEADER, "indexed.binary_ids.size", at, 41, 48);
    uint64_t more = (left + 8) & ~(uint64_t)7;
    DAMAGED(s, at, 8, more, APF_MALFORMED, "indexed.binary_ids.size", at, more, left);
    DAMAGED(s, at, 8, ~(uint64_t)7, APF_MALFORMED, "indexed.binary_ids.size", at, ~(uint64_t)7, left);
    DAMAGED(s, at + 8, 8, 0, APF_MALFORMED, "indexed.binary_ids", at + 8, 0, 1);
    DAMAGED(s, at + 8, 8, 41, APF_MALFORMED, "indexed.binary_ids", at + 8, 41, 40);
    DAMAGED(s, at + 8, 8, UINT64_MAX, APF_MALFORMED, "indexed.binary_ids", at + 8, UINT64_MAX, 40);
    DAMAGED(s, at + 40, 8, 9, APF_MALFORMED, "indexed.binary_ids", at + 40, 9, 8);
    DAMAGED(s, at, 8, 40, APF_MALFORMED, "indexed.binary_ids", at + 40, 1, 0);
}

static void test_ids(void **state)
{
    (void)state;
    for_versions(9, IB_NEWEST, check_ids);
}

/* ---- names of vtables ---- */

static void check_vtables(struct sample *s)
{
    size_t at = s->at.vtables, last = s->file.n - 8, left = s->file.n - at - 8;
    const uint64_t wild[] = {last + 1, s->file.n, (uint64_t)1 << 40, UINT64_MAX};
    for (size_t i = 0; i < COUNT(wild); i++)
        DAMAGED(s, 64, 8, wild[i], APF_TRUNCATED, "indexed.header.vtable_names_offset", 64, wild[i], last);
    DAMAGED(s, at, 8, left + 1, APF_TRUNCATED, "indexed.vtable_names.size", at, left + 1, left);
    DAMAGED(s, at, 8, UINT64_MAX, APF_TRUNCATED, "indexed.vtable_names.size", at, UINT64_MAX, left);
    DAMAGED(s, at, 8, 7, APF_MALFORMED, "indexed.vtable_names", at + 10, 6, 5);
    DAMAGED(s, at + 8, 1, 7, APF_MALFORMED, "indexed.vtable_names", at + 10, 7, 6);
    DAMAGED(s, at + 9, 1, 6, APF_UNCOMPRESS_FAILED, "indexed.vtable_names", at + 8, 6, 6);
    DAMAGED(s, at + 10, 1, 1, APF_MALFORMED, "indexed.vtable_names", at + 8, 0, 1);
}

static void test_vtables(void **state)
{
    (void)state;
    for_versions(12, IB_NEWEST, check_vtables);
}

/* ---- traces ---- */

static void check_traces(struct sample *s)
{
    size_t at = s->at.traces, last = s->file.n - 16, left = s->file.n - at - 16;
    const uint64_t wild[] = {last + 1, s->file.n - 8, s->file.n, (uint64_t)1 << 40, UINT64_MAX};
    for (size_t i = 0; i < COUNT(wild); i++)
        DAMAGED(s, 56, 8, wild[i], APF_TRUNCATED, "indexed.header.traces_offset", 56, wild[i], last);
    DAMAGED(s, at, 8, left / 16 + 1, APF_TRUNCATED, "indexed.traces.count", at, left / 16 + 1, left / 16);
    DAMAGED(s, at, 8, UINT64_MAX, APF_TRUNCATED, "indexed.traces.count", at, UINT64_MAX, left / 16);
    DAMAGED(s, at, 8, 3, APF_TRUNCATED, "indexed.traces", s->at.end, 0, 0);
    size_t first = at + 16, second = first + 16 + 24, rest = s->at.end - first - 16;
    DAMAGED(s, first + 8, 8, rest / 8 + 1, APF_TRUNCATED, "indexed.traces", first, rest / 8 + 1, rest / 8);
    DAMAGED(s, first + 8, 8, UINT64_MAX, APF_TRUNCATED, "indexed.traces", first, UINT64_MAX, rest / 8);
    DAMAGED(s, second + 8, 8, 2, APF_TRUNCATED, "indexed.traces", second, 2, 1);
    DAMAGED(s, second + 8, 8, (uint64_t)1 << 61, APF_TRUNCATED, "indexed.traces", second, (uint64_t)1 << 61,
            1);
}

static void test_traces(void **state)
{
    (void)state;
    for_versions(10, IB_NEWEST, check_traces);
}

/* ---- cut anywhere ---- */

static void check_cuts(struct sample *s)
{
    for (size_t n = 8; n < s->file.n; n++) {
        struct opened o;
        open_memory(&o, s->file.data, n, 0);
        assert_true(o.code >= APF_UNRECOGNIZED_FORMAT);
        opened_close(&o);
    }
}

static void test_cuts(void **state)
{
    (void)state;
    for_versions(1, IB_NEWEST, check_cuts);
}

TEST_FILE(indexed_damage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),    cmocka_unit_test(test_bitmap_padding),
        cmocka_unit_test(test_value_data), cmocka_unit_test(test_ids),
        cmocka_unit_test(test_vtables),    cmocka_unit_test(test_traces),
        cmocka_unit_test(test_cuts),
    };
    return RUN_TESTS(tests);
}
