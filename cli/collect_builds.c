/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which build a profile is of, and the sums of builds. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <anyprof/jobs.h>

#include "collect.h"
#include "collect_spool.h"
#include "memory.h"

#define LONGEST_ID 64 /* bytes of a build id in the name of a sum */
#define SUM_END ".part"
#define NAME_SIZE (2 * LONGEST_ID + 32)

/* A profile that was taken. */
struct claimed {
    char *name, *path;
    char build[NAME_SIZE];
};

struct batch {
    struct claimed *data;
    size_t n;
    uint64_t n_waiting;
};

/* ---- files that were taken ---- */

static void batch_free(struct batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        free(b->data[i].name);
        free(b->data[i].path);
    }
    free(b->data);
    *b = (struct batch){0};
}

/* Adds a profile to the batch, unless a program still writes to it. */
static void look_at_claimed(const struct collector *c, struct batch *b, const char *name, int64_t now)
{
    const int directory = c->state.fds[COLLECT_CLAIMED];
    struct stat st;
    if (name[0] == '.' || fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return;
    if (spool_is_done(directory, name, &st, c->request->settle, now))
        b->data[b->n++] =
            (struct claimed){checked_copy(name), collect_path(c->state.paths[COLLECT_CLAIMED], name), ""};
    else
        b->n_waiting++;
}

/* Lists profiles to which no program writes any more, up to COLLECT_BATCH. False: reported. */
static bool list_claimed(struct collector *c, struct batch *b)
{
    const int64_t now = (int64_t)time(NULL);
    const struct dirent *entry;
    *b = (struct batch){0};
    b->data = (struct claimed *)checked_realloc(NULL, COLLECT_BATCH, sizeof *b->data);
    DIR *dir = collect_open_place(&c->state, COLLECT_CLAIMED);
    errno = dir ? 0 : errno;
    while (dir && b->n < COLLECT_BATCH && (entry = readdir(dir)) != NULL) {
        look_at_claimed(c, b, entry->d_name, now);
        errno = 0;
    }
    const int why = b->n < COLLECT_BATCH ? errno : 0;
    if (dir)
        closedir(dir);
    if (why)
        report_errno(c->session, c->state.paths[COLLECT_CLAIMED], why);
    return !why;
}

bool collect_reject(struct collector *c, enum collect_place place, const char *name, const char *as)
{
    if (renameat(c->state.fds[place], name, c->state.fds[COLLECT_REJECTED], as) == 0)
        return true;
    const int why = errno;
    char *path = collect_path(c->state.paths[place], name);
    report_errno(c->session, path, why);
    free(path);
    return false;
}

/* Rejects a profile, and says why. */
static bool reject(struct collector *c, const struct claimed *file, const char *why)
{
    char *kept = collect_path(c->state.paths[COLLECT_REJECTED], file->name);
    const bool ok = collect_reject(c, COLLECT_CLAIMED, file->name, file->name);
    if (ok && !c->request->base.quiet)
        report_warning(c->session, kept, "rejected: %s", why);
    c->metrics.rejected += ok;
    free(kept);
    return ok;
}

static bool remove_empty(struct collector *c, const struct claimed *file)
{
    const bool ok = unlinkat(c->state.fds[COLLECT_CLAIMED], file->name, 0) == 0;
    if (!ok)
        report_errno(c->session, file->path, errno);
    c->metrics.empty += ok;
    return ok;
}

struct apf_options collect_merge_options(const struct collector *c)
{
    struct apf_options options = c->options;
    options.max_bytes = UINT64_MAX;
    options.max_records = 0;
    return options;
}

bool collect_is_trouble(const struct apf_error *error)
{
    return error->code == APF_NO_MEMORY ||
           (error->code == APF_IO && error->sys_errno != EACCES && error->sys_errno != EPERM);
}

/* Decides about a profile that cannot be merged; one for which there is no memory must not stop the others. */
static bool judge(struct collector *c, const struct claimed *file, const struct apf_error *error)
{
    if (error->code == APF_EMPTY_PROFILE)
        return remove_empty(c, file);
    if (!collect_is_trouble(error) || error->code == APF_NO_MEMORY)
        return reject(c, file, error->message);
    report_failure(c->session, file->path, error);
    return false;
}

/* ---- builds ---- */

static int by_bytes(const void *a, const void *b)
{
    const struct apf_str *const *x = a, *const *y = b;
    const size_t n = (*x)->n < (*y)->n ? (*x)->n : (*y)->n;
    const int order = n ? memcmp((*x)->p, (*y)->p, n) : 0;
    return order ? order : ((*x)->n > (*y)->n) - ((*x)->n < (*y)->n);
}

/* FNV-1a, over the lengths, too. Builds that collide would share a sum, and nothing else. */
static uint64_t hash_ids(const struct apf_str *const *ids, size_t n)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= ids[i]->n; k++)
            hash = (hash ^ (k < ids[i]->n ? (uint8_t)ids[i]->p[k] : ids[i]->n)) * 1099511628211u;
    return hash;
}

