/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds a partial profile to a merge: all of it is read first, so that one with an error adds nothing. */
#include "sample/merge/sample_merge_partial.h"

#include <string.h>

#include "base/error.h"
#include "inputs/partial_rosters.h"
#include "sample/partial/sample_partial_profiles.h"

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
    struct sample_partial_sums sums;
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
        fs |= l->sums.profiles[c] && l->sums.profiles[c]->info.flags & APF_SAMPLE_FS;
    if (read->fs && !l->whole.fs)
        return error_plain(error, APF_UNSUPPORTED, "partial.whole",
                           "its inputs were not read with flow-sensitive discriminators");
    if (fs && read->discriminator && read->discriminator != l->whole.discriminator)
        return error_plain(error, APF_UNSUPPORTED, "partial.whole",
                           "the discriminators of its inputs were read for another pass");
    return APF_OK;
}

static int load_file(struct load *l, const struct apf_input *input, struct apf_error *error)
{
    int code = partial_open(&l->file, input, l->merge->read.max_bytes, error);
    if (code == APF_OK && l->file.kind != PARTIAL_SAMPLE)
        code = error_plain(error, APF_UNRECOGNIZED_FORMAT, "partial.kind",
                           "it is a partial instrumentation profile");
    if (code == APF_OK)
        code = partial_take_slice(&l->file.slice, &l->merge->options.slice, &l->given, error);
    if (code == APF_OK)
        code = sample_partial_read_whole(&l->file, &l->whole, error);
    if (code == APF_OK)
        code = partial_read_rosters(&l->file, l->passing, &l->rosters, error);
    if (code == APF_OK)
        code = read_inputs(l, error);
    if (code == APF_OK)
        code = sample_partial_read_sums(&l->file, &l->merge->read, l->inputs.n, &l->sums, error);
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
        p->weights[c] = l->sums.weights[c];
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

int sample_merge_add_partial(struct apf_sample_merge *m, const struct apf_input *input, size_t given,
                             struct arena *passing, struct sample_merge_partial **partial, bool *decided,
                             struct apf_error *error)
{
    struct load l = {.merge = m, .given = given, .passing = passing};
    int code = load_file(&l, input, error);
    *partial = NULL;
    *decided = true;
    if (code == APF_OK && !(*partial = waiting(&l)))
        code = error_memory(error);
    const bool good = code == APF_OK;
    if (good) {
        for (unsigned c = 0; c < SAMPLE_PARTIAL_CLASSES; c++) {
            struct apf_sample *s = l.sums.profiles[c];
            if (!s)
                continue;
            s->input = input_member(l.given, 0);
            if (m->options.flags & APF_SAMPLE_MERGE_NO_SYMBOLS) {
                s->symbols.n = 0;
                s->has_symbols = false;
            }
        }
        code = sample_sums_join(&m->sums, &l.sums.names, l.sums.profiles, error);
        *decided = code == APF_OK;
    }
    *decided &=
        code == APF_OK || l.file.slice.n <= 1; /* a slice is not an input by itself, which may be lost */
    free_load(&l, good);
    return code;
}
