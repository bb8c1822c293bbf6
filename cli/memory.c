/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

void out_of_memory(void)
{
    fputs("error: out of memory\n", stderr);
    exit(EXIT_DATA);
}

void *checked_realloc(void *old, size_t n, size_t size)
{
    void *p = n > SIZE_MAX / size - 1 ? NULL : realloc(old, n ? n * size : 1);
    if (!p)
        out_of_memory();
    return p;
}

char *checked_copy(const char *text)
{
    size_t n = strlen(text) + 1;
    return (char *)memcpy(checked_realloc(NULL, n, 1), text, n);
}

char *read_some(const char *path, uint64_t most, size_t *n)
{
    bool from_stdin = strcmp(path, "-") == 0;
    FILE *file = from_stdin ? stdin : fopen(path, "rb");
    if (!file)
        return NULL;
    size_t capacity = 4096, used = 0;
    char *data = (char *)checked_realloc(NULL, capacity, 1);
    while (!feof(file) && !ferror(file) && (most == 0 || used < most)) {
        used += fread(data + used, 1, capacity - used - 1, file);
        if (used == capacity - 1) {
            capacity *= 2;
            data = (char *)checked_realloc(data, capacity, 1);
        }
    }
    int failed = ferror(file) ? errno : 0;
    if (!from_stdin)
        fclose(file);
    data[used] = '\0';
    *n = used;
    if (!failed)
        return data;
    free(data);
    errno = failed;
    return NULL;
}

char *read_whole(const char *path, size_t *n)
{
    return read_some(path, 0, n);
}
