/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "profgen/profgen_finish.h"
#include "profgen/profgen_gcc_producer.h"
#include "profgen/profgen_handle.h"
#include "profgen/profgen_line_contexts.h"
#include "profgen/profgen_probe_contexts.h"
#include "profgen/profgen_raw.h"
#include "profgen/profgen_script.h"

/* Adds what was sampled to what was read as counts, once. */
static int settle(struct apf_profgen *g, struct apf_error *error)
{
    const bool names = g->traces.found.sensitive || g->counts.sensitive;
    int code = names ? profgen_program_load(&g->program, error) : APF_OK;
    if (code != APF_OK)
        return code;
    if (names && !g->program.probes) {
        code = profgen_line_contexts_settle(&g->counts, &g->program, &g->traces, &g->depths, error);
        g->funnel.contexts_cut = g->counts.ranges_cut;
        g->funnel.contexts_long = g->counts.contexts_long;
        return code;
    }
    return profgen_settle(&g->counts, &g->traces, &g->depths, error);
}

/* A profile of nothing would take the place of one that is good. Of several programs, some may not have run. */
static int check_used(const struct apf_profgen *g, struct apf_error *error)
{
    const struct apf_profgen_funnel *f = &g->funnel;
    if (f->samples_plain && f->samples_elsewhere == f->samples_no_stack && g->sampled)
        return error_plain(error, APF_NOT_RECORDED, "profgen.samples", "no sample is in it%s%s",
                           g->others[0] ? "; files with samples: " : "", g->others);
    if (g->sampled && g->program.image.program.kernel && g->counts.ranges.list.n == 0)
        return error_plain(error, APF_NOT_RECORDED, "profgen.samples",
                           "none of its code ran: is this the Linux kernel that was recorded (vmlinux)?");
    if (!g->sampled || g->counts.ranges.list.n || g->counts.branches.list.n || g->hits.list.n)
        return APF_OK;
    if (f->samples && f->samples == f->samples_unwanted)
        return error_plain(error, APF_NOT_RECORDED, "profgen.samples", "no sample is of process %" PRIu32,
                           g->pid);
    if (g->traced && f->branches == 0)
        return error_plain(
            error, APF_NOT_RECORDED, "profgen.samples",
            "no sample has branches, but the recording has a trace: perf inject makes samples of it, by "
            "the command that 'anyprof perf info' prints");
    if (f->samples && f->stacks == 0 && f->calls_stacks == 0)
        return error_plain(
            error, APF_NOT_RECORDED, "profgen.samples",
            "no sample has branches: 'perf record -j any,u' records them, if the processor can%s",
            g->gcc ? "" : "; without branches, --for=gcc-N makes profiles for GCC");
    if (f->bad_lines && f->branches == 0)
        return error_plain(error, APF_NOT_RECORDED, "profgen.samples",
                           "no branch can be read, as in line %" PRIu64 "; " PROFGEN_SCRIPT_COMMAND
                           " prints what is expected",
                           f->first_bad_line);
    if (f->unmapped && g->others[0])
        return error_plain(error, APF_NOT_RECORDED, "profgen.samples",
                           "no branch is in it; the text maps other files, such as %s, but none of this name",
                           g->others);
    return error_plain(error, APF_NOT_RECORDED, "profgen.samples",
                       "no branch is in it: is this the program that was recorded?");
}

/* Functions must be known for some of what is counted. */
static int finish(struct apf_profgen *g, bool functions, struct apf_error *error)
{
    if (g->failed)
        return error_plain(error, APF_ARGUMENT, "apf_profgen_make", "an earlier call failed");
    if (g->finished)
        return APF_OK;
    g->finished = g->failed = true;
    const bool ran = pair_counts_any(&g->traces.found.ranges);
    int code = functions && ran ? profgen_program_load(&g->program, error) : APF_OK;
    if (code == APF_OK)
        code = profgen_traces_finish(&g->traces, &g->program, error);
    if (code == APF_OK && g->counted)
        code = profgen_counts_sort(&g->counts, error);
    if (code == APF_OK && g->counted)
        code = profgen_traces_count(&g->traces, &g->program, &g->counts, error);
    profgen_count_traces(g);
    if (code == APF_OK)
        code = settle(g, error);
    if (code == APF_OK)
        code = profgen_counts_sort(&g->counts, error);
    const bool branches = g->counts.ranges.list.n || g->counts.branches.list.n || g->funnel.stacks;
    g->funnel.samples_plain = g->gcc && g->funnel.samples_no_stack && !branches;
    if (code == APF_OK)
        code = check_used(g, error);
    g->failed = code != APF_OK;
    return code;
}

