/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where records begin: in files, memory and pipes, across blocks, compressed in pieces of any size; data that follow
 * records; every way to end. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "helpers/shared/perf_bytes.h"
#include "perf/perf_stream.h"

#define ROUND 68u
#define AUXTRACE 71u
#define COMPRESSED 81u
#define COMPRESSED2 83u

enum from { MEMORY, REGULAR, PIPE, WAYS };

/* What a stream is expected to have. */
struct expected {
    struct pb records;
    enum apf_perf_end end;
    uint64_t end_at;
    uint64_t most; /* unpacked bytes; 0: no limit */
};

static pid_t writer;

/* A pipe that a child process fills. */
static struct apf_input from_pipe(const struct pb *b)
{
    static char path[64];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    writer = fork();
    assert_true(writer >= 0);
    if (writer == 0) {
        close(ends[0]);
        for (size_t at = 0, step; at < b->n; at += step) {
            ssize_t n = write(ends[1], b->p + at, b->n - at < 999 ? b->n - at : 999);
            if (n <= 0)
                _exit(0);
            step = (size_t)n;
        }
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    return apf_input_file(path);
}

static void end_pipe(const struct apf_input *input)
{
    int status;
    close(atoi(input->path + strlen("/dev/fd/")));
    waitpid(writer, &status, 0);
}

static struct apf_input make_input(const struct pb *b, enum from from)
{
    if (from == PIPE)
        return from_pipe(b);
    if (from == MEMORY)
        return apf_input_memory(b->p, b->n, "memory");
    struct apf_input input = apf_input_file(temp_path("records"));
    file_make(input.path, b->p, b->n);
    return input;
}

/* Reads a stream and compares its records, all of which are held until the end. */
static void read_stream(const struct apf_input *input, uint64_t n, const struct expected *want, bool big)
{
    struct perf_stream s = {.left = 0};
    struct perf_blocks blocks = {.unused = NULL};
    struct perf_raw raw;
    static struct perf_block *held[4096];
    size_t at = 0, n_held = 0;
    int code;
    assert_int_equal(perf_source_open(&s.source, input, UINT64_MAX, NULL), APF_OK);
    perf_stream_begin(&s, &blocks, big != (bool)HOST_BIG_ENDIAN, n, want->most ? want->most : UINT64_MAX);
    while ((code = perf_stream_next(&s, &raw, NULL)) == APF_OK) {
        assert_true(at + raw.n <= want->records.n);
        assert_memory_equal(raw.p, want->records.p + at, raw.n);
        at += raw.n;
        if (n_held < COUNT(held))
            held[n_held++] = raw.block;
        else
            perf_block_release(&blocks, raw.block);
    }
    assert_int_equal(code, APF_END);
    assert_int_equal(at, want->records.n);
    assert_int_equal(s.end, want->end);
    assert_int_equal(s.end_at, want->end_at);
    perf_stream_close(&s);
    while (n_held)
        perf_block_release(&blocks, held[--n_held]);
    assert_int_equal(blocks.n_used, 0);
    perf_blocks_free(&blocks);
}

static void check_n(const struct pb *b, uint64_t n, const struct expected *want)
{
    for (enum from from = MEMORY; from < WAYS; from++) {
        struct apf_input input = make_input(b, from);
        read_stream(&input, n, want, b->big);
        if (from == PIPE)
            end_pipe(&input);
    }
}

static void check(const struct pb *b, const struct expected *want)
{
    check_n(b, UINT64_MAX, want);
}

static void add_fillers(struct pb *b, uint64_t seed, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned kind = (unsigned)next_random(&seed) % 50;
        uint16_t most = kind == 0 ? 65535 : kind < 10 ? 3000 : 100;
        pb_filler(b, 1 + (uint32_t)i % 22, (uint16_t)(8 + next_random(&seed) % (most - 7u)), seed);
    }
}

static void across_blocks(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct expected want = {.records = {.big = big}};
        add_fillers(&want.records, 1, 2000);
        assert_true(want.records.n > 3 * PERF_BLOCK_BYTES);
        want.end_at = want.records.n;
        check(&want.records, &want);
        check_n(&want.records, want.records.n, &want);
        for (uint16_t n = 65535; n > 65535 - 3; n--) /* the longest */
            pb_filler(&want.records, 9, n, n);
        want.end_at = want.records.n;
        check(&want.records, &want);
        pb_free(&want.records);
    }
    struct expected nothing = {.end = APF_PERF_END_WHOLE};
    check(&nothing.records, &nothing);
}

