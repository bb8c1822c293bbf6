/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of one site: sums against a plain model, for lists of every length, in whatever portions they come. */
#include "instr/model/value_list.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/shared/unit.h"

#define MODEL 20000u /* values are below this */
#define PORTION 400u

struct model {
    uint64_t counts[MODEL];
    bool there[MODEL];
    bool cut;
};

static void model_add(struct model *m, const struct apf_value *v, size_t n, uint64_t weight)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t *count = &m->counts[v[i].value];
        *count = sum_saturating(*count, v[i].count, weight, UINT64_MAX, &m->cut);
        m->there[v[i].value] = true;
    }
}

/* Every value stands once, in order, with the model's count. */
static void check_list(const struct value_list *l, const struct model *m)
{
    uint32_t at = 0;
    assert_int_equal(l->sorted, l->n);
    for (uint64_t value = 0; value < MODEL; value++) {
        if (!m->there[value])
            continue;
        assert_true(at < l->n);
        assert_int_equal(l->values[at].value, value);
        assert_int_equal(l->values[at].count, m->counts[value]);
        at++;
    }
    assert_int_equal(at, l->n);
}

static size_t make_portion(struct apf_value *v, uint64_t *chance, uint64_t range, bool large)
{
    size_t n = (size_t)(next_random(chance) % PORTION);
    if (next_random(chance) % 2)
        n %= 5;
    for (size_t i = 0; i < n; i++) {
        v[i].value = next_random(chance) % range;
        v[i].count = large && next_random(chance) % 50 == 0 ? UINT64_MAX - next_random(chance) % 9
                                                            : next_random(chance) % 1000;
    }
    return n;
}

static void run(uint64_t seed, uint64_t range, unsigned additions, bool large)
{
    struct arena arena = {0};
    struct value_list l = {0};
    struct model *m = calloc(1, sizeof *m);
    struct apf_value portion[PORTION];
    bool cut = false;
    assert_non_null(m);
    size_t n = make_portion(portion, &seed, range, large);
    assert_true(value_list_copy(&l, &arena, portion, n, 3, &cut));
    model_add(m, portion, n, 3);
    assert_int_equal(l.n, n); /* as it is in the profile */
    assert_true(value_list_normalise(&l, &cut));
    check_list(&l, m);
    for (unsigned i = 0; i < additions; i++) {
        uint64_t weight = large ? 1 + next_random(&seed) % 1000 : 1;
        n = make_portion(portion, &seed, range, large);
        assert_true(value_list_add(&l, &arena, portion, n, weight, &cut));
        model_add(m, portion, n, weight);
        assert_true(l.n - l.sorted <= l.sorted);
        if (next_random(&seed) % 8 == 0) {
            assert_true(value_list_settle(&l, &cut));
            check_list(&l, m);
        }
    }
    assert_true(value_list_settle(&l, &cut));
    check_list(&l, m);
    assert_int_equal(cut, m->cut);
    arena_free(&arena);
    free(m);
}

static void test_short_lists(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++)
        run(seed, 1 + seed % 40, 20, false);
}

static void test_long_lists(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        run(seed, seed % 2 ? MODEL : 700, 100, false);
}

static void test_large_counts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        run(seed, seed % 2 ? 3000 : 30, 30, true);
}

static void test_nothing(void **state)
{
    struct arena arena = {0};
    struct value_list l = {0};
    const struct apf_value v = {7, 9};
    bool cut = false;
    (void)state;
    assert_true(value_list_copy(&l, &arena, NULL, 0, 1, &cut));
    assert_true(value_list_normalise(&l, &cut) && value_list_settle(&l, &cut));
    assert_true(value_list_add(&l, &arena, NULL, 0, 1, &cut));
    assert_int_equal(l.n, 0);
    assert_true(value_list_add(&l, &arena, &v, 1, 2, &cut));
    assert_int_equal(l.n, 1);
    assert_int_equal(l.values[0].count, 18);
    assert_false(cut);
    arena_free(&arena);
}

TEST_FILE(value_list)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_short_lists), cmocka_unit_test(test_long_lists),
                                       cmocka_unit_test(test_large_counts), cmocka_unit_test(test_nothing)};
    return RUN_TESTS(tests);
}
