/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/process_map.h"

#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"

#define MOST_IMAGES 64u /* images of a process that runs the program again and again */

int process_map_open(struct process_map *map, const struct elf_file *elf, const char *name,
                     bool ignore_build_id, struct apf_error *error)
{
    *map = (struct process_map){.last = NO_PROCESS};
    map->movable = elf_file_is_movable(elf);
    map->ignore_build_id = ignore_build_id;
    return perf_program_open(&map->program, elf, name, error);
}

void process_map_close(struct process_map *map)
{
    VEC_FREE(&map->list);
    VEC_FREE(&map->images);
    VEC_FREE(&map->events);
    perf_program_close(&map->program);
    hash_index_free(&map->index);
    arena_free(&map->arena);
}

/* ---- build ids ---- */

static bool compares_ids(const struct process_map *map)
{
    return map->program.build_id.n && !map->ignore_build_id;
}

/* The program was recorded under this name. */
static int add_other(struct process_map *map, struct apf_str name, struct apf_error *error)
{
    map->build_id_found = true;
    if (text_equal(name, map->program.name) || map->other.n)
        return APF_OK;
    map->other.p = arena_text(&map->arena, name.p, name.n);
    map->other.n = map->other.p ? name.n : 0;
    return map->other.p ? APF_OK : error_memory(error);
}

static int add_id(struct process_map *map, const struct perf_build_id *id, struct apf_str path,
                  struct apf_error *error)
{
    map->n_build_ids++;
    map->build_id_lacking = map->build_id_lacking || id->n == 0;
    return compares_ids(map) && perf_build_id_equal(id, &map->program.build_id)
               ? add_other(map, text_last_part(path), error)
               : APF_OK;
}

int process_map_read_ids(struct process_map *map, const struct apf_input *ids, uint64_t max_bytes,
                         struct apf_error *error)
{
    struct file_lines l;
    int code = file_lines_open(&l, ids, max_bytes, error);
    while (code == APF_OK && (code = file_lines_next(&l, error)) == APF_OK) {
        const char *blank = memchr(l.line, ' ', l.n);
        size_t n = blank ? (size_t)(blank - l.line) : l.n, skip = blank ? n + 1 : n;
        struct apf_str path = {l.line + skip, l.n - skip};
        struct perf_build_id id;
        if (!perf_build_id_parse(&id, l.line, n))
            id.n = 0;
        code = add_id(map, &id, path, error);
    }
    file_lines_close(&l);
    return code == APF_END ? APF_OK : code;
}

bool process_map_has_id(const struct process_map *map)
{
    return map->build_id_found || !compares_ids(map);
}

int process_map_check_ids(const struct process_map *map, struct apf_error *error)
{
    char text[PERF_BUILD_ID_TEXT];
    if (process_map_has_id(map) || map->build_id_lacking || map->n_build_ids == 0)
        return APF_OK;
    perf_build_id_print(&map->program.build_id, text);
    return error_plain(error, APF_NOT_RECORDED, "perf.build_id",
                       "no file in the recording has the build id %s", text);
}

/* ---- processes ---- */

int process_map_find(struct process_map *map, uint32_t pid, uint32_t *number, struct apf_error *error)
{
    uint32_t i = map->last;
    if (i == NO_PROCESS || map->list.data[i].pid != pid) {
        if (!hash_index_reserve(&map->index, 1))
            return hash_index_error(&map->index, error);
        uint64_t hash = hash_index_mix(&map->index, pid, 0);
        HASH_INDEX_FIND(i, &map->index, hash, map->list.data[i].pid == pid);
        if (i == HASH_INDEX_NONE) {
            struct process process = {.pid = pid, .images = {NO_PROCESS, NO_PROCESS}, .source = NO_PROCESS};
            i = (uint32_t)map->list.n;
            if (!VEC_PUSH(&map->list, process))
                return error_memory(error);
            hash_index_add(&map->index, hash, i);
        }
    }
    *number = map->last = i;
    return APF_OK;
}

bool process_map_is_certain(const struct process_map *map, uint32_t process)
{
    return map->list.data[process].images[0] != NO_PROCESS;
}

/* ---- mappings ---- */

/* Finds the base of the program from a mapping of it. False: it is not where this program can be. */
static bool find_base(const struct process_map *map, const struct perf_record *m, uint64_t *base)
{
    return perf_program_place(&map->program, m->start, m->start + m->size, m->offset, base) &&
           (map->movable || *base == 0);
}

static int add_image(struct process_map *map, uint32_t process, unsigned which, struct process_image image,
                     struct apf_error *error)
{
    struct process *owner = &map->list.data[process];
    for (uint32_t i = owner->images[which]; i != NO_PROCESS; i = map->images.data[i].next) {
        struct process_image *known = &map->images.data[i];
        if (known->base != image.base)
            continue;
        known->start = image.start < known->start ? image.start : known->start;
        known->end = image.end > known->end ? image.end : known->end;
        return APF_OK;
    }
    if (owner->n_images == MOST_IMAGES) {
        map->n_ignored++;
        return APF_OK;
    }
    image.next = owner->images[which];
    if (map->images.n >= NO_PROCESS)
        return error_plain(error, APF_LIMIT, "perf.mapping", "more than 4294967294 mappings of the program");
    if (!VEC_PUSH(&map->images, image))
        return error_memory(error);
    owner->images[which] = (uint32_t)(map->images.n - 1);
    owner->n_images++;
    return APF_OK;
}

