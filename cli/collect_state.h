/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The directory in which `collect` keeps what it has, and its names in it:
 *
 *     claimed/TIME-NAME     profiles that were taken from the spool, and are in no sum yet
 *     sums/BUILD.part       the sum of a build, a partial profile, with the journal of `merge --delete-inputs` while it
 *                           is needed
 *     rejected/TIME-NAME    profiles that cannot be merged
 *     totals                counters since the directory exists
 *     reserve, reserve.N    room and files that are given up when the disk is full
 *     lock                  locked while a collector is at work
 *
 * A profile is in one of the spool, `claimed`, a sum and `rejected` at any moment, or its sum's journal says that it is
 * in the sum and has to be removed. So nothing is to be repaired after a kill. */
#ifndef CLI_COLLECT_STATE_H
#define CLI_COLLECT_STATE_H

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "session.h"

enum collect_place { COLLECT_CLAIMED, COLLECT_SUMS, COLLECT_REJECTED, COLLECT_PLACES };

struct collect_state {
    char *spool, *path; /* absolute, without symbolic links */
    dev_t device;       /* the file system of both */
    ino_t inode;        /* of the state */
    char *paths[COLLECT_PLACES];
    int fds[COLLECT_PLACES]; /* of the same directories */
    int lock;
    int reserve;       /* below 0: there is none */
    bool gave_reserve; /* it was used, and is to be filled again */
    bool reserve_is_small;
    uint64_t n_names; /* that were made since the start */
};

/* Makes the directory if it is not there, and locks it. `path` NULL: it is in the spool. 0, or an exit code after a
 * report. collect_state_close must follow either way. */
int collect_state_open(struct collect_state *s, const struct session *session, const char *spool,
                       const char *path);
void collect_state_close(struct collect_state *s);
/* The name of the journal of a sum: a period, the name of the sum, and this. */
#define COLLECT_JOURNAL ".anyprof-merged"
static inline void collect_journal_name(const char *sum, char *name, size_t size)
{
    snprintf(name, size, ".%s" COLLECT_JOURNAL, sum);
}
/* DIRECTORY/NAME, for free(). */
char *collect_path(const char *directory, const char *name);
/* Whether `path`, without symbolic links, is `directory` or below it. */
bool collect_is_below(const char *path, const char *directory);
/* A name that no other file has: the time, and then `name`, of which the end is kept if that is too long. */
void collect_name(struct collect_state *s, const char *name, char result[NAME_MAX + 1]);
/* The bytes of a file on the disk. */
static inline uint64_t collect_bytes_of(const struct stat *st)
{
    return (uint64_t)st->st_blocks * 512; /* the unit of st_blocks, whatever the file system's */
}

/* Whether an errno says that the disk is full. */
static inline bool collect_is_full(int why)
{
    return why == ENOSPC || why == EDQUOT;
}
/* collect_reserve.c: makes the reserve; fills it, for sums of up to so many bytes, as far as the disk has room: false,
 * it is too small for such a sum; gives it up, which makes room: false, there was none. */
void collect_reserve_open(struct collect_state *s);
bool collect_reserve_fill(struct collect_state *s, uint64_t largest_sum);
bool collect_reserve_use(struct collect_state *s);

/* A place, to read its names. NULL: errno says why. */
DIR *collect_open_place(const struct collect_state *s, enum collect_place place);
/* A file that is kept. */
struct kept_file {
    char *name;
    int64_t time; /* in seconds: of the last merge into a sum, else when the file was taken */
    uint64_t bytes;
};
/* The files of a place, the oldest first, and equally old ones by name. */
struct kept_files {
    struct kept_file *data;
    size_t n, capacity;
    uint64_t n_all, bytes; /* of all files, also if data has the oldest ones alone */
};
/* Lists the files but those that the library makes for itself. `most`: about how many of the oldest are listed, so
 * that memory is bounded; 0: all. False: reported. kept_files_free must follow either way. */
bool kept_files_list(struct kept_files *list, const struct collect_state *s, enum collect_place place,
                     size_t most, const struct session *session);
void kept_files_free(struct kept_files *list);

#endif
