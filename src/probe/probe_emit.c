/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes sections as an object file. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "object/elf_write.h"
#include "probe/probe_json_read.h"

#define PROBES_NAME ".pseudo_probe"
#define DESCS_NAME ".pseudo_probe_desc"
/* The start of the names of groups that hold only a descriptor; the name of the function follows. */
#define DESC_GROUP DESCS_NAME "_"

/* The bytes of all sections, one after the other. */
struct contents {
    struct apf_buffer bytes;
    VEC(size_t) ends;
};

static int write_sections(const struct apf_probes *p, struct contents *c, struct apf_error *error)
{
    struct apf_output output = apf_output_buffer(&c->bytes);
    int code = APF_OK;
    for (size_t i = 0; i < p->sections.n && code == APF_OK; i++) {
        code = apf_probes_write_section(p, p->sections.data[i].index, &output, error);
        if (code == APF_IO) /* the buffer could not grow */
            code = error_memory(error);
        if (code == APF_OK && !VEC_PUSH(&c->ends, c->bytes.n))
            code = error_memory(error);
    }
    return code;
}

static bool in_code_group(const struct probe_section *s)
{
    return s->group && s->comdat && strncmp(s->group, DESC_GROUP, strlen(DESC_GROUP)) != 0;
}

/* The type of a section. On MIPS, LLVM gives descriptors the type of debug information. */
static uint32_t section_type(const struct elf_target *target, const struct probe_section *s)
{
    return s->has_descs && target->machine == EM_MIPS ? SHT_MIPS_DWARF : SHT_PROGBITS;
}

static int write_object(const struct probe_json *r, const struct apf_output *output, struct apf_error *error)
{
    const struct apf_probes *p = r->probes;
    struct elf_target target = {p->info.elf_bits ? p->info.elf_bits : 64,
                                p->info.elf_machine ? p->info.elf_machine : EM_X86_64, r->elf_flags,
                                p->info.big_endian != 0};
    struct contents c = {.bytes = {NULL, 0, 0}};
    struct arena arena = {0};
    struct elf_new_section *sections = arena_array(&arena, p->sections.n, sizeof *sections);
    int code = sections ? elf_check_sections(p->sections.n, error) : error_memory(error);
    if (code == APF_OK)
        code = write_sections(p, &c, error);
    size_t at = 0;
    for (size_t i = 0; code == APF_OK && i < p->sections.n; i++) {
        const struct probe_section *s = &p->sections.data[i];
        struct elf_new_section new = {s->has_descs ? DESCS_NAME : PROBES_NAME,
                                      section_type(&target, s),
                                      c.bytes.data ? (const uint8_t *)c.bytes.data + at : NULL,
                                      c.ends.data[i] - at,
                                      s->group,
                                      s->comdat};
        sections[i] = new;
        at = c.ends.data[i];
    }
    if (code == APF_OK)
        code = elf_write_object(&target, sections, p->sections.n, output, error);
    apf_buffer_free(&c.bytes);
    VEC_FREE(&c.ends);
    arena_free(&arena);
    return error_output(error, code, output->path);
}

/* Removes sections from the groups of code, or counts those that are in one. */
static uint64_t treat_groups(struct apf_probes *p, uint32_t flags)
{
    uint64_t n = 0;
    for (size_t i = 0; i < p->sections.n; i++) {
        struct probe_section *s = &p->sections.data[i];
        if (!in_code_group(s))
            continue;
        if (flags & APF_PROBE_EMIT_NO_CODE_GROUPS)
            s->group = NULL;
        else
            n++;
    }
    return n;
}

int apf_probes_emit(const struct apf_input *inputs, size_t n, const struct apf_probe_emit_options *options,
                    const struct apf_output *output, struct apf_probe_emit_info *info,
                    struct apf_error *error)
{
    struct apf_probe_emit_options o;
    struct apf_options common;
    struct apf_probe_emit_info found = {0};
    struct probe_json r = {.error = error};
    int code = OPTIONS_READ_BOTH(apf_probe_emit_options, &o, options, &common, error);
    if (code == APF_OK)
        code = flags_check(o.flags, APF_PROBE_EMIT_NO_CODE_GROUPS, "apf_probe_emit_options.flags", error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_probe_emit_info, info, error);
    if (code == APF_OK && !n)
        code = error_plain(error, APF_ARGUMENT, "inputs", "no input");
    if (code == APF_OK)
        code = inputs_check(inputs, n, error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < n && code == APF_OK; i++)
        code = probe_json_read(&r, input_at(inputs, i), i, options_max_bytes(&common));
    if (code == APF_OK)
        code = probe_json_finish(&r);
    if (code == APF_OK) {
        found.n_sections = r.probes->sections.n;
        found.n_in_code_groups = treat_groups(r.probes, o.flags);
        code = write_object(&r, output, error);
    }
    result_fill(info, sizeof found, &found);
    probe_json_free(&r);
    return code;
}
