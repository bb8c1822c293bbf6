/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/inputs_partial.h"

#include "base/error.h"

/* ---- errors ---- */

static void write_cstring(struct partial_writer *file, const char *text)
{
    partial_text(file, (struct apf_str){text, strlen(text)});
}

void partial_write_error(struct partial_writer *file, const struct apf_error *e)
{
    partial_number(file, (uint32_t)e->code);
    partial_number(file, (uint32_t)e->sys_errno);
    partial_number(file, e->offset + 1); /* mostly 0: there is none */
    partial_number(file, e->found);
    partial_number(file, e->expected);
    partial_number(file, e->line);
    partial_number(file, e->column);
    partial_number(file, e->subject);
    write_cstring(file, e->where);
    write_cstring(file, e->message);
    write_cstring(file, e->file);
}

/* Reads a number of at most 31 bits. */
static uint32_t read_small(struct partial_reader *file)
{
    return (uint32_t)partial_read_below(&file->c, (uint64_t)INT32_MAX + 1);
}

/* Reads a text that fits into `size` bytes with a 0 after it. */
static void read_into(struct partial_reader *file, char *to, size_t size)
{
    const struct apf_str text = partial_read_text(file);
    file->c.failed |= text.n >= size;
    const size_t n = file->c.failed ? 0 : text.n;
    if (n)
        memcpy(to, text.p, n);
    to[n] = '\0';
}

int partial_read_error(struct partial_reader *file, struct arena *arena, struct apf_error *e,
                       struct apf_error *error)
{
    *e = (struct apf_error){.code = (int32_t)read_small(file)};
    e->sys_errno = (int32_t)read_small(file);
    e->offset = cursor_uleb128(&file->c) - 1;
    e->found = cursor_uleb128(&file->c);
    e->expected = cursor_uleb128(&file->c);
    e->line = read_small(file);
    e->column = read_small(file);
    e->subject = read_small(file);
    const struct apf_str where = partial_read_text(file);
    read_into(file, e->message, sizeof e->message);
    read_into(file, e->file, sizeof e->file);
    int code = partial_check(file, "partial.error", error);
    if (code == APF_OK && (e->code == APF_OK || e->subject > APF_SUBJECT_MEMPROF))
        code = partial_wrong(file, "partial.error", "an error cannot be as this one", error);
    e->where = code == APF_OK ? arena_text(arena, where.p ? where.p : "", where.n) : NULL;
    return code == APF_OK && !e->where ? error_memory(error) : code;
}

/* ---- an input ---- */

/* Which errors an input has. */
#define HAS_ERROR 1u
#define HAS_DAMAGE 2u
#define IS_SEVERAL 4u /* it stands for inputs without names */
#define HAS_ALL 7u

void partial_write_kept(struct partial_writer *file, const struct kept_input *kept)
{
    partial_text(file, kept->name);
    partial_number(file, (uint32_t)kept->code);
    partial_number(file, kept->weight);
    partial_number(file, (kept->error ? HAS_ERROR : 0) | (kept->damage ? HAS_DAMAGE : 0) |
                             (kept->unnamed ? IS_SEVERAL : 0));
    if (kept->unnamed)
        partial_number(file, kept->n_inputs);
    if (kept->error)
        partial_write_error(file, kept->error);
    if (kept->damage)
        partial_write_error(file, kept->damage);
}

static int read_error(struct partial_reader *file, struct arena *arena, const struct apf_error **to,
                      struct apf_error *error)
{
    struct apf_error *e = arena_alloc(arena, sizeof *e);
    *to = e;
    return e ? partial_read_error(file, arena, e, error) : error_memory(error);
}

int partial_read_kept(struct partial_reader *file, struct arena *arena, struct kept_input *kept,
                      struct apf_error *error)
{
    *kept = (struct kept_input){.name = partial_read_text(file)};
    kept->code = (int)read_small(file);
    kept->weight = cursor_uleb128(&file->c);
    const uint64_t has = cursor_uleb128(&file->c);
    kept->unnamed = has & IS_SEVERAL;
    kept->n_inputs = kept->unnamed ? cursor_uleb128(&file->c) : 1;
    int code = partial_check(file, "partial.input", error);
    const bool lost = kept->code != APF_OK;
    if (code == APF_OK &&
        (has > HAS_ALL || kept->weight == 0 || kept->n_inputs == 0 || kept->n_inputs > INPUTS_MOST ||
         (lost != (bool)(has & HAS_ERROR)) || (kept->unnamed && has & HAS_DAMAGE)))
        code = partial_wrong(file, "partial.input", "an input cannot be as this one", error);
    if (code == APF_OK && !(kept->name.p = arena_text(arena, kept->name.p, kept->name.n)))
        code = error_memory(error);
    if (code == APF_OK && has & HAS_ERROR)
        code = read_error(file, arena, &kept->error, error);
    if (code == APF_OK && kept->error && kept->error->code != kept->code)
        code = partial_wrong(file, "partial.input", "an input cannot be as this one", error);
    if (code == APF_OK && has & HAS_DAMAGE)
        code = read_error(file, arena, &kept->damage, error);
    return code;
}

/* ---- slices ---- */

int partial_take_slice(struct apf_slice *slice, const struct apf_slice *wanted, size_t *given,
                       struct apf_error *error)
{
    const uint32_t n = wanted->n > 1 ? wanted->n : 0;
    if (slice->n == 1)
        *slice = (struct apf_slice){0, 0};
    if (n && (slice->n != n || slice->number != wanted->number))
        return error_plain(error, APF_UNSUPPORTED, "partial.slice", "it is not slice %u of %u",
                           wanted->number, n);
    if (n)
        *slice = (struct apf_slice){0, 0};
    if (slice->number <= *given) /* else those before it are missing, which is noticed when it is committed */
        *given -= slice->number;
    return APF_OK;
}

/* ---- a profile of it ---- */

int partial_first_error(const struct inputs *in, int code, struct apf_error *error)
{
    const struct kept_input *first = in->list.n ? &in->list.data[0] : NULL;
    if (!first || !first->error)
        return error_plain(error, code, "partial.input", "it stands for empty inputs");
    if (error)
        *error = *first->error;
    return first->code;
}

int partial_report_lost(const struct inputs *in, const struct apf_options *options, struct apf_error *error)
{
    for (size_t i = 0; options->diag && i < in->list.n; i++) {
        const struct kept_input *input = &in->list.data[i];
        const struct apf_diag diag = {.severity = APF_SEVERITY_WARNING,
                                      .code = input->code,
                                      .source = input->name,
                                      .input = i,
                                      .error = input->error};
        if (input->error && options->diag(options->user, &diag) != 0)
            return error_plain(error, APF_STOPPED, "partial.input", NULL);
    }
    return APF_OK;
}
