/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The one place for compiler extensions. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#if defined(__GNUC__)
#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#define MUST_USE __attribute__((warn_unused_result))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define NO_INLINE __attribute__((noinline))
#define ALWAYS_INLINE inline __attribute__((always_inline))
/* Distance, in items, of prefetches where items are visited in another order than their order in memory. */
#define FETCH_AHEAD 8u
/* The asm keeps gcc from dropping calls of functions that only prefetch, which it considers without effect. */
#define PREFETCH(p)                                                                                          \
    do {                                                                                                     \
        __asm__ volatile("");                                                                                \
        __builtin_prefetch(p);                                                                               \
    } while (0)
/* A type of n bytes of elements, on which operators work element by element: typedef uint64_t words VECTOR_OF(16). */
#define VECTOR_OF(n) __attribute__((vector_size(n)))
/* Bits up to the highest one that is set; v is not 0. */
#define BIT_WIDTH(v) (64u - (unsigned)__builtin_clzll(v))
/* Zero bits below the lowest one that is set; v is not 0. */
#define LOW_ZEROS(v) ((unsigned)__builtin_ctzll(v))
#define COUNT_BITS(v) ((unsigned)__builtin_popcountll(v))
#define MUL_OVERFLOWS(a, b, out) __builtin_mul_overflow(a, b, out)
#define ADD_OVERFLOWS(a, b, out) __builtin_add_overflow(a, b, out)
#else
#error "anyprof needs gcc or clang"
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define HOST_BIG_ENDIAN 1
#else
#define HOST_BIG_ENDIAN 0
#endif

#endif
