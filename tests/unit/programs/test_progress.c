/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The progress of a merge: reported on the calling thread, never falling, complete at the end. */
#include "helpers/shared/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/anyprof.h>
#include <anyprof/bolt.h>

#define INPUTS 600u /* more than twice what the merge reads ahead */

struct seen {
    pthread_t caller;
    struct apf_progress last;
    unsigned calls, wrong;
};

struct inputs {
    struct apf_input data[INPUTS];
    char text[INPUTS][32];
    uint64_t bytes, bad;
};

static int check_progress(void *user, const struct apf_progress *now)
{
    struct seen *s = (struct seen *)user;
    s->wrong += !pthread_equal(s->caller, pthread_self());
    s->wrong += now->n_done < s->last.n_done || now->n_bad < s->last.n_bad || now->bytes < s->last.bytes;
    s->wrong += now->n_done > now->n_inputs || now->n_bad > now->n_done;
    s->last = *now;
    s->calls++;
    return 0;
}

/* Every third is bad, every fifth of the others empty. */
static void make(struct inputs *in)
{
    memset(in, 0, sizeof *in);
    for (unsigned i = 0; i < INPUTS; i++) {
        int n = 0;
        if (i % 3 == 0)
            n = snprintf(in->text[i], sizeof in->text[i], "f%u\n1\n", i);
        else if (i % 5)
            n = snprintf(in->text[i], sizeof in->text[i], "f\n1\n1\n%u\n", i);
        in->data[i] = apf_input_memory(in->text[i], (size_t)n, NULL);
        in->bytes += (uint64_t)n;
        in->bad += i % 3 == 0;
    }
}

static void test_merge(void **state)
{
    (void)state;
    static struct inputs in;
    make(&in);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct seen seen = {.caller = pthread_self()};
        struct apf_merge_options o = {.size = sizeof o};
        struct apf_merge *m = NULL;
        struct apf_options common = {.size = sizeof common};
        o.options = &common;
        common.threads = threads;
        common.progress = check_progress;
        common.progress_user = &seen;
        assert_int_equal(apf_merge_new(&m, &o, NULL), APF_OK);
        assert_int_equal(apf_merge_add(m, in.data, INPUTS, NULL), APF_OK);
        assert_int_equal(seen.wrong, 0);
        assert_int_equal(seen.last.n_done, INPUTS);
        assert_int_equal(seen.last.n_inputs, INPUTS);
        assert_int_equal(seen.last.n_bad, in.bad);
        assert_int_equal(seen.last.bytes, in.bytes);
        assert_int_equal(apf_merge_stats(m)->n_rejected, in.bad);
        assert_int_equal(seen.calls, INPUTS);
        /* A second call counts its own. */
        memset(&seen.last, 0, sizeof seen.last);
        assert_int_equal(apf_merge_add(m, &in.data[1], 1, NULL), APF_OK);
        assert_int_equal(seen.last.n_done, 1);
        assert_int_equal(seen.last.n_inputs, 1);
        assert_int_equal(seen.last.bytes, in.data[1].n);
        apf_merge_free(m);
    }
}

static void test_bolt(void **state)
{
    (void)state;
    static const char record[] = "1 main 0 1 main 4 0 1\n";
    struct apf_input inputs[3];
    struct seen seen = {.caller = pthread_self()};
    struct apf_options o = {.size = sizeof o, .progress = check_progress, .progress_user = &seen};
    struct apf_fdata *fdata = NULL;
    struct apf_bolt_yaml *yaml = NULL;
    for (size_t i = 0; i < 3; i++)
        inputs[i] = apf_input_memory(record, sizeof record - 1, NULL);
    assert_int_equal(apf_fdata_new(&fdata, &o, NULL), APF_OK);
    assert_int_equal(apf_bolt_yaml_new(&yaml, &o, NULL), APF_OK);
    assert_int_equal(apf_bolt_read(fdata, yaml, inputs, 3, NULL), APF_OK);
    assert_int_equal(seen.wrong, 0);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(seen.last.n_done, 3);
    assert_int_equal(seen.last.n_inputs, 3);
    assert_int_equal(seen.last.n_bad, 0);
    assert_int_equal(seen.last.bytes, 3 * (sizeof record - 1));
    apf_bolt_yaml_free(yaml);
    apf_fdata_free(fdata);
}

TEST_FILE(progress)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_merge), cmocka_unit_test(test_bolt)};
    return RUN_TESTS(tests);
}
