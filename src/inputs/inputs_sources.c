/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/inputs_sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

bool inputs_source_is(const struct apf_input *input, enum partial_kind kind, uint64_t *size)
{
    struct file_identity identity;
    char head[PARTIAL_HEADER_BYTES];
    *size = input->n;
    if (!input->path)
        return partial_is_of(input->data, input->n, kind);
    if (strcmp(input->path, "-") == 0 || file_look(&identity, input->path, true) != 0 || !identity.regular)
        return false;
    *size = identity.size;
    return file_peek(input->path, head, sizeof head) == sizeof head &&
           partial_is_of((const uint8_t *)head, sizeof head, kind);
}

int inputs_sources_keep(struct inputs_sources *s, const struct inputs_source *source, struct apf_error *error)
{
    return source->input.size == 0 || VEC_PUSH(&s->list, *source) ? APF_OK : error_memory(error);
}

bool inputs_source_copy(struct inputs_source *to, const struct inputs_source *from, struct arena *arena)
{
    const char *path = from->input.path, *name = from->input.name;
    *to = *from;
    to->input.path = path ? arena_text(arena, path, strlen(path)) : NULL;
    to->input.name = name ? arena_text(arena, name, strlen(name)) : NULL;
    return !path == !to->input.path && !name == !to->input.name;
}

int inputs_source_open(struct partial_reader *file, const struct inputs_source *source,
                       enum partial_kind kind, uint8_t section, uint64_t max_bytes, struct apf_error *error)
{
    struct file_identity identity;
    const int failed = source->input.path ? file_look(&identity, source->input.path, true) : 0;
    if (failed)
        return error_errno(error, failed, "file.open");
    if (source->input.path && !file_identity_same(&identity, &source->identity))
        return error_plain(error, APF_IO, "partial.file", "it has changed since it was read");
    int code = partial_open(file, &source->input, kind, max_bytes, error);
    return code == APF_OK ? partial_skip(file, section, error) : code;
}

int inputs_source_end(struct partial_reader *file, struct apf_error *error)
{
    int code = partial_skip(file, PARTIAL_LAST_SECTION, error);
    return code == APF_OK ? partial_end(file, error) : code;
}

int inputs_source_error(const struct inputs_source *source, int code, struct apf_error *error)
{
    const struct apf_str name = file_name(&source->input);
    return error_file(error, code, name.p, name.n);
}
