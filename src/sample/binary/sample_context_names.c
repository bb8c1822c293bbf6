/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contexts as names, as LLVM 13 has them: the table of names has their texts, such as "[main:3 @ foo]", among the names
 * of what is called and inlined. */
#include <string.h>

#include "base/decimal.h"
#include "base/sort.h"
#include "sample/binary/sample_plan_write.h"
#include "sample/model/sample_words.h"

/* A text of the table of names, and where its index belongs. */
struct entry {
    struct apf_str text;
    uint32_t *index;
};

static bool entry_before(const void *context, const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return sort_text_before(context, &x->text, &y->text);
}

bool sample_context_bare(struct apf_str name)
{
    return !sample_names_in_frame(name) && !(name.n && name.p[0] == '[' && name.p[name.n - 1] == ']');
}

/* Makes the text of a context as a name. */
static bool make_text(struct sample_plan *plan, struct sample_context_text *memory, uint32_t context,
                      struct apf_str *text)
{
    const struct sample_context *c = &plan->s->contexts.list.data[context];
    struct apf_str plain = sample_context_text(memory, &plan->s->contexts, &plan->s->names, context);
    bool brackets = c->caller != SAMPLE_NONE || (plain.n && !sample_context_bare(plain)); /* "[]" is a name */
    char *p = plain.p ? arena_bytes(&plan->arena, plain.n + 2) : NULL;
    if (!p)
        return false;
    memcpy(p + brackets, plain.p, plain.n);
    if (brackets) {
        p[0] = '[';
        p[plain.n + 1] = ']';
    }
    text->p = p;
    text->n = plain.n + 2 * (size_t)brackets;
    return true;
}

/* Finds the text of a name; of one that is only a hash, the hash as a decimal number. */
static bool find_text(struct sample_plan *plan, uint32_t number, struct apf_str *text)
{
    *text = sample_names_text(&plan->s->names, number);
    if (text->p)
        return true;
    char *digits = arena_bytes(&plan->arena, DECIMAL_MAX);
    if (!digits)
        return false;
    text->n = decimal_store((uint8_t *)digits, sample_names_hash(&plan->s->names, number));
    text->p = digits;
    return true;
}

/* Lists the names, and the texts of contexts, which `texts` has by their numbers. */
static bool list_entries(struct sample_plan *plan, struct entry *entries, struct apf_str *texts)
{
    struct sample_context_text memory = {0};
    bool ok = true;
    size_t n = 0;
    for (size_t i = 0; i < plan->n_names && ok; i++) {
        ok = find_text(plan, plan->names[i], &entries[n].text);
        entries[n++].index = &plan->order.names[plan->names[i]];
    }
    for (size_t i = 0; i < plan->n_contexts && ok; i++) {
        uint32_t context = plan->contexts_used[i];
        ok = make_text(plan, &memory, context, &texts[context]);
        entries[n].text = texts[context];
        entries[n++].index = &plan->order.contexts[context];
    }
    sample_context_text_free(&memory);
    return ok;
}

/* Numbers sorted entries; equal texts are one name. */
static void number_entries(struct sample_plan *plan, const struct entry *entries, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        struct apf_str text = entries[i].text;
        const struct apf_str *last = used ? &plan->table[used - 1] : NULL;
        if (!last || last->n != text.n || memcmp(last->p, text.p, text.n) != 0)
            plan->table[used++] = text;
        *entries[i].index = (uint32_t)(used - 1);
    }
    plan->n_names = used;
}

/* ---- the order of functions ---- */

struct top {
    uint64_t total;
    struct apf_str text; /* of the context, without brackets */
    uint32_t node;
};

static bool top_before(const void *context, const void *a, const void *b)
{
    const struct sample_plan *plan = context;
    const struct top *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total;
    return plan->options->names_descend ? sort_text_before(NULL, &y->text, &x->text)
                                        : sort_text_before(NULL, &x->text, &y->text);
}

/* Sorts the functions by total, then by the texts of their contexts. */
static bool sort_tops(struct sample_plan *plan, const struct apf_str *texts)
{
    struct top *tops = arena_array(&plan->arena, 2 * plan->n_tops + 1, sizeof *tops);
    if (!tops)
        return false;
    for (size_t i = 0; i < plan->n_tops; i++) {
        const struct sample_node *f = &plan->s->nodes.data[plan->tops[i]];
        struct top top = {f->total, sample_context_plain(texts[f->context]), plan->tops[i]};
        tops[i] = top;
    }
    sort_merge(tops, tops + plan->n_tops, plan->n_tops, sizeof *tops, top_before, plan);
    for (size_t i = 0; i < plan->n_tops; i++)
        plan->tops[i] = tops[i].node;
    return true;
}

bool sample_contexts_to_names(struct sample_plan *plan)
{
    size_t n = plan->n_names + plan->n_contexts;
    struct entry *entries = arena_array(&plan->arena, 2 * n + 1, sizeof *entries);
    struct apf_str *texts = arena_zeros(&plan->arena, plan->s->contexts.list.n + 1, sizeof *texts);
    plan->table = arena_array(&plan->arena, n + 1, sizeof *plan->table);
    if (!entries || !texts || !plan->table || !list_entries(plan, entries, texts))
        return false;
    sort_merge(entries, entries + n, n, sizeof *entries, entry_before, NULL);
    number_entries(plan, entries, n);
    return sort_tops(plan, texts);
}
