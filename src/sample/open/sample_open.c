/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The public functions that read a profile. */
#include "base/error.h"
#include "base/options.h"
#include "inputs/inputs_partial.h"
#include "partial/partial_read.h"
#include "sample/merge/sample_merge.h"
#include "sample/open/sample_partial_open.h"
#include "sample/read/sample_formats.h"

static int read_file(struct apf_sample *s, struct file_bytes *bytes, const struct apf_input *input,
                     const struct sample_read_options *limits, struct apf_error *error)
{
    struct apf_error why; /* salvaging needs it, and the caller only if nothing is salvaged */
    int code = file_read(bytes, input, limits->max_bytes, &why);
    if (code == APF_OK && partial_is(bytes->data, bytes->n))
        return APF_OK; /* for open_partial */
    if (code == APF_OK)
        code = sample_read_any(s, bytes->data, bytes->n, limits, &why);
    if (code == APF_OK)
        return sample_identify(s, error);
    file_error(&why, code, input, 0);
    if (limits->flags & APF_FLAG_SALVAGE && apf_code_is_damage(code)) {
        sample_reset(s);
        return sample_salvage_file(s, bytes, limits, &why, error);
    }
    if (error)
        *error = why;
    return code;
}

/* Opens a partial profile of which not all inputs are lost. */
static int open_partial(struct apf_sample **sample, const struct file_bytes *bytes,
                        const struct apf_sample_read_options *options, const struct apf_input *input,
                        struct apf_error *error)
{
    static const struct apf_tolerance any = {APF_FAIL_ALL, 0};
    struct apf_sample_read_options read;
    struct apf_options common;
    int code = OPTIONS_READ_BOTH(apf_sample_read_options, &read, options, &common, error);
    if (code == APF_OK)
        code = sample_partial_open(sample, bytes->data, bytes->n, &read, &common, &any, error);
    return code == APF_OK ? partial_report_lost(&(*sample)->owner->kept, &common, error)
                          : file_error(error, code, input, 0);
}

int apf_sample_open(struct apf_sample **sample, const struct apf_input *input,
                    const struct apf_sample_read_options *options, struct apf_error *error)
{
    struct sample_read_options limits;
    struct apf_options common;
    struct pulse pulse = {.beat = NULL};
    struct file_bytes bytes = {.pulse = &pulse};
    *sample = NULL;
    int code = sample_read_options_resolve(&limits, options, &common, error);
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code != APF_OK)
        return code;
    pulse_begin_input(&pulse, &common);
    limits.pulse = &pulse;
    struct apf_sample *s = sample_new();
    code = s ? read_file(s, &bytes, input, &limits, error) : error_memory(error);
    if (code == APF_OK && partial_is(bytes.data, bytes.n)) {
        sample_free(s);
        s = NULL;
        code = open_partial(&s, &bytes, options, input, error);
    }
    if (code == APF_OK)
        code = finding_table_report(&sample_finding_table, s->findings, 0, file_name(input), common.diag,
                                    common.user, error);
    if (code == APF_OK)
        *sample = s;
    else
        apf_sample_close(s);
    file_bytes_free(&bytes);
    return file_error(error, code, input, 0);
}

void apf_sample_close(struct apf_sample *sample)
{
    if (sample && sample->owner)
        apf_sample_merge_free(sample->owner);
    else if (sample && !sample->is_view)
        sample_free(sample);
}

const struct apf_sample_info *apf_sample_info(const struct apf_sample *sample)
{
    return &sample->info;
}

const struct apf_sample_salvage *apf_sample_salvage(const struct apf_sample *sample)
{
    return sample->salvage;
}
