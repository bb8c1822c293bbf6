/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leaves out names: a report about the largest of many things does not hold the names of the others. */
#include "base/error.h"
#include "report/report.h"

/* Calls a function with each number of a name that a report holds. */
typedef void visit_fn(void *user, uint32_t *name);

static void visit_sites(struct apf_report *r, visit_fn *visit, void *user)
{
    for (size_t i = 0; i < r->sites.n; i++) {
        struct report_site *site = &r->sites.data[i];
        visit(user, &site->function);
        for (size_t k = 0; k < site->n_values && k < REPORT_VALUES && site->kind != REPORT_SIZES; k++) {
            uint32_t name = (uint32_t)site->values[k].value;
            if (site->values[k].value == UINT64_MAX)
                continue;
            visit(user, &name);
            site->values[k].value = name;
        }
    }
}

static void visit_cells(struct apf_report *r, visit_fn *visit, void *user)
{
    for (size_t p = 0; p < REPORT_PARTS; p++)
        for (size_t t = 0; t < r->parts[p].tables.n; t++) {
            struct report_table *table = &r->parts[p].tables.data[t];
            for (size_t i = 0; i < table->cells.n; i++) {
                struct report_cell *cell = &table->cells.data[i];
                uint32_t name = (uint32_t)cell->value;
                if (table->columns[i % table->n_columns].kind != REPORT_CELL_NAME ||
                    cell->value == UINT64_MAX)
                    continue;
                visit(user, &name);
                cell->value = name;
            }
        }
    for (size_t i = 0; i < r->calls.n; i++)
        visit(user, &r->calls.data[i].name);
}

static void visit_names(struct apf_report *r, visit_fn *visit, void *user)
{
    struct report_tree *const trees[] = {&r->stacks, &r->memory};
    for (size_t i = 0; i < r->functions.n; i++)
        visit(user, &r->functions.data[i].name);
    for (size_t t = 0; t < sizeof trees / sizeof *trees; t++)
        for (size_t i = 1; i < trees[t]->frames.n; i++)
            visit(user, &trees[t]->frames.data[i].name);
    for (size_t i = 0; i < r->comparison.list.n; i++)
        visit(user, &r->comparison.list.data[i].name);
    visit_sites(r, visit, user);
    visit_cells(r, visit, user);
}

static void mark_name(void *user, uint32_t *name)
{
    uint32_t *numbers = user;
    numbers[*name] = 1;
}

static void renumber_name(void *user, uint32_t *name)
{
    const uint32_t *numbers = user;
    *name = numbers[*name];
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
