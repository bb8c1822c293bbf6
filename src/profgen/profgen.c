/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include <anyprof/profgen.h>

#include "base/error.h"
#include "base/options.h"
#include "profgen/profgen_contexts.h"
#include "profgen/profgen_debug.h"
#include "profgen/profgen_funnel.h"
#include "profgen/profgen_gcc.h"
#include "profgen/profgen_gcc_producer.h"
#include "profgen/profgen_line_contexts.h"
#include "profgen/profgen_probe_contexts.h"
#include "profgen/profgen_raw.h"
#include "profgen/profgen_recorded.h"
#include "profgen/profgen_script.h"

#define ALL_FLAGS                                                                                            \
    (APF_PROFGEN_IGNORE_BUILD_ID | APF_PROFGEN_USE_LINES | APF_PROFGEN_NO_SYMBOLS | APF_PROFGEN_ABSOLUTE |   \
     APF_PROFGEN_FIRST_SEGMENT | APF_PROFGEN_IGNORE_CALLS | APF_PROFGEN_NO_INFERENCE |                       \
     APF_PROFGEN_NO_PREINLINER | APF_PROFGEN_NO_NESTING | APF_PROFGEN_MERGE_COLD | APF_PROFGEN_TRIM_COLD |   \
     APF_PROFGEN_REPLAY | APF_PROFGEN_LINE_COST | APF_PROFGEN_MERGED_BASE)

struct apf_profgen {
    struct profgen_program program;
    struct profgen_debug debug; /* what was asked for about debug information */
    struct apf_input input;     /* the program */
    struct apf_options options;
    uint32_t flags, pid;
    struct profgen_depths depths;
    struct profgen_context_options contexts;
    struct profgen_traces traces;
    struct profgen_counts counts; /* what was read as counts; once finished, also what was sampled */
    bool finished;
    const struct sample_release *gcc; /* the GCC that the profile is for; NULL: it is for LLVM */
    struct profgen_hits hits;         /* with `gcc`: where samples were taken */
    struct apf_profgen_funnel funnel;
};

/* ---- the handle ---- */

/* Depths of options are one more than they say, and 0 is no limit. */
static uint32_t depth_of(uint32_t option)
{
    return option - 1;
}

int apf_profgen_open(struct apf_profgen **result, const struct apf_input *program,
                     const struct apf_profgen_options *options, struct apf_error *error)
{
    struct apf_profgen_options o = {0};
    struct apf_options common;
    *result = NULL;
    int code = OPTIONS_READ_BOTH(apf_profgen_options, &o, options, &common, error);
    if (code == APF_OK)
        code = flags_check(o.flags, ALL_FLAGS, "apf_profgen_options.flags", error);
    if (code == APF_OK && !sample_target_known(&o.target))
        code = error_plain(error, APF_ARGUMENT, "apf_profgen_options.target", "it is no known target");
    if (code == APF_OK)
        code = inputs_check(program, 1, error);
    if (code != APF_OK)
        return code;
    struct apf_profgen *g = calloc(1, sizeof *g);
    if (!g)
        return error_memory(error);
    g->input = input_copy(program);
    g->options = common;
    g->flags = o.flags;
    g->pid = o.pid;
    g->gcc = o.target.kind == APF_SAMPLE_FOR_GCC ? sample_target_row(&o.target) : NULL;
    g->depths =
        (struct profgen_depths){depth_of(o.recursion), depth_of(o.chain_depth), depth_of(o.context_depth)};
    g->contexts = (struct profgen_context_options){o.flags, o.cold_depth ? o.cold_depth : 1, 100,
                                                   o.hot_count - 1, o.cold_count - 1};
    code = profgen_debug_copy(&g->debug, &g->input, &o, options_max_bytes(&common), error);
    if (code == APF_OK)
        code = profgen_program_open(&g->program, &g->input, &g->options, g->flags, &g->debug.search, error);
    g->program.package = g->debug.package;
    if (code == APF_OK)
        code = profgen_debug_report(&g->program.debug, &g->options, error);
    if (code == APF_OK)
        code = profgen_debug_check(&g->debug, &g->program.debug, g->program.symbols, error);
    if (code != APF_OK) {
        apf_profgen_close(g);
        return file_error(error, code, program, 0);
    }
    *result = g;
    return APF_OK;
}

