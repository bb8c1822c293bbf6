/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/text/sample_text_read.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/pulse.h"
#include "base/sort.h"
#include "sample/text/sample_text_ahead.h"
#include "sample/text/sample_text_line.h"
#include "sample/text/sample_text_lines.h"
#include "sample/text/sample_text_names.h"
#include "sample/text/sample_text_vtables.h"

/* A function whose lines are being read. */
struct open_function {
    uint32_t node;
    uint32_t n_callees; /* that the node had before, from another part of the file */
};

struct reader {
    struct apf_sample *s;
    const struct sample_read_options *o;
    struct apf_error *error;
    struct sample_text_lines lines;
    struct sample_text_line *line; /* what is on it, in `ahead` */
    struct sample_text_parsed ahead[SAMPLE_TEXT_AHEAD];
    VEC(struct sample_target) list; /* its targets or vtables */
    /* Lines of a node that are not in its list yet, so that the list gets the right size at once. */
    VEC(struct sample_line) waiting;
    uint32_t waiting_node;
    VEC(struct open_function)
    open; /* the function at the top level, and those that are inlined in each other */
    struct sample_text_vtables vtables;
    size_t metadata_depth; /* of the last line of metadata since the last line of another function; 0: none */
    uint64_t place_mask;   /* the bits of places that count */
    bool indented;         /* some line is indented, so this is no text of LLVM 3.5 to 3.7 */
    /* The first body line that is not indented; number 0: there is none. */
    struct sample_text_lines unindented;
    bool in_context; /* the function at the top level has a context */
    bool stopped;    /* after o->max_functions */
    uint64_t n_headers, n_contexts, n_replaced;
    uint64_t n_whole, whole_end; /* for o->progress */
};

/* ---- errors ---- */

static uint64_t offset_of(const struct reader *r, const char *p)
{
    return (uint64_t)(p - r->lines.base);
}

static uint32_t line_number(const struct reader *r)
{
    return r->lines.number < UINT32_MAX ? (uint32_t)r->lines.number : UINT32_MAX;
}

static int bad_line(const struct reader *r, const char *where, const char *words)
{
    const char *bad = r->line->bad;
    uint64_t column = (uint64_t)(bad - r->lines.p) + 1;
    struct apf_str text = {r->lines.p, (size_t)(r->lines.line_end - r->lines.p)};
    struct error_quote quote = {
        where, offset_of(r, bad), line_number(r), column < UINT32_MAX ? (uint32_t)column : UINT32_MAX, words,
        text,  r->line->count,    r->line->most};
    return error_quote(r->error, APF_BAD_SAMPLE_TEXT, &quote);
}

static int limit_error(const struct reader *r, const char *where, uint64_t found, uint64_t most,
                       const char *detail)
{
    error_set_line(r->error, APF_LIMIT, where, offset_of(r, r->lines.p), line_number(r), detail);
    if (r->error) {
        r->error->found = found;
        r->error->expected = most;
    }
    return APF_LIMIT;
}

static int bad_header(const struct reader *r, const char *where)
{
    return bad_line(r, where, "Expected 'mangled_name:NUM:NUM', found ");
}

/* ---- names ---- */

static int add_name(struct reader *r, struct apf_str name, uint32_t *number)
{
    return sample_names_add(&r->s->names, name, SAMPLE_NONE, true, number, r->error);
}

static bool name_before(const void *context, const void *a, const void *b)
{
    const struct sample_target *x = a, *y = b;
    (void)context;
    return x->name < y->name;
}

#define FEW_TARGETS 16u

/* Sorts the targets of a line by the numbers of their names, which the lists of nodes are sorted by. Stable. */
static bool sort_list(struct reader *r)
{
    struct sample_target *list = r->list.data;
    if (r->list.n > FEW_TARGETS)
        return SORT_VEC(&r->list, name_before, NULL);
    for (size_t i = 1; i < r->list.n; i++) {
        struct sample_target moved = list[i];
        size_t to = i;
        for (; to > 0 && list[to - 1].name > moved.name; to--)
            list[to] = list[to - 1];
        list[to] = moved;
    }
    return true;
}

/* Reads the targets, or vtables, of the current line into r->list, sorted; *n_repeated are names that the line has
 * repeatedly, whose last count stays. */
