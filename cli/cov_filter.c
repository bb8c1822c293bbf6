/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov_filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "report.h"

#define MILLION 1000000.0
#define LIST_ENTRY "allowlist_fun:"

/* Reads the functions of a list in the form that sanitizers have, of which other entries are not for coverage. False:
 * errno says why not. */
static bool read_list(struct cov_filter *f, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    const size_t n = sizeof LIST_ENTRY - 1;
    while (getline(&line, &room, file) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, LIST_ENTRY, n) != 0)
            continue;
        f->globs = (char **)checked_realloc(f->globs, f->n_globs + 1, sizeof *f->globs);
        f->globs[f->n_globs++] = checked_copy(line + n);
    }
    free(line);
    return !ferror(file);
}

static int read_lists(struct cov_filter *f, const struct session *session, const struct option_value *lists)
{
    for (size_t i = 0; i < lists->n_list; i++) {
        FILE *file = fopen(lists->list[i], "r");
        const bool read = file && read_list(f, file);
        if (!read)
            report_error(session, lists->list[i], "%s", strerror(errno));
        if (file)
            fclose(file);
        if (!read)
            return EXIT_DATA;
    }
    return 0;
}

static int read_patterns(struct cov_filter *f, const struct session *session,
                         const struct option_value *values)
{
    int code = 0;
    f->patterns = (struct name_pattern *)checked_realloc(NULL, values->n_list + 1, sizeof *f->patterns);
    for (size_t i = 0; i < values->n_list && code == 0; i++) {
        memset(&f->patterns[i], 0, sizeof *f->patterns);
        code = name_pattern_parse(&f->patterns[i], session, "--name-regex", values->list[i]);
        f->n_patterns += code == 0;
    }
    return code;
}

int cov_filter_parse(struct cov_filter *f, const struct session *session, const struct arguments *args,
                     bool strict)
{
    static const enum option_id limits[FUNCTION_LIMITS] = {OPT_COV_REGION_LT, OPT_COV_REGION_GT,
                                                           OPT_COV_LINE_LT, OPT_COV_LINE_GT};
    const struct option_value *names = &args->values[OPT_COV_NAME],
                              *patterns = &args->values[OPT_COV_NAME_REGEX],
                              *lists = &args->values[OPT_COV_NAME_LIST];
    f->parts = names->list;
    f->n_parts = names->n_list;
    f->by_name = names->n_list || patterns->n_list || lists->n_list;
    f->by_source = f->by_name && !strict && demangler_load(&f->names, session) == 0;
    for (size_t i = 0; i < FUNCTION_LIMITS; i++) {
        f->given[i] = args->values[limits[i]].place != 0;
        f->limits[i] = (double)option_number(args, limits[i], 0) / MILLION;
        f->by_share |= f->given[i];
    }
    const int code = read_patterns(f, session, patterns);
    return code ? code : read_lists(f, session, lists);
}

void cov_filter_free(struct cov_filter *f)
{
    for (size_t i = 0; i < f->n_patterns; i++)
        name_pattern_free(&f->patterns[i]);
    free(f->patterns);
    for (size_t i = 0; i < f->n_globs; i++)
        free(f->globs[i]);
    free(f->globs);
    free(f->name.p);
    demangler_free(&f->names);
}

/* Whether one of the names, expressions or lists has the name; -1: out of memory. */
static int has_name(struct cov_filter *f, const char *name)
{
    int matches = 0;
    for (size_t i = 0; i < f->n_parts && !matches; i++)
        matches = strstr(name, f->parts[i]) != NULL;
    for (size_t i = 0; i < f->n_patterns && !matches; i++)
        matches = name_pattern_match(&f->patterns[i], name);
    for (size_t i = 0; i < f->n_globs && !matches; i++)
        matches = fnmatch(f->globs[i], name, FNM_NOESCAPE) == 0;
    return matches;
}

static double percent(const struct apf_cov_share *s)
{
    return s->n ? (double)s->covered / (double)s->n * 100.0 : 0;
}

/* Whether one of the limits is met, as in LLVM. */
static bool has_share(const struct cov_filter *f, const struct apf_cov_function *function)
{
    const double regions = percent(&function->regions), lines = percent(&function->lines);
    const bool met[FUNCTION_LIMITS] = {
        [LIMIT_REGION_BELOW] = regions<f->limits[LIMIT_REGION_BELOW], [LIMIT_REGION_ABOVE] = regions> f
                                   ->limits[LIMIT_REGION_ABOVE],
        [LIMIT_LINE_BELOW] =
            lines<f->limits[LIMIT_LINE_BELOW], [LIMIT_LINE_ABOVE] = lines> f->limits[LIMIT_LINE_ABOVE]};
    bool any = false;
    for (size_t i = 0; i < FUNCTION_LIMITS; i++)
        any |= f->given[i] && met[i];
    return any;
}

int cov_filter_wants(struct cov_filter *f, const struct apf_cov_function *function)
{
    int named = f->by_name ? has_name(f, name_text_set(&f->name, function->name)) : 1;
    if (named == 0 && f->by_source)
        named = has_name(f, name_text_set(&f->name, demangler_show(&f->names, function->name)));
    if (named <= 0)
        return named;
    return !f->by_share || has_share(f, function);
}
