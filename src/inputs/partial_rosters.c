/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/partial_rosters.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Digests of a piece, at most. */
#define PIECE 8192u

void partial_write_roster(struct partial_writer *file, const struct roster *roster)
{
    partial_number(file, roster->n);
    partial_end_record(file);
    for (size_t i = 0; i < roster->n;) {
        const size_t end = roster->n - i < PIECE ? roster->n : i + PIECE;
        for (; i < end; i++)
            partial_fixed(file, roster->digests[i]);
        partial_end_record(file);
    }
}

/* Reads a piece of the digests; *last is the one before. */
static int read_piece(struct partial_reader *file, uint64_t *to, size_t n, uint64_t *last,
                      struct apf_error *error)
{
    bool more;
    int code = partial_next(file, PARTIAL_ROSTERS, &more, error);
    if (code == APF_OK && !more)
        code = partial_wrong(file, "partial.roster", "a piece is missing", error);
    const uint8_t *p = code == APF_OK ? cursor_array(&file->c, n, 8) : NULL;
    if (code == APF_OK)
        code = partial_check(file, "partial.roster", error);
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        to[i] = load64le(p + 8 * i);
        if (to[i] < *last)
            code = partial_wrong(file, "partial.roster", "digests are not in order", error);
        *last = to[i];
    }
    return code;
}

int partial_read_roster(struct partial_reader *file, struct arena *arena, struct roster *roster, bool *more,
                        struct apf_error *error)
{
    VEC(uint64_t) digests = {NULL, 0, 0};
    uint64_t last = 0;
    int code = partial_next(file, PARTIAL_ROSTERS, more, error);
    const uint64_t n = code == APF_OK && *more ? cursor_uleb128(&file->c) : 0;
    if (code == APF_OK)
        code = partial_check(file, "partial.roster", error);
    while (code == APF_OK && digests.n < n) { /* memory grows with what is read */
        const uint64_t left = n - digests.n;
        const size_t piece = left < PIECE ? (size_t)left : PIECE;
        code = VEC_RESERVE(&digests, piece) ? APF_OK : error_memory(error);
        if (code == APF_OK)
            code = read_piece(file, digests.data + digests.n, piece, &last, error);
        digests.n += code == APF_OK ? piece : 0;
    }
    uint64_t *copy = code == APF_OK ? arena_array(arena, digests.n, sizeof *copy) : NULL;
    if (code == APF_OK && !copy)
        code = error_memory(error);
    if (copy && digests.n)
        memcpy(copy, digests.data, digests.n * sizeof *copy);
    *roster = (struct roster){.digests = copy, .n = copy ? digests.n : 0};
    VEC_FREE(&digests);
    return code;
}
