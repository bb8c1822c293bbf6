/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of text, whose columns are as wide as their cells, for terminals or as Markdown. */
#ifndef COV_TEXT_TABLE_H
#define COV_TEXT_TABLE_H

#include <anyprof/cov.h>

#include "base/file.h"
#include "base/vec.h"

/* A cell is what was written to `cells` between two calls of text_table_end. */
struct text_table {
    size_t n_columns;
    size_t n_left; /* columns from this one on are aligned to the right, but for the last one */
    bool markdown;
    struct file_out *cells;
    struct apf_buffer text;
    VEC(size_t) ends;
    VEC(size_t) widths; /* of columns, in characters */
};

/* APF_NO_MEMORY. text_table_free must follow either way. */
int text_table_init(struct text_table *t, size_t n_columns, size_t n_left, bool markdown,
                    struct apf_error *error);
/* Ends a cell. */
int text_table_end(struct text_table *t, struct apf_error *error);
/* The cells of the head. */
int text_table_head(struct text_table *t, const char *const *names, struct apf_error *error);
/* A cell with these words, which are no markup, or with a name from a file, which is escaped. */
int text_table_words(struct text_table *t, const char *words, struct apf_error *error);
int text_table_name(struct text_table *t, struct apf_str name, struct apf_error *error);
int text_table_number(struct text_table *t, uint64_t v, struct apf_error *error);
/* A share in per cent with two decimals; of nothing, it is "-". */
int text_table_share(struct text_table *t, const struct apf_cov_share *s, struct apf_error *error);
/* Prints the table, whose first row is its head. APF_NO_MEMORY. */
int text_table_print(struct text_table *t, struct file_out *out, struct apf_error *error);
void text_table_free(struct text_table *t);

#endif
