/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inputs that are summed apart, because of their variants, until it is known what goes together: then equal records are
 * added as if they had been summed together. And what is added record by record. */
#include "helpers/shared/unit.h"

#include <stdio.h>
#include <string.h>

#include <anyprof/anyprof.h>

#include "helpers/shared/indexed_build.h"
#include "helpers/shared/raw_build.h"

#define BLOCKS APF_VARIANT_ENTRY_FIRST /* of another class than plain IR, and not against it */

struct run {
    struct apf_merge *merge;
    struct apf_instr *view;
    struct rb_file files[4];
    size_t n;
};

static void start(struct run *r)
{
    memset(r, 0, sizeof *r);
    assert_int_equal(apf_merge_new(&r->merge, NULL, NULL), APF_OK);
}

static void add_bytes(struct run *r, const void *p, size_t n)
{
    struct apf_input input = apf_input_memory(p, n, NULL);
    assert_int_equal(apf_merge_add(r->merge, &input, 1, NULL), APF_OK);
    assert_int_equal(apf_merge_stats(r->merge)->n_rejected, 0);
}

static const struct apf_record *find(struct run *r, const char *name, uint64_t hash)
{
    static struct apf_record record;
    struct apf_str s = {name, strlen(name)};
    record.size = sizeof record;
    assert_int_equal(apf_merge_view(r->merge, &r->view, NULL), APF_OK);
    assert_int_equal(apf_instr_find(r->view, s, hash, &record, NULL), APF_OK);
    return &record;
}

static void finish(struct run *r)
{
    apf_merge_free(r->merge);
    for (size_t i = 0; i < r->n; i++)
        rb_free(&r->files[i]);
}

/* ---- uniform counters ---- */

static const uint64_t counts[] = {100, 100};

static void add_raw(struct run *r, uint64_t variant, const uint64_t *uniform)
{
    struct rb_function f = {.name = "f", .hash = 1, .counts = counts, .n_counts = 2, .uniform = uniform};
    struct rb_profile p = {.version = 11,
                           .bytes = 8,
                           .variant = RB_IR | variant,
                           .functions = &f,
                           .n_functions = 1,
                           .uniform = uniform != NULL};
    struct rb_file *file = &r->files[r->n++];
    rb_append(file, &p, NULL);
    add_bytes(r, file->data, file->n);
}

static void add_indexed(struct run *r, uint64_t variant, const uint8_t *bits, size_t n)
{
    struct ib_record record = {
        .hash = 1, .counts = counts, .n_counts = 2, .uniformity = bits, .n_uniformity = n};
    struct ib_key key = {"f", &record, 1};
    struct ib_profile p = {.version = 14, .variant = RB_IR | variant, .keys = &key, .n_keys = 1};
    struct rb_file *file = &r->files[r->n++];
    ib_append(file, &p, NULL);
    add_bytes(r, file->data, file->n);
}

static void expect_uniformity(struct run *r, uint64_t sum, uint8_t bits)
{
    const struct apf_record *f = find(r, "f", 1);
    assert_int_equal(f->counts[0], sum);
    assert_int_equal(f->counts[1], sum);
    assert_int_equal(f->n_uniformity, 1);
    assert_int_equal(f->uniformity[0], bits);
    finish(r);
}

/* A counter is uniform if its uniform counter is not more than a tenth below it. The first file alone has 0xfd, the
 * second 0xff; their sums have 0xff. */
static void test_uniform_counters_are_added(void **state)
{
    static const uint64_t first[] = {95, 50}, second[] = {90, 130};
    struct run r;
    (void)state;
    start(&r);
    add_raw(&r, 0, first);
    expect_uniformity(&r, 100, 0xfd);
    start(&r);
    add_raw(&r, BLOCKS, second);
    expect_uniformity(&r, 100, 0xff);
    for (unsigned what = 0; what < 4; what++) { /* of one class, and of two */
        start(&r);
        add_raw(&r, what & 1 ? BLOCKS : 0, first);
        add_raw(&r, what & 2 ? BLOCKS : 0, second);
        assert_int_equal(find(&r, "f", 1)->n_uniform, 2);
        assert_int_equal(find(&r, "f", 1)->uniform[0], 185);
        assert_int_equal(find(&r, "f", 1)->uniform[1], 180);
        expect_uniformity(&r, 200, 0xff);
    }
}

