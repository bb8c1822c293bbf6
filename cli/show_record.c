/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One function as `show` prints it. */
#include <inttypes.h>
#include <stdlib.h>

#include "show.h"

#define PSEUDO_HOT UINT64_MAX

void show_name(const struct show *show, struct apf_str name)
{
    if (name.n) /* else there is no pointer either */
        fwrite(name.p, 1, name.n, show->out);
}

static void show_counts(const struct show *show, const struct apf_record *r)
{
    size_t first = show->ir ? 0 : 1; /* of front-end profiles the first one was printed as the function's */
    fputs("    Block counts: [", show->out);
    for (size_t i = first; i < r->n_counts; i++)
        fprintf(show->out, "%s%" PRIu64, i == first ? "" : ", ", r->counts[i]);
    fputs("]\n", show->out);
}

static void count_site(struct site_stats *stats, size_t n)
{
    stats->values += n;
    stats->with_values++;
    if (n > stats->n_histogram) {
        stats->histogram = (uint64_t *)checked_realloc(stats->histogram, n, sizeof *stats->histogram);
        while (stats->n_histogram < n)
            stats->histogram[stats->n_histogram++] = 0;
    }
    stats->histogram[n - 1]++;
}

static void show_sites(struct show *show, const struct apf_record *r, enum apf_value_kind kind)
{
    struct site_stats *stats = &show->stats[kind];
    stats->sites += r->n_sites[kind];
    for (size_t i = 0; i < r->n_sites[kind]; i++) {
        const struct apf_site *site = &r->sites[kind][i];
        uint64_t sum = 0;
        if (site->n == 0)
            continue;
        count_site(stats, site->n);
        for (size_t j = 0; j < site->n; j++)
            sum += site->values[j].count;
        if (sum == 0)
            sum = 1;
        for (size_t j = 0; j < site->n; j++) {
            const struct apf_value *v = &site->values[j];
            fprintf(show->out, "\t[ %2zu, ", i);
            if (kind == APF_VALUE_MEMOP_SIZE)
                fprintf(show->out, "%4" PRIu64, v->value);
            else
                show_name(show, apf_instr_name(show->instr, v->value));
            /* Signed and in floating point, as in LLVM. */
            fprintf(show->out, ", %10" PRId64 " ] (%.2f%%)\n", (int64_t)v->count,
                    (double)v->count * 100.0 / (double)sum);
        }
    }
}

static void show_site_numbers(const struct show *show, const struct apf_record *r)
{
    if (option_flag(show->args, OPT_IC_TARGETS))
        fprintf(show->out, "    Indirect Call Site Count: %zu\n", r->n_sites[APF_VALUE_INDIRECT_CALL]);
    if (option_flag(show->args, OPT_SHOW_VTABLES))
        fprintf(show->out, "    Number of instrumented vtables: %zu\n", r->n_sites[APF_VALUE_VTABLE]);
    if (option_flag(show->args, OPT_MEMOP_SIZES) && r->n_sites[APF_VALUE_MEMOP_SIZE])
        fprintf(show->out, "    Number of Memory Intrinsics Calls: %zu\n", r->n_sites[APF_VALUE_MEMOP_SIZE]);
}

static void show_values(struct show *show, const struct apf_record *r)
{
    if (option_flag(show->args, OPT_IC_TARGETS)) {
        fputs("    Indirect Target Results:\n", show->out);
        show_sites(show, r, APF_VALUE_INDIRECT_CALL);
    }
    if (option_flag(show->args, OPT_SHOW_VTABLES)) {
        fputs("    VTable Results:\n", show->out);
        show_sites(show, r, APF_VALUE_VTABLE);
    }
    if (option_flag(show->args, OPT_MEMOP_SIZES) && r->n_sites[APF_VALUE_MEMOP_SIZE]) {
        fputs("    Memory Intrinsic Size Results:\n", show->out);
        show_sites(show, r, APF_VALUE_MEMOP_SIZE);
    }
}

void show_record(struct show *show, const struct apf_record *r)
{
    if (show->shown++ == 0)
        fputs("Counters:\n", show->out);
    fputs("  ", show->out);
    show_name(show, r->name);
    fprintf(show->out, ":\n    Hash: 0x%016" PRIx64 "\n    Counters: %zu", r->hash, r->n_counts);
    if (r->flags & APF_RECORD_PSEUDO) {
        fprintf(show->out, "    <Pseudo%s>\n", r->counts[0] == PSEUDO_HOT ? "Hot" : "Warm");
        return;
    }
    fputc('\n', show->out);
    if (!show->ir && r->n_counts)
        fprintf(show->out, "    Function count: %" PRIu64 "\n", r->counts[0]);
    show_site_numbers(show, r);
    if (option_flag(show->args, OPT_COUNTS))
        show_counts(show, r);
    show_values(show, r);
}
