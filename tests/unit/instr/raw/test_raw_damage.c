/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw files whose header is good, with damage in names, data records and value data: code, place and both numbers. */
#include "helpers/shared/open_memory.h"
#include "helpers/shared/raw_sample.h"

#include <string.h>

#define REFUSED(s, code, where, offset, found, expected)                                                     \
    EXPECT_REFUSED((s)->file.data, (s)->file.n, code, where, offset, found, expected)

/* ---- names ---- */

/* A file of version 10 whose names section is these bytes. */
static void with_names(struct rb_file *file, struct rb_places *at, const void *names, size_t n)
{
    struct rb_profile p = {.version = 10, .bytes = 8};
    rb_append(file, &p, at);
    rb_append_bytes(file, names, n);
    rb_append_zeros(file, -n & 7);
    rb_put(file, rb_word_at(10, RB_NAMES_SIZE), 8, n);
}

#define NAMES_REFUSED(bytes, code, offset, found, expected)                                                  \
    do {                                                                                                     \
        struct rb_file file_ = {0};                                                                          \
        struct rb_places at_;                                                                                \
        with_names(&file_, &at_, bytes, sizeof bytes - 1);                                                   \
        EXPECT_REFUSED(file_.data, file_.n, code, "raw.names", at_.names + (offset), found, expected);       \
        rb_free(&file_);                                                                                     \
    } while (0)

static void test_name_chunks(void **state)
{
    (void)state;
    /* Length of the text, length of the stream, text. Numbers that do not end, or that have more than 64 bits. */
    NAMES_REFUSED("\x80", APF_MALFORMED, 0, 0, 1);
    NAMES_REFUSED("\x81\x80\x80", APF_MALFORMED, 0, 0, 3);
    NAMES_REFUSED("\x03\x80", APF_MALFORMED, 0, 0, 2);
    NAMES_REFUSED("\x03", APF_MALFORMED, 0, 0, 1);
    NAMES_REFUSED("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02\x01x", APF_MALFORMED, 0, 0, 12);
    NAMES_REFUSED("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x01x", APF_MALFORMED, 0, 0, 13);
    /* Text and stream that run past the section, by one byte and by far. */
    NAMES_REFUSED("\x04\0abc", APF_MALFORMED, 2, 4, 3);
    NAMES_REFUSED("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\0abc", APF_MALFORMED, 11, UINT64_MAX, 3);
    NAMES_REFUSED("\x04\x04"
                  "abc",
                  APF_MALFORMED, 2, 4, 3);
    NAMES_REFUSED("\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                  "abc",
                  APF_MALFORMED, 11, UINT64_MAX, 3);
    /* The second chunk, after zeros. */
    NAMES_REFUSED("\x03\0abc\0\0\0\x04\0abc", APF_MALFORMED, 10, 4, 3);
    /* Names without a character: alone, between, first and last. */
    NAMES_REFUSED("\0\0", APF_MALFORMED, 0, 0, 1);
    NAMES_REFUSED("\x04\0a\1\1b", APF_MALFORMED, 0, 0, 1);
    NAMES_REFUSED("\x02\0\1a", APF_MALFORMED, 0, 0, 1);
    NAMES_REFUSED("\x02\0a\1", APF_MALFORMED, 0, 0, 1);
    NAMES_REFUSED("\x03\0abc\x02\0a\1", APF_MALFORMED, 5, 0, 1);
}

/* "aaaa" of 4 letters, in a zlib stream of 12 bytes. */
#define STREAM "\x78\x9c\x4b\x4c\x4c\x4c\x04\0\x03\xce\x01\x85"

static void test_name_streams(void **state)
{
    (void)state;
    struct rb_file file = {0};
    struct rb_places at;
    struct opened o;
    with_names(&file, &at, "\x04\x0c" STREAM, 14);
    open_file(&o, &file);
    assert_int_equal(apf_instr_name(o.instr, rb_id("aaaa")).n, 4);
    opened_close(&o);
    rb_free(&file);
    NAMES_REFUSED("\x05\x0c" STREAM, APF_UNCOMPRESS_FAILED, 0, 5, 12); /* another length */
    NAMES_REFUSED("\x03\x0c" STREAM, APF_UNCOMPRESS_FAILED, 0, 3, 12);
    NAMES_REFUSED("\0\x0c" STREAM, APF_UNCOMPRESS_FAILED, 0, 0, 12);
    NAMES_REFUSED("\x04\x0b" STREAM, APF_UNCOMPRESS_FAILED, 0, 4, 11); /* its end is missing */
    NAMES_REFUSED("\x04\x0c\x79" STREAM, APF_UNCOMPRESS_FAILED, 0, 4, 12);
    NAMES_REFUSED("\x04\x01\x78", APF_UNCOMPRESS_FAILED, 0, 4, 1);
    /* No stream can be that good: refused before there is memory for it. */
    NAMES_REFUSED("\x80\x80\x80\x80\x80\x20\x0c" STREAM, APF_UNCOMPRESS_FAILED, 0, (uint64_t)1 << 40, 12);
    NAMES_REFUSED("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x0c" STREAM, APF_UNCOMPRESS_FAILED, 0, UINT64_MAX,
                  12);
}

