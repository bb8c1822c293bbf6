/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds the functions of all objects: threads judge and summarize blocks of records, whose results are taken in
 * order. */
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/pool.h"
#include "base/sort.h"
#include "base/text_bytes.h"
#include "cov/function_summary.h"
#include "cov/judge.h"

/* Records of an object that one thread judges. */
#define BLOCK_RECORDS 256u
struct block {
    uint32_t object, first;
};

struct judged_record {
    struct judgement judgement;
    size_t first_name, n_names; /* of its files, in the results of the block */
    bool twice;                 /* an object before has it, so that there is no summary */
};

/* What a thread has found out about a block. */
struct block_results {
    VEC(struct judged_record) records;
    VEC(uint64_t) names;
    int code;
    struct apf_error error;
};

struct loader {
    struct coverage *c;
    VEC(struct block) blocks;
    struct cov_work *work;         /* for each thread */
    struct block_results *results; /* for each place in the window of the queue */
    size_t window;
    pthread_mutex_t lock; /* of the functions and their identities, while threads look for twins */
    int code;
    struct apf_error *error;
};

/* ---- twins ---- */

/* The number of the function with these files and this name, or HASH_INDEX_NONE. */
static uint32_t find_twin(const struct coverage *c, const struct judgement *j)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &c->identities, hash_index_mix(&c->identities, j->identity, 0),
                    c->identity_hashes.data[e] == j->identity &&
                        text_equal(c->functions.data[e].name, j->f.name));
    return e;
}

/* Whether the function is there already, with counts unless they are not known here, either. Most twins are of objects
 * before; those in the first object are found when their block is taken. */
static bool is_known(struct loader *l, const struct judgement *j)
{
    if (j->f.object == 0)
        return false;
    pthread_mutex_lock(&l->lock);
    const uint32_t twin = find_twin(l->c, j);
    const bool known = twin != HASH_INDEX_NONE && (j->f.unknown || !l->c->functions.data[twin].unknown);
    pthread_mutex_unlock(&l->lock);
    return known;
}

/* ---- a block, on any thread ---- */

static int judge_record(struct loader *l, struct block_results *r, uint32_t object, uint32_t number,
                        struct cov_work *w)
{
    struct judged_record record = {.first_name = r->names.n, .twice = false};
    struct judgement *j = &record.judgement;
    int code = judge(l->c, object, number, w, j, &r->error);
    if (code == APF_OK && j->shown) {
        record.twice = is_known(l, j);
        if (!record.twice)
            code = function_summarize(l->c, w, &j->f, &r->error);
        record.n_names = w->names.n;
    }
    if (code == APF_OK && (!VEC_RESERVE(&r->names, record.n_names) || !VEC_PUSH(&r->records, record)))
        code = error_memory(&r->error);
    for (size_t i = 0; i < record.n_names && code == APF_OK; i++)
        r->names.data[r->names.n++] = w->names.data[i];
    return code;
}

/* Prefetches what records that come 4, 8 and 12 later are judged by. */
static void fetch_records(const struct coverage *c, const struct cov_object *o, size_t i)
{
    for (unsigned step = 0; step < 3; step++) {
        const size_t next = i + 12 - 4 * step;
        if (next >= o->records.n)
            continue;
        const uint32_t name = o->records.data[next].name;
        c->fetch_name(c->user, name, step);
        if (step == 0)
            PREFETCH(&c->names.list.data[name]);
        else if (step == 1)
            PREFETCH(c->names.list.data[name].p);
    }
}

/* A pool_task. */
static void judge_block(void *context, size_t task, unsigned thread)
{
    struct loader *l = (struct loader *)context;
    struct block_results *r = &l->results[task % l->window];
    const struct block *block = &l->blocks.data[task];
    const struct cov_object *o = &l->c->objects[block->object];
    r->records.n = r->names.n = 0;
    r->code = APF_OK;
    for (uint32_t i = block->first; i < o->records.n && i - block->first < BLOCK_RECORDS && r->code == APF_OK;
         i++) {
        fetch_records(l->c, o, i);
        r->code = judge_record(l, r, block->object, i, &l->work[thread]);
    }
}

/* ---- its results, in order ---- */

/* Notes that a function is not shown. */
static int lose(struct coverage *c, uint32_t object, uint32_t record, enum apf_cov_fit fit,
                struct apf_error *error)
{
    const struct cov_loss loss = {object, record, (uint8_t)fit};
    c->fits[fit]++;
    return VEC_PUSH(&c->losses, loss) ? APF_OK : error_memory(error);
}

/* Appends a function, which has parts in these files. */
static int append_function(struct coverage *c, const struct judgement *j, const uint64_t *names, size_t n,
                           struct apf_error *error)
{
    const uint32_t number = (uint32_t)c->functions.n;
    if (!hash_index_reserve(&c->identities, 1))
        return hash_index_error(&c->identities, error);
    if (!VEC_RESERVE(&c->functions, 1) || !VEC_RESERVE(&c->pairs, n) ||
        !VEC_PUSH(&c->identity_hashes, j->identity))
        return error_memory(error);
    hash_index_add(&c->identities, hash_index_mix(&c->identities, j->identity, 0), number);
    for (size_t i = 0; i < n; i++)
        c->pairs.data[c->pairs.n++] = names[i] << 32 | number;
    c->functions.data[c->functions.n++] = j->f;
    return APF_OK;
}

