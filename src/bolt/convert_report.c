/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the funnel of a conversion as JSON; docs/json.md describes it. */
#include <string.h>

#include "base/file.h"
#include "base/json_entry.h"
#include "base/options.h"

#include <anyprof/bolt.h>

/* Writes the counts of perf's lines, samples and branch entries. */
static void write_perf(const struct apf_bolt_funnel *f, struct json_writer *w)
{
    json_key(w, "perf");
    if (!f->perf_script && !f->perf_data) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    if (f->perf_script) {
        json_entry_u64(w, "lines_of_events", f->lines_of_events);
        json_entry_u64(w, "lines_of_losses", f->lines_of_losses);
        json_entry_u64(w, "lines_other", f->lines_other);
        json_entry_u64(w, "first_other_line", f->first_other_line);
    } else {
        json_entry_known(w, "cut_at", f->data_cut, f->data_cut_at);
        json_entry_u64(w, "lost", f->data_lost);
        json_entry_u64(w, "damaged_samples", f->data_damaged_samples);
    }
    json_entry_u64(w, "processes", f->processes);
    json_entry_u64(w, "mappings_ignored", f->mappings_ignored);
    json_key(w, "build_id_unknown");
    json_bool(w, f->build_id_unknown);
    json_key(w, "name_by_build_id");
    json_bool(w, f->name_by_build_id);
    json_key(w, "samples");
    json_line_object(w);
    json_entry_u64(w, "seen", f->samples);
    json_entry_u64(w, "elsewhere", f->samples_elsewhere);
    json_entry_u64(w, "empty", f->samples_empty);
    json_entry_u64(w, "loads", f->loads);
    json_entry_u64(w, "beyond", f->samples_beyond);
    json_object_end(w);
    json_key(w, "entries");
    json_line_object(w);
    json_entry_u64(w, "seen", f->entries);
    json_entry_u64(w, "kernel", f->entries_kernel);
    json_entry_u64(w, "repeated", f->entries_repeated);
    json_entry_u64(w, "without_prediction", f->entries_without_prediction);
    json_entry_u64(w, "not_taken", f->entries_not_taken);
    json_object_end(w);
    json_object_end(w);
}

/* The words of enum apf_bolt_loss_reason. */
static const char *const reasons[] = {"no_branch",     "torn",     "unresolved",
                                      "without_table", "left_out", "no_symbol"};

/* Writes how much is lost, and in which functions. */
static void write_losses(const struct apf_bolt_funnel *f, struct json_writer *w)
{
    json_key(w, "lost");
    json_line_object(w);
    json_entry_u64(w, "in_program", f->in_program);
    for (size_t i = 0; i < APF_BOLT_LOSSES; i++)
        json_entry_u64(w, reasons[i], f->lost[i]);
    json_object_end(w);
    json_key(w, "losing_functions");
    json_array_begin(w);
    for (size_t i = 0; i < f->n_top && i < APF_BOLT_TOP; i++) {
        const struct apf_bolt_loss *loss = &f->top[i];
        json_line_object(w);
        json_entry_name(w, "name",
                        (struct apf_str){loss->function, strnlen(loss->function, sizeof loss->function)});
        json_entry_u64(w, "seen", loss->seen);
        json_entry_u64(w, "lost", loss->lost);
        json_entry_string(w, "reason", reasons[loss->reason < APF_BOLT_LOSSES ? loss->reason : 0]);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_report(const struct apf_bolt_funnel *f, struct json_writer *w)
{
    json_object_begin(w);
    json_head(w, "anyprof-bolt-conversion/1");
    json_entry_u64(w, "records", f->records);
    json_entry_u64(w, "different", f->different);
    json_key(w, "branches");
    json_line_object(w);
    json_entry_u64(w, "seen", f->branches);
    json_entry_u64(w, "mapped", f->branches_mapped);
    json_entry_u64(w, "returns", f->returns);
    json_entry_u64(w, "outside", f->branches_outside);
    json_entry_u64(w, "unnamed", f->branches_unnamed);
    json_object_end(w);
    json_key(w, "falls");
    json_line_object(w);
    json_entry_u64(w, "seen", f->falls);
    json_entry_u64(w, "mapped", f->falls_mapped);
    json_entry_u64(w, "outside", f->falls_outside);
    json_entry_u64(w, "unnamed", f->falls_unnamed);
    json_entry_u64(w, "inconsistent", f->falls_inconsistent);
    json_entry_u64(w, "without_table", f->falls_without_table);
    json_entry_u64(w, "unresolved", f->falls_unresolved);
    json_entry_u64(w, "by_code", f->falls_by_code);
    json_object_end(w);
    json_key(w, "basic");
    json_line_object(w);
    json_entry_u64(w, "seen", f->basic);
    json_entry_u64(w, "mapped", f->basic_mapped);
    json_entry_u64(w, "outside", f->basic_outside);
    json_entry_u64(w, "unnamed", f->basic_unnamed);
    json_object_end(w);
    json_entry_u64(w, "untranslated", f->untranslated);
    json_entry_u64(w, "other_mode", f->other_mode);
    write_perf(f, w);
    json_entry_u64(w, "unresolved_jumps", f->jumps_unresolved);
    json_entry_u64(w, "edges", f->edges);
    json_entry_u64(w, "saturated", f->saturated);
    write_losses(f, w);
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
    struct apf_bolt_funnel f;
    struct json_writer w;
    struct file_out *out;
    int code = OPTIONS_READ(apf_bolt_funnel, &f, funnel, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    json_start(&w, file_out_callback, out, 2);
    write_report(&f, &w);
    code = json_finish(&w, error);
    return file_out_finish(out, code, error);
}
