/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov_inputs.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <anyprof/jobs.h>

#include "advice.h"
#include "command.h"
#include "cov.h"
#include "detect_again.h"
#include "memory.h"
#include "places.h"
#include "report.h"
#include "streams.h"

/* ---- profiles ---- */

static void add_profile(struct cov_profiles *p, const char *path)
{
    p->paths = (char **)checked_realloc(p->paths, p->n + 1, sizeof *p->paths);
    p->paths[p->n++] = checked_copy(path);
}

/* Adds a profile, or those in a directory. 0, or an exit code after a report. */
static int add_profiles_below(struct cov_profiles *p, const struct session *session, const char *path)
{
    char **paths;
    size_t n;
    struct apf_error error;
    const int code = apf_profile_paths(path, NULL, &paths, &n, NULL, &error);
    if (code != APF_OK && session_is_llvm(session)) {
        report_error(session, path, "could not read profile data!%s",
                     error.sys_errno ? strerror(error.sys_errno) : error.message);
        return EXIT_DATA;
    }
    if (code != APF_OK)
        return exit_code(session, path, code, &error);
    for (size_t i = 0; i < n; i++)
        add_profile(p, paths[i]);
    apf_paths_free(paths);
    if (n == 0)
        report_error(session, path, "there is no profile in this directory");
    return n ? 0 : EXIT_DATA;
}

/* Adds what an option names: a file, a directory, or a pattern of the shell. */
static int add_profiles(struct cov_profiles *p, const struct session *session, const char *named)
{
    glob_t found;
    struct stat st;
    int code = 0;
    const bool is_pattern = strpbrk(named, "*?[") && stat(named, &st) != 0;
    if (!is_pattern || glob(named, 0, NULL, &found) != 0)
        return add_profiles_below(p, session, named);
    for (size_t i = 0; i < found.gl_pathc && code == 0; i++)
        code = add_profiles_below(p, session, found.gl_pathv[i]);
    globfree(&found);
    return code;
}

int cov_profiles_find(struct cov_profiles *p, const struct session *session, const struct option_value *named)
{
    int code = 0;
    for (size_t i = 0; i < named->n_list && code == 0; i++)
        code = add_profiles(p, session, named->list[i]);
    p->inputs = stream_inputs(session, (const char *const *)p->paths, p->n);
    return code;
}

void cov_profiles_free(struct cov_profiles *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->paths[i]);
    free(p->paths);
    free(p->inputs);
}

/* ---- what files are ---- */

/* Whether a path leads to bytes that are no text: to a stream, or to a file with a 0 or the magic of an archive at its
 * beginning. */
static bool is_binary(const char *path)
{
    static const char archive[] = "!<";
    char head[4096];
    struct stat st;
    FILE *file = !stream_is(path) && stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    const size_t n = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    return stream_is(path) || (n && memchr(head, 0, n)) ||
           (n >= strlen(archive) && memcmp(head, archive, strlen(archive)) == 0);
}

enum cov_file_kind cov_inputs_kind(const struct session *session, const char *path)
{
    struct apf_file_info info = {.size = sizeof info};
    struct apf_input input;
    if (!detect_again(session, path, &input, &info))
        return COV_FILE_OTHER;
    if (info.kind == APF_KIND_ELF || info.kind == APF_KIND_ARCHIVE)
        return COV_FILE_PROGRAM;
    if (info.kind == APF_KIND_INSTR_TEXT && is_binary(path))
        return COV_FILE_OTHER;
    return apf_file_family(&input) != APF_FAMILY_NONE ? COV_FILE_PROFILE : COV_FILE_OTHER;
}

static bool is_profile(const struct session *session, const char *path)
{
    return cov_inputs_kind(session, path) == COV_FILE_PROFILE;
}

size_t cov_inputs_own(const struct session *session, const struct arguments *args)
{
    const bool has_others =
        args->values[OPT_COV_OBJECT].n_list != 0 || args->values[OPT_COV_DEBUG_DIRECTORY].n_list != 0;
    const size_t least = args->command->bit == COMMAND_BIT(COV_WHY) ? 1 : 0; /* of other arguments */
    if (args->n_files == 0)
        return 0;
    if (!has_others || session_is_llvm(session) || args->command->bit == COMMAND_BIT(COV_DIFF))
        return 1;
    return args->n_files > least && is_binary(args->files[0]);
}

