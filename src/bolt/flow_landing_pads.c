/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Landing pads: where functions catch exceptions, from the call site tables (.gcc_except_table) that .eh_frame names.
 * What is damaged there ends the search: then blocks are missing, and no more. */
#include <string.h>

#include "base/endian.h"
#include "bolt/flow_model.h"

/* ---- numbers ---- */

/* Bytes at an address; `failed` sticks, and all that is read afterwards is 0. */
struct eh_bytes {
    const uint8_t *p;
    uint64_t address;
    size_t n, at;
    bool failed;
};

static const uint8_t *take(struct eh_bytes *b, size_t n)
{
    static const uint8_t zeros[8];
    b->failed = b->failed || n > b->n - b->at;
    if (b->failed)
        return zeros;
    b->at += n;
    return b->p + b->at - n;
}

static uint64_t take_leb(struct eh_bytes *b, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = *take(b, 1);
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
    } while (byte & 0x80 && shift < 70);
    b->failed = b->failed || byte & 0x80;
    return is_signed && byte & 0x40 && shift < 64 ? value | ~(uint64_t)0 << shift : value;
}

static uint64_t widen(uint64_t value, unsigned bits)
{
    return value >> (bits - 1) & 1 ? value | ~(uint64_t)0 << bits : value;
}

/* Encodings of pointers (DW_EH_PE_*): how wide, and from where they count. */
#define OMITTED 0xffu
#define RELATIVE 0x10u
#define INDIRECT 0x80u

/* `is_known` becomes false where only a running program could tell. */
static uint64_t take_pointer(struct eh_bytes *b, uint8_t encoding, bool *is_known)
{
    uint64_t here = b->address + b->at, value = 0;
    switch (encoding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
        value = load64le(take(b, 8));
        break;
    case 0x01:
    case 0x09:
        value = take_leb(b, encoding & 8);
        break;
    case 0x02:
        value = load16le(take(b, 2));
        break;
    case 0x0a:
        value = widen(load16le(take(b, 2)), 16);
        break;
    case 0x03:
        value = load32le(take(b, 4));
        break;
    case 0x0b:
        value = widen(load32le(take(b, 4)), 32);
        break;
    default:
        b->failed = true;
    }
    uint8_t base = encoding & 0x70;
    *is_known = !b->failed && !(encoding & INDIRECT) && (base == 0 || base == RELATIVE);
    return value && base == RELATIVE ? here + value : value;
}

/* ---- call sites ---- */

static void mark_pads(struct code_flow *c, struct flow_function *f, uint64_t lsda)
{
    const struct flow_section *s = flow_find_section(c, lsda);
    if (!s)
        return;
    struct eh_bytes b = {s->data, s->address, s->n, (size_t)(lsda - s->address), false};
    bool known = true;
    uint64_t start = f->address;
    uint8_t encoding = *take(&b, 1);
    if (encoding != OMITTED)
        start = take_pointer(&b, encoding, &known);
    if (*take(&b, 1) != OMITTED)
        (void)take_leb(&b, false);
    encoding = *take(&b, 1);
    uint64_t n = take_leb(&b, false);
    if (b.failed || !known || n > b.n - b.at || n > c->pad_bytes)
        return;
    c->pad_bytes -= n;
    for (b.n = b.at + (size_t)n; b.at < b.n && !b.failed;) {
        (void)take_pointer(&b, encoding, &known);
        (void)take_pointer(&b, encoding, &known);
        uint64_t pad = take_pointer(&b, encoding, &known);
        (void)take_leb(&b, false);
        struct flow_function *in = pad && known && !b.failed ? flow_find(c, start + pad) : NULL;
        if (in)
            flow_label(c, in, start + pad - in->address, true);
    }
}

/* ---- frames ---- */

/* What a CIE says about its FDEs. */
struct cie {
    size_t at; /* in .eh_frame */
    uint8_t pointers, tables;
    bool has_data, is_known;
};

static struct cie read_cie(const struct eh_bytes *frames, size_t at)
{
    struct eh_bytes b = *frames;
    struct cie cie = {at, 0, OMITTED, false, false};
    char augmentation[8] = "";
    bool known;
    b.at = at;
    b.failed = at >= b.n;
    uint32_t length = load32le(take(&b, 4));
    bool usual = length != 0 && length != UINT32_MAX && length <= b.n - b.at && load32le(take(&b, 4)) == 0;
    uint8_t version = *take(&b, 1);
    size_t n = 0;
    while (n < sizeof augmentation && (augmentation[n] = (char)*take(&b, 1)) != 0)
        n++;
    if (!usual || b.failed || n == sizeof augmentation || (version != 1 && version != 3))
        return cie;
    (void)take_leb(&b, false);
    (void)take_leb(&b, true);
    (void)(version == 1 ? *take(&b, 1) : take_leb(&b, false));
    cie.has_data = augmentation[0] == 'z';
    if (cie.has_data)
        (void)take_leb(&b, false);
    for (size_t i = cie.has_data; i < n; i++) {
        if (augmentation[i] == 'R')
            cie.pointers = *take(&b, 1);
        else if (augmentation[i] == 'L')
            cie.tables = *take(&b, 1);
        else if (augmentation[i] == 'P')
            (void)take_pointer(&b, *take(&b, 1), &known);
        else if (augmentation[i] != 'S' && augmentation[i] != 'B' && augmentation[i] != 'G')
            return cie;
    }
    cie.is_known = !b.failed;
    return cie;
}

static void read_fde(struct code_flow *c, struct eh_bytes b, const struct cie *cie)
{
    bool known, unused;
    uint64_t start = take_pointer(&b, cie->pointers, &known);
    struct flow_function *f = known ? flow_find(c, start) : NULL;
    (void)take_pointer(&b, cie->pointers & 0x0f, &unused);
    if (!f || f->address != start || !cie->has_data || cie->tables == OMITTED)
        return;
    uint64_t n = take_leb(&b, false), lsda = take_pointer(&b, cie->tables, &known);
    if (n != 0 && known && !b.failed && lsda)
        mark_pads(c, f, lsda);
}

static void read_frames(struct code_flow *c, struct eh_bytes b)
{
    struct cie cie = {SIZE_MAX, 0, OMITTED, false, false};
    while (!b.failed && b.n - b.at >= 8) {
        uint32_t length = load32le(take(&b, 4));
        if (length == 0) /* the end of what one input of the linker had */
            continue;
        if (length == UINT32_MAX || length < 4 || length > b.n - b.at)
            return;
        struct eh_bytes entry = b;
        uint32_t distance = load32le(take(&entry, 4));
        entry.n = b.at + length;
        if (distance != 0 && distance <= b.at) {
            if (cie.at != b.at - distance)
                cie = read_cie(&b, b.at - distance);
            if (cie.is_known)
                read_fde(c, entry, &cie);
        }
        b.at += length;
    }
}

/* Each function has its own; linkers may leave frames twice. */
#define READ_EACH 2u
#define SMALL_TABLES ((uint64_t)1 << 16)

void flow_mark_landing_pads(struct code_flow *c)
{
    c->pad_bytes = READ_EACH * elf_file_size(c->functions->bat->elf) + SMALL_TABLES;
    for (size_t i = 0; i < c->sections.n; i++) {
        const struct flow_section *s = &c->sections.data[i];
        if (s->is_frames)
            read_frames(c, (struct eh_bytes){s->data, s->address, s->n, 0, false});
    }
}
