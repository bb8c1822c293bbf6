/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the LEB128 numbers of both sections. Padded numbers, as clang 19 writes, are recorded, so that the section can
 * be written unchanged. */
#ifndef PROBE_PROBE_NUMBER_H
#define PROBE_PROBE_NUMBER_H

#include "base/cursor.h"
#include "base/error.h"
#include "base/leb128.h"
#include "probe/probe_model.h"

enum number_fault { NUMBER_FINE, NUMBER_CUT, NUMBER_TOO_LARGE, NUMBER_NO_MEMORY };

/* Sets the damage for a fault: of a section that ends too early the number of missing bytes is known, of a number no
 * such measure. */
static inline void number_fault_set(struct apf_error *damage, enum number_fault fault, int code,
                                    struct error_at at, unsigned bits)
{
    if (fault == NUMBER_CUT)
        error_set_at(damage, code, at, "the section ends within a number");
    else
        error_set_place(damage, code, at.where, at.offset,
                        bits == 32 ? "the number has more than 32 bits" : "the number has more than 64 bits");
}

/* The reason why a number could not be read. */
static inline enum number_fault probe_number_fault(const struct cursor *c)
{
    for (const uint8_t *p = c->p; p < c->end; p++)
        if (*p < 0x80)
            return NUMBER_TOO_LARGE;
    return NUMBER_CUT;
}

static inline bool probe_record_padding(struct apf_probes *p, const struct probe_section *section,
                                        uint64_t offset, size_t bytes)
{
    struct probe_padding padding = {offset, section->index, (uint32_t)bytes, section->has_descs};
    p->info.padded = 1;
    return VEC_PUSH(&p->paddings, padding);
}

/* Reads a number of at most 32 bits. */
static inline enum number_fault probe_read_number(struct apf_probes *p, const struct probe_section *section,
                                                  struct cursor *c, uint32_t *number)
{
    const uint8_t *start = c->p;
    if (LIKELY(c->p < c->end && *c->p < 0x80)) {
        *number = *c->p++;
        return NUMBER_FINE;
    }
    uint64_t value = cursor_uleb128(c);
    uint8_t least[ULEB128_MAX];
    if (c->failed)
        return probe_number_fault(c);
    if (value > UINT32_MAX)
        return NUMBER_TOO_LARGE;
    *number = (uint32_t)value;
    size_t bytes = (size_t)(c->p - start);
    if (bytes != uleb128_store(least, value) &&
        !probe_record_padding(p, section, cursor_offset(c) - bytes, bytes))
        return NUMBER_NO_MEMORY;
    return NUMBER_FINE;
}

/* Reads a signed number of at most 64 bits. */
static inline enum number_fault probe_read_distance(struct apf_probes *p, const struct probe_section *section,
                                                    struct cursor *c, int64_t *distance)
{
    const uint8_t *start = c->p;
    if (LIKELY(c->p < c->end && *c->p < 0x80)) {
        uint8_t byte = *c->p++;
        *distance = byte & 0x40 ? (int64_t)byte - 0x80 : byte;
        return NUMBER_FINE;
    }
    int64_t value = cursor_sleb128(c);
    uint8_t least[SLEB128_MAX];
    if (c->failed)
        return probe_number_fault(c);
    *distance = value;
    size_t bytes = (size_t)(c->p - start);
    if (bytes != sleb128_store(least, value) &&
        !probe_record_padding(p, section, cursor_offset(c) - bytes, bytes))
        return NUMBER_NO_MEMORY;
    return NUMBER_FINE;
}

#endif
