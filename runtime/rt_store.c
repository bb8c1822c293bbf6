/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_store.h"

#include "rt_continuous.h"
#include "rt_counts.h"
#include "rt_file.h"
#include "rt_lock.h"
#include "rt_message.h"
#include "rt_old.h"
#include "rt_run.h"
#include "rt_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int aprt_store_continued;

/* State between writes, guarded by the lock of the process. */
static struct {
    uintptr_t key;                /* hash of the path */
    int apart;                    /* the profile was written to aprt_apart instead */
    struct aprt_identity stale;   /* the file at the path when the run began */
    struct aprt_identity left;    /* the file as this image wrote it, where it is to be replaced */
    struct aprt_counts written;   /* all counts when the file was written */
    int unknown;                  /* the allocation of `written` failed */
    struct aprt_counts elsewhere; /* counts that belong to another process, or are in another file for good */
} state;
RT_HIDDEN RT_LARGE char aprt_apart[RT_PATH_MAX];

/* One write. */
struct store {
    struct aprt_image *image;
    int pool;       /* the file's profiles stay */
    int apart;      /* no other process uses the name */
    int continuous; /* other processes may count in the file */
    struct aprt_counts live;
    struct stat status; /* of the file at the path */
    int exists;
    size_t prefix, suffix; /* the bytes of the old file that are kept: up to prefix, and from suffix on */
};

static struct aprt_lock lock = {.fd = -1};
static struct aprt_old old = {.fd = -1}; /* the old file, if it was read */

static void forget_written(void)
{
    aprt_counts_free(&state.written);
    state.unknown = 0;
    state.left.inode = 0;
}

void aprt_store_begin(int pool)
{
    uintptr_t key = aprt_run_key(aprt_file.path);
    if (state.key == key)
        return;
    state.key = key;
    state.apart = 0;
    forget_written();
    state.stale.inode = 0;
    if (!pool && !aprt_store_continued)
        state.stale = aprt_run_found(aprt_file.path);
}

void aprt_store_forked(const struct aprt_image *image)
{
    struct aprt_counts now;
    /* Another thread of the parent was writing: its lock must not last as long as this process. */
    if (lock.fd >= 0)
        close(lock.fd);
    lock.fd = -1;
    if (old.fd >= 0)
        close(old.fd);
    if (aprt_file.fd > 2)
        close(aprt_file.fd);
    aprt_file.fd = -1;
    old = (struct aprt_old){.fd = -1};
    if (aprt_compatible)
        return;
    forget_written();
    state.apart = 0;
    if (aprt_counts_copy(&now, image)) {
        aprt_message(RT_WARNING, "no memory: the profile of this process repeats the counts of its parent",
                     NULL, 0);
        return;
    }
    aprt_counts_free(&state.elsewhere);
    state.elsewhere = now;
}

void aprt_store_reset(void)
{
    forget_written();
    aprt_counts_free(&state.elsewhere);
}

/* --- the old file --------------------------------------------------------------------------------------------- */

static int examine_path(struct store *s)
{
    s->exists = stat(aprt_file.path, &s->status) == 0;
    return s->exists || errno == ENOENT ? 0 : errno;
}

/* Renames a file that is no whole raw profile to NAME.bad, so that it does no harm. */
static int set_aside(struct store *s)
{
    int error = 0;
    for (unsigned number = 0; number < 1000 && !error; number++) {
        error = aprt_path_with(aprt_file.hidden, aprt_file.path, number ? ".bad." : ".bad", number, 0);
        if (!error && access(aprt_file.hidden, F_OK) != 0)
            break;
    }
    if (!error && rename(aprt_file.path, aprt_file.hidden))
        error = errno;
    if (error)
        return error;
    aprt_message(RT_WARNING, "the existing file is no complete raw profile of this system; it is now",
                 aprt_file.hidden, 0);
    s->exists = 0;
    return 0;
}

/* Why the file is not written; distinct from errno's numbers. */
enum { TEMPORAL = -1, OTHER_KIND = -2, IN_USE = -3 };

/* Returns whether new counts are added to the program's profile in the file. */
static int adds_counts(const struct store *s)
{
    return s->pool || !aprt_compatible;
}

/* Finds the profile of the same program in the file. Damaged applies to the whole file. Nothing is kept of a file in
 * which nothing is counted: its version is of no consequence. */
