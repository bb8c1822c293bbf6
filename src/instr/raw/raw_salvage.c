/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Salvage of a damaged raw file: keeps the profiles before the damage, and of the damaged one what the layout proves.
 *
 * Up to some byte, the end of the file or visible damage, the file is as it was written. The header says where the
 * sections are, the data records say which counters belong to which function; both must be complete, and not contradict
 * each other, before a counter is believed. A name is believed if a record has its id. If the names section is complete
 * and no record has an id of its names, the header must be wrong about where sections are, and nothing is believed. */
#include <string.h>

#include "base/error.h"
#include "instr/model/name_blob.h"
#include "instr/model/value_data.h"
#include "instr/raw/raw_reader.h"

struct rescue {
    struct raw_reader reader;
    struct apf_salvage *salvage; /* what is lost; the caller's */
    const uint8_t *data;         /* the file */
    size_t n;
};

/* The state before a profile, to undo what was read of it. */
struct before {
    size_t records, seen, ids;
    uint64_t records_left;
    uint64_t quirks[QUIRK_COUNT];
    struct apf_instr_info info;
    struct apf_salvage salvage;
    uint32_t max_kinds;
};

static struct before save_state(const struct rescue *x)
{
    const struct apf_instr *instr = x->reader.instr;
    struct before b = {.records = instr->records.n,
                       .seen = x->reader.seen.list.n,
                       .ids = x->reader.ids.ids.n,
                       .records_left = x->reader.records_left,
                       .info = instr->info,
                       .salvage = *x->salvage,
                       .max_kinds = instr->max_kinds};
    memcpy(b.quirks, instr->quirks, sizeof b.quirks);
    return b;
}

static void restore_state(struct rescue *x, const struct before *b)
{
    struct apf_instr *instr = x->reader.instr;
    instr->records.n = b->records;
    x->reader.seen.list.n = b->seen;
    x->reader.ids.ids.n = b->ids;
    x->reader.records_left = b->records_left;
    instr->info = b->info;
    *x->salvage = b->salvage;
    instr->max_kinds = b->max_kinds;
    memcpy(instr->quirks, b->quirks, sizeof b->quirks);
}

/* Whether an error ends the salvage: it is not about this profile's bytes. */
static bool is_fatal(int code)
{
    return code == APF_NO_MEMORY || code == APF_LIMIT;
}

/* ---- which bytes there are ---- */

static bool is_inside(const struct rescue *x, const struct raw_section *s, uint64_t at, uint64_t bytes)
{
    return s->at <= x->n && at <= x->n - s->at && bytes <= x->n - s->at - at;
}

static bool is_whole(const struct rescue *x, const struct raw_section *s)
{
    return is_inside(x, s, 0, s->size);
}

/* Whether the file has all that belongs to a record, apart from value data and from a name that the record has the id
 * of. */
static bool record_is_inside(const struct rescue *x, const struct raw_profile *raw,
                             const struct raw_record *r)
{
    bool uniform = raw->field[RAW_NUM_UNIFORM] != 0;
    return is_inside(x, &raw->counters, r->counters, r->n_counters * raw->counter_bytes) &&
           (!r->n_bitmap || is_inside(x, &raw->bitmap, r->bitmap, r->n_bitmap)) &&
           (!uniform || is_inside(x, &raw->uniform, r->uniform, 8 * r->n_counters)) &&
           (!r->name_size || is_inside(x, &raw->names, r->name_at, r->name_size));
}

/* ---- names ---- */

/* A set of ids that names are needed for. */
struct wanted_ids {
    VEC(uint64_t) list;
    struct hash_index index;
};

static bool id_is_wanted(const void *user, uint64_t id)
{
    const struct wanted_ids *ids = (const struct wanted_ids *)user;
    uint32_t e;
    HASH_INDEX_FIND(e, &ids->index, hash_index_mix(&ids->index, id, 0), ids->list.data[e] == id);
    return e != HASH_INDEX_NONE;
}

static int add_wanted_id(struct wanted_ids *ids, uint64_t id, struct apf_error *error)
{
    if (!hash_index_reserve(&ids->index, 1) || !VEC_RESERVE(&ids->list, 1))
        return hash_index_error(&ids->index, error);
    if (id_is_wanted(ids, id))
        return APF_OK;
    hash_index_add(&ids->index, hash_index_mix(&ids->index, id, 0), (uint32_t)ids->list.n);
    ids->list.data[ids->list.n++] = id;
    return APF_OK;
}

static void free_wanted_ids(struct wanted_ids *ids)
{
    VEC_FREE(&ids->list);
    hash_index_free(&ids->index);
}

