/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Indexed profiles. The input is the file; its magic is corrected. */
#include "fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t magic[8] = {0xff, 'l', 'p', 'r', 'o', 'f', 'i', 0x81};
    if (size < sizeof magic)
        return -1;
    uint8_t *copy = malloc(size); /* an exact copy: sanitizers report a read past its end */
    REQUIRE(copy);
    memcpy(copy, data, size);
    memcpy(copy, magic, sizeof magic);
    fuzz_file(copy, size);
    free(copy);
    return 0;
}
