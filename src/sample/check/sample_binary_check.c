/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw and compact binary profiles. */
#include <stdlib.h>

#include "base/byte_map.h"
#include "base/error.h"
#include "sample/binary/sample_map.h"
#include "sample/binary/sample_skip.h"
#include "sample/binary/sample_start.h"
#include "sample/check/sample_names_check.h"
#include "sample/layout/sample_layout.h"

/* What is left of a file after the parts before its functions. */
struct binary_checker {
    struct sample_checker *k;
    struct sample_decoder d; /* its profile is another one than that of the check */
    struct sample_listing listing;
    const struct sample_version *version;
};

/* ---- the parts before the functions ---- */

/* Reads them; false: they are damaged, which the reader has reported. */
static bool read_head(struct binary_checker *b, uint32_t format)
{
    struct sample_decoder *d = &b->d;
    bool compact = format == APF_SAMPLE_COMPACT;
    int code = sample_start_read(d, format, &b->version, NULL);
    if (code == APF_OK && b->version->caps & SAMPLE_CAP_SUMMARY) {
        b->k->summary_at = cursor_offset(&d->c);
        code = sample_decode_summary(d, NULL);
    }
    uint64_t names_at = cursor_offset(&d->c);
    if (code == APF_OK && b->version->caps & SAMPLE_CAP_NAMES) {
        code = compact ? sample_decode_hashes(d, false, NULL) : sample_decode_names(d, NULL);
        if (code == APF_OK)
            sample_check_name_table(b->k, d, names_at, true);
        if (code == APF_OK)
            code = sample_decode_intern(d, NULL);
    }
    if (code == APF_NO_MEMORY)
        check_memory(b->k->c);
    return code == APF_OK && b->k->c->code == APF_OK;
}

/* If the reader was refused at a function, cuts the list there. */
static void cut_listing(struct binary_checker *b, uint64_t n_read)
{
    struct sample_listing *l = &b->listing;
    if (b->k->whole || l->functions.n <= n_read)
        return;
    l->end = l->functions.data[n_read].at;
    l->whole = false;
}

/* ---- raw binary ---- */

/* Makes entries of the functions themselves: there is no table. */
static void list_functions(struct binary_checker *b)
{
    struct sample_listing *l = &b->listing;
    for (size_t i = 0; i < l->functions.n && b->k->c->code == APF_OK; i++) {
        uint64_t at = l->functions.data[i].at;
        struct sample_listed entry = {l->functions.data[i].key, at, at};
        if (!VEC_PUSH(&l->entries, entry))
            check_memory(b->k->c);
    }
}

void sample_binary_check(struct sample_checker *k)
{
    struct apf_sample *scratch = sample_new();
    struct binary_checker b = {.k = k, .d = sample_start(scratch, k->data, k->n, k->options)};
    if (!scratch)
        check_memory(k->c);
    else if (read_head(&b, APF_SAMPLE_BINARY) && !k->whole && b.version->caps & SAMPLE_CAP_INLINED) {
        /* Damage that does not hide where functions end hides no function. */
        b.d.where = "sample.binary.function";
        sample_listing_find(k, &b.d, &b.listing, UINT64_MAX);
        cut_listing(&b, k->s->top.n + k->origins.again.n);
        list_functions(&b);
        if (!b.listing.whole)
            sample_listing_read_on(k, &b.d, &b.listing);
    }
    sample_listing_free(&b.listing);
    sample_decoder_free(&b.d);
    sample_free(scratch);
}

/* ---- compact binary ---- */

/* Reads the table of functions at an offset; false: it is damaged, which the reader has reported. */
static bool read_table(struct binary_checker *b, uint64_t table)
{
    struct sample_decoder *d = &b->d;
    struct sample_decoder start = *d;
    uint64_t n;
    if (table > b->k->n || table < cursor_offset(&d->c))
        return false;
    d->c.p = d->c.base + table;
    bool good = sample_decode_count(d, &n, 2, "", NULL) == APF_OK;
    for (uint64_t i = 0; good && i < n; i++) {
        struct sample_listed entry = {.entry = cursor_offset(&d->c)};
        entry.key = sample_decode_number(d);
        entry.at = sample_decode_number(d);
        good = !d->c.failed && entry.key < d->table.n;
        if (good && !VEC_PUSH(&b->listing.entries, entry)) {
            check_memory(b->k->c);
            good = false;
        }
    }
    d->c = start.c;
    return good;
}

