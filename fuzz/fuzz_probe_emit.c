/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON of `probes list` or `probes desc`, or both with a zero between them, from which an object is made. The object
 * can be read, and its JSON gives the same object. */
#include "fuzz_profile.h"

#include <anyprof/probe.h>

static int emit(const struct apf_input *inputs, size_t n, struct apf_buffer *out)
{
    struct apf_output output = apf_output_buffer(out);
    return apf_probes_emit(inputs, n, NULL, &output, NULL, NULL);
}

static void print(const struct apf_probes *probes, uint32_t view, struct apf_buffer *out)
{
    struct apf_output output = apf_output_buffer(out);
    struct apf_probes_print_options options = {0};
    options.size = sizeof options;
    options.view = view;
    options.flags = APF_PROBES_PRINT_JSON;
    REQUIRE(apf_probes_print(probes, &options, &output, NULL) == APF_OK);
}

static void check_object(const struct apf_buffer *object)
{
    struct apf_input input = fuzz_input(object->data, object->n);
    struct apf_buffer list = {NULL, 0, 0}, desc = {NULL, 0, 0}, again = {NULL, 0, 0};
    struct apf_probes *probes = NULL;
    int code = apf_probes_open(&probes, &input, NULL, NULL);
    REQUIRE(code == APF_OK);
    print(probes, APF_PROBES_VIEW_LIST, &list);
    print(probes, APF_PROBES_VIEW_DESC, &desc);
    struct apf_input documents[2] = {fuzz_input(list.data, list.n), fuzz_input(desc.data, desc.n)};
    if (!apf_probes_info(probes)->old_encoding) { /* addresses in objects would be relocations */
        REQUIRE(emit(documents, 2, &again) == APF_OK);
        REQUIRE(again.n == object->n && memcmp(again.data, object->data, again.n) == 0);
    }
    apf_probes_close(probes);
    apf_buffer_free(&list);
    apf_buffer_free(&desc);
    apf_buffer_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_buffer object = {NULL, 0, 0};
    const uint8_t *zero = size ? (const uint8_t *)memchr(data, 0, size) : NULL;
    size_t n = zero ? (size_t)(zero - data) : size;
    struct apf_input inputs[2] = {fuzz_input(data, n), fuzz_input(data, 0)};
    if (zero)
        inputs[1] = fuzz_input(zero + 1, size - n - 1);
    if (emit(inputs, zero ? 2 : 1, &object) == APF_OK)
        check_object(&object);
    else
        REQUIRE(object.n == 0);
    apf_buffer_free(&object);
    return 0;
}
