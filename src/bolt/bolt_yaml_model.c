/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/bolt_yaml_model.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/text_bytes.h"
#include "base/utf8.h"

#define MOST_FUNCTIONS ((uint64_t)1 << 28)

int apf_bolt_yaml_new(struct apf_bolt_yaml **result, const struct apf_options *options,
                      struct apf_error *error)
{
    static const struct apf_str memory = {"what was made before", 20};
    struct apf_options o;
    *result = NULL;
    int code = common_options_read(&o, options, error);
    if (code != APF_OK)
        return code;
    struct apf_bolt_yaml *y = calloc(1, sizeof *y);
    if (!y)
        return error_memory(error);
    y->options = o;
    if (y->options.max_records == 0 || y->options.max_records > MOST_FUNCTIONS)
        y->options.max_records = MOST_FUNCTIONS;
    if (!VEC_PUSH(&y->files, memory)) {
        apf_bolt_yaml_free(y);
        return error_memory(error);
    }
    *result = y;
    return APF_OK;
}

void apf_bolt_yaml_free(struct apf_bolt_yaml *y)
{
    if (!y)
        return;
    VEC_FREE(&y->functions);
    VEC_FREE(&y->order);
    VEC_FREE(&y->files);
    VEC_FREE(&y->blocks);
    VEC_FREE(&y->sorted);
    hash_index_free(&y->by_name);
    hash_index_free(&y->by_fid);
    text_set_free(&y->header.origins);
    text_set_free(&y->header.events);
    arena_free(&y->arena);
    free(y);
}

const struct apf_bolt_yaml_info *apf_bolt_yaml_info(const struct apf_bolt_yaml *y)
{
    return &y->info;
}

int yaml_usable(const struct apf_bolt_yaml *y, struct apf_error *error)
{
    return y->failed ? error_plain(error, APF_ARGUMENT, "yaml",
                                   "the profile cannot be used after an earlier failure")
                     : APF_OK;
}

bool yaml_keep(struct apf_bolt_yaml *y, struct apf_str *text)
{
    text->p = arena_text(&y->arena, text->n ? text->p : "", text->n);
    return text->p;
}

bool yaml_add_up(struct apf_bolt_yaml *y, uint64_t *sum, uint64_t more)
{
    if (!ADD_OVERFLOWS(*sum, more, sum))
        return true;
    *sum = UINT64_MAX;
    y->info.n_saturated++;
    return false;
}

int yaml_conflict(const struct apf_bolt_yaml *y, const struct yaml_function *function, uint32_t file,
                  const char *where, const char *what, struct apf_error *error)
{
    struct apf_str other = y->files.data[function->file];
    int most_name = function->name.n < 80 ? (int)function->name.n : 80;
    int most = other.n < 4096 ? (int)other.n : 4096;
    if (function->file == file)
        return error_plain(error, APF_YAML_CONFLICT, where, "%.*s: %s", most_name, function->name.p, what);
    return error_plain(error, APF_YAML_CONFLICT, where, "%.*s: %s, in %.*s and in this one", most_name,
                       function->name.p, what, most, other.p);
}

/* ---- functions ---- */

static bool block_before(const void *context, const void *pa, const void *pb)
{
    const struct apf_bolt_yaml_block *a = pa, *b = pb;
    (void)context;
    return a->index < b->index;
}

static bool ascend(const struct apf_bolt_yaml_block *blocks, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (blocks[i].index < blocks[i - 1].index)
            return false;
    return true;
}

/* Whether a text is lines that can be written verbatim: visible characters of ASCII, and blanks. */
static bool are_lines(struct apf_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((s.p[i] < ' ' || s.p[i] > '~') && s.p[i] != '\n')
            return false;
    return true;
}

static const char *block_fault(const struct apf_bolt_yaml_function *f, const struct apf_bolt_yaml_block *b)
{
    if (!are_lines(b->probes))
        return "something other than lines in `probes`";
    if (b->index >= f->n_all_blocks)
        return "a block with a number that is not below nblocks";
    for (size_t i = 0; i < b->n_successors; i++)
        if (b->successors[i].to >= f->n_all_blocks)
            return "a successor with a number that is not below nblocks";
    return NULL;
}

