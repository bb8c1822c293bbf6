/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "probe/probe_model.h"
#include "profgen/profgen_functions.h"

/* Finds out which file has what. Tools that strip a program leave its probes there, or not; the debug file has both
 * probes and symbols, by which probes find their functions. */
static int open_debug(struct profgen_program *p, struct apf_error *error)
{
    int code = debug_files_open(&p->debug, p->image.elf, p->search, error);
    p->symbols = p->image.elf;
    if (code != APF_OK || !p->debug.file)
        return code;
    struct debug_contents own = debug_contents_of(p->image.elf), other = debug_contents_of(p->debug.file);
    if (!own.symbols && other.symbols)
        p->symbols = p->debug.file;
    if (other.probes && (!own.probes || p->symbols == p->debug.file))
        p->probe_file = p->debug.path;
    return APF_OK;
}

int profgen_program_open(struct profgen_program *p, const struct apf_input *input,
                         const struct apf_options *options, uint32_t flags, const struct debug_search *search,
                         struct apf_error *error)
{
    *p = (struct profgen_program){.input = input, .options = options, .flags = flags, .search = search};
    int code = profgen_image_open(&p->image, input, search->max_bytes, error);
    p->image.program.kernel = (flags & APF_PROFGEN_KERNEL) != 0;
    if (code == APF_OK)
        code = open_debug(p, error);
    return code == APF_OK ? code_map_open(&p->code, p->image.elf, p->symbols, error) : code;
}

/* Opens the probes; *probes is NULL if there are none, or lines are wanted. */
static int open_probes(const struct profgen_program *p, struct apf_probes **probes, struct apf_error *error)
{
    struct apf_probe_options options = {.size = sizeof options, .options = p->options};
    struct apf_error none;
    struct apf_input beside = apf_input_file(p->probe_file);
    *probes = NULL;
    if (p->flags & APF_PROFGEN_USE_LINES)
        return APF_OK;
    int code = apf_probes_open(probes, p->probe_file ? &beside : p->input, &options, &none);
    if (code == APF_NO_PROBES)
        return APF_OK;
    if (code != APF_OK && error)
        *error = none;
    if (code == APF_OK &&
        (apf_probes_info(*probes)->n_probe_sections == 0 || apf_probes_info(*probes)->n_desc_sections == 0)) {
        apf_probes_close(*probes);
        *probes = NULL;
    }
    return code;
}

/* Finds the first call probe of each address: there may be any number of other ones. */
static int find_call_probes(struct profgen_program *p, struct apf_error *error)
{
    const struct apf_probes *probes = p->probes;
    uint64_t last = 0;
    for (size_t i = 0; probes && i < probes->n_placed; i++) {
        uint32_t number = probes->by_address[i];
        const struct apf_probe *probe = &probes->probes.data[number];
        if (probe->type == APF_PROBE_TYPE_BLOCK || (p->call_probes.n && probe->address == last))
            continue;
        last = probe->address;
        if (!VEC_PUSH(&p->call_probes, number))
            return error_memory(error);
    }
    return APF_OK;
}

/* The variable that clang defines in programs whose discriminators are flow-sensitive. */
static int find_variable(void *user, const struct elf_symbol *symbol)
{
    bool *found = user;
    *found = *found || strcmp(symbol->name, "__llvm_fs_discriminator__") == 0;
    return 0;
}

static void unload(struct profgen_program *p)
{
    if (p->functions)
        profgen_functions_close(p->functions);
    free(p->functions);
    source_lines_close(p->lines);
    apf_probes_close(p->probes);
    VEC_FREE(&p->call_probes);
    p->functions = NULL;
    p->lines = NULL;
    p->probes = NULL;
}

int profgen_program_load(struct profgen_program *p, struct apf_error *error)
{
    if (p->loaded)
        return APF_OK;
    const struct source_places places = {&p->debug, p->input->path, p->package};
    int code = open_probes(p, &p->probes, error);
    if (code == APF_OK)
        code = find_call_probes(p, error);
    if (code == APF_OK)
        code = source_lines_open_in(&p->lines, p->image.elf, &places, options_max_bytes(p->options), error);
    p->functions = code == APF_OK ? calloc(1, sizeof *p->functions) : NULL;
    if (code == APF_OK && !p->functions)
        code = error_memory(error);
    if (code == APF_OK)
        code = profgen_functions_open(p->functions, p, p->lines,
                                      p->probes && !(p->flags & APF_PROFGEN_NO_SYMBOLS), error);
    if (code == APF_OK)
        code = elf_file_symbols(p->symbols, find_variable, &p->flow_sensitive, error);
    p->loaded = code == APF_OK;
    if (code != APF_OK)
        unload(p); /* callers may try again */
    return file_error(error, code, p->input, 0);
}

void profgen_program_close(struct profgen_program *p)
{
    unload(p);
    code_map_close(p->code);
    debug_files_close(&p->debug);
    profgen_image_close(&p->image);
}