static void ends(void **state)
{
    struct pb b = {.n = 0};
    struct expected want = {.end = APF_PERF_END_CUT};
    (void)state;
    add_fillers(&b, 2, 300);
    size_t whole = b.n;
    pb_bytes(&want.records, b.p, b.n);
    pb_filler(&b, 9, 1000, 5);
    want.end_at = whole;
    for (size_t left = 1; left < 1000; left += left < 16 ? 1 : 123) {
        struct pb cut = b;
        cut.n = whole + left;
        check(&cut, &want);
        check_n(&b, whole + left, &want); /* the header says that the data end there */
    }
    struct pb early = b;
    early.n = whole; /* between two records, but before the end that the header announces */
    check_n(&early, whole + 500, &want);
    want.end = APF_PERF_END_BROKEN;
    for (uint8_t size = 0; size < 8; size++) {
        b.p[whole + 6] = size;
        b.p[whole + 7] = 0;
        check(&b, &want);
    }
    pb_free(&b);
    pb_free(&want.records);
}

/* ---- data after records ---- */

static void add_trace(struct pb *b, struct pb *want, uint64_t announced, size_t n)
{
    size_t at = b->n;
    pb_begin(b, AUXTRACE, 0);
    pb_64(b, announced);
    pb_zeros(b, 32);
    pb_end(b);
    if (want)
        pb_bytes(want, b->p + at, b->n - at);
    for (size_t i = 0; i < n; i++)
        pb_8(b, 0xff);
}

static void traces(void **state)
{
    static const size_t sizes[] = {0, 1, 8, 4000, PERF_BLOCK_BYTES - 100, PERF_BLOCK_BYTES, 900000};
    struct pb b = {.n = 0};
    struct expected want = {.end = APF_PERF_END_WHOLE};
    (void)state;
    for (size_t i = 0; i < 3 * COUNT(sizes); i++) {
        add_trace(&b, &want.records, sizes[i % COUNT(sizes)], sizes[i % COUNT(sizes)]);
        pb_filler(&b, 9, (uint16_t)(8 + i), i);
        pb_filler(&want.records, 9, (uint16_t)(8 + i), i);
    }
    size_t at = b.n;
    pb_begin(&b, 66, 0); /* TRACING_DATA has a size of 4 bytes */
    pb_32(&b, 16);
    pb_32(&b, 0xffffffff);
    pb_end(&b);
    pb_bytes(&want.records, b.p + at, b.n - at);
    pb_zeros(&b, 16);
    want.end_at = b.n;
    check(&b, &want);
    check_n(&b, b.n, &want);
    want.end = APF_PERF_END_CUT;
    for (size_t i = 0; i < 5; i++) { /* the record itself is not passed on */
        static const uint64_t more[] = {1, 1000000, (uint64_t)1 << 40, UINT64_MAX - 1000, UINT64_MAX};
        struct pb cut = {.n = 0};
        pb_bytes(&cut, b.p, b.n);
        add_trace(&cut, NULL, more[i], 0);
        want.end_at = cut.n;
        check(&cut, &want);
        check_n(&cut, cut.n, &want);
        pb_free(&cut);
    }
    pb_free(&b);
    pb_free(&want.records);
}

/* ---- compressed ---- */

static void add_piece(struct pb *to, uint32_t type, const uint8_t *p, size_t n)
{
    bool counted = type == COMPRESSED2;
    pb_begin(to, type, 0);
    if (counted)
        pb_64(to, n);
    pb_bytes(to, p, n);
    if (counted)
        for (size_t i = n; i % 8; i++)
            pb_8(to, 0xaa);
    if (to->n - to->record <= 65535)
        pb_end(to);
    else
        to->n = to->record + 16 + n; /* the size is lost, and nothing is filled up */
}

