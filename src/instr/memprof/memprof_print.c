/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints memory profiles as YAML, byte for byte like llvm-profdata 22. */
#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/text_append.h"
#include "base/yaml_text.h"
#include "instr/model/memprof_model.h"

static void print_comment(struct file_out *out, const char *text, uint64_t v)
{
    text_append(out, "#   ");
    text_append(out, text);
    text_append(out, ": ");
    text_decimal(out, v, 0);
    text_append(out, "\n");
}

static void print_id(struct file_out *out, uint64_t id)
{
    text_append(out, "0x");
    text_hex(out, id, 0);
}

static void print_summary(struct file_out *out, const struct apf_memprof_info *info)
{
    const struct apf_memprof_summary *s = &info->summary;
    text_append(out, "---\n# MemProfSummary:\n");
    print_comment(out, "Total contexts", s->contexts);
    print_comment(out, "Total cold contexts", s->cold_contexts);
    print_comment(out, "Total hot contexts", s->hot_contexts);
    print_comment(out, "Maximum cold context total size", s->max_cold_size);
    print_comment(out, "Maximum warm context total size", s->max_warm_size);
    print_comment(out, "Maximum hot context total size", s->max_hot_size);
    if (!memprof_data_count(info))
        return;
    print_comment(out, "Num hot symbols and string literals", info->n_data);
    print_comment(out, "Num known cold symbols", info->n_cold_symbols);
    print_comment(out, "Num known cold string literals", info->n_cold_hashes);
}

static void print_stack(struct file_out *out, const struct apf_memprof *m, uint32_t stack, const char *key)
{
    if (stack == 0) {
        yaml_write_key(out, "", key);
        text_append(out, "[]\n");
        return;
    }
    text_append(out, key);
    text_append(out, ":\n");
    for (; stack; stack = m->nodes.data[stack].parent) {
        const struct apf_memprof_frame *f = &m->frames.data[m->nodes.data[stack].frame];
        text_append(out, "          - { Function: ");
        print_id(out, f->function);
        text_append(out, ", LineOffset: ");
        text_decimal(out, f->line_offset, 0);
        text_append(out, ", Column: ");
        text_decimal(out, f->column, 0);
        text_append(out, f->is_inline ? ", IsInlineFrame: true }\n" : ", IsInlineFrame: false }\n");
    }
}

static void print_alloc(struct file_out *out, const struct apf_memprof *m, const struct memprof_alloc *a)
{
    const uint64_t *v = ENTRY_AT(m->values.data, a->first_value);
    text_append(out, "      - ");
    print_stack(out, m, a->stack, "Callstack");
    if (!a->fields) {
        yaml_write_key(out, "        ", "MemInfoBlock");
        text_append(out, "{}\n");
        return;
    }
    text_append(out, "        MemInfoBlock:\n");
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
        if (a->fields & memprof_bit(f))
            yaml_write_number_line(out, "          ", apf_memprof_field_name(f), *v++);
}

static void print_site(struct file_out *out, const struct apf_memprof *m, const struct memprof_site *s)
{
    text_append(out, "      - ");
    print_stack(out, m, s->stack, "Frames");
    if (!s->n_callees)
        return;
    yaml_write_key(out, "        ", "CalleeGuids");
    for (size_t i = 0; i < s->n_callees; i++) {
        text_append(out, i ? ", " : "[ ");
        print_id(out, m->callee_guids.data[s->first_callee + i]);
    }
    text_append(out, " ]\n");
}

static void print_function(struct file_out *out, const struct apf_memprof *m,
                           const struct memprof_function *f)
{
    yaml_write_key(out, "  - ", "GUID");
    print_id(out, f->guid);
    text_append(out, "\n");
    if (f->n_allocs)
        text_append(out, "    AllocSites:\n");
    for (size_t i = 0; i < f->n_allocs; i++)
        print_alloc(out, m, &m->allocs.data[f->first_alloc + i]);
    if (f->n_sites)
        text_append(out, "    CallSites:\n");
    for (size_t i = 0; i < f->n_sites; i++)
        print_site(out, m, &m->sites.data[f->first_site + i]);
}

