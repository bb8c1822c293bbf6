/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds functions to a profile. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text_bytes.h"
#include "bolt/bolt_yaml_model.h"

static uint64_t hash_name(const struct apf_bolt_yaml *y, struct apf_str name)
{
    return XXH3_64bits_withSeed(name.p, name.n, y->by_name.key);
}

static struct yaml_function *find_name(const struct apf_bolt_yaml *y, struct apf_str name)
{
    uint64_t hash = hash_name(y, name);
    uint32_t e;
    HASH_INDEX_FIND(e, &y->by_name, hash, text_equal(y->functions.data[e].name, name));
    return e != HASH_INDEX_NONE ? &y->functions.data[e] : NULL;
}

static struct yaml_function *find_fid(const struct apf_bolt_yaml *y, uint32_t fid)
{
    uint64_t hash = hash_index_mix(&y->by_fid, fid, 0);
    uint32_t e;
    HASH_INDEX_FIND(e, &y->by_fid, hash, y->functions.data[e].fid == fid);
    return e != HASH_INDEX_NONE ? &y->functions.data[e] : NULL;
}

static int add_fresh(struct apf_bolt_yaml *y, const struct apf_bolt_yaml_function *from, uint32_t file,
                     struct apf_error *error)
{
    struct error_at at = {"yaml.functions", NO_OFFSET, y->functions.n + 1, y->options.max_records};
    struct yaml_function f = {.name = from->name,
                              .hash = from->hash,
                              .exec = from->exec,
                              .entered = from->entered,
                              .fid = from->fid,
                              .n_all_blocks = from->n_all_blocks,
                              .file = file,
                              .last_file = file};
    if (y->functions.n >= y->options.max_records)
        return error_at(error, APF_LIMIT, at, "more functions than allowed");
    const struct yaml_function *same = find_fid(y, from->fid);
    if (same)
        return yaml_conflict(y, same, file, "yaml.functions.fid", "another function has its fid", error);
    if (!yaml_keep(y, &f.name) || !yaml_join_probes(y, &f.probes, from->probes))
        return error_memory(error);
    uint32_t number = (uint32_t)y->functions.n;
    if (!VEC_RESERVE(&y->functions, 1) || !VEC_PUSH(&y->order, number))
        return error_memory(error);
    y->functions.data[y->functions.n++] = f;
    hash_index_add(&y->by_name, hash_name(y, f.name), number);
    hash_index_add(&y->by_fid, hash_index_mix(&y->by_fid, f.fid, 0), number);
    y->info.n_functions++;
    return yaml_join_blocks(y, &y->functions.data[number], from, file, error);
}

int yaml_add_function(struct apf_bolt_yaml *y, const struct apf_bolt_yaml_function *from, uint32_t file,
                      struct apf_error *error)
{
    if (!hash_index_reserve(&y->by_name, 1))
        return hash_index_error(&y->by_name, error);
    if (!hash_index_reserve(&y->by_fid, 1))
        return hash_index_error(&y->by_fid, error);
    struct yaml_function *to = find_name(y, from->name);
    if (!to)
        return add_fresh(y, from, file, error);
    if (to->last_file == file && file)
        return yaml_conflict(y, to, file, "yaml.functions.name", "two functions with this name", error);
    if (to->n_all_blocks != from->n_all_blocks)
        return yaml_conflict(y, to, file, "yaml.functions.nblocks", "number of basic blocks mismatch", error);
    if (to->fid != from->fid)
        return yaml_conflict(y, to, file, "yaml.functions.fid", "ID mismatch", error);
    if (to->hash != from->hash)
        return yaml_conflict(y, to, file, "yaml.functions.hash", "hash mismatch", error);
    to->last_file = file;
    yaml_add_up(y, &to->exec, from->exec);
    yaml_add_up(y, &to->entered, from->entered);
    if (!yaml_join_probes(y, &to->probes, from->probes))
        return error_memory(error);
    return yaml_join_blocks(y, to, from, file, error);
}

int apf_bolt_yaml_add(struct apf_bolt_yaml *y, const struct apf_bolt_yaml_function *function,
                      struct apf_error *error)
{
    struct apf_bolt_yaml_function f;
    int code = yaml_usable(y, error);
    if (code == APF_OK)
        code = OPTIONS_READ(apf_bolt_yaml_function, &f, function, error);
    if (code != APF_OK)
        return code;
    if (!y->info.known)
        return error_plain(error, APF_ARGUMENT, "yaml.header", "no header was declared");
    const char *fault = yaml_function_fault(y, &f);
    if (fault)
        return *fault ? error_plain(error, APF_ARGUMENT, "yaml.functions", "%s", fault) : error_memory(error);
    code = yaml_add_function(y, &f, 0, error);
    y->failed = code != APF_OK;
    return code;
}
