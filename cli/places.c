/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "places.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
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

static bool find(const char *path, struct stat *st)
{
    return (is_stdout(path) ? fstat(STDOUT_FILENO, st) : stat(path, st)) == 0;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The directory that a file which does not exist would be made in. */
static bool find_directory(const char *path, struct stat *st)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    char *dir = (char *)checked_realloc(NULL, n + 2, 1);
    memcpy(dir, slash ? path : ".", slash ? n : 1);
    dir[slash ? n : 1] = '\0';
    bool found = stat(dir, st) == 0;
    free(dir);
    return found;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether two names lead to one place. Two writers of a device do no harm: it may be the null device, or the terminal
 * that is behind standard output and standard error. */
static bool same_place(const char *a, const char *b)
{
    struct stat x, y;
    bool have_x = find(a, &x), have_y = find(b, &y);
    if (is_stdout(a) && is_stdout(b))
        return true;
    if (have_x || have_y)
        return have_x && have_y && same_file(&x, &y) && !S_ISCHR(x.st_mode);
    return strcmp(last_part(a), last_part(b)) == 0 && find_directory(a, &x) && find_directory(b, &y) &&
           same_file(&x, &y);
}

const char *place_of_report(const struct arguments *args)
{
    return option_text(args, OPT_REPORT, NULL);
}

bool place_is_shared(const struct session *session, const struct place *a, const struct place *b)
{
    if (!a->path || !b->path || !same_place(a->path, b->path))
        return false;
    report_error(session, a->path, "the %s and the %s cannot both be written there", a->what, b->what);
    return true;
}

bool place_is_taken(const struct session *session, const struct arguments *args)
{
    const struct place report = {"report", place_of_report(args)};
    const struct place profile = {"profile", option_text(args, OPT_OUTPUT, "-")};
    return place_is_shared(session, &report, &profile);
}

/* Whether there is a file that an output would replace. */
static bool has_file(const char *path, struct stat *st)
{
    return !is_stdout(path) && stat(path, st) == 0 && S_ISREG(st->st_mode);
}

bool place_has_file(const char *path)
{
    struct stat st;
    return has_file(path, &st) && st.st_size > 0;
}

/* Whether `path` is the file that would be replaced. */
static bool would_go(const char *path, const struct stat *replaced)
{
    struct stat st;
    return stat(path, &st) == 0 && same_file(&st, replaced);
}

/* What the command line was read from. */
static bool holds_arguments(const struct session *session, const struct arguments *args,
                            const struct stat *replaced)
{
    const char *list = option_text(args, OPT_INPUT_FILES, "");
    bool found = *list && strcmp(list, "-") != 0 && would_go(list, replaced);
    for (size_t i = 0; i < session->words->n_files && !found; i++)
        found = would_go(session->words->files[i], replaced);
    return found;
}

/* What completes profiles. */
static bool is_program(const struct arguments *args, const struct stat *replaced)
{
    static const size_t options[] = {OPT_DEBUG_INFO, OPT_BINARY_FILE};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct option_value *v = &args->values[options[i]];
        for (size_t k = 0; k < v->n_list; k++)
            if (would_go(v->list[k], replaced))
                return true;
    }
    return false;
}

bool place_is_input(const struct session *session, const char *what, const char *path,
                    const struct apf_input *inputs, size_t n)
{
    struct stat st;
    if (!has_file(path, &st))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (is_stdout(inputs[i].path) || !would_go(inputs[i].path, &st))
            continue;
        report_error(session, path, "the %s would replace an input", what);
        return true;
    }
    return false;
}

/* The list of inputs, or a response file. */
static bool is_arguments(const struct session *session, const struct arguments *args, const char *what,
                         const char *path, const struct stat *replaced)
{
    if (!holds_arguments(session, args, replaced))
        return false;
    report_error(session, path, "the %s would replace the list of inputs or of arguments", what);
    return true;
}

static bool output_is(const struct session *session, const struct arguments *args, const char *path)
{
    const struct apf_input file = {path, NULL, 0, NULL, 0};
    return place_is_input(session, "output", option_text(args, OPT_OUTPUT, "-"), &file, 1);
}

bool place_is_read(const struct session *session, const struct arguments *args, size_t n_files)
{
    static const size_t options[] = {OPT_DESC_SECTION, OPT_AGAINST, OPT_ORIGINAL};
    static const size_t lists[] = {OPT_AGAINST, OPT_DEBUG_INFO, OPT_BINARY_FILE}; /* --against: of check */
    const char *output = option_text(args, OPT_OUTPUT, "-");
    struct stat st;
    bool found = has_file(output, &st) && is_arguments(session, args, "output", output, &st);
    for (size_t i = 0; i < n_files && i < args->n_files && !found; i++)
        found = output_is(session, args, args->files[i]);
    for (size_t i = 0; i < sizeof options / sizeof *options && !found; i++)
        found = output_is(session, args, option_text(args, options[i], "-"));
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < args->values[lists[k]].n_list && !found; i++)
            found = output_is(session, args, args->values[lists[k]].list[i]);
    return found;
}

/* `what` is to be written to `path`. `inputs` NULL: it may replace an input. */
static bool is_precious(const struct session *session, const struct arguments *args, const char *what,
                        const char *path, const struct merge_inputs *inputs)
{
    struct stat st;
    if (apf_path_is_ours(path)) {
        report_error(session, path, "names like this one are kept for files that anyprof itself removes");
        return true;
    }
    if (!has_file(path, &st))
        return false;
    if (is_arguments(session, args, what, path, &st))
        return true;
    const char *remapping = option_text(args, OPT_REMAPPING_FILE, "-");
    if (!is_stdout(remapping) && would_go(remapping, &st)) {
        report_error(session, path, "the %s would replace the remapping file", what);
        return true;
    }
    if (is_program(args, &st)) {
        report_error(session, path, "the %s would replace a program", what);
        return true;
    }
    return inputs && place_is_input(session, what, path, inputs->data, inputs->n);
}

bool place_is_precious(const struct session *session, const struct arguments *args,
                       const struct merge_inputs *inputs)
{
    const char *report = place_of_report(args);
    return is_precious(session, args, "profile", option_text(args, OPT_OUTPUT, "-"), NULL) ||
           (report && is_precious(session, args, "report", report, inputs));
}