int apf_profgen_write_raw(struct apf_profgen *g, const struct apf_output *output, struct apf_error *error)
{
    struct file_out *out;
    int code = output_check(output, error);
    if (code == APF_OK && g->given)
        code = error_plain(error, APF_ARGUMENT, "apf_profgen_write_raw",
                           "a sample profile has no counts of ranges");
    g->counts.divided = true;
    if (code == APF_OK)
        code = finish(g, false, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    code = profgen_raw_write(&g->counts, profgen_raw_base(g), out, error);
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
    g->funnel.contexts_long = n->cut;
    g->funnel.contexts_unsearched = n->unsearched;
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
        code = profgen_tail_calls_open(&tail_calls, &g->program, &g->counts.branches, g->search_depth, error);
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

/* Says which debug information was not found. */
static int report_missing(struct apf_profgen *g, struct apf_error *error)
{
    const struct source_missing *missing = source_lines_missing(g->program.lines);
    const char *debug = g->program.debug.path, *program = g->input.path ? g->input.path : "";
    g->funnel.units_missing = missing->n;
    g->funnel.tables_damaged = missing->n_tables;
    g->funnel.inlining_cut = source_lines_too_deep(g->program.lines);
    int code = profgen_debug_report_tables(debug ? debug : program, missing, &g->options, error);
    return code == APF_OK ? profgen_debug_report_split(missing, &g->options, error) : code;
}

static int make_for_gcc(struct apf_profgen *g, struct apf_sample *s, struct apf_error *error)
{
    struct profgen_line_counts n = {0};
    const struct profgen_gcc_samples samples = {&g->counts, &g->hits, g->funnel.samples_plain};
    if (!source_lines_any(g->program.lines))
        return profgen_debug_none(&g->debug, &g->program.debug, error);
    int code = profgen_gcc_make(s, &n, &g->program, &samples, g->gcc, error);
    count_lines(g, &n);
    g->funnel.samples_unplaced = n.samples_unknown;
    return code == APF_OK ? profgen_gcc_check_producers(&g->program, g->gcc, error) : code;
}

/* A profile without functions is no use either, except of a program, one of several, that has not run. */
static int check_placed(const struct apf_profgen *g, const struct apf_sample *s, struct apf_error *error)
{
    const struct apf_profgen_funnel *f = &g->funnel;
    if (g->counted && !g->sampled && !g->counts.ranges.list.n && !g->counts.branches.list.n)
        return error_plain(error, APF_NOT_RECORDED, "profgen.raw", "no count is in it");
    const bool ran = g->counts.ranges.list.n || g->counts.branches.list.n || g->hits.list.n;
    if (g->given || f->counts != f->counts_unplaced || (f->counts == 0 && (s->top.n || !ran)))
        return APF_OK;
    return error_plain(
        error, APF_NOT_RECORDED, "profgen.functions",
        f->units_missing ? "no sample is in a function that is known, since split debug information was not "
                           "found: --dwp names its package"
        : f->counts == 0 && g->program.probes ? "no sample is in a function with pseudo probes"
                                              : "no sample is in a function that is known");
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
    if (code == APF_OK)
        code = check_placed(g, *s, error);
    return file_error(error, code, &g->input, 0);
}

int apf_profgen_make(struct apf_profgen *g, struct apf_sample **result, struct apf_error *error)
{
    *result = NULL;
    if (g->made)
        return error_plain(error, APF_ARGUMENT, "apf_profgen_make", "the profile was made already");
    struct apf_sample *s = sample_new();
    int code = s ? finish(g, true, error) : error_memory(error);
    g->made = code == APF_OK;
    if (code == APF_OK)
        code = make(g, &s, error);
    if (code == APF_OK)
        *result = s;
    else
        sample_free(s);
    return code;
}
