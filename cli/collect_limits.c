/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is forgotten: by age, and to keep the disk from filling up. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collect.h"

#define OLDEST 65536      /* files that are looked at at once */
#define MOST_BUILDS 10000 /* the output is a merge of them all */

/* Removes a file. False: reported. */
static bool remove_kept(struct collector *c, enum collect_place place, const char *name)
{
    char journal[NAME_MAX + 1];
    const int directory = c->state.fds[place];
    if (unlinkat(directory, name, 0) != 0) {
        report_errno(c->session, name, errno);
        return false;
    }
    /* Without its sum a journal means nothing: what it names is merged again. */
    collect_journal_name(name, journal, sizeof journal);
    if (place == COLLECT_SUMS)
        unlinkat(directory, journal, 0);
    return true;
}

static bool forget(struct collector *c, enum collect_place place, const char *name, const char *why,
                   uint64_t *counter)
{
    if (!remove_kept(c, place, name))
        return false;
    ++*counter;
    if (!c->request->base.quiet)
        report_note(c->session, "%s: %s, because %s", name,
                    place == COLLECT_SUMS ? "this build was forgotten" : "removed", why);
    return true;
}

/* Forgets files by age, or to free *excess bytes; the newest build stays. What is forgotten no longer counts in the
 * numbers of the list. *progress: all that it lists was. */
static bool forget_some(struct collector *c, enum collect_place place, struct kept_files *list,
                        uint64_t *excess, bool *progress)
{
    struct collect_metrics *m = &c->metrics;
    const int64_t now = (int64_t)time(NULL);
    const bool sums = place == COLLECT_SUMS;
    uint64_t bytes = 0;
    bool ok = true;
    size_t i = 0;
    for (; i < list->n; i++) {
        const struct kept_file *file = &list->data[i];
        const bool old = file->time < now && (uint64_t)(now - file->time) > c->request->keep;
        const bool last = sums && i + 1 == list->n && list->n == list->n_all;
        const bool many = sums && list->n_all - i > MOST_BUILDS;
        if (!old && !many && (!*excess || last))
            break;
        const char *why = !old   ? (many ? "there are too many" : "more is kept than --max-disk")
                          : sums ? "no profile of it came for so long (--keep)"
                                 : "it is old (--keep)";
        uint64_t *counter = sums ? (old ? &m->old_builds : &m->evicted_builds)
                                 : (old ? &m->old_rejects : &m->evicted_rejects);
        ok = forget(c, place, file->name, why, counter);
        if (!ok)
            break;
        *excess -= file->bytes < *excess ? file->bytes : *excess;
        bytes += file->bytes;
    }
    *progress = i && i == list->n;
    list->n_all -= i;
    list->bytes -= bytes;
    return ok;
}

/* Forgets what is in a list and, if that has only the oldest files, in further ones. The list is what is left. */
static bool forget_in(struct collector *c, enum collect_place place, struct kept_files *list,
                      uint64_t *excess)
{
    bool progress, ok = forget_some(c, place, list, excess, &progress);
    while (ok && progress && list->n_all) {
        kept_files_free(list);
        ok = kept_files_list(list, &c->state, place, OLDEST, c->session) &&
             forget_some(c, place, list, excess, &progress);
    }
    return ok;
}

bool collect_forget(struct collector *c)
{
    struct kept_files lists[COLLECT_PLACES] = {{NULL, 0, 0, 0, 0}};
    struct collect_metrics *m = &c->metrics;
    uint64_t used = 0; /* by what is kept: nothing is gained for what programs write into the spool */
    bool ok = true;
    for (int i = 0; i < COLLECT_PLACES; i++) {
        const enum collect_place place = (enum collect_place)i;
        ok =
            kept_files_list(&lists[i], &c->state, place, place == COLLECT_CLAIMED ? 1 : OLDEST, c->session) &&
            ok;
        used += lists[i].bytes;
    }
    const uint64_t most = c->request->max_disk;
    uint64_t excess = most && used > most ? used - most : 0;
    ok = ok && forget_in(c, COLLECT_REJECTED, &lists[COLLECT_REJECTED], &excess) &&
         forget_in(c, COLLECT_SUMS, &lists[COLLECT_SUMS], &excess);
    m->rejects = lists[COLLECT_REJECTED].n_all;
    m->reject_bytes = lists[COLLECT_REJECTED].bytes;
    for (int i = 0; i < COLLECT_PLACES; i++)
        kept_files_free(&lists[i]);
    return ok;
}
