/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifdef ANYPROF_STATIC
#define _DEFAULT_SOURCE /* fgetpwent */
#endif
#include "merge_inputs.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/jobs.h>

#include "memory.h"
#include "numbers.h"

/* Blanks that LLVM trims around the lines of a list. */
#define BLANKS " \t\v\f\r"

/* `found` is `path`, or a file of that directory. */
static void add_file(struct merge_inputs *inputs, const char *path, const char *found, uint64_t weight)
{
    if (inputs->n == inputs->capacity) {
        inputs->capacity = inputs->capacity * 2 + 16;
        inputs->data =
            (struct apf_input *)checked_realloc(inputs->data, inputs->capacity, sizeof *inputs->data);
    }
    inputs->data[inputs->n] = apf_input_found(path, found);
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
    add_file(inputs, paths[0], paths[0], weight);
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
    /* With --delete-inputs the output holds what was removed, so it is an input wherever it is found. */
    const char *output = inputs->removes ? NULL : inputs->output;
    struct apf_skipped skipped = {.size = sizeof skipped};
    struct apf_paths_options options = include_options(inputs->include);
    if (inputs->any_content && !options.include)
        options.include = include_all;
    int code = apf_any_merge_paths(path, &options, output, &paths, &n, &skipped, &error);
    if (code != APF_OK) {
        bool may_be_gone = inputs->removes && error.sys_errno == ENOENT;
        if (may_be_gone && !(inputs->output && strcmp(path, inputs->output) == 0))
            add_missing(inputs, path, weight);
        if (may_be_gone)
            return 0;
        report_failure(session, path, &error);
        return EXIT_DATA;
    }
    keep_paths(inputs, paths);
    skipped_add(&inputs->skipped, &skipped);
    if (n == 0)
        add_empty(inputs, path);
    for (size_t i = 0; i < n; i++)
        add_file(inputs, path, paths[i], weight);
    return 0;
}

#ifdef ANYPROF_STATIC

/* getpwnam would load the libraries that nsswitch.conf names, which this system may have in another version, or not. */
static char *home_of(const struct session *session, const char *user)
{
    FILE *file = fopen("/etc/passwd", "re");
    const struct passwd *entry = NULL;
    while (file && (entry = fgetpwent(file)) != NULL && strcmp(entry->pw_name, user) != 0)
        continue;
    char *home = entry ? checked_copy(entry->pw_dir) : NULL;
    if (file)
        fclose(file);
    if (!home)
        report_note(
            session,
            "this anyprof is linked statically and looks in /etc/passwd only, where there is no user '%s'",
            user);
    return home;
}

#else

static char *home_of(const struct session *session, const char *user)
{
    (void)session;
    const struct passwd *entry = getpwnam(user);
    return entry ? checked_copy(entry->pw_dir) : NULL;
}

#endif

/* Expands "~/x" and "~user/x", which a shell does not expand after a comma. The result is for free(). */
static char *expand_tilde(const struct session *session, const char *path)
{
    const char *home = NULL, *rest = path;
    char *found = NULL;
    if (path[0] == '~') {
        size_t n = strcspn(path + 1, "/");
        char user[256];
        snprintf(user, sizeof user, "%.*s", (int)(n < sizeof user ? n : sizeof user), path + 1);
        found = n ? home_of(session, user) : NULL;
        home = n ? found : getenv("HOME");
        rest = home ? path + 1 + n : path;
    }
    size_t size = (home ? strlen(home) : 0) + strlen(rest) + 1;
    char *result = (char *)checked_realloc(NULL, size, 1);
    snprintf(result, size, "%s%s", home ? home : "", rest);
    free(found);
    return result;
}

/* Adds "WEIGHT,FILE". 0, or an exit code after a report. */
static int add_weighted(struct merge_inputs *inputs, const struct session *session, const char *text)
{
    size_t n = strcspn(text, ",");
    uint64_t weight = 0;
    if (!parse_decimal(text, n, &weight) || weight == 0) {
        report_error(session, NULL, "input weight must be a positive integer");
        if (!session->persona->tool)
            report_note(session, "'%s' is to be WEIGHT,FILE", text);
        return session->persona->usage_exit;
    }
    if (!text[n] || !text[n + 1]) {
        report_error(session, NULL, "'%s' is a weight without a file: give WEIGHT,FILE", text);
        return session->persona->usage_exit;
    }
    char *path = expand_tilde(session, text + n + 1);
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

void merge_inputs_output(struct merge_inputs *inputs, const struct arguments *args)
{
    const char *path = option_text(args, OPT_OUTPUT, "-");
    inputs->output = strcmp(path, "-") == 0 ? NULL : path;
    inputs->include = &args->values[OPT_INCLUDE];
}

int merge_inputs_parse(struct merge_inputs *inputs, const struct session *session,
                       const struct arguments *args)
{
    const struct option_value *weighted = &args->values[OPT_WEIGHTED_INPUT];
    const char *list = option_text(args, OPT_INPUT_FILES, "");
    int code = 0;
    merge_inputs_output(inputs, args);
    inputs->removes = option_flag(args, OPT_DELETE_INPUTS);
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

/* Says which files of directories are no inputs. */
static void report_skipped(const struct session *session, const struct merge_inputs *inputs)
{
    const struct apf_skipped *s = &inputs->skipped;
    if (s->n_output)
        report_note(session, "%s is in a directory of inputs and was not read: it is the output",
                    inputs->output);
    if (s->n_set_aside)
        report_note(
            session, "%" PRIu64 " %s not read: damaged profiles that the runtime has set aside (NAME.bad)",
            s->n_set_aside, s->n_set_aside == 1 ? "file of a directory was" : "files of directories were");
    if (s->n_live)
        report_note(session,
                    "%" PRIu64
                    " %s not read: counters of processes that run or were killed (NAME.live.PID.profraw); "
                    "to merge such a file, give it by name",
                    s->n_live, s->n_live == 1 ? "file of a directory was" : "files of directories were");
    skipped_report(session, s);
}

bool merge_inputs_are_empty(const struct merge_inputs *inputs, const struct session *session,
                            const struct arguments *args)
{
    bool nothing = inputs->n == 0 && inputs->n_empty;
    bool quiet = option_flag(args, OPT_QUIET), expected = inputs->removes || quiet;
    const char *reason = skipped_reason(&inputs->skipped);
    if (!quiet)
        report_skipped(session, inputs);
    for (size_t i = 0; i < inputs->n_empty; i++) {
        if (nothing)
            report_error(session, inputs->empty[i], "%s", reason);
        else if (!expected)
            report_warning(session, inputs->empty[i], "%s", reason);
    }
    return nothing;
}

void merge_inputs_print(const struct merge_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++)
        printf("%" PRIu64 ",%s\n", inputs->data[i].weight, inputs->data[i].path);
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
