/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs of which only the coverage mapping is there, such as the objects that coverage was kept for: its functions
 * have the hashes that their counts must have. */
#include <anyprof/cov.h>

#include "base/error.h"
#include "report/report_program.h"
#include "report/report_table.h"

/* A function of the programs. */
struct mapped {
    uint32_t name;
    uint32_t state; /* enum report_state of its counts; REPORT_FOREIGN: it has none */
    bool is_stale;  /* the profile has it with other hashes only */
    uint64_t hash;
};

struct mapping_reader {
    struct apf_report *r;
    VEC(struct mapped) list;
    struct hash_index by_name, by_hash; /* the latter by both, each once */
    bool failed;                        /* allocation failed */
};

static uint32_t find_hash(const struct mapping_reader *m, uint32_t name, uint64_t hash)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &m->by_hash, hash_index_mix(&m->by_hash, name, hash),
                    m->list.data[e].name == name && m->list.data[e].hash == hash);
    return e;
}

static uint32_t find_name(const struct mapping_reader *m, uint32_t name)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &m->by_name, hash_index_mix(&m->by_name, name, 0), m->list.data[e].name == name);
    return e;
}

static int add_function(void *user, const struct apf_cov_function *function)
{
    struct mapping_reader *m = (struct mapping_reader *)user;
    if (function->fit == APF_COV_UNUSED) /* no code of it is here */
        return 0;
    const struct mapped made = {report_name(m->r, function->name), REPORT_FOREIGN,
                                function->fit == APF_COV_MISMATCH, function->hash};
    m->failed = made.name == HASH_INDEX_NONE || !hash_index_reserve(&m->by_hash, 1) ||
                !hash_index_reserve(&m->by_name, 1);
    if (m->failed || find_hash(m, made.name, made.hash) != HASH_INDEX_NONE)
        return m->failed;
    const uint32_t e = (uint32_t)m->list.n;
    m->failed = !VEC_PUSH(&m->list, made);
    if (m->failed)
        return 1;
    hash_index_add(&m->by_hash, hash_index_mix(&m->by_hash, made.name, made.hash), e);
    if (find_name(m, made.name) == HASH_INDEX_NONE)
        hash_index_add(&m->by_name, hash_index_mix(&m->by_name, made.name, 0), e);
    return 0;
}

/* The most separators of a name after which the name of a local function may begin. */
#define MOST_SEPARATORS 8u

/* The name that the mapping has of a function: local functions are without the file, which is before a separator. */
static uint32_t find_mapped_name(struct mapping_reader *m, uint32_t name)
{
    const struct apf_str raw = m->r->names.data[name].raw;
    uint32_t found = name;
    for (size_t i = 1, n = 0; i < raw.n && n < MOST_SEPARATORS && find_name(m, found) == HASH_INDEX_NONE; i++)
        if (raw.p[i] == ':' || raw.p[i] == ';') {
            const uint32_t rest = report_find_name(m->r, (struct apf_str){raw.p + i + 1, raw.n - i - 1});
            found = rest != HASH_INDEX_NONE && find_name(m, rest) != HASH_INDEX_NONE ? rest : found;
            n++;
        }
    return found;
}

/* Compares the functions of the profile with those of the programs. */
static void compare_functions(struct mapping_reader *m, uint64_t counts[REPORT_FOREIGN + 1])
{
    for (size_t i = 0; i < m->r->functions.n; i++) {
        struct report_function *f = &m->r->functions.data[i];
        const uint32_t name = find_mapped_name(m, f->name);
        const uint32_t same = find_hash(m, name, f->hash), named = find_name(m, name);
        const bool is_stale = named != HASH_INDEX_NONE && m->list.data[named].is_stale;
        f->state = same != HASH_INDEX_NONE ? REPORT_FITS : is_stale ? REPORT_STALE : REPORT_FOREIGN;
        if (same != HASH_INDEX_NONE)
            m->list.data[same].state = REPORT_FITS;
        else if (is_stale)
            m->list.data[named].state = REPORT_STALE;
        counts[f->state] = report_sum(counts[f->state], f->total);
    }
    m->r->has_states = true;
}

static bool write_tables(struct mapping_reader *m, const uint64_t counts[REPORT_FOREIGN + 1])
{
    const uint64_t n = m->list.n, all = m->r->total;
    uint64_t functions[REPORT_FOREIGN + 1] = {0};
    for (size_t i = 0; i < m->list.n; i++)
        functions[m->list.data[i].state]++;
    if (!report_note_foreign(m->r, functions[REPORT_FITS]))
        return false;
    struct report_table *t =
        REPORT_TABLE(m->r, REPORT_PART_PROGRAM, "Functions of the program", report_count_columns);
    if (!t || !report_count_row(t, "with a coverage mapping", n, n) ||
        !report_count_row(t, "that fit the profile", functions[REPORT_FITS], n) ||
        !report_count_row(t, "stale: their counts are of another hash", functions[REPORT_STALE], n) ||
        !report_count_row(t, "without counts", functions[REPORT_FOREIGN], n))
        return false;
    t = REPORT_TABLE(m->r, REPORT_PART_PROGRAM, "Counts of the profile", report_count_columns);
    return t && report_count_row(t, "that fit the program", counts[REPORT_FITS], all) &&
           report_count_row(t, "of functions with another hash: lost", counts[REPORT_STALE], all) &&
           report_count_row(t, "of functions that the program lacks", counts[REPORT_FOREIGN], all);
}

int report_check_mapping(struct apf_report *r, const struct apf_input *programs, size_t n,
                         const struct apf_input *input, const struct apf_options *common,
                         struct apf_error *error)
{
    const struct apf_cov_options options = {.size = sizeof options,
                                            .options = common,
                                            .programs = programs,
                                            .n_programs = n,
                                            .profiles = input,
                                            .n_profiles = 1};
    struct mapping_reader m = {.r = r};
    uint64_t counts[REPORT_FOREIGN + 1] = {0};
    struct apf_cov *cov;
    int code = apf_cov_open(&cov, &options, error);
    for (int left_out = 0; code == APF_OK && left_out < 2; left_out++)
        code = apf_cov_functions(cov, left_out, add_function, &m, error);
    if (m.failed)
        code = error_memory(error);
    if (code == APF_OK) {
        compare_functions(&m, counts);
        code = !m.failed && write_tables(&m, counts) ? APF_OK : error_memory(error);
    }
    apf_cov_close(cov);
    VEC_FREE(&m.list);
    hash_index_free(&m.by_name);
    hash_index_free(&m.by_hash);
    return code;
}
