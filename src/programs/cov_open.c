/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Binds the coverage of programs to profiles, and writes it. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/cov.h>
#include <anyprof/merge.h>

#include "base/deflate.h"
#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/search.h"
#include "base/sort.h"
#include "cov/outputs.h"
#include "instr/model/profile.h"

struct apf_cov {
    struct coverage coverage;
    struct cov_file *programs;
    size_t n_programs;
    VEC(struct cov_object) objects;
    struct apf_instr *instr; /* NULL: nothing was executed */
    struct apf_merge *merge; /* whose view `instr` is, or NULL */
    struct sort_key *by_id;  /* its records by the ids of their names */
    size_t n_records;
};

/* ---- the profile ---- */

/* Whether a record has the hash, or would be taken for the same function with another one. */
static enum counts_match match(const struct record *r, uint64_t hash)
{
    if (r->hash == hash)
        return COUNTS_FOUND;
    return ((r->hash ^ hash) & APF_HASH_CS) == 0 ? COUNTS_MISMATCH : COUNTS_ABSENT;
}

static void use_record(const struct record *r, struct function_counts *counts)
{
    static const uint64_t none;
    counts->match = COUNTS_FOUND;
    counts->counts.counts = r->n_counts ? r->counts : &none;
    counts->counts.n = r->n_counts;
    counts->bitmap = r->bitmap;
    counts->n_bitmap = r->n_bitmap;
    if (r->n_bitmap)
        counts->numbering = r->flags & APF_RECORD_SPARSE_BITMAP ? MCDC_SPARSE : MCDC_DENSE;
}

/* A counts_lookup. */
static void look_up(void *user, uint64_t id, uint64_t hash, struct function_counts *counts)
{
    const struct apf_cov *cov = (const struct apf_cov *)user;
    size_t low;
    *counts = (struct function_counts){.match = COUNTS_ABSENT, .numbering = MCDC_NONE};
    SEARCH(low, 0, cov->n_records, cov->by_id[low].key < id);
    for (; low < cov->n_records && cov->by_id[low].key == id && counts->match != COUNTS_FOUND; low++) {
        const struct record *r = &cov->instr->records.data[cov->by_id[low].value];
        const enum counts_match m = match(r, hash);
        if (m == COUNTS_FOUND)
            use_record(r, counts);
        else if (m == COUNTS_MISMATCH)
            counts->match = m;
    }
}

static int index_records(struct apf_cov *cov, struct apf_error *error)
{
    const size_t n = cov->instr->records.n;
    struct sort_key *scratch = malloc((n + 1) * sizeof *scratch);
    cov->by_id = malloc((n + 1) * sizeof *cov->by_id);
    if (!scratch || !cov->by_id) {
        free(scratch);
        return error_memory(error);
    }
    for (size_t i = 0; i < n; i++)
        cov->by_id[i] = (struct sort_key){cov->instr->records.data[i].id, i};
    sort_keys(cov->by_id, scratch, n);
    free(scratch);
    cov->n_records = n;
    return APF_OK;
}

/* Merges profiles, of which none may be bad. */
static int merge_profiles(struct apf_cov *cov, const struct apf_cov_options *o,
                          const struct apf_options *common, struct apf_error *error)
{
    const struct apf_merge_options options = {
        .size = sizeof options, .options = common, .flags = APF_MERGE_NO_TRACES};
    int code = apf_merge_new(&cov->merge, &options, error);
    if (code == APF_OK)
        code = apf_merge_add(cov->merge, o->profiles, o->n_profiles, error);
    const struct apf_input_result *result;
    for (size_t i = 0; code == APF_OK && (result = apf_merge_input(cov->merge, i)) != NULL; i++)
        if (result->code != APF_OK && result->code != APF_EMPTY_PROFILE) {
            if (error)
                *error = *result->error;
            return error_file(error, result->code, result->name.p, result->name.n);
        }
    return code == APF_OK ? apf_merge_view(cov->merge, &cov->instr, error) : code;
}

