/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/merge/merge_remove.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/vec.h"
#include "instr/merge/merge.h"

/* ---- what the output holds ---- */

static bool is_output(const struct merge_removal *r, const struct file_identity *id)
{
    const struct file_identity *output = &r->journal->output;
    return output->regular && id->regular && id->device == output->device && id->inode == output->inode;
}

/* Whether an input is another name of the old output. A symbolic link means the new output by now. */
static bool is_hard_link(const struct merge_removal *r, const struct merge_file *file)
{
    struct file_identity now;
    int failed = file_look(&now, file->path, false);
    return strcmp(file->path, r->journal->target) != 0 && (failed ? failed != ENOENT : now.regular);
}

struct entries {
    VEC(struct journal_entry) list;
};

/* Whether something of an input that was merged is, or may be, left out of the output. */
static bool is_lossy(const struct apf_input_result *r)
{
    return r->salvage || !r->losses_known || lost_anything(r);
}

/* Collects what the output will hold: the inputs of the old output, if that was an input, and the merged inputs. */
static bool gather_inputs(const struct apf_merge *m, bool with_output, struct entries *e)
{
    const struct merge_removal *r = m->removal;
    bool ok = true;
    for (size_t i = 0; ok && with_output && i < r->journal->held.n; i++)
        ok = VEC_PUSH(&e->list, r->journal->held.data[i]);
    for (size_t i = 0; ok && r->remove && i < m->inputs.n; i++) {
        const struct merge_file *file = m->inputs.data[i].file;
        bool merged = file && file->path && m->inputs.data[i].result.code == APF_OK;
        if (!merged || (is_output(r, &file->identity) && !is_hard_link(r, file)))
            continue;
        const struct file_identity *id = &file->identity;
        struct journal_entry entry = {file->path,
                                      id->size,
                                      id->seconds,
                                      id->nanoseconds,
                                      file->digest,
                                      false,
                                      is_lossy(&m->inputs.data[i].result)};
        ok = VEC_PUSH(&e->list, entry);
    }
    return ok;
}

/* ---- beginning and end ---- */

static bool same_directory(const char *a, const char *b)
{
    const char *end = strrchr(a, '/');
    size_t n = (size_t)(end - a) + 1;
    return strncmp(a, b, n) == 0 && !strchr(b + n, '/');
}

/* Marks the inputs that are gone for good, even after a loss of power: each directory is synchronised after it was
 * searched. Returns how many are still there. */
static size_t find_removed(struct journal_entry *entries, size_t n)
{
    struct file_identity now;
    const char *synced = NULL; /* a file in the directory that was synchronised last */
    size_t there = 0;
    for (size_t i = 0; i < n; i++)
        entries[i].removed = file_look(&now, entries[i].path, false) == ENOENT;
    for (size_t i = 0; i < n; i++) {
        if (entries[i].removed && !(synced && same_directory(synced, entries[i].path))) {
            entries[i].removed = file_sync_directory(entries[i].path) == 0;
            synced = entries[i].removed ? entries[i].path : NULL;
        }
        there += !entries[i].removed;
    }
    return there;
}

/* Drops entries that earlier merges removed from a journal that stays; the paths of entries that this merge removed
 * stay, because it may be run again. Returns whether the journal must stay. */
static bool shorten_journal(const struct apf_merge *m, const struct merge_removal *r)
{
    struct entries e = {{0}};
    size_t kept = 0, there, old = r->with_output ? r->journal->held.n : 0;
    bool known = gather_inputs(m, r->with_output, &e);
    there = known ? find_removed(e.list.data, e.list.n) : 0;
    for (size_t i = 0; known && i < e.list.n; i++)
        if (i >= old || !e.list.data[i].removed)
            e.list.data[kept++] = e.list.data[i];
    if (there)
        file_journal_rewrite(r->journal, e.list.data, kept);
    VEC_FREE(&e.list);
    return there || !known;
}

