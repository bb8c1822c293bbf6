/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/program_build.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/shared/unit.h"

#define SHT_PROGBITS 1u
#define SHT_NOTE 7u
#define SHT_NOBITS 8u
#define EM_386 3u
#define EM_X86_64 62u
#define ET_EXEC 2u
#define DATA_ADDRESS 0x2000u
#define VERSION_ADDRESS 0x8000u
#define MOST_SECTIONS 12u

/* A growing buffer of bytes. */
struct bytes {
    uint8_t p[1 << 14];
    size_t n;
    bool big;
    unsigned address; /* bytes of one */
};

static void append_number(struct bytes *b, uint64_t v, size_t n)
{
    assert_true(b->n + n <= sizeof b->p);
    eb_store(b->p + b->n, v, n, b->big);
    b->n += n;
}

static void append_text(struct bytes *b, const char *text)
{
    size_t n = strlen(text) + 1;
    assert_true(b->n + n <= sizeof b->p);
    memcpy(b->p + b->n, text, n);
    b->n += n;
}

/* ---- where counters and bitmaps are ---- */

/* A function that is described again has the counters of the one before it. */
static uint64_t place_of(const struct pb_program *p, size_t i, bool bitmap)
{
    uint64_t at = 0;
    if (p->functions[i].flags & PB_AGAIN)
        i--;
    for (size_t k = 0; k < i; k++)
        if (!(p->functions[k].flags & PB_AGAIN))
            at += bitmap ? p->functions[k].n_bitmap : 8 * p->functions[k].n_counts;
    return at;
}

size_t pb_counter_bytes(const struct pb_program *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_functions; i++)
        n += p->functions[i].flags & PB_AGAIN ? 0 : 8 * (size_t)p->functions[i].n_counts;
    return n;
}

size_t pb_bitmap_bytes(const struct pb_program *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_functions; i++)
        n += p->functions[i].flags & PB_AGAIN ? 0 : p->functions[i].n_bitmap;
    return n;
}

static uint64_t address_of(const struct pb_program *p, size_t i)
{
    return p->functions[i].flags & PB_OUTSIDE ? 16 : PB_COUNTERS + place_of(p, i, false);
}

/* ---- sections ---- */

/* The sections of an ordinary profile of the program, with pointers as linkers leave them. */
static void append_records(const struct pb_program *p, struct bytes *data, struct bytes *names)
{
    static const uint64_t counts[64];
    static const uint8_t bitmap[64];
    struct rb_function f[16];
    struct rb_file file = {NULL, 0, 0, false};
    struct rb_places at;
    memset(f, 0, sizeof f);
    assert_true(p->n_functions <= COUNT(f));
    for (size_t i = 0; i < p->n_functions; i++) {
        f[i].name = p->functions[i].name;
        f[i].hash = p->functions[i].hash;
        f[i].counts = counts;
        f[i].n_counts = p->functions[i].n_counts;
        f[i].bitmap = bitmap;
        f[i].n_bitmap = p->version >= 9 ? p->functions[i].n_bitmap : 0;
        f[i].unnamed = (p->functions[i].flags & PB_NO_NAME) != 0;
    }
    struct rb_profile profile = {.version = p->version,
                                 .bytes = p->bytes,
                                 .big = p->big,
                                 .functions = f,
                                 .n_functions = p->n_functions,
                                 .zlib = p->zlib,
                                 .chunks = 2};
    rb_append(&file, &profile, &at);
    size_t size = rb_field_at(p->version, p->bytes, RB_RECORD_SIZE);
    size_t counter = rb_field_at(p->version, p->bytes, RB_COUNTER_PTR);
    size_t bits = rb_field_at(p->version, p->bytes, RB_BITMAP_PTR);
    data->n = size * p->n_functions - p->cut;
    memcpy(data->p, file.data + at.data, data->n);
    for (size_t i = 0; i < p->n_functions && p->kind == PB_BINARY; i++) {
        eb_store(data->p + i * size + counter, address_of(p, i), p->bytes, p->big);
        if (bits != RB_ABSENT)
            eb_store(data->p + i * size + bits, f[i].n_bitmap ? PB_BITS + place_of(p, i, true) : 0, p->bytes,
                     p->big);
    }
    names->n = rb_get(&file, at.start + rb_word_at(p->version, RB_NAMES_SIZE), 8);
    memcpy(names->p, file.data + at.names, names->n);
    rb_free(&file);
}

static void append_note(const struct pb_program *p, struct bytes *note)
{
    append_number(note, 4, 4);
    append_number(note, strlen(p->build_id), 4);
    append_number(note, 3, 4); /* NT_GNU_BUILD_ID */
    append_text(note, "GNU");
    memcpy(note->p + note->n, p->build_id, strlen(p->build_id));
    note->n += strlen(p->build_id);
}

/* ---- DWARF ---- */

