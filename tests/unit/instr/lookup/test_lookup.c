/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Single functions of a profile: lookups in every version, their output, and damaged files. */
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/lookup_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CS ((uint64_t)1 << 60)

/* ---- every version ---- */

static const uint64_t main_counts[] = {7, 0, UINT64_MAX - 2}, one[] = {1}, hot[] = {UINT64_MAX, 0};
static const uint8_t bits[] = {0x80, 1, 255}, uniformity[] = {5};
static const struct rb_pair pairs[] = {{0x1122334455667788, 9, false}, {0, 3, false}, {8, 0, false}};
static const struct rb_site sites[] = {{pairs, 3}, {NULL, 0}, {pairs, 1}};
static const struct ib_record main_records[] = {
    {.hash = CS | 5,
     .counts = main_counts,
     .n_counts = 3,
     .bitmap = bits,
     .n_bitmap = 3,
     .uniformity = uniformity,
     .n_uniformity = 1,
     .sites = {sites, sites, sites},
     .n_sites = {3, 1, 2}},
    {.hash = 5, .counts = one, .n_counts = 1, .sites = {NULL, sites}, .n_sites = {0, 3}},
};
static const struct ib_record hot_records[] = {{.hash = UINT64_MAX, .counts = hot, .n_counts = 2}};
static const struct ib_key keys[] = {{"main", main_records, 2},
                                     {"hot", hot_records, 1},
                                     {"a.c;b", hot_records, 1},
                                     {"d.c:e", main_records + 1, 1},
                                     {"", hot_records, 1}};

static struct ib_profile profile(unsigned version)
{
    struct ib_profile p = {.version = version,
                           .variant = version >= 4 ? RB_IR | RB_CS : 0,
                           .keys = keys,
                           .n_keys = COUNT(keys),
                           .n_buckets = version % 2 ? 2 : 8,
                           .vtable_names = {"\x0d\0_ZTV1A\1_ZTV2B", 15}};
    return p;
}

static void check_targets(struct apf_lookup *l, unsigned version)
{
    struct apf_str name;
    assert_int_equal(apf_lookup_name(l, rb_id("a.c;b"), &name, NULL), APF_OK);
    assert_int_equal(name.n, 5);
    assert_memory_equal(name.p, "a.c;b", 5);
    assert_int_equal(apf_lookup_name(l, rb_id("_ZTV2B"), &name, NULL), APF_OK);
    assert_int_equal(name.n, version >= 12 ? 6 : 0);
    assert_int_equal(apf_lookup_name(l, 77, &name, NULL), APF_OK);
    assert_int_equal(name.n, 0);
}

static void test_versions(void **state)
{
    (void)state;
    for (unsigned v = 1; v <= IB_NEWEST; v++) {
        struct rb_file file = {0};
        struct ib_places at;
        struct ib_profile p = profile(v);
        struct opened o;
        ib_append(&file, &p, &at);
        open_file(&o, &file);
        struct apf_lookup *l = lookup_open_bytes(file.data, file.n);
        const struct apf_lookup_info *info = apf_lookup_info(l);
        assert_int_equal(info->format, APF_FORMAT_INDEXED);
        assert_int_equal(info->version, v);
        assert_true(info->variant == p.variant);
        assert_int_equal(info->n_names, COUNT(keys));
        assert_int_equal(info->whole, 0);
        assert_int_equal(lookup_check_all(l, o.instr), v == 1 ? 5 : 6);
        check_targets(l, v);
        apf_lookup_close(l);
        opened_close(&o);
        rb_free(&file);
    }
}

/* ---- the rules ---- */

