/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file that others see whole or not at all: written beside the one that it replaces, and renamed. Only calls that a
 * signal handler may make, no memory but the caller's. Results are 0 or errno's numbers. */
#ifndef RT_FILE_H
#define RT_FILE_H

#include "rt_name.h"

#include <sys/stat.h>

enum { RT_FILE_BUFFER = 65536 };

struct aprt_file {
    int fd;
    int named;                /* `hidden` is there */
    int by_descriptor;        /* what has no name gets one without /proc */
    int exists;               /* something is at the path */
    int direct;               /* a device, a pipe, what is open already: written as it is */
    int locked;               /* the caller has the lock of the path: nobody else creates it */
    int error;                /* of the first call that failed */
    size_t n;                 /* in the buffer */
    char path[RT_PATH_MAX];   /* of the finished file */
    char hidden[RT_PATH_MAX]; /* of the one that is being written, if it has a name; else of use to anybody */
    uint8_t buffer[RT_FILE_BUFFER];
};

/* The only one, and another path: the lock of the process guards them. Not on the stack, as signal handlers may have
 * little; and few, since each costs a tiny program the time for its first page. */
RT_HIDDEN extern struct aprt_file aprt_file;
RT_HIDDEN extern char aprt_spare_path[RT_PATH_MAX];

/* open, whose descriptor is none of the standard streams': who closed those may still write to them. */
RT_HIDDEN int aprt_open(const char *path, int flags, mode_t mode);

/* Begins to write file->path; makes the directories that are missing. `old`: the file that is replaced, or NULL. The
 * new one has its permissions; it must be one that may be written. */
RT_HIDDEN int aprt_file_begin(struct aprt_file *file, const struct stat *old);

/* An apf_rt_write_fn whose context is the file. */
RT_HIDDEN int aprt_file_put(void *file, const void *bytes, size_t n);

/* Ends it, and gives it its name. RT_CREATE: unless there is such a file, then EEXIST. RT_REPLACE: in place of the one
 * that may be there. RT_DISCARD, or whenever an error is returned: nothing of it is left. */
enum aprt_file_end { RT_CREATE, RT_REPLACE, RT_DISCARD };
RT_HIDDEN int aprt_file_end(struct aprt_file *file, enum aprt_file_end how);

static inline int aprt_is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Makes the directories above a path. Returns why one that is not there was not made. */
RT_HIDDEN int aprt_make_directories(char *path);
RT_HIDDEN extern unsigned aprt_directory_mode;

/* Looks at file->path. If that is a symbolic link, it becomes what that points to, or would. Sets file->exists, and
 * file->direct, if it is no file that can be replaced. */
RT_HIDDEN int aprt_file_look(struct aprt_file *file, struct stat *status);

/* Copies `path` and appends text to it, before an ending ".profraw" or at its end. What would be too long a name of a
 * file is cut before that. */
RT_HIDDEN int aprt_path_with(char to[RT_PATH_MAX], const char *path, const char *text, uint64_t number,
                             int before_suffix);

/* The path with the process's number in it; from 1 on, others, if that is taken. */
RT_HIDDEN int aprt_path_of_process(char to[RT_PATH_MAX], const char *path, unsigned number);

/* ".NAME.anyprof-TEXT" in the directory of the path: what is ours alone, and soon gone. */
RT_HIDDEN int aprt_path_hidden(char to[RT_PATH_MAX], const char *path, const char *text);

/* Files are flushed to the disk before they get their names. */
RT_HIDDEN extern int aprt_file_sync;

#endif
