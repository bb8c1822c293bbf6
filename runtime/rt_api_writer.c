/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* compiler-rt's way to get binary ids: pieces are given to a writer. */
#include "rt_api.h"

#include "rt_write.h"

static int put(void *context, const void *bytes, size_t n)
{
    struct aprt_writer *writer = context;
    struct aprt_piece piece = {bytes, 1, n, 0};
    return writer->write(writer, &piece, 1) ? -1 : 0;
}

int __llvm_write_binary_ids(struct aprt_writer *writer)
{
    struct aprt_image image;
    struct aprt_out out = {.write = writer ? put : NULL, .context = writer};
    if (aprt_image_find(&image) != RT_FOUND)
        return -1;
    aprt_write_binary_ids(&out, image.layout);
    return out.code ? -1 : (int)out.size;
}