static void test_rules(void **state)
{
    struct rb_file file = {0};
    struct ib_places at;
    struct ib_profile p = profile(13);
    size_t n;
    struct apf_record r = {.size = sizeof r};
    (void)state;
    ib_append(&file, &p, &at);
    struct apf_lookup *l = lookup_open_bytes(file.data, file.n);
    lookup_expect(l, "main", CS | 5, APF_OK, 7);
    lookup_expect(l, "main", 5, APF_OK, 1);
    lookup_expect(l, "main", 6, APF_HASH_MISMATCH, 0);
    lookup_expect(l, "main", CS | 6, APF_HASH_MISMATCH, 0);
    lookup_expect(l, "hot", 1, APF_UNKNOWN_FUNCTION, 0); /* there is a context-sensitive one only */
    lookup_expect(l, "hot", CS, APF_HASH_MISMATCH, 0);
    lookup_expect(l, "mai", 5, APF_UNKNOWN_FUNCTION, 0);
    lookup_expect(l, "main ", 5, APF_UNKNOWN_FUNCTION, 0);
    lookup_expect(l, "a.c;b", UINT64_MAX, APF_OK, UINT64_MAX);
    lookup_expect(l, "a.c:b", UINT64_MAX, APF_OK, UINT64_MAX); /* the other separator */
    lookup_expect(l, "d.c:e", 5, APF_OK, 1);
    lookup_expect(l, "d.c;e", 5, APF_OK, 1);
    lookup_expect(l, "d.c,e", 5, APF_UNKNOWN_FUNCTION, 0);
    assert_int_equal(apf_lookup_find_all(l, lookup_name("d.c;e"), &n, NULL), APF_OK);
    assert_int_equal(n, 1);
    assert_int_equal(apf_lookup_record(l, 0, &r, NULL), APF_OK);
    assert_memory_equal(r.name.p, "d.c:e", 5); /* as it is in the file */
    assert_int_equal(apf_lookup_find_all(l, lookup_name(""), &n, NULL), APF_OK);
    assert_int_equal(apf_lookup_find_all(l, lookup_name("none"), &n, NULL), APF_UNKNOWN_FUNCTION);
    assert_int_equal(n, 0);
    assert_int_equal(apf_lookup_record(l, 0, &r, NULL), APF_END);
    apf_lookup_close(l);
    rb_free(&file);
}

/* A profile of another format is read whole, with the same answers. */
static void test_whole(void **state)
{
    static const char text[] = "f\n1\n1\n10\na.c:g\n7\n1\n20\nf\n2\n1\n40\n";
    struct opened o;
    (void)state;
    struct apf_lookup *l = lookup_open_bytes(text, sizeof text - 1);
    struct apf_str name;
    struct apf_record r = {.size = sizeof r};
    size_t n;
    assert_int_equal(apf_lookup_info(l)->whole, 1);
    assert_int_equal(apf_lookup_info(l)->format, APF_FORMAT_TEXT);
    assert_int_equal(apf_lookup_info(l)->n_names, 3);
    assert_int_equal(apf_lookup_find_all(l, lookup_name("f"), &n, NULL), APF_OK);
    assert_int_equal(n, 2);
    assert_int_equal(apf_lookup_record(l, 0, &r, NULL), APF_OK);
    assert_int_equal(r.counts[0], 10);
    assert_int_equal(apf_lookup_record(l, 1, &r, NULL), APF_OK);
    assert_int_equal(r.counts[0], 40);
    lookup_expect(l, "a.c;g", 7, APF_OK, 20);
    lookup_expect(l, "f", 3, APF_HASH_MISMATCH, 0);
    lookup_expect(l, "f", CS, APF_UNKNOWN_FUNCTION, 0);
    lookup_expect(l, "g", 7, APF_UNKNOWN_FUNCTION, 0);
    assert_int_equal(apf_lookup_name(l, rb_id("f"), &name, NULL), APF_OK);
    assert_int_equal(name.n, 1);
    open_memory(&o, text, sizeof text - 1, 0);
    assert_int_equal(lookup_check_all(l, o.instr), 3);
    opened_close(&o);
    apf_lookup_close(l);
}

/* ---- damage ---- */

/* Possible results of a lookup in changed bytes. */
static bool is_damage(int code)
{
    return code == APF_TRUNCATED || code == APF_MALFORMED || code == APF_UNKNOWN_FUNCTION ||
           code == APF_HASH_MISMATCH || code == APF_UNSUPPORTED_VERSION ||
           code == APF_UNSUPPORTED_HASH_TYPE || code == APF_UNCOMPRESS_FAILED || code == APF_TOO_LARGE ||
           code == APF_BAD_HEADER;
}

