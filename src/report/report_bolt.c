/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What profiles of BOLT say: functions by the branches in them, calls, mispredictions, and what is in no symbol. */
#include <string.h>

#include "base/error.h"
#include "bolt/fdata_line.h"
#include "report/report_bolt.h"
#include "report/report_sources.h"

/* ---- headers ---- */

static const struct report_column fact_columns[] = {{"What", REPORT_CELL_TEXT}, {"", REPORT_CELL_TEXT}};

/* Appends a row of two texts, of which the second is copied. */
static bool add_fact(struct apf_report *r, struct report_table *t, const char *label, struct apf_str text)
{
    const char *copy = arena_text(&r->arena, text.p, text.n);
    return copy && (!report_row(t) || (report_cell_text(t, label) &&
                                       VEC_PUSH(&t->cells, ((struct report_cell){.text = {copy, text.n}}))));
}

static bool add_plain_fact(struct apf_report *r, struct report_table *t, const char *label, const char *text)
{
    return add_fact(r, t, label, (struct apf_str){text, strlen(text)});
}

static bool write_header(struct apf_report *r, const struct apf_fdata_info *info)
{
    struct report_table *t = REPORT_TABLE(r, REPORT_PART_SAMPLES, "The profile", fact_columns);
    bool ok = t &&
              add_plain_fact(r, t, "What was sampled",
                             info->flags & APF_FDATA_NO_LBR ? "instructions (no_lbr)" : "branches") &&
              add_plain_fact(r, t, "Sampled on",
                             info->flags & APF_FDATA_BOLTED
                                 ? "what BOLT had made, and translated back (boltedcollection)"
                                 : "a program that BOLT had not made, as far as the profile says");
    for (size_t i = 0; ok && i < info->n_events && i < REPORT_ROWS; i++)
        ok = add_fact(r, t, "Event", info->events[i]);
    return ok;
}

static bool write_yaml_header(struct apf_report *r, const struct apf_bolt_yaml_header *h)
{
    static const char *const orders[] = {"not said, so depth first", "depth first", "as in the program"};
    struct report_table *t = REPORT_TABLE(r, REPORT_PART_SAMPLES, "The profile", fact_columns);
    return t &&
           add_plain_fact(r, t, "What was sampled",
                          h->flags & APF_BOLT_YAML_SAMPLE ? "instructions" : "branches") &&
           (!h->binary_name.n || add_fact(r, t, "Program", h->binary_name)) &&
           (!h->build_id.n || add_fact(r, t, "Its build id", h->build_id)) &&
           (!h->origin.n || add_fact(r, t, "Made by", h->origin)) &&
           (!h->events.n || add_fact(r, t, "Events", h->events)) &&
           add_plain_fact(r, t, "Order of blocks", orders[h->order]);
}

/* ---- fdata ---- */

/* The number of a name without the backslashes that stand before blanks and backslashes in fdata; HASH_INDEX_NONE:
 * allocation failed. */
static uint32_t unescaped_name(struct bolt_reader *b, struct apf_str name)
{
    if (!memchr(name.p, '\\', name.n))
        return report_name(b->r, name);
    b->text.n = 0;
    if (!VEC_RESERVE(&b->text, name.n))
        return HASH_INDEX_NONE;
    b->text.n = fdata_name_unescape(b->text.data, name);
    return report_name(b->r, (struct apf_str){b->text.data, b->text.n});
}

/* The number of a place's symbol; HASH_INDEX_NONE: it has none, or allocation failed, which *ok says. */
static uint32_t symbol_of(struct bolt_reader *b, const struct apf_fdata_location *place, bool *ok)
{
    if (place->symbol == APF_FDATA_NO_SYMBOL)
        return HASH_INDEX_NONE;
    const uint32_t name = unescaped_name(b, place->name);
    *ok = *ok && name != HASH_INDEX_NONE;
    return name;
}

