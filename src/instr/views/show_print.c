/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/error.h"
#include "base/name_meant.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/summary_text.h"
#include "instr/views/show_record.h"

/* Blocks that together hold this much of the total count, in millionths, are hot. */
#define HOT_CUTOFF 990000u

/* ---- the functions ---- */

/* Whether the options ask for the details of a function. */
static bool is_wanted(const struct show *s, const struct record *r)
{
    const struct apf_str part = s->options.function, name = record_name(s->instr, r);
    return show_asked(s, APF_INSTR_PRINT_ALL_FUNCTIONS) ||
           name_is_meant(name, part, s->options.also, s->options.user);
}

static void print_below(const struct show *s, const struct record *r, uint64_t max, uint64_t sum)
{
    text_append(s->out, "  ");
    show_function(s, record_name(s->instr, r));
    text_append(s->out, ": (Max = ");
    text_decimal(s->out, max, 0);
    text_append(s->out, " Sum = ");
    text_decimal(s->out, sum, 0);
    text_append(s->out, ")\n");
}

/* Visits a record whose counts are no markers. */
static bool visit_counts(struct show *s, const struct record *r, uint64_t max, uint64_t sum)
{
    bool below = show_asked(s, APF_INSTR_PRINT_BELOW_CUTOFF);
    if (max < s->options.value_cutoff) {
        s->below++;
        if (below)
            print_below(s, r, max, sum);
        return true;
    }
    if (below)
        return true;
    struct hot_function hot = {r, max};
    if ((s->options.topn || show_asked(s, APF_INSTR_PRINT_HOT_FUNCTIONS)) && !VEC_PUSH(&s->hot, hot))
        return false;
    return !is_wanted(s, r) || show_record(s, r);
}

static bool visit_record(struct show *s, const struct record *r)
{
    uint64_t max = 0, sum = 0;
    if (s->text && is_wanted(s, r))
        return text_writer_records(s->text, r, 1, NULL) == APF_OK;
    for (uint32_t i = 0; i < r->n_counts; i++) {
        max = r->counts[i] > max ? r->counts[i] : max;
        sum += r->counts[i]; /* wraps like LLVM's sum */
    }
    if (show_asked(s, APF_INSTR_PRINT_COVERED)) {
        if (max) {
            show_function(s, record_name(s->instr, r));
            text_append(s->out, "\n");
        }
        return true;
    }
    if (r->flags & APF_RECORD_PSEUDO)
        return !is_wanted(s, r) || show_record(s, r);
    return visit_counts(s, r, max, sum);
}

/* Prefetches counts and names, whose order in memory differs from that of the records. */
static void fetch_ahead(const struct apf_instr *instr, size_t i)
{
    if (i + 2 * FETCH_AHEAD >= instr->records.n)
        return;
    const struct record *far = &instr->records.data[i + 2 * FETCH_AHEAD];
    const struct record *near = &instr->records.data[i + FETCH_AHEAD];
    PREFETCH(far->counts);
    PREFETCH(far->counts + far->n_counts / 2);
    if (far->symbol != HASH_INDEX_NONE)
        PREFETCH(&instr->symbols->list.data[far->symbol]);
    if (near->symbol != HASH_INDEX_NONE)
        PREFETCH(instr->symbols->list.data[near->symbol].p);
}

static int show_records(struct show *s, struct apf_error *error)
{
    bool cs = show_asked(s, APF_INSTR_PRINT_CS);
    if (show_asked(s, APF_INSTR_PRINT_BELOW_CUTOFF) && !s->text) {
        text_append(s->out, "The list of functions with the maximum counter less than ");
        text_decimal(s->out, s->options.value_cutoff, 0);
        text_append(s->out, ":\n");
    }
    for (size_t i = 0; i < s->instr->records.n; i++) {
        const struct record *r = &s->instr->records.data[i];
        fetch_ahead(s->instr, i);
        /* For an IR profile, all output, totals included, is about one of the two levels. */
        if ((!s->ir || ((r->hash & APF_HASH_CS) != 0) == cs) && !visit_record(s, r))
            return error_memory(error);
    }
    return APF_OK;
}

/* ---- after the functions ---- */

