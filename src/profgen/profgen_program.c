/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_program.h"

#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"

struct segments {
    struct profgen_program *program;
    bool any;
};

static int add_segment(void *user, const struct elf_segment *segment)
{
    struct segments *s = user;
    struct profgen_program *p = s->program;
    if (!s->any)
        p->first_loaded = segment->address & ~(PROFGEN_PAGE - 1);
    s->any = true;
    return !segment->executable || VEC_PUSH(&p->text, *segment) ? 0 : APF_NO_MEMORY;
}

/* Finds out which file has what. Tools that strip a program leave its probes there, or not; the debug file has both
 * probes and symbols, by which probes find their functions. */
static int open_debug(struct profgen_program *p, const struct debug_search *search, struct apf_error *error)
{
    int code = debug_files_open(&p->debug, p->elf, search, error);
    p->symbols = p->elf;
    if (code != APF_OK || !p->debug.file)
        return code;
    struct debug_contents own = debug_contents_of(p->elf), other = debug_contents_of(p->debug.file);
    if (!own.symbols && other.symbols)
        p->symbols = p->debug.file;
    if (other.probes && (!own.probes || p->symbols == p->debug.file))
        p->probes = p->debug.path;
    return APF_OK;
}

int profgen_program_open(struct profgen_program *p, const struct apf_input *input,
                         const struct debug_search *search, struct apf_error *error)
{
    struct segments segments = {p, false};
    *p = (struct profgen_program){.path = input->path ? input->path : input->name ? input->name : ""};
    p->name = text_last_part((struct apf_str){p->path, strlen(p->path)});
    int code = elf_file_open_input(&p->elf, input, search->max_bytes, error);
    if (code != APF_OK)
        return code;
    code = elf_file_segments(p->elf, add_segment, &segments, error);
    if (code == APF_NO_MEMORY)
        return error_memory(error);
    if (code == APF_OK && p->text.n == 0)
        return error_plain(error, APF_BAD_ELF, "profgen.program", "no executable segment found");
    if (code == APF_OK)
        p->base = p->text.data[0].address & ~(PROFGEN_PAGE - 1);
    if (code == APF_OK)
        code = open_debug(p, search, error);
    return code == APF_OK ? code_map_open(&p->code, p->elf, p->symbols, error) : code;
}

void profgen_program_close(struct profgen_program *p)
{
    code_map_close(p->code);
    debug_files_close(&p->debug);
    elf_file_close(p->elf);
    VEC_FREE(&p->text);
}