static int add_mapping(struct process_map *map, const struct perf_record *m, struct apf_error *error)
{
    struct apf_str name = text_last_part(m->path);
    struct process_image image = {m->start, m->start + m->size, 0, NO_PROCESS};
    bool same_id = perf_build_id_equal(&m->build_id, &map->program.build_id);
    int code = APF_OK;
    if (!m->executable || m->pid == PERF_NO_PID)
        return APF_OK;
    if (m->build_id.n && same_id && compares_ids(map))
        code = add_other(map, name, error);
    if (code != APF_OK)
        return code;
    bool other = map->other.n && text_equal(name, map->other), mine = text_equal(name, map->program.name);
    map->n_all++;
    if (!mine && !other) {
        perf_names_add(map->names, sizeof map->names, m->path);
        return APF_OK;
    }
    bool another = m->build_id.n && compares_ids(map) && !same_id;
    map->n_mappings++;
    if (another || m->size == 0 || image.end < image.start || !find_base(map, m, &image.base)) {
        map->n_ignored++;
        return APF_OK;
    }
    uint32_t process = NO_PROCESS;
    code = process_map_find(map, m->pid, &process, error);
    return code == APF_OK ? add_image(map, process, mine ? 0 : 1, image, error) : code;
}

int process_map_add(struct process_map *map, const struct perf_record *r, struct apf_error *error)
{
    struct process_event event = {NO_PROCESS, NO_PROCESS};
    if (r->kind == PERF_MAPPING)
        return add_mapping(map, r, error);
    if (r->kind == PERF_BUILD_ID)
        return r->mode == APF_PERF_MODE_KERNEL ? APF_OK : add_id(map, &r->build_id, r->path, error);
    if (r->kind == PERF_EXIT)
        return APF_OK;
    if (r->kind == PERF_FORK && (r->untimed || r->pid == r->parent))
        return APF_OK;
    int code = r->kind == PERF_FORK ? process_map_find(map, r->parent, &event.parent, error) : APF_OK;
    if (code == APF_OK)
        code = process_map_find(map, r->pid, &event.process, error);
    return code != APF_OK || VEC_PUSH(&map->events, event) ? code : error_memory(error);
}

/* ---- the end ---- */

static int report_unmapped(const struct process_map *map, struct apf_error *error)
{
    const char *where = "perf.mapping";
    if (map->n_all == 0)
        return error_plain(error, APF_NOT_RECORDED, where,
                           "no mapping of any file is in the samples; perf script prints them with "
                           "--show-mmap-events");
    if (map->n_mappings)
        return error_plain(
            error, APF_NOT_RECORDED, where,
            "files of its name were mapped, but not where this program can be, or of another build");
    return error_plain(error, APF_NOT_RECORDED, where, "no file %.*s was mapped; among those that were: %s",
                       (int)(map->program.name.n < 60 ? map->program.name.n : 60), map->program.name.p,
                       map->names[0] ? map->names : "none");
}

/* Copies images to children. As in perf2bolt, all mappings are applied before forks and execs, which keep their
 * order. */
static void inherit_images(struct process_map *map)
{
    for (size_t i = 0; i < map->events.n; i++) {
        struct process *child = &map->list.data[map->events.data[i].process];
        uint32_t parent = map->events.data[i].parent;
        if (parent == NO_PROCESS && child->forked) {
            child->source = NO_PROCESS;
            child->forked = false;
        } else if (parent != NO_PROCESS && child->source == NO_PROCESS &&
                   map->list.data[parent].source != NO_PROCESS) {
            child->source = map->list.data[parent].source;
            child->forked = true;
        }
    }
}

int process_map_settle(struct process_map *map, uint32_t pid, struct apf_error *error)
{
    bool any[2] = {false, false}, wanted = pid == 0;
    for (size_t i = 0; i < map->list.n; i++)
        for (unsigned k = 0; k < 2; k++)
            any[k] = any[k] || map->list.data[i].images[k] != NO_PROCESS;
    map->use = any[0] ? 0 : 1;
    if (!any[map->use])
        return report_unmapped(map, error);
    for (size_t i = 0; i < map->list.n; i++) {
        struct process *process = &map->list.data[i];
        process->source = process->images[map->use] != NO_PROCESS ? (uint32_t)i : NO_PROCESS;
    }
    inherit_images(map);
    for (size_t i = 0; i < map->list.n; i++) {
        struct process *process = &map->list.data[i];
        wanted = wanted || (process->source != NO_PROCESS && process->pid == pid);
    }
    if (!wanted)
        return error_plain(error, APF_NOT_RECORDED, "perf.pid", "the program was not in the process %lu",
                           (unsigned long)pid);
    for (size_t i = 0; pid && i < map->list.n; i++)
        if (map->list.data[i].pid != pid)
            map->list.data[i].source = NO_PROCESS;
    return APF_OK;
}

uint64_t process_map_address(const struct process_map *map, uint32_t process, uint64_t address)
{
    if (!map->movable)
        return address;
    uint32_t source = map->list.data[process].source;
    for (uint32_t i = map->list.data[source].images[map->use]; i != NO_PROCESS;
         i = map->images.data[i].next) {
        const struct process_image *image = &map->images.data[i];
        if (address >= image->start && address < image->end)
            return address - image->base;
    }
    return UINT64_MAX;
}
