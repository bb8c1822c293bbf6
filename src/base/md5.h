/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The 64-bit id LLVM gives a name: the first 8 bytes of its MD5, read little-endian. */
#ifndef BASE_MD5_H
#define BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

uint64_t md5_name_ref(const void *name, size_t n);

#endif
