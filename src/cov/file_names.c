/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/file_names.h"

#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"

/* The number of a name, or HASH_INDEX_NONE. */
static uint32_t find(const struct file_names *t, struct apf_str name)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &t->index, hash_index_bytes(&t->index, name.p, name.n),
                    text_equal(t->list.data[e], name));
    return e;
}

int file_names_add(struct file_names *t, struct apf_str name, uint32_t *number, struct apf_error *error)
{
    if (!hash_index_reserve(&t->index, 1) || !VEC_RESERVE(&t->list, 1))
        return hash_index_error(&t->index, error);
    *number = find(t, name);
    if (*number != HASH_INDEX_NONE)
        return APF_OK;
    name.p = arena_text(&t->text, name.p, name.n);
    if (!name.p)
        return error_memory(error);
    *number = (uint32_t)t->list.n;
    hash_index_add(&t->index, hash_index_bytes(&t->index, name.p, name.n), *number);
    t->list.data[t->list.n++] = name;
    return APF_OK;
}

void file_names_free(struct file_names *t)
{
    VEC_FREE(&t->list);
    hash_index_free(&t->index);
    arena_free(&t->text);
}

/* ---- paths ---- */

/* Where the last part of the n bytes that were written begins, if it can be taken back: it is no "..". */
static size_t parent_of(const char *to, size_t n, size_t root, bool *found)
{
    size_t at = n;
    while (at > root && to[at - 1] != '/')
        at--;
    *found = n > root && !(n - at == 2 && to[at] == '.' && to[at + 1] == '.');
    return at > root ? at - 1 : root;
}

size_t file_names_clean(char *to, const char *path, size_t n)
{
    const size_t root = n && *path == '/';
    size_t done = 0;
    if (root)
        to[done++] = '/';
    for (size_t i = root; i < n;) {
        const char *slash = memchr(path + i, '/', n - i);
        const size_t end = slash ? (size_t)(slash - path) : n;
        const size_t length = end - i;
        const bool dot = length == 1 && path[i] == '.';
        const bool up = length == 2 && path[i] == '.' && path[i + 1] == '.';
        bool found = false;
        const size_t parent = up ? parent_of(to, done, root, &found) : 0;
        if (up && found) {
            done = parent;
        } else if (length && !dot && !(up && root)) {
            if (done > root)
                to[done++] = '/';
            memmove(to + done, path + i, length);
            done += length;
        }
        i = end + 1;
    }
    return done;
}

struct apf_str file_names_join(struct arena *arena, struct apf_str directory, struct apf_str name)
{
    struct apf_str path = name;
    if ((name.n && *name.p == '/') || directory.n == 0)
        return path;
    const bool slash = directory.p[directory.n - 1] != '/';
    char *text = arena_bytes(arena, directory.n + 1 + name.n);
    path.p = text;
    if (!text)
        return path;
    memcpy(text, directory.p, directory.n);
    text[directory.n] = '/';
    if (name.n)
        memcpy(text + directory.n + slash, name.p, name.n);
    path.n = file_names_clean(text, text, directory.n + slash + name.n);
    return path;
}

static bool begins_with(struct apf_str name, struct apf_str beginning)
{
    return beginning.n == 0 || (beginning.n <= name.n && memcmp(name.p, beginning.p, beginning.n) == 0);
}

const struct apf_name_change *file_names_change(const struct apf_name_change *changes, size_t n,
                                                struct apf_str name)
{
    while (n && !begins_with(name, changes[n - 1].from))
        n--;
    return n ? &changes[n - 1] : NULL;
}

struct apf_str file_names_changed(struct arena *arena, struct apf_str name,
                                  const struct apf_name_change *change)
{
    const size_t kept = name.n - change->from.n;
    char *text = arena_bytes(arena, change->to.n + kept + 1);
    if (!text)
        return (struct apf_str){NULL, 0};
    if (change->to.n)
        memcpy(text, change->to.p, change->to.n);
    if (kept)
        memcpy(text + change->to.n, name.p + change->from.n, kept);
    text[change->to.n + kept] = '\0';
    return (struct apf_str){text, change->to.n + kept};
}
