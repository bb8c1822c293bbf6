/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include <anyprof/profgen.h>

#include "base/error.h"
#include "base/options.h"
#include "profgen/profgen_bolted.h"
#include "profgen/profgen_contexts.h"
#include "profgen/profgen_debug.h"
#include "profgen/profgen_finish.h"
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
     APF_PROFGEN_REPLAY | APF_PROFGEN_LINE_COST | APF_PROFGEN_MERGED_BASE | APF_PROFGEN_UPDATE_TOTALS |      \
     APF_PROFGEN_ALL_FUNCTIONS | APF_PROFGEN_SYMBOL_LIST | APF_PROFGEN_ALL_INLINED | APF_PROFGEN_KERNEL)

struct apf_profgen {
    struct profgen_program program;
    struct profgen_debug debug; /* what was asked for about debug information */
    struct apf_input input;     /* the program */
    struct apf_options options;
    uint32_t flags, pid;
    struct apf_input recorded; /* with `bolted`: what BOLT made of the program */
    struct profgen_bolted bolted;
    struct profgen_follower follower; /* of `bolted` */
    struct profgen_depths depths;
    struct profgen_context_options contexts;
    struct profgen_traces traces;
    struct profgen_counts counts; /* what was read as counts; once finished, also what was sampled */
    struct profgen_accesses accesses;
    struct apf_sample *given;         /* NULL, or the profile that was read in place of samples */
    bool read;                        /* samples or counts were read */
    bool finished, failed;            /* failed: not all that was sampled is in the counts */
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

/* Opens the program that the profile is made of. */
static int open_program(struct apf_profgen *g, const struct apf_profgen_options *o, struct apf_error *error)
{
    int code = profgen_debug_copy(&g->debug, &g->input, o, options_max_bytes(&g->options), error);
    if (code == APF_OK)
        code = profgen_program_open(&g->program, &g->input, &g->options, g->flags, &g->debug.search, error);
    g->program.package = g->debug.package;
    if (code == APF_OK)
        code = profgen_debug_report(&g->program.debug, &g->options, error);
    if (code == APF_OK)
        code = profgen_debug_check(&g->debug, &g->program.debug, g->program.symbols, error);
    if (code == APF_OK && !o->original && profgen_has_table(&g->program.image))
        code = error_plain(error, APF_UNSUPPORTED, "profgen.original",
                           "BOLT wrote it; the profile is made of the program before BOLT, which "
                           "--original=FILE names");
    return file_error(error, code, &g->input, 0);
}

static int open_all(struct apf_profgen *g, const struct apf_input *program,
                    const struct apf_profgen_options *o, struct apf_error *error)
{
    g->recorded = input_copy(program);
    g->input = o->original ? input_copy(o->original) : g->recorded;
    g->flags = o->flags;
    g->pid = o->pid;
    g->depths =
        (struct profgen_depths){depth_of(o->recursion), depth_of(o->chain_depth), depth_of(o->context_depth)};
    g->gcc = o->target.kind == APF_SAMPLE_FOR_GCC ? sample_target_row(&o->target) : NULL;
    profgen_context_options_read(&g->contexts, o);
    int code = open_program(g, o, error);
    if (code == APF_OK && o->original) {
        code = profgen_bolted_open(&g->bolted, &g->recorded, &g->program,
                                   g->flags & APF_PROFGEN_IGNORE_BUILD_ID, error);
        if (code == APF_OK)
            code = profgen_follower_open(&g->follower, &g->bolted, error);
    }
    return code;
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
    if (code == APF_OK && o.original)
        code = inputs_check(o.original, 1, error);
    if (code != APF_OK)
        return code;
    struct apf_profgen *g = calloc(1, sizeof *g);
    if (!g)
        return error_memory(error);
    g->options = common;
    code = open_all(g, program, &o, error);
    if (code != APF_OK) {
        apf_profgen_close(g);
        return code;
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
    apf_sample_close(g->given);
    profgen_accesses_free(&g->accesses);
    profgen_hits_free(&g->hits);
    profgen_follower_free(&g->follower);
    profgen_bolted_close(&g->bolted);
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
           : g->flags & APF_PROFGEN_FIRST_SEGMENT ? g->program.image.first_loaded
                                                  : g->program.image.base;
}

static struct profgen_target target_of(struct apf_profgen *g)
{
    const bool bolted = g->follower.bolted != NULL;
    return (struct profgen_target){bolted ? &g->bolted.image : &g->program.image,
                                   &g->program,
                                   bolted ? &g->follower : NULL,
                                   &g->traces,
                                   g->gcc ? &g->hits : NULL,
                                   (g->flags & APF_PROFGEN_IGNORE_CALLS) != 0,
                                   (g->flags & APF_PROFGEN_KERNEL) != 0};
}

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
    f->samples_damaged += n->damaged;
    f->samples_lost += n->lost;
    f->processes += n->processes;
    f->cut |= n->cut;
    f->no_build_id |= n->no_build_id;
    f->other_build |= n->other_build;
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
    f->unmapped |= n->unmapped;
    f->bad_lines += n->bad_samples;
    f->first_bad_line = f->first_bad_line ? f->first_bad_line : n->first_bad;
    f->bad_mappings += n->bad_mappings;
}

static int read_script(struct readers *r, const struct apf_input *input, struct apf_error *error)
{
    const struct apf_profgen *g = r->list[0];
    const struct profgen_script_options options = {options_max_bytes(&g->options), g->pid};
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
    return code == APF_OK
               ? profgen_raw_read(&g->counts, input, options_max_bytes(&g->options), raw_base(g), error)
               : code;
}

/* One program alone. */
static int check_alone(const struct readers *r, struct apf_error *error)
{
    return r->n > 1 || r->list[0]->follower.bolted
               ? error_plain(error, APF_ARGUMENT, "apf_profgen_read",
                             "such an input is of one program, and not of what BOLT wrote")
               : APF_OK;
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
                                                   g->pid};
    int code = check_alone(r, error);
    if (code == APF_OK)
        code = profgen_accesses_read(&g->accesses, &g->program, input, &options, error);
    g->funnel.accesses = g->accesses.n;
    g->funnel.accesses_elsewhere = g->accesses.elsewhere;
    return code;
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
        if (r->list[i]->given)
            return error_plain(error, APF_ARGUMENT, "apf_profgen_read",
                               "a sample profile has to be the only input");
    }
    if (kind == APF_PROFGEN_RAW)
        return read_counts(r, input, error);
    return kind == APF_PROFGEN_PERF_SCRIPT ? read_script(r, input, error) : read_recording(r, input, error);
}

