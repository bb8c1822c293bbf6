/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unsymbolized profiles of a small program: a byte that chooses the program and the options, then the text. What is
 * written of the counts is read again as the same counts, and so is the profile that is made of them. */
#include "fuzz_profgen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || fuzz_is_packed(data + 1, size - 1))
        return 0;
    struct apf_input program = choose_program(data[0]);
    struct apf_input raw = apf_input_memory(size > 1 ? (const void *)(data + 1) : "", size - 1, "fuzz");
    struct apf_profgen_options options = choose_options(data[0]);
    struct made m = make(&program, APF_PROFGEN_RAW, &raw, options);
    if (m.read) {
        check_again(&program, &m, options);
        check_profile(&m.profile, m.decimal);
    } else {
        REQUIRE(m.code == APF_BAD_SAMPLES || m.code == APF_LIMIT);
        REQUIRE(m.code == APF_LIMIT || m.error.line == 0 ||
                (m.error.offset <= size && m.error.column <= m.error.offset + 1 && m.error.column > 0));
    }
    made_free(&m);
    return 0;
}
