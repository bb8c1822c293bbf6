/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the inputs whose functions were left out because of their checksums. Sums do not know their inputs, so inputs
 * are read again, if something was left out and the options ask for it. Those with a roster need not be. */
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/pool.h"
#include "base/sort.h"
#include "sample/merge/sample_digests.h"
#include "sample/merge/sample_merge.h"
#include "sample/read/sample_formats.h"

/* A node of an input, and the one of the sum that it was added to. */
struct node_pair {
    uint32_t in, sum;
};

struct search_thread {
    struct file_bytes bytes;
    struct apf_sample *profile;
    VEC(uint32_t) names;    /* the number in the sum of each name of the profile */
    VEC(uint32_t) contexts; /* ... of each context */
    VEC(struct node_pair) pairs;
};

struct search {
    struct apf_sample_merge *merge;
    const struct apf_sample *sum;
    const uint8_t *lost;  /* of each node of the sum: whether it was left out */
    const size_t *inputs; /* those that are read */
    struct search_thread *threads;
};

/* ---- one input ---- */

/* The number of a source file in a table; SAMPLE_NONE: it is not there, or unknown. */
static uint32_t find_file(const struct sample_names *in, const struct sample_names *from, uint32_t file)
{
    return file == SAMPLE_NONE ? SAMPLE_NONE : text_set_find(&in->files, from->files.list.data[file]);
}

/* The number of a name in a table that has everything indexed; SAMPLE_NONE: it is not there. */
static uint32_t find_name(const struct sample_names *in, const struct sample_names *from, uint32_t number)
{
    const struct sample_name *name = &from->list.data[number];
    struct apf_str text = {name->p, name->n};
    uint32_t found = SAMPLE_NONE;
    if (name->p)
        found = sample_names_find(in, text, find_file(in, from, name->file));
    if (found == SAMPLE_NONE && in->hashed && name->file == SAMPLE_NONE)
        found = sample_names_find_hash(in, sample_names_hash(from, number));
    return found;
}

/* Finds the names and contexts of a profile in the sum. False: some are not there, so it is another profile than the
 * one that was merged, or an allocation failed. */
static bool map_profile(const struct search *s, struct search_thread *t)
{
    const struct apf_sample *in = t->profile;
    bool ok = true;
    t->names.n = t->contexts.n = 0;
    if (!VEC_RESERVE(&t->names, in->names.list.n) || !VEC_RESERVE(&t->contexts, in->contexts.list.n))
        return false;
    for (uint32_t i = 0; ok && i < in->names.list.n; i++) {
        uint32_t number = find_name(&s->merge->sums.names, &in->names, i);
        t->names.data[t->names.n++] = number;
        ok = number != SAMPLE_NONE;
    }
    for (size_t i = 0; ok && i < in->contexts.list.n; i++) {
        const struct sample_context *c = &in->contexts.list.data[i];
        uint32_t caller = c->caller == SAMPLE_NONE ? SAMPLE_NONE : t->contexts.data[c->caller];
        uint32_t number = sample_contexts_find(&s->sum->contexts, caller, c->at, t->names.data[c->name]);
        t->contexts.data[t->contexts.n++] = number;
        ok = number != SAMPLE_NONE;
    }
    return ok;
}

/* Pairs the callees of two nodes. Both lists are sorted alike, since the profile has numbers of the sum's names. */
static bool pair_callees(const struct search *s, struct search_thread *t, struct node_pair pair)
{
    const struct sample_node *in = t->profile->nodes.data, *sum = s->sum->nodes.data;
    const struct sample_callees *a = &sum[pair.sum].callees, *b = &in[pair.in].callees;
    bool ok = true;
    for (uint32_t i = 0, k = 0; ok && k < b->n; k++) {
        const struct sample_node *y = &in[b->data[k]];
        while (i < a->n && (sum[a->data[i]].at != y->at || sum[a->data[i]].name != y->name ||
                            sum[a->data[i]].checksum != y->checksum))
            i++;
        struct node_pair callees = {b->data[k], i < a->n ? a->data[i] : SAMPLE_NONE};
        ok = i < a->n && VEC_PUSH(&t->pairs, callees);
    }
    return ok;
}

