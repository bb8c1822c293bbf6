/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Indexed profiles: the header, the sections after the table, and unclaimed bytes. */
#include "instr/check/indexed_check.h"

#include <string.h>

#include "base/sort.h"
#include "instr/memprof/memprof_read.h"
#include "instr/model/name_blob.h"

static uint64_t header_word(const struct indexed_checker *k, unsigned at)
{
    return load64le(k->data + at);
}

/* ---- header ---- */

static void check_unused_word(struct indexed_checker *k)
{
    uint64_t word = header_word(k, INDEXED_UNUSED_AT), most = 0;
    struct error_at at = {"indexed.header.unused", INDEXED_UNUSED_AT, word, 0};
    if (!(k->places.version->caps & INDEXED_CAP_MAX_COUNT)) {
        if (word)
            check_at(k->c, APF_SEVERITY_NOTE, APF_NOTE, at, "a word that no reader uses");
        return;
    }
    const struct apf_instr *instr = k->profile->instr;
    for (size_t i = 0; i < instr->records.n; i++) {
        const struct record *r = &instr->records.data[i];
        most = r->counts[0] > most ? r->counts[0] : most;
    }
    at.where = "indexed.header.max_function_count";
    at.expected = most;
    if (word != most && !(k->profile->records_lost && word > most))
        check_at(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, at, "not the largest count of a function");
}

/* Checks the offset of a section that the version word does not announce. */
static void check_absent(struct indexed_checker *k, uint64_t cap, unsigned offset_at, uint64_t variant,
                         const char *where, const char *detail)
{
    if (!(k->places.version->caps & cap) || k->places.variant & variant)
        return;
    uint64_t offset = header_word(k, offset_at);
    bool inside = offset >= k->places.version->header_size && offset < k->n;
    struct error_at at = {where, offset_at, offset, 0};
    if (offset && inside) /* the section may be there */
        indexed_check_damaged(k, offset);
    if (offset)
        check_at(k->c, inside ? APF_SEVERITY_WARNING : APF_SEVERITY_NOTE,
                 inside ? APF_INCONSISTENT : APF_NOTE, at, detail);
}

static void check_header(struct indexed_checker *k)
{
    uint64_t word = header_word(k, 8), type = header_word(k, INDEXED_HASH_TYPE_AT);
    struct error_at at = {"indexed.header.hash_type", INDEXED_HASH_TYPE_AT, type, INDEXED_HASH_MD5};
    if (word & ~KNOWN_VERSION_BITS) {
        struct error_at bits = {"indexed.header.version", 8, word, word & KNOWN_VERSION_BITS};
        check_at(k->c, APF_SEVERITY_NOTE, APF_NOTE, bits, "bits that mean nothing");
    }
    if (type != INDEXED_HASH_MD5)
        check_at(k->c, APF_SEVERITY_ERROR, APF_UNSUPPORTED_HASH_TYPE, at,
                 "the keys are hashed in another way");
    check_unused_word(k);
    check_absent(k, INDEXED_CAP_MEMPROF, INDEXED_MEMPROF_AT, APF_VARIANT_MEMPROF,
                 "indexed.header.memprof_offset", "a memory profile that the version word does not announce");
    check_absent(k, INDEXED_CAP_TRACES, INDEXED_TRACES_AT, APF_VARIANT_TEMPORAL,
                 "indexed.header.traces_offset", "traces that the version word does not announce");
}

/* ---- binary ids ---- */

struct id_place {
    uint64_t at;
    struct apf_str id;
};

static void check_id_order(struct indexed_checker *k, const struct id_place *before,
                           const struct id_place *id)
{
    int order = sort_compare_bytes(before->id.p, before->id.n, id->id.p, id->id.n);
    if (order == 0)
        check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, "indexed.binary_ids", id->at,
                    "a binary id that occurs twice");
    else if (order > 0)
        check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, "indexed.binary_ids", id->at,
                    "binary ids are not in the order of their bytes");
}

