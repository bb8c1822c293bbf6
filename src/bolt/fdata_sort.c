/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sorts records for writing: names become numbers, and a stable sort goes from the least to the most important key. */
#include "base/error.h"
#include "base/options.h"
#include "base/sort.h"
#include "bolt/fdata_model.h"

#include <stdlib.h>

/* The sort keys of a record. Names are numbers, first in order of appearance, then in order of their bytes. */
struct row {
    uint64_t from_offset, to_offset;
    uint32_t from_name, to_name;
    uint32_t entry;
    uint8_t from_symbol, to_symbol; /* enum apf_fdata_symbol */
    bool memory;
};

struct names {
    VEC(struct sort_name) data;
    struct hash_index index;
    uint32_t last; /* the last result of a lookup: lines of a function stand together */
};

/* Working memory of the sort. */
struct sorting {
    struct row *rows;
    struct sort_key *keys, *scratch;
    uint32_t *ranks; /* rank of each name by its bytes */
    struct names names;
    size_t n;
};

static bool same_name(const struct names *names, uint32_t i, struct apf_str name)
{
    const struct sort_name *s = &names->data.data[i];
    return s->n == name.n && memcmp(s->p, name.p, name.n) == 0;
}

/* The number of a name; false: allocation failed. */
static bool name_number(const struct apf_fdata *f, struct names *names, struct apf_str name, uint32_t *number)
{
    if (names->data.n && same_name(names, names->last, name)) {
        *number = names->last;
        return true;
    }
    if (!hash_index_reserve(&names->index, 1))
        return false;
    uint64_t hash = fdata_hash(f, name.p, name.n);
    uint32_t e;
    HASH_INDEX_FIND(e, &names->index, hash, same_name(names, e, name));
    if (e == HASH_INDEX_NONE) {
        e = (uint32_t)names->data.n;
        struct sort_name fresh = {0, name.p, (uint32_t)name.n, e};
        if (!VEC_PUSH(&names->data, fresh))
            return false;
        hash_index_add(&names->index, hash, e);
    }
    *number = names->last = e;
    return true;
}

static void read_entry(const struct apf_fdata *f, uint32_t at, struct apf_fdata_record *record)
{
    const struct fdata_entry *entry = fdata_entry_at(f, at);
    const char *text = fdata_entry_text(entry);
    struct fdata_fault fault;
    /* fdata_text_make wrote the text, so parsing cannot fail. */
    (void)fdata_text_parse(record, text, text + entry->n_text, f->info.flags & APF_FDATA_NO_LBR, &fault);
    record->count = entry->count;
    record->mispredictions = entry->mispredictions;
}

static bool make_rows(const struct apf_fdata *f, struct sorting *s)
{
    size_t units = f->entries.n / FDATA_UNIT;
    for (size_t at = 0; at < units; s->n++) {
        struct apf_fdata_record record;
        struct row *row = &s->rows[s->n];
        read_entry(f, (uint32_t)at, &record);
        if (!name_number(f, &s->names, record.from.name, &row->from_name) ||
            !name_number(f, &s->names, record.to.name, &row->to_name))
            return false;
        row->from_offset = record.from.offset;
        row->to_offset = record.to.offset;
        row->entry = (uint32_t)at;
        row->from_symbol = (uint8_t)record.from.symbol;
        row->to_symbol = (uint8_t)record.to.symbol;
        row->memory = record.kind == APF_FDATA_MEMORY;
        at += fdata_entry_units(fdata_entry_at(f, (uint32_t)at)->n_text);
    }
    return true;
}

static bool rank_names(struct sorting *s)
{
    size_t n = s->names.data.n;
    struct sort_name *scratch = calloc(n + 1, sizeof *scratch);
    s->ranks = calloc(n + 1, sizeof *s->ranks);
    if (scratch && s->ranks) {
        sort_names(s->names.data.data, scratch, n);
        for (size_t i = 0; i < n; i++)
            s->ranks[s->names.data.data[i].index] = (uint32_t)i;
    }
    free(scratch);
    return scratch && s->ranks;
}

