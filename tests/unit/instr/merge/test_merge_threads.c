/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many inputs of every kind, merged by 2 to 8 threads: files of one binary and of others, raw, indexed and text, with
 * damaged, empty and contradicting ones among them. The result is that of one thread and the general path. Under
 * ThreadSanitizer this is the test of what threads share. */
#include "helpers/shared/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/anyprof.h>

#include "helpers/shared/raw_random.h"

#define PROGRAMS 5u
#define RUNS 50u /* of each program */
#define TEXTS 24u
#define INPUTS (PROGRAMS * RUNS + 3 * TEXTS) /* more than a slice of the merge holds */
#define OUTPUTS 3u

struct scene {
    struct program programs[PROGRAMS];
    struct rb_file files[PROGRAMS * RUNS];
    char texts[TEXTS][4096];
    struct apf_buffer indexed[TEXTS];
    struct apf_input inputs[INPUTS];
    char names[INPUTS][16];
};

struct result {
    struct apf_buffer outputs[OUTPUTS];
    struct apf_merge_stats stats;
    int32_t codes[INPUTS];
    uint64_t findings; /* a digest of their order, texts and inputs */
};

static struct scene scene;

/* Findings are reported in the order of the inputs, by the calling thread: this number depends on both. */
static int collect_finding(void *user, const struct apf_diag *d)
{
    uint64_t *sum = (uint64_t *)user;
    *sum = *sum * 0x9E3779B97F4A7C15u + d->input * 1000 + (uint64_t)d->code;
    for (const char *p = d->error->message; *p; p++)
        *sum = *sum * 31 + (unsigned char)*p;
    return 0;
}

static void write_output(struct apf_merge *m, struct result *r, unsigned i)
{
    static const struct apf_target targets[OUTPUTS] = {{2, 0, 14}, {0, 0, 0}, {2, 0, 0}};
    struct apf_write_options w = {.size = sizeof w, .flags = APF_WRITE_VTABLE_NAMES, .target = targets[i]};
    struct apf_output output = apf_output_buffer(&r->outputs[i]);
    w.format = i == 2 ? APF_FORMAT_TEXT : APF_FORMAT_INDEXED;
    assert_int_equal(apf_merge_write(m, &w, &output, NULL), APF_OK);
}

static void merge(struct result *r, const struct apf_input *inputs, size_t n, uint32_t flags,
                  uint32_t threads)
{
    struct apf_merge_options o = {.size = sizeof o, .tolerance = &any_loss, .flags = flags};
    struct apf_merge *m = NULL;
    memset(r, 0, sizeof *r);
    struct apf_options common = {.size = sizeof common};
    o.options = &common;
    common.threads = threads;
    common.diag = collect_finding;
    common.user = &r->findings;
    assert_int_equal(apf_merge_new(&m, &o, NULL), APF_OK);
    assert_int_equal(apf_merge_add(m, inputs, n, NULL), APF_OK);
    for (unsigned i = 0; i < OUTPUTS; i++)
        write_output(m, r, i);
    for (size_t i = 0; i < n; i++)
        r->codes[i] = apf_merge_input(m, i)->code;
    r->stats = *apf_merge_stats(m);
    apf_merge_free(m);
}

static void drop(struct result *r)
{
    for (unsigned i = 0; i < OUTPUTS; i++)
        apf_buffer_free(&r->outputs[i]);
}

static void expect_same(const struct result *want, const struct result *got)
{
    for (unsigned i = 0; i < OUTPUTS; i++) {
        assert_int_equal(got->outputs[i].n, want->outputs[i].n);
        assert_memory_equal(got->outputs[i].data, want->outputs[i].data, want->outputs[i].n);
    }
    assert_memory_equal(got->codes, want->codes, sizeof want->codes);
    assert_int_equal(got->findings, want->findings);
    struct apf_merge_stats a = want->stats, b = got->stats;
    a.n_fast = b.n_fast = 0;
    assert_memory_equal(&a, &b, sizeof a);
}

/* ---- the inputs ---- */

static void add_input(size_t i, const void *p, size_t n, uint64_t weight)
{
    snprintf(scene.names[i], sizeof scene.names[i], "input %zu", i);
    scene.inputs[i] = (struct apf_input){
        .size = sizeof(struct apf_input), .data = p, .n = n, .name = scene.names[i], .weight = weight};
}

/* Programs share functions; each is of another version, width and byte order. */
static void make_raw(uint64_t *chance)
{
    static const unsigned versions[PROGRAMS] = {10, 5, 8, 11, 10};
    for (unsigned i = 0; i < PROGRAMS; i++) {
        struct program_wish wish = {.version = versions[i],
                                    .bytes = i % 3 ? 8 : 4,
                                    .big = i % 2,
                                    .variant = RB_IR,
                                    .first = 7 * i,
                                    .most = 40,
                                    .separator = ';'};
        program_make(&scene.programs[i], &wish, chance);
        for (unsigned k = 0; k < RUNS; k++) {
            struct rb_profile run = program_run(&scene.programs[i], chance);
            struct rb_file *file = &scene.files[i * RUNS + k];
            rb_append(file, &run, NULL);
            /* One of ten is cut, or empty. */
            size_t n = next_random(chance) % 10 ? file->n : next_random(chance) % file->n;
            add_input(i * RUNS + k, file->data, k == 17 ? 0 : n, next_random(chance) % 3);
        }
    }
}

