/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text of perf script, with or without call stacks, of a small program: a byte that chooses the program and the
 * options, then the text. The counts are written, and give the same profile when they are read. */
#include "fuzz_profgen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || fuzz_is_packed(data + 1, size - 1))
        return 0;
    struct apf_input program = choose_program(data[0]);
    struct apf_input text = apf_input_memory(size > 1 ? (const void *)(data + 1) : "", size - 1, "fuzz");
    struct apf_profgen_options options = choose_options(data[0]);
    options.flags |= data[0] & 64 ? APF_PROFGEN_IGNORE_CALLS : 0;
    options.pid = data[0] & 128 ? 100 : 0;
    struct made m = make(&program, APF_PROFGEN_PERF_SCRIPT, &text, options);
    REQUIRE(m.read || m.code == APF_BAD_SAMPLES || m.code == APF_LIMIT || m.code == APF_NOT_RECORDED);
    if (m.read) {
        check_again(&program, &m, options);
        check_profile(&m.profile, m.decimal);
    } else {
        REQUIRE(m.error.line == 0 || (m.error.offset <= size && m.error.column <= m.error.offset + 1));
    }
    made_free(&m);
    return 0;
}
