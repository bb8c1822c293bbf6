/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The data records of a raw profile, and what they claim: no counter should have two owners, or none. */
#include "base/sort.h"
#include "instr/raw_check.h"
#include "instr/raw_trace.h"
#include "instr/value_data.h"

static uint64_t record_offset(const struct raw_part *p, uint64_t i)
{
    return p->data.at + i * p->record->size;
}

static struct apf_str name_of(const struct raw_checker *k, const struct raw_record *r)
{
    const struct raw_part *p = &k->part;
    struct apf_str name = {(const char *)p->file + p->names.at + r->name_at, r->name_size};
    if (p->version->caps & RAW_CAP_NAME_POINTERS)
        return name;
    return symbols_name(k->instr ? &k->instr->symbols : &k->names, r->name_ref);
}

/* ---- claims ---- */

static bool is_before(const void *context, const void *a, const void *b)
{
    const struct raw_claim *x = a, *y = b;
    (void)context;
    return x->at < y->at;
}

static bool sort_claims(struct raw_claims *claims)
{
    size_t n = claims->list.n, sorted = 1;
    while (sorted < n && claims->list.data[sorted - 1].at <= claims->list.data[sorted].at)
        sorted++;
    return sorted >= n /* as mostly */ || SORT_VEC(&claims->list, is_before, NULL);
}

static bool is_same(const struct raw_claim *a, const struct raw_claim *b)
{
    return a->at == b->at && a->size == b->size && a->name_ref == b->name_ref && a->hash == b->hash;
}

/* What is said of the claims on a section. */
struct claim_words {
    const char *where, *overlap, *hole;
    uint16_t field; /* of the record: the pointer */
};

/* Holes: variables that are aligned, or that a linker has dropped the records of. */
static void check_claims(struct raw_checker *k, struct raw_claims *claims, const struct raw_section *section,
                         const struct claim_words *words)
{
    struct check_tally twice = {0}, holes = {0};
    const struct raw_claim *last = NULL; /* the one that reaches furthest */
    uint64_t end = 0;
    if (!sort_claims(claims)) {
        check_memory(k->c);
        return;
    }
    for (size_t i = 0; i < claims->list.n && k->c->code == APF_OK; i++) {
        const struct raw_claim *claim = &claims->list.data[i];
        uint64_t at = record_offset(&k->part, claim->record) + words->field;
        check_function(k->c, symbols_name(k->instr ? &k->instr->symbols : &k->names, claim->name_ref),
                       claim->hash);
        if (claim->at > end)
            check_count(&holes, k->c, words->where, section->at + end);
        else if (last && claim->at < end && is_same(last, claim))
            check_count(&twice, k->c, "raw.record", record_offset(&k->part, claim->record));
        else if (claim->at < end)
            check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                        check_spot(words->where, at, claim->at, end), words->overlap);
        if (claim->at + claim->size > end) {
            end = claim->at + claim->size;
            last = claim;
        }
    }
    check_no_function(k->c);
    if (claims->list.n && end < section->size)
        check_count(&holes, k->c, words->where, section->at + end);
    holes.function.n = 0; /* they are nobody's */
    holes.hash = 0;
    check_tally_tell(k->c, &twice, APF_SEVERITY_NOTE, APF_NOTE,
                     "a record that is there twice, with the same counters");
    check_tally_tell(k->c, &holes, APF_SEVERITY_NOTE, APF_NOTE, words->hole);
}

/* ---- records ---- */

static bool claim(struct raw_checker *k, const struct raw_record *r, uint64_t i)
{
    uint64_t at = r->timestamp_at != UINT64_MAX ? r->timestamp_at : r->counters;
    uint64_t size = r->counters - at + r->n_counters * k->part.counter_bytes;
    struct raw_claim counters = {at, size, i, r->name_ref, r->hash};
    struct raw_claim bitmap = {r->bitmap, r->n_bitmap, i, r->name_ref, r->hash};
    return VEC_PUSH(&k->counters.list, counters) && (!r->n_bitmap || VEC_PUSH(&k->bitmaps.list, bitmap));
}

