/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of raw and text profiles: each kind of damage, with its place and both numbers. */
#include "helpers/shared/check_memory.h"
#include "helpers/shared/raw_sample.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t one[] = {6};
static struct checked now; /* what was found last */

static void check_sample(const struct raw_sample *s)
{
    check_memory_bytes(&now, s->file.data, s->file.n);
}

/* One number is changed, found, and put back. */
#define DAMAGE(s, at, bytes, value, ...)                                                                     \
    do {                                                                                                     \
        uint64_t good_ = rb_get(&(s)->file, at, bytes);                                                      \
        rb_put(&(s)->file, at, bytes, value);                                                                \
        check_sample(s);                                                                                     \
        __VA_ARGS__;                                                                                         \
        rb_put(&(s)->file, at, bytes, good_);                                                                \
    } while (0)
#define FOUND(...) EXPECT_CHECKED(&now, __VA_ARGS__)

static size_t word(const struct raw_sample *s, enum rb_word w)
{
    return s->at.start + rb_word_at(s->p.version, w);
}

/* ---- raw ---- */

static void good_one(struct raw_sample *s)
{
    check_sample(s);
    EXPECT_NO_MORE(&now);
    assert_int_equal(now.verdict.n_records, 2);
}

static void good_ones(void **state)
{
    (void)state;
    for_all_raw_samples(good_one);
}

static void damaged_header(struct raw_sample *s)
{
    uint64_t version = rb_get(&s->file, 8, 8), bit = (uint64_t)1 << 40;
    size_t kinds = rb_word_at(s->p.version, RB_KIND_LAST), most = rb_kinds(s->p.version) - 1;
    DAMAGE(s, 8, 8, 99, FOUND(ERROR, UNSUPPORTED_VERSION, "raw.header.version", 8, 99, RB_NEWEST));
    DAMAGE(s, 8, 8, version | bit, FOUND(NOTE, NOTE, "raw.header.version", 8, version | bit, version);
           EXPECT_NO_MORE(&now));
    if (kinds != RB_ABSENT && s->p.version != 3)
        DAMAGE(s, kinds, 8, 7, FOUND(NOTE, NOTE, "raw.header.value_kind_last", kinds, 7, most);
               EXPECT_NO_MORE(&now));
    size_t n = word(s, RB_NUM_DATA);
    DAMAGE(s, n, 8, bit,
           FOUND(ERROR, BAD_HEADER, "raw.header.num_data", n, bit, (s->file.n - s->at.data) / s->record);
           EXPECT_NO_MORE(&now));
}

static void damaged_headers(void **state)
{
    (void)state;
    for_all_raw_samples(damaged_header);
}

static void damaged_record(struct raw_sample *s)
{
    size_t at = raw_sample_field(s, 0, RB_NUM_COUNTS), second = raw_sample_field(s, 1, RB_NUM_COUNTS);
    DAMAGE(s, at, 4, 0, FOUND(ERROR, MALFORMED, "raw.record.num_counters", at, 0, 1); EXPECT_NO_MORE(&now));
    size_t pointer = raw_sample_field(s, 0, RB_COUNTER_PTR);
    DAMAGE(s, at, 4, 5, FOUND(ERROR, MALFORMED, "raw.record.counter_ptr", pointer, 5, 4);
           EXPECT_NO_MORE(&now));
    /* Both are found. */
    rb_put(&s->file, second, 4, 0);
    DAMAGE(s, at, 4, 0, FOUND(ERROR, MALFORMED, "raw.record.num_counters", at, 0, 1);
           FOUND(ERROR, MALFORMED, "raw.record.num_counters", second, 0, 1); EXPECT_NO_MORE(&now));
    rb_put(&s->file, second, 4, 1);
}

static void damaged_records(void **state)
{
    (void)state;
    for_all_raw_samples(damaged_record);
}

/* The second function has a counter that is too large, which is found also if the first one is damaged. */
static void intact_record(struct raw_sample *s)
{
    uint64_t large = ((uint64_t)1 << 56) + 1;
    size_t at = raw_sample_field(s, 0, RB_NUM_COUNTS), second = s->at.data + s->record;
    rb_put(&s->file, s->at.counters + 24, 8, large);
    DAMAGE(s, at, 4, 0, FOUND(ERROR, MALFORMED, "raw.record.num_counters", at, 0, 1);
           FOUND(WARNING, COUNTER_TOO_LARGE, "raw.counters", second, large, (uint64_t)1 << 56);
           EXPECT_NO_MORE(&now); assert_int_equal(now.verdict.n_records, 1));
}

