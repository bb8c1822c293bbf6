/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads whole input files. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/large.h"

#define READ_STEP ((size_t)1 << 20)
/* The bytes of a compressed file that file_read_head unpacks. */
#define PACKED_HEAD ((size_t)8 << 10)

/* ---- opening ---- */

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

/* The length of the first part of what is left of a path: one name where no links may be followed, else what one call
 * can have. `n_top`: bytes in which links are followed; `limited`: not all. 0: a name is too long. */
static size_t first_part(const char *left, size_t n_top, bool limited)
{
    size_t end = limited ? n_top : strlen(left);
    if (limited && !n_top)
        end = strcspn(left, "/");
    if (end < PATH_MAX)
        return end;
    for (end = PATH_MAX - 1; end && left[end] != '/';)
        end--;
    return end;
}

/* Opens the directory `part` of a directory, which is closed unless it is the current one. */
static int open_part(int dir, const char *part, size_t n, bool follow)
{
    char name[PATH_MAX];
    memcpy(name, part, n);
    name[n] = '\0';
    int fd = n ? openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW)) : -1;
    int failed = n ? errno : ENAMETOOLONG;
    if (dir != AT_FDCWD)
        close(dir);
    errno = failed;
    return fd;
}

/* Opens the directory of the last part of a path, and sets *name to this part; without need, AT_FDCWD and the whole
 * path. -1 with errno set. */
static int open_parent(const char *path, size_t n_top, const char **name)
{
    int dir = AT_FDCWD;
    size_t n_path = strlen(path);
    *name = path;
    if (n_top == 0 && n_path < PATH_MAX)
        return dir;
    if (n_path > FILE_LONGEST_PATH || n_top > n_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    while (dir != -1) {
        size_t at = (size_t)(*name - path), left = n_top > at ? n_top - at : 0;
        size_t n = first_part(*name, left, n_top != 0);
        if (n && !(*name)[n])
            break;
        dir = open_part(dir, *name, n, left != 0 || n_top == 0);
        *name += n;
        *name += strspn(*name, "/");
    }
    return dir;
}

static void close_parent(int dir)
{
    int failed = errno;
    if (dir != AT_FDCWD)
        close(dir);
    errno = failed;
}

int file_open_below(const char *path, size_t n_top, int flags)
{
    const char *name;
    int dir = open_parent(path, n_top, &name);
    if (dir == -1)
        return -1;
    bool below = n_top && path[n_top]; /* the directory itself may be a link */
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | flags | (below ? O_NOFOLLOW : 0));
    close_parent(dir);
    return fd;
}

/* stat(2) of the file that an input names. */
static int stat_input(const struct apf_input *input, struct stat *st)
{
    const char *name;
    int dir = open_parent(input->path, input->n_directory, &name);
    if (dir == -1)
        return -1;
    int result = fstatat(dir, name, st, input->n_directory ? AT_SYMLINK_NOFOLLOW : 0);
    close_parent(dir);
    return result;
}

/* ---- reading ---- */

struct apf_str file_name(const struct apf_input *input)
{
    const char *name = input->name ? input->name : input->path ? input->path : "<memory>";
    struct apf_str s = {name, strlen(name)};
    return s;
}

int file_error(struct apf_error *error, int code, const struct apf_input *input, uint64_t number)
{
    bool is_about_input =
        error && (error->subject == APF_SUBJECT_INPUT || error->subject == APF_SUBJECT_MEMPROF);
    if (code < APF_UNRECOGNIZED_FORMAT || code == APF_NO_MEMORY || code == APF_STOPPED || !is_about_input)
        return code;
    struct apf_str name = file_name(input);
    error->input = number;
    return error_file(error, code, name.p, name.n);
}

/* Makes room for n bytes, and keeps the first `keep` bytes. */
static int make_room(struct file_bytes *f, size_t n, size_t keep, struct apf_error *error)
{
    if (n <= f->capacity)
        return APF_OK;
    size_t aside = 0;
    if (keep == 0) { /* bytes of the last file need not be copied */
        n += n / 8;  /* the next file may be a little larger */
        aside = n < 2 * LARGE_PAGE ? 0 : LARGE_PAGE;
        free(f->block);
        f->block = NULL;
        f->capacity = 0;
    } else if (f->owned != f->block) {
        memmove(f->block, f->owned, keep);
        f->owned = f->block;
    }
    uint8_t *grown = realloc(f->block, n + aside);
    if (!grown)
        return error_memory(error);
    f->block = grown;
    f->owned = aside ? large_align(grown) : grown;
    f->capacity = n;
    large_block(f->owned, n);
    return APF_OK;
}