/* A stream that is good, but larger than the caller allows. */
static void test_name_limit(void **state)
{
    (void)state;
    static char name[5000];
    const char *const names[] = {name};
    struct rb_profile p = {.version = 10, .bytes = 8, .more_names = names, .n_more_names = 1, .zlib = 1};
    struct rb_file file = {0};
    struct rb_places at;
    struct opened o;
    memset(name, 'a', sizeof name - 1);
    rb_append(&file, &p, &at);
    struct apf_options options = {.max_bytes = sizeof name - 1};
    open_memory_options(&o, file.data, file.n, &options);
    assert_int_equal(o.code, APF_OK);
    opened_close(&o);
    options.max_bytes--;
    open_memory_options(&o, file.data, file.n, &options);
    assert_int_equal(o.code, APF_LIMIT);
    assert_string_equal(o.error.where, "raw.names");
    assert_int_equal(o.error.offset, at.names);
    assert_int_equal(o.error.found, sizeof name - 1);
    assert_int_equal(o.error.expected, sizeof name - 2);
    rb_free(&file);
}

static void test_vtable_names(void **state)
{
    (void)state;
    for (unsigned v = 10; v <= RB_NEWEST; v++) {
        struct rb_profile p = {.version = v, .bytes = 8};
        struct rb_file file = {0};
        rb_append(&file, &p, NULL);
        size_t at = file.n;
        rb_append_bytes(&file, "\x07\0abcdef", 8);
        rb_put(&file, rb_word_at(v, RB_VNAMES_SIZE), 8, 8);
        EXPECT_REFUSED(file.data, file.n, APF_MALFORMED, "raw.vtable_names", at + 2, 7, 6);
        rb_free(&file);
    }
}

/* Up to version 2 records point to their names. */
static void check_name_pointers(struct raw_sample *s)
{
    if (s->p.version > 2)
        return;
    size_t at = s->at.data + s->record, pointer = raw_sample_field(s, 1, RB_NAME_PTR),
           size = raw_sample_field(s, 1, RB_NAME_SIZE);
    uint64_t good = rb_get(&s->file, pointer, s->p.bytes), mask = s->p.bytes == 4 ? UINT32_MAX : UINT64_MAX;
    rb_put(&s->file, pointer, s->p.bytes, good + 1); /* at 6 of 11 bytes, 6 long */
    REFUSED(s, APF_MALFORMED, "raw.record.name", at, 6, 11);
    rb_put(&s->file, pointer, s->p.bytes, good + 7);
    REFUSED(s, APF_MALFORMED, "raw.record.name", at, 12, 11);
    rb_put(&s->file, pointer, s->p.bytes, good - 6);
    REFUSED(s, APF_MALFORMED, "raw.record.name", at, mask, 11);
    rb_put(&s->file, pointer, s->p.bytes, good);
    rb_put(&s->file, size, 4, 7);
    REFUSED(s, APF_MALFORMED, "raw.record.name", at, 5, 11);
    rb_put(&s->file, size, 4, UINT32_MAX);
    REFUSED(s, APF_MALFORMED, "raw.record.name", at, 5, 11);
    rb_put(&s->file, size, 4, 0);
    REFUSED(s, APF_MALFORMED, "raw.record.name", at, 5, 11);
}

static void test_name_pointers(void **state)
{
    (void)state;
    for_all_raw_samples(check_name_pointers);
}

/* ---- counters, bitmaps, uniform counters ---- */

/* Damages the pointer of record 1, whose first entry is at byte `start` of a section of `size` bytes. */
static void check_pointer(struct raw_sample *s, enum rb_field f, const char *where, uint64_t start,
                          uint64_t size)
{
    unsigned bytes = s->p.bytes;
    size_t at = raw_sample_field(s, 1, f);
    uint64_t good = rb_get(&s->file, at, bytes), mask = bytes == 4 ? UINT32_MAX : UINT64_MAX;
    const uint64_t offsets[] = {size, size + 8, -(uint64_t)8, (uint64_t)1 << (8 * bytes - 1),
                                ((uint64_t)1 << (8 * bytes - 1)) - 8};
    for (size_t i = 0; i < COUNT(offsets); i++) {
        rb_put(&s->file, at, bytes, good - start + offsets[i]);
        REFUSED(s, APF_MALFORMED, where, at, offsets[i] & mask, size - 1);
    }
    rb_put(&s->file, at, bytes, good);
}

