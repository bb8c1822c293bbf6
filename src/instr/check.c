/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/check.h"

#include <string.h>

/* ---- findings ---- */

void check_memory(struct check *c)
{
    if (c->code == APF_OK)
        c->code = error_memory(c->error);
}

/* The reader stops where something is wrong, and so knows of one place. */
static void note_place(struct check *c, const struct apf_error *e)
{
    if (c->refused && e->offset == c->refused->offset && strcmp(e->where, c->refused->where) == 0)
        c->told = true;
}

static void tell(struct check *c, int severity, struct apf_error *e)
{
    if (c->code != APF_OK)
        return;
    e->input = c->input;
    c->n[severity]++;
    if (severity == APF_SEVERITY_ERROR)
        note_place(c, e);
    struct apf_diag d = {severity, e->code, c->input, c->source, c->function, c->hash, e};
    c->code = error_tell(c->diag, c->user, &d, c->error);
}

/* NO_OFFSET: it is about no place. */
static void set_place(struct apf_error *e, int code, const char *where, uint64_t offset, const char *detail)
{
    if (offset == NO_OFFSET)
        error_set_plain(e, code, where, "%s", detail);
    else
        error_set_place(e, code, where, offset, detail);
}

void check_at(struct check *c, int severity, int code, struct error_at at, const char *detail)
{
    struct apf_error e;
    error_set_at(&e, code, at, "%s", detail);
    tell(c, severity, &e);
}

void check_bound(struct check *c, int severity, int code, struct error_at at, const char *detail)
{
    struct apf_error e;
    error_set_bound(&e, code, at, "%s", detail);
    tell(c, severity, &e);
}

void check_place(struct check *c, int severity, int code, const char *where, uint64_t offset,
                 const char *detail)
{
    struct apf_error e;
    set_place(&e, code, where, offset, detail);
    tell(c, severity, &e);
}

void check_failure(struct check *c, const struct apf_error *error)
{
    struct apf_error e = *error;
    if (e.code == APF_NO_MEMORY)
        check_memory(c);
    else
        tell(c, APF_SEVERITY_ERROR, &e);
}

void check_function(struct check *c, struct apf_str name, uint64_t hash)
{
    c->function = name;
    c->hash = hash;
}

void check_no_function(struct check *c)
{
    struct apf_str none = {NULL, 0};
    check_function(c, none, 0);
}

void check_count(struct check_tally *t, const struct check *c, const char *where, uint64_t offset)
{
    if (t->n++)
        return;
    t->at.where = where;
    t->at.offset = offset;
    t->function = c->function;
    t->hash = c->hash;
}

void check_tally_tell(struct check *c, const struct check_tally *t, int severity, int code,
                      const char *detail)
{
    struct apf_error e;
    if (t->n == 0)
        return;
    check_function(c, t->function, t->hash);
    set_place(&e, code, t->at.where, t->at.offset, detail);
    e.found = t->n;
    if (t->n > 1)
        error_add(&e, " (and %llu more)", (unsigned long long)t->n - 1);
    tell(c, severity, &e);
    check_no_function(c);
}

/* ---- the whole ---- */

int instr_check(struct check *c, const uint8_t *data, size_t n)
{
    struct apf_instr *instr = NULL;
    struct apf_instr_info glance = {0};
    struct apf_error refused;
    struct read_options options = *c->options;
    profile_glance(&glance, data, n);
    if (glance.format == APF_FORMAT_INDEXED)
        options.flags |= APF_FLAG_DROP_MEMPROF; /* indexed_check reads it by itself */
    int code = profile_read(&instr, data, n, &options, &refused);
    if (code == APF_NO_MEMORY) {
        check_memory(c);
        return c->code;
    }
    c->refused = code == APF_OK ? NULL : &refused;
    if (glance.format == APF_FORMAT_INDEXED)
        indexed_check(c, instr, data, n);
    else if (glance.format == APF_FORMAT_RAW)
        raw_check(c, instr, data, n);
    else if (glance.format == APF_FORMAT_TEXT && !instr)
        text_check(c, data, n);
    check_no_function(c);
    if (instr)
        profile_check(c, instr);
    else if (!c->told)
        check_failure(c, &refused);
    profile_free(instr);
    c->refused = NULL;
    return c->code;
}
