/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof collect */
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collect.h"
#include "collect_spool.h"
#include "command.h"
#include "memory.h"
#include "places.h"
#include "write_options.h"

#define EVERY 300u   /* seconds */
#define KEEP 604800u /* seconds: 7 days */
#define SETTLE 60u   /* seconds */

#define MOST_LINKS 40u
#define LEAST_LIMIT ((uint64_t)64 << 20)

/* ---- the request ---- */

/* The largest profile, unless an option says so: a file of any size, which costs no disk if it is sparse, must not take
 * the memory that the others need. */
static uint64_t default_limit(uint32_t threads)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    const uint64_t memory = pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : 0;
    const uint64_t limit = memory / 8 / (threads ? threads : apf_processors());
    return limit > LEAST_LIMIT ? limit : LEAST_LIMIT;
}

/* 0, or an exit code after a report. */
static int parse_request(struct collect_request *r, const struct session *session,
                         const struct arguments *args)
{
    r->base = request_of(session, args);
    r->spool = option_text(args, OPT_SPOOL, NULL);
    r->state = option_text(args, OPT_STATE, NULL);
    r->metrics = option_text(args, OPT_METRICS, NULL);
    r->every = option_number(args, OPT_EVERY, EVERY);
    r->keep = option_number(args, OPT_KEEP, KEEP);
    r->settle = option_number(args, OPT_SETTLE, SETTLE);
    r->max_disk = option_number(args, OPT_MAX_DISK, 0);
    r->threads = (uint32_t)option_number(args, OPT_THREADS, 0);
    r->once = option_flag(args, OPT_ONCE);
    if (!r->base.limits.max_bytes)
        r->base.limits.max_bytes = default_limit(r->threads);
    if (!r->spool || !*r->spool)
        return report_wrong(session, args, "--spool=DIR is required");
    if (!args->values[OPT_OUTPUT].place || strcmp(r->base.output, "-") == 0)
        return report_wrong(session, args, "-o FILE is required");
    const int code = correlation_parse(&r->programs, session, args);
    return code ? code
                : write_options_parse(&r->write, session, args, option_text(args, OPT_FOR, NULL), false);
}

/* Where a link leads, seen from the directory of the link, for free(). NULL: it is no link. */
static char *target_of(const char *path)
{
    char target[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0)
        return NULL;
    target[n] = '\0';
    if (target[0] == '/' || !slash)
        return checked_copy(target);
    char *directory = strndup(path, (size_t)(slash - path)), *result = NULL;
    if (directory)
        result = collect_path(directory, target);
    free(directory);
    return result;
}

/* The path of a file, or of one that would be made, without symbolic links, for free(). NULL: there is none. */
static char *real_path(const char *path, unsigned links)
{
    char *real = realpath(path, NULL), *target = real || !links ? NULL : target_of(path);
    if (target) { /* which is not there yet */
        real = real_path(target, links - 1);
        free(target);
    }
    if (real)
        return real;
    const char *slash = strrchr(path, '/');
    char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("."), *result = NULL;
    real = parent ? realpath(parent, NULL) : NULL;
    if (real)
        result = collect_path(real, slash ? slash + 1 : path);
    free(parent);
    free(real);
    return result;
}

/* Whether a file cannot be written all the time: it is in the spool or the state, where it would be taken for a
 * profile, or is no file. True: reported. */
static bool is_misplaced(const struct collector *c, const struct place *place)
{
    struct stat st;
    char *real = place->path ? real_path(place->path, MOST_LINKS) : NULL;
    const char *why = NULL;
    if (real && (collect_is_below(real, c->state.spool) || collect_is_below(real, c->state.path)))
        why = "must be outside of the spool and the state";
    else if (real && stat(real, &st) == 0 && !S_ISREG(st.st_mode))
        why = "must be a file";
    if (why)
        report_error(c->session, place->path, "the %s %s", place->what, why);
    free(real);
    return why != NULL;
}

/* 0, or an exit code after a report. */
static int check_places(const struct collector *c)
{
    const struct place output = {"output", c->request->base.output, true},
                       metrics = {"metrics", c->request->metrics, false};
    const bool wrong = place_is_impossible(c->session, &output) ||
                       place_is_impossible(c->session, &metrics) || is_misplaced(c, &output) ||
                       is_misplaced(c, &metrics) || place_is_shared(c->session, &output, &metrics) ||
                       place_is_original(c->session, &output) || place_is_original(c->session, &metrics);
    return wrong ? EXIT_DATA : 0;
}

/* ---- rounds ---- */

