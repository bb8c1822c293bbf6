/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_counts.h"

#include "rt_atomic.h"
#include "rt_memory.h"
#include "rt_slide.h"
#include "rt_values.h"
#include "rt_write.h"

#include <errno.h>
#include <string.h>

static int allocate_counts(struct aprt_counts *c, const struct aprt_image *image, size_t n_sites,
                           size_t n_nodes)
{
    size_t counters = image->counters_size + aprt_pad8(image->counters_size);
    size_t bitmap = image->bitmap_size + aprt_pad8(image->bitmap_size);
    *c = (struct aprt_counts){.n_sites = n_sites, .site_changes = image->site_changes};
    c->size = counters + bitmap + n_nodes * sizeof *c->nodes + n_sites * sizeof *c->lists;
    c->memory = aprt_memory(c->size);
    if (!c->memory)
        return ENOMEM;
    c->counters = c->memory;
    c->bitmap = c->counters + counters;
    void *nodes = c->bitmap + bitmap, *lists = (uint8_t *)nodes + n_nodes * sizeof *c->nodes;
    c->nodes = nodes;
    c->lists = lists;
    return 0;
}

void aprt_counts_free(struct aprt_counts *counts)
{
    aprt_memory_free(counts->memory, counts->size);
    *counts = (struct aprt_counts){0};
}

void aprt_counts_apply(struct aprt_image *image, const struct aprt_counts *counts)
{
    image->counters_now = counts->counters;
    image->bitmap_now = counts->bitmap;
    image->lists_copy = counts->lists;
}

/* --- live value lists ----------------------------------------------------------------------------------------- */

static struct aprt_node **live_lists(const struct aprt_image *image, const uint8_t *record)
{
    return (struct aprt_node **)aprt_pointer(record + image->layout->values);
}

static unsigned live_length(struct aprt_node **list)
{
    unsigned n = 0;
    for (struct aprt_node *node = RT_LOAD_ACQUIRE(list); node && n < RT_MOST_VALUES; n++)
        node = RT_LOAD_ACQUIRE(&node->next);
    return n;
}

static size_t count_live_nodes(const struct aprt_image *image)
{
    size_t nodes = 0;
    for (size_t i = 0; i < aprt_site_records(image); i++) {
        const uint8_t *record = aprt_site_record(image, i);
        size_t sites = aprt_record_sites(image->layout, record);
        struct aprt_node **lists = sites ? live_lists(image, record) : NULL;
        for (; lists && sites; sites--)
            nodes += live_length(lists++);
    }
    return nodes;
}

/* Returns the next free node, or NULL if there is no room. */
static inline struct aprt_node *new_node(struct aprt_counts *c, size_t room)
{
    return c->n_nodes == room ? NULL : &c->nodes[c->n_nodes++];
}

static int copy_live_lists(struct aprt_counts *c, const struct aprt_image *image, size_t room)
{
    struct aprt_node **to = c->lists;
    for (size_t i = 0; i < aprt_site_records(image); i++) {
        const uint8_t *record = aprt_site_record(image, i);
        size_t sites = aprt_record_sites(image->layout, record);
        struct aprt_node **lists = sites ? live_lists(image, record) : NULL;
        for (; sites; sites--, to++, lists += lists != NULL) {
            struct aprt_node **end = to, *node = lists ? RT_LOAD_ACQUIRE(lists) : NULL;
            for (unsigned n = 0; node && n < RT_MOST_VALUES; n++) {
                struct aprt_node *copy = new_node(c, room);
                if (!copy)
                    return 0;
                copy->value = RT_LOAD64(&node->value);
                copy->count = RT_LOAD64(&node->count);
                *end = copy;
                end = &copy->next;
                node = RT_LOAD_ACQUIRE(&node->next);
            }
        }
    }
    return 1;
}