static void close_journal(struct apf_merge *m, bool needed)
{
    struct merge_removal *r = m->removal;
    if (needed && r->renamed &&
        !r->unsynced) /* a later synchronisation does not report what a failed one lost */
        needed = shorten_journal(m, r);
    file_journal_close(r->journal, needed);
    r->journal = NULL;
}

int merge_removal_open(struct apf_merge *m, struct apf_error *error)
{
    const char *output = m->options.output;
    bool remove = (m->options.flags & APF_MERGE_REMOVE_INPUTS) != 0;
    if (!output)
        return remove ? error_plain(error, APF_ARGUMENT, "merge.output",
                                    "inputs can only be removed if merge_options.output names the output")
                      : APF_OK;
    struct merge_removal *r = arena_zeros(&m->arena, 1, sizeof *r);
    if (!r)
        return error_memory(error);
    r->output = arena_text(&m->arena, output, strlen(output));
    r->remove = remove;
    m->removal = r;
    if (!r->output)
        return error_memory(error);
    int code = error_output(&r->trouble, file_journal_open(&r->journal, output, remove, &r->trouble), output);
    if (code == APF_OK)
        return APF_OK;
    /* Without removal, trouble matters only if the output is an input. */
    r->troubled = !remove && code != APF_NO_MEMORY && r->journal->target;
    if (r->troubled)
        return APF_OK;
    if (error)
        *error = r->trouble;
    close_journal(m, true); /* its content is unknown */
    return code;
}

void merge_removal_close(struct apf_merge *m)
{
    struct merge_removal *r = m->removal;
    if (r && r->journal)
        close_journal(m, !r->remove || r->journal->useful || r->written);
}

/* ---- reading ---- */

/* Finds whether the output is among these inputs. Inputs that do not exist or cannot be reached are not the output. */
static int find_output(const struct merge_removal *r, const struct apf_input *inputs, size_t n, bool *found,
                       struct apf_error *error)
{
    *found = false;
    for (size_t i = 0; i < n && !*found; i++) {
        struct file_identity id;
        const char *path = input_at(inputs, i)->path;
        int failed = path ? file_look(&id, path, true) : ENOENT;
        *found = !failed && is_output(r, &id);
        if (failed && failed != ENOENT && failed != ENOTDIR && failed != EACCES && failed != ELOOP &&
            failed != ENAMETOOLONG)
            return error_errno(error, failed, "input.path");
    }
    return APF_OK;
}

