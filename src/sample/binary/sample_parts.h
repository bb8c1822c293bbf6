/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bytes of sections of extbinary files, which may be compressed. */
#ifndef SAMPLE_PARTS_H
#define SAMPLE_PARTS_H

#include "sample/binary/sample_decode.h"
#include "sample/binary/sample_sections.h"

/* Memory for an inflated section. */
struct sample_inflated {
    VEC(uint8_t) bytes;
    uint64_t budget; /* bytes that sections may still be inflated to */
};

/* Makes a section the decoder's part; `stored` are its bytes in the file. If it is compressed, the part is in
 * `inflated`, and its last contents are lost. With `whole`, a damaged stream is no error: the part is what comes before
 * the damage, and *whole is false. */
int sample_part_open(struct sample_decoder *d, const struct sample_section *section, const uint8_t *stored,
                     size_t n, struct sample_inflated *inflated, bool *whole, struct apf_error *error);
/* Checks that the part was read to its end. */
int sample_part_end(const struct sample_decoder *d, struct apf_error *error);

#endif