/* Reports entries of a name that a later one replaces, as readers do, and drops them. */
static void drop_replaced(struct binary_checker *b)
{
    struct sample_listing *l = &b->listing;
    uint64_t *last =
        calloc(b->d.table.n + 1, sizeof *last); /* for each name 1 + the number of its last entry */
    if (!last)
        check_memory(b->k->c);
    for (size_t i = 0; last && i < l->entries.n && b->k->c->code == APF_OK; i++) {
        const struct sample_listed *entry = &l->entries.data[i];
        uint64_t before = last[entry->key];
        last[entry->key] = i + 1;
        if (!before)
            continue;
        sample_check_entry_name(b->k, &b->d, entry->key);
        check_at(b->k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                 check_spot("sample.compact.table.repeated", entry->entry, entry->at,
                            l->entries.data[before - 1].at),
                 "a second entry of a function, which replaces the first one");
        check_no_function(b->k->c);
    }
    size_t n = 0;
    for (size_t i = 0; last && i < l->entries.n; i++)
        if (last[l->entries.data[i].key] == i + 1)
            l->entries.data[n++] = l->entries.data[i];
    l->entries.n = n;
    free(last);
}

/* Checks an entry of a file that the reader accepts. Moves *end after the function. */
static void check_entry(struct binary_checker *b, struct sample_skipper *skipper,
                        const struct sample_listed *entry, uint64_t *end)
{
    struct cursor c = b->d.c;
    c.p = c.base + entry->at;
    if (entry->at > *end)
        sample_check_unclaimed(b->k, "sample.compact.function.unlisted", *end, entry->at - *end);
    if (!sample_skip_function(skipper, &c))
        check_memory(b->k->c);
    sample_check_entry_name(b->k, &b->d, entry->key);
    if (skipper->key != entry->key)
        check_at(b->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT,
                 check_spot("sample.compact.table.entry", entry->entry, skipper->key, entry->key),
                 "the entry of a function leads to another one");
    else if (entry->at < *end)
        check_bound(b->k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                    check_spot("sample.compact.table.overlap", entry->entry, entry->at, *end),
                    "two functions have the same bytes");
    check_no_function(b->k->c);
    *end = cursor_offset(&c) > *end ? cursor_offset(&c) : *end;
}

static void check_functions(struct binary_checker *b, uint64_t first, uint64_t table)
{
    struct sample_listing *l = &b->listing;
    struct sample_skipper skipper = {.has_vtables = false};
    uint64_t end = first;
    sample_listing_sort(b->k, l);
    for (size_t i = 0; i < l->entries.n && b->k->c->code == APF_OK; i++)
        check_entry(b, &skipper, &l->entries.data[i], &end);
    if (end < table)
        sample_check_unclaimed(b->k, "sample.compact.function.unlisted", end, table - end);
    else if (end > table)
        check_bound(b->k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                    check_spot("sample.compact.table_offset", first - sizeof table, table, end),
                    "a function runs into the table");
    sample_skipper_free(&skipper);
}

/* Reads the functions after the damaged one, in the order of the table. */
static void read_on(struct binary_checker *b)
{
    struct sample_listing *l = &b->listing;
    size_t n_read = b->k->s->top.n < l->entries.n ? b->k->s->top.n : l->entries.n;
    l->entries.n -= n_read;
    for (size_t i = 0; i < l->entries.n; i++)
        l->entries.data[i] = l->entries.data[i + n_read];
    l->end = 0;
    sample_listing_sort(b->k, l);
    b->d.where = "sample.compact.function";
    sample_listing_read_on(b->k, &b->d, l);
}

static void check_bytes(struct sample_checker *k)
{
    struct byte_map map = {{NULL, 0, 0}};
    if (!sample_compact_map(&map, k->data, k->n))
        check_memory(k->c);
    else
        sample_check_map(k, &map, "sample.compact.unclaimed", "sample.compact.overlap");
    byte_map_free(&map);
}

void sample_compact_check(struct sample_checker *k)
{
    struct apf_sample *scratch = sample_new();
    struct binary_checker b = {.k = k, .d = sample_start(scratch, k->data, k->n, k->options)};
    if (!scratch) {
        check_memory(k->c);
    } else if (read_head(&b, APF_SAMPLE_COMPACT)) {
        uint64_t table = cursor_u64(&b.d.c), first = cursor_offset(&b.d.c);
        bool listed = !b.d.c.failed && read_table(&b, table);
        b.listing.where = "sample.compact.table";
        if (listed && k->whole) {
            drop_replaced(&b);
            check_functions(&b, first, table);
            check_bytes(k);
        } else if (listed) {
            read_on(&b);
        }
    }
    sample_listing_free(&b.listing);
    sample_decoder_free(&b.d);
    sample_free(scratch);
}
