/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that compilers call to copy and clear memory. Programs with a C library have them already. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memset(void *at, int byte, size_t n);
void __aeabi_memclr8(void *at, size_t n);
void __aeabi_memclr4(void *at, size_t n);
void __aeabi_memclr(void *at, size_t n);
void __aeabi_memcpy8(void *restrict to, const void *restrict from, size_t n);
void __aeabi_memcpy4(void *restrict to, const void *restrict from, size_t n);
void __aeabi_memcpy(void *restrict to, const void *restrict from, size_t n);

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
    return to;
}

void *memset(void *at, int byte, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)at)[i] = (uint8_t)byte;
    return at;
}

#define CLEAR(name)                                                                                          \
    void name(void *at, size_t n)                                                                            \
    {                                                                                                        \
        (void)memset(at, 0, n);                                                                              \
    }
CLEAR(__aeabi_memclr8)
CLEAR(__aeabi_memclr4)
CLEAR(__aeabi_memclr)

#define COPY(name)                                                                                           \
    void name(void *restrict to, const void *restrict from, size_t n)                                        \
    {                                                                                                        \
        (void)memcpy(to, from, n);                                                                           \
    }
COPY(__aeabi_memcpy8)
COPY(__aeabi_memcpy4)
COPY(__aeabi_memcpy)
