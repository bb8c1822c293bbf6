/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens the journal of an output, appends a block to it, and closes it. */
#include "inputs/removal_journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"

/* ---- what the output holds ---- */

bool removal_is_output(const struct inputs_removal *r, const struct file_identity *id)
{
    const struct file_identity *output = &r->journal->output;
    return output->regular && id->regular && id->device == output->device && id->inode == output->inode;
}

bool removal_is_hard_link(const struct inputs_removal *r, const struct input_file *file)
{
    struct file_identity now;
    int failed = file_look(&now, file->path, false);
    return strcmp(file->path, r->journal->target) != 0 && (failed ? failed != ENOENT : now.regular);
}

int removal_code(const struct inputs *in, size_t i)
{
    return in->list.data[i].n_members ? APF_OK : in->list.data[i].code;
}

/* Of an input of a partial profile only what was read counts, which is in it, and not what was lost when the partial
 * profile was made. */
static bool is_lossy_member(const struct inputs *in, size_t i)
{
    const struct kept_input *input = &in->list.data[i];
    return input->code == APF_OK ? in->room->held(in->merge, i, NULL) != INPUT_HELD : input->why != NULL;
}

bool removal_is_lossy(const struct inputs *in, size_t i)
{
    const struct kept_input *input = &in->list.data[i];
    bool lossy = !input->n_members && (input->damage || in->room->held(in->merge, i, NULL) != INPUT_HELD);
    for (size_t k = 0; !lossy && !in->undecided && k < input->n_members; k++)
        lossy = is_lossy_member(in, i + k);
    return lossy;
}

uint64_t removal_weight_of_output(const struct inputs *in)
{
    uint64_t weight = 0;
    for (size_t i = 0; i < in->list.n; i++) {
        const struct kept_input *input = &in->list.data[i];
        if (!input->file || removal_code(in, i) != APF_OK ||
            !removal_is_output(in->removal, &input->file->identity))
            continue;
        weight = input->weight < UINT64_MAX - weight ? weight + input->weight : UINT64_MAX;
    }
    return weight;
}

bool removal_is_named(const struct inputs_removal *r, const struct apf_output *output)
{
    return output->path && strcmp(output->path, r->output) == 0;
}

struct entries {
    VEC(struct journal_entry) list;
};

/* Collects what the output will hold: the inputs of the old output, if that was an input, and the merged inputs. */
static bool gather_entries(const struct inputs *in, bool with_output, struct entries *e)
{
    const struct inputs_removal *r = in->removal;
    bool ok = true;
    for (size_t i = 0; ok && with_output && i < r->journal->held.n; i++)
        ok = VEC_PUSH(&e->list, r->journal->held.data[i]);
    for (size_t i = 0; ok && r->remove && i < in->list.n; i++) {
        const struct input_file *file = in->list.data[i].file;
        bool merged = file && file->path && removal_code(in, i) == APF_OK;
        if (!merged || (removal_is_output(r, &file->identity) && !removal_is_hard_link(r, file)))
            continue;
        const struct file_identity *id = &file->identity;
        struct journal_entry entry = {
            file->path, id->size, id->seconds, id->nanoseconds, file->digest, false, removal_is_lossy(in, i)};
        ok = VEC_PUSH(&e->list, entry);
    }
    return ok;
}

/* ---- beginning and end ---- */

bool removal_same_directory(const char *a, const char *b)
{
    const char *end = strrchr(a, '/');
    size_t n = (size_t)(end - a) + 1;
    return strncmp(a, b, n) == 0 && !strchr(b + n, '/');
}

/* Makes the removal of a file durable. Its directory may be gone, too: then the next one above counts. */
static bool sync_removal(const char *path)
{
    char *above = strdup(path), *slash;
    int failed = above ? file_sync_directory(above) : ENOMEM;
    while (failed == ENOENT && (slash = strrchr(above, '/')) != NULL && slash != above) {
        *slash = '\0';
        failed = file_sync_directory(above);
    }
    free(above);
    return !failed;
}

/* Whether the file of an entry is not there any more or, with `replaced`, is another one by now. */
static bool is_gone(const struct journal_entry *entry, bool replaced)
{
    struct file_identity now;
    const int failed = file_look(&now, entry->path, false);
    return failed ? failed == ENOENT
                  : replaced && (now.size != entry->size || now.seconds != entry->seconds ||
                                 now.nanoseconds != entry->nanoseconds);
}

