/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What instrumentation profiles say. */
#include <inttypes.h>
#include <stdio.h>

#include <anyprof/compare.h>

#include "base/error.h"
#include "instr/model/profile.h"
#include "report/report_model.h"

/* ---- functions ---- */

static const enum report_site_kind site_kinds[APF_VALUE_KINDS] = {
    [APF_VALUE_INDIRECT_CALL] = REPORT_CALLS,
    [APF_VALUE_MEMOP_SIZE] = REPORT_SIZES,
    [APF_VALUE_VTABLE] = REPORT_TYPES,
};

struct instr_reader {
    struct apf_report *r;
    const struct apf_instr *instr;
    struct text_memo names;
};

/* The number of a name, or of an id without one; HASH_INDEX_NONE: allocation failed. */
static uint32_t name_of(struct apf_report *r, struct text_memo *names, struct apf_str name, uint64_t id)
{
    return name.n ? report_name_staying(r, names, name) : report_hash_name(r, id);
}

static bool add_site(struct instr_reader *in, uint32_t function, size_t kind, size_t number,
                     const struct apf_site *values)
{
    struct report_site site = {.function = function, .kind = (uint32_t)site_kinds[kind], .line = number};
    for (size_t i = 0; i < values->n; i++)
        report_add_value(&site, values->values[i].value, values->values[i].count);
    for (size_t i = 0; i < REPORT_VALUES && i < site.n_values && site.kind != REPORT_SIZES; i++) {
        const uint64_t id = site.values[i].value;
        const uint32_t name = id ? name_of(in->r, &in->names, apf_instr_name(in->instr, id), id) : 0;
        if (name == HASH_INDEX_NONE)
            return false;
        site.values[i].value = id ? name : UINT64_MAX;
    }
    return report_add_site(in->r, &site);
}

static bool add_record(struct instr_reader *in, const struct apf_record *record)
{
    struct apf_report *r = in->r;
    const bool counts = !(record->flags & APF_RECORD_PSEUDO);
    struct report_function f = {.is_marked = !counts, .hash = record->hash, .id = record->id};
    f.name = name_of(r, &in->names, record->name, record->id);
    f.n_counts = (uint32_t)(record->n_counts < UINT32_MAX ? record->n_counts : UINT32_MAX);
    for (size_t i = 0; i < record->n_counts && counts; i++) {
        const uint64_t count = record->counts[i];
        report_count(r, count);
        f.total = report_sum(f.total, count);
        f.most = count > f.most ? count : f.most;
    }
    f.entries = counts && record->n_counts ? record->counts[0] : 0;
    if (f.name == HASH_INDEX_NONE || !VEC_PUSH(&r->functions, f))
        return false;
    bool ok = true;
    for (size_t kind = 0; kind < APF_VALUE_KINDS && ok; kind++)
        for (size_t i = 0; i < record->n_sites[kind] && ok; i++)
            ok = add_site(in, f.name, kind, i, &record->sites[kind][i]);
    return ok;
}

/* Says that records of the other level are left out. */
static bool note_level(struct apf_report *r, uint64_t n)
{
    char text[160];
    snprintf(text, sizeof text, "left out: %" PRIu64 " record%s of functions with%s", n, n == 1 ? "" : "s",
             r->is_of_cs ? "out context-sensitive counts; 'anyprof report' without --cs is about those"
                         : " context-sensitive counts; 'anyprof report --cs' is about those");
    return n == 0 || report_add_note(r, text);
}

int report_read_instr(struct apf_report *r, const struct apf_instr *instr, struct apf_error *error)
{
    struct apf_record record = {.size = sizeof record};
    struct instr_reader in = {.r = r, .instr = instr};
    const uint64_t variant = apf_instr_info(instr)->variant;
    uint64_t n_others;
    int level;
    if (!profile_level(instr, r->wants_cs, &level, &n_others))
        return error_plain(error, APF_ARGUMENT, "apf_report_options.flags",
                           "the profile has no context-sensitive counts");
    r->is_of_cs = level > 0;
    int code = note_level(r, n_others) ? APF_OK : error_memory(error);
    r->has_first_counters = (variant & APF_VARIANT_IR) && !(variant & APF_VARIANT_ENTRY_FIRST);
    for (size_t i = 0; code == APF_OK; i++) {
        code = apf_instr_record(instr, i, &record, error);
        if (code == APF_OK && hash_is_of(record.hash, level) && !add_record(&in, &record))
            code = error_memory(error);
    }
    text_memo_free(&in.names);
    return code == APF_END ? APF_OK : code;
}

