/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "base/error.h"
#include "sample/partial/sample_partial_model.h"
#include "sample/partial/sample_partial_profiles.h"

/* A node that was read. */
struct read_node {
    uint32_t node, depth;
};

struct sums_reader {
    struct partial_reader *file;
    const struct sample_read_options *limits;
    uint64_t n_inputs, n_records;
    struct sample_partial_sums *sums;
    /* numbers in memory of what has a number in the file */
    VEC(uint32_t) files;
    VEC(uint32_t) names;
    VEC(uint32_t) contexts[SAMPLE_PARTIAL_CLASSES];
    VEC(struct read_node) nodes; /* of the class at hand */
    struct apf_error *error;
};

void sample_partial_sums_free(struct sample_partial_sums *sums)
{
    for (unsigned c = 0; c < SAMPLE_PARTIAL_CLASSES; c++)
        sample_free(sums->profiles[c]);
    sample_names_free(&sums->names);
}

static int wrong(const struct sums_reader *r, const char *what)
{
    return partial_wrong(r->file, "partial.sample", what, r->error);
}

/* The error of a record that goes beyond its block. */
static int check(const struct sums_reader *r)
{
    return partial_check(r->file, "partial.sample", r->error);
}

/* Calls a function for each record of a section. */
static int read_section(struct sums_reader *r, uint8_t section, int read(struct sums_reader *r))
{
    bool more = true;
    int code = APF_OK;
    while (code == APF_OK && more) {
        code = partial_next(r->file, section, &more, r->error);
        if (code == APF_OK && more)
            code = read(r);
    }
    return code;
}

/* The profile of the class that a record begins with; NULL: there is none, and the cursor fails. */
static struct apf_sample *read_class_number(struct sums_reader *r, uint32_t *class)
{
    *class = (uint32_t)partial_read_below(&r->file->c, SAMPLE_PARTIAL_CLASSES);
    struct apf_sample *s = r->sums->profiles[*class];
    r->file->c.failed |= !s;
    return r->file->c.failed ? NULL : s;
}

/* ---- names ---- */

static int read_file_name(struct sums_reader *r)
{
    uint32_t number;
    const struct apf_str name = partial_read_text(r->file);
    int code = check(r);
    if (code == APF_OK)
        code = sample_names_file(&r->sums->names, name, &number, r->error);
    return code == APF_OK && !VEC_PUSH(&r->files, number) ? error_memory(r->error) : code;
}

static int read_name(struct sums_reader *r)
{
    struct cursor *c = &r->file->c;
    struct sample_names *names = &r->sums->names;
    uint32_t number = 0;
    int code;
    if (partial_read_below(c, NAME_IS_TEXT + 1) == NAME_IS_HASH) {
        const uint64_t hash = cursor_u64(c);
        code = check(r);
        if (code == APF_OK)
            code = sample_names_add_hash(names, hash, &number, r->error);
    } else {
        const struct apf_str name = partial_read_text(r->file);
        const uint64_t file = partial_read_below(c, (uint64_t)r->files.n + 1);
        code = check(r);
        if (code == APF_OK)
            code = sample_names_add(names, name, file ? r->files.data[file - 1] : SAMPLE_NONE, true, &number,
                                    r->error);
    }
    return code == APF_OK && !VEC_PUSH(&r->names, number) ? error_memory(r->error) : code;
}

/* The number of a name in memory; a wrong one fails the cursor. */
static uint32_t read_name_number(struct sums_reader *r)
{
    const uint64_t i = partial_read_below(&r->file->c, r->names.n);
    return r->file->c.failed ? 0 : r->names.data[i];
}

/* ---- classes and contexts ---- */

static int read_class(struct sums_reader *r)
{
    struct cursor *c = &r->file->c;
    const uint32_t class = (uint32_t)partial_read_below(c, SAMPLE_PARTIAL_CLASSES);
    const uint32_t flags = partial_read_small(c);
    const bool symbols = partial_read_below(c, 2) != 0;
    const uint64_t weight = cursor_uleb128(c);
    struct sample_partial_sums *sums = r->sums;
    int code = check(r);
    if (code == APF_OK && sums->profiles[class])
        code = wrong(r, "a class is there twice");
    if (code != APF_OK)
        return code;
    struct apf_sample *s = sums->profiles[class] = sample_new();
    if (!s)
        return error_memory(r->error);
    s->info.flags = flags;
    s->is_sum = true;
    s->has_symbols = symbols;
    sums->weights[class] = weight;
    return APF_OK;
}

