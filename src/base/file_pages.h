/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes of a file that is not read as a whole: pages, of which the last few that were used are kept.
 *
 * Not a mapping: when somebody cuts a mapped file, whoever looks at it gets SIGBUS, which a library can neither prevent
 * nor catch. A read of what is no longer there is an error. */
#ifndef BASE_FILE_PAGES_H
#define BASE_FILE_PAGES_H

#include <stdbool.h>

#include <anyprof/io.h>

#include "base/compiler.h"

#define FILE_PAGE ((size_t)4096)
#define FILE_PAGES 64u /* that are kept */

/* All zero but for fd, which is -1: nothing is open. */
struct file_pages {
    int fd;                /* -1: the bytes are in memory */
    const uint8_t *memory; /* the caller's */
    uint64_t size;
    uint8_t *cache;
    uint64_t held[FILE_PAGES]; /* number of the page in each place, and 1 more; 0: none */
    uint64_t reads, read_bytes;
};

/* Bytes in memory, which the caller keeps. There is nothing to close. */
static inline struct file_pages file_pages_of(const uint8_t *memory, uint64_t n)
{
    struct file_pages f = {.fd = -1, .memory = memory, .size = n};
    return f;
}
/* Of a regular file, or of memory; *usable is false of other inputs. */
int file_pages_open(struct file_pages *f, const struct apf_input *input, uint64_t max_bytes, bool *usable,
                    struct apf_error *error);
/* n bytes at an offset. APF_TRUNCATED, with `where`, when they are not there. */
int file_pages_read(struct file_pages *f, uint64_t offset, void *to, size_t n, const char *where,
                    struct apf_error *error);
void file_pages_close(struct file_pages *f);

#endif