/* Takes over what a walk has counted, if it has seen all of the spool. False: something could not be taken. */
static bool conclude_walk(struct collector *c, const struct spool *spool)
{
    const struct spool_counts *counts = &spool->counts;
    struct collect_metrics *m = &c->metrics;
    m->waiting += counts->n_waiting;
    if (spool->n == 0) {
        m->ignored = counts->n_ignored;
        m->stuck = counts->n_failed;
        m->spool_bytes = counts->bytes;
    }
    if (counts->n_failed)
        report_error(c->session, counts->first, "cannot be taken from the spool: %s; %" PRIu64 " in all",
                     strerror(counts->why), counts->n_failed);
    return counts->n_failed == 0;
}

/* Adds what is in the spool to the sums. False: reported. */
static bool drain(struct collector *c)
{
    struct spool *spool = (struct spool *)checked_realloc(NULL, 1, sizeof *spool);
    *spool = (struct spool){
        .state = &c->state, .watch = &c->watch, .settle = c->request->settle, .keep = c->request->keep};
    bool ok = spool_open(spool, c->session), more = ok;
    while (more && ok && !watch_stops(&c->watch)) {
        size_t n = 0;
        while (n < COLLECT_BATCH && (more = spool_take(spool)))
            n++;
        ok = spool_sync(spool);
        if (!ok)
            report_error(c->session, c->state.spool,
                         "the directories cannot be synchronised: nothing is merged");
        c->metrics.waiting = 0;
        ok = ok && collect_add_claimed(c);
    }
    ok = conclude_walk(c, spool) && ok;
    spool_close(spool);
    free(spool);
    return ok;
}

static void report_round(const struct collector *c, const struct collect_metrics *before)
{
    const struct collect_metrics *m = &c->metrics;
    const uint64_t merged = m->merged - before->merged, rejected = m->rejected - before->rejected,
                   empty = m->empty - before->empty;
    if (c->request->base.quiet || (!c->request->once && !merged && !rejected && !empty))
        return;
    report_note(c->session,
                "profiles merged: %" PRIu64 ", rejected: %" PRIu64 ", empty: %" PRIu64 ", waiting: %" PRIu64
                "; in the output: builds: %" PRIu64 ", functions: %" PRIu64,
                merged, rejected, empty, m->waiting, m->builds, m->functions);
}

/* Collects, forgets, and writes the output, unless a signal says stop. False: something was reported as an error. */
static bool run_round(struct collector *c, struct collect_metrics *before)
{
    struct collect_metrics *m = &c->metrics;
    const int64_t began = watch_now();
    bool ok = drain(c);
    const bool stops = watch_stops(&c->watch);
    if (!stops) {
        ok = collect_forget(c) && ok;
        ok = collect_write_output(c) && ok;
        m->round_time = (uint64_t)time(NULL);
        m->round_ms = (uint64_t)(watch_now() - began);
        m->rounds++;
    }
    m->failures += !ok;
    ok = collect_metrics_save(m, &c->state, c->session) && ok;
    if (c->request->metrics)
        ok = collect_metrics_write(m, &c->state, c->session, c->request->metrics) && ok;
    if (!stops)
        report_round(c, before);
    *before = *m;
    return ok;
}

/* Adds what has come between two rounds to the sums. */
static void run_in_between(struct collector *c)
{
    c->watch.n_come = 0;
    bool ok = drain(c);
    ok = (watch_stops(&c->watch) || collect_forget(c)) && ok;
    c->metrics.failures += !ok;
}

/* Collects until a signal says stop. What fails is tried again in the next round. Between rounds, profiles are added to
 * the sums when many have come (which needs inotify), so that neither the spool nor the work of a round grows without
 * bounds. */
static bool run(struct collector *c)
{
    struct collect_metrics before = c->metrics;
    for (;;) {
        const int64_t next = watch_now() + (int64_t)c->request->every * 1000;
        c->watch.n_come = 0;
        const bool ok = run_round(c, &before);
        if (c->request->once)
            return ok;
        while (!watch_stops(&c->watch) && watch_wait(&c->watch, next, COLLECT_BATCH))
            run_in_between(c);
        if (watch_stops(&c->watch))
            return true;
    }
}

int cmd_collect(const struct session *session, const struct arguments *args)
{
    struct collect_request r = {0};
    struct collector c = {.request = &r, .session = session};
    watch_open(&c.watch); /* first: a signal may come at any time */
    int code = parse_request(&r, session, args);
    if (code) {
        watch_close(&c.watch);
        return code;
    }
    c.options = r.base.limits;
    c.options.threads = r.threads;
    signal(SIGPIPE, SIG_IGN);
    code = collect_state_open(&c.state, session, r.spool, r.state);
    if (code == 0)
        code = check_places(&c);
    if (code == 0) {
        collect_metrics_load(&c.metrics, &c.state);
        code = run(&c) ? 0 : EXIT_DATA;
    }
    collect_state_close(&c.state);
    watch_close(&c.watch);
    return code;
}
