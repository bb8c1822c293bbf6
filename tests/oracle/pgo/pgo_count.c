/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linked into the build that counts its own calls: prints "FILE NAME COUNT" for every function that ran. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pgo_count.h"

struct counted {
    const char *file, *name;
    unsigned long count;
};

static struct counted table[256];
static unsigned n_counted;

static void print_all(void)
{
    for (unsigned i = 0; i < n_counted; i++)
        printf("count %s %s %lu\n", table[i].file, table[i].name, table[i].count);
}

void pgo_count(const char *file, const char *name)
{
    unsigned i = 0;
    while (i < n_counted && (strcmp(table[i].file, file) != 0 || strcmp(table[i].name, name) != 0))
        i++;
    if (i == sizeof table / sizeof *table)
        abort();
    if (i == n_counted) {
        if (n_counted++ == 0)
            atexit(print_all);
        table[i].file = file;
        table[i].name = name;
    }
    table[i].count++;
}
