/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `show` prints behind the functions. */
#include "base/error.h"
#include "base/sort.h"
#include "instr/show_print.h"

static void line(const struct show *s, const char *before, uint64_t v, const char *behind)
{
    text_put(s->out, before);
    text_decimal(s->out, v, 0);
    text_put(s->out, behind);
}

static void put_summary(const struct show *s, const struct apf_summary *sum)
{
    uint64_t variant = s->instr->info.last_variant; /* as llvm-profdata, which asks at the end */
    uint64_t cutoff = s->options.value_cutoff;
    text_put(s->out, "Instrumentation level: ");
    text_put(s->out, variant & APF_VARIANT_IR ? "IR" : "Front-end");
    if (variant & APF_VARIANT_IR) {
        line(s, "  entry_first = ", (variant & APF_VARIANT_ENTRY_FIRST) != 0, "");
        line(s, "  instrument_loop_entries = ", (variant & APF_VARIANT_LOOP_ENTRIES) != 0, "");
    }
    text_put(s->out, "\n");
    if (show_asked(s, APF_SHOW_ALL_FUNCTIONS) || s->options.function.n)
        line(s, "Functions shown: ", s->shown, "\n");
    line(s, "Total functions: ", sum->n_functions, "\n");
    line(s, "Maximum function count: ", sum->max_function_count, "\n");
    line(s, "Maximum internal block count: ", sum->max_internal_count, "\n");
    line(s, "Total number of blocks: ", sum->n_counters, "\n");
    line(s, "Total count: ", sum->total_count, "\n");
    if (cutoff) {
        line(s, "Number of functions with maximum count (< ", cutoff, "): ");
        line(s, "", s->below, "\n");
        line(s, "Number of functions with maximum count (>= ", cutoff, "): ");
        line(s, "", sum->n_functions - s->below, "\n");
    }
}

/* ---- the hottest ---- */

static bool is_hotter(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct hot_function *)a)->max > ((const struct hot_function *)b)->max;
}

/* Descending; equals stay in the order of the profile. */
static bool sort_hot(struct show *s)
{
    return SORT_VEC(&s->hot, is_hotter, NULL);
}

static void put_topn(const struct show *s)
{
    if (!s->options.topn)
        return;
    line(s, "Top ", s->options.topn, " functions with the largest internal block counts: \n");
    for (size_t i = 0; i < s->hot.n && i < s->options.topn; i++) {
        text_put(s->out, "  ");
        show_bytes(s, record_name(s->instr, s->hot.data[i].record));
        line(s, ", max count = ", s->hot.data[i].max, "\n");
    }
}

static void put_hot_list(const struct show *s, const struct apf_summary *sum)
{
    uint64_t threshold = 0;
    if (!show_asked(s, APF_SHOW_HOT_FUNCTIONS))
        return;
    for (size_t i = 0; i < sum->n_rows; i++) {
        threshold = sum->rows[i].min_count;
        if (sum->rows[i].cutoff >= SHOW_HOT_CUTOFF)
            break;
    }
    line(s, "# Hot count threshold: ", threshold, "\n");
    for (size_t i = 0; i < s->hot.n && s->hot.data[i].max >= threshold; i++) {
        show_bytes(s, record_name(s->instr, s->hot.data[i].record));
        text_put(s->out, "\n");
    }
}

/* ---- values ---- */

static void put_site_stats(const struct show *s, uint32_t flag, enum apf_value_kind kind, const char *what)
{
    const struct site_stats *stats = &s->stats[kind];
    if (!s->shown || !show_asked(s, flag))
        return;
    text_put(s->out, "Statistics for ");
    text_put(s->out, what);
    text_put(s->out, " profile:\n");
    line(s, "  Total number of sites: ", stats->sites, "\n");
    line(s, "  Total number of sites with values: ", stats->with_values, "\n");
    line(s, "  Total number of profiled values: ", stats->values, "\n");
    text_put(s->out, "  Value sites histogram:\n\tNumTargets, SiteCount\n");
    for (size_t i = 0; i < stats->histogram.n; i++)
        if (stats->histogram.data[i]) {
            line(s, "\t", i + 1, ", ");
            line(s, "", stats->histogram.data[i], "\n");
        }
}

/* ---- the detailed summary ---- */

/* As "%.6g" of the percentage that a cutoff in millionths is in single precision: its digits are exact in a double. */
static void put_part(const struct show *s, uint64_t cutoff)
{
    double v = (double)(100.0F * (float)cutoff / 1000000.0F), unit = 1;
    unsigned decimals = 0;
    while (v != 0 && v * unit < 100000 && decimals < 9) {
        unit *= 10;
        decimals++;
    }
    uint64_t scaled = (uint64_t)(v * unit);
    double rest = v * unit - (double)scaled;
    scaled += rest > 0.5 || (rest == 0.5 && scaled & 1);
    for (; decimals && scaled % 10 == 0; decimals--)
        scaled /= 10;
    uint64_t whole = 1;
    for (unsigned i = 0; i < decimals; i++)
        whole *= 10;
    text_decimal(s->out, scaled / whole, 0);
    if (!decimals)
        return;
    text_put(s->out, ".");
    for (uint64_t digit = whole / 10; digit > 1 && scaled % whole < digit; digit /= 10)
        text_put(s->out, "0");
    text_decimal(s->out, scaled % whole, 0);
}

