/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What show prints, as JSON. Parts that the options do not ask for are null. */
#include "instr/views/show_json.h"

#include "base/error.h"
#include "base/json_entry.h"
#include "instr/json/profile_json.h"
#include "instr/model/profile_words.h"

static const uint32_t site_flags[APF_VALUE_KINDS] = {[APF_VALUE_INDIRECT_CALL] = APF_INSTR_PRINT_IC_TARGETS,
                                                     [APF_VALUE_MEMOP_SIZE] = APF_INSTR_PRINT_MEMOP_SIZES,
                                                     [APF_VALUE_VTABLE] = APF_INSTR_PRINT_VTABLES};

/* ---- functions ---- */

/* What the counts of a record say. */
struct counts {
    uint64_t max, sum; /* the sum is 2^64-1 if it is that or more */
};

static struct counts look_at_counts(const struct record *r)
{
    struct counts c = {0, 0};
    for (uint32_t i = 0; i < r->n_counts; i++) {
        c.max = r->counts[i] > c.max ? r->counts[i] : c.max;
        if (ADD_OVERFLOWS(c.sum, r->counts[i], &c.sum))
            c.sum = UINT64_MAX;
    }
    return c;
}

/* Writes the sites that the options ask for, and counts them. False: allocation failed. */
static bool write_sites(struct show *s, struct json_writer *w, const struct apf_record *record)
{
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        struct site_stats *stats = &s->stats[k];
        if (!show_asked(s, site_flags[k]))
            continue;
        stats->sites += record->n_sites[k];
        for (size_t i = 0; record->sites[k] && i < record->n_sites[k]; i++)
            if (record->sites[k][i].n && !show_count_site(stats, record->sites[k][i].n))
                return false;
        profile_json_sites(w, record, k, profile_json_target, (void *)&s->instr);
    }
    return true;
}

static bool write_function(struct show *s, struct json_writer *w, const struct record *r, struct counts c)
{
    struct apf_record record;
    const bool pseudo = r->flags & APF_RECORD_PSEUDO;
    bool ok = true;
    profile_record(s->instr, r, &record);
    s->shown++;
    json_line_object(w);
    json_entry_function(w, "name", record.name);
    json_entry_hash(w, "id", record.id);
    json_entry_hash(w, "hash", record.hash);
    json_entry_u64(w, "counters", record.n_counts);
    json_entry_string(w, "pseudo", !pseudo ? NULL : r->counts[0] == PSEUDO_HOT ? "hot" : "warm");
    json_entry_known(w, "max_count", !pseudo, c.max);
    json_entry_known(w, "sum", !pseudo, c.sum);
    json_entry_known(w, "function_count", !pseudo && !s->ir && r->n_counts, r->n_counts ? r->counts[0] : 0);
    if (show_asked(s, APF_INSTR_PRINT_COUNTS) && !pseudo)
        profile_json_numbers(w, "counts", record.counts, record.n_counts);
    if (!pseudo)
        ok = write_sites(s, w, &record);
    json_object_end(w);
    return ok;
}

static void write_below(const struct show *s, struct json_writer *w, const struct record *r, struct counts c)
{
    json_line_object(w);
    json_entry_function(w, "name", record_name(s->instr, r));
    json_entry_hash(w, "hash", r->hash);
    json_entry_u64(w, "max_count", c.max);
    json_entry_u64(w, "sum", c.sum);
    json_object_end(w);
}

static void write_name(struct json_writer *w, struct apf_str name)
{
    if (name.n)
        json_bytes(w, name.p, name.n);
    else
        json_none(w);
}

/* Writes a record into the list, if the options want it there. False: allocation failed. */
static bool visit_record(struct show *s, struct json_writer *w, const struct record *r)
{
    const struct counts c = look_at_counts(r);
    if (show_asked(s, APF_INSTR_PRINT_COVERED)) {
        if (c.max)
            write_name(w, record_name(s->instr, r));
        return true;
    }
    if (!(r->flags & APF_RECORD_PSEUDO)) {
        const struct hot_function hot = {r, c.max};
        const bool below = c.max < s->options.value_cutoff;
        s->below += below;
        if (show_asked(s, APF_INSTR_PRINT_BELOW_CUTOFF)) {
            if (below)
                write_below(s, w, r, c);
            return true;
        }
        if (below)
            return true;
        if ((s->options.topn || show_asked(s, APF_INSTR_PRINT_HOT_FUNCTIONS)) && !VEC_PUSH(&s->hot, hot))
            return false;
    }
    return !show_wants(s, r) || write_function(s, w, r, c);
}

/* Writes the one list of functions that the options ask for; the others are null. */
static bool write_lists(struct show *s, struct json_writer *w)
{
    const uint32_t flags[] = {APF_INSTR_PRINT_COVERED, APF_INSTR_PRINT_BELOW_CUTOFF, 0};
    static const char *const keys[] = {"covered", "below_cutoff", "functions"};
    const bool cs = show_asked(s, APF_INSTR_PRINT_CS);
    const bool wanted = show_asked(s, APF_INSTR_PRINT_ALL_FUNCTIONS) || s->options.function.n;
    const size_t list = show_asked(s, flags[0]) ? 0 : show_asked(s, flags[1]) ? 1 : 2;
    bool ok = true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (i != list || (i == 2 && !wanted)) {
            json_key(w, keys[i]);
            json_none(w);
        }
    if (list < 2 || wanted) {
        json_key(w, keys[list]);
        json_array_begin(w);
    }
    for (size_t i = 0; ok && i < s->instr->records.n && !json_failed(w); i++) {
        const struct record *r = &s->instr->records.data[i];
        if (!s->ir || ((r->hash & APF_HASH_CS) != 0) == cs)
            ok = visit_record(s, w, r);
    }
    if (list < 2 || wanted)
        json_array_end(w);
    return ok;
}

