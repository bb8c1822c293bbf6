/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "source_name.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "memory.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$";

static bool is_letter(char c)
{
    return c && (strchr(letters, c) || (unsigned char)c >= 0x80);
}

static bool begins(struct apf_str text, size_t at, const char *with)
{
    const size_t n = strlen(with);
    return at <= text.n && text.n - at >= n && memcmp(text.p + at, with, n) == 0;
}

/* The parts of a demangled name. */
struct parts {
    struct apf_str whole; /* without return type, parameters and what follows them */
    size_t n_called;      /* its length with the parameters */
    size_t n_all;         /* and also with what follows them, such as " const" */
};

/* ---- reading ---- */

/* Where an operator ends that begins at a place, such as "operator<<"; the place itself: there is none. Of conversions
 * and "operator new", only "operator " is passed. */
static size_t operator_end(struct apf_str text, size_t at)
{
    static const char word[] = "operator";
    size_t end = at + sizeof word - 1;
    if (text.p[at] != 'o' || !begins(text, at, word) || (at && is_letter(text.p[at - 1])) ||
        (end < text.n && is_letter(text.p[end])))
        return at;
    if (begins(text, end, "()") || begins(text, end, "[]") || begins(text, end, "\"\""))
        return end + 2;
    if (begins(text, end, " "))
        return end + 1;
    while (end < text.n && strchr("<>=!+-*/%^&|~,", text.p[end]))
        end++;
    return end;
}

/* The brackets around a place. */
struct brackets {
    size_t depth;
    uint64_t angles; /* bit i: the bracket of depth i is '<', as far as there are bits */
};

/* Passes a character. In "<(a > b)>", the one between a and b is no bracket. */
static void pass(struct brackets *b, struct apf_str text, size_t at)
{
    const char c = text.p[at];
    const bool arrow = c == '>' && at && text.p[at - 1] == '-';
    if (c == '<' || c == '(' || c == '[' || c == '{') {
        const uint64_t bit = (uint64_t)1 << (b->depth++ & 63);
        b->angles = c == '<' ? b->angles | bit : b->angles & ~bit;
        return;
    }
    const bool closes = c == ')' || c == ']' || c == '}';
    while (closes && b->depth && b->angles >> ((b->depth - 1) & 63) & 1)
        b->depth--; /* those were no brackets */
    if (b->depth && (closes || (c == '>' && !arrow && b->angles >> ((b->depth - 1) & 63) & 1)))
        b->depth--;
}

/* Where what may follow parameters ends. */
static size_t qualifiers_end(struct apf_str text, size_t at)
{
    static const char *const words[] = {" const", " volatile", " &&", " &"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins(text, at, words[i]) &&
            !is_letter(at + strlen(words[i]) < text.n ? text.p[at + strlen(words[i])] : '\0'))
            at += strlen(words[i]);
    return at;
}

static struct parts parts_of(struct apf_str text)
{
    size_t begin = 0, open = 0, at = 0;
    struct brackets b = {0, 0};
    bool converts = false;
    while (at < text.n && !(b.depth == 0 && begins(text, at, " [clone "))) {
        const size_t passed = operator_end(text, at), before = b.depth;
        if (passed > at) {
            converts |= b.depth == 0 && text.p[passed - 1] == ' ';
            at = passed;
            continue;
        }
        if (b.depth == 0 && text.p[at] == ' ' && !converts)
            begin = at + 1; /* a return type ends */
        pass(&b, text, at++);
        if (before == 0 && b.depth)
            open = at - 1;
        if (!before || b.depth || text.p[at - 1] != ')' || text.p[open] != '(')
            continue;
        const size_t all = qualifiers_end(text, at);
        if (all == text.n || begins(text, all, " [clone "))
            return (struct parts){{text.p + begin, open - begin}, at - begin, all - begin};
    }
    return (struct parts){{text.p + begin, at - begin}, at - begin, at - begin};
}

/* ---- forms of a name ---- */

/* Where a bracket is closed. */
static size_t closing(struct apf_str text, size_t at)
{
    struct brackets b = {0, 0};
    for (; at < text.n; at++) {
        pass(&b, text, at);
        if (!b.depth)
            break;
    }
    return at;
}

/* Where " as " is in "<Type as Trait>", of which `end` is the end; the end: nowhere. */
static size_t find_as(struct apf_str text, size_t end)
{
    struct brackets b = {0, 0};
    for (size_t at = 1; at < end; at++) {
        if (b.depth == 0 && begins(text, at, " as "))
            return at;
        pass(&b, text, at);
    }
    return end;
}

/* Copies a name without arguments of templates, and without blanks that mean nothing. */
static size_t append_plain(char *to, size_t n, struct apf_str text, bool with_arguments)
{
    for (size_t at = 0; at < text.n;) {
        const size_t passed = operator_end(text, at);
        if (!with_arguments && passed == at && text.p[at] == '<') {
            at = closing(text, at) + 1;
            if (n >= 2 && memcmp(to + n - 2, "::", 2) == 0)
                n -= 2; /* of Rust: "f::<T>" */
            continue;
        }
        for (const size_t end = passed > at ? passed : at + 1; at < end; at++)
            if (text.p[at] != ' ' ||
                (n && is_letter(to[n - 1]) && at + 1 < text.n && is_letter(text.p[at + 1])))
                to[n++] = text.p[at];
    }
    return n;
}

enum form { AS_IT_IS, OF_TYPE, OF_TRAIT };

