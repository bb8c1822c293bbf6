/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/fault.h"
#include "instr/model/profile.h"
#include "instr/text/text_read.h"

static const struct read_options defaults = {.max_bytes = 1u << 30, .max_records = 1u << 28};

/* Reads bytes from a block of exactly their size, so that AddressSanitizer sees one byte too many. */
static int read_bytes(struct apf_instr **instr, const void *p, size_t n, const struct read_options *options,
                      struct apf_error *error)
{
    uint8_t *copy = (uint8_t *)malloc(n ? n : 1);
    *instr = profile_new();
    int code = APF_NO_MEMORY;
    if (copy && *instr) {
        if (n)
            memcpy(copy, p, n);
        code = text_read(*instr, copy, n, options, error);
    }
    free(copy);
    if (code != APF_OK) {
        profile_free(*instr);
        *instr = NULL;
    }
    return code;
}

static struct apf_instr *read_good(const char *text)
{
    struct apf_instr *instr;
    struct apf_error error;
    int code = read_bytes(&instr, text, strlen(text), &defaults, &error);
    if (code != APF_OK)
        print_error("%s\n", error.message);
    assert_int_equal(code, APF_OK);
    return instr;
}

static void check_name(const struct symbols *table, uint64_t id, const char *name)
{
    struct apf_str s = symbols_name(table, id);
    assert_int_equal(s.n, strlen(name));
    assert_memory_equal(s.p, name, s.n);
}

static const struct record *check_record(const struct apf_instr *instr, size_t i, const char *name,
                                         uint64_t hash, uint32_t n_counts, const uint64_t *counts)
{
    assert_true(i < instr->records.n);
    const struct record *r = &instr->records.data[i];
    check_name(instr->symbols, r->id, name);
    assert_int_equal(r->hash, hash);
    assert_int_equal(r->n_counts, n_counts);
    assert_memory_equal(r->counts, counts, n_counts * sizeof *counts);
    return r;
}

/* ---- what is read ---- */

static void test_minimal(void **state)
{
    (void)state;
    struct apf_instr *p = read_good("foo\n1\n2\n30\n0\nbar\n0x1F\n1\n7");
    const uint64_t foo[] = {30, 0}, bar[] = {7};
    assert_int_equal(p->records.n, 2);
    const struct record *r = check_record(p, 0, "foo", 1, 2, foo);
    assert_int_equal(r->id, 0x5cf8c24cdb18bdac); /* MD5 of "foo" is acbd18db4cc2f85c... */
    assert_int_equal(r->offset, 0);
    assert_int_equal(r->flags, 0);
    assert_int_equal(r->n_bitmap, 0);
    assert_null(r->bitmap);
    assert_null(r->sites);
    assert_null(r->extra);
    assert_int_equal(record_site_count(r), 0);
    assert_int_equal(check_record(p, 1, "bar", 31, 1, bar)->offset, 13);
    assert_int_equal(p->info.format, APF_FORMAT_TEXT);
    assert_int_equal(p->info.n_profiles, 1);
    assert_int_equal(p->info.n_counters, 3);
    assert_int_equal(p->info.variant, 0);
    assert_int_equal(p->info.front_end, 0);
    assert_int_equal(p->info.n_traces, 0);
    assert_int_equal(p->max_kinds, 0);
    profile_free(p);
}

static void test_no_records(void **state)
{
    (void)state;
    static const char *const texts[] = {"\n", "# nothing\n", "#", "\r\n\n#x\r\n", ":ir\n", ":ir"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct apf_instr *p = read_good(texts[i]);
        assert_int_equal(p->records.n, 0);
        assert_int_equal(p->info.variant, i < 4 ? 0 : APF_VARIANT_IR);
        profile_free(p);
    }
}