int merge_removal_check(struct apf_merge *m, const struct apf_input *inputs, size_t n,
                        struct apf_error *error)
{
    struct merge_removal *r = m->removal;
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

bool merge_removal_digests(const struct apf_merge *m)
{
    return m->removal && (m->removal->remove || m->removal->skip_held);
}

bool merge_removal_holds(const struct merge_removal *r, const struct apf_input *input,
                         const struct merge_file *file)
{
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

bool merge_removal_reaches(const struct merge_removal *r, const struct apf_input *input,
                           const struct merge_file *file)
{
    if (!r || !r->remove || !file->identity.regular || strcmp(input->path, "-") == 0)
        return true;
    char *path = file_absolute(input->path);
    bool reaches = path || errno != ENAMETOOLONG;
    free(path);
    return reaches;
}

uint64_t merge_removal_votes(const struct merge_removal *r, const struct merge_file *file, uint64_t weight)
{
    return r && r->remove && is_output(r, &file->identity) ? UINT64_MAX : weight;
}

/* Copies a path. A file without a known path could not be removed, and would count twice in the next merge. */
static int copy_path(struct apf_merge *m, const char *path, const char **copy, struct apf_error *error)
{
    errno = 0;
    char *whole = file_absolute(path);
    int failed = whole ? 0 : errno;
    *copy = whole ? arena_text(&m->arena, whole, strlen(whole)) : NULL;
    free(whole);
    if (failed && failed != ENOMEM)
        return error_errno(error, failed, "input.path");
    return *copy ? APF_OK : error_memory(error);
}

/* Finds whether an input was found in a directory that was given as a link: a caller that names a link, and not what it
 * leads to, does not ask for files to be removed there. */
static int look_at_top(struct apf_merge *m, const struct apf_input *input, bool *is_link,
                       struct apf_error *error)
{
    struct merge_removal *r = m->removal;
    size_t n = input->n_directory;
    *is_link = false;
    if (!n || !r->remove)
        return APF_OK;
    if (!r->top || strncmp(r->top, input->path, n) != 0 || r->top[n]) {
        r->top = arena_text(&m->arena, input->path, n);
        if (!r->top)
            return error_memory(error);
        r->top_is_link = file_is_link(r->top);
    }
    *is_link = r->top_is_link;
    return APF_OK;
}

/* Reports a file that has changed since an interrupted merge added it: whether its new content includes the old one is
 * unknown. */
static int report_changed(struct apf_merge *m, const struct apf_input *input, struct apf_error *error)
{
    const struct apf_options *o = &m->common;
    struct apf_error detail;
    error_set_plain(&detail, APF_ALREADY_MERGED, "output.journal",
                    "as it was before it changed; it is added, and may count twice");
    detail.input = m->inputs.n;
    struct apf_diag d = {
        APF_SEVERITY_WARNING, APF_ALREADY_MERGED, m->inputs.n, file_name(input), {NULL, 0}, 0, &detail};
    return error_report_diag(o->diag, o->user, &d, error);
}

int merge_removal_keep(struct apf_merge *m, const struct apf_input *input, const struct merge_file *file,
                       bool held, const struct merge_file **kept, struct apf_error *error)
{
    const struct merge_removal *r = m->removal;
    *kept = NULL;
    if (!r || !r->journal || !file->identity.regular ||
        !(r->remove || r->skip_held || is_output(r, &file->identity)))
        return APF_OK;
    struct merge_file *copy = arena_alloc(&m->arena, sizeof *copy);
    if (!copy)
        return error_memory(error);
    *copy = *file;
    *kept = copy;
    int code = strcmp(input->path, "-") == 0 ? APF_OK : copy_path(m, input->path, &copy->path, error);
    bool removed;
    if (code == APF_OK)
        code = look_at_top(m, input, &copy->through_link, error);
    if (code == APF_OK && r->skip_held && !held && copy->path &&
        file_journal_held(r->journal, copy->path, &removed) && !removed)
        code = report_changed(m, input, error);
    return code;
}

/* ---- what is an input, what may be done ---- */

/* The weight with which the output itself was added. */
static uint64_t weight_of_output(const struct apf_merge *m)
{
    uint64_t weight = 0;
    bool cut = false;
    for (size_t i = 0; i < m->inputs.n; i++) {
        const struct merge_input *input = &m->inputs.data[i];
        if (input->file && input->result.code == APF_OK && is_output(m->removal, &input->file->identity))
            weight = sum_saturating(weight, input->result.weight, 1, UINT64_MAX, &cut);
    }
    return weight;
}

/* An output with counts of removed inputs must be an input with weight 1: if an interrupted merge is run again, it must
 * come to the same result. */
static int check_output(struct apf_merge *m, const struct apf_output *output, bool *nothing,
                        struct apf_error *error)
{
    const struct merge_removal *r = m->removal;
    if (!output->path || strcmp(output->path, r->output) != 0 || r->done)
        return error_plain(error, APF_ARGUMENT, "merge.output",
                           "a merge that removes its inputs writes the one output that was named, once");
    uint64_t weight = weight_of_output(m);
    if (weight > 1)
        return error_plain(
            error, APF_ARGUMENT, "merge.output",
            "the output is an input with the weight %llu: with inputs to be removed it can only be 1",
            (unsigned long long)weight);
    *nothing = !weight && !(m->stats.n_merged + m->stats.n_salvaged) && m->stats.n_held;
    if (!weight && r->journal->output.size && !*nothing)
        return error_plain(
            error, APF_ARGUMENT, "merge.output",
            "the output exists and would be replaced: make it one of the inputs, or remove it");
    return APF_OK;
}

/* ---- removing ---- */

/* Reports why a merged input is still there. */
static int report_kept(struct apf_merge *m, size_t i, const struct apf_error *why, bool refused,
                       struct apf_error *error)
{
    const struct apf_options *o = &m->common;
    m->stats.n_not_removed++;
    m->stats.n_undeletable += refused;
    struct apf_diag d = {refused ? APF_SEVERITY_ERROR : APF_SEVERITY_WARNING,
                         APF_NOT_REMOVED,
                         i,
                         m->inputs.data[i].result.name,
                         {NULL, 0},
                         0,
                         why};
    return error_report_diag(o->diag, o->user, &d, error);
}

static int report_not_removed(struct apf_merge *m, size_t i, enum file_removal result, int sys_errno,
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
                        : m->inputs.data[i].file->through_link
                            ? "its directory was given as a symbolic link, without a slash at the end"
                            : "it is a symbolic link");
    why.input = i;
    m->removal->left |= result != FILE_CHANGED;
    return report_kept(m, i, &why, result == FILE_KEPT, error);
}

/* Reports an input that is kept because the output lacks a part of it. */
static int report_left_out(struct apf_merge *m, size_t i, struct apf_error *error)
{
    const struct apf_input_result *r = &m->inputs.data[i].result;
    struct apf_error why;
    if (r->salvage)
        error_set_plain(&why, APF_NOT_REMOVED, "input.remove",
                        "it is damaged, and only a part of it was merged");
    else if (r->losses_known)
        error_set_plain(
            &why, APF_NOT_REMOVED, "input.remove",
            "left out are %llu functions, %llu bitmaps, %llu kinds of values that do not go with the "
            "others",
            (unsigned long long)r->lost_functions, (unsigned long long)r->lost_bitmaps,
            (unsigned long long)r->lost_values);
    else
        error_set_plain(&why, APF_NOT_REMOVED, "input.remove",
                        r->code == APF_OK ? "it is not known whether a part of it was left out"
                                          : "a part of it was left out when it was merged");
    why.input = i;
    m->removal->left = true;
    return report_kept(m, i, &why, false, error);
}

/* Synchronises a directory when the removal moves to another: removals must be durable before their journal is removed.
 * `last`: the file that was removed last. */
static void leave_directory(struct merge_removal *r, const char **last, const char *next)
{
    if (*last && !(next && same_directory(*last, next)))
        r->unsynced |= file_sync_directory(*last) != 0;
    *last = next;
}

static int remove_input(struct apf_merge *m, size_t i, const char **last, struct apf_error *error)
{
    struct merge_removal *r = m->removal;
    const struct merge_file *file = m->inputs.data[i].file;
    int sys_errno = 0;
    const struct apf_input_result *merged = &m->inputs.data[i].result;
    if (is_output(r, &file->identity))
        return is_hard_link(r, file) ? report_not_removed(m, i, FILE_GONE, 0, error) : APF_OK;
    if (merged->code == APF_OK ? is_lossy(merged) : file_journal_keeps(r->journal, file->path))
        return report_left_out(m, i, error);
    enum file_removal result =
        file->through_link ? FILE_LINK : file_remove(file->path, &file->identity, &sys_errno);
    if (result == FILE_REMOVED) {
        m->stats.n_removed++;
        m->stats.removed_bytes += file->identity.size;
        m->inputs.data[i].result.removed = 1;
        leave_directory(r, last, file->path);
    }
    return result == FILE_REMOVED || result == FILE_GONE ? APF_OK
                                                         : report_not_removed(m, i, result, sys_errno, error);
}

/* Removes the inputs with result `with`. */
static int remove_inputs(struct apf_merge *m, int with, struct apf_error *error)
{
    const char *last = NULL;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->inputs.n; i++) {
        const struct merge_input *input = &m->inputs.data[i];
        if (input->file && input->file->path && input->result.code == with)
            code = remove_input(m, i, &last, error);
    }
    leave_directory(m->removal, &last, NULL);
    return code;
}

