/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/file_names.h"

#include <string.h>

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

bool file_names_has_drive(struct apf_str path)
{
    return path.n > 2 && ((path.p[0] >= 'A' && path.p[0] <= 'Z') || (path.p[0] >= 'a' && path.p[0] <= 'z')) &&
           path.p[1] == ':' && (path.p[2] == '/' || path.p[2] == '\\');
}

static void use_slashes(char *path, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (path[i] == '\\')
            path[i] = '/';
}

struct apf_str file_names_join(struct arena *arena, struct apf_str directory, struct apf_str name,
                               enum names_style style)
{
    const bool drives = style != NAMES_OF_UNIX, in_drive = drives && file_names_has_drive(directory);
    const bool windows = style == NAMES_OF_WINDOWS || in_drive || (drives && file_names_has_drive(name));
    const bool absolute =
        name.n && (*name.p == '/' || (windows && (*name.p == '\\' || file_names_has_drive(name))));
    const bool joins = directory.p && !absolute;
    struct apf_str path = name;
    if (!joins && (!windows || !name.n || !memchr(name.p, '\\', name.n)))
        return path;
    char *text = arena_bytes(arena, directory.n + 2 + name.n);
    size_t n = 0, drive = joins && in_drive ? 2 : 0;
    path.p = text;
    if (!text)
        return path;
    if (joins && directory.n) {
        memcpy(text, directory.p, directory.n);
        n = directory.n;
        text[n] = '/';
        n += !(text[n - 1] == '/' || (windows && text[n - 1] == '\\'));
    }
    if (name.n)
        memcpy(text + n, name.p, name.n);
    n += name.n;
    if (windows)
        use_slashes(text, n);
    path.n = joins ? drive + file_names_clean(text + drive, text + drive, n - drive) : n;
    return path;
}

const struct apf_name_change *file_names_change(const struct apf_name_change *changes, size_t n,
                                                struct apf_str name)
{
    while (n && !file_names_begin(name, changes[n - 1].from.p, changes[n - 1].from.n))
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
