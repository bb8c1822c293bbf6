/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether the file at a path is still the one that was read, and its removal. */
#ifndef BASE_FILE_IDENTITY_H
#define BASE_FILE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

struct stat;

/* Tells a regular file from another one that may be at its path later. All zero for other files. */
struct file_identity {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    int64_t seconds; /* of the last change to its bytes */
    int64_t nanoseconds;
    bool regular;
};

/* The digest of all bytes of a file (XXH3, 128 bits). */
struct file_digest {
    uint64_t low, high;
};

struct file_identity file_identity_of(const struct stat *st);
bool file_identity_same(const struct file_identity *a, const struct file_identity *b);
/* Finds the identity of the file at a path; a symbolic link is no regular file unless it is followed. Returns 0 or an
 * errno. */
int file_look(struct file_identity *identity, const char *path, bool follow);

/* Whether the bytes that a path leads to can be read only once, or may be: those of standard input ("-"), pipes and
 * devices. */
bool file_is_stream(const char *path);
/* Whether a path names a symbolic link. With a slash at its end it names what the link leads to. */
bool file_is_link(const char *path);

struct file_digest file_digest_bytes(const void *p, uint64_t n);
bool file_digest_same(const struct file_digest *a, const struct file_digest *b);
/* Computes the digest and size of an open file. Returns 0 or an errno. */
int file_digest_fd(struct file_digest *digest, uint64_t *size, int fd);
/* The directory a path leads through: up to and with its last slash, or ".". The caller frees it; NULL: an allocation
 * failed. */
char *file_directory(const char *path);
/* The absolute path, without links among its directories; the last part is left as it is. The caller frees it; NULL
 * with errno set. */
char *file_absolute(const char *path);

enum file_removal {
    FILE_REMOVED,
    FILE_GONE,    /* no file was there */
    FILE_CHANGED, /* it is another file, or another program has written to it */
    FILE_LINK,    /* it is a symbolic link, or a special file */
    FILE_KEPT     /* the system refused to remove it */
};

/* Removes the file at a path if it is still the same; *sys_errno says why it was kept. */
enum file_removal file_remove(const char *path, const struct file_identity *identity, int *sys_errno);
/* Make changes of names in the directory of a path, and the bytes of a file, durable. Return 0 or an errno. */
int file_sync_directory(const char *path);
int file_sync(const char *path);

#endif