static bool add_branch(struct bolt_reader *b, const struct apf_fdata_record *record)
{
    const uint64_t count = record->count;
    bool ok = true;
    const uint32_t from = symbol_of(b, &record->from, &ok), to = symbol_of(b, &record->to, &ok);
    const struct report_miss miss = {
        from, to, record->from.offset, record->to.offset, count, record->mispredictions};
    b->all = report_sum(b->all, count);
    b->from_unknown = report_sum(b->from_unknown, from == HASH_INDEX_NONE ? count : 0);
    b->to_unknown = report_sum(b->to_unknown, to == HASH_INDEX_NONE ? count : 0);
    b->both_unknown =
        report_sum(b->both_unknown, from == HASH_INDEX_NONE && to == HASH_INDEX_NONE ? count : 0);
    if (!ok || !bolt_miss(b, &miss) || (from != HASH_INDEX_NONE && !bolt_count(b, from, count)))
        return false;
    if (to == HASH_INDEX_NONE || from == to)
        return true;
    struct report_function *target = report_function_of(b->r, to);
    if (!target)
        return false;
    if (record->to.offset == 0)
        target->entries = report_sum(target->entries, count);
    const struct report_site place = {
        .function = from, .kind = REPORT_OFFSET_CALLS, .line = record->from.offset};
    return from == HASH_INDEX_NONE || bolt_call(b, &place, to, count);
}

static bool add_sample(struct bolt_reader *b, const struct apf_fdata_record *record)
{
    bool ok = true;
    const uint32_t name = symbol_of(b, &record->from, &ok);
    b->all = report_sum(b->all, record->count);
    b->from_unknown = report_sum(b->from_unknown, name == HASH_INDEX_NONE ? record->count : 0);
    return ok && (name == HASH_INDEX_NONE || bolt_count(b, name, record->count));
}

static int read_records(struct bolt_reader *b, struct apf_fdata *fdata, struct apf_error *error)
{
    struct apf_fdata_record record = {.size = sizeof record};
    int code = apf_fdata_sort(fdata, error);
    for (size_t i = 0; code == APF_OK; i++) {
        code = apf_fdata_record(fdata, i, &record, error);
        if (code != APF_OK)
            break;
        b->loads += record.kind == APF_FDATA_MEMORY;
        if ((record.kind == APF_FDATA_BRANCH && !add_branch(b, &record)) ||
            (record.kind == APF_FDATA_SAMPLE && !add_sample(b, &record)))
            code = error_memory(error);
    }
    return code == APF_END ? APF_OK : code;
}

int report_read_fdata(struct apf_report *r, struct apf_fdata *fdata, struct apf_error *error)
{
    const struct apf_fdata_info *info = apf_fdata_info(fdata);
    struct bolt_reader b = {.r = r, .is_samples = info->flags & APF_FDATA_NO_LBR};
    int code = read_records(&b, fdata, error);
    if (code == APF_OK && (!write_header(r, info) || !bolt_finish(&b)))
        code = error_memory(error);
    VEC_FREE(&b.misses);
    VEC_FREE(&b.text);
    return code;
}

/* ---- YAML ---- */

struct yaml_reader {
    struct bolt_reader b;
    struct hash_index by_fid;
    VEC(uint32_t) fids;  /* of the functions */
    VEC(uint32_t) names; /* of the functions */
    uint32_t function;   /* that is being read: its name */
};

/* The number of the name of the function with a fid; HASH_INDEX_NONE: there is none. */
static uint32_t name_of_fid(const struct yaml_reader *y, uint32_t fid)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &y->by_fid, hash_index_mix(&y->by_fid, fid, 0), y->fids.data[e] == fid);
    return e == HASH_INDEX_NONE ? e : y->names.data[e];
}