/* The build's name: the id, or for want of one, a digest of the functions. Profiles of several programs at once, such
 * as merged ones, are builds of their own. */
static void name_build(char build[NAME_SIZE], const struct apf_file_facts *facts)
{
    const size_t n = facts->n_binary_ids;
    const struct apf_str *first = n ? &facts->binary_ids[0] : NULL;
    bool single = n != 0 && first->n != 0 && first->n <= LONGEST_ID;
    for (size_t i = 1; i < n; i++) {
        const struct apf_str *other = &facts->binary_ids[i];
        single = single && by_bytes(&first, &other) == 0;
    }
    if (!n) {
        snprintf(build, NAME_SIZE, "functions-%016" PRIx64, facts->build_digest);
        return;
    }
    for (size_t i = 0; single && i < first->n; i++)
        snprintf(build + 2 * i, 3, "%02x", (uint8_t)first->p[i]);
    if (single)
        return;
    const struct apf_str **sorted = (const struct apf_str **)checked_realloc(NULL, n, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &facts->binary_ids[i];
    qsort(sorted, n, sizeof *sorted, by_bytes);
    snprintf(build, NAME_SIZE, "several-%016" PRIx64, hash_ids(sorted, n));
    free(sorted);
}

static int by_build(const void *a, const void *b)
{
    const struct claimed *x = a, *y = b;
    const int order = strcmp(x->build, y->build);
    return order ? order : strcmp(x->name, y->name);
}

static void inputs_of(struct apf_input *inputs, const struct claimed *files, size_t n)
{
    for (size_t i = 0; i < n; i++)
        inputs[i] = apf_input_file(files[i].path);
}

/* Finds of which build a profile is. False: it is none to be merged, and is not in its place any more unless that was
 * reported, which makes *ok false. */
static bool find_build(struct collector *c, struct claimed *file, const struct apf_file_facts *facts,
                       bool *ok)
{
    const uint64_t limit = c->options.max_records;
    if (facts->error)
        *ok = judge(c, file, facts->error) && *ok;
    else if (facts->file->kind == APF_KIND_PARTIAL)
        *ok =
            reject(c, file, "a partial profile may claim to be of any number of inputs; merge it yourself") &&
            *ok;
    else if (limit && facts->n_functions > limit)
        *ok = reject(c, file, "it has more functions than --max-records allows") && *ok;
    else
        name_build(file->build, facts);
    return file->build[0] != '\0';
}

/* Finds the builds of n profiles. */
static bool find_some_builds(struct collector *c, struct claimed *files, size_t n)
{
    struct apf_input *inputs = (struct apf_input *)checked_realloc(NULL, n, sizeof *inputs);
    struct apf_info *info;
    struct apf_error error;
    struct apf_options options = c->options;
    options.flags |= APF_FLAG_GLANCE; /* the merge reads the whole file, and decides about it */
    inputs_of(inputs, files, n);
    const int code = apf_info_open(&info, inputs, n, &options, &error);
    bool ok = code == APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++)
        (void)find_build(c, &files[i], apf_info_file(info, i), &ok);
    apf_info_close(info);
    free(inputs);
    if (code == APF_NO_MEMORY && n > 1) { /* for one of them, perhaps */
        ok = find_some_builds(c, files, n / 2);
        return find_some_builds(c, files + n / 2, n - n / 2) && ok;
    }
    if (code == APF_NO_MEMORY)
        return judge(c, files, &error);
    return code == APF_OK ? ok : exit_code(c->session, c->state.paths[COLLECT_CLAIMED], code, &error) == 0;
}

