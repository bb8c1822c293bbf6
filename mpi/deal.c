/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "deal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define TAG_QUESTION 2
#define TAG_ANSWER 3

enum question_kind { ASK_FIRST, ASK_MORE, SAY_END, SAY_FAILED };

/* What a rank says. */
struct question {
    uint64_t kind, n_inputs;
    struct run finished; /* ASK_FIRST: n = 0 if there is none */
    uint64_t after;      /* ASK_MORE: the piece that is wanted */
};
#define QUESTION_WORDS ((int)(sizeof(struct question) / sizeof(uint64_t)))
#define RUN_WORDS ((int)(sizeof(struct run) / sizeof(uint64_t)))

#define NO_PIECE UINT64_MAX

/* What is left, at the leader. */
struct dealer {
    const struct ranks *ranks;
    const struct pieces *pieces;
    const struct apf_options *options;
    pthread_t thread;
    pthread_mutex_t lock;
    bool *taken;     /* for each piece, whether it was dealt, or finished before */
    uint64_t *after; /* for each rank, the piece after its run; NO_PIECE: it has none */
    bool failed;
    struct runs runs; /* that are finished */
    struct apf_progress progress;
};

void runs_add(struct runs *runs, const struct run *run)
{
    if (runs->n == runs->capacity) {
        runs->capacity = 2 * runs->capacity + 16;
        runs->list = (struct run *)checked_realloc(runs->list, runs->capacity, sizeof *runs->list);
    }
    runs->list[runs->n++] = *run;
}

/* ---- at the leader ---- */

/* Takes pieces from `first` on, none of which is taken, up to `end`: as many as have n_inputs inputs, but at most half
 * of them. */
static struct run take(struct dealer *d, uint64_t first, uint64_t end, uint64_t n_inputs)
{
    const uint64_t most = end - first > 1 ? (end - first) / 2 : 1;
    struct run run = {.first = first};
    uint64_t n = 0;
    while (run.n < most && (run.n == 0 || n < n_inputs)) {
        const struct piece *piece = &d->pieces->list[first + run.n];
        d->taken[first + run.n++] = true;
        d->progress.n_done += piece->n;
        d->progress.bytes += piece->bytes;
        n += piece->n;
    }
    return run;
}

/* The first piece after `from` that is taken, or the number of pieces. */
static uint64_t end_of_gap(const struct dealer *d, uint64_t from)
{
    while (from < d->pieces->n && !d->taken[from])
        from++;
    return from;
}

/* Whether a rank has the piece before this one in its run, so that it may go on here. */
static bool is_reached(const struct dealer *d, uint64_t piece)
{
    for (int i = 0; i < d->ranks->n_group; i++)
        if (d->after[i] == piece)
            return true;
    return false;
}

/* A gap: pieces that follow each other and are not taken. */
struct gap {
    uint64_t first, end, bytes;
};

static struct gap largest_gap(const struct dealer *d)
{
    struct gap best = {0, 0, 0};
    for (uint64_t i = 0; i < d->pieces->n; i++) {
        struct gap gap = {i, end_of_gap(d, i), 0};
        for (uint64_t k = i; k < gap.end; k++)
            gap.bytes += d->pieces->list[k].bytes + 1; /* 1: an input that cannot be looked at is work, too */
        best = gap.bytes > best.bytes ? gap : best;
        i = gap.end > i ? gap.end : i;
    }
    return best;
}

/* The first pieces of a new run: at the beginning of the largest gap or, if a run may go on there, in its middle. */
static struct run take_first(struct dealer *d, uint64_t n_inputs)
{
    const struct gap gap = largest_gap(d);
    uint64_t at = gap.first, before = 0;
    if (gap.bytes == 0)
        return (struct run){.n = 0};
    while (is_reached(d, gap.first) && at + 1 < gap.end && before < gap.bytes / 2)
        before += d->pieces->list[at++].bytes + 1;
    return take(d, at, gap.end, n_inputs);
}

static struct run take_more(struct dealer *d, uint64_t after, uint64_t n_inputs)
{
    const uint64_t end = after < d->pieces->n ? end_of_gap(d, after) : after;
    return end > after ? take(d, after, end, n_inputs) : (struct run){.n = 0};
}

/* Answers a rank of the group. */
static struct run answer(struct dealer *d, int rank, const struct question *q)
{
    struct run run = {.n = 0};
    pthread_mutex_lock(&d->lock);
    d->failed |= q->kind == SAY_FAILED;
    if (q->finished.n)
        runs_add(&d->runs, &q->finished);
    d->after[rank] = NO_PIECE;
    if (!d->failed && q->kind == ASK_FIRST)
        run = take_first(d, q->n_inputs);
    else if (!d->failed && q->kind == ASK_MORE)
        run = take_more(d, q->after, q->n_inputs);
    if (run.n)
        d->after[rank] = run.first + run.n;
    if (run.n && d->options->progress)
        d->options->progress(d->options->progress_user, &d->progress);
    pthread_mutex_unlock(&d->lock);
    return run;
}

