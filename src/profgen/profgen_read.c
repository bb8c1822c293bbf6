/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "profgen/profgen_handle.h"
#include "profgen/profgen_raw.h"
#include "profgen/profgen_recorded.h"
#include "profgen/profgen_script.h"

/* Handles that are read for together. */
struct readers {
    struct apf_profgen *const *list;
    struct profgen_target *targets;
    size_t n;
    size_t at_fault; /* number of the handle that an error is about */
};

static void count_samples(struct apf_profgen *g, const struct profgen_sample_counts *n)
{
    struct apf_profgen_funnel *f = &g->funnel;
    f->samples += n->samples;
    f->samples_unwanted += n->unwanted;
    f->samples_no_stack += n->no_stack;
    f->samples_elsewhere += n->elsewhere;
    f->samples_damaged += n->damaged;
    f->samples_lost += n->lost;
    f->processes += n->processes;
    f->branches_left_out += n->left_out;
    f->cut += n->cut;
    f->no_build_id += n->no_build_id;
    f->other_build += n->other_build;
    g->traced |= n->traced;
    if (!g->others[0])
        memcpy(g->others, n->others, sizeof g->others);
}

static int read_recording(struct readers *r, const struct apf_input *input, struct apf_error *error)
{
    const struct apf_profgen *g = r->list[0];
    const struct profgen_recorded_options options = {options_max_bytes(&g->options), g->options.max_records,
                                                     g->pid, g->flags & APF_PROFGEN_IGNORE_BUILD_ID};
    struct profgen_sample_counts *counts = calloc(r->n, sizeof *counts);
    if (!counts)
        return error_memory(error);
    int code = profgen_recorded_read(r->targets, counts, r->n, input, &options, &r->at_fault, error);
    for (size_t i = 0; i < r->n; i++)
        count_samples(r->list[i], &counts[i]);
    free(counts);
    return code;
}

static void count_lines_read(struct apf_profgen *g, const struct profgen_script_counts *n)
{
    struct apf_profgen_funnel *f = &g->funnel;
    f->unmapped += n->unmapped;
    f->bad_lines += n->bad_samples;
    f->first_bad_line = f->first_bad_line ? f->first_bad_line : n->first_bad;
    f->bad_mappings += n->bad_mappings;
    f->moved_mappings += n->moved_mappings;
    if (!g->others[0])
        memcpy(g->others, n->others, sizeof g->others);
}

static int read_script(struct readers *r, const struct apf_input *input, struct apf_error *error)
{
    const struct apf_profgen *g = r->list[0];
    const struct profgen_script_options options = {options_max_bytes(&g->options), g->pid,
                                                   g->flags & APF_PROFGEN_IGNORE_BUILD_ID};
    struct profgen_script_counts *counts = calloc(r->n, sizeof *counts);
    if (!counts)
        return error_memory(error);
    int code = profgen_script_read(r->targets, counts, r->n, input, &options, &r->at_fault, error);
    for (size_t i = 0; i < r->n; i++)
        count_lines_read(r->list[i], &counts[i]);
    free(counts);
    return code;
}

/* Contexts of programs without probes are those of lines. */
static int read_counts(struct readers *r, const struct apf_input *input, struct apf_error *error)
{
    struct apf_profgen *g = r->list[0];
    if (r->n > 1 || g->follower.bolted)
        return error_plain(error, APF_ARGUMENT, "profgen.raw",
                           r->n > 1 ? "such counts are of one program"
                                    : "such counts are of the program before BOLT: read them for that one");
    int code = profgen_program_load(&g->program, error);
    if (code == APF_OK && !g->program.probes && !g->counts.named && !(g->counts.named = sample_new()))
        code = error_memory(error);
    return code == APF_OK ? profgen_raw_read(&g->counts, input, options_max_bytes(&g->options),
                                             profgen_raw_base(g), error)
                          : code;
}

/* One program alone. */
static int check_alone(const struct readers *r, struct apf_error *error)
{
    if (r->n > 1)
        return error_plain(error, APF_ARGUMENT, "apf_profgen_read", "such an input is of one program");
    if (r->list[0]->follower.bolted)
        return error_plain(error, APF_ARGUMENT, "apf_profgen_read",
                           "such an input cannot be read for a program that BOLT has rewritten");
    return APF_OK;
}

static int read_profile(struct readers *r, const struct apf_input *input, struct apf_error *error)
{
    struct apf_profgen *g = r->list[0];
    struct apf_sample_read_options options = {.size = sizeof options, .options = &g->options};
    int code = check_alone(r, error);
    if (code == APF_OK && (g->given || g->read))
        code =
            error_plain(error, APF_ARGUMENT, "apf_profgen_read", "a sample profile has to be the only input");
    return code == APF_OK ? apf_sample_open(&g->given, input, &options, error) : code;
}

static int read_accesses(struct readers *r, const struct apf_input *input, struct apf_error *error)
{
    struct apf_profgen *g = r->list[0];
    const struct profgen_access_options options = {options_max_bytes(&g->options), g->options.max_records,
                                                   g->pid, g->flags & APF_PROFGEN_IGNORE_BUILD_ID};
    int code = check_alone(r, error);
    if (code == APF_OK)
        code = profgen_accesses_read(&g->accesses, &g->program, input, &options, error);
    g->funnel.accesses = g->accesses.n;
    g->funnel.accesses_elsewhere = g->accesses.elsewhere;
    return code;
}

