/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_program.h"

#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/text_bytes.h"
#include "perf/perf_files.h"

/* ---- the file ---- */

static int add_segment(void *user, const struct elf_segment *segment)
{
    struct perf_program *p = user;
    return !segment->executable || VEC_PUSH(&p->text, *segment) ? 0 : APF_NO_MEMORY;
}

static bool index_segments(struct perf_program *p)
{
    for (size_t i = 0; i < p->text.n; i++) {
        const struct elf_segment *s = &p->text.data[i];
        uint64_t end = s->size < UINT64_MAX - s->offset ? s->offset + s->size : UINT64_MAX;
        if (!span_map_add(&p->offsets, s->offset, end, (uint32_t)i))
            return false;
    }
    return span_map_finish_first(&p->offsets);
}

int perf_program_open(struct perf_program *p, const struct elf_file *elf, const char *path,
                      struct apf_error *error)
{
    struct apf_str id = elf_file_build_id(elf);
    *p = (struct perf_program){.name = text_last_part((struct apf_str){path, strlen(path)})};
    p->build_id = perf_build_id_make(id.p, id.n);
    int code = elf_file_segments(elf, add_segment, p, error);
    if (code == APF_OK && !index_segments(p))
        code = APF_NO_MEMORY;
    return code == APF_NO_MEMORY ? error_memory(error) : code;
}

void perf_program_close(struct perf_program *p)
{
    VEC_FREE(&p->text);
    span_map_free(&p->offsets);
}

/* ---- which file it is in a recording ---- */

/* The name of a mapped file, without what the kernel appends when another file has taken its place, as a new build that
 * is installed while the old one runs. */
static struct apf_str name_of_file(struct apf_str path)
{
    static const char deleted[] = " (deleted)";
    const size_t n = sizeof deleted - 1;
    if (path.n > n && memcmp(path.p + path.n - n, deleted, n) == 0)
        path.n -= n;
    return text_last_part(path);
}

enum perf_match perf_program_match(const struct perf_program *p, struct apf_str path,
                                   const struct perf_build_id *id)
{
    const bool compared = id->n && p->build_id.n;
    bool named = p->kernel
                     ? text_is(perf_files_path(path), PERF_KERNEL_PATH)
                     : text_equal(text_last_part(path), p->name) || text_equal(name_of_file(path), p->name);
    if (compared && perf_build_id_equal(id, &p->build_id))
        return PERF_SAME_BUILD;
    return !named ? PERF_OTHER_FILE : compared ? PERF_OTHER_BUILD : PERF_SAME_NAME;
}

int perf_program_refuse(const struct perf_program *p, const struct perf_build_id *recorded, const char *hint,
                        struct apf_error *error)
{
    char ours[PERF_BUILD_ID_TEXT], other[PERF_BUILD_ID_TEXT];
    perf_build_id_print(&p->build_id, ours);
    perf_build_id_print(recorded, other);
    return error_plain(error, APF_NOT_RECORDED, "perf.build_id", "its build id is %s, but %s was recorded%s",
                       ours, other, hint);
}

void perf_names_add(char *names, size_t room, struct apf_str path)
{
    const struct apf_str name = text_last_part(path);
    size_t used = strlen(names);
    bool is_file = name.n && name.p[0] != '[' && !memchr(name.p, '\0', name.n) &&
                   (path.n < 2 || memcmp(path.p, "//", 2) != 0);
    if (!is_file || used + name.n + 3 > room)
        return;
    for (const char *at = names; *at;) {
        const char *end = strchr(at, ',');
        size_t n = end ? (size_t)(end - at) : strlen(at);
        if (n == name.n && memcmp(at, name.p, n) == 0)
            return;
        at += n + (end ? 2 : 0);
    }
    if (used) {
        memcpy(names + used, ", ", 2);
        used += 2;
    }
    memcpy(names + used, name.p, name.n);
    names[used + name.n] = '\0';
}

/* ---- where it is in a process ---- */

/* The number of bytes of the file that a segment and a part of the file have in common. */
static uint64_t count_shared(const struct elf_segment *s, uint64_t offset, uint64_t size)
{
    const uint64_t first = s->offset > offset ? s->offset : offset;
    const uint64_t in_segment = first - s->offset < s->size ? s->size - (first - s->offset) : 0;
    const uint64_t in_part = first - offset < size ? size - (first - offset) : 0;
    return in_segment < in_part ? in_segment : in_part;
}

/* The segment of code that a mapping of a part of the file is of; NULL: none. Mappings are of whole pages, of 64 KiB on
 * some machines: they begin before their segment, and may also have the end of the one before. */
static const struct elf_segment *find_segment(const struct perf_program *p, uint64_t offset, uint64_t size)
{
    const struct elf_segment *found = NULL;
    uint64_t most = 0;
    size_t n;
    SEARCH(n, 0, p->offsets.steps.n, p->offsets.steps.data[n].address <= offset);
    /* what is at the offset, a gap after it, and what follows */
    for (size_t i = n ? n - 1 : 0; i < p->offsets.steps.n && i < n + 2; i++) {
        const uint32_t item = p->offsets.steps.data[i].item;
        const struct elf_segment *s = item == SPAN_MAP_NONE ? NULL : &p->text.data[item];
        const uint64_t shared = s ? count_shared(s, offset, size) : 0;
        found = shared > most ? s : found;
        most = shared > most ? shared : most;
    }
    return found;
}

bool perf_program_place(const struct perf_program *p, uint64_t start, uint64_t end, uint64_t offset,
                        uint64_t *bias)
{
    const struct elf_segment *s = find_segment(p, offset, end - start);
    if (s)
        *bias = start - offset + s->offset - s->address;
    return s != NULL;
}
