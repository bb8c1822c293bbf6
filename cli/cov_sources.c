/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov_sources.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cov.h"
#include "memory.h"
#include "nearest_names.h"
#include "places.h"
#include "report.h"

/* The most source files that cannot be read, and the most markers, that are named; a count stands for the others. */
#define MOST_NAMED 5u

void cov_sources_free(struct cov_sources *s)
{
    for (size_t i = 0; i < s->n_missing; i++)
        free(s->missing[i]);
    free(s->missing);
    free(s->newer);
}

/* ---- times ---- */

static bool is_after(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* When a file was written; 0: that is not known. */
static struct timespec written(const char *path)
{
    const struct timespec unknown = {0, 0};
    struct stat st;
    return path && stat(path, &st) == 0 ? st.st_mtim : unknown;
}

static struct timespec newest_profile(const struct cov_request *r)
{
    struct timespec newest = {0, 0};
    for (size_t i = 0; i < r->profiles.n; i++) {
        const struct timespec time = written(r->profiles.paths[i]);
        if (is_after(&time, &newest))
            newest = time;
    }
    return newest;
}

uint64_t cov_sources_profile_time(const struct cov_request *r)
{
    const struct timespec newest = newest_profile(r);
    return newest.tv_sec > 0 ? (uint64_t)newest.tv_sec : 0;
}

void cov_sources_check_times(struct cov_request *r)
{
    const bool compares = r->options.flags & APF_COV_LLVM && !r->base.quiet && r->profiles.n;
    struct timespec ran = {.tv_sec = 0};
    if (compares) /* it looks at each of them */
        ran = newest_profile(r);
    for (size_t i = 0; i < r->options.n_programs; i++) {
        const struct timespec time = written(r->programs[i].path);
        if (is_after(&time, &r->looked.built))
            r->looked.built = time;
        if (compares && is_after(&time, &ran))
            report_warning(r->base.session, r->programs[i].path,
                           "profile data may be out of date - object is newer");
    }
}

bool cov_sources_are_stale(const struct cov_request *r)
{
    const struct timespec ran = newest_profile(r);
    return r->profiles.n && ran.tv_sec && is_after(&r->looked.built, &ran);
}

/* ---- files that were looked for ---- */

/* The name, which stays until the next one. */
static const char *shown(struct cov_request *r, struct apf_str name)
{
    return name_text_set(&r->name, name);
}

static void report_missing(const struct cov_request *r, const char *name, const struct apf_cov_source *source)
{
    const struct session *session = r->base.session;
    const bool elsewhere = source->path && strcmp(source->path, name) != 0;
    const bool absent = source->sys_errno == ENOENT || source->sys_errno == ENOTDIR;
    const char *why = source->sys_errno ? strerror(source->sys_errno) : "it is no regular file, or too large";
    if (session_is_llvm(session)) {
        report_error(session, source->path, "%s", why);
        report_warning(session, NULL, "The file '%s' isn't covered.", name);
    } else {
        report_warning(session, NULL, "the source file '%s' cannot be read%s%s: %s", name,
                       elsewhere ? " at " : "", elsewhere ? source->path : "",
                       absent && !elsewhere ? "--path-equivalence=FROM,TO says where source files are now"
                                            : why);
    }
}

void cov_sources_looked(void *user, const struct apf_cov_source *source)
{
    struct cov_request *r = (struct cov_request *)user;
    struct cov_sources *s = &r->looked;
    const struct timespec time = source->is_read ? written(source->path) : s->built;
    if (source->is_read && s->built.tv_sec && is_after(&time, &s->built) && s->n_newer++ == 0)
        s->newer = checked_copy(shown(r, source->name));
    if (source->is_read)
        return;
    s->missing = (char **)checked_realloc(s->missing, s->n_missing + 1, sizeof *s->missing);
    s->missing[s->n_missing++] = checked_copy(shown(r, source->name));
    if (!r->base.quiet && (s->n_missing <= MOST_NAMED || session_is_llvm(r->base.session)))
        report_missing(r, s->missing[s->n_missing - 1], source);
}

void cov_sources_changed(void *user, struct apf_str name)
{
    struct cov_request *r = (struct cov_request *)user;
    if (!r->base.quiet && !session_is_llvm(r->base.session))
        report_warning(
            r->base.session, NULL,
            "the source file '%s' has fewer lines than when the program was built: it is another version",
            shown(r, name));
}

/* ---- reports after the output ---- */

struct marker_report {
    const struct session *session;
    size_t n;
};

/* An apf_cov_marker_fn. */
static int report_marker(void *user, const struct apf_cov_marker *marker)
{
    struct marker_report *m = (struct marker_report *)user;
    struct name_text name = {NULL, 0};
    if (m->n++ < MOST_NAMED)
        report_warning(m->session, NULL, "%s:%" PRIu64 ": this marker _EXCL_%s%s has no _EXCL_%s%s %s",
                       name_text_set(&name, marker->file), marker->line, marker->branches ? "BR_" : "",
                       marker->stops ? "STOP" : "START", marker->branches ? "BR_" : "",
                       marker->stops ? "START" : "STOP",
                       marker->stops ? "before it" : "after it: the lines that follow are left out");
    free(name.p);
    return 0;
}

static void report_markers(const struct cov_request *r, const struct apf_cov *cov)
{
    struct marker_report m = {.session = r->base.session};
    struct apf_cov_stats stats = {.size = sizeof stats};
    struct apf_error error;
    if ((r->options.flags & APF_COV_MARKERS) && apf_cov_stats(cov, &stats, &error) == APF_OK &&
        !stats.marked_files)
        report_note(
            m.session,
            "no source file that can be read has a marker, such as LCOV_EXCL_LINE; nothing is left out");
    (void)apf_cov_unpaired_markers(cov, report_marker, &m, &error);
    if (m.n > MOST_NAMED)
        report_warning(m.session, NULL, "%zu more markers have no counterpart%s", m.n - MOST_NAMED,
                       r->report ? "" : ": --report=FILE lists them");
}

void cov_sources_report(const struct cov_request *r, const struct apf_cov *cov)
{
    const struct session *session = r->base.session;
    const struct cov_sources *s = &r->looked;
    if (r->base.quiet || session_is_llvm(session))
        return;
    if (s->n_missing > MOST_NAMED)
        report_warning(session, NULL, "%zu more source files cannot be read%s", s->n_missing - MOST_NAMED,
                       r->report ? "" : ": --report=FILE lists them");
    if (s->n_newer == 1)
        report_warning(session, NULL, "the source file '%s' is newer than the program: %s", s->newer,
                       "build and run it again if it was changed");
    else if (s->n_newer)
        report_warning(session, NULL, "%" PRIu64 " source files are newer than the program, such as '%s': %s",
                       s->n_newer, s->newer, "build and run it again if they were changed");
    report_markers(r, cov);
}

/* ---- outputs in place of source files ---- */

/* Whether the file is a source file, where the programs or --path-equivalence have it. */
static bool is_source(struct cov_request *r, const struct place *place, struct apf_str name)
{
    bool found = place_is_file(place, shown(r, name));
    for (size_t i = 0; i < r->source_map.n && !found; i++) {
        const struct apf_name_change *change = &r->source_map.list[i];
        if (name.n < change->from.n || memcmp(name.p, change->from.p, change->from.n) != 0)
            continue;
        const size_t room = change->to.n + name.n + 2;
        char *moved = (char *)checked_realloc(NULL, room, 1);
        for (unsigned slash = 0; slash < 2 && !found; slash++) {
            snprintf(moved, room, "%s%s%s", change->to.p, slash ? "/" : "", shown(r, name) + change->from.n);
            found = place_is_file(place, moved);
        }
        free(moved);
    }
    return found;
}

bool cov_sources_are_replaced(struct cov_request *r, const struct apf_cov *cov)
{
    const struct place places[] = {{"output", r->base.output, false}, {"report", r->report, false}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        if (!places[k].path || !place_has_file(places[k].path))
            continue;
        for (size_t i = 0; i < apf_cov_n_files(cov); i++)
            if (is_source(r, &places[k], apf_cov_file_name(cov, i))) {
                report_error(r->base.session, places[k].path, "the %s would replace a source file",
                             places[k].what);
                return true;
            }
    }
    return false;
}

/* ---- files that were named ---- */

/* What was moved to a path: it has FROM in place of TO of --path-equivalence; NULL: TO does not begin the path. The
 * caller frees it. */
static char *moved_from(const struct apf_name_change *change, const char *to, const char *path)
{
    size_t n = to ? strlen(to) : 0;
    if (!to || !path || strncmp(path, to, n) != 0)
        return NULL;
    n += change->from.n && change->from.p[change->from.n - 1] == '/' && path[n] == '/';
    const size_t room = change->from.n + strlen(path + n) + 1;
    char *name = (char *)checked_realloc(NULL, room, 1);
    snprintf(name, room, "%.*s%s", (int)change->from.n, change->from.p, path + n);
    return name;
}

/* A copy of the name, if programs have it; else NULL. */
static char *copy_covered(const struct apf_cov *cov, const char *name)
{
    return name && apf_cov_source_files(cov, name) ? checked_copy(name) : NULL;
}

/* The name of a source file that was moved, as the programs have it; NULL: they have none. The caller frees it. */
static char *find_moved(const struct cov_request *r, const struct apf_cov *cov, const char *named,
                        const char *absolute)
{
    char *found = NULL;
    for (size_t i = r->source_map.n; i-- > 0 && !found;) {
        const struct apf_name_change *change = &r->source_map.list[i];
        char *to = realpath(change->to.p, NULL);
        char *names[] = {moved_from(change, change->to.p, named), moved_from(change, to, absolute)};
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            if (!found)
                found = copy_covered(cov, names[k]);
            free(names[k]);
        }
        free(to);
    }
    return found;
}

