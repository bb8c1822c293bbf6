/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/inputs_listing.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"
#include "inputs/inputs_removal.h"

static bool was_read(const struct inputs_listing *l, size_t i)
{
    return l->lister.was_read(l->lister.merge, i);
}

/* The code with which an entry is written: whether its kind goes with others is decided when all inputs are there. */
static int code_of(const struct inputs_listing *l, size_t i)
{
    return was_read(l, i) ? APF_OK : l->inputs->list.data[i].code;
}

int inputs_compare_numbers(const uint64_t (*pairs)[2], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pairs[i][0] != pairs[i][1])
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
    return 0;
}

static int compare_entries(const struct inputs_listing *l, size_t a, size_t b)
{
    const int x = code_of(l, a), y = code_of(l, b);
    return x != y ? (x > y) - (x < y) : l->lister.compare(l->lister.merge, a, b);
}

static bool entry_before(const void *context, const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return compare_entries(context, *x, *y) < 0;
}

/* Whether an entry is written at all. An input that the merge leaves where it is will come again, and one that the
 * output holds stands among its inputs. */
static bool is_listed(const struct inputs_listing *l, size_t i)
{
    const struct inputs *in = l->inputs;
    const struct kept_input *input = &in->list.data[i];
    const bool stays = in->removal && in->removal->remove && !input->member;
    return stays ? was_read(l, i) : input->member || input->code != APF_ALREADY_MERGED;
}

/* Whether an entry can be written without its name. */
static bool may_be_unnamed(const struct inputs_listing *l, size_t i)
{
    return !inputs_listing_has_names(l) && !l->inputs->list.data[i].damage;
}

static bool add_group(struct inputs_listing *l, const size_t *entries, size_t n)
{
    const struct inputs_group group = {entries, n};
    for (size_t i = 0; i < n; i++)
        l->numbers[entries[i]] = (uint32_t)l->groups.n;
    return VEC_PUSH(&l->groups, group);
}

/* Makes groups of the first n entries, which are sorted. */
static bool add_kinds(struct inputs_listing *l, size_t n)
{
    bool ok = true;
    for (size_t i = 0, same; ok && i < n; i += same) {
        for (same = 1; i + same < n && compare_entries(l, l->entries[i], l->entries[i + same]) == 0;)
            same++;
        ok = add_group(l, l->entries + i, same);
    }
    return ok;
}

int inputs_listing_make(struct inputs_listing *l, const struct inputs *in, struct inputs_lister lister,
                        struct apf_error *error)
{
    size_t n = 0;
    l->inputs = in;
    l->lister = lister;
    l->entries = malloc(2 * in->list.n * sizeof *l->entries + 1); /* and as much to sort them */
    l->numbers = calloc(in->list.n + 1, sizeof *l->numbers);
    if (!l->entries || !l->numbers)
        return error_memory(error);
    for (size_t i = 0; i < in->list.n; i++)
        if (is_listed(l, i) && may_be_unnamed(l, i))
            l->entries[n++] = i;
    if (n)
        sort_merge(l->entries, l->entries + in->list.n, n, sizeof *l->entries, entry_before, l);
    bool ok = add_kinds(l, n);
    for (size_t i = 0; ok && i < in->list.n; i++)
        if (is_listed(l, i) && !may_be_unnamed(l, i)) {
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

struct kept_input inputs_listing_kept(struct inputs_listing *l, const struct inputs_group *group)
{
    const struct inputs *in = l->inputs;
    struct kept_input kept = in->list.data[group->entries[0]];
    kept.code = code_of(l, group->entries[0]);
    if (kept.code == APF_OK)
        kept.error = NULL;
    if (!may_be_unnamed(l, group->entries[0]))
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
