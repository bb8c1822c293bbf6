/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens one profile, or merges several. */
#include "report/report_set.h"

#include "base/error.h"
#include "base/file.h"

void report_set_close(struct report_set *s)
{
    if (!s->merge)
        apf_instr_close(s->instr);
    apf_merge_free(s->merge);
    apf_sample_close(s->opened);
    apf_sample_merge_free(s->sample_merge);
}

/* Fails with the error of an input, which no other one makes up for. */
static int nothing_left(int code, struct apf_str name, const struct apf_error *why, struct apf_error *error)
{
    if (why && error)
        *error = *why;
    return error_file(error, code, name.p, name.n);
}

static int check_left(const struct apf_merge *merge, struct apf_error *error)
{
    const struct apf_merge_stats *s = apf_merge_stats(merge);
    const struct apf_input_result *first = apf_merge_input(merge, 0);
    return s->n_merged + s->n_salvaged || !first
               ? APF_OK
               : nothing_left(first->code, first->name, first->error, error);
}

static int check_samples_left(const struct apf_sample_merge *merge, struct apf_error *error)
{
    const struct apf_sample_merge_stats *s = apf_sample_merge_stats(merge);
    const struct apf_sample_input_result *first = apf_sample_merge_input(merge, 0);
    return s->n_merged + s->n_salvaged || !first
               ? APF_OK
               : nothing_left(first->code, first->name, first->error, error);
}

static int open_instr(struct report_set *s, const struct apf_input *inputs, size_t n,
                      const struct apf_options *common, struct apf_error *error)
{
    const struct apf_tolerance all = {APF_FAIL_WARN, 0};
    const struct apf_merge_options options = {.size = sizeof options,
                                              .options = common,
                                              .flags = APF_MERGE_NO_TRACES | APF_MERGE_FIND_LOSSES,
                                              .tolerance = &all};
    if (n == 1)
        return apf_instr_open(&s->instr, inputs, common, error);
    int code = apf_merge_new(&s->merge, &options, error);
    if (code == APF_OK)
        code = apf_merge_add(s->merge, inputs, n, error);
    if (code == APF_OK)
        code = check_left(s->merge, error);
    return code == APF_OK ? apf_merge_view(s->merge, &s->instr, error) : code;
}

static int open_sample(struct report_set *s, const struct apf_input *inputs, size_t n,
                       const struct apf_options *common, struct apf_error *error)
{
    const struct apf_tolerance all = {APF_FAIL_WARN, 0};
    const struct apf_sample_read_options read = {.size = sizeof read, .options = common};
    const struct apf_sample_merge_options options = {
        .size = sizeof options, .options = common, .flags = APF_SAMPLE_MERGE_FIND_LOSSES, .tolerance = &all};
    if (n == 1) {
        const int code = apf_sample_open(&s->opened, inputs, &read, error);
        s->sample = s->opened;
        return code;
    }
    int code = apf_sample_merge_new(&s->sample_merge, &options, error);
    if (code == APF_OK)
        code = apf_sample_merge_add(s->sample_merge, inputs, n, error);
    if (code == APF_OK)
        code = check_samples_left(s->sample_merge, error);
    return code == APF_OK ? apf_sample_merge_view(s->sample_merge, &s->sample, error) : code;
}

int report_set_open(struct report_set *s, uint32_t family, const struct apf_input *inputs, size_t n,
                    const struct apf_options *common, struct apf_error *error)
{
    *s = (struct report_set){.instr = NULL};
    if (n == 0)
        return APF_OK;
    return family == REPORT_SAMPLE ? open_sample(s, inputs, n, common, error)
                                   : open_instr(s, inputs, n, common, error);
}