/* Finds the builds of all profiles, and sorts the profiles by them. Those that cannot be merged are no longer in the
 * batch. */
static bool find_builds(struct collector *c, struct batch *b)
{
    const bool ok = find_some_builds(c, b->data, b->n);
    size_t kept = 0;
    for (size_t i = 0; i < b->n; i++) {
        const struct claimed file = b->data[i];
        b->data[i] = b->data[kept];
        b->data[kept] = file;
        kept += file.build[0] != '\0';
    }
    for (size_t i = kept; i < b->n; i++) {
        free(b->data[i].name);
        free(b->data[i].path);
    }
    b->n = kept;
    if (kept)
        qsort(b->data, kept, sizeof *b->data, by_build);
    return ok;
}

/* ---- sums ---- */

/* What became of a profile that was merged. */
enum removal {
    REMOVED,
    REFUSED, /* by the system: the next merge into the sum does not add it again, and removes it */
    KEPT     /* it has changed */
};

/* A merge of some profiles into the sum of their build. The sum is a partial profile: what contradicts other profiles
 * is in it, too, and is decided about when the output is made. */
struct adding {
    struct collector *c;
    const struct claimed *files;
    size_t n;
    char *sum;              /* path */
    size_t first;           /* number of the results of the merge that are of the sum */
    uint8_t *removals;      /* enum removal, of each profile */
    uint64_t *bytes;        /* of each profile */
    struct apf_error error; /* of a call that failed */
};

/* An apf_diag_fn; `user` is a struct adding. */
static int note_kept(void *user, const struct apf_diag *diag)
{
    const struct adding *a = user;
    if (diag->code == APF_NOT_REMOVED && diag->input >= a->first && diag->input - a->first < a->n)
        a->removals[diag->input - a->first] = diag->severity == APF_SEVERITY_ERROR ? REFUSED : KEPT;
    return 0;
}

static bool is_there(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_size > 0;
}

/* Counts profile i if it was merged, or decides what to do with it. */
static bool conclude(const struct adding *a, size_t i, const struct apf_input_result *result)
{
    struct collector *c = a->c;
    const struct claimed *file = &a->files[i];
    const enum removal removal = (enum removal)a->removals[i];
    if (result->code != APF_OK && result->code != APF_ALREADY_MERGED)
        return judge(c, file, result->error);
    if (removal == REFUSED)
        report_error(c->session, file->path, "merged, but it cannot be removed");
    if (removal == KEPT)
        return reject(c, file, "it was merged, and has changed since");
    c->metrics.merged += removal == REMOVED;
    c->metrics.bytes += removal == REMOVED ? a->bytes[i] : 0;
    return removal == REMOVED;
}

bool collect_drop_sum(struct collector *c, const char *path, const struct apf_error *error)
{
    char as[NAME_MAX + 1];
    const char *name = strrchr(path, '/') + 1;
    if (collect_is_trouble(error)) {
        report_failure(c->session, path, error);
        return false;
    }
    report_error(c->session, path, "%s; the sum of this build begins anew, and the old one is in %s",
                 error->message, c->state.paths[COLLECT_REJECTED]);
    collect_name(&c->state, name, as);
    return collect_reject(c, COLLECT_SUMS, name, as);
}

/* The time of a sum is that of the last profile of its build. */
static void restore_time(const struct adding *a, const struct stat *before)
{
    const struct timespec times[2] = {before->st_atim, before->st_mtim};
    (void)utimensat(AT_FDCWD, a->sum, times, AT_SYMLINK_NOFOLLOW); /* else the build is kept for longer */
}

/* How many of the profiles are in the sum, or will be, and how many of these were not before. */
static size_t count_good(const struct adding *a, const struct apf_merge *merge, size_t *new)
{
    size_t good = 0;
    *new = 0;
    for (size_t i = 0; i < a->n; i++) {
        const int code = apf_merge_input(merge, a->first + i)->code;
        good += code == APF_OK || code == APF_ALREADY_MERGED;
        *new += code == APF_OK;
    }
    return good;
}

