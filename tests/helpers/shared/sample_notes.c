/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/sample_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/md5.h"
#include "sample/model/sample_order.h"

#include "helpers/shared/unit.h"

#define MOST_DEPTH 64u

/* ---- from text ---- */

struct notes {
    struct apf_sample *s;
    uint32_t open[MOST_DEPTH]; /* open[d]: the node to which lines with d + 1 blanks belong */
};

static uint32_t add_name(struct notes *n, const char *p, size_t length)
{
    struct apf_str name = {p, length};
    uint64_t hash = sample_names_decimal(name);
    uint32_t number;
    int code = hash ? sample_names_add_hash(&n->s->names, hash, &number, NULL)
                    : sample_names_add(&n->s->names, name, SAMPLE_NONE, true, &number, NULL);
    assert_int_equal(code, APF_OK);
    return number;
}

static uint64_t parse_place(const char *p, const char **end)
{
    char *next;
    unsigned long line = strtoul(p, &next, 10), discriminator = 0;
    if (*next == '.')
        discriminator = strtoul(next + 1, &next, 10);
    *end = next;
    return sample_place((uint32_t)line, (uint32_t)discriminator);
}

/* The context of "a:1 @ b" in the n bytes at p. */
static uint32_t parse_context(struct notes *n, const char *p, size_t length)
{
    uint32_t context = SAMPLE_NONE;
    uint64_t at = 0;
    const char *end = p + length;
    for (const char *next; p < end; p = next) {
        const char *frame = strstr(p, " @ ");
        next = frame && frame < end ? frame + 3 : end;
        const char *stop = frame && frame < end ? memchr(p, ':', (size_t)(frame - p)) : end;
        uint32_t name = add_name(n, p, (size_t)(stop - p));
        assert_int_equal(sample_contexts_add(&n->s->contexts, context, at, name, &context, NULL), APF_OK);
        if (next != end)
            at = parse_place(stop + 1, &stop);
    }
    return context;
}

static void parse_header(struct notes *n, const char *line, size_t length)
{
    const char *head = line + length;
    while (*--head != ':')
        ;
    const char *total = head;
    while (*--total != ':')
        ;
    size_t key = (size_t)(total - line);
    bool context = *line == '[';
    uint32_t number;
    if (context)
        n->s->info.flags |= APF_SAMPLE_CONTEXTS;
    number = context ? parse_context(n, line + 1, key - 2) : parse_context(n, line, key);
    assert_int_equal(sample_top(n->s, number, &n->open[0], NULL), APF_OK);
    struct sample_node *f = &n->s->nodes.data[n->open[0]];
    f->total += strtoull(total + 1, NULL, 10);
    f->head += strtoull(head + 1, NULL, 10);
}

/* "NAME:NUMBER" from *p on, which moves after it and the blank; the name is added. */
static uint64_t parse_target(struct notes *n, const char **p, const char *end, uint32_t *name)
{
    const char *stop = memchr(*p, ' ', (size_t)(end - *p)), *colon = stop ? stop : end;
    while (*--colon != ':')
        ;
    *name = add_name(n, *p, (size_t)(colon - *p));
    *p = stop ? stop + 1 : end;
    return strtoull(colon + 1, NULL, 10);
}

static void parse_body(struct notes *n, uint32_t node, uint64_t at, const char *p, const char *end)
{
    char *next;
    uint32_t name;
    uint64_t count = strtoull(p, &next, 10);
    assert_int_equal(sample_append_line(n->s, node, at, count, NULL), APF_OK);
    for (p = next; p < end && *p == ' ';) {
        p++;
        count = parse_target(n, &p, end, &name);
        assert_int_equal(sample_append_target(n->s, node, at, name, count, NULL), APF_OK);
        p -= p < end;
    }
}

static void parse_indented(struct notes *n, unsigned depth, const char *p, const char *end)
{
    uint32_t node = n->open[depth - 1], name;
    struct sample_node *f = &n->s->nodes.data[node];
    if (strncmp(p, "!CFGChecksum: ", 14) == 0) {
        f->checksum = strtoull(p + 14, NULL, 10);
        if (depth == 1)
            n->s->info.flags |= APF_SAMPLE_PROBES;
        return;
    }
    if (strncmp(p, "!Attributes: ", 13) == 0) {
        f->attributes = (uint16_t)strtoul(p + 13, NULL, 10);
        return;
    }
    uint64_t at = parse_place(p, &p);
    p += 2;
    if (strncmp(p, "vtables ", 8) == 0) {
        for (p += 8; p < end;) {
            uint64_t count = parse_target(n, &p, end, &name);
            assert_int_equal(sample_append_vtable(n->s, node, at, name, count, NULL), APF_OK);
        }
    } else if (memchr(p, ':', (size_t)(end - p)) && !memchr(p, ' ', (size_t)(end - p))) {
        uint64_t total = parse_target(n, &p, end, &name);
        assert_int_equal(sample_inlined(n->s, node, at, name, &n->open[depth], NULL), APF_OK);
        n->s->nodes.data[n->open[depth]].total = total;
    } else {
        parse_body(n, node, at, p, end);
    }
}

