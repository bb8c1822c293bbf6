/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes outputs to a temporary file beside the target, which is renamed when it is complete. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"

static void out_free(struct file_out *out)
{
    free(out->target);
    free(out->temp);
    free(out);
}

#define MOST_LINKS 40 /* as the kernel */

int file_resolve(char **result, const char *path)
{
    char link[PATH_MAX];
    char *now = strdup(path);
    for (unsigned links = 0; now; links++) {
        ssize_t n = readlink(now, link, sizeof link);
        if (n < 0 && (errno == EINVAL || errno == ENOENT)) {
            *result = now; /* no link, or no file */
            return 0;
        }
        if (n < 0) { /* the target may be a link, which must not be replaced */
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

/* ---- temporary files ---- */

#define TEMP_MARK ".anyprof-tmp"
#define TEMP_LETTERS ((size_t)8)
#define TEMP_TAIL (sizeof TEMP_MARK - 1 + TEMP_LETTERS)

/* DIR/.NAME.anyprof-tmp of DIR/NAME, with room for letters after it; the end of a name that is too long for a
 * directory is cut. *n: its length; *dir: the length of DIR/. */
static char *temp_name(const char *target, size_t *n, size_t *dir)
{
    const char *slash = strrchr(target, '/');
    *dir = slash ? (size_t)(slash - target) + 1 : 0;
    size_t name = strlen(target + *dir);
    if (name > NAME_MAX - TEMP_TAIL - 1)
        name = NAME_MAX - TEMP_TAIL - 1;
    char *temp = malloc(*dir + 1 + name + TEMP_TAIL + 1);
    if (!temp)
        return NULL;
    memcpy(temp, target, *dir);
    temp[*dir] = '.';
    memcpy(temp + *dir + 1, target + *dir, name);
    memcpy(temp + *dir + 1 + name, TEMP_MARK, sizeof TEMP_MARK);
    *n = *dir + 1 + name + sizeof TEMP_MARK - 1;
    return temp;
}

/* Locks a temporary file, so that other processes see that it is in use. EEXIST: another process was faster, and
 * removes it. On file systems without locks no file counts as abandoned. */
static int lock_temp(int fd)
{
    struct stat st;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return EEXIST;
    if (fstat(fd, &st) != 0)
        return errno;
    return st.st_nlink ? 0 : EEXIST;
}

/* Creates the temporary file that has this name. Returns 0 or an errno: EEXIST when the file belongs to another
 * process. */
static int create_named(struct file_out *out, mode_t mode)
{
    out->fd = open(out->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    int failed = out->fd < 0 ? errno : lock_temp(out->fd);
    if (!failed || out->fd < 0)
        return failed;
    if (failed != EEXIST)
        unlink(out->temp);
    close(out->fd);
    out->fd = -1;
    return failed;
}

static int create_temp(struct file_out *out, mode_t mode)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    size_t n, dir;
    out->temp = temp_name(out->target, &n, &dir);
    if (!out->temp)
        return ENOMEM;
    char *tail = out->temp + n;
    tail[TEMP_LETTERS] = '\0';
    uint64_t seed = (uint64_t)getpid() * 0x9E3779B97F4A7C15u ^ (uint64_t)(uintptr_t)out;
    int failed = EEXIST;
    for (unsigned tries = 0; tries < 100 && failed == EEXIST; tries++) {
        seed = seed * 0x5851F42D4C957F2Du + 0x14057B7EF767814Fu;
        uint64_t bits = seed >> 16;
        for (size_t i = 0; i < TEMP_LETTERS; i++, bits /= 36)
            tail[i] = letters[bits % 36];
        failed = create_named(out, mode);
    }
    if (failed) {
        free(out->temp);
        out->temp = NULL;
    }
    return failed;
}

bool file_out_is_temp(const char *name)
{
    size_t n = strlen(name);
    return name[0] == '.' && n > TEMP_TAIL + 1 &&
           memcmp(name + n - TEMP_TAIL, TEMP_MARK, sizeof TEMP_MARK - 1) == 0;
}

/* Removes a temporary file that no process has locked. */
static void clean_one(int dir, const char *name)
{
    struct stat st;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(dir, name, 0);
    close(fd);
}

void file_out_clean(const char *target)
{
    size_t n, dir;
    char *directory = file_directory(target), *temp = temp_name(target, &n, &dir);
    DIR *d = directory && temp ? opendir(directory) : NULL;
    struct dirent *entry;
    int at = d ? dirfd(d) : -1;
    while (at >= 0 && (entry = readdir(d)))
        if (strlen(entry->d_name) == n - dir + TEMP_LETTERS &&
            strncmp(entry->d_name, temp + dir, n - dir) == 0)
            clean_one(at, entry->d_name);
    if (d)
        closedir(d);
    free(directory);
    free(temp);
}

/* Memory may also be out in the callback of an output, such as that of a buffer. */
static int output_error(struct apf_error *error, int sys_errno, const char *where, const char *path)
{
    if (sys_errno == ENOMEM)
        return error_memory(error);
    error_output(error, error_errno(error, sys_errno, where), path);
    return APF_IO;
}

/* ---- opening ---- */

/* Copies owner, group and mode of the old file, as far as the system permits. The new file is at no time open to more
 * users than the old one: another group gets only the rights of all users. Set-id bits, which could now name another
 * owner, are lost, as they are when a file is written to. */
static int copy_owner(int fd, const struct stat *old)
{
    struct stat now;
    mode_t mode = old->st_mode & 0777;
    bool same_group = fchown(fd, old->st_uid, old->st_gid) == 0 || fchown(fd, (uid_t)-1, old->st_gid) == 0;
    if (!same_group && fstat(fd, &now) != 0)
        return errno;
    if (!same_group && now.st_gid != old->st_gid)
        mode &= 0707 | (mode & 0007) << 3;
    return fchmod(fd, mode) != 0 ? errno : 0;
}

static int open_path(struct file_out *out, const char *path, mode_t new_mode)
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
    /* A file without write permission is not replaced, although its directory would allow it. */
    if (exists && access(path, W_OK) != 0)
        return errno;
    int failed = file_resolve(&out->target, path);
    if (failed)
        return failed;
    failed = create_temp(out, exists ? st.st_mode & 0700 : new_mode);
    return failed || !exists ? failed : copy_owner(out->fd, &st);
}

int file_out_open(struct file_out **result, const struct apf_output *output, struct apf_error *error)
{
    int code = output_check(output, error);
    if (code != APF_OK)
        return code;
    struct file_out *out = calloc(1, sizeof *out);
    if (!out)
        return error_memory(error);
    out->fd = -1;
    out->p = out->buffer;
    out->end = out->buffer + FILE_OUT_BUFFER;
    out->sync = (output->flags & APF_OUTPUT_SYNC) != 0;
    out->path = output->path;
    out->show_name = output->show_name;
    out->names = output->names;
    if (output->path) {
        mode_t mode = output->flags & APF_OUTPUT_EXECUTABLE ? 0777 : 0666;
        int failed = open_path(out, output->path, mode);
        if (failed) {
            file_out_close(out, false, NULL);
            return output_error(error, failed, "output.open", output->path);
        }
        if (out->temp && (output->flags & APF_OUTPUT_CLEAN))
            file_out_clean(out->target);
        out->is_terminal = !out->temp && isatty(out->fd) == 1;
    } else {
        out->write = output->write;
        out->user = output->user;
    }
    *result = out;
    return APF_OK;
}

int file_write_all(int fd, const uint8_t *p, size_t n)
{
    while (n) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return errno;
        p += done;
        n -= (size_t)done;
    }
    return 0;
}

static int write_terminal(struct file_out *out, const uint8_t *p, size_t n)
{
    enum { PIECE = 1000 };
    uint8_t shown[FILE_TERMINAL_ROOM(PIECE)];
    int failed = 0;
    for (size_t part; n && !failed; p += part, n -= part) {
        part = n < PIECE ? n : PIECE;
        failed = file_write_all(out->fd, shown, file_terminal_store(&out->terminal, p, part, shown));
    }
    return failed;
}

/* Writes what the terminal has not got of the last character. */
static int end_terminal(struct file_out *out)
{
    uint8_t rest[sizeof out->terminal.held];
    return file_write_all(out->fd, rest, file_terminal_end(&out->terminal, rest));
}

static bool write_out(struct file_out *out, const uint8_t *p, size_t n)
{
    if (out->write)
        out->sys_errno = out->write(out->user, p, n);
    else if (out->is_terminal)
        out->sys_errno = write_terminal(out, p, n);
    else
        out->sys_errno = file_write_all(out->fd, p, n);
    return out->sys_errno == 0;
}

int file_out_callback(void *user, const void *p, size_t n)
{
    (void)file_out_write(user, p, n);
    return 0;
}

#define BYTES_OF_PULSE ((uint64_t)4 << 20) /* between two looks at the pulse */

static bool flush_buffer(struct file_out *out)
{
    size_t n = (size_t)(out->p - out->buffer);
    out->p = out->buffer;
    out->flushed += n;
    if (out->pulse && out->flushed - out->looked >= BYTES_OF_PULSE) {
        out->looked = out->flushed;
        out->stopped = pulse_look(out->pulse);
    }
    if (!out->sys_errno && out->stopped)
        out->sys_errno = ECANCELED;
    if (!out->sys_errno && n)
        write_out(out, out->buffer, n);
    if (out->sys_errno)
        out->end = out->buffer;
    return !out->sys_errno;
}

bool file_out_spill(struct file_out *out, const void *p, size_t n)
{
    bool ok = flush_buffer(out);
    if (!ok || n >= FILE_OUT_BUFFER) {
        out->flushed += n;
        return ok && write_out(out, (const uint8_t *)p, n);
    }
    if (n)
        memcpy(out->p, p, n);
    out->p += n;
    return true;
}

void file_out_sequence(struct file_out *out, const char *sequence)
{
    const size_t n = strlen(sequence);
    if (!out->is_terminal) {
        (void)file_out_write(out, sequence, n);
        return;
    }
    if (!flush_buffer(out))
        return;
    out->sys_errno = end_terminal(out);
    if (!out->sys_errno)
        out->sys_errno = file_write_all(out->fd, (const uint8_t *)sequence, n);
    if (out->sys_errno)
        out->end = out->p; /* nothing more is kept */
}

/* ---- closing ---- */

/* Waits until a temporary file is on the disk. Outputs that are written directly are left to the system. */
static int sync_bytes(struct file_out *out)
{
    return out->sync && out->temp && fsync(out->fd) != 0 ? errno : 0;
}

int file_out_seal(struct file_out *out, uint64_t *size, struct file_digest *digest, struct apf_error *error)
{
    flush_buffer(out);
    int failed = out->sys_errno;
    if (!failed)
        failed = sync_bytes(out);
    if (!failed)
        failed = file_digest_fd(digest, size, out->fd);
    if (!failed)
        out->sealed = true;
    return failed ? output_error(error, failed, "output.write", out->path) : APF_OK;
}

int file_out_close(struct file_out *out, bool keep, struct apf_error *error)
{
    if (keep && flush_buffer(out) && out->is_terminal)
        out->sys_errno = end_terminal(out);
    const char *path = out->path;
    const bool stopped = out->stopped;
    int failed = out->sys_errno, unsure = 0;
    if (keep && !failed && !out->sealed)
        failed = sync_bytes(out);
    if (out->close_fd && out->fd >= 0 && close(out->fd) != 0 && !failed)
        failed = errno;
    if (out->temp) {
        if (keep && !failed && rename(out->temp, out->target) != 0)
            failed = errno;
        if (!keep || failed)
            unlink(out->temp);
        else if (out->sync)
            unsure = file_sync_directory(out->target);
    }
    out_free(out);
    if (keep && stopped)
        return pulse_error(error);
    if (keep && unsure)
        return output_error(error, unsure, "output.sync", path);
    return keep && failed ? output_error(error, failed, "output.write", path) : APF_OK;
}

int file_out_finish(struct file_out *out, int code, struct apf_error *error)
{
    bool keep = code == APF_OK;
    int closed = file_out_close(out, keep, keep ? error : NULL);
    return keep ? closed : code;
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