/* Takes a function, also in place of one whose counts are not known, of an object before. */
static int take_record(struct coverage *c, const struct judged_record *record, const uint64_t *names,
                       struct apf_error *error)
{
    const struct judgement *j = &record->judgement;
    const struct cov_function *f = &j->f;
    if (!j->shown)
        return lose(c, f->object, f->record, (enum apf_cov_fit)f->fit, error);
    const uint32_t twin = c->functions.n ? find_twin(c, j) : HASH_INDEX_NONE;
    if (twin == HASH_INDEX_NONE)
        return append_function(c, j, names, record->n_names, error);
    struct cov_function *before = &c->functions.data[twin];
    if (record->twice || f->unknown || !before->unknown)
        return lose(c, f->object, f->record, APF_COV_DUPLICATE, error);
    const int code = lose(c, before->object, before->record, APF_COV_DUPLICATE, error);
    *before = *f;
    return code;
}

/* Takes the results of a block; of pool_queue. */
static bool take_block(void *context, size_t task)
{
    struct loader *l = (struct loader *)context;
    const struct block_results *r = &l->results[task % l->window];
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < r->records.n && l->code == APF_OK; i++) {
        const struct judged_record *record = &r->records.data[i];
        l->code = take_record(l->c, record, ENTRY_AT(r->names.data, record->first_name), l->error);
    }
    pthread_mutex_unlock(&l->lock);
    if (l->code == APF_OK && r->code != APF_OK) {
        l->code = r->code;
        l->c->failed_program = l->c->objects[l->blocks.data[task].object].program;
        if (l->error)
            *l->error = r->error;
    }
    return l->code == APF_OK;
}

/* ---- all of them ---- */

/* Lists the blocks, and makes room for the functions of the largest object, which are most of a program's. */
static bool list_blocks(struct loader *l)
{
    size_t most = 0;
    for (uint32_t i = 0; i < l->c->n_objects; i++)
        most = l->c->objects[i].records.n > most ? l->c->objects[i].records.n : most;
    /* the index has its key before threads hash with it */
    bool ok = VEC_RESERVE(&l->c->functions, most) && hash_index_reserve(&l->c->identities, 1);
    for (uint32_t i = 0; i < l->c->n_objects; i++)
        for (size_t first = 0; ok && first < l->c->objects[i].records.n; first += BLOCK_RECORDS) {
            const struct block block = {i, (uint32_t)first};
            ok = VEC_PUSH(&l->blocks, block);
        }
    return ok;
}

static int judge_all(struct loader *l)
{
    const size_t n = l->blocks.n;
    const unsigned threads = pool_threads(l->c->threads, n);
    l->window = 2 * (size_t)threads;
    l->work = calloc(threads, sizeof *l->work);
    l->results = calloc(l->window, sizeof *l->results);
    const struct pool_queue queue = {
        .task = judge_block, .done = take_block, .context = l, .window = l->window};
    pthread_mutex_init(&l->lock, NULL);
    if (!l->work || !l->results || !pool_run_queue(threads, n, &queue))
        l->code = error_memory(l->error);
    pthread_mutex_destroy(&l->lock);
    for (unsigned i = 0; i < threads && l->work; i++)
        cov_work_free(&l->work[i]);
    for (size_t i = 0; i < l->window && l->results; i++) {
        VEC_FREE(&l->results[i].records);
        VEC_FREE(&l->results[i].names);
    }
    free(l->work);
    free(l->results);
    return l->code;
}

/* Drops the functions that are not wanted. Which of several objects a function is of is decided without them. */
static int filter_functions(struct coverage *c, struct apf_error *error)
{
    struct arena arena = {0};
    uint32_t *numbers = arena_array(&arena, c->functions.n, sizeof *numbers); /* new ones */
    size_t n = 0, n_pairs = 0;
    int code = numbers ? APF_OK : error_memory(error);
    for (size_t i = 0; i < c->functions.n && code == APF_OK; i++) {
        const int wanted = c->wants(c->user, &c->functions.data[i]);
        numbers[i] = wanted > 0 ? (uint32_t)n : HASH_INDEX_NONE;
        if (wanted > 0)
            c->functions.data[n++] = c->functions.data[i];
        code = wanted < 0 ? error_memory(error) : APF_OK;
    }
    for (size_t i = 0; i < c->pairs.n && code == APF_OK; i++) {
        const uint64_t pair = c->pairs.data[i];
        const uint32_t number = numbers[(uint32_t)pair];
        if (number != HASH_INDEX_NONE)
            c->pairs.data[n_pairs++] = pair >> 32 << 32 | number;
    }
    if (code == APF_OK) {
        c->functions.n = n;
        c->pairs.n = n_pairs;
    }
    arena_free(&arena);
    return code;
}

/* Sorts the pairs. */
static bool sort_pairs(struct coverage *c)
{
    const size_t n = c->pairs.n;
    if (n < 2)
        return true;
    if (!VEC_RESERVE(&c->pairs, n))
        return false;
    sort_numbers(c->pairs.data, c->pairs.data + n, n);
    VEC_TRIM(&c->pairs);
    return true;
}

int coverage_load(struct coverage *c, struct apf_error *error)
{
    struct loader l = {.c = c, .code = APF_OK, .error = error};
    c->failed_program = UINT32_MAX;
    cov_names_complete(&c->names);
    int code = list_blocks(&l) ? judge_all(&l) : error_memory(error);
    VEC_FREE(&l.blocks);
    VEC_FREE(&c->identity_hashes);
    hash_index_free(&c->identities);
    if (code == APF_OK && c->wants)
        code = filter_functions(c, error);
    for (size_t i = 0; i < c->functions.n; i++)
        c->fits[c->functions.data[i].fit] += c->functions.data[i].unknown;
    return code != APF_OK || sort_pairs(c) ? code : error_memory(error);
}