static void intact_records(void **state)
{
    (void)state;
    for_all_raw_samples(intact_record);
}

/* Fields begin where they should, and there is nothing between them. */
static void odd_record(struct raw_sample *s)
{
    size_t pointer = raw_sample_field(s, 0, RB_COUNTER_PTR), last = s->at.data + s->record - 1;
    uint64_t good = rb_get(&s->file, pointer, s->p.bytes);
    rb_put(&s->file, pointer, s->p.bytes, good + 4);
    check_sample(s);
    FOUND(WARNING, INCONSISTENT, "raw.record.counter_ptr", pointer, 4, 0);
    rb_put(&s->file, pointer, s->p.bytes, good);
    if (s->p.version >= 4 && s->p.version <= 8 && !s->p.big && s->p.bytes == 4)
        DAMAGE(s, last, 1, 1, FOUND(NOTE, NOTE, "raw.record.padding", last, 1, 0); EXPECT_NO_MORE(&now));
    if (s->p.version > 2)
        return;
    size_t name = raw_sample_field(s, 0, RB_NAME_SIZE);
    DAMAGE(s, name, 4, 4, FOUND(NOTE, NOTE, "raw.names", s->at.names + 4, 1, 0); EXPECT_NO_MORE(&now));
}

static void odd_records(void **state)
{
    (void)state;
    for_all_raw_samples(odd_record);
}

/* ---- virtual tables ---- */

#define VTABLE(file, at, i, field) ((at).vtables + (i) * (bytes == 8 ? 24u : 16u) + (field))

static void check_vtable_damage(unsigned version, unsigned bytes, bool big)
{
    static const struct rb_vtable tables[] = {{"_ZTV1A", 0x4000, 40}, {"_ZTV1B", 0x4040, 24}};
    struct raw_sample s = {.p = {.version = version,
                                 .bytes = bytes,
                                 .big = big,
                                 .functions = raw_sample_functions,
                                 .n_functions = COUNT(raw_sample_functions),
                                 .vtables = tables,
                                 .n_vtables = COUNT(tables),
                                 .load = bytes == 8 ? 0x7f0000000000 : 0x10000}};
    rb_append(&s.file, &s.p, &s.at);
    size_t first = VTABLE(s.file, s.at, 0, 0), second = VTABLE(s.file, s.at, 1, 0);
    size_t address = first + 8, size = first + 8 + bytes;
    uint64_t start = s.p.load + 0x4000;
    check_sample(&s);
    EXPECT_NO_MORE(&now);
    DAMAGE(&s, second, 8, 1, FOUND(WARNING, UNKNOWN_FUNCTION, "raw.vtable.name_ref", second, 1, 0);
           FOUND(NOTE, NOTE, "raw.vtable_names", s.at.vtable_names, 1, 0); EXPECT_NO_MORE(&now));
    DAMAGE(&s, size, 4, 0, FOUND(WARNING, INCONSISTENT, "raw.vtable.size", size, 0, 1); EXPECT_NO_MORE(&now));
    DAMAGE(&s, size, 4, 1 << 25, FOUND(WARNING, INCONSISTENT, "raw.vtable.size", size, 1 << 25, 1 << 24);
           FOUND(WARNING, INCONSISTENT, "raw.vtable.address", second + 8, start + 0x40, start + (1 << 25));
           EXPECT_NO_MORE(&now));
    DAMAGE(&s, size, 4, 65,
           FOUND(WARNING, INCONSISTENT, "raw.vtable.address", second + 8, start + 0x40, start + 65);
           EXPECT_NO_MORE(&now));
    DAMAGE(&s, address, bytes, 0, FOUND(NOTE, NOTE, "raw.vtable.address", address, 0, 0));
    DAMAGE(&s, address, bytes, start + 1, FOUND(WARNING, INCONSISTENT, "raw.vtable.address", address, 0, 0);
           EXPECT_NO_MORE(&now));
    if (bytes == 8)
        DAMAGE(&s, address, 8, start ^ (uint64_t)1 << 40,
               FOUND(WARNING, INCONSISTENT, "raw.vtable.address", address, ((uint64_t)1 << 40) + 0x40,
                     (uint64_t)1 << 32);
               EXPECT_NO_MORE(&now));
    if (bytes == 8)
        DAMAGE(&s, size + 4, 4, 7, FOUND(NOTE, NOTE, "raw.vtable.padding", size + 4, 1, 0);
               EXPECT_NO_MORE(&now));
    /* They are found beside an error, too. */
    size_t bad = s.at.data + rb_field_at(version, bytes, RB_NUM_COUNTS);
    rb_put(&s.file, bad, 4, 0);
    DAMAGE(&s, size, 4, 0, FOUND(ERROR, MALFORMED, "raw.record.num_counters", bad, 0, 1);
           FOUND(WARNING, INCONSISTENT, "raw.vtable.size", size, 0, 1); EXPECT_NO_MORE(&now));
    rb_free(&s.file);
}

