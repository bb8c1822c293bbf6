/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/memprof_build.h"

#include <string.h>

#include "helpers/shared/unit.h"

const struct mb_frame mb_frames[3] = {
    {MB_FIRST, 1, 2, 1}, {MB_SECOND, 0xffffffff, 0xfffffffe, 0}, {0x3333333333333333, 5, 6, 0}};

/* Numbers of frames. */
static const struct {
    uint8_t n, frames[3];
} stacks[] = {{2, {0, 1}}, {3, {0, 2, 1}}, {1, {1}}};

unsigned mb_bytes(uint64_t field)
{
    static const uint8_t wide[] = {2, 3, 4, 5, 10, 19, 20, 23, 27};
    for (size_t i = 0; i < COUNT(wide); i++)
        if (wide[i] == field)
            return 8;
    return 4;
}

uint64_t mb_value(uint64_t field, unsigned i)
{
    uint64_t v = 0x0101010101010101u * field + i;
    return mb_bytes(field) == 4 ? (uint32_t)v : v;
}

static void add(struct rb_file *file, unsigned bytes, uint64_t v)
{
    rb_append_zeros(file, bytes);
    rb_put(file, file->n - bytes, bytes, v);
}

static uint64_t frame_id(unsigned i)
{
    return 0xf0f0f0f000000000u + i;
}

static uint64_t stack_id(unsigned i)
{
    return 0xc0c0c0c000000000u + i;
}

static void add_frame(struct rb_file *file, unsigned i)
{
    add(file, 8, mb_frames[i].function);
    add(file, 4, mb_frames[i].line);
    add(file, 4, mb_frames[i].column);
    add(file, 1, mb_frames[i].is_inline);
}

static void add_path(struct rb_file *file, unsigned stack)
{
    for (unsigned i = 0; i < stacks[stack].n; i++)
        add(file, 8, frame_id(stacks[stack].frames[i]));
}

/* Offset of each stack in the array that add_arrays writes. */
static const uint8_t linear[] = {6, 0, 4};

static void add_stack(struct rb_file *file, const struct mb_section *s, unsigned stack)
{
    if (s->version >= 3) {
        add(file, 4, linear[stack]);
    } else if (s->version == 2) {
        add(file, 8, stack_id(stack));
    } else {
        add(file, 8, stacks[stack].n);
        add_path(file, stack);
    }
}

/* Writes the only bucket of a table. Returns the offset of the array of buckets. */
static size_t add_buckets(struct rb_file *file, size_t payload, unsigned n)
{
    rb_append_zeros(file, -file->n & 7);
    add(file, 8, 1);
    add(file, 8, n);
    add(file, 8, payload);
    return file->n - 24;
}

static size_t begin_item(struct rb_file *file, uint64_t key, bool key_size)
{
    add(file, 8, key);
    if (key_size)
        add(file, 8, 8);
    add(file, 8, 0);
    add(file, 8, key);
    return file->n;
}

static void end_item(struct rb_file *file, size_t data)
{
    rb_put(file, data - 16, 8, file->n - data);
}

static void add_records(struct rb_file *file, struct mb_section *s)
{
    static const uint64_t callees[] = MB_CALLEES;
    s->records = file->n;
    add(file, 2, 2);
    s->first = begin_item(file, MB_FIRST, true);
    add(file, 8, 2);
    for (unsigned i = 0; i < 2; i++) {
        add_stack(file, s, i);
        for (size_t f = 0; f < s->n_schema; f++)
            add(file, mb_bytes(s->schema[f]), mb_value(s->schema[f], i));
    }
    add(file, 8, 0);
    end_item(file, s->first);
    s->second = begin_item(file, MB_SECOND, true);
    add(file, 8, 0);
    add(file, 8, 2);
    for (unsigned i = 0; i < 2; i++) {
        add_stack(file, s, i == 0 ? 2 : 1);
        if (s->version < 4)
            continue;
        add(file, 8, i == 0 ? COUNT(callees) : 0);
        for (size_t c = 0; i == 0 && c < COUNT(callees); c++)
            add(file, 8, callees[c]);
    }
    end_item(file, s->second);
    s->record_table = add_buckets(file, s->records, 2);
}

