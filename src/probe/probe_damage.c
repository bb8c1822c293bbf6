/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports damage of a file that is opened: an error, or a finding if the reader keeps going. */
#include "base/error.h"
#include "probe/probe_model.h"

int probe_damage(struct probe_reader *r, const struct apf_error *damage)
{
    if (!r->keep_going) {
        if (r->error)
            *r->error = *damage;
        return damage->code;
    }
    if (!VEC_PUSH(&r->probes->damages, *damage))
        return error_memory(r->error);
    struct apf_diag d = {APF_SEVERITY_ERROR, damage->code, UINT64_MAX, r->source, {NULL, 0}, 0, damage};
    return error_report_diag(r->options->diag, r->options->user, &d, r->error);
}

int probe_damage_in(struct probe_reader *r, const struct probe_section *section, struct apf_error *damage)
{
    if (r->several[section->has_descs])
        error_add(damage, " (section %u)", (unsigned)section->index);
    return probe_damage(r, damage);
}

int probe_damage_of_file(struct probe_reader *r, const struct apf_error *failure)
{
    bool ends = failure->code == APF_NO_MEMORY || failure->code == APF_IO || failure->code == APF_LIMIT;
    if (!ends)
        return probe_damage(r, failure);
    if (r->error)
        *r->error = *failure;
    return failure->code;
}
