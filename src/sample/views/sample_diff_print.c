/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/text_append.h"
#include "sample/views/sample_diff.h"

#define DECIMALS 3u
#define SHARE_WIDTH 7u /* 100.000 */
#define PERCENT 100
#define VISIBLE 0.000005 /* a difference of shares that changes the last decimal */

static const char *const change_words[APF_SAMPLE_DIFF_CHANGES] = {"only in A",
                                                                  "only in B",
                                                                  "different checksum",
                                                                  "hotter or colder",
                                                                  "samples moved between lines",
                                                                  "different call targets",
                                                                  "different vtables",
                                                                  "different callers",
                                                                  "different attributes",
                                                                  "different name"};

static void print_share(struct file_out *out, double share, size_t width)
{
    text_fixed(out, share * PERCENT, DECIMALS, width);
    text_append(out, "%");
}

static void print_number(struct file_out *out, const char *before, uint64_t n)
{
    text_append(out, before);
    text_decimal(out, n, 0);
}

static void print_name(struct file_out *out, const struct apf_sample_name *name)
{
    if (name->text.p) {
        text_function(out, name->text);
        return;
    }
    text_append(out, "(function ");
    text_hash(out, name->hash);
    text_append(out, ")");
}

/* ---- functions ---- */

/* Prints the beginning of one change, after ": " if it is the first of a line, else after ", ". */
static void print_part(struct file_out *out, bool *first, const char *words)
{
    text_append(out, *first ? ": " : ", ");
    text_append(out, words);
    *first = false;
}

static void print_lines(struct file_out *out, bool *first, const struct apf_sample_diff_function *f)
{
    uint64_t a = f->side[0].n_lone, b = f->side[1].n_lone;
    print_part(out, first, "lines ");
    print_share(out, f->lines_moved, 0);
    if (!a && !b)
        return;
    text_append(out, " (");
    if (a)
        print_number(out, "A alone ", a);
    if (b)
        print_number(out, a ? ", B alone " : "B alone ", b);
    text_append(out, ")");
}

static void print_callers(struct file_out *out, bool *first, const struct apf_sample_diff_function *f)
{
    print_part(out, first, "callers ");
    print_share(out, f->callers_moved, 0);
    double change = f->side[1].inlined - f->side[0].inlined;
    if (change < VISIBLE && change > -VISIBLE)
        return;
    text_append(out, " (inlined ");
    print_share(out, f->side[0].inlined, 0);
    text_append(out, " -> ");
    print_share(out, f->side[1].inlined, 0);
    text_append(out, ")");
}

static void print_moved(struct file_out *out, bool *first, const char *words, double moved)
{
    print_part(out, first, words);
    print_share(out, moved, 0);
}

static void print_checksum(struct file_out *out, bool *first, const struct apf_sample_diff_function *f)
{
    print_part(out, first, "checksum ");
    text_hash(out, f->side[0].checksum);
    text_append(out, " -> ");
    text_hash(out, f->side[1].checksum);
}

/* A profile of several builds has several checksums of a function. */
static void print_mixed(struct file_out *out, bool *first, const struct apf_sample_diff_function *f)
{
    for (unsigned i = 0; i < 2; i++)
        if (f->side[i].n_checksums > 1) {
            print_part(out, first, i ? "in B " : "in A ");
            print_number(out, "", f->side[i].n_checksums);
            text_append(out, " checksums");
        }
}

static void print_changes(struct file_out *out, const struct apf_sample_diff_function *f, bool absolute)
{
    const struct apf_sample_diff_side *a = &f->side[0], *b = &f->side[1];
    bool first = true;
    if (f->changes & (APF_SAMPLE_DIFF_ONLY_A | APF_SAMPLE_DIFF_ONLY_B))
        print_part(out, &first, f->changes & APF_SAMPLE_DIFF_ONLY_A ? "only in A" : "only in B");
    if (f->changes & APF_SAMPLE_DIFF_CHECKSUM)
        print_checksum(out, &first, f);
    print_mixed(out, &first, f);
    if (f->changes & APF_SAMPLE_DIFF_SHARE)
        print_part(out, &first,
                   (absolute ? a->samples < b->samples : a->share < b->share) ? "hotter" : "colder");
    if (f->changes & APF_SAMPLE_DIFF_LINES)
        print_lines(out, &first, f);
    if (f->changes & APF_SAMPLE_DIFF_TARGETS)
        print_moved(out, &first, "targets ", f->targets_moved);
    if (f->changes & APF_SAMPLE_DIFF_VTABLES)
        print_moved(out, &first, "vtables ", f->vtables_moved);
    if (f->changes & APF_SAMPLE_DIFF_CALLERS)
        print_callers(out, &first, f);
    if (f->changes & APF_SAMPLE_DIFF_ATTRIBUTES) {
        print_part(out, &first, "");
        print_number(out, "attributes ", a->attributes);
        print_number(out, " -> ", b->attributes);
    }
    if (f->changes & APF_SAMPLE_DIFF_NAME) {
        print_part(out, &first, "in B ");
        print_name(out, &b->name);
    }
}

