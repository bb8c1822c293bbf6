/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/patch.h"

#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/text_bytes.h"

struct patch_reader {
    struct patch *p;
    const char *begin, *at, *end;
    struct apf_str line;
    uint64_t number;    /* of the line */
    struct apf_str old; /* what the last "--- " names */
    bool has_old;       /* the line before was one */
    bool has_file;      /* hunks are of the last file */
    bool after_hunk;    /* the line before was the last one of a hunk */
    bool is_diff;       /* something says so */
    struct apf_error *error;
};

static bool next_line(struct patch_reader *r)
{
    if (r->at == r->end)
        return false;
    const char *feed = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char *stop = feed ? feed : r->end;
    r->line = (struct apf_str){r->at, (size_t)(stop - r->at)};
    r->at = feed ? feed + 1 : r->end;
    r->number++;
    return true;
}

static int wrong(const struct patch_reader *r, const char *detail)
{
    error_set_column(r->error, APF_BAD_PATCH, "patch", (uint64_t)(r->line.p - r->begin),
                     r->number < UINT32_MAX ? (uint32_t)r->number : UINT32_MAX, 1, detail);
    return APF_BAD_PATCH;
}

/* ---- names ---- */

/* What stands for the character after a backslash, in names that git quotes. */
static char unescaped(char c)
{
    static const char letters[] = "abtnvfr";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? (char)('\a' + (at - letters)) : c;
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* The name between quotes, in which git has octal numbers for bytes. */
static struct apf_str unquote(struct patch_reader *r, struct apf_str quoted)
{
    char *text = arena_bytes(&r->p->arena, quoted.n + 1);
    size_t n = 0;
    for (size_t i = 1; text && i < quoted.n && quoted.p[i] != '"'; i++) {
        char c = quoted.p[i];
        if (c == '\\' && i + 3 < quoted.n && is_octal(quoted.p[i + 1]) && is_octal(quoted.p[i + 2]) &&
            is_octal(quoted.p[i + 3])) {
            c = (char)((quoted.p[i + 1] - '0') << 6 | (quoted.p[i + 2] - '0') << 3 | (quoted.p[i + 3] - '0'));
            i += 3;
        } else if (c == '\\' && i + 1 < quoted.n) {
            c = unescaped(quoted.p[++i]);
        }
        text[n++] = c;
    }
    return (struct apf_str){text, n};
}

/* The name in a line, after "--- " or "+++ ": up to a tab, after which there may be a time. p == NULL: an allocation
 * failed. */
static struct apf_str name_in(struct patch_reader *r)
{
    struct apf_str name = {r->line.p + 4, r->line.n - 4};
    const char *tab = name.n ? memchr(name.p, '\t', name.n) : NULL;
    if (tab)
        name.n = (size_t)(tab - name.p);
    else if (name.n && name.p[name.n - 1] == '\r')
        name.n--;
    if (text_starts_with(name, "./")) {
        name.p += 2;
        name.n -= 2;
    }
    return name.n && name.p[0] == '"' ? unquote(r, name) : name;
}

static bool is_nothing(struct apf_str name)
{
    return text_is(name, "/dev/null");
}

/* Whether a name begins with a letter or digit that git puts before it, and a slash. */
static bool has_prefix(struct apf_str name)
{
    return name.n > 2 && name.p[1] == '/' && name.p[0] && strchr("abciow12", name.p[0]);
}

/* Whether a name has a letter before it: the old one has another, or it is none. */
static bool is_prefixed(struct apf_str old, struct apf_str name)
{
    return has_prefix(name) && (is_nothing(old) || (has_prefix(old) && old.p[0] != name.p[0]));
}

/* Begins the file that "+++ " names; if that is removed, it has no new lines. */
static int begin_file(struct patch_reader *r)
{
    const struct apf_str name = name_in(r);
    if (!name.p || !r->old.p)
        return error_memory(r->error);
    r->has_file = true;
    const struct patch_file file = {
        .name = name, .prefixed = is_prefixed(r->old, name), .first = r->p->added.list.n};
    return VEC_PUSH(&r->p->files, file) ? APF_OK : error_memory(r->error);
}

/* ---- hunks ---- */

static bool read_number(struct apf_str *text, uint64_t *value)
{
    size_t i = 0;
    *value = 0;
    for (; i < text->n && text->p[i] >= '0' && text->p[i] <= '9' && i < 9; i++)
        *value = *value * 10 + (uint64_t)(text->p[i] - '0');
    text->p += i;
    text->n -= i;
    return i > 0;
}

/* Reads "3,4", or "3", which has one line. */
static bool read_extent(struct apf_str *text, uint64_t *first, uint64_t *n)
{
    *n = 1;
    if (!read_number(text, first))
        return false;
    if (text->n == 0 || text->p[0] != ',')
        return true;
    text->p++;
    text->n--;
    return read_number(text, n);
}

static bool skip_word(struct apf_str *text, const char *word)
{
    if (!text_starts_with(*text, word))
        return false;
    text->p += strlen(word);
    text->n -= strlen(word);
    return true;
}

static bool add_line(struct patch_reader *r, uint64_t line)
{
    struct patch_file *file = &r->p->files.data[r->p->files.n - 1];
    const bool ok = line_ranges_add(&r->p->added, file->first, line);
    file->n = r->p->added.list.n - file->first;
    return ok;
}

/* Reads the lines of a hunk: `before` of the old file, `after` of the new one, of which `at` is the first. */
static int read_lines(struct patch_reader *r, uint64_t before, uint64_t at, uint64_t after)
{
    while (before || after) {
        if (!next_line(r))
            return wrong(r, "the diff ends within a hunk");
        const char kind = r->line.n ? r->line.p[0] : ' '; /* some programs strip blanks at the end of lines */
        const bool is_old = kind == '-', is_new = kind == '+',
                   is_both = kind == ' ' || kind == '\r' || kind == '\t';
        if (kind == '\\')
            continue;
        if (!(is_old || is_new || is_both) || (!is_new && !before) || (!is_old && !after))
            return wrong(r, "a hunk has fewer lines than its head says");
        if (is_new && !add_line(r, at))
            return error_memory(r->error);
        before -= !is_new;
        after -= !is_old;
        at += !is_old;
    }
    r->after_hunk = r->is_diff = true;
    return APF_OK;
}

static int read_hunk(struct patch_reader *r)
{
    struct apf_str text = r->line;
    uint64_t old, before, first, after;
    if (text_starts_with(text, "@@@"))
        return wrong(r, "a combined diff of a merge: use git diff BASE...");
    if (!skip_word(&text, "@@ -") || !read_extent(&text, &old, &before) || !skip_word(&text, " +") ||
        !read_extent(&text, &first, &after) || !text_starts_with(text, " @@"))
        return wrong(r, "the head of a hunk has another form than @@ -1,2 +3,4 @@");
    if (!r->has_file)
        return wrong(r, "a hunk without a file before it");
    return read_lines(r, before, first, after);
}

/* Takes a line that is outside of hunks. */
static int read_head(struct patch_reader *r)
{
    const bool had_old = r->has_old, after_hunk = r->after_hunk;
    r->after_hunk = false;
    if (after_hunk && text_starts_with(r->line, "+"))
        return wrong(r, "a hunk has more lines than its head says");
    r->is_diff =
        r->is_diff || text_starts_with(r->line, "diff --git ") || text_starts_with(r->line, "Index: ");
    r->has_old = text_starts_with(r->line, "--- ");
    if (r->has_old)
        r->old = name_in(r);
    else if (had_old && text_starts_with(r->line, "+++ "))
        return begin_file(r);
    else if (text_starts_with(r->line, "@@ -") || text_starts_with(r->line, "@@@ -"))
        return read_hunk(r);
    else if (text_starts_with(r->line, "diff "))
        r->has_file = false;
    return APF_OK;
}

/* Drops files without new lines. */
static void drop_files(struct patch *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->files.n; i++)
        if (p->files.data[i].n)
            p->files.data[n++] = p->files.data[i];
    p->files.n = n;
}

