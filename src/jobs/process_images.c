/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "jobs/process_images.h"

#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"

#define MOST_IMAGES 64u /* of a process that runs the program again and again */

/* ---- the program ---- */

static struct apf_str last_part(struct apf_str path)
{
    for (size_t i = path.n; i > 0; i--)
        if (path.p[i - 1] == '/')
            return (struct apf_str){path.p + i, path.n - i};
    return path;
}

static int keep_segment(void *user, const struct elf_segment *segment)
{
    struct process_images *p = user;
    return !segment->executable || VEC_PUSH(&p->segments, *segment) ? 0 : APF_NO_MEMORY;
}

int process_images_open(struct process_images *p, const struct elf_file *elf, const char *name,
                        bool ignore_build_id, struct apf_error *error)
{
    const struct elf_facts *facts = elf_file_facts(elf);
    struct apf_str id = elf_file_build_id(elf), path = {name, strlen(name)};
    *p = (struct process_images){.last = NO_PROCESS, .name = last_part(path)};
    p->movable = elf_file_is_movable(elf);
    p->x86 = facts->machine == EM_X86_64 || facts->machine == EM_386;
    p->ignore_build_id = ignore_build_id;
    for (size_t i = 0; i < id.n && i < (sizeof p->build_id - 1) / 2; i++) {
        p->build_id[2 * i] = "0123456789abcdef"[(uint8_t)id.p[i] >> 4];
        p->build_id[2 * i + 1] = "0123456789abcdef"[id.p[i] & 15];
    }
    int code = elf_file_segments(elf, keep_segment, p, error);
    return code == APF_NO_MEMORY ? error_memory(error) : code;
}

void process_images_close(struct process_images *p)
{
    VEC_FREE(&p->list);
    VEC_FREE(&p->images);
    VEC_FREE(&p->events);
    VEC_FREE(&p->segments);
    hash_index_free(&p->index);
    arena_free(&p->arena);
}

/* ---- build ids ---- */

/* perf pads the ids of a recording with zeros; one may also be longer than ours. */
static bool is_build_id(const struct process_images *p, struct apf_str id)
{
    size_t n = strlen(p->build_id);
    return id.n >= n && memcmp(id.p, p->build_id, n) == 0;
}

/* A line of "ID FILE". */
static int take_id(struct process_images *p, struct apf_str line, bool *matched, bool *unknown)
{
    const char *blank = memchr(line.p, ' ', line.n);
    struct apf_str id = {line.p, blank ? (size_t)(blank - line.p) : line.n};
    struct apf_str file = {line.p + id.n, line.n - id.n};
    *unknown = *unknown || id.n == 0;
    if (id.n == 0 || !is_build_id(p, id))
        return APF_OK;
    file = last_part(file);
    if (file.n && file.p[0] == ' ')
        file = (struct apf_str){file.p + 1, file.n - 1};
    *matched = true;
    if (text_equal(file, p->name) || p->other.n)
        return APF_OK;
    p->other.p = arena_text(&p->arena, file.p, file.n);
    p->other.n = p->other.p ? file.n : 0;
    return p->other.p ? APF_OK : APF_NO_MEMORY;
}

int process_images_take_ids(struct process_images *p, const struct apf_input *ids, uint64_t max_bytes,
                            bool *matched, struct apf_error *error)
{
    struct file_lines l;
    bool unknown = false;
    uint64_t n = 0;
    *matched = !p->build_id[0] || p->ignore_build_id;
    int code = file_lines_open(&l, ids, max_bytes, error);
    while (code == APF_OK && (code = file_lines_next(&l, error)) == APF_OK) {
        struct apf_str line = {l.line, l.n};
        n++;
        if (p->build_id[0])
            code = take_id(p, line, matched, &unknown);
    }
    file_lines_close(&l);
    if (code == APF_NO_MEMORY)
        return error_memory(error);
    if (code != APF_END)
        return code;
    if (*matched || unknown || n == 0)
        return APF_OK;
    return error_plain(
        error, APF_NOT_RECORDED, "perf.build_id",
        "no file in the recording has the build id %s; --ignore-build-id takes it for the program "
        "all the same",
        p->build_id);
}

/* ---- processes ---- */

