/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of profiles, and which of several functions with different checksums stays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/merge/sample_sum.h"
#include "sample/model/sample_share.h"

#include "helpers/shared/fault.h"
#include "helpers/shared/sample_notes.h"
#include "helpers/shared/unit.h"

#define MOST 16u

/* Inputs as text; weight 0 means 1. */
struct input {
    const char *text;
    uint64_t weight;
};

/* Adds inputs in an order (NULL: as they are), and resolves the sum of a class. NULL after a failure; *code says why.
 * The names belong to `sums`. */
static struct apf_sample *merge(struct sample_sums *sums, const struct input *inputs, const size_t *order,
                                size_t n, unsigned class, struct sample_losses *losses, int *code)
{
    struct apf_sample *view = NULL;
    struct apf_sample *in[MOST];
    for (size_t i = 0; i < n; i++) {
        size_t at = order ? order[i] : i;
        in[i] = sample_from_notes(inputs[at].text);
        in[i]->input = (uint32_t)at;
    }
    *code = APF_OK;
    for (size_t i = 0; *code == APF_OK && i < n; i++) {
        uint64_t weight = inputs[order ? order[i] : i].weight;
        *code = sample_sums_add(sums, in[i], weight ? weight : 1, weight ? weight : 1, NULL);
    }
    for (size_t i = 0; i < n; i++)
        sample_free(in[i]);
    if (*code == APF_OK)
        *code = sample_share(sums->classes[class].profile, &sums->names, &view, NULL);
    if (*code == APF_OK)
        *code = sample_resolve(view, losses, NULL);
    if (*code == APF_OK)
        return view;
    sample_share_free(view);
    return NULL;
}

/* Merges inputs, and compares the text of the result. */
static void check(const struct input *inputs, size_t n, unsigned class, const char *text,
                  struct sample_losses *losses)
{
    struct sample_sums sums = {0};
    struct sample_losses own = {0};
    int code;
    sample_sums_open(&sums);
    struct apf_sample *view = merge(&sums, inputs, NULL, n, class, losses ? losses : &own, &code);
    assert_int_equal(code, APF_OK);
    view->info.flags = class & SAMPLE_CLASS_CONTEXTS ? APF_SAMPLE_CONTEXTS : 0;
    EXPECT_NOTES(view, text);
    /* The sum is as it was: a second view is equal. */
    struct apf_sample *again;
    assert_int_equal(sample_share(sums.classes[class].profile, &sums.names, &again, NULL), APF_OK);
    struct sample_losses more = {0};
    assert_int_equal(sample_resolve(again, &more, NULL), APF_OK);
    again->info.flags = view->info.flags;
    EXPECT_NOTES(again, text);
    assert_int_equal(more.list.n, losses ? losses->list.n : own.list.n);
    sample_share_free(again);
    sample_share_free(view);
    sample_losses_free(&more);
    sample_losses_free(&own);
    sample_sums_free(&sums);
}

static void test_add(void **state)
{
    static const struct input inputs[] = {
        {"foo:10:1\n 1: 7 bar:3 baz:1\n 2: in:3\n  1: 3\n", 0},
        {"bar:4:2\n 3.1: 4\nfoo:1:1\n 1: 1 bar:1\n 2: in:1\n  2: 1\n 2: other:2\n", 3},
    };
    (void)state;
    check(inputs, 2, 0,
          "foo:13:4\n 1: 10 bar:6 baz:1\n 2: in:6\n  1: 3\n  2: 3\n 2: other:6\nbar:12:6\n 3.1: 12\n", NULL);
}

/* LLVM multiplies totals, heads, lines and targets; the rest is as with a weight of 1. */
static void test_weight(void **state)
{
    static const struct input inputs[] = {
        {"a:2:3\n 1: 5 x:7\n 3: vtables v:2\n 4: in:9\n  1: 8\n  !Attributes: 2\n !Attributes: 1\n", 4}};
    (void)state;
    check(inputs, 1, 0,
          "a:8:12\n 1: 20 x:28\n 3: vtables v:8\n 4: in:36\n  1: 32\n  !Attributes: 2\n !Attributes: 1\n",
          NULL);
}

