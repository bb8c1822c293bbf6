/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/file_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/file.h"
#include "base/search.h"
#include "base/sort.h"

#define TAIL ".anyprof-merged"
#define MAGIC ((uint64_t)0x314a666f7270796e) /* "nyprofJ1" */
#define HEAD_SIZE 48u  /* magic, size of the block, size and digest of the output, entries */
#define ENTRY_SIZE 56u /* size, time, digest, flags, length of the path; the path follows */
#define ENTRY_REMOVED 1u
#define ENTRY_KEEP 2u
#define CHECK_SIZE 16u /* digest of the block */
#define MOST_BYTES ((uint64_t)4 << 30)

/* ---- reading ---- */

/* A block; its entries begin where the cursor is. False: no whole block is there. */
struct block {
    uint64_t size, output_size, n;
    struct file_digest output;
};

static struct file_digest get_digest(struct cursor *c)
{
    struct file_digest digest;
    digest.low = cursor_u64(c);
    digest.high = cursor_u64(c);
    return digest;
}

static bool get_block(struct block *b, struct cursor *c)
{
    const uint8_t *start = c->p;
    struct cursor head = *c;
    if (cursor_u64(&head) != MAGIC)
        return false;
    b->size = cursor_u64(&head);
    b->output_size = cursor_u64(&head);
    b->output = get_digest(&head);
    b->n = cursor_u64(&head);
    if (head.failed || b->size < HEAD_SIZE + CHECK_SIZE || b->size > cursor_left(c))
        return false;
    struct cursor body = cursor_sub(c, b->size);
    cursor_skip(&body, b->size - CHECK_SIZE);
    struct file_digest check = get_digest(&body);
    struct file_digest found = file_digest_bytes(start, b->size - CHECK_SIZE);
    return file_digest_same(&check, &found);
}

static int get_entry(struct file_journal *j, struct cursor *c, struct apf_error *error)
{
    struct journal_entry e = {0};
    e.size = cursor_u64(c);
    e.seconds = (int64_t)cursor_u64(c);
    e.nanoseconds = (int64_t)cursor_u64(c);
    e.digest = get_digest(c);
    uint64_t flags = cursor_u64(c);
    e.removed = flags & ENTRY_REMOVED;
    e.keep = flags & ENTRY_KEEP;
    uint64_t n = cursor_u64(c);
    const uint8_t *path = cursor_bytes(c, n);
    if (!path)
        return APF_OK; /* the loop reports it */
    e.path = arena_text(&j->arena, path, (size_t)n);
    return e.path && VEC_PUSH(&j->held, e) ? APF_OK : error_memory(error);
}

static bool digest_before(const struct file_digest *a, const struct file_digest *b)
{
    return a->high < b->high || (a->high == b->high && a->low < b->low);
}

static bool entry_before(const void *context, const void *a, const void *b)
{
    const struct journal_entry *x = (const struct journal_entry *)a, *y = (const struct journal_entry *)b;
    (void)context;
    return digest_before(&x->digest, &y->digest);
}

static bool path_before(const void *context, const void *a, const void *b)
{
    const struct journal_entry *const *x = (const struct journal_entry *const *)a;
    const struct journal_entry *const *y = (const struct journal_entry *const *)b;
    (void)context;
    return strcmp((*x)->path, (*y)->path) < 0;
}

static int sort_held(struct file_journal *j, struct apf_error *error)
{
    size_t n = j->held.n;
    struct journal_entry *scratch = malloc(n * sizeof *scratch + 1);
    const struct journal_entry **pointers = malloc(n * sizeof *pointers + 1);
    j->by_path.n = 0;
    bool ok = scratch && pointers && VEC_RESERVE(&j->by_path, n);
    if (ok)
        sort_merge(j->held.data, scratch, n, sizeof *scratch, entry_before, NULL);
    for (size_t i = 0; ok && i < n; i++)
        j->by_path.data[j->by_path.n++] = &j->held.data[i];
    if (ok)
        sort_merge((void *)j->by_path.data, (void *)pointers, n, sizeof *pointers, path_before, NULL);
    free(scratch);
    free((void *)pointers);
    return ok ? APF_OK : error_memory(error);
}

static int adopt_block(struct file_journal *j, const struct block *b, const uint8_t *p,
                       struct apf_error *error)
{
    struct cursor c = cursor_make(p, b->size - CHECK_SIZE, HOST_BIG_ENDIAN);
    int code = APF_OK;
    cursor_skip(&c, HEAD_SIZE);
    j->held.n = 0;
    j->useful = true;
    for (uint64_t i = 0; code == APF_OK && i < b->n && !c.failed; i++)
        code = get_entry(j, &c, error);
    return code == APF_OK ? sort_held(j, error) : code;
}