static int gather_list(struct reader *r, size_t *n_repeated)
{
    bool targets = r->line->kind == SAMPLE_TEXT_BODY, more = true;
    r->list.n = *n_repeated = 0;
    while (more) {
        struct apf_str name;
        struct sample_target new = {r->line->at, 0, 0};
        bool good = targets ? sample_text_target(r->line, &name, &new.count, &more)
                            : sample_text_vtable(r->line, &name, &new.count, &more);
        if (!good && targets)
            return bad_line(r, "sample.text.line", "Expected 'NUM[.NUM]: NUM[ mangled_name:NUM]*', found ");
        if (!good)
            return bad_line(r, "sample.text.vtables", "Expected 'vtables [mangled_vtable:NUM]+', found ");
        int code = more ? add_name(r, name, &new.name) : APF_OK;
        if (code != APF_OK)
            return code;
        if (more && !VEC_PUSH(&r->list, new))
            return error_memory(r->error);
    }
    if (!sort_list(r))
        return error_memory(r->error);
    size_t n = 0;
    for (size_t i = 1; i < r->list.n; i++)
        r->list.data[r->list.data[i].name == r->list.data[n].name ? n : ++n] = r->list.data[i];
    *n_repeated = r->list.n ? r->list.n - 1 - n : 0;
    r->list.n -= *n_repeated;
    return APF_OK;
}

/* ---- headers ---- */

/* Adds the contexts of all frames. The place in the last one is dropped. */
static int read_frames(struct reader *r, uint32_t *context)
{
    struct apf_str frames = sample_text_frames(r->line->name), name;
    uint64_t at = 0, n = 0;
    int code = APF_OK;
    if (frames.n == 0) {
        r->line->bad = r->lines.p + 1;
        return bad_header(r, "sample.text.context");
    }
    *context = SAMPLE_NONE;
    while (code == APF_OK && frames.n) {
        uint64_t called_at = at;
        uint32_t number;
        if (++n > r->o->max_depth)
            return limit_error(r, "sample.text.context", n, r->o->max_depth, "a context is too long");
        sample_text_frame(&frames, &name, &at);
        code = add_name(r, name, &number);
        if (code == APF_OK)
            code = sample_contexts_add(&r->s->contexts, *context, called_at, number, context, r->error);
    }
    return code;
}

static int check_records(const struct reader *r)
{
    uint64_t n = r->s->nodes.n, most = r->o->max_records;
    return n <= most ? APF_OK : limit_error(r, "sample.text.functions", n, most, "too many functions");
}

/* Reads the header that was parsed; all functions before it are whole. */
static int read_header(struct reader *r)
{
    struct apf_str name = r->line->name;
    uint32_t context = SAMPLE_NONE, number, node;
    int code;
    r->n_whole = r->n_headers++;
    r->whole_end = offset_of(r, r->lines.p);
    r->in_context = name.n && name.p[0] == '[';
    r->n_contexts += r->in_context;
    r->metadata_depth = 0;
    if (r->in_context) {
        code = read_frames(r, &context);
    } else {
        code = add_name(r, name, &number);
        if (code == APF_OK)
            code = sample_contexts_base(&r->s->contexts, number, &context, r->error);
    }
    if (code == APF_OK)
        code = sample_top(r->s, context, &node, r->error);
    if (code == APF_OK)
        code = sample_origin(r->s, node, r->whole_end, r->error);
    if (code == APF_OK)
        code = check_records(r);
    if (code != APF_OK)
        return code;
    struct sample_node *f = &r->s->nodes.data[node];
    f->total = sample_sum(f->total, r->line->count, 1, &r->s->n_saturated);
    f->head = sample_sum(f->head, r->line->head, 1, &r->s->n_saturated);
    struct open_function top = {node, f->callees.n};
    r->open.n = 0;
    return VEC_PUSH(&r->open, top) ? APF_OK : error_memory(r->error);
}

/* ---- lines of functions ---- */

/* Appends the lines that wait to the list of their node. */
static int append_waiting(struct reader *r)
{
    int code = r->waiting.n ? sample_reserve_lines(r->s, r->waiting_node, r->waiting.n, r->error) : APF_OK;
    for (size_t i = 0; code == APF_OK && i < r->waiting.n; i++)
        sample_store_line(&r->s->nodes.data[r->waiting_node], r->waiting.data[i].at,
                          r->waiting.data[i].count);
    r->waiting.n = 0;
    return code;
}

