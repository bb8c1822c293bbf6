/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_continuous.h"

#include "rt_api.h"
#include "rt_atomic.h"
#include "rt_counts.h"
#include "rt_elf.h"
#include "rt_file.h"
#include "rt_lock.h"
#include "rt_memory.h"
#include "rt_message.h"
#include "rt_name.h"
#include "rt_process.h"
#include "rt_profile.h"
#include "rt_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The mapped file. Its descriptor stays open with a shared lock, by which other processes see that the file is in
 * use; a program that closes all descriptors closes it too. */
static struct mapped {
    int on, beside; /* beside: a file next to the profile, removed when the profile is written */
    int fd;
    struct stat status; /* of the opened file: the program may have reused the descriptor */
    uint8_t *bytes;
    size_t size;
} mapped = {.fd = -1};

static struct aprt_lock lock;
/* The path of the mapped file; before that, the name from which the path is chosen. */
RT_HIDDEN RT_LARGE char aprt_mapped_path[RT_PATH_MAX];
static int enabled; /* set by the functions for continuous mode; programs read it */
static size_t page_size;

/* --- can it be done? ------------------------------------------------------------------------------------------ */

static int has_bias(void)
{
    return RT_LINKED(&__llvm_profile_counter_bias);
}

static size_t system_page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static int fills_pages(const uint8_t *start, size_t size)
{
    return (uintptr_t)start % system_page_size() == 0 && size % system_page_size() == 0;
}

static int can_remap(const struct aprt_image *image)
{
    return RT_LINKED(&apf_rt_live) && image->counters_size &&
           fills_pages(image->counters, image->counters_room);
}

/* --- the file ------------------------------------------------------------------------------------------------- */

/* Makes the image one of the profile as it is now, in `counts`, but without values: value lists cannot be kept in the
 * file. Returns 0 or ENOMEM. */
static int lay_out(struct aprt_image *image, struct aprt_counts *counts)
{
    struct aprt_out ids = {0};
    int error = aprt_counts_copy(counts, image);
    if (error)
        return error;
    memset(counts->lists, 0, counts->n_sites * sizeof counts->lists[0]);
    aprt_counts_apply(image, counts);
    /* Counters begin at a page boundary, after header, ids and records. */
    aprt_write_binary_ids(&ids, image->layout);
    size_t before =
        (2u + image->layout->words) * 8 + (size_t)ids.size + image->num_data * image->layout->record_size;
    image->pad_before_counters = has_bias() ? 0 : -before % system_page_size();
    if (!has_bias())
        image->pad_after_counters = image->counters_room - image->counters_size;
    if (!has_bias() && image->bitmap_size && fills_pages(image->bitmap, image->bitmap_room))
        image->pad_after_bitmap = image->bitmap_room - image->bitmap_size;
    return 0;
}

static int create_file(const struct aprt_image *now, int exists)
{
    struct aprt_image image = *now;
    struct aprt_counts counts;
    int error = lay_out(&image, &counts);
    if (error)
        return error;
    error = aprt_file_begin(&aprt_file, NULL);
    if (!error) {
        struct aprt_out out = {.write = aprt_file_write, .context = &aprt_file};
        aprt_write_profile(&out, &image);
        error = aprt_file_end(&aprt_file, exists ? RT_REPLACE : RT_CREATE);
    }
    aprt_counts_free(&counts);
    return error;
}

static int has_descriptor(void)
{
    struct stat now;
    return mapped.fd >= 0 && fstat(mapped.fd, &now) == 0 && aprt_is_same_file(&now, &mapped.status);
}

/* Replaces these pages of the mapped file, which may be anywhere, by private memory with the same counts. Returns 0
 * or errno's number. */
static int make_private(const uint8_t *start, size_t size, const uint8_t *part)
{
    void *at = (void *)(uintptr_t)start, *copy = MAP_FAILED;
    if (has_descriptor())
        copy =
            mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, mapped.fd, part - mapped.bytes);
    if (copy != MAP_FAILED)
        return 0;
    copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy != MAP_FAILED)
        memcpy(copy, start, size);
    if (copy != MAP_FAILED && mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at) != MAP_FAILED)
        return 0;
    return errno;
}

/* Unmaps and closes the file. Functions that count by an offset have already read it, so their pages become private
 * instead. */
static void release_file(void)
{
    if (mapped.bytes && mapped.on && has_bias())
        (void)make_private(mapped.bytes, mapped.size, mapped.bytes);
    else if (mapped.bytes)
        munmap(mapped.bytes, mapped.size);
    if (has_descriptor())
        close(mapped.fd);
    mapped.bytes = NULL;
    mapped.fd = -1;
}

