/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data access profiles of MemProf sections. */
#include "base/error.h"
#include "instr/memprof_read.h"
#include "instr/name_blob.h"

#define RECORD_BYTES 25u   /* without locations */
#define LOCATION_BYTES 12u /* number of a string, line */

static const char path[] = "indexed.memprof.data";

/* Strings, and behind them the names of what is cold, which are among them too. */
static int read_strings(struct memprof_reader *r, struct cursor *c, uint64_t *n_strings,
                        struct apf_error *error)
{
    uint64_t at = cursor_offset(c), left = cursor_left(c);
    uint64_t n = cursor_u64(c), n_cold = cursor_u64(c), size = cursor_u64(c);
    uint64_t budget = profile_name_budget(r->options, r->n);
    struct name_list list = {0};
    if (c->failed)
        return memprof_bad(error, path, at, left, 24, "data access profiles are cut off");
    if (size > cursor_left(c))
        return memprof_bad(error, path, at + 16, size, cursor_left(c), "strings run past the end");
    int code = name_blob_strings(c, size, &budget, path, &r->m->arena, &list, error);
    if (code == APF_OK && (n > list.n || n_cold != list.n - n))
        code = memprof_bad(error, path, at, n, list.n, "another number of strings than there are");
    for (uint64_t i = 0; code == APF_OK && i < n; i++)
        if (memprof_string_number(r->m, list.data[i].p, list.data[i].n) != i && !r->m->failed)
            code = memprof_bad(error, path, at, i, n, "a string a second time");
    for (uint64_t i = n; code == APF_OK && i < list.n; i++) {
        uint32_t number = memprof_string_number(r->m, list.data[i].p, list.data[i].n);
        memprof_push_cold(r->m, number);
    }
    VEC_FREE(&list);
    *n_strings = n;
    if (code == APF_OK)
        cursor_skip(c, pad8(size % 8));
    return code == APF_OK ? memprof_check(r->m, path, at, error) : code;
}

static int read_cold_hashes(struct memprof_reader *r, struct cursor *c, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), n = cursor_u64(c), left = cursor_left(c) / 8;
    const uint8_t *p = cursor_array(c, n, 8);
    if (!p)
        return memprof_bad(error, path, at, n, left, "more hashes than fit");
    for (uint64_t i = 0; i < n; i++)
        memprof_push_cold_hash(r->m, load64le(p + 8 * i));
    return memprof_check(r->m, path, at, error);
}

static int read_datum(struct memprof_reader *r, struct cursor *c, uint64_t n_strings, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), id = cursor_u64(c);
    uint8_t is_literal = cursor_u8(c);
    uint64_t count = cursor_u64(c), n = cursor_u64(c), left = cursor_left(c) / LOCATION_BYTES;
    const uint8_t *p = cursor_array(c, n, LOCATION_BYTES);
    if (!p)
        return memprof_bad(error, path, at, n, left, "more places than fit");
    if (!is_literal && id >= n_strings)
        return memprof_bad(error, path, at, id, n_strings, "number of a string that is not there");
    uint32_t datum = memprof_push_datum(r->m, is_literal != 0, id, count);
    for (uint64_t i = 0; i < n; i++, p += LOCATION_BYTES) {
        uint64_t file = load64le(p);
        if (file >= n_strings)
            return memprof_bad(error, path, at + RECORD_BYTES + LOCATION_BYTES * i, file, n_strings,
                               "number of a string that is not there");
        memprof_push_location(r->m, datum, (uint32_t)file, load32le(p + 8));
    }
    return memprof_check(r->m, path, at, error);
}

int memprof_read_data(struct memprof_reader *r, uint64_t at, struct apf_error *error)
{
    struct cursor c = cursor_make(r->data, r->n, HOST_BIG_ENDIAN);
    uint64_t n_strings = 0;
    if (at > r->n)
        return memprof_bad(error, path, r->start, at, r->n, "data access profiles lie outside the file");
    cursor_skip(&c, at);
    int code = read_strings(r, &c, &n_strings, error);
    if (code == APF_OK)
        code = read_cold_hashes(r, &c, error);
    if (code != APF_OK)
        return code;
    at = cursor_offset(&c);
    uint64_t n = cursor_u64(&c);
    if (c.failed || n > cursor_left(&c) / RECORD_BYTES)
        return memprof_bad(error, path, at, n, cursor_left(&c) / RECORD_BYTES, "more profiles than fit");
    for (uint64_t i = 0; code == APF_OK && i < n; i++)
        code = read_datum(r, &c, n_strings, error);
    return code;
}
