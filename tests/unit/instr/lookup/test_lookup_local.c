/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All names of a profile, and local functions by their names without the files. */
#include "helpers/shared/fault.h"
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/lookup_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CS ((uint64_t)1 << 60)

static const uint64_t one[] = {1}, two[] = {2}, three[] = {3};
static const struct ib_record first[] = {{.hash = 7, .counts = one, .n_counts = 1},
                                         {.hash = 8, .counts = two, .n_counts = 1}};
static const struct ib_record second[] = {{.hash = CS | 7, .counts = three, .n_counts = 1}};
static const struct ib_key keys[] = {{"z.c;f", first, 2}, {"f2", first, 1},        {"dir/a.c:f", second, 1},
                                     {"g", first, 1},     {"dir/a.c;g", first, 1}, {"", first, 1},
                                     {"ns::f", first, 1}, {"f.c;ff", first, 1}};
/* The same as text, without the name that has no letters. */
static const char text[] =
    "z.c;f\n7\n1\n1\nf2\n7\n1\n1\nz.c;f\n8\n1\n2\ndir/a.c:f\n0x1000000000000007\n1\n3\n"
    "g\n7\n1\n1\ndir/a.c;g\n7\n1\n1\nns::f\n7\n1\n1\nf.c;ff\n7\n1\n1\n";

static void build(struct rb_file *file)
{
    struct ib_places at;
    struct ib_profile p = {
        .version = 13, .variant = RB_IR | RB_CS, .keys = keys, .n_keys = COUNT(keys), .n_buckets = 4};
    ib_append(file, &p, &at);
}

static void expect(struct apf_lookup *l, const char *name, const char *const *names, const uint64_t *counts,
                   size_t count)
{
    size_t n = 77;
    struct apf_record r = {.size = sizeof r};
    struct apf_error e;
    int code = apf_lookup_find_local(l, lookup_name(name), &n, &e);
    assert_int_equal(code, count ? APF_OK : APF_UNKNOWN_FUNCTION);
    assert_int_equal(n, count);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(apf_lookup_record(l, i, &r, NULL), APF_OK);
        assert_int_equal(r.name.n, strlen(names[i]));
        assert_memory_equal(r.name.p, names[i], r.name.n);
        assert_int_equal(r.counts[0], counts[i]);
    }
    assert_int_equal(apf_lookup_record(l, n, &r, NULL), APF_END);
}

static int print(struct apf_lookup *l, const char *name, const uint64_t *hash, uint32_t flags,
                 const char *has, const char *lacks, struct apf_error *e)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    int code = apf_lookup_print(l, lookup_name(name), hash, flags, &output, e);
    if (code == APF_OK) {
        assert_int_equal(apf_buffer_write(&out, "", 1), 0);
        assert_non_null(strstr(out.data, has));
        assert_true(!lacks || !strstr(out.data, lacks));
    }
    apf_buffer_free(&out);
    return code;
}

static void check_print(struct apf_lookup *l)
{
    struct apf_error e;
    const uint64_t eight = 8, nine = 9, cs = CS | 9;
    const uint32_t local = APF_LOOKUP_LOCAL;
    assert_int_equal(print(l, "f", NULL, 0, "", NULL, &e), APF_UNKNOWN_FUNCTION);
    assert_int_equal(print(l, "f", NULL, local, "  z.c;f:\n", "f2", &e), APF_OK);
    assert_int_equal(print(l, "f", NULL, local, "  dir/a.c:f:\n", "ff", &e), APF_OK);
    assert_int_equal(print(l, "f", NULL, local | APF_LOOKUP_JSON, "\"z.c;f\"", "\"f\"", &e), APF_OK);
    assert_int_equal(print(l, "f", &eight, local, "0x0000000000000008", "0x0000000000000007", &e), APF_OK);
    assert_int_equal(print(l, "f", &nine, local, "", NULL, &e), APF_HASH_MISMATCH);
    assert_int_equal(e.found, 7);
    assert_int_equal(print(l, "f", &cs, local, "", NULL, &e), APF_HASH_MISMATCH);
    assert_true(e.found == (CS | 7));
    /* A function of that very name hides the local ones. */
    assert_int_equal(print(l, "g", NULL, local, "  g:\n", "a.c;g", &e), APF_OK);
    assert_int_equal(print(l, "g", &nine, local, "", NULL, &e), APF_HASH_MISMATCH);
    assert_int_equal(print(l, "g", &cs, local, "", NULL, &e), APF_UNKNOWN_FUNCTION);
    assert_int_equal(print(l, "h", NULL, local, "", NULL, &e), APF_UNKNOWN_FUNCTION);
    assert_int_equal(e.code, APF_UNKNOWN_FUNCTION);
    /* Nothing of the search that failed is in the error of a call that succeeds. */
    memset(&e, 'x', sizeof e);
    assert_int_equal(print(l, "f", NULL, local, "", NULL, &e), APF_OK);
    assert_int_equal(((const char *)&e)[0], 'x');
}

