/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "file_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/jobs.h>

#include "memory.h"
#include "places.h"

void file_list_free(struct file_list *list)
{
    for (size_t i = 0; i < list->n_paths; i++)
        apf_paths_free(list->paths[i]);
    free(list->paths);
    free(list->data);
}

/* `found` is `path`, or a file of that directory. */
static void add_file(struct file_list *list, const char *path, const char *found)
{
    if (list->n == list->capacity) {
        list->capacity = list->capacity * 2 + 16;
        list->data = (struct apf_input *)checked_realloc(list->data, list->capacity, sizeof *list->data);
    }
    list->data[list->n++] = apf_input_found(path, found);
}

/* A path that does not exist stays in the list; the reader of the files reports it. So does a directory that is one
 * recording. */
static bool add_path(struct file_list *list, const struct session *session, const struct arguments *args,
                     const char *path)
{
    struct apf_error error;
    struct apf_skipped skipped = {.size = sizeof skipped};
    struct apf_paths_options options = include_options(&args->values[OPT_INCLUDE]);
    char **paths;
    size_t n;
    if (list->any_recording && apf_is_recording_directory(path)) {
        add_file(list, path, path);
        return true;
    }
    apf_paths_fn *find = list->find ? list->find : apf_check_paths;
    int code = find(path, &options, &paths, &n, &skipped, &error);
    if (code != APF_OK) {
        if (error.sys_errno != ENOENT) {
            report_failure(session, path, &error);
            return false;
        }
        add_file(list, path, path);
        return true;
    }
    skipped_add(&list->skipped, &skipped);
    list->paths = (char ***)checked_realloc(list->paths, list->n_paths + 1, sizeof *list->paths);
    list->paths[list->n_paths++] = paths;
    for (size_t i = 0; i < n; i++)
        add_file(list, path, paths[i]);
    return true;
}

int file_list_parse(struct file_list *list, const struct session *session, const struct arguments *args)
{
    if (!args->n_files)
        return report_wrong(session, args, "a FILE is required");
    if (stdin_is_repeated(session, args, args->n_files))
        return session->persona->usage_exit;
    for (size_t i = 0; i < args->n_files; i++)
        if (!*args->files[i]) { /* a variable of a script is empty, perhaps */
            report_error(session, NULL, "the name of an input is empty");
            return EXIT_DATA;
        }
    for (size_t i = 0; i < args->n_files; i++)
        if (!add_path(list, session, args, args->files[i]))
            return EXIT_DATA;
    const struct place output = {"output", option_text(args, OPT_OUTPUT, "-"), false};
    if (place_is_input(session, &output, list->data, list->n) || place_is_read(session, args, 0))
        return session->persona->usage_exit;
    skipped_report(session, &list->skipped);
    if (list->n)
        return 0;
    report_error(session, args->files[0], "%s", skipped_reason(&list->skipped));
    return EXIT_DATA;
}
