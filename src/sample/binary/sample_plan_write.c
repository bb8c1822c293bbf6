/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/binary/sample_plan_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "sample/layout/sample_layout.h"
#include "sample/model/sample_share.h"

/* ---- what is written ---- */

/* What the passes of sample_plan_make mark. */
struct marks {
    uint8_t *names;    /* names that are written */
    uint8_t *contexts; /* contexts of functions that are written */
    uint8_t *bad;      /* contexts that readers refuse */
};

/* Marks contexts with a place that readers refuse, or that cannot be a name. A caller has a smaller number. */
static void mark_bad(const struct sample_plan *plan, struct marks *m)
{
    const struct apf_sample *s = plan->s;
    for (size_t i = 0; i < s->contexts.list.n; i++) {
        const struct sample_context *c = &s->contexts.list.data[i];
        m->bad[i] = sample_place_is_far(c->at) || (c->caller != SAMPLE_NONE && m->bad[c->caller]);
        if (plan->named_contexts)
            m->bad[i] |= !sample_names_in_frame(sample_names_text(&s->names, c->name));
    }
    for (size_t i = 0; plan->named_contexts && i < s->contexts.list.n; i++) {
        const struct sample_context *c = &s->contexts.list.data[i];
        if (c->caller == SAMPLE_NONE && sample_context_bare(sample_names_text(&s->names, c->name)))
            m->bad[i] = 0;
    }
}

/* Appends the functions that are written to plan->tops. */
static void choose_tops(struct sample_plan *plan, struct marks *m, struct sample_binary_losses *losses)
{
    const struct apf_sample *s = plan->s;
    for (size_t i = 0; i < plan->order.n_tops; i++) {
        uint32_t node = plan->order.tops[i], context = s->nodes.data[node].context;
        if (plan->contexts && m->bad[context]) {
            losses->functions++;
            plan->dead[node] = 1;
            continue;
        }
        m->contexts[context] = 1;
        plan->tops[plan->n_tops++] = node;
    }
}

static void mark_targets(const struct sample_targets *list, struct marks *m)
{
    for (uint32_t i = 0, n = sample_near_targets(list); i < n; i++)
        m->names[list->data[i].name] = 1;
}

/* Marks the names in nodes, and counts what is left out. A caller has a smaller number. */
static void mark_nodes(const struct sample_plan *plan, struct marks *m, struct sample_binary_losses *losses)
{
    const struct apf_sample *s = plan->s;
    for (size_t i = 0; i < s->nodes.n; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        bool top = f->caller == SAMPLE_NONE;
        if (f->state & SAMPLE_GONE || (!top && plan->dead[f->caller]))
            plan->dead[i] = 1;
        if (plan->dead[i])
            continue;
        if (!top || !plan->contexts)
            m->names[f->name] = 1;
        losses->lines += f->lines.n - sample_near_lines(&f->lines);
        mark_targets(&f->targets, m);
        if (!plan->vtables)
            continue;
        mark_targets(sample_vtables(f), m);
        losses->vtables += sample_vtables(f)->n - sample_near_targets(sample_vtables(f));
    }
}

/* Marks the names of the frames of contexts that are written. */
static void mark_frames(const struct sample_plan *plan, struct marks *m)
{
    const struct sample_contexts *c = &plan->s->contexts;
    for (size_t i = c->list.n; i-- > 0;) { /* 2: the context has a function, or calls one that has */
        if (!m->contexts[i])
            continue;
        m->names[c->list.data[i].name] = 1;
        uint32_t caller = c->list.data[i].caller;
        if (caller != SAMPLE_NONE && !m->contexts[caller])
            m->contexts[caller] = 2;
    }
}

/* Replaces ranks by the indices of a table of what is marked with 1: table[index] is the number. */
static size_t number_marked(uint32_t *ranks, const uint8_t *marked, size_t n, uint32_t *table,
                            uint32_t *by_rank)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        by_rank[ranks[i]] = (uint32_t)i;
    for (size_t i = 0; i < n; i++) {
        uint32_t number_of = by_rank[i];
        bool is_used = marked[number_of] == 1;
        ranks[number_of] = is_used ? (uint32_t)used : SAMPLE_NONE;
        if (is_used)
            table[used++] = number_of;
    }
    return used;
}

/* ---- facts of the names ---- */

/* Whether some name needs a suffix that compilers strip unless the profile says that it has such names. */
static bool has_unique(const struct sample_plan *plan)
{
    bool found = plan->s->info.flags & APF_SAMPLE_UNIQUE;
    for (size_t i = 0; i < plan->n_names && !found; i++)
        found = sample_name_is_unique(sample_table_name(plan, i));
    return found;
}

