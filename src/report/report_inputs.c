/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that a report is about: what they are, and what became of the inputs of a merge. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/jobs.h>

#include "base/error.h"
#include "base/options.h"
#include "base/sort.h"
#include "report/report_model.h"

/* ---- what files are ---- */

static bool copy_text(struct apf_report *r, struct apf_str text, struct apf_str *to)
{
    *to = (struct apf_str){arena_text(&r->arena, text.p, text.n), text.n};
    return to->p != NULL;
}

/* Adds the fact of a line "  label:   text". False: allocation failed. */
static bool add_fact(struct apf_report *r, struct report_file *file, const char *line, size_t n)
{
    struct report_fact fact;
    const char *colon = (const char *)memchr(line, ':', n);
    size_t at = colon ? (size_t)(colon - line) + 1 : n;
    if (!colon || n < 3 || line[0] != ' ' || line[1] != ' ' || line[2] == ' ')
        return true;
    fact.label = arena_text(&r->arena, line + 2, (size_t)(colon - line) - 2);
    while (at < n && line[at] == ' ')
        at++;
    const struct apf_str text = {line + at, n - at};
    if (!fact.label || !copy_text(r, text, &fact.text) || !VEC_PUSH(&r->facts, fact))
        return false;
    file->n_facts++;
    return true;
}

/* Adds a file with the facts that info prints about it, up to the first empty line: the map of its bytes follows. */
static bool add_file(struct apf_report *r, const struct apf_input *input, struct report_file file,
                     const char *text, size_t n)
{
    const char *path = input->name ? input->name : input->path ? input->path : "<memory>";
    const char *line = text, *end = n ? text + n : text;
    bool ok = copy_text(r, (struct apf_str){path, strlen(path)}, &file.name);
    while (ok && line < end) {
        const char *feed = (const char *)memchr(line, '\n', (size_t)(end - line));
        const size_t length = (size_t)((feed ? feed : end) - line);
        if (length == 0)
            break;
        ok = add_fact(r, &file, line, length);
        line += length + 1;
    }
    return ok && VEC_PUSH(&r->files, file);
}

int report_read_facts(struct apf_report *r, const struct apf_input *inputs, size_t n, enum report_role role,
                      const struct apf_options *options, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; i < n && i < REPORT_FILES && code == APF_OK; i++) {
        struct apf_buffer text = {NULL, 0, 0};
        const struct apf_output output = apf_output_buffer(&text);
        struct apf_info *info = NULL;
        code = apf_info_open(&info, input_at(inputs, i), 1, options, error);
        if (code == APF_OK)
            code = apf_info_print(info, 0, &output, error);
        if (code == APF_IO) /* that of a buffer */
            code = error_memory(error);
        struct report_file file = {.first_fact = r->facts.n, .role = role};
        if (code == APF_OK)
            file.kind = apf_info_file(info, 0)->file->kind;
        if (code == APF_OK && !add_file(r, input_at(inputs, i), file, (const char *)text.data, text.n))
            code = error_memory(error);
        apf_info_close(info);
        apf_buffer_free(&text);
    }
    return code;
}

/* ---- what became of inputs ---- */

uint32_t report_fate(int32_t code, bool is_salvaged, bool has_losses)
{
    if (code == APF_EMPTY_PROFILE)
        return REPORT_EMPTY;
    if (code == APF_ALREADY_MERGED)
        return REPORT_HELD;
    if (code != APF_OK)
        return REPORT_LOST;
    if (is_salvaged)
        return REPORT_SALVAGED;
    return has_losses ? REPORT_PARTLY : REPORT_MERGED;
}

void report_say_lost(char *text, uint64_t functions, uint64_t bitmaps, uint64_t values)
{
    const struct {
        uint64_t n;
        const char *one, *many;
    } parts[] = {{functions, "function", "functions"},
                 {bitmaps, "bitmap of MC/DC", "bitmaps of MC/DC"},
                 {values, "kind of values of a function", "kinds of values of functions"}};
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].n)
            at += (size_t)snprintf(text + at, REPORT_LOST_BYTES - at, "%s%" PRIu64 " %s", at ? ", " : "",
                                   parts[i].n, parts[i].n == 1 ? parts[i].one : parts[i].many);
    if (at)
        (void)snprintf(text + at, REPORT_LOST_BYTES - at,
                       " left out: contradicted by others, or without a name");
}

bool report_add_input(struct apf_report *r, const struct report_input *input, const char *why)
{
    struct report_input copy = *input;
    return copy_text(r, input->name, &copy.name) &&
           copy_text(r, (struct apf_str){why, strlen(why)}, &copy.why) && VEC_PUSH(&r->inputs, copy);
}

size_t apf_report_losses(const struct apf_report *r)
{
    size_t n = 0;
    while (n < r->inputs.n && r->inputs.data[n].fate < REPORT_EMPTY)
        n++;
    return n;
}

int apf_report_loss(const struct apf_report *r, size_t i, struct apf_report_loss *loss)
{
    if (i >= r->inputs.n || r->inputs.data[i].fate >= REPORT_EMPTY)
        return APF_END;
    loss->name = r->inputs.data[i].name;
    loss->why = r->inputs.data[i].why;
    return APF_OK;
}

static bool worse(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct report_input *)a)->fate < ((const struct report_input *)b)->fate;
}

int report_sort_inputs(struct apf_report *r, struct apf_error *error)
{
    return SORT_VEC(&r->inputs, worse, NULL) ? APF_OK : error_memory(error);
}

int report_add_base_inputs(struct apf_report *r, const struct apf_report *base, struct apf_error *error)
{
    for (size_t i = 0; i < base->inputs.n; i++) {
        struct report_input input = base->inputs.data[i];
        input.is_base = true;
        if (!report_add_input(r, &input, input.why.p))
            return error_memory(error);
    }
    return report_sort_inputs(r, error);
}
