/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is intact of a damaged raw file: its profiles up to the damage, and of the one that is damaged what the layout
 * proves.
 *
 * The file is what was written up to some byte, its end or damage that shows. The header says where everything is, the
 * data records which counters belong to whom; both must be there to the last byte, and in no contradiction, before a
 * counter is believed. Names are believed by their ids alone. Where they are there, and none of them is that of a
 * record, the header did not say where they are, and so not where the counters are. */
#include "instr/salvage.h"

#include <string.h>

#include "base/error.h"
#include "instr/name_blob.h"
#include "instr/raw_reader.h"
#include "instr/value_data.h"

struct rescue {
    struct raw_reader reader;
    struct apf_salvage *salvage;
    const uint8_t *data;
    size_t n;
};

/* Everything a part may add to, to take it back. */
struct before {
    size_t records, seen, ids;
    uint64_t records_left;
    uint64_t quirks[QUIRK_COUNT];
    struct apf_instr_info info;
    struct apf_salvage salvage;
    uint32_t max_kinds;
};

static struct before look_back(const struct rescue *x)
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

static void take_back(struct rescue *x, const struct before *b)
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

/* Not about the file, or not about the part of it that is looked at. */
static bool ends_all(int code)
{
    return code == APF_NO_MEMORY || code == APF_LIMIT;
}

/* ---- what is there ---- */

static bool is_inside(const struct rescue *x, const struct raw_section *s, uint64_t at, uint64_t bytes)
{
    return s->at <= x->n && at <= x->n - s->at && bytes <= x->n - s->at - at;
}

static bool is_whole(const struct rescue *x, const struct raw_section *s)
{
    return is_inside(x, s, 0, s->size);
}

/* Everything that belongs to a record but its values, and its name if that has an id in the record. */
static bool record_is_there(const struct rescue *x, const struct raw_part *part, const struct raw_record *r)
{
    bool uniform = part->field[RAW_NUM_UNIFORM] != 0;
    return is_inside(x, &part->counters, r->counters, r->n_counters * part->counter_bytes) &&
           (!r->n_bitmap || is_inside(x, &part->bitmap, r->bitmap, r->n_bitmap)) &&
           (!uniform || is_inside(x, &part->uniform, r->uniform, 8 * r->n_counters)) &&
           (!r->name_size || is_inside(x, &part->names, r->name_at, r->name_size));
}

/* ---- names ---- */

/* The ids that names are needed for. */
struct ids {
    VEC(uint64_t) list;
    struct hash_index index;
};

static bool ids_have(const void *user, uint64_t id)
{
    const struct ids *ids = (const struct ids *)user;
    uint64_t hash = hash_index_mix(&ids->index, id, 0);
    size_t pos = hash_index_first(&ids->index, hash);
    uint32_t e;
    while ((e = hash_index_next(&ids->index, hash, &pos)) != HASH_INDEX_NONE)
        if (ids->list.data[e] == id)
            return true;
    return false;
}

static bool ids_add(struct ids *ids, uint64_t id)
{
    if (!hash_index_reserve(&ids->index, 1))
        return false;
    if (ids_have(ids, id))
        return true;
    hash_index_add(&ids->index, hash_index_mix(&ids->index, id, 0), (uint32_t)ids->list.n);
    return VEC_PUSH(&ids->list, id);
}

static void ids_free(struct ids *ids)
{
    VEC_FREE(&ids->list);
    hash_index_free(&ids->index);
}

/* Takes the names with these ids of a section, and all of its names when it is whole and right. */
static int take_names(struct rescue *x, const struct raw_section *s, const struct ids *ids, const char *where,
                      struct symbols *out, struct name_salvage *found, struct apf_error *error)
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
    int code = name_blob_salvage(&c, s->size, budget, ids_have, ids, out, found, error);
    if (code != APF_OK || found->cut || found->broken)
        return code;
    return name_blob_read(&again, s->size, &x->reader.name_budget, where, out, error);
}

