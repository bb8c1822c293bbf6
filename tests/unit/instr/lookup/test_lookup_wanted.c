/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that a filter finds, and names that are shown in another way. */
#include "helpers/shared/indexed_build.h"
#include "helpers/shared/lookup_open.h"

#include <string.h>

static const uint64_t one[] = {1}, two[] = {2};
static const struct ib_record records[] = {{.hash = 7, .counts = one, .n_counts = 1},
                                           {.hash = 8, .counts = two, .n_counts = 1}};
static const struct ib_key keys[] = {
    {"bc", records, 2}, {"a", records, 1}, {"ab", records, 1}, {"c", records, 1}};

/* An apf_name_filter_fn: names that have the letter, or out of memory at an 'x'. */
static int has_letter(void *user, struct apf_str name)
{
    const char letter = *(const char *)user;
    return letter == 'x' ? -1 : memchr(name.p, letter, name.n) != NULL;
}

/* An apf_name_fn: "<b>" in place of names that begin with b. */
static struct apf_str show(void *user, struct apf_str name)
{
    const struct apf_str shown = {"<b>", 3};
    ++*(int *)user;
    return name.p[0] == 'b' ? shown : name;
}

static void find(struct apf_lookup *l, const char *letter, int wanted, size_t count)
{
    struct apf_error e;
    char copy = *letter;
    size_t n = 77;
    assert_int_equal(apf_lookup_find_wanted(l, has_letter, &copy, &n, &e), wanted);
    assert_int_equal(n, count);
    if (wanted != APF_OK)
        assert_int_equal(e.code, wanted);
}

static void print(struct apf_lookup *l, const uint64_t *hash, uint32_t flags, int wanted, const char *has)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_error e;
    int calls = 0;
    output.show_name = show;
    output.names = &calls;
    assert_int_equal(apf_lookup_print(l, lookup_name("wanted"), hash, flags | APF_LOOKUP_FOUND, &output, &e),
                     wanted);
    if (wanted == APF_OK) {
        assert_int_equal(apf_buffer_write(&out, "", 1), 0);
        assert_non_null(strstr(out.data, has));
        assert_true(calls > 0);
    } else {
        assert_non_null(strstr(e.message, has));
    }
    apf_buffer_free(&out);
}

static void check(struct apf_lookup *l)
{
    const uint64_t eight = 8, nine = 9;
    struct apf_record r = {.size = sizeof r};
    find(l, "z", APF_UNKNOWN_FUNCTION, 0);
    find(l, "x", APF_NO_MEMORY, 0);
    find(l, "b", APF_OK, 3);
    assert_int_equal(apf_lookup_record(l, 0, &r, NULL), APF_OK);
    assert_memory_equal(r.name.p, "ab", 2); /* in the order of the names' bytes */
    print(l, NULL, 0, APF_OK, "  ab:\n");
    print(l, NULL, 0, APF_OK, "  <b>:\n");
    print(l, NULL, APF_LOOKUP_JSON, APF_OK, "{\"name\": \"ab\", \"demangled\": null, ");
    print(l, NULL, APF_LOOKUP_JSON, APF_OK, "{\"name\": \"bc\", \"demangled\": \"<b>\", ");
    print(l, &eight, 0, APF_OK, "Counters:\n  <b>:\n    Hash: 0x0000000000000008\n");
    find(l, "b", APF_OK, 3);
    print(l, &nine, 0, APF_HASH_MISMATCH, "wanted");
}

static void test_wanted(void **state)
{
    static const char text[] = "bc\n7\n1\n1\na\n7\n1\n1\nab\n7\n1\n1\nc\n7\n1\n1\nbc\n8\n1\n2\n";
    struct rb_file file = {0};
    struct ib_places at;
    struct ib_profile p = {
        .version = 13, .variant = RB_IR, .keys = keys, .n_keys = COUNT(keys), .n_buckets = 2};
    (void)state;
    ib_append(&file, &p, &at);
    struct apf_lookup *l = lookup_open_bytes(file.data, file.n);
    check(l);
    apf_lookup_close(l);
    l = lookup_open_bytes(text, sizeof text - 1);
    check(l);
    apf_lookup_close(l);
    rb_free(&file);
}

TEST_FILE(lookup_wanted)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_wanted)};
    return RUN_TESTS(tests);
}
