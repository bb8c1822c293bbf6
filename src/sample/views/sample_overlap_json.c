/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/file.h"
#include "base/json_entry.h"
#include "sample/views/sample_overlap.h"

static void write_common(struct json_writer *w, const char *key, const struct apf_sample_common *common)
{
    json_key(w, key);
    json_line_object(w);
    json_entry_u64(w, "both", common->both);
    json_entry_u64(w, "only_in_base", common->base);
    json_entry_u64(w, "only_in_test", common->test);
    json_object_end(w);
}

static void write_profile(struct json_writer *w, const struct apf_sample_overlap *o, unsigned i)
{
    const char *path = o->options.names[i];
    const struct apf_str name = {path, strlen(path)};
    json_key(w, i ? "test" : "base");
    json_object_begin(w);
    json_entry_path(w, name);
    json_entry_u64(w, "samples", o->totals.samples[i]);
    json_entry_u64(w, "unique_samples", o->totals.unique[i]);
    json_entry_u64(w, "hot_count", o->totals.hot_count[i]);
    json_object_end(w);
}

static void write_side(struct json_writer *w, const struct apf_sample_overlap_function *f, unsigned i)
{
    json_key(w, i ? "test" : "base");
    json_object_begin(w);
    json_entry_u64(w, "samples", f->samples[i]);
    json_entry_double(w, "weight", f->weight[i]);
    json_entry_double(w, "unique", f->unique[i]);
    json_object_end(w);
}

static void write_function(struct json_writer *w, const struct apf_sample_overlap_function *f)
{
    json_line_object(w);
    json_entry_function(w, "name", f->name);
    json_entry_double(w, "similarity", f->similarity);
    json_entry_double(w, "overlap", f->overlap);
    write_side(w, f, 0);
    write_side(w, f, 1);
    json_object_end(w);
}

int sample_overlap_json(const struct apf_sample_overlap *overlap, struct file_out *out,
                        struct apf_error *error)
{
    const struct apf_sample_overlap_totals *t = &overlap->totals;
    struct json_writer w;
    json_start_output(&w, out);
    json_object_begin(&w);
    json_head(&w, "anyprof-sample-overlap/1");
    write_profile(&w, overlap, 0);
    write_profile(&w, overlap, 1);
    json_entry_double(&w, "similarity", t->similarity);
    json_entry_double(&w, "overlap", t->overlap);
    write_common(&w, "functions_in", &t->functions);
    write_common(&w, "hot_functions_in", &t->hot_functions);
    write_common(&w, "hot_lines_in", &t->hot_lines);
    json_key(&w, "functions");
    json_array_begin(&w);
    for (size_t i = 0; i < overlap->functions.n && !json_failed(&w); i++)
        write_function(&w, &overlap->functions.data[i]);
    json_array_end(&w);
    json_object_end(&w);
    return json_finish(&w, error);
}
