/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/evaluate.h"

/* States of an expression. */
enum { NEW, OPEN, DONE };

struct evaluation {
    struct mapping *m;
    const struct counts *counts;
    bool saturates;
    enum counters_verdict verdict;
};

static bool is_expression(uint32_t word)
{
    return counter_tag(word) >= COUNTER_SUBTRACT;
}

/* The value of a word whose expression, if it is one, is done. */
static inline uint64_t value_of(struct evaluation *e, uint32_t word)
{
    const uint32_t i = counter_number(word);
    if (counter_is_zero(word))
        return 0;
    if (is_expression(word))
        return e->m->expressions.data[i].value;
    if (!e->counts->bytes)
        return 0;
    if (i < e->counts->n)
        return counts_at(e->counts, i);
    e->verdict = COUNTERS_MISSING;
    return 0;
}

/* Whether the value of a word is known; else its expression comes on the stack, for which there is room: an expression
 * is on it once. */
static bool is_known(struct evaluation *e, uint32_t word)
{
    struct mapping *m = e->m;
    if (!is_expression(word) || m->expressions.data[counter_number(word)].state == DONE)
        return true;
    struct expression *x = &m->expressions.data[counter_number(word)];
    if (x->state == OPEN) {
        e->verdict = COUNTERS_CYCLE;
        x->state = DONE;
        x->value = 0;
        return true;
    }
    x->state = OPEN;
    m->scratch.data[m->scratch.n++] = counter_number(word);
    return false;
}

/* The value of an expression whose operands are known. */
static uint64_t combine(const struct evaluation *e, const struct expression *x, uint64_t left, uint64_t right)
{
    uint64_t value;
    const bool wraps =
        x->adds ? __builtin_add_overflow(left, right, &value) : __builtin_sub_overflow(left, right, &value);
    if (wraps && e->saturates)
        return x->adds ? UINT64_MAX : 0;
    return value;
}

static uint64_t evaluate(struct evaluation *e, uint32_t word)
{
    struct mapping *m = e->m;
    m->scratch.n = 0;
    if (is_known(e, word))
        return value_of(e, word);
    while (m->scratch.n) {
        struct expression *x = &m->expressions.data[m->scratch.data[m->scratch.n - 1]];
        if (!is_known(e, x->left) || !is_known(e, x->right))
            continue;
        x->value = combine(e, x, value_of(e, x->left), value_of(e, x->right));
        x->state = DONE;
        m->scratch.n--;
    }
    return value_of(e, word);
}

/* The value of a word that is no expression, or of one after `from`. False: of another one. */
static inline bool value_after(struct evaluation *e, size_t from, uint32_t word, uint64_t *value)
{
    if (is_expression(word) && counter_number(word) <= from)
        return false;
    *value = value_of(e, word);
    return true;
}

/* Evaluates expressions from the last one to the first: those that compilers write refer to later ones. Returns how
 * many are left, whose values are found when they are needed, because one of them does not, or has a counter that is
 * missing, which matters only if a region has it. */
static size_t evaluate_backward(struct evaluation *e)
{
    struct mapping *m = e->m;
    size_t i = m->expressions.n;
    for (; i; i--) {
        struct expression *x = &m->expressions.data[i - 1];
        uint64_t left, right;
        if (!value_after(e, i - 1, x->left, &left) || !value_after(e, i - 1, x->right, &right) ||
            e->verdict != COUNTERS_OK)
            break;
        x->value = combine(e, x, left, right);
        x->state = DONE;
    }
    e->verdict = COUNTERS_OK;
    return i;
}

/* Sets the counts of regions when all expressions are known. */
static void count_regions(struct evaluation *e)
{
    for (size_t i = 0; i < e->m->regions.n; i++) {
        struct region *r = &e->m->regions.data[i];
        r->count = value_of(e, r->counter);
        r->false_count = region_is_branch(r) ? value_of(e, r->false_counter) : 0;
    }
}

bool mapping_evaluate(struct mapping *m, const struct counts *counts, bool saturates,
                      enum counters_verdict *verdict)
{
    struct evaluation e = {m, counts, saturates, COUNTERS_OK};
    const size_t left = evaluate_backward(&e);
    m->scratch.n = 0;
    if (left && !VEC_RESERVE(&m->scratch, m->expressions.n))
        return false;
    for (size_t i = 0; i < left; i++)
        m->expressions.data[i].state = NEW;
    if (!left)
        count_regions(&e);
    for (size_t i = 0; left && i < m->regions.n && e.verdict == COUNTERS_OK; i++) {
        struct region *r = &m->regions.data[i];
        r->count = evaluate(&e, r->counter);
        r->false_count = region_is_branch(r) ? evaluate(&e, r->false_counter) : 0;
    }
    *verdict = e.verdict;
    return true;
}

void mapping_clear(struct mapping *m)
{
    for (size_t i = 0; i < m->regions.n; i++)
        m->regions.data[i].count = m->regions.data[i].false_count = 0;
}