/* Where some have bits only, they are what all have in common. */
static void test_uniformity_bits_are_joined(void **state)
{
    static const uint64_t first[] = {95, 50};
    static const uint8_t bits[] = {0xfe}, more[] = {0x7f}, longer[] = {0xff, 0xff};
    struct run r;
    (void)state;
    for (unsigned what = 0; what < 8; what++) {
        uint64_t a = what & 1 ? BLOCKS : 0, b = what & 2 ? BLOCKS : 0, c = what & 4 ? BLOCKS : 0;
        start(&r);
        add_raw(&r, a, first);
        add_indexed(&r, b, bits, 1);
        add_indexed(&r, c, more, 1);
        expect_uniformity(&r, 300, 0x7c);
        start(&r); /* a file without them says nothing */
        add_indexed(&r, a, bits, 1);
        add_raw(&r, b, NULL);
        add_indexed(&r, c, more, 1);
        expect_uniformity(&r, 300, 0x7e);
        start(&r); /* bits of other lengths cannot be joined */
        add_indexed(&r, a, bits, 1);
        add_indexed(&r, b, longer, 2);
        add_indexed(&r, c, bits, 1);
        assert_int_equal(find(&r, "f", 1)->n_uniformity, 0);
        finish(&r);
    }
}

/* ---- values ---- */

static void add_text(struct run *r, const char *text)
{
    add_bytes(r, text, strlen(text));
}

static void test_values_of_two_classes(void **state)
{
    struct run r;
    (void)state;
    static const char *const headers[] = {":ir\n", ":ir\n:entry_first\n"};
    for (unsigned what = 0; what < 4; what++) {
        char a[200] = "", b[200] = "";
        strcat(strcat(a, headers[what & 1]), "f\n1\n1\n5\n1\n1\n2\n3\n8:18446744073709551000\n1:1\n9:2\n0\n");
        strcat(strcat(b, headers[what >> 1]), "f\n1\n1\n5\n1\n1\n2\n2\n8:616\n3:9\n1\n4:4\n");
        start(&r);
        add_text(&r, a);
        add_text(&r, b);
        const struct apf_record *f = find(&r, "f", 1);
        assert_int_equal(f->n_sites[1], 2);
        assert_int_equal(f->sites[1][0].n, 4);
        assert_int_equal(f->sites[1][0].values[0].value, 8);
        assert_true(f->sites[1][0].values[0].count == UINT64_MAX);
        assert_int_equal(f->sites[1][0].values[1].value, 3);
        assert_int_equal(f->sites[1][1].n, 1);
        assert_true(f->flags & APF_RECORD_SATURATED);
        assert_int_equal(apf_merge_stats(r.merge)->saturated, 1);
        finish(&r);
    }
}

/* Two targets that get one name are one value, whose count is cut when it is too large. */
static void test_targets_that_become_one(void **state)
{
    struct run r;
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_write_options w = {.size = sizeof w, .target = {2, 0, 13}};
    struct apf_record f = {.size = sizeof f};
    struct apf_instr *written = NULL;
    struct apf_str name = {"main", 4};
    (void)state;
    start(&r);
    add_text(&r, ":ir\nmain\n1\n1\n5\n1\n0\n1\n3\na.c:g:18446744073709551610\na.c;g:10\nmain:3\n"
                 "a.c:g\n2\n1\n1\n\na.c;g\n3\n1\n1\n\n");
    assert_int_equal(apf_merge_write(r.merge, &w, &output, NULL), APF_OK);
    assert_int_equal(apf_merge_stats(r.merge)->renamed, 1);
    assert_int_equal(apf_merge_stats(r.merge)->saturated, 1);
    struct apf_input input = apf_input_memory(out.data, out.n, NULL);
    assert_int_equal(apf_instr_open(&written, &input, NULL, NULL), APF_OK);
    assert_int_equal(apf_instr_find(written, name, 1, &f, NULL), APF_OK);
    assert_int_equal(f.sites[0][0].n, 2);
    assert_int_equal(f.sites[0][0].values[0].value, rb_id("a.c;g"));
    assert_true(f.sites[0][0].values[0].count == UINT64_MAX);
    assert_int_equal(f.sites[0][0].values[1].count, 3);
    apf_instr_close(written);
    apf_buffer_free(&out);
    finish(&r);
}

/* ---- records one by one ---- */

#define VTABLES 90u /* enough that some meet in the map whose order is written */

