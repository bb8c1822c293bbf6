/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instrumentation profiles as stacks: of one frame, since counters have no callers. */
#include "base/error.h"
#include "base/options.h"
#include "export/export_make.h"
#include "instr/layout/releases.h"
#include "instr/model/profile.h"

static const struct apf_export_value values[] = {{"counts", "count"}, {"entries", "count"}};
#define N_VALUES (sizeof values / sizeof *values)

struct instr_source {
    const struct apf_instr *instr;
    int level; /* of the records that are written, see profile_level */
};

/* The function and the file of a name such as "main.c;helper". */
static struct apf_export_frame split_name(struct apf_str name)
{
    const size_t at = name.p ? local_name_file(name.p, name.n) : 0;
    if (!at)
        return (struct apf_export_frame){.function = name};
    return (struct apf_export_frame){.file = {name.p, at}, .function = {name.p + at + 1, name.n - at - 1}};
}

static uint64_t sum_counts(const struct apf_record *record)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < record->n_counts; i++)
        if (ADD_OVERFLOWS(sum, record->counts[i], &sum))
            return UINT64_MAX;
    return sum;
}

/* An apf_export_walk_fn. */
static int walk_records(void *user, uint32_t by_line, apf_export_stack_fn *stack, void *writer,
                        struct apf_error *error)
{
    const struct instr_source *source = user;
    const struct apf_instr *instr = source->instr;
    struct apf_record record = {.size = sizeof record};
    struct apf_str name = {NULL,
                           0}; /* the last one, and its parts: records of one name mostly follow each other */
    struct apf_export_frame parts = {.id = 0};
    int code;
    (void)by_line;
    for (size_t i = 0; (code = apf_instr_record(instr, i, &record, error)) == APF_OK; i++) {
        if (record.flags & APF_RECORD_PSEUDO || !hash_is_of(record.hash, source->level))
            continue;
        const uint64_t sums[N_VALUES] = {sum_counts(&record), record.n_counts ? record.counts[0] : 0};
        if (i == 0 || record.name.p != name.p || record.name.n != name.n)
            parts = split_name(record.name);
        name = record.name;
        struct apf_export_frame frame = parts;
        frame.id = record.id;
        const struct apf_export_stack s = {&frame, 1, sums, record.hash};
        code = stack(writer, &s);
        if (code != APF_OK)
            return code;
    }
    return code == APF_END ? APF_OK : code;
}

/* Counts the records without counts. */
static int count_unknown(const struct apf_instr *instr, int level, uint64_t *n, struct apf_error *error)
{
    struct apf_record record = {.size = sizeof record};
    int code;
    for (size_t i = 0; (code = apf_instr_record(instr, i, &record, error)) == APF_OK; i++)
        *n += (record.flags & APF_RECORD_PSEUDO) != 0 && hash_is_of(record.hash, level);
    return code == APF_END ? APF_OK : code;
}

int apf_instr_export(const struct apf_instr *instr, const struct apf_export_options *options,
                     const struct apf_output *output, struct apf_export_result *result,
                     struct apf_error *error)
{
    struct instr_source user = {instr, -1};
    const struct apf_export_source source = {
        .size = sizeof source,
        .walk = walk_records,
        .user = &user,
        .values = values,
        .n_values = N_VALUES,
        .flags = APF_EXPORT_HASHES | APF_EXPORT_LOCAL | APF_EXPORT_NAMES_STAY,
        .comment = "counts: the sum of a function's counters; entries: its first counter"};
    struct apf_export_result made = {.size = sizeof made};
    struct apf_export_options o;
    int code = OPTIONS_READ(apf_export_options, &o, options, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_export_result, result, error);
    if (code != APF_OK)
        return code;
    if (!profile_level(instr, o.flags & APF_EXPORT_CS, &user.level, &made.n_other_level))
        return error_plain(error, APF_ARGUMENT, "apf_export_options.flags",
                           "the profile has no context-sensitive counts");
    o.flags &= ~APF_EXPORT_CS; /* other profiles have no such records */
    code = count_unknown(instr, user.level, &made.n_unknown, error);
    if (code == APF_OK)
        code = export_make(&source, &o, output, &made, error);
    if (code == APF_OK)
        result_fill(result, sizeof made, &made);
    return code;
}