/* Marks the inputs that are gone for good, even after a loss of power: each directory is synchronised after it was
 * searched. Returns how many are still there. */
static size_t find_removed(struct journal_entry *entries, size_t n, bool replaced)
{
    const char *synced = NULL; /* a file in the directory that was synchronised last */
    size_t there = 0;
    for (size_t i = 0; i < n; i++)
        entries[i].removed = is_gone(&entries[i], replaced);
    for (size_t i = 0; i < n; i++) {
        if (entries[i].removed && !(synced && removal_same_directory(synced, entries[i].path))) {
            entries[i].removed = sync_removal(entries[i].path);
            synced = entries[i].removed ? entries[i].path : NULL;
        }
        there += !entries[i].removed;
    }
    return there;
}

/* Drops entries that earlier merges removed from a journal that stays; the paths of entries that this merge removed
 * stay, because it may be run again. Returns whether the journal must stay. */
static bool shorten_journal(const struct inputs *in)
{
    const struct inputs_removal *r = in->removal;
    struct entries e = {{0}};
    size_t kept = 0, there, old = r->with_output ? r->journal->held.n : 0;
    bool known = gather_entries(in, r->with_output, &e);
    there = known ? find_removed(e.list.data, e.list.n, false) : 0;
    for (size_t i = 0; known && i < e.list.n; i++)
        if (i >= old || !e.list.data[i].removed)
            e.list.data[kept++] = e.list.data[i];
    if (there)
        file_journal_rewrite(r->journal, e.list.data, kept);
    VEC_FREE(&e.list);
    return there || !known;
}

bool removal_leaves_held(const struct inputs *in)
{
    const struct file_journal *journal = in->removal->journal;
    return find_removed(journal->held.data, journal->held.n, true) != 0;
}

void removal_close_journal(struct inputs *in, bool needed)
{
    struct inputs_removal *r = in->removal;
    if (needed && r->renamed &&
        !r->unsynced) /* a later synchronisation does not report what a failed one lost */
        needed = shorten_journal(in);
    file_journal_close(r->journal, needed);
    r->journal = NULL;
}

int inputs_removal_open(struct inputs *in, const char *output, bool remove, struct apf_error *error)
{
    if (!output)
        return remove ? error_plain(error, APF_ARGUMENT, "merge.output",
                                    "inputs can only be removed if merge_options.output names the output")
                      : APF_OK;
    struct inputs_removal *r = arena_zeros(in->arena, 1, sizeof *r);
    if (!r)
        return error_memory(error);
    r->output = arena_text(in->arena, output, strlen(output));
    r->remove = remove;
    in->removal = r;
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
    removal_close_journal(in, true); /* its content is unknown */
    return code;
}

void inputs_removal_close(struct inputs *in)
{
    const struct inputs_removal *r = in->removal;
    if (r && r->journal)
        removal_close_journal(in, !r->remove || r->journal->useful || r->written);
}

/* ---- writing ---- */

static int write_journal(struct inputs_removal *r, struct file_out *out, const struct entries *e,
                         struct apf_error *error)
{
    uint64_t size = 0;
    struct file_digest digest;
    int code = file_out_seal(out, &size, &digest, error);
    return code == APF_OK ? file_journal_append(r->journal, size, digest, e->list.data, e->list.n, error)
                          : code;
}

bool inputs_removal_syncs(const struct inputs *in)
{
    const struct inputs_removal *r = in->removal;
    return r && r->journal && (r->remove || r->journal->held.n);
}

int inputs_removal_prepare(struct inputs *in, const struct apf_output *output, struct file_out *out,
                           struct apf_error *error)
{
    struct inputs_removal *r = in->removal;
    struct entries e = {{0}};
    if (!r || !r->journal || !removal_is_named(r, output))
        return APF_OK;
    r->renamed = false;
    r->with_output = removal_weight_of_output(in) != 0;
    if (!r->remove && !r->with_output)
        return APF_OK;
    int code = gather_entries(in, r->with_output, &e) ? APF_OK : error_memory(error);
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
