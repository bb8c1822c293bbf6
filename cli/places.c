/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "places.h"
#include "command.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anyprof/jobs.h>

#include "parent_directory.h"
#include "streams.h"
#include "words.h"

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

bool path_has_end(const char *path, const char *end)
{
    const size_t n = strlen(path), n_end = strlen(end);
    return n > n_end && strcmp(path + n - n_end, end) == 0;
}

bool place_is_terminal(const char *path)
{
    struct stat st;
    if (is_stdout(path))
        return isatty(STDOUT_FILENO) == 1;
    if (stat(path, &st) != 0 || !S_ISCHR(st.st_mode))
        return false;
    int fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool result = isatty(fd) == 1;
    close(fd);
    return result;
}

static bool find_file(const char *path, struct stat *st)
{
    return (is_stdout(path) ? fstat(STDOUT_FILENO, st) : stat(path, st)) == 0;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether two names lead to one place. Devices may have two writers: the null device, or the terminal behind standard
 * output and standard error. */
static bool same_place(const char *a, const char *b)
{
    struct stat x, y;
    bool have_x = find_file(a, &x), have_y = find_file(b, &y);
    if (is_stdout(a) && is_stdout(b))
        return true;
    if (have_x || have_y)
        return have_x && have_y && same_file(&x, &y) && !S_ISCHR(x.st_mode);
    return strcmp(last_part(a), last_part(b)) == 0 && parent_directory_find(a, &x) &&
           parent_directory_find(b, &y) && same_file(&x, &y);
}

bool place_is_shared(const struct session *session, const struct place *a, const struct place *b)
{
    if (!a->path || !b->path || !same_place(a->path, b->path))
        return false;
    report_error(session, a->path, "the %s and the %s cannot both be written there", a->what, b->what);
    return true;
}

/* Whether there is a file that an output would replace. */
static bool has_file(const char *path, struct stat *st)
{
    return !is_stdout(path) && stat(path, st) == 0 && S_ISREG(st->st_mode);
}

bool place_is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Whether `path` is the file that would be replaced; "-" is not. */
static bool is_replaced(const char *path, const struct stat *replaced)
{
    struct stat st;
    return !is_stdout(path) && stat(path, &st) == 0 && same_file(&st, replaced);
}

/* Whether an input, which is standard input where it is "-", is the file that would be replaced. */
static bool input_is_replaced(const char *input, const struct stat *replaced)
{
    struct stat st;
    return is_stdout(input) ? fstat(STDIN_FILENO, &st) == 0 && same_file(&st, replaced)
                            : is_replaced(input, replaced);
}

bool place_is_file(const struct place *place, const char *path)
{
    struct stat st;
    return has_file(place->path, &st) && is_replaced(path, &st);
}

bool place_has_file(const char *path)
{
    struct stat st;
    return has_file(path, &st) && st.st_size > 0;
}

/* Whether the file to be replaced is one of those that an option of kind OPTION_LIST names. */
static bool list_is_replaced(const struct option_value *list, const struct stat *replaced)
{
    for (size_t i = 0; i < list->n_list; i++)
        if (is_replaced(list->list[i], replaced))
            return true;
    return false;
}

/* Whether a path is in an input that is a directory, as recordings of perf are. */
static bool is_in_input(const char *input, const char *path)
{
    struct stat st, parent;
    return !is_stdout(input) && stat(input, &st) == 0 && S_ISDIR(st.st_mode) &&
           parent_directory_find(path, &parent) && same_file(&st, &parent);
}

/* Whether a new file would be taken for a part of a recording that is a directory. */
static bool is_new_part(const char *input, const char *path)
{
    return strncmp(last_part(path), "data", 4) == 0 && is_in_input(input, path) &&
           apf_is_recording_directory(input);
}

bool place_is_input(const struct session *session, const struct place *place, const struct apf_input *inputs,
                    size_t n)
{
    struct stat st;
    const bool there = has_file(place->path, &st);
    char *target = there ? realpath(place->path, NULL) : NULL; /* links lead to it */
    const char *path = target ? target : place->path, *why = NULL;
    for (size_t i = 0; !why && i < n && !is_stdout(path); i++) {
        const char *input = stream_path(&inputs[i]);
        if (there && (is_replaced(input, &st) || is_in_input(input, path)))
            why = "replace an input";
        else if (!there && is_new_part(input, path))
            why = "become a part of an input";
    }
    if (why)
        report_error(session, place->path, "the %s would %s", place->what, why);
    free(target);
    return why != NULL;
}

bool place_is_impossible(const struct session *session, const struct place *place)
{
    struct stat st;
    const char *path = place->path, *why = NULL;
    if (!path || is_stdout(path))
        return false;
    if (stat(path, &st) == 0)
        why = S_ISDIR(st.st_mode) ? "it is a directory" : NULL;
    else if (!parent_directory_find(path, &st))
        why = "its directory does not exist";
    if (why)
        report_error(session, path, "the %s cannot be written there: %s", place->what, why);
    return why != NULL;
}

/* The commands that write programs. */
#define PROGRAM_MAKERS                                                                                       \
    (COMMAND_BIT(BAT_INJECT) | COMMAND_BIT(BAT_STRIP) | COMMAND_BIT(PROBES_EMIT) | COMMAND_BIT(PROBES_ASM))

/* What a file is that this command does not make and would replace; NULL: nothing of worth, as far as its first bytes
 * say. */
static const char *find_original(const struct session *session, const struct place *place)
{
    const bool makes_program = session->command->bit & PROGRAM_MAKERS;
    const struct apf_input input = apf_input_file(place->path);
    if (!place_has_file(place->path))
        return NULL;
    switch (apf_file_glance(&input)) {
    case APF_KIND_ELF:
        return makes_program ? NULL : "a program, or debug information";
    case APF_KIND_INSTR_RAW:
    case APF_KIND_MEMPROF_RAW:
        return "a raw profile";
    case APF_KIND_PERF_DATA:
        return "a recording of perf";
    case APF_KIND_INSTR_INDEXED:
    case APF_KIND_SAMPLE_BINARY:
    case APF_KIND_SAMPLE_GCOV:
    case APF_KIND_PARTIAL:
    case APF_KIND_PARTIAL_SAMPLE:
        return place->is_profile || session_is_llvm(session) ? NULL : "a profile";
    default:
        return NULL;
    }
}

bool place_is_original(const struct session *session, const struct place *place)
{
    const char *what = place->path ? find_original(session, place) : NULL;
    if (what)
        report_error(session, place->path, "the %s would replace %s; remove the file if that is meant",
                     place->what, what);
    return what != NULL;
}

/* Whether the place is the list of inputs, or a response file. True: reported. */
static bool is_arguments(const struct session *session, const struct arguments *args,
                         const struct place *place, const struct stat *replaced)
{
    const char *list = option_text(args, OPT_INPUT_FILES, "");
    bool found = *list && is_replaced(list, replaced);
    for (size_t i = 0; i < session->words->n_files && !found; i++)
        found = is_replaced(session->words->files[i], replaced);
    if (found)
        report_error(session, place->path, "the %s would replace the list of inputs or of arguments",
                     place->what);
    return found;
}

bool stdin_is_repeated(const struct session *session, const struct arguments *args, size_t n_files)
{
    size_t n = 0;
    for (size_t i = 0; i < n_files && i < args->n_files; i++)
        n += strcmp(args->files[i], "-") == 0;
    if (n > 1)
        report_error(session, NULL, "standard input can be given only once");
    return n > 1;
}

/* Whether the file to be replaced is one that an option names, of those that commands read. */
static bool options_are_replaced(const struct arguments *args, const struct stat *replaced)
{
    bool found = false;
    for (const struct option *o = option_table; o->name && !found; o++) {
        if (!(o->commands & args->command->bit) || !option_names_inputs(o))
            continue;
        found = o->kind == OPTION_LIST ? list_is_replaced(&args->values[o->id], replaced)
                                       : is_replaced(option_text(args, o->id, "-"), replaced);
    }
    return found;
}

bool place_replaces(const struct session *session, const struct arguments *args, size_t n_files,
                    const struct place *place)
{
    struct stat st;
    if (!place->path || !has_file(place->path, &st))
        return false;
    if (is_arguments(session, args, place, &st))
        return true;
    bool found = options_are_replaced(args, &st), is_input = false;
    for (size_t i = 0; i < args->n_files && !found && !is_input; i++) {
        is_input = input_is_replaced(args->files[i], &st);
        found = is_input && i < n_files && !is_stdout(args->files[i]);
    }
    if (found)
        report_error(session, place->path, "the %s would replace an input", place->what);
    return found || (!is_input && place_is_original(session, place));
}

bool place_is_read(const struct session *session, const struct arguments *args, size_t n_files)
{
    const struct place output = {"output", option_text(args, OPT_OUTPUT, "-"), false};
    return place_replaces(session, args, n_files, &output);
}

static bool is_one_of(const struct merge_inputs *inputs, const struct stat *replaced)
{
    for (size_t i = 0; i < inputs->n; i++)
        if (input_is_replaced(stream_path(&inputs->data[i]), replaced))
            return true;
    return false;
}

/* Whether a place would replace a file that is read, or an original; the profile may replace an input. True: reported.
 */
static bool is_precious(const struct session *session, const struct arguments *args,
                        const struct place *place, const struct merge_inputs *inputs)
{
    struct stat st;
    if (apf_path_role(place->path) == APF_PATH_OURS) {
        report_error(session, place->path,
                     "names like this one are reserved for files that anyprof removes: choose another");
        return true;
    }
    if (!has_file(place->path, &st))
        return false;
    if (is_arguments(session, args, place, &st))
        return true;
    const char *remapping = option_text(args, OPT_REMAPPING_FILE, "-"), *what = NULL;
    if (is_replaced(remapping, &st))
        what = "the remapping file";
    else if (is_replaced(option_text(args, OPT_SUPPLEMENT, "-"), &st))
        what = "the sample profile";
    else if (is_replaced(option_text(args, OPT_SYMBOL_LIST, "-"), &st))
        what = "the list of all functions";
    else if (list_is_replaced(&args->values[OPT_DEBUG_INFO], &st) ||
             list_is_replaced(&args->values[OPT_BINARY_FILE], &st))
        what = "a program";
    if (what)
        report_error(session, place->path, "the %s would replace %s", place->what, what);
    if (what || (!place->is_profile && place_is_input(session, place, inputs->data, inputs->n)))
        return true;
    return !is_one_of(inputs, &st) && place_is_original(session, place);
}

bool place_is_precious(const struct session *session, const struct arguments *args,
                       const struct merge_inputs *inputs)
{
    const struct place profile = {"profile", option_text(args, OPT_OUTPUT, "-"), true};
    const struct place report = {"report", option_text(args, OPT_REPORT, NULL), false};
    const struct place page = {"page", option_text(args, OPT_HTML, NULL), false};
    return (page.path && is_precious(session, args, &page, inputs)) ||
           is_precious(session, args, &profile, inputs) ||
           (report.path && is_precious(session, args, &report, inputs));
}
