/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/double_text.h"
#include "base/json_entry.h"
#include "base/text_append.h"
#include "instr/views/profile_diff.h"

#define SHARE_DECIMALS 3u
#define SHARE_WIDTH 7u /* 100.000 */

static const char *const change_names[APF_DIFF_CHANGES] = {
    "only_in_a", "only_in_b",   "hash",   "counters",     "bitmap_size", "value_sites",
    "counts",    "bitmap_bits", "values", "pseudo_count", "name"};
static const char *const change_words[APF_DIFF_CHANGES] = {"only in A",
                                                           "only in B",
                                                           "different hash",
                                                           "different number of counters",
                                                           "different bitmap size",
                                                           "different value sites",
                                                           "counts changed",
                                                           "bitmap bits changed",
                                                           "values changed",
                                                           "hot or warm instead of counts",
                                                           "different name"};
static const char *const site_names[APF_VALUE_KINDS] = {"indirect_call_sites", "memop_sites", "vtable_sites"};
static const char *const site_words[APF_VALUE_KINDS] = {"indirect calls ", "memory operations ", "vtables "};

static size_t count_shown(const struct apf_diff *diff)
{
    uint64_t most = diff->options.max_functions;
    return most && most < diff->functions.n ? (size_t)most : diff->functions.n;
}

/* ---- text ---- */

static void print_share(struct file_out *out, double share, size_t width)
{
    text_fixed(out, share * 100, SHARE_DECIMALS, width);
    text_append(out, "%");
}

static void print_name(struct file_out *out, struct apf_str name, uint64_t id)
{
    if (name.n) {
        text_function(out, name);
        return;
    }
    text_append(out, "(function ");
    text_hash(out, id);
    text_append(out, ")");
}

/* Prints one change, after ": " if it is the first of a line, else after ", ". */
static void print_part(struct file_out *out, bool *first, const char *words)
{
    text_append(out, *first ? ": " : ", ");
    text_append(out, words);
    *first = false;
}

static void print_change(struct file_out *out, bool *first, const char *words, uint64_t a, uint64_t b)
{
    if (a == b)
        return;
    print_part(out, first, words);
    text_decimal(out, a, 0);
    text_append(out, " -> ");
    text_decimal(out, b, 0);
}

static void print_hash(struct file_out *out, bool *first, const struct apf_diff_function *f)
{
    print_part(out, first, "hash ");
    text_hash(out, f->side[0].hash);
    text_append(out, " -> ");
    text_hash(out, f->side[1].hash);
}

/* Prints the changes of a function. Where the hash or the number of counters changed, counts are not compared. */
static void print_changes(struct file_out *out, const struct apf_diff_function *f)
{
    const struct apf_diff_side *a = &f->side[0], *b = &f->side[1];
    bool first = true;
    if (f->changes & (APF_DIFF_ONLY_A | APF_DIFF_ONLY_B)) {
        print_part(out, &first, f->changes & APF_DIFF_ONLY_A ? "only in A" : "only in B");
        return;
    }
    if (f->changes & APF_DIFF_HASH)
        print_hash(out, &first, f);
    print_change(out, &first, "counters ", a->n_counts, b->n_counts);
    print_change(out, &first, "bitmap bytes ", a->n_bitmap, b->n_bitmap);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        print_change(out, &first, site_words[k], a->n_sites[k], b->n_sites[k]);
    if (f->changes & APF_DIFF_COUNTS)
        print_part(out, &first, "counts");
    if (f->changes & APF_DIFF_PSEUDO)
        print_part(out, &first, "hot or warm instead of counts");
    if (f->changes & APF_DIFF_BITS) {
        print_part(out, &first, "bits of the bitmap ");
        text_decimal(out, f->bits_changed, 0);
    }
    if (f->changes & APF_DIFF_VALUES) {
        print_part(out, &first, "values ");
        print_share(out, f->values_moved, 0);
    }
    if (f->changes & APF_DIFF_NAME) {
        print_part(out, &first, "in B ");
        print_name(out, b->name, b->id);
    }
}

static void print_function(struct file_out *out, const struct apf_diff_function *f)
{
    print_share(out, f->effect, SHARE_WIDTH);
    text_append(out, "  ");
    for (unsigned side = 0; side < 2; side++) {
        print_share(out, f->side[side].share, SHARE_WIDTH);
        text_append(out, "  ");
    }
    print_name(out, diff_side(f)->name, diff_side(f)->id);
    print_changes(out, f);
    text_append(out, "\n");
}

static void print_path(struct file_out *out, const char *path)
{
    struct apf_str name = {path ? path : "<profile>", 0};
    name.n = strlen(name.p);
    text_name(out, name);
}

static void print_profile(struct file_out *out, const struct apf_diff *diff, unsigned side)
{
    text_append(out, side ? "B: " : "A: ");
    print_path(out, diff->options.names[side]);
    text_append(out, ": functions ");
    text_decimal(out, diff->totals.functions[side], 0);
    text_append(out, ", sum of counts ");
    text_fixed(out, diff->totals.counts[side], 0, 0);
    text_append(out, "\n");
}

