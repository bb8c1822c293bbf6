/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Landing pads: where functions catch exceptions, from the call site tables (.gcc_except_table) that .eh_frame names.
 * Damage in these sections ends the search; then some blocks are missing. */
#include "object/eh_frames.h"
#include "object/flow_model.h"

/* A cursor at an offset of a section; its cursor_offset is the address. All supported processors are little-endian. */
static struct cursor section_cursor(const struct flow_section *s, uint64_t offset)
{
    struct cursor c = cursor_make_at(s->data, s->n, s->address, HOST_BIG_ENDIAN);
    cursor_skip(&c, offset);
    return c;
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
    if (encoding != EH_POINTER_OMITTED)
        start = eh_pointer_read(&c, encoding, &known);
    if (cursor_u8(&c) != EH_POINTER_OMITTED)
        (void)cursor_uleb128(&c);
    encoding = cursor_u8(&c);
    uint64_t n = cursor_uleb128(&c);
    struct cursor sites = cursor_sub(&c, n);
    if (sites.failed || !known || n > flow->pad_bytes)
        return;
    flow->pad_bytes -= n;
    while (cursor_left(&sites) && !sites.failed) {
        (void)eh_pointer_read(&sites, encoding, &known);
        (void)eh_pointer_read(&sites, encoding, &known);
        uint64_t pad = eh_pointer_read(&sites, encoding, &known);
        (void)cursor_uleb128(&sites);
        struct flow_function *in = pad && known && !sites.failed ? flow_find(flow, start + pad) : NULL;
        if (in)
            flow_label(flow, in, start + pad - in->address, true);
    }
}

static void mark_frame(void *user, const struct eh_frame *frame)
{
    struct code_flow *flow = user;
    struct flow_function *f = frame->table ? flow_find(flow, frame->start) : NULL;
    if (f && f->address == frame->start)
        mark_pads(flow, f, frame->table);
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
            eh_frames_read(s->data, s->n, s->address, mark_frame, c);
    }
}
