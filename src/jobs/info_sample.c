/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts of sample profiles. */
#include "base/error.h"
#include "base/options.h"
#include "jobs/info.h"
#include "sample/read/sample_formats.h"

/* The properties of a profile as words: "probes, context-sensitive". False: allocation failed. */
static bool add_properties(struct info_reader *r, uint32_t flags)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } rows[] = {{APF_SAMPLE_PROBES, "probes"},         {APF_SAMPLE_CONTEXTS, "context-sensitive"},
                {APF_SAMPLE_PREINLINED, "preinlined"}, {APF_SAMPLE_FS, "flow-sensitive discriminators"},
                {APF_SAMPLE_MD5, "names as hashes"},   {APF_SAMPLE_UNIQUE, "unique names of local functions"},
                {APF_SAMPLE_PARTIAL, "partial"},       {APF_SAMPLE_VTABLES, "vtables"},
                {APF_SAMPLE_ATTRIBUTES, "attributes"}, {APF_SAMPLE_TIMES, "times of first execution"}};
    VEC(char) text = {NULL, 0, 0};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof rows / sizeof *rows; i++) {
        struct apf_str parts[2] = {{", ", text.n ? 2 : 0}, {rows[i].word, strlen(rows[i].word)}};
        for (size_t k = 0; ok && flags & rows[i].flag && k < 2; k++) {
            ok = VEC_RESERVE(&text, parts[k].n);
            if (ok && parts[k].n)
                memcpy(text.data + text.n, parts[k].p, parts[k].n);
            text.n += ok ? parts[k].n : 0;
        }
    }
    struct apf_str word = {ok && text.n ? arena_text(r->arena, text.data, text.n) : NULL, text.n};
    if (ok && text.n)
        ok = word.p && info_add_word(r, "properties", word);
    VEC_FREE(&text);
    return ok;
}

static bool add_numbers(struct info_reader *r, const struct apf_sample *s)
{
    const struct apf_sample_info *info = &s->info;
    const struct {
        const char *name;
        uint64_t n;
    } rows[] = {{"inlined_functions", info->n_inlined},
                {"inline_depth", info->max_depth},
                {"context_frames", info->max_context > 1 ? info->max_context : 0},
                {"lines", info->n_lines},
                {"call_targets", info->n_targets},
                {"vtable_counts", info->n_vtables},
                {"names", info->n_names},
                {"hashes", info->n_hashes},
                {"listed_functions", info->n_symbols}};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof rows / sizeof *rows; i++)
        ok = rows[i].n == 0 || info_add_number(r, rows[i].name, rows[i].n);
    return ok;
}

/* Fills in the facts of a profile that was read. */
static int add_facts(struct info_reader *r, const struct apf_sample *s, struct apf_error *error)
{
    struct apf_file_facts *f = r->facts;
    struct apf_str layout = {s->info.layout, strlen(s->info.layout)};
    f->version = s->info.version;
    f->big_endian = s->info.big_endian;
    f->n_profiles = 1;
    f->n_functions = s->info.n_functions;
    f->findings = finding_table_list(&sample_finding_table, s->findings, r->arena, &f->n_findings);
    bool ok = f->findings && (layout.n == 0 || info_add_word(r, "layout", layout)) &&
              add_properties(r, s->info.flags) && add_numbers(r, s);
    return ok ? APF_OK : error_memory(error);
}

int info_read_sample(struct info_reader *r, struct apf_error *error)
{
    struct sample_read_options options;
    struct apf_options common;
    struct apf_sample_read_options wanted = {.size = sizeof wanted, .options = r->options};
    int code = sample_read_options_resolve(&options, &wanted, &common, error);
    struct apf_sample *s = code == APF_OK ? sample_new() : NULL;
    if (code == APF_OK && !s)
        code = error_memory(error);
    if (code == APF_OK)
        code = sample_read_any(s, r->bytes.data, r->bytes.n, &options, error);
    if (code == APF_OK)
        code = add_facts(r, s, error);
    sample_free(s);
    return code;
}