/* The sort keys of a row, the most important one last. */
enum { BY_TO_OFFSET, BY_TO, BY_FROM_OFFSET, BY_FROM, BY_FUNCTION, BY_COUNT };

static uint64_t number_of(const struct sorting *s, const struct row *row, int by)
{
    bool entry = row->from_symbol == APF_FDATA_NO_SYMBOL && row->to_symbol != APF_FDATA_NO_SYMBOL;
    switch (by) {
    case BY_TO_OFFSET:
        return row->to_offset;
    case BY_TO:
        return (uint64_t)row->to_symbol << 32 | s->ranks[row->to_name];
    case BY_FROM_OFFSET:
        return row->from_offset;
    case BY_FROM:
        return (uint64_t)row->from_symbol << 32 | s->ranks[row->from_name];
    default:
        return (uint64_t)row->memory << 33 | (uint64_t)s->ranks[entry ? row->to_name : row->from_name] << 1 |
               entry;
    }
}

static void sort_rows(struct sorting *s)
{
    for (size_t i = 0; i < s->n; i++)
        s->keys[i].value = i;
    for (int by = 0; by < BY_COUNT; by++) {
        for (size_t i = 0; i < s->n; i++)
            s->keys[i].key = number_of(s, &s->rows[s->keys[i].value], by);
        sort_keys(s->keys, s->scratch, s->n);
    }
}

/* Fills in f->order, which has the room. False: allocation failed. */
static bool sort_entries(struct apf_fdata *f)
{
    size_t n = f->index.n;
    struct sorting s = {0};
    s.rows = calloc(n + 1, sizeof *s.rows);
    bool good = s.rows && make_rows(f, &s) && rank_names(&s);
    hash_index_free(&s.names.index); /* before the sort allocates more */
    VEC_FREE(&s.names.data);
    if (good) {
        s.keys = calloc(n + 1, sizeof *s.keys);
        s.scratch = calloc(n + 1, sizeof *s.scratch);
        good = s.keys && s.scratch;
    }
    if (good) {
        sort_rows(&s);
        f->order.n = n;
        for (size_t i = 0; i < n; i++)
            f->order.data[i] = s.rows[s.keys[i].value].entry;
    }
    free(s.ranks);
    free(s.scratch);
    free(s.keys);
    free(s.rows);
    return good;
}

static bool sort_events(struct apf_fdata *f)
{
    size_t n = f->events.list.n;
    struct apf_str *scratch = calloc(n + 1, sizeof *scratch);
    f->events_sorted.n = 0;
    bool good = scratch && VEC_RESERVE(&f->events_sorted, n);
    if (good && n) {
        memcpy(f->events_sorted.data, f->events.list.data, n * sizeof *scratch);
        f->events_sorted.n = n;
        sort_merge(f->events_sorted.data, scratch, n, sizeof *scratch, sort_text_before, NULL);
        f->info.events = f->events_sorted.data;
    }
    free(scratch);
    return good;
}

int apf_fdata_sort(struct apf_fdata *f, struct apf_error *error)
{
    int code = fdata_usable(f, error);
    if (code != APF_OK || f->sorted)
        return code;
    f->order.n = 0;
    if (!VEC_RESERVE(&f->order, f->index.n) || !sort_events(f) || !sort_entries(f))
        return error_memory(error);
    f->sorted = true;
    return APF_OK;
}

int apf_fdata_record(const struct apf_fdata *f, size_t i, struct apf_fdata_record *record,
                     struct apf_error *error)
{
    struct apf_fdata_record out;
    int code = RESULT_CHECK(apf_fdata_record, record, error);
    if (code != APF_OK)
        return code;
    if (!f->sorted)
        return error_plain(error, APF_ARGUMENT, "fdata.records", "they are not sorted: see apf_fdata_sort");
    if (i >= f->order.n)
        return APF_END;
    read_entry(f, f->order.data[i], &out);
    result_fill(record, sizeof out, &out);
    return APF_OK;
}
