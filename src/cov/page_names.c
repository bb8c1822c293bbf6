/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/page_names.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/text_bytes.h"
#include "cov/file_names.h"

#define LONGEST 180u /* of a name: file systems have 255 bytes, with the ending and the number */
#define LONGEST_PART 230u
#define LONGEST_PATH 2000u /* systems have 4096 bytes, with the directory */
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
    if (names->exact)
        return hash_index_mix(&names->index, hash_index_bytes(&names->index, name, strlen(name)), 0);
    for (; name[n] && n < sizeof lowered; n++)
        lowered[n] = lower(name[n]);
    return hash_index_mix(&names->index, hash_index_bytes(&names->index, lowered, n), 0);
}

static bool same(const struct page_names *names, const char *a, const char *b)
{
    if (names->exact)
        return strcmp(a, b) == 0;
    size_t i = 0;
    while (a[i] && lower(a[i]) == lower(b[i]))
        i++;
    return lower(a[i]) == lower(b[i]);
}

static bool is_taken(struct page_names *names, const char *name)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &names->index, hash_of(names, name), same(names, names->list.data[e], name));
    return e != HASH_INDEX_NONE || same(names, name, INDEX);
}

/* Ends a name of n bytes with `ending`, and with a number before that if the name is taken or empty, and adds it. */
static void add_number(struct page_names *names, char *name, size_t n, const char *ending)
{
    (void)stpcpy(name + n, ending);
    /* steps that grow, so that names that look like these cannot make many of them */
    for (uint64_t k = names->list.n + 1; n == 0 || is_taken(names, name); k = 2 * k + 1) {
        name[n] = '-';
        (void)stpcpy(name + n + 1 + decimal_store((uint8_t *)name + n + 1, k), ending);
        if (!is_taken(names, name))
            break;
    }
    hash_index_add(&names->index, hash_of(names, name), (uint32_t)names->list.n);
    names->list.data[names->list.n++] = name;
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
    add_number(names, name, n, "");
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

/* Appends one part of a path, as a part that leads nowhere else and that file systems can hold. Returns its length. */
static size_t add_part(char *to, const char *part, size_t n)
{
    if (n > LONGEST_PART) {
        part += n - LONGEST_PART;
        n = LONGEST_PART;
    }
    for (size_t i = 0; i < n; i++)
        to[i] = part[i] ? part[i] : '_';
    if (n == 2 && to[0] == '.' && to[1] == '.')
        to[0] = to[1] = '_';
    return n;
}

const char *page_names_text(struct page_names *names, const char *directory, struct apf_str source)
{
    static const char ending[] = ".txt", below[] = "/coverage";
    const size_t cut = source.n > LONGEST_PATH ? source.n - LONGEST_PATH : 0, top = strlen(directory);
    const size_t drive = !cut && file_names_has_drive(source) ? 2 : 0;
    const struct apf_str path = {source.p + cut + drive, source.n - cut - drive}, base = text_last_part(path);
    char *text =
        arena_bytes(&names->arena, top + sizeof below + path.n + 1 + sizeof ending + 1 + DECIMAL_MAX);
    char *parent = arena_bytes(&names->arena, path.n + 1);
    if (!text || !parent || !hash_index_reserve(&names->index, 1) || !VEC_RESERVE(&names->list, 1) ||
        !names->list.data)
        return NULL;
    char *at = stpcpy(stpcpy(text, directory), below);
    const size_t n = file_names_clean(parent, path.p, path.n - base.n);
    for (size_t i = 0, end; i < n; i = end + 1) {
        for (end = i; end < n && parent[end] != '/'; end++)
            ;
        if (end == i || (end == i + 1 && parent[i] == '.'))
            continue;
        *at++ = '/';
        at += add_part(at, parent + i, end - i);
    }
    *at++ = '/';
    at += add_part(at, base.p, base.n);
    add_number(names, text, (size_t)(at - text), ending);
    return text;
}

void page_names_free(struct page_names *names)
{
    arena_free(&names->arena);
    hash_index_free(&names->index);
    VEC_FREE(&names->list);
}