static int too_large(uint64_t found, uint64_t max_bytes, struct apf_error *error)
{
    struct error_at at = {"file.size", NO_OFFSET, found, max_bytes};
    return error_at(error, APF_LIMIT, at, "larger than the limit for one input");
}

#define MOST_READ ((ssize_t)64 << 20) /* in one call, between two looks at the pulse */

/* Reads until end of file; `guess` may be wrong, since the file may be a pipe or still grow. */
static int read_all(struct file_bytes *f, int fd, size_t guess, uint64_t max_bytes, struct apf_error *error)
{
    size_t n = 0;
    int code = make_room(f, guess + 1, 0, error); /* one more byte, so that the last read sees the end */
    while (code == APF_OK) {
        const size_t room = f->capacity - n;
        ssize_t got = read(fd, f->owned + n, room < (size_t)MOST_READ ? room : (size_t)MOST_READ);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_errno(error, errno, "file.read");
        if (got == 0)
            break;
        n += (size_t)got;
        if (n > max_bytes)
            return too_large(n, max_bytes, error);
        if (got == MOST_READ && f->pulse && pulse_look(f->pulse))
            return pulse_error(error);
        if (n == f->capacity)
            code = make_room(f, n + n / 2 + READ_STEP, n, error);
    }
    if (code == APF_OK) {
        f->data = f->owned;
        f->n = n;
    }
    return code;
}

static int read_fd(struct file_bytes *f, int fd, bool regular, uint64_t max_bytes, struct apf_error *error)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return error_errno(error, errno, "file.stat");
    if (S_ISDIR(st.st_mode) || (regular && !S_ISREG(st.st_mode)))
        return error_errno(error, S_ISDIR(st.st_mode) ? EISDIR : ENXIO, "file.open");
    size_t guess = READ_STEP;
    if (S_ISCHR(st.st_mode) && max_bytes > APF_DEVICE_MAX_BYTES)
        max_bytes = APF_DEVICE_MAX_BYTES;
    if (S_ISREG(st.st_mode)) {
        if ((uint64_t)st.st_size > max_bytes)
            return too_large((uint64_t)st.st_size, max_bytes, error);
        guess = (size_t)st.st_size;
        f->identity = file_identity_of(&st);
    }
    int code = read_all(f, fd, guess, max_bytes, error);
    if (code == APF_OK && f->want_digest && f->identity.regular)
        f->digest = file_digest_bytes(f->data, f->n);
    return code;
}

static int read_input(struct file_bytes *f, const struct apf_input *input, uint64_t max_bytes,
                      struct apf_error *error)
{
    if (!input->path) {
        if (input->n > max_bytes)
            return too_large(input->n, max_bytes, error);
        f->data = (const uint8_t *)input->data;
        f->n = input->n;
        return APF_OK;
    }
    if (strcmp(input->path, "-") == 0)
        return read_fd(f, STDIN_FILENO, false, max_bytes, error);
    /* A regular file that was found in a directory may have become a pipe, which would block. */
    bool found = input->n_directory != 0;
    int fd = file_open_below(input->path, input->n_directory, found ? O_NONBLOCK : 0);
    if (fd < 0)
        return error_errno(error, errno, "file.open");
    int code = read_fd(f, fd, found, max_bytes, error);
    close(fd); /* nothing was written through it */
    return code;
}

int file_read_packed(struct file_bytes *f, const struct apf_input *input, uint64_t max_bytes,
                     struct apf_error *error)
{
    f->data = NULL;
    f->n = 0;
    f->proven = 0;
    f->compression = COMPRESSION_NONE;
    memset(&f->identity, 0, sizeof f->identity);
    memset(&f->digest, 0, sizeof f->digest);
    int code = read_input(f, input, max_bytes, error);
    if (code == APF_OK)
        f->compression = compression_of(f->data, f->n);
    f->stored = f->n;
    return code;
}

int file_unpack(struct file_bytes *f, uint64_t max_bytes, struct apf_error *error)
{
    if (f->compression == COMPRESSION_NONE)
        return APF_OK;
    int code = decompress_proven(&f->unpacked, f->data, f->n, max_bytes, &f->proven, error);
    if (code == APF_OK) {
        f->data = (const uint8_t *)f->unpacked.data;
        f->n = f->unpacked.n;
    }
    return code;
}

int file_read(struct file_bytes *f, const struct apf_input *input, uint64_t max_bytes,
              struct apf_error *error)
{
    int code = file_read_packed(f, input, max_bytes, error);
    if (code == APF_OK)
        code = file_unpack(f, max_bytes, error);
    if (code != APF_OK) {
        f->data = NULL;
        f->n = 0;
    }
    return code;
}