static int read_context(struct sums_reader *r)
{
    struct cursor *c = &r->file->c;
    uint32_t class, number = 0;
    struct apf_sample *s = read_class_number(r, &class);
    const uint64_t caller = partial_read_below(c, (uint64_t)r->contexts[class].n + 1), at = cursor_uleb128(c);
    const uint32_t name = read_name_number(r);
    int code = check(r);
    if (code != APF_OK)
        return code;
    const uint32_t of = caller ? r->contexts[class].data[caller - 1] : SAMPLE_NONE;
    if (of != SAMPLE_NONE && s->contexts.list.data[of].depth + 1 >= r->limits->max_depth)
        return error_plain(r->error, APF_LIMIT, "partial.sample", "a context is too long");
    if (of == SAMPLE_NONE && at)
        return wrong(r, "a context without a caller has a place");
    code = sample_contexts_add(&s->contexts, of, at, name, &number, r->error);
    return code == APF_OK && !VEC_PUSH(&r->contexts[class], number) ? error_memory(r->error) : code;
}

/* ---- functions ---- */

/* The begin of a record. */
struct node_head {
    struct apf_sample *s;
    uint32_t class;
    uint64_t distance; /* to the caller; 0: it is at the top level */
    uint32_t context;  /* at the top level */
    uint64_t at;       /* else place and name */
    uint32_t name, flags;
    uint64_t checksum;
};

static int read_head(struct sums_reader *r, struct node_head *h)
{
    struct cursor *c = &r->file->c;
    const uint32_t before = h->class;
    h->s = read_class_number(r, &h->class);
    if (h->class != before)
        r->nodes.n = 0;
    h->distance = partial_read_below(c, (uint64_t)r->nodes.n + 1);
    if (h->distance) {
        h->at = cursor_uleb128(c);
        h->name = read_name_number(r);
    } else {
        const uint64_t context = partial_read_below(c, r->contexts[h->class].n);
        h->context = c->failed ? 0 : r->contexts[h->class].data[context];
    }
    h->flags = (uint32_t)partial_read_below(c, NODE_FLAGS + 1);
    h->checksum = h->flags & NODE_HAS_CHECKSUM ? cursor_u64(c) : 0;
    return check(r);
}

/* Appends a node without its counts. */
static int append_node(struct sums_reader *r, const struct node_head *h, struct read_node *new)
{
    struct apf_sample *s = h->s;
    const size_t before = s->nodes.n;
    int code;
    if (r->n_records++ >= r->limits->max_records)
        return error_plain(r->error, APF_LIMIT, "partial.sample", "more functions than are allowed");
    if (h->distance) {
        const struct read_node caller = r->nodes.data[r->nodes.n - h->distance];
        *new = (struct read_node){0, caller.depth + 1};
        if (new->depth >= r->limits->max_depth)
            return error_plain(r->error, APF_LIMIT, "partial.sample", "inlined too deep");
        code = sample_inlined(s, caller.node, h->at, h->name, &new->node, r->error);
        if (code == APF_OK)
            s->nodes.data[new->node].checksum = h->checksum;
    } else {
        *new = (struct read_node){0, 0};
        code = sample_sum_top(s, h->context, h->checksum, &new->node, r->error);
        if (code == APF_OK && s->nodes.n == before)
            code = wrong(r, "a function is there twice");
    }
    return code == APF_OK && !VEC_PUSH(&r->nodes, *new) ? error_memory(r->error) : code;
}

static int read_lines(struct sums_reader *r, struct apf_sample *s, uint32_t node)
{
    struct cursor *c = &r->file->c;
    uint64_t at = 0;
    int code = APF_OK;
    for (uint64_t n = cursor_uleb128(c); code == APF_OK && n && !c->failed; n--) {
        at += cursor_uleb128(c);
        const uint64_t count = cursor_uleb128(c);
        code = check(r);
        if (code == APF_OK)
            code = sample_append_line(s, node, at, count, r->error);
    }
    return code;
}

