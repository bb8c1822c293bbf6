/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chains of calls, and recursion that is compressed. */
#include "helpers/shared/unit.h"

#include <string.h>

#include "profgen/profgen_chains.h"
#include "profgen/profgen_settle.h"

/* Frames from letters, one for each. */
static void set_frames(struct profgen_frames *frames, const char *text)
{
    frames->list.n = 0;
    for (const char *p = text; *p; p++) {
        struct profgen_frame frame = {(uint64_t)*p, 0};
        assert_true(VEC_PUSH(&frames->list, frame));
    }
}

static void check_frames(const struct profgen_frames *frames, const char *text)
{
    char found[2048];
    assert_true(frames->list.n < sizeof found);
    for (size_t i = 0; i < frames->list.n; i++)
        found[i] = (char)frames->list.data[i].at;
    found[frames->list.n] = 0;
    assert_string_equal(found, text);
}

static void check_compressed(const char *text, size_t longest, const char *expected)
{
    struct profgen_frames frames = {.list = {NULL, 0, 0}};
    set_frames(&frames, text);
    profgen_compress(&frames, longest);
    check_frames(&frames, expected);
    VEC_FREE(&frames.list);
}

static void test_compress(void **state)
{
    (void)state;
    check_compressed("", SIZE_MAX, "");
    check_compressed("a", SIZE_MAX, "a");
    check_compressed("aa", SIZE_MAX, "a");
    check_compressed("aaaa", SIZE_MAX, "a");
    check_compressed("aaaa", 0, "aaaa");
    check_compressed("abab", SIZE_MAX, "ab");
    check_compressed("ababab", 1, "ababab");
    check_compressed("ababab", 2, "ab");
    check_compressed("mababcabcx", SIZE_MAX, "mabcx"); /* ab first, then abc */
    check_compressed("ababa", SIZE_MAX, "aba");
    check_compressed("aabaab", SIZE_MAX, "ab"); /* a first, then ab */
    check_compressed("abcabcabc", 2, "abcabcabc");
    check_compressed("abcabcabc", 3, "abc");
    check_compressed("abcdabc", SIZE_MAX, "abcdabc");
    check_compressed("maaabbb", SIZE_MAX, "mab");
}

/* Places and names both count. */
static void test_compress_names(void **state)
{
    struct profgen_frames frames = {.list = {NULL, 0, 0}};
    (void)state;
    set_frames(&frames, "aaaa");
    frames.list.data[0].name = frames.list.data[2].name = 1;
    profgen_compress(&frames, 1);
    assert_int_equal(frames.list.n, 4);
    profgen_compress(&frames, 2);
    assert_int_equal(frames.list.n, 2);
    assert_int_equal(frames.list.data[0].name, 1);
    assert_int_equal(frames.list.data[1].name, 0);
    VEC_FREE(&frames.list);
}

/* Lengths in turn, as llvm-profgen compresses: of two equal sequences side by side the second one goes, and the search
 * goes on after the first one. */
static void compress_slowly(char *text, size_t longest)
{
    for (size_t n = 1; n <= longest && n <= strlen(text) / 2; n++)
        for (size_t i = 0; i + 2 * n <= strlen(text);)
            if (strncmp(text + i, text + i + n, n) == 0)
                memmove(text + i + n, text + i + 2 * n, strlen(text + i + 2 * n) + 1);
            else
                i++;
}

static void test_compress_any(void **state)
{
    uint64_t chance = 5;
    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        char text[200], expected[200];
        size_t n = next_random(&chance) % (i % 2 ? 32 : 200), letters = 1 + next_random(&chance) % 3;
        size_t longest = next_random(&chance) % 3 ? SIZE_MAX : next_random(&chance) % 5;
        for (size_t k = 0; k < n; k++)
            text[k] = (char)('a' + next_random(&chance) % letters);
        text[n] = 0;
        memcpy(expected, text, n + 1);
        compress_slowly(expected, longest);
        check_compressed(text, longest, expected);
    }
}

static void test_keep_last(void **state)
{
    struct profgen_frames frames = {.list = {NULL, 0, 0}};
    (void)state;
    set_frames(&frames, "abcd");
    profgen_keep_last(&frames, 5);
    check_frames(&frames, "abcd");
    profgen_keep_last(&frames, 2);
    check_frames(&frames, "cd");
    profgen_keep_last(&frames, 0);
    check_frames(&frames, "");
    VEC_FREE(&frames.list);
}

/* Whether frames that differ, as many as that, are cut without the user's wish. */
static bool is_cut(size_t n, uint32_t recursion, uint32_t context)
{
    const struct profgen_depths depths = {recursion, UINT32_MAX, context};
    struct profgen_frames frames = {.list = {NULL, 0, 0}};
    for (size_t i = 0; i < n; i++)
        assert_true(VEC_PUSH(&frames.list, ((struct profgen_frame){i, 0})));
    const bool cut = profgen_limit(&frames, &depths, true);
    size_t left = n < PROFGEN_LONGEST_CHAIN ? n : PROFGEN_LONGEST_CHAIN;
    left = left < context ? left : context;
    assert_int_equal(frames.list.n, left);
    for (size_t i = 0; i < left; i++)
        assert_int_equal(frames.list.data[i].at, n - left + i);
    VEC_FREE(&frames.list);
    return cut;
}

