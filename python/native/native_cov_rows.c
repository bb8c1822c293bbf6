/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What coverage consists of: lines, functions and regions as rows. A walk of the library runs without the interpreter's
 * lock, and copies what it passes; rows are made afterwards. */
#include "coverage.h"

#include <stdlib.h>
#include <string.h>

#include "rows.h"

/* ---- rows ---- */

static const struct row_field share_fields[] = {
    FIELD(U64, apf_cov_share, n, "how many there are"),
    FIELD(U64, apf_cov_share, covered, "how many of them ran"),
};
SHAPE(shape_cov_share, "anyprof.CoverageShare", share_fields,
      "How many there are, and how many of them ran.");

/* The share at an offset of a structure. */
static PyObject *share_at(const struct native *native, const void *from, size_t offset)
{
    return row_new(native, ROW_COV_SHARE, (const char *)from + offset);
}
#define SHARE(structure, field)                                                                              \
    static PyObject *structure##_##field(const struct native *native, const void *from)                      \
    {                                                                                                        \
        return share_at(native, from, offsetof(struct structure, field));                                    \
    }
SHARE(apf_cov_line, sides)
SHARE(apf_cov_function, regions)
SHARE(apf_cov_function, lines)
SHARE(apf_cov_function, branches)
SHARE(apf_cov_function, mcdc)
SHARE(apf_cov_totals, regions)
SHARE(apf_cov_totals, functions)
SHARE(apf_cov_totals, instantiations)
SHARE(apf_cov_totals, lines)
SHARE(apf_cov_totals, branches)
SHARE(apf_cov_totals, mcdc)

static const struct row_field line_fields[] = {
    FIELD(U64, apf_cov_line, line, "its number, from 1"),
    FIELD(U64, apf_cov_line, count, "how often it ran"),
    FIELD_BY("sides", apf_cov_line_sides, "CoverageShare of the branches in it, two for each"),
};
SHAPE(shape_cov_line, "anyprof.CoverageLine", line_fields, "A line that is code.");

static const struct row_field function_fields[] = {
    FIELD(TEXT, apf_cov_function, name, "its name, as the linker has it"),
    FIELD(PLACE, apf_cov_function, file, "number of its source file in Coverage.files, or None"),
    FIELD(U32, apf_cov_function, line, "where it begins"),
    FIELD(U32, apf_cov_function, column, "where it begins"),
    FIELD(U64, apf_cov_function, count, "how often it ran"),
    FIELD(U64, apf_cov_function, hash, "hash of its source code"),
    FIELD_BY("regions", apf_cov_function_regions, "CoverageShare"),
    FIELD_BY("lines", apf_cov_function_lines, "CoverageShare"),
    FIELD_BY("branches", apf_cov_function_branches, "CoverageShare"),
    FIELD_BY("mcdc", apf_cov_function_mcdc, "CoverageShare of conditions"),
    FIELD(U32, apf_cov_function, fit, "CoverageFit: whether its counts are known; else all are 0"),
    FIELD(U32, apf_cov_function, program, "number of its program, from 0"),
};
SHAPE(shape_cov_function, "anyprof.CoverageFunction", function_fields, "A function with its counts.");

static const struct row_field region_fields[] = {
    FIELD(U32, apf_cov_region, kind, "CoverageRegionKind"),
    FIELD(U32, apf_cov_region, part, "number of the part of the function that it is in, from 0"),
    FIELD(U32, apf_cov_region, expanded, "expansions: number of the part that is expanded"),
    FIELD(PLACE, apf_cov_region, file, "number of the source file in Coverage.files"),
    FIELD(U32, apf_cov_region, line, "where it begins, from 1"),
    FIELD(U32, apf_cov_region, column, "where it begins, from 1"),
    FIELD(U32, apf_cov_region, end_line, "the first place that is not in it"),
    FIELD(U32, apf_cov_region, end_column, "the first place that is not in it"),
    FIELD(U64, apf_cov_region, count, "how often it ran; of branches: was true"),
    FIELD(U64, apf_cov_region, false_count, "branches: how often it was false"),
    FIELD(U32, apf_cov_region, constant,
          "branches: 1 if it is never true by its text, 2 never false, 3 both"),
    FIELD(U32, apf_cov_region, n_conditions, "decisions: how many conditions they have"),
};
SHAPE(shape_cov_region, "anyprof.CoverageRegion", region_fields,
      "A region of the source code of a function.");

static const struct row_field totals_fields[] = {
    FIELD_BY("regions", apf_cov_totals_regions, "CoverageShare"),
    FIELD_BY("functions", apf_cov_totals_functions, "CoverageShare"),
    FIELD_BY("instantiations", apf_cov_totals_instantiations, "CoverageShare"),
    FIELD_BY("lines", apf_cov_totals_lines, "CoverageShare"),
    FIELD_BY("branches", apf_cov_totals_branches, "CoverageShare"),
    FIELD_BY("mcdc", apf_cov_totals_mcdc, "CoverageShare of conditions"),
};
SHAPE(shape_cov_totals, "anyprof.CoverageTotals", totals_fields,
      "The numbers of several source files together.");