static void check_record(struct raw_checker *k, uint64_t i)
{
    struct raw_record r;
    struct apf_error error;
    check_no_function(k->c);
    if (raw_part_record(&k->part, i, &r, &error) != APF_OK) {
        check_function(k->c, name_of(k, &r), r.hash);
        check_failure(k->c, &error);
        k->damaged = true;
        return;
    }
    if (r.skip) {
        check_count(&k->zero_records, k->c, "raw.record", record_offset(&k->part, i));
        return;
    }
    bool values = false;
    for (unsigned kind = 0; kind < APF_VALUE_KINDS; kind++)
        values = values || r.n_sites[kind];
    if (!claim(k, &r, i) || (values && !VEC_PUSH(&k->records, r)))
        check_memory(k->c);
}

void raw_check_records(struct raw_checker *k)
{
    const struct raw_part *p = &k->part;
    uint64_t n = p->field[RAW_NUM_DATA];
    struct claim_words counters = {"raw.counters", "counters that another function has, too",
                                   "counters of nobody", p->record->counter_ptr},
                       bitmaps = {"raw.bitmap", "bitmap bytes that another function has, too",
                                  "bitmap bytes of nobody", p->record->bitmap_ptr};
    raw_part_probe(&k->part);
    for (uint64_t i = 0; i < n && k->c->code == APF_OK; i++)
        check_record(k, i);
    check_no_function(k->c);
    check_tally_tell(k->c, &k->zero_records, APF_SEVERITY_ERROR, APF_MALFORMED,
                     "number of counters is zero: padding between objects, which anyprof passes over");
    if (p->relative && p->version->caps & RAW_CAP_MAYBE_RELATIVE)
        check_place(k->c, APF_SEVERITY_ERROR, APF_MALFORMED, "raw.header.counters_delta",
                    raw_header_at(p, RAW_COUNTERS_DELTA),
                    "counter pointers of a development version of LLVM 14, which LLVM 13 refuses; anyprof "
                    "reads them");
    if (p->no_timestamps)
        check_place(k->c, APF_SEVERITY_ERROR, APF_MALFORMED, "raw.counters", p->counters.at,
                    "a temporal profile without timestamps, for which LLVM takes the counts of functions; "
                    "anyprof does "
                    "not");
    if (p->truncated_delta)
        check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, "raw.header.counters_delta",
                    raw_header_at(p, RAW_COUNTERS_DELTA), "distances of 32 bits, as on Windows");
    if (k->damaged)
        return; /* what is nobody's may be theirs */
    check_claims(k, &k->counters, &p->counters, &counters);
    check_claims(k, &k->bitmaps, &p->bitmap, &bitmaps);
}

/* ---- value data ---- */

/* LLVM goes by the block and does not look at what the record announces. */
static void compare_sites(struct raw_checker *k, const struct raw_record *r, const struct value_block *b,
                          uint64_t at)
{
    for (unsigned kind = 0; kind < k->part.kinds; kind++)
        if (b->n_sites[kind] != r->n_sites[kind]) {
            check_at(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                     check_spot("value_data.kind.num_sites", at, b->n_sites[kind], r->n_sites[kind]),
                     "not as many sites as the record announces");
            return;
        }
}

void raw_check_values(struct raw_checker *k, uint64_t *end)
{
    const struct raw_part *p = &k->part;
    struct cursor c = cursor_make(p->file, p->file_size, p->swap);
    cursor_skip(&c, p->values_at);
    for (size_t i = 0; i < k->records.n && !k->damaged && k->c->code == APF_OK; i++) {
        const struct raw_record *r = &k->records.data[i];
        struct value_block block;
        struct apf_error error;
        uint64_t at = cursor_offset(&c);
        check_function(k->c, name_of(k, r), r->hash);
        if (i == 0 && raw_part_values_missing(p, at)) {
            check_no_function(k->c);
            check_place(
                k->c, APF_SEVERITY_ERROR, APF_TRUNCATED, "raw.values", at,
                "value data is announced, and not there (written through the buffer API or in continuous "
                "mode): LLVM refuses the file, anyprof takes its counts");
            break;
        }
        if (value_block_read(&c, APF_VALUE_KINDS, &block, &error) != APF_OK) {
            check_failure(k->c, &error);
            k->damaged = true;
        } else {
            compare_sites(k, r, &block, at);
        }
    }
    *end = cursor_offset(&c);
}
