/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/merge/merge_losses.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/sort.h"
#include "instr/merge/merge.h"
#include "instr/read/formats.h"
#include "instr/read/salvage.h"

bool lost_sums_add(struct lost_sums *lost, const struct sum *s, uint32_t what)
{
    struct lost_sum l = {.id = s->id,
                         .hash = s->hash,
                         .n_counts = s->n_counts,
                         .n_bitmap = s->n_bitmap,
                         .flags = s->flags & SUM_FLAGS,
                         .what = what};
    memcpy(l.n_sites, s->n_sites, sizeof l.n_sites);
    return VEC_PUSH(&lost->list, l);
}

/* ---- one input ---- */

struct search {
    struct apf_merge *merge;
    const size_t *inputs; /* the inputs that are read */
    struct hash_index index;
    struct search_thread {
        struct file_bytes bytes;
        struct apf_instr *profile;
    } *threads;
};

static uint64_t hash_of_record(const struct search *s, const struct record *r)
{
    struct sum_structure structure = {r->n_counts, r->n_bitmap, r->n_sites, r->flags};
    return structure_hash(&s->index, r->id, r->hash, &structure);
}

static uint64_t hash_of_lost(const struct search *s, const struct lost_sum *l)
{
    struct sum_structure structure = {l->n_counts, l->n_bitmap, l->n_sites, l->flags};
    return structure_hash(&s->index, l->id, l->hash, &structure);
}

static bool is_like(const struct lost_sum *l, const struct record *r)
{
    return l->id == r->id && l->hash == r->hash && l->n_counts == r->n_counts && l->n_bitmap == r->n_bitmap &&
           memcmp(l->n_sites, r->n_sites, sizeof l->n_sites) == 0 && l->flags == (r->flags & SUM_FLAGS);
}

/* Counts what a record of a lost structure has lost. */
static void count_lost(struct apf_input_result *result, uint32_t what)
{
    result->lost_functions += (what & LOST_RECORD) != 0;
    result->lost_bitmaps += (what & LOST_BITMAP) != 0;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        result->lost_values += (what & LOST_VALUES(k)) != 0;
}

static void count_record(const struct search *s, struct apf_input_result *result, const struct record *r)
{
    const struct lost_sum *list = s->merge->lost.list.data;
    uint64_t hash = hash_of_record(s, r);
    size_t pos = hash_index_first(&s->index, hash);
    uint32_t e;
    while ((e = hash_index_next(&s->index, hash, &pos)) != HASH_INDEX_NONE) {
        if (is_like(&list[e], r))
            count_lost(result, list[e].what);
    }
}

/* Whether a file is still the input that was merged. Others are skipped. */
static bool is_the_same(const struct apf_input_result *then, const struct apf_instr *now)
{
    return then->n_records == now->records.n && then->n_counters == now->info.n_counters;
}

static void read_input(void *context, size_t task, unsigned thread)
{
    const struct search *s = (const struct search *)context;
    struct search_thread *t = &s->threads[thread];
    struct merge_input *input = &s->merge->inputs.data[s->inputs[task]];
    struct apf_input file = inputs_again(&s->merge->kept, s->inputs[task]);
    struct read_options options = s->merge->read;
    struct arena_mark arrays = arena_mark(&t->profile->arena), names = arena_mark(&t->profile->symbols->text);
    options.to_merge = options.lean = true;
    int code = file_read(&t->bytes, &file, options.max_bytes, NULL);
    options.stored = t->bytes.stored;
    if (input->salvage)
        code = profile_salvage_file(t->profile, &t->bytes, &options, &input->salvage->error, NULL);
    else if (code == APF_OK)
        code = profile_read_into(t->profile, t->bytes.data, t->bytes.n, &options, NULL);
    input->result.losses_known = code == APF_OK && is_the_same(&input->result, t->profile);
    for (size_t i = 0; input->result.losses_known && i < t->profile->records.n; i++)
        count_record(s, &input->result, &t->profile->records.data[i]);
    profile_reset(t->profile);
    arena_rewind(&t->profile->arena, arrays);
    arena_rewind(&t->profile->symbols->text, names);
}

/* ---- inputs with rosters ---- */

/* The lost structures by their digests, sorted. NULL: an allocation failed. */
static struct sort_key *sort_lost(const struct lost_sums *lost)
{
    const size_t n = lost->list.n;
    struct sort_key *keys = malloc(2 * n * sizeof *keys + 1);
    for (size_t i = 0; keys && i < n; i++) {
        const struct lost_sum *l = &lost->list.data[i];
        const struct sum_structure structure = {l->n_counts, l->n_bitmap, l->n_sites, l->flags};
        keys[i] = (struct sort_key){structure_digest(l->id, l->hash, &structure), i};
    }
    if (keys)
        sort_keys(keys, keys + n, n);
    return keys;
}

