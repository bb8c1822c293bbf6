/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of a program that are loaded. */
#include <errno.h>

#include "object/elf_model.h"

int elf_file_segments(const struct elf_file *f, int (*each)(void *user, const struct elf_segment *segment),
                      void *user, struct apf_error *error)
{
    size_t n;
    errno = 0;
    if (elf_getphdrnum(f->elf, &n) != 0 || n > INT32_MAX)
        return error_plain(error, APF_BAD_ELF, "elf.segments", "the program headers cannot be read");
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(f->elf, (int)i, &header))
            return errno == ENOMEM ? error_memory(error)
                                   : error_plain(error, APF_BAD_ELF, "elf.segments",
                                                 "the program headers cannot be read");
        struct elf_segment segment = {header.p_vaddr, header.p_memsz, header.p_offset, header.p_align,
                                      (header.p_flags & PF_X) != 0};
        int result = header.p_type == PT_LOAD ? each(user, &segment) : 0;
        if (result != 0)
            return result;
    }
    return APF_OK;
}

bool elf_file_is_movable(const struct elf_file *f)
{
    GElf_Ehdr header;
    return gelf_getehdr(f->elf, &header) && header.e_type == ET_DYN;
}