/* Empty lines and comments are nowhere seen; a line may end with CR LF; a CR alone and spaces belong to it. */
static void test_lines(void **state)
{
    (void)state;
    struct apf_instr *p =
        read_good("\r\n# c\n\nfoo \r\n#1\r\n\r\n9\n#\n# 7\n2\n\n5\r\n\n6\n\n\na\rb\r\r\n1\n1\n2\n#end");
    const uint64_t foo[] = {5, 6}, second[] = {2};
    assert_int_equal(p->records.n, 2);
    assert_int_equal(check_record(p, 0, "foo ", 9, 2, foo)->offset, 7);
    check_record(p, 1, "a\rb\r", 1, 1, second);
    profile_free(p);
}

static void test_header(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t variant;
        int front_end;
    } cases[] = {
        {":ir\n", APF_VARIANT_IR, 0},
        {":IR\r\n", APF_VARIANT_IR, 0},
        {":csir\n", APF_VARIANT_IR | APF_VARIANT_CS, 0},
        {":fe\n", 0, 1},
        {":Fe\n:ir\n", APF_VARIANT_IR, 1},
        {":entry_first\n", APF_VARIANT_ENTRY_FIRST, 0},
        {":ir\n:entry_first\n# c\n:NOT_entry_first\n", APF_VARIANT_IR, 0},
        {":instrument_loop_entries\n", APF_VARIANT_LOOP_ENTRIES, 0},
        {":single_byte_coverage\n", APF_VARIANT_BYTE_COVERAGE, 0},
        {":temporal_prof_traces\n0\n0x10\n", APF_VARIANT_TEMPORAL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct apf_instr *p = read_good(cases[i].text);
        assert_int_equal(p->info.variant, cases[i].variant);
        assert_int_equal(p->info.front_end, cases[i].front_end);
        profile_free(p);
    }
}

/* Names in traces are split at commas, empty ones are dropped, and each loses the spaces around it. */
static void test_traces(void **state)
{
    (void)state;
    struct apf_instr *p =
        read_good(":temporal_prof_traces\n# count\n3\n0b101\n0x2\nfoo,,\t bar \t,\n1\n,\n3\n , a b\n"
                  ":ir\n:temporal_prof_traces\n1\n7\n4\nfoo\nfoo\n1\n1\n1\n");
    const uint64_t foo = 0x5cf8c24cdb18bdac, bar = 0xe413754a191db537, empty = 0x04b2008fd98c1dd4;
    assert_int_equal(p->info.variant, APF_VARIANT_TEMPORAL | APF_VARIANT_IR);
    assert_int_equal(p->info.trace_stream_size, 7); /* that of the last block */
    assert_int_equal(p->info.n_traces, 4);
    const struct apf_trace *t = p->info.traces;
    assert_int_equal(t[0].weight, 2);
    assert_int_equal(t[0].n, 2);
    assert_int_equal(t[0].ids[0], foo);
    assert_int_equal(t[0].ids[1], bar);
    assert_int_equal(t[1].weight, 1);
    assert_int_equal(t[1].n, 0);
    assert_int_equal(t[2].n, 2); /* a name of spaces only is no empty piece, but the empty name */
    assert_int_equal(t[2].ids[0], empty);
    assert_int_equal(t[3].weight, 4);
    assert_int_equal(t[3].n, 1);
    assert_int_equal(t[3].ids[0], foo);
    assert_int_equal(p->symbols->list.n, 1); /* names in traces alone are not known, as in LLVM */
    profile_free(p);
}

static void test_numbers(void **state)
{
    (void)state;
    struct apf_instr *p =
        read_good("f\n18446744073709551615\n0003\n18446744073709551613\n00000000000000000000000012\n"
                  "1234567890123456789\ng\n0B11\n1\n0\nh\n0o17\n1\n0\ni\n017\n1\n0\nj\n00\n1\n0\n");
    const uint64_t f[] = {UINT64_MAX - 2, 12, 1234567890123456789u}, zero[] = {0};
    check_record(p, 0, "f", UINT64_MAX, 3, f);
    check_record(p, 1, "g", 3, 1, zero);
    check_record(p, 2, "h", 15, 1, zero);
    check_record(p, 3, "i", 15, 1, zero);
    check_record(p, 4, "j", 0, 1, zero);
    assert_int_equal(p->records.data[0].flags, 0);
    profile_free(p);
}

