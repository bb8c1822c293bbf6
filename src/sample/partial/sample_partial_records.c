/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/partial/sample_partial_records.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"

/* What a name is known by. */
enum { NAME_IS_HASH, NAME_IS_TEXT };

/* Flags of a function. */
#define NODE_HAS_CHECKSUM 1u
#define NODE_HAS_VTABLES 2u
#define NODE_HAS_TIME 4u
#define NODE_IS_CUT 8u
#define NODE_FLAGS 15u

void partial_function_free(struct partial_function *f)
{
    VEC_FREE(&f->lines);
    VEC_FREE(&f->targets.list);
    VEC_FREE(&f->vtables.list);
}

void partial_records_free(struct partial_records *r)
{
    VEC_FREE(&r->last);
    VEC_FREE(&r->path.frames);
}

/* ---- reading ---- */

static int wrong(const struct partial_records *r, const char *what)
{
    return partial_wrong(r->file, "partial.sample", what, r->error);
}

static int unsorted(const struct partial_records *r)
{
    return wrong(r, "it is not sorted, or something is there twice");
}

/* The error of a record that goes beyond its block. */
static int check(const struct partial_records *r)
{
    return partial_check(r->file, "partial.sample", r->error);
}

static int next(struct partial_records *r, uint8_t section, bool *more)
{
    int code = partial_next(r->file, section, more, r->error);
    if (code == APF_OK && !*more) { /* the next section begins anew */
        r->last.n = r->path.frames.n = 0;
        r->class = 0;
        r->n_functions = 0;
    }
    return code;
}

/* Keeps a text to compare the next one with. */
static int keep_text(struct partial_records *r, struct apf_str text)
{
    r->last.n = 0;
    if (!VEC_RESERVE(&r->last, text.n))
        return error_memory(r->error);
    if (text.n)
        memcpy(r->last.data, text.p, text.n);
    r->last.n = text.n;
    return APF_OK;
}

static int compare_last(const struct partial_records *r, struct apf_str text)
{
    return sort_compare_bytes(r->last.data, r->last.n, text.p, text.n);
}

/* The class that a record begins with: it is there, and not below that of the record before. *new: it is above it. */
static uint32_t read_class_number(struct partial_records *r, bool *new)
{
    struct cursor *c = &r->file->c;
    const uint32_t class = (uint32_t)partial_read_below(c, SAMPLE_PARTIAL_CLASSES);
    c->failed |= !(r->classes >> class & 1) || class < r->class;
    *new = class != r->class;
    r->class = c->failed ? r->class : class;
    return r->class;
}

int partial_read_source_file(struct partial_records *r, struct apf_str *name, bool *more)
{
    int code = next(r, PARTIAL_SAMPLE_FILES, more);
    if (code != APF_OK || !*more)
        return code;
    *name = partial_read_text(r->file);
    code = check(r);
    if (code == APF_OK && r->n_files && compare_last(r, *name) >= 0)
        code = unsorted(r);
    if (code == APF_OK && r->n_files + 1 == SAMPLE_NONE)
        code = error_plain(r->error, APF_LIMIT, "partial.sample", "more than 2^32 source files");
    r->n_files++;
    return code == APF_OK ? keep_text(r, *name) : code;
}

/* Hashes come before texts; equal texts are sorted by file, an unknown one first. */
static bool is_next_name(const struct partial_records *r, const struct partial_name *name)
{
    const struct partial_name *last = &r->last_name;
    if (r->n_names == 0 || (!last->text.p && name->text.p))
        return true;
    if (!name->text.p)
        return !last->text.p && last->hash < name->hash;
    const int order = compare_last(r, name->text);
    return order < 0 || (order == 0 && last->file + 1 < name->file + 1);
}

