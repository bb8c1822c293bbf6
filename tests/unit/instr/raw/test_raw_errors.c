/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw files that are refused: each rule of the format broken alone, with the code, the place and both numbers. */
#include "helpers/shared/open_memory.h"
#include "helpers/shared/raw_sample.h"

#include <string.h>

#define NOWHERE UINT64_MAX

#define REFUSED(s, code, where, offset, found, expected)                                                     \
    EXPECT_REFUSED((s)->file.data, (s)->file.n, code, where, offset, found, expected)

/* ---- the first bytes ---- */

static void test_no_profile(void **state)
{
    (void)state;
    static const uint8_t almost[] = {0x81, 'r', 'f', 'o', 'r', 'p', 'l', 0xfe, 1, 2, 3};
    static const uint8_t swapped[] = {0x81, 'q', 'f', 'o', 'r', 'p', 'l', 0xff};
    const uint64_t indexed = 0x8169666f72706cff;
    EXPECT_REFUSED(NULL, 0, APF_EMPTY_PROFILE, "file.size", NOWHERE, 0, 0);
    EXPECT_REFUSED(almost, sizeof almost, APF_UNRECOGNIZED_FORMAT, "magic", 0, 0xfe6c70726f667281, indexed);
    EXPECT_REFUSED(swapped, sizeof swapped, APF_UNRECOGNIZED_FORMAT, "magic", 0, 0xff6c70726f667181, indexed);
    EXPECT_REFUSED(almost, 7, APF_UNRECOGNIZED_FORMAT, "magic", 0, 0x006c70726f667281, indexed);
    EXPECT_REFUSED(almost, 1, APF_UNRECOGNIZED_FORMAT, "magic", 0, 0x81, indexed);
}

static void test_size_limit(void **state)
{
    (void)state;
    struct raw_sample s;
    struct opened o;
    make_raw_sample(&s, 10, 8, false);
    struct apf_options options = {.max_bytes = s.file.n};
    open_memory_options(&o, s.file.data, s.file.n, &options);
    assert_int_equal(o.code, APF_OK);
    opened_close(&o);
    options.max_bytes = s.file.n - 1;
    open_memory_options(&o, s.file.data, s.file.n, &options);
    assert_int_equal(o.code, APF_LIMIT);
    assert_string_equal(o.error.where, "file.size");
    assert_int_equal(o.error.found, s.file.n);
    assert_int_equal(o.error.expected, s.file.n - 1);
    options.max_bytes = 0;
    options.max_records = 1;
    open_memory_options(&o, s.file.data, s.file.n, &options);
    assert_int_equal(o.code, APF_LIMIT);
    assert_string_equal(o.error.where, "raw.header.num_data");
    assert_int_equal(o.error.found, 2);
    assert_int_equal(o.error.expected, 1);
    rb_free(&s.file);
}

static void check_short_header(struct raw_sample *s)
{
    size_t size = rb_header_size(s->p.version);
    for (size_t n = 8; n < 16; n++)
        EXPECT_REFUSED(s->file.data, n, APF_BAD_HEADER, "raw.header.version", 8, n, 16);
    for (size_t n = 16; n < size; n++)
        EXPECT_REFUSED(s->file.data, n, APF_BAD_HEADER, "raw.header.size", 0, n, size);
}

static void check_versions(struct raw_sample *s)
{
    static const uint64_t unknown[] = {0, 12, 99, UINT32_MAX, 12 | RB_IR};
    for (size_t i = 0; i < COUNT(unknown); i++) {
        rb_put(&s->file, 8, 8, unknown[i]);
        REFUSED(s, APF_UNSUPPORTED_VERSION, "raw.header.version", 8, unknown[i] & UINT32_MAX,
                unknown[i] ? 11 : 1);
    }
}

static void test_header(void **state)
{
    (void)state;
    for_all_raw_samples(check_short_header);
    for_all_raw_samples(check_versions);
}

/* ---- sizes of sections ---- */

struct section {
    enum rb_word word;
    const char *where;
    size_t at, size; /* start of the section, size of an entry */
};

