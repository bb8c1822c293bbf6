/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "sample/partial/sample_partial_profiles.h"

/* A node whose turn is to come. */
struct waiting_node {
    uint32_t node;
    uint64_t caller; /* its number in the file */
};

/* Where the contexts of a class are in the file. */
struct context_places {
    uint32_t *sorted; /* contexts in their order */
    uint32_t *places; /* place of each of those that are written; SAMPLE_NONE: it is not */
};

struct sums_writer {
    struct partial_writer *file;
    const struct inputs_listing *inputs;
    const struct sample_names *names;
    uint32_t *name_ranks, *sorted_names; /* of all names */
    uint32_t *slices;                    /* for each name, the slice with its functions; NULL: there is one */
    uint32_t slice;                      /* that is being written */
    uint32_t *name_places,
        *file_ranks; /* places in the file of names that are written, and of source files */
    struct context_places contexts[SAMPLE_PARTIAL_CLASSES];
    /* of the profile at hand */
    const struct apf_sample *s;
    const uint32_t *places; /* of its contexts */
    uint64_t n_nodes;       /* that were written */
    VEC(struct waiting_node) stack;
    VEC(struct sample_target) targets;
    struct partial_function function; /* that is written */
};

/* The inverse of ranks 0 to n - 1; NULL: an allocation failed. */
static uint32_t *invert(const uint32_t *ranks, size_t n)
{
    uint32_t *of = malloc((n + 1) * sizeof *of);
    for (size_t i = 0; of && i < n; i++)
        of[ranks[i]] = (uint32_t)i;
    return of;
}

/* ---- names ---- */

static int write_files(struct sums_writer *w, struct apf_error *error)
{
    const size_t n = w->names->files.list.n;
    struct sort_name *files = malloc((2 * n + 1) * sizeof *files);
    w->file_ranks = malloc((n + 1) * sizeof *w->file_ranks);
    if (!files || !w->file_ranks) {
        free(files);
        return error_memory(error);
    }
    for (size_t i = 0; i < n; i++) {
        const struct apf_str *name = &w->names->files.list.data[i];
        files[i] = (struct sort_name){.p = name->p, .n = (uint32_t)name->n, .index = (uint32_t)i};
    }
    sort_names(files, files + n, n);
    partial_section(w->file, PARTIAL_SAMPLE_FILES);
    for (size_t i = 0; i < n; i++) {
        w->file_ranks[files[i].index] = (uint32_t)i;
        partial_write_source_file(w->file, (struct apf_str){files[i].p, files[i].n});
    }
    free(files);
    return APF_OK;
}

static void write_name(struct sums_writer *w, const struct sample_name *name)
{
    const struct partial_name record = {
        {name->p, name->n}, name->hash, name->file == SAMPLE_NONE ? SAMPLE_NONE : w->file_ranks[name->file]};
    partial_write_sample_name(w->file, &record);
}

/* Whether a function at the top level is in the slice that is being written. */
static bool is_in_slice(const struct sums_writer *w, const struct apf_sample *s, uint32_t top)
{
    const struct sample_node *f = &s->nodes.data[top];
    return !w->slices || w->slices[s->contexts.list.data[f->context].name] == w->slice;
}

static void mark_targets(const struct sample_targets *targets, uint8_t *used)
{
    for (uint32_t i = 0; i < targets->n; i++)
        used[targets->data[i].name] = 1;
}

/* Marks the names in a function and in what is inlined in it. */
static int mark_function(struct sums_writer *w, const struct apf_sample *s, uint32_t top, uint8_t *used,
                         struct apf_error *error)
{
    struct waiting_node next = {top, 0};
    if (!VEC_PUSH(&w->stack, next))
        return error_memory(error);
    while (w->stack.n) {
        const struct sample_node *f = &s->nodes.data[w->stack.data[--w->stack.n].node];
        if (f->caller != SAMPLE_NONE)
            used[f->name] = 1;
        mark_targets(&f->targets, used);
        mark_targets(sample_vtables(f), used);
        if (!VEC_RESERVE(&w->stack, f->callees.n))
            return error_memory(error);
        for (uint32_t i = 0; i < f->callees.n; i++)
            w->stack.data[w->stack.n++] = (struct waiting_node){f->callees.data[i], 0};
    }
    return APF_OK;
}

