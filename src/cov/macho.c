/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mach-O: the sections of coverage, and the images of a universal file. */
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "cov/section_readers.h"

#define MAGIC_32 0xfeedfaceu
#define MAGIC_64 0xfeedfacfu
#define MAGIC_UNIVERSAL 0xcafebabeu
#define MAGIC_UNIVERSAL_64 0xcafebabfu
/* A class file of Java has the magic, too, and then its version. */
#define MOST_IMAGES 30u

/* Load commands. */
enum { LC_SEGMENT = 0x1, LC_SEGMENT_64 = 0x19 };
/* Bits of the kind of a processor that say what it can do. */
#define CPU_KIND_CAPABILITIES 0xff000000u
#define NAME_BYTES 16u

static int wrong(const struct section_reader *r, const struct cursor *c, const char *where)
{
    return error_place(r->error, APF_BAD_COVERAGE, where, cursor_offset(c), "it does not fit in the file");
}

bool macho_is(const uint8_t *p, size_t n)
{
    if (n < 28)
        return false;
    const uint32_t magic = load32le(p), swapped = load32(p, !HOST_BIG_ENDIAN);
    return magic == MAGIC_32 || magic == MAGIC_64 || swapped == MAGIC_32 || swapped == MAGIC_64;
}

static struct apf_str fixed_name(const uint8_t *p)
{
    const struct apf_str name = {(const char *)p, strnlen((const char *)p, NAME_BYTES)};
    return name;
}

static int read_section(struct section_reader *r, struct cursor *c, const struct cursor *file, bool is_64)
{
    const uint8_t *name = cursor_bytes(c, NAME_BYTES);
    cursor_skip(c, NAME_BYTES); /* of the segment */
    const uint64_t address = is_64 ? cursor_u64(c) : cursor_u32(c),
                   size = is_64 ? cursor_u64(c) : cursor_u32(c);
    const uint32_t offset = cursor_u32(c);
    cursor_skip(c, is_64 ? 28 : 24);
    if (c->failed)
        return wrong(r, c, "macho.section");
    const size_t n = cursor_left(file);
    const bool inside = offset <= n && size <= n - offset;
    const struct section_bytes bytes = {inside ? file->p + offset : NULL, (size_t)size};
    return section_take(r, fixed_name(name), bytes, address);
}

static int read_segment(struct section_reader *r, struct cursor *c, const struct cursor *file, bool is_64)
{
    cursor_skip(c, NAME_BYTES);
    cursor_skip(c, is_64 ? 32 : 16);
    cursor_skip(c, 8);
    const uint32_t n = cursor_u32(c);
    cursor_skip(c, 4);
    int code = c->failed ? wrong(r, c, "macho.segment") : APF_OK;
    for (uint32_t i = 0; i < n && code == APF_OK; i++)
        code = read_section(r, c, file, is_64);
    return code;
}

int macho_read(struct section_reader *r, const uint8_t *p, size_t n)
{
    const struct cursor file = cursor_make(p, n, false);
    const uint32_t magic = load32(p, false);
    const bool swap = magic != MAGIC_32 && magic != MAGIC_64;
    const bool is_64 = load32(p, swap) == MAGIC_64;
    struct cursor c = cursor_make(p, n, swap);
    cursor_skip(&c, 16);
    const uint32_t n_commands = cursor_u32(&c);
    cursor_skip(&c, is_64 ? 12 : 8);
    r->sections->long_pointers = is_64;
    r->sections->swap = swap;
    int code = c.failed ? wrong(r, &c, "macho.header") : APF_OK;
    for (uint32_t i = 0; i < n_commands && code == APF_OK; i++) {
        const uint32_t kind = cursor_u32(&c), size = cursor_u32(&c);
        struct cursor command = cursor_sub(&c, size >= 8 ? size - 8 : UINT64_MAX);
        if (c.failed)
            return wrong(r, &c, "macho.command");
        if (kind == LC_SEGMENT || kind == LC_SEGMENT_64)
            code = read_segment(r, &command, &file, kind == LC_SEGMENT_64);
    }
    return code;
}

bool macho_is_for(uint32_t cpu, uint32_t cpu_kind, const char *architecture)
{
    static const struct {
        const char *name;
        uint32_t cpu, cpu_kind; /* UINT32_MAX: any */
    } rows[] = {{"x86_64", 0x01000007, 3},
                {"x86_64h", 0x01000007, 8},
                {"i386", 7, UINT32_MAX},
                {"arm64", 0x0100000c, 0},
                {"arm64e", 0x0100000c, 2},
                {"armv7", 12, 9},
                {"armv7s", 12, 11},
                {"armv7k", 12, 12},
                {"arm64_32", 0x0200000c, UINT32_MAX},
                {"ppc", 18, UINT32_MAX},
                {"ppc64", 0x01000012, UINT32_MAX}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, architecture) == 0)
            return cpu == rows[i].cpu && (rows[i].cpu_kind == UINT32_MAX || cpu_kind == rows[i].cpu_kind);
    return false;
}

bool universal_is(const uint8_t *p, size_t n)
{
    if (n < 8)
        return false;
    const uint32_t magic = load32(p, !HOST_BIG_ENDIAN), images = load32(p + 4, !HOST_BIG_ENDIAN);
    return (magic == MAGIC_UNIVERSAL || magic == MAGIC_UNIVERSAL_64) && images < MOST_IMAGES;
}

int universal_walk(const uint8_t *p, size_t n, int (*each)(void *user, const struct container_entry *entry),
                   void *user, struct apf_error *error)
{
    struct cursor c = cursor_make(p, n, !HOST_BIG_ENDIAN);
    const bool is_64 = cursor_u32(&c) == MAGIC_UNIVERSAL_64;
    const uint32_t images = cursor_u32(&c);
    int code = APF_OK;
    for (uint32_t i = 0; i < images && code == APF_OK; i++) {
        const uint32_t cpu = cursor_u32(&c), cpu_kind = cursor_u32(&c);
        const uint64_t offset = is_64 ? cursor_u64(&c) : cursor_u32(&c),
                       size = is_64 ? cursor_u64(&c) : cursor_u32(&c);
        cursor_skip(&c, is_64 ? 8 : 4);
        if (c.failed || offset > n || size > n - offset)
            return error_place(error, APF_BAD_COVERAGE, "universal.image", cursor_offset(&c),
                               "an image does not fit in the file");
        const struct container_entry entry = {
            .p = p + offset, .n = (size_t)size, .cpu = cpu, .cpu_kind = cpu_kind & ~CPU_KIND_CAPABILITIES};
        code = each(user, &entry);
    }
    return code;
}
