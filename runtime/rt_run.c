/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_run.h"

#include "rt_elf.h"
#include "rt_memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_PATHS = 128 };

/* Keys stand for paths; a key is stored last, so that a thread that finds it finds the rest. Members used first are
 * adjacent: the last flushers, which are used from the end, and the first paths. */
struct run {
    struct aprt_flusher flushers[RT_MOST_FLUSHERS];
    uint64_t magic;
    uint32_t n;
    uintptr_t moves; /* the thread that is about to fork in daemon(3); 0: none */
    struct found {
        uintptr_t key;
        struct aprt_identity id;
    } found[MOST_PATHS];
};

#define MAGIC UINT64_C(0x6170665f72745231)
enum { PAGE = 4096, TAG = 0x5a7 };

RT_HIDDEN RT_LARGE struct run aprt_run_own __attribute__((aligned(PAGE)));

struct aprt_identity aprt_identity_of(const struct stat *status)
{
    struct aprt_identity id = {status->st_dev, status->st_ino, status->st_size, status->st_mtim};
    return id;
}

int aprt_identity_is(const struct aprt_identity *identity, const struct stat *status)
{
    return identity->inode && identity->inode == status->st_ino && identity->device == status->st_dev &&
           identity->size == status->st_size && identity->changed.tv_sec == status->st_mtim.tv_sec &&
           identity->changed.tv_nsec == status->st_mtim.tv_nsec;
}

int aprt_image_is_library(void)
{
    const uint8_t *start;
    size_t size;
    uintptr_t program = (uintptr_t)getauxval(AT_PHDR);
    return program && aprt_image_range(&start, &size) && program - (uintptr_t)start >= size;
}

/* Each image has its own copy of the runtime, so the images need a meeting place that is private to the process,
 * inherited by forks and gone after exec. (Environment variables would be visible to others.) Linux leaves one
 * pointer free between the name of the program, the last string on the stack, and the stack's end. Where these are
 * not adjacent, as in emulators, there is no such place, and each image knows only itself. */
static uintptr_t *meeting_place(void)
{
    char *name = (char *)(uintptr_t)getauxval(AT_EXECFN);
    if (!name)
        return NULL;
    char *end = name + strlen(name) + 1;
    void *place = end;
    /* The kernel's pointer may have 64 bits when the program has 32. */
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    int fits = ((uintptr_t)end + sizeof(uintptr_t)) % page == 0 || ((uintptr_t)end + 8) % page == 0;
    return fits ? place : NULL;
}

/* The pointer may be another library's after all: it is followed only if it points to mapped memory. */
static struct run *checked_run(uintptr_t value)
{
    unsigned char pages[(sizeof(struct run) + PAGE - 1) / PAGE];
    void *at = (void *)(value & ~(uintptr_t)(PAGE - 1));
    if ((value & (PAGE - 1)) != TAG || mincore(at, sizeof(struct run), pages) != 0)
        return NULL;
    struct run *run = at;
    return run->magic == MAGIC ? run : NULL;
}

static struct run *find_run(void)
{
    uintptr_t *place = meeting_place(), none = 0;
    if (!place)
        return &aprt_run_own;
    struct run *run = checked_run(__atomic_load_n(place, __ATOMIC_ACQUIRE));
    if (run)
        return run;
    /* An executable is never unloaded, so its own memory can serve all images. */
    int stays = sysconf(_SC_PAGESIZE) == PAGE && !aprt_image_is_library();
    run = stays ? &aprt_run_own : aprt_pages(sizeof *run);
    if (!run)
        return &aprt_run_own;
    run->magic = MAGIC;
    if (__atomic_compare_exchange_n(place, &none, (uintptr_t)run | TAG, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return run;
    if (!stays)
        aprt_pages_free(run, sizeof *run);
    run = checked_run(none);
    return run ? run : &aprt_run_own;
}

static struct run *the_run(void)
{
    static struct run *known;
    if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE))
        __atomic_store_n(&known, find_run(), __ATOMIC_RELEASE);
    return known;
}

struct aprt_flusher *aprt_run_flushers(void)
{
    return the_run()->flushers;
}

void aprt_run_move(int moves)
{
    the_run()->moves = moves ? (uintptr_t)pthread_self() : 0;
}

int aprt_run_moves(void)
{
    return the_run()->moves == (uintptr_t)pthread_self();
}

void aprt_run_register(const struct aprt_flusher *flusher)
{
    struct aprt_flusher *all = aprt_run_flushers();
    size_t i = RT_MOST_FLUSHERS;
    while (i && all[i - 1].flush && all[i - 1].flush != flusher->flush)
        i--;
    if (i)
        all[i - 1] = *flusher;
}

void aprt_run_flush(void)
{
    const struct aprt_flusher *all = aprt_run_flushers();
    for (size_t i = RT_MOST_FLUSHERS; i--;) {
        if (all[i].flush)
            all[i].flush();
    }
}

/* Returns the FNV-1a hash of the path, never 0. */
uintptr_t aprt_run_key(const char *path)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *path; path++)
        hash = (hash ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
    return (uintptr_t)(hash ^ hash >> 32) | 1;
}

/* Maps a page of the file without access and never unmaps it: as long as it is mapped, no other file gets the inode
 * number, even if the file is removed and recreated. (Times are no help: many files may be created within one tick of
 * the clock.) */
static struct aprt_identity pin_file(const char *path, struct stat *status)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        (void)!fstat(fd, status);
        void *page = mmap(NULL, 1, PROT_NONE, MAP_SHARED, fd, 0);
        (void)page;
        close(fd);
    }
    return aprt_identity_of(status);
}

struct aprt_identity aprt_run_found(const char *path)
{
    struct run *run = the_run();
    struct aprt_identity id = {0};
    struct stat status;
    uintptr_t key = aprt_run_key(path);
    uint32_t n = __atomic_load_n(&run->n, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < n && i < MOST_PATHS; i++) {
        if (__atomic_load_n(&run->found[i].key, __ATOMIC_ACQUIRE) == key)
            return run->found[i].id;
    }
    /* A library that cannot see the other images must not take any file for an earlier run's. */
    int alone = run == &aprt_run_own && aprt_image_is_library();
    int there = !alone && stat(path, &status) == 0 && S_ISREG(status.st_mode);
    if (there)
        id = aprt_identity_of(&status);
    if (n < MOST_PATHS && (n = __atomic_fetch_add(&run->n, 1, __ATOMIC_RELAXED)) < MOST_PATHS) {
        id = there ? pin_file(path, &status) : id;
        run->found[n].id = id;
        __atomic_store_n(&run->found[n].key, key, __ATOMIC_RELEASE);
    }
    return id;
}
