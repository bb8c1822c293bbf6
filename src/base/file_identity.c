/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/file_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define PIECE ((size_t)32 << 10)

/* ---- identity ---- */

struct file_identity file_identity_of(const struct stat *st)
{
    struct file_identity id = {0};
    if (!S_ISREG(st->st_mode))
        return id;
    id.device = (uint64_t)st->st_dev;
    id.inode = (uint64_t)st->st_ino;
    id.size = (uint64_t)st->st_size;
    id.seconds = (int64_t)st->st_mtim.tv_sec;
    id.nanoseconds = (int64_t)st->st_mtim.tv_nsec;
    id.regular = true;
    return id;
}

bool file_identity_same(const struct file_identity *a, const struct file_identity *b)
{
    return a->regular && b->regular && a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

int file_look(struct file_identity *identity, const char *path, bool follow)
{
    struct stat st;
    memset(identity, 0, sizeof *identity);
    if ((follow ? stat(path, &st) : lstat(path, &st)) != 0)
        return errno;
    *identity = file_identity_of(&st);
    return 0;
}

bool file_is_stream(const char *path)
{
    struct stat st;
    return strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

bool file_is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* ---- digests ---- */

static struct file_digest digest_of(XXH128_hash_t hash)
{
    struct file_digest digest = {hash.low64, hash.high64};
    return digest;
}

struct file_digest file_digest_bytes(const void *p, uint64_t n)
{
    return digest_of(XXH3_128bits(n ? p : "", (size_t)n));
}

bool file_digest_same(const struct file_digest *a, const struct file_digest *b)
{
    return a->low == b->low && a->high == b->high;
}

int file_digest_fd(struct file_digest *digest, uint64_t *size, int fd)
{
    uint8_t piece[PIECE];
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return ENOMEM;
    XXH3_128bits_reset(state);
    *size = 0;
    int failed = lseek(fd, 0, SEEK_SET) == 0 ? 0 : errno;
    while (!failed) {
        ssize_t got = read(fd, piece, sizeof piece);
        if (got == 0)
            break;
        if (got < 0) {
            failed = errno == EINTR ? 0 : errno;
            continue;
        }
        XXH3_128bits_update(state, piece, (size_t)got);
        *size += (uint64_t)got;
    }
    *digest = digest_of(XXH3_128bits_digest(state));
    XXH3_freeState(state);
    return failed;
}

/* ---- paths ---- */

char *file_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 1;
    char *dir = malloc(n + 1);
    if (!dir)
        return NULL;
    memcpy(dir, slash ? path : ".", n);
    dir[n] = '\0';
    return dir;
}

char *file_absolute(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *dir = file_directory(path);
    char *real = dir ? realpath(dir, NULL) : NULL;
    free(dir);
    if (!real)
        return NULL;
    size_t n_real = strlen(real), n_name = strlen(name);
    bool root = n_real && real[n_real - 1] == '/';
    char *whole = malloc(n_real + n_name + 2);
    if (whole) {
        memcpy(whole, real, n_real);
        if (!root)
            whole[n_real++] = '/';
        memcpy(whole + n_real, name, n_name + 1);
    }
    free(real);
    return whole;
}

/* ---- removing ---- */

enum file_removal file_remove(const char *path, const struct file_identity *identity, int *sys_errno)
{
    struct file_identity now;
    *sys_errno = file_look(&now, path, false);
    if (*sys_errno == 0 && !now.regular)
        return FILE_LINK;
    if (*sys_errno == 0 && !file_identity_same(&now, identity))
        return FILE_CHANGED;
    if (*sys_errno == 0 && unlink(path) == 0)
        return FILE_REMOVED;
    if (*sys_errno == 0)
        *sys_errno = errno;
    return *sys_errno == ENOENT || *sys_errno == ENOTDIR ? FILE_GONE : FILE_KEPT;
}

static int sync_opened(int fd)
{
    int failed = fd < 0 || fsync(fd) != 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    return failed;
}

int file_sync(const char *path)
{
    return sync_opened(open(path, O_RDONLY | O_CLOEXEC));
}

int file_sync_directory(const char *path)
{
    char *dir = file_directory(path);
    if (!dir)
        return ENOMEM;
    int failed = sync_opened(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    free(dir);
    return failed == EINVAL || failed == ENOTSUP ? 0
                                                 : failed; /* some file systems cannot sync, and need not */
}