static const struct row_field stats_fields[] = {
    FIELD(U64, apf_cov_stats, n_programs, "files that were read"),
    FIELD(U64, apf_cov_stats, n_objects, "objects with coverage in them"),
    FIELD(U64, apf_cov_stats, n_without, "objects without coverage, such as members of archives"),
    FIELD(U64, apf_cov_stats, n_functions, "functions"),
    FIELD(U64, apf_cov_stats, n_files, "source files"),
    FIELD(U64, apf_cov_stats, mismatched, "functions that the profile has only with other hashes"),
    FIELD(U64, apf_cov_stats, short_counters, "functions with fewer counters than their mapping"),
    FIELD(U64, apf_cov_stats, circular, "functions whose counters depend on each other in a circle"),
    FIELD(U64, apf_cov_stats, damaged, "functions whose mapping is damaged"),
    FIELD(U64, apf_cov_stats, ambiguous_files,
          "functions whose list of files cannot be told from another one"),
    FIELD(U64, apf_cov_stats, unused, "functions without code here, which were executed elsewhere"),
    FIELD(U64, apf_cov_stats, duplicates, "functions that a program before has, too"),
    FIELD(U64, apf_cov_stats, other_builds, "programs whose build id the profile does not have"),
    FIELD(U64, apf_cov_stats, unknown_builds, "binary ids of the profile that no program has"),
    FIELD(U64, apf_cov_stats, empty_profiles, "profiles of 0 bytes among others"),
    FIELD(U64, apf_cov_stats, marked_files, "source files with markers, if they are read"),
    FIELD(U64, apf_cov_stats, variant, "what kind of profile it is, as in Info.variant"),
};
SHAPE(shape_cov_stats, "anyprof.CoverageStats", stats_fields,
      "Functions with counts, those whose counts are not known, and those that are left out.");

/* ---- walks ---- */

/* Copies of what a walk passes, `size` bytes each; the names of functions follow each other in `text`. */
struct copies {
    char *data, *text;
    size_t n, size, capacity, n_text, text_capacity;
    bool failed; /* no memory */
};

static bool grow(char **data, size_t *capacity, size_t need)
{
    if (need <= *capacity)
        return true;
    const size_t want = need + need / 2 + 4096;
    char *grown = (char *)realloc(*data, want);
    if (!grown)
        return false;
    *data = grown;
    *capacity = want;
    return true;
}

static int copy(struct copies *c, const void *from)
{
    if (!grow(&c->data, &c->capacity, (c->n + 1) * c->size)) {
        c->failed = true;
        return 1;
    }
    memcpy(c->data + c->n++ * c->size, from, c->size);
    return 0;
}

static int copy_line(void *user, const struct apf_cov_line *line)
{
    return copy((struct copies *)user, line);
}

static int copy_region(void *user, const struct apf_cov_region *region)
{
    return copy((struct copies *)user, region);
}

/* The name's place in `text` stands in for the pointer, since the text may move. */
static int copy_function(void *user, const struct apf_cov_function *function)
{
    struct copies *c = (struct copies *)user;
    struct apf_cov_function f = *function;
    if (!grow(&c->text, &c->text_capacity, c->n_text + f.name.n)) {
        c->failed = true;
        return 1;
    }
    if (f.name.n)
        memcpy(c->text + c->n_text, f.name.p, f.name.n);
    f.name.p = NULL;
    c->n_text += f.name.n;
    return copy(c, &f);
}

static void place_names(struct copies *c)
{
    const char *p = c->text;
    for (size_t i = 0; i < c->n; i++) {
        void *at = c->data + i * c->size;
        struct apf_cov_function *f = (struct apf_cov_function *)at;
        f->name.p = p;
        p += f->name.n;
    }
}

/* A list of rows of the copies, which are freed. */
static PyObject *finish(const struct native *native, struct copies *c, enum row_kind kind, int code,
                        const struct apf_error *error)
{
    PyObject *list = NULL;
    if (c->failed)
        PyErr_NoMemory();
    else if (code != APF_OK)
        raise_error(error);
    else
        list = row_list(native, kind, c->data, c->n, c->size);
    free(c->data);
    free(c->text);
    return list;
}

PyObject *cov_lines(const struct native *native, const struct apf_cov *cov, size_t file)
{
    struct copies c = {.size = sizeof(struct apf_cov_line)};
    struct apf_error error;
    int code;
    UNLOCKED(code = apf_cov_lines(cov, file, copy_line, &c, &error));
    return finish(native, &c, ROW_COV_LINE, code, &error);
}

PyObject *cov_functions(const struct native *native, const struct apf_cov *cov, int left_out)
{
    struct copies c = {.size = sizeof(struct apf_cov_function)};
    struct apf_error error;
    int code;
    UNLOCKED(code = apf_cov_functions(cov, left_out, copy_function, &c, &error));
    place_names(&c);
    return finish(native, &c, ROW_COV_FUNCTION, code, &error);
}

PyObject *cov_regions(const struct native *native, const struct apf_cov *cov, size_t function)
{
    struct copies c = {.size = sizeof(struct apf_cov_region)};
    struct apf_error error;
    int code;
    UNLOCKED(code = apf_cov_regions(cov, function, copy_region, &c, &error));
    return finish(native, &c, ROW_COV_REGION, code, &error);
}
