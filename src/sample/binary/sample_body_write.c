/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions in LLVM's binary formats: lines, targets, inlined functions, types of objects; and their metadata. */
#include "sample/binary/sample_plan_write.h"
#include "sample/layout/sample_layout.h"

/* The stack has nodes whose body is still to be written, the next one last. With END, only the part of a body after the
 * inlined functions is missing. */
#define END ((uint64_t)1 << 32)

static bool push_entry(struct sample_plan *plan, uint64_t entry)
{
    if (!VEC_PUSH(&plan->stack, entry))
        plan->failed = true;
    return !plan->failed;
}

/* Pushes what is inlined in a node, the first one last. */
static void push_callees(struct sample_plan *plan, uint32_t node)
{
    uint32_t n = plan->s->nodes.data[node].callees.n;
    const uint32_t *callees = n ? sample_order_callees(&plan->order, plan->s, node) : NULL;
    if (n && !callees)
        plan->failed = true;
    for (uint32_t i = n; i-- > 0 && !plan->failed;)
        push_entry(plan, callees[i]);
}

/* ---- lines and targets ---- */

/* The targets at a place, of which *next is the first. */
static void write_targets(struct sample_plan *plan, const struct sample_targets *list, uint64_t at,
                          uint32_t *next)
{
    uint32_t n;
    struct file_out *out = plan->out;
    const struct sample_target *targets = sample_order_targets(&plan->order, list, at, next, &n);
    if (n && !targets) {
        plan->failed = true;
        return;
    }
    sample_write_number(out, n);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *p = file_out_room(out, (size_t)2 * SAMPLE_NUMBER_MAX);
        p = sample_store(p, plan->order.names[targets[i].name]);
        out->p = sample_store(p, targets[i].count);
    }
}

static uint8_t *store_place(uint8_t *p, uint64_t at)
{
    p = sample_store(p, sample_place_line(at));
    return sample_store(p, sample_place_discriminator(at));
}

static void write_lines(struct sample_plan *plan, const struct sample_node *f)
{
    struct file_out *out = plan->out;
    uint32_t next = 0, n = sample_near_lines(&f->lines);
    const struct sample_target *targets = f->targets.data;
    sample_write_number(out, n);
    for (uint32_t i = 0; i < n && !plan->failed; i++) {
        const struct sample_line *line = &f->lines.data[i];
        uint8_t *p = file_out_room(out, (size_t)4 * SAMPLE_NUMBER_MAX);
        p = sample_store(store_place(p, line->at), line->count);
        bool has_targets = next < f->targets.n && targets[next].at == line->at;
        if (!has_targets)
            *p++ = 0;
        out->p = p;
        if (has_targets)
            write_targets(plan, &f->targets, line->at, &next);
    }
}

/* ---- types of objects ---- */

/* The end of the run of entries with the place of the first one. */
static uint32_t run_end(const struct sample_targets *list, uint32_t begin)
{
    uint32_t end = begin;
    while (end < list->n && list->data[end].at == list->data[begin].at)
        end++;
    return end;
}

static void write_vtables(struct sample_plan *plan, const struct sample_node *f)
{
    const struct sample_targets *list = sample_vtables(f);
    struct file_out *out = plan->out;
    uint64_t n_places = 0;
    uint32_t end = sample_near_targets(list), n;
    for (uint32_t i = 0; i < end; i = run_end(list, i))
        n_places++;
    sample_write_number(out, n_places);
    for (uint32_t i = 0; i < end;) {
        uint64_t at = list->data[i].at;
        const struct sample_target *run = sample_order_vtables(&plan->order, list, at, &i, &n);
        if (!run) {
            plan->failed = true;
            return;
        }
        out->p = store_place(file_out_room(out, (size_t)2 * SAMPLE_NUMBER_MAX), at);
        sample_write_number(out, n);
        for (uint32_t k = 0; k < n; k++) {
            sample_write_number(out, plan->order.names[run[k].name]);
            sample_write_number(out, run[k].count);
        }
    }
}

/* ---- functions ---- */

