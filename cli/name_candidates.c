/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "name_candidates.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "report.h"

#define LONGEST_SHOWN 1024 /* of a name */

void name_candidates_begin(struct name_candidates *c, const struct session *session, const char *given)
{
    memset(c, 0, sizeof *c);
    (void)demangler_load(&c->names, session);
    source_name_begin(&c->given, given);
}

static void drop_list(struct name_candidates *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->list[i].name);
        free(c->list[i].shown);
    }
    c->n = 0;
    c->more = c->differ = false;
}

void name_candidates_free(struct name_candidates *c)
{
    drop_list(c);
    demangler_free(&c->names);
    source_name_free(&c->given);
    free(c->text.p);
}

/* How the name means a function; *shown is the function as in the source code. */
static enum source_match match(struct name_candidates *c, struct apf_str name, struct apf_str *shown)
{
    *shown = demangler_show(&c->names, name);
    return shown->p == name.p ? OTHER_FUNCTION : source_name_means(&c->given, name, *shown);
}

bool name_candidates_mean(struct name_candidates *c, struct apf_str name)
{
    struct apf_str shown;
    return c->best != OTHER_FUNCTION && match(c, name, &shown) == c->best;
}

/* The length of a demangled name without the suffixes of its copies. */
static size_t without_clones(const char *shown)
{
    const char *clone = strstr(shown, " [clone ");
    return clone ? (size_t)(clone - shown) : strlen(shown);
}

/* Whether two candidates are one function: without their files and the suffixes of copies they have one name. */
static bool is_copy(const struct name_candidate *a, const struct name_candidate *b)
{
    const char *x = a->shown + mangled_part((struct apf_str){a->name, strlen(a->name)}),
               *y = b->shown + mangled_part((struct apf_str){b->name, strlen(b->name)});
    const size_t n = without_clones(x);
    return n == without_clones(y) && memcmp(x, y, n) == 0;
}

void name_candidates_consider(struct name_candidates *c, struct apf_str name, uint64_t id)
{
    struct apf_str shown;
    const enum source_match how = match(c, name, &shown);
    if (how == OTHER_FUNCTION || how < c->best)
        return;
    if (how > c->best)
        drop_list(c);
    c->best = how;
    struct name_candidate new = {NULL, checked_copy(name_text_set(&c->text, shown)), id};
    new.name = checked_copy(name_text_set(&c->text, name));
    bool known = false;
    for (size_t i = 0; i < c->n; i++)
        known |= strcmp(c->list[i].name, new.name) == 0;
    c->differ |= c->n && !is_copy(&c->list[0], &new);
    c->more |= !known && c->n == MOST_CANDIDATES;
    if (!known && c->n < MOST_CANDIDATES) {
        c->list[c->n++] = new;
        return;
    }
    free(new.name);
    free(new.shown);
}

void name_candidates_report(const struct name_candidates *c, const struct session *session, const char *path)
{
    char name[LONGEST_SHOWN], shown[LONGEST_SHOWN];
    report_error(session, path,
                 "several functions are called '%s'; give the whole name of one, with its "
                 "parameters, or its symbol:",
                 c->given.as_given);
    for (size_t i = 0; i < c->n; i++)
        report_note(
            session, "'%s' (%s)",
            printable(shown, sizeof shown, (struct apf_str){c->list[i].shown, strlen(c->list[i].shown)}),
            printable(name, sizeof name, (struct apf_str){c->list[i].name, strlen(c->list[i].name)}));
    if (c->more)
        report_note(session, "... and others");
}