/* The number of names in the table of which only the hash is known. */
static size_t count_hashes(const struct sample_plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->n_names; i++)
        n += !sample_table_name(plan, i).p;
    return n;
}

/* The number of names that are numbers, if readers take them for hashes: see sample_adopt_decimals. */
static size_t count_decimals(const struct sample_plan *plan)
{
    const struct apf_sample *s = plan->s;
    size_t n = 0;
    for (size_t i = 0; i < plan->n_tops; i++) {
        struct apf_str name = sample_names_text(&s->names, s->nodes.data[plan->tops[i]].name);
        if (name.p && !sample_names_decimal(name))
            return 0;
    }
    for (size_t i = 0; i < plan->n_names; i++) {
        struct apf_str name = sample_table_name(plan, i);
        n += name.p && sample_names_decimal(name);
    }
    return n;
}

/* Names end at a byte 0 in the file. */
static int check_names(const struct sample_plan *plan, struct apf_error *error)
{
    for (size_t i = 0; i < plan->n_names; i++) {
        struct apf_str text = sample_table_name(plan, i);
        if (text.p && memchr(text.p, 0, text.n))
            return error_plain(error, APF_NOT_REPRESENTABLE, "sample.write.names",
                               "the name \"%.80s...\" has a byte 0", text.p);
    }
    return APF_OK;
}

static int check_symbols(const struct apf_sample *s, struct apf_error *error)
{
    for (size_t i = 0; i < s->symbols.n; i++)
        if (memchr(s->symbols.data[i].p, 0, s->symbols.data[i].n))
            return error_plain(error, APF_NOT_REPRESENTABLE, "sample.write.symbols",
                               "the symbol \"%.80s...\" has a byte 0", s->symbols.data[i].p);
    return APF_OK;
}

/* ---- the plan ---- */

/* Sorts the positions in tops by key. */
static bool sort_by_key(struct sample_plan *plan)
{
    size_t n = plan->n_tops;
    struct sort_key *keys = malloc((2 * n + 1) * sizeof *keys);
    if (!keys)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct sort_key key = {sample_key(plan, plan->tops[i]), i};
        keys[i] = key;
    }
    sort_keys(keys, keys + n, n);
    for (size_t i = 0; i < n; i++)
        plan->by_key[i] = (uint32_t)keys[i].value;
    free(keys);
    return true;
}

static bool allocate_arrays(struct sample_plan *plan, struct marks *m)
{
    const struct apf_sample *s = plan->s;
    size_t n_names = s->names.list.n, n_contexts = s->contexts.list.n, n_tops = plan->order.n_tops;
    m->names = arena_zeros(&plan->arena, n_names + 1, 1);
    m->contexts = arena_zeros(&plan->arena, n_contexts + 1, 1);
    plan->dead = arena_zeros(&plan->arena, s->nodes.n + 1, 1);
    m->bad = arena_zeros(&plan->arena, n_contexts + 1, 1);
    plan->names = arena_array(&plan->arena, n_names + 1, sizeof *plan->names);
    plan->contexts_used = arena_array(&plan->arena, n_contexts + 1, sizeof *plan->contexts_used);
    plan->tops = arena_array(&plan->arena, n_tops + 1, sizeof *plan->tops);
    plan->by_key = arena_array(&plan->arena, n_tops + 1, sizeof *plan->by_key);
    plan->offsets = arena_array(&plan->arena, n_tops + 1, sizeof *plan->offsets);
    return m->names && m->contexts && plan->dead && m->bad && plan->names && plan->contexts_used &&
           plan->tops && plan->by_key && plan->offsets;
}

/* Chooses what is written, and numbers it. */
static int choose_contents(struct sample_plan *plan, struct sample_binary_losses *losses,
                           struct apf_error *error)
{
    struct marks m;
    const struct apf_sample *s = plan->s;
    size_t n = s->names.list.n > s->contexts.list.n ? s->names.list.n : s->contexts.list.n;
    uint32_t *by_rank = malloc((n + 1) * sizeof *by_rank);
    if (!by_rank || !allocate_arrays(plan, &m)) {
        free(by_rank);
        return error_memory(error);
    }
    if (plan->contexts)
        mark_bad(plan, &m);
    if (plan->options->names_descend)
        sample_order_reverse_equals(&plan->order, s);
    choose_tops(plan, &m, losses);
    mark_nodes(plan, &m, losses);
    if (plan->contexts && !plan->named_contexts)
        mark_frames(plan, &m);
    plan->n_names = number_marked(plan->order.names, m.names, s->names.list.n, plan->names, by_rank);
    if (plan->contexts)
        plan->n_contexts =
            number_marked(plan->order.contexts, m.contexts, s->contexts.list.n, plan->contexts_used, by_rank);
    free(by_rank);
    if (plan->named_contexts && !sample_contexts_to_names(plan))
        return error_memory(error);
    return sort_by_key(plan) ? APF_OK : error_memory(error);
}