int aprt_counts_copy(struct aprt_counts *counts, const struct aprt_image *image)
{
    size_t sites = image->num_sites;
    /* Usually all nodes are the image's own, and the number of used ones is known. */
    size_t room = sites && RT_LINKED(aprt_values_used) ? aprt_values_used() : 0;
    for (size_t spare = 0;; spare = spare * 2 + 64) {
        if (allocate_counts(counts, image, sites, room))
            return ENOMEM;
        if (!sites || copy_live_lists(counts, image, room))
            break;
        aprt_counts_free(counts);
        /* Other threads may have made lists longer: retry with more room. */
        room = count_live_nodes(image) + spare;
    }
    if (image->counters_size)
        memcpy(counts->counters, image->counters_now, image->counters_size);
    if (image->bitmap_size)
        memcpy(counts->bitmap, image->bitmap_now, image->bitmap_size);
    return 0;
}

/* --- differences and sums ------------------------------------------------------------------------------------- */

/* Returns whether the program reset its counters without a call of the runtime: then some that had counted are 0.
 * Threads that overwrite each other's counts make counters smaller, too, but never 0. */
static int were_set_back(const struct aprt_counts *live, const struct aprt_image *image,
                         const struct aprt_counts *before)
{
    for (size_t i = 0; before->memory && i < image->counters_size; i += 8) {
        if (aprt_u64(live->counters + i) == 0 && aprt_u64(before->counters + i) != 0)
            return 1;
    }
    return 0;
}

static void add_counters(struct aprt_counts *sum, const struct aprt_image *image,
                         const struct aprt_counts *before, const uint8_t *file)
{
    size_t n = image->counters_size;
    if (image->version & RT_BYTE_COVERAGE) {
        for (size_t i = 0; file && i < n; i++)
            sum->counters[i] &= file[i]; /* 0: a reached block */
        return;
    }
    int subtract = before->memory && !were_set_back(sum, image, before);
    for (size_t i = 0; i < n; i += 8) {
        uint64_t all = aprt_u64(sum->counters + i), less = subtract ? aprt_u64(before->counters + i) : 0;
        uint64_t v = less <= all ? all - less : 0, more = file ? aprt_u64(file + i) : 0;
        aprt_set_u64(sum->counters + i, v + more < v ? UINT64_MAX : v + more);
    }
}

int aprt_counts_are_in(const struct aprt_profile *file, const struct aprt_image *image,
                       const struct aprt_counts *counts, const struct aprt_counts *before)
{
    if (image->version & RT_BYTE_COVERAGE)
        return 1; /* adding it again changes nothing */
    for (size_t i = 0; i < image->counters_size; i += 8) {
        uint64_t all = aprt_u64(counts->counters + i),
                 less = before->memory ? aprt_u64(before->counters + i) : 0;
        if (all > less && aprt_u64(file->counters + i) < all - less)
            return 0;
    }
    return 1;
}

/* Copies the first counter of each function, which in a temporal profile is a timestamp, not a count. */
static void keep_timestamps(struct aprt_counts *sum, const struct aprt_image *image,
                            const struct aprt_counts *live)
{
    const struct aprt_layout *layout = image->layout;
    for (size_t i = 0; i < image->num_data; i++) {
        const uint8_t *record = image->data + i * layout->record_size;
        uintptr_t base = layout->relative ? (uintptr_t)record : 0;
        size_t at = aprt_pointer(record + layout->counter_ptr) + base - (uintptr_t)image->counters;
        memcpy(sum->counters + at, live->counters + at, 8);
    }
}

static struct aprt_node *find_value(struct aprt_node *node, uint64_t value)
{
    while (node && node->value != value)
        node = node->next;
    return node;
}

void aprt_counts_update(struct aprt_counts *counts, const struct aprt_counts *now)
{
    for (size_t site = 0; site < counts->n_sites; site++) {
        for (struct aprt_node *node = counts->lists[site]; node; node = node->next) {
            const struct aprt_node *found = find_value(now->lists[site], node->value);
            node->count = found ? found->count : 0;
        }
    }
}

/* The lists that are added and the current site. */
struct lists_sum {
    struct aprt_counts *sum;
    size_t room, site;
    const struct aprt_counts *live, *before;
};