static int remove_merged(struct apf_merge *m, struct apf_error *error)
{
    struct merge_removal *r = m->removal;
    int code = remove_inputs(m, APF_OK, error);
    if (code == APF_OK) {
        close_journal(m, r->left || r->unsynced);
        r->done = true;
    }
    return code;
}

/* Removes inputs that the output holds before a new output is written, which may need their space. An earlier process
 * may have ended between renaming the output and making that durable. */
static int remove_held(struct apf_merge *m, struct apf_error *error)
{
    const char *target = m->removal->journal->target;
    int failed = file_sync(target);
    if (!failed)
        failed = file_sync_directory(target);
    if (failed)
        return error_output(error, error_errno(error, failed, "output.sync"), m->removal->output);
    return remove_inputs(m, APF_ALREADY_MERGED, error);
}

int merge_removal_begin(struct apf_merge *m, const struct apf_output *output, bool *nothing,
                        struct apf_error *error)
{
    *nothing = false;
    if (!m->removal || !m->removal->remove)
        return APF_OK;
    int code = error_output(error, check_output(m, output, nothing, error), output->path);
    if (code == APF_OK && m->stats.n_held)
        code = remove_held(m, error);
    if (code == APF_OK && *nothing)
        code = remove_merged(m, error);
    return code;
}

