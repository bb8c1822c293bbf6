/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/partial/sample_partial_streams.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"

/* ---- places ---- */

#define WORD 64u

/* The number is above all that are there. */
static bool add_place(struct partial_places *p, uint32_t number)
{
    const uint32_t word = number / WORD;
    if (p->n % WORD == 0 && !VEC_PUSH(&p->marks, number))
        return false;
    while (p->bits.n <= word)
        if (!VEC_PUSH(&p->bits, 0))
            return false;
    p->bits.data[word] |= (uint64_t)1 << number % WORD;
    p->n++;
    return true;
}

/* Number i of those that were added. */
static uint32_t place_at(const struct partial_places *p, uint32_t i)
{
    const uint32_t mark = p->marks.data[i / WORD];
    uint32_t word = mark / WORD, left = i % WORD, n;
    uint64_t bits = p->bits.data[word] & UINT64_MAX << mark % WORD;
    while ((n = COUNT_BITS(bits)) <= left) {
        left -= n;
        bits = p->bits.data[++word];
    }
    for (; left; left--)
        bits &= bits - 1;
    return word * WORD + LOW_ZEROS(bits);
}

static uint32_t place_or_none(const struct partial_places *p, uint32_t i)
{
    return i == SAMPLE_NONE ? SAMPLE_NONE : place_at(p, i);
}

static void free_places(struct partial_places *p)
{
    VEC_FREE(&p->bits);
    VEC_FREE(&p->marks);
}

void partial_stream_free(struct partial_stream *s)
{
    partial_records_free(&s->records);
    partial_function_free(&s->function);
    VEC_FREE(&s->path.frames);
    free_places(&s->files);
    free_places(&s->names);
    for (unsigned c = 0; c < SAMPLE_PARTIAL_CLASSES; c++)
        free_places(&s->contexts[c]);
}

/* ---- the merge ---- */

struct merger {
    struct partial_pass pass;
    struct partial_stream *streams;
    struct partial_writer *to;
    const struct inputs_listing *inputs;
    const uint64_t *weights;
    struct apf_error *error;
    uint32_t n_files, n_names;
    uint32_t class;           /* of the last record of the section */
    uint64_t n;               /* records of the class that were written */
    struct partial_path path; /* of the last context or function that was written */
    struct partial_function sum;
    VEC(struct sample_line) lines; /* scratch memory */
    struct partial_targets targets;
};

static struct partial_stream *stream_of(void *context, uint32_t i)
{
    struct merger *m = (struct merger *)context;
    return &m->streams[i];
}

static struct partial_stream *taken(const struct merger *m, size_t i)
{
    return &m->streams[m->pass.taken[i]];
}

/* The outcome of reading a record. */
static int done(const struct partial_stream *s, int code)
{
    return code == APF_OK || !s->fails ? code : s->fails(s->owner, code, s->records.error);
}

static const struct partial_stream *stream_at(const void *context, uint32_t i)
{
    return &((const struct merger *)context)->streams[i];
}

/* ---- source files ---- */

static int next_file(void *context, uint32_t i, bool *more)
{
    struct partial_stream *s = stream_of(context, i);
    return done(s, partial_read_source_file(&s->records, &s->text, more));
}

static bool text_before(const void *context, uint32_t x, uint32_t y)
{
    const struct apf_str *a = &stream_at(context, x)->text, *b = &stream_at(context, y)->text;
    return sort_compare_bytes(a->p, a->n, b->p, b->n) < 0;
}

static int take_file(void *context)
{
    struct merger *m = (struct merger *)context;
    if (m->n_files + 1 == SAMPLE_NONE)
        return error_plain(m->error, APF_LIMIT, "partial.sample", "more than 2^32 source files");
    partial_write_source_file(m->to, taken(m, 0)->text);
    for (size_t i = 0; i < m->pass.n_taken; i++)
        if (!add_place(&taken(m, i)->files, m->n_files))
            return error_memory(m->error);
    m->n_files++;
    return APF_OK;
}

/* ---- names ---- */

static int next_name(void *context, uint32_t i, bool *more)
{
    struct partial_stream *s = stream_of(context, i);
    int code = done(s, partial_read_sample_name(&s->records, &s->name, more));
    if (code == APF_OK && *more)
        s->name.file = place_or_none(&s->files, s->name.file);
    return code;
}

static bool name_before(const void *context, uint32_t x, uint32_t y)
{
    const struct partial_name *a = &stream_at(context, x)->name, *b = &stream_at(context, y)->name;
    if (!a->text.p || !b->text.p)
        return !a->text.p && (b->text.p || a->hash < b->hash);
    const int order = sort_compare_bytes(a->text.p, a->text.n, b->text.p, b->text.n);
    return order ? order < 0 : a->file + 1 < b->file + 1;
}

