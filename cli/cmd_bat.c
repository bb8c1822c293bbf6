/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof bat dump, stats, verify, extract, inject, strip */
#include "bat.h"
#include "limits.h"
#include "places.h"

static int open_path(struct apf_bat **bat, const struct session *session, const struct arguments *args,
                     const char *path)
{
    struct apf_options options = limits_of(args);
    struct apf_input input = {path, NULL, 0, NULL, 0};
    struct apf_error error;
    if (apf_bat_open(bat, &input, &options, &error) == APF_OK)
        return 0;
    report_failure(session, path, &error);
    return EXIT_DATA;
}

int bat_open(struct apf_bat **bat, const struct session *session, const struct arguments *args)
{
    *bat = NULL;
    if (!args->n_files)
        return report_wrong(session, args, "a FILE is required");
    if (place_is_read(session, args, 1))
        return session->persona->usage_exit;
    return open_path(bat, session, args, args->files[0]);
}

int bat_original(struct apf_bat *bat, const struct session *session, const struct arguments *args)
{
    struct apf_input input = {option_text(args, OPT_ORIGINAL, NULL), NULL, 0, NULL, 0};
    struct apf_options options = limits_of(args);
    struct apf_error error;
    size_t found = 0, n = apf_bat_info(bat)->n_hot;
    if (!input.path)
        return 0;
    if (apf_bat_original(bat, &input, &options, &found, &error) != APF_OK) {
        report_failure(session, input.path, &error);
        return EXIT_DATA;
    }
    if (found < n)
        report_warning(session, input.path, "%zu of %zu functions are not found there by their names",
                       n - found, n);
    return 0;
}

/* What becomes of a call that writes. */
static int finish(struct apf_bat *bat, const struct session *session, const struct arguments *args,
                  const struct apf_output *output, int code, const struct apf_error *error)
{
    if (code != APF_OK)
        report_failed_call(session, args->files[0], output->path, error);
    apf_bat_close(bat);
    return code == APF_OK ? 0 : EXIT_DATA;
}

int cmd_bat_dump(const struct session *session, const struct arguments *args)
{
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_error error;
    struct apf_bat *bat;
    int code = bat_open(&bat, session, args);
    if (code)
        return code;
    const struct apf_bat_info *info = apf_bat_info(bat);
    if (info->rest_bytes)
        report_warning(session, args->files[0], "%llu bytes behind the tables are not used",
                       (unsigned long long)info->rest_bytes);
    uint32_t flags = option_flag(args, OPT_JSON) ? APF_BAT_JSON : 0;
    bool stats = args->command->bit == COMMAND_BAT_STATS;
    code =
        stats ? apf_bat_print_stats(bat, flags, &output, &error) : apf_bat_print(bat, flags, &output, &error);
    return finish(bat, session, args, &output, code, &error);
}

int cmd_bat_extract(const struct session *session, const struct arguments *args)
{
    struct apf_output output = {option_text(args, OPT_OUTPUT, NULL), NULL, NULL, 0};
    struct apf_error error;
    struct apf_bat *bat;
    bool convert = option_flag(args, OPT_CONVERT);
    if (!output.path)
        return report_wrong(session, args, "-o OUT is required");
    int code = bat_open(&bat, session, args);
    if (code)
        return code;
    if (convert && apf_bat_info(bat)->encoding != APF_BAT_CURRENT)
        report_note(session, "unknown, and 0 now: hashes, numbers of blocks, secondary entry points");
    code = apf_bat_write(bat, convert ? 0 : APF_BAT_AS_STORED, &output, &error);
    return finish(bat, session, args, &output, code, &error);
}

/* Of a table alone nobody expects more. */
static void warn_stripped(const struct apf_bat *bat, const struct session *session, const char *path)
{
    const struct apf_bat_info *info = apf_bat_info(bat);
    if (info->elf_machine && info->n_symbols == 0)
        report_warning(session, path,
                       "it has no symbols of functions: names and sizes of code are not known, and "
                       "not checked");
}

int cmd_bat_verify(const struct session *session, const struct arguments *args)
{
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_bat_verdict verdict = {0};
    struct apf_error error;
    struct apf_bat *bat;
    int code = bat_open(&bat, session, args);
    if (code)
        return code;
    code = bat_original(bat, session, args);
    if (code) {
        apf_bat_close(bat);
        return code;
    }
    warn_stripped(bat, session, args->files[0]);
    code = apf_bat_verify(bat, option_flag(args, OPT_JSON) ? APF_BAT_JSON : 0, &output, &verdict, &error);
    code = finish(bat, session, args, &output, code, &error);
    return code ? code : verdict.n_findings ? EXIT_DATA : 0;
}

/* With the section of `bat`, or without one. Closes it. */
static int put(struct apf_bat *bat, const struct session *session, const struct arguments *args)
{
    struct apf_output output = {option_text(args, OPT_OUTPUT, NULL), NULL, NULL, APF_OUTPUT_EXECUTABLE};
    struct apf_input program = {args->files[0], NULL, 0, NULL, 0};
    struct apf_options options = limits_of(args);
    struct apf_error error;
    int code = apf_bat_put(&program, bat, &output, &options, &error);
    return finish(bat, session, args, &output, code, &error);
}

int cmd_bat_inject(const struct session *session, const struct arguments *args)
{
    struct apf_bat *bat;
    if (args->n_files < 2)
        return report_wrong(session, args, "a FILE and a TABLE are required");
    if (!option_text(args, OPT_OUTPUT, NULL))
        return report_wrong(session, args, "-o OUT is required");
    int code = open_path(&bat, session, args, args->files[1]);
    return code ? code : put(bat, session, args);
}

int cmd_bat_strip(const struct session *session, const struct arguments *args)
{
    if (!args->n_files)
        return report_wrong(session, args, "a FILE is required");
    if (!option_text(args, OPT_OUTPUT, NULL))
        return report_wrong(session, args, "-o OUT is required");
    return put(NULL, session, args);
}
