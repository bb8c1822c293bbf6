/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is in files: each is read, described and dropped. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text_bytes.h"
#include "jobs/file_detect.h"
#include "jobs/info.h"

bool info_add_number(struct info_reader *r, const char *name, uint64_t n)
{
    struct apf_file_number number = {name, n};
    return VEC_PUSH(&r->numbers, number);
}

bool info_add_part(struct info_reader *r, const char *name, uint64_t offset, uint64_t size, uint64_t profile)
{
    struct apf_file_part part = {name, offset, size, profile};
    return VEC_PUSH(&r->parts, part);
}

/* ---- one file ---- */

/* What could not be unpacked: why. */
static int unpack_error(struct info_reader *r, struct apf_error *error)
{
    int code = file_unpack(&r->bytes, options_max_bytes(r->options), error);
    if (code != APF_OK)
        return code;
    return error_plain(error, APF_DECOMPRESS_FAILED, "file", "a compressed file in a compressed file");
}

static int look(struct info_reader *r, struct apf_error *error)
{
    switch (r->facts->file.kind) {
    case APF_KIND_INSTR_RAW:
    case APF_KIND_INSTR_INDEXED:
    case APF_KIND_MEMPROF_YAML:
        return info_read_profile(r, error);
    case APF_KIND_INSTR_JSON:
        return info_read_json(r, error);
    case APF_KIND_INSTR_TEXT:
        return info_read_text(r, error);
    case APF_KIND_ELF:
        return info_read_elf(r, error);
    case APF_KIND_PERF_DATA:
        return info_read_perf(r, error);
    case APF_KIND_PERF_SCRIPT:
        return info_read_script(r, error);
    case APF_KIND_BAT_SECTION:
        return info_read_bat(r, error);
    case APF_KIND_MEMPROF_RAW:
        return info_read_memprof(r, error);
    case APF_KIND_GZIP:
    case APF_KIND_ZSTD:
        return unpack_error(r, error);
    case APF_KIND_UNKNOWN:
        return error_plain(error, APF_UNRECOGNIZED_FORMAT, "file", "nothing that anyprof knows");
    default: /* of the rest only the name of the kind is known */
        return APF_OK;
    }
}

/* Moves what was gathered to the arena. False: memory is out. */
static bool keep(struct info_reader *r)
{
    struct arena *arena = &r->info->arena;
    struct apf_file_part *parts = arena_array(arena, r->parts.n, sizeof *parts);
    struct apf_file_number *numbers = arena_array(arena, r->numbers.n, sizeof *numbers);
    if (!parts || !numbers)
        return false;
    if (r->parts.n)
        memcpy(parts, r->parts.data, r->parts.n * sizeof *parts);
    if (r->numbers.n)
        memcpy(numbers, r->numbers.data, r->numbers.n * sizeof *numbers);
    r->facts->parts = parts;
    r->facts->n_parts = r->parts.n;
    r->facts->numbers = numbers;
    r->facts->n_numbers = r->numbers.n;
    return true;
}

static int keep_error(struct info_reader *r, const struct apf_error *failure, struct apf_error *error)
{
    struct apf_error *copy = arena_alloc(&r->info->arena, sizeof *copy);
    if (!copy)
        return error_memory(error);
    *copy = *failure;
    r->facts->error = copy;
    r->info->n_unreadable++;
    return APF_OK;
}

/* No release unpacks a file. */
static void refuse_packed(struct apf_file_facts *f)
{
    if (!f->file.compression || info_build_of(f) == INFO_BUILD_NONE)
        return;
    f->readers = 0;
    f->refusal = "LLVM reads no compressed files";
}

static int read_file(struct info_reader *r, const struct apf_input *input, struct apf_error *error)
{
    struct apf_error failure;
    struct apf_str name = file_name(input);
    r->facts->path.n = name.n;
    r->facts->path.p = arena_text(&r->info->arena, name.p, name.n);
    r->facts->memprof_version = UINT64_MAX;
    r->parts.n = r->numbers.n = 0;
    if (!r->facts->path.p)
        return error_memory(error);
    int code = file_detect(&r->facts->file, &r->bytes, input, options_max_bytes(r->options), &failure);
    if (code == APF_OK) {
        r->facts->unpacked_size = r->bytes.n;
        code = look(r, &failure);
    }
    r->info->n_bytes += r->facts->file.size;
    if (code == APF_NO_MEMORY)
        return error_memory(error);
    if (code != APF_OK)
        return keep_error(r, &failure, error);
    refuse_packed(r->facts);
    return keep(r) ? APF_OK : error_memory(error);
}

/* ---- the calls ---- */

static int read_all(struct info_reader *r, const struct apf_input *inputs, size_t n, struct apf_error *error)
{
    int code = APF_OK;
    if (!VEC_RESERVE(&r->info->files, n))
        return error_memory(error);
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        struct apf_file_facts empty = {.version = 0};
        r->info->files.data[r->info->files.n++] = empty;
        r->facts = &r->info->files.data[i];
        code = read_file(r, &inputs[i], error);
        if (code == APF_OK && !info_group_add(r->info, i))
            code = error_memory(error);
    }
    return code == APF_OK && !info_groups_link(r->info) ? error_memory(error) : code;
}

int apf_info_read(struct apf_info **info, const struct apf_input *inputs, size_t n,
                  const struct apf_options *options, struct apf_error *error)
{
    struct apf_options o = options_copy(options);
    struct info_reader r = {.info = calloc(1, sizeof(struct apf_info)), .options = &o};
    *info = NULL;
    o.diag = NULL; /* what is odd is in the facts */
    if (!r.info)
        return error_memory(error);
    int code = read_all(&r, inputs, n, error);
    file_bytes_free(&r.bytes);
    VEC_FREE(&r.parts);
    VEC_FREE(&r.numbers);
    if (code == APF_OK)
        *info = r.info;
    else
        apf_info_free(r.info);
    return code;
}

void apf_info_free(struct apf_info *info)
{
    if (!info)
        return;
    VEC_FREE(&info->files);
    VEC_FREE(&info->group_of);
    VEC_FREE(&info->groups);
    VEC_FREE(&info->programs);
    hash_index_free(&info->by_build);
    arena_free(&info->arena);
    free(info);
}

const struct apf_file_facts *apf_info_file(const struct apf_info *info, size_t i)
{
    return i < info->files.n ? &info->files.data[i] : NULL;
}

size_t apf_info_unreadable(const struct apf_info *info)
{
    return info->n_unreadable;
}

size_t apf_info_group(const struct apf_info *info, size_t i)
{
    return i < info->files.n ? info->group_of.data[i] : SIZE_MAX;
}

size_t apf_info_program(const struct apf_info *info, size_t group, size_t k)
{
    if (group >= info->groups.n || k >= info->groups.data[group].n_programs)
        return SIZE_MAX;
    return info->programs.data[info->groups.data[group].programs + k];
}