static void check_counters(struct raw_sample *s)
{
    size_t at = raw_sample_field(s, 1, RB_NUM_COUNTS), pointer = raw_sample_field(s, 1, RB_COUNTER_PTR);
    check_pointer(s, RB_COUNTER_PTR, "raw.record.counter_ptr", 24, 32);
    rb_put(&s->file, at, 4, 0);
    REFUSED(s, APF_MALFORMED, "raw.record.num_counters", at, 0, 1);
    rb_put(&s->file, at, 4, 2);
    REFUSED(s, APF_MALFORMED, "raw.record.counter_ptr", pointer, 2, 1);
    rb_put(&s->file, at, 4, UINT32_MAX);
    REFUSED(s, APF_MALFORMED, "raw.record.counter_ptr", pointer, UINT32_MAX, 1);
    rb_put(&s->file, pointer, s->p.bytes, rb_get(&s->file, pointer, s->p.bytes) - 16);
    rb_put(&s->file, at, 4, 4);
    REFUSED(s, APF_MALFORMED, "raw.record.counter_ptr", pointer, 4, 3);
}

static void check_bitmaps(struct raw_sample *s)
{
    if (s->p.version < 9)
        return;
    size_t at = raw_sample_field(s, 1, RB_BITMAP_BYTES), pointer = raw_sample_field(s, 1, RB_BITMAP_PTR);
    check_pointer(s, RB_BITMAP_PTR, "raw.record.bitmap_ptr", 5, 7);
    rb_put(&s->file, at, 4, 3);
    REFUSED(s, APF_MALFORMED, "raw.record.bitmap_ptr", pointer, 3, 2);
    rb_put(&s->file, at, 4, UINT32_MAX);
    REFUSED(s, APF_MALFORMED, "raw.record.bitmap_ptr", pointer, UINT32_MAX, 2);
}

static void check_uniform(struct raw_sample *s)
{
    if (s->p.version < 11)
        return;
    size_t word = rb_word_at(11, RB_NUM_UNIFORM), pad = rb_word_at(11, RB_PAD_UNIFORM);
    check_pointer(s, RB_UNIFORM_PTR, "raw.record.uniform_ptr", 24, 32);
    /* One entry less: what was the last is padding. */
    rb_put(&s->file, word, 8, 3);
    rb_put(&s->file, pad, 8, 8);
    REFUSED(s, APF_MALFORMED, "raw.record.uniform_ptr", raw_sample_field(s, 1, RB_UNIFORM_PTR), 24, 23);
    rb_put(&s->file, word, 8, 2);
    rb_put(&s->file, pad, 8, 16);
    REFUSED(s, APF_MALFORMED, "raw.record.uniform_ptr", raw_sample_field(s, 0, RB_UNIFORM_PTR), 3, 2);
}

static void test_spans(void **state)
{
    (void)state;
    for_all_raw_samples(check_counters);
    for_all_raw_samples(check_bitmaps);
    for_all_raw_samples(check_uniform);
}

/* A section of no bytes that a record points into. */
static void test_empty_sections(void **state)
{
    (void)state;
    struct raw_sample s;
    make_raw_sample(&s, 10, 8, false);
    rb_put(&s.file, rb_word_at(10, RB_NUM_BITMAP), 8, 0);
    rb_put(&s.file, rb_word_at(10, RB_PAD_BITMAP), 8, 8);
    REFUSED(&s, APF_MALFORMED, "raw.record.bitmap_ptr", raw_sample_field(&s, 0, RB_BITMAP_PTR), 0, 0);
    rb_put(&s.file, rb_word_at(10, RB_NUM_COUNTERS), 8, 0);
    rb_put(&s.file, rb_word_at(10, RB_PAD_COUNTERS), 8, 32);
    REFUSED(&s, APF_MALFORMED, "raw.record.counter_ptr", raw_sample_field(&s, 0, RB_COUNTER_PTR), 0, 0);
    rb_free(&s.file);
}

/* A timestamp, and no counter after it. */
static void test_only_a_timestamp(void **state)
{
    (void)state;
    for (unsigned v = 8; v <= RB_NEWEST; v++)
        for (unsigned way = 0; way < 2; way++) {
            struct rb_profile p = {.version = v,
                                   .bytes = 8,
                                   .functions = raw_sample_functions,
                                   .n_functions = 1,
                                   .variant = RB_IR | RB_TEMPORAL};
            struct rb_file file = {0};
            struct rb_places at;
            p.variant |= way ? RB_BYTES : 0;
            rb_append(&file, &p, &at);
            size_t n = at.data + rb_field_at(v, 8, RB_NUM_COUNTS);
            rb_put(&file, n, 4, way ? 8 : 1);
            EXPECT_REFUSED(file.data, file.n, APF_MALFORMED, "raw.record.num_counters", n, 0, 1);
            rb_free(&file);
        }
}