int partial_read_sample_name(struct partial_records *r, struct partial_name *name, bool *more)
{
    struct cursor *c = &r->file->c;
    int code = next(r, PARTIAL_SAMPLE_NAMES, more);
    if (code != APF_OK || !*more)
        return code;
    *name = (struct partial_name){.file = SAMPLE_NONE};
    if (partial_read_below(c, NAME_IS_TEXT + 1) == NAME_IS_HASH) {
        name->hash = cursor_u64(c);
        r->has_hashes = true;
    } else {
        name->text = partial_read_text(r->file);
        name->text.p = name->text.p ? name->text.p : "";
        name->file = (uint32_t)partial_read_below(c, (uint64_t)r->n_files + 1) - 1;
    }
    code = check(r);
    if (code == APF_OK && !is_next_name(r, name))
        code = unsorted(r);
    if (code == APF_OK && r->n_names + 1 == SAMPLE_NONE)
        code = error_plain(r->error, APF_LIMIT, "partial.sample", "more than 2^32 names");
    r->last_name = *name;
    r->n_names++;
    return code == APF_OK ? keep_text(r, name->text) : code;
}

int partial_read_sample_class(struct partial_records *r, struct partial_sample_class *class, bool *more)
{
    struct cursor *c = &r->file->c;
    int code = next(r, PARTIAL_SAMPLE_CLASSES, more);
    if (code != APF_OK || !*more)
        return code;
    class->class = (uint32_t)partial_read_below(c, SAMPLE_PARTIAL_CLASSES);
    class->flags = partial_read_small(c);
    class->has_symbols = partial_read_below(c, 2) != 0;
    class->weight = cursor_uleb128(c);
    code = check(r);
    if (code == APF_OK && r->classes >> class->class)
        code = unsorted(r);
    r->classes |= (uint32_t)1 << class->class;
    return code;
}

/* Compares calls of one caller. */
static bool call_before(const struct partial_frame *x, const struct partial_frame *y)
{
    if (x->at != y->at)
        return x->at < y->at;
    return x->name != y->name ? x->name < y->name : x->checksum < y->checksum;
}

/* Makes the path that of a record, whose caller, unless it is NO_CALLER, is on the path of the record before. */
#define NO_CALLER UINT64_MAX
static int step(struct partial_records *r, uint64_t caller, const struct partial_frame *frame)
{
    const struct partial_frame *frames = r->path.frames.data;
    size_t depth = caller == NO_CALLER ? 0 : r->path.frames.n;
    while (depth && frames[depth - 1].number != caller)
        depth--;
    if (!depth && caller != NO_CALLER)
        return unsorted(r);
    if (depth < r->path.frames.n && !call_before(&frames[depth], frame))
        return unsorted(r);
    if (depth >= r->limits->max_depth)
        return error_plain(r->error, APF_LIMIT, "partial.sample", "calls are nested too deep");
    r->path.frames.n = depth;
    return VEC_PUSH(&r->path.frames, *frame) ? APF_OK : error_memory(r->error);
}

int partial_read_context(struct partial_records *r, struct partial_context *context, bool *more)
{
    struct cursor *c = &r->file->c;
    int code = next(r, PARTIAL_SAMPLE_CONTEXTS, more);
    if (code != APF_OK || !*more)
        return code;
    bool new;
    const uint32_t class = read_class_number(r, &new);
    const uint64_t caller = partial_read_below(c, (uint64_t)r->n_contexts[class] + 1);
    context->class = class;
    context->caller = (uint32_t)caller - 1;
    context->at = cursor_uleb128(c);
    context->name = (uint32_t)partial_read_below(c, r->n_names);
    code = check(r);
    if (code == APF_OK && !caller && context->at)
        code = wrong(r, "a context without a caller has a place");
    if (code == APF_OK && r->n_contexts[class] + 1 == SAMPLE_NONE)
        code = error_plain(r->error, APF_LIMIT, "partial.sample", "more than 2^32 contexts");
    if (code != APF_OK)
        return code;
    if (new)
        r->path.frames.n = 0;
    const struct partial_frame frame = {r->n_contexts[class]++, context->at, 0, context->name};
    return step(r, caller ? caller - 1 : NO_CALLER, &frame);
}

