/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/indexed_build.h"

#include <string.h>

#include "helpers/shared/unit.h"

#define SUMMARY_FIELDS 6u
#define SUMMARY_CUTOFFS 16u

/* Bytes of the header of versions 1 to 14. */
static const uint8_t header_sizes[IB_NEWEST + 1] = {0,  40, 40, 40, 40, 40, 40, 40,
                                                    48, 56, 64, 64, 72, 72, 72};

static void add(struct rb_file *file, unsigned bytes, uint64_t v)
{
    rb_append_zeros(file, bytes);
    rb_put(file, file->n - bytes, bytes, v);
}

static void pad(struct rb_file *file)
{
    rb_append_zeros(file, -file->n & 7);
}

static void add_bytes(struct rb_file *file, const void *p, size_t n)
{
    add(file, 8, n);
    rb_append_bytes(file, p, n);
    rb_append_zeros(file, -n & 7);
}

static void add_summary(struct rb_file *file)
{
    add(file, 8, SUMMARY_FIELDS);
    add(file, 8, SUMMARY_CUTOFFS);
    rb_append_zeros(file, 8 * SUMMARY_FIELDS + 24 * SUMMARY_CUTOFFS);
}

static void add_values(struct rb_file *file, const struct ib_record *r)
{
    size_t at = file->n;
    uint32_t kinds = 0;
    rb_append_zeros(file, 8);
    for (unsigned k = 0; k < RB_KINDS; k++) {
        if (!r->n_sites[k])
            continue;
        kinds++;
        add(file, 4, k);
        add(file, 4, r->n_sites[k]);
        for (unsigned s = 0; s < r->n_sites[k]; s++)
            add(file, 1, r->sites[k][s].n);
        rb_append_zeros(file, -(size_t)r->n_sites[k] & 7);
        for (unsigned s = 0; s < r->n_sites[k]; s++)
            for (unsigned i = 0; i < r->sites[k][s].n; i++) {
                add(file, 8, r->sites[k][s].pairs[i].value);
                add(file, 8, r->sites[k][s].pairs[i].count);
            }
    }
    rb_put(file, at, 4, file->n - at);
    rb_put(file, at + 4, 4, kinds);
}

static void add_record(struct rb_file *file, unsigned version, const struct ib_record *r)
{
    add(file, 8, r->hash);
    if (version >= 2)
        add(file, 8, r->n_counts);
    for (size_t i = 0; i < r->n_counts; i++)
        add(file, 8, r->counts[i]);
    if (version >= 11 && version <= 13) {
        add(file, 8, r->n_bitmap);
        for (size_t i = 0; i < r->n_bitmap; i++)
            add(file, 8, r->bitmap[i]);
    }
    if (version >= 14) {
        add_bytes(file, r->bitmap, r->n_bitmap);
        add_bytes(file, r->uniformity, r->n_uniformity);
    }
    if (version >= 3)
        add_values(file, r);
}

static void add_item(struct rb_file *file, const struct ib_profile *p, size_t i, struct ib_places *at)
{
    const struct ib_key *key = &p->keys[i];
    at->items[i] = file->n;
    add(file, 8, rb_id(key->name));
    add(file, 8, strlen(key->name));
    add(file, 8, 0);
    rb_append_bytes(file, key->name, strlen(key->name));
    at->data[i] = file->n;
    for (size_t k = 0; k < (p->version == 1 ? 1 : key->n_records); k++)
        add_record(file, p->version, &key->records[k]);
    rb_put(file, at->items[i] + 16, 8, file->n - at->data[i]);
}

static void add_table(struct rb_file *file, const struct ib_profile *p, struct ib_places *at)
{
    size_t n_buckets = p->n_buckets ? p->n_buckets : 1, offsets[64] = {0};
    assert_true(n_buckets <= 64 && p->n_keys <= IB_MOST_KEYS);
    at->payload = file->n;
    for (size_t b = 0; b < n_buckets; b++) {
        size_t start = file->n;
        uint16_t n = 0;
        for (size_t i = 0; i < p->n_keys; i++) {
            if ((rb_id(p->keys[i].name) & (n_buckets - 1)) != b)
                continue;
            if (n++ == 0)
                rb_append_zeros(file, 2);
            add_item(file, p, i, at);
        }
        if (n) {
            offsets[b] = start;
            rb_put(file, start, 2, n);
        }
    }
    pad(file);
    at->buckets = file->n;
    add(file, 8, n_buckets);
    add(file, 8, p->n_keys);
    for (size_t b = 0; b < n_buckets; b++)
        add(file, 8, offsets[b]);
}

static void add_ids(struct rb_file *file, const struct ib_profile *p)
{
    size_t at = file->n;
    add(file, 8, 0);
    for (size_t i = 0; i < p->n_ids; i++)
        add_bytes(file, p->ids[i].p, p->ids[i].n);
    rb_put(file, at, 8, file->n - at - 8);
}

static void add_traces(struct rb_file *file, const struct ib_profile *p)
{
    add(file, 8, p->n_traces);
    add(file, 8, p->stream_size);
    for (size_t i = 0; i < p->n_traces; i++) {
        add(file, 8, p->traces[i].weight);
        add(file, 8, p->traces[i].n);
        for (size_t k = 0; k < p->traces[i].n; k++)
            add(file, 8, p->traces[i].ids[k]);
    }
}

static void add_sections(struct rb_file *file, const struct ib_profile *p, struct ib_places *at)
{
    if (p->version >= 8 && p->variant & IB_MEMPROF) {
        at->memprof = file->n;
        p->memprof(file, p->memprof_context);
        rb_put(file, 40, 8, at->memprof);
    }
    if (p->version >= 9) {
        at->ids = file->n;
        add_ids(file, p);
        rb_put(file, 48, 8, at->ids);
    }
    if (p->version >= 12) {
        at->vtables = file->n;
        add_bytes(file, p->vtable_names.p, p->vtable_names.n);
        rb_put(file, 64, 8, at->vtables);
    }
    if (p->version >= 10 && p->variant & RB_TEMPORAL) {
        at->traces = file->n;
        add_traces(file, p);
        rb_put(file, 56, 8, at->traces);
    }
}

void ib_append(struct rb_file *file, const struct ib_profile *p, struct ib_places *places)
{
    static const uint8_t magic[] = {0xff, 'l', 'p', 'r', 'o', 'f', 'i', 0x81};
    struct ib_places at = {0};
    assert_int_equal(file->n, 0);
    file->big = false;
    rb_append_bytes(file, magic, sizeof magic);
    add(file, 8, p->version | p->variant);
    rb_append_zeros(file, header_sizes[p->version] - 16u);
    if (p->version >= 4) {
        at.summary = file->n;
        add_summary(file);
    }
    if (p->version >= 4 && p->variant & RB_CS) {
        at.cs_summary = file->n;
        add_summary(file);
    }
    add_table(file, p, &at);
    rb_put(file, 32, 8, at.buckets);
    add_sections(file, p, &at);
    at.end = file->n;
    if (places)
        *places = at;
}
