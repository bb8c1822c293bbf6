/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/views/overlap_json.h"

#include "base/file.h"
#include "base/json_entry.h"
#include "instr/json/profile_json.h"
#include "instr/views/overlap.h"

/* Writes sums or shares; `entries` is what they are of, NULL if that is not counted. */
static void write_sums(struct json_writer *w, const char *key, const char *entries,
                       const struct apf_overlap_sums *sums)
{
    json_key(w, key);
    json_object_begin(w);
    if (entries)
        json_entry_u64(w, entries, sums->n);
    json_entry_double(w, "counts", sums->edges);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        json_entry_double(w, json_value_keys[k], sums->values[k]);
    json_object_end(w);
}

static void write_all_sums(struct json_writer *w, const char *entries, const char *entries_of_one,
                           const struct apf_overlap *o)
{
    write_sums(w, "overlap", entries, &o->overlap);
    write_sums(w, "mismatch", entries, &o->mismatch);
    write_sums(w, "only_in_test", entries, &o->unique);
    write_sums(w, "base_sums", entries_of_one, &o->base);
    write_sums(w, "test_sums", entries_of_one, &o->test);
}

/* An overlap_report_fn. */
static void write_function(void *user, const struct overlap_function *f)
{
    struct json_writer *w = (struct json_writer *)user;
    json_line_object(w);
    json_entry_function(w, "name", f->name);
    json_entry_hash(w, "hash", f->hash);
    write_all_sums(w, "counters", NULL, &f->sums);
    json_object_end(w);
}

static void write_profile(struct json_writer *w, const char *key, const char *path)
{
    const struct apf_str name = {path, strlen(path)};
    json_key(w, key);
    json_object_begin(w);
    json_entry_path(w, name);
    json_object_end(w);
}

int overlap_json(const struct apf_instr *base, const struct apf_instr *test,
                 const struct apf_overlap_options *options, struct file_out *out, struct apf_overlap *found,
                 struct apf_error *error)
{
    static const char *const zeros[] = {NULL, "base", "test"}; /* by enum apf_overlap_zero */
    static const char *const kinds[] = {NULL, "front_end", "context_sensitive"}; /* enum apf_overlap_kinds */
    struct json_writer w;
    json_start_output(&w, out);
    json_object_begin(&w);
    json_head(&w, "anyprof-overlap/1");
    write_profile(&w, "base", options->names[0]);
    write_profile(&w, "test", options->names[1]);
    json_entry_bool(&w, "context_sensitive", options->flags & APF_OVERLAP_CS);
    json_key(&w, "functions");
    json_array_begin(&w);
    const int code = overlap_find(base, test, options, write_function, &w, found, error);
    if (code != APF_OK)
        return code;
    json_array_end(&w);
    json_entry_string(&w, "without_counts", zeros[found->zero]);
    json_entry_string(&w, "kinds_differ", kinds[found->kinds]);
    json_entry_u64(&w, "left_out", found->left_out);
    json_entry_u64(&w, "saturated", found->saturated);
    json_key(&w, "totals");
    json_object_begin(&w);
    write_all_sums(&w, "functions", "functions", found);
    json_object_end(&w);
    json_object_end(&w);
    return json_finish(&w, error);
}