/* Counts the nodes that were left out, without what is inlined in them. False: as map_profile. */
static bool count_lost(const struct search *s, struct search_thread *t, uint64_t *lost)
{
    const struct apf_sample *in = t->profile;
    bool ok = true;
    *lost = 0;
    for (size_t i = 0; ok && i < in->top.n; i++) {
        const struct sample_node *f = &in->nodes.data[in->top.data[i]];
        struct node_pair top = {in->top.data[i],
                                sample_top_find(s->sum, t->contexts.data[f->context], f->checksum)};
        t->pairs.n = 0;
        ok = top.sum != SAMPLE_NONE && VEC_PUSH(&t->pairs, top);
        while (ok && t->pairs.n) {
            struct node_pair pair = t->pairs.data[--t->pairs.n];
            if (s->lost[pair.sum])
                ++*lost;
            else
                ok = pair_callees(s, t, pair);
        }
    }
    return ok;
}

static bool is_the_same(const struct apf_sample_info *then, const struct apf_sample_info *now)
{
    return then->n_functions == now->n_functions && then->n_inlined == now->n_inlined &&
           then->n_lines == now->n_lines;
}

static void read_input(void *context, size_t task, unsigned thread)
{
    const struct search *s = (const struct search *)context;
    struct search_thread *t = &s->threads[thread];
    struct apf_sample_merge *m = s->merge;
    size_t i = s->inputs[task];
    struct apf_sample_input_result *r = &m->inputs.data[i].result;
    struct apf_input file = inputs_again(&m->kept, i);
    sample_reset(t->profile);
    int code = file_read(&t->bytes, &file, m->read.max_bytes, NULL);
    if (r->salvage)
        code = sample_salvage_file(t->profile, &t->bytes, &m->read, &r->salvage->error, NULL);
    else if (code == APF_OK)
        code = sample_read_any(t->profile, t->bytes.data, t->bytes.n, &m->read, NULL);
    bool ok = code == APF_OK && is_the_same(r->info, &t->profile->info) && map_profile(s, t);
    if (ok)
        ok = sample_renumber(t->profile, t->names.data, NULL) == APF_OK;
    if (ok)
        ok = count_lost(s, t, &r->lost_functions);
    r->losses_known = ok;
}

/* ---- inputs with rosters ---- */

/* Makes the sorted digests of what was left out, but for what is inlined in it. NULL: an allocation failed. */
static uint64_t *digest_lost(const struct apf_sample_merge *m, const struct apf_sample *sum,
                             const uint8_t *lost, size_t *n)
{
    uint64_t *digests = sample_digests_make(sum, &m->sums.names);
    uint64_t *scratch = malloc((m->lost_nodes.n + 1) * sizeof *scratch);
    *n = 0;
    for (size_t i = 0; digests && scratch && i < sum->nodes.n; i++) {
        const uint32_t caller = sum->nodes.data[i].caller;
        if (lost[i] && (caller == SAMPLE_NONE || !lost[caller]))
            digests[(*n)++] = digests[i];
    }
    if (digests && scratch) {
        sort_numbers(digests, scratch, *n);
    } else {
        free(digests);
        digests = NULL;
    }
    free(scratch);
    return digests;
}

/* How many of the digests are in a roster: both are sorted. */
static uint64_t count_common(const struct roster *roster, const uint64_t *digests, size_t n)
{
    uint64_t common = 0;
    for (size_t i = 0, k = 0; i < n; i++) {
        while (k < roster->n && roster->digests[k] < digests[i])
            k++;
        common += k < roster->n && roster->digests[k] == digests[i];
    }
    return common;
}

static int count_rosters(struct apf_sample_merge *m, const struct apf_sample *sum, const uint8_t *lost,
                         struct apf_error *error)
{
    size_t n;
    if (!m->rosters.list.n)
        return APF_OK;
    uint64_t *digests = digest_lost(m, sum, lost, &n);
    for (size_t i = 0; digests && i < m->inputs.n; i++) {
        struct sample_input *input = &m->inputs.data[i];
        if (input->result.code != APF_OK || input->hollow || input->roster == ROSTER_NONE)
            continue;
        input->result.lost_functions = count_common(&m->rosters.list.data[input->roster], digests, n);
        input->result.losses_known = 1;
    }
    free(digests);
    return digests ? APF_OK : error_memory(error);
}