/* Marks the names that the slice needs; slice 0 has all, also those that no function has. */
static int mark_names(struct sums_writer *w, const struct sample_partial_sums *sums, uint8_t *used,
                      struct apf_error *error)
{
    int code = APF_OK;
    if (w->slice == 0)
        memset(used, 1, w->names->list.n);
    for (unsigned c = 0; w->slice && c < SAMPLE_PARTIAL_CLASSES; c++) {
        const struct apf_sample *s = sums->profiles[c];
        for (size_t i = 0; code == APF_OK && s && i < s->top.n; i++) {
            const uint32_t top = s->top.data[i];
            if (!is_in_slice(w, s, top))
                continue;
            for (uint32_t k = s->nodes.data[top].context; k != SAMPLE_NONE;
                 k = s->contexts.list.data[k].caller)
                used[s->contexts.list.data[k].name] = 1;
            code = mark_function(w, s, top, used, error);
        }
    }
    return code;
}

static int write_names(struct sums_writer *w, const struct sample_partial_sums *sums, struct apf_error *error)
{
    const size_t n = w->names->list.n;
    uint32_t place = 0;
    uint8_t *used = calloc(n + 1, 1);
    int code = used ? mark_names(w, sums, used, error) : error_memory(error);
    partial_section(w->file, PARTIAL_SAMPLE_NAMES);
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        const uint32_t name = w->sorted_names[i];
        if (!used[name])
            continue;
        write_name(w, &w->names->list.data[name]);
        w->name_places[name] = place++;
    }
    free(used);
    return code;
}

/* ---- contexts ---- */

/* Sorts the contexts of a class. */
static int sort_contexts(const struct sums_writer *w, const struct apf_sample *s, struct context_places *to,
                         struct apf_error *error)
{
    const size_t n = s->contexts.list.n;
    uint32_t *ranks = NULL;
    int code = sample_contexts_rank(&s->contexts, w->name_ranks, &ranks, error);
    to->sorted = code == APF_OK ? invert(ranks, n) : NULL;
    to->places = malloc((n + 1) * sizeof *to->places);
    free(ranks);
    return code == APF_OK && !(to->sorted && to->places) ? error_memory(error) : code;
}

/* Finds which contexts are written, those of functions and of their callers, and their places. */
static void place_contexts(const struct sums_writer *w, const struct apf_sample *s, struct context_places *to)
{
    const struct sample_context *contexts = s->contexts.list.data;
    uint32_t place = 0;
    for (size_t i = 0; i < s->contexts.list.n; i++)
        to->places[i] = SAMPLE_NONE;
    for (size_t i = 0; i < s->top.n; i++) {
        uint32_t c = is_in_slice(w, s, s->top.data[i]) ? s->nodes.data[s->top.data[i]].context : SAMPLE_NONE;
        for (; c != SAMPLE_NONE && to->places[c] == SAMPLE_NONE; c = contexts[c].caller)
            to->places[c] = 0;
    }
    for (size_t i = 0; i < s->contexts.list.n; i++)
        if (to->places[to->sorted[i]] != SAMPLE_NONE)
            to->places[to->sorted[i]] = place++;
}

static void write_contexts(struct sums_writer *w, uint32_t class, const struct apf_sample *s)
{
    struct context_places *at = &w->contexts[class];
    place_contexts(w, s, at);
    for (size_t i = 0; i < s->contexts.list.n; i++) {
        const struct sample_context *c = &s->contexts.list.data[at->sorted[i]];
        if (at->places[at->sorted[i]] == SAMPLE_NONE)
            continue;
        const struct partial_context record = {class,
                                               c->caller == SAMPLE_NONE ? SAMPLE_NONE : at->places[c->caller],
                                               w->name_places[c->name], c->at};
        partial_write_context(w->file, &record);
    }
}

/* ---- functions ---- */

static bool target_before(const void *context, const void *a, const void *b)
{
    const struct sample_target *x = a, *y = b;
    const uint32_t *ranks = context;
    return x->at != y->at ? x->at < y->at : ranks[x->name] < ranks[y->name];
}

/* Sorts targets, and gives their names the numbers in the file. */
static int place_targets(struct sums_writer *w, const struct sample_targets *from, struct partial_targets *to,
                         struct apf_error *error)
{
    w->targets.n = to->list.n = 0;
    if (!VEC_RESERVE(&w->targets, from->n) || !VEC_RESERVE(&to->list, from->n))
        return error_memory(error);
    for (uint32_t i = 0; i < from->n; i++)
        w->targets.data[w->targets.n++] = from->data[i];
    if (!SORT_VEC(&w->targets, target_before, w->name_ranks))
        return error_memory(error);
    for (uint32_t i = 0; i < from->n; i++) {
        const struct sample_target *t = &w->targets.data[i];
        to->list.data[to->list.n++] = (struct partial_target){t->at, t->count, w->name_places[t->name]};
    }
    return APF_OK;
}