/* Writes the sum, which removes the profiles, unless there is nothing to do. Returns the code of that. */
static int write_sum(struct adding *a, struct apf_merge *merge)
{
    const struct apf_output output = apf_output_file(a->sum);
    struct stat before;
    size_t new;
    if (!count_good(a, merge, &new) && a->n)
        return APF_OK;
    const bool there = stat(a->sum, &before) == 0;
    const int code = apf_merge_write_partial(merge, &output, &a->error);
    if (code == APF_OK && there && !new)
        restore_time(a, &before);
    return code;
}

/* Adds the sum, and then the profiles. *damaged: the sum cannot be read, which is the error. */
static int add_inputs(struct adding *a, struct apf_merge *merge, bool *damaged)
{
    struct apf_input *inputs = (struct apf_input *)checked_realloc(NULL, a->n + 1, sizeof *inputs);
    const struct apf_input_result *result;
    inputs[0] = apf_input_file(a->sum);
    int code = is_there(a->sum) ? apf_merge_add(merge, inputs, 1, &a->error) : APF_OK;
    a->first = 0;
    if (code == APF_OK && (result = apf_merge_input(merge, 0)) != NULL) {
        a->first = apf_merge_first_result(merge, 1);
        *damaged = a->first == 1 && result->code != APF_OK; /* else some of its inputs are lost, at most */
        if (*damaged)
            a->error = *result->error;
    }
    inputs_of(inputs, a->files, a->n);
    if (code == APF_OK && a->n && !*damaged)
        code = apf_merge_add(merge, inputs, a->n, &a->error);
    free(inputs);
    return code;
}

/* Returns the code of the merge; what became of each profile is decided. */
static int merge_once(struct adding *a, bool *damaged, bool *ok)
{
    struct collector *c = a->c;
    struct apf_options options = collect_merge_options(c);
    const struct apf_merge_options merge_options = {.size = sizeof merge_options,
                                                    .options = &options,
                                                    .flags = APF_MERGE_REMOVE_INPUTS | APF_MERGE_PARTIAL |
                                                             APF_MERGE_FORGET_INPUTS,
                                                    .output = a->sum};
    struct apf_merge *merge = NULL;
    struct stat st;
    options.diag = note_kept;
    options.user = a;
    memset(a->removals, REMOVED, a->n);
    for (size_t i = 0; i < a->n; i++)
        a->bytes[i] = stat(a->files[i].path, &st) == 0 ? (uint64_t)st.st_size : 0;
    *damaged = false;
    int code = apf_merge_new(&merge, &merge_options, &a->error);
    if (code == APF_OK)
        code = add_inputs(a, merge, damaged);
    if (code == APF_OK && !*damaged)
        code = write_sum(a, merge);
    for (size_t i = 0; code == APF_OK && !*damaged && i < a->n; i++)
        *ok = conclude(a, i, apf_merge_input(merge, a->first + i)) && *ok;
    apf_merge_free(merge);
    return code;
}

static void remove_journal(const struct adding *a)
{
    char journal[NAME_SIZE + sizeof COLLECT_JOURNAL];
    collect_journal_name(strrchr(a->sum, '/') + 1, journal, sizeof journal);
    unlinkat(a->c->state.fds[COLLECT_SUMS], journal, 0);
}

static bool is_full(const struct apf_error *error)
{
    return error->code == APF_IO && collect_is_full(error->sys_errno);
}

/* Merges, again without a sum that is damaged, and with the room of the reserve if the disk is full. */
static int merge_all(struct adding *a, bool *ok)
{
    for (;;) {
        bool damaged = false;
        if (!a->n && !is_there(a->sum)) {
            remove_journal(a); /* the sum was removed, and the journal means nothing without it */
            return APF_OK;
        }
        const int code = merge_once(a, &damaged, ok);
        if (code == APF_OK && !damaged)
            return APF_OK;
        if (code == APF_OK && !collect_drop_sum(a->c, a->sum, &a->error)) {
            *ok = false;
            return APF_OK;
        }
        if (code != APF_OK && !(is_full(&a->error) && collect_reserve_use(&a->c->state)))
            return code;
    }
}

/* Adds the one profile once more: the first time, it may have been merged in part. If there is no memory for it, but
 * for the sum alone, it is rejected, so that others can come. */
