/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/profgen_memory.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/probe.h>
#include <anyprof/sample_write.h>

#include "../../../fuzz/profgen_programs.h"

/* ---- programs ---- */

struct apf_input pm_probed(void)
{
    return apf_input_memory(probed_program, sizeof probed_program, "/x/mini");
}

struct apf_input pm_lined(void)
{
    return apf_input_memory(lined_program, sizeof lined_program, "/x/lines");
}

/* Appends the program header, which eb_build does not make. */
static void add_segment(struct eb_bytes *b, const struct pm_program *p)
{
    const uint64_t page = p->address & ~(uint64_t)0xfff, skip = p->address - page;
    const Elf64_Phdr segment = {PT_LOAD,          PF_R | PF_X,      0,     page, page,
                                skip + p->n_code, skip + p->n_code, 0x1000};
    Elf64_Ehdr head;
    uint8_t *data = realloc(b->data, b->n + sizeof segment);
    assert_non_null(data);
    b->data = data;
    memcpy(&head, b->data, sizeof head);
    head.e_phoff = b->n;
    head.e_phentsize = sizeof segment;
    head.e_phnum = 1;
    memcpy(b->data, &head, sizeof head);
    memcpy(b->data + b->n, &segment, sizeof segment);
    b->n += sizeof segment;
}

struct eb_bytes pm_build(const struct pm_program *p)
{
    const struct eb_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, p->address, 0, 0, 0, p->code, p->n_code},
        {".pseudo_probe_desc", SHT_PROGBITS, 0, 0, 0, 0, 0, p->descs, p->n_descs},
        {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, p->probes, p->n_probes}};
    const struct eb_file file = {64,         false,       ET_EXEC, EM_X86_64, sections, p->probes ? 3 : 1,
                                 p->symbols, p->n_symbols};
    struct eb_bytes bytes = eb_build(&file);
    add_segment(&bytes, p);
    return bytes;
}

size_t pm_describe(uint8_t *to, const char *name, uint64_t hash)
{
    struct apf_str text = {name, strlen(name)};
    assert_true(text.n < 128);
    eb_store(to, apf_probe_guid(text), 8, false);
    eb_store(to + 8, hash, 8, false);
    to[16] = (uint8_t)text.n;
    memcpy(to + 17, name, text.n);
    return 17 + text.n;
}

/* ---- profiles ---- */

static char *text_of(struct apf_buffer *b)
{
    char *text = malloc(b->n + 1);
    assert_non_null(text);
    if (b->n)
        memcpy(text, b->data, b->n);
    text[b->n] = 0;
    apf_buffer_free(b);
    return text;
}

static int write_raw(struct apf_profgen *g, struct apf_buffer *b, struct apf_error *error)
{
    struct apf_output output = apf_output_buffer(b);
    return apf_profgen_write_raw(g, &output, error);
}

static int write_profile(struct apf_profgen *g, struct apf_buffer *b, struct apf_error *error)
{
    struct apf_sample_write_options o = {.size = sizeof o, .format = APF_SAMPLE_TEXT};
    struct apf_sample_write_result result = {.size = sizeof result};
    struct apf_output output = apf_output_buffer(b);
    struct apf_sample *s;
    int code = apf_profgen_make(g, &s, error);
    if (code == APF_OK)
        code = apf_sample_write(s, &o, &output, &result, error);
    apf_sample_close(s);
    return code;
}

static void run(struct pm_made *m, const struct apf_input *program, enum apf_profgen_input kind,
                const struct apf_input *input, const struct apf_profgen_options *options, bool profile)
{
    struct apf_buffer raw = {NULL, 0, 0}, text = {NULL, 0, 0};
    struct apf_profgen *g;
    memset(m, 0, sizeof *m);
    m->code = apf_profgen_open(&g, program, options, &m->error);
    if (m->code == APF_OK)
        m->code = apf_profgen_read(g, kind, input, 1, &m->error);
    if (m->code == APF_OK)
        m->code = write_raw(g, &raw, &m->error);
    if (m->code == APF_OK && profile)
        m->code = write_profile(g, &text, &m->error);
    if (g)
        m->funnel = *apf_profgen_funnel(g);
    apf_profgen_close(g);
    m->raw = text_of(&raw);
    m->profile = text_of(&text);
}

void pm_make(struct pm_made *m, const struct apf_input *program, enum apf_profgen_input kind,
             const char *text, const struct apf_profgen_options *options)
{
    struct apf_input input = apf_input_memory(text, strlen(text), "text");
    run(m, program, kind, &input, options, true);
}

void pm_count(struct pm_made *m, const struct apf_input *program, enum apf_profgen_input kind,
              const char *text, const struct apf_profgen_options *options)
{
    struct apf_input input = apf_input_memory(text, strlen(text), "text");
    run(m, program, kind, &input, options, false);
}

void pm_free(struct pm_made *m)
{
    free(m->raw);
    free(m->profile);
}

void pm_check(const struct apf_input *program, enum apf_profgen_input kind, const char *text,
              const struct apf_profgen_options *options, const char *profile)
{
    struct pm_made m;
    pm_make(&m, program, kind, text, options);
    if (m.code != APF_OK)
        fail_msg("%s", m.error.message);
    assert_string_equal(m.profile, profile);
    pm_free(&m);
}

void pm_check_raw(const struct apf_input *program, enum apf_profgen_input kind, const char *text,
                  const struct apf_profgen_options *options, const char *raw)
{
    struct pm_made m;
    pm_count(&m, program, kind, text, options);
    if (m.code != APF_OK)
        fail_msg("%s", m.error.message);
    assert_string_equal(m.raw, raw);
    pm_free(&m);
}