static int digest_output(const struct file_journal *j, struct file_digest *digest, struct apf_error *error)
{
    uint64_t size = 0;
    int fd = open(j->target, O_RDONLY | O_CLOEXEC);
    int failed = fd < 0 ? errno : file_digest_fd(digest, &size, fd);
    if (fd >= 0)
        close(fd);
    if (failed == ENOMEM)
        return error_memory(error);
    return failed ? error_errno(error, failed, "output.read") : APF_OK;
}

static int read_blocks(struct file_journal *j, const uint8_t *p, size_t n, struct apf_error *error)
{
    struct cursor c = cursor_make(p, n, HOST_BIG_ENDIAN);
    struct file_digest output = {0, 0};
    struct block b;
    bool known = false;
    int code = APF_OK;
    while (code == APF_OK && get_block(&b, &c)) {
        const uint8_t *start = p + j->end;
        j->end += b.size;
        if (!j->output.regular || b.output_size != j->output.size)
            continue;
        if (!known)
            code = digest_output(j, &output, error);
        known = true;
        if (code == APF_OK && file_digest_same(&output, &b.output))
            code = adopt_block(j, &b, start, error);
    }
    if (!j->useful)
        j->end = 0; /* the blocks are of outputs that no longer exist */
    return code;
}

static int read_journal(struct file_journal *j, struct apf_error *error)
{
    struct file_bytes f = {0};
    struct apf_input input = apf_input_file(j->path);
    int code = file_read_packed(&f, &input, MOST_BYTES, error);
    if (code == APF_OK)
        code = read_blocks(j, f.data, f.n, error);
    file_bytes_free(&f);
    return code;
}

/* ---- opening ---- */

/* DIR/.NAME.anyprof-merged */
static char *journal_path(const char *target)
{
    size_t n = strlen(target), dir = (size_t)(strrchr(target, '/') - target) + 1;
    char *path = malloc(n + sizeof TAIL + 1);
    if (!path)
        return NULL;
    memcpy(path, target, dir);
    path[dir] = '.';
    memcpy(path + dir + 1, target + dir, n - dir);
    memcpy(path + n + 1, TAIL, sizeof TAIL);
    return path;
}

/* Returns 0 or an errno: EBUSY when another process holds the lock, EAGAIN when the file was removed meanwhile. On file
 * systems without locks, two merges into one output at a time are detected only by changes of the output. */