/* Numbers of abbreviations: tag, children, attributes and forms. */
static const uint8_t abbreviations[] = {
    1, 0x11, 1,    0x03, 0x08, 0,    0,                      /* unit: name */
    2, 0x2e, 1,    0x03, 0x08, 0x11, 0x01, 0x3b, 0x0b, 0, 0, /* function: name, low_pc, line */
    3, 0x34, 1,    0x03, 0x08, 0x02, 0x18, 0,    0,          /* variable: name, location */
    4, 0x80, 0xc0, 0x01, 0,    0x03, 0x08, 0x1c, 0x08, 0, 0, /* annotation: name, text */
    5, 0x80, 0xc0, 0x01, 0,    0x03, 0x08, 0x1c, 0x07, 0, 0, /* annotation: name, number of 8 bytes */
    6, 0x2e, 1,    0x03, 0x08, 0,    0,                      /* function: name */
    7, 0x11, 1,    0x03, 0x08, 0x73, 0x17, 0,    0,          /* unit: name, addr_base */
    8, 0x34, 1,    0x03, 0x08, 0,    0,                      /* variable: name */
    0,
};

static void append_variable(const struct pb_program *p, struct bytes *info, struct bytes *addresses,
                            const char *name, uint64_t address, bool has_address)
{
    append_number(info, has_address ? 3 : 8, 1);
    append_text(info, name);
    if (!has_address)
        return;
    if (p->numbered) {
        append_number(info, 2, 1);
        append_number(info, 0xa1, 1);                          /* DW_OP_addrx */
        append_number(info, (addresses->n - 8) / p->bytes, 1); /* after the header */
        append_number(addresses, address, p->bytes);
        return;
    }
    append_number(info, 1 + p->bytes, 1);
    append_number(info, 3, 1); /* DW_OP_addr */
    append_number(info, address, p->bytes);
}

static void append_annotation(struct bytes *info, const char *name, const char *text, uint64_t number)
{
    append_number(info, text ? 4 : 5, 1);
    append_text(info, name);
    if (text)
        append_text(info, text);
    else
        append_number(info, number, 8);
}

static void append_function(const struct pb_program *p, size_t i, struct bytes *info, struct bytes *addresses)
{
    const struct pb_function *f = &p->functions[i];
    char name[64] = "__profc_";
    strncat(name, f->name, 40);
    append_number(info, f->flags & PB_NO_FUNCTION ? 6 : 2, 1);
    append_text(info, f->name);
    if (!(f->flags & PB_NO_FUNCTION)) {
        append_number(info, 0x1000 + 16 * i, p->bytes);
        append_number(info, 7 + i, 1);
    }
    append_variable(p, info, addresses, name, address_of(p, i), !(f->flags & PB_NO_ADDRESS));
    if (!(f->flags & PB_NO_NAME))
        append_annotation(info, "Function Name", f->name, 0);
    if (!(f->flags & PB_NO_HASH))
        append_annotation(info, "CFG Hash", NULL, f->hash);
    if (!(f->flags & PB_NO_COUNT))
        append_annotation(info, "Num Counters", NULL, f->n_counts);
    append_number(info, 0, 1);
    if (f->n_bitmap && !(f->flags & PB_NO_BITS)) {
        memcpy(name, "__profbm", 8);
        memmove(name + 9, f->name, strlen(f->name) + 1);
        name[8] = '_';
        append_variable(p, info, addresses, name, PB_BITS + place_of(p, i, true), true);
        append_annotation(info, "Function Name", f->name, 0);
        append_annotation(info, "Num BitmapBits", NULL, 8 * (uint64_t)f->n_bitmap - 3);
        append_number(info, 0, 1);
    }
    append_number(info, 0, 1);
}

static void append_dwarf(const struct pb_program *p, struct bytes *info, struct bytes *addresses)
{
    append_number(addresses, 0, 4); /* the length, set below */
    append_number(addresses, 5, 2);
    append_number(addresses, p->bytes, 1);
    append_number(addresses, 0, 1);
    append_number(info, 0, 4);
    append_number(info, p->dwarf, 2);
    if (p->dwarf == 5) {
        append_number(info, 1, 1);
        append_number(info, p->bytes, 1);
    }
    append_number(info, 0, 4);
    if (p->dwarf == 4)
        append_number(info, p->bytes, 1);
    append_number(info, p->numbered ? 7 : 1, 1);
    append_text(info, "unit.c");
    if (p->numbered)
        append_number(info, 8, 4);
    for (size_t i = 0; i < p->n_functions; i++)
        append_function(p, i, info, addresses);
    append_number(info, 0, 1);
    eb_store(info->p, info->n - 4, 4, p->big);
    eb_store(addresses->p, addresses->n - 4, 4, p->big);
}

/* ---- the file ---- */

struct sections {
    struct eb_section list[MOST_SECTIONS];
    size_t n;
};

static void add(struct sections *s, const char *name, uint32_t type, uint64_t address, const void *data,
                size_t n)
{
    struct eb_section section = {.name = name, .type = type, .address = address, .data = data, .n = n};
    s->list[s->n++] = section;
}

