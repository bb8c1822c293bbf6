/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/sample_written.h"

#include <stdio.h>
#include <stdlib.h>

struct apf_sample *sample_of_many(unsigned n)
{
    size_t room = (size_t)n * 120 + 1, used = 0;
    char *text = malloc(room);
    assert_non_null(text);
    for (unsigned i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, room - used, "function%u:%u:%u\n %u.%u: %u function%u:%u\n%s",
                                 i, i * 7919 % 1000, i, i % 9, i % 3, i * 31, i / 2, i + 1,
                                 i % 2 ? " 9: inlined:3\n  1: 3\n" : "");
    text[used] = '\0';
    struct apf_sample *s = sample_of_text(text);
    free(text);
    return s;
}

int sample_write_output(const struct apf_output *output, const struct apf_sample *s,
                        const struct sample_binary_options *o, struct sample_binary_losses *losses,
                        struct apf_error *error)
{
    struct file_out *out;
    struct sample_binary_losses unused;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    code = sample_binary_write(s, o, out, losses ? losses : &unused, error);
    return file_out_finish(out, code, error);
}

struct apf_buffer sample_write_memory(const struct apf_sample *s, const struct sample_binary_options *o,
                                      struct sample_binary_losses *losses)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    assert_int_equal(sample_write_output(&output, s, o, losses, NULL), APF_OK);
    return buffer;
}
