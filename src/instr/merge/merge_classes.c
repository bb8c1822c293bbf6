/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides which classes of inputs go together: by weight, so that order does not matter. */
#include "instr/merge/merge.h"
#include "instr/merge/sum_resolve.h"

uint8_t merge_class_of(uint64_t variant, uint32_t front_end)
{
    unsigned class = 0;
    if (variant & APF_VARIANT_BYTE_COVERAGE)
        class |= CLASS_BYTES;
    if (variant & APF_VARIANT_ENTRY_ONLY)
        class |= CLASS_ENTRY;
    if (variant & (APF_VARIANT_ENTRY_FIRST | APF_VARIANT_LOOP_ENTRIES))
        class |= CLASS_BLOCKS;
    if (variant & APF_VARIANT_IR)
        class |= CLASS_IR;
    if (front_end)
        class |= CLASS_FRONT_END;
    return (uint8_t)class;
}

struct merge_class *merge_class_get(struct apf_merge *m, uint8_t class)
{
    struct merge_class *c = &m->classes[class];
    pthread_mutex_lock(&m->lock);
    if (!c->sum_table) {
        struct sum_table *sum_table = sum_table_new();
        c->shapes = sum_table ? shapes_new() : NULL;
        merge_trace_limits(m, &c->traces);
        if (c->shapes)
            c->sum_table = sum_table;
        else
            sum_table_free(sum_table);
    }
    bool ok = c->sum_table != NULL;
    pthread_mutex_unlock(&m->lock);
    return ok ? c : NULL;
}

bool merge_class_runs(const struct merge_class *c, struct sum_runs *runs)
{
    struct sum_run run;
    bool ok = shapes_settle(c->shapes);
    for (unsigned i = 0; i < SUM_SHARDS; i++) {
        const struct sum_shard *s = &c->sum_table->shards[i];
        for (size_t k = 0; ok && k < s->blocks.n; k++) {
            size_t left = s->n_sums - k * SUM_BLOCK;
            run.sums = s->blocks.data[k];
            run.n = left < SUM_BLOCK ? left : SUM_BLOCK;
            ok = VEC_PUSH(&runs->list, run);
        }
    }
    for (size_t i = 0; ok && (run.sums = shapes_sums(c->shapes, i, &run.n)) != NULL; i++)
        ok = VEC_PUSH(&runs->list, run);
    return ok;
}

/* LLVM's rules: a profile that names the front end does not go with an IR profile, entries-only does not go with block
 * instrumentation. Coverage bytes do not go with counts (LLVM adds them up to 22, and refuses later): the sum would be
 * neither. Returns APF_OK or the code of the contradiction. */
static int find_contradiction(unsigned a, unsigned b)
{
    unsigned both = a | b;
    if (both & CLASS_IR && both & CLASS_FRONT_END && a != b)
        return APF_LEVEL_CONFLICT;
    if ((a ^ b) & CLASS_BYTES)
        return APF_COVERAGE_CONFLICT;
    return both & CLASS_ENTRY && both & CLASS_BLOCKS && a != b ? APF_ENTRY_CONFLICT : APF_OK;
}

static bool is_contradiction(int code)
{
    return code == APF_LEVEL_CONFLICT || code == APF_COVERAGE_CONFLICT || code == APF_ENTRY_CONFLICT;
}

bool merge_was_read(const struct merge_input *input)
{
    return input->result.code == APF_OK || is_contradiction(input->result.code);
}

/* Accepts the class that is heaviest together with all classes that agree with it, then the next one that contradicts
 * no accepted class, and so on. Among equals, the class that is heavier alone wins, then the lower number. */
