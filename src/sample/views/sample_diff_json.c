/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/json_entry.h"
#include "sample/model/sample_info_words.h"
#include "sample/views/sample_diff.h"

static const char *const change_names[APF_SAMPLE_DIFF_CHANGES] = {
    "only_in_a", "only_in_b", "checksum", "share",      "lines",
    "targets",   "vtables",   "callers",  "attributes", "name"};

/* ---- functions ---- */

static void write_text(struct json_writer *w, const char *key, struct apf_str text)
{
    json_key(w, key);
    if (text.p)
        json_bytes(w, text.p, text.n);
    else
        json_none(w);
    json_entry_demangled(w, text);
}

static void write_side(struct json_writer *w, const struct apf_sample_diff_function *f, unsigned i)
{
    const struct apf_sample_diff_side *s = &f->side[i];
    json_key(w, i ? "b" : "a");
    if (f->changes & (i ? APF_SAMPLE_DIFF_ONLY_A : APF_SAMPLE_DIFF_ONLY_B)) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    write_text(w, "name", s->name.text);
    json_entry_hash(w, "hash", s->name.hash);
    json_entry_u64(w, "samples", s->samples);
    json_entry_double(w, "share", s->share);
    json_entry_double(w, "inlined", s->inlined);
    json_entry_u64(w, "head", s->head);
    json_key(w, "checksum");
    if (s->checksum)
        json_hash(w, s->checksum);
    else
        json_none(w);
    json_entry_u64(w, "checksums", s->n_checksums);
    json_entry_u64(w, "lines", s->n_lines);
    json_entry_u64(w, "lone_lines", s->n_lone);
    json_entry_u64(w, "targets", s->n_targets);
    json_entry_u64(w, "vtables", s->n_vtables);
    json_entry_u64(w, "callers", s->n_callers);
    sample_bit_words_write(w, "attributes", sample_attribute_words, s->attributes);
    json_object_end(w);
}

static void write_function(struct json_writer *w, const struct apf_sample_diff_function *f)
{
    json_line_object(w);
    write_text(w, "function", sample_diff_side(f)->name.text);
    json_entry_double(w, "effect", f->effect);
    json_key(w, "changes");
    json_array_begin(w);
    for (unsigned i = 0; i < APF_SAMPLE_DIFF_CHANGES; i++)
        if (f->changes >> i & 1)
            json_cstring(w, change_names[i]);
    json_array_end(w);
    json_entry_double(w, "lines_moved", f->lines_moved);
    json_entry_double(w, "targets_moved", f->targets_moved);
    json_entry_double(w, "vtables_moved", f->vtables_moved);
    json_entry_double(w, "callers_moved", f->callers_moved);
    write_side(w, f, 0);
    write_side(w, f, 1);
    json_object_end(w);
}

/* ---- the profiles ---- */

static void write_profile(struct json_writer *w, const struct apf_sample_diff *diff, unsigned i)
{
    const char *path = diff->options.names[i];
    struct apf_str name = {path, path ? strlen(path) : 0};
    json_key(w, i ? "b" : "a");
    json_object_begin(w);
    json_entry_path(w, name);
    json_entry_u64(w, "functions", diff->totals.functions[i]);
    json_entry_double(w, "samples", diff->totals.samples[i]);
    json_entry_double(w, "inlined", diff->totals.inlined[i]);
    json_entry_double(w, "stale", diff->totals.stale[i]);
    json_object_end(w);
}

static void write_totals(struct json_writer *w, const struct apf_sample_diff_totals *t)
{
    json_entry_bool(w, "lines_compared", t->lines_compared);
    json_entry_bool(w, "callers_compared", t->callers_compared);
    json_entry_double(w, "difference", t->difference);
    json_entry_u64(w, "equal", t->equal);
    json_entry_u64(w, "differ", t->differ);
    json_key(w, "totals");
    json_object_begin(w);
    for (unsigned i = 0; i < APF_SAMPLE_DIFF_CHANGES; i++) {
        json_key(w, change_names[i]);
        json_line_object(w);
        json_entry_u64(w, "functions", t->changes[i].n);
        json_entry_double(w, "effect", t->changes[i].effect);
        json_object_end(w);
    }
    json_object_end(w);
}

int sample_diff_json(const struct apf_sample_diff *diff, struct file_out *out, struct apf_error *error)
{
    struct json_writer w;
    size_t n = sample_diff_shown(diff);
    json_start_output(&w, out);
    json_object_begin(&w);
    json_head(&w, "anyprof-sample-diff/1");
    write_profile(&w, diff, 0);
    write_profile(&w, diff, 1);
    json_entry_bool(&w, "absolute", diff->options.flags & APF_SAMPLE_DIFF_ABSOLUTE);
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