static void vtables(void **state)
{
    (void)state;
    for (unsigned version = 10; version <= RB_NEWEST; version++)
        for (unsigned way = 0; way < 4; way++)
            check_vtable_damage(version, way & 1 ? 4 : 8, way & 2);
}

/* The second function refers to a counter of the first one; its own counter is unowned. */
static void shared_counter(struct raw_sample *s)
{
    size_t at = raw_sample_field(s, 1, RB_COUNTER_PTR);
    uint64_t pointer = rb_get(&s->file, at, s->p.bytes);
    DAMAGE(s, at, s->p.bytes, pointer - 8, FOUND(WARNING, INCONSISTENT, "raw.counters", at, 16, 24);
           FOUND(WARNING, INCONSISTENT, "raw.counters", s->at.counters + 24, 1, 0); EXPECT_NO_MORE(&now));
    if (s->p.version >= 9) {
        size_t bitmap = raw_sample_field(s, 1, RB_BITMAP_PTR);
        uint64_t good = rb_get(&s->file, bitmap, s->p.bytes);
        DAMAGE(s, bitmap, s->p.bytes, good - 1, FOUND(WARNING, INCONSISTENT, "raw.bitmap", bitmap, 4, 5);
               FOUND(WARNING, INCONSISTENT, "raw.bitmap", s->at.bitmap + 6, 1, 0); EXPECT_NO_MORE(&now));
    }
}

static void shared_counters(void **state)
{
    (void)state;
    for_all_raw_samples(shared_counter);
}

static void odd_counts(struct raw_sample *s)
{
    uint64_t large = ((uint64_t)1 << 56) + 1;
    DAMAGE(s, s->at.counters + 8, 8, large,
           FOUND(WARNING, COUNTER_TOO_LARGE, "raw.counters", s->at.data, large, (uint64_t)1 << 56);
           EXPECT_NO_MORE(&now));
    DAMAGE(s, s->at.counters, 8, UINT64_MAX - 1, FOUND(NOTE, NOTE, "raw.counters", s->at.data, 1, 0);
           EXPECT_NO_MORE(&now));
    if (s->p.version < 3)
        return;
    size_t id = raw_sample_field(s, 0, RB_NAME_REF);
    DAMAGE(s, id, 8, 1, FOUND(WARNING, UNKNOWN_FUNCTION, "raw.record.name_ref", s->at.data, 1, 0);
           FOUND(NOTE, NOTE, "raw.names", s->at.names, 1, 0); EXPECT_NO_MORE(&now));
}

static void odd_ones(void **state)
{
    (void)state;
    for_all_raw_samples(odd_counts);
}

static void value_data(struct raw_sample *s)
{
    if (s->p.version < 4)
        return;
    size_t at = s->at.values, sites_at = raw_sample_field(s, 0, RB_SITES);
    DAMAGE(s, at, 4, 1 << 20, FOUND(ERROR, TOO_LARGE, "value_data.total_size", at, 1 << 20, s->file.n - at);
           EXPECT_NO_MORE(&now));
    DAMAGE(s, at + 8, 4, 7, FOUND(ERROR, MALFORMED, "value_data.kind", at + 8, 7, 2); EXPECT_NO_MORE(&now));
    DAMAGE(s, sites_at, 2, 3, FOUND(WARNING, INCONSISTENT, "value_data.kind.num_sites", at, 2, 3);
           EXPECT_NO_MORE(&now));
}