static void test_votes(void **state)
{
    struct sample_losses losses = {0};
    static const struct input inputs[] = {
        {"foo:1000:1\n 1: 1000\n 2: in:5\n  1: 5\n !CFGChecksum: 111\n", 1},
        {"foo:10:2\n 1: 10\n !CFGChecksum: 222\n", 2},
        {"foo:30:4\n 1: 30\n 3: 1\n !CFGChecksum: 0\nbar:1:1\n !CFGChecksum: 7\n", 9},
    };
    (void)state;
    check(inputs, 3, SAMPLE_CLASS_PROBES,
          "foo:290:40\n 1: 290\n 3: 9\n !CFGChecksum: 222\nbar:9:9\n !CFGChecksum: 7\n", &losses);
    assert_int_equal(losses.list.n, 1);
    assert_int_equal(losses.functions, 1);
    assert_int_equal(losses.inlined, 0);
    assert_int_equal(losses.samples, 1000);
    const struct sample_loss *l = &losses.list.data[0];
    assert_int_equal(l->checksum, 111);
    assert_int_equal(l->kept, 222);
    assert_int_equal(l->total, 1000);
    assert_int_equal(l->input, 0);
    assert_int_equal(l->depth, 0);
    sample_losses_free(&losses);
}

/* Equal votes: more samples; equal samples: the smaller checksum. */
static void test_ties(void **state)
{
    static const struct input by_samples[] = {{"f:5:1\n !CFGChecksum: 1\n", 2},
                                              {"f:20:1\n !CFGChecksum: 3\n", 1},
                                              {"f:7:1\n !CFGChecksum: 2\n", 2},
                                              {"f:1:1\n !CFGChecksum: 3\n", 1}};
    static const struct input by_checksum[] = {
        {"f:5:1\n !CFGChecksum: 9\n", 1}, {"f:5:2\n !CFGChecksum: 3\n", 1}, {"f:5:3\n !CFGChecksum: 4\n", 1}};
    (void)state;
    check(by_samples, 4, SAMPLE_CLASS_PROBES, "f:21:2\n !CFGChecksum: 3\n", NULL);
    check(by_checksum, 3, SAMPLE_CLASS_PROBES, "f:5:2\n !CFGChecksum: 3\n", NULL);
}

/* What has no checksum is added to the one that stays, whichever came first; if none has, there is no conflict. */
static void test_unknown(void **state)
{
    static const struct input first[] = {{"f:1:1\n 1: 1\n !CFGChecksum: 0\ng:0:0\n !CFGChecksum: 5\n", 0},
                                         {"f:2:1\n 1: 2\n !CFGChecksum: 8\n", 0}};
    static const struct input last[] = {{"f:2:1\n 1: 2\n !CFGChecksum: 8\n", 0},
                                        {"f:1:1\n 1: 1\n !CFGChecksum: 0\ng:0:0\n !CFGChecksum: 5\n", 0}};
    static const struct input none[] = {{"f:1:1\n !CFGChecksum: 0\ng:0:0\n !CFGChecksum: 5\n", 0},
                                        {"f:1:1\n !CFGChecksum: 0\ng:0:0\n !CFGChecksum: 5\n", 0}};
    (void)state;
    check(first, 2, SAMPLE_CLASS_PROBES, "f:3:2\n 1: 3\n !CFGChecksum: 8\ng:0:0\n !CFGChecksum: 5\n", NULL);
    check(last, 2, SAMPLE_CLASS_PROBES, "f:3:2\n 1: 3\n !CFGChecksum: 8\ng:0:0\n !CFGChecksum: 5\n", NULL);
    check(none, 2, SAMPLE_CLASS_PROBES, "f:2:2\ng:0:0\n !CFGChecksum: 5\n", NULL);
}

/* Inlined functions, at any depth, also in functions that were joined because one has no checksum. */
static void test_inlined(void **state)
{
    struct sample_losses losses = {0};
    static const struct input inputs[] = {
        {"f:9:1\n 1: a:5\n  2: b:3\n   1: 3\n   !CFGChecksum: 31\n  !CFGChecksum: 0\n !CFGChecksum: 0\n"
         "g:0:0\n !CFGChecksum: 1\n",
         3},
        {"f:9:1\n 1: a:7\n  2: b:4\n   1: 4\n   !CFGChecksum: 32\n  !CFGChecksum: 21\n !CFGChecksum: 11\n",
         2},
        {"f:9:1\n 1: a:8\n  2: b:2\n   1: 2\n   !CFGChecksum: 32\n  !CFGChecksum: 22\n"
         " 1: c:1\n  !CFGChecksum: 41\n !CFGChecksum: 11\n",
         1},
    };
    (void)state;
    /* a/21 has two votes, a/22 one; then b/31 has three and b/32 two: those of a/22 are gone with it. */
    check(inputs, 3, SAMPLE_CLASS_PROBES,
          "f:54:6\n 1: a:29\n  2: b:9\n   1: 9\n   !CFGChecksum: 31\n  !CFGChecksum: 21\n"
          " 1: c:1\n  !CFGChecksum: 41\n !CFGChecksum: 11\ng:0:0\n !CFGChecksum: 1\n",
          &losses);
    assert_int_equal(losses.list.n, 2);
    assert_int_equal(losses.functions, 0);
    assert_int_equal(losses.inlined, 2);
    assert_int_equal(losses.samples, 8 + 8);
    const struct sample_loss *l = losses.list.data;
    if (l[0].checksum != 22) /* their order means nothing */
        l++;
    assert_int_equal(l->checksum, 22);
    assert_int_equal(l->kept, 21);
    assert_int_equal(l->depth, 1);
    assert_int_equal(l->input, 2);
    assert_int_equal(l->at, sample_place(1, 0));
    l = l == losses.list.data ? l + 1 : losses.list.data;
    assert_int_equal(l->checksum, 32);
    assert_int_equal(l->kept, 31);
    assert_int_equal(l->depth, 2);
    assert_int_equal(l->input, 1);
    sample_losses_free(&losses);
}

