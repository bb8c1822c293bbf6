/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/sample_render.h"

#include <inttypes.h>
#include <stdio.h>

#include "helpers/shared/unit.h"

#define MOST 65536u

static char text[MOST];
static size_t used;

static void append(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text + used, sizeof text - used, format, args);
    va_end(args);
    used += n > 0 ? (size_t)n : 0;
    if (used > sizeof text - 4) {
        used = sizeof text - 4;
        memcpy(text + used, "...", 4);
    }
}

static void append_name(const struct apf_sample *s, uint32_t number)
{
    const struct sample_name *name = &s->names.list.data[number];
    if (name->p)
        append("%.*s", (int)name->n, name->p);
    else
        append("#%" PRIu64, name->hash);
    if (name->file != SAMPLE_NONE)
        append("@%.*s", (int)s->names.files.list.data[name->file].n, s->names.files.list.data[name->file].p);
}

static void append_place(uint64_t at, uint32_t depth)
{
    append("%*s%" PRIu32, (int)depth, "", sample_place_line(at));
    if (sample_place_discriminator(at))
        append(".%" PRIu32, sample_place_discriminator(at));
    append(": ");
}

static void append_node(const struct apf_sample *s, const struct sample_node *f, uint32_t depth)
{
    uint32_t next = 0;
    if (depth)
        append_place(f->at, depth);
    append_name(s, f->name);
    append(":%" PRIu64, f->total);
    if (!depth)
        append(":%" PRIu64, f->head);
    if (f->extra && f->extra->first_time)
        append(":%" PRIu64, f->extra->first_time);
    append("\n");
    for (uint32_t i = 0; i < f->lines.n; i++) {
        append_place(f->lines.data[i].at, depth + 1);
        append("%" PRIu64, f->lines.data[i].count);
        for (; next < f->targets.n && f->targets.data[next].at == f->lines.data[i].at; next++) {
            append(" ");
            append_name(s, f->targets.data[next].name);
            append(":%" PRIu64, f->targets.data[next].count);
        }
        append("\n");
    }
    assert_int_equal(next, f->targets.n); /* every place with targets has a line */
}

const char *sample_render(const struct apf_sample *s)
{
    struct sample_walk walk = {0};
    used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < s->top.n; i++) {
        bool more = true;
        append_node(s, &s->nodes.data[s->top.data[i]], 0);
        sample_walk_begin(&walk, s, s->top.data[i]);
        while (assert_int_equal(sample_walk_next(&walk, &more, NULL), APF_OK), more)
            append_node(s, &s->nodes.data[walk.node], walk.depth);
    }
    sample_walk_free(&walk);
    return text;
}