void apf_profgen_close(struct apf_profgen *g)
{
    if (!g)
        return;
    profgen_traces_free(&g->traces);
    profgen_counts_free(&g->counts);
    profgen_hits_free(&g->hits);
    profgen_program_close(&g->program);
    profgen_debug_free(&g->debug);
    free(g);
}

const char *apf_profgen_debug_file(const struct apf_profgen *g)
{
    return g->program.debug.path;
}

/* ---- reading ---- */

/* The address that those of raw profiles count from. */
static uint64_t raw_base(const struct apf_profgen *g)
{
    return g->flags & APF_PROFGEN_ABSOLUTE        ? 0
           : g->flags & APF_PROFGEN_FIRST_SEGMENT ? g->program.first_loaded
                                                  : g->program.base;
}

static int read_recording(struct apf_profgen *g, const struct apf_input *input, struct apf_error *error)
{
    const struct profgen_recorded_options options = {options_max_bytes(&g->options),
                                                     g->options.max_records,
                                                     g->pid,
                                                     g->flags & APF_PROFGEN_IGNORE_BUILD_ID,
                                                     g->flags & APF_PROFGEN_IGNORE_CALLS,
                                                     g->gcc ? &g->hits : NULL};
    struct profgen_sample_counts n = {0};
    struct apf_profgen_funnel *f = &g->funnel;
    int code = profgen_recorded_read(&g->traces, &n, &g->program, input, &options, error);
    f->samples += n.samples;
    f->samples_unwanted += n.unwanted;
    f->samples_no_stack += n.no_stack;
    f->samples_damaged += n.damaged;
    f->samples_lost += n.lost;
    f->processes += n.processes;
    f->cut |= n.cut;
    f->no_build_id |= n.no_build_id;
    f->other_build |= n.other_build;
    return code;
}

static int read_script(struct apf_profgen *g, const struct apf_input *input, struct apf_error *error)
{
    const struct profgen_script_options options = {options_max_bytes(&g->options), g->pid,
                                                   g->flags & APF_PROFGEN_IGNORE_CALLS, g->gcc != NULL};
    struct profgen_script_counts n = {0};
    struct apf_profgen_funnel *f = &g->funnel;
    int code = profgen_script_read(&g->traces, &n, &g->program, input, &options, error);
    f->unmapped |= n.unmapped;
    f->bad_lines += n.bad_samples;
    f->first_bad_line = f->first_bad_line ? f->first_bad_line : n.first_bad;
    f->bad_mappings += n.bad_mappings;
    return code;
}

/* Contexts of programs without probes are those of lines. */
static int read_counts(struct apf_profgen *g, const struct apf_input *input, struct apf_error *error)
{
    int code = profgen_program_load(&g->program, error);
    if (code == APF_OK && !g->program.probes && !g->counts.named && !(g->counts.named = sample_new()))
        code = error_memory(error);
    return code == APF_OK
               ? profgen_raw_read(&g->counts, input, options_max_bytes(&g->options), raw_base(g), error)
               : code;
}

static void count_traces(struct apf_profgen *g)
{
    const struct profgen_trace_counts *n = &g->traces.counts;
    struct apf_profgen_funnel *f = &g->funnel;
    f->stacks = n->stacks;
    f->stacks_elsewhere = n->empty;
    f->branches = n->branches;
    f->branches_elsewhere = n->outside;
    f->branches_in = n->into_program;
    f->branches_out = n->out_of_it;
    f->ranges = n->ranges;
    f->ranges_elsewhere = n->ranges_outside;
    f->ranges_broken = n->ranges_broken;
    f->calls_stacks = n->calls;
    f->calls_none = n->calls_none;
    f->calls_unready = n->calls_unready;
    f->calls_cut = n->calls_cut;
    f->calls_long = n->calls_long;
    f->calls_elsewhere = n->calls_elsewhere;
    f->calls_broken = n->calls_broken;
    f->calls_mismatched = n->calls_mismatched;
}

