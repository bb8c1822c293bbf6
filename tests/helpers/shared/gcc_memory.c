/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/gcc/sample_gcc_read.h"

#include "helpers/shared/gcc_memory.h"
#include "helpers/shared/sample_bytes.h"
#include "helpers/shared/unit.h"

const struct sample_read_options gcc_read_limits = {
    .max_bytes = 1u << 30, .max_records = 1u << 28, .max_depth = SAMPLE_MAX_DEPTH};

int gcc_read_bytes(struct apf_sample **s, const void *p, size_t n, const struct sample_read_options *o,
                   struct apf_error *error)
{
    int code;
    *s = sample_read_copy(sample_gcc_read, p, n, o, &code, error);
    if (code == APF_OK)
        return code;
    sample_free(*s);
    *s = NULL;
    return code;
}

struct apf_sample *gcc_read_buffer(const struct apf_buffer *buffer)
{
    struct apf_error error;
    struct apf_sample *s;
    int code = gcc_read_bytes(&s, buffer->data, buffer->n, &gcc_read_limits, &error);
    if (code != APF_OK)
        print_error("%s\n", error.message);
    assert_int_equal(code, APF_OK);
    return s;
}

int gcc_write_buffer(const struct apf_sample *s, const struct sample_gcc_options *o,
                     struct apf_buffer *buffer, struct sample_gcc_losses *losses, struct apf_error *error)
{
    struct apf_output output = apf_output_buffer(buffer);
    struct file_out *out;
    int code = file_out_open(&out, &output, error);
    if (code != APF_OK)
        return code;
    return file_out_finish(out, sample_gcc_write(s, o, out, losses, error), error);
}

struct sample_gcc_options gcc_options_of(const char *layout)
{
    struct sample_gcc_options o = {.layout = gcc_layout_named(layout)};
    assert_non_null(o.layout);
    return o;
}