uint32_t process_images_find(struct process_images *p, uint32_t pid)
{
    if (p->last != NO_PROCESS && p->list.data[p->last].pid == pid)
        return p->last;
    if (!hash_index_reserve(&p->index, 1))
        return NO_PROCESS;
    uint64_t hash = hash_index_mix(&p->index, pid, 0);
    size_t pos = hash_index_first(&p->index, hash);
    for (uint32_t i; (i = hash_index_next(&p->index, hash, &pos)) != HASH_INDEX_NONE;)
        if (p->list.data[i].pid == pid)
            return p->last = i;
    struct process process = {
        .pid = pid, .images = {NO_PROCESS, NO_PROCESS}, .source = NO_PROCESS, .stack_of_32 = UINT32_MAX};
    if (p->list.n >= NO_PROCESS - 1 || !VEC_PUSH(&p->list, process))
        return NO_PROCESS;
    p->last = (uint32_t)(p->list.n - 1);
    hash_index_add(&p->index, hash, p->last);
    return p->last;
}

bool process_images_is_certain(const struct process_images *p, uint32_t process)
{
    return p->list.data[process].images[0] != NO_PROCESS;
}

/* ---- mappings ---- */

static uint64_t align_down(uint64_t v, uint64_t alignment)
{
    return alignment > 1 ? v - v % alignment : v;
}

/* What the program is moved by where a mapping of its file begins at an address. False: it does not fit. */
static bool find_base(const struct process_images *p, const struct perf_record *m, uint64_t *base)
{
    *base = 0;
    for (size_t i = 0; i < p->segments.n; i++) {
        const struct elf_segment *s = &p->segments.data[i];
        if (!p->movable && m->start <= s->address && s->address - m->start < s->alignment)
            return true;
        if (p->movable && align_down(s->offset, s->alignment) == align_down(m->offset, s->alignment)) {
            *base = m->start - (s->address - s->offset + m->offset);
            return true;
        }
    }
    return false;
}

static int add_image(struct process_images *p, uint32_t process, unsigned which, struct process_image image,
                     struct apf_error *error)
{
    struct process *owner = &p->list.data[process];
    for (uint32_t i = owner->images[which]; i != NO_PROCESS; i = p->images.data[i].next) {
        struct process_image *known = &p->images.data[i];
        if (known->base != image.base)
            continue;
        known->start = image.start < known->start ? image.start : known->start;
        known->end = image.end > known->end ? image.end : known->end;
        return APF_OK;
    }
    if (owner->n_images == MOST_IMAGES) {
        p->n_ignored++;
        return APF_OK;
    }
    image.next = owner->images[which];
    if (p->images.n >= NO_PROCESS || !VEC_PUSH(&p->images, image))
        return error_memory(error);
    owner->images[which] = (uint32_t)(p->images.n - 1);
    owner->n_images++;
    return APF_OK;
}

/* The first names, each once, for who gave the wrong program. */
static void note_name(struct process_images *p, struct apf_str name)
{
    size_t used = strlen(p->names), room = sizeof p->names - used;
    bool file = name.n && name.p[0] != '[' && name.n + 3 < room && !memchr(name.p, '\0', name.n);
    for (const char *at = p->names; file && *at;) {
        const char *end = strchr(at, ',');
        size_t n = end ? (size_t)(end - at) : strlen(at);
        file = n != name.n || memcmp(at, name.p, n) != 0;
        at += n + (end ? 2 : 0);
    }
    if (!file)
        return;
    if (used) {
        memcpy(p->names + used, ", ", 2);
        used += 2;
    }
    memcpy(p->names + used, name.p, name.n);
    p->names[used + name.n] = '\0';
}

static int take_mapping(struct process_images *p, const struct perf_record *m, struct apf_error *error)
{
    struct apf_str name = last_part(m->path);
    bool other = p->other.n && text_equal(name, p->other), mine = text_equal(name, p->name);
    struct process_image image = {m->start, m->start + m->size, 0, NO_PROCESS};
    if (!m->executable || m->pid == PERF_NO_PID)
        return APF_OK;
    p->n_all++;
    if (!mine && !other) {
        if (m->path.n < 2 || memcmp(m->path.p, "//", 2) != 0)
            note_name(p, name);
        return APF_OK;
    }
    bool another = m->build_id.n && p->build_id[0] && !p->ignore_build_id && !is_build_id(p, m->build_id);
    p->n_mappings++;
    if (another || m->size == 0 || image.end < image.start || !find_base(p, m, &image.base)) {
        p->n_ignored++;
        return APF_OK;
    }
    uint32_t process = process_images_find(p, m->pid);
    return process == NO_PROCESS ? error_memory(error) : add_image(p, process, mine ? 0 : 1, image, error);
}