int apf_profgen_read(struct apf_profgen *g, enum apf_profgen_input kind, const struct apf_input *inputs,
                     size_t n, struct apf_error *error)
{
    int code = inputs_check(inputs, n, error);
    if (code == APF_OK && g->finished)
        code = error_plain(error, APF_ARGUMENT, "apf_profgen_read", "a profile was made already");
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        const struct apf_input *input = input_at(inputs, i);
        if (kind == APF_PROFGEN_RAW)
            code = read_counts(g, input, error);
        else if (kind == APF_PROFGEN_PERF_SCRIPT)
            code = read_script(g, input, error);
        else
            code = read_recording(g, input, error);
        if (code != APF_OK) {
            if (error)
                error->input = i;
            code = code == APF_NOT_RECORDED ? code : file_error(error, code, input, i);
        }
    }
    count_traces(g);
    return code;
}

/* Adds what was sampled to what was read as counts, once. */
static int settle(struct apf_profgen *g, struct apf_error *error)
{
    const bool names = g->traces.found.sensitive || g->counts.sensitive;
    int code = names ? profgen_program_load(&g->program, error) : APF_OK;
    if (code != APF_OK)
        return code;
    if (names && !g->program.probes)
        return profgen_line_contexts_settle(&g->counts, &g->program, &g->traces, &g->depths, error);
    return profgen_settle(&g->counts, &g->traces, &g->depths, error);
}

static int finish(struct apf_profgen *g, struct apf_error *error)
{
    if (g->finished)
        return APF_OK;
    g->finished = true;
    int code = profgen_traces_finish(&g->traces, &g->program, error);
    count_traces(g);
    if (code == APF_OK)
        code = settle(g, error);
    if (code == APF_OK)
        code = pair_counts_sort(&g->counts.ranges, error);
    return code == APF_OK ? pair_counts_sort(&g->counts.branches, error) : code;
}

/* ---- results ---- */

const struct apf_profgen_funnel *apf_profgen_funnel(const struct apf_profgen *g)
{
    return &g->funnel;
}