static void test_pseudo(void **state)
{
    (void)state;
    struct apf_instr *p = read_good("hot\n1\n1\n18446744073709551615\nwarm\n1\n2\n18446744073709551614\n5\n"
                                    "not\n1\n2\n5\n18446744073709551615\n");
    assert_int_equal(p->records.data[0].flags, APF_RECORD_PSEUDO);
    assert_int_equal(p->records.data[1].flags, APF_RECORD_PSEUDO);
    assert_int_equal(p->records.data[2].flags, 0);
    profile_free(p);
}

static void test_bitmap(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x0f, 255, 8, 2};
    struct apf_instr *p =
        read_good("f\n1\n1\n0\n$ \t4 \n0xf\n255\n010\n0b10\ng\n1\n1\n0\n$0\nh\n1\n1\n0\n$0x1\n9\n1\n0\n0\n");
    const struct record *r = p->records.data;
    assert_int_equal(p->records.n, 3);
    assert_int_equal(r[0].n_bitmap, 4);
    assert_memory_equal(r[0].bitmap, bytes, 4);
    assert_int_equal(r[1].n_bitmap, 0);
    assert_int_equal(r[2].n_bitmap, 1);
    assert_int_equal(r[2].bitmap[0], 9);
    profile_free(p);
}

/* LLVM counts the bytes of a bitmap with 8 bits and never comes to the end of this one. */
static void test_large_bitmap(void **state)
{
    (void)state;
    char text[4096] = "f\n1\n1\n0\n$300\n";
    size_t n = strlen(text);
    for (int i = 0; i < 300; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d\n", i % 256);
    snprintf(text + n, sizeof text - n, "g\n1\n1\n5\n");
    struct apf_instr *p = read_good(text);
    const uint64_t g[] = {5};
    const struct record *r = p->records.data;
    assert_int_equal(r->n_bitmap, 300);
    for (int i = 0; i < 300; i++)
        assert_int_equal(r->bitmap[i], i % 256);
    check_record(p, 1, "g", 1, 1, g);
    profile_free(p);
}

static void check_site(const struct apf_site *site, size_t n, const struct apf_value *values)
{
    assert_int_equal(site->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(site->values[i].value, values[i].value);
        assert_int_equal(site->values[i].count, values[i].count);
    }
}

/* Kinds in any order, one of them twice, one without sites; the last colon of a line divides it. */
static void test_values(void **state)
{
    (void)state;
    struct apf_instr *p =
        read_good("f\n1\n1\n0\n3\n1\n2\n2\n8:5\n007:18446744073709551615\n0\n0\n1\n3\nfoo:1\n"
                  "** External Symbol **:2\na:b:3\n1\n1\n1\n9:6\ng\n1\n1\n0\n");
    const struct record *r = p->records.data;
    assert_int_equal(p->records.n, 2);
    assert_int_equal(r->n_sites[0], 1);
    assert_int_equal(r->n_sites[1], 3);
    assert_int_equal(r->n_sites[2], 0);
    assert_int_equal(record_site_count(r), 4);
    assert_int_equal(p->max_kinds, 2);
    const struct apf_value calls[] = {{0x5cf8c24cdb18bdac, 1}, {0, 2}, {r->sites[0].values[2].value, 3}};
    const struct apf_value sizes[] = {{8, 5}, {7, UINT64_MAX}}, last[] = {{9, 6}};
    check_site(&r->sites[0], 3, calls);
    check_name(p->symbols, calls[2].value, "a:b");
    check_site(&r->sites[1], 2, sizes);
    check_site(&r->sites[2], 0, NULL);
    check_site(&r->sites[3], 1, last);
    assert_int_equal(p->records.data[1].n_sites[1], 0); /* nothing of it stays for the next record */
    profile_free(p);
}

static void test_vtables(void **state)
{
    (void)state;
    struct apf_instr *p =
        read_good("f\n1\n1\n0\n2\n2\n1\n2\n_ZTV1A:4\n** External Symbol **:1\n0\n0\ng\n1\n1\n0\n");
    const struct record *r = p->records.data;
    assert_int_equal(r->n_sites[2], 1);
    assert_int_equal(p->max_kinds, 3);
    assert_int_equal(p->symbols->list.n, 2);
    assert_int_equal(p->vtables->list.n, 1);
    check_name(p->vtables, r->sites[0].values[0].value, "_ZTV1A");
    assert_int_equal(r->sites[0].values[1].value, 0);
    profile_free(p);
}

/* A number after the counters is the number of value kinds, not a name; as is a $ a bitmap. */
static void test_ambiguous_names(void **state)
{
    (void)state;
    struct apf_instr *p = read_good("f\n1\n1\n5\n4294967296\n1\n1\n6\n");
    const uint64_t six[] = {6};
    check_record(p, 1, "4294967296", 1, 1, six); /* no 32-bit number, so a name */
    profile_free(p);
    p = read_good("f\n1\n1\n5\n1\n0\n0\n12\n1\n1\n6\ng\n1\n1\n5\n1\n2\n0\n$x\n1\n1\n6\n");
    check_record(p, 1, "12", 1, 1, six);
    check_record(p, 3, "$x", 1, 1, six);
    assert_null(p->records.data[0].sites);
    assert_int_equal(p->max_kinds, 0);
    profile_free(p);
}

static void test_same_name(void **state)
{
    (void)state;
    struct apf_instr *p = read_good("f\n16\n1\n5\nf\n1\n1\n6\nf\n16\n1\n7\n");
    assert_int_equal(p->records.n, 3);
    assert_int_equal(p->symbols->list.n, 1);
    profile_free(p);
}

/* ---- what is refused ---- */

#define WORDS "malformed instrumentation profile data"
#define HEAD "f\n1\n1\n5\n"

static const struct refused {
    const char *text;
    int code;
    const char *where, *message;
    uint64_t offset;
    uint32_t line;
} refused[] = {
    {":nonsense\n", APF_BAD_HEADER, "text.header",
     "invalid instrumentation profile data (file header is corrupt)", 0, 1},
    {":ir\n:ir \n", APF_BAD_HEADER, "text.header",
     "invalid instrumentation profile data (file header is corrupt)", 4, 2},
    {":\n", APF_BAD_HEADER, "text.header", "invalid instrumentation profile data (file header is corrupt)", 0,
     1},
    {":temporal_prof_traces\n", APF_TRUNCATED, "text.header.traces.count",
     "truncated profile data: end of File", 22, 2},
    {":temporal_prof_traces\nx\n", APF_MALFORMED, "text.header.traces.count", WORDS, 22, 2},
    {":temporal_prof_traces\n4294967296\n1\n", APF_MALFORMED, "text.header.traces.count", WORDS, 22, 2},
    {":temporal_prof_traces\n1\n", APF_TRUNCATED, "text.header.traces.stream_size",
     "truncated profile data: end of File", 24, 3},
    {":temporal_prof_traces\n1\n-1\n", APF_MALFORMED, "text.header.traces.stream_size", WORDS, 24, 3},
    {":temporal_prof_traces\n1\n1\n", APF_TRUNCATED, "text.header.traces.weight",
     "truncated profile data: end of File", 26, 4},
    {":temporal_prof_traces\n1\n1\na\n", APF_MALFORMED, "text.header.traces.weight", WORDS, 26, 4},
    {":temporal_prof_traces\n1\n1\n1", APF_TRUNCATED, "text.header.traces.names",
     "truncated profile data: end of File", 27, 4},
    {"f", APF_TRUNCATED, "text.record.hash", "truncated profile data", 1, 1},
    {"f\n", APF_TRUNCATED, "text.record.hash", "truncated profile data", 2, 2},
    {"f\n#\n0x\n", APF_MALFORMED, "text.record.hash", WORDS ": function hash is not a valid integer", 4, 3},
    {"f\n08\n", APF_MALFORMED, "text.record.hash", WORDS ": function hash is not a valid integer", 2, 2},
    {"f\n18446744073709551616\n", APF_MALFORMED, "text.record.hash",
     WORDS ": function hash is not a valid integer", 2, 2},
    {"f\n1\n", APF_TRUNCATED, "text.record.num_counters", "truncated profile data", 4, 3},
    {"f\n1\n0x1\n", APF_MALFORMED, "text.record.num_counters",
     WORDS ": number of counters is not a valid integer", 4, 3},
    {"f\n1\n0\n", APF_MALFORMED, "text.record.num_counters", WORDS ": number of counters is zero", 4, 3},
    {"f\n1\n2\n5\n", APF_TRUNCATED, "text.record.counter", "truncated profile data", 8, 5},
    {"f\n1\n2\n5\n 6\n", APF_MALFORMED, "text.record.counter", WORDS ": count is invalid", 8, 5},
    {"f\n1\n1\n18446744073709551616\n", APF_MALFORMED, "text.record.counter", WORDS ": count is invalid", 6,
     4},
    {"f\n1\n18446744073709551615\n5\nx\n", APF_MALFORMED, "text.record.counter", WORDS ": count is invalid",
     27, 5},
    {"f\n1\n18446744073709551615\n5\n7\n", APF_TRUNCATED, "text.record.counter", "truncated profile data", 29,
     6},
    {HEAD "$\n", APF_MALFORMED, "text.record.bitmap.size",
     WORDS ": number of bitmap bytes is not a valid integer", 8, 5},
    {HEAD "$2\n1\n", APF_TRUNCATED, "text.record.bitmap.byte", "truncated profile data", 13, 7},
    {HEAD "$2\n1\n256\n", APF_MALFORMED, "text.record.bitmap.byte",
     WORDS ": bitmap byte is not a valid integer", 13, 7},
    {HEAD "$18446744073709551615\n1\n1\n", APF_TRUNCATED, "text.record.bitmap.byte", "truncated profile data",
     34, 8},
    {HEAD "0\n", APF_MALFORMED, "text.record.num_value_kinds", WORDS ": number of value kinds is invalid", 8,
     5},
    {HEAD "4\n", APF_MALFORMED, "text.record.num_value_kinds", WORDS ": number of value kinds is invalid", 8,
     5},
    {HEAD "1\n", APF_TRUNCATED, "text.record.value_kind", "truncated profile data", 10, 6},
    {HEAD "1\nx\n", APF_MALFORMED, "text.record.value_kind", WORDS, 10, 6},
    {HEAD "1\n3\n", APF_MALFORMED, "text.record.value_kind", WORDS ": value kind is invalid", 10, 6},
    {HEAD "1\n0\n", APF_TRUNCATED, "text.record.num_value_sites", "truncated profile data", 12, 7},
    {HEAD "1\n0\n4294967296\n", APF_MALFORMED, "text.record.num_value_sites", WORDS, 12, 7},
    {HEAD "1\n0\n4294967295\n", APF_TRUNCATED, "text.record.num_values", "truncated profile data", 23, 8},
    {HEAD "1\n0\n1\nx\n", APF_MALFORMED, "text.record.num_values", WORDS, 14, 8},
    {HEAD "1\n0\n1\n4294967295\n", APF_TRUNCATED, "text.record.value", "truncated profile data", 25, 9},
    {HEAD "1\n1\n1\n1\n", APF_TRUNCATED, "text.record.value", "truncated profile data", 16, 9},
    {HEAD "1\n1\n1\n1\nx:1\n", APF_MALFORMED, "text.record.value", WORDS, 16, 9},
    {HEAD "1\n1\n1\n1\n12\n", APF_MALFORMED, "text.record.value.count", WORDS, 16, 9},
    {HEAD "1\n0\n1\n1\n:1\n", APF_MALFORMED, "text.record.value", WORDS ": symbol name is empty", 16, 9},
    {HEAD "1\n2\n1\n1\n:1\n", APF_MALFORMED, "text.record.value", WORDS ": symbol name is empty", 16, 9},
    {HEAD "1\n0\n1\n1\nx\n", APF_MALFORMED, "text.record.value.count", WORDS, 16, 9},
    {HEAD "1\n0\n1\n1\nx:\n", APF_MALFORMED, "text.record.value.count", WORDS, 16, 9},
    {HEAD "1\n0\n1\n1\nx:1:y\n", APF_MALFORMED, "text.record.value.count", WORDS, 16, 9},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct refused *c = &refused[i];
        struct apf_instr *p;
        struct apf_error error;
        char message[256];
        snprintf(message, sizeof message, "%s [line %u, %s]", c->message, (unsigned)c->line, c->where);
        assert_int_equal(read_bytes(&p, c->text, strlen(c->text), &defaults, &error), c->code);
        assert_string_equal(error.message, message);
        assert_string_equal(error.where, c->where);
        assert_int_equal(error.code, c->code);
        assert_int_equal(error.offset, c->offset);
        assert_int_equal(error.line, c->line);
        assert_int_equal(error.column, 1);
    }
}

