/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/gcc/gcc_parse.h"

#include "base/error.h"
#include "base/pulse.h"
#include "base/sort.h"

/* A node some of whose calls are still to be read. */
struct frame {
    uint32_t node, calls;
};

struct parser {
    struct cursor c;
    const struct gcc_layout *layout;
    const struct sample_read_options *options;
    struct apf_sample *s; /* NULL: nothing is stored */
    struct gcc_parsed *parsed;
    struct apf_error *error;
    uint32_t n_files, n_names;
    VEC(uint32_t) files; /* numbers of the files in s->names */
    VEC(uint32_t) names; /* numbers of the names in s->names */
    struct apf_str last; /* the name before */
    bool sorted;         /* all names so far are in strictly ascending order */
    bool entries_only;   /* of the current function only the entries count: it is in the file repeatedly */
    VEC(struct frame) stack;
    uint64_t n_records;
};

static bool layout_has(const struct parser *r, uint32_t cap)
{
    return (r->layout->caps & cap) != 0;
}

/* ---- checks ---- */

/* Fails unless n more bytes are there. */
static int need_bytes(const struct parser *r, uint64_t n, const char *where)
{
    if (LIKELY(n <= cursor_left(&r->c)))
        return APF_OK;
    return error_out_of_bounds(r->error, APF_SAMPLE_TRUNCATED, where, cursor_offset(&r->c),
                               cursor_left(&r->c), n, NULL);
}

/* Fails unless `count` entries of at least `size` bytes can follow; the count ended `back` bytes before. */
static int need_entries(const struct parser *r, uint64_t count, size_t size, const char *where, uint64_t back)
{
    uint64_t most = cursor_left(&r->c) / size;
    if (LIKELY(count <= most))
        return APF_OK;
    return error_out_of_bounds(r->error, APF_SAMPLE_TRUNCATED, where, cursor_offset(&r->c) - back - 4, count,
                               most, NULL);
}

/* Fails unless an index, which was read `back` bytes before, is below a number of entries. */
static int check_index(const struct parser *r, uint64_t index, uint32_t n, const char *where, uint64_t back)
{
    if (LIKELY(index < n))
        return APF_OK;
    return error_out_of_bounds(r->error, APF_SAMPLE_NAME_TABLE, where, cursor_offset(&r->c) - back, index,
                               n ? n - 1 : 0, NULL);
}

/* A number of two words, the lower one first; its bytes must be there. */
static inline uint64_t load_counter(const uint8_t *p, bool swap)
{
    return load32(p, swap) | (uint64_t)load32(p + 4, swap) << 32;
}

static uint64_t read_counter(struct parser *r)
{
    const uint8_t *p = cursor_bytes(&r->c, 8);
    return p ? load_counter(p, r->c.swap) : 0;
}

static void count_finding(struct parser *r, enum sample_finding finding)
{
    if (r->s)
        r->s->findings[finding]++;
}

/* Reads the tag of a section and its length, which nothing uses. */
static int read_tag(struct parser *r, uint32_t expected, const char *where)
{
    int code = need_bytes(r, 8, where);
    if (code != APF_OK)
        return code;
    uint64_t offset = cursor_offset(&r->c);
    uint32_t tag = cursor_u32(&r->c);
    cursor_skip(&r->c, 4);
    return tag == expected
               ? APF_OK
               : error_mismatch(r->error, APF_SAMPLE_MALFORMED, where, offset, tag, expected, NULL);
}

/* ---- the summary ---- */

/* Skips the summary, which is computed again when it is needed. Its tag has no length. */
static int skip_summary(struct parser *r)
{
    static const char where[] = "sample.gcc.summary";
    int code = need_bytes(r, 4 + 6 * 8, where);
    if (code != APF_OK)
        return code;
    cursor_skip(&r->c, 4 + 5 * 8);
    uint64_t n = read_counter(r);
    code = need_entries(r, n, GCC_ROW_BYTES, where, 4);
    if (code == APF_OK)
        cursor_skip(&r->c, n * GCC_ROW_BYTES);
    return code;
}

