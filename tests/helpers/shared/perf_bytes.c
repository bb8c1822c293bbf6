/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/perf_bytes.h"

#include <stdlib.h>
#include <string.h>

void pb_free(struct pb *b)
{
    free(b->p);
    *b = (struct pb){.big = b->big};
}

void pb_bytes(struct pb *b, const void *p, size_t n)
{
    if (b->room - b->n < n) {
        b->room = 2 * b->room + n;
        b->p = realloc(b->p, b->room);
        assert_non_null(b->p);
    }
    if (n)
        memcpy(b->p + b->n, p, n);
    b->n += n;
}

void pb_zeros(struct pb *b, size_t n)
{
    static const uint8_t zeros[64];
    for (; n > sizeof zeros; n -= sizeof zeros)
        pb_bytes(b, zeros, sizeof zeros);
    pb_bytes(b, zeros, n);
}

static void put_number(uint8_t *to, uint64_t v, size_t n, bool big)
{
    for (size_t i = 0; i < n; i++)
        to[big ? n - 1 - i : i] = (uint8_t)(v >> (8 * i));
}

static void add_number(struct pb *b, uint64_t v, size_t n)
{
    uint8_t bytes[8];
    put_number(bytes, v, n, b->big);
    pb_bytes(b, bytes, n);
}

void pb_8(struct pb *b, uint8_t v)
{
    add_number(b, v, 1);
}

void pb_16(struct pb *b, uint16_t v)
{
    add_number(b, v, 2);
}

void pb_32(struct pb *b, uint32_t v)
{
    add_number(b, v, 4);
}

void pb_64(struct pb *b, uint64_t v)
{
    add_number(b, v, 8);
}

void pb_put_64(struct pb *b, size_t at, uint64_t v)
{
    assert_true(at + 8 <= b->n);
    put_number(b->p + at, v, 8, b->big);
}

void pb_name(struct pb *b, const char *name)
{
    size_t n = strlen(name);
    pb_bytes(b, name, n);
    pb_zeros(b, 8 - n % 8);
}

void pb_string(struct pb *b, const char *text, size_t n)
{
    size_t length = strlen(text);
    assert_true(length <= n);
    pb_32(b, (uint32_t)n);
    pb_bytes(b, text, length);
    pb_zeros(b, n - length);
}

void pb_begin(struct pb *b, uint32_t type, uint16_t misc)
{
    b->record = b->n;
    pb_32(b, type);
    pb_16(b, misc);
    pb_16(b, 0);
}

void pb_end(struct pb *b)
{
    assert_true(b->n - b->record <= UINT16_MAX);
    put_number(b->p + b->record + 6, b->n - b->record, 2, b->big);
}

void pb_filler(struct pb *b, uint32_t type, uint16_t n, uint64_t seed)
{
    pb_begin(b, type, (uint16_t)seed);
    for (size_t i = 8; i < n; i++)
        pb_8(b, (uint8_t)(seed + i));
    pb_end(b);
}

void pb_attr(struct pb *b, const struct pb_attr *a)
{
    size_t start = b->n, size = a->size > 64 ? a->size : 64;
    uint64_t flags = b->big ? 0 : a->flags;
    for (unsigned i = 0; b->big && i < 64; i++)
        flags |= (a->flags >> i & 1) << (63 - i);
    pb_32(b, a->type);
    pb_32(b, a->size);
    pb_64(b, a->config);
    pb_64(b, a->period);
    pb_64(b, a->sample_type);
    pb_64(b, a->read_format);
    pb_64(b, flags);
    pb_zeros(b, 72 - 48);
    pb_64(b, a->branch_type);
    pb_64(b, a->regs_user);
    pb_zeros(b, 8);
    pb_64(b, a->regs_intr);
    if (b->n - start < size)
        pb_zeros(b, size - (b->n - start));
    b->n = start + size;
}

static size_t attr_bytes(const struct pb_file *f)
{
    return f->attrs[0].size > 64 ? f->attrs[0].size : 64;
}

size_t pb_data_at(const struct pb_file *f)
{
    return 104 + f->n_attrs * ((f->ids ? 8 : 0) + attr_bytes(f) + 16);
}

static void add_header(struct pb *b, const struct pb_file *f)
{
    size_t ids = f->ids ? 8 * f->n_attrs : 0, entry = attr_bytes(f) + 16;
    uint64_t bits[4] = {0};
    for (size_t i = 0; i < f->n_features; i++)
        bits[f->features[i].number / 64] |= (uint64_t)1 << (f->features[i].number % 64);
    pb_bytes(b, b->big ? "2ELIFREP" : "PERFILE2", 8);
    pb_64(b, 104);
    pb_64(b, entry);
    pb_64(b, 104 + ids);
    pb_64(b, f->n_attrs * entry);
    pb_64(b, pb_data_at(f));
    pb_64(b, f->records->n);
    pb_zeros(b, 16);
    for (size_t i = 0; i < 4; i++)
        pb_64(b, bits[i]);
}

void pb_make_file(struct pb *b, const struct pb_file *f)
{
    add_header(b, f);
    for (size_t i = 0; f->ids && i < f->n_attrs; i++)
        pb_64(b, f->ids[i]);
    for (size_t i = 0; i < f->n_attrs; i++) {
        pb_attr(b, &f->attrs[i]);
        pb_64(b, f->ids ? 104 + 8 * i : 0);
        pb_64(b, f->ids ? 8 : 0);
    }
    pb_bytes(b, f->records->p, f->records->n);
    size_t at = b->n + 16 * f->n_features;
    for (size_t i = 0; i < f->n_features; at += f->features[i++].content->n) {
        pb_64(b, at);
        pb_64(b, f->features[i].content->n);
    }
    for (size_t i = 0; i < f->n_features; i++)
        pb_bytes(b, f->features[i].content->p, f->features[i].content->n);
}

void pb_make_pipe(struct pb *b, const struct pb_attr *attrs, const uint64_t *ids, size_t n)
{
    pb_bytes(b, b->big ? "2ELIFREP" : "PERFILE2", 8);
    pb_64(b, 16);
    for (size_t i = 0; i < n; i++) {
        pb_begin(b, 64, 0);
        pb_attr(b, &attrs[i]);
        if (ids)
            pb_64(b, ids[i]);
        pb_end(b);
    }
}
