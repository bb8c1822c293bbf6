/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "programs/cov_profile.h"

#include "base/error.h"
#include "base/options.h"
#include "base/search.h"
#include "base/sort.h"
#include "instr/indexed/indexed_format.h"
#include "instr/indexed/indexed_frames.h"

/* ---- entries ---- */

/* Whether both hashes are of context-sensitive profiles, or neither is. */
static bool is_of_one_kind(uint64_t x, uint64_t y)
{
    return ((x ^ y) & APF_HASH_CS) == 0;
}

/* The order of the entries of a name: hashes of context-sensitive profiles come last. */
static bool hash_before(uint64_t x, uint64_t y)
{
    return !is_of_one_kind(x, y) ? (y & APF_HASH_CS) != 0 : x < y;
}

/* Adds an entry whose name is set. */
static int add_entry(struct cov_profile *p, const struct cov_profile_entry *entry, struct apf_error *error)
{
    const uint32_t n = (uint32_t)p->entries.n, name = entry->name;
    bool ok = VEC_PUSH(&p->entries, *entry);
    while (ok && p->firsts.n <= name)
        ok = VEC_PUSH(&p->firsts, HASH_INDEX_NONE);
    if (!ok)
        return error_memory(error);
    if (p->firsts.data[name] == HASH_INDEX_NONE)
        p->firsts.data[name] = n;
    else
        p->unsorted |=
            p->entries.data[n - 1].name != name || !hash_before(p->entries.data[n - 1].hash, entry->hash);
    return APF_OK;
}

static bool entry_before(const void *context, const void *a, const void *b)
{
    const struct cov_profile_entry *x = (const struct cov_profile_entry *)a,
                                   *y = (const struct cov_profile_entry *)b;
    (void)context;
    return x->name != y->name ? x->name < y->name : hash_before(x->hash, y->hash);
}

/* Sorts the entries, unless those of each name are neighbours and sorted by their hashes, as they mostly are. */
static int sort_entries(struct cov_profile *p, struct apf_error *error)
{
    if (!p->unsorted)
        return APF_OK;
    if (!SORT_VEC(&p->entries, entry_before, NULL))
        return error_memory(error);
    for (size_t i = p->entries.n; i-- > 0;)
        p->firsts.data[p->entries.data[i].name] = (uint32_t)i;
    return APF_OK;
}

/* A name may have as many entries as the maker of the profile likes, and a program as many functions of that name, so
 * that entries are searched, also for the last one of a name. */
struct cov_profile_entries cov_profile_entries_of(const struct cov_profile *p, uint32_t name)
{
    if (name >= p->firsts.n || p->firsts.data[name] == HASH_INDEX_NONE)
        return (struct cov_profile_entries){NULL, 0};
    const struct cov_profile_entry *entries = p->entries.data;
    const size_t first = p->firsts.data[name], left = p->entries.n - first;
    size_t step = 1, end = first + 1;
    while (step < left && entries[first + step].name == name)
        step *= 2;
    if (step > 1)
        SEARCH(end, first + step / 2, first + (step < left ? step : left), entries[end].name == name);
    return (struct cov_profile_entries){&entries[first], end - first};
}

/* ---- looking up ---- */

static void use_entry(const struct cov_profile *p, const struct cov_profile_entry *entry,
                      struct function_counts *counts)
{
    static const uint64_t none;
    counts->match = COUNTS_FOUND;
    counts->slot = (uint32_t)(entry - p->entries.data);
    counts->counts =
        (struct counts){entry->n_counts ? entry->counts : (const uint8_t *)&none, entry->n_counts, p->swap};
    counts->bitmap = entry->bitmap;
    counts->n_bitmap = entry->n_bitmap;
    counts->numbering = (enum mcdc_numbering)entry->numbering;
}

