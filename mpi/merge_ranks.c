/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* for sched_getaffinity */
#include "merge_ranks.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <anyprof/jobs.h>

#include "deal.h"
#include "memory.h"
#include "merge_instr.h"
#include "merge_samples.h"
#include "places.h"
#include "progress.h"
#include "report.h"
#include "streams.h"
#include "work_dir.h"

/* Parts that are merged at once; so many are read in step. */
#define MOST_PARTS 128u

/* A merge on all ranks. */
struct job {
    struct ranks *ranks;
    const struct session *session;
    const struct own_options *own;
    struct arguments *args;      /* of the whole merge */
    struct arguments part;       /* of merges of some inputs */
    struct session part_session; /* their messages do not touch the line that shows the progress */
    struct progress no_progress;
    struct merge_request request; /* of the whole, at leaders */
    bool samples;
    struct work_dir dir;
    struct pieces pieces;
    struct runs runs; /* of the group: each is a part */
    size_t n_found;   /* that were finished before */
    struct timespec began;
};

/* ---- one merge ---- */

static int run_merge(struct merge_request *r, const struct arguments *args)
{
    return r->samples ? merge_samples(r, args) : merge_instr(r);
}

/* Begins a request for some of the inputs, whose result goes to `path` or into slices. */
static int begin_part(const struct job *j, struct merge_request *r, const char *path)
{
    *r = (struct merge_request){.samples = false};
    int code = merge_request_parse_part(r, &j->part_session, &j->part);
    r->profile.path = r->base.output = path;
    return code;
}

/* ---- parts of the inputs ---- */

static double seconds_since(const struct timespec *began)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - began->tv_sec) + (double)(now.tv_nsec - began->tv_nsec) / 1e9;
}

/* A run of pieces that is being merged. */
struct growth {
    struct job *job;
    struct deal *deal;
    struct run run;
    struct timespec began;
    struct merge_request request;
    char *path, *passing_path; /* of its part, when it is complete */
};

/* Sets the inputs of pieces. */
static void set_inputs(const struct pieces *p, const struct run *run, struct merge_inputs *inputs)
{
    inputs->data = p->inputs + p->list[run->first].first;
    inputs->n = 0;
    for (uint64_t i = 0; i < run->n; i++)
        inputs->n += p->list[run->first + i].n;
}

static char *path_of(const struct job *j, const struct run *run)
{
    static const char passing[] = "-passing"; /* a name that work_dir_find does not know */
    char name[RUN_NAME + sizeof passing];
    pieces_name(&j->pieces, run->first, run->n, name);
    if (run->passing)
        memcpy(name + strlen(name), passing, sizeof passing);
    return work_dir_file(&j->dir, name);
}

/* Adds further pieces to the run, unless it is time to keep what it has; then names its part. */
static bool add_pieces(void *context, struct merge_inputs *inputs)
{
    struct growth *g = (struct growth *)context;
    struct run more;
    if (seconds_since(&g->began) < (double)g->job->own->checkpoint && deal_more(g->deal, &g->run, &more)) {
        set_inputs(&g->job->pieces, &more, inputs);
        return true;
    }
    struct run run = g->run;
    g->request.profile.path = g->path = path_of(g->job, &run);
    run.passing = 1;
    g->request.passing_path = g->passing_path = path_of(g->job, &run);
    unlink(g->passing_path); /* of a run that was killed */
    return false;
}

static uint64_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Merges a run that has begun, and those pieces that it gets meanwhile. Returns an exit code. */
static int make_part(struct job *j, struct deal *deal, struct run *run)
{
    struct growth g = {.job = j, .deal = deal, .run = *run};
    clock_gettime(CLOCK_MONOTONIC, &g.began);
    int code = begin_part(j, &g.request, j->own->work_dir);
    set_inputs(&j->pieces, run, &g.request.inputs);
    g.request.more = add_pieces;
    g.request.more_context = &g;
    if (code == 0)
        code = run_merge(&g.request, &j->part);
    *run = g.run;
    if (g.path && code == 0) {
        run->passing = access(g.path, F_OK) != 0;
        run->bytes = size_of(run->passing ? g.passing_path : g.path);
    }
    free(g.path);
    free(g.passing_path);
    return code;
}

