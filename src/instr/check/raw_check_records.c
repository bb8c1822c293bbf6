/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the data records of a raw profile and their claims: each counter should have one owner. */
#include "base/sort.h"
#include "instr/check/raw_check.h"
#include "instr/model/value_data.h"
#include "instr/raw/raw_trace.h"

static uint64_t record_offset(const struct raw_profile *p, uint64_t i)
{
    return p->data.at + i * p->record->size;
}

static struct apf_str name_of(const struct raw_checker *k, const struct raw_record *r)
{
    const struct raw_profile *p = &k->raw;
    struct apf_str name = {(const char *)p->file + p->names.at + r->name_at, r->name_size};
    if (p->version->caps & RAW_CAP_NAME_POINTERS)
        return name;
    return symbols_name(k->profile->instr->symbols, r->name_ref);
}

/* ---- records ---- */

/* Checks the padding of a record: the bytes that belong to no field. */
static void check_padding(struct raw_checker *k, uint64_t i)
{
    const uint8_t *p = k->raw.file + record_offset(&k->raw, i);
    for (unsigned b = 0; b < k->raw.record->size; b++)
        if (!k->used[b] && p[b]) {
            check_count(&k->padding, k->c, "raw.record.padding", record_offset(&k->raw, i) + b);
            return;
        }
}

static void mark_field(struct raw_checker *k, uint16_t at, unsigned bytes)
{
    for (unsigned b = 0; b < bytes && at + b < sizeof k->used; b++)
        k->used[at + b] = true;
}

/* Marks the bytes of all fields. Absent fields have offset 0, and mark bytes of other fields: there is no padding
 * before byte 8. */
static void mark_fields(struct raw_checker *k)
{
    const struct raw_record_layout *r = k->raw.record;
    const uint16_t words[] = {r->name_ref, r->func_hash},
                   numbers[] = {r->name_size, r->num_counters, r->num_bitmap_bytes};
    const uint16_t pointers[] = {r->name_ptr,   r->counter_ptr,  r->uniform_ptr,
                                 r->bitmap_ptr, r->function_ptr, r->values};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        mark_field(k, words[i], 8);
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        mark_field(k, numbers[i], 4);
    for (unsigned i = 0; i < sizeof pointers / sizeof *pointers; i++)
        mark_field(k, pointers[i], k->raw.pointer_bytes);
    mark_field(k, r->sites, 2u * r->kinds);
    mark_field(k, r->offload_device_wave_size, 2);
}

/* Checks the alignment of counters of 64 bits. Readers of the first versions round down. */
static void check_alignment(struct raw_checker *k, const struct raw_record *r, uint64_t i)
{
    const struct raw_profile *p = &k->raw;
    const struct raw_record_layout *layout = p->record;
    uint64_t at = record_offset(p, i) + layout->counter_ptr, odd = r->counters % 8;
    if (p->version->caps & RAW_CAP_ABSOLUTE && !p->relative)
        odd = (raw_profile_pointer(p, p->file + at) - p->field[RAW_COUNTERS_DELTA]) % 8;
    if (p->counter_bytes == 8 && odd)
        check_at(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                 check_spot("raw.record.counter_ptr", at, r->counters + (r->counters % 8 ? 0 : odd),
                            r->counters - r->counters % 8),
                 "counters that do not begin at a multiple of 8");
}

static bool claim_bytes(struct raw_checker *k, const struct raw_record *r, uint64_t i)
{
    uint64_t at = r->timestamp_at != UINT64_MAX ? r->timestamp_at : r->counters;
    uint64_t size = r->counters - at + r->n_counters * k->raw.counter_bytes;
    struct raw_claim counters = {at, size, i, r->name_ref, r->hash};
    struct raw_claim bitmap = {r->bitmap, r->n_bitmap, i, r->name_ref, r->hash};
    struct raw_claim name = {r->name_at, r->name_size, i, r->name_ref,
                             0}; /* records with other hashes share the name */
    return VEC_PUSH(&k->counters.list, counters) && (!r->n_bitmap || VEC_PUSH(&k->bitmaps.list, bitmap)) &&
           (!r->name_size || VEC_PUSH(&k->names.list, name));
}