/* The only name in the programs that ends with this one, which is no file here; NULL: none, or several. The caller
 * frees it. */
static char *find_by_end(struct cov_request *r, const struct apf_cov *cov, const char *named)
{
    const size_t length = strlen(named);
    struct apf_str found = {NULL, 0};
    for (size_t i = 0; i < apf_cov_n_files(cov); i++) {
        const struct apf_str name = apf_cov_file_name(cov, i);
        if (name.n <= length || !length || name.p[name.n - length - 1] != '/' ||
            memcmp(name.p + name.n - length, named, length) != 0)
            continue;
        if (found.p)
            return NULL;
        found = name;
    }
    return found.p ? checked_copy(shown(r, found)) : NULL;
}

/* The name of a source file or directory in the programs, which is absolute, or relative to a directory that may be the
 * present one. NULL: it is not covered. The caller frees it. */
static char *find_source(struct cov_request *r, const struct apf_cov *cov, const char *named)
{
    char *absolute = realpath(named, NULL), *here = realpath(".", NULL), *found = NULL;
    const size_t length = here ? strlen(here) : 0;
    const char *names[] = {absolute, named, NULL};
    if (absolute && length && !strncmp(absolute, here, length) && absolute[length] == '/')
        names[2] = absolute + length + 1;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = copy_covered(cov, names[i]);
    const bool strict = (r->options.flags & APF_COV_LLVM) != 0;
    if (!found && !strict)
        found = find_moved(r, cov, named, absolute);
    if (!found && !strict && !absolute)
        found = find_by_end(r, cov, named);
    free(absolute);
    free(here);
    return found;
}

