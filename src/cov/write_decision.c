/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/write_decision.h"

#include "base/text_append.h"

void place_write(struct file_out *out, uint32_t line, uint32_t column)
{
    text_append(out, "(");
    text_decimal(out, line, 0);
    text_append(out, ":");
    text_decimal(out, column, 0);
    text_append(out, ")");
}

static void put_vectors(struct file_out *out, const struct decision *d)
{
    text_append(out, "  Executed MC/DC Test Vectors:\n\n");
    if (!d->n_vectors) {
        text_append(out, "     None.\n\n");
        return;
    }
    text_append(out, "     ");
    for (uint32_t i = 0; i < d->n_conditions; i++) {
        text_append(out, i ? ", C" : "C");
        text_decimal(out, i + 1, 0);
    }
    text_append(out, "    Result\n");
    for (uint32_t k = 0; k < d->n_vectors; k++) {
        const struct test_vector *v = &d->vectors[k];
        text_append(out, "  ");
        text_decimal(out, k + 1, 0);
        text_append(out, " { ");
        for (uint32_t i = 0; i < d->n_conditions; i++) {
            text_append(out, i ? ",  " : "");
            text_append(out, d->folded[i]               ? "C"
                             : !vector_bit(v->known, i) ? "-"
                             : vector_bit(v->value, i)  ? "T"
                                                        : "F");
        }
        text_append(out, v->result ? "  = T      }\n" : "  = F      }\n");
    }
    text_append(out, "\n");
}

static void put_pairs(struct file_out *out, const struct decision *d)
{
    for (uint32_t i = 0; i < d->n_conditions; i++) {
        text_append(out, "  C");
        text_decimal(out, i + 1, 0);
        text_append(out, "-Pair: ");
        if (d->folded[i]) {
            text_append(out, "constant folded\n");
        } else if (!d->pairs[i][0]) {
            text_append(out, "not covered\n");
        } else {
            text_append(out, "covered: (");
            text_decimal(out, d->pairs[i][0], 0);
            text_append(out, ",");
            text_decimal(out, d->pairs[i][1], 0);
            text_append(out, ")\n");
        }
    }
}

void decision_write(const struct cov_output *o, struct file_out *out, const struct decision *d)
{
    uint32_t n = 0, covered = 0;
    (void)o;
    text_append(out, "---> MC/DC Decision Region ");
    place_write(out, d->region->line, d->region->column);
    text_append(out, " to ");
    place_write(out, d->region->end_line, d->region->end_column);
    text_append(out, "\n\n  Number of Conditions: ");
    text_decimal(out, d->n_conditions, 0);
    text_append(out, "\n");
    for (uint32_t i = 0; i < d->n_conditions; i++) {
        text_append(out, "     Condition C");
        text_decimal(out, i + 1, 0);
        text_append(out, " --> ");
        place_write(out, d->conditions[i]->line, d->conditions[i]->column);
        text_append(out, "\n");
    }
    text_append(out, "\n");
    put_vectors(out, d);
    put_pairs(out, d);
    mcdc_count(d, &n, &covered);
    text_append(out, "  MC/DC Coverage for Decision: ");
    text_fixed(out, n ? (double)(float)((double)covered / (double)n * 100.0) : 0, 2, 0);
    text_append(out, "%\n\n");
}