static void check_record(struct raw_checker *k, uint64_t i)
{
    struct raw_record r;
    struct apf_error error;
    check_no_function(k->c);
    if (raw_profile_record(&k->raw, i, &r, &error) != APF_OK) {
        check_function(k->c, name_of(k, &r), r.hash);
        check_failure(k->c, &error);
        k->damaged = true;
        return;
    }
    if (r.skip) {
        check_count(&k->zero_records, k->c, "raw.record", record_offset(&k->raw, i));
        return;
    }
    bool values = false;
    for (unsigned kind = 0; kind < APF_VALUE_KINDS; kind++)
        values = values || r.n_sites[kind];
    check_function(k->c, name_of(k, &r), r.hash);
    check_alignment(k, &r, i);
    check_padding(k, i);
    if (!claim_bytes(k, &r, i) || (values && !VEC_PUSH(&k->records, r)))
        check_memory(k->c);
}

/* ---- claims: no byte of another section should have two owners, or none ---- */

/* The texts for claims on a section. */
struct raw_claim_words {
    const char *where, *overlap, *hole;
    uint16_t field; /* offset of the pointer in a record */
    uint32_t hole_severity;
};

static bool claim_is_before(const void *context, const void *a, const void *b)
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
    return sorted >= n /* the usual case */ || SORT_VEC(&claims->list, claim_is_before, NULL);
}

static bool claims_are_equal(const struct raw_claim *a, const struct raw_claim *b)
{
    return a->at == b->at && a->size == b->size && a->name_ref == b->name_ref && a->hash == b->hash;
}

static void check_claims(struct raw_checker *k, struct raw_claims *claims, const struct raw_section *section,
                         const struct raw_claim_words *words)
{
    struct check_tally twice = {0}, holes = {0};
    const struct raw_claim *last = NULL; /* the claim that reaches furthest */
    const struct raw_record_layout *layout = k->raw.record;
    bool names = words->field == layout->name_ptr;
    uint64_t end = 0;
    if (!sort_claims(claims)) {
        check_memory(k->c);
        return;
    }
    for (size_t i = 0; i < claims->list.n && k->c->code == APF_OK; i++) {
        const struct raw_claim *claim = &claims->list.data[i];
        uint64_t record = k->raw.data.at + claim->record * layout->size;
        check_function(k->c, symbols_name(k->profile->instr->symbols, claim->name_ref), claim->hash);
        if (claim->at > end)
            check_count(&holes, k->c, words->where, section->at + end);
        else if (last && claim->at < end && claims_are_equal(last, claim) && !names)
            check_count(&twice, k->c, "raw.record", record);
        else if (claim->at < end && !claims_are_equal(last, claim))
            check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                        check_spot(words->where, record + words->field, claim->at, end), words->overlap);
        if (claim->at + claim->size > end) {
            end = claim->at + claim->size;
            last = claim;
        }
    }
    check_no_function(k->c);
    if (claims->list.n && end < section->size)
        check_count(&holes, k->c, words->where, section->at + end);
    holes.function.n = 0; /* holes belong to no function */
    holes.hash = 0;
    check_tally_report(k->c, &twice, APF_SEVERITY_NOTE, APF_NOTE,
                       "a record that occurs twice, with the same counters");
    if (!k->damaged) /* else unclaimed bytes may belong to a damaged record */
        check_tally_report(k->c, &holes, words->hole_severity,
                           words->hole_severity == APF_SEVERITY_NOTE ? APF_NOTE : APF_INCONSISTENT,
                           words->hole);
}

/* Timestamps are 8 bytes before the counters; with byte counters only some releases claim them. */
static uint32_t orphan_severity(const struct raw_profile *p)
{
    const uint64_t both = APF_VARIANT_TEMPORAL | APF_VARIANT_BYTE_COVERAGE;
    return (p->variant & both) == both ? APF_SEVERITY_NOTE : APF_SEVERITY_WARNING;
}