/* Adds the names of a section that have wanted ids, and all of its names when the section is complete and correct. */
static int salvage_names(struct rescue *x, const struct raw_section *s, const struct wanted_ids *ids,
                         const char *where, struct symbols *out, struct name_salvage *found,
                         struct apf_error *error)
{
    struct cursor c = cursor_make(x->data, x->n, false), again;
    uint64_t budget = x->reader.name_budget;
    memset(found, 0, sizeof *found);
    if (s->at > x->n) {
        found->cut = s->size != 0;
        return APF_OK;
    }
    cursor_skip(&c, s->at);
    again = c;
    int code = name_blob_salvage(&c, s->size, budget, id_is_wanted, ids, out, found, error);
    if (code != APF_OK || found->cut || found->broken)
        return code;
    return name_blob_read(&again, s->size, &x->reader.name_budget, where, out, error);
}

static int salvage_vtable_names(struct rescue *x, const struct raw_profile *raw, struct apf_error *error)
{
    struct wanted_ids ids = {0};
    struct name_salvage found = {.cut = true};
    int code = APF_OK;
    for (uint64_t i = 0; is_whole(x, &raw->vtables) && code == APF_OK && i < raw->field[RAW_NUM_VTABLES]; i++)
        code = add_wanted_id(&ids, raw_profile_vtable(raw, i).id, error);
    if (code == APF_OK && raw->vtable_names.size)
        code = salvage_names(x, &raw->vtable_names, &ids, "raw.vtable_names", x->reader.instr->vtables,
                             &found, error);
    if (raw->vtable_names.size && (found.cut || found.broken))
        x->salvage->lost_sections |= APF_LOST_VTABLE_NAMES;
    free_wanted_ids(&ids);
    return code;
}

/* ---- records ---- */

/* Adds the ids of all data records, which must be inside the file. Fails if a record contradicts the header. */
static int check_records(struct raw_profile *raw, struct wanted_ids *ids, struct apf_error *error)
{
    struct raw_record r;
    int code = APF_OK;
    raw_profile_probe(raw);
    for (uint64_t i = 0; code == APF_OK && i < raw->n_records; i++) {
        code = raw_profile_record(raw, i, &r, error);
        if (code == APF_OK && !r.skip)
            code = add_wanted_id(ids, r.name_ref, error);
    }
    return code;
}

static int salvage_records(struct rescue *x, struct raw_profile_info *info, struct apf_error *error)
{
    struct raw_record r;
    int code = raw_reader_begin_records(&x->reader, info, error);
    for (uint64_t i = 0; code == APF_OK && i < info->raw.n_records; i++) {
        code = raw_profile_record(&info->raw, i, &r, error);
        if (code == APF_OK && !r.skip && !record_is_inside(x, &info->raw, &r))
            x->salvage->lost_functions++;
        else if (code == APF_OK)
            code = raw_reader_record(&x->reader, info, i, &r, error);
    }
    info->n_records = x->reader.instr->records.n - info->first_record;
    return code;
}

/* ---- values ---- */

/* Zeros where a block of value data should begin may be a hole that the file system left, and so may zeros before them.
 * Goes back from `at` to where the zeros begin, but not before `first`. */
static uint64_t skip_hole_back(const struct rescue *x, uint64_t at, uint64_t first)
{
    while (at < x->n && x->data[at] == 0 && at > first && x->data[at - 1] == 0)
        at--;
    return at;
}

/* The offset where the intact blocks of value data end; *whole is set if all blocks are intact. */
static uint64_t find_values_end(const struct rescue *x, const struct raw_profile_info *info, bool *whole)
{
    struct cursor c = raw_profile_cursor(&info->raw, info->raw.values_at);
    struct value_block block;
    *whole = !c.failed;
    for (size_t i = 0; *whole && i < info->n_records; i++) {
        const struct record *r = &x->reader.instr->records.data[info->first_record + i];
        if (record_site_count(r))
            *whole = value_block_read(&c, APF_VALUE_KINDS, &block, NULL) == APF_OK;
    }
    uint64_t end = cursor_offset(&c);
    return *whole || c.failed ? end : skip_hole_back(x, end, info->raw.values_at);
}

/* Reads the intact blocks of value data. Other records keep their sites, without values, so that they can be merged
 * with those of other files. *end is the offset after the blocks; *whole is set if all are intact. */
