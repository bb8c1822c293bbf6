/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/output_pieces.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/pool.h"

/* Pieces that may be complete, or in work, for each thread. */
#define PIECES_WAITING 4u
/* The room for what they have written before it is their turn, together, and the least for each. */
#define ROOM_FOR_ALL ((size_t)2 << 20)
#define ROOM_FOR_ONE ((size_t)1 << 16)

/* A piece that is in work, or waits for those before it. */
struct slot {
    struct apf_buffer bytes;
    bool complete;
};

struct worker {
    struct writer *writer;
    struct file_out *out; /* to write_bytes; NULL: none so far */
    size_t piece;
    bool no_memory; /* for what the piece has written */
    struct apf_error error;
};

struct writer {
    const struct pieces *pieces;
    struct file_out *out;   /* used by the piece whose turn it is, and by the one that ends it */
    pthread_mutex_t lock;   /* of all below */
    pthread_cond_t moved;   /* `turn` has changed */
    size_t turn;            /* the first piece that is not complete */
    struct slot *slots;     /* of piece i: i % n_slots */
    size_t n_slots, room;   /* how many there are, and bytes for each */
    struct worker *workers; /* for each thread */
    size_t failed;          /* the first piece that failed; SIZE_MAX: none */
    int code;
    struct apf_error error;
    bool stopped; /* the output has failed */
};

static struct slot *slot_of(struct writer *w, size_t piece)
{
    return &w->slots[piece % w->n_slots];
}

/* Waits until fewer than n pieces before this one are not complete. That cannot be for ever: pieces are begun in order,
 * so that the first one is in work, and does not wait. */
static void await(struct writer *w, size_t piece, size_t n)
{
    while (piece - w->turn >= n && piece != w->turn)
        pthread_cond_wait(&w->moved, &w->lock);
}

/* Writes what a piece has in its buffer. */
static void flush(struct writer *w, struct slot *slot)
{
    (void)file_out_write(w->out, slot->bytes.data, slot->bytes.n);
    slot->bytes.n = 0;
}

/* An apf_write_fn, `user` being a worker. */
static int write_bytes(void *user, const void *p, size_t n)
{
    struct worker *worker = (struct worker *)user;
    struct writer *w = worker->writer;
    pthread_mutex_lock(&w->lock);
    struct slot *slot = slot_of(w, worker->piece);
    if (w->turn != worker->piece && slot->bytes.n + n > w->room)
        await(w, worker->piece, 1);
    const bool direct = w->turn == worker->piece;
    pthread_mutex_unlock(&w->lock);
    if (!direct) { /* the slot is this piece's */
        const int failed = apf_buffer_write(&slot->bytes, p, n);
        worker->no_memory |= failed != 0;
        return failed;
    }
    flush(w, slot);
    (void)file_out_write(w->out, p, n);
    return w->out->sys_errno;
}

/* Ends a piece, and those after it that wait for it. */
static void complete(struct writer *w, size_t piece)
{
    pthread_mutex_lock(&w->lock);
    slot_of(w, piece)->complete = true;
    if (piece == w->turn) {
        for (struct slot *slot; (slot = slot_of(w, w->turn))->complete; w->turn++) {
            flush(w, slot);
            slot->complete = false;
        }
        w->stopped = w->out->sys_errno != 0;
        pthread_cond_broadcast(&w->moved);
    }
    pthread_mutex_unlock(&w->lock);
}

static void fail(struct writer *w, struct worker *worker, int code)
{
    pthread_mutex_lock(&w->lock);
    if (worker->piece < w->failed) {
        w->failed = worker->piece;
        w->code = code;
        w->error = worker->error;
    }
    pthread_mutex_unlock(&w->lock);
}

/* Whether a piece need not be written: one before it has failed, or the output has. */
static bool is_idle(struct writer *w, size_t piece)
{
    pthread_mutex_lock(&w->lock);
    await(w, piece, w->n_slots);
    const bool idle = w->failed < piece || w->stopped;
    pthread_mutex_unlock(&w->lock);
    return idle;
}

/* A pool_task. */
static void write_piece(void *context, size_t piece, unsigned thread)
{
    struct writer *w = (struct writer *)context;
    struct worker *worker = &w->workers[thread];
    const struct apf_output output = {.size = sizeof output, .write = write_bytes, .user = worker};
    int code = APF_OK;
    worker->piece = piece;
    worker->writer = w;
    if (!is_idle(w, piece)) {
        if (!worker->out)
            code = file_out_open(&worker->out, &output, &worker->error);
        if (code == APF_OK)
            code = w->pieces->write(w->pieces->context, piece, thread, worker->out, &worker->error);
        if (code == APF_OK)
            (void)file_out_spill(worker->out, NULL, 0);
        if (code == APF_OK && worker->no_memory)
            code = error_memory(&worker->error);
        if (code != APF_OK)
            fail(w, worker, code);
    }
    complete(w, piece);
}

unsigned pieces_threads(const struct pieces *p)
{
    return pool_threads(p->threads, p->n);
}

static void free_writer(struct writer *w, unsigned threads)
{
    for (unsigned i = 0; w->workers && i < threads; i++)
        if (w->workers[i].out) /* what it has left is of a piece that failed */
            (void)file_out_close(w->workers[i].out, false, NULL);
    for (size_t i = 0; w->slots && i < w->n_slots; i++)
        apf_buffer_free(&w->slots[i].bytes);
    free(w->workers);
    free(w->slots);
}

static int write_with_threads(const struct pieces *p, unsigned threads, struct file_out *out,
                              struct apf_error *error)
{
    struct writer w = {.pieces = p,
                       .out = out,
                       .n_slots = (size_t)threads * PIECES_WAITING,
                       .failed = SIZE_MAX,
                       .code = APF_OK};
    w.room = ROOM_FOR_ALL / w.n_slots > ROOM_FOR_ONE ? ROOM_FOR_ALL / w.n_slots : ROOM_FOR_ONE;
    w.slots = calloc(w.n_slots, sizeof *w.slots);
    w.workers = calloc(threads, sizeof *w.workers);
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.moved, NULL);
    if (w.slots && w.workers)
        pool_run(threads, p->n, write_piece, &w);
    else
        w.code = error_memory(&w.error);
    pthread_cond_destroy(&w.moved);
    pthread_mutex_destroy(&w.lock);
    free_writer(&w, threads);
    if (w.code != APF_OK && error)
        *error = w.error;
    return w.code;
}

int pieces_write(const struct pieces *p, struct file_out *out, struct apf_error *error)
{
    const unsigned threads = pieces_threads(p);
    int code = APF_OK;
    if (threads > 1)
        return write_with_threads(p, threads, out, error);
    for (size_t i = 0; i < p->n && code == APF_OK && !out->sys_errno; i++)
        code = p->write(p->context, i, 0, out, error);
    return code;
}
