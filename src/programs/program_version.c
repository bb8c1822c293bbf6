/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "programs/program_version.h"

#include <string.h>

#include "base/endian.h"

struct search {
    const struct elf_file *elf;
    uint64_t *word;
    bool *found;
};

static int read_symbol(void *user, const struct elf_symbol *symbol)
{
    const struct search *s = user;
    const struct elf_facts *facts = elf_file_facts(s->elf);
    struct elf_section section;
    const uint8_t *data;
    size_t n;
    if (strcmp(symbol->name, "__llvm_profile_raw_version") != 0 ||
        !elf_file_section(s->elf, symbol->section, &section) ||
        elf_file_bytes(s->elf, symbol->section, &data, &n, NULL) != APF_OK)
        return 0;
    uint64_t at = facts->relocatable ? symbol->value : symbol->value - section.address;
    if (n < sizeof *s->word || at > n - sizeof *s->word)
        return 0;
    *s->word = load64(data + at, facts->big_endian != (bool)HOST_BIG_ENDIAN);
    *s->found = true;
    return 1;
}

int program_version_word(const struct elf_file *elf, uint64_t *word, bool *found, struct apf_error *error)
{
    struct search s = {elf, word, found};
    *found = false;
    return elf_file_symbols(elf, read_symbol, &s, error) == APF_NO_MEMORY ? APF_NO_MEMORY : APF_OK;
}