static void values(void **state)
{
    (void)state;
    for_all_raw_samples(value_data);
}

/* After each other: another version, another width, zeros in between, a length that is no multiple of 8. */
static void several(void **state)
{
    (void)state;
    static const struct rb_function plain[] = {{.name = "f", .hash = 1, .counts = one, .n_counts = 1}};
    struct rb_profile p = {.version = 8, .bytes = 8, .functions = plain, .n_functions = 1};
    struct rb_file file = {0};
    struct rb_places first, second;
    rb_append(&file, &p, &first);
    p.version = 10;
    rb_append(&file, &p, &second);
    check_memory_bytes(&now, file.data, file.n);
    FOUND(ERROR, UNSUPPORTED_VERSION, "raw.header.version", second.start + 8, 10, 8);
    FOUND(NOTE, NOTE, "raw.record", second.data, 1, 0);
    EXPECT_NO_MORE(&now);
    rb_free(&file);

    memset(&file, 0, sizeof file);
    rb_append(&file, &p, &first);
    rb_append_zeros(&file, 12);
    rb_append(&file, &p, &second);
    rb_append_zeros(&file, 24);
    check_memory_bytes(&now, file.data, file.n);
    FOUND(NOTE, NOTE, "raw.unclaimed", first.end, 12, 0);
    FOUND(NOTE, NOTE, "raw.unclaimed", second.end, 24, 0);
    FOUND(ERROR, MALFORMED, "raw.next_profile", second.start, second.start, second.start + 4);
    FOUND(NOTE, NOTE, "raw.record", second.data, 1, 0);
    EXPECT_NO_MORE(&now);
    rb_append_bytes(&file, "rubbish", 7);
    check_memory_bytes(&now, file.data, file.n);
    FOUND(ERROR, MALFORMED, "raw.next_profile", second.end + 24, 7, 128);
    rb_free(&file);
}

/* In a file of several profiles, those before and after damage are checked. */
static void beside_damage(void **state)
{
    (void)state;
    static const uint64_t large[] = {((uint64_t)1 << 56) + 1};
    static const struct rb_function plain[] = {{.name = "f", .hash = 1, .counts = one, .n_counts = 1}};
    static const struct rb_function odd[] = {{.name = "g", .hash = 1, .counts = large, .n_counts = 1}};
    struct rb_profile p = {.version = 9, .bytes = 8, .functions = odd, .n_functions = 1};
    struct rb_file file = {0};
    struct rb_places first, second, third;
    rb_append(&file, &p, &first);
    p.functions = plain;
    rb_append(&file, &p, &second);
    p.functions = odd;
    rb_append(&file, &p, &third);
    size_t bad = second.start + rb_word_at(9, RB_NUM_DATA);
    rb_put(&file, bad, 8, 1 << 20);
    check_memory_bytes(&now, file.data, file.n);
    FOUND(ERROR, BAD_HEADER, "raw.header.num_data", bad, 1 << 20, (file.n - second.data) / 56);
    FOUND(WARNING, COUNTER_TOO_LARGE, "raw.counters", first.data, large[0], (uint64_t)1 << 56);
    FOUND(WARNING, COUNTER_TOO_LARGE, "raw.counters", third.data, large[0], (uint64_t)1 << 56);
    FOUND(NOTE, NOTE, "raw.record", third.data, 1, 0);
    EXPECT_NO_MORE(&now);
    assert_int_equal(now.verdict.n_records, 2);
    rb_free(&file);
}

/* Counters whose functions the program describes: nothing is wrong with that. */
static void bare(void **state)
{
    (void)state;
    static const struct rb_function none[] = {{.name = "f", .hash = 1, .counts = one, .n_counts = 1}};
    struct rb_profile p = {.version = 9, .bytes = 8, .functions = none};
    struct rb_file file = {0};
    struct rb_places at;
    rb_append(&file, &p, &at);
    size_t counters = rb_word_at(9, RB_NUM_COUNTERS), data = rb_word_at(9, RB_NUM_DATA);
    rb_put(&file, counters, 8, 1);
    rb_append_zeros(&file, 8);
    check_memory_bytes(&now, file.data, file.n);
    FOUND(NOTE, MISSING_CORRELATION, "raw.header.num_data", data, 0, 1);
    EXPECT_NO_MORE(&now);
    rb_free(&file);
    /* With names the profile is damaged: its number of records is wrong. */
    memset(&file, 0, sizeof file);
    p.n_functions = 1;
    rb_append(&file, &p, &at);
    rb_put(&file, data, 8, 0);
    rb_put(&file, rb_word_at(9, RB_PAD_BEFORE), 8, 56);
    check_memory_bytes(&now, file.data, file.n);
    FOUND(ERROR, MISSING_CORRELATION, "raw.header.num_data", data, 0, 1);
    rb_free(&file);
}

