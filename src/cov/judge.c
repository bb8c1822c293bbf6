/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/judge.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "base/sort.h"
#include "cov/function_summary.h"

/* The most source files of a function: one, and those that are included in its body. A mapping of more is damaged,
 * since it would be decoded for each of them. */
#define MOST_NAMES 1024u
/* The most parts of the end of a path that are compared with the beginning of a name. */
#define MOST_PARTS 64u

/* ---- its name and its files ---- */

/* How many bytes of a name are that of the file before it, as local functions have it, and the separator. LLVM knows it
 * only if it is the whole path; here it may be the end of the path, which is what compilers are mostly given. */
static size_t local_prefix(const struct coverage *c, struct apf_str file, struct apf_str name)
{
    if (file.n && name.n > file.n && memcmp(name.p, file.p, file.n) == 0)
        return file.n + 1;
    for (size_t i = 1, parts = 0; i < name.n && i < file.n && parts < MOST_PARTS && !c->strict; i++) {
        const bool begins_part = file.p[file.n - i - 1] == '/';
        parts += begins_part;
        if (begins_part && (name.p[i] == ':' || name.p[i] == ';') &&
            memcmp(name.p, file.p + file.n - i, i) == 0)
            return i + 1;
    }
    return 0;
}

static struct apf_str shown_name(const struct coverage *c, const struct cov_work *w, struct apf_str name)
{
    const struct apf_str file =
        w->mapping.files.n ? c->files.list.data[cov_file_name(w, 0)] : (struct apf_str){NULL, 0};
    const size_t n = local_prefix(c, file, name);
    return (struct apf_str){name.p + n, name.n - n};
}

/* The hash of the name of the function that was opened and of its files, in order. Functions with one hash are taken
 * for one, so it has the table's key: the maker of a program cannot choose it. */
static uint64_t identify(const struct coverage *c, const struct cov_work *w, struct apf_str name)
{
    const uint64_t key = c->identities.key;
    uint64_t identity = XXH3_64bits_withSeed(name.p, name.n, key);
    for (uint32_t i = 0; i < w->mapping.files.n; i++) {
        const uint64_t words[2] = {identity, cov_file_name(w, i)};
        identity = XXH3_64bits_withSeed(words, sizeof words, key);
    }
    return identity;
}

/* Sets w->names to the numbers of the source files of the function that was opened, each once. */
static int list_names(struct cov_work *w, struct apf_error *error)
{
    const size_t n = w->mapping.files.n;
    w->names.n = 0;
    if (!VEC_RESERVE(&w->names, 2 * n))
        return error_memory(error);
    uint64_t *names = w->names.data;
    size_t n_names = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t name = cov_file_name(w, i);
        if (n_names == 0 || names[n_names - 1] != name) /* most are macros of the file itself */
            names[n_names++] = name;
    }
    if (n_names > 1)
        sort_numbers(names, names + n_names, n_names);
    for (size_t i = 0; i < n_names; i++)
        if (i == 0 || names[i] != names[i - 1])
            names[w->names.n++] = names[i];
    return APF_OK;
}

/* ---- whether it is shown ---- */

/* Whether a marker leaves out all of the function that was opened: the first region of its main file. */
static int is_excluded(const struct coverage *c, struct cov_work *w, bool *excluded, struct apf_error *error)
{
    uint32_t main;
    *excluded = false;
    const int code = c->exclusions.files.n ? cov_main_file(w, &main, error) : APF_OK;
    if (code != APF_OK || !c->exclusions.files.n || main == UINT32_MAX)
        return code;
    for (uint32_t i = w->mapping.starts.data[main]; i < w->mapping.starts.data[main + 1]; i++) {
        const struct region *r = &w->mapping.regions.data[i];
        if (!region_is_span(r))
            continue;
        const struct excluded_lines *e = exclusions_of(&c->exclusions, cov_file_name(w, main));
        const struct line_range *range = e ? line_ranges_find(&e->lines, r->line) : NULL;
        *excluded = range && range->last >= r->end_line;
        break;
    }
    return APF_OK;
}

