/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/gcc_build.h"

#include <string.h>

#include "helpers/shared/unit.h"

const struct gb_layout gb_layouts[GB_LAYOUTS] = {
    {"1", 1, 0},
    {"704", GB_704, 0},
    {"2", 2, GB_BYTES},
    {"3a", 3, GB_BYTES | GB_FILES},
    {"3b", 3, GB_BYTES | GB_FILES | GB_SUMMARY},
    {"3", 3, GB_BYTES | GB_FILES | GB_SUMMARY | GB_TIMES},
};

static void append_bytes(struct apf_buffer *to, const void *p, size_t n)
{
    assert_int_equal(apf_buffer_write(to, p, n), 0);
}

void gb_word(struct apf_buffer *to, bool big, uint32_t v)
{
    uint8_t bytes[4];
    for (unsigned i = 0; i < 4; i++)
        bytes[big ? 3 - i : i] = (uint8_t)(v >> 8 * i);
    append_bytes(to, bytes, sizeof bytes);
}

void gb_counter(struct apf_buffer *to, bool big, uint64_t v)
{
    gb_word(to, big, (uint32_t)v);
    gb_word(to, big, (uint32_t)(v >> 32));
}

static void append_string(struct apf_buffer *to, const struct gb_profile *p, const char *text)
{
    size_t n = strlen(text);
    if (p->layout.form & GB_BYTES) {
        gb_word(to, p->big, (uint32_t)n + 1);
        append_bytes(to, text, n + 1);
        return;
    }
    gb_word(to, p->big, (uint32_t)n / 4 + 1);
    append_bytes(to, text, n);
    append_bytes(to, "\0\0\0\0", 4 - n % 4);
}

static void append_names(struct apf_buffer *to, const struct gb_profile *p)
{
    gb_word(to, p->big, 0xaa000000u);
    gb_word(to, p->big, p->names_length);
    if (p->layout.form & GB_FILES) {
        gb_word(to, p->big, p->n_files);
        for (uint32_t i = 0; i < p->n_files; i++)
            append_string(to, p, p->files[i]);
    }
    gb_word(to, p->big, p->n_names);
    for (uint32_t i = 0; i < p->n_names; i++) {
        append_string(to, p, p->names[i]);
        if (p->layout.form & GB_FILES)
            gb_word(to, p->big, p->name_files ? p->name_files[i] : UINT32_MAX);
    }
}

static void append_node(struct apf_buffer *to, const struct gb_profile *p, const struct gb_node *node)
{
    gb_word(to, p->big, node->name);
    gb_word(to, p->big, node->n_lines);
    gb_word(to, p->big, node->n_calls);
    for (uint32_t i = 0; i < node->n_lines; i++) {
        const struct gb_line *line = &node->lines[i];
        gb_word(to, p->big, line->line << 16 | line->discriminator);
        gb_word(to, p->big, line->n_targets);
        gb_counter(to, p->big, line->count);
        for (uint32_t k = 0; k < line->n_targets; k++) {
            gb_word(to, p->big, 7);
            gb_counter(to, p->big, line->targets[k].name);
            gb_counter(to, p->big, line->targets[k].count);
        }
    }
    for (uint32_t i = 0; i < node->n_calls; i++) {
        gb_word(to, p->big, node->calls[i].line << 16 | node->calls[i].discriminator);
        append_node(to, p, node->calls[i].callee);
    }
}

static void append_tail(struct apf_buffer *to, const struct gb_profile *p)
{
    if (p->tail == GB_NO_TAIL)
        return;
    gb_word(to, p->big, 0xae000000u);
    gb_word(to, p->big, p->modules_length);
    gb_word(to, p->big, 0);
    if (p->tail == GB_MODULES)
        return;
    gb_word(to, p->big, 0xaf000000u);
    gb_word(to, p->big, 384);
    for (unsigned i = 0; i < 128; i++) {
        gb_word(to, p->big, p->sets ? p->sets[i].n : 0);
        gb_counter(to, p->big, p->sets ? p->sets[i].min : 0);
    }
}

static void append_summary(struct apf_buffer *to, const struct gb_profile *p)
{
    const struct gb_summary *s = &p->summary;
    const uint64_t numbers[] = {s->total, s->max, s->max_head, s->n_counts, s->n_functions, s->n_rows};
    gb_word(to, p->big, 0xa8000000u);
    for (unsigned i = 0; i < COUNT(numbers); i++)
        gb_counter(to, p->big, numbers[i]);
    for (uint64_t i = 0; i < s->n_rows; i++) {
        gb_word(to, p->big, s->rows[i].cutoff);
        gb_counter(to, p->big, s->rows[i].min);
        gb_counter(to, p->big, s->rows[i].n);
    }
}

void gb_append(struct apf_buffer *to, const struct gb_profile *p)
{
    gb_word(to, p->big, 0x67636461u);
    gb_word(to, p->big, p->layout.word);
    gb_word(to, p->big, p->third);
    if (p->layout.form & GB_SUMMARY)
        append_summary(to, p);
    append_names(to, p);
    gb_word(to, p->big, 0xac000000u);
    gb_word(to, p->big, p->functions_length);
    gb_word(to, p->big, p->n_functions);
    for (uint32_t i = 0; i < p->n_functions; i++) {
        gb_counter(to, p->big, p->functions[i].head);
        if (p->layout.form & GB_TIMES)
            gb_counter(to, p->big, p->functions[i].time);
        append_node(to, p, p->functions[i].node);
    }
    append_tail(to, p);
}
