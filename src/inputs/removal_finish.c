/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Removes inputs, before and after the output is written. */
#include "base/error.h"
#include "inputs/removal_journal.h"

/* An output with counts of removed inputs must be an input with weight 1: if an interrupted merge is run again, it must
 * come to the same result. */
static int check_output(const struct inputs *in, const struct apf_output *output, bool *nothing,
                        struct apf_error *error)
{
    const struct inputs_removal *r = in->removal;
    if (!removal_is_named(r, output) || r->done)
        return error_plain(error, APF_ARGUMENT, "merge.output",
                           "a merge that removes its inputs writes the one output that was named, once");
    uint64_t weight = removal_weight_of_output(in);
    if (weight > 1)
        return error_plain(
            error, APF_ARGUMENT, "merge.output",
            "the output is an input with the weight %llu: with inputs to be removed it can only be 1",
            (unsigned long long)weight);
    *nothing = !weight && !(in->counts.n_merged + in->counts.n_salvaged) && in->counts.n_held;
    if (!weight && r->journal->output.size && !*nothing)
        return error_plain(
            error, APF_ARGUMENT, "merge.output",
            "the output exists and would be replaced: make it one of the inputs, or remove it");
    return APF_OK;
}

/* ---- inputs that stay ---- */

/* Reports why a merged input is still there. */
static int report_kept(struct inputs *in, size_t i, struct apf_error *why, bool refused,
                       struct apf_error *error)
{
    const struct kept_input *input = &in->list.data[i];
    const struct apf_str path = {input->file->path, strlen(input->file->path)};
    why->input = i;
    in->counts.n_not_removed++;
    in->counts.n_undeletable += refused;
    in->room->counted(in->merge);
    struct apf_diag d = {refused ? APF_SEVERITY_ERROR : APF_SEVERITY_WARNING,
                         APF_NOT_REMOVED,
                         i,
                         input->n_members ? path : input->name,
                         {NULL, 0},
                         0,
                         why};
    return error_report_diag(in->common->diag, in->common->user, &d, error);
}

static int report_not_removed(struct inputs *in, size_t i, enum file_removal result, int sys_errno,
                              struct apf_error *error)
{
    struct apf_error why;
    if (result == FILE_KEPT)
        error_set_system(&why, APF_NOT_REMOVED, sys_errno, "input.remove");
    else
        error_set_plain(&why, APF_NOT_REMOVED, "input.remove", "%s",
                        result == FILE_CHANGED
                            ? "it has changed since it was read, and may count twice in another merge"
                        : result != FILE_LINK ? "it is the output by another name"
                        : in->list.data[i].file->through_link
                            ? "its directory was given as a symbolic link, without a slash at the end"
                            : "it is a symbolic link");
    in->removal->left |= result != FILE_CHANGED;
    return report_kept(in, i, &why, result == FILE_KEPT, error);
}

/* Reports an input that is kept because the output lacks a part of it. */
static int report_left_out(struct inputs *in, size_t i, struct apf_error *error)
{
    const struct kept_input *input = &in->list.data[i];
    struct apf_error why;
    if (input->n_members)
        error_set_plain(&why, APF_NOT_REMOVED, "input.remove",
                        "a part of its inputs was left out, or may have been");
    else if (input->damage)
        error_set_plain(&why, APF_NOT_REMOVED, "input.remove",
                        "it is damaged, and only a part of it was merged");
    else if (input->code != APF_OK)
        error_set_plain(&why, APF_NOT_REMOVED, "input.remove",
                        "a part of it was left out when it was merged");
    else if (in->room->held(in->merge, i, &why) != INPUT_HELD_IN_PART)
        error_set_plain(&why, APF_NOT_REMOVED, "input.remove",
                        "it is not known whether a part of it was left out");
    in->removal->left = true;
    return report_kept(in, i, &why, false, error);
}

/* ---- removing ---- */

/* Synchronises a directory when the removal moves to another: removals must be durable before their journal is removed.
 * `last`: the file that was removed last. */
static void leave_directory(struct inputs_removal *r, const char **last, const char *next)
{
    if (*last && !(next && removal_same_directory(*last, next)))
        r->unsynced |= file_sync_directory(*last) != 0;
    *last = next;
}

static int remove_input(struct inputs *in, size_t i, const char **last, struct apf_error *error)
{
    struct inputs_removal *r = in->removal;
    struct kept_input *input = &in->list.data[i];
    const struct input_file *file = input->file;
    int sys_errno = 0;
    if (removal_is_output(r, &file->identity))
        return removal_is_hard_link(r, file) ? report_not_removed(in, i, FILE_GONE, 0, error) : APF_OK;
    if (removal_code(in, i) == APF_OK ? removal_is_lossy(in, i) : file_journal_keeps(r->journal, file->path))
        return report_left_out(in, i, error);
    enum file_removal result =
        file->through_link ? FILE_LINK : file_remove(file->path, &file->identity, &sys_errno);
    if (result == FILE_REMOVED) {
        in->counts.n_removed++;
        in->counts.removed_bytes += file->identity.size;
        in->room->counted(in->merge);
        for (size_t k = i; k < i + (input->n_members ? input->n_members : 1); k++) {
            in->list.data[k].removed = true;
            in->room->changed(in->merge, k);
        }
        leave_directory(r, last, file->path);
    }
    return result == FILE_REMOVED || result == FILE_GONE
               ? APF_OK
               : report_not_removed(in, i, result, sys_errno, error);
}

/* Removes the inputs with result `with`. */
static int remove_inputs(struct inputs *in, int with, struct apf_error *error)
{
    const char *last = NULL;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < in->list.n; i++) {
        const struct kept_input *input = &in->list.data[i];
        if (input->file && input->file->path && removal_code(in, i) == with)
            code = remove_input(in, i, &last, error);
    }
    leave_directory(in->removal, &last, NULL);
    return code;
}

static int remove_merged(struct inputs *in, struct apf_error *error)
{
    struct inputs_removal *r = in->removal;
    int code = remove_inputs(in, APF_OK, error);
    if (code == APF_OK) {
        removal_close_journal(in, r->left || r->unsynced || removal_leaves_held(in));
        r->done = true;
    }
    return code;
}

/* Removes inputs that the output holds before a new output is written, which may need their space. An earlier process
 * may have ended between renaming the output and making that durable. */
static int remove_held(struct inputs *in, struct apf_error *error)
{
    const char *target = in->removal->journal->target;
    int failed = file_sync(target);
    if (!failed)
        failed = file_sync_directory(target);
    if (failed)
        return error_output(error, error_errno(error, failed, "output.sync"), in->removal->output);
    return remove_inputs(in, APF_ALREADY_MERGED, error);
}

int inputs_removal_begin(struct inputs *in, const struct apf_output *output, bool *nothing,
                         struct apf_error *error)
{
    *nothing = false;
    if (!in->removal || !in->removal->remove)
        return APF_OK;
    int code = error_output(error, check_output(in, output, nothing, error), output->path);
    if (code == APF_OK && in->counts.n_held)
        code = remove_held(in, error);
    if (code == APF_OK && *nothing)
        code = remove_merged(in, error);
    return code;
}

int inputs_removal_finish(struct inputs *in, const struct apf_output *output, struct apf_error *error)
{
    struct inputs_removal *r = in->removal;
    if (!r || !r->journal || !removal_is_named(r, output))
        return APF_OK;
    file_journal_renamed(r->journal);
    r->renamed = r->written;
    return r->remove ? remove_merged(in, error) : APF_OK;
}
