/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export/export_make.h"

#include "base/error.h"
#include "base/options.h"
#include "export/writers.h"

#define MOST_FORMAT APF_EXPORT_CSV
#define SOURCE_FLAGS                                                                                         \
    (APF_EXPORT_LINES | APF_EXPORT_CALLERS | APF_EXPORT_HASHES | APF_EXPORT_LOCAL | APF_EXPORT_NAMES_STAY)

static int check_source(const struct apf_export_source *s, struct apf_error *error)
{
    if (!s->walk || !s->values || s->n_values < 1 || s->n_values > APF_EXPORT_MOST_VALUES)
        return error_plain(error, APF_ARGUMENT, "apf_export_source", "no stacks, or no values");
    return flags_check(s->flags, SOURCE_FLAGS, "apf_export_source.flags", error);
}

static int check_options(const struct apf_export_options *o, const struct apf_export_source *s,
                         struct apf_error *error)
{
    if (o->format < 1 || o->format > MOST_FORMAT)
        return error_mismatch(error, APF_ARGUMENT, "apf_export_options.format", 0, o->format, MOST_FORMAT,
                              NULL);
    if (o->value >= s->n_values)
        return error_mismatch(error, APF_ARGUMENT, "apf_export_options.value", 0, o->value, s->n_values - 1,
                              NULL);
    return flags_check(o->flags, APF_EXPORT_BY_LINE, "apf_export_options.flags", error);
}

static int write_to(struct export_run *run, const struct apf_output *output)
{
    static int (*const writers[MOST_FORMAT + 1])(struct export_run *) = {[APF_EXPORT_FOLDED] = folded_write,
                                                                         [APF_EXPORT_SPEEDSCOPE] =
                                                                             speedscope_write,
                                                                         [APF_EXPORT_PPROF] = pprof_write,
                                                                         [APF_EXPORT_CSV] = csv_write};
    int code = file_out_open(&run->out, output, run->error);
    if (code != APF_OK)
        return code;
    code = writers[run->options->format](run);
    if (code == APF_OK)
        code = export_check_output(run, 0);
    /* A write that has failed is reported when the output is closed. */
    return file_out_finish(run->out, file_out_failed(run->out) ? APF_OK : code, run->error);
}

int export_make(const struct apf_export_source *source, const struct apf_export_options *options,
                const struct apf_output *output, struct apf_export_result *result, struct apf_error *error)
{
    struct apf_export_options o;
    int code = OPTIONS_READ(apf_export_options, &o, options, error);
    if (code == APF_OK)
        code = check_options(&o, source, error);
    if (code != APF_OK)
        return code;
    struct export_run run = {
        .source = source, .options = &o, .names = {.show = o.function_name, .user = o.names}};
    run.names.stay = source->flags & APF_EXPORT_NAMES_STAY;
    run.result = result;
    result->divisor = 1;
    run.error = error;
    code = write_to(&run, output);
    export_names_free(&run.names);
    return code;
}

int apf_export_write(const struct apf_export_source *source, const struct apf_export_options *options,
                     const struct apf_output *output, struct apf_export_result *result,
                     struct apf_error *error)
{
    struct apf_export_source s;
    struct apf_export_result made = {.size = sizeof made};
    int code = OPTIONS_READ(apf_export_source, &s, source, error);
    if (code == APF_OK)
        code = check_source(&s, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_export_result, result, error);
    if (code == APF_OK)
        code = export_make(&s, options, output, &made, error);
    if (code == APF_OK)
        result_fill(result, sizeof made, &made);
    return code;
}
