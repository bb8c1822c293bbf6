/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/asm_directive.h"

#include "base/number.h"

#define MOST_TYPE 15u
#define MOST_ATTRIBUTES 7u

static enum asm_result report_wrong(struct asm_fault *fault, const char *p, const char *where,
                                    const char *detail)
{
    fault->p = p;
    fault->where = where;
    fault->detail = detail;
    return ASM_WRONG;
}

/* Reads a number, which must be present. */
static enum asm_result read_number(struct asm_span *s, uint64_t most, const char *where, uint64_t *number,
                                   struct asm_fault *fault)
{
    struct apf_str digits = asm_read_number(s);
    if (digits.n == 0)
        return report_wrong(fault, s->p, where, "expected a number");
    if (!number_auto(digits.p, digits.n, number))
        return report_wrong(fault, digits.p, where, "this is no number of at most 64 bits");
    if (*number > most)
        return report_wrong(fault, digits.p, where, "the number is too large");
    return ASM_FINE;
}

static enum asm_result read_guid(struct asm_span *s, uint64_t *guid, struct asm_fault *fault)
{
    asm_more(s);
    const char *at = s->p;
    enum asm_result result = read_number(s, UINT64_MAX, "pseudoprobe.guid", guid, fault);
    if (result == ASM_FINE && *guid == 0)
        return report_wrong(fault, at, "pseudoprobe.guid", "a GUID of 0 stands for no function");
    return result;
}

static enum asm_result read_u32(struct asm_span *s, uint32_t most, const char *where, uint32_t *number,
                                struct asm_fault *fault)
{
    uint64_t v = 0;
    enum asm_result result = read_number(s, most, where, &v, fault);
    *number = (uint32_t)v;
    return result;
}

/* @ GUID:CALL-PROBE; without a call probe, it is not known. */
static enum asm_result read_site(struct asm_span *s, struct asm_probe *probe, struct asm_fault *fault)
{
    struct apf_probe_site site = {0, 0};
    enum asm_result result = read_guid(s, &site.guid, fault);
    if (result == ASM_FINE && asm_skip_char(s, ':'))
        result = read_u32(s, UINT32_MAX, "pseudoprobe.call_probe", &site.call_probe, fault);
    if (result == ASM_FINE && !VEC_PUSH(&probe->sites, site))
        return ASM_NO_MEMORY;
    return result;
}

static enum asm_result read_numbers(struct asm_span *s, struct asm_probe *probe, struct asm_fault *fault)
{
    struct apf_probe_entry *e = &probe->entry;
    uint32_t type = 0, attributes = 0;
    enum asm_result result = read_guid(s, &e->guid, fault);
    if (result == ASM_FINE)
        result = read_u32(s, UINT32_MAX, "pseudoprobe.index", &e->id, fault);
    if (result == ASM_FINE)
        result = read_u32(s, MOST_TYPE, "pseudoprobe.type", &type, fault);
    asm_more(s);
    const char *at = s->p;
    if (result == ASM_FINE)
        result = read_u32(s, MOST_ATTRIBUTES, "pseudoprobe.attributes", &attributes, fault);
    if (result == ASM_FINE && attributes & APF_PROBE_ATTRIBUTE_SENTINEL)
        return report_wrong(fault, at, "pseudoprobe.attributes", "sentinels are made where they are needed");
    e->type = (uint8_t)type;
    e->attributes = (uint8_t)attributes;
    struct asm_span ahead = *s;
    if (result == ASM_FINE && (attributes & APF_PROBE_ATTRIBUTE_DISCRIMINATOR || asm_read_number(&ahead).n))
        result = read_u32(s, UINT32_MAX, "pseudoprobe.discriminator", &e->discriminator, fault);
    return result;
}

enum asm_result asm_read_probe(struct asm_span *s, struct asm_probe *probe, struct asm_fault *fault)
{
    struct apf_probe_entry none = {0};
    probe->entry = none;
    probe->sites.n = 0;
    enum asm_result result = read_numbers(s, probe, fault);
    while (result == ASM_FINE && asm_skip_char(s, '@'))
        result = read_site(s, probe, fault);
    if (result != ASM_FINE)
        return result;
    probe->entry.inlined = probe->sites.data;
    probe->entry.n_inlined = probe->sites.n;
    probe->function = asm_read_name(s);
    if (asm_more(s))
        return report_wrong(fault, s->p, "pseudoprobe.function", "expected the end of the statement");
    return ASM_FINE;
}
