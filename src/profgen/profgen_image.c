/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_image.h"

#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/text_bytes.h"

static int add_segment(void *user, const struct elf_segment *segment)
{
    struct profgen_image *image = user;
    if (!image->first_loaded)
        image->first_loaded = segment->address & ~(PROFGEN_PAGE - 1);
    return !segment->executable || VEC_PUSH(&image->text, *segment) ? 0 : APF_NO_MEMORY;
}

static bool index_segments(struct profgen_image *image)
{
    uint64_t highest = 0;
    for (size_t i = 0; i < image->text.n; i++) {
        const struct elf_segment *s = &image->text.data[i];
        const uint64_t page = s->offset & ~(PROFGEN_PAGE - 1);
        highest = page > highest ? page : highest;
        uint64_t end = s->size < UINT64_MAX - s->offset ? s->offset + s->size : UINT64_MAX;
        if (!VEC_PUSH(&image->pages, highest) || !span_map_add(&image->offsets, s->offset, end, (uint32_t)i))
            return false;
    }
    return span_map_finish_first(&image->offsets);
}

/* The number of bytes of the file that a segment and a part of the file have in common. */
static uint64_t count_shared(const struct elf_segment *s, uint64_t offset, uint64_t size)
{
    const uint64_t first = s->offset > offset ? s->offset : offset;
    const uint64_t in_segment = first - s->offset < s->size ? s->size - (first - s->offset) : 0;
    const uint64_t in_part = first - offset < size ? size - (first - offset) : 0;
    return in_segment < in_part ? in_segment : in_part;
}

const struct elf_segment *profgen_image_segment(const struct profgen_image *image, uint64_t offset,
                                                uint64_t size)
{
    const struct elf_segment *found = NULL;
    uint64_t most = 0;
    size_t n;
    SEARCH(n, 0, image->offsets.steps.n, image->offsets.steps.data[n].address <= offset);
    /* what is at the offset, a gap after it, and what follows */
    for (size_t i = n ? n - 1 : 0; i < image->offsets.steps.n && i < n + 2; i++) {
        const uint32_t item = image->offsets.steps.data[i].item;
        const struct elf_segment *s = item == SPAN_MAP_NONE ? NULL : &image->text.data[item];
        const uint64_t shared = s ? count_shared(s, offset, size) : 0;
        found = shared > most ? s : found;
        most = shared > most ? shared : most;
    }
    return found;
}

const struct elf_segment *profgen_image_below(const struct profgen_image *image, uint64_t offset)
{
    size_t n;
    SEARCH(n, 0, image->pages.n, image->pages.data[n] <= offset);
    return n ? &image->text.data[n - 1] : NULL;
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
    if (code == APF_OK && !index_segments(image))
        return error_memory(error);
    if (code == APF_OK)
        image->base = image->text.data[0].address & ~(PROFGEN_PAGE - 1);
    return code;
}

void profgen_image_close(struct profgen_image *image)
{
    elf_file_close(image->elf);
    VEC_FREE(&image->text);
    VEC_FREE(&image->pages);
    span_map_free(&image->offsets);
}