static void add_tables(struct rb_file *file, struct mb_section *s)
{
    add_records(file, s);
    s->frames = file->n;
    add(file, 2, COUNT(mb_frames));
    for (unsigned i = 0; i < COUNT(mb_frames); i++) {
        size_t data = begin_item(file, frame_id(i), true);
        add_frame(file, i);
        end_item(file, data);
    }
    s->frame_table = add_buckets(file, s->frames, COUNT(mb_frames));
    rb_put(file, s->words, 8, s->record_table);
    rb_put(file, s->words + 8, 8, s->frames);
    rb_put(file, s->words + 16, 8, s->frame_table);
    if (s->version < 2)
        return;
    s->stacks = file->n;
    add(file, 2, COUNT(stacks));
    for (unsigned i = 0; i < COUNT(stacks); i++) {
        size_t data = begin_item(file, stack_id(i), false);
        add_path(file, i);
        end_item(file, data);
    }
    s->stack_table = add_buckets(file, s->stacks, COUNT(stacks));
    rb_put(file, s->words + 24, 8, s->stacks);
    rb_put(file, s->words + 32, 8, s->stack_table);
}

static void add_data(struct rb_file *file)
{
    static const char names[] = "sym\1a.h\1cold\1\1cold"; /* four strings, and the cold one again */
    add(file, 8, 4);
    add(file, 8, 1);
    add(file, 8, 2 + sizeof names - 1);
    add(file, 1, sizeof names - 1);
    add(file, 1, 0);
    rb_append_bytes(file, names, sizeof names - 1);
    rb_append_zeros(file, -(2 + sizeof names - 1) & 7);
    add(file, 8, 1);
    add(file, 8, MB_COLD_HASH);
    add(file, 8, 2);
    add(file, 8, MB_LITERAL);
    add(file, 1, 1);
    add(file, 8, 5);
    add(file, 8, 0);
    add(file, 8, 0);
    add(file, 1, 0);
    add(file, 8, 6);
    add(file, 8, 2);
    add(file, 8, 1);
    add(file, 4, 7);
    add(file, 8, 3);
    add(file, 4, 0xffffffff);
}

static void add_arrays(struct rb_file *file, struct mb_section *s)
{
    static const int32_t array[] = {3, 0, 2, -5, 1, -3, 2, 0, 1};
    s->frames = file->n;
    for (unsigned i = 0; i < COUNT(mb_frames); i++)
        add_frame(file, i);
    s->stacks = file->n;
    for (size_t i = 0; i < COUNT(array); i++)
        add(file, 4, (uint32_t)array[i]);
    rb_put(file, s->words, 8, s->stacks);
    rb_put(file, s->words + 8, 8, file->n);
    add_records(file, s);
    rb_put(file, s->words + 16, 8, s->record_table);
    if (s->version < 4)
        return;
    s->data = file->n;
    rb_put(file, s->words + 24, 8, s->data);
    add_data(file);
}

void mb_append(struct rb_file *file, void *section)
{
    static const uint8_t words[] = {3, 3, 5, 3, 4};
    struct mb_section *s = section;
    s->start = file->n;
    if (s->version)
        add(file, 8, s->version);
    s->words = file->n;
    rb_append_zeros(file, (size_t)8 * words[s->version]);
    s->summary = file->n;
    if (s->version == 4) { /* with a word more than there are today */
        add(file, 4, 7);
        for (unsigned i = 0; i < 7; i++)
            add(file, 8, 100 + i);
    }
    s->schema_at = file->n;
    add(file, 8, s->n_schema);
    for (size_t i = 0; i < s->n_schema; i++)
        add(file, 8, s->schema[i]);
    if (s->version >= 3)
        add_arrays(file, s);
    else
        add_tables(file, s);
    s->end = file->n;
}