static int read_body(struct reader *r, uint32_t node)
{
    struct sample_line line = {r->line->at & r->place_mask, r->line->count};
    int code = node == r->waiting_node ? APF_OK : append_waiting(r);
    r->waiting_node = node;
    for (size_t i = 0; code == APF_OK && i < r->list.n; i++)
        code =
            sample_append_target(r->s, node, line.at, r->list.data[i].name, r->list.data[i].count, r->error);
    return code == APF_OK && !VEC_PUSH(&r->waiting, line) ? error_memory(r->error) : code;
}

static int read_vtables(struct reader *r, const struct open_function *in)
{
    struct apf_sample *s = r->s;
    uint32_t node = in->node;
    const struct sample_callees *callees = &s->nodes.data[node].callees;
    struct sample_text_vtable_line line = {
        .at = r->line->at & r->place_mask, .node = node, .n = (uint32_t)r->list.n};
    line.first = sample_vtables(&s->nodes.data[node])->n;
    line.after_inlined =
        callees->n > in->n_callees && s->nodes.data[callees->data[callees->n - 1]].at == line.at;
    int code = VEC_PUSH(&r->vtables.lines, line) ? APF_OK : error_memory(r->error);
    for (size_t i = 0; code == APF_OK && i < r->list.n; i++)
        code = sample_append_vtable(s, node, line.at, r->list.data[i].name, r->list.data[i].count, r->error);
    return code;
}

static int read_inlined(struct reader *r, uint32_t caller)
{
    struct apf_str name = r->line->name;
    struct open_function new = {0, 0};
    uint32_t number;
    if (r->open.n > r->o->max_depth)
        return limit_error(r, "sample.text.depth", r->open.n, r->o->max_depth, "inlined too deep");
    /* LLVM prints the names of functions that are inlined in a function with a context in brackets, too. */
    if (r->in_context && sample_text_in_brackets(name)) {
        name.p++;
        name.n -= 2;
    }
    int code = add_name(r, name, &number);
    if (code == APF_OK)
        code = sample_inlined(r->s, caller, r->line->at & r->place_mask, number, &new.node, r->error);
    if (code == APF_OK)
        code = sample_origin(r->s, new.node, offset_of(r, r->lines.p), r->error);
    if (code == APF_OK)
        code = check_records(r);
    if (code != APF_OK)
        return code;
    r->s->nodes.data[new.node].total = r->line->count;
    r->metadata_depth = 0;
    return VEC_PUSH(&r->open, new) ? APF_OK : error_memory(r->error);
}

/* LLVM sets the attributes to 0 at each other line of metadata after them. */
static void read_metadata(struct reader *r, uint32_t node)
{
    struct sample_node *f = &r->s->nodes.data[node];
    uint64_t value = r->line->count;
    r->metadata_depth = r->line->depth;
    if (r->line->kind == SAMPLE_TEXT_FLAT)
        r->s->findings[SAMPLE_FINDING_FLAT_MARKERS]++;
    else if (r->line->kind == SAMPLE_TEXT_ATTRIBUTES)
        f->attributes = (uint32_t)value;
    else if (value)
        f->checksum = value;
    if (r->line->kind == SAMPLE_TEXT_CHECKSUM && value && r->line->depth == 1)
        r->s->info.flags |= APF_SAMPLE_PROBES;
}

/* Reports the first body line without blanks before it in a text that also has lines with blanks, as LLVM does. */
static int mixed_forms(struct reader *r)
{
    r->lines = r->unindented;
    (void)sample_text_header(r->line, r->lines.p, r->lines.line_end);
    return bad_header(r, "sample.text.indentation");
}

