/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_filter.h"

#include <stdlib.h>

#include "base/error.h"
#include "sample/model/sample_order.h"
#include "sample/model/sample_share.h"
#include "sample/model/sample_words.h"

/* ---- functions that are left out ---- */

/* sample_keep_tops for a profile whose nodes may be shared. */
static int keep_tops(struct apf_sample *s, const uint32_t *tops, size_t n, struct apf_error *error)
{
    int code = sample_share_nodes(s, error);
    return code == APF_OK ? sample_keep_tops(s, tops, n, error) : code;
}

int sample_filter(struct apf_sample *s, apf_name_filter_fn *filter, void *user, uint64_t *left_out,
                  struct apf_error *error)
{
    struct sample_order order = {0};
    struct sample_context_text text = {0};
    int code = sample_order_make(&order, s, error);
    size_t n = 0, tops = order.n_tops;
    for (size_t i = 0; code == APF_OK && i < tops; i++) {
        uint32_t node = order.tops[i];
        struct apf_str key = sample_context_text(&text, &s->contexts, &s->names, s->nodes.data[node].context);
        int wanted = key.p ? filter(user, key) : -1;
        if (wanted < 0)
            code = error_memory(error);
        else if (wanted)
            order.tops[n++] = node;
    }
    if (code == APF_OK)
        code = keep_tops(s, order.tops, n, error);
    *left_out = tops - n;
    sample_context_text_free(&text);
    sample_order_free(&order);
    return code;
}

/* ---- the limit of the size ---- */

/* The number of functions that LLVM keeps: as if the size were a quadratic function of it, at least one less. Where
 * LLVM gives up, since that is none, a single function may still be small enough. */
static size_t next_number(size_t n, uint64_t limit, uint64_t size)
{
    double ratio = (double)limit / (double)size;
    size_t next = (size_t)((double)n * ratio * ratio + 0.5);
    next = next < n ? next : n - 1;
    return next || n == 1 ? next : 1;
}

int sample_limit(struct apf_sample *s, uint64_t limit, sample_size_fn *size, void *context,
                 uint64_t *left_out, struct apf_error *error)
{
    struct sample_order order = {0};
    int code = sample_order_make(&order, s, error);
    size_t n = order.n_tops;
    uint64_t bytes = 0;
    if (code == APF_OK)
        code = size(context, s, &bytes, error);
    while (code == APF_OK && bytes > limit && n) {
        n = next_number(n, limit, bytes);
        code = keep_tops(s, order.tops, n, error);
        if (code == APF_OK && n)
            code = size(context, s, &bytes, error);
    }
    if (code == APF_OK && n == 0 && bytes > limit)
        code = error_subject(error,
                             error_plain(error, APF_SAMPLE_TOO_LARGE, "output.size_limit",
                                         "the limit is %llu bytes, and the output needs %llu%s",
                                         (unsigned long long)limit, (unsigned long long)bytes,
                                         order.n_tops ? " with a single function" : ""),
                             APF_SUBJECT_OPTION);
    *left_out = order.n_tops - n;
    sample_order_free(&order);
    return code;
}
