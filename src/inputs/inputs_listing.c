/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/inputs_listing.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"
#include "inputs/inputs_removal.h"

/* The code with which an entry is written: whether its kind goes with others is decided when all inputs are there. */
static int code_of(const struct inputs *in, const struct inputs_lister *lister, size_t i)
{
    return lister->was_read(lister->merge, i) ? APF_OK : in->list.data[i].code;
}

struct comparison {
    const struct inputs *in;
    const struct inputs_lister *lister;
};

static int compare_entries(const struct comparison *c, size_t a, size_t b)
{
    const int x = code_of(c->in, c->lister, a), y = code_of(c->in, c->lister, b);
    return x != y ? (x > y) - (x < y) : c->lister->compare(c->lister->merge, a, b);
}

static bool entry_before(const void *context, const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return compare_entries(context, *x, *y) < 0;
}

/* Whether an entry is written at all. An input that the merge leaves where it is will come again, and one that the
 * output holds stands among its inputs. */
static bool is_listed(const struct inputs *in, const struct inputs_lister *lister, size_t i)
{
    const struct kept_input *input = &in->list.data[i];
    const bool stays = in->removal && in->removal->remove && !input->member;
    return stays ? lister->was_read(lister->merge, i) : input->member || input->code != APF_ALREADY_MERGED;
}

/* Whether an entry can be written without its name. */
static bool may_be_unnamed(const struct inputs *in, const struct inputs_lister *lister, size_t i)
{
    return lister->compare && !in->list.data[i].damage;
}

static bool add_group(struct inputs_listing *l, const size_t *entries, size_t n)
{
    const struct inputs_group group = {entries, n};
    for (size_t i = 0; i < n; i++)
        l->numbers[entries[i]] = (uint32_t)l->groups.n;
    return VEC_PUSH(&l->groups, group);
}

/* Makes groups of the first n entries, which are sorted. */
static bool add_kinds(struct inputs_listing *l, const struct comparison *c, size_t n)
{
    bool ok = true;
    for (size_t i = 0, same; ok && i < n; i += same) {
        for (same = 1; i + same < n && compare_entries(c, l->entries[i], l->entries[i + same]) == 0;)
            same++;
        ok = add_group(l, l->entries + i, same);
    }
    return ok;
}

int inputs_listing_make(struct inputs_listing *l, const struct inputs *in, const struct inputs_lister *lister,
                        struct apf_error *error)
{
    const struct comparison c = {in, lister};
    size_t n = 0;
    l->inputs = in;
    l->unnamed = lister->compare != NULL;
    l->entries = malloc(2 * in->list.n * sizeof *l->entries + 1); /* and as much to sort them */
    l->numbers = calloc(in->list.n + 1, sizeof *l->numbers);
    if (!l->entries || !l->numbers)
        return error_memory(error);
    for (size_t i = 0; i < in->list.n; i++)
        if (is_listed(in, lister, i) && may_be_unnamed(in, lister, i))
            l->entries[n++] = i;
    if (n)
        sort_merge(l->entries, l->entries + in->list.n, n, sizeof *l->entries, entry_before, &c);
    bool ok = add_kinds(l, &c, n);
    for (size_t i = 0; ok && i < in->list.n; i++)
        if (is_listed(in, lister, i) && !may_be_unnamed(in, lister, i)) {
            l->entries[n] = i;
            ok = add_group(l, &l->entries[n++], 1);
        }
    if (ok && l->groups.n == 0)
        return error_plain(error, APF_ARGUMENT, "merge.inputs",
                           "a partial profile stands for inputs: add one");
    return ok ? APF_OK : error_memory(error);
}

void inputs_listing_free(struct inputs_listing *l)
{
    VEC_FREE(&l->groups);
    free(l->entries);
    free(l->numbers);
}

struct kept_input inputs_listing_kept(struct inputs_listing *l, const struct inputs_lister *lister,
                                      const struct inputs_group *group)
{
    const struct inputs *in = l->inputs;
    struct kept_input kept = in->list.data[group->entries[0]];
    kept.code = code_of(in, lister, group->entries[0]);
    if (kept.code == APF_OK)
        kept.error = NULL;
    if (!may_be_unnamed(in, lister, group->entries[0]))
        return kept;
    kept.name = (struct apf_str){NULL, 0};
    kept.unnamed = true;
    kept.n_inputs = 0;
    for (size_t i = 0; i < group->n; i++)
        kept.n_inputs = inputs_sum(kept.n_inputs, in->list.data[group->entries[i]].n_inputs);
    if (kept.error) {
        error_set_plain(&l->lost, kept.code, "merge.inputs", NULL);
        kept.error = &l->lost;
    }
    return kept;
}
