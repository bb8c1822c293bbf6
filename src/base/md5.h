/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MD5, and the 64-bit id LLVM gives a name: the first 8 bytes of its MD5, read little-endian. */
#ifndef BASE_MD5_H
#define BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

uint64_t md5_name_ref(const void *name, size_t n);

#define MD5_BYTES 16u
void md5_bytes(const void *name, size_t n, uint8_t digest[MD5_BYTES]);

#endif
