/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof cov why */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "cov.h"
#include "cov_inputs.h"
#include "memory.h"
#include "nearest_names.h"
#include "report.h"

/* A search for functions by their names in the source code. */
struct name_search {
    struct demangler names;
    const char *wanted;
    struct name_text text;
    char **found; /* the names that programs have for them, each once */
    size_t n;
};

/* Whether n bytes are a name, or end with it, after "::". */
static bool ends_with_name(const char *text, size_t n, const char *wanted)
{
    const size_t length = strlen(wanted);
    return n >= length && memcmp(text + n - length, wanted, length) == 0 &&
           (n == length || (n > length + 2 && memcmp(text + n - length - 2, "::", 2) == 0));
}

/* The parts of the name of a function as in its source. */
struct source_name {
    struct apf_str whole;    /* without its parameters and type */
    struct apf_str template; /* also without the arguments of its template */
};

static struct source_name source_name_of(const char *shown)
{
    size_t begin = 0, end = 0, arguments = 0, depth = 0;
    for (; shown[end] && (depth || shown[end] != '('); end++) {
        if (shown[end] == '<' && depth++ == 0)
            arguments = end;
        else if (shown[end] == '>' && depth)
            depth--;
        else if (shown[end] == ' ' && !depth)
            begin = end + 1;
    }
    const bool is_template = end && shown[end - 1] == '>' && arguments > begin;
    return (struct source_name){{shown + begin, end - begin},
                                {shown + begin, (is_template ? arguments : end) - begin}};
}

/* Whether that is the name of a function: whole, or without its parameters and type, and without the arguments of its
 * template, and without its namespaces. */
static bool is_source_name(const char *shown, const char *wanted)
{
    const struct source_name name = source_name_of(shown);
    return strcmp(shown, wanted) == 0 || ends_with_name(name.whole.p, name.whole.n, wanted) ||
           ends_with_name(name.template.p, name.template.n, wanted);
}

/* An apf_cov_function_fn. */
static int search_name(void *user, const struct apf_cov_function *function)
{
    struct name_search *s = (struct name_search *)user;
    const char *shown = name_text_set(&s->text, demangler_show(&s->names, function->name));
    if (!is_source_name(shown, s->wanted))
        return 0;
    const char *name = name_text_set(&s->text, function->name);
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->found[i], name) == 0)
            return 0;
    s->found = (char **)checked_realloc(s->found, s->n + 1, sizeof *s->found);
    s->found[s->n++] = checked_copy(name);
    return 0;
}

/* Finds the names that programs have for a function, if the C++ runtime is there. */
static void search_names(struct name_search *s, const struct apf_cov *cov)
{
    struct apf_error error;
    if (!demangler_try(&s->names))
        return;
    for (int left_out = 0; left_out < 2; left_out++)
        (void)apf_cov_functions(cov, left_out, search_name, s, &error);
}

static void name_search_free(struct name_search *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->found[i]);
    free(s->found);
    free(s->text.p);
    demangler_free(&s->names);
}

/* A search for names that are like one that no program has. */
struct near_search {
    struct nearest_names near;
    struct demangler names;
    struct name_text text;
};

/* The last part of a name, after its namespaces and classes, or the file of a local function. */
static struct apf_str last_part(struct apf_str name)
{
    size_t at = name.n;
    while (at && name.p[at - 1] != ':' && name.p[at - 1] != ';')
        at--;
    return (struct apf_str){name.p + at, name.n - at};
}

/* An apf_cov_function_fn. */
static int consider_function(void *user, const struct apf_cov_function *function)
{
    struct near_search *s = (struct near_search *)user;
    const char *shown = name_text_set(&s->text, demangler_show(&s->names, function->name));
    const struct source_name name = source_name_of(shown);
    return nearest_names_consider(&s->near, (struct apf_str){shown, strlen(shown)}, last_part(name.template));
}

/* Notes which functions have names like that. */
static void report_nearest(const struct session *session, const struct apf_cov *cov, const char *wanted)
{
    struct near_search s = {.names = {.library = NULL}};
    struct apf_error error;
    (void)demangler_try(&s.names);
    const struct apf_str as_given = {wanted, strlen(wanted)};
    char *shown = checked_copy(name_text_set(&s.text, demangler_show(&s.names, as_given)));
    const struct source_name name = source_name_of(shown);
    nearest_names_begin(&s.near, (struct apf_str){shown, strlen(shown)}, last_part(name.template));
    for (int left_out = 0; left_out < 2; left_out++)
        (void)apf_cov_functions(cov, left_out, consider_function, &s, &error);
    (void)nearest_names_report(session, &s.near);
    nearest_names_free(&s.near);
    free(shown);
    demangler_free(&s.names);
    free(s.text.p);
}

/* Explains the functions of a name in the source code or in the program. 0, or an exit code after a report. */
static int explain_one(struct cov_request *r, const struct apf_cov *cov, const char *wanted)
{
    const struct session *session = r->base.session;
    const struct apf_output output = apf_output_file("-");
    struct name_search s = {.wanted = wanted};
    struct apf_error error;
    int found = 0, code = APF_OK;
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
