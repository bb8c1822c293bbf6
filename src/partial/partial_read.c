/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "partial/partial_read.h"

#include <inttypes.h>
#include <string.h>
#include <zstd.h>

#include "base/error.h"

/* ---- errors ---- */

static int bad_block(const struct partial_reader *r, const char *where, const char *what,
                     struct apf_error *error)
{
    return error_place(error, APF_BAD_PARTIAL, where, r->at, what);
}

int partial_wrong(const struct partial_reader *r, const char *where, const char *what,
                  struct apf_error *error)
{
    const uint64_t in_block = cursor_offset(&r->c);
    error_set_place(error, APF_BAD_PARTIAL, where, r->at, what);
    if (error)
        error_add(error, ", %" PRIu64 " bytes into the block", in_block);
    return APF_BAD_PARTIAL;
}

int partial_check(const struct partial_reader *r, const char *where, struct apf_error *error)
{
    return r->c.failed ? partial_wrong(r, where, "a record does not fit in its block", error) : APF_OK;
}

/* ---- bytes ---- */

/* Reads up to n bytes; *got is less only at the end of the file. */
static int read_bytes(struct partial_reader *r, uint8_t *to, size_t n, size_t *got, struct apf_error *error)
{
    int code = APF_OK;
    size_t step = 1;
    for (*got = 0; code == APF_OK && step && *got < n; *got += step) {
        step = 0;
        code = file_stream_read(&r->stream, to + *got, n - *got, &step, error);
    }
    r->end += *got;
    return code;
}

bool partial_is(const uint8_t *p, size_t n)
{
    return n >= sizeof PARTIAL_MAGIC - 1 && memcmp(p, PARTIAL_MAGIC, sizeof PARTIAL_MAGIC - 1) == 0;
}

/* Whether the field has a kind; only an undecided file says anything of names. */
static bool is_kind(uint32_t kind)
{
    return kind == PARTIAL_INSTR || kind == PARTIAL_SAMPLE ||
           ((kind & PARTIAL_KIND_MASK) == PARTIAL_UNDECIDED &&
            kind >> PARTIAL_NAMES_SHIFT <= PARTIAL_NAMES_MOST);
}

bool partial_is_of(const uint8_t *p, size_t n, enum partial_kind kind)
{
    const uint32_t found = partial_is(p, n) && n >= PARTIAL_HEADER_BYTES ? load16le(p + PARTIAL_KIND_AT) : 0;
    return is_kind(found) &&
           (found == (uint32_t)kind || (found & PARTIAL_KIND_MASK & (uint32_t)kind) == PARTIAL_UNDECIDED);
}

uint32_t partial_names(const uint8_t *p, size_t n)
{
    return partial_is_of(p, n, PARTIAL_UNDECIDED)
               ? (uint32_t)load16le(p + PARTIAL_KIND_AT) >> PARTIAL_NAMES_SHIFT & PARTIAL_NAMES_MOST
               : 0;
}

bool partial_pass_block(const uint8_t *p, size_t n, size_t *at, uint8_t *section)
{
    if (*at > n || n - *at < PARTIAL_HEAD_BYTES)
        return false;
    const uint32_t n_stored = load32le(p + *at + 4);
    *section = p[*at];
    *at += PARTIAL_HEAD_BYTES + n_stored;
    return *at <= n;
}

/* Reads the header of which the first n bytes are at `head`; *kind becomes what its field has. */
static int check_header(struct partial_reader *r, const uint8_t *head, size_t n, uint32_t *kind,
                        struct apf_error *error)
{
    if (!partial_is(head, n))
        return bad_block(r, "partial.magic", "it is no partial profile", error);
    if (n < PARTIAL_HEADER_BYTES)
        return error_mismatch(error, APF_BAD_PARTIAL, "partial.header", r->at, n, PARTIAL_HEADER_BYTES,
                              "the file is cut off");
    const uint64_t version = load16le(head + 8);
    const uint32_t number = load16le(head + PARTIAL_SLICE_AT), last = load16le(head + PARTIAL_SLICE_AT + 2);
    if (version != PARTIAL_VERSION)
        return error_mismatch(error, APF_UNSUPPORTED_VERSION, "partial.version", r->at + 8, version,
                              PARTIAL_VERSION, "of a newer anyprof");
    if (load64le(head + 16) != partial_checksum(head, 16, NULL, 0))
        return error_place(error, APF_BAD_PARTIAL, "partial.header", r->at + 16, "the checksum is wrong");
    *kind = load16le(head + PARTIAL_KIND_AT);
    if (!is_kind(*kind))
        return error_place(error, APF_BAD_PARTIAL, "partial.kind", r->at + PARTIAL_KIND_AT,
                           "the kind of profile is not known");
    if (number > last)
        return error_place(error, APF_BAD_PARTIAL, "partial.slice", r->at + PARTIAL_SLICE_AT,
                           "its number is above that of the last slice");
    r->slice = (struct apf_slice){number, last + 1};
    return APF_OK;
}

