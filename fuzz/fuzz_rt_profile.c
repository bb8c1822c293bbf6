/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's reader of existing raw profiles, to which it adds counts. The input is the file. Each profile in it
 * is also treated as the program's own: its counts are added to others, and the written sum must be read as a profile
 * of the same program with exactly these counts. */
#include "rt_counts.h"
#include "rt_profile.h"
#include "rt_write.h"

#include <stdlib.h>
#include <string.h>

enum { LIVE = 3 }; /* the count of each counter and value */

static void must(int holds)
{
    if (!holds)
        abort();
}

/* Returns the profile as an image: everything but its counters is at the addresses that the profile states. */
static struct aprt_image image_of(const struct aprt_profile *p)
{
    const uint64_t *w = p->words;
    const uint8_t *data = p->layout->relative ? p->data : NULL;
    return (struct aprt_image){
        .layout = p->layout,
        .version = p->version,
        .data = p->data,
        .counters = (uint8_t *)((uintptr_t)data + (uintptr_t)w[RAW_COUNTERS_DELTA]),
        .bitmap = (uint8_t *)((uintptr_t)data + (uintptr_t)w[RAW_BITMAP_DELTA]),
        .names = p->names,
        .vtables = p->vtables,
        .vtable_names = p->vtable_names,
        .data_size = (size_t)w[RAW_NUM_DATA] * p->layout->record_size,
        .counters_size = p->counters_size,
        .bitmap_size = (size_t)w[RAW_NUM_BITMAP_BYTES],
        .names_size = (size_t)w[RAW_NAMES_SIZE],
        .vtables_size = (size_t)w[RAW_NUM_VTABLES] * RAW_VTABLE_SIZE(sizeof(void *)),
        .vtable_names_size = (size_t)w[RAW_VNAMES_SIZE],
        .pad_before_counters = (size_t)w[RAW_PAD_BEFORE_COUNTERS],
    };
}

static void *zeros(size_t n, size_t size)
{
    void *memory = calloc(n + 1, size);
    must(memory != NULL);
    return memory;
}

/* Returns counts of LIVE for each counter and for a value 3 at each site. */
static struct aprt_counts make_live(const struct aprt_image *image)
{
    struct aprt_counts c = {.n_sites = image->num_sites, .n_nodes = image->num_sites};
    c.counters = zeros(image->counters_size, 1);
    c.memory = c.counters; /* not NULL; freed by this file, not by aprt_counts_free */
    c.bitmap = zeros(image->bitmap_size, 1);
    c.nodes = zeros(c.n_nodes, sizeof c.nodes[0]);
    c.lists = zeros(c.n_sites, sizeof c.lists[0]);
    for (size_t i = 0; i + 8 <= image->counters_size && aprt_counter_size(image) == 8; i += 8)
        aprt_set_u64(c.counters + i, LIVE);
    for (size_t i = 0; i < c.n_sites; i++) {
        c.nodes[i] = (struct aprt_node){.value = 3, .count = LIVE};
        c.lists[i] = &c.nodes[i];
    }
    return c;
}

struct written {
    uint8_t *bytes;
    size_t size, room;
};

static int append_bytes(void *context, const void *bytes, size_t n)
{
    struct written *w = context;
    must(n <= w->room - w->size);
    memcpy(w->bytes + w->size, bytes, n);
    w->size += n;
    return 0;
}

/* Requires that the written bytes are read as the sum. */
static void check_written(const struct aprt_image *image, const struct aprt_counts *sum,
                          const struct written *w)
{
    struct aprt_profile again;
    uint8_t *bytes = malloc(w->size ? w->size : 1);
    must(bytes != NULL);
    memcpy(bytes, w->bytes, w->size);
    must(aprt_profile_next(&again, image, bytes, w->size, 0) == RT_NEXT_FOUND);
    must(again.offset == 0 && again.size == w->size && again.same_program);
    must(again.counters_size == image->counters_size &&
         (!image->counters_size || memcmp(again.counters, sum->counters, image->counters_size) == 0));
    free(bytes);
}

static void write_sum(const struct aprt_image *image, const struct aprt_counts *sum)
{
    struct aprt_image shown = *image;
    struct aprt_out size = {0};
    struct written w = {0};
    aprt_counts_apply(&shown, sum);
    aprt_write_profile(&size, &shown);
    w.room = (size_t)size.size;
    w.bytes = zeros(w.room, 1);
    struct aprt_out out = {.write = append_bytes, .context = &w};
    aprt_write_profile(&out, &shown);
    must(w.size == w.room);
    check_written(image, sum, &w);
    free(w.bytes);
}

static void check_sum(const struct aprt_image *image, const struct aprt_profile *p,
                      const struct aprt_counts *sum)
{
    if (image->version & (RT_BYTE_COVERAGE | RT_TEMPORAL))
        return;
    for (size_t i = 0; i < image->counters_size; i += 8) {
        uint64_t had = aprt_u64(p->counters + i), all = aprt_u64(sum->counters + i);
        must(all == (had > UINT64_MAX - LIVE ? UINT64_MAX : had + LIVE));
    }
    for (size_t i = 0; i < image->bitmap_size; i++)
        must(sum->bitmap[i] == p->bitmap[i]);
}

static void add_to(const struct aprt_profile *p)
{
    struct aprt_image image = image_of(p);
    struct aprt_counts sum, none = {0};
    struct aprt_profile same;
    /* The runtime never starts with an image whose records make no sense. */
    if (aprt_layout_choose(&image, p->version) != RT_FOUND)
        return;
    must(aprt_profile_next(&same, &image, p->end - p->size, p->size, 0) == RT_NEXT_FOUND &&
         same.end == p->end);
    if (!same.same_program) /* the ids are not this program's */
        return;
    struct aprt_counts live = make_live(&image);
    must(aprt_counts_combine(&sum, &image, &live, &none, p) == 0);
    check_sum(&image, p, &sum);
    write_sum(&image, &sum);
    aprt_counts_free(&sum);
    must(aprt_counts_combine(&sum, &image, &live, &live, NULL) == 0);
    for (size_t i = 0; i < image.counters_size && !(image.version & (RT_BYTE_COVERAGE | RT_TEMPORAL)); i++)
        must(sum.counters[i] == 0);
    aprt_counts_free(&sum);
    free(live.counters);
    free(live.bitmap);
    free(live.nodes);
    free(live.lists);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct aprt_profile p;
    size_t at = 0;
    while (aprt_profile_next(&p, NULL, data, size, at) == RT_NEXT_FOUND) {
        must(p.offset >= at && p.size >= 16 && p.size <= size - p.offset);
        at = p.offset + p.size;
        must(p.end == data + at);
        add_to(&p);
    }
    return 0;
}
