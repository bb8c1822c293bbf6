/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text sample profiles; the first byte chooses the flags. What is read is printed, and passed through JSON, which is
 * read as a profile with the same JSON. A salvage keeps at least what a text has before its first error. */
#include "fuzz_profile.h"

#include <anyprof/sample_views.h>

static void write_json(const struct apf_sample *sample, struct apf_buffer *buffer)
{
    struct apf_output output = apf_output_buffer(buffer);
    REQUIRE(apf_sample_write_json(sample, &output, NULL) == APF_OK);
}

static void check_profile(const struct apf_sample *sample)
{
    struct apf_buffer text = {NULL, 0, 0}, json = {NULL, 0, 0}, again = {NULL, 0, 0};
    struct apf_sample_print_options print = {.size = sizeof print};
    struct apf_output output = apf_output_buffer(&text);
    struct apf_sample *copy;
    struct apf_error error;
    REQUIRE(apf_sample_info(sample)->format == APF_SAMPLE_TEXT);
    print.flags = APF_SAMPLE_PRINT_DETAILED_SUMMARY | APF_SAMPLE_PRINT_HOT_FUNCTIONS;
    REQUIRE(apf_sample_print(sample, &print, &output, &error) == APF_OK);
    write_json(sample, &json);
    struct apf_input input = fuzz_input(json.data, json.n);
    REQUIRE(apf_sample_open(&copy, &input, NULL, &error) == APF_OK);
    write_json(copy, &again);
    fuzz_same(&json, &again);
    apf_sample_close(copy);
    apf_buffer_free(&text);
    apf_buffer_free(&json);
    apf_buffer_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_options common = fuzz_options(NULL);
    struct apf_sample_read_options options = {.size = sizeof options, .options = &common};
    struct apf_sample *sample, *part;
    struct apf_error error;
    if (size == 0 || fuzz_is_packed(data + 1, size - 1))
        return -1;
    options.flags = data[0] & 1;
    options.pass = (data[0] >> 1 & 7) % (APF_SAMPLE_PASS_3 + 1);
    struct apf_input input = fuzz_input(data + 1, size - 1);
    int code = apf_sample_open(&sample, &input, &options, &error);
    common.flags |= APF_FLAG_SALVAGE;
    int kept = apf_sample_open(&part, &input, &options, NULL);
    /* Of a text without a line feed at its end, the last function is not kept, and maybe there is no other one. */
    REQUIRE(code != APF_OK || kept == APF_OK || data[size - 1] != '\n');
    if (code != APF_OK)
        fuzz_check_error(code, &error, &input);
    if (code == APF_OK && apf_sample_info(sample)->format == APF_SAMPLE_TEXT)
        check_profile(sample);
    if (kept == APF_OK && code != APF_OK)
        REQUIRE(apf_sample_salvage(part)->error.code == code && apf_sample_salvage(part)->functions > 0);
    if (code == APF_OK)
        apf_sample_close(sample);
    if (kept == APF_OK)
        apf_sample_close(part);
    return 0;
}
