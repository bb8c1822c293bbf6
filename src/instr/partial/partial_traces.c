/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/partial/partial_traces.h"

#include <stdlib.h>

#include "base/error.h"

/* ---- writing ---- */

static void write_trace(struct partial_writer *file, const struct apf_trace *trace)
{
    partial_number(file, trace->weight);
    partial_number(file, trace->n);
    for (size_t i = 0; i < trace->n; i++)
        partial_fixed(file, trace->ids[i]);
    partial_end_record(file);
}

int partial_write_traces(struct partial_writer *file, uint32_t class, struct trace_set *t,
                         struct apf_error *error)
{
    const bool one = t->inputs == 1;
    if (!trace_set_settle(t))
        return error_memory(error);
    partial_number(file, class);
    partial_number(file, t->inputs);
    partial_number(file, t->stream_size);
    partial_number(file, one ? t->only.n : t->groups.n);
    if (one)
        partial_fixed(file, t->only_source);
    partial_end_record(file);
    for (size_t i = 0; one && i < t->only.n; i++)
        write_trace(file, &t->only.data[i]);
    for (size_t i = 0; !one && i < t->groups.n; i++) {
        partial_fixed(file, t->groups.data[i].source);
        partial_number(file, t->groups.data[i].n);
        write_trace(file, &t->groups.data[i].trace);
    }
    return APF_OK;
}

/* ---- reading ---- */

/* Reads a trace, whose ids are in memory of their own. */
static int read_trace(struct partial_reader *file, struct apf_trace *trace, struct apf_error *error)
{
    trace->weight = cursor_uleb128(&file->c);
    const uint64_t n = cursor_uleb128(&file->c);
    const uint8_t *p = cursor_array(&file->c, n, 8);
    int code = partial_check(file, "partial.trace", error);
    if (code == APF_OK && n == 0)
        code = partial_wrong(file, "partial.trace", "it is empty", error);
    uint64_t *ids = code == APF_OK ? malloc((size_t)n * sizeof *ids + 1) : NULL;
    if (code == APF_OK && !ids)
        code = error_memory(error);
    for (size_t i = 0; code == APF_OK && i < n; i++)
        ids[i] = load64le(p + 8 * i);
    trace->ids = ids;
    trace->n = (size_t)n;
    return code;
}

/* Reads the i-th trace of a set. */
static int read_member(struct partial_reader *file, struct trace_set *t, struct apf_error *error)
{
    struct trace_group group = {.source = t->only_source, .n = 1};
    bool more;
    int code = partial_next(file, PARTIAL_TRACES, &more, error);
    if (code == APF_OK && !more)
        code = partial_wrong(file, "partial.trace", "traces are missing", error);
    if (code == APF_OK && t->inputs > 1) {
        group.source = cursor_u64(&file->c);
        group.n = cursor_uleb128(&file->c);
    }
    if (code == APF_OK)
        code = read_trace(file, &group.trace, error);
    if (code == APF_OK && group.n == 0) {
        free((void *)(uintptr_t)group.trace.ids);
        code = partial_wrong(file, "partial.trace", "a group has no traces", error);
    }
    return code == APF_OK && !trace_set_push(t, group) ? error_memory(error) : code;
}

int partial_read_traces(struct partial_reader *file, uint32_t *class, struct trace_set *t, bool *more,
                        struct apf_error *error)
{
    int code = partial_next(file, PARTIAL_TRACES, more, error);
    if (code != APF_OK || !*more)
        return code;
    const uint64_t number = cursor_uleb128(&file->c);
    t->inputs = cursor_uleb128(&file->c);
    t->stream_size = t->only_stream = cursor_uleb128(&file->c);
    const uint64_t n = cursor_uleb128(&file->c);
    t->only_source = t->inputs == 1 ? cursor_u64(&file->c) : 0;
    code = partial_check(file, "partial.traces", error);
    if (code == APF_OK && (t->inputs == 0 || (t->inputs == 1 && n == 0) || number > UINT32_MAX))
        code = partial_wrong(file, "partial.traces", "a set cannot be as this one", error);
    *class = (uint32_t)number;
    for (uint64_t i = 0; code == APF_OK && i < n; i++)
        code = read_member(file, t, error);
    return code;
}
