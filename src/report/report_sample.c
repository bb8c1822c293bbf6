/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What sample profiles say: functions with their own lines, wherever they are inlined, and stacks of contexts and
 * inlining. */
#include <anyprof/sample_functions.h>
#include <anyprof/sample_views.h>

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "report/report_model.h"

struct sample_reader {
    struct apf_report *r;
    const struct apf_sample_functions *list;
    VEC(uint32_t) stack; /* frames of the functions that the present one is inlined in, by depth */
    struct text_memo names;
    uint64_t n_again; /* functions that were left out, because their own profiles have their counts, too */
};

static uint32_t name_of(struct apf_report *r, struct text_memo *names, const struct apf_sample_name *name)
{
    return name->text.p ? report_name_staying(r, names, name->text) : report_hash_name(r, name->hash);
}

/* ---- call targets ---- */

/* Adds a site for each line with call targets, which follow each other. */
static bool add_targets(struct sample_reader *s, uint64_t function, uint32_t name)
{
    struct report_site site = {.n_values = 0};
    struct apf_sample_count target;
    bool ok = true;
    for (uint64_t i = 0; ok && apf_sample_target(s->list, function, i, &target) == APF_OK; i++) {
        const uint32_t called = name_of(s->r, &s->names, &target.name);
        if (site.n_values &&
            (site.line != target.place.line || site.discriminator != target.place.discriminator)) {
            ok = report_add_site(s->r, &site);
            site.n_values = 0;
        }
        if (site.n_values == 0)
            site = (struct report_site){.function = name,
                                        .kind = REPORT_CALLS,
                                        .line = target.place.line,
                                        .discriminator = target.place.discriminator};
        ok = ok && called != HASH_INDEX_NONE;
        report_add_value(&site, called, target.count);
    }
    return ok && (site.n_values == 0 || report_add_site(s->r, &site));
}

/* ---- stacks ---- */

/* Finds the frame of a function, in its context or in what it is inlined in. */
static bool find_frame(struct sample_reader *s, const struct apf_sample_function *f, uint64_t number,
                       uint32_t name, uint32_t *frame)
{
    struct apf_sample_frame caller;
    *frame = 0;
    if (f->depth < s->stack.n)
        s->stack.n = f->depth;
    if (s->stack.n) {
        *frame = report_frame(&s->r->stacks, s->stack.data[s->stack.n - 1], name);
    } else {
        for (uint64_t i = 0; i + 1 < f->n_frames && *frame != HASH_INDEX_NONE &&
                             apf_sample_frame(s->list, number, i, &caller) == APF_OK;
             i++) {
            const uint32_t of = name_of(s->r, &s->names, &caller.name);
            *frame = of == HASH_INDEX_NONE ? of : report_frame(&s->r->stacks, *frame, of);
        }
        if (*frame != HASH_INDEX_NONE)
            *frame = report_frame(&s->r->stacks, *frame, name);
    }
    return *frame != HASH_INDEX_NONE && VEC_PUSH(&s->stack, *frame);
}

/* ---- all of it ---- */

static bool add_function(struct sample_reader *s, const struct apf_sample_function *f, uint64_t number)
{
    const uint32_t name = name_of(s->r, &s->names, &f->name);
    struct report_function *to = report_function_of(s->r, name);
    struct apf_sample_count line;
    uint32_t frame;
    uint64_t own = 0;
    if (!to)
        return false;
    for (uint64_t i = 0; apf_sample_line(s->list, number, i, &line) == APF_OK; i++) {
        report_count(s->r, line.count);
        own = report_sum(own, line.count);
        to->most = line.count > to->most ? line.count : to->most;
        to->n_counts += to->n_counts < UINT32_MAX;
    }
    to->total = report_sum(to->total, own);
    to->entries = report_sum(to->entries, f->head);
    to->hash = f->checksum ? f->checksum : to->hash;
    to->id = f->name.hash;
    if (!find_frame(s, f, number, name, &frame))
        return false;
    struct report_frame *to_frame = &s->r->stacks.frames.data[frame];
    to_frame->self = report_sum(to_frame->self, own);
    return add_targets(s, number, name);
}

