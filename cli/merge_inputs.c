/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "merge_inputs.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "numbers.h"

/* Blanks that LLVM trims around the lines of a list. */
#define BLANKS " \t\v\f\r"

static void add_file(struct merge_inputs *inputs, const char *path, uint64_t weight)
{
    if (inputs->n == inputs->capacity) {
        inputs->capacity = inputs->capacity * 2 + 16;
        inputs->data =
            (struct apf_input *)checked_realloc(inputs->data, inputs->capacity, sizeof *inputs->data);
    }
    inputs->data[inputs->n] = apf_input_file(path);
    inputs->data[inputs->n++].weight = weight;
}

static void keep_paths(struct merge_inputs *inputs, char **paths)
{
    if (inputs->n_paths == inputs->paths_capacity) {
        inputs->paths_capacity = inputs->paths_capacity * 2 + 16;
        inputs->paths =
            (char ***)checked_realloc((void *)inputs->paths, inputs->paths_capacity, sizeof *inputs->paths);
    }
    inputs->paths[inputs->n_paths++] = paths;
}

static void add_missing(struct merge_inputs *inputs, const char *path, uint64_t weight)
{
    size_t n = strlen(path) + 1;
    char **paths = (char **)checked_realloc(NULL, sizeof *paths + n, 1);
    paths[0] = (char *)memcpy(paths + 1, path, n);
    keep_paths(inputs, paths);
    inputs->missing =
        (size_t *)checked_realloc(inputs->missing, inputs->n_missing + 1, sizeof *inputs->missing);
    inputs->missing[inputs->n_missing++] = inputs->n;
    add_file(inputs, paths[0], weight);
}

static void add_empty(struct merge_inputs *inputs, const char *path)
{
    inputs->empty =
        (char **)checked_realloc((void *)inputs->empty, inputs->n_empty + 1, sizeof *inputs->empty);
    inputs->empty[inputs->n_empty++] = checked_copy(path);
}

int merge_inputs_add(struct merge_inputs *inputs, const struct session *session, const char *path,
                     uint64_t weight)
{
    struct apf_error error;
    char **paths = NULL;
    size_t n = 0;
    if (!*path) {
        report_error(session, NULL, "the name of an input is empty");
        return session->persona->usage_exit;
    }
    for (size_t i = 0; i < inputs->n && strcmp(path, "-") == 0; i++)
        if (strcmp(inputs->data[i].path, "-") == 0) {
            report_error(session, NULL, "standard input can be given only once");
            return session->persona->usage_exit;
        }
    if (apf_paths_expand(path, &paths, &n, &error) != APF_OK) {
        bool may_be_gone = inputs->output && error.sys_errno == ENOENT;
        if (may_be_gone && strcmp(path, inputs->output) != 0)
            add_missing(inputs, path, weight);
        if (may_be_gone)
            return 0;
        report_failure(session, path, &error);
        return EXIT_DATA;
    }
    keep_paths(inputs, paths);
    if (n == 0)
        add_empty(inputs, path);
    for (size_t i = 0; i < n; i++)
        add_file(inputs, paths[i], weight);
    return 0;
}

/* Expands "~/x" and "~user/x", which a shell does not expand after a comma. The result is for free(). */
static char *expand_tilde(const char *path)
{
    const char *home = NULL, *rest = path;
    if (path[0] == '~') {
        size_t n = strcspn(path + 1, "/");
        char user[256];
        snprintf(user, sizeof user, "%.*s", (int)(n < sizeof user ? n : sizeof user), path + 1);
        const struct passwd *entry = n ? getpwnam(user) : NULL;
        home = n ? (entry ? entry->pw_dir : NULL) : getenv("HOME");
        rest = home ? path + 1 + n : path;
    }
    size_t size = (home ? strlen(home) : 0) + strlen(rest) + 1;
    char *result = (char *)checked_realloc(NULL, size, 1);
    snprintf(result, size, "%s%s", home ? home : "", rest);
    return result;
}

