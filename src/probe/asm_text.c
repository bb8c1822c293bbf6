/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/asm_text.h"

#include "base/number.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_start(char c)
{
    return is_letter(c) || c == '_' || c == '.' || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_name_char(char c)
{
    return is_name_start(c) || number_is_digit(c) || c == '@' || c == '?';
}

/* ---- comments ---- */

static bool at_block_comment(const char *p, const char *end)
{
    return end - p >= 2 && p[0] == '/' && p[1] == '*';
}

/* The position after a comment at p; the end of the text if the comment is open. */
static const char *pass_block_comment(const char *p, const char *end)
{
    for (p += 2; end - p >= 2; p++)
        if (p[0] == '*' && p[1] == '/')
            return p + 2;
    return end;
}

static bool at_line_comment(const char *p, const char *end, bool first)
{
    if (*p == '/')
        return end - p >= 2 && p[1] == '/';
    if (*p != '#')
        return false;
    return first || end - p < 2 || is_blank(p[1]) || p[1] == '\n' || p[1] == '#';
}

static const char *line_end(const char *p, const char *end)
{
    const char *newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return newline ? newline : end;
}

/* The position after the quoted text at p. An open one ends with its line. */
static const char *pass_quoted(const char *p, const char *end)
{
    for (p++; p < end && *p != '\n'; p++) {
        if (*p == '"')
            return p + 1;
        if (*p == '\\' && end - p >= 2 && p[1] != '\n')
            p++;
    }
    return p;
}

/* The position after a character constant: 'c, 'c', '\c'. */
static const char *pass_character(const char *p, const char *end)
{
    p++;
    if (p < end && *p == '\\')
        p++;
    if (p < end && *p != '\n')
        p++;
    return p < end && *p == '\'' ? p + 1 : p;
}

/* ---- statements ---- */

static const char *statement_end(const char *p, const char *end)
{
    while (p < end && *p != '\n' && *p != ';') {
        if (at_block_comment(p, end))
            p = pass_block_comment(p, end);
        else if (at_line_comment(p, end, false))
            return p;
        else if (*p == '"')
            p = pass_quoted(p, end);
        else if (*p == '\'')
            p = pass_character(p, end);
        else
            p++;
    }
    return p;
}

bool asm_statement(struct asm_span *text, struct asm_span *statement)
{
    const char *p = text->p, *end = text->end;
    while (p < end) {
        if (is_blank(*p) || *p == '\n' || *p == ';')
            p++;
        else if (at_block_comment(p, end))
            p = pass_block_comment(p, end);
        else if (at_line_comment(p, end, true))
            p = line_end(p, end);
        else
            break;
    }
    statement->p = p;
    text->p = statement->end = statement_end(p, end);
    while (statement->end > p && is_blank(statement->end[-1]))
        statement->end--;
    return p < end;
}

/* ---- tokens ---- */

bool asm_more(struct asm_span *s)
{
    while (s->p < s->end) {
        if (is_blank(*s->p) || *s->p == '\n')
            s->p++;
        else if (at_block_comment(s->p, s->end))
            s->p = pass_block_comment(s->p, s->end);
        else
            return true;
    }
    return false;
}

bool asm_skip_char(struct asm_span *s, char c)
{
    if (!asm_more(s) || *s->p != c)
        return false;
    s->p++;
    return true;
}

static struct apf_str taken_part(struct asm_span *s, const char *to)
{
    struct apf_str text = {s->p, (size_t)(to - s->p)};
    s->p = to;
    return text;
}

struct apf_str asm_read_name(struct asm_span *s)
{
    if (!asm_more(s))
        return taken_part(s, s->p);
    const char *p = s->p;
    if (*p == '"') {
        p = pass_quoted(p, s->end);
        return taken_part(s, p - s->p >= 2 && p[-1] == '"' ? p : s->p);
    }
    if (is_name_start(*p))
        while (p < s->end && is_name_char(*p))
            p++;
    return taken_part(s, p);
}

struct apf_str asm_read_number(struct asm_span *s)
{
    if (!asm_more(s) || !number_is_digit(*s->p))
        return taken_part(s, s->p);
    const char *p = s->p;
    while (p < s->end && (number_is_digit(*p) || is_letter(*p)))
        p++;
    return taken_part(s, p);
}

struct apf_str asm_read_part(struct asm_span *s)
{
    if (!asm_more(s))
        return taken_part(s, s->p);
    const char *p = s->p, *last = p;
    while (p < s->end && *p != ',') {
        const char *from = p;
        if (at_block_comment(p, s->end)) {
            p = pass_block_comment(p, s->end);
            continue;
        }
        p = *p == '"' ? pass_quoted(p, s->end) : p + 1;
        if (!is_blank(*from))
            last = p;
    }
    struct apf_str part = {s->p, (size_t)(last - s->p)};
    s->p = p < s->end ? p + 1 : p;
    return part;
}

bool asm_is_word(struct apf_str text, const char *word)
{
    size_t n = strlen(word);
    if (text.n != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = text.p[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c + ('a' - 'A'));
        if (c != word[i])
            return false;
    }
    return true;
}
