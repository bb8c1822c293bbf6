/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a program, and lists its functions. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "programs/correlate_program.h"

#define DEFAULT_MAX_RECORDS ((uint64_t)1 << 28)

struct apf_binary_functions {
    struct correlate_program program;
};

/* ---- opening ---- */

static int read_facts(struct correlate_program *p, struct apf_error *error)
{
    const struct elf_facts *facts = elf_file_facts(p->elf);
    struct apf_str id = elf_file_build_id(p->elf);
    p->info.pointer_bits = facts->bits;
    p->info.big_endian = facts->big_endian;
    p->info.build_id.p = arena_text(&p->arena, id.p ? id.p : "", id.n);
    p->info.build_id.n = id.n;
    if (!p->info.build_id.p)
        return error_memory(error);
    if (facts->relocatable)
        return error_plain(error, APF_UNSUPPORTED, "elf.header.type",
                           "an object that is not linked: give the program or library that it is part of");
    return APF_OK;
}

int correlate_program_begin(struct correlate_program *p, const struct correlate_request *request,
                            struct apf_error *error)
{
    const struct apf_options *o = request->options;
    memset(p, 0, sizeof *p);
    p->path = request->input->path;
    p->max_bytes = options_max_bytes(o);
    p->max_records =
        o->max_records && o->max_records < DEFAULT_MAX_RECORDS ? o->max_records : DEFAULT_MAX_RECORDS;
    p->warnings.max = request->max_warnings;
    p->info.kind = request->kind;
    int code = elf_file_open_input(&p->elf, request->input, p->max_bytes, error);
    if (code == APF_OK)
        code = read_facts(p, error);
    if (code == APF_OK)
        code = correlate_section_require(p, "__llvm_prf_cnts", &p->counters, error);
    if (code == APF_OK)
        p->bits = correlate_section_find(p->elf, "__llvm_prf_bits");
    return code;
}

static void close_program(struct correlate_program *p)
{
    elf_file_close(p->elf);
    p->elf = NULL;
}

static uint32_t kind_of(const struct correlate_program *p)
{
    if (p->info.kind != APF_METADATA_ANY)
        return p->info.kind;
    if (correlate_section_find(p->elf, CORRELATE_DATA).found)
        return APF_METADATA_LOADED;
    return correlate_section_find(p->elf, CORRELATE_COVDATA).found ? APF_METADATA_BINARY
                                                                   : APF_METADATA_DEBUG_INFO;
}

int correlate_program_read(struct correlate_program *p, const struct correlate_request *request,
                           struct apf_error *error)
{
    int code = correlate_program_begin(p, request, error);
    if (code == APF_OK) {
        p->info.kind = kind_of(p);
        code = p->info.kind == APF_METADATA_DEBUG_INFO ? correlate_dwarf_read(p, error)
                                                       : correlate_sections_read(p, error);
    }
    if (code == APF_OK && p->functions.n == 0)
        code = correlate_nothing(p, "could not find any profile data metadata in correlated file", "", error);
    for (size_t i = 0; code == APF_OK && i < p->functions.n; i++)
        p->info.nameless += p->functions.data[i].name.n == 0;
    p->info.n_functions = p->functions.n;
    close_program(p);
    p->correlation.size = sizeof p->correlation;
    p->correlation.functions = p->functions.data;
    p->correlation.function_size = sizeof *p->functions.data;
    p->correlation.n = p->functions.n;
    p->correlation.counter_bytes = p->counters.header.size;
    p->correlation.bitmap_bytes = p->bits.found ? p->bits.header.size : 0;
    return code;
}

void correlate_program_free(struct correlate_program *p)
{
    elf_file_close(p->elf);
    VEC_FREE(&p->functions);
    VEC_FREE(&p->warnings.list);
    symbols_free(&p->names);
    arena_free(&p->arena);
}

/* ---- the list of functions ---- */

int apf_binary_functions_open(struct apf_binary_functions **functions, const struct apf_input *program,
                              enum apf_metadata_kind kind, const struct apf_options *options,
                              struct apf_error *error)
{
    struct apf_options o;
    struct correlate_request request = {program, &o, kind, 0};
    *functions = NULL;
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = inputs_check(program, 1, error);
    if (code != APF_OK)
        return code;
    if (kind < APF_METADATA_ANY || kind > APF_METADATA_DEBUG_INFO)
        return error_plain(error, APF_ARGUMENT, "program.kind", "no kind of metadata");
    struct apf_binary_functions *f = calloc(1, sizeof *f);
    if (!f)
        return error_memory(error);
    code = correlate_program_read(&f->program, &request, error);
    if (code == APF_OK)
        code = correlate_warnings_report(&f->program, file_name(program), 0, o.diag, o.user, error);
    if (code == APF_OK)
        *functions = f;
    else
        apf_binary_functions_close(f);
    return file_error(error, code, program, 0);
}

void apf_binary_functions_close(struct apf_binary_functions *functions)
{
    if (!functions)
        return;
    correlate_program_free(&functions->program);
    free(functions);
}

const struct apf_binary_functions_info *
apf_binary_functions_info(const struct apf_binary_functions *functions)
{
    return &functions->program.info;
}

const struct apf_function *apf_binary_functions_function(const struct apf_binary_functions *functions,
                                                         size_t i)
{
    return i < functions->program.functions.n ? &functions->program.functions.data[i] : NULL;
}
