/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/check/sample_names_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/byte_map.h"
#include "base/sort.h"

/* ---- bytes ---- */

void sample_check_unclaimed(struct sample_checker *k, const char *where, uint64_t at, uint64_t n)
{
    struct error_at place = {where, at, n, 0};
    if (bytes_zero(k->data + at, n))
        check_at(k->c, APF_SEVERITY_NOTE, APF_NOTE, place, "zeros that belong to no part of the profile");
    else
        check_at(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, place,
                 "bytes that belong to no part of the profile");
}

void sample_check_map(struct sample_checker *k, const struct byte_map *map, const char *unclaimed,
                      const char *overlap)
{
    uint64_t end = 0;
    for (size_t i = 0; i < map->list.n; i++) {
        const struct byte_span *part = &map->list.data[i];
        struct error_at at = {overlap, part->at, part->at, end};
        bool gap = strcmp(part->name, PART_UNCLAIMED) == 0 || strcmp(part->name, PART_PADDING) == 0;
        if (gap)
            sample_check_unclaimed(k, unclaimed, part->at, part->size);
        else if (part->at < end)
            check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, at, "two parts have the same bytes");
        end = part->at + part->size > end ? part->at + part->size : end;
    }
}

/* ---- names ---- */

void sample_check_entry_name(struct sample_checker *k, const struct sample_decoder *d, uint64_t i)
{
    char digits[24];
    struct apf_str name = {digits, 0};
    if (i >= d->table.n)
        return;
    if (d->table.names.n)
        name = d->table.names.data[i];
    else
        name.n = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)d->table.hashes.data[i]);
    sample_check_name(k, name);
}

/* A finding about entries of the table that is reported once. */
struct entry_tally {
    uint64_t n, first;
};

static void count_entry(struct entry_tally *t, uint64_t i)
{
    t->first = t->n++ ? t->first : i;
}

static void report_entries(struct sample_checker *k, const struct sample_decoder *d, uint64_t at,
                           const struct entry_tally *t, enum sample_place where, const char *detail)
{
    struct error_at place = {sample_check_path(k, where), at, t->n, 0};
    if (t->n == 0)
        return;
    if (d->table.names.n)
        place.offset = sample_decode_offset(d, (const uint8_t *)d->table.names.data[t->first].p);
    sample_check_entry_name(k, d, t->first);
    sample_check_times(k, APF_SEVERITY_NOTE, place, t->n, detail);
    check_no_function(k->c);
}

/* The number in the profile of entry i, which the reader has interned. Numbers from `n` on are new: nothing uses
 * them. */
static uint32_t number_of(struct sample_checker *k, const struct sample_decoder *d, size_t i)
{
    struct sample_names *names = &k->s->names;
    uint32_t number = SAMPLE_NONE;
    uint64_t hash = d->table.names.n ? 0 : d->table.hashes.data[i];
    if (!hash && k->s->info.flags & APF_SAMPLE_MD5)
        hash = sample_names_decimal(d->table.names.data[i]);
    int code = hash
                   ? sample_names_add_hash(names, hash, &number, k->c->error)
                   : sample_names_add(names, d->table.names.data[i], SAMPLE_NONE, true, &number, k->c->error);
    if (code == APF_NO_MEMORY)
        check_memory(k->c);
    return number;
}

/* Finds repeated and unused names. */
static void find_use(struct sample_checker *k, const struct sample_decoder *d, struct entry_tally *repeated,
                     struct entry_tally *unused)
{
    size_t n = k->s->names.list.n;
    uint8_t *seen = calloc(n + d->table.n + 1, 1);
    if (!seen || sample_mark_all_names(k->s, seen, k->c->error) != APF_OK) {
        free(seen);
        check_memory(k->c);
        return;
    }
    for (size_t i = 0; i < d->table.n && k->c->code == APF_OK; i++) {
        uint32_t number = number_of(k, d, i);
        if (number == SAMPLE_NONE)
            continue;
        if (seen[number] & 2)
            count_entry(repeated, i);
        else if (!seen[number])
            count_entry(unused, i);
        seen[number] |= 2;
    }
    free(seen);
}

void sample_check_name_table(struct sample_checker *k, const struct sample_decoder *d, uint64_t at, bool used)
{
    const struct apf_str *names = d->table.names.data;
    struct entry_tally unsorted = {0, 0}, empty = {0, 0}, repeated = {0, 0}, unused = {0, 0};
    for (size_t i = 0; i < d->table.names.n; i++) {
        if (names[i].n == 0)
            count_entry(&empty, i);
        if (i && sort_compare_bytes(names[i - 1].p, names[i - 1].n, names[i].p, names[i].n) > 0)
            count_entry(&unsorted, i);
    }
    if (k->whole && used)
        find_use(k, d, &repeated, &unused);
    report_entries(k, d, at, &unsorted, SAMPLE_AT_NAMES_ORDER, "names are not sorted");
    report_entries(k, d, at, &empty, SAMPLE_AT_EMPTY_NAME, "an empty name");
    report_entries(k, d, at, &repeated, SAMPLE_AT_REPEATED_NAME, "a name that is in the table twice");
    report_entries(
        k, d, at, &unused, SAMPLE_AT_UNUSED_NAME,
        "a name that nothing in the profile has: compilers take the function for one with samples");
}