static int lock_journal(const struct file_journal *j)
{
    struct stat mine, there;
    if (flock(j->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return EBUSY;
    if (fstat(j->fd, &mine) != 0)
        return errno;
    if (!S_ISREG(mine.st_mode))
        return EEXIST;
    if (mine.st_nlink > 1) /* writing would change the file that has the other name */
        return EMLINK;
    /* In a directory that others may write to, a foreign journal must not decide which inputs are removed. */
    if (mine.st_size && mine.st_uid != geteuid() && mine.st_uid != j->owner)
        return EPERM;
    if (stat(j->path, &there) != 0)
        return errno == ENOENT ? EAGAIN : errno;
    return there.st_dev == mine.st_dev && there.st_ino == mine.st_ino ? 0 : EAGAIN;
}

/* *found: the journal was there before. */
static int open_locked(struct file_journal *j, bool create, bool *found)
{
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int failed;
    do {
        j->fd = open(j->path, flags);
        *found = j->fd >= 0 || errno != ENOENT;
        if (j->fd < 0 && create && !*found)
            j->fd = open(j->path, flags | O_CREAT, 0666);
        if (j->fd < 0)
            return errno;
        failed = lock_journal(j);
        if (failed)
            close(j->fd);
    } while (failed == EAGAIN);
    if (failed)
        j->fd = -1;
    return failed;
}

/* Resolves the output and finds its identity. Returns 0 or an errno. */
static int find_target(struct file_journal *j, const char *output)
{
    struct stat st;
    char *followed = NULL;
    bool exists = stat(output, &st) == 0;
    if (!exists && errno != ENOENT)
        return errno;
    if (strcmp(output, "-") == 0 || (exists && !S_ISREG(st.st_mode)))
        return EINVAL;
    int failed = file_resolve(&followed, output);
    if (failed)
        return failed;
    j->target = file_absolute(followed);
    free(followed);
    if (!j->target)
        return errno;
    j->owner = exists ? (uint32_t)st.st_uid : (uint32_t)geteuid();
    if (exists)
        j->output = j->latest = file_identity_of(&st);
    j->path = journal_path(j->target);
    return j->path ? 0 : ENOMEM;
}

/* Whether an errno says that no file can be written at the path. */
static bool cannot_be_output(int failed)
{
    return failed == ENOENT || failed == ENOTDIR || failed == EACCES || failed == ELOOP ||
           failed == ENAMETOOLONG || failed == EINVAL;
}

static int journal_failure(int failed, const char *where, const char *file, struct apf_error *error)
{
    if (failed == ENOMEM)
        return error_memory(error);
    if (failed == EINVAL)
        return error_plain(error, APF_ARGUMENT, where, "inputs can only be removed if the output is a file");
    if (failed == EBUSY)
        return error_plain(error, APF_OUTPUT_BUSY, where, "a merge that removes its inputs is at work");
    if (!file)
        return error_errno(error, failed, where);
    error_set_errno_of(error, failed, where, file);
    return APF_IO;
}

/* Whether a directory is soon searched for what killed merges have left. One with thousands of outputs is searched only
 * if a merge that removes its inputs was interrupted, which leaves its journal, too. The size of a directory is not the
 * same thing everywhere: in some file systems, the number of its entries. */
static bool is_small_directory(const char *target)
{
    struct stat st;
    char *directory = file_directory(target);
    const bool small = directory && stat(directory, &st) == 0 && st.st_size <= 65536;
    free(directory);
    return small;
}

int file_journal_open(struct file_journal **journal, const char *output, bool create, struct apf_error *error)
{
    struct file_journal *j = calloc(1, sizeof *j);
    *journal = j;
    if (!j)
        return error_memory(error);
    j->fd = -1;
    int failed = find_target(j, output), code = APF_OK;
    if (failed && (create || !cannot_be_output(failed)))
        return journal_failure(failed, "output.open", NULL, error);
    if (failed || !j->path) { /* reported when the output is opened */
        file_journal_close(j, true);
        *journal = NULL;
        return APF_OK;
    }
    bool found;
    failed = open_locked(j, create, &found);
    /* An existing journal must be readable. */
    if (failed && (create || (failed != ENOENT && failed != ENAMETOOLONG)))
        return journal_failure(failed, "journal.open", j->path, error);
    if (j->fd >= 0)
        code = read_journal(j, error);
    if (code == APF_OK && create && (found || is_small_directory(j->target))) {
        file_out_clean(j->target);
        file_out_clean(j->path);
    }
    return code;
}

static bool same_name(const char *a, const char *b)
{
    const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
    return strcmp(x ? x + 1 : a, y ? y + 1 : b) == 0;
}

bool file_journal_holds(const struct file_journal *j, const char *path, const struct file_identity *identity,
                        const struct file_digest *digest)
{
    size_t low;
    SEARCH(low, 0, j->held.n, digest_before(&j->held.data[low].digest, digest));
    for (; low < j->held.n && file_digest_same(&j->held.data[low].digest, digest); low++) {
        const struct journal_entry *e = &j->held.data[low];
        if (e->size == identity->size && e->seconds == identity->seconds &&
            e->nanoseconds == identity->nanoseconds && same_name(e->path, path))
            return true;
    }
    return false;
}

/* Place in by_path of the first entry of a path. */
static size_t place_of_path(const struct file_journal *j, const char *path)
{
    size_t low;
    SEARCH(low, 0, j->by_path.n, strcmp(j->by_path.data[low]->path, path) < 0);
    return low;
}

bool file_journal_held(const struct file_journal *j, const char *path, bool *removed)
{
    bool found = false;
    *removed = true;
    for (size_t i = place_of_path(j, path); i < j->by_path.n && strcmp(j->by_path.data[i]->path, path) == 0;
         i++) {
        found = true;
        *removed &= j->by_path.data[i]->removed;
    }
    return found;
}

bool file_journal_keeps(const struct file_journal *j, const char *path)
{
    bool keep = false;
    for (size_t i = place_of_path(j, path); i < j->by_path.n && strcmp(j->by_path.data[i]->path, path) == 0;
         i++)
        keep |= j->by_path.data[i]->keep;
    return keep;
}

bool file_journal_overtaken(const struct file_journal *j)
{
    struct file_identity now;
    int failed = file_look(&now, j->target, false);
    if (!j->latest.regular)
        return failed != ENOENT;
    return failed || !file_identity_same(&now, &j->latest);
}

/* ---- writing ---- */

static uint8_t *append_u64(uint8_t *p, uint64_t v)
{
    store64le(p, v);
    return p + sizeof v;
}

static uint8_t *append_entry(uint8_t *p, const struct journal_entry *e)
{
    size_t n = strlen(e->path);
    p = append_u64(p, e->size);
    p = append_u64(p, (uint64_t)e->seconds);
    p = append_u64(p, (uint64_t)e->nanoseconds);
    p = append_u64(p, e->digest.low);
    p = append_u64(p, e->digest.high);
    p = append_u64(p, (e->removed ? ENTRY_REMOVED : 0) | (e->keep ? ENTRY_KEEP : 0));
    p = append_u64(p, n);
    memcpy(p, e->path, n);
    return p + n;
}

/* Writes a block after the last whole one. Bytes that a killed process left there are cut off. */
static int write_block(struct file_journal *j, const uint8_t *p, size_t n)
{
    bool ready = ftruncate(j->fd, (off_t)j->end) == 0 && lseek(j->fd, (off_t)j->end, SEEK_SET) >= 0;
    int failed = ready ? file_write_all(j->fd, p, n) : errno;
    if (!failed && fsync(j->fd) != 0)
        failed = errno;
    return failed ? failed : file_sync_directory(j->path);
}

/* Builds a block, which the caller frees; NULL: an allocation failed. */
static uint8_t *make_block(const struct file_journal *j, const struct journal_entry *entries, size_t n,
                           size_t *bytes)
{
    *bytes = HEAD_SIZE + CHECK_SIZE;
    for (size_t i = 0; i < n; i++)
        *bytes += ENTRY_SIZE + strlen(entries[i].path);
    uint8_t *block = malloc(*bytes), *p = block;
    if (!block)
        return NULL;
    p = append_u64(p, MAGIC);
    p = append_u64(p, *bytes);
    p = append_u64(p, j->said_size);
    p = append_u64(p, j->said.low);
    p = append_u64(p, j->said.high);
    p = append_u64(p, n);
    for (size_t i = 0; i < n; i++)
        p = append_entry(p, &entries[i]);
    struct file_digest check = file_digest_bytes(block, *bytes - CHECK_SIZE);
    p = append_u64(p, check.low);
    append_u64(p, check.high);
    return block;
}

int file_journal_append(struct file_journal *j, uint64_t size, struct file_digest digest,
                        const struct journal_entry *entries, size_t n, struct apf_error *error)
{
    size_t bytes;
    j->said_size = size;
    j->said = digest;
    uint8_t *block = make_block(j, entries, n, &bytes);
    if (!block)
        return error_memory(error);
    int failed = write_block(j, block, bytes);
    free(block);
    j->end += failed ? 0 : bytes;
    return failed ? journal_failure(failed, "journal.write", j->path, error) : APF_OK;
}

void file_journal_renamed(struct file_journal *j)
{
    file_look(&j->latest, j->target, false);
}

void file_journal_rewrite(const struct file_journal *j, const struct journal_entry *entries, size_t n)
{
    struct apf_output output = {.size = sizeof(struct apf_output), .path = j->path, .flags = APF_OUTPUT_SYNC};
    struct file_out *out;
    size_t bytes;
    uint8_t *block = make_block(j, entries, n, &bytes);
    if (block && file_out_open(&out, &output, NULL) == APF_OK) {
        file_out_write(out, block, bytes);
        file_out_close(out, true, NULL);
    }
    free(block);
}

void file_journal_close(struct file_journal *j, bool needed)
{
    if (!j)
        return;
    if (j->fd >= 0 && !needed)
        unlink(j->path);
    if (j->fd >= 0)
        close(j->fd);
    free(j->target);
    free(j->path);
    arena_free(&j->arena);
    VEC_FREE(&j->held);
    VEC_FREE(&j->by_path);
    free(j);
}

bool file_name_is_ours(const char *name)
{
    static const char *const tails[] = {TAIL, ".anyprof-part", ".anyprof-lock"};
    const size_t n = strlen(name);
    bool is_ours = file_out_is_temp(name);
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        const size_t tail = strlen(tails[i]);
        is_ours |= name[0] == '.' && n > tail && memcmp(name + n - tail, tails[i], tail + 1) == 0;
    }
    return is_ours;
}
