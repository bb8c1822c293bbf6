/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/large.h"
#include "base/sort.h"
#include "base/vec.h"

#define READ_STEP ((size_t)1 << 20)

/* ---- reading ---- */

struct apf_str file_name(const struct apf_input *input)
{
    const char *name = input->name ? input->name : input->path ? input->path : "<memory>";
    struct apf_str s = {name, strlen(name)};
    return s;
}

/* Room for n bytes, of which the first `keep` are those that are there. */
static int make_room(struct file_bytes *f, size_t n, size_t keep, struct apf_error *error)
{
    if (n <= f->capacity)
        return APF_OK;
    if (keep == 0) { /* the last file's need not be copied */
        n += n / 8;  /* the next file may be a little larger */
        free(f->owned);
        f->owned = NULL;
        f->capacity = 0;
    }
    uint8_t *grown = realloc(f->owned, n);
    if (!grown)
        return error_memory(error);
    large_block(grown, n);
    f->owned = grown;
    f->capacity = n;
    return APF_OK;
}

static int too_large(uint64_t found, uint64_t max_bytes, struct apf_error *error)
{
    struct error_at at = {"file.size", NO_OFFSET, found, max_bytes};
    return error_at(error, APF_TOO_LARGE, at, "larger than the limit for one input");
}

/* Reads until end of file, whatever the size was said to be: the file may be a pipe, or still grow. */
static int read_all(struct file_bytes *f, int fd, size_t guess, uint64_t max_bytes, struct apf_error *error)
{
    size_t n = 0;
    int code = make_room(f, guess + 1, 0, error); /* one more byte, so that the last read sees the end */
    while (code == APF_OK) {
        ssize_t got = read(fd, f->owned + n, f->capacity - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_errno(error, errno, "file.read");
        if (got == 0)
            break;
        n += (size_t)got;
        if (n > max_bytes)
            return too_large(n, max_bytes, error);
        if (n == f->capacity)
            code = make_room(f, n + n / 2 + READ_STEP, n, error);
    }
    if (code == APF_OK) {
        f->data = f->owned;
        f->n = n;
    }
    return code;
}

static int read_fd(struct file_bytes *f, int fd, uint64_t max_bytes, struct apf_error *error)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return error_errno(error, errno, "file.stat");
    if (S_ISDIR(st.st_mode))
        return error_errno(error, EISDIR, "file.open");
    size_t guess = READ_STEP;
    if (S_ISREG(st.st_mode)) {
        if ((uint64_t)st.st_size > max_bytes)
            return too_large((uint64_t)st.st_size, max_bytes, error);
        guess = (size_t)st.st_size;
    }
    return read_all(f, fd, guess, max_bytes, error);
}