/* Makes a form of the first n bytes of a name in s->form. False: there is no such form. */
static bool make_form(struct source_name *s, struct apf_str name, enum form form, bool with_arguments)
{
    size_t length = 0;
    (void)name_text_set(&s->form, name); /* for its room: no form is longer */
    if (form != AS_IT_IS) {
        if (!begins(name, 0, "<"))
            return false;
        const size_t end = closing(name, 0), as = find_as(name, end);
        if (form == OF_TRAIT && as == end)
            return false;
        const size_t from = form == OF_TYPE ? 1 : as + 4, to = form == OF_TYPE ? as : end;
        length = append_plain(s->form.p, 0, (struct apf_str){name.p + from, to - from}, with_arguments);
        const size_t rest = end < name.n ? end + 1 : end;
        name.p += rest;
        name.n -= rest;
    }
    length = append_plain(s->form.p, length, name, with_arguments);
    s->form.p[length] = '\0';
    return true;
}

/* Whether the form is the wanted name, or ends with it, at the beginning of one of its parts. */
static enum source_match match_form(const struct source_name *s, const char *wanted)
{
    const size_t n = strlen(s->form.p), length = strlen(wanted);
    if (n < length || !length || memcmp(s->form.p + n - length, wanted, length) != 0)
        return OTHER_FUNCTION;
    if (n == length)
        return AS_A_WHOLE;
    return n > length + 1 && memcmp(s->form.p + n - length - 2, "::", 2) == 0 ? IN_PART : OTHER_FUNCTION;
}

/* Whether a name without blanks that mean nothing means a demangled one without its file. */
static enum source_match means(struct source_name *s, const char *wanted, struct apf_str shown)
{
    if (make_form(s, shown, AS_IT_IS, true) && strcmp(s->form.p, wanted) == 0)
        return AS_A_WHOLE;
    enum source_match best = OTHER_FUNCTION;
    const struct parts parts = parts_of(shown);
    const size_t lengths[] = {parts.whole.n, parts.n_called, parts.n_all};
    for (size_t i = 0; i < 3; i++)
        for (unsigned form = AS_IT_IS; form <= OF_TRAIT; form++)
            for (unsigned arguments = 0; arguments < 2; arguments++)
                if (make_form(s, (struct apf_str){parts.whole.p, lengths[i]}, (enum form)form, arguments)) {
                    const enum source_match match = match_form(s, wanted);
                    if (match > best)
                        best = match;
                }
    return best;
}

/* What follows the file in the wanted name, without blanks that mean nothing. NULL: it does not begin with the n bytes
 * of the file, and a separator. */
static const char *wanted_after(struct source_name *s, const char *file, size_t n)
{
    const char *after = s->as_given + n;
    if (strncmp(s->as_given, file, n) != 0 || (*after != ':' && *after != ';'))
        return NULL;
    const struct apf_str rest = {after + 1, strlen(after + 1)};
    (void)name_text_set(&s->rest, rest); /* for its room */
    s->rest.p[append_plain(s->rest.p, 0, rest, true)] = '\0';
    return s->rest.p;
}

enum source_match source_name_means(struct source_name *s, struct apf_str symbol, struct apf_str shown)
{
    if (!strstr(name_text_set(&s->shown, shown), s->last))
        return OTHER_FUNCTION;
    size_t at = mangled_part(symbol);
    if (at > shown.n || memcmp(symbol.p, shown.p, at) != 0) /* a demangler of the user's may do that */
        at = 0;
    const struct apf_str local = {shown.p + at, shown.n - at};
    const char *rest = at ? wanted_after(s, shown.p, at - 1) : NULL;
    if (rest)
        return means(s, rest, local) == AS_A_WHOLE ? AS_A_WHOLE : OTHER_FUNCTION;
    const enum source_match match = means(s, s->wanted, local);
    return match == AS_A_WHOLE && at ? IN_PART : match;
}

/* ---- the wanted name ---- */

void source_name_begin(struct source_name *s, const char *wanted)
{
    const size_t n = strlen(wanted);
    memset(s, 0, sizeof *s);
    s->as_given = wanted;
    s->wanted = (char *)checked_realloc(NULL, n + 1, 1);
    s->wanted[append_plain(s->wanted, 0, (struct apf_str){wanted, n}, true)] = '\0';
    const struct apf_str last = source_name_last((struct apf_str){s->wanted, strlen(s->wanted)});
    size_t length = 0; /* its letters alone: what follows may be written in several ways */
    while (length < last.n && is_letter(last.p[length]))
        length++;
    char *key = (char *)checked_realloc(NULL, length + 1, 1);
    memcpy(key, last.p, length);
    key[length] = '\0';
    s->last = key;
}

void source_name_free(struct source_name *s)
{
    free(s->wanted);
    free(s->last);
    free(s->shown.p);
    free(s->form.p);
    free(s->rest.p);
}

bool source_name_is(const char *text)
{
    return strstr(text, "::") || strpbrk(text, "(<{[ ~");
}

struct apf_str source_name_whole(struct apf_str shown)
{
    return parts_of(shown).whole;
}

struct apf_str source_name_last(struct apf_str shown)
{
    struct apf_str name = parts_of(shown).whole;
    size_t begin = 0, arguments = name.n;
    struct brackets b = {0, 0};
    for (size_t at = 0; at < name.n; at++) {
        const size_t passed = operator_end(name, at);
        if (passed > at) {
            at = passed - 1;
            continue;
        }
        if (b.depth == 0 && name.p[at] == '<')
            arguments = at;
        if (b.depth == 0 && at && begins(name, at - 1, "::")) {
            begin = at + 1;
            arguments = name.n;
        }
        if (b.depth == 0 && name.p[at] == ';')
            begin = at + 1;
        pass(&b, name, at);
    }
    if (name.p && arguments <= begin)
        arguments = name.n;
    return (struct apf_str){name.p + begin, arguments - begin};
}