/* Programs may expect the lowest descriptors for their own files. */
enum { FAR = 200 };

/* Returns a descriptor of 200 or above if possible. */
static int open_high(const char *name)
{
    int fd = aprt_open(name, O_RDWR, 0), far = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FAR);
    if (far < 0)
        return fd;
    close(fd);
    return far;
}

/* Maps the file of the descriptor, which is -1 if it could not be opened. */
static int map_all(int fd)
{
    mapped.fd = fd;
    if (mapped.fd < 0 || fstat(mapped.fd, &mapped.status) != 0)
        return errno;
    mapped.size = (size_t)mapped.status.st_size;
    if (mapped.size == 0)
        return 0;
    mapped.bytes = mmap(NULL, mapped.size, PROT_READ | PROT_WRITE, MAP_SHARED, mapped.fd, 0);
    if (mapped.bytes != MAP_FAILED)
        return 0;
    mapped.bytes = NULL;
    return errno;
}

static int open_mapped(void)
{
    return map_all(open_high(aprt_file.path));
}

/* Returns whether the mapped file holds one profile, of this image, with counters at an offset that can be mapped. */
static int is_ours(const struct aprt_image *image, struct aprt_profile *profile)
{
    struct aprt_profile next;
    return mapped.bytes && aprt_profile_next(profile, image, mapped.bytes, mapped.size, 0) == RT_NEXT_FOUND &&
           profile->offset == 0 && profile->same_program &&
           aprt_profile_next(&next, NULL, mapped.bytes, mapped.size, profile->size) == RT_NEXT_NONE &&
           (size_t)(profile->counters - mapped.bytes) % (has_bias() ? 8 : system_page_size()) == 0;
}

/* --- counting in it ------------------------------------------------------------------------------------------- */

static uint8_t *mapped_place(const uint8_t *part)
{
    return mapped.bytes + (part - mapped.bytes);
}

/* Adds the counts so far to the mapped file of a pool; a new file has them already. Other processes may be counting
 * in the file, so zeros are not written. */
static void add_live(const struct aprt_image *image, const struct aprt_profile *profile)
{
    uint8_t *counters = mapped_place(profile->counters), *bitmap = mapped_place(profile->bitmap);
    if (image->version & RT_BYTE_COVERAGE) {
        for (size_t i = 0; i < image->counters_size; i++) {
            if (!image->counters_now[i]) /* a reached block */
                counters[i] = 0;
        }
    } else {
        for (size_t i = 0; i < image->counters_size; i += 8) {
            uint64_t more = aprt_u64(image->counters_now + i);
            void *at = counters + i;
            if (more)
                RT_ADD64((uint64_t *)at, more);
        }
    }
    for (size_t i = 0; i < image->bitmap_size; i++) {
        if (image->bitmap_now[i])
            __atomic_fetch_or(bitmap + i, image->bitmap_now[i], __ATOMIC_RELAXED);
    }
}

static int make_shared(const uint8_t *start, size_t size, const uint8_t *part)
{
    void *at = mmap((void *)(uintptr_t)start, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, mapped.fd,
                    part - mapped.bytes);
    return at == MAP_FAILED ? errno : 0;
}

/* Calls make_shared or make_private for the counters and the bitmap. */
static int map_counters(const struct aprt_image *image, const struct aprt_profile *profile,
                        int (*map)(const uint8_t *start, size_t size, const uint8_t *part))
{
    int error = map(image->counters, image->counters_room, profile->counters);
    if (!error && image->bitmap_size && fills_pages(image->bitmap, image->bitmap_room))
        error = map(image->bitmap, image->bitmap_room, profile->bitmap);
    return error;
}

static int move_counters(const struct aprt_image *image, const struct aprt_profile *profile)
{
    if (has_bias()) {
        __llvm_profile_counter_bias = (intptr_t)((uintptr_t)profile->counters - (uintptr_t)image->counters);
        if (RT_LINKED(&__llvm_profile_bitmap_bias) && image->bitmap_size)
            __llvm_profile_bitmap_bias = (intptr_t)((uintptr_t)profile->bitmap - (uintptr_t)image->bitmap);
        return 0;
    }
    return map_counters(image, profile, make_shared);
}

/* A file in which another process counts must not be replaced: the counts would be lost. */
int aprt_continuous_is_in_use(const char *name)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int in_use = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return in_use;
}

