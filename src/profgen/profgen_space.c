/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_space.h"

void profgen_space_forget(struct profgen_space *s)
{
    s->ours = s->other = (struct profgen_mapping){0, 0, 0};
}

int profgen_space_translate(struct profgen_space *s, uint64_t address, uint64_t *to, struct apf_error *error)
{
    if (profgen_mapping_translate(&s->ours, &s->other, address, to))
        return APF_OK;
    int code = s->look_up(s->user, s, address, error);
    profgen_mapping_translate(&s->ours, &s->other, address, to);
    return code;
}

/* Translates a branch that is not in the mappings which are known. */
static NO_INLINE int look_up_branch(struct profgen_space *s, const struct apf_perf_branch *branch,
                                    struct address_pair *to, struct apf_error *error)
{
    int code = profgen_space_translate(s, branch->from, &to->a, error);
    return code == APF_OK ? profgen_space_translate(s, branch->to, &to->b, error) : code;
}

int profgen_space_branches(struct profgen_space *s, const struct apf_perf_branch *branches, size_t n,
                           struct address_pair *to, struct apf_error *error)
{
    struct profgen_mapping ours = s->ours, other = s->other;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        to[i].context = 0;
        if (LIKELY(profgen_mapping_translate(&ours, &other, branches[i].from, &to[i].a) &&
                   profgen_mapping_translate(&ours, &other, branches[i].to, &to[i].b)))
            continue;
        code = look_up_branch(s, &branches[i], &to[i], error);
        ours = s->ours;
        other = s->other;
    }
    return code;
}