static void test_contexts(void **state)
{
    static const struct input inputs[] = {
        {"[m:1 @ f]:5:1\n 1: 5\n !Attributes: 1\n[f]:2:1\n[m]:7:1\n", 0},
        {"[m:1 @ f]:1:1\n 2: 1\n !Attributes: 2\n[m:1.1 @ f]:4:1\n[k:3 @ m:1 @ f]:9:0\n", 0},
    };
    (void)state;
    check(inputs, 2, SAMPLE_CLASS_CONTEXTS,
          "[k:3 @ m:1 @ f]:9:0\n[m]:7:1\n[m:1 @ f]:6:2\n 1: 5\n 2: 1\n !Attributes: 3\n"
          "[m:1.1 @ f]:4:1\n[f]:2:1\n",
          NULL);
}

/* Names and their hashes are one function, wherever they stand. 6699318081062747564 is the hash of foo,
 * 16434608426314478903 that of bar. */
static void test_hashes(void **state)
{
    static const struct input inputs[] = {
        {"6699318081062747564:5:1\n 1: 5 16434608426314478903:2\n", 0},
        {"foo:1:1\n 1: 1 bar:1\n 2: 16434608426314478903:1\n", 0},
        {"other:1:1\n 1: 1 6699318081062747564:1 42:1\n", 0},
    };
    (void)state;
    check(inputs, 3, 0, "foo:6:2\n 1: 6 bar:3\n 2: bar:1\nother:1:1\n 1: 1 42:1 foo:1\n", NULL);
}

static void test_saturation(void **state)
{
    struct sample_sums sums = {0};
    struct sample_losses losses = {0};
    static const struct input inputs[] = {
        {"f:18446744073709551000:18446744073709551615\n 1: 5\n 2: in:9\n  1: 18446744073709551615\n"
         "g:3:3\n 1: 9223372036854775808 x:1\n",
         2},
        {"f:1:0\n 1: 1\n", 1}};
    int code;
    (void)state;
    sample_sums_open(&sums);
    struct apf_sample *view = merge(&sums, inputs, NULL, 2, 0, &losses, &code);
    assert_int_equal(code, APF_OK);
    EXPECT_NOTES(view, "f:18446744073709551615:18446744073709551615\n 1: 11\n 2: in:18\n"
                       "  1: 18446744073709551615\ng:6:6\n 1: 18446744073709551615 x:2\n");
    unsigned saturated = 0;
    for (size_t i = 0; i < view->nodes.n; i++)
        saturated += (view->nodes.data[i].state & SAMPLE_SATURATED) != 0;
    assert_int_equal(saturated, 3);
    assert_true(view->n_saturated);
    sample_share_free(view);
    sample_losses_free(&losses);
    sample_sums_free(&sums);
}

/* Classes are apart, and what is hollow is in none. */
static void test_classes(void **state)
{
    struct sample_sums sums = {0};
    struct apf_sample *in[4] = {sample_from_notes("f:1:1\n"), sample_from_notes("f:1:1\n !CFGChecksum: 1\n"),
                                sample_from_notes("[f]:1:1\n"),
                                sample_from_notes("[f]:1:1\n !CFGChecksum: 1\n")};
    (void)state;
    sample_sums_open(&sums);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(sample_class_of(in[i]), i);
        assert_false(sample_is_hollow(in[i]));
        assert_int_equal(sample_sums_add(&sums, in[i], 1, 1, NULL), APF_OK);
        sample_free(in[i]);
        assert_int_equal(sums.classes[i].profile->top.n, 1);
    }
    struct apf_sample *hollow = sample_new();
    struct apf_str symbol = {"s", 1};
    assert_int_equal(sample_append_symbol(hollow, symbol, NULL), APF_OK);
    assert_true(sample_is_hollow(hollow));
    assert_int_equal(sample_sums_add(&sums, hollow, 1, 1, NULL), APF_OK);
    sample_free(hollow);
    assert_int_equal(sums.hollow.profile->symbols.n, 1);
    sample_sums_free(&sums);
}

