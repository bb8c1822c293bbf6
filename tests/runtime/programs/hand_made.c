/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An instrumented program as compilers of the raw version that is given (-DVERSION=V9) lay it out, also of those that
 * are not installed. Two functions, "first" and "second" (-DFIRST=, -DSECOND=: hashes of the names): 2 and 3 counters,
 * with -DBITMAPS=1 5 and 2 bytes of bitmaps; the second has a site of each kind. */
#include "instr/layout/raw_layout.h"

#define RETAINED(name) __attribute__((section(name), used, aligned(8)))

#define FIELD_U64(C, name) uint64_t name;
#define FIELD_U32(C, name) uint32_t name;
#define FIELD_U16(C, name) uint16_t name;
#define FIELD_POINTER(C, name) uintptr_t name;
#define FIELD_SITES(C, n) uint16_t sites[n];
#define EXPANDED(version) RAW_RECORD_##version(FIELD_U64, FIELD_POINTER, FIELD_U32, FIELD_U16, FIELD_SITES, )
#define RECORD(version) EXPANDED(version)

struct record {
    _Alignas(8) RECORD(VERSION)
};

static struct record records[2] RETAINED("__llvm_prf_data");
static uint64_t counters[5] RETAINED("__llvm_prf_cnts");
#if BITMAPS
static uint8_t bitmaps[7] RETAINED("__llvm_prf_bits");
#endif
/* Length, 0: not compressed; the names with a 1 between. */
static const char names[] RETAINED("__llvm_prf_names") = {12, 0,   'f', 'i', 'r', 's', 't',
                                                          1,  's', 'e', 'c', 'o', 'n', 'd'};
static void *lists[3] RETAINED("__llvm_prf_vals");

extern int __llvm_profile_runtime;
void __llvm_profile_instrument_target(uint64_t value, void *record, uint32_t site);
void __llvm_profile_instrument_memop(uint64_t size, void *record, uint32_t site);

static uintptr_t relative(const void *to, const struct record *record)
{
    return (uintptr_t)to - (RELATIVE ? (uintptr_t)record : 0);
}

/* In front of the runtime's own constructors: compilers have it in the section from the start. */
__attribute__((constructor(101))) static void make_records(void)
{
    static const uint64_t hashes[] = {FIRST, SECOND};
    for (int i = 0; i < 2; i++) {
        struct record *record = &records[i];
        record->name_ref = hashes[i];
        record->func_hash = 0x1234 + (uint64_t)i;
        record->counter_ptr = relative(&counters[2 * i], record);
        record->num_counters = 2 + (uint32_t)i;
        record->function_ptr = (uintptr_t)make_records + (uintptr_t)i;
#if BITMAPS
        record->bitmap_ptr = relative(&bitmaps[5 * i], record);
        record->num_bitmap_bytes = i ? 2 : 5;
#endif
    }
    records[1].values = (uintptr_t)lists;
    for (unsigned kind = 0; kind < sizeof records[1].sites / 2; kind++)
        records[1].sites[kind] = 1;
}

int main(void)
{
    for (unsigned i = 0; i < 5; i++)
        counters[i] = 10 + i;
#if BITMAPS
    for (unsigned i = 0; i < sizeof bitmaps; i++)
        bitmaps[i] = (uint8_t)(0x10 + i);
#endif
    for (unsigned i = 0; i < 3; i++)
        __llvm_profile_instrument_target(records[0].function_ptr, &records[1], 0);
    __llvm_profile_instrument_memop(8, &records[1], 1);
    return names[0] == 12 && __llvm_profile_runtime == 0 ? 0 : 1;
}
