/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_write.h"

#include "rt_elf.h"
#include "rt_values_write.h"

static void write_padded(struct aprt_out *out, const void *bytes, size_t n, size_t padding)
{
    aprt_write_bytes(out, bytes, n);
    aprt_write_zeros(out, padding ? padding : aprt_pad8(n));
}

static void write_header(struct aprt_out *out, const struct aprt_image *image, uint64_t binary_ids_size)
{
    const struct aprt_layout *layout = image->layout;
    size_t counter = aprt_counter_size(image);
    /* Deltas that readers do not use are 0, as in compiler-rt when functions are found by correlation. */
    uintptr_t data = layout->relative ? (uintptr_t)image->data : 0;
    int deltas = image->data_size != 0 || image->names_size != 0;
    const uint64_t words[RAW_HEADER_FIELD_COUNT] = {
        [RAW_BINARY_IDS_SIZE] = binary_ids_size,
        [RAW_NUM_DATA] = image->num_data,
        [RAW_PAD_BEFORE_COUNTERS] = image->pad_before_counters,
        [RAW_NUM_COUNTERS] = image->counters_size / counter,
        [RAW_PAD_AFTER_COUNTERS] =
            image->pad_after_counters ? image->pad_after_counters : aprt_pad8(image->counters_size),
        [RAW_NUM_BITMAP_BYTES] = image->bitmap_size,
        [RAW_PAD_AFTER_BITMAP] =
            image->pad_after_bitmap ? image->pad_after_bitmap : aprt_pad8(image->bitmap_size),
        [RAW_NAMES_SIZE] = image->names_size,
        [RAW_COUNTERS_DELTA] = deltas ? (uintptr_t)image->counters - data : 0,
        [RAW_BITMAP_DELTA] = deltas ? (uintptr_t)image->bitmap - data : 0,
        [RAW_NAMES_DELTA] = deltas ? (uintptr_t)image->names : 0,
        [RAW_NUM_VTABLES] = image->vtables_size / RAW_VTABLE_SIZE(sizeof(void *)),
        [RAW_VNAMES_SIZE] = image->vtable_names_size,
        [RAW_VALUE_KIND_LAST] = layout->kinds - 1u,
    };
    const uint64_t magic = aprt_magic();
    aprt_write_bytes(out, &magic, sizeof magic);
    aprt_write_bytes(out, &image->version, sizeof image->version);
    for (size_t i = 0; i < layout->words; i++)
        aprt_write_bytes(out, &words[layout->header[i]], sizeof words[0]);
}

void aprt_write_profile(struct aprt_out *out, const struct aprt_image *image)
{
    struct aprt_out ids = {0};
    aprt_write_binary_ids(&ids, image->layout);
    write_header(out, image, ids.size);
    aprt_write_binary_ids(out, image->layout);
    aprt_write_bytes(out, image->data, image->data_size);
    aprt_write_zeros(out, image->num_data * image->layout->record_size - image->data_size);
    aprt_write_zeros(out, image->pad_before_counters);
    write_padded(out, image->counters_now, image->counters_size, image->pad_after_counters);
    write_padded(out, image->bitmap_now, image->bitmap_size, image->pad_after_bitmap);
    write_padded(out, image->names, image->names_size, 0);
    /* Both are empty if the version has no vtables. */
    write_padded(out, image->vtables, image->vtables_size, 0);
    write_padded(out, image->vtable_names, image->vtable_names_size, 0);
    aprt_write_values(out, image);
}
