/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw profiles of every version, pointer width and byte order, read through the public interface. */
#include "helpers/shared/open_memory.h"

#include <string.h>

static const char long_name[] = "_ZN9anamespace5class6methodIiSt6vectorISt4pairIlsESaIS2_EEEEvRKT_RKT0_"
                                "_ZN9anamespace5class6methodIiSt6vectorISt4pairIlsESaIS2_EEEEvRKT_RKT0_";

/* ---- a program with something of everything ---- */

static const uint64_t main_counts[] = {7, 0, (uint64_t)1 << 40};
static const uint64_t callee_counts[] = {0x0123456789abcd};
static const uint64_t local_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
static const uint64_t idle_counts[] = {0, 0};
static const uint64_t main_uniform[] = {7, 1, 2}, callee_uniform[] = {9},
                      idle_uniform[] = {4, 0x8000000000000000};
static const uint64_t local_uniform[] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
static const uint8_t main_bits[] = {0x81, 0, 0xff}, local_bits[] = {1, 2, 4, 8, 16};
static const struct rb_pair called[] = {
    {0x1040, 5, false},    /* callee */
    {0xbad0, 3, false},    /* in another library */
    {0x1080, 1, false},    /* local */
    {0xbad8, 2, false},    /* another unknown one */
    {0x1000, 0, false},    /* main itself, never since a reset */
    {0xfffffff0, 6, true}, /* does not move */
};
static const struct rb_pair sizes[] = {{8, 5, false}, {513, (uint64_t)1 << 56, false}, {0, 1, false}};
static const struct rb_pair tables[] = {
    {0x8010, 4, false}, /* first byte of the first */
    {0x802f, 3, false}, /* its last byte */
    {0x8030, 2, false}, /* after it */
    {0x8100, 9, false}, /* the second */
};
static const struct rb_site main_calls[] = {{called, 6}, {NULL, 0}, {called + 1, 2}},
                            main_sizes[] = {{sizes, 3}};
static const struct rb_site main_tables[] = {{tables, 4}, {tables, 1}};
static const struct rb_site local_sizes[] = {{NULL, 0}, {sizes, 1}};
static const struct rb_function functions[] = {
    {.name = "main",
     .hash = 0x1234,
     .counts = main_counts,
     .n_counts = COUNT(main_counts),
     .address = 0x1000,
     .bitmap = main_bits,
     .n_bitmap = COUNT(main_bits),
     .uniform = main_uniform,
     .sites = {main_calls, main_sizes, main_tables},
     .n_sites = {COUNT(main_calls), COUNT(main_sizes), COUNT(main_tables)}},
    {.name = "callee",
     .hash = 0xfedcba9876543210,
     .counts = callee_counts,
     .n_counts = 1,
     .address = 0x1040,
     .uniform = callee_uniform},
    {.name = "dir/file.c:local",
     .hash = 1,
     .counts = local_counts,
     .n_counts = COUNT(local_counts),
     .address = 0x1080,
     .bitmap = local_bits,
     .n_bitmap = COUNT(local_bits),
     .uniform = local_uniform,
     .gap = 2,
     .sites = {NULL, local_sizes, NULL},
     .n_sites = {0, COUNT(local_sizes), 0}},
    {.name = long_name, .hash = 0, .counts = idle_counts, .n_counts = 2, .uniform = idle_uniform},
};
static const struct rb_vtable vtables[] = {
    {"_ZTV4Base", 0x8010, 0x20},
    {"a.cc;_ZTVN12_GLOBAL__N_14ImplE", 0x80f0, 0x18},
    {"_ZTV4Null", 0, 0x40},
};
static const struct rb_bytes ids[] = {{"\x01\x02\x03\x04\x05\x06\x07\x08", 8}, {"sixteen bytes id", 16}};

