/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds a partial profile to a merge: all of it is read first, so that one with an error adds nothing. The sums of a
 * file may then wait in it, so that memory does not grow with them. */
#include "sample/merge/sample_merge_partial.h"

#include <string.h>

#include "base/error.h"
#include "inputs/partial_rosters.h"
#include "sample/partial/sample_partial_profiles.h"
#include "sample/partial/sample_partial_streams.h"

_Static_assert(SAMPLE_PARTIAL_CLASSES == SAMPLE_CLASS_COUNT + 1, "the last one is of hollow inputs");

/* A partial profile that was read. */
struct load {
    struct apf_sample_merge *merge;
    struct partial_reader file;
    struct arena arena;    /* of what stays */
    struct arena *passing; /* of what only commit needs */
    size_t given;          /* number of the input, or of its first slice */
    struct sample_partial_whole whole;
    struct partial_rosters rosters;
    VEC(struct sample_partial_input) inputs;
    bool waits; /* the sums are not kept */
    struct sample_partial_sums sums;
    struct partial_sums_facts facts; /* of sums that are not kept */
};

/* ---- reading ---- */

static int check_input(const struct load *l, const struct sample_partial_input *input,
                       struct apf_error *error)
{
    if (input->class >= SAMPLE_CLASS_COUNT)
        return partial_wrong(&l->file, "partial.class", "the class is not known", error);
    return input->roster == ROSTER_NONE || input->roster < l->rosters.n
               ? APF_OK
               : partial_wrong(&l->file, "partial.input", "its roster is not there", error);
}

static int read_inputs(struct load *l, struct apf_error *error)
{
    const struct arena_mark mark = arena_mark(&l->arena);
    struct sample_partial_input input;
    bool more = true;
    int code = APF_OK;
    while (code == APF_OK && more) {
        code = sample_partial_read_input(&l->file, &l->arena, &input, &more, error);
        if (code == APF_OK && more)
            code = check_input(l, &input, error);
        if (code == APF_OK && more && !VEC_PUSH(&l->inputs, input))
            code = error_memory(error);
    }
    if (code == APF_OK && (l->inputs.n == 0 || l->inputs.n >= UINT32_MAX))
        code = partial_wrong(&l->file, "partial.input", "it has no inputs, or too many", error);
    if (l->file.slice.number) /* those of slice 0 are kept */
        arena_rewind(&l->arena, mark);
    return code;
}

/* What the inputs were read as cannot be changed afterwards. */
static int check_whole(const struct load *l, struct apf_error *error)
{
    const struct sample_read_options *read = &l->merge->read;
    bool fs = false;
    for (unsigned c = 0; c < SAMPLE_CLASS_COUNT; c++)
        fs |= l->facts.flags[c] & APF_SAMPLE_FS;
    if (read->fs && !l->whole.fs)
        return error_plain(error, APF_UNSUPPORTED, "partial.whole",
                           "its inputs were not read with flow-sensitive discriminators");
    if (fs && read->discriminator && read->discriminator != l->whole.discriminator)
        return error_plain(error, APF_UNSUPPORTED, "partial.whole",
                           "the discriminators of its inputs were read for another pass");
    return APF_OK;
}

/* Reads the sums, and keeps them unless they wait. */
static int read_sums(struct load *l, struct apf_error *error)
{
    const struct sample_read_options *limits = &l->merge->read;
    if (l->waits)
        return partial_sums_check(&l->file, limits, l->inputs.n, &l->facts, error);
    int code = sample_partial_read_sums(&l->file, limits, l->inputs.n, &l->sums, error);
    for (unsigned c = 0; c < SAMPLE_PARTIAL_CLASSES; c++) {
        l->facts.flags[c] = l->sums.profiles[c] ? l->sums.profiles[c]->info.flags : 0;
        l->facts.weights[c] = l->sums.weights[c];
    }
    return code;
}

static int load_file(struct load *l, const struct apf_input *input, struct apf_error *error)
{
    int code = partial_open(&l->file, input, PARTIAL_SAMPLE, l->merge->read.max_bytes, error);
    if (code == APF_OK)
        code = partial_take_slice(&l->file.slice, &l->merge->options.slice, &l->given, error);
    if (code == APF_OK)
        code = sample_partial_read_whole(&l->file, &l->whole, error);
    if (code == APF_OK)
        code = partial_read_rosters(&l->file, l->passing, &l->rosters, error);
    if (code == APF_OK)
        code = read_inputs(l, error);
    if (code == APF_OK)
        code = read_sums(l, error);
    if (code == APF_OK)
        code = partial_end(&l->file, error);
    return code == APF_OK ? check_whole(l, error) : code;
}

