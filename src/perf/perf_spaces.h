/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The address spaces of all processes of a recording, as they are at a moment: which file is mapped where. Processes
 * that were forked share what neither has changed. */
#ifndef PERF_PERF_SPACES_H
#define PERF_PERF_SPACES_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "perf/perf_record.h"

struct perf_mapping {
    uint64_t start, end; /* end: after its last byte */
    uint64_t offset;     /* in the file */
    uint32_t file;       /* the caller's number */
    bool executable;
};

/* A mapping in a treap by its start. A node is changed only by the process that owns it; others copy it. */
struct perf_space_node {
    struct perf_mapping mapping;
    uint32_t left, right; /* 0: none */
    uint32_t owner;
    uint32_t priority; /* not below those of the nodes under it */
};

struct perf_space {
    uint32_t pid;
    uint32_t root;
    uint32_t owner; /* number of the nodes that it owns */
    uint32_t ended; /* when it ended, in collections; 0: it did not */
};

/* All zero, but for most_mappings, = no process. */
struct perf_spaces {
    VEC(struct perf_space_node) nodes; /* the first is not used */
    VEC(struct perf_space) list;
    VEC(uint32_t) unused;    /* nodes */
    struct hash_index index; /* from pids to places in the list */
    uint32_t last;           /* place in the list that was found last */
    uint32_t owners;         /* numbers of owners that were given out */
    uint32_t collections;    /* times that unreachable nodes were collected */
    size_t next_collection;  /* when there are so many nodes */
    size_t most_mappings;    /* in all processes, those that are shared counting once */
    uint64_t random;
};

/* most_mappings of a reader that has apf_options.max_records. */
static inline size_t perf_spaces_most(uint64_t max_records)
{
    const size_t most = (size_t)1 << 23;
    return max_records && max_records < most ? (size_t)max_records : most;
}

void perf_spaces_free(struct perf_spaces *s);
/* A process that is not known has no mappings. Number of a process: UINT32_MAX if there is no such process. */
uint32_t perf_spaces_find(struct perf_spaces *s, uint32_t pid);
/* Maps a file, in place of what was mapped there. APF_LIMIT: there are more than most_mappings. */
int perf_spaces_map(struct perf_spaces *s, uint32_t pid, const struct perf_mapping *mapping,
                    struct apf_error *error);
/* A process begins as a copy of another one. */
int perf_spaces_fork(struct perf_spaces *s, uint32_t parent, uint32_t child, struct apf_error *error);
/* A process begins to run another program: nothing is mapped. */
void perf_spaces_exec(struct perf_spaces *s, uint32_t pid);
/* A process ends. Its mappings stay for a while, because samples of it may come later. */
void perf_spaces_exit(struct perf_spaces *s, uint32_t pid);
/* The mapping at an address of process number `space`; NULL: there is none. Valid until the next change. */
const struct perf_mapping *perf_spaces_at(const struct perf_spaces *s, uint32_t space, uint64_t address);

#endif