/* ---- value data ---- */

static void check_block(struct raw_sample *s)
{
    size_t at = s->at.values;
    if (s->p.version < 2)
        return;
    uint64_t total = rb_get(&s->file, at, 4), left = s->file.n - at;
    const uint64_t short_sizes[] = {0, 1, 4, 7};
    rb_put(&s->file, at, 4, left + 1);
    REFUSED(s, APF_TOO_LARGE, "value_data.total_size", at, left + 1, left);
    rb_put(&s->file, at, 4, UINT32_MAX);
    REFUSED(s, APF_TOO_LARGE, "value_data.total_size", at, UINT32_MAX, left);
    for (size_t i = 0; i < COUNT(short_sizes); i++) {
        rb_put(&s->file, at, 4, short_sizes[i]);
        REFUSED(s, APF_MALFORMED, "value_data.total_size", at, short_sizes[i], 8);
    }
    rb_put(&s->file, at, 4, total - 3);
    REFUSED(s, APF_MALFORMED, "value_data.total_size", at, total - 3, total);
    rb_put(&s->file, at, 4, total);
    rb_put(&s->file, at + 4, 4, 4);
    REFUSED(s, APF_MALFORMED, "value_data.num_kinds", at + 4, 4, 3);
    rb_put(&s->file, at + 4, 4, UINT32_MAX);
    REFUSED(s, APF_MALFORMED, "value_data.num_kinds", at + 4, UINT32_MAX, 3);
}

/* The second block begins where the first ends; its last bytes are missing. */
static void check_truncated(struct raw_sample *s)
{
    size_t at = s->at.values;
    if (s->p.version < 2)
        return;
    size_t second = at + rb_get(&s->file, at, 4);
    for (size_t n = 0; n < 8; n++) {
        EXPECT_REFUSED(s->file.data, second + n, APF_TRUNCATED, "value_data.total_size", second, n, 8);
        if (n >= 4) /* less of the first might be zeros */
            EXPECT_REFUSED(s->file.data, at + n, APF_TRUNCATED, "value_data.total_size", at, n, 8);
    }
    EXPECT_REFUSED(s->file.data, s->file.n - 1, APF_TOO_LARGE, "value_data.total_size", second,
                   s->file.n - second, s->file.n - 1 - second);
}

/* Kind 0 of the first block: 2 sites with 2 and 1 values, so 8 + 8 + 48 bytes; then kind 1, where there is one. */
static void check_kinds(struct raw_sample *s)
{
    size_t block = s->at.values, at = block + 8, next = at + 64;
    if (s->p.version < 2)
        return;
    uint64_t room = rb_get(&s->file, block, 4) - 8;
    rb_put(&s->file, at, 4, 3);
    REFUSED(s, APF_MALFORMED, "value_data.kind", at, 3, 2);
    rb_put(&s->file, at, 4, UINT32_MAX);
    REFUSED(s, APF_MALFORMED, "value_data.kind", at, UINT32_MAX, 2);
    rb_put(&s->file, at, 4, 0);
    rb_put(&s->file, at + 4, 4, UINT32_MAX); /* sites */
    REFUSED(s, APF_MALFORMED, "value_data.kind.size", at, 8 + ((uint64_t)1 << 32), room);
    rb_put(&s->file, at + 4, 4, room - 7);
    REFUSED(s, APF_MALFORMED, "value_data.kind.size", at, 8 + room, room);
    rb_put(&s->file, at + 4, 4, 2);
    s->file.data[at + 8] = 255; /* values of the first site */
    REFUSED(s, APF_MALFORMED, "value_data.kind.size", at, 16 + 16 * 256, room);
    s->file.data[at + 8] = 2;
    if (rb_kinds(s->p.version) < 2) {
        rb_put(&s->file, block + 4, 4, 2); /* kinds; there is no room for the second */
        REFUSED(s, APF_MALFORMED, "value_data.kind.size", next, 8, 0);
        return;
    }
    rb_put(&s->file, next, 4, 0); /* the same kind again */
    REFUSED(s, APF_MALFORMED, "value_data.kind", next, 0, 1);
}

static void test_value_data(void **state)
{
    (void)state;
    for_all_raw_samples(check_block);
    for_all_raw_samples(check_truncated);
    for_all_raw_samples(check_kinds);
}

TEST_FILE(raw_damage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_name_chunks),    cmocka_unit_test(test_name_streams),
        cmocka_unit_test(test_name_limit),     cmocka_unit_test(test_vtable_names),
        cmocka_unit_test(test_name_pointers),  cmocka_unit_test(test_spans),
        cmocka_unit_test(test_empty_sections), cmocka_unit_test(test_only_a_timestamp),
        cmocka_unit_test(test_value_data),
    };
    return RUN_TESTS(tests);
}