static int read_header(struct partial_reader *r, uint32_t *kind, struct apf_error *error)
{
    uint8_t head[PARTIAL_HEADER_BYTES];
    size_t got;
    r->at = r->end;
    int code = read_bytes(r, head, sizeof head, &got, error);
    return code == APF_OK ? check_header(r, head, got, kind, error) : code;
}

/* ---- blocks ---- */

/* The head of a block. */
struct block_head {
    uint8_t bytes[PARTIAL_HEAD_BYTES];
    uint32_t n_stored, n_unpacked, n_records;
    uint64_t checksum;
};

static int check_head(const struct partial_reader *r, struct block_head *h, struct apf_error *error)
{
    h->n_stored = load32le(h->bytes + 4);
    h->n_unpacked = load32le(h->bytes + 8);
    h->n_records = load32le(h->bytes + 12);
    h->checksum = load64le(h->bytes + 16);
    const bool packed = h->bytes[1] == PARTIAL_ZSTD;
    if (h->bytes[1] >= PARTIAL_PACKINGS || h->bytes[2] || h->bytes[3])
        return bad_block(r, "partial.block.packing", "the packing is not known", error);
    if (h->n_unpacked > PARTIAL_BLOCK_BYTES + PARTIAL_RECORD_BYTES || h->n_records == 0 ||
        (packed ? h->n_stored >= h->n_unpacked : h->n_stored != h->n_unpacked))
        return bad_block(r, "partial.block.size", "the sizes of the block are wrong", error);
    return APF_OK;
}

/* Reads the stored bytes, in pieces: a wrong size must not cost memory that the file does not have. */
static int read_stored(struct partial_reader *r, const struct block_head *h, struct apf_error *error)
{
    r->stored.n = 0;
    while (r->stored.n < h->n_stored) {
        const size_t left = h->n_stored - r->stored.n;
        const size_t step = left < PARTIAL_BLOCK_BYTES ? left : PARTIAL_BLOCK_BYTES;
        size_t got;
        if (!VEC_RESERVE(&r->stored, step))
            return error_memory(error);
        int code = read_bytes(r, r->stored.data + r->stored.n, step, &got, error);
        if (code != APF_OK)
            return code;
        r->stored.n += got;
        if (got < step)
            return bad_block(r, "partial.block", "the file is cut off inside of a block", error);
    }
    if (partial_checksum(h->bytes, 16, r->stored.data, h->n_stored) != h->checksum)
        return bad_block(r, "partial.block.checksum", "the checksum is wrong", error);
    return APF_OK;
}

static int unpack_block(struct partial_reader *r, const struct block_head *h, struct apf_error *error)
{
    const uint8_t *p = r->stored.data;
    if (h->bytes[1] == PARTIAL_ZSTD) {
        r->unpacked.n = 0;
        if (!VEC_RESERVE(&r->unpacked, h->n_unpacked))
            return error_memory(error);
        p = r->unpacked.data;
        const size_t got =
            ZSTD_decompressDCtx(r->zstd, r->unpacked.data, h->n_unpacked, r->stored.data, h->n_stored);
        if (ZSTD_isError(got) || got != h->n_unpacked)
            return bad_block(r, "partial.block", "it cannot be unpacked", error);
    }
    r->c = cursor_make(p, h->n_unpacked, HOST_BIG_ENDIAN);
    return APF_OK;
}

/* Reads the next block. */
static int next_block(struct partial_reader *r, struct apf_error *error)
{
    struct block_head h;
    size_t got;
    r->at = r->end;
    int code = read_bytes(r, h.bytes, sizeof h.bytes, &got, error);
    if (code == APF_OK && got < sizeof h.bytes)
        code = bad_block(r, "partial.block", "the file is cut off between its blocks or at the head of one",
                         error);
    if (code == APF_OK)
        code = check_head(r, &h, error);
    if (code == APF_OK)
        code = read_stored(r, &h, error);
    if (code == APF_OK)
        code = unpack_block(r, &h, error);
    if (code == APF_OK && h.bytes[0] < r->section)
        code = bad_block(r, "partial.block.section", "the sections are not in order", error);
    if (code != APF_OK)
        return code;
    r->section = h.bytes[0];
    r->n_records = h.n_records;
    if (r->section != PARTIAL_LAST_SECTION) {
        r->n_blocks++;
        r->checksums += h.checksum;
    }
    return APF_OK;
}

int partial_next(struct partial_reader *r, uint8_t section, bool *more, struct apf_error *error)
{
    int code = partial_check(r, "partial.record", error);
    *more = false;
    if (code == APF_OK && r->n_records == 0 && cursor_left(&r->c))
        code = partial_wrong(r, "partial.record", "bytes are left after the records", error);
    if (code == APF_OK && r->n_records == 0 && r->section < PARTIAL_LAST_SECTION)
        code = next_block(r, error);
    if (code == APF_OK && r->n_records && r->section < section)
        code = bad_block(r, "partial.block.section", "the section is not known", error);
    *more = code == APF_OK && r->n_records && r->section == section;
    r->n_records -= *more;
    return code;
}

