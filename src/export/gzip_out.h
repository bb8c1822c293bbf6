/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An output that is compressed with gzip, as a stream. No time and no name is in it: equal bytes give equal files. */
#ifndef EXPORT_GZIP_OUT_H
#define EXPORT_GZIP_OUT_H

#include <zlib.h>

#include "base/file.h"

struct gzip_out {
    z_stream z;
    struct file_out *out;
    size_t n; /* bytes in `buffer` */
    uint8_t buffer[(size_t)1 << 15];
};

/* gzip_close must follow, unless this has failed. */
int gzip_open(struct gzip_out *g, struct file_out *out, struct apf_error *error);
/* Appends bytes. Failures of the output are sticky, as file_out's are. */
void gzip_append(struct gzip_out *g, const void *p, size_t n);
void gzip_close(struct gzip_out *g);

#endif
