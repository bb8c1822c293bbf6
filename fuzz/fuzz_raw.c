/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw profiles. The input is the file. */
#include "fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The first or the last byte of the magic is 0x81, by byte order. */
    if (size < 8 || (data[0] != 0x81 && data[7] != 0x81))
        return -1;
    fuzz_file(data, size);
    return 0;
}
