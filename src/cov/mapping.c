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

/* What is left of a mapping. Its members are in registers while regions are read: only copies of it are passed on. */
struct bytes {
    const uint8_t *p, *end;
    /* Where the first read began that failed, or NULL; then p is `end`, so that all others fail. */
    const uint8_t *bad;
};

struct decoder {
    struct mapping *m;
    struct bytes b;
    const uint8_t *base;
    struct apf_error *error;
};

static int wrong(const struct decoder *d, const char *where, const char *what)
{
    const uint8_t *at = d->b.bad ? d->b.bad : d->b.p;
    return error_place(d->error, APF_BAD_COVERAGE, where, (uint64_t)(at - d->base), what);
}

static inline void fail_if(struct bytes *b, bool bad)
{
    if (LIKELY(!bad))
        return;
    b->bad = b->bad ? b->bad : b->p;
    b->p = b->end;
}

static struct bytes long_number(struct bytes b, uint64_t most, uint32_t *number)
{
    struct cursor c = cursor_make(b.p, (size_t)(b.end - b.p), false);
    const uint64_t v = cursor_uleb128(&c);
    const bool bad = c.failed || v > most || b.bad;
    *number = bad ? 0 : (uint32_t)v;
    fail_if(&b, bad);
    b.p = bad ? b.p : c.p;
    return b;
}

/* A number of at most `most`, which is at least 0x3fff; another one is a failure. Most have one byte or two. */
static inline uint32_t number(struct bytes *b, uint64_t most)
{
    const uint8_t *p = b->p;
    if (LIKELY(p < b->end) && LIKELY(*p < 0x80)) {
        b->p = p + 1;
        return *p;
    }
    if (LIKELY(b->end - p >= 2) && LIKELY(p[1] < 0x80)) {
        b->p = p + 2;
        return (uint32_t)(p[0] & 0x7f) | (uint32_t)p[1] << 7;
    }
    uint32_t v;
    *b = long_number(*b, most, &v);
    return v;
}

/* A number of at most `most`. */
static inline uint32_t small_number(struct bytes *b, uint64_t most)
{
    uint32_t v;
    if (LIKELY(b->p < b->end) && LIKELY(*b->p < 0x80) && LIKELY(*b->p <= most))
        return *b->p++;
    *b = long_number(*b, most, &v);
    return v;
}

/* A number of things, of which each takes at least `size` bytes. */
static uint32_t size_number(struct bytes *b, size_t size)
{
    const size_t most = (size_t)(b->end - b->p) / size;
    return small_number(b, most < UINT32_MAX ? most : UINT32_MAX);
}

/* Notes whether an expression adds, which only references to it say. */
static inline uint32_t counter_word(struct mapping *m, struct bytes *b, uint32_t word)
{
    const uint32_t tag = counter_tag(word);
    if (tag < COUNTER_SUBTRACT)
        return word;
    if (LIKELY(counter_number(word) < m->expressions.n))
        m->expressions.data[counter_number(word)].adds = tag == COUNTER_ADD;
    else
        fail_if(b, true);
    return word;
}

static inline uint32_t read_counter(struct mapping *m, struct bytes *b)
{
    return counter_word(m, b, number(b, UINT32_MAX - 1));
}

static int read_files(struct decoder *d, size_t n_unit_files)
{
    const uint32_t n = size_number(&d->b, 1);
    d->m->files.n = 0;
    if (d->b.bad)
        return wrong(d, "mapping.files", "the number of files is wrong");
    if (!VEC_RESERVE(&d->m->files, n))
        return error_memory(d->error);
    for (uint32_t i = 0; i < n; i++)
        d->m->files.data[d->m->files.n++] = small_number(&d->b, n_unit_files ? n_unit_files - 1 : 0);
    return d->b.bad || (n && !n_unit_files) ? wrong(d, "mapping.file", "there is no such file") : APF_OK;
}

static int read_expressions(struct decoder *d)
{
    struct mapping *m = d->m;
    const uint32_t n = size_number(&d->b, 2);
    m->expressions.n = 0;
    if (d->b.bad)
        return wrong(d, "mapping.expressions", "the number of expressions is wrong");
    if (!VEC_RESERVE(&m->expressions, n))
        return error_memory(d->error);
    for (uint32_t i = 0; i < n; i++)
        m->expressions.data[i].adds = false;
    m->expressions.n = n;
    struct bytes b = d->b;
    for (uint32_t i = 0; i < n; i++) {
        m->expressions.data[i].left = read_counter(m, &b);
        m->expressions.data[i].right = read_counter(m, &b);
    }
    d->b = b;
    return b.bad ? wrong(d, "mapping.expression", "there is no such counter") : APF_OK;
}

