/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "directories.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "report.h"

/* An apf_name_filter_fn; `user` is the list of patterns. */
static int include_name(void *user, struct apf_str name)
{
    const struct option_value *patterns = (const struct option_value *)user;
    char *text = (char *)checked_realloc(NULL, name.n + 1, 1);
    int found = 0;
    memcpy(text, name.p, name.n);
    text[name.n] = '\0';
    for (size_t i = 0; i < patterns->n_list && !found; i++)
        found = fnmatch(patterns->list[i], text, 0) == 0;
    free(text);
    return found;
}

int include_all(void *user, struct apf_str name)
{
    (void)user;
    (void)name;
    return 1;
}

struct apf_paths_options include_options(const struct option_value *patterns)
{
    struct apf_paths_options options = {.size = sizeof options};
    if (patterns && patterns->n_list) {
        options.include = include_name;
        options.user = (void *)(uintptr_t)patterns;
    }
    return options;
}

void skipped_add(struct apf_skipped *to, const struct apf_skipped *from)
{
    to->n_links += from->n_links;
    to->n_excluded += from->n_excluded;
    to->n_others += from->n_others;
    to->n_output += from->n_output;
    to->n_set_aside += from->n_set_aside;
    to->n_live += from->n_live;
    to->n_no_files += from->n_no_files;
}

void skipped_report(const struct session *session, const struct apf_skipped *s)
{
    if (s->n_others)
        report_note(session,
                    "%" PRIu64 " %s not read: no %s; give such a file by name, or choose names by "
                    "--include=GLOB",
                    s->n_others, s->n_others == 1 ? "file of a directory was" : "files of directories were",
                    s->n_others == 1 ? "profile" : "profiles");
    if (s->n_links)
        report_note(session, "%" PRIu64 " %s out of a directory and %s not followed; give what %s to by name",
                    s->n_links, s->n_links == 1 ? "link leads" : "links lead",
                    s->n_links == 1 ? "was" : "were", s->n_links == 1 ? "it leads" : "they lead");
    if (s->n_no_files)
        report_note(
            session, "%" PRIu64 " %s not read: pipes, sockets, devices, and links to these or to nothing",
            s->n_no_files, s->n_no_files == 1 ? "entry of a directory was" : "entries of directories were");
}

const char *skipped_reason(const struct apf_skipped *s)
{
    if (s->n_others)
        return "there are no profiles in this directory";
    if (s->n_excluded)
        return "no name of a file in this directory matches --include";
    return s->n_output || s->n_set_aside || s->n_live ? "there are no other files in this directory"
                                                      : "there are no files in this directory";
}
