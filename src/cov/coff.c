/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* COFF objects, and PE images. */
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/number.h"
#include "cov/section_readers.h"

#define HEADER_BYTES 20u
#define BIG_HEADER_BYTES 56u
#define SECTION_BYTES 40u
#define SYMBOL_BYTES 18u
#define BIG_SYMBOL_BYTES 20u
#define NAME_BYTES 8u
#define BASE_AT 24u       /* in the optional header: 8 bytes, or the 4 after these in images of 32 bits */
#define WIDE_MAGIC 0x20bu /* of an optional header for 64 bits */
#define PE_OFFSET_AT 0x3cu
#define MOST_NAME ((size_t)64) /* bytes of a name that are looked at */

enum {
    MACHINE_ANY = 0,
    MACHINE_I386 = 0x14c,
    MACHINE_ARM = 0x1c4,
    MACHINE_AMD64 = 0x8664,
    MACHINE_ARM64 = 0xaa64
};

struct coff {
    const uint8_t *p;
    size_t n;
    bool image, big;
    uint64_t header; /* offset */
    uint16_t machine;
    uint32_t n_sections;
    uint64_t sections, strings; /* offsets; strings 0: there are none */
    uint64_t base;              /* the address of an image, as its linker has chosen it */
};

static bool is_machine(uint16_t machine)
{
    return machine == MACHINE_I386 || machine == MACHINE_ARM || machine == MACHINE_AMD64 ||
           machine == MACHINE_ARM64;
}

static const uint8_t pe_magic[] = {'P', 'E', 0, 0};
static const uint8_t big_class[16] = {0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b,
                                      0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8};

/* Finds the header. False: it is no such file. */
static bool find_header(struct coff *f, const uint8_t *p, size_t n)
{
    *f = (struct coff){.p = p, .n = n};
    if (n < BIG_HEADER_BYTES + 8)
        return false;
    if (p[0] == 'M' && p[1] == 'Z') {
        const uint32_t at = load32le(p + PE_OFFSET_AT);
        f->image = at <= n - HEADER_BYTES - 4 && memcmp(p + at, pe_magic, sizeof pe_magic) == 0;
        f->header = (uint64_t)at + sizeof pe_magic;
        f->machine = f->image ? load16le(p + f->header) : 0;
        return f->image;
    }
    f->big = load16le(p) == MACHINE_ANY && load16le(p + 2) == 0xffff &&
             memcmp(p + 12, big_class, sizeof big_class) == 0;
    f->machine = load16le(f->big ? p + 6 : p);
    return is_machine(f->machine);
}

bool coff_is(const uint8_t *p, size_t n)
{
    struct coff f;
    return find_header(&f, p, n);
}

/* Finds sections and strings. */
static void find_tables(struct coff *f)
{
    const uint8_t *p = f->p + f->header;
    const uint64_t symbols = load32le(p + (f->big ? 48 : 8)), n_symbols = load32le(p + (f->big ? 52 : 12));
    f->n_sections = f->big ? load32le(p + 44) : load16le(p + 2);
    const uint64_t optional = f->big ? 0 : load16le(p + 16);
    f->sections = f->header + (f->big ? BIG_HEADER_BYTES : HEADER_BYTES) + optional;
    if (f->image && optional >= BASE_AT + 8 && f->n - f->header - HEADER_BYTES >= BASE_AT + 8) {
        const uint8_t *o = p + HEADER_BYTES;
        f->base = load16le(o) == WIDE_MAGIC ? load64le(o + BASE_AT) : load32le(o + BASE_AT + 4);
    }
    f->strings = symbols ? symbols + n_symbols * (f->big ? BIG_SYMBOL_BYTES : SYMBOL_BYTES) : 0;
}

/* Reads the number of a name in the table of strings: "/" and decimal digits, or "//" and digits of base 64 where the
 * table has more than 10 million bytes. UINT32_MAX: it is none. */
static uint64_t string_offset(struct apf_str name)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const bool wide = name.p[1] == '/';
    uint64_t at = 0;
    for (size_t i = wide ? 2 : 1; i < name.n; i++) {
        const char *digit = name.p[i] ? strchr(digits, name.p[i]) : NULL;
        const bool decimal = name.p[i] >= '0' && name.p[i] <= '9';
        if (wide ? !digit : !decimal)
            return UINT32_MAX;
        at = wide ? 64 * at + (uint64_t)(digit - digits) : 10 * at + (uint64_t)(name.p[i] - '0');
    }
    return at;
}

/* The name of a section, which may be in the table of strings. */
static struct apf_str name_of(const struct coff *f, const uint8_t *header)
{
    struct apf_str name = {(const char *)header, strnlen((const char *)header, NAME_BYTES)};
    if (name.n < 2 || *name.p != '/')
        return name;
    const uint64_t at = string_offset(name);
    if (!f->strings || f->strings >= f->n || at >= f->n - f->strings)
        return name;
    name.p = (const char *)f->p + f->strings + at;
    const size_t left = f->n - (size_t)(f->strings + at);
    name.n = strnlen(name.p, left < MOST_NAME ? left : MOST_NAME);
    return name;
}

int coff_read(struct section_reader *r, const uint8_t *p, size_t n)
{
    struct coff f;
    int code = APF_OK;
    if (!find_header(&f, p, n))
        return error_plain(r->error, APF_BAD_COVERAGE, "coff.header", "it is no COFF file");
    find_tables(&f);
    r->sections->long_pointers = f.machine == MACHINE_AMD64 || f.machine == MACHINE_ARM64;
    r->sections->swap = HOST_BIG_ENDIAN;
    r->sections->is_coff = true;
    for (uint32_t i = 0; i < f.n_sections && code == APF_OK; i++) {
        const uint64_t at = f.sections + (uint64_t)i * SECTION_BYTES;
        if (at > n || n - at < SECTION_BYTES)
            return error_place(r->error, APF_BAD_COVERAGE, "coff.section", at, "it does not fit in the file");
        const uint8_t *header = p + at;
        const uint32_t in_memory = load32le(header + 8), in_file = load32le(header + 16),
                       offset = load32le(header + 20);
        const uint32_t size = f.image && in_memory < in_file ? in_memory : in_file;
        struct apf_str name = name_of(&f, header);
        const char *group = name.n ? memchr(name.p, '$', name.n) : NULL;
        if (group)
            name.n = (size_t)(group - name.p);
        const bool inside = offset <= n && size <= n - offset;
        const struct section_bytes bytes = {inside ? p + offset : NULL, size};
        r->sections->names_are_linked = f.image;
        code = section_take(r, name, bytes, f.base + load32le(header + 12));
    }
    return code;
}
