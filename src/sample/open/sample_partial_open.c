/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/open/sample_partial_open.h"

#include "base/error.h"
#include "inputs/inputs_partial.h"
#include "sample/merge/sample_merge.h"

static int merge_alone(struct apf_sample_merge *m, const struct apf_input *input,
                       const struct apf_tolerance *tolerance, struct apf_sample **sample,
                       struct apf_error *error)
{
    int code = apf_sample_merge_add(m, input, 1, error);
    if (code == APF_OK && m->n_partials == 0) /* the file itself is damaged */
        return partial_first_error(&m->kept, APF_BAD_PARTIAL, error);
    if (code == APF_OK)
        code = sample_merge_finish(m, error);
    if (code == APF_OK)
        code = apf_sample_merge_verdict(m, tolerance);
    else
        return code;
    if (code != APF_OK)
        return partial_first_error(&m->kept, code, error);
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
