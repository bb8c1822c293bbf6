/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decodes the section .pseudo_probe_desc: GUID, hash and name of one function after the other. */
#include "base/cursor.h"
#include "base/error.h"
#include "probe/probe_number.h"

static int report_bad(struct probe_reader *r, const struct probe_section *section, const char *where,
                      uint64_t offset, uint64_t found, uint64_t expected, const char *detail)
{
    struct error_at at = {where, offset, found, expected};
    struct apf_error damage;
    error_set_at(&damage, APF_BAD_PROBE_DESCS, at, "%s", detail);
    return probe_damage_in(r, section, &damage);
}

/* Reads a descriptor. *done is set if the rest of the section is lost. */
static int read_desc(struct probe_reader *r, struct probe_section *section, struct cursor *c, bool *done)
{
    struct apf_probes *p = r->probes;
    uint64_t at = cursor_offset(c), left = cursor_left(c);
    struct apf_probe_desc desc = {.offset = at, .section = section->index};
    uint32_t size = 0;
    *done = true;
    desc.guid = cursor_u64(c);
    desc.hash = cursor_u64(c);
    if (c->failed)
        return report_bad(r, section, "pseudo_probe_desc.guid", at, left, 16,
                          "the section ends within a descriptor");
    uint64_t size_at = cursor_offset(c);
    enum number_fault fault = probe_read_number(p, section, c, &size);
    if (fault == NUMBER_NO_MEMORY)
        return error_memory(r->error);
    if (fault != NUMBER_FINE) {
        struct error_at place = {"pseudo_probe_desc.name_size", size_at, left - 16, left - 15};
        struct apf_error damage;
        number_fault_set(&damage, fault, APF_BAD_PROBE_DESCS, place, 32);
        return probe_damage_in(r, section, &damage);
    }
    const uint8_t *name = cursor_bytes(c, size);
    if (!name)
        return report_bad(r, section, "pseudo_probe_desc.name_size", size_at, size, cursor_left(c),
                          "the name runs past the end of the section");
    desc.name.p = (const char *)name;
    desc.name.n = size;
    *done = false;
    int code = probe_check_limit(r, "pseudo_probe_desc.descriptors", p->descs.n, r->max_records);
    if (code != APF_OK)
        return code;
    return VEC_PUSH(&p->descs, desc) ? APF_OK : error_memory(r->error);
}

int probe_read_descs(struct probe_reader *r, struct probe_section *section)
{
    struct cursor c = cursor_make(section->data, section->n, r->probes->swap);
    int code = APF_OK;
    bool done = false;
    section->first = r->probes->descs.n;
    while (code == APF_OK && !done && cursor_left(&c))
        code = read_desc(r, section, &c, &done);
    section->count = r->probes->descs.n - section->first;
    return code;
}
