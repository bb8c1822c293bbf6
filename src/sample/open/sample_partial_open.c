/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/open/sample_partial_open.h"

#include "base/error.h"
#include "sample/merge/sample_merge.h"

/* The error of the first input. */
static int first_error(const struct apf_sample_merge *m, int code, struct apf_error *error)
{
    const struct apf_sample_input_result *first = apf_sample_merge_input(m, 0);
    if (!first || !first->error)
        return error_plain(error, code, "partial.input", "it stands for empty inputs");
    if (error)
        *error = *first->error;
    return first->code;
}

static int merge_alone(struct apf_sample_merge *m, const struct apf_input *input,
                       const struct apf_tolerance *tolerance, struct apf_sample **sample,
                       struct apf_error *error)
{
    int code = apf_sample_merge_add(m, input, 1, error);
    if (code == APF_OK && m->n_partials == 0) /* the file itself is damaged */
        return first_error(m, APF_BAD_PARTIAL, error);
    if (code == APF_OK)
        code = sample_merge_finish(m, error);
    if (code == APF_OK)
        code = apf_sample_merge_verdict(m, tolerance);
    else
        return code;
    if (code != APF_OK)
        return first_error(m, code, error);
    m->view->owner = m;
    *sample = m->view;
    return APF_OK;
}

int sample_partial_open(struct apf_sample **sample, const void *data, size_t n,
                        const struct apf_sample_read_options *read, const struct apf_options *options,
                        const struct apf_tolerance *tolerance, struct apf_error *error)
{
    const struct apf_input input = apf_input_memory(data, n, NULL);
    struct apf_options quiet = *options;
    struct apf_sample_merge_options o = {.size = sizeof o, .options = &quiet};
    if (read) {
        o.pass = read->pass;
        o.flags = read->flags & APF_SAMPLE_READ_FS ? APF_SAMPLE_MERGE_FS : 0;
    }
    struct apf_sample_merge *m = NULL;
    quiet.diag = NULL;
    quiet.progress = NULL;
    *sample = NULL;
    int code = apf_sample_merge_new(&m, &o, error);
    if (code == APF_OK)
        code = merge_alone(m, &input, tolerance, sample, error);
    if (code != APF_OK)
        apf_sample_merge_free(m);
    return code;
}

int sample_partial_report(const struct apf_sample *sample, const struct apf_options *options,
                          struct apf_error *error)
{
    const struct apf_sample_input_result *r;
    for (size_t i = 0; options->diag && (r = apf_sample_merge_input(sample->owner, i)); i++) {
        const struct apf_diag diag = {.severity = APF_SEVERITY_WARNING,
                                      .code = r->code,
                                      .source = r->name,
                                      .input = i,
                                      .error = r->error};
        if (r->error && options->diag(options->user, &diag) != 0)
            return error_plain(error, APF_STOPPED, "partial.input", NULL);
    }
    return APF_OK;
}