/* ---- files and names ---- */

/* Reads a string: the bytes up to the first NUL. */
static int read_string(struct parser *r, struct apf_str *text, const char *where)
{
    int code = need_bytes(r, 4, where);
    if (code != APF_OK)
        return code;
    uint64_t offset = cursor_offset(&r->c);
    uint64_t n = cursor_u32(&r->c), bytes = layout_has(r, GCC_CAP_BYTE_STRINGS) ? n : 4 * n;
    if (n == 0)
        return error_out_of_bounds(r->error, APF_SAMPLE_MALFORMED, where, offset, 0, 1,
                                   "a string without its end");
    code = need_bytes(r, bytes, where);
    if (code != APF_OK)
        return code;
    const char *p = (const char *)cursor_bytes(&r->c, bytes);
    const char *end = memchr(p, 0, bytes);
    if (!end && layout_has(r, GCC_CAP_BYTE_STRINGS))
        return error_mismatch(r->error, APF_SAMPLE_MALFORMED, where, offset + 4 + bytes - 1,
                              (uint8_t)p[bytes - 1], 0, "a string without its end");
    text->p = p;
    text->n = end ? (size_t)(end - p) : bytes;
    return APF_OK;
}

/* The fewest bytes of a string. */
static size_t least_string(const struct parser *r)
{
    return layout_has(r, GCC_CAP_BYTE_STRINGS) ? 5 : 8;
}

static int read_files(struct parser *r)
{
    static const char where[] = "sample.gcc.files";
    int code = need_bytes(r, 4, where);
    if (code != APF_OK)
        return code;
    r->n_files = cursor_u32(&r->c);
    code = need_entries(r, r->n_files, least_string(r), where, 0);
    if (code == APF_OK && r->s && !VEC_RESERVE(&r->files, r->n_files))
        code = error_memory(r->error);
    for (uint32_t i = 0; code == APF_OK && i < r->n_files; i++) {
        struct apf_str text = {NULL, 0};
        uint32_t number;
        code = read_string(r, &text, where);
        if (code != APF_OK || !r->s)
            continue;
        code = text_set_add(&r->s->names.files, text, &number, r->error);
        if (code == APF_OK)
            r->files.data[r->files.n++] = number;
    }
    return code;
}

/* Adds a name. The names of a sorted table are all different, so that no search is needed. */
static int add_name(struct parser *r, struct apf_str text, uint32_t file)
{
    struct sample_names *names = &r->s->names;
    uint32_t number = SAMPLE_NONE;
    int code;
    r->sorted = r->sorted && (!r->names.n || sort_compare_bytes(r->last.p, r->last.n, text.p, text.n) < 0);
    r->last = text;
    if (r->sorted) {
        struct apf_str copy = {arena_text(&names->text, text.p, text.n), text.n};
        code = copy.p ? sample_names_push(names, copy, &number, r->error) : error_memory(r->error);
        if (code == APF_OK)
            names->list.data[number].file = file;
    } else {
        code = sample_names_add(names, text, file, true, &number, r->error);
    }
    r->names.data[r->names.n++] = number;
    return code;
}

static int read_name(struct parser *r)
{
    static const char where[] = "sample.gcc.names";
    struct apf_str text;
    uint32_t file = GCC_NO_FILE;
    int code = read_string(r, &text, where);
    if (code == APF_OK && layout_has(r, GCC_CAP_FILES)) {
        code = need_bytes(r, 4, where);
        file = cursor_u32(&r->c);
        if (code == APF_OK && file != GCC_NO_FILE)
            code = check_index(r, file, r->n_files, "sample.gcc.names.file", 4);
    }
    if (code != APF_OK || !r->s)
        return code;
    return add_name(r, text, file == GCC_NO_FILE ? SAMPLE_NONE : r->files.data[file]);
}

