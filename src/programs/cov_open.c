/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Binds the coverage of programs to profiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/cov.h>

#include "base/deflate.h"
#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/text_bytes.h"
#include "instr/model/profile.h"
#include "object/elf_file.h"
#include "programs/correlate_directory.h"
#include "programs/cov_programs.h"

/* Asks the caller's filter. */
static int is_wanted(void *user, const struct cov_function *f)
{
    const struct apf_cov *cov = (const struct apf_cov *)user;
    const struct apf_cov_function shown = cov_function_of(cov, f);
    return cov->filter(cov->filter_user, &shown);
}

/* A counts_lookup. */
static void look_up(void *user, uint32_t name, uint64_t hash, struct function_counts *counts)
{
    cov_profile_find(&((const struct apf_cov *)user)->profile, name, hash, counts);
}

/* A counts_again. */
static void look_at(void *user, uint32_t slot, struct function_counts *counts)
{
    cov_profile_at(&((const struct apf_cov *)user)->profile, slot, counts);
}

/* A counts_fetch. */
static void fetch(void *user, uint32_t slot, unsigned step)
{
    cov_profile_fetch(&((const struct apf_cov *)user)->profile, slot, step);
}

/* A counts_fetch_name. */
static void fetch_name(void *user, uint32_t name, unsigned step)
{
    cov_profile_fetch_name(&((const struct apf_cov *)user)->profile, name, step);
}

static int open_profiles(struct apf_cov *cov, const struct apf_cov_options *o,
                         const struct apf_options *common, struct apf_error *error)
{
    int code =
        cov_profile_open(&cov->profile, o->profiles, o->n_profiles, common, &cov->coverage.names, error);
    /* as LLVM shows what no profile is for */
    const bool one_byte =
        !cov->profile.instr || (cov->profile.instr->info.variant & APF_VARIANT_BYTE_COVERAGE) != 0;
    cov->coverage.one_byte = cov->coverage.binary = one_byte;
    const struct apf_instr_info *info =
        code == APF_OK && cov->profile.instr ? &cov->profile.instr->info : NULL;
    for (size_t i = 0; info && i < info->n_binary_ids && code == APF_OK; i++)
        code = cov_ids_add(&cov->profile_ids, info->binary_ids[i], error);
    return code;
}

/* ---- programs ---- */

/* Reads the objects of a file; *left is what all names of the call may still inflate to. */
static int read_objects(struct apf_cov *cov, const struct cov_file *file, const struct cov_name_rules *rules,
                        uint64_t *left, struct apf_error *error)
{
    const struct cov_tables tables = {&cov->coverage.names, &cov->coverage.files, rules};
    int code = APF_OK;
    for (size_t i = 0; i < file->objects.n && code == APF_OK; i++) {
        const struct cov_sections *s = &file->objects.data[i];
        const uint64_t share = deflate_budget(s->names.n + s->covmap.n, *left);
        uint64_t budget = share;
        struct cov_object object;
        code = cov_object_read(&object, s, (uint32_t)cov->objects.n + 1, &tables, &budget, error);
        *left -= share - budget;
        object.program = (uint32_t)(cov->n_programs - 1);
        if (code != APF_OK || !VEC_PUSH(&cov->objects, object)) {
            cov_object_free(&object);
            code = code == APF_OK ? error_memory(error) : code;
        }
    }
    return code;
}

#define MOST_ID 32u /* bytes of a build id that are shown */

/* What programs are read with. */
struct program_reader {
    struct apf_cov *cov;
    const struct apf_cov_options *o;
    uint64_t max_bytes, left; /* of a file; what names of all may still inflate to */
    struct cov_name_rules rules;
    struct apf_error *error;
};

static int open_program(struct program_reader *r, const struct apf_input *input)
{
    const struct apf_str name = file_name(input);
    struct cov_file *file = &r->cov->programs[r->cov->n_programs++];
    int code = cov_file_open(file, input, r->o->architecture, r->max_bytes, r->error);
    for (size_t i = 0; i < file->elves.n && code == APF_OK; i++)
        code = cov_ids_add(&r->cov->program_ids, elf_file_build_id(file->elves.data[i]), r->error);
    if (code == APF_OK && r->o->flags & APF_COV_LLVM && file->objects.n < file->n_members)
        return APF_OK; /* llvm-cov reads no archive with a member without coverage */
    if (code == APF_OK)
        code = read_objects(r->cov, file, &r->rules, &r->left, r->error);
    return error_file(r->error, code, name.p, name.n);
}