/* Percentages in single precision, because LLVM's are. */
static void put_detailed_summary(const struct show *s, const struct apf_summary *sum)
{
    if (!show_asked(s, APF_SHOW_DETAILED_SUMMARY))
        return;
    text_put(s->out, "Detailed summary:\n");
    for (size_t i = 0; i < sum->n_rows; i++) {
        const struct apf_summary_row *row = &sum->rows[i];
        float blocks = sum->n_counters ? 100.0F * (float)row->n_blocks / (float)sum->n_counters : 0.0F;
        line(s, "", row->n_blocks, " blocks (");
        text_fixed(s->out, (double)blocks, 2, 0);
        line(s, "%) with count >= ", row->min_count, " account for ");
        put_part(s, row->cutoff);
        text_put(s->out, "% of the total counts.\n");
    }
}

/* ---- the profile ---- */

static void put_binary_ids(const struct show *s)
{
    const struct apf_instr_info *info = &s->instr->info;
    bool indexed = info->format == APF_FORMAT_INDEXED;
    if (!show_asked(s, APF_SHOW_BINARY_IDS) || (!indexed && info->n_binary_ids == 0))
        return;
    text_put(s->out, "Binary IDs: \n");
    for (size_t i = 0; i < info->n_binary_ids; i++) {
        for (size_t j = 0; j < info->binary_ids[i].n; j++)
            text_hex_digits(s->out, (uint8_t)info->binary_ids[i].p[j], 2);
        text_put(s->out, "\n");
    }
}

static void put_version(const struct show *s)
{
    /* Of a raw file LLVM prints the whole word of the last profile in it, variant bits included. */
    const struct apf_instr_info *info = &s->instr->info;
    uint64_t bits = info->format == APF_FORMAT_RAW ? info->last_variant : 0;
    if (show_asked(s, APF_SHOW_VERSION))
        line(s, "Profile version: ", bits | info->version, "\n");
}

static void put_traces(const struct show *s)
{
    const struct apf_instr_info *info = &s->instr->info;
    if (!show_asked(s, APF_SHOW_TRACES))
        return;
    line(s, "Temporal Profile Traces (samples=", info->n_traces, " seen=");
    line(s, "", info->trace_stream_size, "):\n");
    for (size_t i = 0; i < info->n_traces; i++) {
        const struct apf_trace *trace = &info->traces[i];
        line(s, "  Temporal Profile Trace ", i, " (weight=");
        line(s, "", trace->weight, " count=");
        line(s, "", trace->n, "):\n");
        for (size_t j = 0; j < trace->n; j++) {
            text_put(s->out, "    ");
            show_name(s, trace->ids[j]);
            text_put(s->out, "\n");
        }
    }
}

static const struct apf_summary *make_summary(struct show *s)
{
    size_t n = s->options.n_cutoffs;
    int cs = s->ir ? show_asked(s, APF_SHOW_CS) : -1;
    struct summary_input in = {s->instr->records.data, NULL, s->instr->records.n, cs, 0, NULL, n};
    uint32_t *cutoffs = arena_array(&s->scratch, n, sizeof *cutoffs);
    uint64_t *sorted = arena_array(&s->scratch, 2 * n, sizeof *sorted);
    if (!cutoffs || !sorted)
        return NULL;
    for (size_t i = 0; i < n; i++)
        sorted[i] = s->options.cutoffs[i];
    if (n) {
        sort_numbers(sorted, sorted + n, n);
        in.cutoffs = cutoffs;
    }
    for (size_t i = 0; i < n; i++)
        cutoffs[i] = (uint32_t)sorted[i];
    return summary_make(&in, &s->scratch, &s->scratch);
}

int show_tail(struct show *s, struct apf_error *error)
{
    const struct apf_summary *sum = make_summary(s);
    if (!sum || !sort_hot(s))
        return error_memory(error);
    put_summary(s, sum);
    put_topn(s);
    put_hot_list(s, sum);
    put_site_stats(s, APF_SHOW_IC_TARGETS, APF_VALUE_INDIRECT_CALL, "indirect call sites");
    put_site_stats(s, APF_SHOW_VTABLES, APF_VALUE_VTABLE, "vtable");
    put_site_stats(s, APF_SHOW_MEMOP_SIZES, APF_VALUE_MEMOP_SIZE, "memory intrinsic calls sizes");
    put_detailed_summary(s, sum);
    put_binary_ids(s);
    put_version(s);
    put_traces(s);
    return APF_OK;
}