/* LLVM ends at a NUL without a word; what is after it would be lost. */
static void test_nul(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        int code;
        const char *where;
        uint64_t offset;
        uint32_t line;
    } cases[] = {
        {"f\n1\n1\n5\n\0g\n1\n1\n6\n", 17, APF_MALFORMED, "text", 8, 5},
        {"f\n1\n1\n5\0", 8, APF_MALFORMED, "text", 7, 4},
        {"f\n1\n2\n5\0\n6\n", 11, APF_TRUNCATED, "text.record.counter", 7, 4},
        {"f\0\n", 3, APF_TRUNCATED, "text.record.hash", 1, 1},
        {"\0", 1, APF_MALFORMED, "text", 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct apf_instr *p;
        struct apf_error error;
        assert_int_equal(read_bytes(&p, cases[i].text, cases[i].n, &defaults, &error), cases[i].code);
        assert_string_equal(error.where, cases[i].where);
        assert_int_equal(error.offset, cases[i].offset);
        assert_int_equal(error.line, cases[i].line);
    }
}

static void test_record_limit(void **state)
{
    (void)state;
    struct read_options options = {.max_bytes = 1u << 20, .max_records = 2};
    struct apf_instr *p;
    struct apf_error error;
    const char *two = HEAD HEAD, *three = HEAD HEAD HEAD;
    assert_int_equal(read_bytes(&p, two, strlen(two), &options, &error), APF_OK);
    profile_free(p);
    assert_int_equal(read_bytes(&p, three, strlen(three), &options, &error), APF_LIMIT);
    assert_string_equal(error.where, "text.records");
    assert_int_equal(error.offset, 16);
    assert_int_equal(error.line, 9);
}

