/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/gcc/gcc_dump.h"

#include <anyprof/sample_views.h>

#include "base/error.h"
#include "base/text_append.h"
#include "sample/layout/sample_releases.h"
#include "sample/model/sample_order.h"

/* A node that is still to be printed. */
struct pending {
    uint32_t node, depth;
};

struct dumper {
    const struct apf_sample *s;
    struct file_out *out;
    struct apf_error *error;
    bool files;
    struct sample_order order;
    VEC(struct pending) stack;
};

static void append_place(struct dumper *w, uint64_t at, uint32_t depth)
{
    text_blanks(w->out, 2 * (size_t)depth);
    text_decimal(w->out, sample_place_line(at), 0);
    if (sample_place_discriminator(at)) {
        text_append(w->out, ".");
        text_decimal(w->out, sample_place_discriminator(at), 0);
    }
    text_append(w->out, ": ");
}

/* A name of which only the hash is known is that number, as in LLVM's texts. */
static void append_name(struct dumper *w, uint32_t number)
{
    const struct sample_names *names = &w->s->names;
    const struct sample_name *name = &names->list.data[number];
    if (name->p)
        text_name(w->out, sample_names_text(names, number));
    else
        text_decimal(w->out, name->hash, 0);
    if (!w->files)
        return;
    text_append(w->out, ":");
    if (name->file != SAMPLE_NONE)
        text_name(w->out, names->files.list.data[name->file]);
}

/* Prints the targets of a place, by count, then by name, both descending. */
static int append_targets(struct dumper *w, const struct sample_targets *list, uint64_t at, uint32_t *next)
{
    uint32_t n;
    const struct sample_target *targets = sample_order_targets(&w->order, list, at, next, &n);
    if (!targets && n)
        return error_memory(w->error);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && targets[end].count == targets[i].count;)
            end++;
        for (uint32_t k = end; k > i; k--) {
            text_append(w->out, "  ");
            append_name(w, targets[k - 1].name);
            text_append(w->out, ":");
            text_decimal(w->out, targets[k - 1].count, 0);
        }
    }
    return APF_OK;
}

/* Prints a node but for its callees, which are pushed. */
static int append_node(struct dumper *w, struct pending p)
{
    const struct sample_node *f = &w->s->nodes.data[p.node];
    if (p.depth)
        append_place(w, f->at, p.depth);
    append_name(w, f->name);
    text_append(w->out, " total:");
    text_decimal(w->out, f->total, 0);
    if (!p.depth) {
        text_append(w->out, " head:");
        text_decimal(w->out, f->head, 0);
    }
    if (!p.depth && w->files) {
        text_append(w->out, " timestamp: ");
        text_decimal(w->out, sample_first_time(f), 0);
    }
    text_append(w->out, "\n");
    uint32_t next = 0;
    int code = APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < f->lines.n; i++) {
        append_place(w, f->lines.data[i].at, p.depth + 1);
        text_decimal(w->out, f->lines.data[i].count, 0);
        if (next < f->targets.n)
            code = append_targets(w, &f->targets, f->lines.data[i].at, &next);
        text_append(w->out, "\n");
    }
    if (code != APF_OK || f->callees.n == 0)
        return code;
    const uint32_t *callees = sample_order_callees(&w->order, w->s, p.node);
    if (!callees || !VEC_RESERVE(&w->stack, f->callees.n))
        return error_memory(w->error);
    for (uint32_t i = f->callees.n; i > 0; i--) {
        struct pending callee = {callees[i - 1], p.depth + 1};
        w->stack.data[w->stack.n++] = callee;
    }
    return APF_OK;
}

int sample_gcc_dump(const struct apf_sample *s, const struct sample_gcc_dump_options *o, struct file_out *out,
                    struct apf_error *error)
{
    struct dumper w = {.s = s, .out = out, .error = error, .files = o->files};
    int code = sample_order_make(&w.order, s, error);
    for (size_t i = 0; code == APF_OK && i < w.order.n_tops; i++) {
        struct pending top = {w.order.tops[i], 0};
        if (s->nodes.data[top.node].total == 0)
            break;
        code = append_node(&w, top);
        while (code == APF_OK && w.stack.n)
            code = append_node(&w, w.stack.data[--w.stack.n]);
    }
    sample_order_free(&w.order);
    VEC_FREE(&w.stack);
    return code;
}

/* Whether the profile is, or was, of a version that has source files. */
static bool has_files(const struct apf_sample *s)
{
    enum sample_form form = sample_form_of_gcc(s->info.version, s->info.layout);
    return form != SAMPLE_FORM_COUNT && sample_form_row(form)->holds & SAMPLE_HAS_FILES;
}

int apf_sample_print_gcov(const struct apf_sample *sample, const struct apf_output *output,
                          struct apf_error *error)
{
    const struct sample_gcc_dump_options options = {has_files(sample)};
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    return file_out_finish(out, sample_gcc_dump(sample, &options, out, error), error);
}