static bool retry_one(struct adding *a)
{
    struct adding sum = *a;
    bool ok = true;
    sum.n = 0;
    const int code = merge_all(a, &ok);
    if (code == APF_OK)
        return ok;
    if (code == APF_NO_MEMORY && is_there(a->sum) && merge_all(&sum, &ok) == APF_OK)
        return judge(a->c, a->files, &a->error) && ok;
    if (code == APF_NO_MEMORY && !is_there(a->sum))
        return judge(a->c, a->files, &a->error);
    return exit_code_of_call(a->c->session, NULL, a->sum, code, &a->error) == 0;
}

/* Adds n profiles of one build to its sum, and removes them. n may be 0: then a removal that a kill or a failure has
 * interrupted is finished. */
static bool add_to_sum(struct collector *c, const char *build, const struct claimed *files, size_t n)
{
    char name[NAME_SIZE + sizeof SUM_END];
    snprintf(name, sizeof name, "%s" SUM_END, build);
    struct adding a = {
        .c = c, .files = files, .n = n, .sum = collect_path(c->state.paths[COLLECT_SUMS], name)};
    a.removals = (uint8_t *)checked_realloc(NULL, n + 1, sizeof *a.removals);
    a.bytes = (uint64_t *)checked_realloc(NULL, n + 1, sizeof *a.bytes);
    bool ok = true;
    const int code = merge_all(&a, &ok);
    if (code == APF_NO_MEMORY && n > 1) { /* for one of them, perhaps */
        ok = add_to_sum(c, build, files, n / 2) && ok;
        ok = add_to_sum(c, build, files + n / 2, n - n / 2) && ok;
    } else if (code == APF_NO_MEMORY && n == 1) {
        ok = retry_one(&a) && ok;
    } else if (code != APF_OK) {
        ok = exit_code_of_call(c->session, NULL, a.sum, code, &a.error) == 0 && ok;
    }
    free(a.sum);
    free(a.removals);
    free(a.bytes);
    return ok;
}

/* Finishes removals that were interrupted, of builds from which no profile has come since. */
static bool finish_removals(struct collector *c)
{
    static const char end[] = SUM_END COLLECT_JOURNAL;
    DIR *dir = collect_open_place(&c->state, COLLECT_SUMS);
    const struct dirent *entry;
    bool ok = dir != NULL;
    if (!dir)
        report_errno(c->session, c->state.paths[COLLECT_SUMS], errno);
    while (dir && !watch_stops(&c->watch) && (entry = readdir(dir)) != NULL) {
        char build[NAME_SIZE];
        const size_t n = strlen(entry->d_name), most = sizeof build + sizeof end - 1;
        if (entry->d_name[0] != '.' || n <= sizeof end || n > most ||
            strcmp(entry->d_name + n - (sizeof end - 1), end) != 0)
            continue;
        snprintf(build, sizeof build, "%.*s", (int)(n - sizeof end), entry->d_name + 1);
        ok = add_to_sum(c, build, NULL, 0) && ok;
    }
    if (dir)
        closedir(dir);
    return ok;
}

/* Adds what list_claimed finds. *more: there may be others. */
static bool add_batch(struct collector *c, bool *more)
{
    struct batch b;
    bool ok = list_claimed(c, &b);
    c->metrics.waiting += b.n_waiting;
    *more = b.n == COLLECT_BATCH;
    ok = (!b.n || find_builds(c, &b)) && ok;
    for (size_t i = 0, n; i < b.n; i += n) {
        for (n = 1; i + n < b.n && strcmp(b.data[i].build, b.data[i + n].build) == 0;)
            n++;
        if (!watch_stops(&c->watch))
            ok = add_to_sum(c, b.data[i].build, &b.data[i], n) && ok;
    }
    batch_free(&b);
    if (c->state.gave_reserve)
        (void)collect_reserve_fill(&c->state, c->largest_sum);
    return ok;
}

bool collect_add_claimed(struct collector *c)
{
    struct correlation correlation;
    bool ok = correlation_open(&correlation, &c->options, &c->request->programs, &c->request->base) == 0;
    if (!ok)
        return false;
    for (bool more = true; ok && more && !watch_stops(&c->watch);)
        ok = add_batch(c, &more);
    ok = finish_removals(c) && ok;
    ok = correlation_warn(&correlation) && ok;
    correlation_close(&correlation);
    c->options.correlation = NULL;
    return ok;
}
