/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every call to the operating system about files is made here: file.c and file_stream.c read (file_pages.c through
 * file.c), file_walk.c lists the files of directories, file_out.c writes, file_identity.c compares and removes,
 * file_journal.c records which inputs are to be removed. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <anyprof/io.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/decompress.h"
#include "base/file_identity.h"
#include "base/file_terminal.h"
#include "base/pulse.h"

/* Bytes of an input: owned and reused from file to file, or borrowed from memory. All zero = empty. */
struct file_bytes {
    const uint8_t *data;
    size_t n;
    uint8_t *owned; /* in `block` */
    size_t capacity;
    uint8_t *block;
    struct apf_buffer unpacked;
    size_t proven;                 /* intact bytes of a damaged file; then n is 0 */
    enum compression compression;  /* of the file as it was read, also after unpacking */
    size_t stored;                 /* bytes of the file as it was read */
    bool want_digest;              /* set by the caller: compute `digest` of regular files */
    struct pulse *pulse;           /* set by the caller: NULL, or what may end the reading of a large file */
    struct file_identity identity; /* of the file, before it was read */
    struct file_digest digest; /* of the bytes in the file, if want_digest is set and the file is regular */
};

/* Reads the whole of an input, and unpacks it if it is compressed. The bytes are valid until the next call with the
 * same file_bytes, and while the input's memory is. Inputs larger than max_bytes, compressed or unpacked, are refused
 * with APF_LIMIT.
 *
 * A compressed file is read whole before it is unpacked: the code for inputs in memory and standard input serves files
 * too, and the packed bytes are the smaller part of the memory. */
int file_read(struct file_bytes *f, const struct apf_input *input, uint64_t max_bytes,
              struct apf_error *error);
/* The two halves of file_read. A file that cannot be unpacked is left packed. */
int file_read_packed(struct file_bytes *f, const struct apf_input *input, uint64_t max_bytes,
                     struct apf_error *error);
int file_unpack(struct file_bytes *f, uint64_t max_bytes, struct apf_error *error);
void file_bytes_free(struct file_bytes *f);
/* Gives the memory of bytes that are no longer needed to an arena. f->data becomes NULL; f->stored, identity and digest
 * stay. */
void file_bytes_donate(struct file_bytes *f, struct arena *arena);
/* The longest path that is read, and that walks of directories go down to. Systems have a lower limit for the path in
 * one call; longer paths are opened part by part. */
#define FILE_LONGEST_PATH ((size_t)16 << 10)
/* Opens a file or directory for reading, with these flags of open(2) beside the usual ones. After the first `n_top`
 * bytes of the path, if that is not 0, no symbolic link is followed. Returns -1 with errno set. */
int file_open_below(const char *path, size_t n_top, int flags);
/* Reads the first bytes of an input in memory, or of the regular file that it names, at most n, unpacked if they are
 * compressed; *got is less only if the input has no more. Returns false if they cannot be read. */
bool file_read_head(const struct apf_input *input, uint8_t *to, size_t n, size_t *got);
/* Opens a regular file that is to be read piece by piece. *fd is -1 when the input is something else: memory, standard
 * input, a pipe, which is not opened. */
int file_open_regular(const struct apf_input *input, int *fd, struct apf_error *error);
/* The size of an open regular file. APF_LIMIT, with file_read's message, when it exceeds max_bytes. */
int file_size_regular(int fd, uint64_t max_bytes, uint64_t *size, struct apf_error *error);
/* Reads up to n bytes at an offset; *got is less at the end of the file only. */
int file_read_at(int fd, uint64_t offset, void *to, size_t n, size_t *got, struct apf_error *error);
void file_close_regular(int fd);
/* Reads up to n bytes of a file of the system, such as one below /proc. Returns the number of bytes; 0 also when the
 * file cannot be read. */
size_t file_peek(const char *path, char *to, size_t n);
/* The name messages use for an input. */
struct apf_str file_name(const struct apf_input *input);
/* Names the input, the call's input number `number`, that an error is about, unless the error is about something else.
 * Returns the code. */
int file_error(struct apf_error *error, int code, const struct apf_input *input, uint64_t number);

/* An output that is being written. Bytes go through a buffer; a failed write is sticky and reported by close: until
 * then bytes are dropped. Other files than file_out.c use only `p`. */