/* Answers the other ranks until each has said that it takes no more. */
static void *answer_all(void *context)
{
    struct dealer *d = (struct dealer *)context;
    for (int n_busy = d->ranks->n_group - 1; n_busy;) {
        struct question q;
        MPI_Status from;
        int there = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_QUESTION, d->ranks->group, &there, &from);
        if (!there) {
            ranks_nap();
            continue;
        }
        MPI_Recv(&q, QUESTION_WORDS, MPI_UINT64_T, from.MPI_SOURCE, TAG_QUESTION, d->ranks->group,
                 MPI_STATUS_IGNORE);
        const struct run run = answer(d, from.MPI_SOURCE, &q);
        MPI_Send(&run, RUN_WORDS, MPI_UINT64_T, from.MPI_SOURCE, TAG_ANSWER, d->ranks->group);
        n_busy -= q.kind == SAY_END || q.kind == SAY_FAILED;
    }
    return NULL;
}

static void open_dealer(struct deal *d, const struct pieces *pieces, const struct runs *done,
                        const struct apf_options *options)
{
    struct dealer *dealer = (struct dealer *)checked_realloc(NULL, 1, sizeof *dealer);
    *dealer = (struct dealer){.ranks = d->ranks, .pieces = pieces, .options = options};
    dealer->progress.n_inputs = pieces->n_inputs;
    dealer->taken = (bool *)checked_realloc(NULL, pieces->n + 1, sizeof *dealer->taken);
    memset(dealer->taken, 0, (pieces->n + 1) * sizeof *dealer->taken);
    dealer->after = (uint64_t *)checked_realloc(NULL, (size_t)d->ranks->n_group, sizeof *dealer->after);
    for (int i = 0; i < d->ranks->n_group; i++)
        dealer->after[i] = NO_PIECE;
    for (size_t i = 0; i < done->n; i++) {
        runs_add(&dealer->runs, &done->list[i]);
        for (uint64_t k = 0; k < done->list[i].n; k++) {
            dealer->taken[done->list[i].first + k] = true;
            dealer->progress.n_done += pieces->list[done->list[i].first + k].n;
        }
    }
    pthread_mutex_init(&dealer->lock, NULL);
    if (pthread_create(&dealer->thread, NULL, answer_all, dealer) != 0)
        out_of_memory(); /* what a thread needs */
    d->dealer = dealer;
}

static int compare_runs(const void *a, const void *b)
{
    const uint64_t x = ((const struct run *)a)->first, y = ((const struct run *)b)->first;
    return x < y ? -1 : x > y;
}

/* Waits for the others, and takes the runs. */
static void close_dealer(struct deal *d, struct runs *runs)
{
    struct dealer *dealer = d->dealer;
    pthread_join(dealer->thread, NULL);
    pthread_mutex_destroy(&dealer->lock);
    *runs = dealer->runs;
    if (runs->n)
        qsort(runs->list, runs->n, sizeof *runs->list, compare_runs);
    free(dealer->taken);
    free(dealer->after);
    free(dealer);
    d->dealer = NULL;
}

/* ---- at each rank ---- */

static struct run ask(struct deal *d, const struct question *q)
{
    struct run run;
    if (d->dealer)
        return answer(d->dealer, 0, q);
    MPI_Send(q, QUESTION_WORDS, MPI_UINT64_T, 0, TAG_QUESTION, d->ranks->group);
    MPI_Recv(&run, RUN_WORDS, MPI_UINT64_T, 0, TAG_ANSWER, d->ranks->group, MPI_STATUS_IGNORE);
    return run;
}

void deal_begin(struct deal *d, struct ranks *r, const struct pieces *pieces, const struct runs *done,
                const struct apf_options *options)
{
    d->ranks = r;
    d->dealer = NULL;
    if (ranks_is_leader(r))
        open_dealer(d, pieces, done, options);
}

bool deal_first(struct deal *d, const struct run *finished, struct run *run)
{
    const struct run none = {.n = 0};
    const struct question q = {ASK_FIRST, d->n_inputs, finished ? *finished : none, 0};
    *run = ask(d, &q);
    return run->n != 0;
}

bool deal_more(struct deal *d, struct run *run, struct run *more)
{
    const struct question q = {.kind = ASK_MORE, .n_inputs = d->n_inputs, .after = run->first + run->n};
    *more = ask(d, &q);
    run->n += more->n;
    return more->n != 0;
}

void deal_end(struct deal *d, bool failed, struct runs *runs)
{
    const struct question q = {.kind = failed ? SAY_FAILED : SAY_END};
    struct apf_buffer bytes = {NULL, 0, 0};
    ask(d, &q);
    *runs = (struct runs){NULL, 0, 0};
    if (d->dealer)
        close_dealer(d, runs);
    ranks_meet(d->ranks);
    bytes.data = runs->list;
    bytes.n = runs->n * sizeof *runs->list;
    ranks_share(d->ranks, &bytes);
    runs->list = (struct run *)bytes.data;
    runs->n = bytes.n / sizeof *runs->list;
}
