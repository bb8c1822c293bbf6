/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/gcc/gcc_form.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "sample/gcc/gcc_names.h"

struct former {
    const struct apf_sample *s;
    const struct sample_gcc_options *options;
    struct apf_sample *form;
    struct sample_gcc_losses *losses;
    struct apf_error *error;
    uint32_t *names; /* numbers in the form of the names of s; SAMPLE_NONE: no name that a file can hold */
    uint32_t *nodes; /* numbers in the form of the nodes of s; SAMPLE_NONE: left out */
};

/* ---- names ---- */

/* Whether a reader would read a name as it is. The empty one is that of index 0, which no function may have. */
static bool is_writable(const struct sample_name *name)
{
    return name->p && name->n && name->n < UINT32_MAX && !memchr(name->p, 0, name->n);
}

/* The name under which a function is written. */
static int rewrite_name(const struct former *w, struct sample_names *names, struct apf_str *text)
{
    struct apf_str before = *text;
    *text = gcc_name_stem(before, w->options->suffixes);
    size_t digit = w->options->constructors ? gcc_name_constructor(*text) : 0;
    w->losses->suffixes += digit || text->n != before.n;
    if (!digit)
        return APF_OK;
    char *copy = arena_text(&names->text, text->p, text->n);
    if (!copy)
        return error_memory(w->error);
    copy[digit] = '2';
    text->p = copy;
    return APF_OK;
}

/* Marks the names that the file has; it has no vtables. */
static void mark_names(const struct former *w, uint8_t *used)
{
    if (!w->options->no_targets) {
        sample_mark_names(w->s, false, used);
        return;
    }
    for (size_t i = 0; i < w->s->nodes.n; i++)
        if (!(w->s->nodes.data[i].state & SAMPLE_GONE))
            used[w->s->nodes.data[i].name] = 1;
}

/* Adds the names as they are written to a table, in no order; w->names becomes their numbers there. */
static int gather_names(const struct former *w, struct sample_names *names)
{
    const struct sample_names *from = &w->s->names;
    uint8_t *used = calloc(w->s->names.list.n + 1, 1);
    int code = used ? APF_OK : error_memory(w->error);
    if (used)
        mark_names(w, used);
    for (size_t i = 0; code == APF_OK && i < from->list.n; i++) {
        const struct sample_name *name = &from->list.data[i];
        struct apf_str text = {name->p, name->n};
        uint32_t file = SAMPLE_NONE;
        w->names[i] = SAMPLE_NONE;
        if (!used[i] || !is_writable(name))
            continue;
        if (name->file != SAMPLE_NONE) {
            if (w->options->layout->caps & GCC_CAP_FILES)
                code = text_set_add(&names->files, from->files.list.data[name->file], &file, w->error);
            else
                w->losses->files++;
        }
        if (code == APF_OK)
            code = rewrite_name(w, names, &text);
        if (code == APF_OK)
            code = sample_names_add(names, text, file, false, &w->names[i], w->error);
    }
    free(used);
    return code;
}

/* Adds the files to the form in the order of their bytes: map[i] becomes the new number of file i. */
static int sort_files(const struct former *w, const struct sample_names *names, uint32_t *map)
{
    size_t n = names->files.list.n;
    struct sort_name *files = malloc((2 * n + 1) * sizeof *files);
    int code = files ? APF_OK : error_memory(w->error);
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        struct sort_name entry = {0, names->files.list.data[i].p, (uint32_t)names->files.list.data[i].n,
                                  (uint32_t)i};
        files[i] = entry;
    }
    if (code == APF_OK)
        sort_names(files, files + n, n);
    for (size_t i = 0; code == APF_OK && i < n; i++)
        code = text_set_add(&w->form->names.files, names->files.list.data[files[i].index],
                            &map[files[i].index], w->error);
    free(files);
    return code;
}

