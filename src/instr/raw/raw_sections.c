/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/raw/raw_sections.h"

#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "instr/model/name_blob.h"

/* Versions whose records have the same layout. */
struct candidate {
    const struct raw_record_layout *layout; /* of the first of them */
    uint32_t first, last;                   /* versions */
    uint64_t n, hits;                       /* records, and those of them whose id is that of a name */
};

/* ---- records ---- */

/* Fills in the number of records; false if the section does not consist of whole records. Only the padding of the last
 * record may be missing. */
static bool count_records(const struct raw_record_layout *l, size_t n_data, uint64_t *n)
{
    uint16_t last = l->num_bitmap_bytes != RAW_NONE ? l->num_bitmap_bytes : l->num_counters;
    size_t rest = n_data % l->size;
    *n = n_data / l->size + (rest != 0);
    return rest == 0 || rest >= last + sizeof(uint32_t);
}

static bool is_padding(const struct raw_sections *in, const struct raw_record_layout *l, uint64_t i)
{
    size_t end = (i + 1) * l->size < in->n_data ? (size_t)(i + 1) * l->size : in->n_data;
    size_t at = (size_t)i * l->size;
    return at >= end || bytes_zero(in->data + at, end - at);
}

/* ---- versions ---- */

static void count_hits(const struct raw_sections *in, const struct symbols *names, struct candidate *c)
{
    uint64_t padding = 0;
    uint32_t near = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        uint64_t id = load64(in->data + i * c->layout->size + c->layout->name_ref, in->swap);
        near = symbols_find_near(names, id, near);
        if (near != HASH_INDEX_NONE)
            c->hits++;
        else if (is_padding(in, c->layout, i))
            padding++;
        near++;
    }
    c->n -= padding;
}

/* Whether a greater share of a's records have a name or, of equal shares, more records. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
    double share_a = a->n ? (double)a->hits / (double)a->n : 0;
    double share_b = b->n ? (double)b->hits / (double)b->n : 0;
    return share_a > share_b || (share_a >= share_b && a->hits > b->hits);
}

/* Whether a record has bitmap bytes if the layout is this one. Versions 9 and 10 have the same size and differ at the
 * end: where 9 has the number of bitmap bytes, 10 has the sites of a third kind; 10 has the number where 9 has padding.
 * */
static bool has_bitmap_bytes(const struct raw_sections *in, const struct raw_record_layout *l)
{
    for (size_t at = 0; at + l->num_bitmap_bytes + sizeof(uint32_t) <= in->n_data; at += l->size)
        if (load32(in->data + at + l->num_bitmap_bytes, in->swap))
            return true;
    return false;
}

static bool has_bitmap_pointer(const struct raw_sections *in, const struct raw_record_layout *l)
{
    for (size_t at = 0; at + l->num_bitmap_bytes <= in->n_data; at += l->size)
        for (unsigned i = 0; i < in->pointer_bytes; i++)
            if (in->data[at + l->bitmap_ptr + i])
                return true;
    return false;
}

/* The one of two layouts of the same size that the records have; NULL: the records fit both. */
static const struct candidate *choose_by_bitmap(const struct raw_sections *in, const struct candidate *older,
                                                const struct candidate *newer)
{
    if (has_bitmap_bytes(in, newer->layout))
        return newer;
    bool older_bitmap = has_bitmap_bytes(in, older->layout);
    if (older_bitmap && in->has_pointers)
        return has_bitmap_pointer(in, older->layout) ? older : newer;
    return NULL;
}

/* The layout of a version. NULL: there is no such version, or a loader has to fill in the pointers to its names. */
static const struct raw_record_layout *find_layout(const struct raw_sections *in, uint32_t version)
{
    const struct raw_version *row = raw_version_find(version);
    return row && !(row->caps & RAW_CAP_NAME_POINTERS) ? &row->record[in->pointer_bytes == 4] : NULL;
}

static bool same_layout(const struct raw_record_layout *a, const struct raw_record_layout *b)
{
    return a->size == b->size && a->kinds == b->kinds && a->num_counters == b->num_counters;
}

/* Lists the layouts that the section consists of whole records of, the oldest first, and returns their number. */
static size_t list_candidates(const struct raw_sections *in, const struct symbols *names,
                              struct candidate *list, size_t most)
{
    size_t n = 0;
    for (uint32_t v = 1; v <= raw_version_newest(); v++) {
        struct candidate c = {.layout = find_layout(in, v), .first = v, .last = v};
        if (!c.layout || !count_records(c.layout, in->n_data, &c.n))
            continue;
        if (n && same_layout(list[n - 1].layout, c.layout)) {
            list[n - 1].last = v;
        } else if (n < most) {
            count_hits(in, names, &c);
            list[n++] = c;
        }
    }
    return n;
}