int process_images_take(struct process_images *p, const struct perf_record *r, struct apf_error *error)
{
    struct process_event event = {NO_PROCESS, NO_PROCESS};
    if (r->kind == PERF_MAPPING)
        return take_mapping(p, r, error);
    if (r->kind == PERF_FORK && (r->untimed || r->pid == r->parent))
        return APF_OK;
    if (r->kind == PERF_FORK && (event.parent = process_images_find(p, r->parent)) == NO_PROCESS)
        return error_memory(error);
    event.process = process_images_find(p, r->pid);
    return event.process != NO_PROCESS && VEC_PUSH(&p->events, event) ? APF_OK : error_memory(error);
}

/* ---- the end ---- */

static int nowhere(const struct process_images *p, struct apf_error *error)
{
    const char *where = "perf.mapping";
    if (p->n_all == 0)
        return error_plain(error, APF_NOT_RECORDED, where,
                           "no mapping of any file is in the text; print it with --show-mmap-events");
    if (p->n_mappings)
        return error_plain(
            error, APF_NOT_RECORDED, where,
            "files of its name were mapped, but not where this program can be, or of another build");
    return error_plain(error, APF_NOT_RECORDED, where, "no file %.*s was mapped; among those that were: %s",
                       (int)(p->name.n < 60 ? p->name.n : 60), p->name.p, p->names[0] ? p->names : "none");
}

/* As perf2bolt does: mappings first, whenever they were made, then forks and programs in their order. */
static void inherit(struct process_images *p)
{
    for (size_t i = 0; i < p->events.n; i++) {
        struct process *child = &p->list.data[p->events.data[i].process];
        uint32_t parent = p->events.data[i].parent;
        if (parent == NO_PROCESS && child->forked) {
            child->source = NO_PROCESS;
            child->forked = false;
        } else if (parent != NO_PROCESS && child->source == NO_PROCESS &&
                   p->list.data[parent].source != NO_PROCESS) {
            child->source = p->list.data[parent].source;
            child->forked = true;
        }
    }
}

int process_images_settle(struct process_images *p, uint32_t pid, struct apf_error *error)
{
    bool any[2] = {false, false}, wanted = pid == 0;
    for (size_t i = 0; i < p->list.n; i++)
        for (unsigned k = 0; k < 2; k++)
            any[k] = any[k] || p->list.data[i].images[k] != NO_PROCESS;
    p->use = any[0] ? 0 : 1;
    if (!any[p->use])
        return nowhere(p, error);
    for (size_t i = 0; i < p->list.n; i++) {
        struct process *process = &p->list.data[i];
        process->source = process->images[p->use] != NO_PROCESS ? (uint32_t)i : NO_PROCESS;
    }
    inherit(p);
    for (size_t i = 0; i < p->list.n; i++) {
        struct process *process = &p->list.data[i];
        wanted = wanted || (process->source != NO_PROCESS && process->pid == pid);
    }
    if (!wanted)
        return error_plain(error, APF_NOT_RECORDED, "perf.pid", "the program was not in the process %lu",
                           (unsigned long)pid);
    for (size_t i = 0; pid && i < p->list.n; i++)
        if (p->list.data[i].pid != pid)
            p->list.data[i].source = NO_PROCESS;
    return APF_OK;
}

uint64_t process_images_address(const struct process_images *p, uint32_t process, uint64_t address)
{
    if (!p->movable)
        return address;
    uint32_t source = p->list.data[process].source;
    for (uint32_t i = p->list.data[source].images[p->use]; i != NO_PROCESS; i = p->images.data[i].next) {
        const struct process_image *image = &p->images.data[i];
        if (address >= image->start && address < image->end)
            return address - image->base;
    }
    return UINT64_MAX;
}