/* Writes a body up to the number of inlined functions, which are pushed. */
static void write_body(struct sample_plan *plan, uint32_t node)
{
    const struct sample_node *f = &plan->s->nodes.data[node];
    sample_write_number(plan->out, f->total);
    write_lines(plan, f);
    sample_write_number(plan->out, f->callees.n);
    if (plan->vtables)
        push_entry(plan, END | node);
    push_callees(plan, node);
}

static void write_call(struct sample_plan *plan, const struct sample_node *f)
{
    uint8_t *p = file_out_room(plan->out, (size_t)3 * SAMPLE_NUMBER_MAX);
    plan->out->p = sample_store(store_place(p, f->at), plan->order.names[f->name]);
}

/* The order of output is not that of memory: the nodes and lists of later functions are prefetched, one step every few
 * functions. */
#define FETCHED_CALLEES 4u

static const struct sample_node *top_at(const struct sample_plan *plan, size_t i)
{
    return i < plan->n_tops ? &plan->s->nodes.data[plan->tops[i]] : NULL;
}

static void fetch_lists(const struct sample_node *f)
{
    PREFETCH(f->lines.data);
    if (f->lines.n)
        PREFETCH(&f->lines.data[f->lines.n / 2]);
    if (f->targets.n)
        PREFETCH(f->targets.data);
    if (f->callees.n)
        PREFETCH(f->callees.data);
}

static void fetch_ahead(const struct sample_plan *plan, size_t i)
{
    const struct sample_node *nodes = plan->s->nodes.data, *far = top_at(plan, i + 4 * FETCH_AHEAD);
    const struct sample_node *middle = top_at(plan, i + 3 * FETCH_AHEAD);
    const struct sample_node *near = top_at(plan, i + 2 * FETCH_AHEAD), *next = top_at(plan, i + FETCH_AHEAD);
    if (far) {
        PREFETCH(far);
        PREFETCH(&far->lines);
    }
    if (middle)
        fetch_lists(middle);
    for (uint32_t k = 0; near && k < near->callees.n && k < FETCHED_CALLEES; k++) {
        PREFETCH(&nodes[near->callees.data[k]]);
        PREFETCH(&nodes[near->callees.data[k]].lines);
    }
    for (uint32_t k = 0; next && k < next->callees.n && k < FETCHED_CALLEES; k++)
        fetch_lists(&nodes[next->callees.data[k]]);
}

void sample_write_function(struct sample_plan *plan, size_t i, uint64_t base)
{
    uint32_t top = plan->tops[i];
    fetch_ahead(plan, i);
    plan->offsets[i] = file_out_position(plan->out) - base;
    sample_write_number(plan->out, plan->s->nodes.data[top].head);
    sample_write_number(plan->out, sample_key(plan, top));
    plan->stack.n = 0;
    write_body(plan, top);
    while (plan->stack.n && !plan->failed) {
        uint64_t entry = plan->stack.data[--plan->stack.n];
        const struct sample_node *f = &plan->s->nodes.data[(uint32_t)entry];
        if (entry & END) {
            write_vtables(plan, f);
        } else {
            write_call(plan, f);
            write_body(plan, (uint32_t)entry);
        }
    }
}

/* ---- metadata ---- */

static void write_metadata(struct sample_plan *plan, uint32_t node)
{
    const struct sample_node *f = &plan->s->nodes.data[node];
    if (plan->probes)
        sample_write_number(plan->out, f->checksum);
    if (plan->attributes)
        sample_write_number(plan->out, f->attributes);
    if (plan->inner_metadata) {
        sample_write_number(plan->out, f->callees.n);
        push_callees(plan, node);
    }
}

void sample_write_metadata(struct sample_plan *plan, size_t i)
{
    uint32_t top = plan->tops[plan->by_key[i]];
    sample_write_number(plan->out, sample_key(plan, top));
    plan->stack.n = 0;
    write_metadata(plan, top);
    while (plan->stack.n && !plan->failed) {
        uint32_t node = (uint32_t)plan->stack.data[--plan->stack.n];
        write_call(plan, &plan->s->nodes.data[node]);
        write_metadata(plan, node);
    }
}