static int read_names(struct parser *r)
{
    static const char where[] = "sample.gcc.names";
    int code = read_tag(r, GCC_TAG_NAMES, where);
    if (code == APF_OK && layout_has(r, GCC_CAP_FILES))
        code = read_files(r);
    if (code == APF_OK)
        code = need_bytes(r, 4, where);
    if (code != APF_OK)
        return code;
    r->n_names = cursor_u32(&r->c);
    code = need_entries(r, r->n_names, least_string(r) + (layout_has(r, GCC_CAP_FILES) ? 4 : 0), where, 0);
    if (code == APF_OK && r->s && !VEC_RESERVE(&r->names, r->n_names))
        code = error_memory(r->error);
    r->sorted = true;
    for (uint32_t i = 0; code == APF_OK && i < r->n_names; i++)
        code = read_name(r);
    return code;
}

/* ---- functions ---- */

static int read_targets(struct parser *r, uint32_t node, uint64_t at, uint32_t n)
{
    static const char where[] = "sample.gcc.function.targets";
    int code = need_entries(r, n, GCC_TARGET_BYTES, where, 8);
    for (uint32_t i = 0; code == APF_OK && i < n; i++) {
        uint64_t offset = cursor_offset(&r->c);
        uint32_t type = cursor_u32(&r->c);
        uint64_t name = read_counter(r), count = read_counter(r);
        if (r->c.failed)
            return need_bytes(r, GCC_TARGET_BYTES, where);
        if (type != GCC_TARGETS_TYPE)
            return error_mismatch(r->error, APF_SAMPLE_MALFORMED, "sample.gcc.function.targets.type", offset,
                                  type, GCC_TARGETS_TYPE, NULL);
        code = check_index(r, name, r->n_names, "sample.gcc.function.targets.name", 16);
        if (code == APF_OK && r->s && !r->entries_only)
            code = sample_append_target(r->s, node, at, r->names.data[name], count, r->error);
        if (name == 0)
            count_finding(r, SAMPLE_FINDING_NAME_AT_0);
    }
    return code;
}

/* Reads the counts of a node, which also make up its total. */
static int read_lines(struct parser *r, uint32_t node, uint32_t n)
{
    int code = need_entries(r, n, GCC_LINE_BYTES, "sample.gcc.function.lines", 4);
    bool store = r->s && !r->entries_only;
    uint64_t total = 0;
    if (code == APF_OK && store)
        code = sample_reserve_lines(r->s, node, n, r->error);
    for (uint32_t i = 0; code == APF_OK && i < n; i++) {
        const uint8_t *p = cursor_bytes(&r->c, GCC_LINE_BYTES);
        if (!p)
            return need_bytes(r, GCC_LINE_BYTES, "sample.gcc.function.lines");
        uint32_t place = load32(p, r->c.swap), n_targets = load32(p + 4, r->c.swap);
        uint64_t at = sample_place(place >> 16, place & GCC_MAX_PLACE),
                 count = load_counter(p + 8, r->c.swap);
        if (store) {
            code = sample_append_line(r->s, node, at, count, r->error);
            total = sample_sum(total, count, 1, &r->s->n_saturated);
        }
        if (code == APF_OK && n_targets)
            code = read_targets(r, node, at, n_targets);
    }
    if (store) {
        struct sample_node *f = &r->s->nodes.data[node];
        f->total = sample_sum(f->total, total, 1, &r->s->n_saturated);
    }
    return code;
}

/* Makes the node of a function at the top level. Where LLVM reads the layout, it takes a function that comes once more
 * for an alias, whose counts are copies: it only adds the entries, unless there was no count before. */
static int make_top(struct parser *r, uint32_t name, uint32_t *node)
{
    struct apf_sample *s = r->s;
    uint32_t context;
    size_t before = s->top.n;
    int code = sample_contexts_base(&s->contexts, r->names.data[name], &context, r->error);
    if (code == APF_OK)
        code = sample_top(s, context, node, r->error);
    r->entries_only = code == APF_OK && layout_has(r, GCC_CAP_ALIASES) && s->nodes.data[*node].total != 0;
    if (s->top.n == before && code == APF_OK)
        s->findings[r->entries_only ? SAMPLE_FINDING_REPEATED_ENTRIES : SAMPLE_FINDING_REPEATED_FUNCTION]++;
    return code;
}