/* Writes a node, which gets the next number. */
static int write_node(struct sums_writer *w, uint32_t class, const struct waiting_node *waiting,
                      struct apf_error *error)
{
    const struct sample_node *f = &w->s->nodes.data[waiting->node];
    struct partial_function *to = &w->function;
    const bool top = f->caller == SAMPLE_NONE;
    to->class = class;
    to->distance = top ? 0 : w->n_nodes - waiting->caller;
    to->context = top ? w->places[f->context] : SAMPLE_NONE;
    to->at = f->at;
    to->name = top ? SAMPLE_NONE : w->name_places[f->name];
    to->checksum = f->checksum;
    to->attributes = f->attributes;
    to->cut = f->state & SAMPLE_SATURATED;
    to->total = f->total;
    to->head = f->head;
    to->votes = f->votes;
    to->input = inputs_listing_number(w->inputs, f->input);
    to->time = sample_first_time(f);
    to->lines.n = 0;
    if (!VEC_RESERVE(&to->lines, f->lines.n))
        return error_memory(error);
    if (f->lines.n)
        memcpy(to->lines.data, f->lines.data, f->lines.n * sizeof *f->lines.data);
    to->lines.n = f->lines.n;
    int code = place_targets(w, &f->targets, &to->targets, error);
    if (code == APF_OK)
        code = place_targets(w, sample_vtables(f), &to->vtables, error);
    if (code == APF_OK)
        partial_write_function(w->file, to);
    w->n_nodes++;
    return code;
}

static bool callee_before(const void *context, const void *a, const void *b)
{
    const struct sums_writer *w = context;
    const struct sample_node *x = &w->s->nodes.data[((const struct waiting_node *)a)->node],
                             *y = &w->s->nodes.data[((const struct waiting_node *)b)->node];
    if (x->at != y->at)
        return x->at > y->at;
    return x->name != y->name ? w->name_ranks[x->name] > w->name_ranks[y->name] : x->checksum > y->checksum;
}

/* Puts what is inlined in a node on the stack, the first one last. */
static int push_callees(struct sums_writer *w, const struct sample_callees *callees, uint64_t caller,
                        struct apf_error *error)
{
    if (!VEC_RESERVE(&w->stack, 2 * (uint64_t)callees->n)) /* also for sorting */
        return error_memory(error);
    struct waiting_node *first = ENTRY_AT(w->stack.data, w->stack.n);
    for (uint32_t i = 0; i < callees->n; i++)
        w->stack.data[w->stack.n++] = (struct waiting_node){callees->data[i], caller};
    if (callees->n > 1)
        sort_merge(first, first + callees->n, callees->n, sizeof *first, callee_before, w);
    return APF_OK;
}

static bool top_before(const void *context, const void *a, const void *b)
{
    const struct sums_writer *w = context;
    const uint32_t *i = a, *k = b;
    const struct sample_node *x = &w->s->nodes.data[*i], *y = &w->s->nodes.data[*k];
    return x->context != y->context ? w->places[x->context] < w->places[y->context]
                                    : x->checksum < y->checksum;
}

static int write_functions(struct sums_writer *w, uint32_t class, const struct apf_sample *s,
                           struct apf_error *error)
{
    w->s = s;
    w->places = w->contexts[class].places;
    w->n_nodes = 0;
    VEC(uint32_t) tops = {NULL, 0, 0};
    int code = VEC_RESERVE(&tops, s->top.n) ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < s->top.n; i++)
        if (is_in_slice(w, s, s->top.data[i]))
            tops.data[tops.n++] = s->top.data[i];
    if (code == APF_OK && !SORT_VEC(&tops, top_before, w))
        code = error_memory(error);
    for (size_t i = 0; code == APF_OK && i < tops.n; i++) {
        const struct waiting_node top = {tops.data[i], 0};
        code = VEC_PUSH(&w->stack, top) ? APF_OK : error_memory(error);
        while (code == APF_OK && w->stack.n) {
            const struct waiting_node next = w->stack.data[--w->stack.n];
            const uint64_t number = w->n_nodes;
            code = write_node(w, class, &next, error);
            if (code == APF_OK)
                code = push_callees(w, &w->s->nodes.data[next.node].callees, number, error);
        }
    }
    VEC_FREE(&tops);
    return code;
}