/* What all handles have to be read for together. */
static int open_readers(struct readers *r, struct apf_error *error)
{
    if (r->n == 0)
        return error_plain(error, APF_ARGUMENT, "apf_profgen_read_all", "there is no handle");
    for (size_t i = 0; i < r->n; i++)
        if (r->list[i]->finished)
            return error_plain(error, APF_ARGUMENT, "apf_profgen_read", "a profile was made already");
    r->targets = calloc(r->n, sizeof *r->targets);
    for (size_t i = 0; r->targets && i < r->n; i++)
        r->targets[i] = target_of(r->list[i]);
    return r->targets ? APF_OK : error_memory(error);
}

int apf_profgen_read_all(struct apf_profgen *const *profgens, size_t n_profgens, enum apf_profgen_input kind,
                         const struct apf_input *inputs, size_t n, size_t *at_fault, struct apf_error *error)
{
    struct readers r = {.list = profgens, .n = n_profgens};
    int code = inputs_check(inputs, n, error);
    if (code == APF_OK)
        code = open_readers(&r, error);
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        const struct apf_input *input = input_at(inputs, i);
        code = read_input(&r, kind, input, error);
        if (code != APF_OK) {
            if (error)
                error->input = i;
            code = code == APF_NOT_RECORDED ? code : file_error(error, code, input, i);
        }
    }
    for (size_t i = 0; i < n_profgens; i++) {
        count_traces(profgens[i]);
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
    if (g->failed)
        return error_plain(error, APF_ARGUMENT, "apf_profgen_make", "an earlier call failed");
    if (g->finished)
        return APF_OK;
    g->finished = g->failed = true;
    int code = profgen_traces_finish(&g->traces, &g->program, error);
    count_traces(g);
    if (code == APF_OK)
        code = settle(g, error);
    if (code == APF_OK)
        code = pair_counts_sort(&g->counts.ranges, error);
    if (code == APF_OK)
        code = pair_counts_sort(&g->counts.branches, error);
    g->failed = code != APF_OK;
    return code;
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
    if (code == APF_OK && g->given)
        code = error_plain(error, APF_ARGUMENT, "apf_profgen_write_raw",
                           "a sample profile has no counts of ranges");
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
                                   : profgen_lines_make(s, &n, &g->program, &g->counts, &g->accesses, error);
    count_lines(g, &n);
    g->funnel.accesses_unplaced = g->accesses.unplaced;
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

/* The steps after the counts, which are the last ones. */
static int finish_profile(struct apf_profgen *g, struct apf_sample **s, struct apf_error *error)
{
    struct profgen_context_counts n = {0};
    int code = g->counts.sensitive
                   ? profgen_contexts_finish(s, &n, &g->contexts, &g->program, &g->counts, error)
                   : profgen_plain_finish(s, &n, &g->contexts, error);
    if (code == APF_OK && g->flags & APF_PROFGEN_ALL_INLINED)
        profgen_mark_inlined(*s);
    if (code == APF_OK && g->flags & APF_PROFGEN_SYMBOL_LIST)
        code = profgen_list_functions(*s, g->program.functions, error);
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

/* Puts the profile that was read in the place of an empty one. */
static void take_given(struct apf_profgen *g, struct apf_sample **s)
{
    sample_free(*s);
    *s = g->given;
    g->given = NULL;
    g->counts.sensitive = (*s)->info.flags & APF_SAMPLE_CONTEXTS;
}

/* *s may be replaced by another profile. */
static int make(struct apf_profgen *g, struct apf_sample **s, struct apf_error *error)
{
    const bool whole = g->given || !g->gcc; /* the last steps are those of LLVM */
    int code = profgen_program_load(&g->program, error);
    if (code == APF_OK && g->accesses.opened &&
        (g->program.probes || g->counts.sensitive || !whole || g->given))
        code = error_plain(error, APF_UNSUPPORTED, "profgen.accesses",
                           "types of objects are in profiles of lines without contexts, for LLVM, only: "
                           "--use-dwarf-correlation and --ignore-stack-samples make such a profile");
    else if (code == APF_OK && g->given)
        take_given(g, s);
    else if (code == APF_OK && g->gcc)
        code = make_for_gcc(g, *s, error);
    else if (code == APF_OK)
        code = g->program.probes ? make_of_probes(g, *s, error) : make_of_lines(g, *s, error);
    if (code == APF_OK && code_map_failed(g->program.code))
        code = error_memory(error);
    if (code == APF_OK && whole)
        code = finish_profile(g, s, error);
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

/* Begins a document of JSON. */
static int open_report(struct json_writer *w, struct file_out **out, const char *schema,
                       const struct apf_output *output, struct apf_error *error)
{
    int code = output_check(output, error);
    if (code == APF_OK)
        code = file_out_open(out, output, error);
    if (code != APF_OK)
        return code;
    json_start(w, file_out_callback, *out, 2);
    json_object_begin(w);
    json_head(w, schema);
    return APF_OK;
}

static int close_report(struct json_writer *w, struct file_out *out, struct apf_error *error)
{
    json_object_end(w);
    return file_out_finish(out, json_finish(w, error), error);
}

int apf_profgen_funnel_write(const struct apf_profgen *g, const struct apf_output *output,
                             struct apf_error *error)
{
    struct json_writer w;
    struct file_out *out;
    int code = open_report(&w, &out, "anyprof-profgen/1", output, error);
    if (code != APF_OK)
        return code;
    profgen_funnel_write(&g->funnel, g->program.debug.path, &w);
    return close_report(&w, out, error);
}

int apf_profgen_funnel_write_all(struct apf_profgen *const *profgens, size_t n_profgens,
                                 const struct apf_output *output, struct apf_error *error)
{
    struct json_writer w;
    struct file_out *out;
    int code = open_report(&w, &out, "anyprof-profgen-programs/1", output, error);
    if (code != APF_OK)
        return code;
    json_key(&w, "programs");
    json_array_begin(&w);
    for (size_t i = 0; i < n_profgens; i++) {
        const struct apf_profgen *g = profgens[i];
        const struct profgen_target target = target_of(profgens[i]);
        json_object_begin(&w);
        json_entry_string(&w, "program", target.image->path);
        json_entry_string(&w, "original", target.follower ? g->program.image.path : NULL);
        profgen_funnel_write(&g->funnel, g->program.debug.path, &w);
        json_object_end(&w);
    }
    json_array_end(&w);
    return close_report(&w, out, error);
}
