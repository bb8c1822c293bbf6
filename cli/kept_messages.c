/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "kept_messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

void messages_keep(struct kept_messages *kept, const char *file, const char *text)
{
    if (!kept || !kept->on)
        return;
    const size_t size = strlen(file) + strlen(text) + 3;
    char *line = (char *)checked_realloc(NULL, size, 1);
    snprintf(line, size, "%s%s%s", file, *file ? ": " : "", text);
    kept->list = (char **)checked_realloc(kept->list, kept->n + 1, sizeof *kept->list);
    kept->list[kept->n++] = line;
}

void messages_free(struct kept_messages *kept)
{
    for (size_t i = 0; i < kept->n; i++)
        free(kept->list[i]);
    free(kept->list);
}
