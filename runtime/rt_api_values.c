/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of compiler-rt that its own tests call, with records that those tests build. */
#include "rt_api.h"

#include "rt_values.h"

void lprofSetMaxValsPerSite(uint32_t most)
{
    if (RT_LINKED(&aprt_values_limit))
        aprt_values_limit = most > RT_MOST_VALUES ? RT_MOST_VALUES : most;
}

/* NULL if the image's objects are of several raw versions. */
static const struct aprt_layout *image_layout(void)
{
    struct aprt_image image;
    (void)aprt_image_find(&image);
    return image.layout;
}

void __llvm_profile_set_num_value_sites(void *record, uint32_t kind, uint16_t sites)
{
    const struct aprt_layout *l = image_layout();
    if (l && kind < l->kinds)
        __builtin_memcpy((uint8_t *)record + l->sites + 2 * kind, &sites, sizeof sites);
}

const void *__llvm_profile_iterate_data(const void *record)
{
    const struct aprt_layout *l = image_layout();
    return (const uint8_t *)record + (l ? l->record_size : 0);
}

void *__llvm_get_function_addr(const void *record)
{
    const struct aprt_layout *l = image_layout();
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): it is one in the record */
    return l ? (void *)aprt_pointer((const uint8_t *)record + l->function_ptr) : NULL;
}