/* Whether a path is that of a directory that has profiles. */
static bool has_profiles(const char *path)
{
    char **paths;
    size_t n;
    struct apf_error error;
    if (!place_is_directory(path) || apf_profile_paths(path, NULL, &paths, &n, NULL, &error) != APF_OK)
        return false;
    apf_paths_free(paths);
    return n != 0;
}

/* ---- what to do ---- */

/* Reports that no profile was given; returns the exit code. */
static int no_profile(const struct session *session, const struct arguments *args)
{
    const int code = report_wrong(session, args, "--profile=FILE is required, or --empty-profile");
    static const char usual[] = "default.profraw"; /* what programs write without LLVM_PROFILE_FILE */
    const char *found = is_profile(session, usual) ? usual : NULL;
    for (size_t i = args->n_files; i-- > 0;)
        if (is_profile(session, args->files[i]) || has_profiles(args->files[i]))
            found = args->files[i];
    if (found)
        report_usage(session, "Did you mean '--profile=%s'?", found);
    return code;
}

int cov_inputs_check(const struct session *session, const struct arguments *args)
{
    const bool empty = option_flag(args, OPT_COV_EMPTY), given = args->values[OPT_COV_PROFILE].n_list != 0;
    const bool any =
        args->n_files || args->values[OPT_COV_OBJECT].n_list || args->values[OPT_COV_DEBUG_DIRECTORY].n_list;
    if (session_is_llvm(session) && empty == given) {
        report_error(session, NULL, "exactly one of -instr-profile and -empty-profile must be specified");
        return EXIT_DATA;
    }
    if (session_is_llvm(session) && !any) {
        fputs("No filenames specified!\n", stderr);
        return EXIT_DATA;
    }
    if (!any)
        return report_wrong(session, args, "a PROGRAM is required");
    if (empty && given)
        return report_wrong(session, args, "--empty-profile and --profile exclude each other");
    return empty || given ? 0 : no_profile(session, args);
}

/* Whether one of the paths is that of the file that an error is about. */
static bool has_path(const struct apf_input *inputs, size_t n, const char *file)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(stream_path(&inputs[i]), file) == 0)
            return true;
    return false;
}

/* Notes what to do about a profile that cannot be read. */
static void advise_profile(const struct cov_request *r, const struct apf_error *error)
{
    const struct session *session = r->base.session;
    const char *program = r->n_own ? stream_path(&r->programs[0]) : NULL;
    if (error->code == APF_UNRECOGNIZED_FORMAT && program && is_profile(session, program))
        report_note(session, "the program and the profile are mixed up: give %s as PROGRAM, and --profile=%s",
                    error->file, program);
    else if (is_profile(session, error->file) && !advice_is_other(session, error->file, error) &&
             !error->sys_errno && apf_code_is_damage(error->code))
        report_note(
            session,
            "remove it, or keep what is intact of all profiles: '%s merge --salvage PROFILES -o FILE', "
            "and --profile=FILE",
            session->persona->invoked);
    else
        advise(session, error->file, error);
}

int cov_inputs_failed(const struct cov_request *r, const struct apf_error *error)
{
    const struct session *session = r->base.session;
    const bool of_program =
        has_path(r->programs, r->options.n_programs, error->file) && error->code != APF_UNRECOGNIZED_FORMAT;
    if (of_program && place_is_directory(error->file)) {
        report_error(session, error->file, "this is a directory, and here programs are named");
        report_note(session, "give a program, a shared library, an object file or an archive in it");
        return EXIT_DATA;
    }
    const int code = exit_code_of_call(session, NULL, NULL, error->code, error);
    if (!of_program && error->code != APF_NO_COVERAGE &&
        has_path(r->profiles.inputs, r->profiles.n, error->file))
        advise_profile(r, error);
    return code;
}
