/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regular expressions that select names. */
#ifndef CLI_NAME_PATTERN_H
#define CLI_NAME_PATTERN_H

#include <regex.h>

#include <anyprof/error.h>

#include "session.h"

/* A regular expression, or plain text where it begins with '?', as names of Windows do. */
struct name_pattern {
    const char *text; /* NULL: no pattern */
    bool is_regex;
    regex_t regex;
    char hash[21]; /* empty, or what else matches as a whole; see name_pattern_add_hash */
};

/* An empty text is no pattern. 0, or an exit code after a report, which names the option. */
int name_pattern_parse(struct name_pattern *pattern, const struct session *session, const char *option,
                       const char *text);
void name_pattern_free(struct name_pattern *pattern);
/* For sample profiles, in which a function may be a hash in decimal: a text that is the name of such a function, not
 * only an expression, matches it then, as in LLVM's tool. */
void name_pattern_add_hash(struct name_pattern *pattern);
/* 1: matches, as every name does without a pattern; 0: does not; -1: out of memory. */
int name_pattern_match(const struct name_pattern *pattern, const char *name);

/* A buffer for one name as a terminated string; all zero: empty. `p` is for free(). */
struct name_text {
    char *p;
    size_t capacity;
};
/* Returns text->p, which has the name now. */
const char *name_text_set(struct name_text *text, struct apf_str name);
/* Replaces what follows the first `at` bytes. */
void name_text_add(struct name_text *text, size_t at, struct apf_str more);

/* The functions that `bolt convert --skip-funcs` selects. All zero: none. */
struct skip_patterns {
    struct skip_pattern *list;
    size_t n;
    struct name_text name;
};

/* Each of the values is a list of regular expressions, separated by commas, for whole names. 0, or an exit code after a
 * report. skip_patterns_free must follow either way. */
int skip_patterns_parse(struct skip_patterns *skip, const struct session *session, const char *const *values,
                        size_t n);
void skip_patterns_free(struct skip_patterns *skip);
/* An apf_bolt_skip_fn; `user` is a struct skip_patterns. */
int skip_patterns_match(void *user, struct apf_str name);
/* Warns of patterns that matched nothing. */
void skip_patterns_warn(const struct skip_patterns *skip, const struct session *session);

#endif
