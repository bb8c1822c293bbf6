/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `show` prints behind the functions. */
#include <inttypes.h>
#include <stdlib.h>

#include "show.h"

/* Blocks that together hold this much of the total (in millionths) are hot. */
#define HOT_CUTOFF 990000u

static void show_summary(const struct show *show, const struct apf_summary *s)
{
    FILE *out = show->out;
    uint64_t variant = show->info->last_variant; /* as llvm-profdata, which asks at the end */
    fprintf(out, "Instrumentation level: %s", variant & APF_VARIANT_IR ? "IR" : "Front-end");
    if (variant & APF_VARIANT_IR)
        fprintf(out, "  entry_first = %d  instrument_loop_entries = %d",
                (variant & APF_VARIANT_ENTRY_FIRST) != 0, (variant & APF_VARIANT_LOOP_ENTRIES) != 0);
    fputc('\n', out);
    if (show->all || *show->filter)
        fprintf(out, "Functions shown: %" PRIu64 "\n", show->shown);
    fprintf(out, "Total functions: %" PRIu64 "\n", s->n_functions);
    fprintf(out, "Maximum function count: %" PRIu64 "\n", s->max_function_count);
    fprintf(out, "Maximum internal block count: %" PRIu64 "\n", s->max_internal_count);
    fprintf(out, "Total number of blocks: %" PRIu64 "\n", s->n_counters);
    fprintf(out, "Total count: %" PRIu64 "\n", s->total_count);
    if (show->cutoff) {
        fprintf(out, "Number of functions with maximum count (< %" PRIu64 "): %" PRIu64 "\n", show->cutoff,
                show->below);
        fprintf(out, "Number of functions with maximum count (>= %" PRIu64 "): %" PRIu64 "\n", show->cutoff,
                s->n_functions - show->below);
    }
}

