/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frame of partial profiles: records of several sections are read as they were written, and no damage goes
 * unnoticed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "helpers/shared/fault_each.h"
#include "helpers/shared/unit.h"
#include "partial/partial_read.h"
#include "partial/partial_write.h"

#define SECTIONS 3u

/* Record i of a section: its number, a text, and bytes that pack (section 0) or do not. */
static void write_record(struct partial_writer *w, unsigned section, uint64_t i, size_t n)
{
    uint64_t random = i * SECTIONS + section + 1;
    partial_number(w, i * i);
    partial_fixed(w, i);
    partial_number(w, n);
    uint8_t *to = partial_room(w, n);
    assert_non_null(to);
    for (size_t k = 0; k < n; k++)
        to[k] = section ? (uint8_t)next_random(&random) : (uint8_t)(k / 100);
    partial_took(w, n);
    partial_text(w, (struct apf_str){"end", 3});
    partial_end_record(w);
}

/* How many records there are in each section, and how many bytes each one has. */
struct plan {
    uint64_t records[SECTIONS];
    size_t bytes;
};

/* Appends a file to a buffer. */
static void write_kind(const struct plan *plan, uint32_t kind, struct apf_buffer *buffer)
{
    struct partial_writer w;
    struct file_out *out;
    const struct apf_output output = apf_output_buffer(buffer);
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    partial_begin(&w, out, kind, (struct apf_slice){0, 1});
    for (unsigned s = 0; s < SECTIONS; s++) {
        partial_section(&w, (uint8_t)(10 * s));
        for (uint64_t i = 0; i < plan->records[s]; i++)
            write_record(&w, s, i, plan->bytes);
    }
    assert_int_equal(partial_finish(&w, NULL), APF_OK);
    partial_writer_close(&w);
    assert_int_equal(file_out_finish(out, APF_OK, NULL), APF_OK);
}

static void write_plan(const struct plan *plan, struct apf_buffer *buffer)
{
    write_kind(plan, PARTIAL_SAMPLE, buffer);
}

/* Reads a record, which must be the i-th of its section if nothing is wrong. */
static int read_record(struct partial_reader *r, unsigned section, uint64_t i, struct apf_error *error)
{
    uint64_t random = i * SECTIONS + section + 1;
    const uint64_t square = cursor_uleb128(&r->c), number = cursor_u64(&r->c), n = cursor_uleb128(&r->c);
    const uint8_t *p = cursor_bytes(&r->c, n);
    const struct apf_str text = partial_read_text(r);
    int code = partial_check(r, "test.record", error);
    if (code != APF_OK)
        return code;
    assert_int_equal(square, i * i);
    assert_int_equal(number, i);
    for (size_t k = 0; k < n; k++)
        assert_int_equal(p[k], section ? (uint8_t)next_random(&random) : (uint8_t)(k / 100));
    assert_int_equal(text.n, 3);
    assert_memory_equal(text.p, "end", 3);
    return APF_OK;
}

static int read_section(struct partial_reader *r, unsigned section, uint64_t *n, struct apf_error *error)
{
    bool more = true;
    int code = APF_OK;
    for (*n = 0; code == APF_OK; ++*n) {
        code = partial_next(r, (uint8_t)(10 * section), &more, error);
        if (code != APF_OK || !more)
            return code;
        code = read_record(r, section, *n, error);
    }
    return code;
}

static int read_kind(const struct plan *plan, enum partial_kind kind, const uint8_t *p, size_t n,
                     struct apf_error *error)
{
    const struct apf_input input = apf_input_memory(p, n, "test");
    struct partial_reader r;
    int code = partial_open(&r, &input, kind, UINT64_MAX, error);
    for (unsigned s = 0; code == APF_OK && s < SECTIONS; s++) {
        uint64_t records;
        code = read_section(&r, s, &records, error);
        if (code == APF_OK)
            assert_int_equal(records, plan->records[s]);
    }
    if (code == APF_OK)
        code = partial_end(&r, error);
    if (code == APF_OK)
        assert_false(r.undecided);
    partial_reader_close(&r);
    return code;
}

static int read_plan(const struct plan *plan, const uint8_t *p, size_t n, struct apf_error *error)
{
    return read_kind(plan, PARTIAL_SAMPLE, p, n, error);
}

static const struct plan plans[] = {
    {{0, 0, 0}, 0},      {{1, 0, 0}, 0},      {{0, 0, 1}, 5},     {{3, 2, 1}, 100},       {{0, 9, 0}, 100000},
    {{9, 9, 9}, 100000}, {{1, 1, 1}, 262144}, {{70000, 0, 3}, 1}, {{0, 20000, 20000}, 9},
};

static void test_round_trip(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(plans); i++) {
        struct apf_buffer buffer = {0};
        write_plan(&plans[i], &buffer);
        assert_true(partial_is(buffer.data, buffer.n));
        assert_int_equal(read_plan(&plans[i], buffer.data, buffer.n, NULL), APF_OK);
        apf_buffer_free(&buffer);
    }
}

