/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The public functions that open and close a profile. */
#include <anyprof/merge.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "inputs/inputs_partial.h"
#include "instr/merge/merge.h"
#include "instr/open/partial_profile.h"
#include "instr/read/formats.h"
#include "instr/read/salvage.h"
#include "partial/partial_read.h"

/* Opens the intact part of an input after a failure. */
static int open_salvaged(struct apf_instr **instr, const struct file_bytes *bytes,
                         const struct read_options *limits, const struct apf_error *why,
                         struct apf_error *error)
{
    struct apf_error failure;
    *instr = profile_new();
    if (!*instr)
        return error_memory(error);
    int code = profile_salvage_file(*instr, bytes, limits, why, &failure);
    if (code != APF_OK && error)
        *error = failure;
    return code;
}

/* Opens a partial profile of which not all inputs are lost. */
static int open_partial(struct apf_instr **instr, const struct file_bytes *bytes, const struct apf_options *o,
                        struct apf_error *error)
{
    static const struct apf_tolerance any = {APF_FAIL_ALL, 0};
    int code = partial_profile_open(instr, bytes->data, bytes->n, o, &any, error);
    return code == APF_OK ? partial_report_lost(&(*instr)->owner->kept, o, error) : code;
}

int apf_instr_open(struct apf_instr **instr, const struct apf_input *input, const struct apf_options *options,
                   struct apf_error *error)
{
    struct apf_options o;
    struct file_bytes bytes = {0};
    struct apf_error why; /* salvaging needs it, and the caller only if nothing is salvaged */
    *instr = NULL;
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code != APF_OK)
        return code;
    struct pulse pulse = {.beat = NULL};
    struct read_options limits = read_options_resolve(&o);
    pulse_begin_input(&pulse, &o);
    limits.pulse = bytes.pulse = &pulse;
    code = file_read(&bytes, input, limits.max_bytes, &why);
    limits.stored = bytes.stored;
    if (code == APF_OK && partial_is(bytes.data, bytes.n))
        code = open_partial(instr, &bytes, &o, &why);
    else if (code == APF_OK)
        code = profile_read(instr, bytes.data, bytes.n, &limits, &why);
    file_error(&why, code, input, 0);
    if (limits.flags & APF_FLAG_SALVAGE && salvage_may(code))
        code = open_salvaged(instr, &bytes, &limits, &why, error);
    else if (code != APF_OK && error)
        *error = why;
    if (code == APF_OK)
        code =
            finding_table_report(&quirk_table, (*instr)->quirks, 0, file_name(input), o.diag, o.user, error);
    if (code != APF_OK) {
        apf_instr_close(*instr);
        *instr = NULL;
    }
    file_bytes_free(&bytes);
    return file_error(error, code, input, 0);
}

void apf_instr_close(struct apf_instr *instr)
{
    if (!instr)
        return;
    if (instr->owner)
        apf_merge_free(instr->owner);
    else if (!profile_is_view(instr))
        profile_free(instr);
}
