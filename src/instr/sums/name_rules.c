/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/sums/name_rules.h"

#include <string.h>

#include "base/error.h"
#include "instr/layout/releases.h"

static bool copy_text(struct arena *arena, struct apf_str from, struct apf_str *to)
{
    to->n = from.n;
    to->p = arena_text(arena, from.n ? from.p : "", from.n);
    return to->p != NULL;
}

static int copy_remap(struct name_rules *rules, const struct apf_name_change *change, struct arena *arena,
                      struct apf_error *error)
{
    struct apf_str to;
    uint32_t entry = 0;
    size_t before = rules->remapped.list.n;
    if (change->from.n == 0 || change->to.n == 0)
        return error_plain(error, APF_ARGUMENT, "merge.options.remaps", "a name is empty");
    int code = symbols_add(&rules->remapped, change->from.p, change->from.n, true, NULL, &entry, error);
    if (code != APF_OK || entry < before) /* of several changes the first counts, as in LLVM */
        return code;
    return copy_text(arena, change->to, &to) && VEC_PUSH(&rules->remaps, to) ? APF_OK : error_memory(error);
}

int name_rules_copy(struct name_rules *rules, const struct apf_merge_options *options, struct arena *arena,
                    struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < options->n_remaps; i++)
        code = copy_remap(rules, &options->remaps[i], arena, error);
    if (code != APF_OK || options->n_prefix_maps == 0)
        return code;
    rules->prefixes = arena_array(arena, options->n_prefix_maps, sizeof *rules->prefixes);
    if (!rules->prefixes)
        return error_memory(error);
    for (; rules->n_prefixes < options->n_prefix_maps; rules->n_prefixes++) {
        const struct apf_name_change *from = &options->prefix_maps[rules->n_prefixes];
        struct apf_name_change *to = &rules->prefixes[rules->n_prefixes];
        if (!copy_text(arena, from->from, &to->from) || !copy_text(arena, from->to, &to->to))
            return error_memory(error);
    }
    return APF_OK;
}

void name_rules_free(struct name_rules *rules)
{
    symbols_free(&rules->remapped);
    VEC_FREE(&rules->remaps);
}

struct apf_str name_rules_remap(const struct name_rules *rules, uint64_t id, struct apf_str name)
{
    uint32_t e = symbols_find(&rules->remapped, id);
    return e == HASH_INDEX_NONE ? name : rules->remaps.data[e];
}

const struct apf_name_change *name_rules_prefix(const struct name_rules *rules, struct apf_str name)
{
    const size_t path = rules->n_prefixes ? local_name_file(name.p, name.n) : 0;
    for (size_t i = rules->n_prefixes; path && i-- > 0;) {
        const struct apf_name_change *change = &rules->prefixes[i];
        if (change->from.n <= path && memcmp(change->from.p, name.p, change->from.n) == 0)
            return change;
    }
    return NULL;
}