/* Makes parts of all pieces. Returns the worst code of all ranks. */
static int make_parts(struct job *j)
{
    struct apf_options progress = {.size = sizeof progress};
    struct runs done = {NULL, 0, 0};
    struct deal deal = {.n_inputs = 4 * option_number(j->args, OPT_THREADS, 1)};
    struct run run, finished;
    int code = 0;
    if (ranks_is_root(j->ranks))
        progress_begin(&j->request.base, &progress);
    if (ranks_is_leader(j->ranks))
        work_dir_find(&j->dir, &j->pieces, &done);
    j->n_found = done.n;
    deal_begin(&deal, j->ranks, &j->pieces, &done, &progress);
    bool more = deal_first(&deal, NULL, &run);
    while (more && code == 0) {
        code = make_part(j, &deal, &run);
        finished = run;
        more = code == 0 && deal_first(&deal, &finished, &run);
    }
    deal_end(&deal, code != 0, &j->runs);
    free(done.list);
    code = ranks_worst(j->ranks, code);
    if (ranks_is_root(j->ranks))
        progress_end(j->session);
    return code;
}

/* ---- the exchange ---- */

/* The runs whose parts this rank merges, so that each has about as many bytes: those of the ranks of a group follow
 * each other, as the inputs do. */
static void find_share(const struct job *j, size_t *first, size_t *n)
{
    const struct ranks *r = j->ranks;
    uint64_t all = 0, before = 0;
    *first = *n = 0;
    for (size_t i = 0; i < j->runs.n; i++)
        all += j->runs.list[i].bytes;
    for (size_t i = 0; i < j->runs.n; i++) {
        const double middle = (double)before + (double)j->runs.list[i].bytes / 2;
        const int owner = (int)(middle * r->n_group / ((double)all + 1));
        before += j->runs.list[i].bytes;
        if (owner != r->group_rank)
            continue;
        *first = *n ? *first : i;
        ++*n;
    }
}

/* Inputs that are parts are complete, and limits are of the inputs that they were made of. */
static void expect_parts(struct merge_request *r)
{
    static const struct option_value nothing;
    r->programs.programs = r->programs.directories = &nothing;
    r->base.limits = (struct apf_options){.size = sizeof r->base.limits};
}

/* Whether files are partial profiles; one that is not is reported, and removed. */
static bool are_parts(const struct job *j, const struct apf_input *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (apf_file_is_partial(&parts[i]))
            continue;
        report_error(j->session, parts[i].path, "it is no part: the same command makes it again");
        unlink(parts[i].path);
        return false;
    }
    return true;
}

/* Merges parts into a file, or into slices. */
static int merge_parts(const struct job *j, const struct apf_input *parts, size_t n, const char *path,
                       struct apf_buffer *slices)
{
    struct merge_request r;
    int code = begin_part(j, &r, path);
    expect_parts(&r);
    r.inputs.data = (struct apf_input *)(uintptr_t)parts;
    r.inputs.n = n;
    r.own_parts = true;
    r.slices = slices;
    r.n_slices = slices ? (uint32_t)j->ranks->n : 0;
    return code ? code : run_merge(&r, &j->part);
}

/* Puts one part, number `to`, in the place of `count` from `first` on; with `failed` without making it. */
static int fold(const struct job *j, struct apf_input *parts, size_t first, size_t count, size_t to,
                bool failed)
{
    static unsigned number;
    char name[64];
    snprintf(name, sizeof name, "fold-%d-%u", j->ranks->rank, number++);
    char *path = work_dir_file(&j->dir, name);
    int code = failed ? 0 : merge_parts(j, parts + first, count, path, NULL);
    for (size_t i = first; i < first + count; i++)
        free((char *)(uintptr_t)parts[i].path);
    parts[to] = apf_input_file(path);
    return code;
}

