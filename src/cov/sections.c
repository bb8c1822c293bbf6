/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/sections.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file_magic.h"
#include "cov/section_readers.h"
#include "object/elf_file.h"

/* ---- ELF ---- */

struct elf_reader {
    struct section_reader *r;
    struct elf_file *elf;
};

static int take_elf_section(void *user, const struct elf_section *section)
{
    const struct elf_reader *e = (const struct elf_reader *)user;
    const struct apf_str name = {section->name, strlen(section->name)};
    struct section_bytes bytes = {NULL, 0};
    if (!section_is_taken(name))
        return APF_OK;
    const int code = elf_file_bytes(e->elf, section->index, &bytes.p, &bytes.n, e->r->error);
    return code == APF_OK ? section_take(e->r, name, bytes, section->address) : code;
}

/* Reads an opened file, which then belongs to `f`. */
static int read_elf(struct cov_file *f, struct section_reader *r, struct elf_file *elf)
{
    const struct elf_facts *facts = elf_file_facts(elf);
    struct elf_reader e = {r, elf};
    if (!VEC_PUSH(&f->elves, elf)) {
        elf_file_close(elf);
        return error_memory(r->error);
    }
    r->sections->long_pointers = facts->bits == 64;
    r->sections->swap = facts->big_endian != HOST_BIG_ENDIAN;
    return elf_file_sections(elf, take_elf_section, &e);
}

/* ---- files ---- */

/* Keeps an object that has coverage. */
static int keep(struct cov_file *f, struct section_reader *r)
{
    sections_finish(r);
    f->n_members++;
    if (!r->sections->covmap.p || !r->sections->names.n) {
        VEC_FREE(&r->sections->covfun);
        return APF_OK;
    }
    return VEC_PUSH(&f->objects, *r->sections) ? APF_OK : error_memory(r->error);
}

/* Reads an image in memory; *known: it is an object. */
static int read_image(struct cov_file *f, const uint8_t *p, size_t n, bool *known, struct apf_error *error)
{
    struct cov_sections sections = {.swap = false};
    struct section_reader r = {.sections = &sections, .most_functions = n, .error = error};
    struct elf_file *elf;
    int code = APF_OK;
    *known = true;
    if (elf_begins(p, n)) {
        code = elf_file_open(&elf, p, n, error);
        if (code == APF_OK)
            code = read_elf(f, &r, elf);
    } else if (macho_is(p, n)) {
        code = macho_read(&r, p, n);
    } else if (coff_is(p, n)) {
        code = coff_read(&r, p, n);
    } else if (covtest_is(p, n)) {
        code = covtest_read(&r, p, n);
    } else {
        *known = false;
        return APF_OK;
    }
    if (code == APF_OK)
        code = keep(f, &r);
    if (code != APF_OK)
        VEC_FREE(&sections.covfun);
    return code;
}

struct container {
    struct cov_file *f;
    const char *architecture; /* or NULL */
    unsigned n_images;        /* of a universal file, that were read */
    uint64_t max_bytes;
    struct apf_error *error;
};

/* Reads the file of a member of a thin archive into the arena. The archive says which: only regular files, all of them
 * together as large as one input may be. */
static int read_thin(struct container *c, const struct container_entry *entry, struct section_bytes *bytes)
{
    const struct apf_input input = apf_input_file(entry->path);
    uint64_t size = 0;
    size_t got = 0;
    int fd;
    int code = file_open_regular(&input, &fd, c->error);
    if (code != APF_OK || fd < 0)
        return code != APF_OK ? code
                              : error_plain(c->error, APF_BAD_COVERAGE, "archive.member",
                                            "a member of the thin archive is no regular file");
    code = file_size_regular(fd, c->max_bytes, &size, c->error);
    uint8_t *copy = code == APF_OK ? arena_bytes(&c->f->arena, (size_t)size + 1) : NULL;
    if (code == APF_OK)
        code = copy ? file_read_at(fd, 0, copy, (size_t)size, &got, c->error) : error_memory(c->error);
    c->max_bytes -= code == APF_OK ? size : 0;
    file_close_regular(fd);
    *bytes = (struct section_bytes){copy, got};
    return code;
}