/* LLVM refuses these; we read them. */
static void tolerated(void **state)
{
    (void)state;
    const struct rb_function called[] = {
        {.name = "f",
         .hash = 1,
         .counts = one,
         .n_counts = 1,
         .sites = {raw_sample_functions->sites[0]},
         .n_sites = {2}},
        {.zero = true},
    };
    struct rb_profile p = {
        .version = 10, .bytes = 8, .functions = called, .n_functions = 1, .no_values = true};
    struct rb_file file = {0};
    struct rb_places at;
    rb_append(&file, &p, &at);
    check_memory_bytes(&now, file.data, file.n);
    FOUND(ERROR, TRUNCATED, "raw.values", at.end, 0, 0);
    EXPECT_NO_MORE(&now);
    rb_free(&file);

    memset(&file, 0, sizeof file);
    p.n_functions = 2;
    p.no_values = false;
    rb_append(&file, &p, &at);
    check_memory_bytes(&now, file.data, file.n);
    FOUND(ERROR, MALFORMED, "raw.record", at.data + 64, 1, 0);
    EXPECT_NO_MORE(&now);
    rb_free(&file);
}

/* ---- text ---- */

static void check_text(const char *text)
{
    check_memory_bytes(&now, text, strlen(text));
}

static void texts(void **state)
{
    (void)state;
    check_text(":ir\nf\n1\n2\n3\n4\n\ng\n0x5\n1\n0\n\n");
    EXPECT_NO_MORE(&now);
    assert_int_equal(now.verdict.n_records, 2);
    check_text("f\n1\n2\n3\nx\n\ng\ny\n1\n0\n\nh\n1\n1\n1\n\nf\n1\n0\n");
    assert_int_equal(now.n, 3);
    assert_int_equal(now.list[0].line, 5);
    assert_int_equal(now.list[1].line, 8);
    assert_int_equal(now.list[2].line, 19);
    FOUND(ERROR, MALFORMED, "text.record.counter", 8, 0, 0);
    FOUND(ERROR, MALFORMED, "text.record.hash", 13, 0, 0);
    FOUND(ERROR, MALFORMED, "text.record.num_counters", 33, 0, 0);
    assert_int_equal(now.verdict.n_records, 1);
    check_text("f\n1\n1\n2305843009213693952\n\n"); /* a sum */
    EXPECT_NO_MORE(&now);
    check_text("f\n1\n1\n18446744073709551613\n\nf\n1\n1\n2\n\n");
    FOUND(NOTE, NOTE, "text.record.counter", 0, 1, 0);
    assert_int_equal(now.list[0].line, 6);
    assert_int_equal(now.list[1].line, 1);
    FOUND(NOTE, NOTE, "text.record", 28, 1, 0);
    EXPECT_NO_MORE(&now);
    check_memory_bytes(&now, "f\n1\n1\n2\n\0g\n", 11);
    FOUND(ERROR, MALFORMED, "text", 8, 0, 0);
    EXPECT_NO_MORE(&now);
    check_memory_bytes(&now, "", 0);
    FOUND(ERROR, EMPTY_PROFILE, "file.size", UINT64_MAX, 0, 0);
    EXPECT_NO_MORE(&now);
    check_memory_bytes(&now, "\177ELF", 4);
    FOUND(ERROR, UNSUPPORTED, "file", UINT64_MAX, 0, 0);
    EXPECT_NO_MORE(&now);
    check_memory_bytes(&now, "\1\2\3\4\5\6\7\10\11", 9);
    FOUND(ERROR, UNRECOGNIZED_FORMAT, "file", UINT64_MAX, 0, 0);
    EXPECT_NO_MORE(&now);
}