static bool note_again(const struct sample_reader *s)
{
    char note[96];
    (void)snprintf(note, sizeof note,
                   "left out: %" PRIu64 " inlined function%s whose samples their own profiles have, too",
                   s->n_again, s->n_again == 1 ? "" : "s");
    return s->n_again == 0 || report_add_note(s->r, note);
}

int report_read_sample(struct apf_report *r, const struct apf_sample *sample, struct apf_error *error)
{
    struct apf_sample_functions *list;
    struct apf_sample_function f = {.size = sizeof f};
    int code = apf_sample_functions_new(&list, sample, error);
    struct sample_reader s = {.r = r, .list = list};
    for (uint64_t i = 0; code == APF_OK; i++) {
        code = apf_sample_function(list, i, &f, error);
        s.n_again += code == APF_OK && f.counted_elsewhere;
        if (code == APF_OK && !f.counted_elsewhere && !add_function(&s, &f, i))
            code = error_memory(error);
    }
    if (code == APF_END && !note_again(&s))
        code = error_memory(error);
    VEC_FREE(&s.stack);
    text_memo_free(&s.names);
    apf_sample_functions_free(list);
    return code == APF_END ? APF_OK : code;
}

/* ---- comparison ---- */

static bool add_difference(struct apf_report *r, struct text_memo *names,
                           const struct apf_sample_diff_function *f)
{
    const struct apf_sample_diff_side *a = &f->side[0], *b = &f->side[1];
    const struct apf_sample_diff_side *named = f->changes & APF_SAMPLE_DIFF_ONLY_A ? a : b;
    struct report_difference d = {
        .name = name_of(r, names, &named->name), .effect = f->effect, .share = {a->share, b->share}};
    d.changes = report_changes(!(f->changes & APF_SAMPLE_DIFF_ONLY_B), !(f->changes & APF_SAMPLE_DIFF_ONLY_A),
                               d.share, f->changes & APF_SAMPLE_DIFF_CHECKSUM);
    return d.name != HASH_INDEX_NONE && VEC_PUSH(&r->comparison.list, d);
}

int report_add_sample_diff(struct apf_report *r, const struct apf_sample_diff *diff, struct apf_error *error)
{
    const struct apf_sample_diff_totals *totals = apf_sample_diff_totals(diff);
    const struct apf_sample_diff_function *f;
    struct text_memo names = {.list = {.n = 0}};
    bool ok = true;
    report_begin_comparison(r, totals->difference, totals->equal);
    for (size_t i = 0; ok && (f = apf_sample_diff_function(diff, i)) != NULL; i++)
        ok = add_difference(r, &names, f);
    text_memo_free(&names);
    return ok ? APF_OK : error_memory(error);
}

int report_compare_sample(struct apf_report *r, const struct apf_sample *base,
                          const struct apf_sample *sample, struct apf_error *error)
{
    const struct apf_sample_diff_options options = {.size = sizeof options};
    struct apf_sample_diff *diff;
    int code = apf_sample_diff_new(&diff, base, sample, &options, error);
    if (code == APF_OK)
        code = report_add_sample_diff(r, diff, error);
    apf_sample_diff_free(diff);
    return code;
}

/* ---- inputs of a merge ---- */

int report_read_sample_inputs(struct apf_report *r, const struct apf_sample_merge *merge,
                              struct apf_error *error)
{
    const struct apf_sample_input_result *result;
    char lost[REPORT_LOST_BYTES];
    for (size_t i = 0; (result = apf_sample_merge_input(merge, i)) != NULL; i++) {
        report_say_lost(lost, result->lost_functions, 0, 0);
        const char *why = result->error ? result->error->message : lost;
        if (result->code == APF_OK && result->salvage)
            why = result->salvage->error.message;
        const struct report_input input = {
            .name = result->name,
            .fate = report_fate(result->code, result->salvage, result->lost_functions),
            .functions = result->info->n_functions,
            .counts = result->sum_of_counts};
        if (!report_add_input(r, &input, why))
            return error_memory(error);
    }
    return report_sort_inputs(r, error);
}