/* ---- comparison ---- */

static bool add_difference(struct apf_report *r, struct text_memo *names, const struct apf_diff_function *f)
{
    const struct apf_diff_side *a = &f->side[0], *b = &f->side[1];
    const struct apf_diff_side *named = f->changes & APF_DIFF_ONLY_A ? a : b;
    struct report_difference d = {.effect = f->effect, .share = {a->share, b->share}};
    d.name = name_of(r, names, named->name, named->id);
    d.changes = report_changes(!(f->changes & APF_DIFF_ONLY_B), !(f->changes & APF_DIFF_ONLY_A), d.share,
                               f->changes & (APF_DIFF_HASH | APF_DIFF_COUNTERS));
    return d.name != HASH_INDEX_NONE && VEC_PUSH(&r->comparison.list, d);
}

int report_add_diff(struct apf_report *r, const struct apf_diff *diff, struct apf_error *error)
{
    const struct apf_diff_totals *totals = apf_diff_totals(diff);
    const struct apf_diff_function *f;
    struct text_memo names = {.list = {.n = 0}};
    const bool are_mixed = totals->functions[0] && totals->functions[1] &&
                           ((totals->variant[0] ^ totals->variant[1]) & APF_VARIANT_IR) != 0;
    bool ok = !are_mixed ||
              report_add_note(
                  r, "one of the compared profiles is an IR profile, and one of the front end: their hashes "
                     "are computed in different ways, so that every function differs");
    if (r->is_of_cs && !totals->functions[0])
        ok &= report_add_note(r, "the profile that it is compared with has no context-sensitive counts");
    report_begin_comparison(r, totals->difference, totals->equal);
    for (size_t i = 0; ok && (f = apf_diff_function(diff, i)) != NULL; i++)
        ok = add_difference(r, &names, f);
    text_memo_free(&names);
    return ok ? APF_OK : error_memory(error);
}

int report_compare_instr(struct apf_report *r, const struct apf_instr *base, const struct apf_instr *instr,
                         struct apf_error *error)
{
    const struct apf_diff_options options = {.size = sizeof options, .flags = r->is_of_cs ? APF_DIFF_CS : 0};
    struct apf_diff *diff;
    int code = apf_diff_new(&diff, base, instr, &options, error);
    if (code == APF_OK)
        code = report_add_diff(r, diff, error);
    apf_diff_free(diff);
    return code;
}

/* ---- inputs of a merge ---- */

/* Says in the words of a merge that n of its inputs are of the front end, and others are IR profiles. */
static bool note_kinds(struct apf_report *r, uint64_t n)
{
    char text[128];
    snprintf(text, sizeof text,
             "%" PRIu64 " front-end %s merged with IR profiles: a compiler uses only one of the two kinds", n,
             n == 1 ? "profile was" : "profiles were");
    return n == 0 || report_add_note(r, text);
}

int report_read_inputs(struct apf_report *r, const struct apf_merge *merge, struct apf_error *error)
{
    const struct apf_input_result *result;
    char lost[REPORT_LOST_BYTES];
    for (size_t i = 0; (result = apf_merge_input(merge, i)) != NULL; i++) {
        report_say_lost(lost, result->lost_functions, result->lost_bitmaps, result->lost_values);
        const char *why = result->error ? result->error->message : lost;
        if (result->code == APF_OK && result->salvage)
            why = result->salvage->error.message;
        struct report_input input = {
            .name = result->name,
            .fate = report_fate(result->code, result->salvage,
                                result->lost_functions + result->lost_bitmaps + result->lost_values),
            .functions = result->n_records,
            .counts = result->sum_of_counts};
        if (!report_add_input(r, &input, why))
            return error_memory(error);
    }
    return note_kinds(r, apf_merge_stats(merge)->front_end_in_ir) ? report_sort_inputs(r, error)
                                                                  : error_memory(error);
}