/* ---- all of them ---- */

static int read_inputs(struct search *s, size_t n, struct apf_error *error)
{
    unsigned threads = pool_threads(s->merge->common.threads, n);
    s->threads = calloc(threads, sizeof *s->threads);
    bool ok = s->threads != NULL;
    for (unsigned t = 0; ok && t < threads; t++)
        ok = (s->threads[t].profile = sample_new()) != NULL;
    if (ok)
        pool_run(threads, n, read_input, s);
    for (unsigned t = 0; s->threads && t < threads; t++) {
        sample_free(s->threads[t].profile);
        file_bytes_free(&s->threads[t].bytes);
        VEC_FREE(&s->threads[t].names);
        VEC_FREE(&s->threads[t].contexts);
        VEC_FREE(&s->threads[t].pairs);
    }
    free(s->threads);
    return ok ? APF_OK : error_memory(error);
}

static int report_loss(const struct apf_sample_merge *m, size_t i, struct apf_error *error)
{
    const struct apf_options *o = &m->common;
    const struct apf_sample_input_result *r = &m->inputs.data[i].result;
    struct apf_error detail;
    if (!o->diag || !r->losses_known || !r->lost_functions)
        return APF_OK;
    error_set_plain(&detail, APF_LEFT_OUT, "merge.input", "%llu function%s with other checksums",
                    (unsigned long long)r->lost_functions, r->lost_functions == 1 ? "" : "s");
    detail.input = i;
    struct apf_diag d = {APF_SEVERITY_WARNING, APF_LEFT_OUT, i, r->name, {NULL, 0}, 0, &detail};
    return error_report_diag(o->diag, o->user, &d, error);
}

/* Lists the inputs to read: *n of them. What nothing was left out of is known without. */
static void choose_inputs(struct apf_sample_merge *m, size_t *inputs, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < m->inputs.n; i++) {
        struct sample_input *input = &m->inputs.data[i];
        bool whole = input->hollow || (!m->lost_nodes.n && !m->lost_unknown);
        input->result.lost_functions = 0;
        input->result.losses_known = input->result.code == APF_OK && whole;
        if (input->result.code == APF_OK && !whole && !m->lost_unknown && input->roster == ROSTER_NONE &&
            m->kept.list.data[i].path)
            inputs[(*n)++] = i;
    }
}

static int search_inputs(struct apf_sample_merge *m, const size_t *inputs, size_t n, struct apf_error *error)
{
    const struct apf_sample *sum = m->sums.classes[m->class].profile;
    uint8_t *lost = calloc(sum->nodes.n + 1, 1);
    struct search s = {m, sum, lost, inputs, NULL};
    for (size_t i = 0; lost && i < m->lost_nodes.n; i++)
        lost[m->lost_nodes.data[i]] = 1;
    int code = lost ? count_rosters(m, sum, lost, error) : error_memory(error);
    if (code == APF_OK && n)
        code = read_inputs(&s, n, error);
    free(lost);
    for (size_t i = 0; code == APF_OK && i < m->inputs.n; i++)
        code = report_loss(m, i, error);
    return code;
}

int sample_merge_find_losses(struct apf_sample_merge *m, struct apf_error *error)
{
    size_t n;
    if (!(m->options.flags & (APF_SAMPLE_MERGE_FIND_LOSSES | APF_SAMPLE_MERGE_REMOVE_INPUTS)))
        return APF_OK;
    size_t *inputs = malloc(m->inputs.n * sizeof *inputs + 1);
    if (!inputs)
        return error_memory(error);
    choose_inputs(m, inputs, &n);
    const bool some = m->lost_nodes.n && !m->lost_unknown;
    int code = some ? search_inputs(m, inputs, n, error) : APF_OK;
    free(inputs);
    return code;
}