int file_read(struct file_bytes *f, const struct apf_input *input, uint64_t max_bytes,
              struct apf_error *error)
{
    f->data = NULL;
    f->n = 0;
    if (!input->path) {
        if (input->n > max_bytes)
            return too_large(input->n, max_bytes, error);
        f->data = (const uint8_t *)input->data;
        f->n = input->n;
        return APF_OK;
    }
    if (strcmp(input->path, "-") == 0)
        return read_fd(f, STDIN_FILENO, max_bytes, error);
    int fd = open(input->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_errno(error, errno, "file.open");
    int code = read_fd(f, fd, max_bytes, error);
    close(fd); /* nothing was written through it */
    return code;
}

void file_bytes_free(struct file_bytes *f)
{
    free(f->owned);
    memset(f, 0, sizeof *f);
}

/* ---- writing ---- */

static void out_free(struct file_out *out)
{
    free(out->target);
    free(out->temp);
    free(out);
}

#define MOST_LINKS 40 /* as the kernel */

/* The file a path means: symbolic links followed, also when the last one dangles. */
static int resolve(char **result, const char *path)
{
    char link[PATH_MAX];
    char *now = strdup(path);
    for (unsigned links = 0; now; links++) {
        ssize_t n = readlink(now, link, sizeof link);
        if (n < 0 && (errno == EINVAL || errno == ENOENT)) {
            *result = now; /* no link, or nothing is there */
            return 0;
        }
        if (n < 0) { /* it may be a link, which must not be replaced */
            int saved = errno;
            free(now);
            return saved;
        }
        const char *slash = link[0] == '/' ? NULL : strrchr(now, '/');
        size_t dir = slash ? (size_t)(slash - now) + 1 : 0;
        bool endless = links == MOST_LINKS || (size_t)n == sizeof link;
        char *next = endless ? NULL : malloc(dir + (size_t)n + 1);
        if (next) {
            memcpy(next, now, dir);
            memcpy(next + dir, link, (size_t)n);
            next[dir + (size_t)n] = '\0';
        }
        free(now);
        if (endless)
            return ELOOP;
        now = next;
    }
    return ENOMEM;
}

#define TEMP_TAIL ((size_t)12) /* ".tmp" and 8 letters */

/* Creates a file beside the target, named like it with .tmpNNNNNNNN behind; of a name that would be too long
 * for a directory the end is cut. */
static int create_temp(struct file_out *out, mode_t mode)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    const char *slash = strrchr(out->target, '/');
    size_t dir = slash ? (size_t)(slash - out->target) + 1 : 0;
    size_t n = strlen(out->target);
    if (n - dir > NAME_MAX - TEMP_TAIL)
        n = dir + NAME_MAX - TEMP_TAIL;
    out->temp = malloc(n + TEMP_TAIL + 1);
    if (!out->temp)
        return ENOMEM;
    memcpy(out->temp, out->target, n);
    char *tail = out->temp + n;
    memcpy(tail, ".tmp", 4);
    tail[TEMP_TAIL] = '\0';
    uint64_t seed = (uint64_t)getpid() * 0x9E3779B97F4A7C15u ^ (uint64_t)(uintptr_t)out;
    for (unsigned tries = 0; tries < 100; tries++) {
        seed = seed * 0x5851F42D4C957F2Du + 0x14057B7EF767814Fu;
        uint64_t bits = seed >> 16;
        for (size_t i = 4; i < TEMP_TAIL; i++, bits /= 36)
            tail[i] = letters[bits % 36];
        out->fd = open(out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (out->fd >= 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    int saved = errno;
    free(out->temp);
    out->temp = NULL;
    return saved;
}

static int open_path(struct file_out *out, const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0) {
        out->fd = STDOUT_FILENO;
        return 0;
    }
    out->close_fd = true;
    bool exists = stat(path, &st) == 0;
    if (!exists && (errno != ENOENT || *path == '\0'))
        return errno;
    if (exists && S_ISDIR(st.st_mode))
        return EISDIR;
    if (exists && !S_ISREG(st.st_mode)) {
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
        return out->fd < 0 ? errno : 0;
    }
    /* A file we may not write must not be replaced, although its directory would allow it. */
    if (exists && access(path, W_OK) != 0)
        return errno;
    int failed = resolve(&out->target, path);
    if (failed)
        return failed;
    /* At no time open to more people than the old file. Its set-id bits, which would now name another owner, are
     * lost, as they are when a file is written to. */
    mode_t mode = exists ? st.st_mode & 0777 : 0666;
    failed = create_temp(out, mode);
    if (failed)
        return failed;
    if (exists && fchmod(out->fd, mode) != 0)
        return errno;
    return 0;
}

int file_out_open(struct file_out **result, const struct apf_output *output, struct apf_error *error)
{
    struct file_out *out = calloc(1, sizeof *out);
    if (!out)
        return error_memory(error);
    out->fd = -1;
    out->p = out->buffer;
    out->end = out->buffer + FILE_OUT_BUFFER;
    if (output->path) {
        int failed = open_path(out, output->path);
        if (failed) {
            file_out_close(out, false, NULL);
            return failed == ENOMEM ? error_memory(error) : error_errno(error, failed, "output.open");
        }
    } else {
        out->write = output->write;
        out->user = output->user;
    }
    *result = out;
    return APF_OK;
}

static bool put(struct file_out *out, const uint8_t *p, size_t n)
{
    if (out->write) {
        out->sys_errno = out->write(out->user, p, n);
        return out->sys_errno == 0;
    }
    while (n) {
        ssize_t done = write(out->fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            out->sys_errno = errno;
            return false;
        }
        p += done;
        n -= (size_t)done;
    }
    return true;
}

static bool flush(struct file_out *out)
{
    size_t n = (size_t)(out->p - out->buffer);
    out->p = out->buffer;
    if (!out->sys_errno && n)
        put(out, out->buffer, n);
    if (out->sys_errno)
        out->end = out->buffer;
    return !out->sys_errno;
}

bool file_out_spill(struct file_out *out, const void *p, size_t n)
{
    bool ok = flush(out);
    if (!ok || n >= FILE_OUT_BUFFER)
        return ok && put(out, (const uint8_t *)p, n);
    if (n)
        memcpy(out->p, p, n);
    out->p += n;
    return true;
}

int file_out_close(struct file_out *out, bool keep, struct apf_error *error)
{
    if (keep)
        flush(out);
    int failed = out->sys_errno;
    if (out->close_fd && out->fd >= 0 && close(out->fd) != 0 && !failed)
        failed = errno;
    if (out->temp) {
        if (keep && !failed && rename(out->temp, out->target) != 0)
            failed = errno;
        if (!keep || failed)
            unlink(out->temp);
    }
    out_free(out);
    return keep && failed ? error_errno(error, failed, "output.write") : APF_OK;
}

int apf_output_write(const struct apf_output *output, const void *p, size_t n, struct apf_error *error)
{
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    file_out_write(out, p, n);
    return file_out_close(out, true, error);
}

/* ---- directories ---- */

struct walk {
    struct arena arena;
    VEC(struct sort_name) files;
    VEC(const char *) dirs; /* still to be read */
};

static const char *join(struct arena *a, const char *dir, const char *name)
{
    size_t nd = strlen(dir), nn = strlen(name);
    bool slash = nd && dir[nd - 1] != '/';
    char *p = arena_bytes(a, nd + slash + nn + 1);
    if (!p)
        return NULL;
    memcpy(p, dir, nd);
    if (slash)
        p[nd] = '/';
    memcpy(p + nd + slash, name, nn + 1);
    return p;
}

static int walk_entry(struct walk *w, const char *path, struct apf_error *error)
{
    struct stat link, st;
    if (lstat(path, &link) != 0 || stat(path, &st) != 0) {
        if (errno == ENOENT || errno == ELOOP)
            return APF_OK; /* gone since the directory was read, or a link that leads nowhere */
        return error_errno(error, errno, "file.stat");
    }
    if (S_ISDIR(link.st_mode))
        return VEC_PUSH(&w->dirs, path) ? APF_OK : error_memory(error);
    if (!S_ISREG(st.st_mode))
        return APF_OK;
    struct sort_name file = {0, path, (uint32_t)strlen(path), (uint32_t)w->files.n};
    return VEC_PUSH(&w->files, file) ? APF_OK : error_memory(error);
}

static int walk_directory(struct walk *w, const char *path, struct apf_error *error)
{
    DIR *dir = opendir(path);
    if (!dir)
        return error_errno(error, errno, "directory.open");
    int code = APF_OK;
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(dir);
        if (!entry) {
            if (errno)
                code = error_errno(error, errno, "directory.read");
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        const char *full = join(&w->arena, path, entry->d_name);
        code = full ? walk_entry(w, full, error) : error_memory(error);
        if (code != APF_OK)
            break;
    }
    closedir(dir);
    return code;
}

/* One allocation: the pointers, then the text they point to. */
static int walk_result(struct walk *w, char ***paths, size_t *n, struct apf_error *error)
{
    size_t bytes = 0;
    for (size_t i = 0; i < w->files.n; i++)
        bytes += w->files.data[i].n + sizeof(char *) + 1;
    struct sort_name *scratch = malloc(w->files.n * sizeof *scratch + 1);
    char **list = malloc(bytes + 1);
    if (!list || !scratch) {
        free(list);
        free(scratch);
        return error_memory(error);
    }
    sort_names(w->files.data, scratch, w->files.n);
    free(scratch);
    char *text = (char *)(list + w->files.n);
    for (size_t i = 0; i < w->files.n; i++) {
        list[i] = text;
        memcpy(text, w->files.data[i].p, w->files.data[i].n + 1);
        text += w->files.data[i].n + 1;
    }
    *paths = list;
    *n = w->files.n;
    return APF_OK;
}

int apf_paths_expand(char ***paths, size_t *n, const char *path, struct apf_error *error)
{
    struct walk w = {0};
    struct stat st;
    int code = APF_OK;
    bool standard_input = strcmp(path, "-") == 0;
    if (!standard_input && stat(path, &st) != 0)
        return error_errno(error, errno, "file.stat");
    if (standard_input || !S_ISDIR(st.st_mode)) {
        struct sort_name file = {0, path, (uint32_t)strlen(path), 0};
        code = VEC_PUSH(&w.files, file) ? APF_OK : error_memory(error);
    } else if (!VEC_PUSH(&w.dirs, path)) {
        code = error_memory(error);
    }
    while (code == APF_OK && w.dirs.n)
        code = walk_directory(&w, w.dirs.data[--w.dirs.n], error);
    if (code == APF_OK)
        code = walk_result(&w, paths, n, error);
    arena_free(&w.arena);
    VEC_FREE(&w.files);
    VEC_FREE(&w.dirs);
    return code;
}

void apf_paths_free(char **paths)
{
    free(paths);
}

/* ---- memory output ---- */

int apf_buffer_write(void *buffer, const void *p, size_t n)
{
    struct apf_buffer *b = (struct apf_buffer *)buffer;
    if (n > b->capacity - b->n) {
        size_t want = b->capacity + b->capacity / 2, need;
        if (ADD_OVERFLOWS(b->n, n, &need))
            return ENOMEM;
        if (want < need)
            want = need;
        void *grown = realloc(b->data, want);
        if (!grown)
            return ENOMEM;
        b->data = grown;
        b->capacity = want;
    }
    if (n)
        memcpy((uint8_t *)b->data + b->n, p, n);
    b->n += n;
    return 0;
}

void apf_buffer_free(struct apf_buffer *buffer)
{
    if (!buffer)
        return;
    free(buffer->data);
    memset(buffer, 0, sizeof *buffer);
}
