/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* BOLT's profiles as stacks: of one frame, the function that branches are taken in. */
#include <anyprof/bolt.h>
#include <anyprof/export.h>

#include "base/error.h"
#include "base/options.h"
#include "base/vec.h"
#include "bolt/fdata_line.h"

static const struct apf_export_value branch_values[] = {{"branches", "count"}, {"mispredictions", "count"}};
static const struct apf_export_value sample_values[] = {{"samples", "count"}};
#define MOST_VALUES 2

static uint64_t add(uint64_t a, uint64_t b)
{
    return ADD_OVERFLOWS(a, b, &a) ? UINT64_MAX : a;
}

/* ---- fdata ---- */

struct fdata_walk {
    const struct apf_fdata *fdata;
    VEC(char) name; /* of the present function, without fdata's escapes */
    uint64_t sums[MOST_VALUES];
    uint64_t unknown[MOST_VALUES]; /* of records whose source is in no function */
    bool any_unknown;
    apf_export_stack_fn *stack;
    void *writer;
    struct apf_error *error;
};

/* Sets function and file of a name such as "helper/main.c/1"; other numbers tell local functions apart. */
static void split_local(struct apf_export_frame *frame, struct apf_str name)
{
    const char *first = name.n ? (const char *)memchr(name.p, '/', name.n) : NULL;
    size_t last = name.n;
    frame->function = name;
    if (!first || first == name.p)
        return;
    while (name.p[last - 1] != '/')
        last--;
    const size_t from = (size_t)(first - name.p) + 1;
    if (last - 1 <= from || name.n - last != 1 || name.p[last] != '1')
        return;
    frame->file = (struct apf_str){name.p + from, last - 1 - from};
    frame->function.n = from - 1;
}

static int pass_sums(const struct fdata_walk *w, struct apf_str name, const uint64_t *sums)
{
    struct apf_export_frame frame = {0};
    const struct apf_export_stack stack = {&frame, 1, sums, 0};
    split_local(&frame, name);
    return w->stack(w->writer, &stack);
}

/* Passes the present function, if there is one. */
static int end_function(struct fdata_walk *w)
{
    const struct apf_str name = {w->name.data, w->name.n};
    const int code = name.n ? pass_sums(w, name, w->sums) : APF_OK;
    memset(w->sums, 0, sizeof w->sums);
    w->name.n = 0;
    return code;
}

/* Sets the present function, from a name in which a backslash precedes blanks and backslashes. */
static int set_name(struct fdata_walk *w, struct apf_str escaped)
{
    if (!VEC_RESERVE(&w->name, escaped.n))
        return error_memory(w->error);
    w->name.n = fdata_name_unescape(w->name.data, escaped);
    return APF_OK;
}

static bool same_name(const struct apf_fdata_location *a, struct apf_str b)
{
    return b.n == a->name.n && memcmp(b.p, a->name.p, b.n) == 0;
}

static void add_record(uint64_t *sums, const struct apf_fdata_record *r)
{
    sums[0] = add(sums[0], r->count);
    sums[1] = add(sums[1], r->kind == APF_FDATA_BRANCH ? r->mispredictions : 0);
}

/* Records of one function follow each other. */
static int walk_records(struct fdata_walk *w)
{
    struct apf_fdata_record r = {.size = sizeof r};
    struct apf_str last = {NULL, 0};
    int code;
    for (size_t i = 0; (code = apf_fdata_record(w->fdata, i, &r, w->error)) == APF_OK; i++) {
        if (r.kind == APF_FDATA_MEMORY)
            continue;
        if (!r.from.symbol) {
            w->any_unknown = true;
            add_record(w->unknown, &r);
            continue;
        }
        if (!last.p || !same_name(&r.from, last)) {
            code = end_function(w);
            if (code == APF_OK)
                code = set_name(w, r.from.name);
            if (code != APF_OK)
                return code;
            last = r.from.name;
        }
        add_record(w->sums, &r);
    }
    return code == APF_END ? end_function(w) : code;
}

