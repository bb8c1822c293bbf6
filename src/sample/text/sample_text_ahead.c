/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/text/sample_text_ahead.h"

/* The first name on a line; n == 0: there is none, or the line is wrong. */
static struct apf_str first_name(const struct sample_text_parsed *parsed)
{
    const struct sample_text_line *l = &parsed->line;
    struct apf_str none = {NULL, 0};
    if (!parsed->good)
        return none;
    if (l->kind == SAMPLE_TEXT_HEADER || l->kind == SAMPLE_TEXT_INLINED)
        return l->name;
    if (l->kind != SAMPLE_TEXT_BODY || l->end - l->rest < 2)
        return none;
    const char *p = l->rest + 1, *colon = memchr(p, ':', (size_t)(l->end - p));
    struct apf_str target = {p, colon ? (size_t)(colon - p) : 0};
    return target;
}

/* Parses the current line. False: it is a comment. */
static bool parse_line(const struct sample_text_lines *lines, struct sample_text_parsed *to)
{
    const char *text = lines->p, *end = lines->line_end;
    while (text < end && *text == ' ')
        text++;
    size_t depth = (size_t)(text - lines->p);
    if (depth && (text == end || *text == '#'))
        return false;
    to->p = lines->p;
    to->number = lines->number;
    to->good =
        depth ? sample_text_indented(&to->line, depth, text, end) : sample_text_header(&to->line, text, end);
    return true;
}

size_t sample_text_ahead(struct sample_text_lines *lines, const struct sample_names *names,
                         struct sample_text_parsed *to)
{
    size_t n = 0, n_names = 0;
    uint64_t hashes[SAMPLE_TEXT_AHEAD];
    uint32_t entries[SAMPLE_TEXT_AHEAD];
    while (n < SAMPLE_TEXT_AHEAD && sample_text_next_line(lines)) {
        if (!parse_line(lines, &to[n]))
            continue;
        struct apf_str name = first_name(&to[n]);
        if (name.n)
            hashes[n_names++] = sample_names_fetch_slot(names, name);
        n++;
    }
    for (size_t i = 0; i < n_names; i++)
        entries[i] = sample_names_fetch_entry(names, hashes[i]);
    for (size_t i = 0; i < n_names; i++)
        sample_names_fetch_text(names, entries[i]);
    return n;
}