static void print_summary(const struct show *s, const struct apf_summary *sum)
{
    uint64_t variant =
        s->instr->info.last_variant; /* llvm-profdata prints that of the last profile of a file */
    uint64_t cutoff = s->options.value_cutoff;
    text_append(s->out, "Instrumentation level: ");
    text_append(s->out, variant & APF_VARIANT_IR ? "IR" : "Front-end");
    if (variant & APF_VARIANT_IR) {
        show_number(s, "  entry_first = ", (variant & APF_VARIANT_ENTRY_FIRST) != 0, "");
        show_number(s, "  instrument_loop_entries = ", (variant & APF_VARIANT_LOOP_ENTRIES) != 0, "");
    }
    text_append(s->out, "\n");
    if (show_asked(s, APF_INSTR_PRINT_ALL_FUNCTIONS) || s->options.function.n)
        show_number(s, "Functions shown: ", s->shown, "\n");
    show_number(s, "Total functions: ", sum->n_functions, "\n");
    show_number(s, "Maximum function count: ", sum->max_function_count, "\n");
    show_number(s, "Maximum internal block count: ", sum->max_internal_count, "\n");
    show_number(s, "Total number of blocks: ", sum->n_counters, "\n");
    show_number(s, "Total count: ", sum->total_count, "\n");
    if (cutoff) {
        show_number(s, "Number of functions with maximum count (< ", cutoff, "): ");
        show_number(s, "", s->below, "\n");
        show_number(s, "Number of functions with maximum count (>= ", cutoff, "): ");
        show_number(s, "", sum->n_functions - s->below, "\n");
    }
}

/* ---- the hottest ---- */

static bool is_hotter(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct hot_function *)a)->max > ((const struct hot_function *)b)->max;
}

static void print_topn(const struct show *s)
{
    if (!s->options.topn)
        return;
    show_number(s, "Top ", s->options.topn, " functions with the largest internal block counts: \n");
    for (size_t i = 0; i < s->hot.n && i < s->options.topn; i++) {
        text_append(s->out, "  ");
        show_function(s, record_name(s->instr, s->hot.data[i].record));
        show_number(s, ", max count = ", s->hot.data[i].max, "\n");
    }
}

static void print_hot_list(const struct show *s, const struct apf_summary *sum)
{
    uint64_t threshold = 0;
    if (!show_asked(s, APF_INSTR_PRINT_HOT_FUNCTIONS))
        return;
    for (size_t i = 0; i < sum->n_rows; i++) {
        threshold = sum->rows[i].min_count;
        if (sum->rows[i].cutoff >= HOT_CUTOFF)
            break;
    }
    show_number(s, "# Hot count threshold: ", threshold, "\n");
    for (size_t i = 0; i < s->hot.n && s->hot.data[i].max >= threshold; i++) {
        show_function(s, record_name(s->instr, s->hot.data[i].record));
        text_append(s->out, "\n");
    }
}

/* ---- values ---- */

static void print_site_stats(const struct show *s, uint32_t flag, enum apf_value_kind kind, const char *what)
{
    const struct site_stats *stats = &s->stats[kind];
    if (!s->shown || !show_asked(s, flag))
        return;
    text_append(s->out, "Statistics for ");
    text_append(s->out, what);
    text_append(s->out, " profile:\n");
    show_number(s, "  Total number of sites: ", stats->sites, "\n");
    show_number(s, "  Total number of sites with values: ", stats->with_values, "\n");
    show_number(s, "  Total number of profiled values: ", stats->values, "\n");
    text_append(s->out, "  Value sites histogram:\n\tNumTargets, SiteCount\n");
    for (size_t i = 0; i < stats->histogram.n; i++)
        if (stats->histogram.data[i]) {
            show_number(s, "\t", i + 1, ", ");
            show_number(s, "", stats->histogram.data[i], "\n");
        }
}

/* ---- the detailed summary ---- */

static void print_detailed_summary(const struct show *s, const struct apf_summary *sum)
{
    if (!show_asked(s, APF_INSTR_PRINT_DETAILED_SUMMARY))
        return;
    text_append(s->out, "Detailed summary:\n");
    for (size_t i = 0; i < sum->n_rows; i++) {
        const struct apf_summary_row *row = &sum->rows[i];
        text_summary_row(s->out, row->n_blocks, sum->n_counters, row->min_count, row->cutoff);
    }
}

/* ---- the profile ---- */

static void print_binary_ids(const struct show *s)
{
    const struct apf_instr_info *info = &s->instr->info;
    bool indexed = info->format == APF_FORMAT_INDEXED;
    if (!show_asked(s, APF_INSTR_PRINT_BINARY_IDS) || (!indexed && info->n_binary_ids == 0))
        return;
    text_append(s->out, "Binary IDs: \n");
    for (size_t i = 0; i < info->n_binary_ids; i++) {
        for (size_t j = 0; j < info->binary_ids[i].n; j++)
            text_hex_digits(s->out, (uint8_t)info->binary_ids[i].p[j], 2);
        text_append(s->out, "\n");
    }
}

