/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The contents of features. */
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "perf/perf_decode.h"
#include "perf/perf_header.h"

/* A string: its length, which counts zeros at its end, and its bytes. */
static struct apf_str read_string(struct cursor *c)
{
    struct apf_str text = {NULL, 0};
    uint64_t n = cursor_u32(c);
    const uint8_t *p = cursor_bytes(c, n);
    if (!p)
        return text;
    const uint8_t *zero = n ? memchr(p, 0, (size_t)n) : NULL;
    text.p = (const char *)p;
    text.n = zero ? (size_t)(zero - p) : (size_t)n;
    return text;
}

static int keep_string(struct perf_feature_reader *r, struct cursor *c, struct apf_str *to,
                       struct apf_error *error)
{
    struct apf_str text = read_string(c);
    if (c->failed || to->p)
        return APF_OK;
    text.p = arena_text(r->arena, text.p, text.n);
    if (!text.p)
        return error_memory(error);
    *to = text;
    return APF_OK;
}

/* The words of a command line, as one text. */
static int read_command(struct perf_feature_reader *r, struct cursor *c, struct apf_error *error)
{
    uint32_t n = cursor_u32(c);
    if (r->facts->command.p)
        return APF_OK;
    char *text = arena_bytes(r->arena, cursor_left(c) + 1);
    size_t at = 0;
    if (!text)
        return error_memory(error);
    for (uint32_t i = 0; i < n; i++) {
        struct apf_str word = read_string(c);
        if (c->failed)
            break;
        if (at)
            text[at++] = ' ';
        memcpy(text + at, word.p,
               word.n); /* each has a length of 4 bytes before it, which pays for the blank */
        at += word.n;
    }
    r->facts->command = (struct apf_str){text, at};
    return APF_OK;
}

/* Names of events; each event is known by the first of its ids, or by its place. */
static int read_events(struct perf_feature_reader *r, struct cursor *c, struct apf_error *error)
{
    uint32_t n = cursor_u32(c), size = cursor_u32(c);
    int code = APF_OK;
    for (uint32_t i = 0; i < n && code == APF_OK && !c->failed; i++) {
        cursor_skip(c, size);
        uint32_t n_ids = cursor_u32(c);
        struct apf_str name = read_string(c);
        const uint8_t *ids = cursor_array(c, n_ids, 8);
        uint32_t attr = ids && n_ids ? perf_attrs_find(r->attrs, load64(ids, r->swap)) : i;
        if (ids && attr < r->attrs->list.n)
            code = perf_attrs_name(r->attrs, attr, name, error);
    }
    return code;
}

/* A sequence of records, whose type may be anything. */
static int read_build_ids(struct perf_feature_reader *r, struct cursor *c, struct apf_error *error)
{
    int code = APF_OK;
    while (code == APF_OK && cursor_left(c)) {
        const uint8_t *p = cursor_bytes(c, PERF_HEADER_BYTES);
        uint16_t misc = p ? load16(p + 4, r->swap) : 0, n = p ? load16(p + 6, r->swap) : 0;
        struct perf_record record = {.kind = PERF_BUILD_ID};
        if (n < PERF_HEADER_BYTES || !cursor_bytes(c, n - PERF_HEADER_BYTES) ||
            !perf_decode_build_id(p, n, misc, &record)) {
            c->failed = true;
            break;
        }
        code = r->visit(r->user, &record, error);
    }
    return code;
}

/* Where the text of a feature belongs; NULL: it is no text, or of no use. */
static struct apf_str *text_of(struct perf_facts *f, uint64_t feature)
{
    return feature == PERF_FEATURE_HOSTNAME    ? &f->hostname
           : feature == PERF_FEATURE_OSRELEASE ? &f->release
           : feature == PERF_FEATURE_VERSION   ? &f->version
           : feature == PERF_FEATURE_ARCH      ? &f->arch
           : feature == PERF_FEATURE_CPUDESC   ? &f->cpu
           : feature == PERF_FEATURE_CPUID     ? &f->cpu_id
                                               : NULL;
}

bool perf_feature_has_content(uint64_t feature)
{
    struct perf_facts facts;
    return text_of(&facts, feature) || feature == PERF_FEATURE_CMDLINE ||
           feature == PERF_FEATURE_EVENT_DESC || feature == PERF_FEATURE_BUILD_ID;
}

int perf_feature_read(struct perf_feature_reader *r, uint64_t feature, const uint8_t *p, size_t n,
                      struct apf_error *error)
{
    struct cursor c = cursor_make(p, n, r->swap);
    struct perf_facts *f = r->facts;
    f->has_aux |= feature == PERF_FEATURE_AUXTRACE;
    f->has_stat |= feature == PERF_FEATURE_STAT;
    struct apf_str *text = text_of(f, feature);
    int code = text ? keep_string(r, &c, text, error) : APF_OK;
    if (feature == PERF_FEATURE_CMDLINE)
        code = read_command(r, &c, error);
    else if (feature == PERF_FEATURE_EVENT_DESC)
        code = read_events(r, &c, error);
    else if (feature == PERF_FEATURE_BUILD_ID)
        code = read_build_ids(r, &c, error);
    r->n_bad += c.failed;
    return code;
}