/* Descending; equals stay in the order of the profile. */
static int compare_hot(const void *a, const void *b)
{
    const struct hot_function *x = (const struct hot_function *)a, *y = (const struct hot_function *)b;
    if (x->max != y->max)
        return x->max > y->max ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void show_topn(const struct show *show)
{
    if (!show->topn)
        return;
    fprintf(show->out, "Top %" PRIu64 " functions with the largest internal block counts: \n", show->topn);
    for (size_t i = 0; i < show->n_hot && i < show->topn; i++) {
        fputs("  ", show->out);
        show_name(show, apf_instr_name(show->instr, show->hot[i].id));
        fprintf(show->out, ", max count = %" PRIu64 "\n", show->hot[i].max);
    }
}

static void show_hot_list(const struct show *show, const struct apf_summary *s)
{
    uint64_t threshold = 0;
    if (!option_flag(show->args, OPT_HOT_FUNC_LIST))
        return;
    for (size_t i = 0; i < s->n_rows; i++) {
        if (s->rows[i].cutoff >= HOT_CUTOFF) {
            threshold = s->rows[i].min_count;
            break;
        }
    }
    fprintf(show->out, "# Hot count threshold: %" PRIu64 "\n", threshold);
    for (size_t i = 0; i < show->n_hot && show->hot[i].max >= threshold; i++) {
        show_name(show, apf_instr_name(show->instr, show->hot[i].id));
        fputc('\n', show->out);
    }
}

static void show_site_stats(const struct show *show, enum option_id option, enum apf_value_kind kind,
                            const char *what)
{
    const struct site_stats *stats = &show->stats[kind];
    if (!show->shown || !option_flag(show->args, option))
        return;
    fprintf(show->out, "Statistics for %s profile:\n", what);
    fprintf(show->out, "  Total number of sites: %" PRIu64 "\n", stats->sites);
    fprintf(show->out, "  Total number of sites with values: %" PRIu64 "\n", stats->with_values);
    fprintf(show->out, "  Total number of profiled values: %" PRIu64 "\n", stats->values);
    fputs("  Value sites histogram:\n\tNumTargets, SiteCount\n", show->out);
    for (size_t i = 0; i < stats->n_histogram; i++) {
        if (stats->histogram[i])
            fprintf(show->out, "\t%zu, %" PRIu64 "\n", i + 1, stats->histogram[i]);
    }
}

/* Percentages in single precision, because LLVM's are. */
static void show_detailed_summary(const struct show *show, const struct apf_summary *s)
{
    if (!option_flag(show->args, OPT_DETAILED_SUMMARY))
        return;
    fputs("Detailed summary:\n", show->out);
    for (size_t i = 0; i < s->n_rows; i++) {
        const struct apf_summary_row *row = &s->rows[i];
        float blocks = s->n_counters ? 100.0F * (float)row->n_blocks / (float)s->n_counters : 0.0F;
        float part = 100.0F * (float)row->cutoff / 1000000.0F;
        fprintf(show->out,
                "%" PRIu64 " blocks (%.2f%%) with count >= %" PRIu64
                " account for %0.6g%% of the total counts.\n",
                row->n_blocks, (double)blocks, row->min_count, (double)part);
    }
}

static void show_binary_ids(const struct show *show)
{
    const struct apf_instr_info *info = show->info;
    bool indexed = info->format == APF_FORMAT_INDEXED;
    if (!option_flag(show->args, OPT_BINARY_IDS) || (!indexed && info->n_binary_ids == 0))
        return;
    fputs("Binary IDs: \n", show->out);
    for (size_t i = 0; i < info->n_binary_ids; i++) {
        for (size_t j = 0; j < info->binary_ids[i].n; j++)
            fprintf(show->out, "%02x", (unsigned)(unsigned char)info->binary_ids[i].p[j]);
        fputc('\n', show->out);
    }
}

static void show_traces(const struct show *show)
{
    const struct apf_instr_info *info = show->info;
    if (!option_flag(show->args, OPT_TEMPORAL_TRACES))
        return;
    fprintf(show->out, "Temporal Profile Traces (samples=%zu seen=%" PRIu64 "):\n", info->n_traces,
            info->trace_stream_size);
    for (size_t i = 0; i < info->n_traces; i++) {
        const struct apf_trace *trace = &info->traces[i];
        fprintf(show->out, "  Temporal Profile Trace %zu (weight=%" PRIu64 " count=%zu):\n", i, trace->weight,
                trace->n);
        for (size_t j = 0; j < trace->n; j++) {
            fputs("    ", show->out);
            show_name(show, apf_instr_name(show->instr, trace->ids[j]));
            fputc('\n', show->out);
        }
    }
}

int show_tail(struct show *show, struct apf_error *error)
{
    const struct apf_summary *summary = NULL;
    int code =
        apf_instr_summary(show->instr, show->ir ? option_flag(show->args, OPT_SHOWCS) : -1, &summary, error);
    if (code != APF_OK)
        return code;
    show_summary(show, summary);
    if (show->n_hot)
        qsort(show->hot, show->n_hot, sizeof *show->hot, compare_hot);
    show_topn(show);
    show_hot_list(show, summary);
    show_site_stats(show, OPT_IC_TARGETS, APF_VALUE_INDIRECT_CALL, "indirect call sites");
    show_site_stats(show, OPT_SHOW_VTABLES, APF_VALUE_VTABLE, "vtable");
    show_site_stats(show, OPT_MEMOP_SIZES, APF_VALUE_MEMOP_SIZE, "memory intrinsic calls sizes");
    show_detailed_summary(show, summary);
    show_binary_ids(show);
    if (option_flag(show->args, OPT_PROFILE_VERSION)) {
        /* Of a raw file LLVM prints the whole word of the last profile in it, variant bits included. */
        uint64_t bits = show->info->format == APF_FORMAT_RAW ? show->info->last_variant : 0;
        fprintf(show->out, "Profile version: %" PRIu64 "\n", bits | show->info->version);
    }
    show_traces(show);
    return APF_OK;
}
