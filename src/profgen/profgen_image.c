/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_image.h"

#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"

static int add_segment(void *user, const struct elf_segment *segment)
{
    struct profgen_image *image = user;
    if (!image->first_loaded)
        image->first_loaded = segment->address & ~(PROFGEN_PAGE - 1);
    return !segment->executable || VEC_PUSH(&image->text, *segment) ? 0 : APF_NO_MEMORY;
}

int profgen_image_open(struct profgen_image *image, const struct apf_input *input, uint64_t max_bytes,
                       struct apf_error *error)
{
    *image = (struct profgen_image){.path = input->path ? input->path : input->name ? input->name : ""};
    image->name = text_last_part((struct apf_str){image->path, strlen(image->path)});
    int code = elf_file_open_input(&image->elf, input, max_bytes, error);
    if (code != APF_OK)
        return code;
    code = elf_file_segments(image->elf, add_segment, image, error);
    if (code == APF_NO_MEMORY)
        return error_memory(error);
    if (code == APF_OK && image->text.n == 0)
        return error_plain(error, APF_BAD_ELF, "profgen.program", "no executable segment found");
    if (code == APF_OK)
        image->base = image->text.data[0].address & ~(PROFGEN_PAGE - 1);
    return code;
}

void profgen_image_close(struct profgen_image *image)
{
    elf_file_close(image->elf);
    VEC_FREE(&image->text);
}
