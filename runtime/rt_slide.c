/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_slide.h"

#include "rt_elf.h"
#include "rt_memory.h"

enum { SIZES = 1, VTABLES = 2 }; /* value kinds; 0: functions */

static uintptr_t function_of(const struct aprt_image *image, const uint8_t *records, size_t i)
{
    return aprt_pointer(records + i * image->layout->record_size + image->layout->function_ptr);
}

/* Returns the entry of an address in the table, or the free one where it belongs. */
static struct aprt_elsewhere *find_entry(const struct aprt_slide *slide, uintptr_t there)
{
    size_t i = (size_t)(there * (uintptr_t)UINT64_C(0x9e3779b97f4a7c15) >> (sizeof there * 4));
    while (slide->elsewhere[i & (slide->n_elsewhere - 1)].there != 0 &&
           slide->elsewhere[i & (slide->n_elsewhere - 1)].there != there)
        i++;
    return &slide->elsewhere[i & (slide->n_elsewhere - 1)];
}

/* Returns whether the function of record i belonged to another image, in the file's process or in this one. */
static int is_elsewhere(const struct aprt_slide *slide, size_t i)
{
    uintptr_t there = function_of(slide->image, slide->file->data, i);
    return there && function_of(slide->image, slide->image->data, i) != (uintptr_t)(there + slide->by);
}

/* Fills the table. If its allocation fails, these functions lose their names. */
static void find_elsewhere(struct aprt_slide *slide, size_t n)
{
    slide->n_elsewhere = 1;
    while (slide->n_elsewhere < 2 * n)
        slide->n_elsewhere *= 2;
    slide->elsewhere = aprt_memory(slide->n_elsewhere * sizeof *slide->elsewhere);
    for (size_t i = 0; slide->elsewhere && i < slide->image->num_data; i++) {
        uintptr_t there = function_of(slide->image, slide->file->data, i);
        if (is_elsewhere(slide, i))
            *find_entry(slide, there) =
                (struct aprt_elsewhere){there, function_of(slide->image, slide->image->data, i)};
    }
}

void aprt_slide_find(struct aprt_slide *slide, const struct aprt_image *image,
                     const struct aprt_profile *file)
{
    const uint8_t *start = NULL;
    size_t n = 0;
    *slide = (struct aprt_slide){.image = image, .file = file};
    /* The header has the address of the names. (The records' functions may belong to other images.) */
    slide->by = (uintptr_t)image->names - (uintptr_t)file->words[RAW_NAMES_DELTA];
    if (!aprt_image_range(&start, &slide->size))
        slide->size = UINTPTR_MAX;
    slide->first = (uintptr_t)start - slide->by;
    for (size_t i = 0; i < image->num_data; i++)
        n += is_elsewhere(slide, i) ? 1 : 0;
    if (n)
        find_elsewhere(slide, n);
}

void aprt_slide_free(struct aprt_slide *slide)
{
    aprt_memory_free(slide->elsewhere, slide->n_elsewhere * sizeof *slide->elsewhere);
    slide->elsewhere = NULL;
}

/* Maps addresses inside vtables that belong to another image. */
static uintptr_t slid_vtable(const struct aprt_slide *slide, uintptr_t value)
{
    const size_t record = RAW_VTABLE_SIZE(sizeof value), at = 8, size_at = 8 + sizeof value;
    for (size_t i = 0; i + record <= slide->image->vtables_size; i += record) {
        uintptr_t there = aprt_pointer(slide->file->vtables + i + at);
        if (value - there < aprt_u32(slide->file->vtables + i + size_at))
            return aprt_pointer(slide->image->vtables + i + at) + (value - there);
    }
    return 0;
}

uint64_t aprt_slid(const struct aprt_slide *slide, uint32_t kind, uint64_t value)
{
    uintptr_t there = (uintptr_t)value;
    if (kind == SIZES || value == 0)
        return value;
    const struct aprt_elsewhere *found =
        kind != VTABLES && slide->elsewhere ? find_entry(slide, there) : NULL;
    if (found && found->there)
        return found->here;
    if (there - slide->first < slide->size)
        return (uintptr_t)(there + slide->by);
    return kind == VTABLES ? slid_vtable(slide, there) : 0;
}
