/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What threads and interrupts do to the same word. Where the target has no such instructions, or with
 * ANYPROF_RT_NO_ATOMICS, these are plain: right for one thread. 32-bit processors mostly have them for pointers and
 * sizes, but not for the 64 bits of a value or a count: then lists stay whole all the same. */
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
#define RT_ADD(p, n) __atomic_fetch_add(p, n, __ATOMIC_RELAXED) /* what was there before */
#define RT_LOAD_ACQUIRE(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define RT_STORE_RELEASE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
/* Puts a pointer where there is none; 0 if there is one by now. */
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

/* The same for 64 bits; on i386 these are aligned to 4 bytes only. Counts are added to in halves where it must be: no
 * count is lost, though who reads meanwhile may see one half of it. */
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

/* Counts. A locked addition takes several times as long as the rest of a call does, so a process of one thread has the
 * other one; glibc says which it is. */
#if defined(ANYPROF_RT_HOSTED) && !defined(ANYPROF_RT_NO_ATOMICS) && defined(__GLIBC__)
extern char __libc_single_threaded __attribute__((weak));
#define RT_COUNT(p, n)                                                                                       \
    (&__libc_single_threaded && __libc_single_threaded ? (void)(*(p) += (n)) : RT_ADD64(p, n))
#else
#define RT_COUNT(p, n) RT_ADD64(p, n)
#endif

#endif
