/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/merge/merge_sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/sort.h"
#include "instr/merge/merge_partial.h"
#include "instr/merge/sum_resolve.h"
#include "instr/partial/partial_names.h"
#include "instr/partial/partial_sums.h"

/* Names and sums that come in order: of a file, or of the merge. */
struct merge_stream {
    const struct merge_source *source; /* NULL: the merge itself */
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

/* ---- the files ---- */

/* Opens a source whose names are to be read. */
static int open_source(struct partial_reader *file, const struct merge_source *source, uint64_t max_bytes,
                       struct apf_error *error)
{
    struct file_identity identity;
    const int failed = source->input.path ? file_look(&identity, source->input.path, true) : 0;
    if (failed)
        return error_errno(error, failed, "file.open");
    if (source->input.path && !file_identity_same(&identity, &source->identity))
        return error_plain(error, APF_IO, "partial.file", "it has changed since it was read");
    int code = partial_open(file, &source->input, max_bytes, error);
    return code == APF_OK ? partial_skip(file, PARTIAL_NAMES, error) : code;
}

/* Names the source that an error is about. */
static int source_error(const struct merge_source *source, int code, struct apf_error *error)
{
    const struct apf_str name = file_name(&source->input);
    return error_file(error, code, name.p, name.n);
}

/* Whether all of a file was read, and is right. */
static int end_source(struct partial_reader *file, struct apf_error *error)
{
    int code = partial_skip(file, PARTIAL_LAST_SECTION, error);
    return code == APF_OK ? partial_end(file, error) : code;
}

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
static void number_input(struct sum *sum, const struct merge_source *source)
{
    if (sum->input != INPUT_NONE)
        sum->input = input_member(source->given, (size_t)sum->input);
}

static int add_sums(struct apf_merge *m, struct partial_reader *file, const struct merge_source *source,
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
        number_input(&s.sum, source);
        code = c ? sum_table_join(c->sum_table, &s.sum, 1, error) : error_memory(error);
    }
    arena_free(&arena);
    return code;
}

int merge_add_source(struct apf_merge *m, const struct merge_source *source, struct apf_error *error)
{
    struct partial_reader file = {.section = 0};
    int code = open_source(&file, source, m->read.max_bytes, error);
    if (code == APF_OK)
        code = add_names(m, &file, PARTIAL_NAMES, &m->symbols, error);
    if (code == APF_OK)
        code = add_names(m, &file, PARTIAL_VTABLES, &m->vtables, error);
    if (code == APF_OK)
        code = add_sums(m, &file, source, error);
    if (code == APF_OK)
        code = end_source(&file, error);
    partial_reader_close(&file);
    return source_error(source, code, error);
}

int merge_load_sources(struct apf_merge *m, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->sources.n; i++)
        code = merge_add_source(m, &m->sources.data[i], error);
    m->kept.broken |= code != APF_OK;
    m->sources.n = 0;
    return code;
}

/* ---- into a partial profile ---- */

static int stream_error(struct merge_streams *s, const struct merge_stream *t, int code)
{
    return t->source ? source_error(t->source, code, s->error) : code;
}

int merge_streams_open(struct merge_streams *s, struct apf_merge *m, struct apf_error *error)
{
    const size_t n = m->sources.n + 1;
    *s = (struct merge_streams){.merge = m, .error = error};
    s->list = calloc(n, sizeof *s->list);
    s->heap = malloc(n * sizeof *s->heap);
    s->taken = malloc(n * sizeof *s->taken);
    if (!s->list || !s->heap || !s->taken)
        return error_memory(error);
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->sources.n; i++) {
        struct merge_stream *t = &s->list[s->n++];
        t->source = &m->sources.data[i];
        t->sums.file = &t->file;
        code = stream_error(s, t, open_source(&t->file, t->source, m->read.max_bytes, error));
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
    free(s->heap);
    free(s->taken);
    VEC_FREE(&s->sums);
}

/* Goes on with a stream, which comes into the heap if it has more. */
static int go_on(struct merge_streams *s, uint32_t i,
                 int next(struct merge_streams *s, struct merge_stream *t, bool *more), heap_before *before)
{
    bool more = false;
    int code = stream_error(s, &s->list[i], next(s, &s->list[i], &more));
    if (code == APF_OK && more)
        heap_push(s->heap, &s->n_heap, i, before, s->list);
    return code;
}

/* Takes the first stream out of the heap, and all that come neither before nor after it. */
static void take_equal(struct merge_streams *s, heap_before *before)
{
    s->n_taken = 0;
    do
        s->taken[s->n_taken++] = heap_pop(s->heap, &s->n_heap, before, s->list);
    while (s->n_heap && !before(s->list, s->taken[0], s->heap[0]));
}

