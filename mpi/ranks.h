/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processes of a run, which Open MPI numbers, and messages between them. Failures of Open MPI end the run. */
#ifndef MPI_RANKS_H
#define MPI_RANKS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anyprof/io.h>

/* Ranks that see the same input files are a group: all of them or, with --local-inputs, those of one machine. */
struct ranks {
    MPI_Comm
        all; /* group by group, so that inputs of the ranks of a group follow each other; 0 is the root */
    int rank, n;
    MPI_Comm group; /* its rank 0 is the leader */
    int group_rank, n_group;
    int n_machine;        /* ranks on this machine */
    bool is_one_machine;  /* the ranks of the group are on one machine */
    size_t most;          /* bytes of a message; longer ones are sent in pieces */
    uint64_t bytes_moved; /* that this rank has sent to others */
};

static inline bool ranks_is_root(const struct ranks *r)
{
    return r->rank == 0;
}
static inline bool ranks_is_leader(const struct ranks *r)
{
    return r->group_rank == 0;
}

/* Groups the ranks: by `machine`, the name of this one, or NULL: all are one group. ranks_close must follow. */
void ranks_open(struct ranks *r, const char *machine, size_t most);
void ranks_close(struct ranks *r);

/* Sleeps between two looks at whether something has come: Open MPI itself would wait at full speed, and take the
 * processor from ranks that work. */
void ranks_nap(void);
/* The largest of all ranks' codes. Ranks that wait for the others sleep, and leave their processor to them. */
int ranks_worst(const struct ranks *r, int code);
/* The root's number, for all. */
int ranks_broadcast(const struct ranks *r, int number);
/* Waits, asleep, until all ranks of the group are here. */
void ranks_meet(const struct ranks *r);
/* Sets the buffers of all ranks of the group to the leader's. */
void ranks_share(struct ranks *r, struct apf_buffer *buffer);
/* Sends sent[i] to rank i, for each i, and receives what the others send to this one; sent[i] is freed. */
void ranks_exchange(struct ranks *r, struct apf_buffer *sent, struct apf_buffer *received);
/* The root receives the buffers of all ranks, by their numbers; others free theirs. */
void ranks_gather(struct ranks *r, struct apf_buffer *mine, struct apf_buffer *all);

#endif
