/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/merge/merge_sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "instr/merge/merge_partial.h"
#include "instr/merge/sum_resolve.h"
#include "instr/partial/partial_names.h"
#include "instr/partial/partial_sums.h"

/* Names and sums that come in order: of a file, or of the merge. */
struct merge_stream {
    const struct inputs_source *source; /* NULL: the merge itself */
    struct partial_reader file;
    struct partial_names_reader names;
    struct partial_sums_reader sums;
    struct arena arena; /* of `sum` */
    struct symbol name; /* the next one */
    uint32_t class;
    struct sum sum; /* of a file; the next one */
    /* The merge's: names by id, or sums of `class`, from `at` on; equal ones follow each other. */
    VEC(struct sort_key) keys;
    VEC(const struct sum *) own;
    size_t at;
};

/* ---- into the merge ---- */

static int add_names(struct apf_merge *m, struct partial_reader *file, uint8_t section, struct symbols *to,
                     struct apf_error *error)
{
    struct partial_names_reader names = {.file = file, .section = section, .trusts = true};
    struct symbol name;
    bool more = true;
    int code = APF_OK;
    while (code == APF_OK && more) {
        code = partial_read_name(&names, &name, &more, error);
        if (code != APF_OK || !more)
            return code;
        pthread_mutex_lock(&m->lock);
        code = merge_add_names(to, &name, 1, error);
        pthread_mutex_unlock(&m->lock);
    }
    return code;
}

/* Makes the input of a sum, which is numbered in its file, that of the merge. */
static int number_input(struct sum *sum, const struct inputs_source *source, struct apf_error *error)
{
    if (sum->input == INPUT_NONE)
        return APF_OK;
    if (sum->input >= source->n_inputs)
        return error_plain(error, APF_IO, "partial.file", "it has changed since it was read");
    sum->input = input_member(source->given, (size_t)sum->input);
    return APF_OK;
}

static int add_sums(struct apf_merge *m, struct partial_reader *file, const struct inputs_source *source,
                    struct apf_error *error)
{
    struct partial_sums_reader sums = {.file = file};
    struct classed_sum s;
    struct arena arena = {0};
    bool more = true;
    int code = partial_skip(file, PARTIAL_SUMS, error);
    while (code == APF_OK && more) {
        arena_rewind(&arena, (struct arena_mark){0});
        code = partial_read_sum(&sums, &arena, &s, &more, error);
        if (code != APF_OK || !more)
            break;
        struct merge_class *c = merge_class_get(m, (uint8_t)s.class);
        code = number_input(&s.sum, source, error);
        if (code == APF_OK)
            code = c ? sum_table_join(c->sum_table, &s.sum, 1, error) : error_memory(error);
    }
    arena_free(&arena);
    return code;
}

int merge_add_source(struct apf_merge *m, const struct inputs_source *source, struct apf_error *error)
{
    struct partial_reader file = {.section = 0};
    int code = inputs_source_open(&file, source, PARTIAL_INSTR, PARTIAL_NAMES, m->read.max_bytes, error);
    if (code == APF_OK)
        code = add_names(m, &file, PARTIAL_NAMES, &m->symbols, error);
    if (code == APF_OK)
        code = add_names(m, &file, PARTIAL_VTABLES, &m->vtables, error);
    if (code == APF_OK)
        code = add_sums(m, &file, source, error);
    if (code == APF_OK)
        code = inputs_source_end(&file, error);
    partial_reader_close(&file);
    return inputs_source_error(source, code, error);
}

int merge_load_sources(struct apf_merge *m, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->sources.list.n; i++)
        code = merge_add_source(m, &m->sources.list.data[i], error);
    m->kept.broken |= code != APF_OK;
    inputs_sources_clear(&m->sources);
    return code;
}

/* ---- into a partial profile ---- */

static int stream_error(struct merge_streams *s, const struct merge_stream *t, int code)
{
    return t->source ? inputs_source_error(t->source, code, s->error) : code;
}

int merge_streams_open(struct merge_streams *s, struct apf_merge *m, struct apf_error *error)
{
    const size_t n = m->sources.list.n + 1;
    *s = (struct merge_streams){.merge = m, .error = error};
    s->list = calloc(n, sizeof *s->list);
    if (!partial_pass_make(&s->pass, (uint32_t)n, s) || !s->list)
        return error_memory(error);
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->sources.list.n; i++) {
        struct merge_stream *t = &s->list[s->n++];
        t->source = &m->sources.list.data[i];
        t->sums.file = &t->file;
        code = stream_error(
            s, t,
            inputs_source_open(&t->file, t->source, PARTIAL_INSTR, PARTIAL_NAMES, m->read.max_bytes, error));
    }
    s->n += code == APF_OK;
    return code;
}

