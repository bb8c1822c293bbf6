/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text of a profile for tests, independent of the product's writer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/model/sample_order.h"

#include "helpers/shared/sample_bytes.h"

struct printer {
    const struct apf_sample *s;
    struct sample_order order;
    FILE *out;
};

static void print_name(struct printer *p, uint32_t number)
{
    const struct sample_name *name = &p->s->names.list.data[number];
    if (name->p)
        fwrite(name->p, 1, name->n, p->out);
    else
        fprintf(p->out, "%" PRIu64, name->hash);
}

static void print_place(struct printer *p, uint64_t at)
{
    fprintf(p->out, "%" PRIu32, sample_place_line(at));
    if (sample_place_discriminator(at))
        fprintf(p->out, ".%" PRIu32, sample_place_discriminator(at));
}

static void print_context(struct printer *p, uint32_t context)
{
    uint32_t frames[64], n = 0;
    for (uint32_t c = context; c != SAMPLE_NONE && n < 64; c = p->s->contexts.list.data[c].caller)
        frames[n++] = c;
    while (n--) {
        print_name(p, p->s->contexts.list.data[frames[n]].name);
        if (!n)
            break;
        fputc(':', p->out);
        print_place(p, p->s->contexts.list.data[frames[n - 1]].at);
        fputs(" @ ", p->out);
    }
}

static void start_line(struct printer *p, unsigned depth, uint64_t at)
{
    fprintf(p->out, "%*s", (int)depth + 1, "");
    print_place(p, at);
    fputs(": ", p->out);
}

/* The vtables of all places, which the text has once. */
static void print_vtables(struct printer *p, const struct sample_node *f, unsigned depth)
{
    const struct sample_targets *list = sample_vtables(f);
    for (uint32_t next = 0, n; next < list->n;) {
        uint64_t at = list->data[next].at;
        const struct sample_target *targets = sample_order_targets(&p->order, list, at, &next, &n);
        start_line(p, depth, at);
        fputs("vtables ", p->out);
        for (uint32_t i = 0; i < n; i++) {
            print_name(p, targets[i].name);
            fprintf(p->out, ":%" PRIu64 " ", targets[i].count);
        }
        fputc('\n', p->out);
    }
}

static void print_lines(struct printer *p, const struct sample_node *f, unsigned depth)
{
    uint32_t next = 0, n;
    for (uint32_t i = 0; i < f->lines.n; i++) {
        uint64_t at = f->lines.data[i].at;
        const struct sample_target *targets = sample_order_targets(&p->order, &f->targets, at, &next, &n);
        start_line(p, depth, at);
        fprintf(p->out, "%" PRIu64, f->lines.data[i].count);
        for (uint32_t k = 0; k < n; k++) {
            fputc(' ', p->out);
            print_name(p, targets[k].name);
            fprintf(p->out, ":%" PRIu64, targets[k].count);
        }
        fputc('\n', p->out);
    }
}

static void print_body(struct printer *p, uint32_t node, unsigned depth)
{
    const struct sample_node *f = &p->s->nodes.data[node];
    print_lines(p, f, depth);
    print_vtables(p, f, depth);
    uint32_t n = f->callees.n, *callees = calloc(n + 1, sizeof *callees);
    assert_non_null(callees);
    if (n)
        memcpy(callees, sample_order_callees(&p->order, p->s, node), n * sizeof *callees);
    for (uint32_t i = 0; i < n; i++) {
        const struct sample_node *callee = &p->s->nodes.data[callees[i]];
        start_line(p, depth, callee->at);
        print_name(p, callee->name);
        fprintf(p->out, ":%" PRIu64 "\n", callee->total);
        print_body(p, callees[i], depth + 1);
    }
    free(callees);
    if (p->s->info.flags & APF_SAMPLE_PROBES)
        fprintf(p->out, "%*s!CFGChecksum: %" PRIu64 "\n", (int)depth + 1, "", f->checksum);
    if (f->attributes)
        fprintf(p->out, "%*s!Attributes: %u\n", (int)depth + 1, "", (unsigned)f->attributes);
}

char *sample_as_text(const struct apf_sample *s)
{
    struct printer p = {.s = s};
    bool contexts = s->info.flags & APF_SAMPLE_CONTEXTS;
    char *text = NULL;
    size_t n = 0;
    p.out = open_memstream(&text, &n);
    assert_non_null(p.out);
    assert_int_equal(sample_order_make(&p.order, s, NULL), APF_OK);
    for (size_t i = 0; i < p.order.n_tops; i++) {
        const struct sample_node *f = &s->nodes.data[p.order.tops[i]];
        fputs(contexts ? "[" : "", p.out);
        print_context(&p, f->context);
        fprintf(p.out, "%s:%" PRIu64 ":%" PRIu64 "\n", contexts ? "]" : "", f->total, f->head);
        print_body(&p, p.order.tops[i], 0);
    }
    fclose(p.out);
    sample_order_free(&p.order);
    return text;
}
