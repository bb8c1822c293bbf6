/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of LLVM's binary formats. */
#include "base/error.h"
#include "base/pulse.h"
#include "sample/binary/sample_decode.h"
#include "sample/layout/sample_layout.h"

/* Bytes of the smallest line, target, inlined function and vtable. */
#define LINE_BYTES 4u
#define TARGET_BYTES 2u
#define INLINED_BYTES 5u
#define VTABLES_BYTES 3u
#define VTABLE_BYTES 2u

/* ---- lines ---- */

/* Reads the targets of a line, which comes before them. */
static int read_targets(struct sample_decoder *d, uint32_t node, uint64_t at, uint64_t n,
                        struct apf_error *error)
{
    int code = sample_decode_fits(d, n, TARGET_BYTES, "number of targets", error);
    if (n > UINT32_MAX)
        return sample_decode_bound(d, APF_SAMPLE_MALFORMED, n, UINT32_MAX, "number of targets", error);
    for (uint64_t i = 0; code == APF_OK && i < n; i++) {
        uint32_t name;
        code = sample_decode_name(d, &name, error);
        if (code != APF_OK)
            return code;
        uint64_t count = sample_decode_number(d);
        if (UNLIKELY(d->c.failed))
            return sample_decode_cut(d, "count of a target", error);
        code = sample_append_target(d->s, node, at, name, count, error);
    }
    return code;
}

static int wrong_line(struct sample_decoder *d, const uint8_t *start, uint64_t line, struct apf_error *error)
{
    d->c.p = start;
    return sample_decode_bound(d, APF_SAMPLE_LINE_OFFSET, line, SAMPLE_MAX_LINE, "line offset", error);
}

struct line_numbers {
    uint64_t line, discriminator, count, n_targets;
};

/* Reads a line whose numbers have one byte each, but its count up to four, which no branch could predict. Most lines
 * are such lines. False, without an effect, for any other. */
static ALWAYS_INLINE bool read_short_line(const uint8_t **p, const uint8_t *end, struct line_numbers *l)
{
    if (UNLIKELY(end - *p < (ptrdiff_t)sizeof(uint64_t)))
        return false;
    uint64_t word = load64le(*p), ends = ~word & 0x808080800000u; /* of the bytes of a count */
    if (UNLIKELY(word & 0x8080 || !ends))
        return false;
    unsigned after = LOW_ZEROS(ends) / 8 + 1;
    uint64_t count = (word & (ends ^ (ends - 1))) >> 16;
    l->line = word & 0x7f;
    l->discriminator = word >> 8 & 0x7f;
    l->count = (count & 0x7f) | (count >> 1 & 0x3f80) | (count >> 2 & 0x1fc000) | (count >> 3 & 0xfe00000);
    l->n_targets = (*p)[after];
    if (UNLIKELY(l->n_targets >= 0x80))
        return false;
    *p += after + 1;
    return true;
}

/* Reads n lines. The position is in local variables, which targets, of which few lines have any, do not see. */
static int read_lines(struct sample_decoder *d, uint32_t node, uint32_t n, struct apf_error *error)
{
    const uint8_t *p = d->c.p, *const end = d->c.end;
    const uint32_t mask = d->mask;
    struct line_numbers l;
    bool failed = false;
    int code = sample_reserve_lines(d->s, node, n, error);
    struct sample_node *f = &d->s->nodes.data[node]; /* stays there: no node is appended */
    for (uint32_t i = 0; code == APF_OK && i < n; i++) {
        const uint8_t *start = p;
        if (!read_short_line(&p, end, &l)) {
            l.line = sample_number_at(&p, end, &failed);
            l.discriminator = sample_number_at(&p, end, &failed);
            l.count = sample_number_at(&p, end, &failed);
            l.n_targets = sample_number_at(&p, end, &failed);
        }
        if (UNLIKELY(failed)) {
            d->c.p = p;
            d->c.failed = true;
            return sample_decode_cut(d, "line", error);
        }
        if (UNLIKELY(l.line > SAMPLE_MAX_LINE))
            return wrong_line(d, start, l.line, error);
        uint64_t at = sample_place((uint32_t)l.line, (uint32_t)l.discriminator & mask);
        sample_store_line(f, at, l.count);
        if (UNLIKELY(l.n_targets != 0)) {
            d->c.p = p;
            code = read_targets(d, node, at, l.n_targets, error);
            p = d->c.p;
        }
    }
    d->c.p = p;
    return code;
}

/* Reads total, lines and the number of inlined functions, which follow, and opens a level for the node. */
static int open_body(struct sample_decoder *d, uint32_t node, struct apf_error *error)
{
    uint32_t n;
    struct sample_level level = {node, 0};
    struct sample_node *f = &d->s->nodes.data[node];
    f->total = sample_sum(f->total, sample_decode_number(d), 1, &d->s->n_saturated);
    int code = sample_decode_count32(d, &n, LINE_BYTES, "number of lines", error);
    if (code == APF_OK)
        code = read_lines(d, node, n, error);
    if (code == APF_OK)
        code = sample_decode_count32(d, &level.left, INLINED_BYTES, "number of inlined functions", error);
    if (code != APF_OK)
        return code;
    if (d->levels.n > d->options->max_depth)
        return sample_decode_bound(d, APF_LIMIT, d->levels.n, d->options->max_depth, "depth of inlining",
                                   error);
    return VEC_PUSH(&d->levels, level) ? APF_OK : error_memory(error);
}

/* ---- vtables ---- */

