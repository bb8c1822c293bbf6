/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/views/sample_show.h"

#define PART_INDENT 2u   /* of the lines of a function */
#define CALLEE_INDENT 4u /* of an inlined function */

/* ---- places ---- */

/* Prints the vtables of a place, if there are any, from *next on, which moves to the next place. */
static bool print_vtables(struct sample_show *s, const struct sample_targets *list, uint64_t at,
                          uint32_t *next, size_t indent)
{
    uint32_t n;
    const struct sample_target *vtables = sample_order_vtables(&s->order, list, at, next, &n);
    if (!n)
        return true;
    if (!vtables)
        return false;
    sample_show_indent(s->out, indent);
    s->out->p += sample_store_place(file_out_room(s->out, SAMPLE_PLACE_MAX), at);
    text_append(s->out, ": vtables: ");
    for (uint32_t i = 0; i < n; i++) {
        sample_write_name(s->out, &s->sample->names, vtables[i].name);
        text_append(s->out, ":");
        text_decimal(s->out, vtables[i].count, 0);
        text_append(s->out, " ");
    }
    text_append(s->out, "\n");
    return true;
}

/* Prints the targets of a line, from *next on, which moves to the next place. */
static bool print_targets(struct sample_show *s, const struct sample_targets *list, uint64_t at,
                          uint32_t *next)
{
    uint32_t n;
    const struct sample_target *targets = sample_order_targets(&s->order, list, at, next, &n);
    if (!n)
        return true;
    if (!targets)
        return false;
    text_append(s->out, ", calls:");
    for (uint32_t i = 0; i < n; i++) {
        text_append(s->out, " ");
        sample_write_name(s->out, &s->sample->names, targets[i].name);
        uint8_t *p = file_out_room(s->out, 1 + DECIMAL_MAX);
        *p = ':';
        s->out->p += 1 + decimal_store(p + 1, targets[i].count);
    }
    return true;
}

static bool print_lines(struct sample_show *s, const struct sample_node *f, size_t indent)
{
    const struct sample_targets *vtables = sample_vtables(f);
    uint32_t next_target = 0, next_vtable = 0;
    for (uint32_t i = 0; i < f->lines.n; i++) {
        const struct sample_line *line = &f->lines.data[i];
        bool calls = next_target < f->targets.n && f->targets.data[next_target].at <= line->at;
        uint8_t *p = sample_show_begin(s->out, indent, SAMPLE_PLACE_MAX + 2 + DECIMAL_MAX + 1);
        p += sample_store_place(p, line->at);
        *p++ = ':';
        *p++ = ' ';
        p += decimal_store(p, line->count);
        *p = '\n';
        s->out->p = calls ? p : p + 1;
        if (calls) {
            if (!print_targets(s, &f->targets, line->at, &next_target))
                return false;
            text_append(s->out, "\n");
        }
        if (next_vtable < vtables->n && !print_vtables(s, vtables, line->at, &next_vtable, indent))
            return false;
    }
    return true;
}

/* ---- functions ---- */

/* Prints a function up to what is inlined in it, which is printed next. */
static bool begin_function(struct sample_show *s, uint32_t node, size_t indent)
{
    const struct sample_node *f = &s->sample->nodes.data[node];
    if (f->checksum) {
        text_append(s->out, "CFG checksum ");
        text_decimal(s->out, f->checksum, 0);
        text_append(s->out, "\n");
    }
    uint8_t *p = file_out_room(s->out, 3 * DECIMAL_MAX + 4);
    p += decimal_store(p, f->total);
    *p++ = ',';
    *p++ = ' ';
    p += decimal_store(p, f->head);
    *p++ = ',';
    *p++ = ' ';
    s->out->p = p + decimal_store(p, f->lines.n);
    text_append(s->out, " sampled lines\n");
    sample_show_indent(s->out, indent);
    if (f->lines.n) {
        text_append(s->out, "Samples collected in the function's body {\n");
        if (!print_lines(s, f, indent + PART_INDENT))
            return false;
        sample_show_indent(s->out, indent);
        text_append(s->out, "}\n");
    } else {
        text_append(s->out, "No samples collected in the function's body\n");
    }
    sample_show_indent(s->out, indent);
    if (!f->callees.n) {
        text_append(s->out, "No inlined callsites in this function\n");
        return true;
    }
    text_append(s->out, "Samples collected in inlined callsites {\n");
    struct sample_show_frame frame = {node, s->tree.first[node], 0};
    return VEC_PUSH(&s->stack, frame);
}

/* Prints the next part of the function on top of the stack: the vtables of a place that is done, and the next inlined
 * function, or the end. */
static bool print_next(struct sample_show *s)
{
    struct sample_show_frame *top = &s->stack.data[s->stack.n - 1];
    const struct sample_node *nodes = s->sample->nodes.data, *f = &nodes[top->node];
    const uint32_t *callees = s->tree.callees, first = s->tree.first[top->node],
                   end = s->tree.first[top->node + 1];
    size_t indent = CALLEE_INDENT * (s->stack.n - 1);
    bool more = top->next < end;
    if (top->next > first) {
        uint64_t at = nodes[callees[top->next - 1]].at;
        if ((!more || nodes[callees[top->next]].at != at) &&
            !print_vtables(s, sample_vtables(f), at, &top->vtables, indent + PART_INDENT))
            return false;
    }
    if (!more) {
        s->stack.n--;
        sample_show_indent(s->out, indent);
        text_append(s->out, "}\n");
        return true;
    }
    uint32_t callee = callees[top->next++];
    sample_show_indent(s->out, indent + PART_INDENT);
    s->out->p += sample_store_place(file_out_room(s->out, SAMPLE_PLACE_MAX), nodes[callee].at);
    text_append(s->out, ": inlined callee: ");
    sample_write_name(s->out, &s->sample->names, nodes[callee].name);
    text_append(s->out, ": ");
    return begin_function(s, callee, indent + CALLEE_INDENT);
}

bool sample_show_text(struct sample_show *s, uint32_t node)
{
    text_append(s->out, "Function: ");
    if (!sample_write_context(s->out, s->sample, s->sample->nodes.data[node].context, &s->context))
        return false;
    text_append(s->out, ": ");
    s->stack.n = 0;
    bool ok = begin_function(s, node, 0);
    while (ok && s->stack.n)
        ok = print_next(s);
    return ok;
}