static int take_vtable_names(struct rescue *x, const struct raw_part *part, struct apf_error *error)
{
    struct ids ids = {0};
    struct name_salvage found = {.cut = true};
    unsigned size = RAW_VTABLE_SIZE(part->pointer_bytes);
    int code = APF_OK;
    for (uint64_t i = 0; is_whole(x, &part->vtables) && code == APF_OK && i < part->field[RAW_NUM_VTABLES];
         i++)
        if (!ids_add(&ids, load64(x->data + part->vtables.at + i * size, part->swap)))
            code = error_memory(error);
    if (code == APF_OK && part->vtable_names.size)
        code = take_names(x, &part->vtable_names, &ids, "raw.vtable_names", &x->reader.instr->vtables, &found,
                          error);
    if (part->vtable_names.size && (found.cut || found.broken))
        x->salvage->lost_sections |= APF_LOST_VTABLE_NAMES;
    ids_free(&ids);
    return code;
}

/* ---- records ---- */

/* Whether the data records, which are all there, contradict the header or each other. */
static int check_records(struct raw_part *part, struct ids *ids, struct apf_error *error)
{
    struct raw_record r;
    int code = APF_OK;
    raw_part_probe(part);
    for (uint64_t i = 0; code == APF_OK && i < part->n_records; i++) {
        code = raw_part_record(part, i, &r, error);
        if (code == APF_OK && !r.skip && !ids_add(ids, r.name_ref))
            code = error_memory(error);
    }
    return code;
}

static int take_records(struct rescue *x, struct raw_part_info *info, struct apf_error *error)
{
    struct raw_record r;
    int code = raw_reader_begin_records(&x->reader, info, error);
    for (uint64_t i = 0; code == APF_OK && i < info->part.n_records; i++) {
        code = raw_part_record(&info->part, i, &r, error);
        if (code == APF_OK && !r.skip && !record_is_there(x, &info->part, &r))
            x->salvage->lost_functions++;
        else if (code == APF_OK)
            code = raw_reader_record(&x->reader, info, i, &r, error);
    }
    info->n_records = x->reader.instr->records.n - info->first_record;
    return code;
}

/* ---- values ---- */

/* Zeros where a block should begin may be a hole that the system left in the file. Then it may have begun with the
 * zeros in front of them. */
static uint64_t without_hole(const struct rescue *x, uint64_t at, uint64_t first)
{
    while (at < x->n && x->data[at] == 0 && at > first && x->data[at - 1] == 0)
        at--;
    return at;
}

/* Where the blocks of values end that can be believed. *whole: these are all there are. */
static uint64_t values_end(const struct rescue *x, const struct raw_part_info *info, bool *whole)
{
    struct cursor c = cursor_make(x->data, x->n, info->part.swap);
    struct value_block block;
    cursor_skip(&c, info->part.values_at);
    *whole = !c.failed;
    for (size_t i = 0; *whole && i < info->n_records; i++) {
        const struct record *r = &x->reader.instr->records.data[info->first_record + i];
        if (record_site_count(r))
            *whole = value_block_read(&c, APF_VALUE_KINDS, &block, NULL) == APF_OK;
    }
    uint64_t end = cursor_offset(&c);
    return *whole || c.failed ? end : without_hole(x, end, info->part.values_at);
}