static int read_indented(struct reader *r, bool good)
{
    struct sample_text_line *l = r->line;
    size_t n_repeated = 0;
    int code = APF_OK;
    bool metadata = l->kind >= SAMPLE_TEXT_CHECKSUM;
    if (UNLIKELY(r->unindented.number))
        return mixed_forms(r);
    if (UNLIKELY(!r->open.n)) /* the text begins with a header, or it is not read */
        return bad_header(r, "sample.text.header");
    r->indented = true;
    if (!good && metadata)
        return bad_line(r, "sample.text.metadata", "Cannot parse metadata: ");
    if (!good)
        return bad_line(r, "sample.text.line", "Expected 'NUM[.NUM]: NUM[ mangled_name:NUM]*', found ");
    r->list.n = 0;
    if (l->kind == SAMPLE_TEXT_VTABLES || (l->kind == SAMPLE_TEXT_BODY && l->rest < l->end))
        code = gather_list(r, &n_repeated);
    if (code == APF_OK && l->kind == SAMPLE_TEXT_VTABLES && n_repeated)
        return bad_line(r, "sample.text.vtables", "Expected 'vtables [mangled_vtable:NUM]+', found ");
    r->n_replaced += n_repeated;
    if (code == APF_OK && !metadata && l->depth == r->metadata_depth) {
        l->bad = r->lines.p + l->depth;
        return bad_line(r, "sample.text.line", "Found non-metadata after metadata: ");
    }
    if (code != APF_OK)
        return code;
    r->open.n = r->open.n > l->depth ? l->depth : r->open.n;
    const struct open_function *in = &r->open.data[r->open.n - 1];
    if (l->kind == SAMPLE_TEXT_BODY)
        return read_body(r, in->node);
    if (l->kind == SAMPLE_TEXT_INLINED)
        return read_inlined(r, in->node);
    if (l->kind == SAMPLE_TEXT_VTABLES)
        return read_vtables(r, in);
    read_metadata(r, in->node);
    return APF_OK;
}

/* A body line of LLVM 3.5 to 3.7, which no later release reads. */
static int read_unindented(struct reader *r)
{
    size_t n_repeated;
    struct sample_text_line header = *r->line;
    if (r->indented || r->n_contexts || !number_is_digit(*r->lines.p) ||
        !sample_text_old_body(r->line, r->lines.p, r->lines.line_end)) {
        *r->line = header;
        return bad_header(r, "sample.text.header");
    }
    if (!r->unindented.number)
        r->unindented = r->lines;
    int code = gather_list(r, &n_repeated);
    if (code != APF_OK)
        return code;
    r->n_replaced += n_repeated;
    return read_body(r, r->open.data[0].node);
}

/* ---- the whole text ---- */

static int read_line(struct reader *r, struct sample_text_parsed *parsed)
{
    r->line = &parsed->line;
    r->lines.p = parsed->p;
    r->lines.line_end = parsed->line.end;
    r->lines.number = parsed->number;
    if (parsed->line.depth)
        return read_indented(r, parsed->good);
    if (!parsed->good)
        return read_unindented(r);
    if (r->o->max_functions && r->n_headers == r->o->max_functions) {
        r->stopped = true;
        return APF_OK;
    }
    return read_header(r);
}

static int read_lines(struct reader *r)
{
    struct sample_text_lines scan = r->lines;
    int code = APF_OK;
    for (size_t n = 1, turn = 0; code == APF_OK && n && !r->stopped; turn++) {
        n = sample_text_ahead(&scan, &r->s->names, r->ahead);
        for (size_t i = 0; code == APF_OK && i < n && !r->stopped; i++)
            code = read_line(r, &r->ahead[i]);
        if (code == APF_OK)
            code = pulse_check(r->o->pulse, turn, r->error);
    }
    if (code != APF_OK)
        return code;
    r->lines.number = scan.number; /* comments at the end count */
    return append_waiting(r);
}

/* ---- the last steps ---- */

static void count_findings(struct reader *r)
{
    struct apf_sample *s = r->s;
    s->findings[SAMPLE_FINDING_REPEATED_FUNCTION] = r->n_headers - s->top.n;
    s->findings[SAMPLE_FINDING_REPLACED_TARGETS] = r->n_replaced;
    s->findings[SAMPLE_FINDING_CUT_OFF] = !r->stopped && r->lines.end[-1] != '\n';
    if (r->n_contexts)
        s->findings[SAMPLE_FINDING_MIXED_CONTEXTS] = r->n_headers - r->n_contexts;
    if (s->info.flags & APF_SAMPLE_PROBES)
        for (size_t i = 0; i < s->top.n; i++)
            s->findings[SAMPLE_FINDING_MIXED_PROBES] += s->nodes.data[s->top.data[i]].checksum == 0;
    if (s->info.flags & APF_SAMPLE_MD5)
        for (size_t i = 0; i < s->names.list.n; i++)
            s->findings[SAMPLE_FINDING_DECIMAL_NAMES] += s->names.list.data[i].p == NULL;
}

