/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares two profiles of any bytes and orders the functions of one. The input: two bytes, most significant first,
 * whose highest four bits are options and whose other twelve are the length of the first file; then the two files. */
#include <anyprof/compare.h>

#include "fuzz_profile.h"

#define HEAD 2u
#define LENGTH_BITS 12u
#define CLOSE 1e-6

static bool is_close(double a, double b)
{
    double distance = a < b ? b - a : a - b;
    return distance <= CLOSE;
}

static void overlap(struct apf_instr *a, struct apf_instr *b, uint32_t flags, struct apf_overlap *found)
{
    struct apf_overlap_options options = {0};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    options.size = sizeof options;
    options.flags = flags;
    REQUIRE(apf_overlap_print(a, b, &options, &output, found, NULL) == APF_OK);
    REQUIRE(buffer.n > 0);
    apf_buffer_free(&buffer);
}

static struct apf_diff *diff_of(struct apf_instr *a, struct apf_instr *b, uint32_t flags)
{
    struct apf_diff_options options = {0};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_diff *diff = NULL;
    options.size = sizeof options;
    options.flags = flags;
    REQUIRE(apf_diff_new(&diff, a, b, &options, NULL) == APF_OK);
    REQUIRE(apf_diff_print(diff, &output, NULL) == APF_OK);
    apf_buffer_free(&buffer);
    size_t n = apf_diff_totals(diff)->differ;
    const struct apf_diff_totals *t = apf_diff_totals(diff);
    double sum = 0, last = 0;
    for (size_t i = 0; i < n; i++) {
        const struct apf_diff_function *f = apf_diff_function(diff, i);
        REQUIRE(f->changes != 0 && f->effect >= 0);
        REQUIRE(i == 0 || f->effect <= last);
        sum += last = f->effect;
    }
    REQUIRE(!apf_diff_function(diff, n));
    REQUIRE(t->differ == n && is_close(sum, t->difference));
    REQUIRE(t->difference >= 0 && t->difference <= 1 + CLOSE);
    return diff;
}

/* Requires that the same functions differ by the same amount in either direction. */
static void diff_both_ways(struct apf_instr *a, struct apf_instr *b, uint32_t flags)
{
    struct apf_diff *there = diff_of(a, b, flags), *back = diff_of(b, a, flags);
    const struct apf_diff_totals *x = apf_diff_totals(there), *y = apf_diff_totals(back);
    REQUIRE(is_close(x->difference, y->difference));
    REQUIRE(x->equal == y->equal && x->differ == y->differ && x->functions[0] == y->functions[1]);
    for (unsigned i = 2; i < APF_DIFF_CHANGES; i++)
        REQUIRE(x->changes[i].n == y->changes[i].n);
    REQUIRE(x->changes[0].n == y->changes[1].n && x->changes[1].n == y->changes[0].n);
    apf_diff_free(there);
    apf_diff_free(back);
}

/* Compares a profile with itself. */
static void same(struct apf_instr *p, uint32_t flags)
{
    struct apf_overlap o = {.size = sizeof o};
    struct apf_diff *diff = diff_of(p, p, flags);
    const struct apf_diff_totals *t = apf_diff_totals(diff);
    bool repeated =
        t->functions[0] < apf_instr_info(p)->n_records; /* or the functions are of the other level */
    REQUIRE(t->differ == 0 && t->difference == 0 && t->functions[0] == t->functions[1]);
    apf_diff_free(diff);
    overlap(p, p, 0, &o);
    if (!o.zero && !repeated) {
        REQUIRE(o.mismatch.n == 0 && o.unique.n == 0 && o.overlap.n == apf_instr_info(p)->n_records);
        REQUIRE(o.base.edges == o.test.edges);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Each function of the traces is in the order once. */
static void order(struct apf_instr *p, uint32_t n_test_traces)
{
    const struct apf_instr_info *info = apf_instr_info(p);
    struct apf_order_options options = {0};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_order *found = NULL;
    size_t n, all = 0, different = 0;
    options.size = sizeof options;
    options.n_test_traces = n_test_traces;
    int code = apf_order_new(&found, p, &options, NULL);
    if (n_test_traces && n_test_traces >= info->n_traces) {
        REQUIRE(code == APF_ARGUMENT);
        return;
    }
    REQUIRE(code == APF_OK);
    REQUIRE(apf_order_print(found, &output, NULL) == APF_OK);
    const uint64_t *ids = apf_order_ids(found, &n);
    uint64_t *wanted = NULL, *sorted = malloc((n + 1) * sizeof *sorted);
    for (size_t t = 0; t < info->n_traces - n_test_traces; t++)
        all += info->traces[t].n;
    wanted = malloc((all + 1) * sizeof *wanted);
    REQUIRE(wanted && sorted);
    all = 0;
    for (size_t t = 0; t < info->n_traces - n_test_traces; t++)
        for (size_t i = 0; i < info->traces[t].n; i++)
            wanted[all++] = info->traces[t].ids[i];
    if (n)
        memcpy(sorted, ids, n * sizeof *sorted);
    qsort(wanted, all, sizeof *wanted, compare_numbers);
    qsort(sorted, n, sizeof *sorted, compare_numbers);
    for (size_t i = 0; i < all; i++) {
        if (i && wanted[i] == wanted[i - 1])
            continue;
        REQUIRE(different < n && sorted[different] == wanted[i]);
        different++;
    }
    REQUIRE(different == n);
    free(wanted);
    free(sorted);
    apf_buffer_free(&buffer);
    apf_order_free(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_instr *pair[2] = {NULL, NULL};
    struct apf_options options = fuzz_options(NULL);
    struct apf_overlap found = {.size = sizeof found};
    if (size < HEAD)
        return -1;
    unsigned head = (unsigned)data[0] << 8 | data[1], flags = head >> LENGTH_BITS;
    size_t n = head & ((1u << LENGTH_BITS) - 1), left = size - HEAD;
    if (n > left)
        n = left;
    struct apf_input inputs[2] = {apf_input_memory(data + HEAD, n, "a"),
                                  apf_input_memory(data + HEAD + n, left - n, "b")};
    for (unsigned i = 0; i < 2; i++) {
        if (apf_instr_open(&pair[i], &inputs[i], &options, NULL) != APF_OK)
            continue;
        same(pair[i], flags);
        order(pair[i], 0);
        order(pair[i], 1 + flags % 4);
    }
    if (pair[0] && pair[1]) {
        overlap(pair[0], pair[1], flags & APF_OVERLAP_CS, &found);
        diff_both_ways(pair[0], pair[1], flags);
    }
    apf_instr_close(pair[0]);
    apf_instr_close(pair[1]);
    return 0;
}
