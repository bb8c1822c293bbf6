/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of compiler-rt that take the bounds of sections as arguments. The profiles that they write have empty
 * value lists: their size must not depend on when it is asked for, and lists of other processors cannot be
 * followed. */
#include "rt_api.h"

#include "rt_file.h"
#include "rt_memory.h"
#include "rt_message.h"
#include "rt_name.h"
#include "rt_process.h"
#include "rt_write.h"

#include <errno.h>
#include <string.h>

typedef const void *at;

static size_t bytes_between(at begin, at end)
{
    return (uintptr_t)end - (uintptr_t)begin;
}

/* Sets the image to the sections with these bounds. Bitmaps were added to the arguments in clang 18, vtables in 19;
 * the layout of the program's own objects says which arguments were passed. */
static int image_of(struct aprt_image *image, const at b[12])
{
    struct aprt_image own;
    if (aprt_image_find(&own) != RT_FOUND)
        return 0;
    int bitmap = own.layout->num_bitmap_bytes != 0;
    const at *names = b + (bitmap ? 6 : 4);
    *image = (struct aprt_image){
        .layout = own.layout,
        .version = own.version,
        .data = b[0],
        .data_size = bytes_between(b[0], b[1]),
        .counters = (uint8_t *)(uintptr_t)b[2],
        .counters_now = (uint8_t *)(uintptr_t)b[2],
        .counters_size = bytes_between(b[2], b[3]),
        .names = names[0],
        .names_size = bytes_between(names[0], names[1]),
    };
    size_t record = own.layout->record_size;
    image->num_data = (image->data_size + record - 1) / record;
    if (bitmap) {
        image->bitmap = image->bitmap_now = (uint8_t *)(uintptr_t)b[4];
        image->bitmap_size = bytes_between(b[4], b[5]);
    }
    return 1;
}

/* Writes the profile with empty value lists. */
static int write_image(struct aprt_out *out, struct aprt_image *image)
{
    image->num_sites = 0;
    for (size_t i = 0; i < image->num_data; i++)
        image->num_sites += aprt_record_sites(image->layout, image->data + i * image->layout->record_size);
    size_t size = (image->num_sites + 1) * sizeof image->lists_copy[0];
    void *lists = aprt_pages(size);
    if (!lists)
        return ENOMEM;
    image->lists_copy = lists;
    aprt_write_profile(out, image);
    aprt_pages_free(lists, size);
    return out->code;
}

uint64_t __llvm_profile_get_size_for_buffer_internal(at a, at b, at c, at d, at e, at f, at g, at h,
                                                     at vtables, at vtables_end, at vtable_names,
                                                     at vtable_names_end)
{
    struct aprt_image image;
    struct aprt_out out = {0};
    if (!image_of(&image, (const at[12]){a, b, c, d, e, f, g, h}))
        return 0;
    if (image.layout->kinds > 2) {
        image.vtables_size = bytes_between(vtables, vtables_end);
        image.vtable_names_size = bytes_between(vtable_names, vtable_names_end);
    }
    return write_image(&out, &image) ? 0 : out.size;
}

int __llvm_profile_write_buffer_internal(char *buffer, at a, at b, at c, at d, at e, at f, at g, at h)
{
    struct aprt_image image;
    struct aprt_out out = {.write = aprt_write_to_memory, .context = &buffer};
    if (!image_of(&image, (const at[12]){a, b, c, d, e, f, g, h}) || write_image(&out, &image))
        return -1;
    return 0;
}

int __llvm_profile_get_padding_sizes_for_counters(uint64_t data, uint64_t counters, uint64_t bitmap,
                                                  uint64_t names, uint64_t vtables, uint64_t vtable_names,
                                                  uint64_t *before_counters, uint64_t *after_counters,
                                                  uint64_t *after_bitmap, uint64_t *after_names,
                                                  uint64_t *after_vtables, uint64_t *after_vtable_names)
{
    (void)data; /* continuous mode uses other paddings: rt_continuous.c */
    *before_counters = 0;
    *after_counters = aprt_pad8((size_t)counters);
    *after_bitmap = aprt_pad8((size_t)bitmap);
    *after_names = aprt_pad8((size_t)names);
    *after_vtables = aprt_pad8((size_t)vtables);
    *after_vtable_names = aprt_pad8((size_t)vtable_names);
    return 0;
}

/* --- profiles of other processors ----------------------------------------------------------------------------- */

/* Sets aprt_file.path to DIRECTORY/TARGET.NAME, beside the profile DIRECTORY/NAME. Returns 0 or -1. */
static int choose_path(const char *target)
{
    struct aprt_image own;
    size_t n = strlen(target);
    if (aprt_image_find(&own) != RT_FOUND || !aprt_name_chosen.text[0] ||
        aprt_name_expand(&aprt_name_chosen, &own, aprt_file.path))
        return -1;
    char *slash = strrchr(aprt_file.path, '/'), *name = slash ? slash + 1 : aprt_file.path;
    size_t left = strlen(name) + 1;
    if ((size_t)(name - aprt_file.path) + n + 1 + left > RT_PATH_MAX)
        return -1;
    memmove(name + n + 1, name, left);
    memcpy(name, target, n);
    name[n] = '.';
    return 0;
}

static int write_custom(const char *target, struct aprt_image *image)
{
    struct aprt_out out = {.write = aprt_file_write, .context = &aprt_file};
    if (choose_path(target)) {
        aprt_message_or(RT_ERROR, "the profile has no file name, or too long a one, for", RT_NO_NAME, target,
                        0);
        return -1;
    }
    struct stat status;
    int error = aprt_file_examine(&aprt_file, &status);
    if (!error)
        error = aprt_file_begin(&aprt_file, NULL);
    if (!error) {
        error = write_image(&out, image);
        if (error)
            (void)aprt_file_end(&aprt_file, RT_DISCARD);
        else
            error = aprt_file_end(&aprt_file, RT_REPLACE);
    }
    if (error)
        aprt_message_or(RT_ERROR, "cannot write", "Failed to open file : @", aprt_file.path, error);
    return error ? -1 : 0;
}

int __llvm_write_custom_profile(const char *target, at data, at data_end, at counters, at counters_end,
                                at names, at names_end, const uint64_t *version)
{
    struct aprt_inside inside;
    struct aprt_image own, image = {
                               .data = data,
                               .counters = (uint8_t *)(uintptr_t)counters,
                               .counters_now = (uint8_t *)(uintptr_t)counters,
                               .names = names,
                               .data_size = bytes_between(data, data_end),
                               .counters_size = bytes_between(counters, counters_end),
                               .names_size = bytes_between(names, names_end),
                           };
    uint64_t said = version ? *version : aprt_image_find(&own) == RT_FOUND ? own.version : 0;
    image.version = said;
    if (!target || aprt_layout_choose(&image, said) != RT_FOUND) {
        aprt_message(RT_ERROR, "a profile of an unknown version; not written for", target, 0);
        return -1;
    }
    if (aprt_process_enter(&inside))
        return -1;
    int result = write_custom(target, &image);
    aprt_process_leave(&inside);
    return result;
}
