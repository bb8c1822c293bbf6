/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_target.h"

int profgen_target_add(const struct profgen_target *t, const struct profgen_sample *sample, bool called,
                       struct apf_error *error)
{
    struct profgen_sample followed = *sample;
    int code = t->follower ? profgen_follow(t->follower, sample, &followed, error) : APF_OK;
    if (code != APF_OK)
        return code;
    return called ? profgen_traces_add_called(t->traces, t->program, &followed, t->ignore_calls, error)
                  : profgen_traces_add(t->traces, t->program, &followed, error);
}

int profgen_target_hit(struct profgen_target *t, uint64_t address, uint64_t count, uint64_t time,
                       struct apf_error *error)
{
    uint64_t hit = t->follower ? profgen_follow_address(t->follower, address) : address;
    return profgen_is_outside(hit) ? APF_OK : profgen_hits_add(t->hits, hit, count, time, error);
}
