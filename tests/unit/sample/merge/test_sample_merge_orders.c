/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The result of a merge does not depend on the order of the inputs, the number of threads, or the grouping. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_merge.h>

#include "helpers/shared/sample_notes.h"
#include "helpers/shared/unit.h"

#define N_INPUTS 12u

static char *describe(const struct apf_input *all_inputs, const size_t *order, size_t n, uint32_t threads,
                      size_t batch)
{
    struct apf_options common = {.size = sizeof common, .threads = threads};
    const struct apf_sample_merge_options options = {.size = sizeof options, .options = &common};
    struct apf_sample_merge *m;
    struct apf_input inputs[N_INPUTS];
    assert_int_equal(apf_sample_merge_new(&m, &options, NULL), APF_OK);
    for (size_t i = 0; i < n; i++)
        inputs[i] = all_inputs[order[i]];
    for (size_t i = 0; i < n; i += batch)
        assert_int_equal(apf_sample_merge_add(m, inputs + i, n - i < batch ? n - i : batch, NULL), APF_OK);
    const struct apf_sample *view;
    assert_int_equal(apf_sample_merge_view(m, &view, NULL), APF_OK);
    char *notes = sample_to_notes(view);
    const struct apf_sample_merge_stats *s = apf_sample_merge_stats(m);
    size_t size = strlen(notes) + 300;
    char *all = malloc(size);
    snprintf(all, size, "%s%llu %llu %llu %llu %llu %u %llu\n", notes, (unsigned long long)s->n_merged,
             (unsigned long long)s->checksum_mismatches, (unsigned long long)s->inlined_mismatches,
             (unsigned long long)s->mismatch_samples, (unsigned long long)s->saturated,
             apf_sample_info(view)->flags, (unsigned long long)apf_sample_info(view)->n_names);
    free(notes);
    apf_sample_merge_free(m);
    return all;
}

static void test_orders(void **state)
{
    static const struct sample_random kinds[] = {
        {.functions = 8, .names = 12, .depth = 3, .attributes = true, .vtables = true},
        {.functions = 8, .names = 6, .depth = 4, .checksums = 3, .attributes = true},
        {.functions = 8, .names = 5, .frames = 3, .hashes = 30},
        {.functions = 9, .names = 3, .frames = 2, .checksums = 2, .hashes = 50},
    };
    uint64_t random = 3;
    (void)state;
    for (unsigned round = 0; round < 10; round++) {
        struct apf_input inputs[N_INPUTS];
        char *texts[N_INPUTS];
        size_t order[N_INPUTS], n = N_INPUTS;
        for (size_t i = 0; i < n; i++) {
            /* Most are of one kind. */
            size_t kind = i % 3 == 2 ? next_random(&random) % 4 : round % 4;
            char *notes = sample_random_notes(&kinds[kind], &random);
            struct apf_sample *s = sample_from_notes(notes);
            texts[i] = sample_to_notes(s); /* the text reader adds targets of a line up differently */
            inputs[i] = apf_input_memory(texts[i], strlen(texts[i]), "x");
            inputs[i].weight = next_random(&random) % 3;
            order[i] = i;
            sample_free(s);
            free(notes);
        }
        char *first = describe(inputs, order, n, 1, n);
        for (unsigned permutation = 0; permutation < 20; permutation++) {
            static const uint32_t threads[] = {1, 2, 8};
            for (size_t i = n; i > 1; i--) {
                size_t k = next_random(&random) % i, swap = order[i - 1];
                order[i - 1] = order[k];
                order[k] = swap;
            }
            char *other = describe(inputs, order, n, threads[permutation % 3], 1 + permutation % n);
            assert_string_equal(other, first);
            free(other);
        }
        free(first);
        for (size_t i = 0; i < n; i++)
            free(texts[i]);
    }
}

TEST_FILE(sample_merge_orders)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
    };
    return RUN_TESTS(tests);
}
