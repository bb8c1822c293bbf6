/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of samples, as JSON; docs/json.md describes it. */
#include "base/file.h"
#include "base/json_entry.h"
#include "base/options.h"

#include <anyprof/bolt.h>

static void put(const struct apf_bolt_funnel *f, struct json_writer *w)
{
    json_object(w);
    json_head(w, "anyprof-bolt-conversion/1");
    json_entry_u64(w, "records", f->records);
    json_key(w, "branches");
    json_line_object(w);
    json_entry_u64(w, "seen", f->branches);
    json_entry_u64(w, "mapped", f->branches_mapped);
    json_entry_u64(w, "returns", f->returns);
    json_entry_u64(w, "outside", f->branches_outside);
    json_object_end(w);
    json_key(w, "falls");
    json_line_object(w);
    json_entry_u64(w, "seen", f->falls);
    json_entry_u64(w, "mapped", f->falls_mapped);
    json_entry_u64(w, "outside", f->falls_outside);
    json_entry_u64(w, "torn", f->falls_torn);
    json_entry_u64(w, "without_table", f->falls_without_table);
    json_entry_u64(w, "unresolved", f->falls_unresolved);
    json_entry_u64(w, "by_code", f->falls_by_code);
    json_object_end(w);
    json_key(w, "basic");
    json_line_object(w);
    json_entry_u64(w, "seen", f->basic);
    json_entry_u64(w, "mapped", f->basic_mapped);
    json_entry_u64(w, "outside", f->basic_outside);
    json_object_end(w);
    json_entry_u64(w, "other_mode", f->other_mode);
    json_entry_u64(w, "unresolved_jumps", f->jumps_unresolved);
    json_entry_u64(w, "edges", f->edges);
    json_key(w, "functions");
    json_line_object(w);
    json_entry_u64(w, "seen", f->functions);
    json_entry_u64(w, "left_out", f->functions_left_out);
    json_object_end(w);
    json_object_end(w);
}

int apf_bolt_funnel_write(const struct apf_bolt_funnel *funnel, const struct apf_output *output,
                          struct apf_error *error)
{
    struct apf_bolt_funnel f = {0};
    struct json_writer w;
    struct file_out *out;
    options_take(&f, sizeof f, funnel);
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    json_start(&w, file_out_take, out, 2);
    put(&f, &w);
    code = json_finish(&w, error);
    return file_out_finish(out, code, error);
}
