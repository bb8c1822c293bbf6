/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The public functions that ask a profile that is open. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/options.h"
#include "instr/model/memprof_model.h"
#include "instr/model/profile.h"

const struct apf_salvage *apf_instr_salvage(const struct apf_instr *instr)
{
    return instr->salvage;
}

const struct apf_instr_info *apf_instr_info(const struct apf_instr *instr)
{
    return &instr->info;
}

int apf_instr_record(const struct apf_instr *instr, size_t i, struct apf_record *record,
                     struct apf_error *error)
{
    struct apf_record out;
    int code = RESULT_CHECK(apf_record, record, error);
    if (code != APF_OK || i >= instr->records.n)
        return code == APF_OK ? APF_END : code;
    profile_record(instr, &instr->records.data[i], &out);
    result_fill(record, sizeof out, &out);
    return APF_OK;
}

/* ---- search ---- */

/* The key of a name, or of a name with a hash. The index has each pair once, and each name once on its own, so that
 * many records of one name make no long chain. */
static uint64_t mix_name(const struct hash_index *index, uint64_t id, const uint64_t *hash)
{
    return hash ? hash_index_mix(index, id, *hash) : hash_index_mix(index, ~id, 0);
}

static uint32_t look_up(const struct apf_instr *instr, const struct hash_index *index, uint64_t id,
                        const uint64_t *hash)
{
    const struct record *records = instr->records.data;
    uint32_t e;
    HASH_INDEX_FIND(e, index, mix_name(index, id, hash),
                    records[e].id == id && (!hash || records[e].hash == *hash));
    return e;
}

static void drop_index(struct hash_index *index)
{
    hash_index_free(index);
    free(index);
}

/* NULL: allocation failed. */
static struct hash_index *make_index(const struct apf_instr *instr)
{
    struct hash_index *index = calloc(1, sizeof *index);
    if (index && instr->records.n && !hash_index_reserve(index, 2 * instr->records.n)) {
        drop_index(index);
        return NULL;
    }
    for (size_t i = 0; index && i < instr->records.n; i++) {
        const struct record *r = &instr->records.data[i];
        if (look_up(instr, index, r->id, NULL) == HASH_INDEX_NONE)
            hash_index_add(index, mix_name(index, r->id, NULL), (uint32_t)i);
        if (look_up(instr, index, r->id, &r->hash) == HASH_INDEX_NONE)
            hash_index_add(index, mix_name(index, r->id, &r->hash), (uint32_t)i);
    }
    return index;
}

/* The index of all names, which the first search makes. NULL: allocation failed. */
static const struct hash_index *index_of(const struct apf_instr *instr)
{
    struct hash_index *first = atomic_load(&instr->answers->by_name);
    struct hash_index *made = first ? NULL : make_index(instr);
    if (!made || atomic_compare_exchange_strong(&instr->answers->by_name, &first, made))
        return first ? first : made;
    drop_index(made);
    return first;
}

int apf_instr_find(const struct apf_instr *instr, struct apf_str name, uint64_t hash,
                   struct apf_record *record, struct apf_error *error)
{
    int code = RESULT_CHECK(apf_record, record, error);
    if (code != APF_OK)
        return code;
    const struct hash_index *index = index_of(instr);
    if (!index)
        return error_memory(error);
    uint64_t id = md5_name_ref(name.p, name.n);
    uint32_t e = look_up(instr, index, id, &hash);
    if (e == HASH_INDEX_NONE) {
        bool other_hash = look_up(instr, index, id, NULL) != HASH_INDEX_NONE;
        return error_plain(error, other_hash ? APF_HASH_MISMATCH : APF_UNKNOWN_FUNCTION, "find", "%.*s",
                           (int)(name.n < 100 ? name.n : 100), name.p);
    }
    return apf_instr_record(instr, e, record, error);
}

const struct apf_memprof *apf_instr_memprof(const struct apf_instr *instr)
{
    return instr->memprof;
}

struct apf_str apf_instr_name(const struct apf_instr *instr, uint64_t id)
{
    struct apf_str name = profile_name(instr, instr->symbols, id);
    return name.n ? name : profile_name(instr, instr->vtables, id);
}
