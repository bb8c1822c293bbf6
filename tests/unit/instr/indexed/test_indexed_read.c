/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Indexed profiles of every version, and each way in which one can be damaged: code, place and both numbers. */
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/memprof_build.h"
#include "helpers/shared/open_memory.h"

#include <string.h>

/* ---- a good file ---- */

static const uint64_t main_counts[] = {7, 0, UINT64_MAX - 2}, other_counts[] = {1}, hot[] = {UINT64_MAX, 0};
static const uint8_t bits[] = {0x80, 1, 255}, uniformity[] = {5};
static const struct rb_pair pairs[] = {{0x1122334455667788, 9, false}, {0, UINT64_MAX, false}, {8, 0, false}};
static const struct rb_site sites[] = {{pairs, 3}, {NULL, 0}, {pairs, 1}};
static const struct ib_record main_records[] = {
    {.hash = 0x1000000000000005,
     .counts = main_counts,
     .n_counts = 3,
     .bitmap = bits,
     .n_bitmap = 3,
     .uniformity = uniformity,
     .n_uniformity = 1,
     .sites = {sites, sites, sites},
     .n_sites = {3, 1, 2}},
    {.hash = 5, .counts = other_counts, .n_counts = 1, .sites = {NULL, sites}, .n_sites = {0, 3}},
};
static const struct ib_record hot_records[] = {{.hash = UINT64_MAX, .counts = hot, .n_counts = 2}};
static const struct ib_key keys[] = {
    {"main", main_records, 2}, {"hot", hot_records, 1}, {"a.c;b", hot_records, 1}};
static const struct rb_bytes ids[] = {{"twenty bytes of hash", 20}, {"eight by", 8}, {"x", 1}};
static const uint64_t trace_ids[] = {1, 2, 3};
static const struct ib_trace traces[] = {{3, trace_ids, 3}, {1, NULL, 0}, {UINT64_MAX, trace_ids + 1, 1}};

static struct ib_profile profile(unsigned version)
{
    struct ib_profile p = {.version = version,
                           .variant = version >= 10  ? RB_IR | RB_CS | RB_TEMPORAL
                                      : version >= 4 ? RB_IR | RB_CS
                                                     : 0,
                           .keys = keys,
                           .n_keys = COUNT(keys),
                           .n_buckets = 4,
                           .ids = ids,
                           .n_ids = COUNT(ids),
                           .vtable_names = {"\x0d\0_ZTV1A\1_ZTV2B", 15},
                           .traces = traces,
                           .n_traces = COUNT(traces),
                           .stream_size = 1000};
    return p;
}

struct sample {
    struct rb_file file;
    struct ib_places at;
    unsigned version;
};