static void check_local(struct apf_lookup *l)
{
    static const char *const f[] = {"dir/a.c:f", "z.c;f", "z.c;f"}, *const g[] = {"dir/a.c;g"};
    static const uint64_t counts[] = {3, 1, 2}, single[] = {1};
    expect(l, "f", f, counts, 3);
    expect(l, "g", g, single, 1);
    expect(l, "f2", NULL, NULL, 0); /* not local */
    expect(l, "z.c;f", NULL, NULL, 0);
    expect(l, "", NULL, NULL, 0);
    expect(l, "f", f, counts, 3);
    check_print(l);
}

static void test_local(void **state)
{
    struct rb_file file = {0};
    (void)state;
    build(&file);
    struct apf_lookup *l = lookup_open_bytes(file.data, file.n);
    check_local(l);
    apf_lookup_close(l);
    file_make(temp_path("indexed"), file.data, file.n); /* read by pages */
    l = lookup_open_path(temp_path("indexed"));
    assert_int_equal(apf_lookup_info(l)->whole, 0);
    check_local(l);
    apf_lookup_close(l);
    rb_free(&file);
    l = lookup_open_bytes(text, sizeof text - 1);
    assert_int_equal(apf_lookup_info(l)->whole, 1);
    check_local(l);
    apf_lookup_close(l);
}

/* ---- all names ---- */

struct names {
    size_t n, stop; /* stop: the name at which the walk ends */
    size_t local;
    uint64_t bytes;
};

static int count_name(void *user, struct apf_str name, struct apf_str plain)
{
    struct names *names = (struct names *)user;
    names->bytes += name.n;
    names->local += plain.n != name.n;
    if (name.n)
        assert_true(plain.p + plain.n == name.p + name.n);
    return ++names->n == names->stop;
}

static void test_names(void **state)
{
    struct rb_file file = {0};
    struct apf_error e;
    uint64_t bytes = 0;
    (void)state;
    build(&file);
    struct apf_lookup *l = lookup_open_bytes(file.data, file.n);
    for (size_t i = 0; i < COUNT(keys); i++)
        bytes += strlen(keys[i].name);
    for (size_t stop = 0; stop <= COUNT(keys); stop++) {
        struct names names = {.stop = stop};
        assert_int_equal(apf_lookup_names(l, count_name, &names, &e), stop ? APF_STOPPED : APF_OK);
        assert_int_equal(names.n, stop ? stop : COUNT(keys));
        assert_true(stop || (names.bytes == bytes && names.local == 4));
    }
    apf_lookup_close(l);
    rb_free(&file);
}

/* ---- damage ---- */

static void try_file(const uint8_t *p, size_t n, size_t *found)
{
    struct apf_input input = apf_input_memory(p, n, NULL);
    struct apf_lookup *l;
    struct apf_error e;
    size_t records;
    if (apf_lookup_open(&l, &input, NULL, NULL) != APF_OK)
        return;
    int code = apf_lookup_find_local(l, lookup_name("f"), &records, &e);
    assert_int_equal(code == APF_OK, records > 0);
    if (code != APF_OK && code != APF_UNKNOWN_FUNCTION)
        assert_true(apf_code_is_damage(code));
    *found += code == APF_OK;
    apf_lookup_close(l);
}

static void test_damage(void **state)
{
    struct rb_file file = {0};
    size_t found = 0;
    (void)state;
    build(&file);
    for (size_t n = 8; n < file.n; n++) {
        uint8_t *copy = malloc(n);
        assert_non_null(copy);
        memcpy(copy, file.data, n);
        try_file(copy, n, &found);
        free(copy);
    }
    for (size_t bit = 64; bit < 8 * file.n; bit++) {
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        try_file(file.data, file.n, &found);
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(found > file.n);
    rb_free(&file);
}

static void test_without_memory(void **state)
{
    static const enum fault_call calls[] = {FAULT_MEMORY, FAULT_ARENA};
    struct rb_file file = {0};
    (void)state;
    build(&file);
    for (size_t c = 0; c < COUNT(calls); c++) {
        for (uint64_t k = 1, hit = 1; hit; k++) {
            struct apf_lookup *l = lookup_open_bytes(file.data, file.n);
            struct apf_error e;
            size_t n;
            fault_fail(calls[c], k, ENOMEM);
            int code = apf_lookup_find_local(l, lookup_name("f"), &n, &e);
            hit = fault_hit();
            fault_reset();
            assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
            apf_lookup_close(l);
        }
    }
    rb_free(&file);
}

TEST_FILE(lookup_local)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(test_local),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_without_memory),
    };
    return RUN_TESTS(tests);
}
