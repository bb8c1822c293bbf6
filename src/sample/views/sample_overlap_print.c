/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints an overlap with the words of llvm-profdata-22. */
#include "base/text_append.h"
#include "sample/model/sample_words.h"
#include "sample/views/sample_columns.h"
#include "sample/views/sample_overlap.h"

#define DECIMALS 3u          /* of the program */
#define FUNCTION_DECIMALS 2u /* of a function */

static void print_share(struct file_out *out, const char *before, double share)
{
    text_append(out, before);
    sample_write_percent(out, share * 100, DECIMALS);
    text_append(out, "\n");
}

static void print_number(struct file_out *out, const char *before, uint64_t n)
{
    text_append(out, before);
    text_decimal(out, n, 0);
    text_append(out, "\n");
}

static void print_common(struct file_out *out, const char *head, const char *things,
                         const struct apf_sample_common *c)
{
    uint64_t all = c->both + c->base + c->test;
    print_share(out, head, (double)c->both / (double)all);
    text_append(out, "    overlap ");
    text_append(out, things);
    print_number(out, ": ", c->both);
    text_append(out, "    ");
    text_append(out, things);
    print_number(out, " unique in base profile: ", c->base);
    text_append(out, "    ");
    text_append(out, things);
    print_number(out, " unique in test profile: ", c->test);
}

static void print_program(struct file_out *out, const struct apf_sample_overlap *o)
{
    const struct apf_sample_overlap_totals *t = &o->totals;
    text_append(out, "Profile overlap information for base_profile: ");
    text_message(out, o->options.names[0]);
    text_append(out, " and test_profile: ");
    text_message(out, o->options.names[1]);
    text_append(out, "\nProgram level:\n");
    print_share(out, "  Whole program profile similarity: ", t->similarity);
    print_share(out, "  Whole program sample overlap: ", t->overlap);
    print_share(out, "    percentage of samples unique in base profile: ",
                (double)t->unique[0] / (double)t->samples[0]);
    print_share(out, "    percentage of samples unique in test profile: ",
                (double)t->unique[1] / (double)t->samples[1]);
    print_number(out, "    total samples in base profile: ", t->samples[0]);
    print_number(out, "    total samples in test profile: ", t->samples[1]);
    print_common(out, "  Function overlap: ", "functions", &t->functions);
    print_common(out, "  Hot-function overlap: ", "hot functions", &t->hot_functions);
    print_common(out, "  Hot-block overlap: ", "hot blocks", &t->hot_lines);
}

/* Where the cells of a row begin, and their titles. */
static const struct column {
    size_t at;
    const char *title;
} columns[] = {{0, "Base weight"},   {15, "Test weight"},  {30, "Similarity"},
               {43, "Overlap"},      {53, "Base unique"},  {67, "Test unique"},
               {81, "Base samples"}, {96, "Test samples"}, {111, "Function name\n"}};
#define N_SHARES 6u
#define N_COLUMNS (sizeof columns / sizeof *columns)

static void print_function(struct file_out *out, const struct apf_sample_overlap_function *f)
{
    const double shares[N_SHARES] = {f->weight[0], f->weight[1], f->similarity,
                                     f->overlap,   f->unique[0], f->unique[1]};
    struct sample_columns row = {out, 0};
    for (unsigned i = 0; i < N_SHARES; i++) {
        if (i)
            sample_column(&row, columns[i].at);
        sample_cell_percent(&row, shares[i] * 100, FUNCTION_DECIMALS);
    }
    for (unsigned i = 0; i < 2; i++) {
        sample_column(&row, columns[N_SHARES + i].at);
        sample_cell_decimal(&row, f->samples[i]);
    }
    sample_column(&row, columns[N_SHARES + 2].at);
    sample_write_shown(out, f->name);
    text_append(out, "\n");
}

static void print_functions(struct file_out *out, const struct apf_sample_overlap *o)
{
    struct sample_columns head = {out, 0};
    if (!o->functions.n)
        return;
    text_append(out, "Function-level details:\n");
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (i)
            sample_column(&head, columns[i].at);
        sample_cell_text(&head, columns[i].title);
    }
    for (size_t i = 0; i < o->functions.n; i++)
        print_function(out, &o->functions.data[i]);
}

/* The lines for profiles without samples; false: there is none. */
static bool print_zeros(struct file_out *out, const struct apf_sample_overlap *o)
{
    for (unsigned i = 0; i < 2; i++)
        if (!o->totals.samples[i]) {
            text_append(out, "Sum of sample counts for profile ");
            text_message(out, o->options.names[i]);
            text_append(out, " is 0.\n");
        }
    return !o->totals.samples[0] || !o->totals.samples[1];
}

int apf_sample_overlap_print(const struct apf_sample_overlap *overlap, const struct apf_output *output,
                             struct apf_error *error)
{
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    if (!print_zeros(out, overlap)) {
        print_program(out, overlap);
        print_functions(out, overlap);
    }
    return file_out_finish(out, code, error);
}