void cov_profile_find(const struct cov_profile *p, uint32_t name, uint64_t hash,
                      struct function_counts *counts)
{
    *counts =
        (struct function_counts){.match = COUNTS_ABSENT, .numbering = MCDC_NONE, .slot = COUNTS_NOWHERE};
    const struct cov_profile_entries entries = cov_profile_entries_of(p, name);
    size_t at;
    SEARCH(at, 0, entries.n, hash_before(entries.data[at].hash, hash));
    if (at < entries.n && entries.data[at].hash == hash)
        use_entry(p, &entries.data[at], counts);
    else if ((at < entries.n && is_of_one_kind(entries.data[at].hash, hash)) ||
             (at && is_of_one_kind(entries.data[at - 1].hash, hash)))
        counts->match = COUNTS_MISMATCH; /* it would be taken for the same function with another hash */
}

void cov_profile_at(const struct cov_profile *p, uint32_t slot, struct function_counts *counts)
{
    use_entry(p, &p->entries.data[slot], counts);
}

void cov_profile_fetch(const struct cov_profile *p, uint32_t slot, unsigned step)
{
    const struct cov_profile_entry *entry = &p->entries.data[slot];
    if (step == 0)
        PREFETCH(entry);
    else
        PREFETCH(entry->counts);
}

void cov_profile_fetch_name(const struct cov_profile *p, uint32_t name, unsigned step)
{
    if (name >= p->firsts.n)
        return;
    if (step == 0)
        PREFETCH(&p->firsts.data[name]);
    else if (p->firsts.data[name] != HASH_INDEX_NONE)
        cov_profile_fetch(p, p->firsts.data[name], step - 1);
}

/* ---- an indexed profile ---- */

/* Of an indexed_frame_visitor. */
static int begin_frames(void *user, uint64_t n_names, struct apf_error *error)
{
    struct cov_profile *p = (struct cov_profile *)user;
    const bool ok = VEC_RESERVE(&p->entries, (size_t)n_names) && VEC_RESERVE(&p->firsts, (size_t)n_names);
    return ok ? cov_names_reserve(p->names, (size_t)n_names, error) : error_memory(error);
}

/* Of an indexed_frame_visitor. */
static int add_frame(void *user, const struct indexed_name *name, const struct indexed_frame *frame,
                     struct apf_error *error)
{
    struct cov_profile *p = (struct cov_profile *)user;
    struct cov_profile_entry entry = {.hash = frame->hash,
                                      .counts = frame->counts,
                                      .bitmap = frame->bitmap,
                                      .n_counts = frame->n_counts,
                                      .n_bitmap = frame->n_bitmap,
                                      .numbering = MCDC_NONE};
    if (frame->n_bitmap)
        entry.numbering = frame->dense ? MCDC_DENSE : MCDC_SPARSE;
    if (frame->n_bitmap && frame->bitmap_in_words) {
        entry.bitmap = indexed_frame_bitmap(frame, &p->instr->arena);
        if (!entry.bitmap)
            return error_memory(error);
    }
    const int code = cov_names_give(p->names, name->id, name->text, &entry.name, error);
    return code == APF_OK ? add_entry(p, &entry, error) : code;
}

/* Whether an input is an indexed profile that can be read in place: to salvage one takes the reader of records. */
static bool is_indexed(const struct apf_input *input, const struct read_options *limits)
{
    uint8_t head[8];
    size_t got;
    return !(limits->flags & APF_FLAG_SALVAGE) && file_read_head(input, head, sizeof head, &got) &&
           indexed_begins(head, got);
}

static int open_indexed(struct cov_profile *p, const struct apf_input *input,
                        const struct apf_options *common, struct read_options *limits,
                        struct apf_error *error)
{
    p->swap = HOST_BIG_ENDIAN;
    p->instr = profile_new();
    int code = p->instr ? file_read(&p->bytes, input, limits->max_bytes, error) : error_memory(error);
    limits->stored = p->bytes.stored;
    struct indexed_reader reader = {p->instr, limits, p->bytes.data, p->bytes.n, NULL};
    const struct indexed_frame_visitor visitor = {begin_frames, add_frame, p};
    if (code == APF_OK)
        code = indexed_frames_read(&reader, &visitor, error);
    if (code != APF_OK)
        return code;
    p->instr->quirks[QUIRK_NAMELESS] = p->instr->info.nameless;
    return finding_table_report(&quirk_table, p->instr->quirks, 0, file_name(input), common->diag,
                                common->user, error);
}

/* ---- profiles of other formats ---- */