/* ---- the profile ---- */

static void write_summary(const struct show *s, struct json_writer *w, const struct apf_summary *sum)
{
    const bool detailed = show_asked(s, APF_INSTR_PRINT_DETAILED_SUMMARY);
    json_key(w, "summary");
    json_object_begin(w);
    json_entry_u64(w, "functions", sum->n_functions);
    json_entry_u64(w, "counters", sum->n_counters);
    json_entry_u64(w, "max_function_count", sum->max_function_count);
    json_entry_u64(w, "max_internal_count", sum->max_internal_count);
    json_entry_u64(w, "total_count", sum->total_count);
    json_entry_u64(w, "value_cutoff", s->options.value_cutoff);
    json_entry_u64(w, "functions_below_cutoff", s->below);
    json_object_end(w);
    json_key(w, "detailed_summary");
    if (!detailed) {
        json_none(w);
        return;
    }
    json_array_begin(w);
    for (size_t i = 0; i < sum->n_rows; i++) {
        json_line_object(w);
        json_entry_u64(w, "cutoff", sum->rows[i].cutoff);
        json_entry_u64(w, "min_count", sum->rows[i].min_count);
        json_entry_u64(w, "counters", sum->rows[i].n_blocks);
        json_object_end(w);
    }
    json_array_end(w);
}

/* Writes the first `most` of the hottest functions, those with a count of at least `threshold`. */
static void write_hottest(const struct show *s, struct json_writer *w, const char *key, uint64_t most,
                          uint64_t threshold)
{
    json_key(w, key);
    json_array_begin(w);
    for (size_t i = 0; i < s->hot.n && i < most && s->hot.data[i].max >= threshold; i++) {
        const struct record *r = s->hot.data[i].record;
        json_line_object(w);
        json_entry_function(w, "name", record_name(s->instr, r));
        json_entry_hash(w, "hash", r->hash);
        json_entry_u64(w, "max_count", s->hot.data[i].max);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_hot(const struct show *s, struct json_writer *w, const struct apf_summary *sum)
{
    if (s->options.topn) {
        write_hottest(s, w, "top", s->options.topn, 0);
    } else {
        json_key(w, "top");
        json_none(w);
    }
    json_key(w, "hot");
    if (!show_asked(s, APF_INSTR_PRINT_HOT_FUNCTIONS)) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    json_entry_u64(w, "threshold", show_hot_threshold(sum));
    write_hottest(s, w, "functions", UINT64_MAX, show_hot_threshold(sum));
    json_object_end(w);
}

static void write_stats(struct json_writer *w, const struct site_stats *stats)
{
    json_object_begin(w);
    json_entry_u64(w, "sites", stats->sites);
    json_entry_u64(w, "sites_with_values", stats->with_values);
    json_entry_u64(w, "values", stats->values);
    json_key(w, "histogram");
    json_array_begin(w);
    for (size_t i = 0; i < stats->histogram.n; i++)
        if (stats->histogram.data[i]) {
            json_line_object(w);
            json_entry_u64(w, "values", i + 1);
            json_entry_u64(w, "sites", stats->histogram.data[i]);
            json_object_end(w);
        }
    json_array_end(w);
    json_object_end(w);
}

static void write_value_sites(const struct show *s, struct json_writer *w)
{
    json_key(w, "value_sites");
    json_object_begin(w);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        json_key(w, json_value_keys[k]);
        if (show_asked(s, site_flags[k]))
            write_stats(w, &s->stats[k]);
        else
            json_none(w);
    }
    json_object_end(w);
}

static void write_head(const struct show *s, struct json_writer *w)
{
    const struct apf_instr_info *info = &s->instr->info;
    json_head(w, "anyprof-show/1");
    profile_json_source(w, s->instr);
    variant_words_write(w, "variant", info->variant);
    json_entry_bool(w, "context_sensitive", show_asked(s, APF_INSTR_PRINT_CS));
    if (show_asked(s, APF_INSTR_PRINT_BINARY_IDS)) {
        json_entry_digits(w, "binary_ids", info->binary_ids, info->n_binary_ids);
    } else {
        json_key(w, "binary_ids");
        json_none(w);
    }
}

static void write_traces(const struct show *s, struct json_writer *w)
{
    json_key(w, "temporal_profile");
    if (!show_asked(s, APF_INSTR_PRINT_TRACES)) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    profile_json_traces(w, s->instr);
    json_object_end(w);
}

int show_json(struct show *s, struct apf_error *error)
{
    struct json_writer w;
    json_start_output(&w, s->out);
    json_object_begin(&w);
    write_head(s, &w);
    if (!write_lists(s, &w))
        return error_memory(error);
    const struct apf_summary *sum = show_summary(s);
    if (!sum || !show_sort_hot(s))
        return error_memory(error);
    json_entry_u64(&w, "functions_shown", s->shown);
    write_summary(s, &w, sum);
    write_hot(s, &w, sum);
    write_value_sites(s, &w);
    write_traces(s, &w);
    json_object_end(&w);
    return json_finish(&w, error);
}