/* Targets, or vtables. */
static int read_targets(struct sums_reader *r, struct apf_sample *s, uint32_t node, bool vtables)
{
    struct cursor *c = &r->file->c;
    uint64_t at = 0;
    int code = APF_OK;
    for (uint64_t n = cursor_uleb128(c); code == APF_OK && n && !c->failed; n--) {
        at += cursor_uleb128(c);
        const uint32_t name = read_name_number(r);
        const uint64_t count = cursor_uleb128(c);
        code = check(r);
        if (code == APF_OK)
            code = vtables ? sample_append_vtable(s, node, at, name, count, r->error)
                           : sample_append_target(s, node, at, name, count, r->error);
    }
    return code;
}

/* Reads the numbers of a node. */
static int read_numbers(struct sums_reader *r, struct sample_node *f, uint32_t flags)
{
    struct cursor *c = &r->file->c;
    f->attributes = partial_read_small(c);
    f->total = cursor_uleb128(c);
    f->head = cursor_uleb128(c);
    f->votes = cursor_uleb128(c);
    f->input = partial_read_below(c, r->n_inputs);
    f->state |= flags & NODE_IS_CUT ? SAMPLE_SATURATED : 0;
    return check(r);
}

static int read_node(struct sums_reader *r, struct node_head *h)
{
    struct read_node new;
    int code = read_head(r, h);
    if (code == APF_OK)
        code = append_node(r, h, &new);
    if (code == APF_OK)
        code = read_numbers(r, &h->s->nodes.data[new.node], h->flags);
    if (code == APF_OK)
        code = read_lines(r, h->s, new.node);
    if (code == APF_OK)
        code = read_targets(r, h->s, new.node, false);
    if (code == APF_OK && h->flags & NODE_HAS_VTABLES)
        code = read_targets(r, h->s, new.node, true);
    if (code == APF_OK && h->flags & NODE_HAS_TIME)
        code = sample_add_time(h->s, new.node, cursor_uleb128(&r->file->c), r->error);
    return code == APF_OK ? check(r) : code;
}

static int read_functions(struct sums_reader *r)
{
    struct node_head head = {.class = 0};
    bool more = true;
    int code = APF_OK;
    while (code == APF_OK && more) {
        code = partial_next(r->file, PARTIAL_SAMPLE_FUNCTIONS, &more, r->error);
        if (code == APF_OK && more)
            code = read_node(r, &head);
    }
    return code;
}

/* ---- the whole ---- */

static int read_symbol(struct sums_reader *r)
{
    uint32_t class;
    struct apf_sample *s = read_class_number(r, &class);
    const struct apf_str name = partial_read_text(r->file);
    int code = check(r);
    return code == APF_OK ? sample_append_symbol(s, name, r->error) : code;
}

static int seal_profiles(struct sums_reader *r)
{
    int code = APF_OK;
    for (unsigned i = 0; code == APF_OK && i < SAMPLE_PARTIAL_CLASSES; i++)
        if (r->sums->profiles[i])
            code = sample_seal(r->sums->profiles[i], r->error);
    return code;
}

int sample_partial_read_sums(struct partial_reader *file, const struct sample_read_options *limits,
                             uint64_t n_inputs, struct sample_partial_sums *sums, struct apf_error *error)
{
    struct sums_reader r = {
        .file = file, .limits = limits, .n_inputs = n_inputs, .sums = sums, .error = error};
    int code = read_section(&r, PARTIAL_SAMPLE_FILES, read_file_name);
    if (code == APF_OK)
        code = read_section(&r, PARTIAL_SAMPLE_NAMES, read_name);
    if (code == APF_OK)
        code = read_section(&r, PARTIAL_SAMPLE_CLASSES, read_class);
    if (code == APF_OK)
        code = read_section(&r, PARTIAL_SAMPLE_CONTEXTS, read_context);
    if (code == APF_OK)
        code = read_functions(&r);
    if (code == APF_OK)
        code = read_section(&r, PARTIAL_SAMPLE_SYMBOLS, read_symbol);
    if (code == APF_OK)
        code = seal_profiles(&r);
    VEC_FREE(&r.files);
    VEC_FREE(&r.names);
    for (unsigned i = 0; i < SAMPLE_PARTIAL_CLASSES; i++)
        VEC_FREE(&r.contexts[i]);
    VEC_FREE(&r.nodes);
    return code;
}