#define FILE_OUT_BUFFER ((size_t)1 << 16)
struct file_out {
    uint8_t *p, *end;    /* the free part of the buffer; empty after a failure */
    apf_write_fn *write; /* a callback, when fd is -1 */
    void *user;
    const char *path; /* the caller's path, which must stay valid; NULL: a callback */
    int fd;
    apf_name_fn *show_name; /* NULL: names are shown as they are; see struct apf_output */
    void *names;
    bool close_fd;
    bool is_terminal; /* bytes go through `terminal` */
    struct file_terminal terminal;
    bool sync;           /* wait until the output is on the disk */
    bool sealed;         /* the output is complete but for the renaming */
    uint64_t flushed;    /* bytes that have left the buffer */
    int sys_errno;       /* of the first failure */
    struct pulse *pulse; /* NULL, or what may end the writing */
    uint64_t looked;     /* `flushed` at the last look at the pulse */
    bool stopped;        /* the pulse has ended the writing; sys_errno is set, too */
    char *target;        /* the new name of temp; NULL: the output is written directly */
    char *temp;
    uint8_t buffer[FILE_OUT_BUFFER];
};

int file_out_open(struct file_out **result, const struct apf_output *output, struct apf_error *error);
/* Appends bytes that do not fit in the buffer. */
bool file_out_spill(struct file_out *out, const void *p, size_t n);
/* Appends bytes; false after a failure, which file_out_close reports. */
static inline bool file_out_write(struct file_out *out, const void *p, size_t n)
{
    if (UNLIKELY((ptrdiff_t)n >= out->end - out->p))
        return file_out_spill(out, p, n);
    if (n)
        memcpy(out->p, p, n);
    out->p += n;
    return true;
}
/* A name as it is to be shown. */
static inline struct apf_str file_out_shown(const struct file_out *out, struct apf_str name)
{
    return UNLIKELY(out->show_name != NULL) && name.n ? out->show_name(out->names, name) : name;
}
/* Appends a name as it is to be shown. */
static inline bool file_out_function(struct file_out *out, struct apf_str name)
{
    const struct apf_str shown = file_out_shown(out, name);
    return file_out_write(out, shown.p, shown.n);
}
/* Appends a control sequence of ours, which terminals get as it is: of all else, they get what is harmless. */
void file_out_sequence(struct file_out *out, const char *sequence);
/* file_out_write as an apf_write_fn, `user` being the output; file_out_close reports a failure. */
int file_out_callback(void *user, const void *p, size_t n);
/* Writes all n bytes. Returns 0 or an errno. */
int file_write_all(int fd, const uint8_t *p, size_t n);
/* Room for the next n bytes, at most FILE_OUT_BUFFER. The caller writes there and moves out->p. */
static inline uint8_t *file_out_room(struct file_out *out, size_t n)
{
    if (UNLIKELY((ptrdiff_t)n > out->end - out->p))
        file_out_spill(out, NULL, 0);
    return out->p;
}
/* The number of bytes that were appended; while no write has failed, the offset of the next byte. */
static inline uint64_t file_out_position(const struct file_out *out)
{
    return out->flushed + (uint64_t)(out->p - out->buffer);
}
/* Whether a write has failed, so that long work can end early: file_out_close reports it. */
static inline bool file_out_failed(const struct file_out *out)
{
    return out->sys_errno != 0;
}
/* For outputs with a temporary file: completes the bytes. If `sync` is set they are on the disk now; only the renaming
 * is missing. */
int file_out_seal(struct file_out *out, uint64_t *size, struct file_digest *digest, struct apf_error *error);
/* Completes the output (flush, close, rename) or, when `keep` is false, removes it. Frees `out`. A failure at
 * "output.sync" comes after the renaming. */
int file_out_close(struct file_out *out, bool keep, struct apf_error *error);
/* file_out_close after work that returned `code`. If `code` is APF_OK the output is kept; else `code` is returned and
 * `error` stays unchanged. */
int file_out_finish(struct file_out *out, int code, struct apf_error *error);

/* The file that a path means, with symbolic links followed, also when the last one dangles. The caller frees *result.
 * Returns 0 or an errno. */
int file_resolve(char **result, const char *path);
/* Removes temporary files of this target that no living process holds. */
void file_out_clean(const char *target);
/* Whether the last part of a path is the name of a temporary file. */
bool file_out_is_temp(const char *name);

#endif
