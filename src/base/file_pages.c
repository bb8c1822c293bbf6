/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/file_pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

/* Longer reads are not kept: they are single long records without neighbours. */
#define KEPT_BYTES (4 * FILE_PAGE)

int file_pages_open(struct file_pages *f, const struct apf_input *input, uint64_t max_bytes, bool *usable,
                    struct apf_error *error)
{
    memset(f, 0, sizeof *f);
    f->fd = -1;
    *usable = false;
    *usable = !input->path;
    if (!input->path) {
        f->memory = (const uint8_t *)input->data;
        f->size = input->n;
        return APF_OK;
    }
    int code = file_open_regular(input, &f->fd, error);
    if (code != APF_OK || f->fd < 0)
        return code;
    code = file_size_regular(f->fd, max_bytes, &f->size, error);
    f->cache = code == APF_OK ? malloc(FILE_PAGES * FILE_PAGE) : NULL;
    if (code == APF_OK && !f->cache)
        code = error_memory(error);
    *usable = code == APF_OK;
    if (code != APF_OK)
        file_pages_close(f);
    return code;
}

void file_pages_close(struct file_pages *f)
{
    file_close_regular(f->fd);
    free(f->cache);
    memset(f, 0, sizeof *f);
    f->fd = -1;
}

static int missing_bytes(uint64_t offset, size_t n, uint64_t size, const char *where, struct apf_error *error)
{
    struct error_at at = {where, offset, n, size > offset ? size - offset : 0};
    return error_at(error, APF_TRUNCATED, at, NULL);
}

/* Reads n bytes that must exist. */
static int read_exact(struct file_pages *f, uint64_t offset, void *to, size_t n, const char *where,
                      struct apf_error *error)
{
    size_t got = 0;
    int code = file_read_at(f->fd, offset, to, n, &got, error);
    f->reads++;
    f->read_bytes += got;
    return code == APF_OK && got < n ? missing_bytes(offset, n, offset + got, where, error) : code;
}

/* The page that an offset is in; NULL: error. */
static const uint8_t *page_at(struct file_pages *f, uint64_t offset, const char *where,
                              struct apf_error *error, int *code)
{
    uint64_t number = offset / FILE_PAGE, left = f->size - number * FILE_PAGE;
    unsigned place = number % FILE_PAGES;
    uint8_t *page = f->cache + place * FILE_PAGE;
    *code = APF_OK;
    if (f->held[place] == number + 1)
        return page;
    f->held[place] = 0;
    *code =
        read_exact(f, number * FILE_PAGE, page, left < FILE_PAGE ? (size_t)left : FILE_PAGE, where, error);
    if (*code != APF_OK)
        return NULL;
    f->held[place] = number + 1;
    return page;
}

int file_pages_read(struct file_pages *f, uint64_t offset, void *to, size_t n, const char *where,
                    struct apf_error *error)
{
    uint8_t *next = (uint8_t *)to;
    if (offset > f->size || n > f->size - offset)
        return missing_bytes(offset, n, f->size, where, error);
    if (f->fd < 0) {
        if (n)
            memcpy(to, f->memory + offset, n);
        return APF_OK;
    }
    if (n > KEPT_BYTES)
        return read_exact(f, offset, to, n, where, error);
    while (n) {
        size_t at = offset % FILE_PAGE, part = FILE_PAGE - at < n ? FILE_PAGE - at : n;
        int code;
        const uint8_t *page = page_at(f, offset, where, error, &code);
        if (!page)
            return code;
        memcpy(next, page + at, part);
        next += part;
        offset += part;
        n -= part;
    }
    return APF_OK;
}
