/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_finish.h"

#include <string.h>

#include "base/error.h"

bool profgen_is_ambiguous(struct apf_str name)
{
    static const char *const prefixes[] = {"__cxx_global_var_init", "__tls_init"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t n = strlen(prefixes[i]);
        if (name.n >= n && memcmp(name.p, prefixes[i], n) == 0)
            return true;
    }
    return false;
}

int profgen_drop_ambiguous(struct apf_sample *s, struct apf_error *error)
{
    VEC(uint32_t) kept = {NULL, 0, 0};
    for (size_t i = 0; i < s->nodes.n; i++) {
        struct sample_callees *callees = &s->nodes.data[i].callees;
        uint32_t n = 0;
        for (uint32_t k = 0; k < callees->n; k++) {
            struct sample_node *f = &s->nodes.data[callees->data[k]];
            if (profgen_is_ambiguous(sample_names_text(&s->names, f->name)))
                f->state |= SAMPLE_GONE;
            else
                callees->data[n++] = callees->data[k];
        }
        callees->n = n;
    }
    for (size_t i = 0; i < s->top.n; i++)
        if (!profgen_is_ambiguous(sample_names_text(&s->names, s->nodes.data[s->top.data[i]].name)) &&
            !VEC_PUSH(&kept, s->top.data[i])) {
            VEC_FREE(&kept);
            return error_memory(error);
        }
    int code = sample_keep_tops(s, kept.data, kept.n, error);
    VEC_FREE(&kept);
    return code;
}

struct profgen_place_calls profgen_calls_at(const struct sample_node *f, uint64_t at, size_t *next)
{
    const struct sample_targets *targets = &f->targets;
    struct profgen_place_calls calls = {0, 0};
    while (*next < targets->n && targets->data[*next].at < at)
        ++*next;
    for (; *next < targets->n && targets->data[*next].at == at; ++*next) {
        const uint64_t count = targets->data[*next].count;
        calls.sum = profgen_sum(calls.sum, count);
        calls.most = count > calls.most ? count : calls.most;
    }
    return calls;
}

static void raise_calls(struct sample_node *f)
{
    size_t next = 0;
    for (size_t k = 0; k < f->lines.n; k++) {
        const uint64_t sum = profgen_calls_at(f, f->lines.data[k].at, &next).sum;
        if (sum > f->lines.data[k].count)
            f->lines.data[k].count = sum;
    }
}

/* Totals are those of lines, and of what is inlined, which has larger numbers. */
static void update_totals(struct apf_sample *s)
{
    for (size_t i = s->nodes.n; i-- > 0;) {
        struct sample_node *f = &s->nodes.data[i];
        f->total = 0;
        for (size_t k = 0; k < f->lines.n; k++)
            f->total = profgen_sum(f->total, f->lines.data[k].count);
        for (size_t k = 0; k < f->callees.n; k++)
            f->total = profgen_sum(f->total, s->nodes.data[f->callees.data[k]].total);
    }
}

int profgen_finish(struct apf_sample *s, uint32_t flags, struct apf_error *error)
{
    const bool update = flags & APF_PROFGEN_UPDATE_TOTALS, contexts = s->info.flags & APF_SAMPLE_CONTEXTS;
    int code = sample_seal(s, error);
    if (code == APF_OK && update && contexts)
        update_totals(s);
    for (size_t i = 0; code == APF_OK && i < s->top.n; i++)
        raise_calls(&s->nodes.data[s->top.data[i]]);
    if (code == APF_OK && update && !contexts)
        update_totals(s);
    return code == APF_OK ? sample_complete(s, error) : code;
}

void profgen_mark_inlined(struct apf_sample *s)
{
    for (size_t i = 0; i < s->nodes.n; i++)
        s->nodes.data[i].attributes |= APF_SAMPLE_SHOULD_BE_INLINED;
    s->info.flags |= APF_SAMPLE_PREINLINED;
}

int profgen_list_functions(struct apf_sample *s, const struct profgen_functions *functions,
                           struct apf_error *error)
{
    int code = APF_OK;
    s->has_symbols = true;
    for (size_t i = 0; code == APF_OK && i < functions->ranges.n; i++)
        code = sample_append_symbol(s, functions->list.data[functions->ranges.data[i].function].name, error);
    if (code == APF_OK)
        code = sample_seal_symbols(s, error);
    s->info.n_symbols = s->symbols.n;
    return code;
}
