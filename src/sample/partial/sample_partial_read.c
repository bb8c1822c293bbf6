/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "base/error.h"
#include "sample/partial/sample_partial_profiles.h"

struct sums_reader {
    struct partial_records records;
    struct sample_partial_sums *sums;
    struct partial_function function; /* that is read */
    /* numbers in memory of what has a number in the file */
    VEC(uint32_t) files;
    VEC(uint32_t) names;
    VEC(uint32_t) contexts[SAMPLE_PARTIAL_CLASSES];
    VEC(uint32_t) nodes; /* of the class at hand */
    uint32_t class;
    struct apf_error *error;
};

void sample_partial_sums_free(struct sample_partial_sums *sums)
{
    for (unsigned c = 0; c < SAMPLE_PARTIAL_CLASSES; c++)
        sample_free(sums->profiles[c]);
    sample_names_free(&sums->names);
}

/* ---- names ---- */

static int read_file_name(struct sums_reader *r, bool *more)
{
    struct apf_str name;
    uint32_t number;
    int code = partial_read_source_file(&r->records, &name, more);
    if (code != APF_OK || !*more)
        return code;
    code = text_set_add(&r->sums->names.files, name, &number, r->error);
    return code == APF_OK && !VEC_PUSH(&r->files, number) ? error_memory(r->error) : code;
}

static int read_name(struct sums_reader *r, bool *more)
{
    struct sample_names *names = &r->sums->names;
    struct partial_name name;
    uint32_t number = 0;
    int code = partial_read_sample_name(&r->records, &name, more);
    if (code != APF_OK || !*more)
        return code;
    const uint32_t file = name.file == SAMPLE_NONE ? SAMPLE_NONE : r->files.data[name.file];
    code = name.text.p ? sample_names_add(names, name.text, file, true, &number, r->error)
                       : sample_names_add_hash(names, name.hash, &number, r->error);
    return code == APF_OK && !VEC_PUSH(&r->names, number) ? error_memory(r->error) : code;
}

/* ---- classes and contexts ---- */

static int read_class(struct sums_reader *r, bool *more)
{
    struct partial_sample_class class;
    int code = partial_read_sample_class(&r->records, &class, more);
    if (code != APF_OK || !*more)
        return code;
    struct apf_sample *s = r->sums->profiles[class.class] = sample_new();
    if (!s)
        return error_memory(r->error);
    s->info.flags = class.flags;
    s->is_sum = true;
    s->has_symbols = class.has_symbols;
    r->sums->weights[class.class] = class.weight;
    return APF_OK;
}

static int read_context(struct sums_reader *r, bool *more)
{
    struct partial_context context;
    uint32_t number = 0;
    int code = partial_read_context(&r->records, &context, more);
    if (code != APF_OK || !*more)
        return code;
    const uint32_t of =
        context.caller == SAMPLE_NONE ? SAMPLE_NONE : r->contexts[context.class].data[context.caller];
    code = sample_contexts_add(&r->sums->profiles[context.class]->contexts, of, context.at,
                               r->names.data[context.name], &number, r->error);
    return code == APF_OK && !VEC_PUSH(&r->contexts[context.class], number) ? error_memory(r->error) : code;
}

/* ---- functions ---- */

/* Appends a node without its counts. */
static int append_node(struct sums_reader *r, struct apf_sample *s, uint32_t *node)
{
    const struct partial_function *f = &r->function;
    int code;
    if (f->class != r->class)
        r->nodes.n = 0;
    r->class = f->class;
    if (f->distance)
        code = sample_inlined(s, r->nodes.data[r->nodes.n - f->distance], f->at, r->names.data[f->name], node,
                              r->error);
    else
        code = sample_sum_top(s, r->contexts[f->class].data[f->context], f->checksum, node, r->error);
    if (code == APF_OK)
        s->nodes.data[*node].checksum = f->checksum;
    return code == APF_OK && !VEC_PUSH(&r->nodes, *node) ? error_memory(r->error) : code;
}

static int append_lists(struct sums_reader *r, struct apf_sample *s, uint32_t node)
{
    const struct partial_function *f = &r->function;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < f->lines.n; i++)
        code = sample_append_line(s, node, f->lines.data[i].at, f->lines.data[i].count, r->error);
    for (size_t i = 0; code == APF_OK && i < f->targets.list.n; i++) {
        const struct partial_target *t = &f->targets.list.data[i];
        code = sample_append_target(s, node, t->at, r->names.data[t->name], t->count, r->error);
    }
    for (size_t i = 0; code == APF_OK && i < f->vtables.list.n; i++) {
        const struct partial_target *t = &f->vtables.list.data[i];
        code = sample_append_vtable(s, node, t->at, r->names.data[t->name], t->count, r->error);
    }
    return code == APF_OK && f->time ? sample_add_time(s, node, f->time, r->error) : code;
}

static int read_function(struct sums_reader *r, bool *more)
{
    const struct partial_function *f = &r->function;
    uint32_t node = 0;
    int code = partial_read_function(&r->records, &r->function, more);
    if (code != APF_OK || !*more)
        return code;
    struct apf_sample *s = r->sums->profiles[f->class];
    code = append_node(r, s, &node);
    if (code != APF_OK)
        return code;
    struct sample_node *to = &s->nodes.data[node];
    to->attributes = f->attributes;
    to->total = f->total;
    to->head = f->head;
    to->votes = f->votes;
    to->input = f->input;
    to->state |= f->cut ? SAMPLE_SATURATED : 0;
    return append_lists(r, s, node);
}

/* ---- the whole ---- */

static int read_symbol(struct sums_reader *r, bool *more)
{
    uint32_t class;
    struct apf_str name;
    int code = partial_read_symbol(&r->records, &class, &name, more);
    return code == APF_OK && *more ? sample_append_symbol(r->sums->profiles[class], name, r->error) : code;
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
    static int (*const sections[])(struct sums_reader *r, bool *more) = {
        read_file_name, read_name, read_class, read_context, read_function, read_symbol};
    struct sums_reader r = {.records = {.file = file, .limits = limits, .n_inputs = n_inputs, .error = error},
                            .sums = sums,
                            .error = error};
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < sizeof sections / sizeof *sections; i++)
        for (bool more = true; code == APF_OK && more;)
            code = sections[i](&r, &more);
    if (code == APF_OK)
        code = seal_profiles(&r);
    partial_records_free(&r.records);
    partial_function_free(&r.function);
    VEC_FREE(&r.files);
    VEC_FREE(&r.names);
    for (unsigned i = 0; i < SAMPLE_PARTIAL_CLASSES; i++)
        VEC_FREE(&r.contexts[i]);
    VEC_FREE(&r.nodes);
    return code;
}
