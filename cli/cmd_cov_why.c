/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof cov why */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "cov.h"
#include "cov_inputs.h"
#include "memory.h"
#include "near_search.h"
#include "report.h"
#include "source_name.h"

/* A search for functions by their names in the source code. */
struct name_search {
    struct demangler names;
    struct source_name wanted;
    struct name_text text;
    char **found; /* the names that programs have for them, each once */
    size_t n;
};

/* An apf_cov_function_fn. */
static int search_name(void *user, const struct apf_cov_function *function)
{
    struct name_search *s = (struct name_search *)user;
    if (!source_name_means(&s->wanted, function->name, demangler_show(&s->names, function->name)))
        return 0;
    const char *name = name_text_set(&s->text, function->name);
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->found[i], name) == 0)
            return 0;
    s->found = (char **)checked_realloc(s->found, s->n + 1, sizeof *s->found);
    s->found[s->n++] = checked_copy(name);
    return 0;
}

/* Finds the names that programs have for a function. */
static void search_names(struct name_search *s, const struct apf_cov *cov)
{
    struct apf_error error;
    for (int left_out = 0; left_out < 2; left_out++)
        (void)apf_cov_functions(cov, left_out, search_name, s, &error);
}

static void name_search_free(struct name_search *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->found[i]);
    free(s->found);
    free(s->text.p);
    source_name_free(&s->wanted);
    demangler_free(&s->names);
}

/* An apf_cov_function_fn. */
static int consider_function(void *user, const struct apf_cov_function *function)
{
    near_search_consider((struct near_search *)user, function->name);
    return 0;
}

/* Notes which functions have names like one that no program has. */
static void report_nearest(const struct session *session, const struct apf_cov *cov, const char *wanted)
{
    struct near_search s;
    struct apf_error error;
    near_search_begin(&s, session, (struct apf_str){wanted, strlen(wanted)});
    for (int left_out = 0; left_out < 2; left_out++)
        (void)apf_cov_functions(cov, left_out, consider_function, &s, &error);
    (void)nearest_names_report(session, &s.near);
    near_search_free(&s);
}

/* Explains the functions of a name in the source code or in the program. 0, or an exit code after a report. */
static int explain_one(struct cov_request *r, const struct apf_cov *cov, const char *wanted)
{
    const struct session *session = r->base.session;
    const struct apf_output output = apf_output_file("-");
    struct name_search s = {.n = 0};
    struct apf_error error;
    int found = 0, code = APF_OK;
    (void)demangler_load(&s.names, session);
    source_name_begin(&s.wanted, wanted);
    search_names(&s, cov);
    for (size_t i = 0; i < (s.n ? s.n : 1) && code == APF_OK; i++) {
        const char *name = s.n ? s.found[i] : wanted;
        code = apf_cov_why(cov, (struct apf_str){name, strlen(name)}, &output, &found, &error);
    }
    name_search_free(&s);
    if (code != APF_OK)
        return exit_code_of_call(session, NULL, output.path, code, &error);
    if (!found && cov_inputs_kind(session, wanted) == COV_FILE_PROGRAM)
        report_note(session, "%s is a program, and here functions are named, after PROGRAM", wanted);
    else if (!found)
        report_nearest(session, cov, wanted);
    return found ? 0 : EXIT_DATA;
}

/* Explains each of the functions that are named. */
static int explain(struct cov_request *r, const struct apf_cov *cov, const struct arguments *args)
{
    int result = 0;
    for (size_t i = r->n_own; i < args->n_files; i++) {
        const int code = explain_one(r, cov, args->files[i]);
        result = code ? code : result;
    }
    return result;
}

int cmd_cov_why(const struct session *session, const struct arguments *args)
{
    struct cov_request r = {.n_sources = 0};
    struct apf_cov *cov = NULL;
    int code = cov_request_parse(&r, session, args);
    if (code == 0 && args->n_files == r.n_own)
        code = report_wrong(session, args, "a FUNCTION is required, after PROGRAM");
    if (code == 0)
        code = cov_request_open(&r, &r.options, &cov);
    if (code == 0)
        code = explain(&r, cov, args);
    apf_cov_close(cov);
    cov_request_free(&r);
    return code;
}