/* Packs records as one stream, flushed and in pieces at arbitrary places, as perf does. `frames`: it ends frames. */
static void pack(struct pb *to, const struct pb *records, uint32_t type, uint64_t seed, bool frames)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    size_t room = ZSTD_compressBound(records->n) + 100000, from = 0;
    uint8_t *packed = malloc(room);
    ZSTD_inBuffer in = {records->p, 0, 0};
    ZSTD_outBuffer out = {packed, room, 0};
    assert_non_null(c);
    assert_non_null(packed);
    while (in.pos < records->n) {
        uint64_t most = next_random(&seed) % 8 ? 4000 : 500000;
        size_t step = 1 + (size_t)(next_random(&seed) % most);
        in.size = step < records->n - in.pos ? in.pos + step : records->n;
        ZSTD_EndDirective how = frames && next_random(&seed) % 4 == 0 ? ZSTD_e_end : ZSTD_e_flush;
        while (in.pos < in.size)
            assert_false(ZSTD_isError(ZSTD_compressStream2(c, &out, &in, how)));
        while (ZSTD_compressStream2(c, &out, &in, how) != 0)
            ;
    }
    while (from < out.pos) {
        size_t most = next_random(&seed) % 3 ? 50 : 65500, n = (size_t)(next_random(&seed) % most);
        n = n < out.pos - from ? n : out.pos - from;
        add_piece(to, type, packed + from, n);
        from += n;
    }
    ZSTD_freeCCtx(c);
    free(packed);
}

static void compressed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 13; seed++) {
        struct pb b = {.big = seed % 3 == 0};
        struct expected want = {.records = {.big = seed % 3 == 0}};
        uint32_t type = seed % 2 ? COMPRESSED : COMPRESSED2;
        add_fillers(&want.records, seed, seed < 3 ? 2000 : 300);
        pack(&b, &want.records, type, seed, seed % 4 < 2);
        want.end_at = b.n;
        check(&b, &want);
        size_t last = want.records.n; /* a last record that is cut */
        struct pb cut = {.big = b.big}, half = want.records;
        while (want.records.p[last - 1] != 0 && last > want.records.n - 5)
            last--;
        half.n = want.records.n - 1;
        pack(&cut, &half, type, seed, false);
        want.end = APF_PERF_END_CUT;
        want.end_at = cut.n;
        for (size_t at = 0, n; at < want.records.n; at += n) {
            n = load16(want.records.p + at + 6, want.records.big != (bool)HOST_BIG_ENDIAN);
            last = at;
        }
        want.records.n = last;
        check(&cut, &want);
        pb_free(&b);
        pb_free(&cut);
        pb_free(&want.records);
    }
}

/* Records of zeros: a short piece unpacks to several blocks. */
static void compressed_well(void **state)
{
    struct pb b = {.n = 0};
    struct expected want = {.end = APF_PERF_END_WHOLE};
    (void)state;
    for (int i = 0; i < 40; i++) {
        pb_begin(&want.records, 9, 0);
        pb_zeros(&want.records, 65000);
        pb_end(&want.records);
    }
    size_t n = ZSTD_compressBound(want.records.n);
    uint8_t *packed = malloc(n);
    n = ZSTD_compress(packed, n, want.records.p, want.records.n, 1);
    assert_in_range(n, 1, 60000);
    add_piece(&b, COMPRESSED, packed, n);
    pb_filler(&b, ROUND, 8, 0);
    pb_filler(&want.records, ROUND, 8, 0);
    want.end_at = b.n;
    check(&b, &want);
    want.end = APF_PERF_END_ENDLESS; /* at a limit, which the first blocks exceed */
    want.most = 300000;
    want.end_at = b.n - 8;
    want.records.n = 10 * (size_t)65008;
    struct expected part = want;
    part.records.n = PERF_BLOCK_BYTES / 65008 * 65008;
    check(&b, &part);
    pb_free(&b);
    pb_free(&want.records);
    free(packed);
}

/* A mark between pieces stays where it is, also if a record goes on after it. */
static void marks_between_pieces(void **state)
{
    struct pb b = {.n = 0}, records = {.n = 0};
    struct expected want = {.end = APF_PERF_END_WHOLE};
    uint8_t packed[1000];
    (void)state;
    pb_filler(&records, 9, 100, 1);
    pb_filler(&records, 9, 100, 2);
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_inBuffer in = {records.p, 150, 0};
    ZSTD_outBuffer out = {packed, sizeof packed, 0};
    assert_int_equal(ZSTD_compressStream2(c, &out, &in, ZSTD_e_flush), 0);
    add_piece(&b, COMPRESSED, packed, out.pos);
    size_t first = out.pos;
    pb_filler(&b, ROUND, 8, 3);
    in.size = 200;
    assert_int_equal(ZSTD_compressStream2(c, &out, &in, ZSTD_e_flush), 0);
    add_piece(&b, COMPRESSED, packed + first, out.pos - first);
    ZSTD_freeCCtx(c);
    pb_bytes(&want.records, records.p, 100);
    pb_filler(&want.records, ROUND, 8, 3);
    pb_bytes(&want.records, records.p + 100, 100);
    want.end_at = b.n;
    check(&b, &want);
    pb_free(&b);
    pb_free(&records);
    pb_free(&want.records);
}

