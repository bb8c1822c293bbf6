/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shown_names.h"

#include <stdlib.h>
#include <string.h>

void shown_names_begin(struct shown_names *s, const struct session *session, const struct arguments *args)
{
    const char *function = option_text(args, OPT_FUNCTION, "");
    memset(s, 0, sizeof *s);
    s->session = session;
    s->demangles = option_number(args, OPT_DEMANGLE, 0) != 0;
    s->by_source = !session->persona->tool && *function && (s->demangles || source_name_is(function));
    if (s->demangles || s->by_source)
        (void)demangler_load(&s->names, session);
    if (s->by_source)
        source_name_begin(&s->given, function);
}

void shown_names_free(struct shown_names *s)
{
    demangler_free(&s->names);
    source_name_free(&s->given);
    free(s->text.p);
}

struct apf_output shown_names_output(struct shown_names *s, const char *path)
{
    struct apf_output output = apf_output_file(path);
    if (s->demangles) {
        output.show_name = demangler_show;
        output.names = &s->names;
    }
    return output;
}

/* ---- filters ---- */

/* Whether --function means a function; `in_part`: also by any part of its name. */
static int means(struct shown_names *s, struct apf_str name, bool in_part)
{
    const struct apf_str shown = demangler_show(&s->names, name);
    if (shown.p == name.p)
        return 0;
    const bool meant = source_name_means(&s->given, name, shown) ||
                       (in_part && strstr(name_text_set(&s->text, shown), s->given.as_given));
    s->found |= meant;
    return meant;
}

/* Apf_name_filter_fns. */
static int means_part(void *user, struct apf_str name)
{
    return means((struct shown_names *)user, name, true);
}

static int means_whole(void *user, struct apf_str name)
{
    return means((struct shown_names *)user, name, false);
}

apf_name_filter_fn *shown_names_part(const struct shown_names *s)
{
    return s->by_source ? means_part : NULL;
}

apf_name_filter_fn *shown_names_whole(const struct shown_names *s)
{
    return s->by_source ? means_whole : NULL;
}