/* Merges the parts of this rank's share into one slice for each rank. */
static int make_slices(const struct job *j, struct apf_buffer *slices)
{
    size_t first, n;
    int code = 0;
    find_share(j, &first, &n);
    struct apf_input *parts = (struct apf_input *)checked_realloc(NULL, n + 1, sizeof *parts);
    for (size_t i = 0; i < n; i++)
        parts[i] = apf_input_file(path_of(j, &j->runs.list[first + i]));
    if (!are_parts(j, parts, n))
        code = EXIT_DATA;
    while (code == 0 && n > MOST_PARTS) {
        size_t left = 0;
        for (size_t i = 0; i < n; i += MOST_PARTS) {
            const int failed = fold(j, parts, i, n - i < MOST_PARTS ? n - i : MOST_PARTS, left++, code != 0);
            code = code ? code : failed;
        }
        n = left;
    }
    if (code == 0 && n)
        code = merge_parts(j, parts, n, j->own->work_dir, slices);
    for (size_t i = 0; i < n; i++)
        free((char *)(uintptr_t)parts[i].path);
    free(parts);
    return code;
}

/* Names buffers as inputs, but for empty ones. */
static size_t name_buffers(struct apf_input *inputs, const struct apf_buffer *buffers, int n)
{
    size_t found = 0;
    for (int i = 0; i < n; i++)
        if (buffers[i].n)
            inputs[found++] = apf_input_memory(buffers[i].data, buffers[i].n, "slice of a partial profile");
    return found;
}

static void free_buffers(struct apf_buffer *buffers, int n)
{
    for (int i = 0; i < n; i++)
        apf_buffer_free(&buffers[i]);
    free(buffers);
}

static struct apf_buffer *make_buffers(int n)
{
    struct apf_buffer *buffers = (struct apf_buffer *)checked_realloc(NULL, (size_t)n, sizeof *buffers);
    memset(buffers, 0, (size_t)n * sizeof *buffers);
    return buffers;
}

/* Merges this rank's slice of what each rank has. */
static int merge_slice(const struct job *j, struct apf_buffer *received, struct apf_buffer *mine)
{
    const int n = j->ranks->n;
    struct merge_request r;
    struct apf_input *inputs = (struct apf_input *)checked_realloc(NULL, (size_t)n, sizeof *inputs);
    int code = begin_part(j, &r, j->own->work_dir);
    expect_parts(&r);
    r.inputs.data = inputs;
    r.inputs.n = name_buffers(inputs, received, n);
    r.slice = (struct apf_slice){(uint32_t)j->ranks->rank, (uint32_t)n};
    r.slices = mine;
    r.n_slices = 1;
    if (code == 0)
        code = run_merge(&r, &j->part);
    free(inputs);
    return code;
}

/* Makes one part of those of all ranks: *all, at the root, has its slices. Returns the worst code of all ranks. */
static int join_parts(struct job *j, struct apf_buffer **all)
{
    struct ranks *r = j->ranks;
    struct apf_buffer *sent = make_buffers(r->n), *received = make_buffers(r->n), mine = {NULL, 0, 0};
    int code = ranks_worst(r, make_slices(j, sent));
    if (code == 0 && r->n == 1) {
        mine = sent[0];
        sent[0] = (struct apf_buffer){NULL, 0, 0};
    } else if (code == 0) {
        ranks_exchange(r, sent, received);
        code = ranks_worst(r, merge_slice(j, received, &mine));
    }
    free_buffers(sent, r->n);
    free_buffers(received, r->n);
    *all = make_buffers(r->n);
    if (code == 0)
        ranks_gather(r, &mine, *all);
    apf_buffer_free(&mine);
    return code;
}

/* ---- the whole ---- */

/* The last merge, at the root. */
static int conclude(struct job *j, const struct apf_buffer *slices)
{
    struct merge_request last = j->request;
    struct apf_input *inputs = (struct apf_input *)checked_realloc(NULL, (size_t)j->ranks->n, sizeof *inputs);
    last.inputs.data = inputs;
    last.inputs.n = name_buffers(inputs, slices, j->ranks->n);
    last.base.progress = PROGRESS_NEVER;
    last.base.limits =
        (struct apf_options){.size = sizeof last.base.limits, .max_depth = last.base.limits.max_depth};
    const int code = run_merge(&last, j->args);
    free(inputs);
    return code;
}