/* Lines of a text of many blocks, asked for in any order. */
static void many_lines(void **state)
{
    (void)state;
    static const char records[] = "f\n1\n1\n2\n\nf\n1\n1\n18446744073709551613\n\n";
    enum { LINES = 5000, BYTES = 8 };
    char *text = malloc(LINES * BYTES + 64);
    size_t n = 0;
    assert_non_null(text);
    for (unsigned i = 0; i < LINES; i++, n += BYTES)
        memcpy(text + n, i % 4 == 0 ? "#......\n" : "\n\n\n\n\n\n\n\n", BYTES);
    const uint64_t line = 1 + LINES / 4 + (uint64_t)LINES / 4 * 3 * BYTES;
    memcpy(text + n, records, sizeof records);
    check_memory_bytes(&now, text, n + sizeof records - 1);
    assert_int_equal(now.n, 2);
    for (size_t i = 0; i < now.n; i++)
        assert_int_equal(now.list[i].line, line + 5);
    FOUND(NOTE, NOTE, "text.record", n + 9, 1, 0);
    FOUND(NOTE, NOTE, "text.record.counter", n + 9, 1, 0);
    free(text);
}

static void odd_texts(void **state)
{
    (void)state;
    check_text(":IR\r\n# comment\n:fe\nf\n1\n1\n3\n");
    assert_int_equal(now.list[0].line, 3);
    FOUND(NOTE, NOTE, "text.header", 15, 0, 0);
    EXPECT_NO_MORE(&now);
    check_text(":temporal_prof_traces\n2\n2\n1\nf, foo\n1\nbar,f,f\nf\n1\n1\n3\n");
    assert_int_equal(now.list[0].line, 5);
    assert_string_equal(now.list[0].function, "foo");
    FOUND(NOTE, NOTE, "text.header.traces", 31, 2, 0);
    FOUND(NOTE, NOTE, "text.header.traces", 0, 1, 0); /* f twice */
    EXPECT_NO_MORE(&now);
    /* All unknown targets have the value 0. */
    check_text("f\n1\n1\n3\n2\n0\n1\n2\nf:1\nf:2\n1\n1\n2\n7:1\n8:2\n");
    FOUND(NOTE, NOTE, "text.record.num_values", 0, 1, 0);
    EXPECT_NO_MORE(&now);
    check_text("f\n1\n1\n3\n1\n0\n1\n2\n** External Symbol **:1\n** External Symbol **:2\n");
    EXPECT_NO_MORE(&now);
}

/* ---- the call ---- */

static int stop(void *user, const struct apf_diag *d)
{
    ++*(unsigned *)user;
    assert_string_equal(d->source.p, "name of it");
    return 1;
}

static void stopped(void **state)
{
    (void)state;
    static const char text[] = "f\n1\nx\n\ng\ny\n";
    unsigned n = 0;
    struct apf_input input = apf_input_memory(text, sizeof text - 1, "name of it");
    struct apf_options options = {.size = sizeof options, .diag = stop, .user = &n};
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    struct apf_error error;
    assert_int_equal(apf_check(&input, NULL, &options, &verdict, &error), APF_STOPPED);
    assert_int_equal(error.code, APF_STOPPED);
    assert_int_equal(n, 1);
    /* Without a callback findings are counted. */
    verdict = (struct apf_check_verdict){.size = sizeof verdict};
    assert_int_equal(apf_check(&input, NULL, NULL, &verdict, &error), APF_OK);
    assert_int_equal(verdict.n_errors, 2);
    input.path = "/nonexistent/file";
    assert_int_equal(apf_check(&input, NULL, NULL, &verdict, &error), APF_OK);
    assert_int_equal(verdict.n_errors, 3);
    assert_int_equal(verdict.n_files, 2);
}

TEST_FILE(check_raw)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_ones),
        cmocka_unit_test(damaged_headers),
        cmocka_unit_test(damaged_records),
        cmocka_unit_test(shared_counters),
        cmocka_unit_test(odd_ones),
        cmocka_unit_test(values),
        cmocka_unit_test(several),
        cmocka_unit_test(tolerated),
        cmocka_unit_test(texts),
        cmocka_unit_test(stopped),
        cmocka_unit_test(intact_records),
        cmocka_unit_test(odd_records),
        cmocka_unit_test(vtables),
        cmocka_unit_test(beside_damage),
        cmocka_unit_test(bare),
        cmocka_unit_test(odd_texts),
        cmocka_unit_test(many_lines),
    };
    return RUN_TESTS(tests);
}
