/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/source_text.h"

#include <string.h>

#include "base/error.h"
#include "base/text_append.h"
#include "cov/file_names.h"

#define DEFAULT_MAX_BYTES ((uint64_t)1 << 28)
#define MOST_AT_ONCE 4u /* files of the largest size that one page or view shows */

/* How large the next file may be. */
static uint64_t room(const struct source_texts *t)
{
    const uint64_t most = t->max_bytes ? t->max_bytes : DEFAULT_MAX_BYTES;
    const uint64_t all = most > UINT64_MAX / MOST_AT_ONCE ? UINT64_MAX : MOST_AT_ONCE * most;
    return all - t->kept < most ? all - t->kept : most;
}

/* The path of a file, terminated; NULL: an allocation failed. */
static const char *path_of(struct source_texts *t, struct apf_str name)
{
    const struct apf_name_change *change = file_names_change(t->changes, t->n_changes, name);
    return change ? file_names_changed(&t->arena, name, change).p : arena_text(&t->arena, name.p, name.n);
}

/* Reads a regular file; another one, which a program may name to make readers wait, counts as missing. False: an
 * allocation failed. */
static bool read_regular(struct source_texts *t, const char *path, struct source_text *text)
{
    const struct apf_input input = apf_input_file(path);
    struct apf_error error = {.sys_errno = 0};
    uint64_t size = 0;
    size_t got = 0;
    int fd = -1, code = file_open_regular(&input, &fd, &error);
    text->sys_errno = error.sys_errno;
    if (code != APF_OK || fd < 0)
        return code != APF_NO_MEMORY;
    code = file_size_regular(fd, room(t), &size, &error);
    char *bytes = code == APF_OK ? arena_bytes(&t->arena, (size_t)size + 1) : NULL;
    const bool no_memory = code == APF_OK && !bytes;
    if (bytes)
        code = file_read_at(fd, 0, bytes, (size_t)size, &got, &error);
    file_close_regular(fd);
    text->there = bytes && code == APF_OK;
    text->sys_errno = code == APF_OK ? 0 : error.sys_errno;
    t->kept += text->there ? got : 0;
    text->bytes = (struct apf_str){bytes, got};
    return !no_memory;
}

/* Notes where lines begin. False: an allocation failed. */
static bool mark_lines(struct source_texts *t, struct source_text *text)
{
    const char *begin = text->bytes.p, *end = ENTRY_AT(begin, text->bytes.n), *at = begin;
    VEC(size_t) marks = {NULL, 0, 0};
    bool ok = true;
    for (; at && at < end && ok; text->n_lines++) {
        if (text->n_lines % SOURCE_MARK_LINES == 0)
            ok = VEC_PUSH(&marks, (size_t)(at - begin));
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        at = feed ? feed + 1 : end;
    }
    size_t *kept = ok ? arena_array(&t->arena, marks.n, sizeof *kept) : NULL;
    if (kept && marks.n)
        memcpy(kept, marks.data, marks.n * sizeof *kept);
    text->marks = kept;
    text->n_marks = kept ? marks.n : 0;
    VEC_FREE(&marks);
    return kept != NULL;
}

struct source_lines source_lines_near(const struct source_text *text, uint64_t first, uint64_t *line)
{
    struct source_lines lines = source_lines_of(text);
    uint64_t mark = first ? (first - 1) / SOURCE_MARK_LINES : 0;
    *line = 1;
    if (!text->n_marks)
        return lines;
    if (mark >= text->n_marks)
        mark = text->n_marks - 1;
    lines.at = text->bytes.p + text->marks[mark];
    *line = mark * SOURCE_MARK_LINES + 1;
    return lines;
}

/* Whether no file can have the name. */
static bool is_impossible(struct apf_str name)
{
    return name.n && memchr(name.p, 0, name.n);
}

int source_texts_report(struct source_texts *t, struct apf_str name, const struct source_text *text,
                        struct apf_error *error)
{
    struct apf_cov_source source = {.name = name, .is_read = text->there, .sys_errno = text->sys_errno};
    if (!t->source)
        return APF_OK;
    while (t->reported.n <= text->file)
        if (!VEC_PUSH(&t->reported, 0))
            return error_memory(error);
    if (t->reported.data[text->file])
        return APF_OK;
    t->reported.data[text->file] = 1;
    if (!is_impossible(name) && !(source.path = path_of(t, name)))
        return error_memory(error);
    t->source(t->user, &source);
    return APF_OK;
}

int source_texts_read(struct source_texts *t, uint32_t file, struct apf_str name, struct source_text *text,
                      struct apf_error *error)
{
    for (size_t i = 0; i < t->list.n; i++)
        if (t->list.data[i].file == file) {
            *text = t->list.data[i];
            return APF_OK;
        }
    const char *path = path_of(t, name);
    *text = (struct source_text){.file = file};
    const bool ok = path && (is_impossible(name) || (read_regular(t, path, text) && mark_lines(t, text)));
    return ok && VEC_PUSH(&t->list, *text) ? source_texts_report(t, name, text, error) : error_memory(error);
}

void source_texts_drop(struct source_texts *t)
{
    VEC_FREE(&t->list);
    arena_free(&t->arena);
    t->kept = 0;
}

void source_texts_free(struct source_texts *t)
{
    source_texts_drop(t);
    VEC_FREE(&t->reported);
}

bool source_lines_next(struct source_lines *lines, struct apf_str *line)
{
    if (lines->at == lines->end)
        return false;
    const size_t left = (size_t)(lines->end - lines->at);
    const char *end = memchr(lines->at, '\n', left);
    line->p = lines->at;
    line->n = end ? (size_t)(end - lines->at) : left;
    lines->at = end ? end + 1 : lines->end;
    if (end && line->n && line->p[line->n - 1] == '\r')
        line->n--;
    return true;
}

void source_line_write(struct file_out *out, struct apf_str text)
{
    while (text.n) {
        const char *tab = memchr(text.p, '\t', text.n);
        const struct apf_str part = {text.p, tab ? (size_t)(tab - text.p) : text.n};
        text_name(out, part);
        text_append(out, tab ? "\t" : "");
        text.p += part.n + (tab != NULL);
        text.n -= part.n + (tab != NULL);
    }
}