static struct rb_profile program(unsigned version, unsigned bytes, bool big)
{
    struct rb_profile p = {.version = version,
                           .bytes = bytes,
                           .big = big,
                           .functions = functions,
                           .n_functions = COUNT(functions),
                           .vtables = vtables,
                           .n_vtables = COUNT(vtables),
                           .ids = ids,
                           .n_ids = COUNT(ids)};
    return p;
}

/* Calls f for every version, width and order. */
static void for_all(void (*f)(struct rb_profile p))
{
    for (unsigned v = 1; v <= RB_NEWEST; v++)
        for (unsigned way = 0; way < 4; way++)
            f(program(v, way & 1 ? 4 : 8, way & 2));
}

/* ---- tests ---- */

static void check_info(struct rb_profile p)
{
    struct rb_file file = {0};
    struct opened o;
    p.variant = p.version > 3 ? RB_IR | RB_ENTRY_FIRST : 0;
    rb_append(&file, &p, NULL);
    open_memory(&o, file.data, file.n, 0);
    assert_int_equal(o.code, APF_OK);
    const struct apf_instr_info *info = apf_instr_info(o.instr);
    assert_int_equal(info->format, APF_FORMAT_RAW);
    assert_int_equal(info->version, p.version);
    assert_int_equal(info->version_word, p.version | p.variant);
    assert_int_equal(info->variant, p.variant);
    assert_int_equal(info->last_variant, p.variant);
    assert_int_equal(info->pointer_bits, 8 * p.bytes);
    assert_int_equal(info->big_endian, p.big);
    assert_int_equal(info->front_end, 0);
    assert_int_equal(info->n_profiles, 1);
    assert_int_equal(info->n_records, 4);
    assert_int_equal(info->n_counters, 15);
    assert_int_equal(info->nameless, 0);
    assert_int_equal(info->n_traces, 0);
    assert_int_equal(info->n_binary_ids, p.version >= 6 ? 2 : 0);
    for (size_t i = 0; i < info->n_binary_ids; i++) {
        assert_int_equal(info->binary_ids[i].n, ids[i].n);
        assert_memory_equal(info->binary_ids[i].p, ids[i].p, ids[i].n);
    }
    assert_int_equal(info->n_vtable_names, p.version >= 10 ? 3 : 0);
    for (size_t i = 0; i < info->n_vtable_names; i++)
        assert_string_equal(info->vtable_names[i].p, vtables[i].name);
    opened_close(&o);
    rb_free(&file);
}

static void test_info(void **state)
{
    (void)state;
    for_all(check_info);
}

static void check_with_loads(struct rb_profile p)
{
    static const uint64_t loads[] = {0, 0x10000, 0x55550000, 0x7f0012340000};
    for (size_t i = 0; i < COUNT(loads); i++) {
        p.load = p.bytes == 4 ? (uint32_t)loads[i] : loads[i];
        check_alone(&p);
    }
}

static void test_every_version(void **state)
{
    (void)state;
    for_all(check_with_loads);
}

static void check_name_forms(struct rb_profile p)
{
    static const char *const more[] = {"inline function without a record", "x"};
    for (p.chunks = 1; p.chunks <= 4; p.chunks++)
        for (p.zlib = 0; p.zlib <= 2; p.zlib++) {
            p.more_names = more;
            p.n_more_names = p.chunks % 2 ? COUNT(more) : 0;
            check_alone(&p);
        }
}

static void test_names(void **state)
{
    (void)state;
    for_all(check_name_forms);
}

/* ValueKindLast says how many kinds a record has; any value is accepted, as in LLVM. */
static void check_kinds(struct rb_profile p)
{
    struct rb_file file = {0};
    struct rb_places at;
    struct opened o;
    if (p.version < 2)
        return;
    for (p.kinds = 1; p.kinds <= rb_kinds(p.version); p.kinds++)
        check_alone(&p);
    p.kinds = 0;
    rb_append(&file, &p, &at);
    rb_put(&file, rb_word_at(p.version, RB_KIND_LAST), 8, 0xffffffffffffffff);
    open_memory(&o, file.data, file.n, 0);
    assert_int_equal(o.code, APF_OK);
    struct record_walk *walk = first_record(&o);
    check_functions(walk, &p, &at);
    last_record(walk, &o);
    rb_free(&file);
}

