/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes value data record by record: the size of the block, the lengths of its sites' lists, then the lists. Each
 * list is walked several times, and no state is kept in between; so only the nodes that were in use before the first
 * walk are written, although new nodes may be appended meanwhile. */
#include "rt_values_write.h"

#include "rt_values.h"

struct lists {
    struct aprt_node *const *heads; /* of the record's sites; NULL: no lists */
    const struct aprt_node *end;    /* end of the nodes that are written */
};

static unsigned list_length(const struct lists *lists, size_t site)
{
    unsigned n = 0;
    for (const struct aprt_node *node = lists->heads ? lists->heads[site] : NULL;
         node && node < lists->end && n < RT_MOST_VALUES; node = node->next)
        n++;
    return n;
}

/* Buffers small writes: most have a few bytes, too few for a call each. */
struct batch {
    struct aprt_out *out;
    size_t n;
    uint8_t bytes[128];
};

static void flush_batch(struct batch *batch)
{
    aprt_write_bytes(batch->out, batch->bytes, batch->n);
    batch->n = 0;
}

static inline void append_bytes(struct batch *batch, const void *bytes, size_t n)
{
    if (n > sizeof batch->bytes - batch->n)
        flush_batch(batch);
    __builtin_memcpy(batch->bytes + batch->n, bytes, n);
    batch->n += n;
}

static void append_list(struct batch *batch, const struct lists *lists, size_t site, unsigned n)
{
    for (const struct aprt_node *node = lists->heads ? lists->heads[site] : NULL; node && n;
         n--, node = node->next) {
        const uint64_t pair[] = {node->value, node->count};
        append_bytes(batch, pair, sizeof pair);
    }
}

static void append_kind(struct batch *batch, const struct lists *lists, uint32_t kind, size_t site,
                        uint32_t n_sites)
{
    const uint32_t head[] = {kind, n_sites}, padded = n_sites + (uint32_t)aprt_pad8(n_sites);
    append_bytes(batch, head, sizeof head);
    for (uint32_t i = 0; i < padded; i++) {
        uint8_t n = i < n_sites ? (uint8_t)list_length(lists, site + i) : 0;
        append_bytes(batch, &n, 1);
    }
    for (uint32_t i = 0; i < n_sites; i++)
        append_list(batch, lists, site + i, list_length(lists, site + i));
}

static void append_record(struct batch *batch, const struct aprt_layout *layout, const uint8_t *record,
                          const struct lists *lists)
{
    uint32_t kinds = 0, size = 8, site = 0;
    for (uint32_t kind = 0; kind < layout->kinds; kind++) {
        uint32_t n = aprt_u16(record + layout->sites + 2 * kind);
        if (n) {
            kinds++;
            size += 8 + n + (uint32_t)aprt_pad8(n);
        }
        for (; n; n--)
            size += 16 * list_length(lists, site++);
    }
    const uint32_t head[] = {size, kinds};
    append_bytes(batch, head, sizeof head);
    site = 0;
    for (uint32_t kind = 0; kind < layout->kinds; kind++) {
        uint32_t n = aprt_u16(record + layout->sites + 2 * kind);
        if (n)
            append_kind(batch, lists, kind, site, n);
        site += n;
    }
}

void aprt_write_values(struct aprt_out *out, const struct aprt_image *image)
{
    const struct aprt_layout *layout = image->layout;
    struct aprt_node *const *copy = image->lists_copy;
    struct batch batch;
    batch.out = out; /* no initialiser: the bytes need not be zeroed */
    batch.n = 0;
    for (size_t i = 0; image->num_sites && i < aprt_site_records(image); i++) {
        const uint8_t *record = aprt_site_record(image, i);
        size_t sites = aprt_record_sites(layout, record);
        if (!sites)
            continue;
        struct lists lists = {copy, (const struct aprt_node *)UINTPTR_MAX};
        if (copy) {
            copy += sites;
        } else if (RT_LINKED(aprt_values_end)) {
            lists.heads = (struct aprt_node *const *)aprt_pointer(record + layout->values);
            lists.end = image->nodes_end ? image->nodes_end : aprt_values_end();
        }
        append_record(&batch, layout, record, &lists);
    }
    flush_batch(&batch);
}