/* The part of a name after its directory. */
static struct apf_str base_name(struct apf_str name)
{
    size_t n = name.n && name.p[name.n - 1] == '/' ? name.n - 1 : name.n, at = n;
    while (at && name.p[at - 1] != '/')
        at--;
    return (struct apf_str){name.p + at, n - at};
}

/* Notes which source files of the programs have names like that. */
static void report_nearest(const struct cov_request *r, const struct apf_cov *cov, const char *named)
{
    struct nearest_names near;
    const struct apf_str wanted = {named, strlen(named)};
    nearest_names_begin(&near, wanted, base_name(wanted), wanted);
    for (size_t i = 0; i < apf_cov_n_files(cov); i++)
        (void)nearest_names_consider(&near, apf_cov_file_name(cov, i), base_name(apf_cov_file_name(cov, i)));
    if (!nearest_names_report(r->base.session, &near) && !strpbrk(named, "/."))
        report_note(r->base.session, "source files are named here; functions are selected with --name=%s",
                    named);
    nearest_names_free(&near);
}

/* Reports what a file is, if it is no source file. */
static bool report_kind(const struct session *session, const char *named)
{
    const enum cov_file_kind kind =
        session_is_llvm(session) ? COV_FILE_OTHER : cov_inputs_kind(session, named);
    if (kind == COV_FILE_PROGRAM)
        report_error(session, named,
                     "this is a program or an object, and here source files are named: use --object=%s",
                     named);
    else if (kind == COV_FILE_PROFILE)
        report_error(session, named,
                     "this is a profile, and here source files are named: give each a --profile, quote the "
                     "pattern, or name the directory");
    return kind != COV_FILE_OTHER;
}

