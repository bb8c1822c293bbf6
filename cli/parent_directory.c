/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "parent_directory.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

bool parent_directory_find(const char *path, struct stat *st)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    char *dir = (char *)checked_realloc(NULL, n + 2, 1);
    memcpy(dir, slash ? path : ".", slash ? n : 1);
    dir[slash ? n : 1] = '\0';
    bool found = stat(dir, st) == 0;
    free(dir);
    return found;
}
