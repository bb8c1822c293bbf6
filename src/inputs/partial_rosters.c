/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/partial_rosters.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Digests of a piece, at most. */
#define PIECE 8192u

static void write_roster(struct partial_writer *file, const struct roster *roster)
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

/* Reads the next roster, if *more. Its digests are in the arena. */
static int read_roster(struct partial_reader *file, struct arena *arena, struct roster *roster, bool *more,
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

void partial_write_rosters(struct partial_writer *file, const struct rosters *rosters)
{
    partial_section(file, PARTIAL_ROSTERS);
    for (size_t i = 0; i < rosters->list.n; i++)
        write_roster(file, &rosters->list.data[i]);
}

int partial_read_rosters(struct partial_reader *file, struct arena *arena, struct partial_rosters *rosters,
                         struct apf_error *error)
{
    VEC(struct roster) list = {NULL, 0, 0};
    struct roster roster;
    bool more = true;
    int code = APF_OK;
    while (code == APF_OK && more) {
        code = read_roster(file, arena, &roster, &more, error);
        if (code == APF_OK && more && !VEC_PUSH(&list, roster))
            code = error_memory(error);
    }
    if (code == APF_OK) {
        rosters->n = list.n;
        rosters->list = arena_array(arena, list.n, sizeof *rosters->list);
        rosters->numbers = arena_array(arena, list.n, sizeof *rosters->numbers);
        if (!rosters->list || !rosters->numbers)
            code = error_memory(error);
        else if (list.n)
            memcpy(rosters->list, list.data, list.n * sizeof *rosters->list);
    }
    VEC_FREE(&list);
    return code;
}

int partial_join_rosters(struct rosters *to, const struct partial_rosters *from, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < from->n; i++)
        code = rosters_add(to, from->list[i].digests, from->list[i].n, &from->numbers[i], error);
    return code;
}
