/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/eh_frames.h"

/* The section. */
struct frames {
    const uint8_t *data;
    size_t n;
    uint64_t address;
    void (*each)(void *user, const struct eh_frame *frame);
    void *user;
};

/* A cursor at an offset of the section; its cursor_offset is the address. */
static struct cursor section_cursor(const struct frames *s, uint64_t offset)
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
#define RELATIVE 0x10u
#define INDIRECT 0x80u

uint64_t eh_pointer_read(struct cursor *c, uint8_t encoding, bool *is_known)
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

/* ---- frames ---- */

/* Facts of a CIE that its FDEs need. */
struct cie {
    uint64_t at; /* offset in .eh_frame */
    uint8_t pointers, tables;
    bool has_data, is_known;
};

static struct cie read_cie(const struct frames *s, uint64_t at)
{
    struct cursor c = section_cursor(s, at);
    struct cie cie = {at, 0, EH_POINTER_OMITTED, false, false};
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
            (void)eh_pointer_read(&c, cursor_u8(&c), &known);
        else if (augmentation[i] != 'S' && augmentation[i] != 'B' && augmentation[i] != 'G')
            return cie;
    }
    cie.is_known = !c.failed;
    return cie;
}

static void read_fde(const struct frames *s, struct cursor c, const struct cie *cie)
{
    bool known, table_known;
    struct eh_frame frame = {eh_pointer_read(&c, cie->pointers, &known), 0, 0};
    frame.size = eh_pointer_read(&c, cie->pointers & 0x0f, &table_known);
    if (!known || c.failed)
        return;
    if (cie->has_data && cie->tables != EH_POINTER_OMITTED) {
        uint64_t n = cursor_uleb128(&c), table = eh_pointer_read(&c, cie->tables, &table_known);
        frame.table = n != 0 && table_known && !c.failed ? table : 0;
    }
    s->each(s->user, &frame);
}

void eh_frames_read(const uint8_t *data, size_t n, uint64_t address,
                    void (*each)(void *user, const struct eh_frame *frame), void *user)
{
    struct frames s = {data, n, address, each, user};
    struct cie cie = {UINT64_MAX, 0, EH_POINTER_OMITTED, false, false};
    for (struct cursor c = section_cursor(&s, 0); cursor_left(&c) >= 8;) {
        uint32_t length = cursor_u32(&c);
        if (length == 0) /* the terminator of one input of the linker */
            continue;
        if (length == UINT32_MAX || length < 4 || length > cursor_left(&c))
            return;
        uint64_t at = cursor_offset(&c) - address;
        struct cursor entry = cursor_sub(&c, length);
        uint32_t distance = cursor_u32(&entry);
        if (distance == 0 || distance > at) /* a CIE; FDEs refer to it */
            continue;
        if (cie.at != at - distance)
            cie = read_cie(&s, at - distance);
        if (cie.is_known)
            read_fde(&s, entry, &cie);
    }
}
