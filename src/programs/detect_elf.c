/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is in an ELF file, by its header and the names of its sections. */
#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "jobs/file_detect.h"
#include "object/elf_file.h"

static int match_section(void *user, const struct elf_section *section)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } rows[] = {
        {"__llvm_prf_cnts", APF_ELF_INSTRUMENTED},
        {"__llvm_covmap", APF_ELF_COVERAGE_MAP},
        {".pseudo_probe", APF_ELF_PROBES},
        {".note.bolt_bat", APF_ELF_BAT},
        {".debug_info", APF_ELF_DEBUG_INFO},
        {".note.bolt_info", APF_ELF_BOLTED},
        {".bolt.instr.counters", APF_ELF_BOLT_INSTRUMENTED},
    };
    static const char original[] = ".bolt.org.";
    struct apf_file_info *info = user;
    if (strncmp(section->name, original, sizeof original - 1) == 0)
        info->contents |= APF_ELF_BOLTED;
    if (section->type == SHT_SYMTAB)
        info->contents &= ~APF_ELF_STRIPPED;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(section->name, rows[i].name) == 0)
            info->contents |= rows[i].bit;
    return 0;
}

int file_detect_elf(struct apf_file_info *info, const struct file_bytes *f, struct apf_error *error)
{
    struct elf_file *elf;
    if (info->kind != APF_KIND_ELF)
        return APF_OK;
    int code = elf_file_open(&elf, f->data, f->n, NULL);
    if (code != APF_OK)
        return code == APF_NO_MEMORY ? error_memory(error) : APF_OK;
    const struct elf_facts *facts = elf_file_facts(elf);
    struct apf_str id = elf_file_build_id(elf);
    info->elf_bits = facts->bits;
    info->elf_machine = facts->machine;
    info->big_endian = facts->big_endian;
    info->n_build_id = (uint32_t)id.n;
    if (id.n)
        memcpy(info->build_id, id.p, id.n < sizeof info->build_id ? id.n : sizeof info->build_id);
    info->contents = facts->relocatable ? 0 : APF_ELF_STRIPPED;
    elf_file_sections(elf, match_section, info);
    elf_file_close(elf);
    return APF_OK;
}

const char *file_elf_hint(const struct apf_file_info *info)
{
    if (info->contents & APF_ELF_INSTRUMENTED)
        return "run it and give the .profraw files that it writes";
    return "it was not built with -fprofile-generate or -fprofile-instr-generate";
}
