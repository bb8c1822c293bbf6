/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is exported of any profile is well-formed: shared by the targets that read profiles. */
#ifndef FUZZ_EXPORT_H
#define FUZZ_EXPORT_H

#include <anyprof/export.h>

#include "fuzz_profile.h"

typedef int fuzz_export_fn(void *profile, const struct apf_export_options *options,
                           const struct apf_output *output, struct apf_export_result *result);

static inline int fuzz_export_instr(void *profile, const struct apf_export_options *options,
                                    const struct apf_output *output, struct apf_export_result *result)
{
    return apf_instr_export((const struct apf_instr *)profile, options, output, result, NULL);
}

static inline int fuzz_export_sample(void *profile, const struct apf_export_options *options,
                                     const struct apf_output *output, struct apf_export_result *result)
{
    return apf_sample_export((const struct apf_sample *)profile, options, output, result, NULL);
}

/* Requires text of `n_lines` lines without control characters, each of which ends with a digit. */
static inline void fuzz_check_lines(const struct apf_buffer *buffer, uint64_t n_lines)
{
    const unsigned char *p = (const unsigned char *)buffer->data;
    for (size_t i = 0; i < buffer->n; i++) {
        REQUIRE(p[i] == '\n' || (p[i] >= ' ' && p[i] != 0x7f));
        if (p[i] != '\n')
            continue;
        REQUIRE(i > 0 && p[i - 1] >= '0' && p[i - 1] <= '9');
        n_lines--;
    }
    REQUIRE(n_lines == 0 && (buffer->n == 0 || p[buffer->n - 1] == '\n'));
}

/* Exports a profile in each format, by line and without. */
static inline void fuzz_check_exports(fuzz_export_fn *export_profile, void *profile)
{
    for (uint32_t i = 0; i < 2 * APF_EXPORT_CSV; i++) {
        const struct apf_export_options options = {
            .size = sizeof options, .format = i / 2 + 1, .flags = i % 2 ? APF_EXPORT_BY_LINE : 0};
        struct apf_export_result result = {.size = sizeof result};
        struct apf_buffer buffer = {NULL, 0, 0};
        const struct apf_output output = apf_output_buffer(&buffer);
        REQUIRE(export_profile(profile, &options, &output, &result) == APF_OK);
        if (options.format == APF_EXPORT_FOLDED)
            fuzz_check_lines(&buffer, result.n_stacks);
        else
            REQUIRE(buffer.n > 0);
        apf_buffer_free(&buffer);
    }
}

#endif
