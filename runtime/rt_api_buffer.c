/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles in memory. Written profiles have value data; merging a profile changes the live counters, as compiler-rt
 * does. */
#include "rt_api.h"
#include "rt_counts.h"
#include "rt_message.h"
#include "rt_process.h"
#include "rt_profile.h"
#include "rt_slide.h"
#include "rt_values.h"
#include "rt_write.h"

#include <string.h>

/* The values that existed when the size was asked for: later values have no room in the caller's buffer. */
static struct aprt_counts sized;

/* The caller holds the lock of the process. Returns the number of bytes. */
static uint64_t write_sized(struct aprt_image *image, apf_rt_write_fn *write, void *context)
{
    struct aprt_out out = {.write = write, .context = context};
    struct aprt_image now = *image;
    aprt_counts_apply(&now, &sized);
    now.counters_now = image->counters_now;
    now.bitmap_now = image->bitmap_now;
    aprt_write_profile(&out, &now);
    return out.size;
}

uint64_t __llvm_profile_get_size_for_buffer(void)
{
    struct aprt_inside inside;
    struct aprt_image image;
    uint64_t size = 0;
    if (aprt_process_enter(&inside))
        return 0;
    if (aprt_image_find(&image) == RT_FOUND) {
        aprt_counts_free(&sized);
        if (aprt_counts_copy(&sized, &image) == 0)
            size = write_sized(&image, NULL, NULL);
    }
    aprt_process_leave(&inside);
    return size;
}

/* If the program never asked for the size, its buffer has room for no values; if it has changed numbers of sites since,
 * the buffer may be too small. */
static int write_inside(char *buffer)
{
    struct aprt_image image;
    struct aprt_counts now;
    if (aprt_image_find(&image) != RT_FOUND || aprt_counts_copy(&now, &image))
        return -1;
    if (!sized.memory) {
        memset(now.lists, 0, now.n_sites * sizeof now.lists[0]);
        sized = now;
        now.memory = NULL;
    }
    if (sized.site_changes != image.site_changes) {
        aprt_counts_free(&now);
        return -1;
    }
    aprt_counts_update(&sized, &now);
    aprt_counts_free(&now);
    (void)write_sized(&image, aprt_write_to_memory, &buffer);
    return 0;
}

int __llvm_profile_write_buffer(char *buffer)
{
    struct aprt_inside inside;
    if (aprt_process_enter(&inside))
        return -1;
    int result = write_inside(buffer);
    aprt_process_leave(&inside);
    return result;
}

/* --- merging a profile into the live counters ----------------------------------------------------------------- */

/* Returns whether the buffer begins with a profile of this program. */
static int find_profile(struct aprt_image *image, struct aprt_profile *profile, const char *bytes,
                        uint64_t size)
{
    return aprt_image_find(image) == RT_FOUND &&
           aprt_profile_next(profile, image, (const uint8_t *)bytes, (size_t)size, 0) == RT_NEXT_FOUND &&
           profile->offset == 0 && profile->same_program;
}

int __llvm_profile_check_compatibility(const char *profile, uint64_t size)
{
    struct aprt_image image;
    struct aprt_profile found;
    return !find_profile(&image, &found, profile, size);
}

static void add_counters(const struct aprt_image *image, const struct aprt_profile *profile)
{
    if (image->version & RT_BYTE_COVERAGE) {
        for (size_t i = 0; i < image->counters_size; i++)
            image->counters_now[i] &= profile->counters[i];
    } else {
        for (size_t i = 0; i < image->counters_size; i += 8)
            aprt_add_u64(image->counters_now + i, aprt_u64(profile->counters + i));
    }
    for (size_t i = 0; i < image->bitmap_size; i++)
        image->bitmap_now[i] |= profile->bitmap[i];
}

/* `slide` is NULL if the values are those of this process. */
static void add_record_values(const uint8_t *record, const struct aprt_kind_lists kinds[RT_MOST_KINDS],
                              const struct aprt_slide *slide)
{
    uint32_t site = 0;
    for (uint32_t kind = 0; kind < RT_MOST_KINDS; kind++) {
        const uint8_t *pair = kinds[kind].pairs;
        for (uint32_t s = 0; s < kinds[kind].sites; s++, site++) {
            for (unsigned n = kinds[kind].lengths[s]; n; n--, pair += 16) {
                uint64_t value = aprt_u64(pair);
                aprt_values_add(slide ? aprt_slid(slide, kind, value) : value, record, site,
                                aprt_u64(pair + 8));
            }
        }
    }
}

/* Counts the values as if the program met them now: lists keep to their limit. Programs without value sites have no
 * lists. */
static void add_values(const struct aprt_image *image, const struct aprt_profile *profile)
{
    const uint8_t *at = profile->values;
    struct aprt_kind_lists kinds[RT_MOST_KINDS];
    struct aprt_slide slide;
    aprt_slide_find(&slide, image, profile);
    for (size_t i = 0; RT_LINKED(aprt_values_add) && i < image->num_data; i++) {
        const uint8_t *record = image->data + i * image->layout->record_size;
        if (!aprt_profile_values(image->layout, record, &at, (size_t)(profile->end - at), kinds))
            break;
        add_record_values(record, kinds, &slide);
    }
    aprt_slide_free(&slide);
}

void lprofMergeValueProfData(void *values, void *record)
{
    struct aprt_image image;
    struct aprt_kind_lists kinds[RT_MOST_KINDS];
    const uint8_t *at = values;
    if (RT_LINKED(aprt_values_add) && aprt_image_find(&image) == RT_FOUND &&
        aprt_profile_values(image.layout, record, &at, aprt_u32(at), kinds))
        add_record_values(record, kinds, NULL);
}

int __llvm_profile_merge_from_buffer(const char *bytes, uint64_t size)
{
    struct aprt_image image;
    struct aprt_profile profile;
    if (aprt_image_find(&image) == RT_FOUND && image.version & RT_TEMPORAL) {
        aprt_message_or(RT_ERROR, RT_TEMPORAL_STAYS, NULL, 0);
        return 1;
    }
    if (!find_profile(&image, &profile, bytes, size)) {
        aprt_message(RT_ERROR, "the buffer to merge is no profile of this program", NULL, 0);
        return 1;
    }
    add_counters(&image, &profile);
    add_values(&image, &profile);
    return 0;
}