/* Checks the limits for one more node. */
static int check_limits(struct parser *r, const char *where)
{
    const struct sample_read_options *o = r->options;
    uint64_t offset = cursor_offset(&r->c) - GCC_NODE_BYTES;
    if (r->stack.n > o->max_depth)
        return error_out_of_bounds(r->error, APF_LIMIT, where, offset, r->stack.n, o->max_depth,
                                   "functions are inlined deeper than the limit allows");
    if (++r->n_records > o->max_records)
        return error_out_of_bounds(r->error, APF_LIMIT, where, offset, r->n_records, o->max_records,
                                   "more functions than the limit allows");
    return APF_OK;
}

/* Reads a node but for its calls, which are left to the loop of read_function. */
static int read_node(struct parser *r, uint32_t caller, uint64_t at, uint32_t *node)
{
    static const char where[] = "sample.gcc.function";
    int code = need_bytes(r, GCC_NODE_BYTES, where);
    if (code != APF_OK)
        return code;
    uint64_t offset = cursor_offset(&r->c);
    uint32_t name = cursor_u32(&r->c), n_lines = cursor_u32(&r->c), n_calls = cursor_u32(&r->c);
    *node = 0;
    code = check_index(r, name, r->n_names, "sample.gcc.function.name", GCC_NODE_BYTES);
    if (code == APF_OK && r->s)
        code = check_limits(r, where);
    if (code == APF_OK)
        code = need_entries(r, n_calls, GCC_CALL_BYTES + GCC_NODE_BYTES, "sample.gcc.function.calls", 0);
    if (code == APF_OK && r->s)
        code = caller == SAMPLE_NONE ? make_top(r, name, node)
                                     : sample_inlined(r->s, caller, at, r->names.data[name], node, r->error);
    if (code == APF_OK && r->s)
        code = sample_origin(r->s, *node, offset, r->error);
    if (name == 0)
        count_finding(r, SAMPLE_FINDING_NAME_AT_0);
    if (code == APF_OK)
        code = read_lines(r, *node, n_lines);
    struct frame frame = {*node, n_calls};
    if (code == APF_OK && n_calls && !VEC_PUSH(&r->stack, frame))
        code = error_memory(r->error);
    return code;
}

/* Adds the totals of nodes from `first` on to those of their callers; a node has a larger number than its caller. */
static void add_totals(struct apf_sample *s, size_t first)
{
    struct sample_node *nodes = s->nodes.data;
    for (size_t i = s->nodes.n; i-- > first;) {
        uint32_t caller = nodes[i].caller;
        if (caller != SAMPLE_NONE)
            nodes[caller].total = sample_sum(nodes[caller].total, nodes[i].total, 1, &s->n_saturated);
    }
}

static int add_entries(struct parser *r, uint32_t node, uint64_t head, uint64_t time)
{
    struct sample_node *f = &r->s->nodes.data[node];
    f->head = sample_sum(f->head, head, 1, &r->s->n_saturated);
    return sample_add_time(r->s, node, time, r->error);
}

static int read_function(struct parser *r)
{
    bool times = layout_has(r, GCC_CAP_TIMES);
    int code = need_bytes(r, GCC_HEAD_BYTES + (times ? 8 : 0), "sample.gcc.function");
    if (code != APF_OK)
        return code;
    uint64_t head = read_counter(r), time = times ? read_counter(r) : 0;
    size_t first = r->s ? r->s->nodes.n : 0;
    uint32_t top, node;
    r->stack.n = 0;
    code = read_node(r, SAMPLE_NONE, 0, &top);
    while (code == APF_OK && r->stack.n) {
        struct frame *frame = &r->stack.data[r->stack.n - 1];
        if (frame->calls == 0) {
            r->stack.n--;
            continue;
        }
        frame->calls--;
        code = need_bytes(r, GCC_CALL_BYTES, "sample.gcc.function.calls");
        uint32_t place = cursor_u32(&r->c);
        if (code == APF_OK)
            code = read_node(r, frame->node, sample_place(place >> 16, place & GCC_MAX_PLACE), &node);
    }
    if (code != APF_OK || !r->s)
        return code;
    add_totals(r->s, first);
    return add_entries(r, top, head, time);
}