/* What is not for several machines. 0, or an exit code after a report. */
static int check_request(const struct job *j)
{
    const struct merge_request *r = &j->request;
    const char *wrong = NULL;
    if (r->delete_inputs)
        wrong = "--delete-inputs is not for anyprof-mpi: remove the inputs when it has ended with 0";
    for (size_t i = 0; i < r->inputs.n && !wrong; i++)
        if (!r->inputs.data[i].path || strcmp(r->inputs.data[i].path, "-") == 0 ||
            stream_is(r->inputs.data[i].path))
            wrong =
                "standard input and pipes cannot be inputs of anyprof-mpi, which reads files on all ranks";
    if (wrong)
        report_error(j->session, NULL, "%s", wrong);
    return wrong ? EXIT_USAGE : 0;
}

/* What votes of any machine are for: APF_FAMILY_INSTR, APF_FAMILY_SAMPLE, or both. */
static uint32_t join_votes(const struct job *j, uint32_t own)
{
    const int instr = ranks_worst(j->ranks, (own & APF_FAMILY_INSTR) != 0),
              samples = ranks_worst(j->ranks, (own & APF_FAMILY_SAMPLE) != 0);
    return (instr ? APF_FAMILY_INSTR : 0) | (samples ? APF_FAMILY_SAMPLE : 0);
}

/* Whether no two machines have profiles of different kinds, which is else reported. Sets the kind of all. */
static bool find_kind(struct job *j)
{
    const struct merge_request *r = &j->request;
    const bool has_votes = ranks_is_leader(j->ranks) && r->inputs.n;
    const struct kind_votes votes = {.families = join_votes(j, has_votes ? r->kind.families : 0),
                                     .names = join_votes(j, has_votes ? r->kind.names : 0)};
    j->samples = kind_votes_samples(&votes);
    const bool both = votes.families == (APF_FAMILY_INSTR | APF_FAMILY_SAMPLE);
    if (both && ranks_is_root(j->ranks))
        report_error(
            j->session, NULL,
            "some machines have sample profiles and others have not, which cannot be merged: give --sample "
            "or --instr");
    return !both;
}

/* The output must be a file, or text: mpirun makes a terminal of the root's standard output. 0, or an exit code after a
 * report. */
static int check_output(const struct job *j)
{
    if (strcmp(option_text(j->args, OPT_OUTPUT, "-"), "-") != 0 || !place_is_terminal("-") ||
        option_flag(j->args, OPT_DUMP_INPUT_FILE_LIST) ||
        option_number(j->args, OPT_FORMAT, FORMAT_DEFAULT) == FORMAT_TEXT)
        return 0;
    report_error(
        j->session, NULL,
        "give -o FILE: standard output is a terminal under mpirun, which only text can be written to");
    return EXIT_USAGE;
}

/* Parses what the last merge needs, whose kind all machines have decided. 0, or an exit code after a report. */
static int parse_last(struct job *j)
{
    struct merge_request *r = &j->request;
    if (!ranks_is_root(j->ranks) || r->list_inputs)
        return 0;
    r->samples = j->samples;
    int code = merge_request_finish(r, j->session, j->args);
    return code == 0 && r->samples ? merge_samples_check(r, j->args) : code;
}

/* Parses the request at leaders. Returns the worst code of all ranks. */
static int parse(struct job *j)
{
    struct merge_request *r = &j->request;
    int code = 0;
    if (ranks_is_root(j->ranks))
        code = check_output(j);
    if (code == 0 && ranks_is_leader(j->ranks)) {
        code = ranks_is_root(j->ranks) ? merge_request_begin(r, j->session, j->args)
                                       : merge_request_parse_inputs(r, j->session, j->args);
        if (code == 0 && r->inputs.n == 0)
            report_warning(j->session, j->own->machine, "this machine has no inputs");
        if (code == 0 && !r->list_inputs)
            code = check_request(j);
        if (code == 0 && !r->list_inputs)
            code = work_dir_lock(&j->dir, j->session);
    }
    code = ranks_worst(j->ranks, code);
    if (code == 0 && !find_kind(j))
        code = EXIT_DATA;
    return code ? code : ranks_worst(j->ranks, parse_last(j));
}

