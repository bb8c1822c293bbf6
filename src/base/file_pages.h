/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes of a file that is not read as a whole: pages, of which the most recently used are kept.
 *
 * The file is not mapped: if a mapped file is truncated, access raises SIGBUS, which a library can neither prevent nor
 * catch. A read beyond the end is an error. */
#ifndef BASE_FILE_PAGES_H
#define BASE_FILE_PAGES_H

#include <stdbool.h>

#include <anyprof/io.h>

#include "base/compiler.h"

#define FILE_PAGE ((size_t)4096)
#define FILE_PAGES 64u /* kept at a time */

/* All zero but for fd, which is -1: nothing is open. */
struct file_pages {
    int fd;                /* -1: the bytes are in memory */
    const uint8_t *memory; /* owned by the caller */
    uint64_t size;
    uint8_t *cache;
    uint64_t held[FILE_PAGES]; /* number of the page in each place, plus 1; 0: none */
    uint64_t reads, read_bytes;
};

/* Pages over memory of the caller, which need not be closed. */
static inline struct file_pages file_pages_of(const uint8_t *memory, uint64_t n)
{
    struct file_pages f = {.fd = -1, .memory = memory, .size = n};
    return f;
}
/* Opens a regular file or memory; *usable is false for other inputs. */
int file_pages_open(struct file_pages *f, const struct apf_input *input, uint64_t max_bytes, bool *usable,
                    struct apf_error *error);
/* Reads n bytes at an offset. APF_TRUNCATED, with `where`, when the file ends before. */
int file_pages_read(struct file_pages *f, uint64_t offset, void *to, size_t n, const char *where,
                    struct apf_error *error);
void file_pages_close(struct file_pages *f);

#endif
