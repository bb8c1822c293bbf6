/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sample profiles as JSON. The input is the file; the JSON that is written of its profile is read as the same profile.
 */
#include "fuzz_sample_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_sample *sample;
    struct apf_error error;
    size_t at = 0;
    while (at < size && (data[at] == ' ' || data[at] == '\n'))
        at++;
    if (at == size || data[at] != '{') /* another format */
        return -1;
    if (fuzz_sample_open(&sample, data, size, &error) != APF_OK)
        return 0;
    if (apf_sample_info(sample)->format == APF_SAMPLE_JSON) {
        fuzz_sample_check_json(sample);
        fuzz_sample_check_list(sample);
    }
    apf_sample_close(sample);
    return 0;
}
