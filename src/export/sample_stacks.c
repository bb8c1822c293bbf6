/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sample profiles as stacks: those of a function's context and of what it is inlined in. */
#include <anyprof/sample_functions.h>

#include "base/error.h"
#include "base/options.h"
#include "base/vec.h"
#include "export/export_make.h"

static const struct apf_export_value values[] = {{"samples", "count"}};

struct sample_source {
    struct apf_sample_functions *functions;
    uint64_t n_again; /* see apf_export_result; of the last walk */
};

struct sample_walk {
    const struct apf_sample_functions *functions;
    VEC(struct apf_export_frame) frames;
    size_t n_context; /* frames of the function at the top level */
    uint32_t by_line;
    apf_export_stack_fn *stack;
    void *writer;
    struct apf_error *error;
};

static struct apf_export_frame frame_of(struct apf_sample_name name)
{
    return (struct apf_export_frame){.function = {name.text.p, name.text.p ? name.text.n : 0},
                                     .id = name.hash};
}

static void set_line(const struct sample_walk *w, struct apf_export_frame *frame, uint32_t line)
{
    frame->line = w->by_line ? line : 0;
    frame->line_known = w->by_line;
}

/* Sets the frames of a function at the top level: those of its context. */
static int set_context(struct sample_walk *w, uint64_t number, const struct apf_sample_function *f)
{
    struct apf_sample_frame part;
    w->frames.n = 0;
    w->n_context = 1;
    for (uint64_t i = 0; i + 1 < f->n_frames; i++) {
        if (apf_sample_frame(w->functions, number, i, &part) != APF_OK)
            break;
        struct apf_export_frame frame = frame_of(part.name);
        set_line(w, &frame, part.call.line);
        if (!VEC_PUSH(&w->frames, frame))
            return error_memory(w->error);
        w->n_context++;
    }
    struct apf_export_frame last = frame_of(f->name);
    last.file = f->file;
    return VEC_PUSH(&w->frames, last) ? APF_OK : error_memory(w->error);
}

/* Sets the last frame: of a function that is inlined in the one before. */
static int set_inlined(struct sample_walk *w, const struct apf_sample_function *f)
{
    w->frames.n = w->n_context + f->depth - 1;
    set_line(w, &w->frames.data[w->frames.n - 1], f->call.line);
    return VEC_PUSH(&w->frames, frame_of(f->name)) ? APF_OK : error_memory(w->error);
}

static int pass_count(const struct sample_walk *w, uint64_t count)
{
    const struct apf_export_stack stack = {w->frames.data, w->frames.n, &count, 0};
    return w->stack(w->writer, &stack);
}

/* Passes the lines of a function, whose blocks with different discriminators are added up. */
static int pass_lines(const struct sample_walk *w, uint64_t number)
{
    struct apf_export_frame *last = &w->frames.data[w->frames.n - 1];
    struct apf_sample_count line, next;
    int code = APF_OK;
    if (apf_sample_line(w->functions, number, 0, &line) != APF_OK)
        return pass_count(w, 0);
    for (uint64_t i = 1; code == APF_OK; i++) {
        const bool more = apf_sample_line(w->functions, number, i, &next) == APF_OK;
        if (more && next.place.line == line.place.line) {
            if (ADD_OVERFLOWS(line.count, next.count, &line.count))
                line.count = UINT64_MAX;
            continue;
        }
        set_line(w, last, line.place.line);
        code = pass_count(w, line.count);
        line = next;
        if (!more)
            break;
    }
    last->line_known = 0;
    return code;
}

static int pass_function(const struct sample_walk *w, uint64_t number)
{
    struct apf_sample_count line;
    uint64_t sum = 0;
    if (w->by_line)
        return pass_lines(w, number);
    for (uint64_t i = 0; apf_sample_line(w->functions, number, i, &line) == APF_OK; i++)
        if (ADD_OVERFLOWS(sum, line.count, &sum))
            sum = UINT64_MAX;
    return pass_count(w, sum);
}

/* An apf_export_walk_fn. */
static int walk_functions(void *user, uint32_t by_line, apf_export_stack_fn *stack, void *writer,
                          struct apf_error *error)
{
    struct sample_source *source = (struct sample_source *)user;
    struct sample_walk w = {
        .functions = source->functions, .by_line = by_line, .stack = stack, .writer = writer, .error = error};
    struct apf_sample_function f = {.size = sizeof f};
    int code = APF_OK;
    source->n_again = 0;
    for (uint64_t i = 0; code == APF_OK; i++) {
        code = apf_sample_function(w.functions, i, &f, error);
        if (code != APF_OK)
            break;
        if (f.counted_elsewhere) {
            source->n_again++;
            continue;
        }
        code = f.depth && w.frames.n ? set_inlined(&w, &f) : set_context(&w, i, &f);
        if (code == APF_OK)
            code = pass_function(&w, i);
    }
    VEC_FREE(&w.frames);
    return code == APF_END ? APF_OK : code;
}

int apf_sample_export(const struct apf_sample *sample, const struct apf_export_options *options,
                      const struct apf_output *output, struct apf_export_result *result,
                      struct apf_error *error)
{
    struct sample_source user = {NULL, 0};
    const bool probes = apf_sample_info(sample)->flags & APF_SAMPLE_PROBES;
    const struct apf_export_source source = {
        .size = sizeof source,
        .walk = walk_functions,
        .user = &user,
        .values = values,
        .n_values = sizeof values / sizeof *values,
        .flags = APF_EXPORT_LINES | APF_EXPORT_CALLERS | APF_EXPORT_NAMES_STAY,
        .comment = probes ? "lines are ids of pseudo probes, not lines of the source code"
                          : "lines are counted from that of the function's declaration, which is 0"};
    struct apf_export_result made = {.size = sizeof made};
    int code = RESULT_CHECK(apf_export_result, result, error);
    if (code == APF_OK)
        code = apf_sample_functions_new(&user.functions, sample, error);
    if (code == APF_OK)
        code = export_make(&source, options, output, &made, error);
    apf_sample_functions_free(user.functions);
    made.n_again = user.n_again;
    if (code == APF_OK)
        result_fill(result, sizeof made, &made);
    return code;
}
