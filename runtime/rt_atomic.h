/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accesses to words that threads and interrupt handlers share. If the target has no such instructions, or with
 * ANYPROF_RT_NO_ATOMICS, the accesses are plain: right for one thread. Most 32-bit processors have atomics for
 * pointers and sizes but not for 64-bit values and counts; lists stay consistent even then. */
#ifndef RT_ATOMIC_H
#define RT_ATOMIC_H

#include <stdint.h>

#if !defined(ANYPROF_RT_NO_ATOMICS) &&                                                                       \
    (!defined(__GCC_ATOMIC_POINTER_LOCK_FREE) || __GCC_ATOMIC_POINTER_LOCK_FREE != 2)
#define ANYPROF_RT_NO_ATOMICS
#endif

#ifndef ANYPROF_RT_NO_ATOMICS
#define RT_LOAD(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define RT_STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define RT_ADD(p, n) __atomic_fetch_add(p, n, __ATOMIC_RELAXED) /* returns the old value */
#define RT_LOAD_ACQUIRE(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define RT_STORE_RELEASE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
/* Stores a pointer if *at is NULL; 0: *at was not NULL. */
#define RT_LINK(at, type, v)                                                                                 \
    __atomic_compare_exchange_n(at, &(type){NULL}, v, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)
#else
#define RT_LOAD(p) (*(p))
#define RT_STORE(p, v) (*(p) = (v))
#define RT_ADD(p, n) ((*(p) += (n)) - (n))
#define RT_LOAD_ACQUIRE(p) (*(p))
#define RT_STORE_RELEASE(p, v) (*(p) = (v))
#define RT_LINK(at, type, v) (*(at) ? 0 : (*(at) = (v), 1))
#endif

/* 64-bit accesses; on i386 64-bit values are aligned to 4 bytes only. Without 64-bit atomics, a count is added to in
 * halves: no addition is lost, but a concurrent reader may see one half of it. */
#if !defined(ANYPROF_RT_NO_ATOMICS) && defined(__GCC_ATOMIC_LLONG_LOCK_FREE) &&                              \
    __GCC_ATOMIC_LLONG_LOCK_FREE == 2 && !defined(__i386__)
#define RT_LOAD64(p) RT_LOAD(p)
#define RT_STORE64(p, v) RT_STORE(p, v)
#define RT_ADD64(p, n) ((void)RT_ADD(p, n))
#else
#define RT_LOAD64(p) (*(p))
#define RT_STORE64(p, v) (*(p) = (v))
#define RT_ADD64(p, n) aprt_add_halves(p, n)
static inline void aprt_add_halves(uint64_t *p, uint64_t n)
{
#ifdef ANYPROF_RT_NO_ATOMICS
    *p += n;
#else
    typedef uint32_t __attribute__((may_alias)) half;
    half *low = (half *)p + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    half *high = (half *)p + (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__);
    uint32_t had = RT_ADD(low, (uint32_t)n), more = (uint32_t)(n >> 32);
    more += had + (uint32_t)n < had;
    if (more)
        (void)RT_ADD(high, more);
#endif
}
#endif

/* Adds to a count. A locked addition takes several times as long as the rest of a call, so single-threaded processes
 * use a plain one; glibc says whether the process has one thread. */
#if defined(ANYPROF_RT_HOSTED) && !defined(ANYPROF_RT_NO_ATOMICS) && defined(__GLIBC__)
extern char __libc_single_threaded __attribute__((weak));
#define RT_COUNT(p, n)                                                                                       \
    (&__libc_single_threaded && __libc_single_threaded ? (void)(*(p) += (n)) : RT_ADD64(p, n))
#else
#define RT_COUNT(p, n) RT_ADD64(p, n)
#endif

#endif