static int read_place_vtables(struct sample_decoder *d, uint32_t node, struct apf_error *error)
{
    const uint8_t *start = d->c.p;
    uint64_t line = sample_decode_number(d), discriminator = sample_decode_number(d);
    uint32_t n;
    int code = sample_decode_count32(d, &n, VTABLE_BYTES, "number of vtables", error);
    if (code == APF_OK && line > SAMPLE_MAX_LINE)
        return wrong_line(d, start, line, error);
    uint64_t at = sample_place((uint32_t)line, (uint32_t)discriminator & d->mask);
    for (uint32_t i = 0; code == APF_OK && i < n; i++) {
        uint32_t name;
        code = sample_decode_name(d, &name, error);
        if (code != APF_OK)
            return code;
        uint64_t count = sample_decode_number(d);
        if (d->c.failed)
            return sample_decode_cut(d, "count of a vtable", error);
        code = sample_append_vtable(d->s, node, at, name, count, error);
    }
    return code;
}

static int read_vtables(struct sample_decoder *d, uint32_t node, struct apf_error *error)
{
    uint32_t n;
    int code = sample_decode_count32(d, &n, VTABLES_BYTES, "number of places with vtables", error);
    for (uint32_t i = 0; code == APF_OK && i < n; i++)
        code = read_place_vtables(d, node, error);
    return code;
}

/* ---- functions ---- */

/* Counts one more function. */
static int count_function(struct sample_decoder *d, struct apf_error *error)
{
    if (UNLIKELY(d->n_records >= d->options->max_records))
        return sample_decode_bound(d, APF_LIMIT, d->n_records + 1, d->options->max_records,
                                   "more functions than the limit allows", error);
    d->n_records++;
    return APF_OK;
}

/* Reads place, name and the beginning of the body of an inlined function. */
static int open_inlined(struct sample_decoder *d, uint32_t caller, struct apf_error *error)
{
    const uint8_t *start = d->c.p;
    uint64_t line = sample_decode_number(d), discriminator = sample_decode_number(d);
    uint32_t name, node;
    int code = d->c.failed ? sample_decode_cut(d, "place of an inlined function", error) : APF_OK;
    if (code == APF_OK)
        code = sample_decode_name(d, &name, error);
    if (code == APF_OK)
        code = count_function(d, error);
    if (code != APF_OK)
        return code;
    uint64_t at = sample_place((uint32_t)line, (uint32_t)discriminator & d->mask);
    code = sample_inlined(d->s, caller, at, name, &node, error);
    if (code == APF_OK)
        code = sample_origin(d->s, node, sample_decode_offset(d, start), error);
    return code == APF_OK ? open_body(d, node, error) : code;
}

int sample_decode_top(struct sample_decoder *d, uint32_t context, uint64_t head, uint32_t *node,
                      struct apf_error *error)
{
    size_t before = d->s->nodes.n;
    int code = count_function(d, error);
    if (code == APF_OK)
        code = sample_top(d->s, context, node, error);
    if (code != APF_OK)
        return code;
    struct sample_node *f = &d->s->nodes.data[*node];
    f->head = sample_sum(f->head, head, 1, &d->s->n_saturated);
    d->s->findings[SAMPLE_FINDING_REPEATED_FUNCTION] += d->s->nodes.n == before;
    return APF_OK;
}

int sample_decode_function(struct sample_decoder *d, struct apf_error *error)
{
    const uint8_t *start = d->c.p;
    uint64_t head = sample_decode_number(d);
    uint32_t context, node;
    if (d->c.failed)
        return sample_decode_cut(d, "head of a function", error);
    int code = sample_decode_key(d, &context, error);
    if (code == APF_OK)
        code = sample_decode_top(d, context, head, &node, error);
    if (code == APF_OK)
        code = sample_origin(d->s, node, sample_decode_offset(d, start), error);
    d->levels.n = 0;
    if (code == APF_OK)
        code = open_body(d, node, error);
    while (code == APF_OK && d->levels.n) {
        struct sample_level *level = &d->levels.data[d->levels.n - 1];
        if (level->left) {
            level->left--;
            code = open_inlined(d, level->node, error);
            continue;
        }
        if (d->has_vtables)
            code = read_vtables(d, level->node, error);
        d->levels.n--;
    }
    return code;
}

void sample_decode_counted(struct sample_decoder *d)
{
    d->progress.n_functions++;
    d->progress.end = d->stored_at == NO_OFFSET ? cursor_offset(&d->c) : d->stored_at;
    d->stopped = d->progress.n_functions == d->options->max_functions;
}

/* Bytes of a function or an inlined function with five short lines. */
#define USUAL_BYTES 32u
#define MOST_EXPECTED ((size_t)1 << 18)

/* Makes room for as many nodes as the part may have: an array that grows is copied again and again. */
static bool expect_nodes(struct sample_decoder *d)
{
    size_t n = cursor_left(&d->c) / USUAL_BYTES;
    return VEC_RESERVE(&d->s->nodes, n < MOST_EXPECTED ? n : MOST_EXPECTED);
}

int sample_decode_functions(struct sample_decoder *d, sample_decode_fn *decode, struct apf_error *error)
{
    int code = expect_nodes(d) ? APF_OK : error_memory(error);
    while (code == APF_OK && !d->stopped && cursor_left(&d->c)) {
        code = decode(d, error);
        if (code == APF_OK)
            sample_decode_counted(d);
        if (code == APF_OK)
            code = pulse_check(d->options->pulse, d->progress.n_functions, error);
    }
    return code;
}
