/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/gcc/sample_gcc_read.h"

#include <string.h>

#include "base/error.h"
#include "sample/gcc/gcc_parse.h"

/* The words at the start of a file. */
struct header {
    bool swap; /* the file is in the other byte order than the host's */
    uint32_t word, unused, tag;
};

/* Reads the words that are there; false: the file does not begin with the magic. */
static bool read_header(struct header *h, const uint8_t *data, size_t n)
{
    if (n < 4)
        return false;
    uint32_t magic = load32(data, false);
    h->swap = magic != GCC_MAGIC;
    if (h->swap && swap32(magic) != GCC_MAGIC)
        return false;
    h->word = n < 8 ? 0 : load32(data + 4, h->swap);
    h->unused = n < 12 ? 0 : load32(data + 8, h->swap);
    h->tag = n < GCC_HEADER ? 0 : load32(data + 12, h->swap);
    return true;
}

bool sample_gcc_begins(const uint8_t *data, size_t n)
{
    struct header h;
    if (!read_header(&h, data, n) || n < 8)
        return false;
    if (h.tag == GCC_TAG_NAMES || h.tag == GCC_TAG_SUMMARY)
        return true;
    /* The words of other versions are text in .gcda files, and so is 704 in those of GCC 4.7. */
    return h.word != 0 && h.word <= GCC_MAX_SMALL_WORD && h.unused == 0;
}

const struct gcc_layout *sample_gcc_layout(const uint8_t *data, size_t n, const char *variant, bool *swap)
{
    struct header h;
    size_t n_rows = 0;
    if (n < GCC_HEADER || !variant || !read_header(&h, data, n))
        return NULL;
    *swap = h.swap;
    const struct gcc_layout *rows = gcc_layout_candidates(h.word, h.tag == GCC_TAG_SUMMARY, &n_rows);
    for (size_t i = 0; i < n_rows; i++)
        if (strcmp(rows[i].variant, variant) == 0)
            return &rows[i];
    return NULL;
}

/* Whether a file is better understood as `a` than as `b`. Strings that are damaged say little about their lengths, so
 * how far the names came does not count. */
static bool is_better(const struct gcc_parsed *a, int code_a, const struct gcc_parsed *b, int code_b)
{
    if ((code_a == APF_OK) != (code_b == APF_OK))
        return code_a == APF_OK;
    if (a->clean != b->clean)
        return a->clean;
    if (a->progress.n_functions != b->progress.n_functions)
        return a->progress.n_functions > b->progress.n_functions;
    return a->has_names && (!b->has_names || a->reached > b->reached);
}

/* Finds out which of several layouts a file has: that in which it is right or, if it is damaged, in which most of it
 * is. */
static int choose_layout(const struct gcc_layout **chosen, const struct gcc_layout *candidates,
                         size_t n_candidates, const uint8_t *data, size_t n, bool swap,
                         const struct sample_read_options *o, struct apf_error *error)
{
    struct gcc_parsed best = {.reached = 0};
    int best_code = APF_OK;
    for (size_t i = 0; i < n_candidates; i++) {
        struct gcc_parsed parsed;
        int code = gcc_parse(NULL, data, n, swap, &candidates[i], o, &parsed, error);
        if (code == APF_NO_MEMORY)
            return code;
        if (i != 0 && !is_better(&parsed, code, &best, best_code))
            continue;
        *chosen = &candidates[i];
        best = parsed;
        best_code = code;
    }
    return APF_OK;
}

static int read_layout(struct apf_sample *s, const uint8_t *data, size_t n, bool swap,
                       const struct gcc_layout *layout, const struct sample_read_options *o,
                       struct gcc_parsed *parsed, struct apf_error *error)
{
    s->info.format = APF_SAMPLE_GCC;
    s->info.version = layout->version;
    s->info.layout = layout->variant;
    s->info.big_endian = swap != HOST_BIG_ENDIAN;
    s->findings[SAMPLE_FINDING_MISLABELLED] = (layout->caps & GCC_CAP_MISLABELLED) != 0;
    return gcc_parse(s, data, n, swap, layout, o, parsed, error);
}

/* Reads the file in the first layout, which it mostly has, and otherwise in the one that fits best. */
static int read_any(struct apf_sample *s, const uint8_t *data, size_t n, bool swap,
                    const struct gcc_layout *candidates, size_t n_candidates,
                    const struct sample_read_options *o, struct gcc_parsed *parsed, struct apf_error *error)
{
    const struct gcc_layout *layout = candidates;
    int code = APF_OK;
    if (n_candidates == 1 || !o->max_functions)
        code = read_layout(s, data, n, swap, layout, o, parsed, error);
    if (n_candidates == 1 || code == APF_NO_MEMORY || (code == APF_OK && parsed->clean && !o->max_functions))
        return code;
    struct apf_error ignored;
    int chosen = choose_layout(&layout, candidates, n_candidates, data, n, swap, o, &ignored);
    if (chosen != APF_OK)
        return error_memory(error);
    if (layout == candidates && !o->max_functions)
        return code;
    sample_reset(s);
    return read_layout(s, data, n, swap, layout, o, parsed, error);
}

int sample_gcc_read(struct apf_sample *s, const uint8_t *data, size_t n, const struct sample_read_options *o,
                    struct apf_error *error)
{
    struct header h;
    struct gcc_parsed parsed = {.reached = 0};
    size_t n_candidates;
    if (!read_header(&h, data, n))
        return error_mismatch(error, APF_SAMPLE_BAD_MAGIC, "sample.gcc.magic", 0,
                              n < 4 ? n : load32(data, false), GCC_MAGIC, NULL);
    if (n < GCC_HEADER)
        return error_out_of_bounds(error, APF_SAMPLE_TRUNCATED, "sample.gcc.header", n, n, GCC_HEADER, NULL);
    const struct gcc_layout *candidates =
        gcc_layout_candidates(h.word, h.tag == GCC_TAG_SUMMARY, &n_candidates);
    if (!candidates)
        return error_out_of_bounds(error, APF_SAMPLE_VERSION, "sample.gcc.version", 4, h.word,
                                   gcc_layout_newest(), NULL);
    int code = read_any(s, data, n, h.swap, candidates, n_candidates, o, &parsed, error);
    if (code != APF_OK && o->progress)
        *o->progress = parsed.progress;
    if (code == APF_OK)
        code = sample_seal(s, error);
    return code == APF_OK ? sample_complete(s, error) : code;
}