static bool has_line_feed(struct apf_str text)
{
    return text.n && memchr(text.p, '\n', text.n);
}

/* Whether the name of a function, or of one of the source files that were listed, has a line feed, as no compiler writes
 * them: it would forge lines of outputs. */
static bool has_forged_name(const struct coverage *c, const struct cov_work *w, struct apf_str name)
{
    bool found = has_line_feed(name);
    for (size_t i = 0; i < w->names.n && !found; i++)
        found = has_line_feed(c->files.list.data[w->names.data[i]]);
    return found;
}

/* Decides whether a record is shown: *fit is why not. */
static int find_fit(const struct coverage *c, const struct cov_object *o, const struct cov_record *record,
                    struct cov_work *w, enum apf_cov_fit *fit, struct apf_error *error)
{
    enum counters_verdict verdict = COUNTERS_OK;
    *fit = APF_COV_AMBIGUOUS;
    if (o->units.data[record->unit].ambiguous)
        return APF_OK;
    int code = coverage_open_record(c, o, record, w, error);
    *fit = APF_COV_DAMAGED;
    if (code != APF_OK)
        return code == APF_BAD_COVERAGE && !c->strict ? APF_OK : code;
    c->lookup(c->user, record->name, record->hash, &w->counts);
    bool no;
    code = list_names(w, error);
    if (code == APF_OK && w->names.n > MOST_NAMES && c->strict)
        return error_plain(error, APF_BAD_COVERAGE, "mapping.files", "a function has too many source files");
    if (code != APF_OK || w->names.n > MOST_NAMES)
        return code;
    if (!c->strict && has_forged_name(c, w, cov_names_text(&c->names, record->name)))
        return APF_OK;
    code = is_excluded(c, w, &no, error);
    *fit = APF_COV_EXCLUDED;
    if (code != APF_OK || no)
        return code;
    /* a function without code here has no hash that could fit; LLVM calls that a mismatch, too */
    const bool dummy = record->hash == 0 && mapping_is_dummy(record->mapping, record->size);
    *fit = dummy && !c->strict ? APF_COV_UNUSED : APF_COV_MISMATCH;
    if (w->counts.match == COUNTS_MISMATCH)
        return APF_OK;
    const struct mapping *m = &w->mapping;
    const struct counts *counts = &w->counts.counts;
    *fit = APF_COV_UNUSED;
    if (m->regions.n == 1 && counter_is_zero(m->regions.data[0].counter) && counts->n && counts_at(counts, 0))
        return APF_OK;
    if (!mapping_evaluate(&w->mapping, counts, !c->strict, &verdict))
        return error_memory(error);
    *fit = verdict == COUNTERS_MISSING ? APF_COV_SHORT_COUNTERS
           : verdict == COUNTERS_CYCLE ? APF_COV_CIRCULAR
                                       : APF_COV_FITS;
    return APF_OK;
}

int judge(const struct coverage *c, uint32_t object, uint32_t number, struct cov_work *w, struct judgement *j,
          struct apf_error *error)
{
    const struct cov_object *o = &c->objects[object];
    const struct cov_record *record = &o->records.data[number];
    struct cov_function *f = &j->f;
    enum apf_cov_fit fit;
    const int code = find_fit(c, o, record, w, &fit, error);
    *f = (struct cov_function){
        .object = object, .record = number, .main_file = HASH_INDEX_NONE, .fit = (uint8_t)fit};
    f->unknown = fit != APF_COV_FITS && fit <= LAST_UNKNOWN && !c->strict;
    j->shown = code == APF_OK && (fit == APF_COV_FITS || f->unknown);
    if (!j->shown)
        return code;
    if (f->unknown)
        coverage_forget_counts(w);
    f->slot = w->counts.slot;
    f->name = shown_name(c, w, cov_names_text(&c->names, record->name));
    j->identity = identify(c, w, f->name);
    return APF_OK;
}
