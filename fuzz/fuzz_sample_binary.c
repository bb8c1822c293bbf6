/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Binary sample profiles: raw, compact and extensible. The input: a byte of options, then the file. A file that is read
 * is printed, and passes through JSON unchanged; of one that is damaged, salvaging keeps some functions or reports the
 * damage; nothing misbehaves. */
#include "fuzz_sample_file.h"

/* Bits of the first byte. */
#define WITH_FS 1u
#define WITH_SALVAGE 2u
#define WITH_JSON 4u
#define PASS_SHIFT 4u

static int open_sample(struct apf_sample **s, const struct apf_input *input, unsigned bits,
                       struct apf_error *error)
{
    struct apf_sample_read_options o = {0};
    o.flags = bits & WITH_FS ? APF_SAMPLE_READ_FS : 0;
    o.pass = (bits >> PASS_SHIFT) % (APF_SAMPLE_PASS_3 + 1);
    return fuzz_sample_open_input(s, input, bits & WITH_SALVAGE ? APF_FLAG_SALVAGE : 0, o, error);
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
    struct apf_error error, same;
    struct apf_sample *s;
    if (size < 1)
        return -1;
    struct apf_input input = fuzz_input(data + 1, size - 1);
    int code = open_sample(&s, &input, data[0] & ~WITH_SALVAGE, &error);
    if (code != APF_OK && data[0] & WITH_SALVAGE) {
        int kept = open_sample(&s, &input, data[0], &same);
        REQUIRE(s ? apf_sample_salvage(s) && apf_sample_salvage(s)->functions : kept == code);
        REQUIRE(!s || apf_sample_salvage(s)->error.code == code);
    }
    if (!s)
        return 0;
    check_info(s);
    print(s);
    if (data[0] & WITH_JSON)
        fuzz_sample_check_json(s);
    apf_sample_close(s);
    return 0;
}