/* What commit needs, in the arena of the load. NULL: an allocation failed. */
static struct sample_merge_partial *waiting(struct load *l)
{
    struct sample_merge_partial *p = arena_zeros(&l->arena, 1, sizeof *p);
    if (!p)
        return NULL;
    p->n_inputs = l->inputs.n;
    p->rosters = l->rosters;
    p->slice = l->file.slice;
    if (p->slice.number)
        return p;
    p->inputs = arena_array(&l->arena, p->n_inputs, sizeof *p->inputs);
    p->kept = arena_array(&l->arena, p->n_inputs, sizeof *p->kept);
    if (!p->inputs || !p->kept)
        return NULL;
    memcpy(p->inputs, l->inputs.data, p->n_inputs * sizeof *p->inputs);
    for (size_t i = 0; i < p->n_inputs; i++)
        p->kept[i] = p->inputs[i].kept;
    for (unsigned c = 0; c < SAMPLE_CLASS_COUNT; c++)
        p->weights[c] = l->facts.weights[c];
    return p;
}

static void free_load(struct load *l, bool stays)
{
    struct apf_sample_merge *m = l->merge;
    partial_reader_close(&l->file);
    sample_partial_sums_free(&l->sums);
    VEC_FREE(&l->inputs);
    if (stays) {
        pthread_mutex_lock(&m->partials_lock);
        arena_splice(&m->partials, &l->arena);
        pthread_mutex_unlock(&m->partials_lock);
    }
    arena_free(&l->arena);
}

/* Adds the sums that were kept. */
static int add_sums(struct load *l, struct apf_error *error)
{
    struct apf_sample_merge *m = l->merge;
    for (unsigned c = 0; c < SAMPLE_PARTIAL_CLASSES; c++) {
        struct apf_sample *s = l->sums.profiles[c];
        if (!s)
            continue;
        s->input = input_member(l->given, 0);
        if (m->options.flags & APF_SAMPLE_MERGE_NO_SYMBOLS) {
            s->symbols.n = 0;
            s->has_symbols = false;
        }
    }
    return sample_sums_join(&m->sums, &l->sums.names, l->sums.profiles, error);
}

/* Loads a file. A hash may be that of a name in another file, with which it becomes one name: then the order of the
 * sums depends on others, and they cannot wait. */
static int load_whole(struct load *l, const struct inputs_source *source, struct apf_error *error)
{
    const struct load begin = *l;
    int code = load_file(l, &source->input, error);
    if (code != APF_OK || !l->waits || !l->facts.has_hashes)
        return code;
    free_load(l, false);
    *l = begin;
    l->waits = false;
    return load_file(l, &source->input, error);
}

int sample_merge_add_partial(struct apf_sample_merge *m, const struct inputs_source *source, bool waits,
                             struct arena *passing, struct sample_merge_partial **partial, bool *decided,
                             struct apf_error *error)
{
    struct load l = {.merge = m, .given = source->given, .waits = waits, .passing = passing};
    int code = load_whole(&l, source, error);
    *partial = NULL;
    *decided = true;
    if (code == APF_OK && !(*partial = waiting(&l)))
        code = error_memory(error);
    const bool good = code == APF_OK;
    if (good && l.waits) {
        struct inputs_source to_keep = *source;
        to_keep.given = l.given;
        to_keep.n_inputs = l.inputs.n;
        code = inputs_source_copy(&(*partial)->source, &to_keep, &l.arena) ? APF_OK : error_memory(error);
    } else if (good) {
        code = add_sums(&l, error);
        *decided = code == APF_OK;
    }
    *decided &=
        code == APF_OK || l.file.slice.n <= 1; /* a slice is not an input by itself, which may be lost */
    free_load(&l, good);
    return code;
}

static int load_source(struct apf_sample_merge *m, const struct inputs_source *source,
                       struct apf_error *error)
{
    struct load l = {.merge = m, .given = source->given};
    int code =
        inputs_source_open(&l.file, source, PARTIAL_SAMPLE, PARTIAL_SAMPLE_FILES, m->read.max_bytes, error);
    if (code == APF_OK)
        code = sample_partial_read_sums(&l.file, &m->read, source->n_inputs, &l.sums, error);
    if (code == APF_OK)
        code = inputs_source_end(&l.file, error);
    if (code == APF_OK)
        code = add_sums(&l, error);
    free_load(&l, false);
    return inputs_source_error(source, code, error);
}

int sample_merge_load_sources(struct apf_sample_merge *m, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->sources.list.n; i++)
        code = load_source(m, &m->sources.list.data[i], error);
    m->kept.broken |= code != APF_OK;
    inputs_sources_clear(&m->sources);
    return code;
}