/* Adds "WEIGHT,FILE". 0, or an exit code after a report. */
static int add_weighted(struct merge_inputs *inputs, const struct session *session, const char *text)
{
    size_t n = strcspn(text, ",");
    uint64_t weight = 0;
    if (!parse_decimal(text, n, &weight) || weight == 0) {
        report_error(session, NULL, "input weight must be a positive integer");
        return session->persona->usage_exit;
    }
    if (!text[n] || !text[n + 1]) {
        report_error(session, NULL, "'%s' is a weight without a file: give WEIGHT,FILE", text);
        return session->persona->usage_exit;
    }
    char *path = expand_tilde(text + n + 1);
    int code = merge_inputs_add(inputs, session, path, weight);
    free(path);
    return code;
}

/* Adds a line of a list, which is terminated. 0, or an exit code after a report. */
static int add_line(struct merge_inputs *inputs, const struct session *session, char *line)
{
    line += strspn(line, BLANKS);
    size_t n = strlen(line);
    while (n && strchr(BLANKS, line[n - 1]))
        line[--n] = '\0';
    if (n == 0 || line[0] == '#')
        return 0;
    return strchr(line, ',') ? add_weighted(inputs, session, line)
                             : merge_inputs_add(inputs, session, line, 1);
}

static int add_list(struct merge_inputs *inputs, const struct session *session, const char *path)
{
    size_t n = 0, number = 0;
    char *text = read_whole(path, &n);
    if (!text) {
        report_errno(session, path, errno);
        return EXIT_DATA;
    }
    int code = 0;
    for (size_t at = 0; at < n && code == 0; number++) {
        char *end = (char *)memchr(text + at, '\n', n - at);
        size_t next = end ? (size_t)(end - text) + 1 : n;
        if (end)
            *end = '\0';
        code = add_line(inputs, session, text + at);
        at = next;
    }
    if (code) {
        report_note(session, "this is line %zu of %s", number,
                    strcmp(path, "-") == 0 ? "standard input" : path);
        code = EXIT_DATA;
    }
    free(text);
    return code;
}

int merge_inputs_parse(struct merge_inputs *inputs, const struct session *session,
                       const struct arguments *args)
{
    const struct option_value *weighted = &args->values[OPT_WEIGHTED_INPUT];
    const char *list = option_text(args, OPT_INPUT_FILES, "");
    int code = 0;
    inputs->output = option_flag(args, OPT_DELETE_INPUTS) ? option_text(args, OPT_OUTPUT, "-") : NULL;
    for (size_t i = 0; i < args->n_files && code == 0; i++) {
        if (strcmp(args->files[i], "-") == 0 && strcmp(list, "-") == 0) {
            report_error(session, NULL, "standard input cannot be both a profile and the list of inputs");
            return session->persona->usage_exit;
        }
        code = merge_inputs_add(inputs, session, args->files[i], 1);
    }
    for (size_t i = 0; i < weighted->n_list && code == 0; i++)
        code = add_weighted(inputs, session, weighted->list[i]);
    if (code == 0 && *list)
        code = add_list(inputs, session, list);
    return code;
}

bool merge_inputs_are_empty(const struct merge_inputs *inputs, const struct session *session,
                            const struct arguments *args)
{
    bool nothing = inputs->n == 0 && inputs->n_empty;
    bool expected = option_flag(args, OPT_DELETE_INPUTS) || option_flag(args, OPT_QUIET);
    for (size_t i = 0; i < inputs->n_empty; i++) {
        if (nothing)
            report_error(session, inputs->empty[i], "there are no files in this directory");
        else if (!expected)
            report_warning(session, inputs->empty[i], "there are no files in this directory");
    }
    return nothing;
}

void merge_inputs_free(struct merge_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n_empty; i++)
        free(inputs->empty[i]);
    free((void *)inputs->empty);
    for (size_t i = 0; i < inputs->n_paths; i++)
        apf_paths_free(inputs->paths[i]);
    free((void *)inputs->paths);
    free(inputs->data);
    free(inputs->missing);
    memset(inputs, 0, sizeof *inputs);
}
