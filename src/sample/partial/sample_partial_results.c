/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/partial/sample_partial_results.h"

#include <string.h>

#include "base/error.h"

#define HAS_HOLLOW 1u
#define HAS_BIG_ENDIAN 2u
#define HAS_SALVAGE 4u
#define HAS_LOST_KNOWN 8u
#define HAS_ALL 15u

void sample_partial_write_whole(struct partial_writer *file, const struct sample_partial_whole *whole)
{
    partial_number(file, whole->fs);
    partial_number(file, whole->discriminator);
    partial_end_record(file);
}

int sample_partial_read_whole(struct partial_reader *file, struct sample_partial_whole *whole,
                              struct apf_error *error)
{
    bool more;
    int code = partial_next(file, PARTIAL_SAMPLE_WHOLE, &more, error);
    if (code == APF_OK && !more)
        code = partial_wrong(file, "partial.whole", "the first section is missing", error);
    if (code != APF_OK)
        return code;
    whole->fs = partial_read_below(&file->c, 2) != 0;
    whole->discriminator = partial_read_small(&file->c);
    return partial_check(file, "partial.whole", error);
}

/* Numbers of an input's facts. */
#define INFO_NUMBERS(X)                                                                                      \
    X(n_functions)                                                                                           \
    X(n_inlined)                                                                                             \
    X(n_lines)                                                                                               \
    X(n_targets)                                                                                             \
    X(n_vtables)                                                                                             \
    X(n_names)                                                                                               \
    X(n_hashes)                                                                                              \
    X(n_symbols)                                                                                             \
    X(max_depth)                                                                                             \
    X(max_context)

void sample_partial_write_input(struct partial_writer *file, const struct sample_partial_input *input)
{
    const struct apf_sample_info *info = &input->info;
    const struct apf_sample_salvage *s = input->salvage;
    const char *layout = info->layout ? info->layout : "";
    partial_write_kept(file, &input->kept);
    partial_number(file, (input->hollow ? HAS_HOLLOW : 0) | (info->big_endian ? HAS_BIG_ENDIAN : 0) |
                             (s ? HAS_SALVAGE : 0) | (s && s->lost_known ? HAS_LOST_KNOWN : 0));
    partial_number(file, input->class);
    partial_number(file, info->format);
    partial_number(file, info->version);
    partial_number(file, info->flags);
    partial_number(file, info->origin);
    partial_text(file, (struct apf_str){layout, strlen(layout)});
#define WRITE_NUMBER(field) partial_number(file, info->field);
    INFO_NUMBERS(WRITE_NUMBER)
#undef WRITE_NUMBER
    partial_number(file, input->sum_of_counts);
    partial_number(file, input->roster == ROSTER_NONE ? 0 : (uint64_t)input->roster + 1);
    partial_number(file, SAMPLE_FINDING_COUNT);
    for (unsigned i = 0; i < SAMPLE_FINDING_COUNT; i++)
        partial_number(file, input->findings[i]);
    if (s) {
        partial_number(file, s->functions);
        partial_number(file, s->lost_functions);
    }
    partial_end_record(file);
}

static int read_salvage(struct partial_reader *file, struct arena *arena, struct sample_partial_input *input,
                        uint32_t has, struct apf_error *error)
{
    struct apf_sample_salvage *s = input->salvage = arena_zeros(arena, 1, sizeof *s);
    if (!s)
        return error_memory(error);
    s->functions = cursor_uleb128(&file->c);
    s->lost_functions = cursor_uleb128(&file->c);
    s->lost_known = (has & HAS_LOST_KNOWN) != 0;
    int code = partial_check(file, "partial.input", error);
    if (code != APF_OK)
        return code;
    if (!input->kept.damage)
        return partial_wrong(file, "partial.input", "a part was salvaged of an input without damage", error);
    s->error = *input->kept.damage;
    return APF_OK;
}

/* What is the same for all: facts and findings. */
static int read_facts(struct partial_reader *file, struct arena *arena, struct sample_partial_input *input,
                      uint32_t *has, struct apf_error *error)
{
    struct cursor *c = &file->c;
    struct apf_sample_info *info = &input->info;
    *has = (uint32_t)partial_read_below(c, HAS_ALL + 1);
    input->hollow = *has & HAS_HOLLOW;
    info->big_endian = (*has & HAS_BIG_ENDIAN) != 0;
    input->class = partial_read_small(c);
    info->format = partial_read_small(c);
    info->version = partial_read_small(c);
    info->flags = partial_read_small(c);
    info->origin = partial_read_small(c);
    const struct apf_str layout = partial_read_text(file);
#define READ_NUMBER(field) info->field = cursor_uleb128(c);
    INFO_NUMBERS(READ_NUMBER)
#undef READ_NUMBER
    input->sum_of_counts = cursor_uleb128(c);
    input->roster = partial_read_small(c) - 1;
    const uint32_t n = partial_read_small(c);
    for (unsigned i = 0; i < n && i < SAMPLE_FINDING_COUNT; i++)
        input->findings[i] = cursor_uleb128(c);
    int code = partial_check(file, "partial.input", error);
    if (code == APF_OK && n > SAMPLE_FINDING_COUNT)
        code = partial_wrong(file, "partial.input", "a newer anyprof has found what this one does not know",
                             error);
    if (code == APF_OK && !(info->layout = arena_text(arena, layout.p ? layout.p : "", layout.n)))
        code = error_memory(error);
    return code;
}

int sample_partial_read_input(struct partial_reader *file, struct arena *arena,
                              struct sample_partial_input *input, bool *more, struct apf_error *error)
{
    uint32_t has = 0;
    int code = partial_next(file, PARTIAL_INPUTS, more, error);
    memset(input, 0, sizeof *input);
    if (code == APF_OK && *more)
        code = partial_read_kept(file, arena, &input->kept, error);
    if (code == APF_OK && *more)
        code = read_facts(file, arena, input, &has, error);
    return code == APF_OK && has & HAS_SALVAGE ? read_salvage(file, arena, input, has, error) : code;
}