/* ---- writing ---- */

static bool writes_output(const struct merge_removal *r, const struct apf_output *output)
{
    return r && r->journal && output->path && strcmp(output->path, r->output) == 0;
}

static int write_journal(struct merge_removal *r, struct file_out *out, const struct entries *e,
                         struct apf_error *error)
{
    uint64_t size = 0;
    struct file_digest digest;
    int code = file_out_seal(out, &size, &digest, error);
    return code == APF_OK ? file_journal_append(r->journal, size, digest, e->list.data, e->list.n, error)
                          : code;
}

bool merge_removal_syncs(const struct apf_merge *m)
{
    const struct merge_removal *r = m->removal;
    return r && r->journal && (r->remove || r->journal->held.n);
}

int merge_removal_prepare(struct apf_merge *m, const struct apf_output *output, struct file_out *out,
                          struct apf_error *error)
{
    struct merge_removal *r = m->removal;
    struct entries e = {{0}};
    if (!writes_output(r, output))
        return APF_OK;
    r->renamed = false;
    r->with_output = weight_of_output(m) != 0;
    if (!r->remove && !r->with_output)
        return APF_OK;
    int code = gather_inputs(m, r->with_output, &e) ? APF_OK : error_memory(error);
    if (code == APF_OK && e.list.n)
        code = write_journal(r, out, &e, error);
    /* Checked last: counts that another program has added to the output since it was read would be lost. */
    if (code == APF_OK && file_journal_overtaken(r->journal))
        code = error_plain(error, APF_OUTPUT_BUSY, "output.identity",
                           "it was changed while it was merged; nothing was written");
    code = error_output(error, code, output->path);
    r->written |= code == APF_OK && e.list.n;
    VEC_FREE(&e.list);
    return code;
}

int merge_removal_finish(struct apf_merge *m, const struct apf_output *output, struct apf_error *error)
{
    struct merge_removal *r = m->removal;
    if (!writes_output(r, output))
        return APF_OK;
    file_journal_renamed(r->journal);
    r->renamed = r->written;
    return r->remove ? remove_merged(m, error) : APF_OK;
}