static int take_name(void *context)
{
    struct merger *m = (struct merger *)context;
    if (m->n_names + 1 == SAMPLE_NONE)
        return error_plain(m->error, APF_LIMIT, "partial.sample", "more than 2^32 names");
    partial_write_sample_name(m->to, &taken(m, 0)->name);
    for (size_t i = 0; i < m->pass.n_taken; i++)
        if (!add_place(&taken(m, i)->names, m->n_names))
            return error_memory(m->error);
    m->n_names++;
    return APF_OK;
}

/* ---- classes ---- */

static int next_class(void *context, uint32_t i, bool *more)
{
    struct partial_stream *s = stream_of(context, i);
    return done(s, partial_read_sample_class(&s->records, &s->class, more));
}

static bool class_before(const void *context, uint32_t x, uint32_t y)
{
    return stream_at(context, x)->class.class < stream_at(context, y)->class.class;
}

static int take_class(void *context)
{
    const struct merger *m = (const struct merger *)context;
    struct partial_sample_class sum = taken(m, 0)->class;
    for (size_t i = 1; i < m->pass.n_taken; i++) {
        const struct partial_sample_class *class = &taken(m, i)->class;
        sum.flags |= class->flags;
        sum.has_symbols |= class->has_symbols;
    }
    sum.weight = m->weights[sum.class];
    partial_write_sample_class(m->to, &sum);
    return APF_OK;
}

/* ---- paths ---- */

/* Makes the path of a stream, in numbers of the result, that of its record. */
static int follow(struct partial_stream *s, uint32_t name)
{
    const struct partial_path *read = &s->records.path;
    struct partial_frame frame = read->frames.data[read->frames.n - 1];
    frame.name = name;
    s->path.frames.n = read->frames.n - 1;
    return VEC_PUSH(&s->path.frames, frame) ? APF_OK : error_memory(s->records.error);
}

/* Compares paths frame by frame; a shorter one comes first. */
static bool path_before(const struct partial_path *a, const struct partial_path *b)
{
    for (size_t i = 0; i < a->frames.n && i < b->frames.n; i++) {
        const struct partial_frame *x = &a->frames.data[i], *y = &b->frames.data[i];
        if (x->at != y->at)
            return x->at < y->at;
        if (x->name != y->name)
            return x->name < y->name;
        if (x->checksum != y->checksum)
            return x->checksum < y->checksum;
    }
    return a->frames.n < b->frames.n;
}

/* Puts a record on the path of the result, which its caller is on; *caller becomes its number, or SAMPLE_NONE. */
static int advance(struct merger *m, uint32_t class, const struct partial_path *path, uint64_t *caller)
{
    struct partial_frame frame = path->frames.data[path->frames.n - 1];
    if (class != m->class)
        m->n = 0;
    m->class = class;
    frame.number = m->n++;
    m->path.frames.n = path->frames.n - 1;
    *caller = m->path.frames.n ? m->path.frames.data[m->path.frames.n - 1].number : UINT64_MAX;
    return VEC_PUSH(&m->path.frames, frame) ? APF_OK : error_memory(m->error);
}

/* ---- contexts ---- */

static int next_context(void *context, uint32_t i, bool *more)
{
    struct partial_stream *s = stream_of(context, i);
    int code = done(s, partial_read_context(&s->records, &s->context, more));
    if (code != APF_OK || !*more)
        return code;
    s->context.name = place_at(&s->names, s->context.name);
    return follow(s, s->context.name);
}

static bool context_before(const void *context, uint32_t x, uint32_t y)
{
    const struct partial_stream *a = stream_at(context, x), *b = stream_at(context, y);
    return a->context.class != b->context.class ? a->context.class < b->context.class
                                                : path_before(&a->path, &b->path);
}

static int take_context(void *context)
{
    struct merger *m = (struct merger *)context;
    struct partial_context sum = taken(m, 0)->context;
    uint64_t caller;
    int code = advance(m, sum.class, &taken(m, 0)->path, &caller);
    if (code == APF_OK && m->n == SAMPLE_NONE)
        code = error_plain(m->error, APF_LIMIT, "partial.sample", "more than 2^32 contexts");
    if (code != APF_OK)
        return code;
    sum.caller = (uint32_t)caller; /* UINT64_MAX becomes SAMPLE_NONE */
    partial_write_context(m->to, &sum);
    for (size_t i = 0; i < m->pass.n_taken; i++)
        if (!add_place(&taken(m, i)->contexts[sum.class], (uint32_t)m->n - 1))
            return error_memory(m->error);
    return APF_OK;
}

/* ---- functions ---- */

static void place_targets(const struct partial_stream *s, struct partial_targets *targets)
{
    for (size_t i = 0; i < targets->list.n; i++)
        targets->list.data[i].name = place_at(&s->names, targets->list.data[i].name);
}