static int missing_program(const struct program_reader *r, struct apf_str id)
{
    const struct apf_str name = file_name(r->o->profiles);
    char hex[2 * MOST_ID + 1] = "";
    for (size_t i = 0; i < id.n && i < MOST_ID; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", (unsigned)(uint8_t)id.p[i]);
    const int code =
        error_plain(r->error, APF_NO_COVERAGE, "profile.binary_id", "Missing binary ID: %s", hex);
    return error_file(r->error, code, name.p, name.n);
}

/* Opens the programs that the profile is of by their ids, as far as the directories have them. */
static int open_by_ids(struct program_reader *r)
{
    struct apf_cov *cov = r->cov;
    const size_t n_ids = cov->profile.instr ? cov->profile.instr->info.n_binary_ids : 0;
    struct correlate_directories d = {
        .list = r->o->debug_directories, .n = r->o->n_debug_directories, .max_bytes = r->max_bytes};
    int code = APF_OK;
    for (size_t i = 0; i < n_ids && code == APF_OK; i++) {
        const struct apf_str id = cov->profile.instr->info.binary_ids[i];
        bool there = cov_ids_have(&cov->program_ids, id);
        const char *path;
        for (size_t k = 0; !there && code == APF_OK && (path = correlate_directories_find(&d, id, k)); k++) {
            const struct apf_input input = apf_input_file(path);
            code = open_program(r, &input);
            there = cov->programs[cov->n_programs - 1].objects.n != 0;
            if (!there && code == APF_OK)
                cov_file_close(&cov->programs[--cov->n_programs]);
        }
        if (code == APF_OK && correlate_directories_failed(&d))
            code = error_memory(r->error);
        else if (code == APF_OK && !there && r->o->flags & APF_COV_CHECK_IDS)
            code = missing_program(r, id);
    }
    correlate_directories_free(&d);
    return code;
}

static int open_programs(struct apf_cov *cov, const struct apf_cov_options *o,
                         const struct apf_options *common, struct apf_error *error)
{
    struct program_reader r = {
        .cov = cov,
        .o = o,
        .max_bytes = options_max_bytes(common),
        .left = options_max_bytes(common),
        .rules = {.compilation_dir = {o->compilation_dir,
                                      o->compilation_dir ? strlen(o->compilation_dir) : 0},
                  .has_compilation_dir = o->compilation_dir && *o->compilation_dir,
                  .style = o->flags & APF_COV_LLVM ? NAMES_OF_UNIX : NAMES_BY_DRIVE,
                  .changes = o->prefix_maps,
                  .n_changes = o->n_prefix_maps},
        .error = error};
    const size_t most = o->n_programs + (cov->profile.instr ? cov->profile.instr->info.n_binary_ids : 0);
    int code = inputs_check(o->programs, o->n_programs, error);
    cov->programs = code == APF_OK ? calloc(most + 1, sizeof *cov->programs) : NULL;
    if (code == APF_OK && !cov->programs)
        code = error_memory(error);
    for (size_t i = 0; i < o->n_programs && code == APF_OK; i++)
        code = open_program(&r, input_at(o->programs, i));
    if (code == APF_OK && (o->n_debug_directories || o->flags & APF_COV_CHECK_IDS))
        code = open_by_ids(&r);
    if (code == APF_OK && cov->objects.n == 0) {
        const struct apf_str name = file_name(o->n_programs ? o->programs : o->profiles);
        code = error_file(error, error_plain(error, APF_NO_COVERAGE, "covmap", NULL), name.p, name.n);
    }
    return code;
}

/* ---- source files ---- */

/* Lists all files that functions have parts in, by name. */
static int list_files(struct apf_cov *cov, struct apf_error *error)
{
    const struct coverage *c = &cov->coverage;
    VEC(struct sort_name) names = {NULL, 0, 0};
    bool ok = true;
    for (size_t i = 0; i < c->pairs.n && ok; i++) {
        const uint32_t file = (uint32_t)(c->pairs.data[i] >> 32);
        const struct apf_str name = c->files.list.data[file];
        const struct sort_name entry = {.p = name.p, .n = (uint32_t)name.n, .index = file};
        if (i == 0 || c->pairs.data[i - 1] >> 32 != file)
            ok = VEC_PUSH(&names, entry);
    }
    const size_t n = names.n;
    cov->files = malloc((n + 1) * sizeof *cov->files);
    cov->numbers = malloc((c->files.list.n + 1) * sizeof *cov->numbers);
    ok = ok && cov->files && cov->numbers && VEC_RESERVE(&names, n);
    if (ok && n)
        sort_names(names.data, names.data + n, n);
    for (size_t i = 0; i < n && ok; i++) {
        cov->numbers[names.data[i].index] = (uint32_t)i;
        cov->files[cov->n_files++] = names.data[i].index;
    }
    VEC_FREE(&names);
    return ok ? APF_OK : error_memory(error);
}

/* Passes on which files were read for their markers, or could not be. */
static int report_sources(const struct apf_cov *cov, const struct apf_cov_options *o, struct apf_error *error)
{
    struct source_texts texts = {
        .changes = o->source_map, .n_changes = o->n_source_map, .source = o->source, .user = o->user};
    int code = APF_OK;
    for (size_t i = 0; i < cov->n_files && code == APF_OK; i++) {
        const struct excluded_lines *e = exclusions_of(&cov->coverage.exclusions, cov->files[i]);
        const struct source_text text = {
            .file = cov->files[i], .there = e && e->there, .sys_errno = e ? e->sys_errno : 0};
        if (e)
            code = source_texts_report(&texts, cov->coverage.files.list.data[cov->files[i]], &text, error);
    }
    source_texts_free(&texts);
    return code;
}

/* Adds the functions of all programs; an error is about one of these. */
static int load_functions(struct apf_cov *cov, struct apf_error *error)
{
    const int code = coverage_load(&cov->coverage, error);
    const uint32_t program = cov->coverage.failed_program;
    if (code == APF_OK || program >= cov->n_programs)
        return code;
    return error_file(error, code, cov->programs[program].name.p, cov->programs[program].name.n);
}

int apf_cov_open(struct apf_cov **result, const struct apf_cov_options *options, struct apf_error *error)
{
    struct apf_cov_options o;
    struct apf_options common;
    *result = NULL;
    int code = OPTIONS_READ_BOTH(apf_cov_options, &o, options, &common, error);
    if (code == APF_OK)
        code = flags_check(o.flags, 2 * APF_COV_CHECK_IDS - 1, "apf_cov_options.flags", error);
    if (code == APF_OK && o.n_programs == 0 && !(o.n_debug_directories && o.n_profiles))
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
    cov->coverage.again = look_at;
    cov->coverage.fetch = fetch;
    cov->coverage.fetch_name = fetch_name;
    cov->coverage.wants = o.function_filter ? is_wanted : NULL;
    cov->filter = o.function_filter;
    cov->filter_user = o.user;
    cov->coverage.user = cov;
    cov->coverage.threads = common.threads;
    cov->coverage.strict = (o.flags & APF_COV_LLVM) != 0;
    cov->coverage.binary |= (o.flags & APF_COV_BINARY) != 0;
    cov->coverage.unites = (o.flags & APF_COV_UNION) != 0;
    cov->coverage.one_byte &= !cov->coverage.strict; /* LLVM 22 adds up what ran and what did not */
    if (code == APF_OK && o.flags & APF_COV_MARKERS) {
        struct source_texts texts = {
            .changes = o.source_map, .n_changes = o.n_source_map, .max_bytes = common.max_bytes};
        code = exclusions_read(&cov->coverage.exclusions, &cov->coverage.files, &texts, error);
    }
    if (code == APF_OK)
        code = load_functions(cov, error);
    if (code == APF_OK)
        code = list_files(cov, error);
    if (code == APF_OK)
        code = report_sources(cov, &o, error);
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
    free(cov->files);
    free(cov->numbers);
    cov_profile_close(&cov->profile);
    cov_ids_free(&cov->profile_ids);
    cov_ids_free(&cov->program_ids);
    free(cov);
}

/* How many programs are of other builds than those that the profile is of, as far as both say. */
static uint64_t count_other_builds(const struct apf_cov *cov)
{
    uint64_t n = 0;
    for (size_t i = 0; cov->profile_ids.list.n && i < cov->n_programs; i++) {
        const struct cov_file *file = &cov->programs[i];
        bool other = false;
        for (size_t k = 0; k < file->elves.n && !other; k++) {
            const struct apf_str id = elf_file_build_id(file->elves.data[k]);
            other = id.n && !cov_ids_have(&cov->profile_ids, id);
        }
        n += other;
    }
    return n;
}

/* How many builds the profile is of that no program is. */
static uint64_t count_unknown_builds(const struct apf_cov *cov)
{
    uint64_t n = 0;
    for (size_t i = 0; i < cov->profile_ids.list.n; i++)
        n += !cov_ids_have(&cov->program_ids, cov->profile_ids.list.data[i]);
    return n;
}

static uint64_t count_marked_files(const struct exclusions *e)
{
    uint64_t n = 0;
    for (size_t i = 0; i < e->files.n; i++) {
        const struct excluded_lines *f = &e->files.data[i];
        n += f->lines.list.n || f->branches.list.n || f->unpaired.n;
    }
    return n;
}

int apf_cov_stats(const struct apf_cov *cov, struct apf_cov_stats *stats, struct apf_error *error)
{
    const uint64_t *fits = cov->coverage.fits;
    struct apf_cov_stats s = {.size = sizeof s,
                              .n_programs = cov->n_programs,
                              .n_objects = cov->objects.n,
                              .n_functions = cov->coverage.functions.n,
                              .mismatched = fits[APF_COV_MISMATCH],
                              .short_counters = fits[APF_COV_SHORT_COUNTERS],
                              .circular = fits[APF_COV_CIRCULAR],
                              .damaged = fits[APF_COV_DAMAGED],
                              .ambiguous_files = fits[APF_COV_AMBIGUOUS],
                              .unused = fits[APF_COV_UNUSED],
                              .duplicates = fits[APF_COV_DUPLICATE],
                              .excluded = fits[APF_COV_EXCLUDED],
                              .other_builds = count_other_builds(cov),
                              .unknown_builds = count_unknown_builds(cov),
                              .empty_profiles = cov->profile.n_empty,
                              .marked_files = count_marked_files(&cov->coverage.exclusions),
                              .variant = cov->profile.instr ? cov->profile.instr->info.variant : 0};
    const int code = RESULT_CHECK(apf_cov_stats, stats, error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < cov->n_programs; i++)
        s.n_without += cov->programs[i].n_members - cov->programs[i].objects.n;
    s.n_files = cov->n_files;
    result_fill(stats, sizeof s, &s);
    return APF_OK;
}