static void test_value_kinds(void **state)
{
    (void)state;
    for_all(check_kinds);
}

/* Padding that the header names is honoured, whatever it is; what is left in value blocks is passed over. */
static void check_padding(struct rb_profile p)
{
    p.value_slack = 24;
    check_alone(&p);
    for (p.pad_before = 0; p.pad_before < 24; p.pad_before += 3) {
        p.pad_more = 5 * p.pad_before % 16;
        if (p.version >= 5)
            check_alone(&p);
    }
    p.pad_before = 0x4000 - 64;
    p.pad_more = 0x4000;
    check_alone(&p);
}

static void test_padding(void **state)
{
    (void)state;
    for_all(check_padding);
}

/* From version 8 on distances; with 32 bits they wrap at 2^32, be the difference positive or not. */
static void check_distances(struct rb_profile p)
{
    static const int64_t distances[] = {1,         7,         0x12345678, -0x88, -0x2a7, -1,
                                        INT32_MIN, INT32_MAX, -8,         -64,   -200};
    for (size_t i = 0; i < COUNT(distances); i++) {
        p.distance = distances[i];
        check_alone(&p);
    }
    p.distance = p.bytes == 8 ? INT64_MIN : 0;
    check_alone(&p);
}

static void test_distances(void **state)
{
    (void)state;
    for_all(check_distances);
}

/* There is no byte coverage before version 8. */
static void check_counter_forms(struct rb_profile p)
{
    if (p.version < 8)
        return;
    p.variant = RB_BYTES;
    check_alone(&p);
    p.variant |= RB_IR;
    /* Without padding after the counters, names and value data are unaligned, and the length of the file is odd. */
    p.no_padding = true;
    check_alone(&p);
}

static void test_byte_coverage(void **state)
{
    (void)state;
    for_all(check_counter_forms);
}

static void check_uniform(struct rb_profile p)
{
    p.uniform = p.version >= 11;
    check_alone(&p);
}

static void test_uniform(void **state)
{
    (void)state;
    for_all(check_uniform);
}

/* ---- literal bytes ---- */

/* Section 13 of the specification: the smallest useful file of version 10, which llvm-profdata 22 accepts. */
static const uint8_t smallest[208] = {
    0x81,         'r',  'f',  'o',  'r',  'p',  'l',  0xff, 10, 0, 0, 0, 0, 0, 0, 0, /* magic, version */
    [24] = 1,                                                                        /* data */
    [40] = 1,                                                                        /* counters */
    [72] = 3,                                                                        /* names */
    [80] = 0x40,                                                                     /* counters delta */
    [120] = 2,                                                                       /* last kind */
    [128] = 0x8f, 0xa1, 0x4c, 0xdd, 0x75, 0x4f, 0x91, 0xcc,                          /* MD5 of "f" */
    [136] = 5,                                                                       /* hash */
    [144] = 0x40,                                                                    /* counter pointer */
    [176] = 1,                                                                       /* counters */
    [192] = 7,                                                                       /* the counter */
    [200] = 1,    0,    'f',
};

