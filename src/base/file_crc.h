/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The checksum by which a program names the file with its debug information. */
#ifndef BASE_FILE_CRC_H
#define BASE_FILE_CRC_H

#include <stdint.h>

#include <anyprof/error.h>

/* Computes the CRC-32 (of zlib, and .gnu_debuglink) of all bytes of the regular file at a path. */
int file_crc(const char *path, uint32_t *crc, struct apf_error *error);

#endif
