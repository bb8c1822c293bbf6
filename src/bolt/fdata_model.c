/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/fdata_model.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text_bytes.h"

#define MOST_RECORDS ((uint64_t)1 << 28)

int apf_fdata_new(struct apf_fdata **result, const struct apf_options *options, struct apf_error *error)
{
    struct apf_options o;
    *result = NULL;
    int code = common_options_read(&o, options, error);
    if (code != APF_OK)
        return code;
    struct apf_fdata *f = calloc(1, sizeof *f);
    if (!f)
        return error_memory(error);
    f->options = o;
    if (f->options.max_records == 0 || f->options.max_records > MOST_RECORDS)
        f->options.max_records = MOST_RECORDS;
    *result = f;
    return APF_OK;
}

void apf_fdata_free(struct apf_fdata *f)
{
    if (!f)
        return;
    hash_index_free(&f->index);
    VEC_FREE(&f->entries);
    VEC_FREE(&f->order);
    VEC_FREE(&f->text);
    text_set_free(&f->events);
    VEC_FREE(&f->events_sorted);
    arena_free(&f->arena);
    free(f);
}

const struct apf_fdata_info *apf_fdata_info(const struct apf_fdata *f)
{
    return &f->info;
}

int fdata_usable(const struct apf_fdata *f, struct apf_error *error)
{
    return f->failed ? error_plain(error, APF_ARGUMENT, "fdata",
                                   "the profile cannot be used after an earlier failure")
                     : APF_OK;
}

/* ---- entries ---- */

uint64_t fdata_hash(const struct apf_fdata *f, const char *text, size_t n)
{
    return XXH3_64bits_withSeed(text, n, f->index.key);
}

/* Adds two numbers, neither above APF_FDATA_MOST; false: the sum saturated. */
static bool add_up(uint64_t *sum, uint64_t more)
{
    *sum += more;
    if (*sum <= APF_FDATA_MOST)
        return false;
    *sum = APF_FDATA_MOST;
    return true;
}

void fdata_saturate(struct apf_fdata *f, struct fdata_entry *entry, uint64_t count, uint64_t mispredictions)
{
    bool lost = add_up(&entry->count, count);
    lost |= add_up(&entry->mispredictions, mispredictions);
    f->info.n_saturated += lost && !entry->saturated;
    entry->saturated |= lost;
}

static int too_many(const struct apf_fdata *f, struct apf_error *error)
{
    struct error_at at = {"fdata.records", NO_OFFSET, f->index.n + 1, f->options.max_records};
    return error_at(error, APF_LIMIT, at, "more different records than allowed");
}

static void count_record(struct apf_fdata_info *info, uint32_t kind)
{
    info->n_branches += kind == APF_FDATA_BRANCH;
    info->n_samples += kind == APF_FDATA_SAMPLE;
    info->n_memory += kind == APF_FDATA_MEMORY;
}

/* Adds an entry without counts for the text in f->text. */
static int add_entry(struct apf_fdata *f, struct fdata_entry **result, struct apf_error *error)
{
    size_t n = f->text.n, units = fdata_entry_units(n), at = f->entries.n / FDATA_UNIT;
    if (f->index.n >= f->options.max_records)
        return too_many(f, error);
    if (n > UINT32_MAX || at >= UINT32_MAX - 1)
        return error_plain(error, APF_LIMIT, "fdata.records", "more than 32 GiB of records");
    if (!hash_index_reserve(&f->index, 1) || !VEC_RESERVE(&f->entries, units * FDATA_UNIT))
        return hash_index_error(&f->index, error);
    f->entries.n += units * FDATA_UNIT;
    struct fdata_entry *entry = fdata_entry_at(f, (uint32_t)at);
    struct fdata_entry none = {0, 0, (uint32_t)n, 0};
    *entry = none;
    memcpy(entry + 1, f->text.data, n);
    hash_index_add(&f->index, fdata_hash(f, f->text.data, n), (uint32_t)at);
    *result = entry;
    return APF_OK;
}

int fdata_add_record(struct apf_fdata *f, const struct apf_fdata_record *record, struct apf_error *error)
{
    if (!fdata_text_make(&f->text, record))
        return error_memory(error);
    if (!hash_index_reserve(&f->index, 1))
        return hash_index_error(&f->index, error);
    struct fdata_entry *entry =
        fdata_find(f, f->text.data, f->text.n, fdata_hash(f, f->text.data, f->text.n));
    if (!entry) {
        int code = add_entry(f, &entry, error);
        if (code != APF_OK)
            return code;
        count_record(&f->info, record->kind);
    }
    fdata_count(f, entry, record->count, record->mispredictions);
    f->info.n_lines++;
    f->sorted = false;
    return APF_OK;
}

