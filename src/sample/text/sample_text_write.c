/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/text/sample_text_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/search.h"
#include "base/text_append.h"
#include "sample/layout/sample_layout.h"
#include "sample/model/sample_order.h"
#include "sample/text/sample_text_names.h"

/* A node whose lines are written, but not yet all that is inlined in it. */
struct frame {
    uint32_t node;
    size_t first, next, end; /* its callees in writer.callees: all, and those to be written */
    uint32_t next_vtable;
};

struct writer {
    const struct apf_sample *s;
    const struct sample_text_write_options *o;
    struct file_out *out;
    struct apf_error *error;
    struct sample_order order;
    uint8_t *uses; /* of each name: sample_text_uses */
    bool probes, contexts;
    bool in_context;   /* the present function has a context */
    bool begun;        /* a function was written */
    bool has_checksum; /* ... at the top level, with a checksum */
    bool has_name;     /* ... that is read as a name, not as a hash */
    bool has_context;  /* ... with a context */
    VEC(struct frame) stack;
    VEC(uint32_t) callees; /* of the nodes in the stack, in the order of output */
    VEC(uint32_t) chain;   /* contexts from a function to its outermost caller */
    struct sample_text_losses losses;
};

/* ---- bytes ---- */

#define FEW_BLANKS ((size_t)64)
#define NUMBERS_ROOM (FEW_BLANKS + 4 * (DECIMAL_MAX + 2)) /* of blanks, a place and two numbers */

static inline uint8_t *store_byte(uint8_t *p, char c)
{
    *p = (uint8_t)c;
    return p + 1;
}

static inline uint8_t *store_number(uint8_t *p, uint64_t v)
{
    return p + decimal_store(p, v);
}

/* Stores the blanks and the place that begin a line, and ": ", into room for NUMBERS_ROOM bytes. */
static inline uint8_t *store_place(struct writer *w, size_t depth, uint64_t at)
{
    uint32_t line = sample_place_line(at), discriminator = sample_place_discriminator(at);
    if (UNLIKELY(depth > FEW_BLANKS)) {
        text_blanks(w->out, depth);
        depth = 0;
    }
    uint8_t *p = file_out_room(w->out, NUMBERS_ROOM);
    memset(p, ' ', depth);
    p = store_number(p + depth, line);
    /* A line above 65535 is read only with a discriminator, so that is written even if it is 0. */
    if (discriminator || UNLIKELY(line > SAMPLE_MAX_LINE))
        p = store_number(store_byte(p, '.'), discriminator);
    return store_byte(store_byte(p, ':'), ' ');
}

static inline void append_number(struct writer *w, char before, uint64_t v)
{
    w->out->p = store_number(store_byte(file_out_room(w->out, DECIMAL_MAX + 1), before), v);
}

static inline void append_byte(struct writer *w, char c)
{
    w->out->p = store_byte(file_out_room(w->out, 1), c);
}

static inline void append_name(struct writer *w, uint32_t number)
{
    const struct sample_name *name = &w->s->names.list.data[number];
    w->uses[number] |= SAMPLE_TEXT_USED;
    if (LIKELY(name->p))
        (void)file_out_write(w->out, name->p, name->n);
    else
        w->out->p = store_number(file_out_room(w->out, DECIMAL_MAX), name->hash);
}

static bool can_be(const struct writer *w, uint32_t name, unsigned use)
{
    return w->uses[name] & use;
}

/* ---- body lines ---- */

static int write_line(struct writer *w, const struct sample_node *f, size_t depth, uint32_t i,
                      uint32_t *next_target)
{
    const struct sample_line *line = &f->lines.data[i];
    w->out->p = store_number(store_place(w, depth, line->at), line->count);
    if (*next_target < f->targets.n && f->targets.data[*next_target].at <= line->at) {
        uint32_t n;
        const struct sample_target *list =
            sample_order_targets(&w->order, &f->targets, line->at, next_target, &n);
        if (n && !list)
            return error_memory(w->error);
        for (uint32_t k = 0; k < n; k++) {
            if (!can_be(w, list[k].name, SAMPLE_TEXT_AS_TARGET)) {
                w->losses.targets++;
                continue;
            }
            append_byte(w, ' ');
            append_name(w, list[k].name);
            append_number(w, ':', list[k].count);
        }
    }
    append_byte(w, '\n');
    return APF_OK;
}

