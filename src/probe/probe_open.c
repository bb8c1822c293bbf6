/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens a file as a model. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/search.h"
#include "probe/probe_model.h"

/* ---- sections of an ELF file ---- */

struct section_search {
    struct apf_probes *probes;
    struct apf_str source;
    bool no_memory;
};

/* The flag of sections that are linked to the section of their code. */
#define LINK_ORDER 0x80u /* SHF_LINK_ORDER */

static int record_section(void *user, const struct elf_section *section)
{
    struct section_search *s = user;
    struct probe_section found = {.index = section->index, .source = s->source};
    found.has_descs = strcmp(section->name, ".pseudo_probe_desc") == 0;
    if (!found.has_descs && strcmp(section->name, ".pseudo_probe") != 0)
        return 0;
    if (s->probes->info.relocatable && section->flags & LINK_ORDER)
        found.text = section->link;
    s->no_memory = !VEC_PUSH(&s->probes->sections, found);
    return s->no_memory;
}

struct probe_section *probe_section_with(const struct apf_probes *p, uint32_t index)
{
    size_t low;
    SEARCH(low, 0, p->sections.n, p->sections.data[low].index < index);
    return low < p->sections.n && p->sections.data[low].index == index ? &p->sections.data[low] : NULL;
}

static int record_member(void *user, const struct elf_member *member)
{
    struct probe_section *s = probe_section_with(user, member->section);
    if (s) {
        s->group = member->signature;
        s->comdat = member->comdat;
    }
    return 0;
}

static int record_relocations(void *user, const struct elf_section *section)
{
    struct probe_section *s = elf_is_relocations(section) ? probe_section_with(user, section->info) : NULL;
    if (s)
        s->relocations = section->index;
    return 0;
}

static int find_sections(struct probe_reader *r)
{
    struct apf_probes *p = r->probes;
    struct section_search search = {p, r->source, false};
    elf_file_sections(p->elf, record_section, &search);
    if (search.no_memory)
        return error_memory(r->error);
    if (p->sections.n == 0 && !r->any_program)
        return error_plain(
            r->error, APF_NO_PROBES, "elf.sections",
            "the program was not built with -fpseudo-probe-for-profiling, or was stripped of them");
    struct apf_error failure;
    int code = elf_file_groups(p->elf, record_member, p, &failure);
    if (code != APF_OK)
        code = probe_damage_of_file(r, &failure);
    if (p->info.relocatable)
        elf_file_sections(p->elf, record_relocations, p);
    return code;
}

/* Loads the sections; one that cannot be read is empty. */
static int load_sections(struct probe_reader *r)
{
    struct apf_probes *p = r->probes;
    struct apf_error failure;
    size_t n[2] = {0, 0};
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < p->sections.n; i++) {
        struct probe_section *s = &p->sections.data[i];
        r->several[s->has_descs] = n[s->has_descs]++ > 0;
        if (elf_file_contents(p->elf, s->index, p->max_bytes, &p->arena, &s->data, &s->n, &failure) != APF_OK)
            code = probe_damage_of_file(r, &failure);
    }
    return code;
}

/* ---- opening ---- */

/* Decodes the sections, those of descriptors first. */
static int read_sections(struct probe_reader *r)
{
    struct apf_probes *p = r->probes;
    int code = APF_OK;
    r->in_descs = true;
    for (size_t i = 0; code == APF_OK && i < p->sections.n; i++)
        if (p->sections.data[i].has_descs) {
            p->info.n_desc_sections++;
            p->info.desc_bytes += p->sections.data[i].n;
            r->source = p->sections.data[i].source;
            code = probe_read_descs(r, &p->sections.data[i]);
        }
    r->in_descs = code != APF_OK;
    for (size_t i = 0; code == APF_OK && i < p->sections.n; i++)
        if (!p->sections.data[i].has_descs) {
            p->info.n_probe_sections++;
            p->info.probe_bytes += p->sections.data[i].n;
            r->source = p->sections.data[i].source;
            code = probe_read_section(r, &p->sections.data[i]);
        }
    return code == APF_OK ? probe_index(p, r->error) : code;
}

static struct probe_reader make_reader(struct apf_probes *p, const struct apf_probe_options *o,
                                       struct apf_error *error)
{
    const struct apf_options *options = o->options;
    struct probe_reader r = {.probes = p, .options = options, .error = error};
    r.keep_going = (o->flags & APF_PROBES_OPEN_KEEP_GOING) != 0;
    r.any_program = (o->flags & APF_PROBES_OPEN_WITHOUT_PROBES) != 0;
    r.max_records = APF_PROBE_NONE; /* which is no index */
    if (options->max_records && options->max_records < r.max_records)
        r.max_records = options->max_records;
    r.max_depth = options->max_depth ? options->max_depth : UINT64_MAX;
    p->max_bytes = options_max_bytes(options);
    return r;
}

static int read_options(struct apf_probe_options *o, struct apf_options *common,
                        const struct apf_probe_options *options, struct apf_error *error)
{
    int code = OPTIONS_READ_BOTH(apf_probe_options, o, options, common, error);
    if (code == APF_OK)
        code = flags_check(o->flags, APF_PROBES_OPEN_KEEP_GOING | APF_PROBES_OPEN_WITHOUT_PROBES,
                           "apf_probe_options.flags", error);
    o->options = common;
    return code;
}