/* ---- data access profiles ---- */

static void print_datum(struct file_out *out, const struct apf_memprof *m, const struct memprof_datum *d)
{
    if (d->is_literal)
        yaml_write_number_line(out, "    - ", "Hash", d->id);
    else
        yaml_write_text_line(out, "    - ", "Symbol", m->strings.data[d->id]);
    yaml_write_number_line(out, "      ", "AccessCount", d->count);
    if (d->n_locations)
        text_append(out, "      Locations:\n");
    for (size_t i = 0; i < d->n_locations; i++) {
        const struct memprof_location *l = &m->locations.data[d->first_location + i];
        yaml_write_text_line(out, "        - ", "FileName", m->strings.data[l->file]);
        yaml_write_number_line(out, "          ", "Line", l->line);
    }
}

static bool name_before(const void *context, const void *a, const void *b)
{
    const struct apf_str *x = a, *y = b;
    (void)context;
    return sort_compare_bytes(x->p, x->n, y->p, y->n) < 0;
}

/* Data access profiles are printed from the most accesses down, cold data in the order of their bytes. */
static int print_data(struct file_out *out, const struct apf_memprof *m)
{
    size_t n = m->data.n, n_cold = m->cold_symbols.n, n_hashes = m->cold_hashes.n;
    struct sort_key *order = malloc(2 * n * sizeof *order + 1);
    struct apf_str *names = malloc(2 * n_cold * sizeof *names + 1);
    uint64_t *hashes = malloc(2 * n_hashes * sizeof *hashes + 1);
    bool ok = order && names && hashes;
    for (size_t i = 0; ok && i < n; i++) {
        order[i].key = ~m->data.data[i].count;
        order[i].value = i;
    }
    if (ok) {
        sort_keys(order, order + n, n);
        if (n_cold)
            memcpy(names, m->cold_symbols.data, n_cold * sizeof *names);
        if (n_hashes)
            memcpy(hashes, m->cold_hashes.data, n_hashes * sizeof *hashes);
        sort_merge(names, names + n_cold, n_cold, sizeof *names, name_before, NULL);
        sort_numbers(hashes, hashes + n_hashes, n_hashes);
        text_append(out, n ? "DataAccessProfiles:\n  SampledRecords:\n" : "DataAccessProfiles:\n");
    }
    for (size_t i = 0; ok && i < n; i++)
        print_datum(out, m, &m->data.data[order[i].value]);
    if (ok && n_cold)
        text_append(out, "  KnownColdSymbols:\n");
    for (size_t i = 0; ok && i < n_cold; i++) {
        text_append(out, "    - ");
        yaml_write_text(out, names[i]);
        text_append(out, "\n");
    }
    for (size_t i = 0; ok && i < n_hashes; i++) {
        text_append(out, i ? ", " : "  KnownColdStrHashes: [ ");
        text_decimal(out, hashes[i], 0);
    }
    if (ok && n_hashes)
        text_append(out, " ]\n");
    free(order);
    free(names);
    free(hashes);
    return ok ? APF_OK : APF_NO_MEMORY;
}

int apf_memprof_print(const struct apf_memprof *memprof, const struct apf_output *output,
                      struct apf_error *error)
{
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    print_summary(out, &memprof->info);
    text_append(out, "---\n");
    if (memprof->functions.n)
        text_append(out, "HeapProfileRecords:\n");
    for (size_t i = 0; i < memprof->functions.n; i++)
        print_function(out, memprof, &memprof->functions.data[i]);
    if (memprof_data_count(&memprof->info) && print_data(out, memprof) != APF_OK)
        code = error_memory(error);
    if (!memprof->functions.n && !memprof_data_count(&memprof->info))
        text_append(out, "{}\n");
    text_append(out, "...\n");
    return file_out_finish(out, code, error);
}