static int open_profiles(struct apf_cov *cov, const struct apf_cov_options *o,
                         const struct apf_options *common, struct apf_error *error)
{
    int code = APF_OK;
    if (o->n_profiles == 0) {
        cov->coverage.one_byte = cov->coverage.binary = true; /* as LLVM shows what no profile is for */
        return APF_OK;
    }
    if (o->n_profiles == 1) {
        const struct apf_str name = file_name(o->profiles);
        code = apf_instr_open(&cov->instr, o->profiles, common, error);
        if (code == APF_OK && cov->instr->info.n_profiles > 1) { /* of one file, or a sum of several */
            apf_instr_close(cov->instr);
            cov->instr = NULL;
        }
        code = error_file(error, code, name.p, name.n);
    }
    if (code == APF_OK && !cov->instr)
        code = merge_profiles(cov, o, common, error);
    if (code != APF_OK)
        return code;
    cov->coverage.one_byte = cov->coverage.binary =
        (cov->instr->info.variant & APF_VARIANT_BYTE_COVERAGE) != 0;
    return index_records(cov, error);
}

/* ---- programs ---- */

static int read_objects(struct apf_cov *cov, const struct cov_file *file, const struct cov_name_rules *rules,
                        uint64_t max_bytes, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; i < file->objects.n && code == APF_OK; i++) {
        const struct cov_sections *s = &file->objects.data[i];
        const uint64_t budget = deflate_budget(s->names.n + s->covmap.n, max_bytes);
        struct cov_object object;
        code = cov_object_read(&object, s, &cov->coverage.files, rules, budget, error);
        if (code != APF_OK || !VEC_PUSH(&cov->objects, object)) {
            cov_object_free(&object);
            code = code == APF_OK ? error_memory(error) : code;
        }
    }
    return code;
}

static int open_programs(struct apf_cov *cov, const struct apf_cov_options *o,
                         const struct apf_options *common, struct apf_error *error)
{
    const struct cov_name_rules rules = {
        .compilation_dir = {o->compilation_dir, o->compilation_dir ? strlen(o->compilation_dir) : 0},
        .has_compilation_dir = o->compilation_dir && *o->compilation_dir,
        .changes = o->prefix_maps,
        .n_changes = o->n_prefix_maps};
    int code = inputs_check(o->programs, o->n_programs, error);
    cov->programs = code == APF_OK ? calloc(o->n_programs + 1, sizeof *cov->programs) : NULL;
    if (code == APF_OK && !cov->programs)
        code = error_memory(error);
    for (size_t i = 0; i < o->n_programs && code == APF_OK; i++) {
        const struct apf_input *input = input_at(o->programs, i);
        const struct apf_str name = file_name(input);
        struct cov_file *file = &cov->programs[cov->n_programs++];
        code = cov_file_open(file, input, o->architecture, options_max_bytes(common), error);
        if (code == APF_OK && o->flags & APF_COV_LLVM && file->objects.n < file->n_members)
            continue; /* llvm-cov reads no archive with a member without coverage */
        if (code == APF_OK)
            code = read_objects(cov, file, &rules, options_max_bytes(common), error);
        code = error_file(error, code, name.p, name.n);
    }
    if (code == APF_OK && cov->objects.n == 0) {
        const struct apf_str name = file_name(o->programs);
        code = error_file(error, error_plain(error, APF_NO_COVERAGE, "covmap", NULL), name.p, name.n);
    }
    return code;
}

int apf_cov_open(struct apf_cov **result, const struct apf_cov_options *options, struct apf_error *error)
{
    struct apf_cov_options o;
    struct apf_options common;
    *result = NULL;
    int code = OPTIONS_READ_BOTH(apf_cov_options, &o, options, &common, error);
    if (code == APF_OK)
        code = flags_check(o.flags, APF_COV_LLVM, "apf_cov_options.flags", error);
    if (code == APF_OK && o.n_programs == 0)
        code = error_plain(error, APF_ARGUMENT, "apf_cov_options.programs", "there is no program");
    if (code != APF_OK)
        return code;
    struct apf_cov *cov = calloc(1, sizeof *cov);
    if (!cov)
        return error_memory(error);
    code = open_profiles(cov, &o, &common, error);
    if (code == APF_OK)
        code = open_programs(cov, &o, &common, error);
    cov->coverage.objects = cov->objects.data;
    cov->coverage.n_objects = cov->objects.n;
    cov->coverage.lookup = look_up;
    cov->coverage.user = cov;
    cov->coverage.strict = (o.flags & APF_COV_LLVM) != 0;
    cov->coverage.one_byte &= !cov->coverage.strict; /* LLVM 22 adds up what ran and what did not */
    if (code == APF_OK)
        code = coverage_load(&cov->coverage, error);
    if (code != APF_OK) {
        apf_cov_close(cov);
        return code;
    }
    *result = cov;
    return APF_OK;
}