/* Adds to a list of the sum; a full list drops its least value. */
static void add_value(struct lists_sum *s, uint64_t value, uint64_t count)
{
    struct aprt_node **end = &s->sum->lists[s->site], *least = NULL;
    unsigned n = 0;
    for (; *end; end = &(*end)->next, n++) {
        struct aprt_node *node = *end;
        if (node->value == value) {
            node->count = node->count + count < count ? UINT64_MAX : node->count + count;
            return;
        }
        least = !least || node->count < least->count ? node : least;
    }
    int full = n == RT_MOST_VALUES;
    if (!full)
        *end = least = new_node(s->sum, s->room);
    if (least && (!full || least->count < count)) {
        least->value = value;
        least->count = count;
    }
}

static void add_live_list(struct lists_sum *s)
{
    int same_sites = s->before->memory && s->before->site_changes == s->live->site_changes;
    struct aprt_node *before = same_sites ? s->before->lists[s->site] : NULL;
    for (const struct aprt_node *node = s->live->lists[s->site]; node; node = node->next) {
        const struct aprt_node *had = find_value(before, node->value);
        /* Full lists also count down: then nothing is new. */
        uint64_t more = !had ? node->count : node->count > had->count ? node->count - had->count : 0;
        if (more || !had)
            add_value(s, node->value, more);
    }
}

static void add_file_lists(struct lists_sum *s, const struct aprt_kind_lists kinds[RT_MOST_KINDS],
                           const struct aprt_slide *slide)
{
    size_t first = s->site;
    for (uint32_t kind = 0; kind < RT_MOST_KINDS; kind++) {
        const uint8_t *pair = kinds[kind].pairs;
        for (uint32_t i = 0; i < kinds[kind].sites; i++, s->site++) {
            for (unsigned n = kinds[kind].lengths[i]; n; n--, pair += 16)
                add_value(s, aprt_slid(slide, kind, aprt_u64(pair)), aprt_u64(pair + 8));
        }
    }
    s->site = first;
}

static void add_lists(struct lists_sum *s, const struct aprt_image *image, const struct aprt_profile *file)
{
    const struct aprt_layout *layout = image->layout;
    struct aprt_slide slide = {0};
    const uint8_t *at = file ? file->values : NULL;
    if (file)
        aprt_slide_find(&slide, image, file);
    for (size_t i = 0; i < aprt_site_records(image); i++) {
        const uint8_t *record = aprt_site_record(image, i);
        struct aprt_kind_lists kinds[RT_MOST_KINDS];
        if (file && aprt_profile_values(layout, record, &at, (size_t)(file->end - at), kinds))
            add_file_lists(s, kinds, &slide);
        for (size_t n = aprt_record_sites(layout, record); n; n--, s->site++)
            add_live_list(s);
    }
    aprt_slide_free(&slide);
}

/* An upper bound of the file's pairs of value and count, 16 bytes each. */
static size_t most_pairs(const struct aprt_profile *file)
{
    return file ? (size_t)(file->end - file->values) / 16 : 0;
}

int aprt_counts_combine(struct aprt_counts *sum, const struct aprt_image *image,
                        const struct aprt_counts *live, const struct aprt_counts *before,
                        const struct aprt_profile *file)
{
    size_t room = live->n_nodes + most_pairs(file);
    if (allocate_counts(sum, image, live->n_sites, room))
        return ENOMEM;
    memcpy(sum->counters, live->counters, image->counters_size);
    memcpy(sum->bitmap, live->bitmap, image->bitmap_size);
    add_counters(sum, image, before, file ? file->counters : NULL);
    for (size_t i = 0; file && i < image->bitmap_size; i++)
        sum->bitmap[i] |= file->bitmap[i];
    if (image->version & RT_TEMPORAL)
        keep_timestamps(sum, image, live);
    struct lists_sum s = {sum, room, 0, live, before};
    if (image->num_sites)
        add_lists(&s, image, file);
    return 0;
}