static void write_indexed(struct run *r, struct apf_buffer *out)
{
    struct apf_output output = apf_output_buffer(out);
    struct apf_write_options w = {.size = sizeof w, .flags = APF_WRITE_VTABLE_NAMES, .target = {2, 0, 13}};
    assert_int_equal(apf_merge_write(r->merge, &w, &output, NULL), APF_OK);
}

/* They have the variant that was set, and are one source more: names of vtables come as if sorted then. */
static void test_records_beside_an_input(void **state)
{
    char input[2000];
    uint64_t five[] = {5};
    struct apf_record record = {
        .size = sizeof record, .name = {"made", 4}, .hash = 3, .counts = five, .n_counts = 1};
    struct apf_buffer by_record = {NULL, 0, 0}, by_text = {NULL, 0, 0};
    struct run r;
    (void)state;
    size_t n = (size_t)snprintf(input, sizeof input, ":ir\nmain\n1\n1\n5\n1\n2\n1\n%u\n", VTABLES);
    for (unsigned i = VTABLES; i > 0; i--) /* not sorted */
        n += (size_t)snprintf(input + n, sizeof input - n, "_ZTV%u:%u\n", i, i);
    assert_true(n < sizeof input);
    start(&r);
    assert_int_equal(apf_merge_set_variant(r.merge, APF_VARIANT_IR, NULL), APF_OK);
    add_text(&r, input);
    assert_int_equal(apf_merge_add_record(r.merge, &record, 2, NULL), APF_OK);
    assert_int_equal(find(&r, "made", 3)->counts[0], 10);
    assert_true(apf_instr_info(r.view)->variant == APF_VARIANT_IR);
    write_indexed(&r, &by_record);
    finish(&r);
    start(&r);
    add_text(&r, input);
    add_text(&r, ":ir\nmade\n3\n1\n10\n");
    write_indexed(&r, &by_text);
    finish(&r);
    assert_int_equal(by_record.n, by_text.n);
    assert_memory_equal(by_record.data, by_text.data, by_text.n);
    apf_buffer_free(&by_record);
    apf_buffer_free(&by_text);
}

/* The variant bits of the profile that a merge of one record writes. */
static uint64_t written_variant(struct run *r)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_instr *written = NULL;
    assert_int_equal(apf_merge_write(r->merge, NULL, &output, NULL), APF_OK);
    struct apf_input input = apf_input_memory(out.data, out.n, NULL);
    assert_int_equal(apf_instr_open(&written, &input, NULL, NULL), APF_OK);
    uint64_t variant = apf_instr_info(written)->variant;
    apf_instr_close(written);
    apf_buffer_free(&out);
    return variant;
}

/* All variants that have a name can be set, and what is written can be read. All others are refused, and change
 * nothing. */
static void test_variants_that_are_set(void **state)
{
    const uint64_t one[] = {1};
    const struct apf_record record = {
        .size = sizeof record, .name = {"f", 1}, .hash = 1, .counts = one, .n_counts = 1};
    struct apf_error error;
    struct run r;
    (void)state;
    for (uint64_t set = 0; set < 1 << 9; set++) {
        uint64_t variant = set << 55;
        start(&r);
        assert_int_equal(apf_merge_set_variant(r.merge, variant, &error), APF_OK);
        assert_int_equal(apf_merge_add_record(r.merge, &record, 1, NULL), APF_OK);
        variant &= ~(APF_VARIANT_MEMPROF | APF_VARIANT_DEBUG_CORRELATE);
        assert_true(written_variant(&r) == variant);
        for (unsigned bit = 0; set % 100 == 0 && bit < 55; bit++) {
            assert_int_equal(apf_merge_view(r.merge, &r.view, NULL), APF_OK);
            assert_int_equal(apf_merge_set_variant(r.merge, (uint64_t)1 << bit | APF_VARIANT_IR, &error),
                             APF_ARGUMENT);
            assert_int_equal(error.subject, APF_SUBJECT_OPTION);
            assert_true(apf_instr_info(r.view)->variant == variant);
        }
        assert_true(written_variant(&r) == variant);
        finish(&r);
    }
}

TEST_FILE(merge_classes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform_counters_are_added), cmocka_unit_test(test_uniformity_bits_are_joined),
        cmocka_unit_test(test_values_of_two_classes),      cmocka_unit_test(test_targets_that_become_one),
        cmocka_unit_test(test_records_beside_an_input),    cmocka_unit_test(test_variants_that_are_set),
    };
    return RUN_TESTS(tests);
}