/* ---- flags of the profile ---- */

int fdata_agree(struct apf_fdata *f, uint32_t flags, struct apf_str file, struct apf_error *error)
{
    static const struct {
        uint32_t flag;
        const char *line;
    } lines[] = {{APF_FDATA_BOLTED, "boltedcollection"}, {APF_FDATA_NO_LBR, "no_lbr"}};
    for (size_t i = 0; f->info.known && i < sizeof lines / sizeof *lines; i++) {
        if (((flags ^ f->info.flags) & lines[i].flag) == 0)
            continue;
        const char *origin = f->origin.n ? f->origin.p : "what was made before";
        bool has = flags & lines[i].flag;
        return error_plain(error, APF_FDATA_CONFLICT, "fdata.header",
                           "cannot mix profile with and without %s: %s has that line, %s has not",
                           lines[i].line, has ? "this one" : origin, has ? origin : "this one");
    }
    if (f->info.known)
        return APF_OK;
    f->origin.p = arena_text(&f->arena, file.p, file.n);
    if (!f->origin.p)
        return error_memory(error);
    f->origin.n = file.n;
    f->info.known = 1;
    f->info.flags = flags;
    return APF_OK;
}

int fdata_add_event(struct apf_fdata *f, struct apf_str event, struct apf_error *error)
{
    const size_t n = f->events.list.n;
    uint32_t number;
    const int code = text_set_add(&f->events, event, &number, error);
    if (code != APF_OK || number < n)
        return code;
    f->info.events = f->events.list.data;
    f->info.n_events = f->events.list.n;
    f->sorted = false;
    return APF_OK;
}

int apf_fdata_declare(struct apf_fdata *f, uint32_t flags, const struct apf_str *events, size_t n_events,
                      struct apf_error *error)
{
    static const struct apf_str caller = {"", 0};
    int code = fdata_usable(f, error);
    if (code == APF_OK)
        code = flags_check(flags, APF_FDATA_BOLTED | APF_FDATA_NO_LBR, "apf_fdata_declare.flags", error);
    if (code != APF_OK)
        return code;
    if (n_events && !(flags & APF_FDATA_NO_LBR))
        return error_plain(error, APF_ARGUMENT, "apf_fdata_declare.flags", "events need APF_FDATA_NO_LBR");
    for (size_t i = 0; i < n_events; i++)
        if (!text_word(events[i].p, events[i].n))
            return error_plain(error, APF_ARGUMENT, "fdata.events", "a blank or control character in a name");
    code = fdata_agree(f, flags, caller, error);
    for (size_t i = 0; i < n_events && code == APF_OK; i++)
        code = fdata_add_event(f, events[i], error);
    return code;
}

/* The fault of a record, or NULL. */
static const char *objection(const struct apf_fdata *f, const struct apf_fdata_record *r)
{
    bool sample = r->kind == APF_FDATA_SAMPLE, branch = r->kind == APF_FDATA_BRANCH;
    if (!sample && !branch && r->kind != APF_FDATA_MEMORY)
        return "unknown kind of record";
    if (f->info.flags & APF_FDATA_NO_LBR ? branch : sample)
        return branch ? "a branch in a profile of samples" : "a sample in a profile of branches";
    if (!fdata_name_is_good(r->from.name) || (!sample && !fdata_name_is_good(r->to.name)))
        return "a name that is empty, not escaped, or has a line feed or a zero";
    if (r->from.symbol > APF_FDATA_LOCAL_SYMBOL || (!sample && r->to.symbol > APF_FDATA_LOCAL_SYMBOL))
        return "unknown kind of symbol";
    if (r->count > APF_FDATA_MOST || (branch && r->mispredictions > APF_FDATA_MOST))
        return "a count above 2^63 - 1";
    return NULL;
}

int apf_fdata_add(struct apf_fdata *f, const struct apf_fdata_record *record, struct apf_error *error)
{
    struct apf_fdata_record r;
    int code = fdata_usable(f, error);
    if (code == APF_OK)
        code = OPTIONS_READ(apf_fdata_record, &r, record, error);
    if (code == APF_OK && !f->info.known)
        code = apf_fdata_declare(f, 0, NULL, 0, error);
    if (code != APF_OK)
        return code;
    const char *wrong = objection(f, &r);
    if (wrong)
        return error_plain(error, APF_ARGUMENT, "fdata.record", "%s", wrong);
    if (r.kind != APF_FDATA_BRANCH)
        r.mispredictions = 0;
    return fdata_add_record(f, &r, error);
}