static void test_no_error_wanted(void **state)
{
    (void)state;
    struct apf_instr *p;
    assert_int_equal(read_bytes(&p, "f\n", 2, &defaults, NULL), APF_TRUNCATED);
}

/* ---- all of it at once ---- */

static const char everything[] =
    ":ir\n:entry_first\n:temporal_prof_traces\n2\n9\n1\nfoo,bar,\n2\nbar,\n# "
    "comment\nfoo\n10\n2\n5\n0\n$2\n0xff\n1\n"
    "3\n0\n2\n2\nbar:4\n** External Symbol "
    "**:3\n0\n1\n1\n1\n64:9\n2\n1\n1\n_ZTV1A:2\n\nbar\n0x1000000000000000\n1\n8\n";

/* Every prefix ends well, and is accepted only where a record may end. */
static void test_prefixes(void **state)
{
    (void)state;
    size_t n = sizeof everything - 1, accepted = 0;
    for (size_t i = 1; i <= n; i++) {
        struct apf_instr *p;
        struct apf_error error;
        int code = read_bytes(&p, everything, i, &defaults, &error);
        if (code == APF_OK) {
            accepted++;
            assert_true(p->records.n <= 2);
            profile_free(p);
        } else {
            assert_true(code == APF_TRUNCATED || code == APF_MALFORMED || code == APF_BAD_HEADER);
            assert_true(error.offset <= i);
        }
    }
    assert_in_range(accepted, 20, 40);
}

