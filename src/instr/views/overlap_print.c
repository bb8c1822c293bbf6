/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints an overlap with the words of llvm-profdata-22. */
#include "base/double_text.h"
#include "base/options.h"
#include "base/text_append.h"
#include "instr/views/overlap.h"

#define SHARE_DECIMALS 3u

static const char *const kinds[APF_VALUE_KINDS] = {"IndirectCall", "MemOP", "VTable"};

struct printer {
    const struct apf_overlap_options *options;
    struct file_out *out;
};

static void print_share(struct file_out *out, const char *before, const char *kind, const char *after,
                        double share)
{
    text_append(out, before);
    text_append(out, kind);
    text_append(out, after);
    text_fixed(out, share * 100, SHARE_DECIMALS, 0);
    text_append(out, "%\n");
}

static void print_number(struct file_out *out, const char *entries, const char *words, uint64_t n)
{
    text_append(out, "  # of ");
    text_append(out, entries);
    text_append(out, words);
    text_decimal(out, n, 0);
    text_append(out, "\n");
}

/* Prints the overlap of counters or of one kind of values. The words for mismatches differ from those of other lines.
 * */
static void print_kind(struct file_out *out, const struct apf_overlap *o, const char *kind,
                       const double shares[3], const double sums[2])
{
    print_share(out, "  ", kind, " profile overlap: ", shares[0]);
    if (o->mismatch.n)
        print_share(out, "  Mismatched count percentage (", kind, "): ", shares[1]);
    if (o->unique.n)
        print_share(out, "  Percentage of ", kind, " profile only in test_profile: ", shares[2]);
    for (unsigned i = 0; i < 2; i++) {
        text_append(out, "  ");
        text_append(out, kind);
        text_append(out, i ? " profile test count sum: " : " profile base count sum: ");
        text_fixed(out, sums[i], 0, 0);
        text_append(out, "\n");
    }
}

static void print_sums(struct file_out *out, const char *entries, const struct apf_overlap *o)
{
    print_number(out, entries, " overlap: ", o->overlap.n);
    if (o->mismatch.n)
        print_number(out, entries, " mismatch: ", o->mismatch.n);
    if (o->unique.n)
        print_number(out, entries, " only in test_profile: ", o->unique.n);
    print_kind(out, o, "Edge", (const double[]){o->overlap.edges, o->mismatch.edges, o->unique.edges},
               (const double[]){o->base.edges, o->test.edges});
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        if (o->base.values[k] >= 1 || o->test.values[k] >= 1)
            print_kind(out, o, kinds[k],
                       (const double[]){o->overlap.values[k], o->mismatch.values[k], o->unique.values[k]},
                       (const double[]){o->base.values[k], o->test.values[k]});
}

/* An overlap_report_fn. */
static void print_function(void *user, const struct overlap_function *f)
{
    struct file_out *out = ((const struct printer *)user)->out;
    text_append(out, "Function level:\n  Function: ");
    (void)file_out_function(out, f->name);
    text_append(out, " (Hash=");
    text_decimal(out, f->hash, 0);
    text_append(out, ")\n");
    print_sums(out, "edge counters", &f->sums);
}

static void print_program(const struct printer *p, const struct apf_overlap *o)
{
    const char *const *names = p->options->names;
    if (o->zero) {
        text_append(p->out, "Sum of edge counts for profile ");
        text_message(p->out, names[o->zero - 1]);
        text_append(p->out, " is 0.\n");
        return;
    }
    text_append(p->out, "Profile overlap information for base_profile: ");
    text_message(p->out, names[0]);
    text_append(p->out, " and test_profile: ");
    text_message(p->out, names[1]);
    text_append(p->out, "\nProgram level:\n");
    print_sums(p->out, "functions", o);
}

int apf_overlap_print(const struct apf_instr *base, const struct apf_instr *test,
                      const struct apf_overlap_options *options, const struct apf_output *output,
                      struct apf_overlap *overlap, struct apf_error *error)
{
    struct apf_overlap_options o;
    struct apf_overlap found;
    struct printer p = {&o, NULL};
    int code = OPTIONS_READ(apf_overlap_options, &o, options, error);
    if (code == APF_OK)
        code = flags_check(o.flags, APF_OVERLAP_CS, "apf_overlap_options.flags", error);
    for (unsigned i = 0; i < 2; i++)
        o.names[i] = o.names[i] ? o.names[i] : "<profile>";
    if (code == APF_OK)
        code = RESULT_CHECK(apf_overlap, overlap, error);
    if (code == APF_OK && output)
        code = file_out_open(&p.out, output, error);
    if (code != APF_OK)
        return code;
    code = overlap_find(base, test, &o, output ? print_function : NULL, &p, &found, error);
    if (code == APF_OK && output)
        print_program(&p, &found);
    if (output)
        code = file_out_finish(p.out, code, error);
    if (code == APF_OK)
        result_fill(overlap, sizeof found, &found);
    return code;
}