static void add_metadata(const struct pb_program *p, struct sections *s, struct bytes *a, struct bytes *b)
{
    if (p->kind == PB_DEBUG_INFO) {
        append_dwarf(p, a, b);
        add(s, ".debug_info", SHT_PROGBITS, 0, a->p, a->n);
        add(s, ".debug_abbrev", SHT_PROGBITS, 0, abbreviations, sizeof abbreviations);
        if (p->numbered)
            add(s, ".debug_addr", SHT_PROGBITS, 0, b->p, b->n);
        return;
    }
    append_records(p, a, b);
    bool loaded = p->kind == PB_LOADED;
    add(s, loaded ? "__llvm_prf_data" : "__llvm_covdata", SHT_PROGBITS, loaded ? DATA_ADDRESS : 0, a->p,
        a->n);
    add(s, loaded ? "__llvm_prf_names" : "__llvm_covnames", SHT_PROGBITS, 0, b->p, b->n);
}

struct eb_bytes pb_build(const struct pb_program *p)
{
    static uint8_t zeros[1 << 13];
    static struct bytes data, more, note, version;
    struct sections s = {.n = 0};
    struct bytes *all[] = {&data, &more, &note, &version};
    for (size_t i = 0; i < COUNT(all); i++) {
        all[i]->n = 0;
        all[i]->big = p->big;
    }
    assert_true(pb_counter_bytes(p) <= sizeof zeros);
    add(&s, "__llvm_prf_cnts", SHT_PROGBITS, PB_COUNTERS, zeros, pb_counter_bytes(p));
    if (pb_bitmap_bytes(p))
        add(&s, "__llvm_prf_bits", SHT_PROGBITS, PB_BITS, zeros, pb_bitmap_bytes(p));
    if (p->build_id) {
        append_note(p, &note);
        add(&s, ".note.gnu.build-id", SHT_NOTE, 0, note.p, note.n);
    }
    append_number(&version, p->version_word, 8);
    if (p->version_word)
        add(&s, ".rodata", SHT_PROGBITS, VERSION_ADDRESS, version.p, version.n);
    struct eb_symbol symbol = {"__llvm_profile_raw_version", VERSION_ADDRESS, 8, 0x11, (uint16_t)s.n};
    add_metadata(p, &s, &data, &more);
    struct eb_file file = {.bits = 8 * p->bytes, .big_endian = p->big, .type = ET_EXEC, .sections = s.list};
    file.machine = p->bytes == 8 ? EM_X86_64 : EM_386;
    file.n_sections = s.n;
    file.symbols = &symbol;
    file.n_symbols = p->version_word != 0;
    return eb_build(&file);
}

/* ---- profiles ---- */

void pb_append(struct rb_file *file, const struct pb_program *p, uint64_t first, const char *id)
{
    uint64_t magic = (uint64_t)0xff << 56 | (uint64_t)'l' << 48 | (uint64_t)'p' << 40 | (uint64_t)'r' << 32 |
                     (uint64_t)'o' << 24 | (uint64_t)'f' << 16 | (p->bytes == 8 ? 'r' : 'R') << 8 | 0x81;
    size_t start = file->n, n_id = id ? strlen(id) : 0, n_counters = pb_counter_bytes(p) / 8;
    size_t n_bitmap = p->version >= 9 ? pb_bitmap_bytes(p) : 0;
    uint64_t variant = p->kind == PB_DEBUG_INFO ? RB_IR | RB_CORRELATE : RB_IR;
    file->big = p->big;
    rb_append_zeros(file, rb_header_size(p->version));
    rb_put(file, start, 8, magic);
    rb_put(file, start + 8, 8, p->version | variant);
    rb_put(file, start + rb_word_at(p->version, RB_IDS_SIZE), 8, n_id ? 8 + n_id : 0);
    rb_put(file, start + rb_word_at(p->version, RB_NUM_COUNTERS), 8, n_counters);
    if (n_bitmap) {
        rb_put(file, start + rb_word_at(p->version, RB_NUM_BITMAP), 8, n_bitmap);
        rb_put(file, start + rb_word_at(p->version, RB_PAD_BITMAP), 8, -n_bitmap % 8);
    }
    if (n_id) {
        assert_int_equal(n_id % 8, 0);
        rb_append_zeros(file, 8);
        rb_put(file, file->n - 8, 8, n_id);
        rb_append_bytes(file, id, n_id);
    }
    for (size_t i = 0; i < n_counters; i++) {
        rb_append_zeros(file, 8);
        rb_put(file, file->n - 8, 8, first + i);
    }
    for (size_t i = 0; i < n_bitmap; i++) {
        uint8_t byte = (uint8_t)(i + 1);
        rb_append_bytes(file, &byte, 1);
    }
    rb_append_zeros(file, -n_bitmap % 8);
}
