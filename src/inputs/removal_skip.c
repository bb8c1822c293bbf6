/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides about inputs while they are read: which of them the output holds, and what is kept of the others. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "inputs/removal_journal.h"

/* Finds whether the output is among these inputs. Inputs that do not exist or cannot be reached are not the output. */
static int find_output(const struct inputs_removal *r, const struct apf_input *inputs, size_t n, bool *found,
                       struct apf_error *error)
{
    *found = false;
    for (size_t i = 0; i < n && !*found; i++) {
        struct file_identity id;
        const char *path = input_at(inputs, i)->path;
        int failed = path ? file_look(&id, path, true) : ENOENT;
        *found = !failed && removal_is_output(r, &id);
        if (failed && failed != ENOENT && failed != ENOTDIR && failed != EACCES && failed != ELOOP &&
            failed != ENAMETOOLONG)
            return error_errno(error, failed, "input.path");
    }
    return APF_OK;
}

int inputs_removal_check(struct inputs *in, const struct apf_input *inputs, size_t n, struct apf_error *error)
{
    struct inputs_removal *r = in->removal;
    bool found = false;
    if (!r || !r->journal || r->skip_held || !(r->journal->held.n || r->troubled))
        return APF_OK;
    int code = r->remove ? APF_OK : find_output(r, inputs, n, &found, error);
    if (code == APF_OK && found && r->troubled) {
        if (error)
            *error = r->trouble;
        return r->trouble.code;
    }
    r->skip_held = r->remove || found;
    return code;
}

bool inputs_removal_digests(const struct inputs *in)
{
    return in->removal && (in->removal->remove || in->removal->skip_held);
}

bool inputs_removal_holds(const struct inputs *in, const struct apf_input *input,
                          const struct input_file *file)
{
    const struct inputs_removal *r = in->removal;
    struct file_identity now;
    bool removed;
    if (!r || !r->skip_held || !input->path || strcmp(input->path, "-") == 0)
        return false;
    if (file->identity.regular)
        return file_journal_holds(r->journal, input->path, &file->identity, &file->digest);
    char *path = file_absolute(input->path);
    bool held =
        path && file_look(&now, path, false) == ENOENT && file_journal_held(r->journal, path, &removed);
    free(path);
    return held;
}

bool inputs_removal_reaches(const struct inputs *in, const struct apf_input *input,
                            const struct input_file *file)
{
    const struct inputs_removal *r = in->removal;
    if (!r || !r->remove || !file->identity.regular || strcmp(input->path, "-") == 0)
        return true;
    char *path = file_absolute(input->path);
    bool reaches = path || errno != ENAMETOOLONG;
    free(path);
    return reaches;
}

bool inputs_all_are_taken(const struct inputs *in)
{
    return in->undecided && in->removal && in->removal->remove;
}

uint64_t inputs_removal_votes(const struct inputs *in, const struct input_file *file, uint64_t weight)
{
    const struct inputs_removal *r = in->removal;
    return r && r->remove && !in->undecided && removal_is_output(r, &file->identity) ? UINT64_MAX : weight;
}

/* ---- what is kept of an input ---- */

/* Copies a path. A file without a known path could not be removed, and would count twice in the next merge. */
static int copy_path(struct inputs *in, const char *path, const char **copy, struct apf_error *error)
{
    errno = 0;
    char *whole = file_absolute(path);
    int failed = whole ? 0 : errno;
    *copy = whole ? arena_text(in->arena, whole, strlen(whole)) : NULL;
    free(whole);
    if (failed && failed != ENOMEM)
        return error_errno(error, failed, "input.path");
    return *copy ? APF_OK : error_memory(error);
}

/* Finds whether an input was found in a directory that was given as a link: a caller that names a link, and not what it
 * leads to, does not ask for files to be removed there. */
static int look_at_top(struct inputs *in, const struct apf_input *input, bool *is_link,
                       struct apf_error *error)
{
    struct inputs_removal *r = in->removal;
    size_t n = input->n_directory;
    *is_link = false;
    if (!n || !r->remove)
        return APF_OK;
    if (!r->top || strncmp(r->top, input->path, n) != 0 || r->top[n]) {
        r->top = arena_text(in->arena, input->path, n);
        if (!r->top)
            return error_memory(error);
        r->top_is_link = file_is_link(r->top);
    }
    *is_link = r->top_is_link;
    return APF_OK;
}

/* Reports a file that has changed since an interrupted merge added it: whether its new content includes the old one is
 * unknown. */
static int report_changed(const struct inputs *in, const struct apf_input *input, struct apf_error *error)
{
    struct apf_error detail;
    error_set_plain(&detail, APF_ALREADY_MERGED, "output.journal",
                    "as it was before it changed; it is added, and may count twice");
    detail.input = in->list.n;
    struct apf_diag d = {
        APF_SEVERITY_WARNING, APF_ALREADY_MERGED, in->list.n, file_name(input), {NULL, 0}, 0, &detail};
    return error_report_diag(in->common->diag, in->common->user, &d, error);
}

int inputs_removal_keep(struct inputs *in, const struct apf_input *input, const struct input_file *file,
                        bool held, const struct input_file **kept, struct apf_error *error)
{
    const struct inputs_removal *r = in->removal;
    *kept = NULL;
    if (!r || !r->journal || !file->identity.regular ||
        !(r->remove || r->skip_held || removal_is_output(r, &file->identity)))
        return APF_OK;
    struct input_file *copy = arena_alloc(in->arena, sizeof *copy);
    if (!copy)
        return error_memory(error);
    *copy = *file;
    *kept = copy;
    int code = strcmp(input->path, "-") == 0 ? APF_OK : copy_path(in, input->path, &copy->path, error);
    bool removed;
    if (code == APF_OK)
        code = look_at_top(in, input, &copy->through_link, error);
    if (code == APF_OK && r->skip_held && !held && copy->path &&
        file_journal_held(r->journal, copy->path, &removed) && !removed)
        code = report_changed(in, input, error);
    return code;
}
