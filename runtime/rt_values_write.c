/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Value data, a record at a time: how large the block is, the lengths of its sites' lists, then the lists. So each list
 * is walked several times, and nothing is kept between; new nodes come at the end of lists, and only those that were
 * handed out before the first walk are looked at. */
#include "rt_values.h"
#include "rt_write.h"

struct lists {
    struct rt_node *const *heads; /* of the record's sites; NULL: no list at all */
    const struct rt_node *end;    /* of the nodes that are looked at */
};

static unsigned list_length(const struct lists *lists, size_t site)
{
    unsigned n = 0;
    for (const struct rt_node *node = lists->heads ? lists->heads[site] : NULL;
         node && node < lists->end && n < RT_MOST_VALUES; node = node->next)
        n++;
    return n;
}

static void put_list(struct rt_out *out, const struct lists *lists, size_t site, unsigned n)
{
    for (const struct rt_node *node = n ? lists->heads[site] : NULL; n; n--, node = node->next) {
        const uint64_t pair[] = {node->value, node->count};
        rt_put(out, pair, sizeof pair);
    }
}

static void put_kind(struct rt_out *out, const struct lists *lists, uint32_t kind, size_t site,
                     uint32_t n_sites)
{
    const uint32_t head[] = {kind, n_sites};
    rt_put(out, head, sizeof head);
    for (uint32_t i = 0; i < n_sites; i++) {
        uint8_t n = (uint8_t)list_length(lists, site + i);
        rt_put(out, &n, 1);
    }
    rt_put_zeros(out, rt_pad8(n_sites));
    for (uint32_t i = 0; i < n_sites; i++)
        put_list(out, lists, site + i, list_length(lists, site + i));
}

static void put_record(struct rt_out *out, const struct rt_layout *layout, const uint8_t *record,
                       const struct lists *lists)
{
    uint32_t kinds = 0, size = 8, site = 0;
    for (uint32_t kind = 0; kind < layout->kinds; kind++) {
        uint32_t n = rt_u16(record + layout->sites + 2 * kind);
        if (n) {
            kinds++;
            size += 8 + n + (uint32_t)rt_pad8(n);
        }
        for (; n; n--)
            size += 16 * list_length(lists, site++);
    }
    const uint32_t head[] = {size, kinds};
    rt_put(out, head, sizeof head);
    site = 0;
    for (uint32_t kind = 0; kind < layout->kinds; kind++) {
        uint32_t n = rt_u16(record + layout->sites + 2 * kind);
        if (n)
            put_kind(out, lists, kind, site, n);
        site += n;
    }
}

void rt_write_values(struct rt_out *out, const struct rt_image *image)
{
    const struct rt_layout *layout = image->layout;
    struct rt_node *const *copy = image->lists_copy;
    for (size_t i = 0; image->num_sites && i < image->num_data; i++) {
        const uint8_t *record = image->data + i * layout->record_size;
        size_t sites = rt_record_sites(layout, record);
        if (!sites)
            continue;
        struct lists lists = {copy, (const struct rt_node *)UINTPTR_MAX};
        if (copy) {
            copy += sites;
        } else if (RT_LINKED(rt_values_end)) {
            lists.heads = (struct rt_node *const *)rt_pointer(record + layout->values);
            lists.end = image->nodes_end ? image->nodes_end : rt_values_end();
        }
        put_record(out, layout, record, &lists);
    }
}