/* Newer perf loses the size of records of 65529 to 65535 bytes; wherever the first bytes of such a record are. */
static void lost_sizes(void **state)
{
    (void)state;
    for (uint32_t n = 65505; n <= 65519; n++) {
        struct pb b = {.n = 0}, frame = {.n = 0};
        struct expected want = {.end = APF_PERF_END_WHOLE};
        size_t before = n % 3 ? (n % 5) * 8 : PERF_BLOCK_BYTES - (n - 65500);
        for (size_t step; before >= 8; before -= step) {
            step = before < 60000 + 8 ? before : 60000;
            pb_filler(&b, 1, (uint16_t)step, 1);
        }
        pb_bytes(&want.records, b.p, b.n);
        pb_filler(&want.records, 9, 1000, n);
        pb_bytes(&frame, "\x28\xb5\x2f\xfd\x00\x58",
                 6); /* a block that is not compressed, and a skippable frame */
        pb_32(&frame, 1000 << 3 | 1);
        frame.n--;
        pb_bytes(&frame, want.records.p + want.records.n - 1000, 1000);
        pb_32(&frame, 0x184D2A50);
        pb_32(&frame, (uint32_t)(n - frame.n - 4));
        pb_zeros(&frame, n - frame.n);
        add_piece(&b, COMPRESSED2, frame.p, frame.n);
        assert_int_equal(n > 65512, load16(b.p + b.record + 6, HOST_BIG_ENDIAN) == 0);
        pb_filler(&b, ROUND, 8, 0);
        pb_filler(&want.records, ROUND, 8, 0);
        want.end_at = b.n;
        check(&b, &want);
        pb_free(&b);
        pb_free(&frame);
        pb_free(&want.records);
    }
}

static void damaged_pieces(void **state)
{
    struct pb b = {.n = 0}, inner = {.n = 0};
    struct expected want = {.end = APF_PERF_END_DAMAGED};
    uint8_t packed[1000];
    (void)state;
    pb_filler(&inner, 9, 100, 1);
    add_piece(&inner, COMPRESSED, packed, 0); /* within a compressed record */
    pb_filler(&inner, 9, 100, 2);
    size_t n = ZSTD_compress(packed, sizeof packed, inner.p, inner.n, 1);
    add_piece(&b, COMPRESSED, packed, n);
    pb_filler(&want.records, 9, 100, 1);
    want.end_at = b.n;
    check(&b, &want);
    b.n = 0;
    inner.p[106] = 7; /* the size of a record */
    inner.p[107] = 0;
    n = ZSTD_compress(packed, sizeof packed, inner.p, inner.n, 1);
    add_piece(&b, COMPRESSED, packed, n);
    want.end_at = b.n;
    want.end = APF_PERF_END_BROKEN;
    check(&b, &want);
    static const char *const bad[] = {"no zstd at all, but text", "\x28\xb5\x2f\xfd\x00\x58\xff\xff\xff",
                                      "none"};
    for (size_t i = 0; i < COUNT(bad);
         i++) { /* the last ones are shorter than the header of a frame may be */
        b.n = want.records.n = 0;
        pb_filler(&b, 9, 100, 1);
        pb_filler(&want.records, 9, 100, 1);
        add_piece(&b, COMPRESSED, (const uint8_t *)bad[i], i == 1 ? 9 : strlen(bad[i]));
        want.end_at = b.n;
        want.end = APF_PERF_END_DAMAGED;
        check(&b, &want);
    }
    pb_free(&b);
    pb_free(&inner);
    pb_free(&want.records);
}

TEST_FILE(perf_stream)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(across_blocks),   TEST_WITH_DIR(ends),
        TEST_WITH_DIR(traces),          TEST_WITH_DIR(compressed),
        TEST_WITH_DIR(compressed_well), TEST_WITH_DIR(marks_between_pieces),
        TEST_WITH_DIR(lost_sizes),      TEST_WITH_DIR(damaged_pieces),
    };
    return RUN_TESTS(tests);
}