/* Adds the names to the form in the order of the file, after the empty one; w->names become numbers there. */
static int sort_used(const struct former *w, struct sample_names *names, const uint32_t *file_map)
{
    struct sample_names *to = &w->form->names;
    size_t n = names->list.n;
    uint32_t *ranks, number;
    const struct apf_str empty = {"", 0};
    int code = sample_names_rank(names, &ranks, w->error);
    uint32_t *order = malloc((n + 1) * sizeof *order);
    if (code == APF_OK)
        code = order ? sample_names_push(to, empty, &number, w->error) : error_memory(w->error);
    for (size_t i = 0; code == APF_OK && i < n; i++)
        order[ranks[i]] = (uint32_t)i;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        const struct sample_name *name = &names->list.data[order[i]];
        code = sample_names_push(to, sample_names_text(names, order[i]), &number, w->error);
        if (code == APF_OK && name->file != SAMPLE_NONE)
            to->list.data[number].file = file_map[name->file];
    }
    for (size_t i = 0; code == APF_OK && i < w->s->names.list.n; i++)
        if (w->names[i] != SAMPLE_NONE)
            w->names[i] = ranks[w->names[i]] + 1;
    free(order);
    free(ranks);
    return code;
}

static int make_names(const struct former *w)
{
    struct sample_names names = {0};
    int code = gather_names(w, &names);
    uint32_t *file_map = malloc((names.files.list.n + 1) * sizeof *file_map);
    if (code == APF_OK)
        code = file_map ? sort_files(w, &names, file_map) : error_memory(w->error);
    if (code == APF_OK)
        code = sort_used(w, &names, file_map);
    free(file_map);
    arena_splice(&w->form->names.text, &names.text);
    sample_names_free(&names);
    return code;
}

/* ---- functions ---- */

/* Where a place is written; false: the file cannot hold it. */
static inline bool move_place(const struct former *w, uint64_t *at)
{
    uint32_t discriminator = w->options->plain_lines ? 0 : sample_place_discriminator(*at);
    *at = sample_place(sample_place_line(*at), discriminator);
    return sample_place_line(*at) <= GCC_MAX_PLACE && discriminator <= GCC_MAX_PLACE;
}

static void add_samples(struct sample_gcc_losses *losses, uint64_t count)
{
    losses->samples = sample_sum(losses->samples, count, 1, &(uint64_t){0});
}

static void lose_lines(const struct former *w, const struct sample_node *f)
{
    for (uint32_t i = 0; i < f->lines.n; i++)
        add_samples(w->losses, f->lines.data[i].count);
}

/* Counts a place that loses its discriminator. */
static void lose_discriminator(const struct former *w, uint64_t at)
{
    w->losses->discriminators += w->options->plain_lines && sample_place_discriminator(at);
}

/* Appends the lines, of places that became one the largest count. */
static int copy_lines(const struct former *w, const struct sample_node *f, uint32_t node)
{
    int code = sample_reserve_lines(w->form, node, f->lines.n, w->error);
    for (uint32_t i = 0, end; code == APF_OK && i < f->lines.n; i = end) {
        uint64_t at = f->lines.data[i].at, count = f->lines.data[i].count, other;
        bool kept = move_place(w, &at);
        if (kept)
            lose_discriminator(w, f->lines.data[i].at);
        for (end = i + 1; w->options->plain_lines && end < f->lines.n; end++) {
            other = f->lines.data[end].at;
            if (!kept || !move_place(w, &other) || other != at)
                break;
            count = count < f->lines.data[end].count ? f->lines.data[end].count : count;
            lose_discriminator(w, f->lines.data[end].at);
        }
        if (kept) {
            code = sample_append_line(w->form, node, at, count, w->error);
        } else {
            w->losses->lines++;
            add_samples(w->losses, count);
        }
    }
    return code;
}

static int copy_targets(const struct former *w, const struct sample_node *f, uint32_t node)
{
    if (w->options->no_targets) {
        w->losses->misread += f->targets.n;
        return APF_OK;
    }
    int code = f->targets.n ? sample_reserve_targets(w->form, node, f->targets.n, w->error) : APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < f->targets.n; i++) {
        const struct sample_target *target = &f->targets.data[i];
        uint64_t at = target->at;
        if (move_place(w, &at) && w->names[target->name] != SAMPLE_NONE)
            code = sample_append_target(w->form, node, at, w->names[target->name], target->count, w->error);
        else
            w->losses->targets++;
    }
    return code;
}

static int copy_time(const struct former *w, const struct sample_node *f, uint32_t node)
{
    uint64_t time = f->caller == SAMPLE_NONE ? sample_first_time(f) : 0;
    if (w->options->layout->caps & GCC_CAP_TIMES)
        return sample_add_time(w->form, node, time, w->error);
    w->losses->times += time != 0;
    return APF_OK;
}

