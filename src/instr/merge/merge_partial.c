/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds a partial profile to a merge: all of it is read first, so that one with an error adds nothing. Names and sums of
 * a large file are not kept then, but read again, so that memory does not grow with them. */
#include "instr/merge/merge_partial.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "instr/memprof/memprof_merge.h"
#include "instr/merge/merge_sources.h"
#include "instr/partial/partial_memprof.h"
#include "instr/partial/partial_names.h"
#include "instr/partial/partial_sums.h"
#include "instr/partial/partial_traces.h"

struct classed_traces {
    uint32_t class;
    struct trace_set set;
};

struct classed_memprof {
    uint32_t class; /* or PARTIAL_HOLLOW */
    struct apf_memprof *memprof;
};

/* A partial profile that was read. */
struct load {
    struct apf_merge *merge;
    bool drops;   /* names and sums are not kept */
    size_t given; /* number of the input, or of its first slice */
    struct partial_reader file;
    struct arena arena;    /* of what stays */
    struct arena copied;   /* of names and sums, of which the merge makes copies */
    struct arena *passing; /* of what only commit needs */
    struct partial_whole whole;
    struct partial_rosters rosters;
    VEC(struct partial_input) inputs;
    VEC(struct symbol) names;
    VEC(struct symbol) vtables;
    VEC(struct partial_class) classes;
    VEC(struct sum) sums;
    size_t n_sums[CLASS_COUNT]; /* of each class; `sums` is sorted by class */
    VEC(struct classed_traces) traces;
    VEC(struct classed_memprof) memprofs;
};

/* ---- reading ---- */

static int wrong_class(const struct load *l, uint32_t class, struct apf_error *error)
{
    return class < CLASS_COUNT ? APF_OK
                               : partial_wrong(&l->file, "partial.class", "the class is not known", error);
}

static int read_inputs(struct load *l, struct apf_error *error)
{
    const struct arena_mark mark = arena_mark(&l->arena);
    struct partial_input input;
    bool more = true;
    int code = APF_OK;
    while (code == APF_OK && more) {
        code = partial_read_input(&l->file, &l->arena, &input, &more, error);
        if (code == APF_OK && more)
            code = wrong_class(l, input.class, error);
        if (code == APF_OK && more && input.roster != ROSTER_NONE && input.roster >= l->rosters.n)
            code = partial_wrong(&l->file, "partial.input", "its roster is not there", error);
        if (code == APF_OK && more && !VEC_PUSH(&l->inputs, input))
            code = error_memory(error);
    }
    if (code == APF_OK && (l->inputs.n == 0 || l->inputs.n >= UINT32_MAX))
        code = partial_wrong(&l->file, "partial.input", "it has no inputs, or too many", error);
    if (l->file.slice.number) /* those of slice 0 are kept */
        arena_rewind(&l->arena, mark);
    return code;
}

static int read_names(struct load *l, uint8_t section, struct apf_error *error)
{
    struct partial_names_reader r = {.file = &l->file, .section = section};
    struct symbol name;
    bool more = true;
    int code = APF_OK;
    while (code == APF_OK && more) {
        code = partial_read_name(&r, &name, &more, error);
        if (code != APF_OK || !more)
            return code;
        if (l->drops)
            continue;
        name.p = arena_text(&l->copied, name.p, name.n);
        if (!name.p || !(section == PARTIAL_NAMES ? VEC_PUSH(&l->names, name) : VEC_PUSH(&l->vtables, name)))
            return error_memory(error);
    }
    return code;
}

static int read_classes(struct load *l, struct apf_error *error)
{
    struct partial_class class;
    bool more = true;
    int code = APF_OK;
    while (code == APF_OK && more) {
        code = partial_read_class(&l->file, &l->arena, &class, &more, error);
        if (code == APF_OK && more)
            code = wrong_class(l, class.class, error);
        if (code == APF_OK && more && !VEC_PUSH(&l->classes, class))
            code = error_memory(error);
    }
    return code;
}

static int read_sums(struct load *l, struct apf_error *error)
{
    struct partial_sums_reader r = {.file = &l->file};
    struct classed_sum s;
    bool more = true;
    uint64_t n = 0;
    int code = APF_OK;
    while (code == APF_OK && more) {
        const struct arena_mark mark = arena_mark(&l->copied);
        code = partial_read_sum(&r, &l->copied, &s, &more, error);
        if (code == APF_OK && more)
            code = wrong_class(l, s.class, error);
        if (code == APF_OK && more && s.sum.input != INPUT_NONE && s.sum.input >= l->inputs.n)
            code = partial_wrong(&l->file, "partial.sum", "it is of an input that is not there", error);
        if (code != APF_OK || !more)
            return code;
        if (s.sum.input != INPUT_NONE)
            s.sum.input = input_member(l->given, (size_t)s.sum.input);
        if (n++ >= l->merge->read.max_records)
            return error_plain(error, APF_LIMIT, "partial.sums", "more functions than are allowed");
        l->n_sums[s.class]++;
        if (l->drops)
            arena_rewind(&l->copied, mark);
        else if (!VEC_PUSH(&l->sums, s.sum))
            return error_memory(error);
    }
    return code;
}