static void test_flipped_bits(void **state)
{
    (void)state;
    char text[sizeof everything];
    for (size_t bit = 0; bit < 8 * (sizeof everything - 1); bit++) {
        struct apf_instr *p;
        struct apf_error error;
        memcpy(text, everything, sizeof text);
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
        if (read_bytes(&p, text, sizeof text - 1, &defaults, &error) == APF_OK)
            profile_free(p);
    }
}

static size_t memory_of(const struct apf_instr *p)
{
    return p->arena.used + p->symbols->text.used + p->records.capacity * sizeof *p->records.data;
}

/* A count in the file must not decide how much memory is taken. */
static void test_counts_take_no_memory(void **state)
{
    (void)state;
    static const char *const texts[] = {"f\n1\n4000000000\n5\n", HEAD "$4000000000\n1\n",
                                        HEAD "1\n0\n4000000000\n4000000000\n",
                                        ":temporal_prof_traces\n4000000000\n0\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct apf_instr *p = profile_new();
        struct apf_error error;
        assert_non_null(p);
        int code = text_read(p, (const uint8_t *)texts[i], strlen(texts[i]), &defaults, &error);
        assert_int_equal(code, APF_TRUNCATED);
        assert_true(memory_of(p) < 10000);
        profile_free(p);
    }
}

