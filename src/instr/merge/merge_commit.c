/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds the data of inputs besides their counts to the merge, in input order. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "inputs/inputs_removal.h"
#include "instr/merge/merge_outcome.h"

static bool keep_salvage(struct apf_merge *m, const struct apf_input *input, const struct outcome *out,
                         struct merge_input *kept)
{
    size_t n = (size_t)out->salvage.nameless;
    uint64_t *ids = arena_array(&m->arena, n, sizeof *ids);
    kept->salvage = arena_alloc(&m->arena, sizeof *kept->salvage);
    if (!ids || !kept->salvage)
        return false;
    if (n)
        memcpy(ids, out->nameless, n * sizeof *ids);
    *kept->salvage = out->salvage;
    struct apf_error *damage = &kept->salvage->error;
    file_error(damage, damage->code, input, m->inputs.n);
    kept->result.salvage = kept->salvage;
    kept->nameless = ids;
    return true;
}

/* Appends the data of the last input of the list, and makes its findings. */
static int push_input(struct apf_merge *m, struct merge_input *kept, const uint64_t quirks[QUIRK_COUNT],
                      struct apf_error *error)
{
    struct apf_input_result *r = &kept->result;
    r->findings = finding_table_list(&quirk_table, quirks, &m->arena, &r->n_findings);
    kept->missing_value_data = quirks[QUIRK_MISSING_VALUE_DATA];
    kept->large_counters = quirks[QUIRK_LARGE_COUNTER];
    kept->memprof_dropped = quirks[QUIRK_MEMPROF_DROPPED];
    if (!r->findings || !VEC_PUSH(&m->inputs, *kept))
        return error_memory(error);
    size_t number = m->inputs.n - 1;
    m->kept.list.data[number].damage = kept->salvage ? &kept->salvage->error : NULL;
    merge_show(m, number);
    return APF_OK;
}

static int keep_result(struct apf_merge *m, const struct apf_input *input, const struct outcome *out,
                       struct apf_error *error)
{
    struct merge_input kept = {.result = out->result,
                               .class = out->class,
                               .digests = out->digests,
                               .roster = ROSTER_NONE,
                               .fast = out->added == BY_SHAPE,
                               .hollow = outcome_is_hollow(out)};
    kept.result.binary_ids = NULL; /* keep_ids copies them */
    kept.result.salvage = NULL;    /* keep_salvage copies it */
    if (out->result.salvage && !keep_salvage(m, input, out, &kept))
        return error_memory(error);
    int code = out->roster
                   ? rosters_add(&m->rosters, out->roster, (size_t)out->result.n_records, &kept.roster, error)
                   : APF_OK;
    return code == APF_OK ? push_input(m, &kept, out->quirks, error) : code;
}

/* Reports the damage, then the part that was salvaged. */
static int report_salvage(struct apf_merge *m, const struct apf_salvage *s, struct apf_error *error)
{
    const struct apf_options *o = &m->common;
    uint64_t number = m->inputs.n - 1;
    struct apf_str name = m->inputs.data[number].result.name;
    struct apf_error detail;
    struct apf_diag d = {APF_SEVERITY_WARNING, s->error.code, number, name, {NULL, 0}, 0, &s->error};
    int code = error_report_diag(o->diag, o->user, &d, error);
    error_set_plain(&detail, APF_SALVAGED, "input.salvage", "%llu function%s",
                    (unsigned long long)s->functions, s->functions == 1 ? "" : "s");
    if (s->lost_functions)
        error_add(&detail, ", %llu lost", (unsigned long long)s->lost_functions);
    else if (!s->lost_known)
        error_add(&detail, ", how many are lost is not known");
    if (s->lost_values)
        error_add(&detail, ", values of %llu lost", (unsigned long long)s->lost_values);
    if (s->nameless)
        error_add(&detail, ", %llu without a name in it", (unsigned long long)s->nameless);
    detail.input = number;
    d.code = APF_SALVAGED;
    d.error = &detail;
    return code == APF_OK ? error_report_diag(o->diag, o->user, &d, error) : code;
}

/* Reports the findings of the last input, which was added. */
static int report_findings(struct apf_merge *m, const uint64_t found[QUIRK_COUNT], struct apf_error *error)
{
    const struct apf_options *o = &m->common;
    const struct apf_input_result *r = &m->inputs.data[m->inputs.n - 1].result;
    uint64_t quirks[QUIRK_COUNT];
    int code = APF_OK;
    memcpy(quirks, found, sizeof quirks);
    if (r->salvage) {
        code = report_salvage(m, r->salvage, error);
        quirks[QUIRK_NAMELESS] = 0; /* reported already; other inputs may have the names */
    }
    return code == APF_OK
               ? finding_table_report(&quirk_table, quirks, m->inputs.n - 1, r->name, o->diag, o->user, error)
               : code;
}