/* A file beside the profile is left over from this process before exec, or from one that had the same number. */
static int is_taken(void)
{
    return mapped.beside ? access(aprt_file.path, F_OK) == 0 : aprt_continuous_is_in_use(aprt_file.path);
}

static int choose_another(void)
{
    /* No warning for a file beside the profile: its other user is a library of this process. */
    if (!mapped.beside)
        aprt_message(RT_WARNING, "another process or library counts in this file; the name gets a number:",
                     aprt_file.path, 0);
    int error = EEXIST;
    for (unsigned number = 0; number < 1000 && error == EEXIST; number++) {
        error = aprt_path_of_process(aprt_file.path, aprt_mapped_path, number);
        if (!error && is_taken())
            error = EEXIST;
    }
    return error;
}

/* The caller holds the lock of the path. */
static int start_in_file(const struct aprt_image *image, int pool)
{
    struct aprt_profile profile;
    int error, exists = access(aprt_file.path, F_OK) == 0;
    if (exists && pool) {
        error = open_mapped();
        if (!error && is_ours(image, &profile)) {
            add_live(image, &profile);
            return move_counters(image, &profile);
        }
        release_file();
    }
    if (exists && (pool || is_taken())) {
        error = choose_another();
        if (error)
            return error;
        exists = access(aprt_file.path, F_OK) == 0;
    }
    aprt_file.locked = 1;
    error = create_file(image, exists);
    if (!error)
        error = open_mapped();
    if (!error && !is_ours(image, &profile))
        error = EIO;
    return error ? error : move_counters(image, &profile);
}

/* Takes the shared lock. aprt_continuous_is_in_use holds the exclusive one for a moment. On file systems without
 * locks the file stays unmarked. */
static void mark_in_use(void)
{
    const struct timespec pause = {0, 1000000};
    for (unsigned tries = 0; flock(mapped.fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK && tries < 100;
         tries++)
        nanosleep(&pause, NULL);
}

static int lock_and_start(const struct aprt_image *image)
{
    struct stat status;
    int error;
    memcpy(aprt_file.path, aprt_mapped_path, sizeof aprt_mapped_path);
    error = aprt_file_examine(&aprt_file, &status);
    memcpy(aprt_mapped_path, aprt_file.path, sizeof aprt_mapped_path);
    if (!error && aprt_file.direct)
        error = EINVAL;
    if (!error)
        error = aprt_lock_acquire(&lock, aprt_file.path);
    if (error)
        return error;
    error = start_in_file(image, !mapped.beside && aprt_name_chosen.pool);
    if (error)
        release_file();
    else
        mark_in_use();
    aprt_lock_release(&lock, aprt_mapped_path);
    memcpy(aprt_mapped_path, aprt_file.path, sizeof aprt_mapped_path);
    return error;
}

/* Sets aprt_mapped_path; for a file beside the profile, to the profile's name with the number of the process. */
static int choose_path(const struct aprt_image *image)
{
    mapped.beside = !aprt_name_chosen.continuous;
    if (aprt_name_expand(&aprt_name_chosen, image, aprt_mapped_path))
        return ENAMETOOLONG;
    if (!mapped.beside)
        return 0;
    memcpy(aprt_file.hidden, aprt_mapped_path, sizeof aprt_mapped_path);
    return aprt_path_with(aprt_mapped_path, aprt_file.hidden, ".live.", (uint64_t)getpid(), 1);
}

static void start_inside(void)
{
    struct aprt_image image;
    if (aprt_image_find(&image) != RT_FOUND || !image.counters_size)
        return; /* the message comes at the end of the process */
    if (!has_bias() && !can_remap(&image)) {
        aprt_message_or(
            aprt_compatible ? RT_ERROR : RT_WARNING,
            RT_LINKED(&apf_rt_live)
                ? "counters cannot be kept in a file: the linker placed them after apf_rt_live, as with LTO; "
                  "compile with -fprofile-continuous (clang 22) or -mllvm -runtime-counter-relocation; the "
                  "profile is written at exit"
                : "counters cannot be kept in a file: compile with -fprofile-continuous (clang 22) or -mllvm "
                  "-runtime-counter-relocation, or link with -Wl,-u,apf_rt_live; the profile is written at "
                  "exit",
            "Neither __llvm_profile_counter_bias nor __llvm_profile_bitmap_bias is defined", NULL, 0);
        return;
    }
    int error = choose_path(&image);
    if (!error)
        error = lock_and_start(&image);
    if (error)
        aprt_message_or(RT_ERROR, "counters cannot be kept in", RT_NOT_WRITTEN, aprt_mapped_path, error);
    mapped.on = !error;
    int bitmaps =
        has_bias() ? RT_LINKED(&__llvm_profile_bitmap_bias) : fills_pages(image.bitmap, image.bitmap_room);
    if (mapped.on && image.bitmap_size && !bitmaps)
        aprt_message(RT_WARNING,
                     "MC/DC bitmaps are not kept in the file: compile with clang 22, or link with "
                     "-Wl,-u,apf_rt_live_bitmaps",
                     NULL, 0);
}

void aprt_continuous_start(void)
{
    struct aprt_inside inside;
    if (aprt_process_enter(&inside))
        return;
    start_inside();
    aprt_process_leave(&inside);
    if (mapped.on && !mapped.beside) {
        enabled = 1;
        page_size = system_page_size();
    }
}

/* --- a stream of the program ---------------------------------------------------------------------------------- */

int aprt_continuous_write(apf_rt_write_fn *write, void *context)
{
    struct aprt_image image;
    struct aprt_counts counts;
    struct aprt_out out = {.write = write, .context = context};
    int error = aprt_image_find(&image) == RT_FOUND ? lay_out(&image, &counts) : EINVAL;
    if (error)
        return error;
    memset(counts.counters, image.version & RT_BYTE_COVERAGE ? 0xff : 0, image.counters_size);
    memset(counts.bitmap, 0, image.bitmap_size);
    aprt_write_profile(&out, &image);
    aprt_counts_free(&counts);
    return out.code;
}

/* The file that was mapped before stays so: functions that run now have read where their counters are. */
int aprt_continuous_move(int fd)
{
    struct aprt_image image;
    struct aprt_profile profile;
    const struct mapped before = mapped;
    int had = has_descriptor(), error;
    if (aprt_image_find(&image) != RT_FOUND)
        return EINVAL;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, FAR);
    mapped.bytes = NULL;
    error = map_all(copy < 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : copy);
    if (!error)
        error = is_ours(&image, &profile) ? move_counters(&image, &profile) : EINVAL;
    if (error) {
        if (mapped.bytes)
            munmap(mapped.bytes, mapped.size);
        if (mapped.fd >= 0)
            close(mapped.fd);
        mapped = before;
    } else if (had) {
        close(before.fd);
    }
    return error;
}