struct apf_sample *sample_from_notes(const char *text)
{
    struct notes n = {.s = sample_new()};
    assert_non_null(n.s);
    while (*text) {
        const char *end = strchr(text, '\n');
        unsigned depth = 0;
        while (text[depth] == ' ')
            depth++;
        assert_true(depth < MOST_DEPTH);
        if (depth)
            parse_indented(&n, depth, text + depth, end);
        else
            parse_header(&n, text, (size_t)(end - text));
        text = end + 1;
    }
    assert_int_equal(sample_seal(n.s, NULL), APF_OK);
    assert_int_equal(sample_complete(n.s, NULL), APF_OK);
    return n.s;
}

/* ---- to text ---- */

struct printed {
    const struct apf_sample *s;
    struct sample_order order;
    FILE *out;
};

static void print_name(struct printed *p, uint32_t number)
{
    const struct sample_name *name = &p->s->names.list.data[number];
    if (name->p)
        fprintf(p->out, "%.*s", (int)name->n, name->p);
    else
        fprintf(p->out, "%" PRIu64, name->hash);
}

static void print_place(struct printed *p, uint64_t at)
{
    fprintf(p->out, "%" PRIu32, sample_place_line(at));
    if (sample_place_discriminator(at))
        fprintf(p->out, ".%" PRIu32, sample_place_discriminator(at));
}

static void print_context(struct printed *p, uint32_t context)
{
    const struct sample_context *c = &p->s->contexts.list.data[context];
    if (c->caller != SAMPLE_NONE) {
        print_context(p, c->caller);
        fputc(':', p->out);
        print_place(p, c->at);
        fputs(" @ ", p->out);
    }
    print_name(p, c->name);
}

static void print_targets(struct printed *p, const struct sample_targets *list, uint64_t at, uint32_t *next)
{
    uint32_t n;
    const struct sample_target *t = sample_order_targets(&p->order, list, at, next, &n);
    for (uint32_t i = 0; i < n; i++) {
        fputc(' ', p->out);
        print_name(p, t[i].name);
        fprintf(p->out, ":%" PRIu64, t[i].count);
    }
}

/* Prints the body of a node, whose lines have `depth` blanks. Vtables follow all lines. */
static void print_node(struct printed *p, uint32_t node, int depth)
{
    const struct sample_node *f = &p->s->nodes.data[node];
    const struct sample_targets *vtables = sample_vtables(f);
    uint32_t next = 0;
    for (uint32_t i = 0; i < f->lines.n; i++) {
        fprintf(p->out, "%*s", depth, "");
        print_place(p, f->lines.data[i].at);
        fprintf(p->out, ": %" PRIu64, f->lines.data[i].count);
        print_targets(p, &f->targets, f->lines.data[i].at, &next);
        fputc('\n', p->out);
    }
    for (uint32_t at = 0; at < vtables->n;) {
        fprintf(p->out, "%*s", depth, "");
        print_place(p, vtables->data[at].at);
        fputs(": vtables", p->out);
        print_targets(p, vtables, vtables->data[at].at, &at);
        fputc('\n', p->out);
    }
    size_t size = (size_t)f->callees.n * sizeof(uint32_t);
    uint32_t *callees = malloc(size + 1);
    assert_non_null(callees);
    if (size)
        memcpy(callees, sample_order_callees(&p->order, p->s, node), size);
    for (uint32_t i = 0; i < f->callees.n; i++) {
        const struct sample_node *callee = &p->s->nodes.data[callees[i]];
        assert_int_equal(callee->caller, node);
        assert_false(callee->state & SAMPLE_GONE);
        fprintf(p->out, "%*s", depth, "");
        print_place(p, callee->at);
        fputs(": ", p->out);
        print_name(p, callee->name);
        fprintf(p->out, ":%" PRIu64 "\n", callee->total);
        print_node(p, callees[i], depth + 1);
    }
    free(callees);
    if (f->checksum)
        fprintf(p->out, "%*s!CFGChecksum: %" PRIu64 "\n", depth, "", f->checksum);
    if (f->attributes)
        fprintf(p->out, "%*s!Attributes: %u\n", depth, "", f->attributes);
}