/* ---- the whole ---- */

static void write_class(struct partial_writer *file, uint32_t class, const struct apf_sample *s,
                        uint64_t weight)
{
    const struct partial_sample_class record = {class, s->info.flags, s->has_symbols, weight};
    partial_write_sample_class(file, &record);
}

static void write_symbols(struct partial_writer *file, uint32_t class, const struct apf_sample *s)
{
    for (size_t i = 0; i < s->symbols.n; i++)
        partial_write_symbol(file, class, s->symbols.data[i]);
}

/* Finds the orders of names and contexts, which all slices share, and which slice has which functions. */
static int prepare(struct sums_writer *w, const struct sample_partial_sums *sums,
                   const struct partial_slices *files, struct apf_error *error)
{
    const size_t n = w->names->list.n;
    int code = sample_names_rank(w->names, &w->name_ranks, error);
    w->sorted_names = code == APF_OK ? invert(w->name_ranks, n) : NULL;
    w->name_places = malloc((n + 1) * sizeof *w->name_places);
    w->slices = files->n > 1 ? malloc((n + 1) * sizeof *w->slices) : NULL;
    if (code == APF_OK && !(w->sorted_names && w->name_places && (w->slices || files->n == 1)))
        code = error_memory(error);
    for (size_t i = 0; code == APF_OK && w->slices && i < n; i++)
        w->slices[i] = partial_slice_of(files, sample_names_hash(w->names, (uint32_t)i));
    for (uint32_t c = 0; code == APF_OK && c < SAMPLE_PARTIAL_CLASSES; c++)
        if (sums->profiles[c])
            code = sort_contexts(w, sums->profiles[c], &w->contexts[c], error);
    return code;
}

/* Writes the slice w->slice. */
static int write_slice(struct sums_writer *w, const struct sample_partial_sums *sums, struct apf_error *error)
{
    int code = write_files(w, error);
    if (code == APF_OK)
        code = write_names(w, sums, error);
    partial_section(w->file, PARTIAL_SAMPLE_CLASSES);
    for (uint32_t c = 0; code == APF_OK && c < SAMPLE_PARTIAL_CLASSES; c++)
        if (sums->profiles[c])
            write_class(w->file, c, sums->profiles[c], sums->weights[c]);
    partial_section(w->file, PARTIAL_SAMPLE_CONTEXTS);
    for (uint32_t c = 0; code == APF_OK && c < SAMPLE_PARTIAL_CLASSES; c++)
        if (sums->profiles[c])
            write_contexts(w, c, sums->profiles[c]);
    partial_section(w->file, PARTIAL_SAMPLE_FUNCTIONS);
    for (uint32_t c = 0; code == APF_OK && c < SAMPLE_PARTIAL_CLASSES; c++)
        if (sums->profiles[c])
            code = write_functions(w, c, sums->profiles[c], error);
    partial_section(w->file, PARTIAL_SAMPLE_SYMBOLS);
    for (uint32_t c = 0; code == APF_OK && w->slice == 0 && c < SAMPLE_PARTIAL_CLASSES; c++)
        if (sums->profiles[c])
            write_symbols(w->file, c, sums->profiles[c]);
    return code;
}

int sample_partial_write_sums(struct partial_slices *files, const struct sample_partial_sums *sums,
                              const struct inputs_listing *inputs, struct apf_error *error)
{
    struct sums_writer w = {.inputs = inputs, .names = &sums->names};
    int code = prepare(&w, sums, files, error);
    for (; code == APF_OK && w.slice < files->n; w.slice++) {
        w.file = &files->files[w.slice];
        code = write_slice(&w, sums, error);
        free(w.file_ranks);
        w.file_ranks = NULL;
    }
    for (uint32_t c = 0; c < SAMPLE_PARTIAL_CLASSES; c++) {
        free(w.contexts[c].sorted);
        free(w.contexts[c].places);
    }
    free(w.name_ranks);
    free(w.sorted_names);
    free(w.name_places);
    free(w.slices);
    VEC_FREE(&w.stack);
    VEC_FREE(&w.targets);
    partial_function_free(&w.function);
    return code;
}