/* Writes the vtables of a place, from *next on. */
static int write_vtables(struct writer *w, const struct sample_node *f, size_t depth, uint64_t at,
                         uint32_t *next)
{
    static const char word[] = "vtables ";
    uint32_t n, n_written = 0;
    const struct sample_target *list = sample_order_vtables(&w->order, sample_vtables(f), at, next, &n);
    if (n && !list)
        return error_memory(w->error);
    for (uint32_t i = 0; i < n; i++) {
        if (!can_be(w, list[i].name, SAMPLE_TEXT_AS_VTABLE)) {
            w->losses.vtables++;
            continue;
        }
        if (n_written++ == 0) {
            uint8_t *p = store_place(w, depth, at);
            memcpy(p, word, sizeof word - 1);
            w->out->p = p + sizeof word - 1;
        }
        append_name(w, list[i].name);
        append_number(w, ':', list[i].count);
        append_byte(w, ' ');
    }
    if (n_written)
        append_byte(w, '\n');
    return APF_OK;
}

/* Whether some function is inlined at a place. */
static bool has_callee(const struct apf_sample *s, const struct sample_node *f, uint64_t at)
{
    uint32_t i;
    SEARCH(i, 0, f->callees.n, s->nodes.data[f->callees.data[i]].at < at);
    return i < f->callees.n && s->nodes.data[f->callees.data[i]].at == at;
}

static bool has_line(const struct sample_node *f, uint64_t at)
{
    uint32_t i;
    SEARCH(i, 0, f->lines.n, f->lines.data[i].at < at);
    return i < f->lines.n && f->lines.data[i].at == at;
}

/* Writes lines and vtables. Vtables of a place without a line come where the line would be or, if functions are inlined
 * there, after these (write_vtables_after), as LLVM writes them. */
static int write_lines_and_vtables(struct writer *w, const struct sample_node *f, size_t depth)
{
    const struct sample_targets *vtables = sample_vtables(f);
    uint32_t line = 0, target = 0, vtable = 0;
    int code = APF_OK;
    while (code == APF_OK && (line < f->lines.n || vtable < vtables->n)) {
        uint64_t at = line < f->lines.n ? f->lines.data[line].at : UINT64_MAX;
        bool vtable_first = vtable < vtables->n && (line == f->lines.n || vtables->data[vtable].at < at);
        if (!vtable_first)
            code = write_line(w, f, depth, line++, &target);
        else
            at = vtables->data[vtable].at;
        if (vtable_first && has_callee(w->s, f, at))
            while (vtable < vtables->n && vtables->data[vtable].at == at)
                vtable++;
        else if (code == APF_OK && vtable < vtables->n && vtables->data[vtable].at == at)
            code = write_vtables(w, f, depth, at, &vtable);
    }
    return code;
}

static int write_lines(struct writer *w, const struct sample_node *f, size_t depth)
{
    uint32_t target = 0;
    int code = APF_OK;
    if (sample_vtables(f)->n)
        return write_lines_and_vtables(w, f, depth);
    for (uint32_t i = 0; code == APF_OK && i < f->lines.n; i++)
        code = write_line(w, f, depth, i, &target);
    return code;
}

/* ---- functions ---- */

/* Writes what comes before the inlined functions of a node. */
static int open_node(struct writer *w, uint32_t node)
{
    const struct sample_node *f = &w->s->nodes.data[node];
    const uint32_t *callees = sample_order_callees(&w->order, w->s, node);
    size_t n = f->callees.n;
    if ((n && !callees) || !VEC_RESERVE(&w->callees, n) || !VEC_RESERVE(&w->stack, 1))
        return error_memory(w->error);
    if (n)
        memcpy(w->callees.data + w->callees.n, callees, n * sizeof *callees);
    struct frame new = {node, w->callees.n, w->callees.n, w->callees.n + n, 0};
    w->callees.n += n;
    w->stack.data[w->stack.n++] = new;
    w->losses.checksums += f->checksum && !w->probes;
    w->losses.times += sample_first_time(f) != 0;
    return write_lines(w, f, w->stack.n);
}

/* LLVM's reader sets the attributes to 0 at a line of metadata after them, so !Flat, which LLVM writes last, comes
 * before them. */