/* Which features of the profile are written. */
static void choose_features(struct sample_plan *plan)
{
    const struct sample_form_row *form = sample_form_row(plan->options->form);
    uint32_t flags = plan->s->info.flags, all = APF_SAMPLE_CONTEXTS | APF_SAMPLE_PREINLINED;
    plan->contexts = flags & APF_SAMPLE_CONTEXTS && form->holds & SAMPLE_HAS_CONTEXTS;
    plan->named_contexts = plan->contexts && plan->options->form == SAMPLE_FORM_EXT_NAMED;
    plan->vtables = (flags & APF_SAMPLE_VTABLES || plan->options->vtables) &&
                    form->holds & SAMPLE_HAS_VTABLES && !plan->options->no_vtables;
    plan->probes = flags & APF_SAMPLE_PROBES && form->holds & SAMPLE_HAS_CHECKSUMS;
    plan->attributes = flags & (all | APF_SAMPLE_ATTRIBUTES) && form->holds & SAMPLE_HAS_ATTRIBUTES;
    plan->inner_metadata = form->metadata == SAMPLE_METADATA_INNER && !plan->contexts;
}

/* Appends what is written of a node to a profile of such nodes; copies[] has the numbers of those before. */
static int copy_written(const struct sample_plan *plan, size_t i, struct apf_sample *to, uint32_t *copies,
                        struct apf_error *error)
{
    const struct sample_node *f = &plan->s->nodes.data[i];
    const struct sample_lines near = {f->lines.data, sample_near_lines(&f->lines), 0};
    int code = f->caller == SAMPLE_NONE
                   ? sample_top(to, f->context, &copies[i], error)
                   : sample_inlined(to, copies[f->caller], f->at, f->name, &copies[i], error);
    if (code != APF_OK)
        return code;
    to->nodes.data[copies[i]].head = f->head;
    to->nodes.data[copies[i]].attributes = f->attributes;
    return sample_copy_lines(to, copies[i], &near, error);
}

/* Makes the summary of what is written: compilers find their thresholds in it. */
static int summarize(struct sample_plan *plan, const struct sample_binary_losses *losses,
                     struct apf_error *error)
{
    const struct apf_sample *s = plan->s;
    struct apf_sample *written = NULL;
    uint32_t *copies = NULL;
    int code = APF_OK;
    if (losses->lines || losses->functions) {
        copies = malloc((s->nodes.n + 1) * sizeof *copies);
        code = copies ? sample_share_contexts(s, &written, error) : error_memory(error);
        for (size_t i = 0; code == APF_OK && i < s->nodes.n; i++)
            if (!plan->dead[i])
                code = copy_written(plan, i, written, copies, error);
        if (code == APF_OK)
            written->info.flags = s->info.flags;
        if (code == APF_OK)
            code = sample_seal(written, error);
    }
    if (code == APF_OK)
        code = sample_summary_compute(written ? written : s, sample_cutoffs, SAMPLE_N_CUTOFFS, &plan->arena,
                                      &plan->summary, error);
    sample_share_free(written);
    free(copies);
    return code;
}

int sample_plan_make(struct sample_plan *plan, const struct apf_sample *s,
                     const struct sample_binary_options *options, struct sample_binary_losses *losses,
                     struct apf_error *error)
{
    static const struct sample_plan empty;
    static const struct sample_binary_losses none;
    *plan = empty;
    *losses = none;
    plan->s = s;
    plan->options = options;
    choose_features(plan);
    int code = sample_order_make(&plan->order, s, error);
    if (code == APF_OK)
        code = choose_contents(plan, losses, error);
    if (code == APF_OK)
        code = summarize(plan, losses, error);
    if (code != APF_OK)
        return code;
    bool hashes = sample_form_row(options->form)->holds & SAMPLE_HAS_HASHES;
    size_t n_hashes = count_hashes(plan);
    plan->md5 = hashes && (options->md5 || options->form == SAMPLE_FORM_COMPACT || n_hashes);
    losses->hashed_names = plan->md5 ? plan->n_names - n_hashes : 0;
    losses->decimal_names = plan->md5 ? 0 : count_decimals(plan);
    plan->unique = has_unique(plan);
    if (!plan->md5)
        code = check_names(plan, error);
    return code == APF_OK && !options->no_symbols ? check_symbols(s, error) : code;
}

void sample_plan_free(struct sample_plan *plan)
{
    sample_order_free(&plan->order);
    arena_free(&plan->arena);
    VEC_FREE(&plan->stack);
}