/* Calls f with a fresh sample of every version from `first` on. */
static void for_versions(unsigned first, unsigned last, void (*f)(struct sample *s))
{
    for (unsigned v = first; v <= last; v++) {
        struct sample s = {.version = v};
        struct ib_profile p = profile(v);
        ib_append(&s.file, &p, &s.at);
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

/* ---- reading ---- */

static void check_record(const struct opened *o, unsigned v, const struct ib_key *key,
                         const struct ib_record *want)
{
    struct apf_record r = {.size = sizeof r};
    struct apf_str name = {key->name, strlen(key->name)};
    assert_int_equal(apf_instr_find(o->instr, name, want->hash, &r, NULL), APF_OK);
    assert_int_equal(r.id, rb_id(key->name));
    assert_int_equal(r.n_counts, want->n_counts);
    assert_memory_equal(r.counts, want->counts, want->n_counts * 8);
    assert_int_equal(r.n_bitmap, v >= 11 ? want->n_bitmap : 0);
    assert_true(!r.n_bitmap || memcmp(r.bitmap, want->bitmap, r.n_bitmap) == 0);
    assert_int_equal(r.n_uniformity, v >= 14 ? want->n_uniformity : 0);
    assert_true(!r.n_uniformity || memcmp(r.uniformity, want->uniformity, r.n_uniformity) == 0);
    assert_int_equal(r.n_uniform, 0);
    uint32_t bitmap = v >= 12 ? APF_RECORD_DENSE_BITMAP : APF_RECORD_SPARSE_BITMAP;
    assert_int_equal(r.flags,
                     (want->counts[0] >= UINT64_MAX - 1 ? APF_RECORD_PSEUDO : 0) | (r.n_bitmap ? bitmap : 0));
    for (unsigned k = 0; k < RB_KINDS; k++) {
        assert_int_equal(r.n_sites[k], v >= 3 ? want->n_sites[k] : 0);
        for (size_t s = 0; s < r.n_sites[k]; s++) {
            assert_int_equal(r.sites[k][s].n, want->sites[k][s].n);
            for (size_t i = 0; i < r.sites[k][s].n; i++) {
                assert_int_equal(r.sites[k][s].values[i].value, want->sites[k][s].pairs[i].value);
                assert_int_equal(r.sites[k][s].values[i].count, want->sites[k][s].pairs[i].count);
            }
        }
    }
}

static void check_sections(const struct apf_instr_info *info, unsigned v)
{
    assert_int_equal(info->n_binary_ids, v >= 9 ? 3 : 0);
    for (size_t i = 0; i < info->n_binary_ids; i++) {
        assert_int_equal(info->binary_ids[i].n, ids[i].n);
        assert_memory_equal(info->binary_ids[i].p, ids[i].p, ids[i].n);
    }
    assert_int_equal(info->n_vtable_names, v >= 12 ? 2 : 0);
    if (v >= 12)
        assert_string_equal(info->vtable_names[1].p, "_ZTV2B");
    assert_int_equal(info->n_traces, v >= 10 ? 3 : 0);
    assert_int_equal(info->trace_stream_size, v >= 10 ? 1000 : 0);
    for (size_t i = 0; i < info->n_traces; i++) {
        assert_int_equal(info->traces[i].weight, traces[i].weight);
        assert_int_equal(info->traces[i].n, traces[i].n);
        assert_true(!traces[i].n || memcmp(info->traces[i].ids, traces[i].ids, 8 * traces[i].n) == 0);
    }
}

static void check_good(struct sample *s)
{
    struct opened o;
    unsigned v = s->version;
    open_file(&o, &s->file);
    const struct apf_instr_info *info = apf_instr_info(o.instr);
    assert_int_equal(o.n_findings, 0);
    assert_int_equal(info->format, APF_FORMAT_INDEXED);
    assert_int_equal(info->version, v);
    assert_int_equal(info->variant, profile(v).variant);
    assert_int_equal(info->version_word, v | profile(v).variant);
    assert_int_equal(info->n_records, v == 1 ? 3 : 4);
    assert_int_equal(info->n_profiles, 1);
    for (size_t k = 0; k < COUNT(keys); k++)
        for (size_t i = 0; i < (v == 1 ? 1 : keys[k].n_records); i++)
            check_record(&o, v, &keys[k], &keys[k].records[i]);
    check_sections(info, v);
    opened_close(&o);
}

static void test_good(void **state)
{
    (void)state;
    for_versions(1, IB_NEWEST, check_good);
}

/* An empty table still has a bucket. */
static void test_empty(void **state)
{
    (void)state;
    for (unsigned v = 1; v <= IB_NEWEST; v++) {
        struct rb_file file = {0};
        struct opened o;
        struct ib_profile p = {.version = v};
        ib_append(&file, &p, NULL);
        open_file(&o, &file);
        assert_int_equal(apf_instr_info(o.instr)->n_records, 0);
        opened_close(&o);
        rb_free(&file);
    }
}

/* LLVM files all records without a name under the empty key. */
static void test_nameless(void **state)
{
    (void)state;
    static const struct ib_key none[] = {{"", main_records, 2}};
    struct rb_file file = {0};
    struct opened o;
    struct ib_profile p = {.version = 13, .keys = none, .n_keys = 1};
    ib_append(&file, &p, NULL);
    open_file(&o, &file);
    assert_int_equal(apf_instr_info(o.instr)->n_records, 2);
    EXPECT_FINDING(&o, "quirk.NAMELESS", APF_SEVERITY_WARNING, APF_UNKNOWN_FUNCTION, 2);
    opened_close(&o);
    rb_free(&file);
}

/* Bits that no release defines, and debug-info correlation, which is a property of raw files. */
static void test_variant_bits(void **state)
{
    (void)state;
    struct rb_file file = {0};
    struct opened o;
    struct ib_profile p = {.version = 13, .variant = RB_IR | RB_CORRELATE | (uint64_t)0x7fffff << 32};
    ib_append(&file, &p, NULL);
    open_file(&o, &file);
    assert_int_equal(apf_instr_info(o.instr)->variant, RB_IR);
    assert_int_equal(apf_instr_info(o.instr)->version_word, 13 | p.variant);
    opened_close(&o);
    rb_free(&file);
}

/* ---- header ---- */

static void check_header(struct sample *s)
{
    size_t size = s->at.summary ? s->at.summary : s->at.payload, last = s->file.n - 16;
    static const uint64_t versions[] = {0, 15, 99, UINT32_MAX};
    for (size_t n = 8; n < 24; n++)
        EXPECT_REFUSED(s->file.data, n, APF_TRUNCATED, "indexed.header", 0, n, 24);
    for (size_t n = 24; n < size; n++)
        EXPECT_REFUSED(s->file.data, n, APF_TRUNCATED, "indexed.header", 0, n, size);
    for (size_t i = 0; i < COUNT(versions); i++)
        DAMAGED(s, 8, 8, versions[i] | RB_IR, APF_UNSUPPORTED_VERSION, "indexed.header.version", 8,
                versions[i], versions[i] ? 14 : 1);
    DAMAGED(s, 24, 8, 1, APF_UNSUPPORTED_HASH_TYPE, "indexed.header.hash_type", 24, 1, 0);
    DAMAGED(s, 24, 8, UINT64_MAX, APF_UNSUPPORTED_HASH_TYPE, "indexed.header.hash_type", 24, UINT64_MAX, 0);
    const uint64_t wild[] = {0, 1, s->at.payload - 1, last + 1, s->file.n, (uint64_t)1 << 40, UINT64_MAX};
    for (size_t i = 0; i < COUNT(wild); i++)
        DAMAGED(s, 32, 8, wild[i], APF_TRUNCATED, "indexed.header.hash_offset", 32, wild[i],
                wild[i] < s->at.payload ? s->at.payload : last);
}

static void check_summaries(struct sample *s)
{
    for (unsigned cs = 0; cs < 2; cs++) {
        size_t at = cs ? s->at.cs_summary : s->at.summary, left = s->file.n - at - 16;
        const uint64_t wild[] = {left / 8 + 1, (uint64_t)1 << 61, UINT64_MAX};
        const uint64_t cutoffs[] = {(left - 48) / 24 + 1, (uint64_t)1 << 61, UINT64_MAX / 24 + 1, UINT64_MAX};
        for (size_t i = 0; i < COUNT(wild); i++)
            DAMAGED(s, at, 8, wild[i], APF_TRUNCATED, "indexed.summary.num_fields", at, wild[i], left / 8);
        for (size_t i = 0; i < COUNT(cutoffs); i++)
            DAMAGED(s, at + 8, 8, cutoffs[i], APF_TRUNCATED, "indexed.summary.num_cutoffs", at + 8,
                    cutoffs[i], (left - 48) / 24);
        EXPECT_REFUSED(s->file.data, at + 15, APF_TRUNCATED, "indexed.summary", at, 15, 16);
    }
}

static void test_header(void **state)
{
    (void)state;
    for_versions(1, IB_NEWEST, check_header);
    for_versions(4, IB_NEWEST, check_summaries);
}

/* ---- MemProf ---- */

static const uint64_t schema[] = {1, 5};

/* Left out, whatever is in it. */
static void check_left_out(const struct sample *s, uint64_t variant)
{
    struct opened o;
    open_memory(&o, s->file.data, s->file.n, APF_FLAG_DROP_MEMPROF);
    assert_int_equal(o.code, APF_OK);
    assert_int_equal(o.n_findings, 1);
    EXPECT_FINDING(&o, "quirk.MEMPROF_DROPPED", APF_SEVERITY_NOTE, APF_NOTE, 1);
    assert_int_equal(apf_instr_info(o.instr)->variant, variant & ~IB_MEMPROF);
    assert_null(apf_instr_memprof(o.instr));
    check_record(&o, s->version, &keys[0], &main_records[0]);
    check_sections(apf_instr_info(o.instr), s->version);
    opened_close(&o);
}

static void test_memprof(void **state)
{
    (void)state;
    for (unsigned v = 8; v <= IB_NEWEST; v++) {
        struct sample s = {.version = v};
        struct ib_profile p = profile(v);
        struct mb_section section = {.version = v % 5, .schema = schema, .n_schema = COUNT(schema)};
        struct opened o;
        p.variant |= IB_MEMPROF;
        p.memprof = mb_append;
        p.memprof_context = &section;
        ib_append(&s.file, &p, &s.at);
        open_file(&o, &s.file);
        assert_int_equal(o.n_findings, 0);
        assert_int_equal(apf_instr_info(o.instr)->variant, p.variant);
        assert_int_equal(apf_memprof_info(apf_instr_memprof(o.instr))->n_functions, 2);
        check_record(&o, v, &keys[0], &main_records[0]);
        check_sections(apf_instr_info(o.instr), v);
        opened_close(&o);
        check_left_out(&s, p.variant);
        rb_put(&s.file, section.start, 8, 5); /* no version */
        REFUSED(&s, APF_UNSUPPORTED_VERSION, "indexed.memprof.version", section.start, 5, 4);
        check_left_out(&s, p.variant);
        rb_free(&s.file);
    }
}

/* Before version 8 the bit means nothing. */
static void test_memprof_bit_of_old_versions(void **state)
{
    (void)state;
    for (unsigned v = 4; v < 8; v++) {
        struct rb_file file = {0};
        struct opened o;
        struct ib_profile p = profile(v);
        p.variant |= IB_MEMPROF;
        ib_append(&file, &p, NULL);
        open_file(&o, &file);
        assert_int_equal(o.n_findings, 0);
        opened_close(&o);
        rb_free(&file);
    }
}

/* ---- the hash table ---- */

static void check_buckets(struct sample *s)
{
    size_t at = s->at.buckets, room = (s->file.n - at - 16) / 8, items = (at - s->at.payload) / 24;
    static const uint64_t counts[] = {0, 3, 6, (uint64_t)1 << 61, (uint64_t)1 << 63, UINT64_MAX};
    /* the power of two below; 0: it is one, and does not fit */
    static const uint64_t expected[] = {1, 2, 4, 0, 0, (uint64_t)1 << 63};
    for (size_t i = 0; i < COUNT(counts); i++)
        DAMAGED(s, at, 8, counts[i], APF_MALFORMED, "indexed.table.num_buckets", at, counts[i],
                expected[i] ? expected[i] : room);
    DAMAGED(s, at + 8, 8, items + 1, APF_TRUNCATED, "indexed.table.num_entries", at + 8, items + 1, items);
    DAMAGED(s, at + 8, 8, UINT64_MAX, APF_TRUNCATED, "indexed.table.num_entries", at + 8, UINT64_MAX, items);
    DAMAGED(s, s->at.payload, 2, 0, APF_MALFORMED, "indexed.table.bucket", s->at.payload, 0, 1);
}

/* One entry more than there is: what is after the last one is no bucket. */
static void test_one_entry_more(void **state)
{
    (void)state;
    static const struct ib_key key[] = {{"pad", hot_records, 1}};
    struct rb_file file = {0};
    struct ib_places at;
    struct ib_profile p = {.version = 13, .keys = key, .n_keys = 1};
    ib_append(&file, &p, &at);
    size_t end = at.data[0] + rb_get(&file, at.items[0] + 16, 8);
    assert_true(at.buckets - end >= 2);
    rb_put(&file, at.buckets + 8, 8, 2);
    EXPECT_REFUSED(file.data, file.n, APF_MALFORMED, "indexed.table.bucket", end, 0, 1);
    rb_free(&file);
}

static void check_items(struct sample *s)
{
    for (size_t i = 0; i < COUNT(keys); i++) {
        size_t at = s->at.items[i], key = at + 24, data = s->at.data[i];
        uint64_t id = rb_id(keys[i].name), key_room = s->at.buckets - key, data_room = s->at.buckets - data;
        const uint64_t key_sizes[] = {key_room + 1, key_room + 2, (uint64_t)1 << 63, UINT64_MAX};
        const uint64_t data_sizes[] = {data_room + 1, data_room + 2, (uint64_t)1 << 63, UINT64_MAX};
        for (size_t k = 0; k < COUNT(key_sizes); k++) {
            DAMAGED(s, at + 8, 8, key_sizes[k], APF_TRUNCATED, "indexed.table.item.key_size", at + 8,
                    key_sizes[k], key_room);
            DAMAGED(s, at + 16, 8, data_sizes[k], APF_TRUNCATED, "indexed.table.item.data_size", at + 16,
                    data_sizes[k], data_room);
        }
        DAMAGED(s, at, 8, id ^ 1, APF_MALFORMED, "indexed.table.item.hash", at, id ^ 1, id);
        s->file.data[key] ^= 1;
        char other[16] = {0};
        memcpy(other, s->file.data + key, strlen(keys[i].name));
        REFUSED(s, APF_MALFORMED, "indexed.table.item.hash", at, id, rb_id(other));
        s->file.data[key] ^= 1;
        DAMAGED(s, at + 16, 8, 0, APF_MALFORMED, "indexed.table.item.data_size", at + 16, 0, 16);
    }
}

/* The table is cut off by the bucket array, which lies inside an item. */
static void check_cut_table(struct sample *s)
{
    size_t at = s->at.items[0];
    const size_t n_buckets = 1;
    rb_put(&s->file, 32, 8, at + 20); /* the item's head has 24 bytes */
    rb_put(&s->file, at + 20, 8, n_buckets);
    rb_put(&s->file, at + 28, 8, 0); /* no items: the table is good */
    struct opened o;
    open_memory(&o, s->file.data, s->file.n, 0);
    assert_int_equal(o.code, APF_OK);
    assert_int_equal(apf_instr_info(o.instr)->n_records, 0);
    opened_close(&o);
}

static void test_table(void **state)
{
    (void)state;
    for_versions(1, IB_NEWEST, check_buckets);
    for_versions(1, IB_NEWEST, check_items);
    for_versions(1, IB_NEWEST, check_cut_table);
}

TEST_FILE(indexed_read)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_nameless),
        cmocka_unit_test(test_variant_bits),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_memprof),
        cmocka_unit_test(test_memprof_bit_of_old_versions),
        cmocka_unit_test(test_one_entry_more),
        cmocka_unit_test(test_table),
    };
    return RUN_TESTS(tests);
}
