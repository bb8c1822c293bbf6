/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw binary: magic, version, summary, names and functions, one after the other. */
#include "sample/binary/sample_binary_read.h"

#include "base/error.h"
#include "sample/binary/sample_start.h"
#include "sample/layout/sample_layout.h"

#define WHERE_FUNCTION "sample.binary.function"

bool sample_binary_begins(const uint8_t *data, size_t n)
{
    return sample_start_is(data, n, SAMPLE_MAGIC_BINARY);
}

/* ---- version 100: names instead of their numbers, nothing inlined ---- */

/* Reads a name, and adds it to the profile. */
static int read_name(struct sample_decoder *d, uint32_t *name, struct apf_error *error)
{
    struct apf_str text;
    int code = sample_decode_text(d, &text, error);
    return code == APF_OK ? sample_names_add(&d->s->names, text, SAMPLE_NONE, true, name, error) : code;
}

static int read_targets(struct sample_decoder *d, uint32_t node, uint64_t at, uint32_t n,
                        struct apf_error *error)
{
    int code = APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < n; i++) {
        uint32_t name;
        code = read_name(d, &name, error);
        if (code != APF_OK)
            return code;
        uint64_t count = sample_decode_number(d);
        code = d->c.failed ? sample_decode_cut(d, "count of a target", error)
                           : sample_append_target(d->s, node, at, name, count, error);
    }
    return code;
}

static int read_line(struct sample_decoder *d, uint32_t node, struct apf_error *error)
{
    const uint8_t *start = d->c.p;
    uint32_t n;
    uint64_t line = sample_decode_number(d), discriminator = sample_decode_number(d),
             count = sample_decode_number(d);
    int code = sample_decode_count32(d, &n, 2, "number of targets", error);
    if (code != APF_OK)
        return code;
    if (line > SAMPLE_MAX_LINE) {
        d->c.p = start;
        return sample_decode_bound(d, APF_SAMPLE_LINE_OFFSET, line, SAMPLE_MAX_LINE, "line offset", error);
    }
    uint64_t at = sample_place((uint32_t)line, (uint32_t)discriminator & d->mask);
    code = sample_append_line(d->s, node, at, count, error);
    return code == APF_OK ? read_targets(d, node, at, n, error) : code;
}

static int read_old_function(struct sample_decoder *d, struct apf_error *error)
{
    const uint8_t *start = d->c.p;
    uint32_t name, context, node, total = 0, head = 0, n = 0;
    int code = read_name(d, &name, error);
    if (code == APF_OK)
        code = sample_decode_u32(d, &total, "total of a function", error);
    if (code == APF_OK)
        code = sample_decode_u32(d, &head, "head of a function", error);
    if (code == APF_OK)
        code = sample_decode_count32(d, &n, 4, "number of lines", error);
    if (code == APF_OK)
        code = sample_contexts_base(&d->s->contexts, name, &context, error);
    if (code == APF_OK)
        code = sample_decode_top(d, context, head, &node, error);
    if (code == APF_OK)
        code = sample_origin(d->s, node, sample_decode_offset(d, start), error);
    if (code != APF_OK)
        return code;
    struct sample_node *f = &d->s->nodes.data[node];
    f->total = sample_sum(f->total, total, 1, &d->s->n_saturated);
    for (uint32_t i = 0; code == APF_OK && i < n; i++)
        code = read_line(d, node, error);
    return code;
}

/* ---- the file ---- */

static int read_parts(struct sample_decoder *d, struct apf_error *error)
{
    const struct sample_version *version;
    int code = sample_start_read(d, APF_SAMPLE_BINARY, &version, error);
    if (code == APF_OK && version->caps & SAMPLE_CAP_SUMMARY) {
        d->where = "sample.binary.summary";
        code = sample_decode_summary(d, error);
    }
    if (code == APF_OK && version->caps & SAMPLE_CAP_NAMES) {
        d->where = "sample.binary.names";
        code = sample_decode_names(d, error);
        if (code == APF_OK)
            code = sample_decode_adopt(d, error);
        if (code == APF_OK)
            code = sample_decode_intern(d, error);
    }
    d->where = WHERE_FUNCTION;
    if (code != APF_OK)
        return code;
    d->progress.end = cursor_offset(&d->c);
    return sample_decode_functions(
        d, version->caps & SAMPLE_CAP_INLINED ? sample_decode_function : read_old_function, error);
}

int sample_binary_read(struct apf_sample *s, const uint8_t *data, size_t n,
                       const struct sample_read_options *o, struct apf_error *error)
{
    struct sample_decoder d = sample_start(s, data, n, o);
    s->info.flags |= o->fs ? APF_SAMPLE_FS : 0;
    d.mask = o->fs && o->discriminator ? o->discriminator : UINT32_MAX;
    int code = read_parts(&d, error);
    return sample_start_end(&d, code, error);
}