/* Makes the node for a function at the top level; functions that differ in their contexts share it. */
static int copy_top(const struct former *w, const struct sample_node *f, uint32_t *node)
{
    uint32_t context;
    w->losses->contexts += w->s->contexts.list.data[f->context].depth != 0;
    if (w->names[f->name] == SAMPLE_NONE) {
        w->losses->functions++;
        return APF_OK;
    }
    int code = sample_contexts_base(&w->form->contexts, w->names[f->name], &context, w->error);
    if (code == APF_OK)
        code = sample_top(w->form, context, node, w->error);
    if (code != APF_OK)
        return code;
    struct sample_node *to = &w->form->nodes.data[*node];
    to->head = sample_sum(to->head, f->head, 1, &w->form->n_saturated);
    return APF_OK;
}

static int copy_inlined(const struct former *w, const struct sample_node *f, uint32_t *node)
{
    uint64_t at = f->at;
    if (w->nodes[f->caller] != SAMPLE_NONE && move_place(w, &at) && w->names[f->name] != SAMPLE_NONE) {
        lose_discriminator(w, f->at);
        return sample_inlined(w->form, w->nodes[f->caller], at, w->names[f->name], node, w->error);
    }
    w->losses->inlined++;
    return APF_OK;
}

static int copy_node(const struct former *w, uint32_t i)
{
    const struct sample_node *f = &w->s->nodes.data[i];
    uint32_t node = SAMPLE_NONE;
    w->losses->checksums += f->checksum != 0;
    w->losses->attributes += f->attributes != 0;
    w->losses->vtables += sample_vtables(f)->n;
    int code = f->caller == SAMPLE_NONE ? copy_top(w, f, &node) : copy_inlined(w, f, &node);
    if (code != APF_OK)
        return code;
    w->nodes[i] = node;
    if (node == SAMPLE_NONE) {
        lose_lines(w, f);
        w->losses->targets += f->targets.n;
        return APF_OK;
    }
    code = copy_lines(w, f, node);
    if (code == APF_OK)
        code = copy_targets(w, f, node);
    return code == APF_OK ? copy_time(w, f, node) : code;
}

/* Counts the functions whose totals are not the sums of what they hold: the file has no totals. */
static int count_totals(const struct former *w)
{
    const struct apf_sample *s = w->s;
    uint64_t *sums = calloc(s->nodes.n + 1, sizeof *sums), cut = 0;
    for (size_t i = s->nodes.n; sums && i-- > 0;) {
        const struct sample_node *f = &s->nodes.data[i];
        if (f->state & SAMPLE_GONE)
            continue;
        for (uint32_t k = 0; k < f->lines.n; k++)
            sums[i] = sample_sum(sums[i], f->lines.data[k].count, 1, &cut);
        w->losses->totals += sums[i] != f->total;
        if (f->caller != SAMPLE_NONE)
            sums[f->caller] = sample_sum(sums[f->caller], sums[i], 1, &cut);
    }
    free(sums);
    return sums ? APF_OK : error_memory(w->error);
}

static int copy_nodes(const struct former *w)
{
    int code = count_totals(w);
    for (size_t i = 0; code == APF_OK && i < w->s->nodes.n; i++)
        if (!(w->s->nodes.data[i].state & SAMPLE_GONE))
            code = copy_node(w, (uint32_t)i);
    return code;
}

int gcc_form_make(const struct apf_sample *s, const struct sample_gcc_options *o, struct apf_sample **form,
                  struct sample_gcc_losses *losses, struct apf_error *error)
{
    struct former w = {.s = s, .options = o, .form = sample_new(), .losses = losses, .error = error};
    w.names = malloc((s->names.list.n + 1) * sizeof *w.names);
    w.nodes = malloc((s->nodes.n + 1) * sizeof *w.nodes);
    int code = w.form && w.names && w.nodes ? make_names(&w) : error_memory(error);
    if (code == APF_OK)
        code = copy_nodes(&w);
    if (code == APF_OK)
        code = sample_seal(w.form, error);
    losses->symbols += s->symbols.n;
    free(w.names);
    free(w.nodes);
    *form = w.form;
    return code;
}