char *sample_to_notes(const struct apf_sample *s)
{
    char *text = NULL;
    size_t size = 0;
    struct printed p = {.s = s, .out = open_memstream(&text, &size)};
    assert_non_null(p.out);
    assert_int_equal(sample_order_make(&p.order, s, NULL), APF_OK);
    for (size_t i = 0; i < p.order.n_tops; i++) {
        const struct sample_node *f = &s->nodes.data[p.order.tops[i]];
        bool context = s->info.flags & APF_SAMPLE_CONTEXTS;
        assert_int_equal(f->caller, SAMPLE_NONE);
        assert_false(f->state & SAMPLE_GONE);
        fputs(context ? "[" : "", p.out);
        print_context(&p, f->context);
        fprintf(p.out, "%s:%" PRIu64 ":%" PRIu64 "\n", context ? "]" : "", f->total, f->head);
        print_node(&p, p.order.tops[i], 1);
    }
    sample_order_free(&p.order);
    fclose(p.out);
    return text;
}

void expect_notes(const struct apf_sample *s, const char *text, const char *file, int line)
{
    char *got = sample_to_notes(s);
    if (strcmp(got, text) != 0) {
        print_error("got:\n%sexpected:\n%s", got, text);
        free(got);
        _fail(file, line);
    }
    free(got);
}

/* ---- random ---- */

struct making {
    const struct sample_random *like;
    uint64_t *state;
    FILE *out;
};

static uint64_t below(struct making *m, uint64_t n)
{
    return next_random(m->state) % n;
}

static void random_name(struct making *m, char *name)
{
    unsigned number = (unsigned)below(m, m->like->names);
    snprintf(name, 24, "f%u", number);
    if (below(m, 100) < m->like->hashes)
        snprintf(name, 24, "%" PRIu64, md5_name_ref(name, strlen(name)));
}

static uint64_t random_count(struct making *m)
{
    if (m->like->huge && below(m, 4) == 0)
        return UINT64_MAX - below(m, 3);
    return below(m, 1000);
}

static void random_place(struct making *m)
{
    fprintf(m->out, "%u", (unsigned)below(m, 6));
    if (below(m, 3) == 0)
        fprintf(m->out, ".%u", (unsigned)below(m, 3) + 1);
}

static void random_body(struct making *m, unsigned depth)
{
    char name[24];
    for (uint64_t n = below(m, 5); n > 0; n--) {
        fprintf(m->out, "%*s", (int)depth, "");
        random_place(m);
        fprintf(m->out, ": %" PRIu64, random_count(m));
        for (uint64_t targets = below(m, 3); targets > 0; targets--) {
            random_name(m, name);
            fprintf(m->out, " %s:%" PRIu64, name, random_count(m));
        }
        fputc('\n', m->out);
    }
    if (m->like->vtables && below(m, 4) == 0) {
        fprintf(m->out, "%*s", (int)depth, "");
        random_place(m);
        random_name(m, name);
        fprintf(m->out, ": vtables %s:%" PRIu64 "\n", name, random_count(m));
    }
    for (uint64_t n = depth <= m->like->depth ? below(m, 3) : 0; n > 0; n--) {
        random_name(m, name);
        fprintf(m->out, "%*s", (int)depth, "");
        random_place(m);
        fprintf(m->out, ": %s:%" PRIu64 "\n", name, random_count(m));
        random_body(m, depth + 1);
    }
    if (m->like->checksums) {
        uint64_t checksum = below(m, m->like->checksums + 1);
        if (checksum || depth == 1)
            fprintf(m->out, "%*s!CFGChecksum: %" PRIu64 "\n", (int)depth, "", checksum);
    }
    if (m->like->attributes && below(m, 3) == 0)
        fprintf(m->out, "%*s!Attributes: %u\n", (int)depth, "", 1u << below(m, 2));
}

char *sample_random_notes(const struct sample_random *like, uint64_t *state)
{
    char *text = NULL, name[24];
    size_t size = 0;
    struct making m = {like, state, open_memstream(&text, &size)};
    assert_non_null(m.out);
    for (uint64_t n = below(&m, like->functions) + 1; n > 0; n--) {
        fputs(like->frames ? "[" : "", m.out);
        for (uint64_t frames = like->frames ? below(&m, like->frames + 1) : 0; frames > 0; frames--) {
            random_name(&m, name);
            fprintf(m.out, "%s:", name);
            random_place(&m);
            fputs(" @ ", m.out);
        }
        random_name(&m, name);
        uint64_t total = random_count(&m), head = random_count(&m);
        fprintf(m.out, "%s%s:%" PRIu64 ":%" PRIu64 "\n", name, like->frames ? "]" : "", total, head);
        random_body(&m, 1);
    }
    fclose(m.out);
    return text;
}