static void print_version(const struct show *s)
{
    /* For a raw file LLVM prints the entire version word of the last profile, variant bits included. */
    const struct apf_instr_info *info = &s->instr->info;
    uint64_t bits = info->format == APF_FORMAT_RAW ? info->last_variant : 0;
    if (show_asked(s, APF_INSTR_PRINT_VERSION))
        show_number(s, "Profile version: ", bits | info->version, "\n");
}

static void print_traces(const struct show *s)
{
    const struct apf_instr_info *info = &s->instr->info;
    if (!show_asked(s, APF_INSTR_PRINT_TRACES))
        return;
    show_number(s, "Temporal Profile Traces (samples=", info->n_traces, " seen=");
    show_number(s, "", info->trace_stream_size, "):\n");
    for (size_t i = 0; i < info->n_traces; i++) {
        const struct apf_trace *trace = &info->traces[i];
        show_number(s, "  Temporal Profile Trace ", i, " (weight=");
        show_number(s, "", trace->weight, " count=");
        show_number(s, "", trace->n, "):\n");
        for (size_t j = 0; j < trace->n; j++) {
            text_append(s->out, "    ");
            show_name(s, trace->ids[j]);
            text_append(s->out, "\n");
        }
    }
}

static const struct apf_summary *make_summary(struct show *s)
{
    size_t n = s->options.n_cutoffs;
    int cs = s->ir ? show_asked(s, APF_INSTR_PRINT_CS) : -1;
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

static int print_tail(struct show *s, struct apf_error *error)
{
    const struct apf_summary *sum = make_summary(s);
    if (!sum || !SORT_VEC(&s->hot, is_hotter, NULL))
        return error_memory(error);
    print_summary(s, sum);
    print_topn(s);
    print_hot_list(s, sum);
    print_site_stats(s, APF_INSTR_PRINT_IC_TARGETS, APF_VALUE_INDIRECT_CALL, "indirect call sites");
    print_site_stats(s, APF_INSTR_PRINT_VTABLES, APF_VALUE_VTABLE, "vtable");
    print_site_stats(s, APF_INSTR_PRINT_MEMOP_SIZES, APF_VALUE_MEMOP_SIZE, "memory intrinsic calls sizes");
    print_detailed_summary(s, sum);
    print_binary_ids(s);
    print_version(s);
    print_traces(s);
    return APF_OK;
}

/* ---- the call ---- */

static int show_all(struct show *s, struct apf_error *error)
{
    struct text_write_options text = {.show_style = true, .all_names = true};
    int code = APF_OK;
    if (show_asked(s, APF_INSTR_PRINT_TEXT))
        code = text_writer_open(&s->text, s->instr, &text, s->out, error);
    if (code == APF_OK)
        code = show_records(s, error);
    if (code == APF_OK && !show_asked(s, APF_INSTR_PRINT_TEXT | APF_INSTR_PRINT_COVERED))
        code = print_tail(s, error);
    return code;
}

static int check_cutoffs(const struct show *s, struct apf_error *error)
{
    const struct apf_instr_print_options *o = &s->options;
    bool hot = !o->n_cutoffs || !show_asked(s, APF_INSTR_PRINT_HOT_FUNCTIONS) ||
               show_asked(s, APF_INSTR_PRINT_TEXT | APF_INSTR_PRINT_COVERED);
    for (size_t i = 0; i < o->n_cutoffs; i++)
        hot |= o->cutoffs[i] >= HOT_CUTOFF;
    return hot ? APF_OK
               : error_plain(error, APF_ARGUMENT, "show.options.cutoffs",
                             "a list of hot functions needs a cutoff of at least 990000");
}

#define ALL_FLAGS (2 * APF_INSTR_PRINT_TRACES - 1) /* the last one */

int apf_instr_print(const struct apf_instr *instr, const struct apf_instr_print_options *options,
                    const struct apf_output *output, struct apf_error *error)
{
    struct show s = {.instr = instr};
    int code = OPTIONS_READ(apf_instr_print_options, &s.options, options, error);
    if (code == APF_OK)
        code = flags_check(s.options.flags, ALL_FLAGS, "apf_instr_print_options.flags", error);
    s.ir = (instr->info.variant & APF_VARIANT_IR) != 0;
    if (code == APF_OK)
        code = check_cutoffs(&s, error);
    if (code == APF_OK)
        code = file_out_open(&s.out, output, error);
    if (code != APF_OK)
        return code;
    code = file_out_finish(s.out, show_all(&s, error), error);
    text_writer_free(s.text);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        VEC_FREE(&s.stats[k].histogram);
    VEC_FREE(&s.hot);
    arena_free(&s.scratch);
    return code;
}
