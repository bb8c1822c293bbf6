/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_merge_findings.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"
#include "sample/model/sample_words.h"

struct reporter {
    const struct sample_finder *finder;
    const struct apf_sample *s;
    uint32_t *names, *contexts; /* ranks */
    struct sample_context_text text;
};

static int open_reporter(struct reporter *r, struct apf_error *error)
{
    int code = sample_names_rank(&r->s->names, &r->names, error);
    return code == APF_OK ? sample_contexts_rank(&r->s->contexts, r->names, &r->contexts, error) : code;
}

static void close_reporter(struct reporter *r)
{
    free(r->names);
    free(r->contexts);
    sample_context_text_free(&r->text);
}

/* Reports a finding about a function at the top level, with the first input that has what it is about. */
static int report_function(struct reporter *r, uint64_t input, uint32_t context, uint64_t checksum,
                           struct apf_error *detail, struct apf_error *error)
{
    const struct apf_options *o = r->finder->common;
    struct apf_str key = sample_context_text(&r->text, &r->s->contexts, &r->s->names, context);
    if (!key.p)
        return error_memory(error);
    struct apf_diag d = {APF_SEVERITY_WARNING, detail->code, UINT64_MAX, {NULL, 0}, key, checksum, detail};
    if (input != SAMPLE_NO_INPUT)
        d.source = r->finder->input_name(r->finder->names, input, &d.input);
    detail->input = d.input;
    return error_report_diag(o->diag, o->user, &d, error);
}

/* ---- functions that were left out ---- */

static bool loss_before(const void *context, const void *a, const void *b)
{
    const struct reporter *r = context;
    const struct sample_loss *x = a, *y = b;
    if (x->input != y->input)
        return x->input < y->input;
    if (x->context != y->context)
        return r->contexts[x->context] < r->contexts[y->context];
    if (x->depth != y->depth)
        return x->depth < y->depth;
    if (x->at != y->at)
        return x->at < y->at;
    if (x->name != y->name)
        return r->names[x->name] < r->names[y->name];
    return x->checksum != y->checksum ? x->checksum < y->checksum : x->total < y->total;
}

static int report_loss(struct reporter *r, const struct sample_loss *loss, struct apf_error *error)
{
    const struct sample_name *name = &r->s->names.list.data[loss->name];
    struct apf_error detail;
    error_set_plain(&detail, APF_SAMPLE_HASH_MISMATCH, "merge.function.checksum", NULL);
    error_add(&detail, " [%llu here, %llu in other inputs; %llu samples", (unsigned long long)loss->checksum,
              (unsigned long long)loss->kept, (unsigned long long)loss->total);
    if (loss->depth && name->p)
        error_add(&detail, ", of %.*s, which is inlined", (int)(name->n < 100 ? name->n : 100), name->p);
    else if (loss->depth)
        error_add(&detail, ", of %llu, which is inlined", (unsigned long long)name->hash);
    error_add(&detail, "]");
    detail.found = loss->checksum;
    detail.expected = loss->kept;
    return report_function(r, loss->input, loss->context, loss->checksum, &detail, error);
}

int sample_report_losses(const struct sample_finder *f, const struct apf_sample *s,
                         const struct sample_losses *losses, struct apf_error *error)
{
    struct reporter r = {.finder = f, .s = s};
    VEC(struct sample_loss) sorted = {NULL, 0, 0};
    size_t n = losses->list.n;
    if (!n || !f->common->diag)
        return APF_OK;
    int code = open_reporter(&r, error);
    if (code == APF_OK && !VEC_RESERVE(&sorted, n))
        code = error_memory(error);
    for (size_t i = 0; code == APF_OK && i < n; i++)
        sorted.data[sorted.n++] = losses->list.data[i];
    if (code == APF_OK && !SORT_VEC(&sorted, loss_before, &r))
        code = error_memory(error);
    for (size_t i = 0; code == APF_OK && i < n; i++)
        code = report_loss(&r, &sorted.data[i], error);
    VEC_FREE(&sorted);
    close_reporter(&r);
    return code;
}

/* ---- counts that were cut ---- */

/* A function at the top level, with the first input that has it or what is cut in it. */
struct cut_top {
    uint32_t context;
    uint64_t input;
};

struct cut_tops {
    VEC(struct cut_top) list;
};

static bool cut_before(const void *context, const void *a, const void *b)
{
    const struct reporter *r = context;
    const struct cut_top *x = a, *y = b;
    if (x->input != y->input)
        return x->input < y->input;
    return r->contexts[x->context] < r->contexts[y->context];
}

static bool is_cut(const struct sample_node *f)
{
    return f->state & SAMPLE_SATURATED && !(f->state & SAMPLE_GONE);
}

/* Lists the functions. inputs[i]: the first input of what is cut in node i; a caller has a smaller number. */
static bool find_cut(const struct apf_sample *s, uint64_t *inputs, struct cut_tops *tops)
{
    bool ok = true;
    for (size_t i = 0; i < s->nodes.n; i++)
        inputs[i] = is_cut(&s->nodes.data[i]) ? s->nodes.data[i].input : SAMPLE_NO_INPUT;
    for (size_t i = s->nodes.n; i-- > 0;) {
        uint32_t caller = s->nodes.data[i].caller;
        if (caller != SAMPLE_NONE && inputs[i] < inputs[caller])
            inputs[caller] = inputs[i];
    }
    for (size_t i = 0; ok && i < s->top.n; i++) {
        uint32_t node = s->top.data[i];
        struct cut_top top = {s->nodes.data[node].context, inputs[node]};
        if (top.input != SAMPLE_NO_INPUT)
            ok = VEC_PUSH(&tops->list, top);
    }
    return ok;
}

static int report_cut(struct reporter *r, struct cut_tops *tops, struct apf_error *error)
{
    struct apf_error detail;
    int code = open_reporter(r, error);
    if (code == APF_OK && !SORT_VEC(&tops->list, cut_before, r))
        code = error_memory(error);
    error_set_plain(&detail, APF_SAMPLE_OVERFLOW, "merge.function.count", NULL);
    error_add(&detail, " [the sum of all inputs is cut; this is the first one]");
    for (size_t i = 0; code == APF_OK && i < tops->list.n; i++) {
        const struct cut_top *top = &tops->list.data[i];
        code = report_function(r, top->input, top->context, 0, &detail, error);
    }
    return code;
}

int sample_report_saturated(const struct sample_finder *f, const struct apf_sample *s, uint64_t *n,
                            struct apf_error *error)
{
    struct reporter r = {.finder = f, .s = s};
    struct cut_tops tops = {{NULL, 0, 0}};
    bool any = false;
    *n = 0;
    for (size_t i = 0; i < s->nodes.n; i++)
        any |= is_cut(&s->nodes.data[i]);
    if (!any)
        return APF_OK;
    uint64_t *inputs = malloc(s->nodes.n * sizeof *inputs);
    int code = inputs && find_cut(s, inputs, &tops) ? APF_OK : error_memory(error);
    *n = tops.list.n;
    if (code == APF_OK && f->common->diag)
        code = report_cut(&r, &tops, error);
    free(inputs);
    VEC_FREE(&tops.list);
    close_reporter(&r);
    return code;
}
