/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables that say where functions are, by which compilers find them. */
#include "base/search.h"
#include "base/sort.h"
#include "sample/binary/sample_skip.h"
#include "sample/check/sample_names_check.h"

void sample_listing_free(struct sample_listing *l)
{
    VEC_FREE(&l->functions);
    VEC_FREE(&l->entries);
}

void sample_listing_find(struct sample_checker *k, const struct sample_decoder *d, struct sample_listing *l,
                         uint64_t end)
{
    struct sample_skipper skipper = {.has_vtables = d->has_vtables};
    struct cursor c = d->c;
    l->functions.n = 0;
    l->end = (uint64_t)(c.p - c.base);
    while (k->c->code == APF_OK && l->end < end && cursor_left(&c)) {
        if (!sample_skip_function(&skipper, &c))
            check_memory(k->c);
        if (c.failed)
            break;
        struct sample_start_at function = {l->end, skipper.key, skipper.n_inlined, 0};
        if (!VEC_PUSH(&l->functions, function))
            check_memory(k->c);
        l->end = (uint64_t)(c.p - c.base);
    }
    l->whole = !c.failed;
    sample_skipper_free(&skipper);
}

static bool entry_before(const void *context, const void *a, const void *b)
{
    const struct sample_listed *x = a, *y = b;
    (void)context;
    return x->at < y->at;
}

void sample_listing_sort(struct sample_checker *k, struct sample_listing *l)
{
    if (!SORT_VEC(&l->entries, entry_before, NULL))
        check_memory(k->c);
}

/* Checks an entry: a function with its key must begin where it says. */
static void check_entry(struct sample_checker *k, const struct sample_decoder *d, struct sample_listing *l,
                        const struct sample_listed *entry, sample_name_fn *name)
{
    struct sample_start_at *functions = l->functions.data;
    size_t i, n = l->functions.n;
    struct error_at at = {l->where, entry->entry, entry->at, 0};
    SEARCH(i, 0, n, functions[i].at < entry->at);
    if (i < n && functions[i].at == entry->at && functions[i].key == entry->key) {
        functions[i].n_listed++;
        return;
    }
    if (i < n && functions[i].at == entry->at) {
        at.found = functions[i].key;
        at.expected = entry->key;
    }
    name(k, d, entry->key);
    if (i < n && functions[i].at == entry->at)
        check_at(k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT, at,
                 "the entry of a function leads to another one");
    else
        check_place(k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT, l->where, entry->entry,
                    "the entry of a function leads to a place where none begins");
    check_no_function(k->c);
}

void sample_listing_check(struct sample_checker *k, const struct sample_decoder *d, struct sample_listing *l,
                          sample_name_fn *name)
{
    sample_listing_sort(k, l);
    for (size_t i = 0; i < l->entries.n && k->c->code == APF_OK; i++)
        if (l->entries.data[i].at < l->end || l->whole)
            check_entry(k, d, l, &l->entries.data[i], name);
    for (size_t i = 0; i < l->functions.n && k->c->code == APF_OK; i++) {
        const struct sample_start_at *f = &l->functions.data[i];
        if (f->n_listed == 1)
            continue;
        uint64_t offset = sample_decode_offset(d, d->c.base + f->at);
        name(k, d, f->key);
        if (f->n_listed == 0)
            check_place(k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT, l->unlisted, offset,
                        "a function that is not in the table, so that compilers do not find it");
        else
            check_with_numbers(k->c, APF_SEVERITY_NOTE, APF_NOTE,
                               check_spot(l->unlisted, offset, f->n_listed, 1),
                               "a function that is in the table more than once");
        check_no_function(k->c);
    }
}

/* Whether the reader's error is about this offset. */
static bool is_refused(const struct check *c, uint64_t at)
{
    return c->refused && c->refused->code == APF_SAMPLE_TRUNCATED && c->refused->found == at;
}

void sample_listing_read_on(struct sample_checker *k, struct sample_decoder *d,
                            const struct sample_listing *l)
{
    const uint8_t *base = d->c.base;
    uint64_t last = NO_OFFSET, size = (uint64_t)(d->c.end - base), left = size;
    for (size_t i = 0; i < l->entries.n && k->c->code == APF_OK; i++) {
        const struct sample_listed *entry = &l->entries.data[i];
        struct apf_error error;
        if (entry->at < l->end || entry->at == last)
            continue;
        last = entry->at;
        if (entry->at >= size) {
            if (!is_refused(k->c, entry->at))
                check_bound(k->c, APF_SEVERITY_ERROR, APF_SAMPLE_TRUNCATED,
                            check_spot(l->where, entry->entry, entry->at, size), "offset of a function");
            continue;
        }
        d->c.p = base + entry->at;
        d->c.failed = false;
        int code = sample_decode_function(d, &error);
        uint64_t length = (uint64_t)(d->c.p - base) - entry->at;
        if (code == APF_OK)
            k->c->n_records++;
        else
            check_failure(k->c, &error);
        if (code == APF_LIMIT || length > left) /* functions that overlap are not read again and again */
            return;
        left -= length;
    }
}
