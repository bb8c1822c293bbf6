/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/sample_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/deflate.h"
#include "base/endian.h"
#include "base/leb128.h"
#include "sample/layout/sample_layout.h"

#include "helpers/shared/fault.h"

void sb_free(struct sb *b)
{
    VEC_FREE(b);
}

void sb_bytes(struct sb *b, const void *p, size_t n)
{
    assert_true(VEC_RESERVE(b, n + 1));
    if (n)
        memcpy(b->data + b->n, p, n);
    b->n += n;
}

void sb_number(struct sb *b, uint64_t v)
{
    uint8_t bytes[ULEB128_MAX];
    sb_bytes(b, bytes, uleb128_store(bytes, v));
}

void sb_numbers(struct sb *b, const uint64_t *numbers)
{
    while (*numbers != SB_END)
        sb_number(b, *numbers++);
}

void sb_word(struct sb *b, uint64_t v)
{
    uint8_t bytes[8];
    store64le(bytes, v);
    sb_bytes(b, bytes, sizeof bytes);
}

void sb_set_word(struct sb *b, size_t at, uint64_t v)
{
    assert_true(at + 8 <= b->n);
    store64le(b->data + at, v);
}

void sb_start(struct sb *b, uint8_t format, uint64_t version)
{
    sb_number(b, SAMPLE_MAGIC_TOP | format);
    sb_number(b, version);
}

void sb_names(struct sb *b, const char *names)
{
    size_t n = strlen(names), count = n != 0;
    for (size_t i = 0; i < n; i++)
        count += names[i] == ' ';
    sb_number(b, count);
    for (size_t i = 0; n && i <= n; i++)
        sb_bytes(b, names[i] == ' ' ? "" : names + i, 1);
}

void sb_summary(struct sb *b, uint64_t n_functions)
{
    SB_NUMBERS(b, 0, 0, 0, 0, n_functions, 0);
}

/* Appends a body, or what it is compressed to. */
static void append_body(struct sb *b, const struct sb_section *section)
{
    const struct sb *body = section->body;
    if (!body || !body->n)
        return;
    if (!(section->flags & SAMPLE_FLAG_COMPRESSED)) {
        sb_bytes(b, body->data, body->n);
        return;
    }
    size_t n = deflate_bound(body->n);
    uint8_t *stream = malloc(n);
    assert_non_null(stream);
    assert_true(deflate_compress(body->data, body->n, stream, &n));
    SB_NUMBERS(b, body->n, n);
    sb_bytes(b, stream, n);
    free(stream);
}

void sb_ext(struct sb *b, uint64_t version, const struct sb_section *sections, size_t n)
{
    size_t start = b->n;
    sb_start(b, 4, version);
    sb_word(b, n);
    size_t table = b->n;
    for (size_t i = 0; i < n; i++) {
        sb_word(b, sections[i].type);
        sb_word(b, sections[i].flags);
        sb_word(b, 0);
        sb_word(b, 0);
    }
    for (size_t i = 0; i < n; i++) {
        size_t at = b->n;
        append_body(b, &sections[i]);
        sb_set_word(b, table + 32 * i + 16, at - start);
        sb_set_word(b, table + 32 * i + 24, b->n - at);
    }
}

size_t sb_section_at(const struct sb *b, size_t i)
{
    return (size_t)load64le(b->data + SB_ENTRY(i) + 16);
}

/* ---- reading ---- */

const struct sample_read_options sample_no_limits = {
    .max_bytes = UINT64_MAX, .max_records = UINT64_MAX, .max_depth = SAMPLE_MAX_DEPTH};

struct apf_sample *sample_read_copy(sample_reader *reader, const void *p, size_t n,
                                    const struct sample_read_options *o, int *code, struct apf_error *error)
{
    uint8_t *copy = malloc(n ? n : 1);
    struct apf_sample *s = copy ? sample_new() : NULL;
    assert_non_null(s);
    memcpy(copy, p, n);
    *code = reader(s, copy, n, o ? o : &sample_no_limits, error);
    free(copy); /* before the profile is used: it has no pointer into it */
    return s;
}

