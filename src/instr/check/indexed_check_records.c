/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the records of an indexed profile: sizes, value data, padding. profile_check.c checks their counts. */
#include "instr/check/indexed_check.h"
#include "instr/model/value_data.h"

struct record_walk {
    struct indexed_checker *k;
    struct cursor *c;
    struct indexed_tallies *tallies;
};

static void check_empty(struct record_walk *w, const char *where, uint64_t at, uint64_t found,
                        uint64_t expected)
{
    struct error_at place = {where, at, found, expected};
    check_at(w->k->c, APF_SEVERITY_ERROR, APF_MALFORMED, place, "profile data is empty");
}

static bool check_counts(struct record_walk *w)
{
    bool counted = w->k->places.version->caps & INDEXED_CAP_COUNT_FIELD;
    uint64_t at = cursor_offset(w->c), n = counted ? cursor_u64(w->c) : cursor_left(w->c) / 8;
    uint64_t left = cursor_left(w->c) / 8;
    const uint8_t *p = cursor_array(w->c, n, 8);
    if (p && n && n <= UINT32_MAX)
        return true;
    check_empty(w, "indexed.record.num_counters", at, n, p ? 1 : left);
    return false;
}

/* Checks bytes that stand in a word each, or bytes and their padding. */
static bool check_bytes(struct record_walk *w, const char *where, bool words)
{
    uint64_t at = cursor_offset(w->c), n = cursor_u64(w->c), left = cursor_left(w->c);
    const uint8_t *p = words ? cursor_array(w->c, n, 8) : cursor_bytes(w->c, n);
    const uint8_t *pad = words ? p : cursor_bytes(w->c, pad8(n % 8));
    if (!p || !pad || n > UINT32_MAX) {
        check_empty(w, where, at, n, left / (words ? 8 : 1));
        return false;
    }
    if (!words && !bytes_zero(pad, pad8(n % 8)))
        check_count(&w->tallies->padding, w->k->c, where, (uint64_t)(pad - w->k->data));
    for (uint64_t i = 0; words && i < n; i++)
        if (load64le(p + 8 * i) > UINT8_MAX)
            check_count(&w->tallies->wide, w->k->c, where, (uint64_t)(p - w->k->data) + 8 * i);
    return true;
}

/* Checks the order of values: writers begin with the highest count. */
static void check_order(struct record_walk *w, const uint8_t *pairs, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        if (load64le(pairs + 16 * i + 8) > load64le(pairs + 16 * i - 8)) {
            check_count(&w->tallies->unsorted, w->k->c, "indexed.record.values",
                        (uint64_t)(pairs - w->k->data) + 16 * i);
            return;
        }
}

static void check_value_kind(struct record_walk *w, const struct value_block *b, unsigned kind)
{
    const uint8_t *sizes = b->site_counts[kind], *pairs = b->pairs[kind];
    uint32_t n = b->n_sites[kind];
    if (!bytes_zero(sizes + n, pad8((uint64_t)n)))
        check_count(&w->tallies->padding, w->k->c, "value_data.padding", (uint64_t)(sizes + n - w->k->data));
    for (uint32_t i = 0; i < n; pairs += 16 * (size_t)sizes[i], i++)
        check_order(w, pairs, sizes[i]);
}

static bool check_values(struct record_walk *w)
{
    struct value_block block;
    struct apf_error error;
    uint64_t at = cursor_offset(w->c), size = 8, last = 0;
    if (value_block_read(w->c, APF_VALUE_KINDS, &block, &error) != APF_OK) {
        check_empty(w, error.where, error.offset ? error.offset : at, error.found, error.expected);
        return false;
    }
    for (unsigned kind = 0; kind < APF_VALUE_KINDS; kind++) {
        if (!block.site_counts[kind])
            continue;
        check_value_kind(w, &block, kind);
        uint64_t start = (uint64_t)(block.site_counts[kind] - w->k->data);
        if (start < last)
            check_count(&w->tallies->kinds, w->k->c, "value_data.kind", start - 8);
        last = start;
        size += align8(8 + (uint64_t)block.n_sites[kind]) + 16 * block.n_pairs[kind];
    }
    if (at + size != cursor_offset(w->c))
        check_count(&w->tallies->slack, w->k->c, "value_data.total_size", at + size);
    return true;
}

static bool check_record(struct record_walk *w, struct apf_str name)
{
    uint16_t caps = w->k->places.version->caps;
    uint64_t at = cursor_offset(w->c);
    if (cursor_left(w->c) < 8) {
        check_empty(w, "indexed.record.hash", at, cursor_left(w->c), 8);
        return false;
    }
    check_function(w->k->c, name, cursor_u64(w->c));
    bool good = check_counts(w);
    if (good && caps & INDEXED_CAP_BITMAP_WORDS)
        good = check_bytes(w, "indexed.record.bitmap", true);
    if (good && caps & INDEXED_CAP_BITMAP_BYTES)
        good = check_bytes(w, "indexed.record.bitmap", false) &&
               check_bytes(w, "indexed.record.uniformity", false);
    return good && (!(caps & INDEXED_CAP_VALUES) || check_values(w));
}

void indexed_check_records(struct indexed_checker *k, struct cursor *data, struct apf_str name,
                           struct indexed_tallies *tallies)
{
    struct record_walk w = {k, data, tallies};
    while (cursor_left(data) && k->c->code == APF_OK && check_record(&w, name))
        continue;
}

void indexed_report_tallies(struct indexed_checker *k, const struct indexed_tallies *tallies)
{
    check_tally_report(k->c, &tallies->unsorted, APF_SEVERITY_NOTE, APF_NOTE,
                       "values of a site that are not in the order of their counts");
    check_tally_report(k->c, &tallies->wide, APF_SEVERITY_NOTE, APF_NOTE,
                       "more than a byte in a word of a bitmap");
    check_tally_report(k->c, &tallies->slack, APF_SEVERITY_NOTE, APF_NOTE,
                       "bytes after the values, which no reader uses");
    check_tally_report(k->c, &tallies->padding, APF_SEVERITY_NOTE, APF_NOTE, "padding that is not zero");
    check_tally_report(k->c, &tallies->kinds, APF_SEVERITY_NOTE, APF_NOTE,
                       "kinds of values that do not ascend");
}