static int finish_profile(struct reader *r)
{
    struct apf_sample *s = r->s;
    s->info.flags |= (r->n_contexts ? APF_SAMPLE_CONTEXTS : 0) | (r->o->fs ? APF_SAMPLE_FS : 0);
    int code = sample_text_drop_repeated(s, &r->vtables, r->error);
    if (code == APF_OK)
        code = sample_seal(s, r->error);
    if (code == APF_OK && s->n_saturated)
        return error_plain(r->error, APF_SAMPLE_OVERFLOW, "sample.text.count", NULL);
    if (code == APF_OK)
        code = sample_adopt_decimals(s, r->error);
    if (code != APF_OK)
        return code;
    count_findings(r);
    return sample_complete(s, r->error);
}

/* LLVM ends the text at a NUL, without an error about the bytes after it. To salvage, the last function is left out if
 * it may be cut off: without a line feed at its end (12 may be the beginning of 1234), and in the intact bytes of a
 * damaged compressed file, where no line says so. */
static int check_end(const struct reader *r, const char *file_end)
{
    uint64_t offset = offset_of(r, r->lines.end);
    if (r->stopped)
        return APF_OK;
    if (r->lines.end < file_end)
        return error_line(r->error, APF_BAD_SAMPLE_TEXT, "sample.text.nul", offset, line_number(r),
                          "a NUL byte, where LLVM stops reading");
    if (r->o->flags & APF_FLAG_SALVAGE && (r->o->progress || r->lines.end[-1] != '\n'))
        return error_line(r->error, APF_SAMPLE_TRUNCATED, "sample.text.end", offset, line_number(r),
                          "the last function may be cut off");
    return APF_OK;
}

int sample_text_read(struct apf_sample *s, const uint8_t *data, size_t n, const struct sample_read_options *o,
                     struct apf_error *error)
{
    struct sample_text_start first = {0, 1};
    return sample_text_read_from(s, data, n, first, o, error);
}

/* Bytes of text for each name, and the fewest for each function or inlined function, in a typical profile. A table that
 * needs more room grows, which copies it; room that is never used costs no memory. */
#define BYTES_PER_NAME 128u
#define BYTES_PER_NODE 48u
#define MOST_NAMES ((size_t)1 << 16)
#define MOST_NODES ((size_t)1 << 20)

/* Reads the text, which begins with a header. */
static int read_text(struct reader *r)
{
    size_t n = (size_t)(r->lines.end - r->lines.base), names = n / BYTES_PER_NAME, nodes = n / BYTES_PER_NODE;
    int code = sample_names_reserve(&r->s->names, names < MOST_NAMES ? names : MOST_NAMES, r->error);
    if (code == APF_OK && !VEC_RESERVE(&r->s->nodes, nodes < MOST_NODES ? nodes : MOST_NODES))
        return error_memory(r->error);
    return code == APF_OK ? read_lines(r) : code;
}

int sample_text_read_from(struct apf_sample *s, const uint8_t *data, size_t n, struct sample_text_start start,
                          const struct sample_read_options *o, struct apf_error *error)
{
    struct reader r = {.s = s, .o = o, .error = error, .place_mask = UINT64_MAX};
    r.lines = sample_text_lines_make(data, n);
    r.lines.next += start.offset;
    r.lines.number = start.number - 1;
    s->info.format = APF_SAMPLE_TEXT;
    if (o->fs && o->discriminator)
        r.place_mask = (uint64_t)UINT32_MAX << 32 | o->discriminator;
    int code = sample_text_has_header(r.lines)
                   ? read_text(&r)
                   : error_plain(error, APF_SAMPLE_UNRECOGNIZED, "sample.text.header", NULL);
    if (code == APF_OK)
        code = check_end(&r, r.lines.base + n);
    if (code == APF_OK)
        code = finish_profile(&r);
    if (code != APF_OK && o->progress) {
        struct sample_progress progress = {.n_functions = r.n_whole, .end = r.whole_end};
        *o->progress = progress;
    }
    VEC_FREE(&r.list);
    VEC_FREE(&r.waiting);
    VEC_FREE(&r.open);
    VEC_FREE(&r.vtables.lines);
    return code;
}