static int next_function(void *context, uint32_t i, bool *more)
{
    const struct merger *m = (const struct merger *)context;
    struct partial_stream *s = stream_of(context, i);
    struct partial_function *f = &s->function;
    int code = done(s, partial_read_function(&s->records, f, more));
    if (code != APF_OK || !*more)
        return code;
    if (f->distance)
        f->name = place_at(&s->names, f->name);
    else
        f->context = place_at(&s->contexts[f->class], f->context);
    place_targets(s, &f->targets);
    place_targets(s, &f->vtables);
    if (!s->numbered)
        f->input = inputs_listing_number(m->inputs, input_member(s->given, (size_t)f->input));
    return follow(s, f->distance ? f->name : f->context);
}

static bool function_before(const void *context, uint32_t x, uint32_t y)
{
    const struct partial_stream *a = stream_at(context, x), *b = stream_at(context, y);
    return a->function.class != b->function.class ? a->function.class < b->function.class
                                                  : path_before(&a->path, &b->path);
}

/* Adds sorted lines to sorted lines. */
static int add_lines(struct merger *m, const struct partial_function *from, uint64_t *cut)
{
    struct partial_function *to = &m->sum;
    size_t i = 0, k = 0;
    m->lines.n = 0;
    if (!VEC_RESERVE(&m->lines, to->lines.n + from->lines.n))
        return error_memory(m->error);
    while (i < to->lines.n && k < from->lines.n) {
        const struct sample_line *x = &to->lines.data[i], *y = &from->lines.data[k];
        struct sample_line line = x->at <= y->at ? *x : *y;
        if (x->at == y->at)
            line.count = sample_sum(x->count, y->count, 1, cut);
        i += x->at == line.at;
        k += y->at == line.at;
        m->lines.data[m->lines.n++] = line;
    }
    while (i < to->lines.n)
        m->lines.data[m->lines.n++] = to->lines.data[i++];
    while (k < from->lines.n)
        m->lines.data[m->lines.n++] = from->lines.data[k++];
    to->lines.n = 0;
    if (!VEC_RESERVE(&to->lines, m->lines.n))
        return error_memory(m->error);
    if (m->lines.n)
        memcpy(to->lines.data, m->lines.data, m->lines.n * sizeof *m->lines.data);
    to->lines.n = m->lines.n;
    return APF_OK;
}

static int compare_targets(const struct partial_target *x, const struct partial_target *y)
{
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->name > y->name) - (x->name < y->name);
}

/* Likewise call targets or vtables. */
static int add_targets(struct merger *m, struct partial_targets *to, const struct partial_targets *from,
                       uint64_t *cut)
{
    size_t i = 0, k = 0;
    m->targets.list.n = 0;
    if (!VEC_RESERVE(&m->targets.list, to->list.n + from->list.n))
        return error_memory(m->error);
    while (i < to->list.n && k < from->list.n) {
        const struct partial_target *x = &to->list.data[i], *y = &from->list.data[k];
        const int order = compare_targets(x, y);
        struct partial_target target = order <= 0 ? *x : *y;
        if (order == 0)
            target.count = sample_sum(x->count, y->count, 1, cut);
        i += order <= 0;
        k += order >= 0;
        m->targets.list.data[m->targets.list.n++] = target;
    }
    while (i < to->list.n)
        m->targets.list.data[m->targets.list.n++] = to->list.data[i++];
    while (k < from->list.n)
        m->targets.list.data[m->targets.list.n++] = from->list.data[k++];
    const struct partial_targets sum = m->targets;
    m->targets = *to;
    *to = sum;
    return APF_OK;
}

/* Adds a function, as sample_add does with sums. */
static int add_function(struct merger *m, const struct partial_function *from)
{
    struct partial_function *to = &m->sum;
    uint64_t cut = 0, unused = 0;
    to->total = sample_sum(to->total, from->total, 1, &cut);
    to->head = sample_sum(to->head, from->head, 1, &cut);
    to->votes = sample_sum(to->votes, from->votes, 1, &unused);
    to->input = to->input < from->input ? to->input : from->input;
    to->attributes |= from->attributes;
    if (from->time && (!to->time || from->time < to->time))
        to->time = from->time;
    int code = add_lines(m, from, &cut);
    if (code == APF_OK)
        code = add_targets(m, &to->targets, &from->targets, &cut);
    if (code == APF_OK)
        code = add_targets(m, &to->vtables, &from->vtables, &cut);
    to->cut |= from->cut || cut;
    return code;
}