static void check_all_claims(struct raw_checker *k)
{
    const struct raw_profile *p = &k->raw;
    struct raw_claim_words counters = {"raw.counters", "counters that also belong to another function",
                                       "counters of no function", p->record->counter_ptr, orphan_severity(p)},
                           bitmaps = {"raw.bitmap", "bitmap bytes that also belong to another function",
                                      "bitmap bytes of no function", p->record->bitmap_ptr,
                                      APF_SEVERITY_WARNING},
                           names = {"raw.names", "a part of a name that also belongs to another function",
                                    "bytes of names that no record has", p->record->name_ptr,
                                    APF_SEVERITY_NOTE};
    check_claims(k, &k->counters, &p->counters, &counters);
    check_claims(k, &k->bitmaps, &p->bitmap, &bitmaps);
    if (p->version->caps & RAW_CAP_NAME_POINTERS)
        check_claims(k, &k->names, &p->names, &names);
}

/* Reports quirks that only all records together show. */
static void check_quirks(struct raw_checker *k)
{
    const struct raw_profile *p = &k->raw;
    if (p->relative && p->version->caps & RAW_CAP_MAYBE_RELATIVE)
        check_place(k->c, APF_SEVERITY_ERROR, APF_MALFORMED, "raw.header.counters_delta",
                    raw_header_at(p, RAW_COUNTERS_DELTA),
                    "counter pointers of a development version of LLVM 14, which LLVM 13 refuses; anyprof "
                    "reads them");
    if (p->no_timestamps)
        check_place(
            k->c, APF_SEVERITY_ERROR, APF_MALFORMED, "raw.counters", p->counters.at,
            "a temporal profile without timestamps: LLVM reads the counts of functions as timestamps, "
            "anyprof does "
            "not");
    if (p->truncated_delta)
        check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, "raw.header.counters_delta",
                    raw_header_at(p, RAW_COUNTERS_DELTA), "distances of 32 bits, as on Windows");
}

void raw_check_records(struct raw_checker *k)
{
    uint64_t n = k->raw.field[RAW_NUM_DATA];
    mark_fields(k);
    raw_profile_probe(&k->raw);
    for (uint64_t i = 0; i < n && k->c->code == APF_OK; i++)
        check_record(k, i);
    check_no_function(k->c);
    check_tally_report(k->c, &k->zero_records, APF_SEVERITY_ERROR, APF_MALFORMED,
                       "number of counters is zero: padding between objects, which anyprof skips");
    check_tally_report(k->c, &k->padding, APF_SEVERITY_NOTE, APF_NOTE, "padding that is not zero");
    check_quirks(k);
    check_all_claims(k);
}

/* ---- value data ---- */

/* Compares the sites of a block with the record; LLVM reads the block and ignores the record. */
static void compare_sites(struct raw_checker *k, const struct raw_record *r, const struct value_block *b,
                          uint64_t at)
{
    for (unsigned kind = 0; kind < k->raw.kinds; kind++)
        if (b->n_sites[kind] != r->n_sites[kind]) {
            check_at(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                     check_spot("value_data.kind.num_sites", at, b->n_sites[kind], r->n_sites[kind]),
                     "not as many sites as the record announces");
            return;
        }
}

void raw_check_values(struct raw_checker *k, uint64_t *end)
{
    const struct raw_profile *p = &k->raw;
    struct cursor c = cursor_make(p->file, p->file_size, p->swap);
    cursor_skip(&c, p->values_at);
    bool missing = false;
    for (size_t i = 0; i < k->records.n && !k->damaged && !missing && k->c->code == APF_OK; i++) {
        const struct raw_record *r = &k->records.data[i];
        struct value_block block;
        struct apf_error error;
        uint64_t at = cursor_offset(&c);
        check_function(k->c, name_of(k, r), r->hash);
        missing = i == 0 && raw_profile_values_missing(p, at);
        if (missing) {
            check_no_function(k->c);
            check_place(
                k->c, APF_SEVERITY_ERROR, APF_TRUNCATED, "raw.values", at,
                "value data is announced, but missing (written through the buffer API or in continuous "
                "mode): LLVM refuses the file, anyprof reads its counts");
        } else if (value_block_read(&c, APF_VALUE_KINDS, &block, &error) != APF_OK) {
            check_failure(k->c, &error);
            k->damaged = true;
        } else {
            compare_sites(k, r, &block, at);
        }
    }
    k->has_values = !missing && !k->damaged;
    *end = cursor_offset(&c);
}