static int read_lines(struct partial_records *r, struct partial_function *f)
{
    struct cursor *c = &r->file->c;
    uint64_t at = 0;
    f->lines.n = 0;
    for (uint64_t n = cursor_uleb128(c); n && !c->failed; n--) {
        const uint64_t distance = cursor_uleb128(c);
        const struct sample_line line = {at + distance, cursor_uleb128(c)};
        if (!c->failed && f->lines.n && line.at <= at)
            return unsorted(r);
        if (!c->failed && !VEC_PUSH(&f->lines, line))
            return error_memory(r->error);
        at = line.at;
    }
    return check(r);
}

static int read_targets(struct partial_records *r, struct partial_targets *to)
{
    struct cursor *c = &r->file->c;
    struct partial_target last = {0, 0, 0};
    to->list.n = 0;
    for (uint64_t n = cursor_uleb128(c); n && !c->failed; n--) {
        struct partial_target t = {.at = last.at + cursor_uleb128(c)};
        t.name = (uint32_t)partial_read_below(c, r->n_names);
        t.count = cursor_uleb128(c);
        const bool above = t.at != last.at ? t.at > last.at : t.name > last.name;
        if (!c->failed && to->list.n && !above)
            return unsorted(r);
        if (!c->failed && !VEC_PUSH(&to->list, t))
            return error_memory(r->error);
        last = t;
    }
    return check(r);
}

/* Reads what says where a function is, and puts it on the path. */
static int read_place(struct partial_records *r, struct partial_function *f)
{
    struct cursor *c = &r->file->c;
    bool new;
    f->class = read_class_number(r, &new);
    if (new)
        r->n_functions = r->path.frames.n = 0;
    f->distance = partial_read_below(c, r->n_functions + 1);
    f->context = f->name = SAMPLE_NONE;
    f->at = f->distance ? cursor_uleb128(c) : 0;
    if (f->distance)
        f->name = (uint32_t)partial_read_below(c, r->n_names);
    else
        f->context = (uint32_t)partial_read_below(c, r->n_contexts[f->class]);
    return check(r);
}

static int read_numbers(struct partial_records *r, struct partial_function *f, uint32_t flags)
{
    struct cursor *c = &r->file->c;
    f->checksum = flags & NODE_HAS_CHECKSUM ? cursor_u64(c) : 0;
    f->cut = flags & NODE_IS_CUT;
    f->attributes = partial_read_small(c);
    f->total = cursor_uleb128(c);
    f->head = cursor_uleb128(c);
    f->votes = cursor_uleb128(c);
    f->input = partial_read_below(c, r->n_inputs);
    int code = check(r);
    const struct partial_frame frame = {r->n_functions, f->at, f->checksum,
                                        f->distance ? f->name : f->context};
    if (code == APF_OK && r->n_records++ >= r->limits->max_records)
        code = error_plain(r->error, APF_LIMIT, "partial.sample", "more functions than are allowed");
    const uint64_t number = r->n_functions++;
    return code == APF_OK ? step(r, f->distance ? number - f->distance : NO_CALLER, &frame) : code;
}

int partial_read_function(struct partial_records *r, struct partial_function *f, bool *more)
{
    struct cursor *c = &r->file->c;
    int code = next(r, PARTIAL_SAMPLE_FUNCTIONS, more);
    if (code != APF_OK || !*more)
        return code;
    code = read_place(r, f);
    const uint32_t flags = code == APF_OK ? (uint32_t)partial_read_below(c, NODE_FLAGS + 1) : 0;
    if (code == APF_OK)
        code = read_numbers(r, f, flags);
    if (code == APF_OK)
        code = read_lines(r, f);
    if (code == APF_OK)
        code = read_targets(r, &f->targets);
    f->vtables.list.n = 0;
    if (code == APF_OK && flags & NODE_HAS_VTABLES)
        code = read_targets(r, &f->vtables);
    f->time = code == APF_OK && flags & NODE_HAS_TIME ? cursor_uleb128(c) : 0;
    return code == APF_OK ? check(r) : code;
}

