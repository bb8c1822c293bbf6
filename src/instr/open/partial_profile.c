/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/open/partial_profile.h"

#include <anyprof/merge.h>

#include "base/error.h"
#include "inputs/inputs_partial.h"
#include "instr/merge/merge.h"
#include "instr/partial/partial_classes.h"
#include "partial/partial_read.h"

/* The limits with which the traces of the file were chosen. */
static int read_limits(const struct apf_input *input, struct apf_merge_options *o, struct apf_error *error)
{
    struct partial_reader file;
    struct partial_whole whole = {0};
    int code = partial_open(&file, input, PARTIAL_INSTR, UINT64_MAX, error);
    if (code == APF_OK)
        code = partial_read_whole(&file, &whole, error);
    partial_reader_close(&file);
    o->trace_reservoir = whole.trace_reservoir;
    o->trace_length = whole.length;
    o->flags |= whole.trace_reservoir ? 0 : APF_MERGE_NO_TRACES;
    o->flags |= whole.length ? 0 : APF_MERGE_FORGET_TRACES;
    return code;
}

static int merge_alone(struct apf_merge *m, const struct apf_input *input,
                       const struct apf_tolerance *tolerance, struct apf_instr **instr,
                       struct apf_error *error)
{
    int code = apf_merge_add(m, input, 1, error);
    if (code == APF_OK && m->n_partials == 0) /* the file itself is damaged */
        return partial_first_error(&m->kept, APF_BAD_PARTIAL, error);
    if (code == APF_OK)
        code = apf_merge_view(m, instr, error);
    if (code != APF_OK)
        return code;
    (*instr)->owner = m;
    code = apf_merge_verdict(m, tolerance);
    return code == APF_OK ? code : partial_first_error(&m->kept, code, error);
}

int partial_profile_open(struct apf_instr **instr, const void *data, size_t n,
                         const struct apf_options *options, const struct apf_tolerance *tolerance,
                         struct apf_error *error)
{
    const struct apf_input input = apf_input_memory(data, n, NULL);
    struct apf_options quiet = *options;
    struct apf_merge_options o = {.size = sizeof o, .options = &quiet};
    struct apf_merge *m = NULL;
    quiet.diag = NULL;
    quiet.progress = NULL;
    *instr = NULL;
    int code = read_limits(&input, &o, error);
    if (code == APF_OK)
        code = apf_merge_new(&m, &o, error);
    if (code == APF_OK)
        code = merge_alone(m, &input, tolerance, instr, error);
    if (code != APF_OK) {
        apf_merge_free(m);
        *instr = NULL;
    }
    return code;
}