/* Equal lists of symbols take no memory again. */
static void test_symbols(void **state)
{
    static const char *const lists[][3] = {
        {"b", "d", "f"}, {"a", "d", "g"}, {"b", "d", "f"}, {"e", "e", "e"}};
    struct apf_sample *sum = sample_new();
    size_t used = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(lists); i++) {
        struct apf_sample *in = sample_new();
        for (size_t k = 0; k < 3; k++) {
            struct apf_str name = {lists[i][k], 1};
            assert_int_equal(sample_append_symbol(in, name, NULL), APF_OK);
        }
        assert_int_equal(sample_seal(in, NULL), APF_OK);
        assert_int_equal(sample_add(sum, in, NULL, 1, 1, NULL), APF_OK);
        sample_free(in);
        if (i == 2)
            assert_int_equal(sum->symbol_text.used, used);
        used = sum->symbol_text.used;
    }
    assert_true(sum->has_symbols);
    assert_int_equal(sum->symbols.n, 6);
    for (size_t i = 0; i < 6; i++)
        assert_memory_equal(sum->symbols.data[i].p, &"abdefg"[i], 1);
    sample_free(sum);
}

/* A name in a list of symbols, or one that the caller knows, is that of a hash. */
static void test_find_names(void **state)
{
    struct sample_sums sums = {0};
    struct apf_sample *in = sample_from_notes("6699318081062747564:5:1\n 1: 5 16434608426314478903:2 77:1\n");
    struct apf_sample *symbols = sample_new(), *view;
    const struct apf_str foo = {"foo", 3}, known[] = {{"none", 4}, {"bar", 3}};
    struct sample_losses losses = {0};
    (void)state;
    assert_int_equal(sample_append_symbol(symbols, foo, NULL), APF_OK);
    sample_sums_open(&sums);
    assert_int_equal(sample_sums_add(&sums, in, 1, 1, NULL), APF_OK);
    assert_int_equal(sample_sums_add(&sums, symbols, 1, 1, NULL), APF_OK);
    assert_int_equal(sample_sums_find_names(&sums, known, COUNT(known), NULL), APF_OK);
    assert_int_equal(sums.names.list.n, 3);
    assert_int_equal(sample_share(sums.classes[0].profile, &sums.names, &view, NULL), APF_OK);
    assert_int_equal(sample_resolve(view, &losses, NULL), APF_OK);
    EXPECT_NOTES(view, "foo:5:1\n 1: 5 bar:2 77:1\n");
    sample_share_free(view);
    sample_free(in);
    sample_free(symbols);
    sample_sums_free(&sums);
}

/* ---- any order ---- */

static void shuffle(size_t *order, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = next_random(state) % i, swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
}

/* All about a view that must not depend on the order. */
static char *describe(const struct input *inputs, const size_t *order, size_t n, unsigned class)
{
    struct sample_sums sums = {0};
    struct sample_losses losses = {0};
    char *text, *all;
    int code;
    sample_sums_open(&sums);
    struct apf_sample *view = merge(&sums, inputs, order, n, class, &losses, &code);
    assert_int_equal(code, APF_OK);
    view->info.flags = class & SAMPLE_CLASS_CONTEXTS ? APF_SAMPLE_CONTEXTS : 0;
    text = sample_to_notes(view);
    uint64_t votes = 0, first = 0, saturated = 0;
    for (size_t i = 0; i < view->nodes.n; i++) {
        const struct sample_node *f = &view->nodes.data[i];
        if (f->state & SAMPLE_GONE)
            continue;
        votes += f->votes;
        first += f->input;
        saturated += (f->state & SAMPLE_SATURATED) != 0;
    }
    size_t size = strlen(text) + 200;
    all = malloc(size);
    snprintf(all, size, "%s%llu %llu %llu %llu %llu %llu\n", text, (unsigned long long)votes,
             (unsigned long long)first, (unsigned long long)saturated, (unsigned long long)losses.functions,
             (unsigned long long)losses.inlined, (unsigned long long)losses.samples);
    free(text);
    sample_share_free(view);
    sample_losses_free(&losses);
    sample_sums_free(&sums);
    return all;
}