static void check_id_list(struct indexed_checker *k, struct cursor *ids)
{
    struct id_place before = {0}, id = {0};
    while (cursor_left(ids)) {
        uint64_t left;
        id.at = cursor_offset(ids);
        id.id.n = cursor_u64(ids);
        left = cursor_left(ids);
        struct error_at at = {"indexed.binary_ids", id.at, id.id.n, left};
        if (id.id.n == 0) {
            at.expected = 1;
            check_at(k->c, APF_SEVERITY_ERROR, APF_MALFORMED, at, "binary id length is 0");
            return;
        }
        const uint8_t *p = cursor_bytes(ids, id.id.n);
        const uint8_t *pad = p ? cursor_bytes(ids, pad8(id.id.n % 8)) : NULL;
        if (!pad) {
            check_bound(k->c, APF_SEVERITY_ERROR, APF_MALFORMED, at,
                        "not enough data to read binary id data");
            return;
        }
        if (!bytes_zero(pad, pad8(id.id.n % 8)))
            check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, "indexed.binary_ids", (uint64_t)(pad - k->data),
                        "padding that is not zero");
        id.id.p = (const char *)p;
        if (before.id.p)
            check_id_order(k, &before, &id);
        before = id;
    }
}

/* ---- sections ---- */

/* Opens a section that begins with its size in bytes; false: missing, or outside the file. */
static bool open_section(struct indexed_checker *k, unsigned cap, unsigned offset_at, const char *where,
                         struct cursor *c)
{
    if (!(k->places.version->caps & cap))
        return false;
    uint64_t offset = header_word(k, offset_at);
    *c = indexed_cursor(k, offset);
    struct error_at at = {where, offset_at, offset, k->n < 8 ? 0 : k->n - 8};
    if (offset && cursor_left(c) < 8)
        c->failed = true;
    if (offset && c->failed)
        check_bound(k->c, APF_SEVERITY_ERROR, cap == INDEXED_CAP_IDS ? APF_MALFORMED : APF_TRUNCATED, at,
                    "the section lies outside the file");
    return offset && !c->failed;
}

static void check_ids(struct indexed_checker *k)
{
    struct cursor c;
    if (!open_section(k, INDEXED_CAP_IDS, INDEXED_IDS_AT, "indexed.header.binary_ids_offset", &c))
        return;
    uint64_t offset = cursor_offset(&c), size = cursor_u64(&c);
    struct error_at at = {"indexed.binary_ids.size", offset, size, cursor_left(&c)};
    if (size % 8) {
        at.expected = align8(size);
        check_at(k->c, APF_SEVERITY_ERROR, APF_BAD_HEADER, at, "not a multiple of 8");
        indexed_check_damaged(k, offset);
        return;
    }
    struct cursor ids = cursor_sub(&c, size);
    if (!c.failed) {
        check_id_list(k, &ids);
        return;
    }
    check_bound(k->c, APF_SEVERITY_ERROR, APF_MALFORMED, at, "corrupted binary ids");
    indexed_check_damaged(k, offset);
}

/* Checks the blob of names of vtables; the reader has checked the names in it. */
static void check_vtable_names(struct indexed_checker *k)
{
    struct symbols names = {0};
    struct apf_error error;
    struct cursor c;
    if (!open_section(k, INDEXED_CAP_VTABLES, INDEXED_VTABLES_AT, "indexed.header.vtable_names_offset", &c) ||
        k->profile->whole)
        return;
    uint64_t offset = cursor_offset(&c), size = cursor_u64(&c),
             budget = profile_name_budget(k->profile->options, k->n);
    if (size > cursor_left(&c)) {
        struct error_at at = {"indexed.vtable_names.size", offset, size, cursor_left(&c)};
        check_bound(k->c, APF_SEVERITY_ERROR, APF_TRUNCATED, at, "the names run past the end of the file");
        indexed_check_damaged(k, offset);
    } else if (name_blob_read(&c, size, &budget, "indexed.vtable_names", &names, &error) != APF_OK) {
        check_failure(k->c, &error);
    }
    symbols_free(&names);
}

static bool check_trace_list(struct indexed_checker *k, struct cursor *c, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = cursor_offset(c), left = cursor_left(c);
        uint64_t weight = cursor_u64(c), n_ids = cursor_u64(c);
        struct error_at place = {"indexed.traces", at, n_ids, cursor_left(c) / 8};
        if (left < 16 || !cursor_array(c, n_ids, 8)) {
            check_bound(k->c, APF_SEVERITY_ERROR, APF_TRUNCATED, place,
                        "the trace runs past the end of the file");
            return false;
        }
        if (weight == 0)
            check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, "indexed.traces.weight", at,
                        "a trace of weight 0");
    }
    return true;
}