/* Makes entries of the records of the profile that was opened; one that is read in place has none. */
static int take_records(struct cov_profile *p, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; i < p->instr->records.n && code == APF_OK; i++) {
        const struct record *r = &p->instr->records.data[i];
        struct cov_profile_entry entry = {.hash = r->hash,
                                          .counts = (const uint8_t *)r->counts,
                                          .bitmap = r->bitmap,
                                          .n_counts = r->n_counts,
                                          .n_bitmap = r->n_bitmap,
                                          .numbering = MCDC_NONE};
        if (r->n_bitmap)
            entry.numbering = r->flags & APF_RECORD_SPARSE_BITMAP ? MCDC_SPARSE : MCDC_DENSE;
        code = cov_names_give(p->names, r->id, record_name(p->instr, r), &entry.name, error);
        if (code == APF_OK)
            code = add_entry(p, &entry, error);
    }
    return code;
}

/* Merges profiles, of which none may be bad; empty ones are counted. */
static int merge_profiles(struct cov_profile *p, const struct apf_input *inputs, size_t n,
                          const struct apf_options *common, struct apf_error *error)
{
    const struct apf_merge_options options = {
        .size = sizeof options, .options = common, .flags = APF_MERGE_NO_TRACES};
    int code = apf_merge_new(&p->merge, &options, error);
    if (code == APF_OK)
        code = apf_merge_add(p->merge, inputs, n, error);
    const struct apf_input_result *result;
    for (size_t i = 0; code == APF_OK && (result = apf_merge_input(p->merge, i)) != NULL; i++) {
        p->n_empty += result->code == APF_EMPTY_PROFILE;
        if (result->code != APF_OK && result->code != APF_EMPTY_PROFILE) {
            if (error)
                *error = *result->error;
            return error_file(error, result->code, result->name.p, result->name.n);
        }
    }
    return code == APF_OK ? apf_merge_view(p->merge, &p->instr, error) : code;
}

/* Whether an input is in memory or a regular file, and no pipe. */
static int can_be_read_again(const struct apf_input *input, bool *again, struct apf_error *error)
{
    int fd = -1;
    *again = !input->path;
    const int code = input->path ? file_open_regular(input, &fd, error) : APF_OK;
    *again = *again || fd >= 0;
    if (fd >= 0)
        file_close_regular(fd);
    const struct apf_str name = file_name(input);
    return error_file(error, code, name.p, name.n);
}

/* Opens one profile. p->instr stays NULL if it takes a merge: it is a pipe, or has records of several profiles. */
static int open_one(struct cov_profile *p, const struct apf_input *input, const struct apf_options *common,
                    struct apf_error *error)
{
    struct read_options limits = read_options_resolve(common);
    bool again;
    int code = can_be_read_again(input, &again, error);
    if (code != APF_OK || !again)
        return code;
    if (is_indexed(input, &limits))
        return open_indexed(p, input, common, &limits, error);
    code = apf_instr_open(&p->instr, input, common, error);
    if (code == APF_OK && p->instr->info.n_profiles > 1) { /* it has a record of each: they are merged */
        apf_instr_close(p->instr);
        p->instr = NULL;
    }
    return code;
}

int cov_profile_open(struct cov_profile *p, const struct apf_input *inputs, size_t n,
                     const struct apf_options *common, struct cov_names *names, struct apf_error *error)
{
    int code = APF_OK;
    p->names = names;
    if (n == 0)
        return APF_OK;
    if (n == 1) {
        const struct apf_str name = file_name(inputs);
        code = error_file(error, open_one(p, inputs, common, error), name.p, name.n);
    }
    if (code == APF_OK && !p->instr)
        code = merge_profiles(p, inputs, n, common, error);
    if (code == APF_OK)
        code = take_records(p, error);
    return code == APF_OK ? sort_entries(p, error) : code;
}

void cov_profile_close(struct cov_profile *p)
{
    VEC_FREE(&p->entries);
    VEC_FREE(&p->firsts);
    if (p->merge)
        apf_merge_free(p->merge);
    else
        apf_instr_close(p->instr);
    file_bytes_free(&p->bytes);
}