void merge_streams_close(struct merge_streams *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->list[i].source)
            partial_reader_close(&s->list[i].file);
        arena_free(&s->list[i].arena);
        VEC_FREE(&s->list[i].keys);
        VEC_FREE(&s->list[i].own);
    }
    free(s->list);
    partial_pass_free(&s->pass);
    VEC_FREE(&s->sums);
}

/* ---- names ---- */

static bool name_before(const void *streams, uint32_t x, uint32_t y)
{
    const struct merge_stream *list = ((const struct merge_streams *)streams)->list;
    return list[x].name.id < list[y].name.id;
}

static int next_own_name(struct merge_stream *t, const struct symbols *names, bool *more)
{
    while (t->at < t->keys.n && !names->list.data[t->keys.data[t->at].value].flags)
        t->at++; /* it was only asked for */
    *more = t->at < t->keys.n;
    if (*more)
        t->name = names->list.data[t->keys.data[t->at++].value];
    return APF_OK;
}

static int next_name(struct merge_streams *s, struct merge_stream *t, const struct symbols *own, bool *more)
{
    return t->source ? stream_error(s, t, partial_read_name(&t->names, &t->name, more, s->error))
                     : next_own_name(t, own, more);
}

static int next_function_name(void *streams, uint32_t i, bool *more)
{
    struct merge_streams *s = (struct merge_streams *)streams;
    return next_name(s, &s->list[i], &s->merge->symbols, more);
}

static int next_vtable_name(void *streams, uint32_t i, bool *more)
{
    struct merge_streams *s = (struct merge_streams *)streams;
    return next_name(s, &s->list[i], &s->merge->vtables, more);
}

/* Names, or sums, that are written into slices. */
struct names_files {
    struct partial_slices *files;
    struct partial_names_writer *writers; /* one for each */
};

struct sums_files {
    struct partial_slices *files;
    struct partial_sums_writer *writers;
};

/* Writes a name of several streams. Where an id stands for several names, it means none. */
static int write_name(void *streams)
{
    const struct merge_streams *s = (const struct merge_streams *)streams;
    const struct names_files *w = s->to;
    struct symbol name = s->list[s->pass.taken[0]].name;
    for (size_t i = 1; i < s->pass.n_taken; i++) {
        const struct symbol *other = &s->list[s->pass.taken[i]].name;
        name.flags |= other->flags;
        if (other->n != name.n || (name.n && memcmp(other->p, name.p, name.n) != 0))
            name.n = 0;
    }
    partial_write_name(&w->writers[partial_slice_of(w->files, name.id)], &name);
    return APF_OK;
}

/* Sorts the merge's names by id. */
static int sort_names_of(struct merge_stream *t, const struct symbols *names, struct apf_error *error)
{
    t->keys.n = t->at = 0;
    if (!VEC_RESERVE(&t->keys, 2 * names->list.n))
        return error_memory(error);
    for (size_t i = 0; i < names->list.n; i++)
        t->keys.data[t->keys.n++] = (struct sort_key){names->list.data[i].id, i};
    if (t->keys.n)
        sort_keys(t->keys.data, t->keys.data + t->keys.n, t->keys.n);
    return APF_OK;
}

int merge_streams_names(struct merge_streams *s, struct partial_slices *files, bool vtables)
{
    struct names_files w = {files, calloc(files->n, sizeof *w.writers)};
    const uint8_t section = vtables ? PARTIAL_VTABLES : PARTIAL_NAMES;
    const struct partial_pass_steps steps = {vtables ? next_vtable_name : next_function_name, name_before,
                                             write_name};
    struct merge_stream *own = &s->list[s->n - 1];
    if (!w.writers)
        return error_memory(s->error);
    s->to = &w;
    for (uint32_t i = 0; i < files->n; i++)
        w.writers[i].file = &files->files[i];
    partial_slices_section(files, section);
    int code = sort_names_of(own, vtables ? &s->merge->vtables : &s->merge->symbols, s->error);
    for (uint32_t i = 0; i < s->n; i++)
        s->list[i].names =
            (struct partial_names_reader){.file = &s->list[i].file, .section = section, .trusts = true};
    if (code == APF_OK)
        code = partial_pass_run(&s->pass, &steps);
    free(w.writers);
    return code;
}

/* ---- sums ---- */

static const struct sum *sum_of(const struct merge_stream *t)
{
    return t->source ? &t->sum : t->own.data[t->at];
}