int file_open_regular(const struct apf_input *input, int *fd, struct apf_error *error)
{
    struct stat st;
    *fd = -1;
    if (!input->path || strcmp(input->path, "-") == 0)
        return APF_OK;
    /* A pipe is not opened: a writer that waits for a reader would start, and lose the reader when the pipe is
     * closed. */
    if (stat_input(input, &st) != 0)
        return error_errno(error, errno, "file.open");
    if (!S_ISREG(st.st_mode))
        return APF_OK;
    int opened = file_open_below(input->path, input->n_directory, O_NONBLOCK);
    if (opened < 0)
        return error_errno(error, errno, "file.open");
    if (fstat(opened, &st) != 0) {
        int code = error_errno(error, errno, "file.stat");
        close(opened);
        return code;
    }
    if (S_ISREG(st.st_mode))
        *fd = opened;
    else
        close(opened);
    return APF_OK;
}

int file_size_regular(int fd, uint64_t max_bytes, uint64_t *size, struct apf_error *error)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return error_errno(error, errno, "file.stat");
    *size = (uint64_t)st.st_size;
    return *size > max_bytes ? too_large(*size, max_bytes, error) : APF_OK;
}

int file_read_at(int fd, uint64_t offset, void *to, size_t n, size_t *got, struct apf_error *error)
{
    for (*got = 0; *got < n && offset <= INT64_MAX - n;) {
        ssize_t step = pread(fd, (uint8_t *)to + *got, n - *got, (off_t)(offset + *got));
        if (step == 0)
            break;
        if (step < 0 && errno != EINTR)
            return error_errno(error, errno, "file.read");
        *got += step > 0 ? (size_t)step : 0;
    }
    return APF_OK;
}

void file_close_regular(int fd)
{
    if (fd >= 0)
        close(fd); /* nothing was written through it */
}

/* Unpacks the first bytes of a compressed file. */
static bool unpack_head(enum compression kind, const uint8_t *src, size_t n_src, uint8_t *to, size_t n,
                        size_t *got)
{
    struct decompressor *d;
    const uint8_t *end = src + n_src;
    bool done = false;
    *got = 0;
    if (decompress_open(&d, kind, NULL) != APF_OK)
        return false;
    for (size_t step = 1; *got < n && (step || src < end); *got += step)
        if (decompress_step(d, &src, end, false, to + *got, n - *got, &step, &done, NULL) != APF_OK)
            break;
    decompress_close(d);
    return *got != 0;
}

/* file_read_head that leaves the bytes packed. */
static bool read_head_packed(const struct apf_input *input, uint8_t *to, size_t n, size_t *got)
{
    int fd;
    if (!input->path) {
        *got = n < input->n ? n : input->n;
        if (*got)
            memcpy(to, input->data, *got);
        return true;
    }
    if (file_open_regular(input, &fd, NULL) != APF_OK || fd < 0)
        return false;
    bool ok = file_read_at(fd, 0, to, n, got, NULL) == APF_OK;
    file_close_regular(fd);
    return ok;
}

bool file_read_head(const struct apf_input *input, uint8_t *to, size_t n, size_t *got)
{
    uint8_t packed[PACKED_HEAD];
    bool ok = read_head_packed(input, to, n, got);
    enum compression kind = ok ? compression_of(to, *got) : COMPRESSION_NONE;
    if (kind != COMPRESSION_NONE) {
        size_t n_packed = *got < sizeof packed ? *got : sizeof packed;
        memcpy(packed, to, n_packed);
        ok = unpack_head(kind, packed, n_packed, to, n, got);
    }
    return ok;
}

void file_bytes_free(struct file_bytes *f)
{
    apf_buffer_free(&f->unpacked);
    free(f->block);
    memset(f, 0, sizeof *f);
}

void file_bytes_donate(struct file_bytes *f, struct arena *arena)
{
    if (f->unpacked.data)
        arena_adopt(arena, f->unpacked.data, f->unpacked.capacity);
    if (f->block)
        arena_adopt(arena, f->block, (size_t)(f->owned - f->block) + f->capacity);
    memset(&f->unpacked, 0, sizeof f->unpacked);
    f->block = f->owned = NULL;
    f->capacity = 0;
    f->data = NULL;
    f->n = 0;
}

size_t file_peek(const char *path, char *to, size_t n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t got = 0;
    if (fd < 0)
        return 0;
    while (got < n) {
        ssize_t step = read(fd, to + got, n - got);
        if (step > 0)
            got += (size_t)step;
        else if (step == 0 || errno != EINTR)
            break;
    }
    close(fd);
    return got;
}