const char *yaml_function_fault(struct apf_bolt_yaml *y, struct apf_bolt_yaml_function *f)
{
    static const char memory[] = "";
    size_t n = f->n_blocks;
    y->blocks.n = y->sorted.n = 0;
    if (f->name.n == 0 || f->name.n > UINT32_MAX || !utf8_valid(f->name))
        return "a name that is empty, too long or not UTF-8";
    if (!are_lines(f->probes))
        return "something other than lines in `probes`";
    if (!VEC_RESERVE(&y->blocks, n))
        return memory;
    if (n)
        memcpy(y->blocks.data, f->blocks, n * sizeof *f->blocks);
    if (!ascend(f->blocks, n)) {
        if (!VEC_RESERVE(&y->sorted, n))
            return memory;
        sort_merge(y->blocks.data, y->sorted.data, n, sizeof *f->blocks, block_before, NULL);
    }
    f->blocks = y->blocks.data;
    for (size_t i = 0; i < n; i++) {
        const char *fault = block_fault(f, &f->blocks[i]);
        if (fault)
            return fault;
        if (i && f->blocks[i].index == f->blocks[i - 1].index)
            return "two blocks with one number";
    }
    return NULL;
}

/* ---- reading the profile ---- */

int apf_bolt_yaml_sort(struct apf_bolt_yaml *y, struct apf_error *error)
{
    size_t n = y->functions.n;
    int code = yaml_usable(y, error);
    if (code != APF_OK)
        return code;
    struct sort_key *keys = calloc(2 * n + 1, sizeof *keys);
    if (!keys)
        return error_memory(error);
    for (size_t i = 0; i < n; i++) {
        keys[i].key = y->functions.data[i].fid;
        keys[i].value = i;
    }
    sort_keys(keys, keys + n, n);
    for (size_t i = 0; i < n; i++)
        y->order.data[i] = (uint32_t)keys[i].value;
    free(keys);
    return APF_OK;
}

struct yaml_function *yaml_function_at(struct apf_bolt_yaml *y, size_t i)
{
    struct yaml_function *f = &y->functions.data[y->order.data[i]];
    if (!y->info.probes_dropped)
        return f;
    f->probes.n = 0;
    for (size_t k = 0; k < f->n; k++) {
        struct yaml_block *b = &f->blocks[k];
        b->probes.n = 0;
        for (size_t c = 0; c < b->calls.n; c++)
            b->calls.data[c].probe = b->calls.data[c].node = b->calls.data[c].indirect = 0;
    }
    return f;
}

static struct apf_bolt_yaml_block block_view(const struct yaml_block *b)
{
    struct apf_bolt_yaml_block view = {.hash = b->hash,
                                       .exec = b->exec,
                                       .events = b->events,
                                       .index = b->index,
                                       .n_instructions = b->n_instructions,
                                       .n_calls = b->calls.n,
                                       .n_successors = b->successors.n,
                                       .calls = b->calls.data,
                                       .successors = b->successors.data,
                                       .probes = b->probes};
    return view;
}

int apf_bolt_yaml_function(struct apf_bolt_yaml *y, size_t i, struct apf_bolt_yaml_function *function,
                           struct apf_error *error)
{
    int code = yaml_usable(y, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_bolt_yaml_function, function, error);
    if (code != APF_OK)
        return code;
    if (i >= y->order.n)
        return APF_END;
    const struct yaml_function *f = yaml_function_at(y, (size_t)i);
    struct apf_bolt_yaml_function view = {.name = f->name,
                                          .hash = f->hash,
                                          .exec = f->exec,
                                          .entered = f->entered,
                                          .fid = f->fid,
                                          .n_all_blocks = f->n_all_blocks,
                                          .n_blocks = f->n,
                                          .probes = f->probes};
    y->blocks.n = 0;
    if (!VEC_RESERVE(&y->blocks, f->n))
        return error_memory(error);
    for (size_t k = 0; k < f->n; k++)
        y->blocks.data[k] = block_view(&f->blocks[k]);
    view.blocks = y->blocks.data;
    result_fill(function, sizeof view, &view);
    return APF_OK;
}
