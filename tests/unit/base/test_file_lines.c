/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text line by line: from memory and files, packed and plain, in pieces of any size. */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/file_lines.h"
#include "helpers/shared/fault.h"

#define TEXT_BYTES ((size_t)3 << 20) /* several times the room there is */

static char *text;
static size_t n_text, n_lines;

/* Lines of 0 to 5000 bytes. */
static int make_text(void **state)
{
    uint64_t random = 5;
    (void)state;
    text = malloc(TEXT_BYTES);
    assert_non_null(text);
    while (n_text + 5001 <= TEXT_BYTES) {
        size_t n = (size_t)(next_random(&random) % 5001);
        for (size_t i = 0; i < n; i++)
            text[n_text++] = (char)('a' + next_random(&random) % 26);
        text[n_text++] = '\n';
        n_lines++;
    }
    return 0;
}

static int free_text(void **state)
{
    (void)state;
    free(text);
    return 0;
}

static int setup(void **state)
{
    return temp_dir_make(state);
}

static int teardown(void **state)
{
    fault_reset();
    return temp_dir_remove(state);
}

/* Reads the whole text and checks number, place and line feed of each line. Returns the number of lines. */
static int read_all(const struct apf_input *input, uint64_t max_bytes, size_t *lines, struct apf_error *error)
{
    struct file_lines l;
    uint64_t at = 0;
    *lines = 0;
    int code = file_lines_open(&l, input, max_bytes, error);
    while (code == APF_OK && (code = file_lines_next(&l, error)) == APF_OK) {
        ++*lines;
        assert_int_equal(l.number, *lines);
        assert_int_equal(l.offset, at);
        assert_int_equal(l.line[l.n], '\n');
        assert_memory_equal(l.line, text + at, l.n);
        at += l.n + 1;
    }
    file_lines_close(&l);
    return code;
}

static struct apf_input in_memory(const void *p, size_t n)
{
    struct apf_input input = apf_input_memory(p, n, "memory");
    return input;
}

static struct apf_input in_file(const void *p, size_t n)
{
    struct apf_input input = apf_input_file(temp_path("file"));
    file_make(input.path, p, n);
    return input;
}

static void assert_whole(struct apf_input input)
{
    size_t lines;
    size_t before = open_files();
    assert_int_equal(read_all(&input, UINT64_MAX, &lines, NULL), APF_END);
    assert_int_equal(lines, n_lines);
    assert_int_equal(read_all(&input, n_text, &lines, NULL), APF_END);
    struct apf_error error;
    assert_int_equal(read_all(&input, n_text - 1, &lines, &error), APF_LIMIT);
    assert_string_equal(error.where, "file.size");
    assert_int_equal(open_files(), before);
}

static void plain(void **state)
{
    (void)state;
    assert_true(n_lines > 1000);
    assert_whole(in_memory(text, n_text));
    struct apf_input file = in_file(text, n_text);
    assert_whole(file);
    for (size_t most = 1; most < 5; most++) { /* as from a pipe */
        size_t lines;
        fault_reset();
        fault_short(most * 997);
        assert_int_equal(read_all(&file, UINT64_MAX, &lines, NULL), APF_END);
        assert_int_equal(lines, n_lines);
    }
}

/* ---- packed ---- */

static size_t gzip(uint8_t *to, size_t room, const void *p, size_t n)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)p;
    z.avail_in = (uInt)n;
    z.next_out = to;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t made = room - z.avail_out;
    deflateEnd(&z);
    return made;
}

static size_t zstd(uint8_t *to, size_t room, const void *p, size_t n)
{
    size_t made = ZSTD_compress(to, room, p, n, 1);
    assert_false(ZSTD_isError(made));
    return made;
}

typedef size_t pack(uint8_t *to, size_t room, const void *p, size_t n);

/* Two streams after each other, and zeros. */
static size_t pack_in_two(pack *how, uint8_t *to, size_t room)
{
    size_t half = n_text / 2 + 7, n = how(to, room, text, half);
    n += how(to + n, room - n, text + half, n_text - half);
    memset(to + n, 0, 700);
    return n + 700;
}

static void check_packed(pack *how, const char *stream, const char *after)
{
    size_t room = 2 * TEXT_BYTES, lines;
    uint8_t *packed = malloc(room);
    struct apf_error error;
    assert_non_null(packed);
    size_t n = pack_in_two(how, packed, room);
    assert_whole(in_memory(packed, n));
    struct apf_input file = in_file(packed, n);
    assert_whole(file);
    fault_reset();
    fault_short(1);
    struct apf_input small = in_memory(NULL, 0);
    uint8_t few[100];
    small.data = few;
    small.n = how(few, sizeof few, text, 0);
    assert_int_equal(read_all(&small, UINT64_MAX, &lines, NULL), APF_END);
    fault_short(991);
    assert_int_equal(read_all(&file, UINT64_MAX, &lines, NULL), APF_END);
    assert_int_equal(lines, n_lines);
    fault_reset();
    for (size_t cut = 701; cut < n; cut += n / 5) { /* within a stream */
        struct apf_input torn = in_memory(packed, n - cut);
        assert_int_equal(read_all(&torn, UINT64_MAX, &lines, &error), APF_TRUNCATED);
        assert_string_equal(error.where, stream);
        assert_int_equal(error.offset, n - cut);
    }
    packed[n - 1] = 'x';
    struct apf_input dirty = in_memory(packed, n);
    assert_int_equal(read_all(&dirty, UINT64_MAX, &lines, &error), APF_DECOMPRESS_FAILED);
    assert_string_equal(error.where, after);
    assert_int_equal(error.offset, n - 1);
    packed[how == gzip ? 2 : 4] ^= 0x08; /* another method; a bit that is reserved */
    file = in_file(packed, n);
    size_t before = open_files();
    assert_int_equal(read_all(&file, UINT64_MAX, &lines, &error), APF_DECOMPRESS_FAILED);
    assert_string_equal(error.where, stream);
    assert_int_equal(open_files(), before);
    free(packed);
}

