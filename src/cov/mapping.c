/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/mapping.h"

#include "base/cursor.h"
#include "base/error.h"

/* The words of regions that begin with a zero counter: what bits 3 and higher say. */
enum { WORD_CODE = 0, WORD_SKIPPED = 2, WORD_BRANCH = 4, WORD_DECISION = 5, WORD_CONDITION = 6 };
#define EXPANSION_BIT 4u
#define PSEUDO_KIND_SHIFT 3u
/* In the end column: the region is a gap. */
#define GAP_BIT 0x80000000u
/* A file with more lines is no source code: every line has a line in outputs. */
#define MOST_LINES ((uint32_t)1 << 24)
/* And so is a line with more characters. */
#define MOST_COLUMNS ((uint32_t)1 << 24)
/* The bytes of the smallest region. */
#define LEAST_REGION_BYTES 5u

struct decoder {
    struct mapping *m;
    struct cursor c;
    struct apf_error *error;
};

static int wrong(const struct decoder *d, const char *where, const char *what)
{
    return error_place(d->error, APF_BAD_COVERAGE, where, cursor_offset(&d->c), what);
}

static uint32_t long_number(struct decoder *d, uint64_t most)
{
    const uint64_t v = cursor_uleb128(&d->c);
    d->c.failed |= v > most;
    return d->c.failed ? 0 : (uint32_t)v;
}

/* A number of at most `most`; another one fails the cursor. Most have one byte. */
static inline uint32_t number(struct decoder *d, uint64_t most)
{
    if (LIKELY(d->c.p < d->c.end) && LIKELY(*d->c.p < 0x80) && *d->c.p <= most && !d->c.failed)
        return *d->c.p++;
    return long_number(d, most);
}

/* A number of things, of which each takes at least `size` bytes. */
static uint32_t size_number(struct decoder *d, size_t size)
{
    return number(d, cursor_left(&d->c) / size < UINT32_MAX ? cursor_left(&d->c) / size : UINT32_MAX);
}

/* Notes whether an expression adds, which only references to it say. */
static uint32_t counter_word(struct decoder *d, uint32_t word)
{
    const uint32_t tag = counter_tag(word);
    if (tag < COUNTER_SUBTRACT)
        return word;
    if (counter_number(word) >= d->m->expressions.n)
        d->c.failed = true;
    else
        d->m->expressions.data[counter_number(word)].adds = tag == COUNTER_ADD;
    return word;
}

static uint32_t read_counter(struct decoder *d)
{
    return counter_word(d, number(d, UINT32_MAX - 1));
}

static int read_files(struct decoder *d, size_t n_unit_files)
{
    const uint32_t n = size_number(d, 1);
    d->m->files.n = 0;
    if (d->c.failed)
        return wrong(d, "mapping.files", "the number of files is wrong");
    if (!VEC_RESERVE(&d->m->files, n))
        return error_memory(d->error);
    for (uint32_t i = 0; i < n; i++)
        d->m->files.data[d->m->files.n++] = number(d, n_unit_files ? n_unit_files - 1 : 0);
    return d->c.failed || (n && !n_unit_files) ? wrong(d, "mapping.file", "there is no such file") : APF_OK;
}

static int read_expressions(struct decoder *d)
{
    struct mapping *m = d->m;
    const uint32_t n = size_number(d, 2);
    m->expressions.n = 0;
    if (d->c.failed)
        return wrong(d, "mapping.expressions", "the number of expressions is wrong");
    if (!VEC_RESERVE(&m->expressions, n))
        return error_memory(d->error);
    for (uint32_t i = 0; i < n; i++)
        m->expressions.data[i].adds = false;
    m->expressions.n = n;
    for (uint32_t i = 0; i < n; i++) {
        m->expressions.data[i].left = read_counter(d);
        m->expressions.data[i].right = read_counter(d);
    }
    return d->c.failed ? wrong(d, "mapping.expression", "there is no such counter") : APF_OK;
}

/* ---- regions ---- */

/* The id of a condition, which is stored plus 1. */
static int16_t read_id(struct decoder *d)
{
    return (int16_t)((int)number(d, MOST_CONDITIONS - 1) - 1);
}

static void read_condition(struct decoder *d, struct region *r)
{
    r->kind = REGION_CONDITION;
    r->counter = read_counter(d);
    r->false_counter = read_counter(d);
    r->id = read_id(d);
    r->next[1] = read_id(d);
    r->next[0] = read_id(d);
    d->c.failed |= r->id == NO_CONDITION;
}

/* Reads what comes before the place of a region. */
static void read_head(struct decoder *d, struct region *r)
{
    const uint32_t word = number(d, UINT32_MAX - 1);
    if (!counter_is_zero(word)) {
        r->counter = counter_word(d, word);
        return;
    }
    if (word & EXPANSION_BIT) {
        r->kind = REGION_EXPANSION;
        r->expanded = word >> PSEUDO_KIND_SHIFT;
        d->c.failed |= r->expanded >= d->m->files.n;
        return;
    }
    switch (word >> PSEUDO_KIND_SHIFT) {
    case WORD_CODE:
        break;
    case WORD_SKIPPED:
        r->kind = REGION_SKIPPED;
        break;
    case WORD_BRANCH:
        r->kind = REGION_BRANCH;
        r->counter = read_counter(d);
        r->false_counter = read_counter(d);
        break;
    case WORD_DECISION:
        r->kind = REGION_DECISION;
        r->expanded = number(d, UINT32_MAX - 1);
        r->n_conditions = (uint16_t)number(d, MOST_CONDITIONS - 1);
        break;
    case WORD_CONDITION:
        read_condition(d, r);
        break;
    default:
        d->c.failed = true;
    }
}

