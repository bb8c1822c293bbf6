/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile_kind.h"

#include <anyprof/jobs.h>

#include "command.h"
#include "options.h"

uint64_t profile_kind_of(const struct session *session, const struct arguments *args,
                         const struct apf_input *inputs, size_t n)
{
    uint64_t kind = option_number(args, OPT_KIND, KIND_DETECTED);
    double samples = 0, others = 0; /* weights may be as large as 2^64-1 */
    if (kind != KIND_DETECTED)
        return kind;
    if (session->persona->tool)
        return KIND_INSTR;
    for (size_t i = 0; i < n; i++) {
        enum apf_file_kind found = apf_file_glance(&inputs[i]);
        double weight = inputs[i].weight ? (double)inputs[i].weight : 1;
        if (apf_file_kind_is_sample(found))
            samples += weight;
        else if (found != APF_KIND_UNKNOWN && found != APF_KIND_EMPTY)
            others += weight;
    }
    return samples > others ? KIND_SAMPLE : KIND_INSTR;
}

uint64_t profile_kind_of_files(const struct session *session, const struct arguments *args, size_t n)
{
    struct apf_input inputs[2];
    n = args->n_files < n ? args->n_files : n;
    for (size_t i = 0; i < n; i++)
        inputs[i] = apf_input_file(args->files[i]);
    return profile_kind_of(session, args, inputs, n);
}
