/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_store.h"

#include "rt_continuous.h"
#include "rt_counts.h"
#include "rt_file.h"
#include "rt_lock.h"
#include "rt_old.h"
#include "rt_run.h"
#include "rt_say.h"
#include "rt_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int aprt_store_compatible, aprt_store_continued;

/* What is known between writes. The lock of the process guards it. */
static struct {
    uintptr_t key;                /* of the path */
    int apart;                    /* it was written to aprt_apart instead */
    struct aprt_identity stale;   /* what was at the path when the run began */
    struct aprt_identity left;    /* the file as this image left it, where it is to be replaced */
    struct aprt_counts written;   /* all that was counted when the file was written */
    int unknown;                  /* there was no memory for that */
    struct aprt_counts elsewhere; /* what another process counted, or what is in another file for good */
} state;
RT_HIDDEN RT_LARGE char aprt_apart[RT_PATH_MAX];

/* One write. */
struct store {
    struct aprt_image *image;
    int pool;       /* what is in the file stays */
    int apart;      /* nobody else uses the name */
    int continuous; /* others may count in the file */
    struct aprt_counts live;
    struct stat status; /* of what is at the path */
    int exists;
    size_t prefix, suffix; /* what stays of the old file: up to here, and from here on */
};

static struct aprt_lock lock = {.fd = -1};
static struct aprt_old old = {.fd = -1}; /* the file that is there, if it was read */

static void forget_written(void)
{
    aprt_counts_drop(&state.written);
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
    /* Another thread was writing: its lock is the parent's, and must not last as long as this process. */
    if (lock.fd >= 0)
        close(lock.fd);
    lock.fd = -1;
    if (old.fd >= 0)
        close(old.fd);
    if (aprt_file.fd > 2)
        close(aprt_file.fd);
    aprt_file.fd = -1;
    old = (struct aprt_old){.fd = -1};
    if (aprt_store_compatible)
        return;
    forget_written();
    state.apart = 0;
    if (aprt_counts_take(&now, image)) {
        aprt_say(RT_WARNING, "no memory: the profile of this process counts again what its parent counted",
                 NULL, 0);
        return;
    }
    aprt_counts_drop(&state.elsewhere);
    state.elsewhere = now;
}

void aprt_store_reset(void)
{
    forget_written();
    aprt_counts_drop(&state.elsewhere);
}

/* --- the file that is there ----------------------------------------------------------------------------------- */

static int look(struct store *s)
{
    s->exists = stat(aprt_file.path, &s->status) == 0;
    return s->exists || errno == ENOENT ? 0 : errno;
}

/* Somebody else's bytes, or half a profile: kept under another name, so that they do no harm. */
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
    aprt_say(RT_WARNING, "the file that was there is no whole raw profile of this system; it is now",
             aprt_file.hidden, 0);
    s->exists = 0;
    return 0;
}

/* Why the file is left to others; next to errno's numbers. */
enum { TEMPORAL = -1, OTHER_KIND = -2, IN_USE = -3 };

/* Is what is new added to what the same program wrote? */
static int adds(const struct store *s)
{
    return s->pool || !aprt_store_compatible;
}

/* Finds the profile of the same program in the file, to be added to. Damaged: the whole file is. */
static enum aprt_next find_place(struct store *s, struct aprt_profile *place, int *error)
{
    struct aprt_profile profile;
    enum aprt_next next, found = RT_NEXT_NONE;
    for (size_t at = 0;
         (next = aprt_profile_next(&profile, s->image, old.bytes, old.size, at)) == RT_NEXT_FOUND;
         at = profile.offset + profile.size) {
        if (profile.version != s->image->version)
            *error = OTHER_KIND;
        if (found == RT_NEXT_NONE && adds(s) && profile.same_program) {
            *place = profile;
            found = RT_NEXT_FOUND;
        }
    }
    return next == RT_NEXT_DAMAGED ? next : found;
}

/* Is what this image wrote of no use but to be replaced: since it cannot be added to, or is not known? */
static int is_left_whole(const struct store *s)
{
    return s->image->version & RT_TEMPORAL || state.unknown;
}

/* Does nothing stay of the file? */
static int is_replaced(const struct store *s)
{
    if (!s->exists || s->status.st_size == 0)
        return 1;
    if (aprt_store_compatible)
        return 0;
    return (!s->pool && aprt_identity_is(&state.stale, &s->status)) ||
           (is_left_whole(s) && aprt_identity_is(&state.left, &s->status));
}

/* --- writing -------------------------------------------------------------------------------------------------- */

/* Writes what stays of the old file, and between it the image with these counts. */
static void put_all(struct store *s, const struct aprt_counts *counts)
{
    struct aprt_out out = {.write = aprt_file_put, .context = &aprt_file};
    struct aprt_image image = *s->image;
    aprt_put(&out, old.bytes, s->prefix);
    aprt_put_zeros(&out, aprt_pad8(s->prefix));
    if (counts->memory)
        aprt_counts_show(&image, counts);
    aprt_write_profile(&out, &image);
    if (old.bytes)
        aprt_put(&out, old.bytes + s->suffix, old.size - s->suffix);
}

static void remember(struct store *s)
{
    struct stat status;
    aprt_counts_drop(&state.written);
    state.written = s->live;
    state.unknown = !s->live.memory;
    s->live = (struct aprt_counts){0};
    if (is_left_whole(s) && stat(aprt_file.path, &status) == 0)
        state.left = aprt_identity_of(&status);
}

