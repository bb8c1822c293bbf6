/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The call that prints a sample profile, as text or as JSON. */
#include "base/error.h"
#include "base/options.h"
#include "sample/views/sample_show_document.h"

#define ALL_FLAGS (2 * APF_SAMPLE_PRINT_DOCUMENT - 1) /* the last one */

int apf_sample_print(const struct apf_sample *sample, const struct apf_sample_print_options *options,
                     const struct apf_output *output, struct apf_error *error)
{
    struct sample_show s = {.sample = sample};
    int code = OPTIONS_READ(apf_sample_print_options, &s.options, options, error);
    if (code == APF_OK)
        code = flags_check(s.options.flags, ALL_FLAGS, "apf_sample_print_options.flags", error);
    if (code == APF_OK && s.options.function.n && s.options.flags & APF_SAMPLE_PRINT_JSON)
        code = error_plain(error, APF_ARGUMENT, "apf_sample_print_options.function",
                           "the JSON format is supported only when all functions are to be printed");
    if (code == APF_OK)
        code = file_out_open(&s.out, output, error);
    if (code != APF_OK)
        return code;
    code = s.options.flags & APF_SAMPLE_PRINT_DOCUMENT ? sample_show_document(&s, error)
                                                       : sample_show_all(&s, error);
    return file_out_finish(s.out, code, error);
}
