/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pre-aggregated samples, of branches and of instructions. In two parts, in either order, they are the same profile. */
#include "fuzz_samples.h"

static void check_parts(const uint8_t *data, size_t size, const struct converted *whole,
                        struct apf_bolt_convert_options options)
{
    size_t n = find_parting(data, size);
    struct apf_input parts[2] = {{NULL, data, n, "first", 0}, {NULL, data + n, size - n, "second", 0}},
                     other[2] = {parts[1], parts[0]};
    if (n == 0 || is_packed(data + n, size - n))
        return;
    struct converted a = convert(parts, 2, false, size, options), b = convert(other, 2, false, size, options);
    REQUIRE(a.code == whole->code);
    REQUIRE((b.code == APF_OK) == (whole->code == APF_OK));
    if (whole->code == APF_OK) {
        REQUIRE(same_profile(&a, whole) && same_profile(&b, whole));
        REQUIRE(a.funnel.records == whole->funnel.records && b.funnel.records == whole->funnel.records);
    }
    converted_free(&a);
    converted_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_input text = {NULL, size ? (const void *)data : "", size, "fuzz", 0};
    if (is_packed(data, size))
        return 0;
    for (uint32_t flags = 0; flags <= APF_BOLT_BASIC; flags += APF_BOLT_BASIC) {
        struct apf_bolt_convert_options options = {.flags = flags};
        struct converted whole = convert(&text, 1, false, size, options);
        REQUIRE(whole.code != APF_NOT_RECORDED && !whole.funnel.perf_script);
        check_parts(data, size, &whole, options);
        converted_free(&whole);
    }
    return 0;
}