static void write_metadata(struct writer *w, const struct sample_node *f, size_t depth)
{
    if (depth > 1 && w->o->top_metadata)
        return;
    if (w->probes) {
        text_blanks(w->out, depth);
        text_append(w->out, "!CFGChecksum:");
        append_number(w, ' ', f->checksum);
        append_byte(w, '\n');
    }
    if (depth == 1 && w->o->flat && f->callees.n == 0)
        text_append(w->out, " !Flat\n");
    if (f->attributes) {
        text_blanks(w->out, depth);
        text_append(w->out, "!Attributes:");
        append_number(w, ' ', f->attributes);
        append_byte(w, '\n');
    }
}

/* Writes the vtables of the place of the last callee that was written. */
static int write_vtables_after(struct writer *w, struct frame *f)
{
    const struct sample_node *node = &w->s->nodes.data[f->node];
    uint64_t at = w->s->nodes.data[w->callees.data[f->next - 1]].at;
    if (sample_vtables(node)->n == 0 || has_line(node, at))
        return APF_OK;
    return write_vtables(w, node, w->stack.n, at, &f->next_vtable);
}

static int write_inlined(struct writer *w, uint32_t node)
{
    const struct sample_node *f = &w->s->nodes.data[node];
    const struct apf_str name = sample_names_text(&w->s->names, f->name);
    if (!can_be(w, f->name, SAMPLE_TEXT_AS_INLINED) || (w->in_context && sample_text_in_brackets(name))) {
        w->losses.inlined++;
        return APF_OK;
    }
    w->losses.numbered += sample_text_is_numbered(name);
    w->out->p = store_place(w, w->stack.n, f->at);
    append_name(w, f->name);
    append_number(w, ':', f->total);
    append_byte(w, '\n');
    return open_node(w, node);
}

/* Writes everything after the header of a function at the top level. */
static int write_body(struct writer *w, uint32_t top)
{
    int code = open_node(w, top);
    while (code == APF_OK && w->stack.n) {
        struct frame *f = &w->stack.data[w->stack.n - 1];
        const struct sample_node *nodes = w->s->nodes.data;
        const uint32_t *callees = w->callees.data;
        bool last = f->next == f->end;
        if (f->next > f->first && (last || nodes[callees[f->next]].at != nodes[callees[f->next - 1]].at))
            code = write_vtables_after(w, f);
        if (code == APF_OK && !last) {
            code = write_inlined(w, callees[f->next++]);
        } else if (code == APF_OK) {
            write_metadata(w, &nodes[f->node], w->stack.n);
            w->callees.n = f->first;
            w->stack.n--;
        }
    }
    return code;
}

/* ---- headers ---- */

/* Lists the contexts from a function to its outermost caller. *good: text can hold the names of all. */
static int list_frames(struct writer *w, uint32_t context, bool *good)
{
    const struct sample_context *list = w->s->contexts.list.data;
    const struct sample_name *leaf = &w->s->names.list.data[list[context].name];
    *good = !leaf->p || leaf->n;
    w->chain.n = 0;
    for (; context != SAMPLE_NONE; context = list[context].caller) {
        *good &= can_be(w, list[context].name, SAMPLE_TEXT_AS_FRAME);
        if (!VEC_PUSH(&w->chain, context))
            return error_memory(w->error);
    }
    return APF_OK;
}

/* LLVM reads lines of frames as signed numbers, but writes them without a sign. */
static void append_frame_place(struct writer *w, uint64_t at)
{
    uint32_t line = sample_place_line(at), discriminator = sample_place_discriminator(at);
    append_byte(w, ':');
    if (line > INT32_MAX)
        append_number(w, '-', 0 - line);
    else
        w->out->p = store_number(file_out_room(w->out, DECIMAL_MAX), line);
    if (discriminator)
        append_number(w, '.', discriminator);
}

static void append_context(struct writer *w)
{
    const struct sample_context *list = w->s->contexts.list.data;
    append_byte(w, '[');
    for (size_t i = w->chain.n; i-- > 0;) {
        append_name(w, list[w->chain.data[i]].name);
        if (i == 0)
            break;
        append_frame_place(w, list[w->chain.data[i - 1]].at);
        text_append(w->out, " @ ");
    }
    append_byte(w, ']');
}