static void make_text(char *text, size_t size, uint64_t *chance)
{
    size_t n = (size_t)snprintf(text, size, ":ir\n:temporal_prof_traces\n1\n1\n2\ntext_1,text_%u\n",
                                (unsigned)(next_random(chance) % 30));
    for (unsigned f = 0; f < 30; f++) {
        uint64_t a = next_random(chance) % 1000, b = next_random(chance);
        if (a % 3)
            n += (size_t)snprintf(
                text + n, size - n, "text_%u\n%u\n2\n%llu\n%llu\n1\n0\n1\n2\ntext_%u:%llu\nnowhere:1\n\n", f,
                f, (unsigned long long)a, (unsigned long long)(b >> 20), f / 2, (unsigned long long)a);
    }
    assert_true(n < size);
}

/* Text, the same text as an indexed file of some version, and text that contradicts the others, or is none. */
static void make_others(uint64_t *chance)
{
    static const char front_end[] = ":fe\nfoo\n1\n1\n1\n", damaged[] = ":ir\nfoo\n1\nx\n";
    for (unsigned i = 0; i < TEXTS; i++) {
        struct result r;
        struct apf_write_options w = {.size = sizeof w, .target = {2, 0, 2 + i % 13}};
        struct apf_output output = apf_output_buffer(&scene.indexed[i]);
        struct apf_merge *m = NULL;
        size_t at = PROGRAMS * RUNS + 3 * i;
        make_text(scene.texts[i], sizeof scene.texts[i], chance);
        add_input(at, scene.texts[i], strlen(scene.texts[i]), 1);
        merge(&r, &scene.inputs[at], 1, 0, 1);
        assert_int_equal(r.codes[0], APF_OK);
        drop(&r);
        assert_int_equal(apf_merge_new(&m, NULL, NULL), APF_OK);
        assert_int_equal(apf_merge_add(m, &scene.inputs[at], 1, NULL), APF_OK);
        assert_int_equal(apf_merge_write(m, &w, &output, NULL), APF_OK);
        apf_merge_free(m);
        add_input(at + 1, scene.indexed[i].data, scene.indexed[i].n, i);
        if (i % 2)
            add_input(at + 2, front_end, sizeof front_end - 1, 1);
        else
            add_input(at + 2, damaged, sizeof damaged - 1, 1);
    }
}

static int setup(void **state)
{
    uint64_t chance = 42;
    (void)state;
    make_raw(&chance);
    make_others(&chance);
    for (size_t i = INPUTS; i > 1; i--) { /* in any order */
        size_t k = next_random(&chance) % i;
        struct apf_input swap = scene.inputs[i - 1];
        scene.inputs[i - 1] = scene.inputs[k];
        scene.inputs[k] = swap;
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROGRAMS * RUNS; i++)
        rb_free(&scene.files[i]);
    for (size_t i = 0; i < PROGRAMS; i++)
        program_free(&scene.programs[i]);
    for (size_t i = 0; i < TEXTS; i++)
        apf_buffer_free(&scene.indexed[i]);
    return 0;
}

/* ---- tests ---- */

static void test_any_number_of_threads(void **state)
{
    (void)state;
    struct result want, got;
    merge(&want, scene.inputs, INPUTS, APF_MERGE_GENERAL, 1);
    assert_int_equal(want.stats.n_inputs, INPUTS);
    assert_int_equal(want.stats.n_empty, PROGRAMS);
    assert_true(want.stats.n_rejected > 20 && want.stats.n_rejected < 80);
    assert_int_equal(want.stats.n_functions, 85);
    for (uint32_t threads = 1; threads <= 8; threads++) {
        merge(&got, scene.inputs, INPUTS, 0, threads);
        expect_same(&want, &got);
        assert_true(got.stats.n_fast > PROGRAMS * RUNS / 2);
        drop(&got);
    }
    merge(&got, scene.inputs, INPUTS, APF_MERGE_GENERAL, 8);
    expect_same(&want, &got);
    drop(&got);
    drop(&want);
}

static void *merge_alone(void *arg)
{
    merge((struct result *)arg, scene.inputs, INPUTS, 0, 3);
    return NULL;
}

/* Handles share nothing: several merges at the same time, each with threads of its own. */
static void test_several_merges_at_a_time(void **state)
{
    (void)state;
    enum { MERGES = 3 };
    static struct result want, got[MERGES];
    pthread_t ids[MERGES];
    merge(&want, scene.inputs, INPUTS, 0, 1);
    for (size_t i = 0; i < MERGES; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, merge_alone, &got[i]), 0);
    for (size_t i = 0; i < MERGES; i++) {
        assert_int_equal(pthread_join(ids[i], NULL), 0);
        expect_same(&want, &got[i]);
        drop(&got[i]);
    }
    drop(&want);
}

TEST_FILE(merge_threads)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_several_merges_at_a_time),
    };
    return RUN_TESTS_WITH(tests, setup, teardown);
}