/* --- forks and the end ---------------------------------------------------------------------------------------- */

int aprt_continuous_is_on(void)
{
    return mapped.on && !mapped.beside;
}

int aprt_live_is_on(void)
{
    return mapped.on && mapped.beside;
}

/* Replaces the parent's file by private pages of zeros. */
static int leave_file(const struct aprt_image *image)
{
    if (has_bias())
        return 0; /* let_go makes the pages private */
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (mmap(image->counters, image->counters_room, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
        return errno;
    if (image->bitmap_size && fills_pages(image->bitmap, image->bitmap_room) &&
        mmap(image->bitmap, image->bitmap_room, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
        return errno;
    return 0;
}

void aprt_continuous_forked(void)
{
    struct aprt_image image;
    if (!aprt_live_is_on() || aprt_image_find(&image) != RT_FOUND)
        return;
    int error = leave_file(&image);
    release_file();
    mapped.on = 0;
    if (error)
        aprt_message(RT_WARNING, "cannot leave the parent's file", aprt_mapped_path, error);
    else
        apf_rt_reset();
    start_inside();
}

void aprt_live_end(void)
{
    struct aprt_image image;
    struct aprt_profile profile;
    if (!aprt_live_is_on())
        return;
    unlink(aprt_mapped_path);
    if (!has_bias() && aprt_image_find(&image) == RT_FOUND && is_ours(&image, &profile))
        (void)map_counters(&image, &profile, make_private);
    release_file();
    mapped.on = 0;
}

/* Runs when a library is unloaded, as late as possible, because its own destructors count too. Executables are never
 * unloaded. */
__attribute__((destructor(101))) static void unloaded(void)
{
    struct aprt_image image;
    if (!mapped.on || mapped.beside || !aprt_image_is_library() || aprt_image_find(&image) != RT_FOUND)
        return;
    (void)leave_file(&image);
    release_file();
    mapped.on = 0;
}

int __llvm_profile_is_continuous_mode_enabled(void)
{
    return enabled && page_size;
}

void __llvm_profile_enable_continuous_mode(void)
{
    enabled = 1;
}

void __llvm_profile_disable_continuous_mode(void)
{
    enabled = 0;
}

void __llvm_profile_set_page_size(unsigned size)
{
    page_size = size;
}