static int try_name(struct apf_lookup *l, const char *name, struct apf_error *error)
{
    struct apf_record r = {.size = sizeof r};
    struct apf_str target;
    size_t n;
    int code = apf_lookup_find_all(l, lookup_name(name), &n, error);
    if (code == APF_OK)
        for (size_t i = 0; apf_lookup_record(l, i, &r, NULL) == APF_OK; i++)
            for (size_t s = 0; s < r.n_sites[0]; s++)
                for (size_t v = 0; code == APF_OK && v < r.sites[0][s].n; v++)
                    code = apf_lookup_name(l, r.sites[0][s].values[v].value, &target, error);
    return code;
}

/* Every name of a file whose bytes may be anything. */
static void try_all(const uint8_t *p, size_t n, size_t *found)
{
    struct apf_input input = apf_input_memory(p, n, NULL);
    struct apf_lookup *l;
    struct apf_error error;
    int code = apf_lookup_open(&l, &input, NULL, &error);
    if (code != APF_OK) {
        assert_null(l);
        assert_int_equal(code, error.code);
        return;
    }
    for (size_t i = 0; i < COUNT(keys); i++) {
        code = try_name(l, keys[i].name, &error);
        *found += code == APF_OK;
        if (code != APF_OK && !is_damage(code))
            fail_msg("%s: %s", keys[i].name, error.message);
    }
    apf_lookup_close(l);
}

/* Cut anywhere, and with every bit of it changed. The copy ends where the file ends. */
static void test_damage(void **state)
{
    static const unsigned versions[] = {1, 3, 9, 12, 14};
    (void)state;
    for (size_t i = 0; i < COUNT(versions); i++) {
        struct rb_file file = {0};
        struct ib_places at;
        struct ib_profile p = profile(versions[i]);
        size_t found = 0, intact = 0;
        ib_append(&file, &p, &at);
        try_all(file.data, file.n, &intact);
        assert_int_equal(intact, COUNT(keys));
        for (size_t n = 8; n < file.n; n++) {
            uint8_t *copy = malloc(n);
            assert_non_null(copy);
            memcpy(copy, file.data, n);
            try_all(copy, n, &found);
            free(copy);
        }
        for (size_t bit = 64; bit < 8 * file.n; bit++) {
            file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
            try_all(file.data, file.n, &found);
            file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        assert_true(found > 8 * file.n); /* mostly the damage is elsewhere */
        rb_free(&file);
    }
}

/* Where exactly, as the reader of whole files says it. */
static void test_places(void **state)
{
    struct rb_file file = {0};
    struct ib_places at;
    struct ib_profile p = profile(12);
    struct apf_error error;
    (void)state;
    ib_append(&file, &p, &at);
    size_t data = at.data[0]; /* of main: hash, number of counters */
    rb_put(&file, data + 8, 8, 1000);
    struct apf_lookup *l = lookup_open_bytes(file.data, file.n);
    assert_int_equal(try_name(l, "main", &error), APF_MALFORMED);
    assert_string_equal(error.where, "indexed.record.num_counters");
    assert_int_equal(error.offset, data + 8);
    assert_int_equal(error.found, 1000);
    assert_int_equal(try_name(l, "hot", &error), APF_OK);
    rb_put(&file, at.items[1] + 16, 8, file.n);
    assert_int_equal(try_name(l, "hot", &error), APF_TRUNCATED);
    assert_string_equal(error.where, "indexed.table.item.data_size");
    assert_int_equal(error.offset, at.items[1] + 16);
    apf_lookup_close(l);
    rb_free(&file);
}

/* ---- printing ---- */

static void check_print(struct apf_lookup *l, const char *name, const uint64_t *hash, uint32_t flags,
                        const char *want)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_lookup_print(l, lookup_name(name), hash, flags, &output, NULL), APF_OK);
    if (out.n != strlen(want) || memcmp(out.data, want, out.n) != 0)
        fail_msg("got %.*s\nwant %s", (int)out.n, (const char *)out.data, want);
    apf_buffer_free(&out);
}