void profgen_count_traces(struct apf_profgen *g)
{
    const struct profgen_trace_counts *n = &g->traces.counts;
    struct apf_profgen_funnel *f = &g->funnel;
    f->stacks = n->stacks;
    f->stacks_elsewhere = n->empty;
    f->branches = n->branches;
    f->branches_elsewhere = n->outside;
    f->branches_in = n->into_program;
    f->branches_out = n->out_of_it;
    f->branches_kernel = n->in_kernel;
    f->branches_misplaced = n->misplaced;
    f->ranges = n->ranges;
    f->ranges_elsewhere = n->ranges_outside;
    f->ranges_broken = n->ranges_broken;
    f->ranges_misplaced = n->ranges_misplaced;
    f->ranges_nowhere = n->ranges_nowhere;
    f->ranges_named = n->ranges_named;
    f->ranges_crossing = n->ranges_crossing;
    f->ranges_jumping = n->ranges_jumping;
    f->calls_stacks = n->calls;
    f->calls_none = n->calls_none;
    f->calls_unready = n->calls_unready;
    f->calls_cut = n->calls_cut;
    f->calls_long = n->calls_long;
    f->calls_elsewhere = n->calls_elsewhere;
    f->calls_broken = n->calls_broken;
    f->calls_mismatched = n->calls_mismatched;
}

static void count_followed(struct apf_profgen *g)
{
    const struct profgen_follow_counts *n = &g->follower.counts;
    struct apf_profgen_funnel *f = &g->funnel;
    f->bolt_branches = n->branches;
    f->bolt_moved = n->moved;
    f->bolt_unknown = n->unknown;
    f->bolt_removed = n->removed;
    f->bolt_added = n->added;
    f->bolt_inlined = n->inlined;
    f->bolt_lost = n->lost;
}

static int read_input(struct readers *r, enum apf_profgen_input kind, const struct apf_input *input,
                      struct apf_error *error)
{
    if (kind == APF_PROFGEN_SAMPLE)
        return read_profile(r, input, error);
    if (kind == APF_PROFGEN_ACCESSES)
        return read_accesses(r, input, error);
    for (size_t i = 0; i < r->n; i++) {
        r->list[i]->read = true;
        r->list[i]->sampled |= r->n == 1 && kind != APF_PROFGEN_RAW;
        r->list[i]->counted |= kind == APF_PROFGEN_RAW;
        if (r->list[i]->given)
            return error_plain(error, APF_ARGUMENT, "apf_profgen_read",
                               "a sample profile has to be the only input");
    }
    if (kind == APF_PROFGEN_RAW)
        return read_counts(r, input, error);
    return kind == APF_PROFGEN_PERF_SCRIPT ? read_script(r, input, error) : read_recording(r, input, error);
}

/* What all handles have to be read for together. */
static int open_readers(struct readers *r, enum apf_profgen_input kind, struct apf_error *error)
{
    if ((unsigned)kind > APF_PROFGEN_ACCESSES)
        return error_plain(error, APF_ARGUMENT, "apf_profgen_read", "unknown kind of input");
    if (r->n == 0)
        return error_plain(error, APF_ARGUMENT, "apf_profgen_read_all", "there is no handle");
    for (size_t i = 0; i < r->n; i++)
        if (r->list[i]->finished || r->list[i]->failed)
            return error_plain(error, APF_ARGUMENT, "apf_profgen_read",
                               r->list[i]->finished ? "a profile was made already"
                                                    : "an earlier call failed");
    r->targets = calloc(r->n, sizeof *r->targets);
    for (size_t i = 0; r->targets && i < r->n; i++)
        r->targets[i] = profgen_target_of(r->list[i]);
    return r->targets ? APF_OK : error_memory(error);
}

int apf_profgen_read_all(struct apf_profgen *const *profgens, size_t n_profgens, enum apf_profgen_input kind,
                         const struct apf_input *inputs, size_t n, size_t *at_fault, struct apf_error *error)
{
    struct readers r = {.list = profgens, .n = n_profgens};
    int code = inputs_check(inputs, n, error);
    if (code == APF_OK)
        code = open_readers(&r, kind, error);
    const bool opened = code == APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        const struct apf_input *input = input_at(inputs, i);
        code = read_input(&r, kind, input, error);
        if (code != APF_OK) {
            if (error)
                error->input = i;
            code = code == APF_NOT_RECORDED ? code : file_error(error, code, input, i);
        }
    }
    for (size_t i = 0; opened && i < n_profgens; i++) {
        int updated =
            profgen_traces_update(&profgens[i]->traces, &profgens[i]->program, code == APF_OK ? error : NULL);
        code = code == APF_OK ? updated : code;
    }
    for (size_t i = 0; i < n_profgens; i++) {
        profgens[i]->failed |= opened && code != APF_OK;
        profgen_count_traces(profgens[i]);
        count_followed(profgens[i]);
    }
    free(r.targets);
    if (at_fault)
        *at_fault = r.at_fault;
    return code;
}

int apf_profgen_read(struct apf_profgen *g, enum apf_profgen_input kind, const struct apf_input *inputs,
                     size_t n, struct apf_error *error)
{
    return apf_profgen_read_all(&g, 1, kind, inputs, n, NULL, error);
}
