/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "near_search.h"

#include <stdlib.h>
#include <string.h>

#include "source_name.h"

/* What follows the namespaces, the classes, or the file of a local function. */
static struct apf_str last_part(struct apf_str name)
{
    const struct apf_str last = source_name_last(name);
    size_t at = last.n;
    while (at && last.p[at - 1] != ';' && last.p[at - 1] != ':')
        at--;
    const struct apf_str part = {last.p + at, last.n - at};
    return part.n ? part : name;
}

void near_search_begin(struct near_search *s, const struct session *session, struct apf_str wanted)
{
    memset(s, 0, sizeof *s);
    (void)demangler_load(&s->names, session);
    const struct apf_str found = demangler_show(&s->names, wanted);
    (void)name_text_set(&s->wanted, found);
    const struct apf_str shown = {s->wanted.p, found.n}, whole = source_name_whole(shown);
    s->called = whole.p + whole.n < shown.p + shown.n && found.p == wanted.p;
    nearest_names_begin(&s->near, wanted, last_part(shown), s->called ? shown : whole);
}

void near_search_consider(struct near_search *s, struct apf_str name)
{
    const struct apf_str shown = demangler_show(&s->names, name);
    if (shown.p == name.p)
        (void)nearest_names_consider(&s->near, name, last_part(name));
    else
        nearest_names_consider_shown(
            &s->near, name, last_part(name),
            (struct source_parts){shown, s->called ? shown : source_name_whole(shown), last_part(shown)});
}

void near_search_free(struct near_search *s)
{
    nearest_names_free(&s->near);
    demangler_free(&s->names);
    free(s->wanted.p);
}