static void test_print(void **state)
{
    struct rb_file file = {0};
    struct ib_places at;
    struct ib_profile p = profile(13);
    const uint64_t plain = 5, context = CS | 5;
    (void)state;
    p.variant = 0;
    ib_append(&file, &p, &at);
    struct apf_lookup *l = lookup_open_bytes(file.data, file.n);
    check_print(
        l, "main", &context, 0,
        "Counters:\n  main:\n    Hash: 0x1000000000000005\n    Counters: 3\n    Function count: 7\n"
        "    Indirect Call Site Count: 3\n    Number of instrumented vtables: 2\n"
        "    Number of Memory Intrinsics Calls: 1\n    Block counts: [0, 18446744073709551613]\n"
        "    Indirect Target Results:\n\t[  0, ,          9 ] (75.00%)\n\t[  0, ,          3 ] (25.00%)\n"
        "\t[  0, ,          0 ] (0.00%)\n\t[  2, ,          9 ] (100.00%)\n    VTable Results:\n"
        "\t[  0, ,          9 ] (75.00%)\n\t[  0, ,          3 ] (25.00%)\n\t[  0, ,          0 ] (0.00%)\n"
        "    Memory Intrinsic Size Results:\n\t[  0, 1234605616436508552,          9 ] (75.00%)\n"
        "\t[  0,    0,          3 ] (25.00%)\n\t[  0,    8,          0 ] (0.00%)\n"
        "    Bitmap bytes: [0x80, 0x01, 0xff]\n");
    check_print(l, "hot", NULL, 0,
                "Counters:\n  hot:\n    Hash: 0xffffffffffffffff\n    Counters: 2    <PseudoHot>\n");
    check_print(
        l, "main", &plain, APF_LOOKUP_JSON,
        "{\n  \"schema\": \"anyprof-lookup/1\",\n  \"generator\": {\n    \"name\": \"anyprof\",\n    "
        "\"version\": "
        "\"0.1.0\"\n  },\n  \"kind\": \"indexed\",\n  \"version\": 13,\n  \"variant\": [],\n  \"functions\": "
        "[\n"
        "    {\"name\": \"main\", \"hash\": \"0x0000000000000005\", \"counts\": [1], \"memory_sizes\": "
        "[[{\"size\": "
        "\"1234605616436508552\", \"count\": 9}, {\"size\": 0, \"count\": 3}, {\"size\": 8, \"count\": 0}], "
        "[], "
        "[{\"size\": \"1234605616436508552\", \"count\": 9}]]}\n  ]\n}\n");
    apf_lookup_close(l);
    rb_free(&file);
}

/* Shares are rounded as printf does it. */
static void test_shares(void **state)
{
    static const uint64_t numbers[][2] = {{1, 3},          {2, 3},         {1, 8},      {1, 800},
                                          {3, 800},        {5, 800},       {999, 1000}, {1, 1000000},
                                          {99995, 100000}, {1, UINT64_MAX}};
    (void)state;
    for (size_t i = 0; i < COUNT(numbers); i++) {
        char text[200], want[80];
        uint64_t a = numbers[i][0], b = numbers[i][1] - a;
        int n = snprintf(text, sizeof text, ":ir\nf\n1\n1\n1\n1\n1\n1\n2\n5:%llu\n6:%llu\n",
                         (unsigned long long)a, (unsigned long long)b);
        struct apf_buffer out = {NULL, 0, 0};
        struct apf_output output = apf_output_buffer(&out);
        struct apf_lookup *l = lookup_open_bytes(text, (size_t)n);
        assert_int_equal(apf_lookup_print(l, lookup_name("f"), NULL, 0, &output, NULL), APF_OK);
        assert_int_equal(apf_buffer_write(&out, "", 1), 0);
        snprintf(want, sizeof want, "(%.2f%%)", (double)a * 100.0 / (double)(a + b));
        if (!strstr(out.data, want))
            fail_msg("no %s in %s", want, (const char *)out.data);
        apf_buffer_free(&out);
        apf_lookup_close(l);
    }
}

TEST_FILE(lookup)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions), cmocka_unit_test(test_rules),  cmocka_unit_test(test_whole),
        cmocka_unit_test(test_damage),   cmocka_unit_test(test_places), cmocka_unit_test(test_print),
        cmocka_unit_test(test_shares),
    };
    return RUN_TESTS(tests);
}
