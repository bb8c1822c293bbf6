/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Single functions of sample profiles that are damaged, and failures of allocations. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_lookup.h>

#include "sample/model/sample_profile.h"

#include "helpers/shared/fault.h"
#include "helpers/shared/sample_goldens.h"
#include "helpers/shared/unit.h"

/* Opens bytes, and looks up the functions that the three goldens have. */
static int try_all(const void *p, size_t n, struct apf_error *error)
{
    static const struct apf_str names[] = {{"ab", 2}, {"c", 1}, {"m", 1}};
    struct apf_input input = apf_input_memory(p, n, "bytes");
    struct apf_sample_lookup *l;
    int code = apf_sample_lookup_open(&l, &input, NULL, error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < COUNT(names) && code != APF_NO_MEMORY; i++) {
        const struct apf_sample *found;
        code = apf_sample_lookup_find(l, names[i], &found, error);
        assert_true((code == APF_OK) == (found != NULL));
        if (found)
            assert_true(found->info.n_functions);
    }
    apf_sample_lookup_close(l);
    return code == APF_UNKNOWN_FUNCTION ? APF_OK : code;
}

static void sweep(const struct golden *golden)
{
    struct apf_error e;
    for (size_t i = 0; i <= golden->n; i++) {
        uint8_t *copy = malloc(i + 1);
        assert_non_null(copy);
        memcpy(copy, golden->data, i);
        try_all(copy, i, &e);
        free(copy);
    }
    uint8_t *copy = malloc(golden->n);
    assert_non_null(copy);
    memcpy(copy, golden->data, golden->n);
    for (size_t i = 0; i < 8 * golden->n; i++) {
        copy[i / 8] ^= (uint8_t)(1u << i % 8);
        try_all(copy, golden->n, &e);
        copy[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    free(copy);
}

static void test_sweeps(void **state)
{
    (void)state;
    sweep(&golden_md5);
    sweep(&golden_z);
    sweep(&golden_contexts);
    sweep(&golden_probes);
    sweep(&golden_split);
    sweep(&golden_probes13);
}

static void each_fails(const struct golden *golden)
{
    static const enum fault_call calls[] = {FAULT_MEMORY, FAULT_ARENA, FAULT_ZLIB};
    for (size_t i = 0; i < COUNT(calls); i++) {
        for (uint64_t k = 1;; k++) {
            struct apf_error e;
            fault_fail(calls[i], k, 12); /* ENOMEM */
            int code = try_all(golden->data, golden->n, &e);
            bool hit = fault_hit();
            fault_reset();
            assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
            if (!hit)
                break;
        }
    }
}

static void test_faults(void **state)
{
    (void)state;
    each_fails(&golden_raw);
    each_fails(&golden_md5);
    each_fails(&golden_z);
    each_fails(&golden_contexts);
    each_fails(&golden_contexts13);
    each_fails(&golden_split);
    each_fails(&golden_probes13);
}

TEST_FILE(sample_lookup_damage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}