static void packed_by_gzip(void **state)
{
    (void)state;
    check_packed(gzip, "gzip.stream", "gzip.end");
}

static void packed_by_zstd(void **state)
{
    (void)state;
    check_packed(zstd, "zstd.frame", "zstd.end");
}

/* ---- lines ---- */

static void no_lines(void **state)
{
    size_t lines;
    (void)state;
    struct apf_input nothing = in_memory(NULL, 0), file = in_file("", 0);
    assert_int_equal(read_all(&nothing, UINT64_MAX, &lines, NULL), APF_END);
    assert_int_equal(lines, 0);
    assert_int_equal(read_all(&file, UINT64_MAX, &lines, NULL), APF_END);
    assert_int_equal(lines, 0);
}

static void the_last_line_must_end(void **state)
{
    struct apf_error error;
    struct file_lines l;
    (void)state;
    struct apf_input input = in_memory("ab\ncde", 6);
    assert_int_equal(file_lines_open(&l, &input, UINT64_MAX, NULL), APF_OK);
    assert_int_equal(file_lines_next(&l, NULL), APF_OK);
    assert_int_equal(file_lines_next(&l, &error), APF_BAD_SAMPLES);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 4);
    assert_int_equal(error.offset, 6);
    file_lines_close(&l);
}

/* One of exactly the room that there is goes, with its line feed. */
static void long_lines(void **state)
{
    struct apf_error error;
    struct file_lines l;
    char *p = malloc(FILE_LINES_LONGEST + 10);
    (void)state;
    assert_non_null(p);
    memset(p, 'x', FILE_LINES_LONGEST + 10);
    memcpy(p, "ab\n", 3);
    p[FILE_LINES_LONGEST + 2] = '\n';
    p[FILE_LINES_LONGEST + 9] = '\n';
    struct apf_input input = in_file(p, FILE_LINES_LONGEST + 10);
    assert_int_equal(file_lines_open(&l, &input, UINT64_MAX, NULL), APF_OK);
    assert_int_equal(file_lines_next(&l, NULL), APF_OK);
    assert_int_equal(file_lines_next(&l, NULL), APF_OK);
    assert_int_equal(l.n, FILE_LINES_LONGEST - 1);
    assert_int_equal(file_lines_next(&l, NULL), APF_OK);
    assert_int_equal(l.n, 6);
    assert_int_equal(file_lines_next(&l, NULL), APF_END);
    file_lines_close(&l);
    p[FILE_LINES_LONGEST + 2] = 'x';
    input = in_file(p, FILE_LINES_LONGEST + 10);
    assert_int_equal(file_lines_open(&l, &input, UINT64_MAX, NULL), APF_OK);
    assert_int_equal(file_lines_next(&l, NULL), APF_OK);
    assert_int_equal(file_lines_next(&l, &error), APF_LIMIT);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.offset, 3);
    file_lines_close(&l);
    free(p);
}

/* ---- failing calls ---- */

static void every_call_may_fail(void **state)
{
    static const struct {
        enum fault_call call;
        int sys_errno, code;
    } kinds[] = {
        {FAULT_MEMORY, ENOMEM, APF_NO_MEMORY}, {FAULT_OPEN, EACCES, APF_IO}, {FAULT_READ, EIO, APF_IO}};
    uint8_t packed[4000];
    size_t lines;
    (void)state;
    struct apf_input input = in_file(packed, zstd(packed, sizeof packed, text, 3000));
    for (size_t k = 0; k < COUNT(kinds); k++) {
        uint64_t at = 1;
        for (;; at++) {
            struct apf_error error;
            size_t before = open_files();
            fault_fail(kinds[k].call, at, kinds[k].sys_errno);
            int code = read_all(&input, UINT64_MAX, &lines, &error);
            bool hit = fault_hit();
            fault_reset();
            assert_int_equal(open_files(), before);
            if (!hit)
                break;
            assert_int_equal(code, kinds[k].code);
        }
        assert_true(at > 1);
    }
    struct apf_error error;
    struct apf_input directory = apf_input_file(temp_dir), nowhere = apf_input_file("nowhere");
    assert_int_equal(read_all(&directory, UINT64_MAX, &lines, &error), APF_IO);
    assert_int_equal(error.sys_errno, EISDIR);
    assert_int_equal(read_all(&nowhere, UINT64_MAX, &lines, &error), APF_IO);
    assert_int_equal(error.sys_errno, ENOENT);
}

TEST_FILE(file_lines)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plain, setup, teardown),
        cmocka_unit_test_setup_teardown(packed_by_gzip, setup, teardown),
        cmocka_unit_test_setup_teardown(packed_by_zstd, setup, teardown),
        cmocka_unit_test_setup_teardown(no_lines, setup, teardown),
        cmocka_unit_test(the_last_line_must_end),
        cmocka_unit_test_setup_teardown(long_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(every_call_may_fail, setup, teardown),
    };
    return RUN_TESTS_WITH(tests, make_text, free_text);
}
