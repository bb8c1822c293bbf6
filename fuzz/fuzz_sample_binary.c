/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Binary sample profiles: raw, compact and extensible. The input: a byte of options, then the file. A file that is read
 * is printed, and passes through JSON unchanged; of one that is damaged, salvaging keeps some functions or reports the
 * damage; nothing misbehaves. */
#include <anyprof/sample_views.h>

#include "fuzz_profile.h"

/* Bits of the first byte. */
#define WITH_FS 1u
#define WITH_SALVAGE 2u
#define WITH_JSON 4u
#define PASS_SHIFT 4u

static struct apf_sample *open_sample(const struct apf_input *input, unsigned bits, struct apf_error *error)
{
    struct apf_options common = fuzz_options(NULL);
    struct apf_sample_read_options o = {.size = sizeof o, .options = &common};
    struct apf_sample *s;
    common.flags = bits & WITH_SALVAGE ? APF_FLAG_SALVAGE : 0;
    o.flags = bits & WITH_FS ? APF_SAMPLE_READ_FS : 0;
    o.pass = (bits >> PASS_SHIFT) % (APF_SAMPLE_PASS_3 + 1);
    int code = apf_sample_open(&s, input, &o, error);
    REQUIRE((code == APF_OK) == (s != NULL));
    if (code != APF_OK)
        fuzz_check_error(code, error, input);
    return s;
}

static void print(const struct apf_sample *s)
{
    static const uint32_t flags[] = {0, APF_SAMPLE_PRINT_JSON,
                                     APF_SAMPLE_PRINT_SYMBOLS | APF_SAMPLE_PRINT_DETAILED_SUMMARY |
                                         APF_SAMPLE_PRINT_HOT_FUNCTIONS};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        struct apf_buffer out = {NULL, 0, 0};
        struct apf_output output = apf_output_buffer(&out);
        struct apf_sample_print_options o = {.size = sizeof o, .flags = flags[i]};
        REQUIRE(apf_sample_print(s, &o, &output, NULL) == APF_OK);
        apf_buffer_free(&out);
    }
}

/* Requires that a profile that is written as JSON, read and written again is the same JSON. */
static void pass_json(const struct apf_sample *s)
{
    struct apf_buffer first = {NULL, 0, 0}, second = {NULL, 0, 0};
    struct apf_output to_first = apf_output_buffer(&first), to_second = apf_output_buffer(&second);
    struct apf_error error;
    REQUIRE(apf_sample_write_json(s, &to_first, NULL) == APF_OK);
    struct apf_input input = apf_input_memory(first.data, first.n, "json");
    struct apf_sample *again = open_sample(&input, 0, &error);
    REQUIRE(again);
    REQUIRE(apf_sample_info(again)->n_lines == apf_sample_info(s)->n_lines);
    REQUIRE(apf_sample_write_json(again, &to_second, NULL) == APF_OK);
    fuzz_same(&first, &second);
    apf_sample_close(again);
    apf_buffer_free(&first);
    apf_buffer_free(&second);
}

static void check_info(const struct apf_sample *s)
{
    const struct apf_sample_info *info = apf_sample_info(s);
    REQUIRE(info->max_depth <= 1000 && info->max_context <= 1000);
    REQUIRE(info->n_functions + info->n_inlined >= info->n_functions);
    REQUIRE(info->n_functions || !info->n_lines);
    REQUIRE(info->n_lines || !info->n_targets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_error error;
    if (size < 1)
        return -1;
    struct apf_input input = fuzz_input(data + 1, size - 1);
    struct apf_sample *s = open_sample(&input, data[0] & ~WITH_SALVAGE, &error);
    if (!s && data[0] & WITH_SALVAGE) {
        struct apf_error same;
        s = open_sample(&input, data[0], &same);
        REQUIRE(s ? apf_sample_salvage(s) && apf_sample_salvage(s)->functions : same.code == error.code);
        REQUIRE(!s || apf_sample_salvage(s)->error.code == error.code);
    }
    if (!s)
        return 0;
    check_info(s);
    print(s);
    if (data[0] & WITH_JSON)
        pass_json(s);
    apf_sample_close(s);
    return 0;
}