int partial_skip(struct partial_reader *r, uint8_t section, struct apf_error *error)
{
    int code = APF_OK;
    while (code == APF_OK && r->section < section) {
        r->n_records = 0;
        code = next_block(r, error);
    }
    return code;
}

/* Reads the last section. */
static int end_blocks(struct partial_reader *r, struct apf_error *error)
{
    bool more;
    int code = partial_next(r, PARTIAL_LAST_SECTION, &more, error);
    if (code != APF_OK)
        return code;
    const uint64_t n_blocks = cursor_uleb128(&r->c), checksums = cursor_u64(&r->c);
    code = partial_check(r, "partial.end", error);
    if (code == APF_OK && (r->n_records || cursor_left(&r->c)))
        code = partial_wrong(r, "partial.end", "more follows the sum of the checksums", error);
    if (code == APF_OK && (n_blocks != r->n_blocks || checksums != r->checksums))
        code = partial_wrong(r, "partial.end", "there are other blocks than it says", error);
    return code;
}

/* Goes on with the partial sample profile that follows the other one of an undecided file. */
static int begin_samples(struct partial_reader *r, struct apf_error *error)
{
    uint32_t kind = 0;
    r->undecided = false;
    r->section = 0;
    r->n_blocks = r->checksums = 0;
    int code = read_header(r, &kind, error);
    if (code == APF_OK && (kind != PARTIAL_SAMPLE || r->slice.n != 1))
        code = error_place(error, APF_BAD_PARTIAL, "partial.kind", r->at + PARTIAL_KIND_AT,
                           "no partial sample profile follows");
    return code;
}

/* Passes all sections up to the end, and checks them. */
static int pass_blocks(struct partial_reader *r, struct apf_error *error)
{
    int code = partial_skip(r, PARTIAL_LAST_SECTION, error);
    return code == APF_OK ? end_blocks(r, error) : code;
}

int partial_end(struct partial_reader *r, struct apf_error *error)
{
    uint8_t byte;
    size_t got = 0;
    int code = end_blocks(r, error);
    if (code == APF_OK && r->undecided) {
        code = begin_samples(r, error);
        if (code == APF_OK)
            code = pass_blocks(r, error);
    }
    r->at = r->end;
    if (code == APF_OK)
        code = read_bytes(r, &byte, 1, &got, error);
    if (code == APF_OK && got)
        code = bad_block(r, "partial.end", "more bytes follow the last block", error);
    return code;
}

/* ---- the file ---- */

/* Goes to the records of a kind, in a file whose header says `found`. */
static int find_kind(struct partial_reader *r, enum partial_kind kind, uint32_t found,
                     struct apf_error *error)
{
    r->undecided = (found & PARTIAL_KIND_MASK) == PARTIAL_UNDECIDED;
    if (!r->undecided)
        return found == (uint32_t)kind
                   ? APF_OK
                   : error_plain(error, APF_UNRECOGNIZED_FORMAT, "partial.kind", "it is a partial %s profile",
                                 kind == PARTIAL_INSTR ? "sample" : "instrumentation");
    if (r->slice.n != 1)
        return error_place(error, APF_BAD_PARTIAL, "partial.slice", PARTIAL_SLICE_AT,
                           "a slice of inputs without a kind");
    if (kind == PARTIAL_INSTR)
        return APF_OK;
    int code = pass_blocks(r, error);
    return code == APF_OK ? begin_samples(r, error) : code;
}

int partial_open(struct partial_reader *r, const struct apf_input *input, enum partial_kind kind,
                 uint64_t max_bytes, struct apf_error *error)
{
    uint32_t found = 0;
    *r = (struct partial_reader){.stream = {.fd = -1}, .zstd = ZSTD_createDCtx()};
    int code = r->zstd ? file_stream_open(&r->stream, input, max_bytes, error) : error_memory(error);
    if (code == APF_OK)
        code = read_header(r, &found, error);
    return code == APF_OK ? find_kind(r, kind, found, error) : code;
}

void partial_reader_close(struct partial_reader *r)
{
    file_stream_close(&r->stream);
    VEC_FREE(&r->stored);
    VEC_FREE(&r->unpacked);
    ZSTD_freeDCtx(r->zstd);
    r->zstd = NULL;
}

struct apf_str partial_read_text(struct partial_reader *r)
{
    struct apf_str text = {NULL, 0};
    const uint64_t n = cursor_uleb128(&r->c);
    text.p = (const char *)cursor_bytes(&r->c, n);
    text.n = text.p ? (size_t)n : 0;
    return text;
}
