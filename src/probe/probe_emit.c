/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections as an object file. */
#include <stdlib.h>

#include "base/error.h"
#include "base/options.h"
#include "object/elf_write.h"
#include "probe/probe_json_read.h"

#define PROBES_NAME ".pseudo_probe"
#define DESCS_NAME ".pseudo_probe_desc"
#define X86_64 62u

/* The bytes of all sections, one behind the other. */
struct contents {
    struct apf_buffer bytes;
    VEC(size_t) ends;
};

static int write_sections(const struct apf_probes *p, struct contents *c, struct apf_error *error)
{
    struct apf_output output = {NULL, apf_buffer_write, &c->bytes, 0};
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

static int write_object(const struct apf_probes *p, const struct apf_output *output, struct apf_error *error)
{
    struct elf_target target = {p->info.elf_bits ? p->info.elf_bits : 64,
                                p->info.elf_machine ? p->info.elf_machine : X86_64, p->info.big_endian != 0};
    struct contents c = {.bytes = {NULL, 0, 0}};
    struct arena arena = {0};
    struct elf_new_section *sections = arena_array(&arena, p->sections.n, sizeof *sections);
    int code = sections ? write_sections(p, &c, error) : error_memory(error);
    size_t at = 0;
    for (size_t i = 0; code == APF_OK && i < p->sections.n; i++) {
        const struct probe_section *s = &p->sections.data[i];
        struct elf_new_section new = {s->has_descs ? DESCS_NAME : PROBES_NAME,
                                      c.bytes.data ? (const uint8_t *)c.bytes.data + at : NULL,
                                      c.ends.data[i] - at, s->group, s->comdat};
        sections[i] = new;
        at = c.ends.data[i];
    }
    if (code == APF_OK)
        code = elf_write_object(&target, sections, p->sections.n, output, error);
    apf_buffer_free(&c.bytes);
    VEC_FREE(&c.ends);
    arena_free(&arena);
    return code;
}

int apf_probes_emit(const struct apf_input *inputs, size_t n, const struct apf_output *output,
                    const struct apf_options *options, struct apf_error *error)
{
    struct apf_options o = options_copy(options);
    struct probe_json r = {.error = error};
    int code = n ? APF_OK : error_plain(error, APF_ARGUMENT, "inputs", "no input");
    for (size_t i = 0; i < n && code == APF_OK; i++) {
        code = probe_json_read(&r, &inputs[i], options_max_bytes(&o));
        if (code != APF_OK && error)
            error->input = i;
    }
    if (code == APF_OK)
        code = probe_json_finish(&r);
    if (code == APF_OK)
        code = write_object(r.probes, output, error);
    probe_json_free(&r);
    return code;
}
