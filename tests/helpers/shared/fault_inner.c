/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Faults in functions that seldom call malloc, or call it inside a shared library. The names of those of the arena have
 * the prefix that private symbols get. */
#include "helpers/shared/fault.h"

#include <libdeflate.h>
#include <zlib.h>

struct arena;
void *__real_anyprof_arena_alloc(struct arena *a, size_t n);
void *__real_anyprof_arena_array(struct arena *a, size_t count, size_t size);
void *__real_anyprof_arena_zeros(struct arena *a, size_t count, size_t size);
char *__real_anyprof_arena_text(struct arena *a, const void *p, size_t n);
void *__real_anyprof_arena_bytes(struct arena *a, size_t n);

void *__wrap_anyprof_arena_alloc(struct arena *a, size_t n);
void *__wrap_anyprof_arena_array(struct arena *a, size_t count, size_t size);
void *__wrap_anyprof_arena_zeros(struct arena *a, size_t count, size_t size);
char *__wrap_anyprof_arena_text(struct arena *a, const void *p, size_t n);
void *__wrap_anyprof_arena_bytes(struct arena *a, size_t n);

void *__wrap_anyprof_arena_alloc(struct arena *a, size_t n)
{
    return fault_fails(FAULT_ARENA) ? NULL : __real_anyprof_arena_alloc(a, n);
}

void *__wrap_anyprof_arena_array(struct arena *a, size_t count, size_t size)
{
    return fault_fails(FAULT_ARENA) ? NULL : __real_anyprof_arena_array(a, count, size);
}

void *__wrap_anyprof_arena_zeros(struct arena *a, size_t count, size_t size)
{
    return fault_fails(FAULT_ARENA) ? NULL : __real_anyprof_arena_zeros(a, count, size);
}

char *__wrap_anyprof_arena_text(struct arena *a, const void *p, size_t n)
{
    return fault_fails(FAULT_ARENA) ? NULL : __real_anyprof_arena_text(a, p, n);
}

void *__wrap_anyprof_arena_bytes(struct arena *a, size_t n)
{
    return fault_fails(FAULT_ARENA) ? NULL : __real_anyprof_arena_bytes(a, n);
}

struct libdeflate_decompressor *__real_libdeflate_alloc_decompressor(void);
struct libdeflate_compressor *__real_libdeflate_alloc_compressor(int level);
struct libdeflate_compressor *__wrap_libdeflate_alloc_compressor(int level);
int __real_compress2(Bytef *to, uLongf *n, const Bytef *from, uLong size, int level);
struct libdeflate_decompressor *__wrap_libdeflate_alloc_decompressor(void);
int __wrap_compress2(Bytef *to, uLongf *n, const Bytef *from, uLong size, int level);

struct libdeflate_decompressor *__wrap_libdeflate_alloc_decompressor(void)
{
    return fault_fails(FAULT_ZLIB) ? NULL : __real_libdeflate_alloc_decompressor();
}

struct libdeflate_compressor *__wrap_libdeflate_alloc_compressor(int level)
{
    return fault_fails(FAULT_ZLIB) ? NULL : __real_libdeflate_alloc_compressor(level);
}

int __wrap_compress2(Bytef *to, uLongf *n, const Bytef *from, uLong size, int level)
{
    return fault_fails(FAULT_ZLIB) ? Z_MEM_ERROR : __real_compress2(to, n, from, size, level);
}