static int read_traces(struct load *l, struct apf_error *error)
{
    bool more = true;
    int code = APF_OK;
    while (code == APF_OK && more) {
        struct classed_traces t = {0, {.reservoir = l->whole.trace_reservoir, .length = l->whole.length}};
        code = partial_read_traces(&l->file, &t.class, &t.set, &more, error);
        if (code == APF_OK && more)
            code = wrong_class(l, t.class, error);
        const bool kept = code == APF_OK && more && VEC_PUSH(&l->traces, t);
        if (!kept)
            trace_set_free(&t.set);
        if (code == APF_OK && more && !kept)
            code = error_memory(error);
    }
    return code;
}

static int read_memprofs(struct load *l, struct apf_error *error)
{
    bool more = true;
    int code = APF_OK;
    while (code == APF_OK && more) {
        struct classed_memprof p = {0, NULL};
        code = partial_read_memprof(&l->file, &p.class, &p.memprof, &more, error);
        if (code == APF_OK && more && p.class != PARTIAL_HOLLOW)
            code = wrong_class(l, p.class, error);
        const bool kept = code == APF_OK && more && VEC_PUSH(&l->memprofs, p);
        if (!kept)
            memprof_free(p.memprof);
        if (code == APF_OK && more && !kept)
            code = error_memory(error);
    }
    return code;
}

/* Traces that another limit has dropped cannot come back. */
static int check_limits(const struct load *l, struct apf_error *error)
{
    struct trace_set now = {.reservoir = 0};
    merge_trace_limits(l->merge, &now);
    const bool forget = now.length == 0,
               same = now.reservoir == l->whole.trace_reservoir && now.length == l->whole.length;
    return same || forget || l->traces.n == 0
               ? APF_OK
               : error_plain(
                     error, APF_UNSUPPORTED, "partial.limits",
                     "its traces were chosen with other limits: a reservoir of %llu, and at most %llu "
                     "functions of each",
                     (unsigned long long)l->whole.trace_reservoir, (unsigned long long)l->whole.length);
}

static int load_file(struct load *l, const struct apf_input *input, struct apf_error *error)
{
    int code = partial_open(&l->file, input, PARTIAL_INSTR, l->merge->read.max_bytes, error);
    if (code == APF_OK)
        code = partial_take_slice(&l->file.slice, &l->merge->options.slice, &l->given, error);
    if (code == APF_OK)
        code = partial_read_whole(&l->file, &l->whole, error);
    if (code == APF_OK)
        code = partial_read_rosters(&l->file, l->passing, &l->rosters, error);
    if (code == APF_OK)
        code = read_inputs(l, error);
    if (code == APF_OK)
        code = read_names(l, PARTIAL_NAMES, error);
    if (code == APF_OK)
        code = read_names(l, PARTIAL_VTABLES, error);
    if (code == APF_OK)
        code = read_classes(l, error);
    if (code == APF_OK)
        code = read_sums(l, error);
    if (code == APF_OK)
        code = read_traces(l, error);
    if (code == APF_OK)
        code = read_memprofs(l, error);
    if (code == APF_OK)
        code = partial_end(&l->file, error);
    return code == APF_OK ? check_limits(l, error) : code;
}

/* ---- adding ---- */

static int add_traces(struct load *l, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < l->traces.n; i++) {
        struct merge_class *c = merge_class_get(l->merge, (uint8_t)l->traces.data[i].class);
        if (!c)
            return error_memory(error);
        pthread_mutex_lock(&l->merge->lock);
        if (c->traces.length) /* else traces are forgotten */
            code = trace_set_join(&c->traces, &l->traces.data[i].set, error);
        pthread_mutex_unlock(&l->merge->lock);
    }
    return code;
}

static int add_memprofs(struct load *l, struct apf_error *error)
{
    struct apf_merge *m = l->merge;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < l->memprofs.n; i++) {
        const struct classed_memprof *from = &l->memprofs.data[i];
        pthread_mutex_lock(&m->memprof_lock);
        struct apf_memprof **sum =
            from->class == PARTIAL_HOLLOW ? &m->memprof : &m->classes[from->class].memprof;
        if (!*sum)
            *sum = memprof_new(MEMPROF_MOST);
        code = *sum ? memprof_add(*sum, from->memprof, 1, error) : error_memory(error);
        pthread_mutex_unlock(&m->memprof_lock);
    }
    return code;
}