static void test_orders(void **state)
{
    static const struct {
        struct sample_random like;
        unsigned class;
    } kinds[] = {
        {{.functions = 8, .names = 12, .depth = 3, .attributes = true, .vtables = true}, 0},
        {{.functions = 8, .names = 6, .depth = 4, .checksums = 3, .attributes = true}, SAMPLE_CLASS_PROBES},
        {{.functions = 8, .names = 5, .depth = 2, .frames = 3, .hashes = 30, .vtables = true},
         SAMPLE_CLASS_CONTEXTS},
        {{.functions = 9, .names = 3, .depth = 2, .frames = 2, .checksums = 2, .hashes = 50, .huge = true},
         SAMPLE_CLASS_CONTEXTS | SAMPLE_CLASS_PROBES},
    };
    uint64_t random = 7;
    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        struct input inputs[8];
        size_t order[8], n = COUNT(inputs);
        for (size_t i = 0; i < n; i++) {
            inputs[i].text = sample_random_notes(&kinds[round % 4].like, &random);
            inputs[i].weight = next_random(&random) % 4;
            order[i] = i;
        }
        char *first = describe(inputs, NULL, n, kinds[round % 4].class);
        for (unsigned permutation = 0; permutation < 20; permutation++) {
            shuffle(order, n, &random);
            char *other = describe(inputs, order, n, kinds[round % 4].class);
            assert_string_equal(other, first);
            free(other);
        }
        free(first);
        for (size_t i = 0; i < n; i++)
            free((char *)inputs[i].text);
    }
}

/* ---- failures ---- */

static int add_and_resolve(struct sample_sums *sums, struct apf_sample **in, size_t n,
                           struct apf_error *error)
{
    struct sample_losses losses = {0};
    struct apf_sample *view = NULL;
    const struct apf_str known = {"bar", 3};
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++)
        code = sample_sums_add(sums, in[i], 2, 1, error);
    if (code == APF_OK)
        code = sample_sums_find_names(sums, &known, 1, error);
    if (code == APF_OK)
        code = sample_share(sums->classes[SAMPLE_CLASS_PROBES].profile, &sums->names, &view, error);
    if (code == APF_OK)
        code = sample_share_own(view, error);
    if (code == APF_OK)
        code = sample_resolve(view, &losses, error);
    sample_share_free(view);
    sample_losses_free(&losses);
    return code;
}

/* Whichever allocation fails, it is reported, nothing leaks, and everything can be freed. */
static void test_faults(void **state)
{
    static const char first[] =
        "f:5:1\n 1: 5 x:1\n 2: 4\n 3: a:5\n  !CFGChecksum: 1\n 4: vtables v:1\n !CFGChecksum: 0\n"
        "g:1:1\n !CFGChecksum: 2\n";
    static const char second[] = "f:6:1\n 1: 5 y:1\n 9: 4\n 3: a:5\n  1: 1\n  !CFGChecksum: 2\n"
                                 " 4: vtables w:1\n !CFGChecksum: 3\n";
    static const char third[] =
        "g:1:1\n 1: b:1\n  1: c:1\n !CFGChecksum: 5\n16434608426314478903:1:1\n !CFGChecksum: 1\n";
    static const char *const texts[] = {first, second, third};
    static const enum fault_call calls[] = {FAULT_MEMORY, FAULT_ARENA};
    (void)state;
    for (size_t c = 0; c < COUNT(calls); c++) {
        bool hit = true;
        for (uint64_t at = 1; hit; at++) {
            struct sample_sums sums = {0};
            struct apf_sample *in[COUNT(texts)];
            struct apf_error error = {0};
            for (size_t i = 0; i < COUNT(texts); i++)
                in[i] = sample_from_notes(texts[i]);
            sample_sums_open(&sums);
            fault_fail(calls[c], at, 12);
            int code = add_and_resolve(&sums, in, COUNT(texts), &error);
            hit = fault_hit();
            fault_reset();
            assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
            assert_int_equal(error.code, code);
            for (size_t i = 0; i < COUNT(texts); i++)
                sample_free(in[i]);
            sample_sums_free(&sums);
            assert_true(hit || at > 8);
        }
    }
}

TEST_FILE(sample_resolve)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),      cmocka_unit_test(test_weight),  cmocka_unit_test(test_votes),
        cmocka_unit_test(test_ties),     cmocka_unit_test(test_unknown), cmocka_unit_test(test_inlined),
        cmocka_unit_test(test_contexts), cmocka_unit_test(test_hashes),  cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_classes),  cmocka_unit_test(test_symbols), cmocka_unit_test(test_find_names),
        cmocka_unit_test(test_orders),   cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}