static void print_functions(struct file_out *out, const struct apf_diff *diff)
{
    size_t n = count_shown(diff);
    if (n)
        text_append(out, "\n  effect      in A      in B  function\n");
    for (size_t i = 0; i < n; i++)
        print_function(out, &diff->functions.data[i]);
    if (n < diff->functions.n) {
        text_append(out, "... and ");
        text_decimal(out, diff->functions.n - n, 0);
        text_append(out, diff->functions.n - n == 1 ? " more\n" : " more; --topn=0 lists all\n");
    }
}

static void print_totals(struct file_out *out, const struct apf_diff_totals *t)
{
    const unsigned width = 10;
    text_append(out, t->differ ? "\n  effect functions\n" : "\n");
    for (unsigned i = 0; i < APF_DIFF_CHANGES; i++) {
        if (t->changes[i].n == 0)
            continue;
        print_share(out, t->changes[i].effect, SHARE_WIDTH);
        text_decimal(out, t->changes[i].n, width);
        text_append(out, "  ");
        text_append(out, change_words[i]);
        text_append(out, "\n");
    }
    text_append(out, t->differ ? "\n" : "");
    text_append(out, "difference: ");
    print_share(out, t->difference, 0);
    text_append(out, " of the counts moved; functions that differ: ");
    text_decimal(out, t->differ, 0);
    text_append(out, ", equal: ");
    text_decimal(out, t->equal, 0);
    text_append(out, "\n");
}

/* ---- JSON ---- */

static void write_side(struct json_writer *w, const struct apf_diff_function *f, unsigned side)
{
    const struct apf_diff_side *s = &f->side[side];
    json_key(w, side ? "b" : "a");
    if (f->changes & (side ? APF_DIFF_ONLY_A : APF_DIFF_ONLY_B)) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    json_entry_function(w, "name", s->name);
    json_entry_hash(w, "id", s->id);
    json_entry_hash(w, "hash", s->hash);
    json_entry_double(w, "share", s->share);
    json_entry_u64(w, "sum_of_counts", s->count);
    json_entry_u64(w, "counters", s->n_counts);
    json_entry_u64(w, "bitmap_bytes", s->n_bitmap);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        json_entry_u64(w, site_names[k], s->n_sites[k]);
    json_object_end(w);
}

static void write_function(struct json_writer *w, const struct apf_diff_function *f)
{
    json_line_object(w);
    json_entry_function(w, "function", diff_side(f)->name);
    json_entry_double(w, "effect", f->effect);
    json_key(w, "changes");
    json_array_begin(w);
    for (unsigned i = 0; i < APF_DIFF_CHANGES; i++)
        if (f->changes >> i & 1)
            json_cstring(w, change_names[i]);
    json_array_end(w);
    json_entry_double(w, "values_moved", f->values_moved);
    json_entry_u64(w, "bitmap_bits_changed", f->bits_changed);
    write_side(w, f, 0);
    write_side(w, f, 1);
    json_object_end(w);
}

static void write_profile(struct json_writer *w, const struct apf_diff *diff, unsigned side)
{
    const char *path = diff->options.names[side];
    struct apf_str name = {path, path ? strlen(path) : 0};
    json_key(w, side ? "b" : "a");
    json_object_begin(w);
    json_entry_path(w, name);
    json_entry_u64(w, "functions", diff->totals.functions[side]);
    json_entry_double(w, "sum_of_counts", diff->totals.counts[side]);
    json_object_end(w);
}

static void write_totals(struct json_writer *w, const struct apf_diff_totals *t)
{
    json_entry_double(w, "difference", t->difference);
    json_entry_u64(w, "equal", t->equal);
    json_entry_u64(w, "differ", t->differ);
    json_key(w, "totals");
    json_object_begin(w);
    for (unsigned i = 0; i < APF_DIFF_CHANGES; i++) {
        json_key(w, change_names[i]);
        json_line_object(w);
        json_entry_u64(w, "functions", t->changes[i].n);
        json_entry_double(w, "effect", t->changes[i].effect);
        json_object_end(w);
    }
    json_object_end(w);
}

static int print_json(const struct apf_diff *diff, struct file_out *out, struct apf_error *error)
{
    struct json_writer w;
    size_t n = count_shown(diff);
    json_start_output(&w, out);
    json_object_begin(&w);
    json_head(&w, "anyprof-diff/1");
    write_profile(&w, diff, 0);
    write_profile(&w, diff, 1);
    json_entry_bool(&w, "absolute", diff->options.flags & APF_DIFF_ABSOLUTE);
    write_totals(&w, &diff->totals);
    json_entry_u64(&w, "not_listed", diff->functions.n - n);
    json_key(&w, "functions");
    json_array_begin(&w);
    for (size_t i = 0; i < n && !json_failed(&w); i++)
        write_function(&w, &diff->functions.data[i]);
    json_array_end(&w);
    json_object_end(&w);
    return json_finish(&w, error);
}

int apf_diff_print(const struct apf_diff *diff, const struct apf_output *output, struct apf_error *error)
{
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    if (diff->options.flags & APF_DIFF_JSON) {
        code = print_json(diff, out, error);
    } else {
        print_profile(out, diff, 0);
        print_profile(out, diff, 1);
        print_functions(out, diff);
        print_totals(out, &diff->totals);
    }
    return file_out_finish(out, code, error);
}