static void test_smallest(void **state)
{
    (void)state;
    struct opened o;
    struct apf_record r = {.size = sizeof r};
    struct apf_str name = {"f", 1}, other = {"g", 1};
    struct apf_error error;
    open_memory(&o, smallest, sizeof smallest, 0);
    assert_int_equal(o.code, APF_OK);
    assert_int_equal(o.n_findings, 0);
    assert_int_equal(apf_instr_info(o.instr)->n_records, 1);
    assert_int_equal(apf_instr_find(o.instr, name, 5, &r, &error), APF_OK);
    assert_int_equal(r.id, 0xcc914f75dd4ca18f);
    assert_int_equal(r.hash, 5);
    assert_int_equal(r.offset, 128);
    assert_int_equal(r.n_counts, 1);
    assert_int_equal(r.counts[0], 7);
    assert_int_equal(r.name.n, 1);
    assert_int_equal(r.n_bitmap + r.n_sites[0] + r.n_sites[1] + r.n_sites[2] + r.n_uniform, 0);
    assert_int_equal(apf_instr_find(o.instr, name, 6, &r, &error), APF_HASH_MISMATCH);
    assert_int_equal(apf_instr_find(o.instr, other, 5, &r, &error), APF_UNKNOWN_FUNCTION);
    assert_int_equal(apf_instr_name(o.instr, 0xcc914f75dd4ca18f).p[0], 'f');
    assert_int_equal(apf_instr_name(o.instr, 1).n, 0);
    opened_close(&o);
}

/* The builder makes the same bytes, so the two readings of the specification agree. */
static void test_builder(void **state)
{
    (void)state;
    static const uint64_t seven[] = {7};
    static const struct rb_function f[] = {{.name = "f", .hash = 5, .counts = seven, .n_counts = 1}};
    struct rb_profile p = {.version = 10, .bytes = 8, .functions = f, .n_functions = 1, .distance = 0x40};
    struct rb_file file = {0};
    struct rb_places at;
    rb_append(&file, &p, &at);
    assert_int_equal(file.n, sizeof smallest);
    /* Addresses without a meaning. */
    rb_put(&file, rb_word_at(10, RB_BITMAP_DELTA), 8, 0);
    rb_put(&file, rb_word_at(10, RB_NAMES_DELTA), 8, 0);
    assert_memory_equal(file.data, smallest, sizeof smallest);
    assert_int_equal(at.data, 128);
    assert_int_equal(at.counters, 192);
    assert_int_equal(at.names, 200);
    assert_int_equal(at.end, 208);
    rb_free(&file);
}

/* ---- targets ---- */

/* Several functions at one address (identical code folding): the one with the lowest id counts. */
static void check_folded(struct rb_profile p)
{
    struct rb_function f[4];
    static const char *const names[] = {"folded a", "folded b", "folded c"};
    for (unsigned order = 0; order < 3; order++) {
        memcpy(f, functions, sizeof f);
        for (unsigned i = 0; i < 3; i++) {
            f[i + 1].name = names[(i + order) % 3];
            f[i + 1].address = 0x1040;
        }
        p.functions = f;
        check_alone(&p);
    }
}

static void test_folded_functions(void **state)
{
    (void)state;
    for_all(check_folded);
}

/* A site holds up to 255 values. */
static void check_full_sites(struct rb_profile p)
{
    static struct rb_pair pairs[255];
    static struct rb_site sites[300];
    static const uint64_t one[] = {1};
    for (unsigned i = 0; i < 255; i++) {
        pairs[i].value = 0x1000 + 8 * i;
        pairs[i].count = i;
    }
    for (unsigned i = 0; i < 300; i++) {
        sites[i].pairs = pairs;
        sites[i].n = i < 3 ? 255 : i % 3;
    }
    struct rb_function f[2] = {
        {.name = "a", .counts = one, .n_counts = 1, .address = 0x1008, .sites = {sites}, .n_sites = {300}},
        {.name = "b", .counts = one, .n_counts = 1, .address = 0x17f0, .sites = {sites}, .n_sites = {1}},
    };
    p.functions = f;
    p.n_functions = 2;
    p.load = 0x3000;
    check_alone(&p);
}

static void test_full_sites(void **state)
{
    (void)state;
    for_all(check_full_sites);
}

TEST_FILE(raw_read)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_every_version),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_value_kinds),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_byte_coverage),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_builder),
        cmocka_unit_test(test_folded_functions),
        cmocka_unit_test(test_full_sites),
    };
    return RUN_TESTS(tests);
}