/* Reads the place; *line is the one where the region before begins, in the same file. */
static void read_place(struct decoder *d, struct region *r, uint32_t *line)
{
    r->line = *line + number(d, UINT32_MAX);
    r->column = number(d, UINT32_MAX);
    r->end_line = r->line + number(d, UINT32_MAX);
    r->end_column = number(d, UINT32_MAX);
    *line = r->line;
    if (r->end_column & GAP_BIT) {
        r->end_column &= ~GAP_BIT;
        r->kind = REGION_GAP;
    }
    d->c.failed |= r->column > MOST_COLUMNS || r->end_column > MOST_COLUMNS;
    if (r->column == 0 && r->end_column == 0) { /* whole lines */
        r->column = 1;
        r->end_column = UINT32_MAX;
    }
    d->c.failed |= r->end_line < r->line || r->end_line > MOST_LINES ||
                   (r->line == r->end_line && r->column > r->end_column);
}

static int read_regions(struct decoder *d, uint32_t file)
{
    struct mapping *m = d->m;
    const uint32_t n = size_number(d, LEAST_REGION_BYTES);
    uint32_t line = 0;
    if (d->c.failed)
        return wrong(d, "mapping.regions", "the number of regions is wrong");
    if (!VEC_RESERVE(&m->regions, n))
        return error_memory(d->error);
    for (uint32_t i = 0; i < n && !d->c.failed; i++) {
        struct region *r = &m->regions.data[m->regions.n++];
        *r = (struct region){.file = file, .kind = REGION_CODE};
        read_head(d, r);
        read_place(d, r, &line);
    }
    return d->c.failed ? wrong(d, "mapping.region", "a region is wrong, or does not fit") : APF_OK;
}

/* ---- expansions ---- */

/* For each file, `first` becomes the first region in it, and `of` the expansion of it; UINT32_MAX: none. False: two
 * regions expand to one file, of which there is one for each use: what is expanded would be no tree. */
static bool find_expansions(const struct mapping *m, uint32_t *first, uint32_t *of)
{
    for (size_t i = 0; i < m->files.n; i++)
        first[i] = of[i] = UINT32_MAX;
    for (size_t i = 0; i < m->regions.n; i++) {
        const struct region *r = &m->regions.data[i];
        if (first[r->file] == UINT32_MAX)
            first[r->file] = (uint32_t)i;
        if (r->kind == REGION_EXPANSION && of[r->expanded] != UINT32_MAX)
            return false;
        if (r->kind == REGION_EXPANSION)
            of[r->expanded] = (uint32_t)i;
    }
    return true;
}

/* Gives an expansion the counter of the first region of its file, which may be an expansion itself. `trail` has the
 * expansions on the way; in a circle, none has a counter. */
static void resolve_expansion(struct mapping *m, const uint32_t *first, uint32_t *of, uint32_t *trail,
                              uint32_t file)
{
    size_t n = 0;
    uint32_t counter = COUNTER_ZERO;
    while (of[file] != UINT32_MAX && first[file] != UINT32_MAX) {
        const struct region *next = &m->regions.data[first[file]];
        trail[n++] = of[file];
        of[file] = UINT32_MAX; /* it is resolved, or on the trail */
        counter = next->counter;
        if (next->kind != REGION_EXPANSION)
            break;
        file = next->expanded;
    }
    while (n)
        m->regions.data[trail[--n]].counter = counter;
}

static int count_expansions(struct decoder *d)
{
    struct mapping *m = d->m;
    const size_t n = m->files.n;
    m->scratch.n = 0;
    if (!VEC_RESERVE(&m->scratch, 3 * n))
        return error_memory(d->error);
    uint32_t *first = m->scratch.data, *of = first + n, *trail = of + n;
    if (!find_expansions(m, first, of))
        return wrong(d, "mapping.expansion", "two regions expand to one file");
    for (size_t i = n; i-- > 0;) /* inner ones mostly have higher numbers */
        resolve_expansion(m, first, of, trail, (uint32_t)i);
    return APF_OK;
}

/* ---- all of it ---- */

int mapping_decode(struct mapping *m, const uint8_t *p, size_t n, size_t n_unit_files,
                   struct apf_error *error)
{
    struct decoder d = {m, cursor_make(p, n, false), error};
    m->regions.n = m->starts.n = 0;
    int code = read_files(&d, n_unit_files);
    if (code == APF_OK)
        code = read_expressions(&d);
    if (code == APF_OK && !VEC_RESERVE(&m->starts, m->files.n + 1))
        code = error_memory(error);
    for (size_t i = 0; code == APF_OK && i < m->files.n; i++) {
        m->starts.data[m->starts.n++] = (uint32_t)m->regions.n;
        code = read_regions(&d, (uint32_t)i);
    }
    if (code == APF_OK)
        m->starts.data[m->starts.n++] = (uint32_t)m->regions.n;
    return code == APF_OK && m->files.n > 1 ? count_expansions(&d) : code;
}

bool mapping_is_dummy(const uint8_t *p, size_t n)
{
    struct cursor c = cursor_make(p, n, false);
    const bool one_file = cursor_uleb128(&c) == 1;
    (void)cursor_uleb128(&c);
    const bool plain = cursor_uleb128(&c) == 0 && cursor_uleb128(&c) == 1;
    return one_file && plain && (cursor_uleb128(&c) & COUNTER_TAG_MASK) == COUNTER_ZERO && !c.failed;
}

void mapping_free(struct mapping *m)
{
    VEC_FREE(&m->files);
    VEC_FREE(&m->expressions);
    VEC_FREE(&m->regions);
    VEC_FREE(&m->starts);
    VEC_FREE(&m->scratch);
}
