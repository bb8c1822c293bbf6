/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/partial/partial_names.h"

#include "base/error.h"
#include "base/md5.h"

void partial_write_name(struct partial_names_writer *w, const struct symbol *name)
{
    partial_number(w->file, name->id - w->last);
    partial_number(w->file, name->flags);
    partial_text(w->file, (struct apf_str){name->p, name->n});
    partial_end_record(w->file);
    w->last = name->id;
}

int partial_read_name(struct partial_names_reader *r, struct symbol *name, bool *more,
                      struct apf_error *error)
{
    int code = partial_next(r->file, r->section, more, error);
    if (code != APF_OK || !*more)
        return code;
    const uint64_t step = cursor_uleb128(&r->file->c), flags = cursor_uleb128(&r->file->c);
    const struct apf_str text = partial_read_text(r->file);
    code = partial_check(r->file, "partial.name", error);
    if (code != APF_OK)
        return code;
    if (flags == 0 || flags > UINT32_MAX || text.n > UINT32_MAX)
        return partial_wrong(r->file, "partial.name", "a name cannot be as this one", error);
    if (r->any && (step == 0 || step > UINT64_MAX - r->last))
        return partial_wrong(r->file, "partial.name", "names are not in order", error);
    *name = (struct symbol){r->last + step, text.p, (uint32_t)text.n, (uint32_t)flags};
    if (text.n && !r->trusts && md5_name_ref(text.p, text.n) != name->id)
        return partial_wrong(r->file, "partial.name", "the id is not that of the name", error);
    r->last = name->id;
    r->any = true;
    return APF_OK;
}
