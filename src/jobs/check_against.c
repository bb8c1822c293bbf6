/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which of the functions of a program a profile has counts for. */
#include "jobs/check_against.h"

#include <stdio.h>
#include <stdlib.h>

#include <anyprof/correlate.h>

#include "base/hash_index.h"

enum state { STATE_MISSING, STATE_MISMATCH, STATE_FOUND };

struct comparison {
    struct check *c;
    const struct apf_function *list;
    size_t n;
    const struct apf_binary_functions_info *program;
    const struct apf_instr *instr;
    struct hash_index by_id; /* each pair of id and hash once, under its id */
    uint8_t *states;         /* of each function of the list */
    bool *repeated; /* another one before it has its id and hash, as of a function in several objects */
    struct apf_check_verdict *verdict;
};

static uint64_t mix(const struct comparison *k, uint64_t id)
{
    return hash_index_mix(&k->by_id, id, 0);
}

static bool index_functions(struct comparison *k)
{
    k->states = calloc(k->n + 1, sizeof *k->states);
    k->repeated = calloc(k->n + 1, sizeof *k->repeated);
    if (!k->states || !k->repeated || k->n >= HASH_INDEX_NONE || !hash_index_reserve(&k->by_id, k->n))
        return false;
    for (size_t i = 0; i < k->n; i++) {
        size_t pos = hash_index_first(&k->by_id, mix(k, k->list[i].id));
        uint32_t e;
        while ((e = hash_index_next(&k->by_id, mix(k, k->list[i].id), &pos)) != HASH_INDEX_NONE)
            if (k->list[e].id == k->list[i].id && k->list[e].hash == k->list[i].hash)
                break;
        k->repeated[i] = e != HASH_INDEX_NONE;
        if (!k->repeated[i])
            hash_index_add(&k->by_id, mix(k, k->list[i].id), (uint32_t)i);
        k->verdict->n_program_functions += !k->repeated[i];
    }
    return true;
}

/* Slots of the program's section are more than counters where a timestamp is in front of them. */
static bool same_counters(const struct comparison *k, const struct apf_function *f, uint32_t n)
{
    bool temporal = k->program->variant & APF_VARIANT_TEMPORAL;
    uint32_t slots = k->program->variant & APF_VARIANT_BYTE_COVERAGE ? 8 : 1;
    if (k->program->variant_known)
        return f->n_counters == n + (temporal ? slots : 0);
    return f->n_counters == n || f->n_counters == n + 1 || f->n_counters == n + 8;
}

static void tell_mismatch(struct comparison *k, const struct record *r, const struct apf_function *f)
{
    char detail[100];
    bool hash = f->hash != r->hash;
    struct error_at at = {hash ? "against.hash" : "against.counters", r->offset, hash ? r->hash : r->n_counts,
                          hash ? f->hash : f->n_counters};
    snprintf(detail, sizeof detail,
             hash ? "hash 0x%llx, in the program 0x%llx" : "%llu counters, in the program %llu",
             (unsigned long long)at.found, (unsigned long long)at.expected);
    check_at(k->c, APF_SEVERITY_WARNING, hash ? APF_HASH_MISMATCH : APF_COUNT_MISMATCH, at, detail);
}

/* Context-sensitive counts are compared with such functions only: they are of another pass of the compiler. */
static bool same_pass(const struct comparison *k, uint64_t a, uint64_t b)
{
    return !(k->instr->info.variant & APF_VARIANT_IR) || (a & APF_HASH_CS) == (b & APF_HASH_CS);
}

static void compare_record(struct comparison *k, const struct record *r)
{
    size_t pos = hash_index_first(&k->by_id, mix(k, r->id));
    const struct apf_function *other = NULL, *same = NULL;
    uint64_t weight = record_weight(r);
    uint32_t e;
    check_function(k->c, record_name(k->instr, r), r->hash);
    while (!same && (e = hash_index_next(&k->by_id, mix(k, r->id), &pos)) != HASH_INDEX_NONE) {
        const struct apf_function *f = &k->list[e];
        if (f->id != r->id || !same_pass(k, f->hash, r->hash))
            continue;
        bool good = f->hash == r->hash && same_counters(k, f, r->n_counts);
        if (good)
            same = f;
        else if (!other || f->hash == r->hash)
            other = f;
        if (k->states[e] != STATE_FOUND)
            k->states[e] = good ? STATE_FOUND : STATE_MISMATCH;
    }
    if (same) {
        check_add_weight(&k->verdict->found_weight, weight);
    } else if (other) {
        check_add_weight(&k->verdict->mismatched_weight, weight);
        tell_mismatch(k, r, other);
    } else {
        k->verdict->n_unknown++;
        check_add_weight(&k->verdict->unknown_weight, weight);
        check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, "against.unknown", r->offset,
                    "a function that the program lacks");
    }
}

static void count_functions(struct comparison *k)
{
    for (size_t i = 0; i < k->n && k->c->code == APF_OK; i++) {
        if (k->repeated[i])
            continue;
        k->verdict->n_found += k->states[i] == STATE_FOUND;
        k->verdict->n_mismatched += k->states[i] == STATE_MISMATCH;
        if (k->states[i] != STATE_MISSING)
            continue;
        k->verdict->n_missing++;
        check_function(k->c, k->list[i].name, k->list[i].hash);
        check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, "against.missing", NO_OFFSET,
                    "a function of the program without counts");
    }
}

int check_against(struct check *c, const uint8_t *data, size_t n,
                  const struct apf_binary_functions *functions, struct apf_check_verdict *verdict)
{
    struct comparison k = {.c = c, .verdict = verdict, .program = apf_binary_functions_info(functions)};
    struct read_options options = *c->options;
    struct apf_instr *instr;
    struct apf_error error;
    options.flags |= APF_FLAG_DROP_MEMPROF;
    int code = profile_read(&instr, data, n, &options, &error);
    if (code == APF_NO_MEMORY)
        check_memory(c);
    if (code != APF_OK)
        return c->code;
    k.instr = instr;
    k.list = apf_binary_functions_list(functions, &k.n);
    if (!index_functions(&k))
        check_memory(c);
    for (size_t i = 0; i < instr->records.n && c->code == APF_OK; i++)
        compare_record(&k, &instr->records.data[i]);
    count_functions(&k);
    check_no_function(c);
    hash_index_free(&k.by_id);
    free(k.states);
    free(k.repeated);
    profile_free(instr);
    return c->code;
}
