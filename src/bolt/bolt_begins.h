/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a text is one for BOLT, by its first lines: a directory may have any other text beside it. YAML profiles are
 * in base/file_magic.h. */
#ifndef BOLT_BOLT_BEGINS_H
#define BOLT_BOLT_BEGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the first n bytes of a file are those of fdata: the first record is one, after the lines of a header.
 * Carriage returns at the ends of lines do not count: the reader refuses them. */
bool fdata_begins(const uint8_t *data, size_t n);
/* The same of pre-aggregated samples, after lines with events. */
bool preagg_begins(const uint8_t *data, size_t n);

#endif
