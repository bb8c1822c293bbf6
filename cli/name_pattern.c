/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "name_pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_functions.h>

#include "memory.h"
#include "report.h"

/* LLVM's message for an error in an expression. */
static const char *regex_error(int code)
{
    switch (code) {
    case REG_EPAREN:
        return "parentheses not balanced";
    case REG_EBRACK:
    case REG_BADPAT: /* of glibc, for a '[' at the end */
        return "brackets ([ ]) not balanced";
    case REG_EBRACE:
        return "braces not balanced";
    case REG_BADBR:
        return "invalid repetition count(s)";
    case REG_ERANGE:
        return "invalid character range";
    case REG_ECTYPE:
        return "invalid character class";
    case REG_ECOLLATE:
        return "invalid collating element";
    case REG_EESCAPE:
        return "trailing backslash (\\)";
    case REG_ESUBREG:
        return "invalid backreference number";
    case REG_BADRPT:
        return "repetition-operator operand invalid";
    case REG_ESPACE:
        return "out of memory";
    default:
        return "invalid regular expression";
    }
}

/* Reports a wrong regular expression, under LLVM's name in LLVM's words. Returns the exit code. */
static int report_pattern(const struct session *session, const char *option, const char *text, int code)
{
    if (session->persona->tool) {
        report_error(session, NULL, "%s", regex_error(code));
        report_note(session, "the regular expression is '%s'", text);
    } else {
        report_usage(session, "%s takes a regular expression, not '%s': %s", option, text, regex_error(code));
    }
    return session->persona->usage_exit;
}

int name_pattern_parse(struct name_pattern *pattern, const struct session *session, const char *option,
                       const char *text)
{
    if (!*text)
        return 0;
    if (*text != '?') {
        int code = regcomp(&pattern->regex, text, REG_EXTENDED | REG_NOSUB);
        if (code)
            return report_pattern(session, option, text, code);
        pattern->is_regex = true;
    }
    pattern->text = text;
    return 0;
}

void name_pattern_free(struct name_pattern *pattern)
{
    if (pattern->is_regex)
        regfree(&pattern->regex);
}

void name_pattern_add_hash(struct name_pattern *pattern)
{
    if (!pattern->text)
        return;
    const struct apf_str name = {pattern->text, strlen(pattern->text)};
    snprintf(pattern->hash, sizeof pattern->hash, "%" PRIu64, apf_sample_name_hash(name));
}

int name_pattern_match(const struct name_pattern *pattern, const char *name)
{
    if (pattern->hash[0] && strcmp(name, pattern->hash) == 0)
        return 1;
    if (!pattern->text) /* which every name has in it */
        return 1;
    if (!pattern->is_regex)
        return strstr(name, pattern->text) != NULL;
    int code = regexec(&pattern->regex, name, 0, NULL, 0);
    return code == 0 ? 1 : code == REG_NOMATCH ? 0 : -1;
}

const char *name_text_set(struct name_text *text, struct apf_str name)
{
    if (text->capacity <= name.n) {
        text->capacity = 2 * name.n + 256;
        text->p = (char *)checked_realloc(text->p, text->capacity, 1);
    }
    if (name.n)
        memcpy(text->p, name.p, name.n);
    text->p[name.n] = '\0';
    return text->p;
}

void name_text_add(struct name_text *text, size_t at, struct apf_str more)
{
    if (text->capacity - at <= more.n) {
        text->capacity = 2 * (at + more.n) + 256;
        text->p = (char *)checked_realloc(text->p, text->capacity, 1);
    }
    if (more.n)
        memcpy(text->p + at, more.p, more.n);
    text->p[at + more.n] = '\0';
}

/* ---- --skip-funcs ---- */

struct skip_pattern {
    char *text; /* as it was given */
    regex_t regex;
    bool is_compiled, matched;
};

/* Adds the expression text[0, n). As in BOLT, ^ stands before it and $ after it, whatever is in it. */
static int add_skip(struct skip_patterns *skip, const struct session *session, const char *text, size_t n)
{
    struct skip_pattern *pattern = &skip->list[skip->n++];
    char *whole = (char *)checked_realloc(NULL, n + 3, 1);
    *pattern = (struct skip_pattern){.text = (char *)checked_realloc(NULL, n + 1, 1)};
    snprintf(pattern->text, n + 1, "%.*s", (int)n, text);
    snprintf(whole, n + 3, "^%s$", pattern->text);
    int code = regcomp(&pattern->regex, whole, REG_EXTENDED | REG_NOSUB);
    free(whole);
    pattern->is_compiled = code == 0;
    return code ? report_pattern(session, "--skip-funcs", pattern->text, code) : 0;
}

int skip_patterns_parse(struct skip_patterns *skip, const struct session *session, const char *const *values,
                        size_t n)
{
    int code = 0;
    size_t most = 0;
    for (size_t i = 0; i < n; i++)
        most += strlen(values[i]) + 1;
    skip->list = (struct skip_pattern *)checked_realloc(NULL, most, sizeof *skip->list);
    for (size_t i = 0; code == 0 && i < n; i++)
        for (const char *at = values[i]; code == 0 && at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
            if (strcspn(at, ","))
                code = add_skip(skip, session, at, strcspn(at, ","));
    return code;
}

void skip_patterns_free(struct skip_patterns *skip)
{
    for (size_t i = 0; i < skip->n; i++) {
        if (skip->list[i].is_compiled)
            regfree(&skip->list[i].regex);
        free(skip->list[i].text);
    }
    free(skip->list);
    free(skip->name.p);
}

int skip_patterns_match(void *user, struct apf_str name)
{
    struct skip_patterns *skip = (struct skip_patterns *)user;
    const char *text = name_text_set(&skip->name, name);
    int found = 0;
    for (size_t i = 0; i < skip->n; i++) {
        int code = regexec(&skip->list[i].regex, text, 0, NULL, 0);
        if (code && code != REG_NOMATCH)
            return -1;
        skip->list[i].matched |= code == 0;
        found |= code == 0;
    }
    return found;
}

void skip_patterns_warn(const struct skip_patterns *skip, const struct session *session)
{
    for (size_t i = 0; i < skip->n; i++)
        if (!skip->list[i].matched)
            report_warning(session, NULL, "--skip-funcs='%s' matches no function", skip->list[i].text);
}
