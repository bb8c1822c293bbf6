/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/plt_stubs.h"

#include <elf.h>
#include <string.h>

#include "base/endian.h"
#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/vec.h"

/* A slot that the loader fills with the address of a symbol, or with what a resolver returns. */
struct slot {
    uint64_t address;
    const char *name; /* "": there is a resolver */
    uint64_t resolver;
};

struct plt {
    const struct elf_file *elf;
    VEC(struct slot) slots; /* by address */
    int (*each)(void *user, const struct plt_stub *stub);
    void *user;
    struct apf_error *error;
    int code; /* result of the walk over the sections */
    bool is_dynamic;
};

/* ---- slots ---- */

static int collect_slot(void *user, const struct elf_relocation *relocation)
{
    struct plt *plt = user;
    struct slot slot = {relocation->offset, relocation->name, 0};
    uint32_t machine = elf_file_facts(plt->elf)->machine,
             by_resolver = machine == EM_AARCH64 ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE;
    /* BOLT reads them where there is a dynamic section, which static programs at a fixed address lack. */
    if (!*slot.name && relocation->type == by_resolver && plt->is_dynamic)
        slot.resolver = (uint64_t)relocation->addend;
    return (!*slot.name && !slot.resolver) || VEC_PUSH(&plt->slots, slot) ? 0 : APF_NO_MEMORY;
}

static int find_dynamic(void *user, const struct elf_section *section)
{
    struct plt *plt = user;
    plt->is_dynamic = plt->is_dynamic || section->type == SHT_DYNAMIC;
    return APF_OK;
}

static int collect_slots(void *user, const struct elf_section *section)
{
    struct plt *plt = user;
    bool loaded = section->flags & SHF_ALLOC && elf_is_relocations(section);
    if (loaded)
        plt->code = elf_file_relocations(plt->elf, section->index, collect_slot, plt, plt->error);
    return plt->code;
}

static bool slot_before(const void *context, const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

static const struct slot *find_slot(const struct plt *plt, uint64_t address)
{
    size_t low;
    SEARCH(low, 0, plt->slots.n, plt->slots.data[low].address < address);
    bool found = low < plt->slots.n && plt->slots.data[low].address == address;
    return found ? &plt->slots.data[low] : NULL;
}

/* ---- code ---- */

/* The address of the slot that a stub jumps through; 0: the code is no stub. */
static uint64_t slot_x86_64(const uint8_t *p, size_t n, uint64_t address)
{
    static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t at = n >= sizeof endbr && memcmp(p, endbr, sizeof endbr) == 0 ? sizeof endbr : 0;
    at += at < n && p[at] == 0xf2; /* bnd */
    if (n - at < 6 || p[at] != 0xff || p[at + 1] != 0x25)
        return 0;
    uint64_t distance = load32le(p + at + 2);
    distance |= distance >> 31 ? ~(uint64_t)UINT32_MAX : 0;
    return address + at + 6 + distance;
}

static uint64_t slot_aarch64(const uint8_t *p, size_t n, uint64_t address)
{
    uint32_t first = n >= 16 ? load32le(p) : 0, second = n >= 16 ? load32le(p + 4) : 0;
    bool is_adrp = (first & 0x9f00001f) == 0x90000010, is_ldr = (second & 0xffc003ff) == 0xf9400211;
    if (!is_adrp || !is_ldr) /* adrp x16, page; ldr x17, [x16, offset] */
        return 0;
    uint64_t pages = (uint64_t)(first >> 5 & 0x7ffff) << 2 | (first >> 29 & 3);
    pages |= pages >> 20 ? ~(uint64_t)0x1fffff : 0;
    return (address & ~(uint64_t)0xfff) + (pages << 12) + (uint64_t)(second >> 10 & 0xfff) * 8;
}

#define STUB 16u
#define SHORT_STUB 8u /* in .plt.got of x86-64 */

static int name_stubs(struct plt *plt, const struct elf_section *section, const uint8_t *data, size_t n)
{
    bool is_x86 = elf_file_facts(plt->elf)->machine == EM_X86_64;
    size_t step = is_x86 && strcmp(section->name, ".plt.got") == 0 ? SHORT_STUB : STUB;
    int code = APF_OK;
    for (size_t at = 0; code == APF_OK && at + step <= n; at += step) {
        uint64_t address = section->address + at;
        uint64_t place =
            is_x86 ? slot_x86_64(data + at, n - at, address) : slot_aarch64(data + at, n - at, address);
        const struct slot *slot = place ? find_slot(plt, place) : NULL;
        struct plt_stub stub = {address, step, section->address + n, NULL, 0, section->name};
        if (slot) {
            stub.symbol = *slot->name ? slot->name : NULL;
            stub.resolver = slot->resolver;
        }
        if (slot || at == 0)
            code = plt->each(plt->user, &stub);
    }
    return code == APF_NO_MEMORY ? error_memory(plt->error) : code;
}

static int report_stubs(void *user, const struct elf_section *section)
{
    struct plt *plt = user;
    uint32_t machine = elf_file_facts(plt->elf)->machine;
    const uint8_t *data;
    size_t n;
    bool known = machine == EM_X86_64 || machine == EM_AARCH64;
    if (!known || strncmp(section->name, ".plt", 4) != 0 || !(section->flags & SHF_EXECINSTR))
        return APF_OK;
    plt->code = elf_file_bytes(plt->elf, section->index, &data, &n, plt->error);
    if (plt->code == APF_OK)
        plt->code = name_stubs(plt, section, data, n);
    return plt->code;
}

int plt_stubs(const struct elf_file *elf, int (*each)(void *user, const struct plt_stub *stub), void *user,
              struct apf_error *error)
{
    struct plt plt = {.elf = elf, .each = each, .user = user, .error = error};
    elf_file_sections(elf, find_dynamic, &plt);
    elf_file_sections(elf, collect_slots, &plt);
    if (plt.code == APF_OK && !SORT_VEC(&plt.slots, slot_before, NULL))
        plt.code = error_memory(error);
    if (plt.code == APF_OK)
        elf_file_sections(elf, report_stubs, &plt);
    VEC_FREE(&plt.slots);
    return plt.code;
}
