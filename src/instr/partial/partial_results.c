/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/partial/partial_results.h"

#include <string.h>

#include "base/error.h"
#include "instr/partial/partial_classes.h"

#define HAS_HOLLOW 1u
#define HAS_BIG_ENDIAN 2u
#define HAS_SALVAGE 4u
#define HAS_LOST_KNOWN 8u
#define HAS_ALL 15u

/* Numbers of a result that are not 0 only if something was read. */
#define RESULT_NUMBERS(X) X(n_profiles) X(n_records) X(n_counters) X(sum_of_counts)

/* Numbers of a salvage. */
#define SALVAGE_NUMBERS(X) X(functions) X(lost_functions) X(values) X(lost_values) X(nameless)

/* ---- writing ---- */

static void write_salvage(struct partial_writer *file, const struct partial_input *input)
{
    const struct apf_salvage *s = input->salvage;
#define WRITE_NUMBER(field) partial_number(file, s->field);
    SALVAGE_NUMBERS(WRITE_NUMBER)
#undef WRITE_NUMBER
    partial_number(file, s->lost_sections);
    for (uint64_t i = 0; i < s->nameless; i++)
        partial_fixed(file, input->nameless[i]);
}

void partial_write_input(struct partial_writer *file, const struct partial_input *input)
{
    const struct apf_input_result *r = &input->result;
    const struct apf_salvage *s = input->salvage;
    partial_write_kept(file, &input->kept);
    partial_number(file, (input->hollow ? HAS_HOLLOW : 0) | (r->big_endian ? HAS_BIG_ENDIAN : 0) |
                             (s ? HAS_SALVAGE : 0) | (s && s->lost_known ? HAS_LOST_KNOWN : 0));
    partial_number(file, input->class);
    partial_number(file, r->format);
    partial_number(file, r->version);
    partial_number(file, r->variant);
    partial_number(file, r->producers);
    partial_number(file, r->pointer_bits);
    partial_number(file, input->digests);
    partial_number(file, input->roster == ROSTER_NONE ? 0 : (uint64_t)input->roster + 1);
#define WRITE_NUMBER(field) partial_number(file, r->field);
    RESULT_NUMBERS(WRITE_NUMBER)
#undef WRITE_NUMBER
    partial_write_ids(file, r->binary_ids, r->n_binary_ids);
    partial_number(file, QUIRK_COUNT);
    for (unsigned q = 0; q < QUIRK_COUNT; q++)
        partial_number(file, input->quirks[q]);
    if (s)
        write_salvage(file, input);
    partial_end_record(file);
}

/* ---- reading ---- */

static int read_salvage(struct partial_reader *file, struct arena *arena, struct partial_input *input,
                        uint32_t has, struct apf_error *error)
{
    struct apf_salvage *s = input->salvage = arena_zeros(arena, 1, sizeof *s);
    if (!s)
        return error_memory(error);
#define READ_NUMBER(field) s->field = cursor_uleb128(&file->c);
    SALVAGE_NUMBERS(READ_NUMBER)
#undef READ_NUMBER
    s->lost_sections = partial_read_small(&file->c);
    s->lost_known = (has & HAS_LOST_KNOWN) != 0;
    const uint8_t *p = cursor_array(&file->c, s->nameless, 8);
    int code = partial_check(file, "partial.input", error);
    if (code != APF_OK)
        return code;
    if (!input->kept.damage)
        return partial_wrong(file, "partial.input", "a part was salvaged of an input without damage", error);
    uint64_t *nameless = arena_array(arena, (size_t)s->nameless, sizeof *nameless);
    if (!nameless)
        return error_memory(error);
    for (size_t i = 0; i < s->nameless; i++)
        nameless[i] = load64le(p + 8 * i);
    input->nameless = nameless;
    s->error = *input->kept.damage;
    return APF_OK;
}

int partial_read_input(struct partial_reader *file, struct arena *arena, struct partial_input *input,
                       bool *more, struct apf_error *error)
{
    struct cursor *c = &file->c;
    struct apf_input_result *r = &input->result;
    int code = partial_next(file, PARTIAL_INPUTS, more, error);
    memset(input, 0, sizeof *input);
    if (code == APF_OK && *more)
        code = partial_read_kept(file, arena, &input->kept, error);
    if (code != APF_OK || !*more)
        return code;
    const uint32_t has = partial_read_small(c);
    input->hollow = has & HAS_HOLLOW;
    input->class = partial_read_small(c);
    r->format = partial_read_small(c);
    r->version = partial_read_small(c);
    r->variant = cursor_uleb128(c);
    r->producers = cursor_uleb128(c);
    r->pointer_bits = partial_read_small(c);
    r->big_endian = (has & HAS_BIG_ENDIAN) != 0;
    input->digests = cursor_uleb128(c);
    input->roster = partial_read_small(c) - 1;
#define READ_NUMBER(field) r->field = cursor_uleb128(c);
    RESULT_NUMBERS(READ_NUMBER)
#undef READ_NUMBER
    code = partial_read_ids(file, arena, &r->binary_ids, &r->n_binary_ids, error);
    const uint32_t n_quirks = partial_read_small(c);
    for (unsigned q = 0; q < n_quirks && q < QUIRK_COUNT; q++)
        input->quirks[q] = cursor_uleb128(c);
    if (code == APF_OK)
        code = partial_check(file, "partial.input", error);
    if (code == APF_OK && n_quirks > QUIRK_COUNT)
        code = partial_wrong(file, "partial.input", "a newer anyprof has found what this one does not know",
                             error);
    if (code == APF_OK && has > HAS_ALL)
        code = partial_wrong(file, "partial.input", "an input cannot be as this one", error);
    return code == APF_OK && has & HAS_SALVAGE ? read_salvage(file, arena, input, has, error) : code;
}
