/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Takes profiles out of the spool, a directory that other users may write to.
 *
 * A profile is taken by a rename into the state, so that no program that starts later finds the file and adds its
 * counts to it. It is taken, and later merged, only when no program has the file open for writing. The kernel tells
 * that with a lease, for files of the user that collects or, to root, for all: a lease for reading is refused as long
 * as any process has the file open for writing, or mapped as continuous mode does. Where there are no leases, the file
 * must have been unchanged for some time, also after it was taken. */
#ifndef CLI_COLLECT_SPOOL_H
#define CLI_COLLECT_SPOOL_H

#include "collect_state.h"
#include "collect_watch.h"

#define SPOOL_DEPTH 33 /* of directories, with the spool; deeper ones are ignored */

/* What a walk has left in the spool. */
struct spool_counts {
    uint64_t n_waiting; /* profiles that a program has open, that changed too lately, that came meanwhile */
    uint64_t n_ignored; /* files that are no instrumentation profiles, directories that are not entered */
    uint64_t n_failed;  /* profiles that could not be taken ... */
    int why;            /* ... and the errno of the first one, with its path */
    char first[PATH_MAX];
    uint64_t bytes; /* on the disk */
};

struct spool_level {
    DIR *dir;
    int fd;
    size_t n_path;
    bool taken; /* a file, and the directory is not on the disk since */
};

/* A walk through the spool. */
struct spool {
    struct collect_state *state;
    struct watch *watch; /* is made to watch each directory */
    uint64_t settle;     /* seconds */
    uint64_t keep;       /* after so many seconds, what the runtime left when it was killed is removed */
    int64_t now;
    struct spool_level levels[SPOOL_DEPTH];
    size_t n;
    bool unsynced;       /* a directory could not be synchronised */
    char path[PATH_MAX]; /* of the directory that is read */
    struct spool_counts counts;
};

/* Begins a walk; `state` to `keep` are set by the caller. False: the spool cannot be read, reported. spool_close must
 * follow either way. */
bool spool_open(struct spool *s, const struct session *session);
/* Takes the next profile. False: the walk is over. */
bool spool_take(struct spool *s);
/* Makes sure, before what was taken is merged, that a loss of power neither loses it nor brings it back. False: that
 * failed. */
bool spool_sync(struct spool *s);
void spool_close(struct spool *s);

/* Whether no program writes to a file any more, whose status is given. */
bool spool_is_done(int directory, const char *name, const struct stat *st, uint64_t settle, int64_t now);

#endif
