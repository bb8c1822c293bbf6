/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text of perf script, of branches and of instructions, of a program that is loaded anywhere or not; a line of "ids"
 * begins what perf buildid-list prints. In two parts a text is the same profile. */
#include "fuzz_samples.h"

static bool is_line_of_ids(const uint8_t *p, size_t n)
{
    return n >= 4 && memcmp(p, "ids\n", 4) == 0;
}

/* Where the list of build ids begins; size: there is none. */
static size_t find_ids(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((i == 0 || data[i - 1] == '\n') && is_line_of_ids(data + i, size - i))
            return i;
    return size;
}

static void check_counts(const struct apf_bolt_funnel *f, bool basic)
{
    REQUIRE(f->perf_script && f->processes > 0);
    REQUIRE(f->samples_elsewhere <= f->samples && f->samples + f->samples_beyond <= f->records);
    REQUIRE(f->entries_kernel + f->entries_repeated <= f->entries && f->entries_silent <= f->entries);
    REQUIRE((f->first_else != 0) == (f->lines_of_else != 0));
    if (basic)
        REQUIRE(f->entries == 0 && f->branches == 0 && f->basic <= f->samples);
    else
        REQUIRE(f->branches == f->entries - f->entries_kernel - f->entries_repeated &&
                f->falls <= f->branches);
}

static void check_parts(const uint8_t *data, size_t size, const struct converted *whole, bool movable,
                        struct apf_bolt_convert_options options)
{
    size_t n = find_parting(data, size);
    struct apf_input parts[2] = {{NULL, data, n, "first", 0}, {NULL, data + n, size - n, "second", 0}};
    if (n == 0 || is_packed(data + n, size - n))
        return;
    struct converted c = convert(parts, 2, movable, size, options);
    REQUIRE(c.code == whole->code);
    if (c.code == APF_OK) {
        REQUIRE(same_profile(&c, whole) && c.funnel.samples == whole->funnel.samples);
        REQUIRE(c.funnel.entries == whole->funnel.entries && c.funnel.records == whole->funnel.records);
    }
    converted_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n = find_ids(data, size), skip = n < size ? 4 : 0;
    struct apf_input text = {NULL, n ? (const void *)data : "", n, "fuzz", 0},
                     ids = {NULL, size > n + skip ? (const void *)(data + n + skip) : "", size - n - skip,
                            "ids", 0};
    if (is_packed(data, n) || is_packed(data + n + skip, size - n - skip))
        return 0;
    for (uint32_t kind = 0; kind < 4; kind++) {
        bool movable = kind & 1, basic = kind & 2;
        struct apf_bolt_convert_options options = {.flags =
                                                       APF_BOLT_PERF_SCRIPT | (basic ? APF_BOLT_BASIC : 0)};
        options.flags |= size % 3 == 1 ? APF_BOLT_KEEP_KERNEL : 0;
        options.max_samples = size % 5 == 1 ? 3 : 0;
        options.pid = size % 7 == 1 ? 100 : 0;
        options.build_ids = skip ? &ids : NULL;
        struct converted whole = convert(&text, 1, movable, size, options);
        if (whole.code == APF_OK)
            check_counts(&whole.funnel, basic);
        check_parts(data, n, &whole, movable, options);
        converted_free(&whole);
    }
    return 0;
}
