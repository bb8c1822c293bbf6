/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "deal.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "memory.h"

#define TAG_DONE 2
#define TAG_NEXT 3
#define NAP_NANOSECONDS 500000

/* What is left, at the leader. */
struct dealer {
    const struct ranks *ranks;
    const struct pieces *pieces;
    const struct apf_options *options;
    pthread_mutex_t lock;
    size_t *order; /* pieces by size */
    size_t next;
    int code; /* the worst so far */
    size_t n_found;
    struct apf_progress progress;
};

/* What a rank says when it wants work: a piece that it has done, from 1, or 0; and what became of it. */
struct done_message {
    uint64_t piece, code, found;
};

/* ---- the order ---- */

static const struct piece *sorted;

static int compare(const void *a, const void *b)
{
    const size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const uint64_t x = sorted[i].bytes, y = sorted[k].bytes;
    if (x != y)
        return x < y ? 1 : -1;
    return i < k ? -1 : 1;
}

static size_t *sort_pieces(const struct pieces *p)
{
    size_t *order = (size_t *)checked_realloc(NULL, p->n + 1, sizeof *order);
    for (size_t i = 0; i < p->n; i++)
        order[i] = i;
    sorted = p->list;
    qsort(order, p->n, sizeof *order, compare);
    return order;
}

/* ---- at the leader ---- */

/* Takes note of what is done, and deals the next piece. Returns its number from 1, or 0: none is left. */
static uint64_t deal_next(struct dealer *d, const struct done_message *done)
{
    uint64_t next = 0;
    pthread_mutex_lock(&d->lock);
    if (done->piece) {
        const struct piece *piece = &d->pieces->list[done->piece - 1];
        d->code = d->code > (int)done->code ? d->code : (int)done->code;
        d->n_found += done->found;
        d->progress.n_done += piece->n;
        d->progress.bytes += done->found ? 0 : piece->bytes;
        if (d->options->progress)
            d->options->progress(d->options->progress_user, &d->progress);
    }
    if (d->code == 0 && d->next < d->pieces->n)
        next = d->order[d->next++] + 1;
    pthread_mutex_unlock(&d->lock);
    return next;
}

/* Answers the other ranks until each knows that nothing is left. */
static void *answer(void *context)
{
    struct dealer *d = (struct dealer *)context;
    const struct timespec nap = {0, NAP_NANOSECONDS};
    for (int n_busy = d->ranks->n_group - 1; n_busy;) {
        struct done_message done;
        MPI_Status from;
        int there = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_DONE, d->ranks->group, &there, &from);
        if (!there) {
            nanosleep(&nap, NULL);
            continue;
        }
        MPI_Recv(&done, 3, MPI_UINT64_T, from.MPI_SOURCE, TAG_DONE, d->ranks->group, MPI_STATUS_IGNORE);
        const uint64_t next = deal_next(d, &done);
        MPI_Send(&next, 1, MPI_UINT64_T, from.MPI_SOURCE, TAG_NEXT, d->ranks->group);
        n_busy -= next == 0;
    }
    return NULL;
}

/* ---- at each rank ---- */

/* dealer is NULL but at the leader. */
static uint64_t ask(const struct ranks *r, struct dealer *dealer, const struct done_message *done)
{
    uint64_t next;
    if (dealer)
        return deal_next(dealer, done);
    MPI_Send(done, 3, MPI_UINT64_T, 0, TAG_DONE, r->group);
    MPI_Recv(&next, 1, MPI_UINT64_T, 0, TAG_NEXT, r->group, MPI_STATUS_IGNORE);
    return next;
}

static int work_on(const struct ranks *r, struct dealer *dealer, const struct pieces *pieces,
                   piece_function *work, void *context)
{
    struct done_message done = {0, 0, 0};
    int code = 0;
    while ((done.piece = ask(r, dealer, &done)) != 0) {
        const struct piece_done result = work(context, &pieces->list[done.piece - 1]);
        done.code = (uint64_t)result.code;
        done.found = result.found;
        code = result.code ? result.code : code;
    }
    return code;
}

int deal(const struct ranks *r, const struct pieces *pieces, const struct apf_options *options,
         piece_function *work, void *context, size_t *n_found)
{
    struct dealer d = {.ranks = r, .pieces = pieces, .options = options, .progress = {.n_inputs = pieces->n_inputs}};
    pthread_t thread;
    if (!ranks_is_leader(r))
        return work_on(r, NULL, pieces, work, context);
    d.order = sort_pieces(pieces);
    pthread_mutex_init(&d.lock, NULL);
    if (pthread_create(&thread, NULL, answer, &d) != 0)
        checked_realloc(NULL, SIZE_MAX, 1); /* which ends the program */
    const int code = work_on(r, &d, pieces, work, context);
    pthread_join(thread, NULL);
    pthread_mutex_destroy(&d.lock);
    free(d.order);
    *n_found = d.n_found;
    return code > d.code ? code : d.code;
}
