/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Landing pads: where functions catch exceptions, from the call site tables (.gcc_except_table) that .eh_frame names.
 * Damage in these sections ends the search; then some blocks are missing. */
#include "base/cursor.h"
#include "object/flow_model.h"

/* A cursor at an offset of a section; its cursor_offset is the address. All supported processors are little-endian. */
static struct cursor section_cursor(const struct flow_section *s, uint64_t offset)
{
    struct cursor c = cursor_make_at(s->data, s->n, s->address, HOST_BIG_ENDIAN);
    cursor_skip(&c, offset);
    return c;
}

/* ---- pointers ---- */

static uint64_t extend_sign(uint64_t value, unsigned bits)
{
    return value >> (bits - 1) & 1 ? value | ~(uint64_t)0 << bits : value;
}

/* Encodings of pointers (DW_EH_PE_*): their width and their base. */
#define OMITTED 0xffu
#define RELATIVE 0x10u
#define INDIRECT 0x80u

/* `is_known` becomes false where the pointer is known only in a running program. */
static uint64_t read_pointer(struct cursor *c, uint8_t encoding, bool *is_known)
{
    uint64_t here = cursor_offset(c), value = 0;
    switch (encoding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
        value = cursor_u64(c);
        break;
    case 0x01:
        value = cursor_uleb128(c);
        break;
    case 0x09:
        value = (uint64_t)cursor_sleb128(c);
        break;
    case 0x02:
        value = cursor_u16(c);
        break;
    case 0x0a:
        value = extend_sign(cursor_u16(c), 16);
        break;
    case 0x03:
        value = cursor_u32(c);
        break;
    case 0x0b:
        value = extend_sign(cursor_u32(c), 32);
        break;
    default:
        c->failed = true;
    }
    uint8_t base = encoding & 0x70;
    *is_known = !c->failed && !(encoding & INDIRECT) && (base == 0 || base == RELATIVE);
    return value && base == RELATIVE ? here + value : value;
}

/* ---- call sites ---- */

static void mark_pads(struct code_flow *flow, struct flow_function *f, uint64_t lsda)
{
    const struct flow_section *s = flow_find_section(flow, lsda);
    if (!s)
        return;
    struct cursor c = section_cursor(s, lsda - s->address);
    bool known = true;
    uint64_t start = f->address;
    uint8_t encoding = cursor_u8(&c);
    if (encoding != OMITTED)
        start = read_pointer(&c, encoding, &known);
    if (cursor_u8(&c) != OMITTED)
        (void)cursor_uleb128(&c);
    encoding = cursor_u8(&c);
    uint64_t n = cursor_uleb128(&c);
    struct cursor sites = cursor_sub(&c, n);
    if (sites.failed || !known || n > flow->pad_bytes)
        return;
    flow->pad_bytes -= n;
    while (cursor_left(&sites) && !sites.failed) {
        (void)read_pointer(&sites, encoding, &known);
        (void)read_pointer(&sites, encoding, &known);
        uint64_t pad = read_pointer(&sites, encoding, &known);
        (void)cursor_uleb128(&sites);
        struct flow_function *in = pad && known && !sites.failed ? flow_find(flow, start + pad) : NULL;
        if (in)
            flow_label(flow, in, start + pad - in->address, true);
    }
}

/* ---- frames ---- */

/* Facts of a CIE that its FDEs need. */
struct cie {
    uint64_t at; /* offset in .eh_frame */
    uint8_t pointers, tables;
    bool has_data, is_known;
};

static struct cie read_cie(const struct flow_section *s, uint64_t at)
{
    struct cursor c = section_cursor(s, at);
    struct cie cie = {at, 0, OMITTED, false, false};
    char augmentation[8] = "";
    bool known;
    uint32_t length = cursor_u32(&c);
    bool usual = length != 0 && length != UINT32_MAX && length <= cursor_left(&c) && cursor_u32(&c) == 0;
    uint8_t version = cursor_u8(&c);
    size_t n = 0;
    while (n < sizeof augmentation && (augmentation[n] = (char)cursor_u8(&c)) != 0)
        n++;
    if (!usual || c.failed || n == sizeof augmentation || (version != 1 && version != 3))
        return cie;
    (void)cursor_uleb128(&c);
    (void)cursor_sleb128(&c);
    (void)(version == 1 ? cursor_u8(&c) : cursor_uleb128(&c));
    cie.has_data = augmentation[0] == 'z';
    if (cie.has_data)
        (void)cursor_uleb128(&c);
    for (size_t i = cie.has_data; i < n; i++) {
        if (augmentation[i] == 'R')
            cie.pointers = cursor_u8(&c);
        else if (augmentation[i] == 'L')
            cie.tables = cursor_u8(&c);
        else if (augmentation[i] == 'P')
            (void)read_pointer(&c, cursor_u8(&c), &known);
        else if (augmentation[i] != 'S' && augmentation[i] != 'B' && augmentation[i] != 'G')
            return cie;
    }
    cie.is_known = !c.failed;
    return cie;
}

static void read_fde(struct code_flow *flow, struct cursor c, const struct cie *cie)
{
    bool known, unused;
    uint64_t start = read_pointer(&c, cie->pointers, &known);
    struct flow_function *f = known ? flow_find(flow, start) : NULL;
    (void)read_pointer(&c, cie->pointers & 0x0f, &unused);
    if (!f || f->address != start || !cie->has_data || cie->tables == OMITTED)
        return;
    uint64_t n = cursor_uleb128(&c), lsda = read_pointer(&c, cie->tables, &known);
    if (n != 0 && known && !c.failed && lsda)
        mark_pads(flow, f, lsda);
}

static void read_frames(struct code_flow *flow, const struct flow_section *s)
{
    struct cie cie = {UINT64_MAX, 0, OMITTED, false, false};
    for (struct cursor c = section_cursor(s, 0); cursor_left(&c) >= 8;) {
        uint32_t length = cursor_u32(&c);
        if (length == 0) /* the terminator of one input of the linker */
            continue;
        if (length == UINT32_MAX || length < 4 || length > cursor_left(&c))
            return;
        uint64_t at = cursor_offset(&c) - s->address;
        struct cursor entry = cursor_sub(&c, length);
        uint32_t distance = cursor_u32(&entry);
        if (distance == 0 || distance > at) /* a CIE; FDEs refer to it */
            continue;
        if (cie.at != at - distance)
            cie = read_cie(s, at - distance);
        if (cie.is_known)
            read_fde(flow, entry, &cie);
    }
}

/* Bytes of call site tables that are read, for each byte of the file: every function has its own table, and linkers may
 * duplicate frames. */
#define READ_EACH 2u
#define SMALL_TABLES ((uint64_t)1 << 16)

void flow_mark_landing_pads(struct code_flow *c)
{
    c->pad_bytes = READ_EACH * elf_file_size(c->functions->elf) + SMALL_TABLES;
    for (size_t i = 0; i < c->sections.n; i++) {
        const struct flow_section *s = &c->sections.data[i];
        if (s->is_frames)
            read_frames(c, s);
    }
}
