/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* compiler-rt's interface to binary ids: the runtime gives pieces to a writer. */
#include "rt_api.h"

#include "rt_elf.h"

static int write_piece(void *context, const void *bytes, size_t n)
{
    struct aprt_writer *writer = context;
    struct aprt_piece piece = {bytes, 1, n, 0};
    return writer->write(writer, &piece, 1) ? -1 : 0;
}

int __llvm_write_binary_ids(struct aprt_writer *writer)
{
    struct aprt_image image;
    struct aprt_out out = {.write = writer ? write_piece : NULL, .context = writer};
    if (aprt_image_find(&image) != RT_FOUND)
        return -1;
    aprt_write_binary_ids(&out, image.layout);
    return out.code ? -1 : (int)out.size;
}
