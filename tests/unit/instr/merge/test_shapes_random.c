/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fast path of the merge, for files of one binary, gives what the general path gives: programs that look random,
 * with fixed seeds, and runs of them. */
#include "helpers/shared/merge_memory.h"
#include "helpers/shared/raw_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FILES 12u

/* What is being tested, for the message of a failure. */
static char now[64];

struct scene {
    struct program programs[3];
    unsigned n_programs;
    struct rb_file files[MOST_FILES];
    struct apf_input inputs[MOST_FILES];
    size_t n;
};

static uint64_t below(uint64_t *chance, uint64_t n)
{
    return next_random(chance) % n;
}

/* Files of one profile, or, as with libraries, of several in changing company. */
static void make_scene(struct scene *s, const struct program_wish *wish, unsigned n_programs,
                       uint64_t *chance)
{
    memset(s, 0, sizeof *s);
    s->n_programs = n_programs;
    for (unsigned i = 0; i < n_programs; i++) {
        struct program_wish w = *wish;
        w.first = 5 * i;
        if (i && below(chance, 2)) {
            w.wide_hashes = !w.wide_hashes;
            w.separator = w.separator == ';' ? ':' : ';';
        }
        program_make(&s->programs[i], &w, chance);
    }
    s->n = 2 + below(chance, MOST_FILES - 1);
    for (size_t i = 0; i < s->n; i++) {
        bool any = false;
        for (unsigned k = 0; k < n_programs; k++) {
            if (n_programs > 1 && (any || k + 1 < n_programs) && below(chance, 3) == 0)
                continue;
            struct rb_profile run = program_run(&s->programs[k], chance);
            rb_append_zeros(&s->files[i], any ? -s->files[i].n & 7 : 0);
            rb_append(&s->files[i], &run, NULL);
            any = true;
        }
        s->inputs[i] = apf_input_memory(s->files[i].data, s->files[i].n, NULL);
        s->inputs[i].weight = below(chance, 3) ? 0 : below(chance, 1000);
    }
}

static void free_scene(struct scene *s)
{
    for (size_t i = 0; i < s->n; i++)
        rb_free(&s->files[i]);
    for (unsigned i = 0; i < s->n_programs; i++)
        program_free(&s->programs[i]);
}

static void shuffle(struct apf_input *inputs, size_t n, uint64_t *chance)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = below(chance, i);
        struct apf_input swap = inputs[i - 1];
        inputs[i - 1] = inputs[k];
        inputs[k] = swap;
    }
}

/* The general path, and every way that must give the same; how many inputs took the fast path. */
static uint64_t compare(struct scene *s, uint64_t *chance)
{
    static const struct merge_way general = {APF_MERGE_GENERAL, 1, 0};
    static const struct merge_way ways[] = {{0, 1, 0}, {0, 2, 0}, {0, 8, 0}, {0, 1, 1}, {0, 2, 3}};
    struct merged want, got;
    uint64_t fast = 0;
    merge_memory(&want, s->inputs, s->n, general);
    assert_int_equal(want.stats[0].n_fast, 0);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        merge_memory(&got, s->inputs, s->n, ways[i]);
        EXPECT_SAME_MERGE(&want, &got);
        fast += got.stats[0].n_fast;
        merged_free(&got);
    }
    if (want.stats[0].n_rejected == 0) { /* of two kinds that do not go together, the first input's counts */
        shuffle(s->inputs, s->n, chance);
        merge_memory(&got, s->inputs, s->n, ways[0]);
        got.reordered = true;
        EXPECT_SAME_MERGE(&want, &got);
        merged_free(&got);
    }
    merged_free(&want);
    return fast;
}

/* Bytes that are wrong, here and there, and files that are cut: each is refused as a whole, or means something else,
 * and the result is the same in both ways. */
static void damage_scene(struct scene *s, uint64_t *chance)
{
    for (size_t i = 0; i < s->n; i++) {
        struct rb_file *file = &s->files[i];
        if (file->n == 0 || below(chance, 2))
            continue;
        if (below(chance, 4) == 0)
            s->inputs[i].n = below(chance, file->n);
        for (uint64_t k = below(chance, 4); k > 0; k--)
            file->data[below(chance, file->n)] ^= (uint8_t)(1u << below(chance, 8));
    }
}

/* Seeds [from, to). A failure names its seed; ANYPROF_SEED=N runs that one alone, ANYPROF_SEEDS=N runs N times as
 * many, for a long evening. */
static uint64_t run_seeds(const struct program_wish *wish, unsigned n_programs, bool damage, uint64_t from,
                          uint64_t to)
{
    uint64_t fast = 0;
    const char *only = getenv("ANYPROF_SEED"), *times = getenv("ANYPROF_SEEDS");
    to = times ? from + (to - from) * strtoull(times, NULL, 10) : to;
    for (uint64_t seed = from; seed < to; seed++) {
        struct scene s;
        uint64_t chance = seed;
        if (only && strtoull(only, NULL, 10) != seed)
            continue;
        make_scene(&s, wish, n_programs, &chance);
        if (damage)
            damage_scene(&s, &chance);
        snprintf(now, sizeof now, "seed %llu", (unsigned long long)seed);
        fast += compare(&s, &chance);
        free_scene(&s);
    }
    return only ? UINT64_MAX : fast;
}

static void test_one_program(void **state)
{
    (void)state;
    struct program_wish wish = {.any_order = true, .any_variant = true, .separator = ':'};
    assert_true(run_seeds(&wish, 1, false, 1000, 1400) > 1000);
}

static void test_every_layout(void **state)
{
    (void)state;
    for (unsigned v = 1; v <= RB_NEWEST; v++)
        for (unsigned way = 0; way < 4; way++) {
            struct program_wish wish = {.version = v, .bytes = way & 1 ? 4 : 8, .big = way & 2};
            assert_true(run_seeds(&wish, 1, false, 2000 + 100 * v + 10 * way, 2005 + 100 * v + 10 * way) > 0);
        }
}

static void test_several_programs(void **state)
{
    (void)state;
    struct program_wish wish = {.any_order = true, .any_variant = true, .separator = ';', .most = 8};
    assert_true(run_seeds(&wish, 2, false, 4000, 4200) > 300);
    assert_true(run_seeds(&wish, 3, false, 5000, 5200) > 100);
}

/* Files that hold the same library with another executable: what is known of the producers depends on the company. */
static void test_company(void **state)
{
    (void)state;
    struct program_wish wish = {.version = 10, .bytes = 8, .separator = ':', .most = 6};
    run_seeds(&wish, 2, false, 6000, 6100);
    wish.variant = RB_IR;
    run_seeds(&wish, 2, false, 6100, 6200);
    wish.version = 4;
    run_seeds(&wish, 2, false, 6200, 6250);
}

static void test_damaged_files(void **state)
{
    (void)state;
    struct program_wish wish = {.any_order = true, .any_variant = true, .separator = ':', .most = 5};
    run_seeds(&wish, 1, true, 7000, 7400);
    run_seeds(&wish, 2, true, 8000, 8200);
}

/* The last seed of a test: the one that failed, if one did. */
static int say(void **state)
{
    (void)state;
    print_message("last: %s\n", now);
    return 0;
}

TEST_FILE(shapes_random)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_one_program, say),
        cmocka_unit_test_teardown(test_every_layout, say),
        cmocka_unit_test_teardown(test_several_programs, say),
        cmocka_unit_test_teardown(test_company, say),
        cmocka_unit_test_teardown(test_damaged_files, say),
    };
    return RUN_TESTS(tests);
}