/* Passes all streams through the heap. */
static int pass(struct merge_streams *s,
                int next(struct merge_streams *s, struct merge_stream *t, bool *more), heap_before *before,
                int write(struct merge_streams *s, void *to), void *to)
{
    int code = APF_OK;
    s->n_heap = 0;
    for (uint32_t i = 0; code == APF_OK && i < s->n; i++)
        code = go_on(s, i, next, before);
    while (code == APF_OK && s->n_heap) {
        take_equal(s, before);
        code = write(s, to);
        for (size_t i = 0; code == APF_OK && i < s->n_taken; i++)
            code = go_on(s, s->taken[i], next, before);
    }
    return code;
}

/* ---- names ---- */

static bool name_before(const void *streams, uint32_t x, uint32_t y)
{
    const struct merge_stream *list = streams;
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

static int next_function_name(struct merge_streams *s, struct merge_stream *t, bool *more)
{
    return t->source ? partial_read_name(&t->names, &t->name, more, s->error)
                     : next_own_name(t, &s->merge->symbols, more);
}

static int next_vtable_name(struct merge_streams *s, struct merge_stream *t, bool *more)
{
    return t->source ? partial_read_name(&t->names, &t->name, more, s->error)
                     : next_own_name(t, &s->merge->vtables, more);
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
static int write_name(struct merge_streams *s, void *to)
{
    const struct names_files *w = to;
    struct symbol name = s->list[s->taken[0]].name;
    for (size_t i = 1; i < s->n_taken; i++) {
        const struct symbol *other = &s->list[s->taken[i]].name;
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
    const struct names_files w = {files, calloc(files->n, sizeof *w.writers)};
    const uint8_t section = vtables ? PARTIAL_VTABLES : PARTIAL_NAMES;
    struct merge_stream *own = &s->list[s->n - 1];
    if (!w.writers)
        return error_memory(s->error);
    for (uint32_t i = 0; i < files->n; i++)
        w.writers[i].file = &files->files[i];
    partial_slices_section(files, section);
    int code = sort_names_of(own, vtables ? &s->merge->vtables : &s->merge->symbols, s->error);
    for (uint32_t i = 0; i < s->n; i++)
        s->list[i].names =
            (struct partial_names_reader){.file = &s->list[i].file, .section = section, .trusts = true};
    if (code == APF_OK)
        code = pass(s, vtables ? next_vtable_name : next_function_name, name_before, write_name, (void *)&w);
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
    const struct merge_stream *a = (const struct merge_stream *)streams + x,
                              *b = (const struct merge_stream *)streams + y;
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

static int next_sum(struct merge_streams *s, struct merge_stream *t, bool *more)
{
    struct classed_sum next;
    int code;
    if (!t->source) {
        code = APF_OK;
        if (t->at >= t->own.n) {
            t->class += t->own.n != 0;
            code = next_class(s, t);
        }
        *more = code == APF_OK && t->at < t->own.n;
        return code;
    }
    arena_rewind(&t->arena, (struct arena_mark){0});
    code = partial_read_sum(&t->sums, &t->arena, &next, more, s->error);
    if (code != APF_OK || !*more)
        return code;
    t->class = next.class;
    t->sum = next.sum;
    number_input(&t->sum, t->source);
    return APF_OK;
}

/* Writes what several streams have of one structure. The merge may have it in several places. */
static int write_sum(struct merge_streams *s, void *to)
{
    const struct sums_files *w = to;
    const uint32_t class = s->list[s->taken[0]].class;
    s->sums.n = 0;
    for (size_t i = 0; i < s->n_taken; i++) {
        struct merge_stream *t = &s->list[s->taken[i]];
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
    const struct sums_files w = {files, calloc(files->n, sizeof *w.writers)};
    int code = w.writers ? APF_OK : error_memory(s->error);
    for (uint32_t i = 0; code == APF_OK && i < files->n; i++)
        w.writers[i] = (struct partial_sums_writer){.file = &files->files[i], .inputs = inputs};
    partial_slices_section(files, PARTIAL_SUMS);
    for (uint32_t i = 0; code == APF_OK && i < s->n; i++)
        if (s->list[i].source)
            code = stream_error(s, &s->list[i], partial_skip(&s->list[i].file, PARTIAL_SUMS, s->error));
    if (code == APF_OK)
        code = pass(s, next_sum, sum_before, write_sum, (void *)&w);
    for (uint32_t i = 0; code == APF_OK && i < s->n; i++)
        if (s->list[i].source)
            code = stream_error(s, &s->list[i], end_source(&s->list[i].file, s->error));
    for (uint32_t i = 0; w.writers && i < files->n; i++)
        partial_sums_writer_free(&w.writers[i]);
    free(w.writers);
    return code;
}
