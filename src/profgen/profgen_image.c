/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_image.h"

#include <elf.h>

#include "base/error.h"
#include "base/search.h"

static int add_loaded(void *user, const struct elf_segment *segment)
{
    struct profgen_image *image = user;
    if (!image->first_loaded)
        image->first_loaded = segment->address & ~(PROFGEN_PAGE - 1);
    return 0;
}

static bool add_pages(struct profgen_image *image)
{
    uint64_t highest = 0;
    for (size_t i = 0; i < image->program.text.n; i++) {
        const uint64_t page = image->program.text.data[i].offset & ~(PROFGEN_PAGE - 1);
        highest = page > highest ? page : highest;
        if (!VEC_PUSH(&image->pages, highest))
            return false;
    }
    return true;
}

const struct elf_segment *profgen_image_below(const struct profgen_image *image, uint64_t offset)
{
    size_t n;
    SEARCH(n, 0, image->pages.n, image->pages.data[n] <= offset);
    return n ? &image->program.text.data[n - 1] : NULL;
}

struct code_sections {
    bool any, stored;
};

static int add_code_section(void *user, const struct elf_section *section)
{
    struct code_sections *found = user;
    found->any |= section->flags & SHF_EXECINSTR && section->flags & SHF_ALLOC;
    found->stored |= elf_has_code(section);
    return 0;
}

/* Files of debug information alone name the sections of the program, without their bytes. */
static int check_code(const struct profgen_image *image, struct apf_error *error)
{
    struct code_sections found = {false, false};
    int code = elf_file_sections(image->elf, add_code_section, &found);
    if (code != APF_OK || !found.any || found.stored)
        return code;
    return error_plain(error, APF_UNSUPPORTED, "profgen.program",
                       "the file has debug information, but not the code: it is not the program that ran");
}

int profgen_image_open(struct profgen_image *image, const struct apf_input *input, uint64_t max_bytes,
                       struct apf_error *error)
{
    *image = (struct profgen_image){.path = input->path ? input->path : input->name ? input->name : ""};
    int code = elf_file_open_input(&image->elf, input, max_bytes, error);
    if (code == APF_OK)
        code = perf_program_open(&image->program, image->elf, image->path, error);
    if (code == APF_OK)
        code = elf_file_segments(image->elf, add_loaded, image, error);
    if (code == APF_OK && image->program.text.n == 0)
        return error_plain(error, APF_BAD_ELF, "profgen.program", "no executable segment found");
    if (code == APF_OK)
        code = check_code(image, error);
    if (code == APF_OK && !add_pages(image))
        return error_memory(error);
    if (code == APF_OK)
        image->base = image->program.text.data[0].address & ~(PROFGEN_PAGE - 1);
    return code;
}

void profgen_image_close(struct profgen_image *image)
{
    elf_file_close(image->elf);
    perf_program_close(&image->program);
    VEC_FREE(&image->pages);
}