/* ---- regions ---- */

/* The id of a condition, which is stored plus 1. */
static int16_t read_id(struct bytes *b)
{
    return (int16_t)((int)small_number(b, MOST_CONDITIONS - 1) - 1);
}

static struct bytes read_condition(struct mapping *m, struct bytes b, struct region *r)
{
    r->kind = REGION_CONDITION;
    r->counter = read_counter(m, &b);
    r->false_counter = read_counter(m, &b);
    r->id = read_id(&b);
    r->next[1] = read_id(&b);
    r->next[0] = read_id(&b);
    fail_if(&b, r->id == NO_CONDITION);
    return b;
}

/* Reads the rest of what comes before the place of a region whose word has a zero counter. */
static struct bytes read_pseudo_head(struct mapping *m, struct bytes b, struct region *r, uint32_t word)
{
    if (word & EXPANSION_BIT) {
        r->kind = REGION_EXPANSION;
        r->expanded = word >> PSEUDO_KIND_SHIFT;
        fail_if(&b, r->expanded >= m->files.n);
        return b;
    }
    switch (word >> PSEUDO_KIND_SHIFT) {
    case WORD_CODE:
        break;
    case WORD_SKIPPED:
        r->kind = REGION_SKIPPED;
        break;
    case WORD_BRANCH:
        r->kind = REGION_BRANCH;
        r->counter = read_counter(m, &b);
        r->false_counter = read_counter(m, &b);
        break;
    case WORD_DECISION:
        r->kind = REGION_DECISION;
        r->expanded = number(&b, UINT32_MAX - 1);
        r->n_conditions = (uint16_t)small_number(&b, MOST_CONDITIONS - 1);
        break;
    case WORD_CONDITION:
        return read_condition(m, b, r);
    default:
        fail_if(&b, true);
    }
    return b;
}

/* Reads the place; `line` is the one where the region before begins, in the same file. */
static inline void read_place(struct bytes *b, struct region *r, uint32_t line)
{
    r->line = line + number(b, UINT32_MAX);
    r->column = number(b, UINT32_MAX);
    r->end_line = r->line + number(b, UINT32_MAX);
    uint32_t end_column = number(b, UINT32_MAX);
    if (end_column & GAP_BIT) {
        end_column &= ~GAP_BIT;
        r->kind = REGION_GAP;
    }
    fail_if(b, r->column > MOST_COLUMNS || end_column > MOST_COLUMNS);
    if (r->column == 0 && end_column == 0) { /* whole lines */
        r->column = 1;
        end_column = UINT32_MAX;
    }
    r->end_column = end_column;
    fail_if(b, r->end_line < r->line || r->end_line > MOST_LINES ||
                   (r->line == r->end_line && r->column > end_column));
}

static int read_regions(struct decoder *d, uint32_t file)
{
    struct mapping *m = d->m;
    const uint32_t n = size_number(&d->b, LEAST_REGION_BYTES);
    if (d->b.bad)
        return wrong(d, "mapping.regions", "the number of regions is wrong");
    if (!VEC_RESERVE(&m->regions, n))
        return error_memory(d->error);
    struct region *r = ENTRY_AT(m->regions.data, m->regions.n);
    struct bytes b = d->b;
    uint32_t line = 0;
    for (uint32_t i = 0; i < n; i++, r++) {
        *r = (struct region){.file = file, .kind = REGION_CODE};
        const uint32_t word = number(&b, UINT32_MAX - 1);
        if (counter_is_zero(word))
            b = read_pseudo_head(m, b, r, word);
        else
            r->counter = counter_word(m, &b, word);
        read_place(&b, r, line);
        line = r->line;
    }
    m->regions.n += n;
    d->b = b;
    return b.bad ? wrong(d, "mapping.region", "a region is wrong, or does not fit") : APF_OK;
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
    const uint8_t *base = p ? p : (const uint8_t *)"";
    struct decoder d = {m, {base, base + n, NULL}, base, error};
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