/* A function without callers whose name cannot be between brackets has a header without them also among contexts. */
static int write_function(struct writer *w, uint32_t top)
{
    const struct sample_node *f = &w->s->nodes.data[top];
    bool plain = can_be(w, f->name, SAMPLE_TEXT_AS_HEADER), good = false;
    bool base = w->s->contexts.list.data[f->context].caller == SAMPLE_NONE;
    int code = w->contexts || !base ? list_frames(w, f->context, &good) : APF_OK;
    w->in_context = good;
    if (code != APF_OK || !(good || (base && plain))) {
        w->losses.functions += code == APF_OK;
        return code;
    }
    if (!w->begun && !w->in_context && sample_text_mistaken(&w->s->names.list.data[f->name]))
        text_append(w->out, "# Sample profile\n");
    w->begun = true;
    w->has_name |= !can_be(w, f->name, SAMPLE_TEXT_DECIMAL);
    w->has_checksum |= f->checksum != 0;
    w->has_context |= w->in_context;
    if (w->in_context)
        append_context(w);
    else
        append_name(w, f->name);
    append_number(w, ':', f->total);
    append_number(w, ':', f->head);
    append_byte(w, '\n');
    return write_body(w, top);
}

/* Prefetches functions that follow function i in the order of output, which is not that in memory: first the node, then
 * what it points to, then the text of its name. */
static void fetch_ahead(const struct writer *w, size_t i)
{
    const struct sample_node *nodes = w->s->nodes.data;
    if (3 * FETCH_AHEAD >= w->order.n_tops - i)
        return;
    const uint32_t *tops = w->order.tops + i;
    const struct sample_node *far = &nodes[tops[3 * FETCH_AHEAD]], *middle = &nodes[tops[2 * FETCH_AHEAD]];
    PREFETCH(far);
    PREFETCH(&far->lines);
    PREFETCH(middle->lines.data);
    if (middle->callees.n)
        PREFETCH(middle->callees.data);
    if (middle->targets.n)
        PREFETCH(middle->targets.data);
    PREFETCH(&w->s->names.list.data[middle->name]);
    PREFETCH(&w->s->contexts.list.data[middle->context]);
    PREFETCH(w->s->names.list.data[nodes[tops[FETCH_AHEAD]].name].p);
}

/* ---- losses ---- */

static void count_losses(struct writer *w)
{
    const struct apf_sample *s = w->s;
    struct sample_text_losses *losses = &w->losses;
    for (size_t i = 0; i < s->names.list.n; i++) {
        const struct sample_name *name = &s->names.list.data[i];
        if (!(w->uses[i] & SAMPLE_TEXT_USED))
            continue;
        bool decimal = w->uses[i] & SAMPLE_TEXT_DECIMAL;
        losses->hashes += !name->p && (w->has_name || !decimal);
        losses->decimals += name->p && decimal && !w->has_name;
        losses->files += name->file != SAMPLE_NONE;
    }
    losses->symbols = s->symbols.n;
    losses->flags = s->info.flags & (APF_SAMPLE_FS | APF_SAMPLE_PARTIAL);
    if (w->probes && !w->has_checksum)
        losses->flags |= APF_SAMPLE_PROBES;
    if (w->contexts && !w->has_context)
        losses->flags |= APF_SAMPLE_CONTEXTS;
}

/* ---- the whole text ---- */

static int prepare_writer(struct writer *w)
{
    size_t n = w->s->names.list.n;
    w->uses = malloc(n + 1);
    if (!w->uses)
        return error_memory(w->error);
    for (size_t i = 0; i < n; i++)
        w->uses[i] = sample_text_uses(&w->s->names.list.data[i]);
    w->probes = w->s->info.flags & APF_SAMPLE_PROBES;
    w->contexts = w->s->info.flags & APF_SAMPLE_CONTEXTS;
    int code = sample_order_make(&w->order, w->s, w->error);
    if (code == APF_OK && w->o->names_descend)
        sample_order_reverse_equals(&w->order, w->s);
    return code;
}

int sample_text_write(const struct apf_sample *s, const struct sample_text_write_options *o,
                      struct file_out *out, struct apf_error *error)
{
    struct writer w = {.s = s, .o = o, .out = out, .error = error};
    int code = prepare_writer(&w);
    for (size_t i = 0; code == APF_OK && i < w.order.n_tops && file_out_write(out, NULL, 0); i++) {
        fetch_ahead(&w, i);
        code = write_function(&w, w.order.tops[i]);
    }
    if (code == APF_OK) {
        count_losses(&w);
        if (o->losses)
            *o->losses = w.losses;
    }
    sample_order_free(&w.order);
    free(w.uses);
    VEC_FREE(&w.stack);
    VEC_FREE(&w.callees);
    VEC_FREE(&w.chain);
    return code;
}