int apf_profgen_write_raw(struct apf_profgen *g, const struct apf_output *output, struct apf_error *error)
{
    struct file_out *out;
    int code = output_check(output, error);
    if (code == APF_OK)
        code = finish(g, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    code = profgen_raw_write(&g->counts, raw_base(g), out, error);
    return file_out_finish(out, code, error);
}

static void count_lines(struct apf_profgen *g, const struct profgen_line_counts *n)
{
    g->funnel.calls = n->calls;
    g->funnel.calls_unplaced = n->calls_unknown;
    g->funnel.counts = n->instructions;
    g->funnel.counts_unplaced = n->unknown;
}

static void count_probes(struct apf_profgen *g, const struct profgen_probe_counts *n)
{
    g->funnel.calls = n->calls;
    g->funnel.calls_unplaced = n->calls_unprobed;
    g->funnel.counts = n->counts;
    g->funnel.counts_unplaced = n->unnamed;
}

static int make_of_lines(struct apf_profgen *g, struct apf_sample *s, struct apf_error *error)
{
    struct profgen_line_counts n = {0};
    if (!source_lines_any(g->program.lines))
        return profgen_debug_none(&g->debug, &g->program.debug, error);
    int code = g->counts.sensitive ? profgen_line_contexts_make(s, &n, &g->program, &g->counts, error)
                                   : profgen_lines_make(s, &n, &g->program, &g->counts, error);
    count_lines(g, &n);
    return code;
}

static int make_of_probes(struct apf_profgen *g, struct apf_sample *s, struct apf_error *error)
{
    struct profgen_tail_calls *tail_calls = NULL;
    struct profgen_probe_counts n = {0};
    int code = APF_OK;
    if (g->counts.sensitive && !(g->flags & APF_PROFGEN_NO_INFERENCE))
        code = profgen_tail_calls_open(&tail_calls, &g->program, &g->counts.branches, error);
    if (code == APF_OK)
        code = g->counts.sensitive ? profgen_probe_contexts_make(s, &n, &g->program, tail_calls, &g->counts,
                                                                 &g->depths, error)
                                   : profgen_probes_make(s, &n, &g->program, &g->counts, error);
    profgen_tail_calls_close(tail_calls);
    count_probes(g, &n);
    return code;
}

static int finish_contexts(struct apf_profgen *g, struct apf_sample **s, struct apf_error *error)
{
    struct profgen_context_counts n = {0};
    int code = profgen_contexts_finish(s, &n, &g->contexts, &g->program, &g->counts, error);
    g->funnel.contexts_dropped = n.dropped;
    g->funnel.contexts_dropped_counts = n.dropped_counts;
    g->funnel.contexts_cold = n.cold;
    g->funnel.contexts_cold_counts = n.cold_counts;
    g->funnel.contexts_refused = n.refused;
    g->funnel.contexts_refused_counts = n.refused_counts;
    return code;
}

/* Says which split DWARF was not found. */
static int report_missing(struct apf_profgen *g, struct apf_error *error)
{
    const struct source_missing *missing = source_lines_missing(g->program.lines);
    g->funnel.units_missing = missing->n;
    return profgen_debug_report_split(missing, &g->options, error);
}

static int make_for_gcc(struct apf_profgen *g, struct apf_sample *s, struct apf_error *error)
{
    struct profgen_line_counts n = {0};
    const bool branches = g->counts.ranges.list.n || g->counts.branches.list.n || g->funnel.stacks;
    const struct profgen_gcc_samples samples = {&g->counts, &g->hits, !branches && g->hits.list.n};
    if (!source_lines_any(g->program.lines))
        return profgen_debug_none(&g->debug, &g->program.debug, error);
    g->funnel.samples_plain = samples.plain;
    int code = profgen_gcc_make(s, &n, &g->program, &samples, g->gcc, error);
    count_lines(g, &n);
    return code == APF_OK ? profgen_gcc_check_producers(&g->program, g->gcc, error) : code;
}

/* *s may be replaced by another profile. */
static int make(struct apf_profgen *g, struct apf_sample **s, struct apf_error *error)
{
    int code = profgen_program_load(&g->program, error);
    if (code == APF_OK && g->gcc)
        code = make_for_gcc(g, *s, error);
    else if (code == APF_OK)
        code = g->program.probes ? make_of_probes(g, *s, error) : make_of_lines(g, *s, error);
    if (code == APF_OK && code_map_failed(g->program.code))
        code = error_memory(error);
    if (code == APF_OK && g->counts.sensitive && !g->gcc)
        code = finish_contexts(g, s, error);
    if (code == APF_OK)
        code = report_missing(g, error);
    return file_error(error, code, &g->input, 0);
}

int apf_profgen_make(struct apf_profgen *g, struct apf_sample **result, struct apf_error *error)
{
    struct apf_sample *s = sample_new();
    *result = NULL;
    int code = s ? finish(g, error) : error_memory(error);
    if (code == APF_OK)
        code = make(g, &s, error);
    if (code == APF_OK)
        *result = s;
    else
        sample_free(s);
    return code;
}

int apf_profgen_funnel_write(const struct apf_profgen *g, const struct apf_output *output,
                             struct apf_error *error)
{
    struct json_writer w;
    struct file_out *out;
    int code = output_check(output, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    json_start(&w, file_out_callback, out, 2);
    profgen_funnel_write(&g->funnel, g->program.debug.path, &w);
    code = json_finish(&w, error);
    return file_out_finish(out, code, error);
}