static int add_sums(struct load *l, struct apf_error *error)
{
    const struct sum *sums = l->sums.data;
    int code = APF_OK;
    for (unsigned class = 0; code == APF_OK && class < CLASS_COUNT; class++) {
        struct merge_class *c = l->n_sums[class] ? merge_class_get(l->merge, (uint8_t)class) : NULL;
        if (!l->n_sums[class])
            continue;
        if (l->drops) {
            code = c ? APF_OK : error_memory(error);
            continue;
        }
        code = c ? sum_table_join(c->sum_table, sums, l->n_sums[class], error) : error_memory(error);
        sums += l->n_sums[class];
    }
    return code;
}

static int add_loaded(struct load *l, struct apf_error *error)
{
    pthread_mutex_lock(&l->merge->lock);
    int code = merge_add_names(&l->merge->symbols, l->names.data, l->names.n, error);
    if (code == APF_OK)
        code = merge_add_names(&l->merge->vtables, l->vtables.data, l->vtables.n, error);
    pthread_mutex_unlock(&l->merge->lock);
    for (size_t i = 0; code == APF_OK && i < l->classes.n; i++)
        code = merge_class_get(l->merge, (uint8_t)l->classes.data[i].class) ? APF_OK : error_memory(error);
    if (code == APF_OK)
        code = add_sums(l, error);
    if (code == APF_OK)
        code = add_traces(l, error);
    const bool wanted = !(l->merge->common.flags & APF_FLAG_DROP_MEMPROF);
    return code == APF_OK && wanted ? add_memprofs(l, error) : code;
}

/* What commit needs, in the arena of the load. NULL: an allocation failed. */
static struct merge_partial *waiting(struct load *l)
{
    struct merge_partial *p = arena_alloc(&l->arena, sizeof *p);
    if (!p)
        return NULL;
    *p = (struct merge_partial){.whole = l->whole,
                                .n_inputs = l->inputs.n,
                                .n_classes = l->classes.n,
                                .rosters = l->rosters,
                                .slice = l->file.slice};
    if (p->slice.number)
        return p;
    p->inputs = arena_array(&l->arena, p->n_inputs, sizeof *p->inputs);
    p->kept = arena_array(&l->arena, p->n_inputs, sizeof *p->kept);
    p->classes = arena_array(&l->arena, p->n_classes, sizeof *p->classes);
    if (!p->inputs || !p->kept || !p->classes)
        return NULL;
    memcpy(p->inputs, l->inputs.data, p->n_inputs * sizeof *p->inputs);
    for (size_t i = 0; i < p->n_inputs; i++)
        p->kept[i] = p->inputs[i].kept;
    if (p->n_classes)
        memcpy(p->classes, l->classes.data, p->n_classes * sizeof *p->classes);
    return p;
}

static void free_load(struct load *l, bool stays)
{
    partial_reader_close(&l->file);
    for (size_t i = 0; i < l->traces.n; i++)
        trace_set_free(&l->traces.data[i].set);
    for (size_t i = 0; i < l->memprofs.n; i++)
        memprof_free(l->memprofs.data[i].memprof);
    VEC_FREE(&l->memprofs);
    VEC_FREE(&l->inputs);
    VEC_FREE(&l->names);
    VEC_FREE(&l->vtables);
    VEC_FREE(&l->classes);
    VEC_FREE(&l->sums);
    VEC_FREE(&l->traces);
    if (stays) {
        pthread_mutex_lock(&l->merge->lock);
        arena_splice(&l->merge->partials, &l->arena);
        pthread_mutex_unlock(&l->merge->lock);
    }
    arena_free(&l->copied);
    arena_free(&l->arena);
}

/* Makes a file a source, or adds its names and sums. */
static int use_file(struct load *l, const struct merge_file *from, struct merge_partial *p, bool *decided,
                    struct apf_error *error)
{
    struct inputs_source source = from->source;
    source.given = l->given;
    source.n_inputs = l->inputs.n;
    if (!from->waits) {
        *decided = false;
        return merge_add_source(l->merge, &source, error);
    }
    return inputs_source_copy(&p->source, &source, &l->arena) ? APF_OK : error_memory(error);
}

int merge_add_partial(struct apf_merge *m, const struct apf_input *input, const struct merge_file *file,
                      struct arena *passing, struct merge_partial **partial, bool *decided,
                      struct apf_error *error)
{
    struct load l = {
        .merge = m, .drops = file->source.input.size != 0, .given = file->source.given, .passing = passing};
    int code = load_file(&l, input, error);
    *partial = NULL;
    *decided = true;
    if (code == APF_OK && !(*partial = waiting(&l)))
        code = error_memory(error);
    const bool good = code == APF_OK;
    if (good) {
        code = add_loaded(&l, error);
        *decided = code == APF_OK;
    }
    if (code == APF_OK && l.drops) {
        code = use_file(&l, file, *partial, decided, error);
        *decided |= code == APF_OK;
    }
    *decided &=
        code == APF_OK || l.file.slice.n <= 1; /* a slice is not an input by itself, which may be lost */
    free_load(&l, good);
    return code;
}
