/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file that other processes see whole or not at all: written beside the file that it replaces, and renamed. Uses
 * only calls that are safe in signal handlers, and no memory but the caller's. Functions return 0 or errno's
 * number. */
#ifndef RT_FILE_H
#define RT_FILE_H

#include "rt_name.h"

#include <sys/stat.h>

enum { RT_FILE_BUFFER = 65536 };

struct aprt_file {
    int fd;
    int named;                /* the file `hidden` exists */
    int by_descriptor;        /* a file without a name can be linked without /proc */
    int exists;               /* the path exists; set by aprt_file_examine */
    int direct;               /* a device, a pipe or an open descriptor: written in place */
    int locked;               /* the caller holds the lock of the path: no other process creates it */
    int error;                /* errno of the first call that failed */
    size_t n;                 /* bytes in the buffer */
    char path[RT_PATH_MAX];   /* the finished file */
    char hidden[RT_PATH_MAX]; /* the file being written, if it has a name; otherwise scratch space */
    uint8_t buffer[RT_FILE_BUFFER];
};

/* The only struct aprt_file, and a spare path; the lock of the process guards both. Static, because the stacks of
 * signal handlers may be small; only one, because each costs a tiny program the time for its first page. */
RT_HIDDEN extern struct aprt_file aprt_file;
RT_HIDDEN extern char aprt_spare_path[RT_PATH_MAX];

/* Like open, but never returns a descriptor of the standard streams: a program that closed those may still write to
 * them. */
RT_HIDDEN int aprt_open(const char *path, int flags, mode_t mode);

/* Begins to write file->path; creates missing directories. `old` is the file that is replaced, or NULL: it must be
 * writable, and the new file gets its owner and permissions. */
RT_HIDDEN int aprt_file_begin(struct aprt_file *file, const struct stat *old);

/* An apf_rt_write_fn whose context is the struct aprt_file. */
RT_HIDDEN int aprt_file_write(void *file, const void *bytes, size_t n);

/* Finishes the file. RT_CREATE names it unless the path exists, then EEXIST; RT_REPLACE replaces an existing file.
 * RT_DISCARD, and every error, removes the unfinished file. */
enum aprt_file_end { RT_CREATE, RT_REPLACE, RT_DISCARD };
RT_HIDDEN int aprt_file_end(struct aprt_file *file, enum aprt_file_end how);

static inline int aprt_is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Creates the directories above a path. Returns the errno of the last mkdir that failed, or ENOENT. */
RT_HIDDEN int aprt_make_directories(char *path);
RT_HIDDEN extern unsigned aprt_directory_mode;

/* Examines file->path. A symbolic link is replaced by its target, which need not exist. Sets file->exists; sets
 * file->direct if the path is no file that can be replaced. */
RT_HIDDEN int aprt_file_examine(struct aprt_file *file, struct stat *status);

/* Copies `path` and appends text to it, before an ending ".profraw" if before_suffix is set. A file name that would
 * be too long is cut before the text. */
RT_HIDDEN int aprt_path_with(char to[RT_PATH_MAX], const char *path, const char *text, uint64_t number,
                             int before_suffix);

/* The path with the number of the process; numbers from 1 on give alternatives if that name exists. */
RT_HIDDEN int aprt_path_of_process(char to[RT_PATH_MAX], const char *path, unsigned number);

/* ".NAME.anyprof-TEXT" in the directory of the path: a name for short-lived files of this runtime. */
RT_HIDDEN int aprt_path_hidden(char to[RT_PATH_MAX], const char *path, const char *text);

/* Set: files are flushed to the disk before they get their names. */
RT_HIDDEN extern int aprt_file_sync;

#endif