static int salvage_values(struct rescue *x, struct raw_profile_info *info, uint64_t *end, bool *whole,
                          struct apf_error *error)
{
    struct record *records = ENTRY_AT(x->reader.instr->records.data, info->first_record);
    struct cursor c = raw_profile_cursor(&info->raw, info->raw.values_at);
    size_t i = 0;
    while (i < info->n_records && !record_site_count(&records[i]))
        i++;
    *end = info->raw.values_at;
    *whole = !c.failed;
    info->values_missing = i < info->n_records && *whole && raw_profile_values_missing(&info->raw, *end);
    x->reader.instr->quirks[QUIRK_MISSING_VALUE_DATA] += info->values_missing;
    if (info->values_missing)
        return raw_reader_empty_sites(&x->reader, info, 0, error);
    uint64_t stop = find_values_end(x, info, whole);
    int code = APF_OK;
    for (i = 0; code == APF_OK && i < info->n_records; i++) {
        struct cursor block = c;
        struct value_block seen;
        if (!record_site_count(&records[i]))
            continue;
        if (value_block_read(&block, APF_VALUE_KINDS, &seen, NULL) != APF_OK || cursor_offset(&block) > stop)
            break;
        code = raw_reader_sites(&x->reader, &records[i], &c, error);
    }
    *end = cursor_offset(&c);
    if (code == APF_OK)
        code = raw_reader_empty_sites(&x->reader, info, i, error);
    for (; i < info->n_records; i++)
        x->salvage->lost_values += record_site_count(&records[i]) != 0;
    return code;
}

/* ---- a profile ---- */

/* *good is set if the names are complete and correct. */
static int salvage_names_and_records(struct rescue *x, struct raw_profile_info *info,
                                     const struct wanted_ids *ids, bool *good, struct apf_error *error)
{
    struct raw_profile *raw = &info->raw;
    struct name_salvage names = {0};
    int code = APF_OK;
    if (!(raw->version->caps & RAW_CAP_NAME_POINTERS))
        code = salvage_names(x, &raw->names, ids, "raw.names", x->reader.instr->symbols, &names, error);
    if (code == APF_OK && names.broken && !names.found)
        code = error_plain(error, APF_MALFORMED, "raw.names", NULL);
    if (code == APF_OK)
        code = salvage_vtable_names(x, raw, error);
    if (code == APF_OK)
        code = salvage_records(x, info, error);
    *good = !names.cut && !names.broken;
    raw_count_quirks(x->reader.instr->quirks, raw);
    return code;
}

/* Salvages the profile of info->raw. *good is set if the profile is intact; *end is the offset after it then. */
static int salvage_profile(struct rescue *x, struct raw_profile_info *info, uint64_t *end, bool *good,
                           struct apf_error *error)
{
    struct raw_profile *raw = &info->raw;
    struct wanted_ids ids = {0};
    bool values_good = false;
    raw_targets_free(&x->reader.targets);
    raw_reader_add_profile(x->reader.instr, raw);
    int code = is_whole(x, &raw->data) ? raw_reader_begin(&x->reader, raw, error)
                                       : error_plain(error, APF_TRUNCATED, "raw.data", NULL);
    if (code == APF_OK)
        code = check_records(raw, &ids, error);
    if (code == APF_OK)
        code = salvage_names_and_records(x, info, &ids, good, error);
    if (code == APF_OK && is_whole(x, &raw->vtables))
        code = raw_targets_vtables(&x->reader.targets, raw, error);
    if (code == APF_OK)
        code = salvage_values(x, info, end, &values_good, error);
    *good = *good && values_good;
    free_wanted_ids(&ids);
    return code;
}

/* Salvages one profile after the other, up to the first that is damaged. */
static int salvage_profiles(struct rescue *x, struct apf_error *error)
{
    uint64_t at = 0;
    bool good = true;
    while (good && at < x->n) {
        struct raw_profile_info info = {0};
        struct before before = save_state(x);
        uint64_t end = 0;
        bool unaligned = false;
        if (raw_profile_open_cut(&info.raw, x->data, x->n, at, NULL) != APF_OK) {
            x->salvage->lost_known = 0;
            return APF_OK;
        }
        int code = salvage_profile(x, &info, &end, &good, error);
        if (is_fatal(code))
            return code;
        if (code != APF_OK) { /* nothing of the profile can be believed */
            restore_state(x, &before);
            x->salvage->lost_functions += info.raw.n_records;
            return APF_OK;
        }
        if (!good && !info.n_records) { /* the result says nothing of the profile but what is lost */
            uint64_t lost = x->salvage->lost_functions;
            restore_state(x, &before);
            x->salvage->lost_functions = lost;
        }
        if (good && raw_profile_next(&info.raw, end, &at, &unaligned, NULL) != APF_OK) {
            x->salvage->lost_known = 0;
            return APF_OK;
        }
        x->reader.instr->quirks[QUIRK_UNALIGNED] += good && unaligned;
    }
    return APF_OK;
}

int raw_salvage(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                struct apf_salvage *salvage, struct apf_error *error)
{
    struct rescue x = {raw_reader_make(instr, n, options), salvage, data, n};
    salvage->lost_known = 1;
    int code = salvage_profiles(&x, error);
    /* The order of functions of which some are missing is not the order in which the program ran. */
    if (x.reader.seen.list.n && (salvage->lost_functions || !salvage->lost_known)) {
        x.reader.seen.list.n = 0;
        salvage->lost_sections |= APF_LOST_TRACES;
    }
    return raw_reader_finish(&x.reader, code, error);
}