/* Finds the names of all functions: calls name functions by numbers, also those that come later. */
static int read_fids(struct yaml_reader *y, struct apf_bolt_yaml *yaml, struct apf_error *error)
{
    struct apf_bolt_yaml_function f = {.size = sizeof f};
    int code;
    for (size_t i = 0; (code = apf_bolt_yaml_function(yaml, i, &f, error)) == APF_OK; i++) {
        const uint32_t name = report_name(y->b.r, f.name);
        if (name == HASH_INDEX_NONE || !hash_index_reserve(&y->by_fid, 1) || !VEC_PUSH(&y->fids, f.fid) ||
            !VEC_PUSH(&y->names, name))
            return error_memory(error);
        hash_index_add(&y->by_fid, hash_index_mix(&y->by_fid, f.fid, 0), (uint32_t)i);
    }
    return code == APF_END ? APF_OK : code;
}

static bool add_edge(struct yaml_reader *y, const struct apf_bolt_yaml_block *block,
                     const struct apf_bolt_yaml_edge *edge, bool is_call)
{
    struct bolt_reader *b = &y->b;
    const uint32_t to = is_call ? name_of_fid(y, edge->to) : y->function;
    const struct report_miss miss = {
        y->function, to, block->index, is_call ? 0 : edge->to, edge->count, edge->mispredictions};
    b->all = report_sum(b->all, edge->count);
    b->to_unknown = report_sum(b->to_unknown, to == HASH_INDEX_NONE ? edge->count : 0);
    if (!bolt_miss(b, &miss) || !bolt_count(b, y->function, edge->count))
        return false;
    if (!is_call)
        return true;
    const struct report_site place = {.function = y->function,
                                      .kind = REPORT_BLOCK_CALLS,
                                      .line = block->index,
                                      .discriminator = edge->offset};
    return bolt_call(b, &place, to == HASH_INDEX_NONE ? UINT64_MAX : to, edge->count);
}

static bool add_block(struct yaml_reader *y, const struct apf_bolt_yaml_block *block)
{
    bool ok = true;
    if (y->b.is_samples) {
        y->b.all = report_sum(y->b.all, block->events);
        return bolt_count(&y->b, y->function, block->events);
    }
    for (size_t i = 0; ok && i < block->n_successors; i++)
        ok = add_edge(y, block, &block->successors[i], false);
    for (size_t i = 0; ok && i < block->n_calls; i++)
        ok = add_edge(y, block, &block->calls[i], true);
    return ok;
}

static int read_functions(struct yaml_reader *y, struct apf_bolt_yaml *yaml, struct apf_error *error)
{
    struct apf_bolt_yaml_function f = {.size = sizeof f};
    int code = APF_OK;
    for (size_t i = 0; i < y->names.n && (code = apf_bolt_yaml_function(yaml, i, &f, error)) == APF_OK; i++) {
        y->function = y->names.data[i];
        struct report_function *to = report_function_of(y->b.r, y->function);
        if (!to)
            return error_memory(error);
        to->hash = f.hash;
        to->entries = report_sum(to->entries, f.exec);
        for (size_t k = 0; k < f.n_blocks; k++)
            if (!add_block(y, &f.blocks[k]))
                return error_memory(error);
    }
    return code;
}

int report_read_bolt_yaml(struct apf_report *r, struct apf_bolt_yaml *yaml, struct apf_error *error)
{
    struct apf_bolt_yaml_header header = {.size = sizeof header};
    struct yaml_reader y = {.b = {.r = r, .has_blocks = true}};
    int code = apf_bolt_yaml_header(yaml, &header, error);
    y.b.is_samples = header.flags & APF_BOLT_YAML_SAMPLE;
    if (code == APF_OK && !write_yaml_header(r, &header))
        code = error_memory(error);
    if (code == APF_OK)
        code = read_fids(&y, yaml, error);
    if (code == APF_OK)
        code = read_functions(&y, yaml, error);
    if (code == APF_OK && !bolt_finish(&y.b))
        code = error_memory(error);
    VEC_FREE(&y.b.misses);
    VEC_FREE(&y.fids);
    VEC_FREE(&y.names);
    hash_index_free(&y.by_fid);
    return code;
}
