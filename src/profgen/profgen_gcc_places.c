/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_gcc_places.h"

#include <string.h>

#include "base/error.h"

void profgen_gcc_places_open(struct profgen_gcc_places *t, const struct profgen_program *p,
                             const struct profgen_gcc_functions *functions,
                             const struct sample_release *release, struct sample_names *names)
{
    *t =
        (struct profgen_gcc_places){.program = p, .functions = functions, .release = release, .names = names};
}

void profgen_gcc_places_close(struct profgen_gcc_places *t)
{
    VEC_FREE(&t->inlinings);
    VEC_FREE(&t->texts);
    VEC_FREE(&t->numbers);
    hash_index_free(&t->index);
    hash_index_free(&t->name_index);
}

/* ---- discriminators ---- */

/* GCC packs three numbers into a discriminator from release 16 on; see struct sample_release. */
#define SOURCE_BITS 8u
#define COPIES_BITS 7u
#define SOURCE_MASK ((1u << SOURCE_BITS) - 1)
#define COPIES_MASK (((1u << COPIES_BITS) - 1) << SOURCE_BITS)

/* The discriminator of the source: the one that the compiler knows when it reads the profile. */
static uint32_t source_number(const struct sample_release *r, uint32_t d)
{
    return r->packs_discriminators ? d & SOURCE_MASK : r->knows & SAMPLE_HAS_DISCRIMINATORS ? d : 0;
}

/* The same with the number of the copy. */
static uint32_t copy_number(const struct sample_release *r, uint32_t d)
{
    return r->packs_discriminators ? d & ~COPIES_MASK : source_number(r, d);
}

static uint32_t copies_of(const struct sample_release *r, uint32_t d)
{
    uint32_t n = r->packs_discriminators ? (d & COPIES_MASK) >> SOURCE_BITS : 1;
    return n ? n : 1;
}

uint64_t profgen_gcc_place_plain(const struct sample_release *release, uint64_t at)
{
    return sample_place(sample_place_line(at), source_number(release, sample_place_discriminator(at)));
}

/* ---- inlined functions ---- */

static int find_inlining(struct profgen_gcc_places *t, const struct profgen_gcc_inlining *f, uint32_t *number,
                         struct apf_error *error)
{
    const struct profgen_gcc_inlining *list;
    if (!hash_index_reserve(&t->index, 1) || !VEC_RESERVE(&t->inlinings, 1))
        return hash_index_error(&t->index, error);
    list = t->inlinings.data;
    uint64_t hash = hash_index_mix(&t->index, f->at, (uint64_t)f->caller << 32 | f->name);
    HASH_INDEX_FIND(*number, &t->index, hash,
                    list[*number].at == f->at && list[*number].caller == f->caller &&
                        list[*number].name == f->name);
    if (*number != HASH_INDEX_NONE)
        return APF_OK;
    *number = (uint32_t)t->inlinings.n;
    t->inlinings.data[t->inlinings.n++] = *f;
    hash_index_add(&t->index, hash, *number);
    return APF_OK;
}

int profgen_gcc_places_top(struct profgen_gcc_places *t, uint32_t part, uint32_t *inlining,
                           struct apf_error *error)
{
    const struct profgen_gcc_inlining f = {0, SAMPLE_NONE, part};
    return find_inlining(t, &f, inlining, error);
}

/* The name of a frame's function; texts of debug information are the same where their addresses are. */
static int find_name(struct profgen_gcc_places *t, const struct source_frame *frame, uint32_t *name,
                     struct apf_error *error)
{
    const struct apf_str text = {frame->function, strlen(frame->function)};
    const struct source_frame *known;
    uint32_t i, file;
    if (!hash_index_reserve(&t->name_index, 1) || !VEC_RESERVE(&t->texts, 1) || !VEC_RESERVE(&t->numbers, 1))
        return hash_index_error(&t->name_index, error);
    known = t->texts.data;
    uint64_t hash = hash_index_mix(&t->name_index, (uint64_t)(uintptr_t)frame->function,
                                   frame->first_table << 32 | frame->first_file);
    HASH_INDEX_FIND(i, &t->name_index, hash,
                    known[i].function == frame->function && known[i].first_table == frame->first_table &&
                        known[i].first_file == frame->first_file);
    if (i != HASH_INDEX_NONE) {
        *name = t->numbers.data[i];
        return APF_OK;
    }
    int code = profgen_gcc_file(t->names, t->release, t->program->lines, frame, &file, error);
    if (code == APF_OK)
        code = profgen_gcc_name(t->names, t->release, text, file, name, error);
    if (code == APF_OK) {
        hash_index_add(&t->name_index, hash, (uint32_t)t->texts.n);
        t->texts.data[t->texts.n++] = *frame;
        t->numbers.data[t->numbers.n++] = *name;
    }
    return code;
}

/* ---- places ---- */

static uint64_t place_of(const struct source_frame *frame, uint32_t discriminator)
{
    return sample_place((frame->line - profgen_gcc_first_line(frame)) & SAMPLE_MAX_LINE, discriminator);
}

/* Whether all lines are known: of a call from an unknown line GCC finds nothing. */
static bool are_known(const struct source_frame *frames, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!frames[i].function || !frames[i].line || !profgen_gcc_first_line(&frames[i]))
            return false;
    return n != 0;
}

int profgen_gcc_places_find(struct profgen_gcc_places *t, uint64_t address, struct profgen_gcc_place *place,
                            struct apf_error *error)
{
    const struct profgen_gcc_part *part = profgen_gcc_part_at(t->functions, address);
    const struct source_frame *frames;
    size_t n;
    uint32_t inlining = SAMPLE_NONE;
    *place = (struct profgen_gcc_place){.inlining = SAMPLE_NONE, .copies = 1};
    if (!part)
        return APF_OK;
    int code = source_lines_at(t->program->lines, address, &frames, &n, error);
    if (code != APF_OK || !are_known(frames, n))
        return code;
    code = profgen_gcc_places_top(t, (uint32_t)(part - t->functions->parts.data), &inlining, error);
    for (size_t i = n; code == APF_OK && i-- > 1;) {
        struct profgen_gcc_inlining f = {place_of(&frames[i], frames[i].discriminator), inlining, 0};
        code = find_name(t, &frames[i - 1], &f.name, error);
        if (code == APF_OK)
            code = find_inlining(t, &f, &inlining, error);
    }
    place->inlining = inlining;
    place->at = place_of(&frames[0], copy_number(t->release, frames[0].discriminator));
    place->copies = copies_of(t->release, frames[0].discriminator);
    place->statement = frames[0].statement;
    return code;
}
