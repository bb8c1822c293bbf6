/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/page_names.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

#define LONGEST 180u /* of a name: file systems have 255 bytes, with the ending and the number */
#define INDEX "index"

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Hashes and compares names without regard to capitals. */
static uint64_t hash_of(const struct page_names *names, const char *name)
{
    char lowered[LONGEST + 2 + DECIMAL_MAX];
    size_t n = 0;
    for (; name[n] && n < sizeof lowered; n++)
        lowered[n] = lower(name[n]);
    return hash_index_mix(&names->index, hash_index_bytes(&names->index, lowered, n), 0);
}

static bool same(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && lower(a[i]) == lower(b[i]))
        i++;
    return lower(a[i]) == lower(b[i]);
}

static bool is_taken(struct page_names *names, const char *name)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &names->index, hash_of(names, name), same(names->list.data[e], name));
    return e != HASH_INDEX_NONE || same(name, INDEX);
}

const char *page_names_add(struct page_names *names, struct apf_str source)
{
    /* the end of a long name tells more than its beginning */
    const size_t cut = source.n > LONGEST ? source.n - LONGEST : 0, n = source.n - cut;
    char *name = arena_bytes(&names->arena, n + 2 + DECIMAL_MAX);
    if (!name || !hash_index_reserve(&names->index, 1) || !VEC_RESERVE(&names->list, 1) || !names->list.data)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const char c = source.p[cut + i];
        name[i] = c == '/' ? '-' : is_plain(c) ? c : '_';
    }
    if (n && name[0] == '.')
        name[0] = '_';
    name[n] = '\0';
    /* steps that grow, so that names that look like these cannot make many of them */
    for (uint64_t k = names->list.n + 1; n == 0 || is_taken(names, name); k = 2 * k + 1) {
        name[n] = '-';
        name[n + 1 + decimal_store((uint8_t *)name + n + 1, k)] = '\0';
        if (!is_taken(names, name))
            break;
    }
    hash_index_add(&names->index, hash_of(names, name), (uint32_t)names->list.n);
    names->list.data[names->list.n++] = name;
    return name;
}

char *page_names_path(struct page_names *names, const char *directory, const char *name)
{
    static const char ending[] = ".html";
    const size_t n = strlen(directory) + 1 + strlen(name) + sizeof ending;
    char *path = arena_bytes(&names->arena, n);
    if (path)
        (void)snprintf(path, n, "%s/%s%s", directory, name, ending);
    return path;
}

void page_names_free(struct page_names *names)
{
    arena_free(&names->arena);
    hash_index_free(&names->index);
    VEC_FREE(&names->list);
}