static void test_longest(void **state)
{
    const size_t most = PROFGEN_LONGEST_CHAIN;
    (void)state;
    for (uint32_t recursion = 0; recursion < 3; recursion++) {
        assert_false(is_cut(most, recursion, UINT32_MAX));
        assert_true(is_cut(most + 1, recursion, UINT32_MAX));
        assert_true(is_cut(2 * most + 1, recursion, UINT32_MAX));
        assert_false(is_cut(2 * most + 1, recursion, PROFGEN_LONGEST_CHAIN));
        assert_false(is_cut(most + 1, recursion, 3));
    }
}

static void check_limited(const char *text, uint32_t recursion, uint32_t chain, uint32_t context, bool names,
                          const char *expected)
{
    const struct profgen_depths depths = {recursion, chain, context};
    struct profgen_frames frames = {.list = {NULL, 0, 0}};
    set_frames(&frames, text);
    profgen_limit(&frames, &depths, names);
    check_frames(&frames, expected);
    VEC_FREE(&frames.list);
}

static void test_limit(void **state)
{
    (void)state;
    check_limited("abcabcd", UINT32_MAX, UINT32_MAX, UINT32_MAX, true, "abcd");
    check_limited("abcabcd", 0, UINT32_MAX, 5, true, "cabcd");
    check_limited("abcabcd", UINT32_MAX, 2, 3, true, "bcd");
    check_limited("abcabcd", UINT32_MAX, 2, 3, false, "cd");
    check_limited("abcd", UINT32_MAX, 0, UINT32_MAX, false, "");
}

/* ---- chains ---- */

static void test_chains(void **state)
{
    struct profgen_chains chains = {.list = {NULL, 0, 0}};
    struct profgen_frames frames = {.list = {NULL, 0, 0}};
    uint32_t a, ab, again, abc, folded;
    (void)state;
    assert_int_equal(profgen_chain_at(&chains, PROFGEN_NO_CHAIN).depth, 0);
    assert_int_equal(profgen_chains_add(&chains, PROFGEN_NO_CHAIN, 'a', &a, NULL), APF_OK);
    assert_int_equal(profgen_chains_add(&chains, a, 'b', &ab, NULL), APF_OK);
    assert_int_equal(profgen_chains_add(&chains, a, 'b', &again, NULL), APF_OK);
    assert_int_equal(ab, again);
    assert_int_equal(profgen_chains_add(&chains, ab, 'c', &abc, NULL), APF_OK);
    assert_int_equal(profgen_chain_at(&chains, abc).depth, 3);
    assert_int_equal(profgen_chain_at(&chains, abc).outer, ab);
    assert_int_equal(profgen_chains_unfold(&chains, abc, &frames, NULL), APF_OK);
    check_frames(&frames, "abc");
    assert_int_equal(profgen_chains_fold(&chains, &frames, &folded, NULL), APF_OK);
    assert_int_equal(folded, abc);
    assert_int_equal(profgen_chains_unfold(&chains, PROFGEN_NO_CHAIN, &frames, NULL), APF_OK);
    check_frames(&frames, "");
    assert_int_equal(profgen_chains_fold(&chains, &frames, &folded, NULL), APF_OK);
    assert_int_equal(folded, PROFGEN_NO_CHAIN);
    VEC_FREE(&frames.list);
    profgen_chains_free(&chains);
}

/* Traces: what follows the last frame outside stays; contexts that become equal are added up. */
static void test_settle(void **state)
{
    const struct profgen_depths depths = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    struct profgen_traces t = {.found = {.sensitive = true}};
    struct profgen_counts counts = {.named = NULL};
    struct profgen_frames frames = {.list = {NULL, 0, 0}};
    static const char *const texts[] = {"ab", "x\001ab", "aabab", "a\001", ""};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct pair_count counted = {{10, 20, 0}, i + 1};
        set_frames(&frames, texts[i]);
        assert_int_equal(profgen_chains_fold(&t.found.chains, &frames, &counted.pair.context, NULL), APF_OK);
        assert_int_equal(pair_counts_add(&t.found.ranges, &counted, 1, NULL), APF_OK);
    }
    assert_int_equal(profgen_counts_sort(&t.found, NULL), APF_OK);
    assert_int_equal(profgen_settle(&counts, &t, &depths, NULL), APF_OK);
    assert_true(counts.sensitive);
    assert_int_equal(profgen_counts_sort(&counts, NULL), APF_OK);
    assert_int_equal(counts.ranges.list.n, 2);
    assert_int_equal(counts.ranges.list.data[0].count, 4 + 5);
    assert_int_equal(counts.ranges.list.data[0].pair.context, PROFGEN_NO_CHAIN);
    assert_int_equal(counts.ranges.list.data[1].count, 1 + 2 + 3);
    assert_int_equal(
        profgen_chains_unfold(&counts.chains, counts.ranges.list.data[1].pair.context, &frames, NULL),
        APF_OK);
    check_frames(&frames, "ab");
    VEC_FREE(&frames.list);
    profgen_traces_free(&t);
    profgen_counts_free(&counts);
}

TEST_FILE(profgen_chains)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compress),     cmocka_unit_test(test_compress_names),
        cmocka_unit_test(test_compress_any), cmocka_unit_test(test_keep_last),
        cmocka_unit_test(test_longest),      cmocka_unit_test(test_limit),
        cmocka_unit_test(test_chains),       cmocka_unit_test(test_settle)};
    return RUN_TESTS(tests);
}