static void check_traces(struct indexed_checker *k)
{
    if (!(k->places.version->caps & INDEXED_CAP_TRACES) || !(k->places.variant & APF_VARIANT_TEMPORAL))
        return;
    uint64_t offset = header_word(k, INDEXED_TRACES_AT);
    struct cursor c = indexed_cursor(k, offset);
    uint64_t n = cursor_u64(&c);
    cursor_skip(&c, 8);
    struct error_at at = {"indexed.header.traces_offset", INDEXED_TRACES_AT, offset, k->n - 16};
    if (c.failed) {
        check_bound(k->c, APF_SEVERITY_ERROR, APF_TRUNCATED, at, "the section lies outside the file");
        return;
    }
    at.where = "indexed.traces.count";
    at.offset = offset;
    at.found = n;
    at.expected = cursor_left(&c) / 16;
    if (n > at.expected) {
        check_bound(k->c, APF_SEVERITY_ERROR, APF_TRUNCATED, at, "more traces than fit in the file");
        indexed_check_damaged(k, offset);
    } else if (!check_trace_list(k, &c, n)) {
        indexed_check_damaged(k, offset);
    }
    k->profile->traces_at = offset;
}

/* Checks the MemProf section, which the reader has left out so that damage in it does not hide the rest. */
static void check_memprof(struct indexed_checker *k)
{
    if (!(k->places.version->caps & INDEXED_CAP_MEMPROF) || !(k->places.variant & APF_VARIANT_MEMPROF))
        return;
    struct error_at at = {"indexed.header.memprof_offset", INDEXED_MEMPROF_AT,
                          header_word(k, INDEXED_MEMPROF_AT), k->n - 8};
    if (k->places.memprof_size < 8) {
        check_bound(k->c, APF_SEVERITY_ERROR, APF_TRUNCATED, at, "the section lies outside the file");
        return;
    }
    struct apf_memprof *memprof;
    struct apf_error error;
    if (memprof_read(&memprof, k->data, k->n, k->places.memprof, k->profile->options, &error) != APF_OK)
        check_failure(k->c, &error);
    memprof_free(memprof);
}

/* ---- bytes ---- */

static void check_gap(struct indexed_checker *k, const struct byte_span *part)
{
    bool end = part->at + part->size == k->n;
    if (strcmp(part->name, PART_UNCLAIMED) != 0 && !(end && strcmp(part->name, PART_PADDING) == 0))
        return;
    for (size_t i = 0; i < k->damaged.n; i++)
        if (k->damaged.data[i] - part->at < part->size) /* the bytes may belong to the damaged section */
            return;
    indexed_check_unclaimed(k, part->at, part->size);
}

static void check_bytes(struct indexed_checker *k)
{
    const struct byte_span *before = NULL;
    if (!byte_map_fill(&k->parts, k->data, k->n)) {
        check_memory(k->c);
        return;
    }
    for (size_t i = 0; i < k->parts.list.n; i++) {
        const struct byte_span *part = &k->parts.list.data[i];
        struct error_at at = {"indexed.header", part->at, part->at, before ? before->at + before->size : 0};
        check_gap(k, part);
        if (before && part->at < before->at + before->size)
            check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, at, "two sections have the same bytes");
        before = part;
    }
}

/* Prepares a profile for the intact items of a file that the reader refuses. */
static void begin_intact(struct indexed_checker *k)
{
    struct apf_instr *instr = k->profile->instr;
    struct indexed_reader reader = {instr, k->profile->options, k->data, k->n, k->places.version};
    k->reader = reader;
    if (k->profile->whole)
        return;
    (void)indexed_read_header(&k->reader, NULL); /* its errors are reported already */
    k->reader.version = k->places.version;
    instr->info.format = APF_FORMAT_INDEXED;
}

static void read_traces(struct indexed_checker *k)
{
    struct apf_instr_info *info = &k->profile->instr->info;
    if (k->profile->whole || indexed_read_traces(&k->reader, NULL) == APF_OK)
        return;
    info->traces = NULL;
    info->n_traces = info->trace_stream_size = 0;
}

void indexed_check(struct check *c, struct check_profile *p, const uint8_t *data, size_t n)
{
    struct indexed_checker k = {.c = c, .profile = p, .data = data, .n = n};
    if (!indexed_map_find(&k.places, &k.parts, data, n)) {
        check_memory(c);
    } else if (k.places.version) {
        begin_intact(&k);
        indexed_check_table(&k);
        check_no_function(c);
        read_traces(&k);
        check_header(&k);
        indexed_check_summaries(&k);
        check_memprof(&k);
        check_ids(&k);
        check_vtable_names(&k);
        check_traces(&k);
        check_bytes(&k);
    }
    byte_map_free(&k.parts);
    VEC_FREE(&k.damaged);
}