static enum aprt_next find_place(struct store *s, struct aprt_profile *place, int *error)
{
    struct aprt_profile profile;
    int counted = 0;
    enum aprt_next next, found = RT_NEXT_NONE;
    for (size_t at = 0;
         (next = aprt_profile_next(&profile, s->image, old.bytes, old.size, at)) == RT_NEXT_FOUND;
         at = profile.offset + profile.size) {
        counted |= profile.counters_size != 0;
        if (profile.version != s->image->version)
            *error = OTHER_KIND;
        if (found == RT_NEXT_NONE && adds_counts(s) && profile.same_program) {
            *place = profile;
            found = RT_NEXT_FOUND;
        }
    }
    if (next != RT_NEXT_DAMAGED && !counted) {
        aprt_old_free(&old);
        *error = 0;
        return RT_NEXT_NONE;
    }
    return next == RT_NEXT_DAMAGED ? next : found;
}

/* Returns whether the profile that this image wrote can only be replaced, because it cannot be added to or is not
 * known. */
static int is_left_whole(const struct store *s)
{
    return s->image->version & RT_TEMPORAL || state.unknown;
}

/* Returns whether nothing of the file is kept. */
static int is_replaced(const struct store *s)
{
    if (!s->exists || s->status.st_size == 0)
        return 1;
    if (aprt_compatible)
        return 0;
    return (!s->pool && aprt_identity_is(&state.stale, &s->status)) ||
           (is_left_whole(s) && aprt_identity_is(&state.left, &s->status));
}

/* --- writing -------------------------------------------------------------------------------------------------- */

/* Writes the image with these counts, between the kept parts of the old file. */
static void write_all(struct store *s, const struct aprt_counts *counts)
{
    struct aprt_out out = {.write = aprt_file_write, .context = &aprt_file};
    struct aprt_image image = *s->image;
    aprt_write_bytes(&out, old.bytes, s->prefix);
    aprt_write_zeros(&out, aprt_pad8(s->prefix));
    if (counts->memory)
        aprt_counts_apply(&image, counts);
    aprt_write_profile(&out, &image);
    if (old.bytes)
        aprt_write_bytes(&out, old.bytes + s->suffix, old.size - s->suffix);
}

static void remember_written(struct store *s)
{
    struct stat status;
    aprt_counts_free(&state.written);
    state.written = s->live;
    state.unknown = !s->live.memory;
    s->live = (struct aprt_counts){0};
    if (is_left_whole(s) && stat(aprt_file.path, &status) == 0)
        state.left = aprt_identity_of(&status);
}

/* Leaves the written counts to the current file: another file gets only what is counted later. Temporal profiles are
 * whole in each file. */
static void leave_written(const struct aprt_image *image)
{
    if (!state.written.memory || image->version & RT_TEMPORAL)
        return;
    aprt_counts_free(&state.elsewhere);
    state.elsewhere = state.written;
    state.written = (struct aprt_counts){0};
}

/* Writes the file with the sum of the new counts and `place`, which may be NULL. If the profile in the file includes
 * what this image wrote before, only later counts are new; other processes may also have removed and recreated the
 * file. */
static int write_file(struct store *s, const struct aprt_profile *place)
{
    const struct aprt_counts *before = &state.elsewhere;
    struct aprt_counts sum = {0};
    int error = 0;
    /* The profile in the file has other sites than the image now, so it stays beside the new one. */
    if (state.written.site_changes != s->image->site_changes)
        leave_written(s->image);
    if (place && state.written.memory && aprt_counts_are_in(place, s->image, &state.written, before))
        before = &state.written;
    if (before->memory || place)
        error = s->live.memory ? aprt_counts_combine(&sum, s->image, &s->live, before, place) : ENOMEM;
    if (!error)
        error = aprt_file_begin(&aprt_file, s->exists ? &s->status : NULL);
    if (!error) {
        write_all(s, sum.memory ? &sum : &s->live);
        error = aprt_file_end(&aprt_file, s->exists ? RT_REPLACE : RT_CREATE);
    }
    aprt_counts_free(&sum);
    if (!error && !aprt_file.direct && !aprt_compatible)
        remember_written(s);
    return error;
}

static void forget_old(struct store *s)
{
    aprt_old_free(&old);
    s->prefix = s->suffix = 0;
}

/* Reads the old file; finds the profile to add to and the parts to keep. */
static int read_old(struct store *s, struct aprt_profile *place, enum aprt_next *found)
{
    int error = aprt_old_read(&old, aprt_file.path, (uint64_t)s->status.st_size);
    if (error)
        return error;
    *found = find_place(s, place, &error);
    s->prefix = *found == RT_NEXT_FOUND ? place->offset : old.size;
    s->suffix = *found == RT_NEXT_FOUND ? place->offset + place->size : old.size;
    if (*found == RT_NEXT_DAMAGED) {
        forget_old(s);
        error = set_aside(s);
    }
    return error;
}