/* No file may come twice: the numbers of lines of a series of commits are those of several versions. */
static int check_twice(const struct patch *p, struct apf_error *error)
{
    VEC(struct sort_name) names = {NULL, 0, 0};
    const size_t n = p->files.n;
    int code = n == 0 || (VEC_RESERVE(&names, 2 * n) && names.data) ? APF_OK : error_memory(error);
    for (size_t i = 0; i < n && code == APF_OK && names.data; i++)
        names.data[i] =
            (struct sort_name){.p = p->files.data[i].name.p, .n = (uint32_t)p->files.data[i].name.n};
    if (n && code == APF_OK)
        sort_names(names.data, names.data + n, n);
    for (size_t i = 1; i < n && code == APF_OK && names.data; i++)
        if (sort_compare_bytes(names.data[i].p, names.data[i].n, names.data[i - 1].p, names.data[i - 1].n) ==
            0)
            code =
                error_plain(error, APF_BAD_PATCH, "patch",
                            "a file comes twice: it is a series of commits; use one diff, git diff BASE...");
    VEC_FREE(&names);
    return code;
}

static bool has_colors(struct apf_str text)
{
    const char *escape = text.n ? memchr(text.p, '\033', text.n) : NULL;
    return escape && escape + 1 < text.p + text.n && escape[1] == '[';
}

static bool is_blank(struct apf_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!strchr(" \t\r\n", text.p[i]) || !text.p[i])
            return false;
    return true;
}

int patch_read(struct patch *p, struct apf_str text, struct apf_error *error)
{
    struct patch_reader r = {
        .p = p, .begin = text.p, .at = text.p, .end = ENTRY_AT(text.p, text.n), .line = text, .error = error};
    int code = APF_OK;
    r.is_diff = is_blank(text); /* nothing has changed */
    while (code == APF_OK && next_line(&r))
        code = read_head(&r);
    drop_files(p);
    if (code == APF_OK)
        code = check_twice(p, error);
    if (code == APF_OK && !r.is_diff && has_colors(text))
        code = error_plain(error, APF_BAD_PATCH, "patch", "it has colours: use git diff --no-color");
    else if (code == APF_OK && !r.is_diff)
        code = error_plain(error, APF_BAD_PATCH, "patch",
                           "there is no unified diff in it, such as git diff writes");
    return code;
}

void patch_free(struct patch *p)
{
    VEC_FREE(&p->files);
    VEC_FREE(&p->added.list);
    arena_free(&p->arena);
}