/* Writes the file with the sum of what is new and `place`, which may be NULL. If the profile that is there has what
 * this image wrote before, only what came since is new; but it may also have been removed, and made again by others. */
static int put_file(struct store *s, const struct aprt_profile *place)
{
    const struct aprt_counts *before = &state.elsewhere;
    struct aprt_counts sum = {0};
    int error = 0;
    if (place && state.written.memory && aprt_counts_are_in(place, s->image, &state.written, before))
        before = &state.written;
    if (before->memory || place)
        error = s->live.memory ? aprt_counts_combine(&sum, s->image, &s->live, before, place) : ENOMEM;
    if (!error)
        error = aprt_file_begin(&aprt_file, s->exists ? &s->status : NULL);
    if (!error) {
        put_all(s, sum.memory ? &sum : &s->live);
        error = aprt_file_end(&aprt_file, s->exists ? RT_REPLACE : RT_CREATE);
    }
    aprt_counts_drop(&sum);
    if (!error && !aprt_file.direct && !aprt_store_compatible)
        remember(s);
    return error;
}

static void forget_old(struct store *s)
{
    aprt_old_forget(&old);
    s->prefix = s->suffix = 0;
}

/* Finds what the counts are added to, and what stays of the file. */
static int look_into(struct store *s, struct aprt_profile *place, enum aprt_next *found)
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

/* Nobody else changes the file. */
static int put_locked(struct store *s)
{
    struct aprt_profile place;
    enum aprt_next found = RT_NEXT_NONE;
    int error = look(s);
    if (!error && !is_replaced(s))
        error = s->image->version & RT_TEMPORAL ? TEMPORAL
                : state.unknown                 ? ENOMEM
                                                : look_into(s, &place, &found);
    if (!error)
        error = put_file(s, found == RT_NEXT_FOUND ? &place : NULL);
    forget_old(s);
    return error;
}

/* What was written stays where it is; what is written to another file from now on is what comes after it. Temporal
 * profiles are whole in each. */
static void leave_written(const struct aprt_image *image)
{
    if (!state.written.memory || image->version & RT_TEMPORAL)
        return;
    aprt_counts_drop(&state.elsewhere);
    state.elsewhere = state.written;
    state.written = (struct aprt_counts){0};
}

/* Nobody lets us have the lock, there are none here, or the file is another's: one of our own. */
static int put_apart(struct store *s, int why)
{
    int error = EEXIST;
    memcpy(aprt_spare_path, aprt_file.path, sizeof aprt_spare_path);
    if (state.unknown)
        return ENOMEM;
    s->exists = 0;
    aprt_file.locked = 1; /* nobody else uses that name */
    leave_written(s->image);
    for (unsigned number = 0; number < 1000 && error == EEXIST; number++) {
        error = aprt_path_of_process(aprt_file.path, aprt_spare_path, number);
        if (!error)
            error = put_file(s, NULL);
    }
    if (error) {
        memcpy(aprt_file.path, aprt_spare_path,
               sizeof aprt_spare_path); /* what is said is about the name that users know */
        return error;
    }
    memcpy(aprt_apart, aprt_file.path, sizeof aprt_apart);
    state.apart = 1;
    if (s->pool)
        leave_written(s->image); /* the pool is tried again next time */
    if (why == OTHER_KIND)
        aprt_say(RT_WARNING, "the profile that is there is of another LLVM version or kind; this one's is",
                 aprt_file.path, 0);
    else if (why == IN_USE)
        aprt_say(RT_WARNING, "others count in the file; the profile of this one is", aprt_file.path, 0);
    else if (why != TEMPORAL)
        aprt_say(RT_WARNING, "the lock beside the profile could not be had; this process's is",
                 aprt_file.path, why);
    return 0;
}

/* Whoever has the path to itself: by the lock, or by its name. */
static int put_alone(struct store *s)
{
    int error = EEXIST;
    aprt_file.locked = 1;
    /* Again, if it was created meanwhile, by one that needed no lock. */
    for (unsigned tries = 0; tries < 100 && error == EEXIST; tries++)
        error = put_locked(s);
    return error;
}

static int put_somewhere(struct store *s)
{
    int error;
    aprt_file.locked = 0;
    if (aprt_file.direct)
        return put_file(s, NULL);
    if (s->apart && (error = put_alone(s)) >= 0)
        return error;
    if (s->continuous && s->exists && aprt_continuous_is_in_use(aprt_file.path))
        return put_apart(s, IN_USE);
    /* The most frequent case needs no lock: a file is created only where there is none. */
    if (!s->pool && !s->exists && (error = put_file(s, NULL)) != EEXIST)
        return error;
    error = aprt_lock_take(&lock, aprt_file.path);
    if (error == ETIMEDOUT || error == ENOLCK || error == EACCES)
        return put_apart(s, error);
    if (error)
        return error;
    error = put_alone(s);
    aprt_lock_give(&lock, aprt_file.path);
    return error == TEMPORAL || error == OTHER_KIND ? put_apart(s, error) : error;
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
    int error = aprt_file_look(&aprt_file, &s.status);
    s.exists = aprt_file.exists;
    /* A program may end because its memory is used up. Where there is nothing to be added, none is needed: the counts
     * are written as they stand. */
    if (!error && aprt_counts_take(&s.live, image) && state.written.memory)
        error = ENOMEM;
    if (!error)
        error = put_somewhere(&s);
    aprt_counts_drop(&s.live);
    if (error)
        aprt_say(RT_ERROR, "cannot write", aprt_file.path, error);
    else
        aprt_say(RT_NOTE, "wrote", aprt_file.path, 0);
    return error;
}
