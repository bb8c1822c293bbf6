/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_api.h"
#include "rt_write.h"

extern struct aprt_node __start___llvm_prf_vnds[] RT_WEAK RT_HIDDEN;
extern struct aprt_node __stop___llvm_prf_vnds[] RT_WEAK RT_HIDDEN;

static struct aprt_image find_image(void)
{
    struct aprt_image found;
    (void)aprt_image_find(&found);
    return found;
}

uint64_t __llvm_profile_get_magic(void)
{
    return aprt_magic();
}

uint64_t __llvm_profile_get_version(void)
{
    return find_image().version;
}

#define BOUNDS(type, name, field)                                                                            \
    type __llvm_profile_begin_##name(void)                                                                   \
    {                                                                                                        \
        return (type)find_image().field;                                                                     \
    }                                                                                                        \
    type __llvm_profile_end_##name(void)                                                                     \
    {                                                                                                        \
        struct aprt_image found = find_image();                                                              \
        return (type)(found.field + found.field##_size);                                                     \
    }
BOUNDS(const void *, data, data)
BOUNDS(const char *, names, names)
BOUNDS(const char *, vtabnames, vtable_names)
BOUNDS(char *, counters, counters)
BOUNDS(char *, bitmap, bitmap)
BOUNDS(const void *, vtables, vtables)

struct aprt_node *__llvm_profile_begin_vnodes(void)
{
    return __start___llvm_prf_vnds;
}

struct aprt_node *__llvm_profile_end_vnodes(void)
{
    return __stop___llvm_prf_vnds;
}

extern const char __start___llvm_covinit[] RT_WEAK RT_HIDDEN;
extern const char __stop___llvm_covinit[] RT_WEAK RT_HIDDEN;

const void *__llvm_profile_begin_covinit(void)
{
    return __start___llvm_covinit;
}

const void *__llvm_profile_end_covinit(void)
{
    return __stop___llvm_covinit;
}

static uint64_t bytes_between(const void *begin, const void *end)
{
    return (uint64_t)((uintptr_t)end - (uintptr_t)begin);
}

uint64_t __llvm_profile_get_num_data(const void *begin, const void *end)
{
    struct aprt_image found = find_image();
    size_t size = found.layout ? found.layout->record_size : 1;
    return (bytes_between(begin, end) + size - 1) / size;
}

/* Programs of clang 13 expect the number of records. */
uint64_t __llvm_profile_get_data_size(const void *begin, const void *end)
{
    struct aprt_image found = find_image();
    size_t size = !found.layout || !found.layout->relative ? 1 : found.layout->record_size;
    return __llvm_profile_get_num_data(begin, end) * size;
}

size_t __llvm_profile_counter_entry_size(void)
{
    struct aprt_image found = find_image();
    return aprt_counter_size(&found);
}

uint64_t __llvm_profile_get_num_counters(const char *begin, const char *end)
{
    size_t size = __llvm_profile_counter_entry_size();
    return (bytes_between(begin, end) + size - 1) / size;
}

uint64_t __llvm_profile_get_counters_size(const char *begin, const char *end)
{
    return __llvm_profile_get_num_counters(begin, end) * __llvm_profile_counter_entry_size();
}

uint64_t __llvm_profile_get_num_bitmap_bytes(const char *begin, const char *end)
{
    return bytes_between(begin, end);
}

uint64_t __llvm_profile_get_name_size(const char *begin, const char *end)
{
    return bytes_between(begin, end);
}

uint64_t __llvm_profile_get_vtable_section_size(const void *begin, const void *end)
{
    return __llvm_profile_get_num_vtable(begin, end) * RAW_VTABLE_SIZE(sizeof(void *));
}

uint64_t __llvm_profile_get_num_vtable(const void *begin, const void *end)
{
    size_t size = RAW_VTABLE_SIZE(sizeof(void *));
    return (bytes_between(begin, end) + size - 1) / size;
}

uint8_t __llvm_profile_get_num_padding_bytes(uint64_t size)
{
    return (uint8_t)(-size & 7);
}
