/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/text/sample_text_vtables.h"

#include "base/error.h"
#include "base/sort.h"

static bool line_before(const void *context, const void *a, const void *b)
{
    const struct sample_text_vtable_line *x = a, *y = b;
    (void)context;
    return x->node != y->node ? x->node < y->node : x->at < y->at;
}

static bool lists_equal(const struct apf_sample *s, const struct sample_text_vtable_line *a,
                        const struct sample_text_vtable_line *b)
{
    const struct sample_target *list = sample_vtables(&s->nodes.data[a->node])->data;
    if (a->n == 0 || a->node != b->node || a->at != b->at || a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (list[a->first + i].name != list[b->first + i].name ||
            list[a->first + i].count != list[b->first + i].count)
            return false;
    return true;
}

int sample_text_drop_repeated(struct apf_sample *s, struct sample_text_vtables *vtables,
                              struct apf_error *error)
{
    if (!SORT_VEC(&vtables->lines, line_before, NULL))
        return error_memory(error);
    for (size_t i = 1; i < vtables->lines.n; i++) {
        const struct sample_text_vtable_line *a = &vtables->lines.data[i - 1], *b = a + 1;
        if (!b->after_inlined || a->after_inlined || !lists_equal(s, a, b))
            continue;
        struct sample_target *list = s->nodes.data[b->node].extra->vtables.data;
        for (uint32_t k = 0; k < b->n; k++)
            list[b->first + k].count = 0;
        s->findings[SAMPLE_FINDING_REPEATED_VTABLES]++;
    }
    return APF_OK;
}