static bool sum_before(const void *streams, uint32_t x, uint32_t y)
{
    const struct merge_stream *list = ((const struct merge_streams *)streams)->list, *a = &list[x],
                              *b = &list[y];
    return a->class != b->class ? a->class < b->class : sum_compare(sum_of(a), sum_of(b)) < 0;
}

/* Makes the list of the sums of the first class from t->class on that has some. */
static int next_class(struct merge_streams *s, struct merge_stream *t)
{
    t->own.n = t->at = 0;
    for (; t->class < CLASS_COUNT && !t->own.n; t->class++) {
        const struct merge_class *c = &s->merge->classes[t->class];
        struct sum_runs runs = {.list = {NULL, 0, 0}};
        bool ok = !c->sum_table || merge_class_runs(c, &runs);
        for (size_t i = 0; ok && i < runs.list.n; i++)
            for (size_t k = 0; ok && k < runs.list.data[i].n; k++)
                ok = VEC_PUSH(&t->own, &runs.list.data[i].sums[k]);
        ok = ok && partial_sort_sums(t->own.data, t->own.n);
        VEC_FREE(&runs.list);
        if (!ok)
            return error_memory(s->error);
        if (t->own.n)
            return APF_OK;
    }
    return APF_OK;
}

static int next_own_sum(struct merge_streams *s, struct merge_stream *t, bool *more)
{
    int code = APF_OK;
    if (t->at >= t->own.n) {
        t->class += t->own.n != 0;
        code = next_class(s, t);
    }
    *more = code == APF_OK && t->at < t->own.n;
    return code;
}

static int next_sum(void *streams, uint32_t i, bool *more)
{
    struct merge_streams *s = (struct merge_streams *)streams;
    struct merge_stream *t = &s->list[i];
    struct classed_sum next;
    if (!t->source)
        return next_own_sum(s, t, more);
    arena_rewind(&t->arena, (struct arena_mark){0});
    int code = stream_error(s, t, partial_read_sum(&t->sums, &t->arena, &next, more, s->error));
    if (code != APF_OK || !*more)
        return code;
    t->class = next.class;
    t->sum = next.sum;
    return stream_error(s, t, number_input(&t->sum, t->source, s->error));
}

/* Writes what several streams have of one structure. The merge may have it in several places. */
static int write_sum(void *streams)
{
    struct merge_streams *s = (struct merge_streams *)streams;
    const struct sums_files *w = s->to;
    const uint32_t class = s->list[s->pass.taken[0]].class;
    s->sums.n = 0;
    for (size_t i = 0; i < s->pass.n_taken; i++) {
        struct merge_stream *t = &s->list[s->pass.taken[i]];
        const struct sum *first = sum_of(t);
        if (!VEC_PUSH(&s->sums, first))
            return error_memory(s->error);
        while (!t->source && ++t->at < t->own.n && sum_compare(t->own.data[t->at], first) == 0)
            if (!VEC_PUSH(&s->sums, t->own.data[t->at]))
                return error_memory(s->error);
    }
    const uint32_t slice = partial_slice_of(w->files, s->sums.data[0]->id);
    return partial_write_total(&w->writers[slice], class, s->sums.data, s->sums.n, s->error);
}

int merge_streams_sums(struct merge_streams *s, struct partial_slices *files,
                       const struct inputs_listing *inputs)
{
    static const struct partial_pass_steps steps = {next_sum, sum_before, write_sum};
    struct sums_files w = {files, calloc(files->n, sizeof *w.writers)};
    int code = w.writers ? APF_OK : error_memory(s->error);
    for (uint32_t i = 0; code == APF_OK && i < files->n; i++)
        w.writers[i] = (struct partial_sums_writer){.file = &files->files[i], .inputs = inputs};
    s->to = &w;
    partial_slices_section(files, PARTIAL_SUMS);
    for (uint32_t i = 0; code == APF_OK && i < s->n; i++)
        if (s->list[i].source)
            code = stream_error(s, &s->list[i], partial_skip(&s->list[i].file, PARTIAL_SUMS, s->error));
    if (code == APF_OK)
        code = partial_pass_run(&s->pass, &steps);
    for (uint32_t i = 0; code == APF_OK && i < s->n; i++)
        if (s->list[i].source)
            code = stream_error(s, &s->list[i], inputs_source_end(&s->list[i].file, s->error));
    for (uint32_t i = 0; w.writers && i < files->n; i++)
        partial_sums_writer_free(&w.writers[i]);
    free(w.writers);
    return code;
}
