/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/inputs_report.h"

#include "base/json_entry.h"
#include "inputs/inputs_removal.h"
#include "inputs/inputs_verdict.h"

#define MILLIONTHS 1000000.0

static const char *output_verdict(const struct inputs *in, const struct apf_tolerance *t)
{
    switch (in->output.state) {
    case OUTPUT_WRITTEN:
        return "written";
    case OUTPUT_FAILED:
        return "failed";
    default:
        return t && inputs_verdict(in, t) != APF_OK ? "refused" : "not_written";
    }
}

static void write_conclusion(struct json_writer *w, const struct inputs *in, const struct apf_tolerance *t)
{
    static const char *const modes[] = {"any", "all", "warn", NULL}; /* by enum apf_failure_mode */
    json_entry_string(w, "verdict", output_verdict(in, t));
    json_entry_error(w, "error", in->output.state == OUTPUT_FAILED ? &in->output.error : NULL);
    json_entry_string(w, "failure_mode", t && (uint32_t)t->mode <= APF_FAIL_SHARE ? modes[t->mode] : NULL);
    if (t && t->mode == APF_FAIL_SHARE)
        json_entry_double(w, "max_loss", t->max_loss / MILLIONTHS);
    else
        json_entry_string(w, "max_loss", NULL);
}

static void write_outcome(struct json_writer *w, const struct kept_input *input)
{
    const char *verdict = "rejected";
    const struct apf_error *error = NULL;
    switch (input->code) {
    case APF_OK:
        verdict = input->damage ? "salvaged" : "merged";
        error = input->damage;
        break;
    case APF_EMPTY_PROFILE:
        verdict = "empty";
        break;
    case APF_ALREADY_MERGED:
        verdict = "held";
        break;
    default:
        error = input->error;
        break;
    }
    json_entry_path(w, input->name);
    json_entry_u64(w, "inputs", input->n_inputs);
    json_entry_string(w, "verdict", verdict);
    json_entry_error(w, "error", error);
}

static void write_input(struct json_writer *w, const struct inputs *in, const struct inputs_reporter *r,
                        size_t i)
{
    json_object_begin(w);
    write_outcome(w, &in->list.data[i]);
    r->input(in->merge, i, w);
    json_key(w, "removed");
    if (in->removal && in->removal->remove)
        json_bool(w, in->list.data[i].removed);
    else
        json_none(w);
    json_object_end(w);
}

static void write_document(struct json_writer *w, const struct inputs *in, const struct inputs_reporter *r,
                           const struct apf_tolerance *t)
{
    json_object_begin(w);
    json_head(w, r->schema);
    write_conclusion(w, in, t);
    r->totals(in->merge, w);
    json_key(w, "inputs");
    json_array_begin(w);
    for (size_t i = 0; i < in->list.n; i++)
        write_input(w, in, r, i);
    json_array_end(w);
    json_object_end(w);
}

int inputs_report(const struct inputs *in, const struct inputs_reporter *reporter,
                  const struct apf_tolerance *tolerance, const struct apf_output *output,
                  struct apf_error *error)
{
    struct json_writer w;
    struct file_out *out;
    int code = inputs_check_whole(in, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    json_start(&w, file_out_callback, out, 2);
    write_document(&w, in, reporter, tolerance);
    code = json_finish(&w, error);
    return file_out_finish(out, code, error);
}