int partial_read_symbol(struct partial_records *r, uint32_t *class, struct apf_str *name, bool *more)
{
    int code = next(r, PARTIAL_SAMPLE_SYMBOLS, more);
    if (code != APF_OK || !*more)
        return code;
    bool new;
    *class = read_class_number(r, &new);
    *name = partial_read_text(r->file);
    code = check(r);
    if (code == APF_OK && !new && r->n_symbols && compare_last(r, *name) >= 0)
        code = unsorted(r);
    r->n_symbols++;
    return code == APF_OK ? keep_text(r, *name) : code;
}

/* ---- writing ---- */

void partial_write_source_file(struct partial_writer *file, struct apf_str name)
{
    partial_text(file, name);
    partial_end_record(file);
}

void partial_write_sample_name(struct partial_writer *file, const struct partial_name *name)
{
    partial_number(file, name->text.p ? NAME_IS_TEXT : NAME_IS_HASH);
    if (!name->text.p) {
        partial_fixed(file, name->hash);
    } else {
        partial_text(file, name->text);
        partial_number(file, name->file == SAMPLE_NONE ? 0 : (uint64_t)name->file + 1);
    }
    partial_end_record(file);
}

void partial_write_sample_class(struct partial_writer *file, const struct partial_sample_class *class)
{
    partial_number(file, class->class);
    partial_number(file, class->flags);
    partial_number(file, class->has_symbols);
    partial_number(file, class->weight);
    partial_end_record(file);
}

void partial_write_context(struct partial_writer *file, const struct partial_context *context)
{
    partial_number(file, context->class);
    partial_number(file, context->caller == SAMPLE_NONE ? 0 : (uint64_t)context->caller + 1);
    partial_number(file, context->at);
    partial_number(file, context->name);
    partial_end_record(file);
}

static void write_targets(struct partial_writer *file, const struct partial_targets *targets)
{
    uint64_t last = 0;
    partial_number(file, targets->list.n);
    for (size_t i = 0; i < targets->list.n; i++) {
        const struct partial_target *t = &targets->list.data[i];
        partial_number(file, t->at - last);
        partial_number(file, t->name);
        partial_number(file, t->count);
        last = t->at;
    }
}

void partial_write_function(struct partial_writer *file, const struct partial_function *f)
{
    uint64_t last = 0;
    partial_number(file, f->class);
    partial_number(file, f->distance);
    if (f->distance) {
        partial_number(file, f->at);
        partial_number(file, f->name);
    } else {
        partial_number(file, f->context);
    }
    partial_number(file, (f->checksum ? NODE_HAS_CHECKSUM : 0) | (f->vtables.list.n ? NODE_HAS_VTABLES : 0) |
                             (f->time ? NODE_HAS_TIME : 0) | (f->cut ? NODE_IS_CUT : 0));
    if (f->checksum)
        partial_fixed(file, f->checksum);
    partial_number(file, f->attributes);
    partial_number(file, f->total);
    partial_number(file, f->head);
    partial_number(file, f->votes);
    partial_number(file, f->input);
    partial_number(file, f->lines.n);
    for (size_t i = 0; i < f->lines.n; i++) {
        partial_number(file, f->lines.data[i].at - last);
        partial_number(file, f->lines.data[i].count);
        last = f->lines.data[i].at;
    }
    write_targets(file, &f->targets);
    if (f->vtables.list.n)
        write_targets(file, &f->vtables);
    if (f->time)
        partial_number(file, f->time);
    partial_end_record(file);
}

void partial_write_symbol(struct partial_writer *file, uint32_t class, struct apf_str name)
{
    partial_number(file, class);
    partial_text(file, name);
    partial_end_record(file);
}
