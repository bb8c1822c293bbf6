/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles of GCC's AutoFDO. The input is the file. A profile has no more than its bytes can hold, and its JSON is read
 * as a profile with the same JSON; of a damaged one no more functions are kept than were read. */
#include "fuzz_sample_file.h"

static void check_numbers(const struct apf_sample_info *info, size_t size)
{
    REQUIRE(info->format == APF_SAMPLE_GCC);
    REQUIRE(info->version == 1 || info->version == 2 || info->version == 3 || info->version == 704);
    REQUIRE((info->n_functions + info->n_inlined + info->n_lines) * 16 + info->n_targets * 20 <= size);
    REQUIRE(info->n_names * 5 <= size && info->n_hashes == 0 && info->n_vtables == 0 && info->n_symbols == 0);
    REQUIRE(info->max_depth <= 1000 && info->max_context <= 1);
}

/* Whether the input has the magic and the first tag, in the same order; others may be texts. */
static bool is_profile(const uint8_t *data, size_t size)
{
    static const uint8_t little[4] = {'a', 'd', 'c', 'g'}, big[4] = {'g', 'c', 'd', 'a'};
    if (size < 16)
        return false;
    bool is_big = memcmp(data, big, 4) == 0;
    uint8_t tag = data[is_big ? 12 : 15];
    return (is_big || memcmp(data, little, 4) == 0) && (tag == 0xaa || tag == 0xa8) && data[13] == 0 &&
           data[14] == 0 && data[is_big ? 15 : 12] == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_sample_read_options options = {0};
    struct apf_input input = fuzz_input(data, size);
    struct apf_sample *sample;
    struct apf_error error;
    if (!is_profile(data, size))
        return -1;
    int code = fuzz_sample_open_input(&sample, &input, 0, options, &error);
    if (code == APF_OK)
        REQUIRE(!apf_sample_salvage(sample));
    else if (fuzz_sample_open_input(&sample, &input, APF_FLAG_SALVAGE, options, &error) == APF_OK) {
        const struct apf_sample_salvage *salvage = apf_sample_salvage(sample);
        REQUIRE(apf_code_is_damage(code) && salvage && salvage->error.code == code);
        REQUIRE(salvage->functions >= 1 && salvage->functions >= apf_sample_info(sample)->n_functions);
    }
    if (sample) {
        check_numbers(apf_sample_info(sample), size);
        fuzz_sample_check_json(sample);
        apf_sample_close(sample);
    }
    return 0;
}