#define REPEATED ((size_t)500000)

/* The texts that mean most for their size. */
static void test_memory_is_bounded(void **state)
{
    (void)state;
    static const struct {
        const char *head, *repeated;
        size_t most;
    } cases[] = {{"", "a\n1\n1\n5\n", 25}, {"f\n1\n500000\n", "5\n", 5}, {HEAD "1\n0\n500000\n", "0\n", 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].head), part = strlen(cases[i].repeated);
        char *text = (char *)malloc(n + REPEATED * part);
        struct apf_instr *p;
        struct apf_error error;
        assert_non_null(text);
        memcpy(text, cases[i].head, n);
        for (size_t done = 0; done < REPEATED; done++, n += part)
            memcpy(text + n, cases[i].repeated, part);
        assert_int_equal(read_bytes(&p, text, n, &defaults, &error), APF_OK);
        assert_true(memory_of(p) < cases[i].most * n);
        profile_free(p);
        free(text);
    }
}

static void test_memory_faults(void **state)
{
    (void)state;
    uint64_t k = 1;
    for (;; k++) {
        struct apf_instr *p;
        struct apf_error error;
        fault_fail(FAULT_MEMORY, k, ENOMEM);
        int code = read_bytes(&p, everything, sizeof everything - 1, &defaults, &error);
        bool hit = fault_hit();
        fault_reset();
        if (!hit) {
            assert_int_equal(code, APF_OK);
            profile_free(p);
            break;
        }
        assert_int_equal(code, APF_NO_MEMORY);
        if (k > 3) /* the first three are of read_bytes, which sets no error */
            assert_int_equal(error.code, APF_NO_MEMORY);
    }
    assert_in_range(k, 10, 60);
}

TEST_FILE(text_read)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimal),
        cmocka_unit_test(test_no_records),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_pseudo),
        cmocka_unit_test(test_bitmap),
        cmocka_unit_test(test_large_bitmap),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_vtables),
        cmocka_unit_test(test_ambiguous_names),
        cmocka_unit_test(test_same_name),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_nul),
        cmocka_unit_test(test_record_limit),
        cmocka_unit_test(test_no_error_wanted),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_counts_take_no_memory),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_memory_faults),
    };
    return RUN_TESTS(tests);
}