/* Writes the file; no other process changes it meanwhile. */
static int write_locked(struct store *s)
{
    struct aprt_profile place;
    enum aprt_next found = RT_NEXT_NONE;
    int error = examine_path(s);
    /* The profile of an image in which nothing is instrumented adds nothing. */
    if (!error && s->exists && s->status.st_size && !s->image->counters_size)
        return 0;
    if (!error && !is_replaced(s))
        error = s->image->version & RT_TEMPORAL ? TEMPORAL
                : state.unknown                 ? ENOMEM
                                                : read_old(s, &place, &found);
    if (!error)
        error = write_file(s, found == RT_NEXT_FOUND ? &place : NULL);
    forget_old(s);
    return error;
}

/* Writes a file with the process's number in its name, because the lock could not be acquired or the file is another
 * program's. */
static int write_apart(struct store *s, int why)
{
    int error = EEXIST;
    memcpy(aprt_spare_path, aprt_file.path, sizeof aprt_spare_path);
    if (state.unknown)
        return ENOMEM;
    s->exists = 0;
    aprt_file.locked = 1; /* no other process uses that name */
    leave_written(s->image);
    for (unsigned number = 0; number < 1000 && error == EEXIST; number++) {
        error = aprt_path_of_process(aprt_file.path, aprt_spare_path, number);
        if (!error)
            error = write_file(s, NULL);
    }
    if (error) {
        memcpy(aprt_file.path, aprt_spare_path,
               sizeof aprt_spare_path); /* the message names the path that users know */
        return error;
    }
    memcpy(aprt_apart, aprt_file.path, sizeof aprt_apart);
    state.apart = 1;
    if (s->pool)
        leave_written(s->image); /* the next write tries the pool again */
    if (why == OTHER_KIND)
        aprt_message(RT_WARNING, "the existing profile is of another LLVM version or kind; this one's is",
                     aprt_file.path, 0);
    else if (why == IN_USE)
        aprt_message(RT_WARNING, "other processes count in the profile; this process's is", aprt_file.path,
                     0);
    else if (why == TEMPORAL && aprt_compatible && s->pool)
        aprt_message_or(RT_ERROR, RT_TEMPORAL_STAYS, NULL, 0);
    else if (why != TEMPORAL)
        aprt_message(RT_WARNING, "the lock of the profile is not available; this process's is",
                     aprt_file.path, why);
    return 0;
}

/* Writes a path that belongs to this process, by the lock or by its name. */
static int write_alone(struct store *s)
{
    int error = EEXIST;
    aprt_file.locked = 1;
    /* Retries if a process without the lock created the file meanwhile. */
    for (unsigned tries = 0; tries < 100 && error == EEXIST; tries++)
        error = write_locked(s);
    return error;
}

static int write_somewhere(struct store *s)
{
    int error;
    aprt_file.locked = 0;
    if (aprt_file.direct)
        return write_file(s, NULL);
    if (s->apart && (error = write_alone(s)) >= 0)
        return error;
    if (s->continuous && s->exists && aprt_continuous_is_in_use(aprt_file.path))
        return write_apart(s, IN_USE);
    /* The most frequent case needs no lock: a file is only created, never replaced. */
    if (!s->pool && !s->exists && (error = write_file(s, NULL)) != EEXIST)
        return error;
    error = aprt_lock_acquire(&lock, aprt_file.path);
    if (error == ETIMEDOUT || error == ENOLCK || error == EACCES)
        return write_apart(s, error);
    if (error)
        return error;
    error = write_alone(s);
    aprt_lock_release(&lock, aprt_file.path);
    return error == TEMPORAL || error == OTHER_KIND ? write_apart(s, error) : error;
}

void aprt_store_moved(const struct aprt_image *image, int pool)
{
    if (aprt_run_key(aprt_file.path) != state.key)
        leave_written(image);
    aprt_store_begin(pool);
}

int aprt_store_write(struct aprt_image *image, int pool, int continuous)
{
    struct store s = {.image = image, .pool = pool, .continuous = continuous};
    aprt_store_begin(pool);
    s.apart = state.apart && (!pool || image->version & RT_TEMPORAL);
    if (s.apart)
        memcpy(aprt_file.path, aprt_apart, sizeof aprt_file.path);
    int error = aprt_file_examine(&aprt_file, &s.status);
    s.exists = aprt_file.exists;
    /* The program may be ending for lack of memory. If nothing has to be added, no copy is needed: the counts are
     * written directly. */
    if (!error && aprt_counts_copy(&s.live, image) && state.written.memory)
        error = ENOMEM;
    if (!error)
        error = write_somewhere(&s);
    aprt_counts_free(&s.live);
    if (error)
        aprt_message_or(RT_ERROR, "cannot write", RT_NOT_WRITTEN, aprt_file.path, error);
    else
        aprt_message(RT_NOTE, "wrote", aprt_file.path, 0);
    return error;
}
