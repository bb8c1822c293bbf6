/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the image's own program headers. The linker maps the headers at __ehdr_start unless a linker script leaves
 * them out; then there are no ids. The structs are those of ELF, of this target's width. */
#include "rt_elf.h"

/* Called for each build id. */
typedef void visit_id_fn(void *user, const uint8_t *id, uint64_t n);

enum { LOADED = 1, DYNAMIC = 2, NOTES = 4, PROGRAM_HEADERS = 6, BUILD_ID = 3 };

struct program_header {
#if UINTPTR_MAX > UINT32_MAX
    uint32_t type, flags;
    uint64_t offset, address, physical, file_size, memory_size, align;
#else
    uint32_t type, offset, address, physical, file_size, memory_size, flags, align;
#endif
};

struct elf_header {
    uint8_t ident[16];
    uint16_t type, machine;
    uint32_t version;
    uintptr_t entry, headers, sections;
    uint32_t flags;
    uint16_t size, header_size, n_headers;
};

struct note {
    uint32_t name_size, id_size, type;
    uint8_t name[4];
};

extern const struct elf_header __ehdr_start RT_WEAK RT_HIDDEN;
extern const uint8_t _DYNAMIC[] RT_WEAK RT_HIDDEN;

static int is_gnu(const uint8_t *name)
{
    return name[0] == 'G' && name[1] == 'N' && name[2] == 'U' && name[3] == 0;
}

static void walk_notes(visit_id_fn *visit, void *user, const uint8_t *at, size_t left, size_t align)
{
    size_t round = align == 8 ? 7 : 3;
    while (left >= sizeof(struct note)) {
        struct note note;
        __builtin_memcpy(&note, at, sizeof note);
        size_t id = (offsetof(struct note, name) + note.name_size + round) & ~round;
        size_t end = (id + note.id_size + round) & ~round;
        if (id < note.name_size || end < id || id + note.id_size > left)
            return;
        if (note.type == BUILD_ID && note.name_size == 4 && is_gnu(note.name))
            visit(user, at + id, note.id_size);
        if (end > left)
            return;
        at += end;
        left -= end;
    }
}

struct programs {
    const struct program_header *at;
    size_t n;
    uintptr_t base; /* the load address: added to the addresses in the headers */
};

static struct programs find_programs(void)
{
    const struct elf_header *header = &__ehdr_start;
    struct programs p = {NULL, 0, 0};
    if (!header)
        return p;
    const void *programs = (const uint8_t *)header + header->headers;
    p.at = programs;
    p.n = header->n_headers;
    for (size_t i = 0; i < p.n; i++) {
        if (p.at[i].type == PROGRAM_HEADERS)
            p.base = (uintptr_t)p.at - p.at[i].address;
        else if (p.at[i].type == DYNAMIC && _DYNAMIC)
            p.base = (uintptr_t)_DYNAMIC - p.at[i].address;
    }
    return p;
}

static void walk_ids(visit_id_fn *visit, void *user)
{
    struct programs p = find_programs();
    for (size_t i = 0; i < p.n; i++) {
        if (p.at[i].type == NOTES)
            walk_notes(visit, user, (const uint8_t *)(p.base + p.at[i].address), p.at[i].memory_size,
                       p.at[i].align);
    }
}

int aprt_image_range(const uint8_t **start, size_t *size)
{
    struct programs p = find_programs();
    uintptr_t first = UINTPTR_MAX, end = 0;
    for (size_t i = 0; i < p.n; i++) {
        if (p.at[i].type != LOADED)
            continue;
        uintptr_t at = p.base + p.at[i].address, behind = at + p.at[i].memory_size;
        first = at < first ? at : first;
        end = behind > end ? behind : end;
    }
    *start = (const uint8_t *)first;
    *size = end > first ? end - first : 0;
    return *size != 0;
}

struct id_writer {
    struct aprt_out *out;
    const struct aprt_layout *layout;
};

static void write_id(void *user, const uint8_t *id, uint64_t n)
{
    const struct id_writer *w = user;
    /* Version 7 has no padding: its readers would misread what follows an id whose size is no multiple of 8. */
    size_t pad = aprt_pad8((size_t)n);
    if (n == 0 || (pad && !w->layout->padded))
        return;
    aprt_write_bytes(w->out, &n, sizeof n);
    aprt_write_bytes(w->out, id, (size_t)n);
    aprt_write_zeros(w->out, pad);
}

void aprt_write_binary_ids(struct aprt_out *out, const struct aprt_layout *layout)
{
    struct id_writer writer = {out, layout};
    walk_ids(write_id, &writer);
}

struct first_id {
    apf_rt_write_fn *write;
    void *context;
};

static void write_first(void *user, const uint8_t *id, uint64_t n)
{
    struct first_id *first = user;
    if (first->write && n)
        (void)first->write(first->context, id, (size_t)n);
    first->write = NULL;
}

void aprt_write_first_build_id(apf_rt_write_fn *write, void *context)
{
    struct first_id first = {write, context};
    walk_ids(write_first, &first);
}