/* An apf_export_walk_fn. */
static int walk_fdata(void *user, uint32_t by_line, apf_export_stack_fn *stack, void *writer,
                      struct apf_error *error)
{
    struct fdata_walk w = {
        .fdata = (const struct apf_fdata *)user, .stack = stack, .writer = writer, .error = error};
    static const char unknown[] = "[unknown]";
    const struct apf_str name = {unknown, sizeof unknown - 1};
    (void)by_line;
    int code = walk_records(&w);
    if (code == APF_OK && w.any_unknown)
        code = pass_sums(&w, name, w.unknown);
    VEC_FREE(&w.name);
    return code;
}

/* The source of a profile of branches, or else of samples. */
static struct apf_export_source source_of(apf_export_walk_fn *walk, void *user, bool branches)
{
    return (struct apf_export_source){
        .size = sizeof(struct apf_export_source),
        .walk = walk,
        .user = user,
        .values = branches ? branch_values : sample_values,
        .n_values = branches ? sizeof branch_values / sizeof *branch_values
                             : sizeof sample_values / sizeof *sample_values,
        .flags = APF_EXPORT_LOCAL,
        .comment = branches ? "branches: branches, calls and fall-throughs from a function" : NULL};
}

/* Writes a source, with what it leaves out. */
static int write_source(const struct apf_export_source *source, const struct apf_export_options *options,
                        const struct apf_output *output, uint64_t n_unknown, struct apf_export_result *result,
                        struct apf_error *error)
{
    struct apf_export_result made = {.size = sizeof made};
    int code = RESULT_CHECK(apf_export_result, result, error);
    if (code == APF_OK)
        code = apf_export_write(source, options, output, &made, error);
    made.n_unknown = n_unknown;
    if (code == APF_OK)
        result_fill(result, sizeof made, &made);
    return code;
}

int apf_fdata_export(struct apf_fdata *fdata, const struct apf_export_options *options,
                     const struct apf_output *output, struct apf_export_result *result,
                     struct apf_error *error)
{
    const struct apf_fdata_info *info = apf_fdata_info(fdata);
    const struct apf_export_source source = source_of(walk_fdata, fdata, !(info->flags & APF_FDATA_NO_LBR));
    const int code = apf_fdata_sort(fdata, error);
    return code == APF_OK ? write_source(&source, options, output, info->n_memory, result, error) : code;
}

/* ---- YAML ---- */

static void add_edges(uint64_t *sums, const struct apf_bolt_yaml_edge *edges, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sums[0] = add(sums[0], edges[i].count);
        sums[1] = add(sums[1], edges[i].mispredictions);
    }
}

struct yaml_user {
    struct apf_bolt_yaml *yaml;
    bool branches;
};

/* An apf_export_walk_fn. */
static int walk_yaml(void *user, uint32_t by_line, apf_export_stack_fn *stack, void *writer,
                     struct apf_error *error)
{
    const struct yaml_user *u = (const struct yaml_user *)user;
    struct apf_bolt_yaml_function f = {.size = sizeof f};
    int code;
    (void)by_line;
    for (size_t i = 0; (code = apf_bolt_yaml_function(u->yaml, i, &f, error)) == APF_OK; i++) {
        struct apf_export_frame frame = {0};
        uint64_t sums[MOST_VALUES] = {0, 0};
        for (size_t k = 0; k < f.n_blocks; k++) {
            const struct apf_bolt_yaml_block *block = &f.blocks[k];
            if (u->branches) {
                add_edges(sums, block->calls, block->n_calls);
                add_edges(sums, block->successors, block->n_successors);
            } else {
                sums[0] = add(sums[0], block->events);
            }
        }
        const struct apf_export_stack s = {&frame, 1, sums, 0};
        split_local(&frame, f.name);
        code = stack(writer, &s);
        if (code != APF_OK)
            return code;
    }
    return code == APF_END ? APF_OK : code;
}

int apf_bolt_yaml_export(struct apf_bolt_yaml *yaml, const struct apf_export_options *options,
                         const struct apf_output *output, struct apf_export_result *result,
                         struct apf_error *error)
{
    struct apf_bolt_yaml_header header = {.size = sizeof header};
    const int code = apf_bolt_yaml_header(yaml, &header, error);
    struct yaml_user user = {yaml, !(header.flags & APF_BOLT_YAML_SAMPLE)};
    const struct apf_export_source source = source_of(walk_yaml, &user, user.branches);
    return code == APF_OK ? write_source(&source, options, output, 0, result, error) : code;
}