static void print_function(struct file_out *out, const struct apf_sample_diff_function *f, bool absolute)
{
    print_share(out, f->effect, SHARE_WIDTH);
    text_append(out, "  ");
    for (unsigned i = 0; i < 2; i++) {
        print_share(out, f->side[i].share, SHARE_WIDTH);
        text_append(out, "  ");
    }
    print_name(out, &sample_diff_side(f)->name);
    print_changes(out, f, absolute);
    text_append(out, "\n");
}

static void print_functions(struct file_out *out, const struct apf_sample_diff *diff)
{
    size_t n = sample_diff_shown(diff), rest = diff->functions.n - n;
    if (n)
        text_append(out, "\n  effect      in A      in B  function\n");
    for (size_t i = 0; i < n; i++)
        print_function(out, &diff->functions.data[i], (diff->options.flags & APF_SAMPLE_DIFF_ABSOLUTE) != 0);
    if (rest) {
        print_number(out, "... and ", rest);
        text_append(out, rest == 1 ? " more\n" : " more; --topn=0 lists all\n");
    }
}

/* ---- the profiles ---- */

static void print_profile(struct file_out *out, const struct apf_sample_diff *diff, unsigned i)
{
    text_append(out, i ? "B: " : "A: ");
    text_message(out, diff->options.names[i] ? diff->options.names[i] : "<profile>");
    print_number(out, ": functions ", diff->totals.functions[i]);
    text_append(out, ", samples ");
    text_fixed(out, diff->totals.samples[i], 0, 0);
    text_append(out, ", inlined ");
    print_share(out, diff->totals.inlined[i], 0);
    text_append(out, "\n");
}

static void print_remarks(struct file_out *out, const struct apf_sample_diff_totals *t)
{
    if (!t->lines_compared)
        text_append(out, "only one profile has probes: lines, targets and checksums are not compared\n");
    if (!t->callers_compared)
        text_append(out, "only one profile has contexts: callers are not compared\n");
}

static void print_totals(struct file_out *out, const struct apf_sample_diff_totals *t)
{
    const unsigned width = 10;
    text_append(out, t->differ ? "\n  effect functions\n" : "\n");
    for (unsigned i = 0; i < APF_SAMPLE_DIFF_CHANGES; i++) {
        if (t->changes[i].n == 0)
            continue;
        print_share(out, t->changes[i].effect, SHARE_WIDTH);
        text_decimal(out, t->changes[i].n, width);
        text_append(out, "  ");
        text_append(out, change_words[i]);
        text_append(out, "\n");
    }
    text_append(out, t->differ ? "\n" : "");
    if (t->stale[0] > 0 || t->stale[1] > 0) {
        text_append(out, "stale: functions with another checksum have ");
        print_share(out, t->stale[0], 0);
        text_append(out, " of the samples of A, ");
        print_share(out, t->stale[1], 0);
        text_append(out, " of those of B\n");
    }
    text_append(out, "difference: ");
    print_share(out, t->difference, 0);
    print_number(out, " of the samples moved; functions that differ: ", t->differ);
    print_number(out, ", equal: ", t->equal);
    text_append(out, "\n");
}

int apf_sample_diff_print(const struct apf_sample_diff *diff, const struct apf_output *output,
                          struct apf_error *error)
{
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    if (diff->options.flags & APF_SAMPLE_DIFF_JSON) {
        code = sample_diff_json(diff, out, error);
    } else {
        print_profile(out, diff, 0);
        print_profile(out, diff, 1);
        print_remarks(out, &diff->totals);
        print_functions(out, diff);
        print_totals(out, &diff->totals);
    }
    return file_out_finish(out, code, error);
}
