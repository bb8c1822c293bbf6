/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outputs: a temporary file beside the target, renamed when it is complete. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

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