static int read_entry(void *user, const struct container_entry *entry)
{
    struct container *c = (struct container *)user;
    struct section_bytes bytes = {entry->p, entry->n};
    bool known;
    int code = entry->path ? read_thin(c, entry, &bytes) : APF_OK;
    return code == APF_OK ? read_image(c->f, bytes.p, bytes.n, &known, c->error) : code;
}

static int read_slice(void *user, const struct container_entry *entry)
{
    struct container *c = (struct container *)user;
    if (c->architecture && !macho_is_for(entry->cpu, entry->cpu_kind, c->architecture))
        return APF_OK;
    if (c->n_images++)
        return error_subject(c->error,
                             error_plain(c->error, APF_ARGUMENT, "universal.image",
                                         "it has images for several architectures: one has to be chosen"),
                             APF_SUBJECT_OPTION);
    return archive_is(entry->p, entry->n) ? archive_walk(entry->p, entry->n, NULL, read_entry, c, c->error)
                                          : read_entry(c, entry);
}

/* Reads the image of a universal file that is for the architecture. */
static int read_universal(struct container *c, const uint8_t *p, size_t n)
{
    int code = universal_walk(p, n, read_slice, c, c->error);
    if (code == APF_OK && !c->n_images)
        code = error_plain(c->error, APF_ARGUMENT, "universal.image", "it has no image for the architecture");
    return code;
}

static int read_whole(struct cov_file *f, const struct apf_input *input, const char *architecture,
                      uint64_t max_bytes, struct apf_error *error)
{
    struct container c = {f, architecture, 0, max_bytes, error};
    bool known = true;
    int code = file_read(&f->bytes, input, max_bytes, error);
    const uint8_t *p = f->bytes.data;
    const size_t n = f->bytes.n;
    if (code != APF_OK)
        return code;
    if (archive_is(p, n))
        return archive_walk(p, n, input->path, read_entry, &c, error);
    if (universal_is(p, n))
        return read_universal(&c, p, n);
    code = read_image(f, p, n, &known, error);
    return code == APF_OK && !known ? error_plain(error, APF_BAD_ELF, "object.header",
                                                  "it is no program, library, object or archive")
                                    : code;
}

int cov_file_open(struct cov_file *f, const struct apf_input *input, const char *architecture,
                  uint64_t max_bytes, struct apf_error *error)
{
    struct cov_sections sections = {.swap = false};
    struct section_reader r = {.sections = &sections, .error = error};
    struct elf_file *elf;
    uint8_t head[8];
    size_t got = 0;
    *f = (struct cov_file){.n_members = 0};
    const struct apf_str name = file_name(input);
    f->name = (struct apf_str){arena_text(&f->arena, name.p, name.n), name.n};
    if (!f->name.p)
        return error_memory(error);
    if (!input->path || !file_read_head(input, head, sizeof head, &got) || !elf_begins(head, got))
        return read_whole(f, input, architecture, max_bytes, error);
    int code = elf_file_open_input(&elf, input, max_bytes, error); /* only the sections that are needed */
    if (code == APF_OK)
        code = read_elf(f, &r, elf);
    if (code == APF_OK)
        code = keep(f, &r);
    if (code != APF_OK)
        VEC_FREE(&sections.covfun);
    return code;
}

void cov_file_close(struct cov_file *f)
{
    for (size_t i = 0; i < f->objects.n; i++)
        VEC_FREE(&f->objects.data[i].covfun);
    VEC_FREE(&f->objects);
    for (size_t i = 0; i < f->elves.n; i++)
        elf_file_close(f->elves.data[i]);
    VEC_FREE(&f->elves);
    file_bytes_free(&f->bytes);
    arena_free(&f->arena);
}