static uint32_t agreeing_classes(const struct apf_merge *m)
{
    uint64_t weights[CLASS_COUNT], together[CLASS_COUNT];
    uint32_t left = 0, accepted = 0;
    bool cut = false;
    for (unsigned c = 0; c < CLASS_COUNT; c++) {
        const struct merge_class *class = &m->classes[c];
        weights[c] = sum_saturating(class->weight, class->extra_records, 1, UINT64_MAX, &cut);
        left |= weights[c] || class->hollow ? (uint32_t)1 << c : 0;
    }
    for (unsigned c = 0; c < CLASS_COUNT; c++) {
        together[c] = 0;
        for (unsigned o = 0; left >> c & 1 && o < CLASS_COUNT; o++)
            if (find_contradiction(c, o) == APF_OK)
                together[c] = sum_saturating(together[c], weights[o], 1, UINT64_MAX, &cut);
    }
    while (left) {
        unsigned best = CLASS_COUNT;
        for (unsigned c = 0; c < CLASS_COUNT; c++)
            if (left >> c & 1 && (best == CLASS_COUNT || together[c] > together[best] ||
                                  (together[c] == together[best] && weights[c] > weights[best])))
                best = c;
        accepted |= (uint32_t)1 << best;
        for (unsigned c = 0; c < CLASS_COUNT; c++)
            if (c == best || find_contradiction(c, best) != APF_OK)
                left &= ~((uint32_t)1 << c);
    }
    return accepted;
}

/* The code of the contradiction between a rejected class and the accepted ones. */
static int why_not(uint32_t accepted, unsigned class)
{
    int code = APF_OK;
    for (unsigned c = 0; code == APF_OK && c < CLASS_COUNT; c++)
        code = accepted >> c & 1 ? find_contradiction(c, class) : APF_OK;
    return code;
}

static void count_salvage(struct apf_merge_stats *s, const struct apf_salvage *salvage)
{
    if (!salvage)
        return;
    s->salvaged_functions += salvage->functions;
    s->salvage_lost_functions += salvage->lost_functions;
    s->salvage_lost_values += salvage->lost_values;
}

static void count_input(struct apf_merge_stats *s, const struct merge_input *input, bool ir)
{
    if (input->result.code != APF_OK)
        return;
    count_salvage(s, input->salvage);
    s->n_fast += input->fast;
    const bool other = ir && !(input->class & CLASS_IR) && input->result.format != APF_FORMAT_TEXT;
    s->missing_value_data += input->missing_value_data;
    s->large_counters += input->large_counters;
    s->memprof_dropped += input->memprof_dropped;
    s->front_end_in_ir += other && !input->hollow ? input->result.n_inputs : 0;
}

static int settle_input(struct apf_merge *m, size_t number, struct apf_error *error)
{
    const struct merge_input *input = &m->inputs.data[number];
    if (!merge_was_read(input) || input->hollow)
        return APF_OK;
    if (!(m->accepted >> input->class & 1))
        return inputs_reject(&m->kept, number, why_not(m->accepted, input->class), error);
    inputs_accept(&m->kept, number); /* more inputs of its class may have come since its rejection */
    return APF_OK;
}

int merge_settle(struct apf_merge *m, struct apf_error *error)
{
    struct apf_merge_stats *s = &m->stats;
    uint32_t accepted = agreeing_classes(m);
    bool ir = false;
    int code = APF_OK;
    for (unsigned c = 0; c < CLASS_COUNT; c++)
        ir |= accepted >> c & 1 && c & CLASS_IR;
    if (accepted != m->accepted) {
        m->accepted = accepted;
        m->n_settled = 0;
        inputs_uncount(&m->kept);
        s->n_fast = s->salvaged_functions = s->salvage_lost_functions = s->salvage_lost_values = 0;
        s->missing_value_data = s->large_counters = s->memprof_dropped = s->front_end_in_ir = 0;
    }
    while (code == APF_OK && m->n_settled < m->inputs.n) {
        code = settle_input(m, m->n_settled, error);
        if (code == APF_OK) {
            inputs_count(&m->kept, m->n_settled);
            count_input(s, &m->inputs.data[m->n_settled], ir);
            m->n_settled++;
        }
    }
    return code;
}

void merge_trace_limits(const struct apf_merge *m, struct trace_set *t)
{
    t->reservoir = m->options.trace_reservoir ? m->options.trace_reservoir : TRACE_RESERVOIR;
    t->length = m->options.trace_length ? m->options.trace_length : TRACE_LENGTH;
    if (m->options.flags & APF_MERGE_NO_TRACES)
        t->reservoir = 0;
    if (m->options.flags & APF_MERGE_FORGET_TRACES)
        t->length = 0;
}
