/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_debug.h"

#include <string.h>

#include "base/error.h"

/* A copy of a text that may be NULL; false: allocation failed. */
static bool copy_text(struct arena *arena, const char *text, const char **copy)
{
    *copy = text ? arena_text(arena, text, strlen(text)) : NULL;
    return *copy || !text;
}

int profgen_debug_copy(struct profgen_debug *d, const struct apf_input *program,
                       const struct apf_profgen_options *options, uint64_t max_bytes, struct apf_error *error)
{
    const char *path = program->path && strcmp(program->path, "-") != 0 ? program->path : NULL;
    size_t n = options->n_debug_directories;
    *d = (struct profgen_debug){.search = {.max_bytes = max_bytes}};
    for (size_t i = 0; i < n; i++)
        if (!options->debug_directories || !options->debug_directories[i])
            return error_plain(error, APF_ARGUMENT, "apf_profgen_options.debug_directories",
                               "a directory is NULL");
    const char **directories = arena_array(&d->arena, n, sizeof *directories);
    bool done = directories && copy_text(&d->arena, path, &d->search.program) &&
                copy_text(&d->arena, options->debug_file, &d->search.file) &&
                copy_text(&d->arena, options->package, &d->package);
    for (size_t i = 0; done && i < n; i++)
        done = copy_text(&d->arena, options->debug_directories[i], &directories[i]);
    d->search.directories = directories;
    d->search.n_directories = n;
    d->search.any_build = options->flags & APF_PROFGEN_IGNORE_BUILD_ID;
    return done ? APF_OK : error_memory(error);
}

void profgen_debug_free(struct profgen_debug *d)
{
    arena_free(&d->arena);
}

static int report(const char *file, const struct apf_error *text, const struct apf_options *options,
                  struct apf_error *error)
{
    struct apf_diag d = {
        .severity = APF_SEVERITY_WARNING, .code = text->code, .input = UINT64_MAX, .error = text};
    d.source = (struct apf_str){file, strlen(file)};
    return error_report_diag(options->diag, options->user, &d, error);
}

int profgen_debug_report(const struct debug_files *files, const struct apf_options *options,
                         struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < files->notes.n; i++)
        code = report(files->notes.data[i].path, &files->notes.data[i].error, options, error);
    return code;
}

int profgen_debug_report_split(const struct source_missing *missing, const struct apf_options *options,
                               struct apf_error *error)
{
    struct apf_error text;
    if (!missing->n)
        return APF_OK;
    error_set_plain(&text, APF_UNSUPPORTED, "elf.debug_info", "split debug information was not found");
    if (missing->n_other)
        error_add(&text, ", or is of another build (%u units)", (unsigned)missing->n_other);
    error_add(&text,
              ": lines and inlined functions are not known (units without it: %u); --dwp names its package",
              (unsigned)missing->n);
    return report(missing->name, &text, options, error);
}

int profgen_debug_report_tables(const char *file, const struct source_missing *missing,
                                const struct apf_options *options, struct apf_error *error)
{
    struct apf_error text;
    if (!missing->n_tables)
        return APF_OK;
    error_set_plain(&text, APF_UNSUPPORTED, "elf.debug_line", NULL);
    error_add(&text,
              ": tables of lines (.debug_line) that are damaged or missing: %u; the lines of their code are "
              "not known",
              (unsigned)missing->n_tables);
    return report(file, &text, options, error);
}

int profgen_debug_check(const struct profgen_debug *d, const struct debug_files *files,
                        const struct elf_file *symbols, struct apf_error *error)
{
    if (debug_contents_of(symbols).symbols)
        return APF_OK;
    if (d->search.file)
        return error_plain(error, APF_UNSUPPORTED, "profgen.symbols",
                           "neither it nor %s has symbols (.symtab)", d->search.file);
    int code = error_plain(error, APF_UNSUPPORTED, "profgen.debug_file",
                           "it was stripped of its symbols (.symtab), and no debug file was found");
    debug_files_describe(files, &d->search, error);
    return code;
}

int profgen_debug_none(const struct profgen_debug *d, const struct debug_files *files,
                       struct apf_error *error)
{
    if (d->search.file)
        return error_plain(error, APF_UNSUPPORTED, "profgen.program",
                           "it has no pseudo probes, and %s has no debug information", d->search.file);
    if (files->file)
        return error_plain(error, APF_UNSUPPORTED, "profgen.program",
                           "neither it nor %s has pseudo probes or debug information", files->path);
    int code = error_plain(error, APF_UNSUPPORTED, "profgen.debug_file",
                           "it has neither pseudo probes nor debug information, and no debug file was found");
    debug_files_describe(files, &d->search, error);
    error_add(error, "; build it with -g, or -fpseudo-probe-for-profiling");
    return code;
}
