/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of compiler-rt that take the bounds of sections as arguments. The lists of values stay empty in what they
 * write: the size must not depend on when it is asked for, and lists of other processors cannot be followed. */
#include "rt_api.h"

#include "rt_file.h"
#include "rt_memory.h"
#include "rt_process.h"
#include "rt_say.h"
#include "rt_target.h"
#include "rt_write.h"

#include <errno.h>
#include <string.h>

typedef const void *at;

static size_t distance(at begin, at end)
{
    return (uintptr_t)end - (uintptr_t)begin;
}

/* What begins and ends there, as the program's objects are laid out. The arguments became more: bitmaps came in 18,
 * vtables in 19; objects of before are of programs that pass none. */
static int image_of(struct rt_image *image, const at b[12])
{
    struct rt_image own;
    if (rt_image_find(&own) != RT_FOUND)
        return 0;
    int bitmap = own.layout->num_bitmap_bytes != 0;
    const at *names = b + (bitmap ? 6 : 4);
    *image = (struct rt_image){
        .layout = own.layout,
        .version = own.version,
        .data = b[0],
        .data_size = distance(b[0], b[1]),
        .counters = (uint8_t *)(uintptr_t)b[2],
        .counters_now = (uint8_t *)(uintptr_t)b[2],
        .counters_size = distance(b[2], b[3]),
        .names = names[0],
        .names_size = distance(names[0], names[1]),
    };
    size_t record = own.layout->record_size;
    image->num_data = (image->data_size + record - 1) / record;
    if (bitmap) {
        image->bitmap = image->bitmap_now = (uint8_t *)(uintptr_t)b[4];
        image->bitmap_size = distance(b[4], b[5]);
    }
    return 1;
}

/* Writes with empty lists. */
static int write_image(struct rt_out *out, struct rt_image *image)
{
    image->num_sites = 0;
    for (size_t i = 0; i < image->num_data; i++)
        image->num_sites += rt_record_sites(image->layout, image->data + i * image->layout->record_size);
    size_t size = (image->num_sites + 1) * sizeof image->lists_copy[0];
    void *lists = rt_pages(size);
    if (!lists)
        return ENOMEM;
    image->lists_copy = lists;
    rt_write_profile(out, image);
    rt_pages_free(lists, size);
    return out->code;
}

uint64_t __llvm_profile_get_size_for_buffer_internal(at a, at b, at c, at d, at e, at f, at g, at h,
                                                     at vtables, at vtables_end, at vtable_names,
                                                     at vtable_names_end)
{
    struct rt_image image;
    struct rt_out out = {0};
    if (!image_of(&image, (const at[12]){a, b, c, d, e, f, g, h}))
        return 0;
    if (image.layout->kinds > 2) {
        image.vtables_size = distance(vtables, vtables_end);
        image.vtable_names_size = distance(vtable_names, vtable_names_end);
    }
    return write_image(&out, &image) ? 0 : out.size;
}

int __llvm_profile_write_buffer_internal(char *buffer, at a, at b, at c, at d, at e, at f, at g, at h)
{
    struct rt_image image;
    struct rt_out out = {.write = rt_put_to_memory, .context = &buffer};
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
    (void)data; /* files are mapped to where the counters are with other paddings: rt_continuous.c */
    *before_counters = 0;
    *after_counters = rt_pad8((size_t)counters);
    *after_bitmap = rt_pad8((size_t)bitmap);
    *after_names = rt_pad8((size_t)names);
    *after_vtables = rt_pad8((size_t)vtables);
    *after_vtable_names = rt_pad8((size_t)vtable_names);
    return 0;
}

/* --- profiles of other processors ----------------------------------------------------------------------------- */

/* DIRECTORY/TARGET.NAME beside the profile DIRECTORY/NAME. */
static int choose_path(const char *target)
{
    struct rt_image own;
    size_t n = strlen(target);
    if (rt_image_find(&own) != RT_FOUND || !rt_target_name.text[0] ||
        rt_name_expand(&rt_target_name, &own, rt_file.path))
        return -1;
    char *slash = strrchr(rt_file.path, '/'), *name = slash ? slash + 1 : rt_file.path;
    size_t left = strlen(name) + 1;
    if ((size_t)(name - rt_file.path) + n + 1 + left > RT_PATH_MAX)
        return -1;
    memmove(name + n + 1, name, left);
    memcpy(name, target, n);
    name[n] = '.';
    return 0;
}

static int write_custom(const char *target, struct rt_image *image)
{
    struct rt_out out = {.write = rt_file_put, .context = &rt_file};
    if (choose_path(target)) {
        rt_say(RT_ERROR, "the profile has no file name, or too long a one, for", target, 0);
        return -1;
    }
    struct stat status;
    int error = rt_file_look(&rt_file, &status);
    if (!error)
        error = rt_file_begin(&rt_file, NULL);
    if (!error) {
        error = write_image(&out, image);
        if (error)
            (void)rt_file_end(&rt_file, RT_DISCARD);
        else
            error = rt_file_end(&rt_file, RT_REPLACE);
    }
    if (error)
        rt_say(RT_ERROR, "cannot write", rt_file.path, error);
    return error ? -1 : 0;
}

int __llvm_write_custom_profile(const char *target, at data, at data_end, at counters, at counters_end,
                                at names, at names_end, const uint64_t *version)
{
    struct rt_inside inside;
    struct rt_image own, image = {
                             .data = data,
                             .counters = (uint8_t *)(uintptr_t)counters,
                             .counters_now = (uint8_t *)(uintptr_t)counters,
                             .names = names,
                             .data_size = distance(data, data_end),
                             .counters_size = distance(counters, counters_end),
                             .names_size = distance(names, names_end),
                         };
    uint64_t said = version ? *version : rt_image_find(&own) == RT_FOUND ? own.version : 0;
    image.version = said;
    if (!target || rt_layout_choose(&image, said) != RT_FOUND) {
        rt_say(RT_ERROR, "no profile of a version that is known; not written for", target, 0);
        return -1;
    }
    if (rt_process_enter(&inside))
        return -1;
    int result = write_custom(target, &image);
    rt_process_leave(&inside);
    return result;
}