static int guess_version(const struct raw_sections *in, const struct symbols *names, struct candidate *out,
                         struct apf_error *error)
{
    struct candidate list[8];
    const struct candidate *best = NULL, *other = NULL;
    size_t n = list_candidates(in, names, list, sizeof list / sizeof *list);
    for (size_t i = 0; i < n; i++) {
        other = best && best->layout->size == list[i].layout->size ? best : other;
        if (!best || !is_better(best, &list[i]))
            best = &list[i];
    }
    if (!best || best->hits == 0) {
        struct error_at at = {"program.data", NO_OFFSET, in->n_data, in->n_names};
        return error_bound(error, APF_MALFORMED, at,
                           "the data records of no known raw version fit the names");
    }
    *out = *best;
    if (!other || other->layout->size != best->layout->size)
        return APF_OK;
    const struct candidate *certain = choose_by_bitmap(in, other, best);
    if (certain)
        *out = *certain;
    else
        out->first = other->first;
    return APF_OK;
}

static int choose_version(const struct raw_sections *in, const struct symbols *names, struct candidate *out,
                          struct apf_error *error)
{
    uint32_t version = (uint32_t)in->version_word;
    if (!in->version_known)
        return guess_version(in, names, out, error);
    *out = (struct candidate){.layout = find_layout(in, version), .first = version, .last = version};
    if (!out->layout) {
        struct error_at at = {"program.version", NO_OFFSET, version, raw_version_newest()};
        return error_at(error, APF_UNSUPPORTED_VERSION, at, "the program's records are of raw version %u",
                        (unsigned)version);
    }
    if (count_records(out->layout, in->n_data, &out->n))
        return APF_OK;
    struct error_at at = {"program.data", NO_OFFSET, in->n_data, out->layout->size};
    return error_at(error, APF_MALFORMED, at, "the section does not consist of whole data records");
}

/* ---- functions ---- */

static uint64_t load_pointer(const struct raw_sections *in, const uint8_t *record, uint16_t at)
{
    if (at == RAW_NONE || !in->has_pointers)
        return 0;
    return in->pointer_bytes == 8 ? load64(record + at, in->swap) : load32(record + at, in->swap);
}

static int add_function(struct raw_section_functions *out, const struct raw_sections *in,
                        const struct raw_record_layout *l, uint64_t i, struct apf_error *error)
{
    const uint8_t *p = in->data + i * l->size;
    struct apf_function f = {.id = load64(p + l->name_ref, in->swap),
                             .hash = load64(p + l->func_hash, in->swap)};
    if (is_padding(in, l, i))
        return APF_OK;
    f.n_counters = load32(p + l->num_counters, in->swap);
    for (unsigned kind = 0; kind < l->kinds && kind < APF_VALUE_KINDS; kind++)
        out->n_sites[kind] += load16(p + l->sites + 2 * kind, in->swap);
    f.counters = load_pointer(in, p, l->counter_ptr);
    f.bitmap = load_pointer(in, p, l->bitmap_ptr);
    if (l->num_bitmap_bytes != RAW_NONE)
        f.n_bitmap = load32(p + l->num_bitmap_bytes, in->swap);
    f.name = symbols_name(&out->names, f.id);
    return VEC_PUSH(&out->list, f) ? APF_OK : error_memory(error);
}

int raw_sections_read(struct raw_section_functions *out, const struct raw_sections *in,
                      struct apf_error *error)
{
    struct candidate c = {0};
    struct cursor names = cursor_make(in->names, in->n_names, in->swap);
    uint64_t budget = in->name_budget;
    *out = (struct raw_section_functions){0};
    int code = name_blob_read(&names, in->n_names, &budget, "program.names", &out->names, error);
    if (code == APF_OK && in->n_data)
        code = choose_version(in, &out->names, &c, error);
    if (code != APF_OK || in->n_data == 0)
        return code;
    uint64_t n = in->n_data / c.layout->size + (in->n_data % c.layout->size != 0);
    if (n > in->max_records || n > UINT32_MAX) {
        struct error_at at = {"program.data", NO_OFFSET, n, in->max_records};
        return error_at(error, APF_LIMIT, at, "more functions than the limit allows");
    }
    if (!VEC_RESERVE(&out->list, (size_t)n))
        return error_memory(error);
    for (uint64_t i = 0; code == APF_OK && i < n; i++)
        code = add_function(out, in, c.layout, i, error);
    out->first_version = c.first;
    out->last_version = c.last;
    out->record_bytes = c.layout->size;
    if (!same_layout(find_layout(in, c.first), c.layout))
        memset(out->n_sites, 0, sizeof out->n_sites);
    return code;
}

void raw_sections_free(struct raw_section_functions *f)
{
    symbols_free(&f->names);
    VEC_FREE(&f->list);
}