/* How many threads a rank has, unless an option says so: one for each processor that it is bound to or, if it is not
 * bound, its part of the machine's. */
static uint32_t threads_of(const struct ranks *r)
{
    cpu_set_t set;
    const bool bound =
        sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t n = apf_processors() / (uint32_t)(bound ? 1 : r->n_machine);
    return n ? n : 1;
}

/* With --verbose, says how long a step took. */
static void report_step(struct job *j, const char *step)
{
    if (ranks_is_root(j->ranks) && j->request.verbose && !j->request.base.quiet)
        report_note(j->session, "%s: %.2f s", step, seconds_since(&j->began));
    clock_gettime(CLOCK_MONOTONIC, &j->began);
}

/* With --verbose, says what all ranks have needed. */
static void report_costs(const struct job *j)
{
    struct rusage usage;
    uint64_t most = 0, moved = 0;
    getrusage(RUSAGE_SELF, &usage);
    const uint64_t own = (uint64_t)usage.ru_maxrss * 1024;
    MPI_Reduce(&own, &most, 1, MPI_UINT64_T, MPI_MAX, 0, j->ranks->all);
    MPI_Reduce(&j->ranks->bytes_moved, &moved, 1, MPI_UINT64_T, MPI_SUM, 0, j->ranks->all);
    if (ranks_is_root(j->ranks) && j->request.verbose && !j->request.base.quiet)
        report_note(j->session, "%d ranks, at most %.1f MB of memory each; %.1f MB went from one to another",
                    j->ranks->n, (double)most / 1e6, (double)moved / 1e6);
}

/* Removes all that is in the work directory. */
static void remove_work(const struct job *j)
{
    for (size_t i = 0; i < j->runs.n; i++) {
        char *path = path_of(j, &j->runs.list[i]);
        unlink(path);
        free(path);
    }
    work_dir_clean(&j->dir);
}

static int merge_files(struct job *j)
{
    struct apf_buffer *slices = NULL;
    char digest[PIECE_KEY];
    j->part = merge_request_part(j->args, j->samples);
    pieces_options(digest, &j->part);
    pieces_share(&j->pieces, j->ranks, &j->request.inputs, j->own->machine, digest, j->own->piece_size);
    int code = make_parts(j);
    if (ranks_is_root(j->ranks) && j->n_found && !j->request.base.quiet)
        report_note(j->session, "%zu of %zu parts were in %s from an earlier run", j->n_found, j->runs.n,
                    j->own->work_dir);
    report_step(j, "parts of the inputs");
    if (code == 0)
        code = join_parts(j, &slices);
    report_step(j, "exchange");
    if (code == 0 && ranks_is_root(j->ranks))
        code = conclude(j, slices);
    if (slices)
        free_buffers(slices, j->ranks->n);
    code = ranks_broadcast(j->ranks, code);
    report_step(j, "profile");
    report_costs(j);
    if (code == 0 && ranks_is_leader(j->ranks))
        remove_work(j);
    pieces_free(&j->pieces);
    free(j->runs.list);
    return code;
}

int merge_on_ranks(struct ranks *r, const struct session *session, struct arguments *args,
                   const struct own_options *own)
{
    struct job j = {.ranks = r,
                    .part_session = *session,
                    .session = session,
                    .own = own,
                    .args = args,
                    .dir = {.path = own->work_dir, .machine = own->machine}};
    if (!args->values[OPT_THREADS].place)
        option_set(args, OPT_THREADS, threads_of(r));
    j.part_session.progress = &j.no_progress;
    clock_gettime(CLOCK_MONOTONIC, &j.began);
    int code = parse(&j);
    const bool lists = ranks_broadcast(r, j.request.list_inputs);
    if (code == 0 && lists && ranks_is_root(r))
        merge_inputs_print(&j.request.inputs);
    else if (code == 0 && !lists)
        code = merge_files(&j);
    work_dir_close(&j.dir);
    merge_request_free(&j.request);
    return code;
}
