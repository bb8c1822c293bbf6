/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The directory with the parts that are finished. One run at a time uses it. */
#ifndef MPI_WORK_DIR_H
#define MPI_WORK_DIR_H

#include "deal.h"
#include "session.h"

struct work_dir {
    const char *path, *machine; /* machine: NULL without --local-inputs */
    char *lock_path;            /* NULL but at the leader that has locked it */
    int lock;
};

/* At a leader: makes the directory if it is not there, and locks it. 0, or an exit code after a report.
 * work_dir_close must follow, also at other ranks. */
int work_dir_lock(struct work_dir *d, const struct session *session);
/* The path of the part with a name in it, for free(). */
char *work_dir_file(const struct work_dir *d, const char *name);
/* Finds the parts of runs that are finished. Those with the most pieces come first; others that share some of these
 * are left out. */
void work_dir_find(const struct work_dir *d, const struct pieces *pieces, struct runs *runs);
/* Removes what runs that were killed have left. */
void work_dir_clean(const struct work_dir *d);
void work_dir_close(struct work_dir *d);

#endif
