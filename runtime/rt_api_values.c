/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of compiler-rt that its own tests call, with records that those tests build or change. */
#include "rt_api.h"

#include "rt_atomic.h"
#include "rt_process.h"
#include "rt_values.h"

#include <string.h>

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

/* Gives a record room for `n` lists; those that it has stay the first ones. A record without lists gets them with its
 * first value. 0: no memory. */
static int lengthen_lists(uint8_t *record, const struct aprt_layout *layout, size_t had, size_t n)
{
    void *at = record + layout->values;
    struct aprt_node **lists = RT_LOAD_ACQUIRE((struct aprt_node ***)at);
    if (!lists || n <= had)
        return 1;
    struct aprt_node **more = aprt_memory_permanent(n * sizeof lists[0]);
    if (!more)
        return 0;
    memcpy(more, lists, had * sizeof lists[0]);
    RT_STORE_RELEASE((struct aprt_node ***)at, more);
    return 1;
}

static void set_sites(const struct aprt_image *image, uint8_t *record, uint32_t kind, uint16_t sites)
{
    const struct aprt_layout *layout = image->layout;
    uint8_t *at = record + layout->sites + 2 * kind;
    size_t had = aprt_record_sites(layout, record), more = (size_t)sites - aprt_u16(at);
    if (!lengthen_lists(record, layout, had, had + more))
        return;
    memcpy(at, &sites, sizeof sites);
    if (more && (uintptr_t)record - (uintptr_t)image->data < image->data_size)
        aprt_image_change_sites(more);
}

/* Nothing is written meanwhile: a profile has as many lists as its records have sites. */
void __llvm_profile_set_num_value_sites(void *record, uint32_t kind, uint16_t sites)
{
    struct aprt_inside inside;
    struct aprt_image image;
    if (aprt_process_enter_to_read(&inside))
        return;
    if (aprt_image_find(&image) == RT_FOUND && kind < image.layout->kinds)
        set_sites(&image, record, kind, sites);
    aprt_process_leave(&inside);
}

void *getValueProfRecordValueData(void *kind)
{
    uint8_t *lengths = (uint8_t *)kind + 8;
    uint32_t sites = aprt_u32(lengths - 4);
    return lengths + sites + aprt_pad8(sites);
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