static int finish_open(struct apf_probes **probes, struct apf_probes *p, int code)
{
    if (code == APF_OK)
        *probes = p;
    else
        apf_probes_close(p);
    return code;
}

/* Copies an input in the caller's memory, since names of the model point into the file. */
static int keep_input(struct probe_reader *r, struct apf_input *input)
{
    if (input->path || !input->n)
        return APF_OK;
    void *copy = arena_bytes(&r->probes->arena, input->n);
    if (!copy)
        return error_memory(r->error);
    memcpy(copy, input->data, input->n);
    input->data = copy;
    return APF_OK;
}

static int open_elf(struct probe_reader *r, const struct apf_input *input)
{
    struct apf_probes *p = r->probes;
    struct apf_input kept = input_copy(input);
    int code = keep_input(r, &kept);
    if (code == APF_OK)
        code = elf_file_open_input(&p->elf, &kept, p->max_bytes, r->error);
    if (code != APF_OK)
        return code;
    const struct elf_facts *facts = elf_file_facts(p->elf);
    p->info.elf_bits = facts->bits;
    p->info.elf_machine = facts->machine;
    p->info.big_endian = facts->big_endian;
    p->info.relocatable = facts->relocatable;
    p->info.file_bytes = elf_file_size(p->elf);
    p->swap = facts->big_endian != (bool)HOST_BIG_ENDIAN;
    code = find_sections(r);
    if (code == APF_OK)
        code = load_sections(r);
    if (code == APF_OK)
        code = probe_read_symbols(r);
    return code == APF_OK ? read_sections(r) : code;
}

int apf_probes_open(struct apf_probes **probes, const struct apf_input *input,
                    const struct apf_probe_options *options, struct apf_error *error)
{
    struct apf_probe_options o;
    struct apf_options common;
    *probes = NULL;
    int code = read_options(&o, &common, options, error);
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code != APF_OK)
        return code;
    struct apf_probes *p = calloc(1, sizeof *p);
    if (!p)
        return error_memory(error);
    struct probe_reader r = make_reader(p, &o, error);
    r.source = file_name(input);
    code = finish_open(probes, p, open_elf(&r, input));
    return file_error(error, code, input, 0);
}

static int add_file(struct probe_reader *r, struct file_bytes *file, const struct apf_input *input,
                    bool descs)
{
    if (!input)
        return APF_OK;
    struct apf_input kept = input_copy(input);
    int code = keep_input(r, &kept);
    if (code == APF_OK) /* a GUID may look like the magic of gzip: nothing is unpacked */
        code = file_read_packed(file, &kept, r->probes->max_bytes, r->error);
    if (code != APF_OK)
        return code;
    struct probe_section s = {
        .data = file->data, .n = file->n, .has_descs = descs, .source = file_name(input)};
    s.index = (uint32_t)r->probes->sections.n;
    r->probes->info.file_bytes += file->n;
    return VEC_PUSH(&r->probes->sections, s) ? APF_OK : error_memory(r->error);
}

int apf_probes_open_sections(struct apf_probes **probes, const struct apf_input *probe,
                             const struct apf_input *desc, const struct apf_probe_options *options,
                             struct apf_error *error)
{
    struct apf_probe_options o;
    struct apf_options common;
    *probes = NULL;
    int code = read_options(&o, &common, options, error);
    if (code == APF_OK && probe)
        code = inputs_check(probe, 1, error);
    if (code == APF_OK && desc)
        code = inputs_check(desc, 1, error);
    if (code != APF_OK)
        return code;
    struct apf_probes *p = calloc(1, sizeof *p);
    if (!p)
        return error_memory(error);
    struct probe_reader r = make_reader(p, &o, error);
    p->info.big_endian = o.big_endian != 0;
    p->swap = (o.big_endian != 0) != (bool)HOST_BIG_ENDIAN;
    code = add_file(&r, &p->files[0], probe, false);
    bool of_desc = code == APF_OK;
    if (code == APF_OK)
        code = add_file(&r, &p->files[1], desc, true);
    if (code == APF_OK) {
        code = read_sections(&r);
        of_desc = r.in_descs;
    }
    if (code != APF_OK && (of_desc ? desc : probe))
        file_error(error, code, of_desc ? desc : probe, of_desc);
    return finish_open(probes, p, code);
}

void apf_probes_close(struct apf_probes *p)
{
    if (!p)
        return;
    elf_file_close(p->elf);
    file_bytes_free(&p->files[0]);
    file_bytes_free(&p->files[1]);
    arena_free(&p->arena);
    VEC_FREE(&p->sections);
    VEC_FREE(&p->descs);
    VEC_FREE(&p->nodes);
    VEC_FREE(&p->probes);
    VEC_FREE(&p->symbols);
    VEC_FREE(&p->sentinels);
    VEC_FREE(&p->paddings);
    VEC_FREE(&p->damages);
    hash_index_free(&p->desc_index);
    hash_index_free(&p->symbol_index);
    free(p);
}
