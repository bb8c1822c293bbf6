/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof collect */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect.h"
#include "collect_spool.h"
#include "command.h"
#include "places.h"
#include "write_options.h"

#define EVERY 300u   /* seconds */
#define KEEP 604800u /* seconds: 7 days */
#define SETTLE 60u   /* seconds */

/* ---- the request ---- */

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
    if (!r->spool || !*r->spool)
        return report_wrong(session, args, "--spool=DIR is required");
    if (!args->values[OPT_OUTPUT].place || strcmp(r->base.output, "-") == 0)
        return report_wrong(session, args, "-o FILE is required");
    const int code = correlation_parse(&r->programs, session, args);
    return code ? code
                : write_options_parse(&r->write, session, args, option_text(args, OPT_FOR, NULL), false);
}

/* Whether an output is in the spool, where it would be taken for a profile of a program. */
static bool is_in_spool(const struct collector *c, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *real = parent ? realpath(parent, NULL) : NULL;
    const bool below = real && collect_is_below(real, c->state.spool);
    free(parent);
    free(real);
    if (below)
        report_error(c->session, path, "the output must be outside of the spool");
    return below;
}

/* 0, or an exit code after a report. */
static int check_places(const struct collector *c)
{
    const struct place output = {"output", c->request->base.output},
                       metrics = {"metrics", c->request->metrics};
    const bool wrong = place_is_impossible(c->session, &output) ||
                       place_is_impossible(c->session, &metrics) ||
                       place_is_shared(c->session, &output, &metrics) ||
                       place_is_program(c->session, &output) || is_in_spool(c, output.path);
    return wrong ? EXIT_DATA : 0;
}

/* ---- rounds ---- */

/* Adds what is in the spool to the sums. False: reported. */
static bool drain(struct collector *c)
{
    struct collect_metrics *m = &c->metrics;
    struct spool *spool = calloc(1, sizeof *spool);
    if (!spool) {
        report_errno(c->session, c->state.spool, ENOMEM);
        return false;
    }
    *spool = (struct spool){
        .state = &c->state, .watch = &c->watch, .settle = c->request->settle, .keep = c->request->keep};
    bool ok = spool_open(spool, c->session), more = ok;
    while (more && ok) {
        size_t n = 0;
        while (n < COLLECT_BATCH && (more = spool_take(spool)))
            n++;
        spool_sync(spool);
        m->waiting = 0;
        ok = collect_add_claimed(c);
        more = more && !watch_stops(&c->watch);
    }
    spool_close(spool);
    m->waiting += spool->counts.n_waiting;
    m->ignored = spool->counts.n_ignored;
    m->stuck = spool->counts.n_failed;
    m->spool_bytes = spool->counts.bytes;
    if (m->stuck)
        report_error(c->session, spool->counts.first,
                     "cannot be taken from the spool: %s; %" PRIu64 " in all", strerror(spool->counts.why),
                     m->stuck);
    ok = ok && !m->stuck;
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
                "%" PRIu64 " profiles merged, %" PRIu64 " rejected, %" PRIu64 " empty, %" PRIu64
                " waiting; the output has %" PRIu64 " builds and %" PRIu64 " functions",
                merged, rejected, empty, m->waiting, m->builds, m->functions);
}

/* Collects, forgets, and writes the output. False: something was reported as an error. */
static bool run_round(struct collector *c, struct collect_metrics *before)
{
    struct collect_metrics *m = &c->metrics;
    const int64_t began = watch_now();
    bool ok = drain(c);
    ok = collect_forget(c) && ok;
    ok = collect_write_output(c) && ok;
    m->rounds++;
    m->failures += !ok;
    m->round_time = (uint64_t)time(NULL);
    m->round_ms = (uint64_t)(watch_now() - began);
    ok = collect_metrics_save(m, &c->state, c->session) && ok;
    if (c->request->metrics)
        ok = collect_metrics_write(m, &c->state, c->session, c->request->metrics) && ok;
    report_round(c, before);
    *before = *m;
    return ok;
}

/* Collects until a signal says stop. What fails is tried again in the next round. Between rounds, profiles are added to
 * the sums when many have come, so that neither the spool nor the work of a round grows without bounds. */
static bool run(struct collector *c)
{
    struct collect_metrics before = c->metrics;
    for (;;) {
        const int64_t next = watch_now() + (int64_t)c->request->every * 1000;
        c->watch.n_come = 0;
        const bool ok = run_round(c, &before);
        if (c->request->once)
            return ok;
        while (!watch_stops(&c->watch) && watch_wait(&c->watch, next, COLLECT_BATCH)) {
            c->watch.n_come = 0;
            drain(c);
        }
        if (watch_stops(&c->watch))
            return true;
    }
}

int cmd_collect(const struct session *session, const struct arguments *args)
{
    struct collect_request r = {0};
    struct collector c = {.request = &r, .session = session};
    int code = parse_request(&r, session, args);
    if (code)
        return code;
    c.options = r.base.limits;
    c.options.threads = r.threads;
    signal(SIGPIPE, SIG_IGN);
    watch_open(&c.watch);
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