/* Every bit that is flipped, and every byte that is missing or too much, is an error. */
static void test_damage(void **state)
{
    const struct plan *plan = &plans[3];
    struct apf_buffer buffer = {0};
    struct apf_error error;
    (void)state;
    write_plan(plan, &buffer);
    uint8_t *p = buffer.data;
    for (size_t bit = 0; bit < 8 * buffer.n; bit++) {
        p[bit / 8] ^= (uint8_t)(1u << bit % 8);
        const int code = read_plan(plan, p, buffer.n, &error);
        if (code != APF_BAD_PARTIAL && code != APF_UNSUPPORTED_VERSION)
            fail_msg("bit %zu: code %d", bit, code);
        p[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t n = 0; n < buffer.n; n++) {
        assert_int_equal(read_plan(plan, p, n, &error), APF_BAD_PARTIAL);
        assert_true(error.offset <= n);
    }
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    assert_int_equal(read_plan(plan, buffer.data, buffer.n, &error), APF_BAD_PARTIAL);
    assert_string_equal(error.where, "partial.end");
    assert_int_equal(error.offset, buffer.n - 1);
    apf_buffer_free(&buffer);
}

/* A file that is of each kind, of which both parts must be whole whichever is read. */
static void test_undecided(void **state)
{
    const struct plan *instr = &plans[3], *samples = &plans[1];
    struct apf_buffer buffer = {0};
    struct apf_error error;
    (void)state;
    for (uint32_t names = 0; names <= PARTIAL_NAMES_MOST; names++) {
        buffer.n = 0;
        write_kind(instr, partial_undecided_kind(names), &buffer);
        write_plan(samples, &buffer);
        assert_true(partial_is_of(buffer.data, buffer.n, PARTIAL_UNDECIDED));
        assert_int_equal(partial_names(buffer.data, buffer.n), names);
        assert_int_equal(read_kind(instr, PARTIAL_INSTR, buffer.data, buffer.n, NULL), APF_OK);
        assert_int_equal(read_kind(samples, PARTIAL_SAMPLE, buffer.data, buffer.n, NULL), APF_OK);
    }
    uint8_t *p = buffer.data;
    for (size_t bit = 0; bit < 8 * buffer.n; bit++) {
        p[bit / 8] ^= (uint8_t)(1u << bit % 8);
        const int as_instr = read_kind(instr, PARTIAL_INSTR, p, buffer.n, &error),
                  as_samples = read_kind(samples, PARTIAL_SAMPLE, p, buffer.n, &error);
        if (as_instr == APF_OK || as_samples == APF_OK)
            fail_msg("bit %zu: codes %d and %d", bit, as_instr, as_samples);
        p[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t n = 0; n < buffer.n; n++) {
        assert_int_equal(read_kind(instr, PARTIAL_INSTR, p, n, &error), APF_BAD_PARTIAL);
        assert_int_equal(read_kind(samples, PARTIAL_SAMPLE, p, n, &error), APF_BAD_PARTIAL);
    }
    write_plan(samples, &buffer); /* a third part */
    assert_int_equal(read_kind(instr, PARTIAL_INSTR, buffer.data, buffer.n, &error), APF_BAD_PARTIAL);
    assert_int_equal(read_kind(samples, PARTIAL_SAMPLE, buffer.data, buffer.n, &error), APF_BAD_PARTIAL);
    buffer.n = 0;
    write_kind(instr, partial_undecided_kind(0), &buffer);
    write_kind(instr, PARTIAL_INSTR, &buffer); /* another kind than samples */
    assert_int_equal(read_kind(instr, PARTIAL_INSTR, buffer.data, buffer.n, &error), APF_BAD_PARTIAL);
    assert_string_equal(error.where, "partial.kind");
    apf_buffer_free(&buffer);
    write_plan(samples, &buffer); /* of one kind only */
    assert_int_equal(partial_names(buffer.data, buffer.n), 0);
    assert_int_equal(read_kind(samples, PARTIAL_INSTR, buffer.data, buffer.n, &error),
                     APF_UNRECOGNIZED_FORMAT);
    apf_buffer_free(&buffer);
}

/* Reads all records, whatever is in them. */
static int walk(const uint8_t *p, size_t n, struct apf_error *error)
{
    const struct apf_input input = apf_input_memory(p, n, "test");
    struct partial_reader r;
    int code = partial_open(&r, &input, PARTIAL_SAMPLE, UINT64_MAX, error);
    for (uint8_t s = 0; code == APF_OK && s < 10 * SECTIONS; s += 10)
        for (bool more = true; code == APF_OK && more;) {
            code = partial_next(&r, s, &more, error);
            if (code == APF_OK && more) {
                (void)cursor_uleb128(&r.c);
                cursor_skip(&r.c, 8);
                (void)partial_read_text(&r);
                (void)partial_read_text(&r);
            }
        }
    if (code == APF_OK)
        code = partial_end(&r, error);
    partial_reader_close(&r);
    return code;
}

/* Blocks in another order, twice, or missing, which their own checksums cannot show. */
static void test_blocks(void **state)
{
    const struct plan plan = {{2, 2, 2}, 0};
    struct apf_buffer buffer = {0};
    struct apf_error error;
    uint8_t made[1000];
    size_t starts[8] = {0}, n = 0;
    (void)state;
    write_plan(&plan, &buffer);
    const uint8_t *p = buffer.data;
    for (size_t at = PARTIAL_HEADER_BYTES; at < buffer.n;
         at += PARTIAL_HEAD_BYTES + load32(p + at + 4, HOST_BIG_ENDIAN))
        starts[n++] = at;
    starts[n] = buffer.n;
    assert_int_equal(n, SECTIONS + 1);
    static const unsigned orders[][5] = {{0, 1, 2, 3, 9}, {1, 0, 2, 3, 9}, {0, 2, 3, 9, 9},
                                         {0, 1, 2, 2, 3}, {0, 1, 2, 9, 9}, {3, 0, 1, 2, 3}};
    for (size_t i = 0; i < COUNT(orders); i++) {
        size_t used = PARTIAL_HEADER_BYTES;
        memcpy(made, p, used);
        for (unsigned k = 0; k < 5 && orders[i][k] != 9; k++) {
            const size_t size = starts[orders[i][k] + 1] - starts[orders[i][k]];
            memcpy(made + used, p + starts[orders[i][k]], size);
            used += size;
        }
        assert_int_equal(walk(made, used, &error), i ? APF_BAD_PARTIAL : APF_OK);
    }
    apf_buffer_free(&buffer);
}

/* Sections and records that are not read are an error, not lost. */
static void test_unread(void **state)
{
    const struct plan plan = {{2, 1, 1}, 3};
    struct apf_buffer buffer = {0};
    struct apf_error error;
    struct partial_reader r;
    bool more;
    (void)state;
    write_plan(&plan, &buffer);
    const struct apf_input input = apf_input_memory(buffer.data, buffer.n, "test");
    assert_int_equal(partial_open(&r, &input, PARTIAL_SAMPLE, UINT64_MAX, NULL), APF_OK);
    assert_int_equal(partial_next(&r, 10, &more, &error), APF_BAD_PARTIAL);
    assert_string_equal(error.where, "partial.block.section");
    partial_reader_close(&r);

    assert_int_equal(partial_open(&r, &input, PARTIAL_SAMPLE, UINT64_MAX, NULL), APF_OK);
    assert_int_equal(partial_next(&r, 0, &more, NULL), APF_OK);
    assert_true(more);
    assert_int_equal(read_record(&r, 0, 0, NULL), APF_OK);
    assert_int_equal(partial_next(&r, 0, &more, NULL), APF_OK);
    assert_true(more);
    (void)cursor_u8(&r.c);
    assert_int_equal(partial_next(&r, 0, &more, &error), APF_BAD_PARTIAL);
    assert_string_equal(error.where, "partial.record");
    partial_reader_close(&r);

    assert_int_equal(partial_open(&r, &input, PARTIAL_SAMPLE, PARTIAL_HEADER_BYTES + 10, NULL), APF_LIMIT);
    partial_reader_close(&r);
    apf_buffer_free(&buffer);
}

/* Writes a file, and reads it again; each call of the system and each allocation fails in turn. */
static int write_and_read(const char *path, struct apf_error *error)
{
    const struct apf_output output = apf_output_file(path);
    const struct apf_input input = apf_input_file(path);
    struct partial_writer w;
    struct partial_reader r;
    struct file_out *out;
    uint64_t n;
    int code = file_out_open(&out, &output, error);
    if (code != APF_OK)
        return code;
    partial_begin(&w, out, PARTIAL_SAMPLE, (struct apf_slice){0, 1});
    for (uint64_t i = 0; i < 100000; i++) {
        partial_number(&w, i);
        partial_end_record(&w);
    }
    code = partial_finish(&w, error);
    partial_writer_close(&w);
    code = file_out_finish(out, code, error);
    if (code != APF_OK)
        return code;
    code = partial_open(&r, &input, PARTIAL_SAMPLE, UINT64_MAX, error);
    bool more = code == APF_OK;
    for (n = 0; code == APF_OK && more; n += more) {
        code = partial_next(&r, 0, &more, error);
        if (code == APF_OK && more)
            assert_int_equal(cursor_uleb128(&r.c), n);
    }
    if (code == APF_OK)
        code = partial_end(&r, error);
    partial_reader_close(&r);
    if (code != APF_OK)
        remove(path);
    return code;
}

static void test_faults(void **state)
{
    (void)state;
    assert_true(fault_each(write_and_read, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) > 3);
    assert_true(fault_each(write_and_read, FAULT_READ, EIO, APF_IO) > 1);
    assert_true(fault_each(write_and_read, FAULT_WRITE, ENOSPC, APF_IO) > 1);
}

TEST_FILE(partial_file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_damage), cmocka_unit_test(test_undecided),
        cmocka_unit_test(test_blocks),     cmocka_unit_test(test_unread), TEST_WITH_DIR(test_faults),
    };
    return RUN_TESTS(tests);
}
