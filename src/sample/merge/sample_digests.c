/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_digests.h"

#include <stdlib.h>

#include "base/endian.h"
#include "base/error.h"
#include "base/file_identity.h"
#include "base/sort.h"

static uint64_t digest_of(uint64_t caller, uint64_t at, uint64_t name, uint64_t checksum)
{
    uint8_t bytes[32];
    store64le(bytes, caller);
    store64le(bytes + 8, at);
    store64le(bytes + 16, name);
    store64le(bytes + 24, checksum);
    return file_digest_bytes(bytes, sizeof bytes).low;
}

uint64_t *sample_digests_make(const struct apf_sample *s, const struct sample_names *names)
{
    uint64_t *digests = malloc((s->nodes.n + 1) * sizeof *digests);
    uint64_t *hashes = malloc((names->list.n + 1) * sizeof *hashes);
    uint64_t *contexts = malloc((s->contexts.list.n + 1) * sizeof *contexts);
    const bool good = digests && hashes && contexts;
    for (size_t i = 0; good && i < names->list.n; i++)
        hashes[i] = sample_names_hash(names, (uint32_t)i);
    for (size_t i = 0; good && i < s->contexts.list.n; i++) { /* a caller has a smaller number */
        const struct sample_context *c = &s->contexts.list.data[i];
        contexts[i] =
            digest_of(c->caller == SAMPLE_NONE ? 0 : contexts[c->caller], c->at, hashes[c->name], 0);
    }
    for (size_t i = 0; good && i < s->nodes.n; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        if (f->state & SAMPLE_GONE)
            digests[i] = 0;
        else if (f->caller == SAMPLE_NONE)
            digests[i] = digest_of(contexts[f->context], 0, 0, f->checksum);
        else
            digests[i] = digest_of(digests[f->caller], f->at, hashes[f->name], f->checksum);
    }
    free(hashes);
    free(contexts);
    if (!good)
        free(digests);
    return good ? digests : NULL;
}

int sample_digests_roster(const struct apf_sample *s, uint64_t **digests, size_t *n, struct apf_error *error)
{
    uint64_t *all = sample_digests_make(s, &s->names), *scratch = NULL;
    *n = 0;
    *digests = all;
    if (!all)
        return error_memory(error);
    for (size_t i = 0; i < s->nodes.n; i++)
        if (!(s->nodes.data[i].state & SAMPLE_GONE) && s->nodes.data[i].checksum)
            all[(*n)++] = all[i];
    scratch = malloc((*n + 1) * sizeof *scratch);
    if (!scratch)
        return error_memory(error);
    sort_numbers(all, scratch, *n);
    free(scratch);
    return APF_OK;
}
