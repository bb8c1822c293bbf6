/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/file_crc.h"

#include <zlib.h>

#include "base/error.h"
#include "base/file.h"

#define PIECE ((size_t)32 << 10)

int file_crc(const char *path, uint32_t *crc, struct apf_error *error)
{
    struct apf_input input = apf_input_file(path);
    uint8_t piece[PIECE];
    uLong sum = crc32(0, NULL, 0);
    uint64_t offset = 0;
    size_t got = sizeof piece;
    int fd;
    int code = file_open_regular(&input, &fd, error);
    if (code != APF_OK)
        return code;
    if (fd < 0)
        return error_plain(error, APF_UNSUPPORTED, "file.open", "it is no regular file");
    while (code == APF_OK && got == sizeof piece) {
        code = file_read_at(fd, offset, piece, sizeof piece, &got, error);
        if (code == APF_OK)
            sum = crc32(sum, piece, (uInt)got);
        offset += got;
    }
    file_close_regular(fd);
    *crc = (uint32_t)sum;
    return code;
}
