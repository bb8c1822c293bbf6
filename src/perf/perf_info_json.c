/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes what a recording is, as JSON; docs/json.md describes it. */
#include "base/json_entry.h"
#include "base/options.h"
#include "perf/perf_info.h"
#include "perf/perf_recording.h"

static void write_events(const struct apf_perf *p, struct json_writer *w)
{
    json_key(w, "events");
    json_array_begin(w);
    for (size_t i = 0; i < p->info.n_events; i++) {
        const struct apf_perf_event *e = apf_perf_event(p, i);
        json_object_begin(w);
        json_entry_name(w, "name", e->name);
        json_entry_u64(w, "type", e->type);
        json_entry_hex(w, "config", e->config);
        json_entry_known(w, "period", !e->frequency, e->period);
        json_entry_known(w, "frequency", e->frequency, e->period);
        json_entry_hex(w, "sample_type", e->sample_type);
        json_entry_hex(w, "branch_type", e->branch_type);
        json_entry_string(w, "branches", perf_branch_words(e));
        json_entry_u64(w, "samples", e->n_samples);
        json_entry_u64(w, "with_branches", e->n_stacks);
        json_entry_u64(w, "branch_entries", e->n_branches);
        json_entry_u64(w, "with_call_chain", e->n_chains);
        json_entry_u64(w, "sum", e->sum);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_files(const struct apf_perf *p, struct json_writer *w)
{
    json_key(w, "files");
    json_array_begin(w);
    for (size_t i = 0; i < p->info.n_files; i++) {
        const struct apf_perf_file *f = apf_perf_file(p, i);
        json_line_object(w);
        json_entry_path(w, f->path);
        json_key(w, "build_id");
        if (f->build_id.n)
            json_digits(w, f->build_id.p, f->build_id.n);
        else
            json_none(w);
        json_entry_bool(w, "kernel", f->kernel);
        json_entry_u64(w, "samples", f->n_samples);
        json_entry_u64(w, "mappings", f->n_mappings);
        json_object_end(w);
    }
    json_array_end(w);
}

/* What is missing, in numbers. */
static void write_losses(const struct apf_perf_info *i, struct json_writer *w)
{
    json_key(w, "lost");
    json_object_begin(w);
    json_entry_u64(w, "records", i->n_lost_records);
    json_entry_u64(w, "samples", i->n_lost_samples);
    json_entry_u64(w, "throttled", i->n_throttled);
    json_entry_u64(w, "damaged_samples", i->n_damaged_samples);
    json_entry_u64(w, "damaged_records", i->n_damaged_records);
    json_entry_u64(w, "damaged_features", i->n_damaged_features);
    json_entry_u64(w, "of_unknown_events", i->n_unknown_events);
    json_entry_u64(w, "of_unknown_kinds", i->n_unknown_records);
    json_entry_u64(w, "incomplete_maps", i->n_incomplete_maps);
    json_entry_u64(w, "late", i->n_late);
    json_entry_u64(w, "not_taken", i->n_not_taken);
    json_object_end(w);
}

static void write_document(const struct apf_perf *p, struct json_writer *w)
{
    const struct apf_perf_info *i = &p->info;
    json_object_begin(w);
    json_head(w, "anyprof-perf-info/1");
    json_entry_name(w, "command", i->command);
    json_entry_name(w, "hostname", i->hostname);
    json_entry_name(w, "release", i->release);
    json_entry_name(w, "perf_version", i->version);
    json_entry_name(w, "arch", i->arch);
    json_entry_name(w, "cpu", i->cpu);
    json_entry_name(w, "cpu_id", i->cpu_id);
    json_entry_string(w, "form", i->directory ? "directory" : i->piped ? "pipe" : "file");
    json_entry_bool(w, "big_endian", i->big_endian);
    json_entry_bool(w, "unfinished", i->unfinished);
    json_entry_string(w, "end", perf_end_word(i->end));
    json_entry_known(w, "end_at", i->end != APF_PERF_END_WHOLE, i->end_at);
    json_entry_u64(w, "packed", i->packed);
    json_entry_u64(w, "unpacked", i->unpacked);
    json_entry_string(w, "tracer", perf_tracer_name(i->tracer));
    json_entry_u64(w, "tracer_bytes", i->aux_bytes);
    json_entry_u64(w, "records", i->n_records);
    json_entry_u64(w, "samples", i->n_samples);
    json_entry_u64(w, "unmapped", i->n_unmapped);
    json_entry_u64(w, "processes", i->n_processes);
    json_entry_known(w, "first_time", i->first_time, i->first_time);
    json_entry_known(w, "last_time", i->first_time, i->last_time);
    write_losses(i, w);
    write_events(p, w);
    write_files(p, w);
    json_object_end(w);
}

int apf_perf_info_write(const struct apf_perf *perf, const struct apf_output *output, struct apf_error *error)
{
    struct json_writer w;
    struct file_out *out;
    int code = output_check(output, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    json_start(&w, file_out_callback, out, 2);
    write_document(perf, &w);
    code = json_finish(&w, error);
    return file_out_finish(out, code, error);
}