static int take_function(void *context)
{
    struct merger *m = (struct merger *)context;
    struct partial_stream *first = taken(m, 0);
    uint64_t caller;
    int code = advance(m, first->function.class, &first->path, &caller);
    if (code != APF_OK)
        return code;
    const struct partial_function spare = m->sum;
    m->sum = first->function; /* which is read anew */
    first->function = spare;
    for (size_t i = 1; code == APF_OK && i < m->pass.n_taken; i++)
        code = add_function(m, &taken(m, i)->function);
    m->sum.distance = caller == UINT64_MAX ? 0 : m->n - 1 - caller;
    if (code == APF_OK)
        partial_write_function(m->to, &m->sum);
    return code;
}

/* ---- lists of all functions ---- */

static int next_symbol(void *context, uint32_t i, bool *more)
{
    struct partial_stream *s = stream_of(context, i);
    return done(s, partial_read_symbol(&s->records, &s->class.class, &s->text, more));
}

static bool symbol_before(const void *context, uint32_t x, uint32_t y)
{
    const uint32_t a = stream_at(context, x)->class.class, b = stream_at(context, y)->class.class;
    return a != b ? a < b : text_before(context, x, y);
}

static int take_symbol(void *context)
{
    const struct merger *m = (const struct merger *)context;
    partial_write_symbol(m->to, taken(m, 0)->class.class, taken(m, 0)->text);
    return APF_OK;
}

/* ---- the whole ---- */

static int write_sections(struct merger *m)
{
    static const struct {
        uint8_t section;
        struct partial_pass_steps steps;
    } passes[] = {{PARTIAL_SAMPLE_FILES, {next_file, text_before, take_file}},
                  {PARTIAL_SAMPLE_NAMES, {next_name, name_before, take_name}},
                  {PARTIAL_SAMPLE_CLASSES, {next_class, class_before, take_class}},
                  {PARTIAL_SAMPLE_CONTEXTS, {next_context, context_before, take_context}},
                  {PARTIAL_SAMPLE_FUNCTIONS, {next_function, function_before, take_function}},
                  {PARTIAL_SAMPLE_SYMBOLS, {next_symbol, symbol_before, take_symbol}}};
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < sizeof passes / sizeof *passes; i++) {
        m->class = 0;
        m->n = m->path.frames.n = 0;
        partial_section(m->to, passes[i].section);
        code = partial_pass_run(&m->pass, &passes[i].steps);
    }
    return code;
}

int partial_streams_write(struct partial_stream *streams, uint32_t n, struct partial_writer *to,
                          const struct inputs_listing *inputs, const uint64_t weights[SAMPLE_PARTIAL_CLASSES],
                          struct apf_error *error)
{
    struct merger m = {.streams = streams, .to = to, .inputs = inputs, .weights = weights, .error = error};
    int code = partial_pass_make(&m.pass, n, &m) ? write_sections(&m) : error_memory(error);
    partial_pass_free(&m.pass);
    partial_function_free(&m.sum);
    VEC_FREE(&m.path.frames);
    VEC_FREE(&m.lines);
    VEC_FREE(&m.targets.list);
    return code;
}

/* ---- checking ---- */

struct checker {
    struct partial_records records;
    struct partial_function function;
    struct partial_sums_facts *facts;
};

static int check_file(struct checker *c, bool *more)
{
    struct apf_str name;
    return partial_read_source_file(&c->records, &name, more);
}

static int check_name(struct checker *c, bool *more)
{
    struct partial_name name;
    return partial_read_sample_name(&c->records, &name, more);
}

static int check_class(struct checker *c, bool *more)
{
    struct partial_sample_class class;
    int code = partial_read_sample_class(&c->records, &class, more);
    if (code == APF_OK && *more) {
        c->facts->flags[class.class] = class.flags;
        c->facts->weights[class.class] = class.weight;
    }
    return code;
}

static int check_context(struct checker *c, bool *more)
{
    struct partial_context context;
    return partial_read_context(&c->records, &context, more);
}

static int check_function(struct checker *c, bool *more)
{
    return partial_read_function(&c->records, &c->function, more);
}

static int check_symbol(struct checker *c, bool *more)
{
    uint32_t class;
    struct apf_str name;
    return partial_read_symbol(&c->records, &class, &name, more);
}

int partial_sums_check(struct partial_reader *file, const struct sample_read_options *limits,
                       uint64_t n_inputs, struct partial_sums_facts *facts, struct apf_error *error)
{
    static int (*const sections[])(struct checker *c, bool *more) = {
        check_file, check_name, check_class, check_context, check_function, check_symbol};
    struct checker c = {.records = {.file = file, .limits = limits, .n_inputs = n_inputs, .error = error},
                        .facts = facts};
    int code = APF_OK;
    *facts = (struct partial_sums_facts){.has_hashes = false};
    for (size_t i = 0; code == APF_OK && i < sizeof sections / sizeof *sections; i++)
        for (bool more = true; code == APF_OK && more;)
            code = sections[i](&c, &more);
    facts->has_hashes = c.records.has_hashes;
    partial_records_free(&c.records);
    partial_function_free(&c.function);
    return code;
}