void apf_cov_close(struct apf_cov *cov)
{
    if (!cov)
        return;
    coverage_free(&cov->coverage);
    for (size_t i = 0; i < cov->objects.n; i++)
        cov_object_free(&cov->objects.data[i]);
    VEC_FREE(&cov->objects);
    for (size_t i = 0; i < cov->n_programs; i++)
        cov_file_close(&cov->programs[i]);
    free(cov->programs);
    free(cov->by_id);
    if (cov->merge)
        apf_merge_free(cov->merge);
    else
        apf_instr_close(cov->instr);
    free(cov);
}

int apf_cov_stats(const struct apf_cov *cov, struct apf_cov_stats *stats, struct apf_error *error)
{
    const uint64_t *dropped = cov->coverage.dropped;
    struct apf_cov_stats s = {.size = sizeof s,
                              .n_programs = cov->n_programs,
                              .n_objects = cov->objects.n,
                              .n_functions = cov->coverage.functions.n,
                              .mismatched = dropped[DROP_MISMATCH],
                              .short_counters = dropped[DROP_COUNTERS],
                              .circular = dropped[DROP_CYCLE],
                              .damaged = dropped[DROP_DAMAGED],
                              .ambiguous_files = dropped[DROP_FILES],
                              .unused = dropped[DROP_UNUSED],
                              .duplicates = dropped[DROP_DUPLICATE]};
    const int code = RESULT_CHECK(apf_cov_stats, stats, error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < cov->n_programs; i++)
        s.n_without += cov->programs[i].n_members - cov->programs[i].objects.n;
    s.n_files = apf_cov_source_files(cov, "");
    result_fill(stats, sizeof s, &s);
    return APF_OK;
}

/* ---- which files ---- */

/* Whether a file is the source, or in the directory that it is. */
static bool is_below(struct apf_str name, const char *source)
{
    const size_t n = strlen(source);
    return name.n >= n && memcmp(name.p, source, n) == 0 &&
           (name.n == n || n == 0 || name.p[n] == '/' || source[n - 1] == '/');
}

/* Whether pair i is the first one of its file. */
static bool begins_file(const struct coverage *c, size_t i)
{
    return i == 0 || c->pairs.data[i] >> 32 != c->pairs.data[i - 1] >> 32;
}

size_t apf_cov_source_files(const struct apf_cov *cov, const char *source)
{
    const struct coverage *c = &cov->coverage;
    size_t n = 0;
    for (size_t i = 0; i < c->pairs.n; i++)
        n += begins_file(c, i) && is_below(c->files.list.data[c->pairs.data[i] >> 32], source);
    return n;
}

struct file_choice {
    const struct coverage *c;
    const struct apf_cov_write_options *o;
    VEC(struct sort_name) names;
    uint32_t *files;
    size_t n;
    struct apf_error *error;
};

static int is_wanted(const struct file_choice *f, struct apf_str name, bool *wanted)
{
    const int answer = f->o->filter ? f->o->filter(f->o->user, name) : 1;
    *wanted = answer > 0;
    return answer < 0 ? error_memory(f->error) : APF_OK;
}

/* All files that functions have parts in, by name. */
static int list_files(struct file_choice *f)
{
    const struct coverage *c = f->c;
    int code = APF_OK;
    for (size_t i = 0; i < c->pairs.n && code == APF_OK; i++) {
        const uint32_t file = (uint32_t)(c->pairs.data[i] >> 32);
        bool wanted;
        if (!begins_file(c, i))
            continue;
        const struct apf_str name = c->files.list.data[file];
        const struct sort_name entry = {.p = name.p, .n = (uint32_t)name.n, .index = file};
        code = is_wanted(f, name, &wanted);
        if (code == APF_OK && wanted && !VEC_PUSH(&f->names, entry))
            code = error_memory(f->error);
    }
    if (code == APF_OK && !VEC_RESERVE(&f->names, f->names.n))
        code = error_memory(f->error);
    if (code == APF_OK && f->names.n)
        sort_names(f->names.data, f->names.data + f->names.n, f->names.n);
    return code;
}