static int read_functions(struct parser *r)
{
    static const char where[] = "sample.gcc.functions";
    struct sample_progress *progress = &r->parsed->progress;
    int code = read_tag(r, GCC_TAG_FUNCTIONS, where);
    if (code == APF_OK)
        code = need_bytes(r, 4, where);
    if (code != APF_OK)
        return code;
    uint32_t n = cursor_u32(&r->c);
    progress->known = n;
    progress->end = cursor_offset(&r->c);
    uint64_t most = r->s && r->options->max_functions ? r->options->max_functions : UINT64_MAX;
    /* The number is not checked: each function fails at the end of the file, and those before it may be salvaged. */
    for (uint32_t i = 0; code == APF_OK && i < n && i < most; i++) {
        code = read_function(r);
        if (code != APF_OK)
            break;
        progress->n_functions++;
        progress->end = cursor_offset(&r->c);
        code = pulse_check(r->options->pulse, i, r->error);
    }
    return code;
}

/* ---- what follows ---- */

/* Checks the sections after the functions, of which nothing is used. Compilers differ in which of them they require. */
static int read_tail(struct parser *r)
{
    struct cursor *c = &r->c;
    size_t left = cursor_left(c);
    uint32_t tag = cursor_u32(c);
    r->parsed->clean = left == 0 || tag == GCC_TAG_MODULES;
    if (tag != GCC_TAG_MODULES) {
        count_finding(r, left == 0 ? SAMPLE_FINDING_NO_MODULES : SAMPLE_FINDING_TRAILING);
        return APF_OK;
    }
    cursor_skip(c, 4);
    uint64_t offset = cursor_offset(c);
    uint32_t n_modules = cursor_u32(c);
    if (n_modules)
        return error_mismatch(r->error, APF_BAD_SAMPLE_GCC, "sample.gcc.modules", offset, n_modules, 0,
                              "modules, which only compilers with LIPO wrote");
    if (!c->failed && cursor_left(c)) {
        tag = cursor_u32(c);
        cursor_skip(c, 4);
        cursor_skip(c, GCC_WORKING_SETS * GCC_WORKING_SET_BYTES);
    }
    if (c->failed || cursor_left(c) || (tag != GCC_TAG_MODULES && tag != GCC_TAG_WORKING_SET))
        count_finding(r, SAMPLE_FINDING_TRAILING);
    return APF_OK;
}

static int parse_sections(struct parser *r)
{
    int code = layout_has(r, GCC_CAP_SUMMARY) ? skip_summary(r) : APF_OK;
    r->parsed->names = cursor_offset(&r->c);
    if (code == APF_OK)
        code = read_names(r);
    r->parsed->has_names = code == APF_OK;
    r->parsed->functions = cursor_offset(&r->c);
    if (code == APF_OK)
        code = read_functions(r);
    if (code == APF_OK && !(r->s && r->options->max_functions))
        code = read_tail(r);
    return code;
}

int gcc_parse(struct apf_sample *s, const uint8_t *data, size_t n, bool swap, const struct gcc_layout *layout,
              const struct sample_read_options *o, struct gcc_parsed *parsed, struct apf_error *error)
{
    static const struct gcc_parsed nothing;
    const size_t skipped = GCC_HEADER - 4; /* the last word of the header is a tag */
    struct parser r = {.c = cursor_make_at(data + skipped, n - skipped, skipped, swap),
                       .layout = layout,
                       .options = o,
                       .s = s,
                       .parsed = parsed,
                       .error = error};
    *parsed = nothing;
    int code = parse_sections(&r);
    parsed->reached = cursor_offset(&r.c);
    VEC_FREE(&r.files);
    VEC_FREE(&r.names);
    VEC_FREE(&r.stack);
    return code;
}
