/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Archives of ar, thin ones included. */
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "cov/section_readers.h"

#define MAGIC "!<arch>\n"
#define THIN_MAGIC "!<thin>\n"
#define MAGIC_BYTES 8u
#define HEADER_BYTES 60u
#define NAME_BYTES 16u
#define SIZE_AT 48u
#define SIZE_BYTES 10u
#define END_AT 58u
#define BSD_NAME "#1/"
#define MOST_NAME ((size_t)4096) /* bytes; longer names are no paths */

bool archive_is(const uint8_t *p, size_t n)
{
    return n >= MAGIC_BYTES &&
           (memcmp(p, MAGIC, MAGIC_BYTES) == 0 || memcmp(p, THIN_MAGIC, MAGIC_BYTES) == 0);
}

struct archive_walk {
    struct cursor c;
    bool thin;
    struct apf_str long_names;
    const char *path;
    struct apf_error *error;
};

/* A decimal number that blanks follow. */
static uint64_t read_decimal(const char *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n && p[i] >= '0' && p[i] <= '9'; i++)
        v = 10 * v + (uint64_t)(p[i] - '0');
    return v;
}

static bool has_prefix(struct apf_str name, const char *prefix)
{
    return name.n >= strlen(prefix) && memcmp(name.p, prefix, strlen(prefix)) == 0;
}

/* The name of a member: up to a slash, or in the table of long names. */
static struct apf_str member_name(const struct archive_walk *w, struct apf_str name)
{
    if (name.n > 1 && *name.p == '/' && name.p[1] >= '0' && name.p[1] <= '9') {
        const uint64_t at = read_decimal(name.p + 1, name.n - 1);
        if (at >= w->long_names.n)
            return name;
        name.p = w->long_names.p + at;
        name.n = w->long_names.n - (size_t)at;
        name.n = strnlen(name.p, name.n < MOST_NAME ? name.n : MOST_NAME);
        const char *end = memchr(name.p, '\n', name.n);
        name.n = end ? (size_t)(end - name.p) : name.n;
        if (name.n && name.p[name.n - 1] == '/')
            name.n--;
        return name;
    }
    const char *slash = memchr(name.p, '/', name.n);
    name.n = slash ? (size_t)(slash - name.p) : name.n;
    while (name.n && name.p[name.n - 1] == ' ')
        name.n--;
    return name;
}

/* The path of a member of a thin archive, below the directory of the archive; for free(). */
static char *thin_path(const struct archive_walk *w, struct apf_str name)
{
    const char *slash = name.n && *name.p == '/' ? NULL : strrchr(w->path, '/');
    const size_t n = slash ? (size_t)(slash + 1 - w->path) : 0;
    char *path = malloc(n + name.n + 1);
    if (!path)
        return NULL;
    memcpy(path, w->path, n);
    memcpy(path + n, name.p, name.n);
    path[n + name.n] = '\0';
    return path;
}

static int visit(const struct archive_walk *w, struct container_entry *entry,
                 int (*each)(void *user, const struct container_entry *entry), void *user)
{
    char *path = w->thin && w->path ? thin_path(w, entry->name) : NULL;
    entry->path = path;
    if (w->thin && !path)
        return w->path ? error_memory(w->error)
                       : APF_OK; /* the members of a file in memory cannot be found */
    const int code = each(user, entry);
    free(path);
    return code;
}

static int wrong(const struct archive_walk *w)
{
    return error_place(w->error, APF_BAD_COVERAGE, "archive.member", cursor_offset(&w->c),
                       "the archive is damaged, or cut off");
}

/* Reads a member; *is_object: it is not one of the archive's own tables. */
static int read_member(struct archive_walk *w, struct container_entry *entry, bool *is_object)
{
    const char *header = (const char *)cursor_bytes(&w->c, HEADER_BYTES);
    if (!header || header[END_AT] != '`' || header[END_AT + 1] != '\n')
        return wrong(w);
    struct apf_str name = {header, NAME_BYTES};
    const bool is_names = has_prefix(name, "// "),
               is_symbols = has_prefix(name, "/ ") || has_prefix(name, "/SYM64/");
    const uint64_t size = read_decimal(header + SIZE_AT, SIZE_BYTES);
    const uint64_t stored = w->thin && !is_names && !is_symbols ? 0 : size;
    *entry = (struct container_entry){.p = cursor_bytes(&w->c, stored), .n = (size_t)stored};
    if (w->c.failed)
        return wrong(w);
    if (stored % 2 && cursor_left(&w->c))
        cursor_skip(&w->c, 1);
    if (is_names)
        w->long_names = (struct apf_str){(const char *)entry->p, entry->n};
    if (has_prefix(name, BSD_NAME)) {
        const uint64_t n = read_decimal(name.p + 3, name.n - 3);
        if (n > entry->n)
            return wrong(w);
        entry->name = (struct apf_str){(const char *)entry->p, strnlen((const char *)entry->p, (size_t)n)};
        entry->p += n;
        entry->n -= (size_t)n;
    } else {
        entry->name = member_name(w, name);
    }
    *is_object = !is_names && !is_symbols && !has_prefix(entry->name, "__.SYMDEF");
    return APF_OK;
}

int archive_walk(const uint8_t *p, size_t n, const char *path,
                 int (*each)(void *user, const struct container_entry *entry), void *user,
                 struct apf_error *error)
{
    struct archive_walk w = {.c = cursor_make(p, n, false), .path = path, .error = error};
    w.thin = memcmp(p, THIN_MAGIC, MAGIC_BYTES) == 0;
    cursor_skip(&w.c, MAGIC_BYTES);
    int code = APF_OK;
    while (code == APF_OK && cursor_left(&w.c)) {
        struct container_entry entry;
        bool is_object;
        code = read_member(&w, &entry, &is_object);
        if (code == APF_OK && is_object)
            code = visit(&w, &entry, each, user);
    }
    return code;
}
