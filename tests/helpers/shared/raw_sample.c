/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/raw_sample.h"

#include <string.h>

#include "helpers/shared/unit.h"

static const uint64_t three[] = {3, 4, 5}, one[] = {6}, uniform[] = {1, 2, 3};
static const uint8_t bits[] = {1, 2, 3, 4, 5};
static const struct rb_pair pairs[] = {{0x1040, 6, false}, {8, 7, false}};
static const struct rb_site sites[] = {{pairs, 2}, {pairs, 1}};
const struct rb_function raw_sample_functions[] = {
    {.name = "first",
     .hash = 11,
     .counts = three,
     .n_counts = 3,
     .bitmap = bits,
     .n_bitmap = 5,
     .uniform = uniform,
     .sites = {sites, sites},
     .n_sites = {2, 1}},
    {.name = "second",
     .hash = 12,
     .counts = one,
     .n_counts = 1,
     .bitmap = bits,
     .n_bitmap = 2,
     .uniform = uniform,
     .sites = {sites},
     .n_sites = {1}},
};
static const struct rb_vtable vtables[] = {{"_ZTV1A", 0x8000, 24}};
static const struct rb_bytes id = {"eight by", 8};

void make_raw_sample(struct raw_sample *s, unsigned version, unsigned bytes, bool big)
{
    memset(s, 0, sizeof *s);
    s->p.version = version;
    s->p.bytes = bytes;
    s->p.big = big;
    s->p.functions = raw_sample_functions;
    s->p.n_functions = COUNT(raw_sample_functions);
    s->p.vtables = vtables;
    s->p.n_vtables = COUNT(vtables);
    s->p.ids = &id;
    s->p.n_ids = 1;
    s->p.uniform = version >= 11;
    s->record = rb_field_at(version, bytes, RB_RECORD_SIZE);
    rb_append(&s->file, &s->p, &s->at);
}

void for_all_raw_samples(void (*f)(struct raw_sample *s))
{
    for (unsigned v = 1; v <= RB_NEWEST; v++)
        for (unsigned way = 0; way < 4; way++) {
            struct raw_sample s;
            make_raw_sample(&s, v, way & 1 ? 4 : 8, way & 2);
            f(&s);
            rb_free(&s.file);
        }
}

size_t raw_sample_field(const struct raw_sample *s, size_t i, enum rb_field f)
{
    return s->at.data + i * s->record + rb_field_at(s->p.version, s->p.bytes, f);
}