/* Values as far as their blocks are there; the other records keep their sites, so that they go with intact ones. */
static int take_values(struct rescue *x, struct raw_part_info *info, uint64_t *end, bool *whole,
                       struct apf_error *error)
{
    struct record *records = x->reader.instr->records.data + info->first_record;
    struct cursor c = cursor_make(x->data, x->n, info->part.swap);
    size_t i = 0;
    while (i < info->n_records && !record_site_count(&records[i]))
        i++;
    cursor_skip(&c, info->part.values_at);
    *end = info->part.values_at;
    *whole = !c.failed;
    info->values_missing = i < info->n_records && *whole && raw_part_values_missing(&info->part, *end);
    x->reader.instr->quirks[QUIRK_MISSING_VALUE_DATA] += info->values_missing;
    if (info->values_missing)
        return raw_reader_empty_sites(&x->reader, info, 0, error);
    uint64_t stop = values_end(x, info, whole);
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

/* The names of a part and, if they do not speak against it, its records. *good: nothing is wrong with these. */
static int take_part(struct rescue *x, struct raw_part_info *info, const struct ids *ids, bool *good,
                     struct apf_error *error)
{
    struct raw_part *part = &info->part;
    struct name_salvage names = {0};
    int code = APF_OK;
    if (!(part->version->caps & RAW_CAP_NAME_POINTERS))
        code = take_names(x, &part->names, ids, "raw.names", &x->reader.instr->symbols, &names, error);
    if (code == APF_OK && names.broken && !names.found)
        code = error_plain(error, APF_MALFORMED, "raw.names", NULL);
    if (code == APF_OK)
        code = take_vtable_names(x, part, error);
    if (code == APF_OK)
        code = take_records(x, info, error);
    *good = !names.cut && !names.broken;
    raw_note_quirks(x->reader.instr->quirks, part);
    return code;
}

/* A profile that is laid out. What it is like becomes known with its first record. *end: behind it, if *good. */
static int rescue_part(struct rescue *x, struct raw_part_info *info, uint64_t *end, bool *good,
                       struct apf_error *error)
{
    struct raw_part *part = &info->part;
    struct ids ids = {0};
    bool values_good = false;
    raw_targets_free(&x->reader.targets);
    raw_reader_note_part(x->reader.instr, part);
    int code = is_whole(x, &part->data) ? raw_reader_begin_part(&x->reader, part, error)
                                        : error_plain(error, APF_TRUNCATED, "raw.data", NULL);
    if (code == APF_OK)
        code = check_records(part, &ids, error);
    if (code == APF_OK)
        code = take_part(x, info, &ids, good, error);
    if (code == APF_OK && is_whole(x, &part->vtables))
        code = raw_targets_vtables(&x->reader.targets, part, error);
    if (code == APF_OK)
        code = take_values(x, info, end, &values_good, error);
    *good = *good && values_good;
    ids_free(&ids);
    return code;
}

/* Goes from profile to profile, up to the damage. */
static int rescue_parts(struct rescue *x, struct apf_error *error)
{
    uint64_t at = 0;
    bool good = true;
    while (good && at < x->n) {
        struct raw_part_info info = {0};
        struct before before = look_back(x);
        uint64_t end = 0;
        bool unaligned = false;
        if (raw_part_open_cut(&info.part, x->data, x->n, at, NULL) != APF_OK) {
            x->salvage->lost_known = 0;
            return APF_OK;
        }
        int code = rescue_part(x, &info, &end, &good, error);
        if (ends_all(code))
            return code;
        if (code != APF_OK) { /* nothing of it can be believed */
            take_back(x, &before);
            x->salvage->lost_functions += info.part.n_records;
            return APF_OK;
        }
        if (!good && !info.n_records) { /* as if it were not there, but for what is lost */
            uint64_t lost = x->salvage->lost_functions;
            take_back(x, &before);
            x->salvage->lost_functions = lost;
        }
        if (good && raw_part_next(&info.part, end, &at, &unaligned, NULL) != APF_OK) {
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
    int code = rescue_parts(&x, error);
    /* An order of functions of which some are missing is none that there was. */
    if (x.reader.seen.list.n && (salvage->lost_functions || !salvage->lost_known)) {
        x.reader.seen.list.n = 0;
        salvage->lost_sections |= APF_LOST_TRACES;
    }
    return raw_reader_finish(&x.reader, code, error);
}