/* Counts that are one too many, that make the size wrap at 2^64, and the largest there are. */
static void check_section(struct raw_sample *s, const struct section *section)
{
    size_t word = rb_word_at(s->p.version, section->word);
    if (word == RB_ABSENT)
        return;
    uint64_t room = (s->file.n - section->at) / section->size, good = rb_get(&s->file, word, 8);
    const uint64_t counts[] = {room + 1,          UINT64_MAX / section->size + 1,
                               (uint64_t)1 << 58, (uint64_t)1 << 61,
                               (uint64_t)1 << 62, (uint64_t)1 << 63,
                               UINT64_MAX};
    for (size_t i = 0; i < COUNT(counts); i++) {
        uint64_t n = counts[i];
        if (section->word == RB_IDS_SIZE) /* which must be a multiple of 8 */
            n = n == UINT64_MAX ? ~(uint64_t)7 : (n + 7) & ~(uint64_t)7;
        if (n == 0) /* 2^64 */
            continue;
        rb_put(&s->file, word, 8, n);
        REFUSED(s, APF_BAD_HEADER, section->where, word, n, room);
    }
    rb_put(&s->file, word, 8, good);
}

static void check_sections(struct raw_sample *s)
{
    const struct section sections[] = {
        {RB_IDS_SIZE, "raw.header.binary_ids_size", s->at.ids, 1},
        {RB_NUM_DATA, "raw.header.num_data", s->at.data, s->record},
        {RB_NUM_COUNTERS, "raw.header.num_counters", s->at.counters, 8},
        {RB_NUM_BITMAP, "raw.header.num_bitmap_bytes", s->at.bitmap, 1},
        {RB_NUM_UNIFORM, "raw.header.num_uniform_counters", s->at.uniform, 8},
        {RB_NAMES_SIZE, "raw.header.names_size", s->at.names, 1},
        {RB_NUM_VTABLES, "raw.header.num_vtables", s->at.vtables, s->p.bytes == 8 ? 24 : 16},
        {RB_VNAMES_SIZE, "raw.header.vtable_names_size", s->at.vtable_names, 1},
    };
    for (size_t i = 0; i < COUNT(sections); i++)
        check_section(s, &sections[i]);
}

/* The padding after a section, whose size is good. */
static void check_pads(struct raw_sample *s)
{
    size_t bits_end = s->at.bitmap + (s->p.version >= 9 ? 7 : 0);
    const struct {
        enum rb_word word;
        const char *where;
        size_t end;
    } pads[] = {
        {RB_PAD_BEFORE, "raw.header.padding_before_counters", s->at.data + 2 * s->record},
        {RB_PAD_COUNTERS, "raw.header.padding_after_counters", s->at.counters + 32},
        {RB_PAD_BITMAP, "raw.header.padding_after_bitmap", bits_end},
        {RB_PAD_UNIFORM, "raw.header.padding_after_uniform_counters", s->at.uniform + 32},
    };
    for (size_t i = 0; i < COUNT(pads); i++) {
        size_t word = rb_word_at(s->p.version, pads[i].word);
        if (word == RB_ABSENT)
            continue;
        uint64_t good = rb_get(&s->file, word, 8), room = s->file.n - pads[i].end;
        const uint64_t sizes[] = {room + 1, UINT64_MAX, (uint64_t)1 << 63, -(uint64_t)pads[i].end};
        for (size_t k = 0; k < COUNT(sizes); k++) {
            rb_put(&s->file, word, 8, sizes[k]);
            REFUSED(s, APF_BAD_HEADER, pads[i].where, word, sizes[k], room);
        }
        rb_put(&s->file, word, 8, good);
    }
}

/* A file that was cut anywhere is refused, unless it was cut where the value data begins: then that is missing. (The
 * first three bytes of the size of a small block, in big-endian order, look like padding.) */
static void check_cuts(struct raw_sample *s)
{
    for (size_t n = 1; n < s->file.n; n++) {
        struct opened o;
        bool names_end = s->p.version == 1 && n > s->at.names; /* what follows is not part of the profile */
        open_memory(&o, s->file.data, n, 0);
        bool no_values = n >= s->at.values && n <= s->at.values + (s->p.big ? 3 : 0);
        if (no_values || (names_end && o.code == APF_OK)) {
            assert_int_equal(o.code, APF_OK);
            assert_int_equal(o.n_findings, s->p.version > 1);
        } else {
            assert_true(o.code >= APF_UNRECOGNIZED_FORMAT);
            assert_true(o.error.offset <= n);
        }
        opened_close(&o);
    }
}

static void test_sections(void **state)
{
    (void)state;
    for_all_raw_samples(check_sections);
    for_all_raw_samples(check_pads);
    for_all_raw_samples(check_cuts);
}

