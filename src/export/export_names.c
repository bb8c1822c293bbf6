/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export/export_names.h"

#include "base/decimal.h"
#include "base/error.h"

struct apf_str export_name_of(struct export_names *names, const struct apf_export_frame *frame)
{
    if (frame->function.n)
        return frame->function;
    char *p = names->unknown;
    const size_t n = hex_digits(frame->id);
    memset(p, '0', sizeof names->unknown);
    p[1] = 'x';
    (void)hex_store((uint8_t *)p + 2 + HEX_MAX - n, frame->id);
    return (struct apf_str){p, 2 + HEX_MAX};
}

/* Asks for a new name. */
static int ask(struct export_names *names, struct apf_str name, struct apf_error *error)
{
    const struct apf_str shown = names->show(names->user, name);
    char *copy = (char *)arena_bytes(&names->names.set.arena, shown.n);
    if (!copy || !VEC_RESERVE(&names->shown, 1))
        return error_memory(error);
    if (shown.n)
        memcpy(copy, shown.p, shown.n);
    names->shown.data[names->shown.n++] = (struct apf_str){copy, shown.n};
    return APF_OK;
}

int export_name(struct export_names *names, const struct apf_export_frame *frame, struct apf_str *shown,
                struct apf_error *error)
{
    uint32_t number;
    *shown = export_name_of(names, frame);
    if (!names->show || !frame->function.n)
        return APF_OK;
    int code = numbered_texts_add(&names->names, *shown, names->stay, &number, error);
    if (code == APF_OK && number == names->shown.n)
        code = ask(names, *shown, error);
    if (code == APF_OK)
        *shown = names->shown.data[number];
    return code;
}

int export_local_name(struct export_names *names, const struct apf_export_frame *frame, struct apf_str *shown,
                      struct apf_error *error)
{
    const struct apf_str file = frame->file;
    const int code = export_name(names, frame, shown, error);
    if (code != APF_OK || file.n == 0)
        return code;
    names->local.n = 0;
    if (!VEC_RESERVE(&names->local, file.n + 1 + shown->n)) /* both are in memory: the sum is no overflow */
        return error_memory(error);
    memcpy(names->local.data, file.p, file.n);
    names->local.data[file.n] = ':';
    if (shown->n)
        memcpy(names->local.data + file.n + 1, shown->p, shown->n);
    names->local.n = file.n + 1 + shown->n;
    *shown = (struct apf_str){names->local.data, names->local.n};
    return APF_OK;
}

void export_names_free(struct export_names *names)
{
    VEC_FREE(&names->local);
    numbered_texts_free(&names->names);
    VEC_FREE(&names->shown);
}
