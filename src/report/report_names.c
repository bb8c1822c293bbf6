/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leaves out names: a report about the largest of many things does not hold the names of the others. */
#include "base/error.h"
#include "report/report_model.h"

/* What becomes of a number of a name. */
typedef uint32_t visit_fn(void *user, uint32_t name);

static void visit_sites(struct apf_report *r, visit_fn *visit, void *user)
{
    for (size_t i = 0; i < r->sites.n; i++) {
        struct report_site *site = &r->sites.data[i];
        site->function = visit(user, site->function);
        for (size_t k = 0; k < site->n_values && k < REPORT_VALUES && site->kind != REPORT_SIZES; k++)
            if (site->values[k].value != UINT64_MAX)
                site->values[k].value = visit(user, (uint32_t)site->values[k].value);
    }
}

static void visit_cells(struct apf_report *r, visit_fn *visit, void *user)
{
    for (size_t p = 0; p < REPORT_PARTS; p++)
        for (size_t t = 0; t < r->parts[p].tables.n; t++) {
            struct report_table *table = &r->parts[p].tables.data[t];
            for (size_t i = 0; i < table->cells.n; i++) {
                struct report_cell *cell = &table->cells.data[i];
                if (table->columns[i % table->n_columns].kind == REPORT_CELL_NAME &&
                    cell->value != UINT64_MAX)
                    cell->value = visit(user, (uint32_t)cell->value);
            }
        }
    for (size_t i = 0; i < r->calls.n; i++)
        r->calls.data[i].name = visit(user, r->calls.data[i].name);
}

/* Puts what a function returns in place of each number of a name. */
static void visit_names(struct apf_report *r, visit_fn *visit, void *user)
{
    struct report_tree *const trees[] = {&r->stacks, &r->memory};
    for (size_t i = 0; i < r->functions.n; i++)
        r->functions.data[i].name = visit(user, r->functions.data[i].name);
    for (size_t t = 0; t < sizeof trees / sizeof *trees; t++)
        for (size_t i = 1; i < trees[t]->frames.n; i++)
            trees[t]->frames.data[i].name = visit(user, trees[t]->frames.data[i].name);
    for (size_t i = 0; i < r->comparison.list.n; i++)
        r->comparison.list.data[i].name = visit(user, r->comparison.list.data[i].name);
    visit_sites(r, visit, user);
    visit_cells(r, visit, user);
}

static uint32_t mark_name(void *user, uint32_t name)
{
    uint32_t *numbers = user;
    numbers[name] = 1;
    return name;
}

static uint32_t renumber_name(void *user, uint32_t name)
{
    const uint32_t *numbers = user;
    return numbers[name];
}

int report_drop_names(struct apf_report *r, struct apf_error *error)
{
    uint32_t kept = 0, *numbers = (uint32_t *)calloc(r->names.n + 1, sizeof *numbers);
    hash_index_free(&r->by_name);
    if (!numbers)
        return error_memory(error);
    visit_names(r, mark_name, numbers);
    for (size_t i = 0; i < r->names.n; i++)
        if (numbers[i]) {
            r->names.data[kept] = r->names.data[i];
            numbers[i] = kept++;
        }
    r->names.n = kept;
    visit_names(r, renumber_name, numbers);
    free(numbers);
    return APF_OK;
}
