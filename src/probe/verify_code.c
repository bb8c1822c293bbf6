/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares the addresses of probes with instructions. */
#include "base/error.h"
#include "probe/code_walk.h"
#include "probe/probe_verify.h"

static void check_symbol(struct verification *v, struct code_walk *w)
{
    struct code_step step;
    uint64_t end = w->section->address + w->end;
    bool more = w->next < w->n_list && code_walk_address(w, w->next) < end;
    while (more) { /* no probe follows */
        more = code_walk_step(w, &step) && w->next < w->n_list && code_walk_address(w, w->next) < end;
        for (size_t i = step.inside; i < step.behind; i++) {
            v->verdict.n_decoded += v->places[w->list[i]] == PLACE_UNKNOWN;
            v->places[w->list[i]] = i < step.first ? PLACE_INSIDE : PLACE_START;
        }
    }
}

static int check_code(struct verification *v, struct code_walk *w)
{
    int code = code_walk_open(w, v->probes, 0, v->probes->max_bytes, &v->not_decoded);
    for (size_t i = 0; code == APF_OK && i < w->sections.n; i++) {
        code = code_walk_section(w, i, &v->not_decoded);
        while (code == APF_OK && code_walk_symbol(w))
            check_symbol(v, w);
    }
    return code;
}

bool verify_code(struct verification *v)
{
    struct code_walk walk;
    v->places = arena_zeros(&v->arena, v->probes->probes.n, 1);
    if (!v->places)
        return false;
    if (v->probes->probes.n == 0)
        return true;
    int code = check_code(v, &walk);
    code_walk_close(&walk);
    return code != APF_NO_MEMORY;
}