/* Counts what an input with a roster has lost: both lists are sorted. */
static struct apf_input_result count_roster(const struct apf_merge *m, const struct roster *roster,
                                            const struct sort_key *lost)
{
    struct apf_input_result found = {.losses_known = 1};
    size_t at = 0;
    for (size_t i = 0; i < roster->n; i++) {
        while (at < m->lost.list.n && lost[at].key < roster->digests[i])
            at++;
        for (size_t k = at; k < m->lost.list.n && lost[k].key == roster->digests[i]; k++)
            count_lost(&found, m->lost.list.data[lost[k].value].what);
    }
    return found;
}

/* Fills in what inputs have lost whose rosters are known. */
static int count_rosters(struct apf_merge *m, struct apf_error *error)
{
    struct apf_input_result *found = calloc(m->rosters.list.n + 1, sizeof *found);
    struct sort_key *lost = sort_lost(&m->lost);
    const bool ok = found && lost;
    for (size_t i = 0; ok && i < m->rosters.list.n; i++)
        found[i] = count_roster(m, &m->rosters.list.data[i], lost);
    for (size_t i = 0; ok && i < m->inputs.n; i++) {
        struct merge_input *input = &m->inputs.data[i];
        if (input->result.code != APF_OK || input->roster == ROSTER_NONE)
            continue;
        const struct apf_input_result *of = &found[input->roster];
        input->result.losses_known = 1;
        input->result.lost_functions = of->lost_functions;
        input->result.lost_bitmaps = of->lost_bitmaps;
        input->result.lost_values = of->lost_values;
    }
    free(lost);
    free(found);
    return ok ? APF_OK : error_memory(error);
}

/* ---- all of them ---- */

static bool make_index(struct search *s)
{
    const struct lost_sums *lost = &s->merge->lost;
    if (!hash_index_reserve(&s->index, lost->list.n))
        return false;
    for (size_t i = 0; i < lost->list.n; i++)
        hash_index_add(&s->index, hash_of_lost(s, &lost->list.data[i]), (uint32_t)i);
    return true;
}

static int read_inputs(struct search *s, size_t n, struct apf_error *error)
{
    unsigned threads = pool_threads(s->merge->common.threads, n);
    s->threads = calloc(threads, sizeof *s->threads);
    bool ok = s->threads && make_index(s);
    for (unsigned t = 0; ok && t < threads; t++)
        ok = (s->threads[t].profile = profile_new()) != NULL;
    if (ok)
        pool_run(threads, n, read_input, s);
    for (unsigned t = 0; s->threads && t < threads; t++) {
        profile_free(s->threads[t].profile);
        file_bytes_free(&s->threads[t].bytes);
    }
    free(s->threads);
    hash_index_free(&s->index);
    return ok ? APF_OK : error_memory(error);
}

static int report_loss(const struct apf_merge *m, size_t i, struct apf_error *error)
{
    const struct apf_options *o = &m->common;
    const struct apf_input_result *r = &m->inputs.data[i].result;
    struct apf_error detail;
    if (!o->diag || !r->losses_known || !lost_anything(r))
        return APF_OK;
    error_set_plain(&detail, APF_LEFT_OUT, "merge.input",
                    "%llu functions, %llu bitmaps, %llu kinds of values",
                    (unsigned long long)r->lost_functions, (unsigned long long)r->lost_bitmaps,
                    (unsigned long long)r->lost_values);
    detail.input = i;
    struct apf_diag d = {APF_SEVERITY_WARNING, APF_LEFT_OUT, i, r->name, {NULL, 0}, 0, &detail};
    return error_report_diag(o->diag, o->user, &d, error);
}

int merge_find_losses(struct apf_merge *m, struct apf_error *error)
{
    struct search s = {.merge = m};
    size_t n = 0;
    if (!(m->options.flags & (APF_MERGE_FIND_LOSSES | APF_MERGE_REMOVE_INPUTS)))
        return APF_OK;
    size_t *inputs = malloc(m->inputs.n * sizeof *inputs + 1);
    if (!inputs)
        return error_memory(error);
    for (size_t i = 0; i < m->inputs.n; i++) {
        struct merge_input *input = &m->inputs.data[i];
        input->result.lost_functions = input->result.lost_bitmaps = input->result.lost_values = 0;
        input->result.losses_known = input->result.code == APF_OK && m->lost.list.n == 0;
        if (input->result.code == APF_OK && m->lost.list.n && input->roster == ROSTER_NONE &&
            m->kept.list.data[i].path)
            inputs[n++] = i;
    }
    s.inputs = inputs;
    int code = m->lost.list.n && m->rosters.list.n ? count_rosters(m, error) : APF_OK;
    if (code == APF_OK && n)
        code = read_inputs(&s, n, error);
    for (size_t i = 0; code == APF_OK && i < m->inputs.n; i++)
        code = report_loss(m, i, error);
    free(inputs);
    return code;
}
