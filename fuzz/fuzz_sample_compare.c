/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints and compares two sample profiles of any format. The input: two bytes, most significant first, whose highest
 * four bits are options and whose other twelve are the length of the first file; then the two files. */
#include "fuzz_sample_file.h"

#define HEAD 2u
#define LENGTH_BITS 12u
#define CLOSE 1e-6

static bool is_close(double a, double b)
{
    double distance = a < b ? b - a : a - b;
    return distance <= CLOSE;
}

static void show(const struct apf_sample *sample, uint32_t flags)
{
    struct apf_sample_print_options options = {.size = sizeof options, .flags = flags};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    REQUIRE(apf_sample_print(sample, &options, &output, NULL) == APF_OK);
    apf_buffer_free(&buffer);
    options.flags = 0;
    options.function.p = "f";
    options.function.n = 1;
    REQUIRE(apf_sample_print(sample, &options, &output, NULL) == APF_OK);
    REQUIRE(buffer.n > 0);
    apf_buffer_free(&buffer);
}

static void overlap(const struct apf_sample *a, const struct apf_sample *b, uint32_t flags)
{
    struct apf_sample_overlap_options options = {.size = sizeof options};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_sample_overlap *found;
    uint32_t differ = apf_sample_info(a)->flags ^ apf_sample_info(b)->flags;
    options.value_cutoff = flags & 1 ? UINT64_MAX : 0;
    options.similarity_cutoff = flags & 2 ? 500000 : 0;
    int code = apf_sample_overlap_new(&found, a, b, &options, NULL);
    if (differ & (APF_SAMPLE_PROBES | APF_SAMPLE_CONTEXTS)) {
        REQUIRE(code == APF_SAMPLE_PROBE_CONFLICT || code == APF_SAMPLE_CONTEXT_CONFLICT);
        return;
    }
    REQUIRE(code == APF_OK);
    const struct apf_sample_overlap_totals *t = apf_sample_overlap_totals(found);
    REQUIRE(apf_sample_overlap_print(found, &output, NULL) == APF_OK);
    REQUIRE(buffer.n > 0);
    if (a == b && t->samples[0]) {
        REQUIRE(t->functions.both == apf_sample_info(a)->n_functions && t->unique[0] == 0 &&
                t->unique[1] == 0);
        REQUIRE(t->hot_lines.base == 0 && t->hot_functions.test == 0);
    }
    apf_buffer_free(&buffer);
    apf_sample_overlap_free(found);
}

static struct apf_sample_diff *diff_of(const struct apf_sample *a, const struct apf_sample *b, uint32_t flags)
{
    struct apf_sample_diff_options options = {.size = sizeof options, .flags = flags & 7};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_sample_diff *diff;
    REQUIRE(apf_sample_diff_new(&diff, a, b, &options, NULL) == APF_OK);
    REQUIRE(apf_sample_diff_print(diff, &output, NULL) == APF_OK);
    apf_buffer_free(&buffer);
    const struct apf_sample_diff_totals *t = apf_sample_diff_totals(diff);
    double sum = 0, last = 0;
    for (size_t i = 0; i < t->differ; i++) {
        const struct apf_sample_diff_function *f = apf_sample_diff_function(diff, i);
        REQUIRE(f->changes != 0 && f->effect >= 0 && (i == 0 || f->effect <= last));
        REQUIRE(f->lines_moved <= 1 + CLOSE && f->targets_moved <= 1 + CLOSE &&
                f->callers_moved <= 1 + CLOSE);
        sum += last = f->effect;
    }
    REQUIRE(!apf_sample_diff_function(diff, t->differ));
    REQUIRE(is_close(sum, t->difference) && t->difference <= 1 + CLOSE);
    return diff;
}

/* Requires that the same functions differ by the same amount in either direction. */
static void diff_both_ways(const struct apf_sample *a, const struct apf_sample *b, uint32_t flags)
{
    struct apf_sample_diff *there = diff_of(a, b, flags), *back = diff_of(b, a, flags);
    const struct apf_sample_diff_totals *x = apf_sample_diff_totals(there), *y = apf_sample_diff_totals(back);
    REQUIRE(is_close(x->difference, y->difference));
    REQUIRE(x->equal == y->equal && x->differ == y->differ && x->functions[0] == y->functions[1]);
    REQUIRE(x->changes[0].n == y->changes[1].n && x->changes[1].n == y->changes[0].n);
    apf_sample_diff_free(there);
    apf_sample_diff_free(back);
}

static void check_same(const struct apf_sample *sample, uint32_t flags)
{
    struct apf_sample_diff *diff = diff_of(sample, sample, flags);
    const struct apf_sample_diff_totals *t = apf_sample_diff_totals(diff);
    REQUIRE(t->differ == 0 && is_close(t->difference, 0) && t->functions[0] == t->functions[1]);
    apf_sample_diff_free(diff);
    overlap(sample, sample, flags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_sample *pair[2];
    struct apf_error error;
    if (size < HEAD)
        return -1;
    unsigned head = (unsigned)data[0] << 8 | data[1], flags = head >> LENGTH_BITS;
    size_t n = head & ((1u << LENGTH_BITS) - 1), left = size - HEAD;
    n = n > left ? left : n;
    int code = fuzz_sample_open(&pair[0], data + HEAD, n, &error);
    int other = fuzz_sample_open(&pair[1], data + HEAD + n, left - n, &error);
    for (unsigned i = 0; i < 2; i++)
        if (pair[i]) {
            show(pair[i], flags);
            check_same(pair[i], flags);
            fuzz_sample_check_list(pair[i]);
        }
    if (code == APF_OK && other == APF_OK) {
        overlap(pair[0], pair[1], flags);
        diff_both_ways(pair[0], pair[1], flags);
    }
    apf_sample_close(pair[0]);
    apf_sample_close(pair[1]);
    return code == APF_OK || other == APF_OK ? 0 : -1;
}
