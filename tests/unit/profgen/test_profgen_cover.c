/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges that overlap give the same counts as counting address by address. */
#include "helpers/shared/unit.h"

#include "profgen/profgen_cover.h"

#define ADDRESSES 60u

static void check_cover(const struct pair_count *ranges, size_t n)
{
    struct profgen_cover cover;
    size_t step = 0;
    assert_int_equal(profgen_cover_open(&cover, ranges, n, NULL, false, NULL), APF_OK);
    for (uint64_t at = 0; at < ADDRESSES; at++) {
        uint64_t count = 0, covered = 0;
        for (size_t i = 0; i < n; i++)
            if (ranges[i].pair.a <= at && at <= ranges[i].pair.b) {
                count = ranges[i].count > UINT64_MAX - count ? UINT64_MAX : count + ranges[i].count;
                covered++;
            }
        while (step < cover.steps.n && cover.steps.data[step].address <= at)
            step++;
        assert_true((step ? cover.steps.data[step - 1].count : 0) == count);
        assert_int_equal(step ? cover.steps.data[step - 1].ranges : 0, covered);
    }
    for (size_t i = 1; i < cover.steps.n; i++)
        assert_true(cover.steps.data[i - 1].address < cover.steps.data[i].address);
    assert_true(cover.steps.n == 0 || cover.steps.data[cover.steps.n - 1].ranges == 0);
    profgen_cover_close(&cover);
}

static void test_overlaps(void **state)
{
    uint64_t chance = 3;
    (void)state;
    for (size_t round = 0; round < 400; round++) {
        struct pair_count ranges[12];
        size_t n = next_random(&chance) % (COUNT(ranges) + 1);
        for (size_t i = 0; i < n; i++) {
            uint64_t a = next_random(&chance) % ADDRESSES, large = next_random(&chance) % 4;
            uint64_t b = a + next_random(&chance) % (ADDRESSES - a), few = next_random(&chance) % 100;
            ranges[i] = (struct pair_count){{a, b, 0}, large ? few : UINT64_MAX - few};
        }
        check_cover(ranges, n);
    }
}

/* Ranges that touch, are equal, or are one address. */
static void test_ends(void **state)
{
    static const struct pair_count ranges[] = {{{1, 4, 0}, 2}, {{5, 5, 0}, 3},          {{5, 9, 0}, 4},
                                               {{1, 4, 0}, 5}, {{9, 9, 0}, UINT64_MAX}, {{0, 59, 0}, 0}};
    (void)state;
    for (size_t n = 0; n <= COUNT(ranges); n++)
        check_cover(ranges, n);
}

TEST_FILE(profgen_cover)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_overlaps), cmocka_unit_test(test_ends)};
    return RUN_TESTS(tests);
}
