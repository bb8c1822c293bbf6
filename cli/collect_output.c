/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sum of all builds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect.h"
#include "memory.h"
#include "merge_summary.h"

/* ---- comparing with the old output ---- */

struct comparison {
    FILE *old;
    bool differs;
};

/* An apf_write_fn that stops at the first difference. */
static int compare(void *user, const void *p, size_t n)
{
    struct comparison *comparison = user;
    const char *bytes = p;
    char old[8192];
    for (size_t some; n && !comparison->differs; bytes += some, n -= some) {
        some = n < sizeof old ? n : sizeof old;
        comparison->differs = fread(old, 1, some, comparison->old) != some || memcmp(old, bytes, some) != 0;
    }
    return comparison->differs;
}

/* Whether the output holds what the merge would write. The time of an output that does not change stays, so that what
 * is built from it need not be built again. */
static bool is_written(const struct collector *c, struct apf_merge *merge)
{
    struct comparison comparison = {fopen(c->request->base.output, "rbe"), false};
    struct apf_error error;
    const struct apf_output output = apf_output_callback(compare, &comparison);
    if (!comparison.old)
        return false;
    const bool same = apf_merge_write(merge, &c->request->write, &output, &error) == APF_OK &&
                      !comparison.differs && fgetc(comparison.old) == EOF;
    fclose(comparison.old);
    return same;
}

/* ---- writing ---- */

static bool is_conflict(int code)
{
    return code == APF_LEVEL_CONFLICT || code == APF_COVERAGE_CONFLICT || code == APF_ENTRY_CONFLICT;
}

/* What the output has of a build. */
struct build_result {
    bool in;
    uint64_t n_out;                /* profiles whose kind does not go with that of the others */
    const struct apf_error *why;   /* of them */
    const struct apf_error *error; /* of a sum that is damaged */
};

/* Reads the results of sum i. */
static struct build_result result_of(const struct apf_merge *merge, size_t i)
{
    struct build_result build = {.in = false};
    const size_t end = apf_merge_first_result(merge, i + 1);
    for (size_t k = apf_merge_first_result(merge, i); k < end; k++) {
        const struct apf_input_result *result = apf_merge_input(merge, k);
        build.in |= result->code == APF_OK;
        if (is_conflict(result->code)) {
            build.n_out += result->n_inputs;
            build.why = result->error;
        } else if (result->code != APF_OK) {
            build.error = result->error;
        }
    }
    if (build.in || build.n_out) /* some of its inputs were lost when it was made */
        build.error = NULL;
    return build;
}

/* Counts the builds in the output, and the profiles out of it, and puts damaged sums aside. False: one is damaged. */
static bool count_builds(struct collector *c, const struct apf_merge *merge, const struct apf_input *sums,
                         size_t n, uint64_t *n_out)
{
    bool ok = true;
    c->metrics.builds = c->metrics.outsiders = *n_out = 0;
    for (size_t i = 0; i < n; i++) {
        const struct build_result build = result_of(merge, i);
        c->metrics.builds += build.in;
        c->metrics.outsiders += !build.in;
        *n_out += build.n_out;
        ok = ok && !build.error;
        if (build.error)
            (void)collect_drop_sum(c, sums[i].path, build.error);
    }
    return ok;
}

/* Reports the profiles that are left out of the output, when their number changes. */
static void report_outsiders(struct collector *c, const struct apf_merge *merge, const struct apf_input *sums,
                             size_t n, uint64_t n_out)
{
    const bool changed = n_out != c->n_reported;
    c->n_reported = n_out;
    for (size_t i = 0; changed && !c->request->base.quiet && i < n; i++) {
        const struct build_result build = result_of(merge, i);
        if (build.n_out)
            report_warning(c->session, sums[i].path,
                           "left out of the output: %s: %" PRIu64 " of its profiles", build.why->message,
                           build.n_out);
    }
}

static bool write_merge(struct collector *c, struct apf_merge *merge, const struct apf_input *sums, size_t n)
{
    static const struct apf_tolerance any = {APF_FAIL_ALL, 0};
    struct apf_output output = apf_output_file(c->request->base.output);
    struct apf_error error;
    const struct apf_merge_stats *stats = apf_merge_stats(merge);
    uint64_t n_out;
    output.flags = APF_OUTPUT_CLEAN;
    /* Nothing was collected yet, or all was forgotten: an old output stays. */
    if (apf_merge_verdict(merge, &any) != APF_OK)
        return count_builds(c, merge, sums, n, &n_out);
    const bool changes = !is_written(c, merge);
    if (changes) {
        const int code = apf_merge_write(merge, &c->request->write, &output, &error);
        if (exit_code(c->session, output.path, code, &error) != 0)
            return false;
        c->metrics.outputs++;
    }
    const bool ok = count_builds(c, merge, sums, n, &n_out);
    report_outsiders(c, merge, sums, n, n_out);
    if (changes && !c->request->base.quiet)
        merge_report_summary(c->session, stats, false);
    c->metrics.functions = stats->n_functions;
    c->metrics.lost_functions = stats->count_mismatches + stats->nameless + stats->dropped_records;
    c->metrics.lost_values = stats->truncated_values + stats->site_mismatches + stats->dropped_values;
    c->metrics.output_time = (uint64_t)time(NULL);
    return ok;
}

static bool merge_sums(struct collector *c, const struct kept_files *sums)
{
    const struct apf_options options = collect_merge_options(c);
    const struct apf_merge_options merge_options = {.size = sizeof merge_options, .options = &options};
    struct apf_input *inputs = (struct apf_input *)checked_realloc(NULL, sums->n, sizeof *inputs);
    struct apf_merge *merge = NULL;
    struct apf_error error;
    for (size_t i = 0; i < sums->n; i++)
        inputs[i] = apf_input_file(collect_path(c->state.paths[COLLECT_SUMS], sums->data[i].name));
    int code = apf_merge_new(&merge, &merge_options, &error);
    if (code == APF_OK)
        code = apf_merge_add(merge, inputs, sums->n, &error);
    const bool ok = exit_code(c->session, NULL, code, &error) == 0 && write_merge(c, merge, inputs, sums->n);
    apf_merge_free(merge);
    for (size_t i = 0; i < sums->n; i++)
        free((char *)(uintptr_t)inputs[i].path);
    free(inputs);
    return ok;
}

bool collect_write_output(struct collector *c)
{
    struct kept_files sums;
    bool ok = kept_files_list(&sums, &c->state, COLLECT_SUMS, 0, c->session);
    c->metrics.builds = c->metrics.outsiders = 0;
    c->metrics.sum_bytes = sums.bytes;
    c->largest_sum = 0;
    for (size_t i = 0; i < sums.n; i++)
        c->largest_sum = sums.data[i].bytes > c->largest_sum ? sums.data[i].bytes : c->largest_sum;
    if (ok && sums.n)
        ok = merge_sums(c, &sums);
    const bool small = !collect_reserve_fill(&c->state, c->largest_sum);
    if (small && !c->state.reserve_is_small && !c->request->base.quiet)
        report_warning(
            c->session, c->state.path,
            "the disk has too little room for a reserve: if it is full, profiles cannot be merged");
    c->state.reserve_is_small = small;
    kept_files_free(&sums);
    return ok;
}