static int choose_files(struct file_choice *f)
{
    int code = list_files(f);
    f->files = code == APF_OK ? malloc((f->names.n + 1) * sizeof *f->files) : NULL;
    if (code == APF_OK && !f->files)
        code = error_memory(f->error);
    if (code != APF_OK)
        return code;
    uint8_t *taken = calloc(f->names.n + 1, 1);
    if (!taken)
        return error_memory(f->error);
    for (size_t s = 0; s < f->o->n_sources; s++)
        for (size_t i = 0; i < f->names.n; i++) {
            const struct apf_str name = {f->names.data[i].p, f->names.data[i].n};
            if (taken[i] || !is_below(name, f->o->sources[s]))
                continue;
            taken[i] = 1;
            f->files[f->n++] = f->names.data[i].index;
        }
    for (size_t i = 0; i < f->names.n && !f->o->n_sources; i++)
        f->files[f->n++] = f->names.data[i].index;
    free(taken);
    return APF_OK;
}

/* ---- writing ---- */

#define WRITE_FLAGS (2 * APF_COV_BRANCH_PERCENT - 1)

static int write_format(const struct cov_output *o)
{
    static int (*const writers[])(const struct cov_output *o) = {
        [APF_COV_JSON] = cov_write_json,       [APF_COV_LCOV] = cov_write_lcov,
        [APF_COV_REPORT] = cov_write_report,   [APF_COV_FUNCTIONS] = cov_write_functions,
        [APF_COV_SHOW] = cov_write_show,       [APF_COV_COBERTURA] = cov_write_cobertura,
        [APF_COV_CODECOV] = cov_write_codecov, [APF_COV_COVERALLS] = cov_write_coveralls};
    return writers[o->options->format](o);
}

static int read_options(struct apf_cov_write_options *o, const struct apf_cov_write_options *options,
                        struct apf_error *error)
{
    int code = OPTIONS_READ(apf_cov_write_options, o, options, error);
    if (code == APF_OK)
        code = flags_check(o->flags, WRITE_FLAGS, "apf_cov_write_options.flags", error);
    if (code == APF_OK && o->format > APF_COV_COVERALLS)
        code = error_plain(error, APF_ARGUMENT, "apf_cov_write_options.format", "no such format");
    return code;
}

int apf_cov_totals(const struct apf_cov *cov, const struct apf_cov_write_options *options,
                   struct apf_cov_totals *totals, struct apf_error *error)
{
    struct apf_cov_write_options o;
    struct cov_summary sum = {.functions = {0, 0}};
    struct file_view view = {.file = 0};
    int code = read_options(&o, options, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_cov_totals, totals, error);
    if (code != APF_OK)
        return code;
    struct file_choice f = {.c = &cov->coverage, .o = &o, .error = error};
    code = choose_files(&f);
    for (size_t i = 0; i < f.n && code == APF_OK; i++) {
        code = file_view_summarize(&view, &cov->coverage, f.files[i], error);
        summary_add(&sum, &view.summary);
    }
    const struct apf_cov_totals all = {sizeof all, sum.regions,  sum.functions, sum.instantiations,
                                       sum.lines,  sum.branches, sum.mcdc};
    if (code == APF_OK)
        result_fill(totals, sizeof all, &all);
    file_view_free(&view);
    VEC_FREE(&f.names);
    free(f.files);
    return code;
}

int apf_cov_write(const struct apf_cov *cov, const struct apf_cov_write_options *options,
                  const struct apf_output *output, struct apf_error *error)
{
    struct apf_cov_write_options o;
    int code = read_options(&o, options, error);
    if (code == APF_OK)
        code = output_check(output, error);
    if (code != APF_OK)
        return code;
    struct file_choice f = {.c = &cov->coverage, .o = &o, .error = error};
    struct file_out *out;
    code = choose_files(&f);
    if (code == APF_OK) {
        code = file_out_open(&out, output, error);
        if (code == APF_OK) {
            const struct cov_output o_all = {&cov->coverage, f.files, f.n, &o, out, error};
            code = file_out_finish(out, write_format(&o_all), error);
        }
    }
    VEC_FREE(&f.names);
    free(f.files);
    return code;
}
