/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory.h"

#define TAG_BYTES 1
#define NAP_NANOSECONDS 500000

/* ---- groups ---- */

/* The number of the group with this name: the lowest rank that has it. */
static int group_of(const char *machine)
{
    enum { ROOM = 256 };
    int n, found = 0;
    char own[ROOM] = "";
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    strncpy(own, machine, ROOM - 1);
    char *all = (char *)checked_realloc(NULL, (size_t)n, ROOM);
    MPI_Allgather(own, ROOM, MPI_CHAR, all, ROOM, MPI_CHAR, MPI_COMM_WORLD);
    while (memcmp(all + (size_t)found * ROOM, own, ROOM) != 0)
        found++;
    free(all);
    return found;
}

void ranks_open(struct ranks *r, const char *machine, size_t most)
{
    int world, n;
    MPI_Comm same;
    *r = (struct ranks){.most = most};
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    const int group = machine ? group_of(machine) : 0;
    /* Keys that are equal keep the order that there was. */
    MPI_Comm_split(MPI_COMM_WORLD, 0, group, &r->all);
    MPI_Comm_split(MPI_COMM_WORLD, group, world, &r->group);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world, MPI_INFO_NULL, &same);
    MPI_Comm_rank(r->all, &r->rank);
    MPI_Comm_size(r->all, &r->n);
    MPI_Comm_rank(r->group, &r->group_rank);
    MPI_Comm_size(r->group, &r->n_group);
    MPI_Comm_size(same, &r->n_machine);
    MPI_Comm_free(&same);
    MPI_Comm_split_type(r->group, MPI_COMM_TYPE_SHARED, world, MPI_INFO_NULL, &same);
    MPI_Comm_size(same, &n);
    MPI_Comm_free(&same);
    r->is_one_machine = ranks_worst(r, n != r->n_group) == 0;
}

void ranks_close(struct ranks *r)
{
    MPI_Comm_free(&r->all);
    MPI_Comm_free(&r->group);
}

/* ---- numbers ---- */

void ranks_nap(void)
{
    const struct timespec nap = {0, NAP_NANOSECONDS};
    nanosleep(&nap, NULL);
}

/* Sleeps until a request is complete, so that waiting for it costs no time of a processor. */
static void sleep_until(MPI_Request *request)
{
    for (int done = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE), !done;)
        ranks_nap();
}

static int worst_of(MPI_Comm ranks, int code)
{
    int worst = code;
    MPI_Request request;
    MPI_Iallreduce(&code, &worst, 1, MPI_INT, MPI_MAX, ranks, &request);
    sleep_until(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* it is complete: for analysers, which look for this */
    return worst;
}

int ranks_worst(const struct ranks *r, int code)
{
    return worst_of(r->all, code);
}

void ranks_meet(const struct ranks *r)
{
    worst_of(r->group, 0);
}

int ranks_broadcast(const struct ranks *r, int number)
{
    MPI_Request request;
    MPI_Ibcast(&number, 1, MPI_INT, 0, r->all, &request);
    sleep_until(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* it is complete: for analysers, which look for this */
    return number;
}

/* ---- buffers ---- */

static void make_room(struct apf_buffer *buffer, size_t n)
{
    buffer->data = checked_realloc(NULL, n + 1, 1);
    buffer->n = n;
    buffer->capacity = n + 1;
}

/* How many bytes the next message has when n are left. */
static int piece_of(const struct ranks *r, size_t n)
{
    return (int)(n < r->most ? n : r->most);
}

void ranks_share(struct ranks *r, struct apf_buffer *buffer)
{
    uint64_t n = buffer->n;
    MPI_Bcast(&n, 1, MPI_UINT64_T, 0, r->group);
    if (!ranks_is_leader(r))
        make_room(buffer, (size_t)n);
    for (size_t at = 0; at < n;) {
        const int piece = piece_of(r, (size_t)n - at);
        MPI_Bcast((char *)buffer->data + at, piece, MPI_BYTE, 0, r->group);
        at += (size_t)piece;
    }
}

/* Sends a buffer to one rank and receives one from another at once, whose room is there. */
static void send_receive(struct ranks *r, const struct apf_buffer *sent, int to,
                         const struct apf_buffer *received, int from)
{
    size_t out = 0, in = 0;
    while (out < sent->n || in < received->n) {
        const int n_out = piece_of(r, sent->n - out), n_in = piece_of(r, received->n - in);
        MPI_Sendrecv((const char *)sent->data + out, n_out, MPI_BYTE, n_out ? to : MPI_PROC_NULL, TAG_BYTES,
                     (char *)received->data + in, n_in, MPI_BYTE, n_in ? from : MPI_PROC_NULL, TAG_BYTES,
                     r->all, MPI_STATUS_IGNORE);
        out += (size_t)n_out;
        in += (size_t)n_in;
    }
    r->bytes_moved += out;
}

void ranks_exchange(struct ranks *r, struct apf_buffer *sent, struct apf_buffer *received)
{
    const size_t n = (size_t)r->n;
    uint64_t *sizes = (uint64_t *)checked_realloc(NULL, 2 * n, sizeof *sizes), *others = sizes + n;
    for (size_t i = 0; i < n; i++)
        sizes[i] = sent[i].n;
    MPI_Alltoall(sizes, 1, MPI_UINT64_T, others, 1, MPI_UINT64_T, r->all);
    received[r->rank] = sent[r->rank];
    sent[r->rank] = (struct apf_buffer){NULL, 0, 0};
    for (int step = 1; step < r->n; step++) { /* each rank sends to one other, and receives from one other */
        const int to = (r->rank + step) % r->n, from = (r->rank - step + r->n) % r->n;
        make_room(&received[from], (size_t)others[from]);
        send_receive(r, &sent[to], to, &received[from], from);
        apf_buffer_free(&sent[to]);
    }
    free(sizes);
}

void ranks_gather(struct ranks *r, struct apf_buffer *mine, struct apf_buffer *all)
{
    const struct apf_buffer nothing = {NULL, 0, 0};
    uint64_t n = mine->n, *sizes = (uint64_t *)checked_realloc(NULL, (size_t)r->n, sizeof *sizes);
    MPI_Gather(&n, 1, MPI_UINT64_T, sizes, 1, MPI_UINT64_T, 0, r->all);
    if (!ranks_is_root(r)) {
        send_receive(r, mine, 0, &nothing, MPI_PROC_NULL);
        apf_buffer_free(mine);
    }
    for (int i = 1; ranks_is_root(r) && i < r->n; i++) {
        make_room(&all[i], (size_t)sizes[i]);
        send_receive(r, &nothing, MPI_PROC_NULL, &all[i], i);
    }
    if (ranks_is_root(r))
        all[0] = *mine;
    *mine = nothing;
    free(sizes);
}