/* Reports a source file that is not covered. True: it is no source file at all. */
static bool report_uncovered(const struct cov_request *r, const struct apf_cov *cov, const char *named)
{
    const struct session *session = r->base.session;
    struct stat st;
    if (report_kind(session, named))
        return true;
    if (!session_is_llvm(session)) {
        report_warning(session, NULL, "the file '%s' is not covered", named);
        report_nearest(r, cov, named);
    } else if (stat(named, &st) != 0)
        report_warning(session, named, "Source file doesn't exist, proceeded by ignoring it.");
    return false;
}

/* Whether a source file that was named is left out by --ignore-filename-regex, so that llvm-cov shows all files if it
 * is the only one. */
static bool is_ignored(struct cov_request *r, const char *found)
{
    return r->options.flags & APF_COV_LLVM &&
           cov_request_wants(r, (struct apf_str){found, strlen(found)}) == 0;
}

int cov_sources_find(struct cov_request *r, const struct apf_cov *cov, uint32_t format)
{
    const bool strict = (r->options.flags & APF_COV_LLVM) != 0;
    const size_t n_named = r->n_sources;
    char *uncovered = NULL; /* a file that is there */
    bool wrong = false;
    size_t n = 0;
    for (size_t i = 0; i < n_named; i++) {
        char *named = r->sources[i], *found = find_source(r, cov, named);
        if (!found)
            wrong |= report_uncovered(r, cov, named);
        if (!found && !uncovered && access(named, F_OK) == 0)
            uncovered = checked_copy(named);
        if (found && is_ignored(r, found))
            free(found);
        else if (found)
            r->sources[n++] = found;
        free(named);
    }
    r->n_sources = n;
    /* llvm-cov's show shows nothing if a file that was named is there; else all files are shown, as in the others */
    if (!n && uncovered && strict && format == APF_COV_SHOW)
        r->sources[r->n_sources++] = uncovered;
    else
        free(uncovered);
    if (wrong)
        return EXIT_DATA;
    if (n || !n_named || strict)
        return 0;
    report_error(r->base.session, NULL, "no source file that was named is covered");
    if (!r->n_own)
        report_note(
            r->base.session,
            "with --object or --debug-file-directory, the first argument is a program only if it is a "
            "binary file");
    return EXIT_DATA;
}