static void check_ids(struct raw_sample *s)
{
    unsigned v = s->p.version;
    if (v < 6)
        return;
    size_t word = rb_word_at(v, RB_IDS_SIZE), at = s->at.ids;
    rb_put(&s->file, at, 8, 0);
    REFUSED(s, APF_MALFORMED, "raw.binary_ids", at, 0, 1);
    rb_put(&s->file, at, 8, 9);
    REFUSED(s, APF_MALFORMED, "raw.binary_ids", at, 9, 8);
    rb_put(&s->file, at, 8, UINT64_MAX);
    REFUSED(s, APF_MALFORMED, "raw.binary_ids", at, UINT64_MAX, 8);
    rb_put(&s->file, at, 8, 3); /* then the rest is not enough for another one */
    if (v < 8)
        REFUSED(s, APF_MALFORMED, "raw.binary_ids", at + 11, 5, 8);
    rb_put(&s->file, at, 8, 8);
    rb_put(&s->file, word, 8, 15);
    if (v < 8)
        REFUSED(s, APF_MALFORMED, "raw.binary_ids", at, 8, 7);
    else
        REFUSED(s, APF_BAD_HEADER, "raw.header.binary_ids_size", word, 15, 16);
    rb_put(&s->file, word, 8, 4);
    if (v < 8)
        REFUSED(s, APF_MALFORMED, "raw.binary_ids", at, 4, 8);
    else
        REFUSED(s, APF_BAD_HEADER, "raw.header.binary_ids_size", word, 4, 8);
}

static void test_binary_ids(void **state)
{
    (void)state;
    for_all_raw_samples(check_ids);
}

/* Counters, but no functions: the rest is in the binary. To read such a file as empty would lose its counts. */
static void check_correlation(struct raw_sample *s)
{
    struct rb_profile p = s->p;
    struct rb_file file = {0};
    p.n_functions = 0;
    p.n_vtables = 0;
    rb_append(&file, &p, NULL);
    size_t word = rb_word_at(p.version, RB_NUM_COUNTERS), data = rb_word_at(p.version, RB_NUM_DATA);
    rb_put(&file, word, 8, 2);
    rb_append_zeros(&file, 16);
    EXPECT_REFUSED(file.data, file.n, APF_MISSING_CORRELATION, "raw.header.num_data", data, 0, 1);
    rb_put(&file, 8, 8, p.version | RB_CORRELATE | RB_IR);
    EXPECT_REFUSED(file.data, file.n, APF_MISSING_CORRELATION, "raw.header.num_data", data, 0, 1);
    rb_free(&file);
}

static void test_correlation(void **state)
{
    (void)state;
    for_all_raw_samples(check_correlation);
}

/* ---- the next profile ---- */

static void check_next(struct raw_sample *s)
{
    struct rb_file *file = &s->file;
    size_t end = file->n, size = rb_header_size(s->p.version);
    rb_append_zeros(file, 16);
    size_t next = file->n;
    rb_append_bytes(file, "x", 1);
    REFUSED(s, APF_MALFORMED, "raw.next_profile", next, 1, size);
    rb_append_zeros(file, size - 2);
    REFUSED(s, APF_MALFORMED, "raw.next_profile", next, size - 1, size);
    rb_append_zeros(file, 1);
    uint64_t magic = rb_get(file, 0, 8);
    bool big = file->big;
    file->big = false; /* numbers of a message are little-endian, as those of the first magic are */
    REFUSED(s, APF_BAD_MAGIC, "raw.next_profile", next, rb_get(file, next, 8), rb_get(file, 0, 8));
    file->big = big;
    rb_put(file, next, 8, magic);
    rb_put(file, next + 8, 8, 77);
    REFUSED(s, APF_UNSUPPORTED_VERSION, "raw.header.version", next + 8, 77, 11);
    rb_put(file, next + 8, 8, s->p.version);
    file->n--;
    REFUSED(s, APF_BAD_HEADER, "raw.header.size", next, size - 1, size);
    file->n = end;
}

static void test_next_profile(void **state)
{
    (void)state;
    for_all_raw_samples(check_next);
}

TEST_FILE(raw_errors)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_profile),   cmocka_unit_test(test_size_limit),
        cmocka_unit_test(test_header),       cmocka_unit_test(test_sections),
        cmocka_unit_test(test_binary_ids),   cmocka_unit_test(test_correlation),
        cmocka_unit_test(test_next_profile),
    };
    return RUN_TESTS(tests);
}