struct apf_sample *sample_expect_text(sample_reader *reader, const void *p, size_t n,
                                      const struct sample_read_options *o, const char *text)
{
    struct apf_error error = {.code = 0};
    int code;
    struct apf_sample *s = sample_read_copy(reader, p, n, o, &code, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
    char *got = sample_as_text(s);
    assert_string_equal(got, text);
    free(got);
    return s;
}

void sample_refused(sample_reader *reader, const void *p, size_t n, int code, const char *where,
                    uint64_t offset, uint64_t found, uint64_t expected, const char *file, int line)
{
    struct apf_error e;
    int got;
    struct apf_sample *s = sample_read_copy(reader, p, n, NULL, &got, &e);
    sample_free(s);
    if (got == code && e.code == code && strcmp(e.where, where) == 0 && e.offset == offset &&
        e.found == found && e.expected == expected)
        return;
    print_error("%s:%d: %s: code %d at %s %llu, found %llu expected %llu: %s\n", file, line, __func__, got,
                got ? e.where : "", got ? (unsigned long long)e.offset : 0,
                got ? (unsigned long long)e.found : 0, got ? (unsigned long long)e.expected : 0,
                got ? e.message : "read");
    fail();
}

void sample_expect_progress(sample_reader *reader, const void *p, size_t n, uint64_t n_functions,
                            uint64_t end, uint64_t known)
{
    struct sample_progress progress = {77, 77, 77};
    struct sample_read_options o = sample_no_limits;
    struct apf_error e;
    int code;
    o.progress = &progress;
    sample_free(sample_read_copy(reader, p, n, &o, &code, &e));
    assert_true(apf_code_is_damage(code));
    assert_int_equal(progress.n_functions, n_functions);
    assert_int_equal(progress.end, end);
    assert_int_equal(progress.known, known);
    o.progress = NULL;
    o.max_functions = n_functions;
    if (!n_functions)
        return;
    struct apf_sample *s = sample_read_copy(reader, p, n, &o, &code, &e);
    assert_int_equal(code, APF_OK);
    assert_int_equal(s->info.n_functions, n_functions);
    sample_free(s);
}

/* Reads bytes that may be damaged, also as salvaging does. */
static void read_damaged(sample_reader *reader, const uint8_t *p, size_t n)
{
    struct apf_error error = {.code = -1};
    struct sample_progress progress = {0};
    struct sample_read_options o = sample_no_limits;
    int code;
    o.max_bytes = (uint64_t)1 << 24;
    o.progress = &progress;
    struct apf_sample *s = sample_read_copy(reader, p, n, &o, &code, &error);
    assert_int_equal(code, code == APF_OK ? APF_OK : error.code);
    assert_true(code == APF_OK || error.message[0]);
    assert_true(code == APF_OK || error.offset == UINT64_MAX || error.offset <= n);
    assert_true(progress.end <= n);
    sample_free(s);
    if (code == APF_OK || !progress.n_functions)
        return;
    o.progress = NULL;
    o.max_functions = progress.n_functions;
    s = sample_read_copy(reader, p, n, &o, &code, &error);
    assert_int_equal(code, APF_OK);
    assert_true(s->info.n_functions <= progress.n_functions && s->info.n_functions);
    sample_free(s);
}

void sample_sweep(sample_reader *reader, const void *p, size_t n)
{
    uint8_t *copy = malloc(n + 1);
    assert_non_null(copy);
    memcpy(copy, p, n);
    for (size_t i = 0; i <= n; i++)
        read_damaged(reader, copy, i);
    for (size_t i = 0; i < 8 * n; i++) {
        copy[i / 8] ^= (uint8_t)(1u << i % 8);
        read_damaged(reader, copy, n);
        copy[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    free(copy);
}

void sample_read_faults(sample_reader *reader, const void *p, size_t n)
{
    static const enum fault_call calls[] = {FAULT_MEMORY, FAULT_ARENA, FAULT_ZLIB};
    for (size_t i = 0; i < COUNT(calls); i++) {
        for (uint64_t k = 1;; k++) {
            struct apf_error error;
            struct apf_sample *s = sample_new();
            assert_non_null(s);
            fault_fail(calls[i], k, 12); /* ENOMEM */
            int code = reader(s, p, n, &sample_no_limits, &error);
            bool hit = fault_hit();
            fault_reset();
            sample_free(s);
            assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
            if (!hit)
                break;
            assert_int_equal(error.code, APF_NO_MEMORY);
        }
    }
}