/* Finds the number of an id in the class's list, or adds the id. */
static int keep_id(struct apf_merge *m, struct merge_class *c, const struct apf_str *id, uint32_t *e,
                   struct apf_error *error)
{
    if (!hash_index_reserve(&c->id_index, 1) || !VEC_RESERVE(&c->ids, 1))
        return error_memory(error);
    uint64_t hash = hash_index_bytes(&c->id_index, id->p, id->n);
    const struct apf_str *ids = c->ids.data;
    HASH_INDEX_FIND(*e, &c->id_index, hash, ids[*e].n == id->n && memcmp(ids[*e].p, id->p, id->n) == 0);
    if (*e != HASH_INDEX_NONE)
        return APF_OK;
    struct apf_str copy = {arena_text(&m->arena, id->p, id->n), id->n};
    if (!copy.p)
        return error_memory(error);
    *e = (uint32_t)c->ids.n;
    hash_index_add(&c->id_index, hash, *e);
    c->ids.data[c->ids.n++] = copy;
    return APF_OK;
}

/* Keeps the ids of an input, whose list shares its bytes with those of other inputs. */
static int keep_ids(struct apf_merge *m, struct merge_class *c, const struct outcome *out,
                    struct apf_error *error)
{
    struct apf_input_result *r = &m->inputs.data[m->inputs.n - 1].result;
    struct apf_str *ids = arena_array(&m->arena, r->n_binary_ids, sizeof *ids);
    int code = ids ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < r->n_binary_ids; i++) {
        uint32_t e;
        code = keep_id(m, c, &out->result.binary_ids[i], &e, error);
        if (code == APF_OK)
            ids[i] = c->ids.data[e];
    }
    r->binary_ids = ids;
    return code;
}

/* Adds the data of an input to its class. */
static int join_class(struct apf_merge *m, struct merge_class *c, const struct outcome *out,
                      struct apf_error *error)
{
    bool cut = false;
    bool hollow = outcome_is_hollow(out);
    uint64_t votes = hollow ? 0 : inputs_removal_votes(&m->kept, &out->common.file, out->common.weight);
    c->weight = sum_saturating(c->weight, votes, 1, UINT64_MAX, &cut);
    c->hollow |= hollow;
    int code = keep_ids(m, c, out, error);
    pthread_mutex_lock(&m->lock); /* threads add the traces of partial profiles */
    if (code == APF_OK)
        code = trace_set_add(&c->traces, out->traces, out->n_traces, out->trace_stream,
                             out->result.sum_of_counts, error);
    pthread_mutex_unlock(&m->lock);
    return code;
}

/* Adds what a partial profile says of a class. */
static int join_partial(struct apf_merge *m, const struct partial_class *from, struct apf_error *error)
{
    struct merge_class *c = &m->classes[from->class];
    bool cut = false;
    int code = APF_OK;
    uint32_t e;
    c->weight = sum_saturating(c->weight, from->weight, 1, UINT64_MAX, &cut);
    c->extra_records = sum_saturating(c->extra_records, from->extra_records, 1, UINT64_MAX, &cut);
    c->hollow |= from->hollow;
    for (size_t i = 0; code == APF_OK && i < from->n_ids; i++)
        code = keep_id(m, c, &from->ids[i], &e, error);
    return code;
}

/* Keeps an input of a partial profile; with the first one, what is of all of them. */
static int commit_member(struct apf_merge *m, const struct merge_partial *p, size_t member,
                         struct apf_error *error)
{
    const struct partial_input *input = &p->inputs[member];
    struct merge_input kept = {.result = input->result,
                               .class = (uint8_t)input->class,
                               .digests = input->digests,
                               .roster = ROSTER_NONE,
                               .hollow = input->hollow,
                               .salvage = input->salvage,
                               .nameless = input->nameless};
    kept.result.salvage = input->salvage;
    if (input->salvage)
        input->salvage->error.input = m->inputs.n;
    int code = member == 0 ? partial_join_rosters(&m->rosters, &p->rosters, error) : APF_OK;
    if (code == APF_OK && input->roster != ROSTER_NONE)
        kept.roster = p->rosters.numbers[input->roster];
    if (code == APF_OK)
        code = push_input(m, &kept, input->quirks, error);
    for (size_t i = 0; code == APF_OK && member == 0 && i < p->n_classes; i++)
        code = join_partial(m, &p->classes[i], error);
    if (member == 0) {
        m->variant |= p->whole.variant;
        m->n_partials++;
    }
    if (code == APF_OK && member == 0)
        code = inputs_sources_keep(&m->sources, &p->source, error);
    return code == APF_OK && input->kept.code == APF_OK ? report_findings(m, input->quirks, error) : code;
}

int merge_commit(struct apf_merge *m, const struct apf_input *input, const struct outcome *out,
                 struct apf_error *error)
{
    if (out->common.slice.number)
        return inputs_sources_keep(&m->sources, &out->partial->source, error);
    if (out->partial)
        return commit_member(m, out->partial, out->common.member, error);
    int code = keep_result(m, input, out, error);
    if (code != APF_OK || out->common.code != APF_OK)
        return code;
    code = join_class(m, &m->classes[out->class], out, error);
    return code == APF_OK ? report_findings(m, out->quirks, error) : code;
}
