/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof bat dump, stats, verify, extract, inject, strip */
#include "bat.h"
#include "command.h"
#include "places.h"

/* Closes the table after a call that wrote to the output. Returns the exit code for the call's result `code`. */
static int finish(struct apf_bat *bat, const struct bat_request *r, int code, const struct apf_error *error)
{
    apf_bat_close(bat);
    return exit_code_of_call(r->base.session, r->path, r->base.output, code, error);
}

/* Parses the arguments and opens the table. 0, or an exit code after a report. */
static int open_table(struct apf_bat **bat, struct bat_request *r, const struct session *session,
                      const struct arguments *args)
{
    int code = bat_parse(r, session, args);
    return code ? code : bat_open(bat, r, r->path);
}

/* ---- commands that print ---- */

static int print_table(const struct session *session, const struct arguments *args,
                       int (*print)(const struct apf_bat *, uint32_t, const struct apf_output *,
                                    struct apf_error *))
{
    struct bat_request r = {0};
    struct apf_error error;
    struct apf_bat *bat;
    int code = open_table(&bat, &r, session, args);
    if (code)
        return code;
    const struct apf_bat_info *info = apf_bat_info(bat);
    if (info->rest_bytes)
        report_warning(session, r.path, "%llu bytes after the tables are not used",
                       (unsigned long long)info->rest_bytes);
    struct apf_output output = apf_output_file(r.base.output);
    uint32_t flags = r.base.json ? APF_BAT_PRINT_JSON : 0;
    code = print(bat, flags, &output, &error);
    return finish(bat, &r, code, &error);
}

int cmd_bat_dump(const struct session *session, const struct arguments *args)
{
    return print_table(session, args, apf_bat_print);
}

int cmd_bat_stats(const struct session *session, const struct arguments *args)
{
    return print_table(session, args, apf_bat_print_stats);
}

/* A file of the table alone is expected to have no symbols. */
static void warn_stripped(const struct apf_bat *bat, const struct session *session, const char *path)
{
    const struct apf_bat_info *info = apf_bat_info(bat);
    if (info->elf_machine && info->n_symbols == 0)
        report_warning(session, path,
                       "it has no symbols of functions: the names and sizes of code are not checked");
}

int cmd_bat_verify(const struct session *session, const struct arguments *args)
{
    struct bat_request r = {0};
    struct apf_bat_verdict verdict = {.size = sizeof verdict};
    struct apf_error error;
    struct apf_bat *bat;
    int code = open_table(&bat, &r, session, args);
    if (code)
        return code;
    struct apf_output output = apf_output_file(r.base.output);
    warn_stripped(bat, session, r.path);
    code = apf_bat_check(bat, r.base.json ? APF_BAT_PRINT_JSON : 0, &output, &verdict, &error);
    code = finish(bat, &r, code, &error);
    return code ? code : verdict.n_findings ? EXIT_DATA : 0;
}

/* ---- commands that write ---- */

int cmd_bat_extract(const struct session *session, const struct arguments *args)
{
    struct bat_request r = {0};
    struct apf_error error;
    struct apf_bat *bat;
    bool convert = option_flag(args, OPT_CONVERT);
    if (!option_text(args, OPT_OUTPUT, NULL))
        return report_wrong(session, args, "-o OUT is required");
    int code = open_table(&bat, &r, session, args);
    if (code)
        return code;
    struct apf_output output = apf_output_file(r.base.output);
    if (convert && apf_bat_info(bat)->encoding != APF_BAT_ENCODING_CURRENT)
        report_note(session, "this older table has no hashes, numbers of blocks and secondary entry points: "
                             "zeros are written");
    code = apf_bat_write(bat, convert ? 0 : APF_BAT_WRITE_AS_STORED, &output, &error);
    return finish(bat, &r, code, &error);
}

/* Writes the program with the section of `bat`, or without a section where `bat` is NULL. Closes the table. */
static int write_program(struct apf_bat *bat, const struct bat_request *r)
{
    struct apf_output output = apf_output_file(r->base.output);
    struct apf_input program = apf_input_file(r->path);
    struct apf_error error;
    output.flags = APF_OUTPUT_EXECUTABLE;
    return finish(bat, r, apf_bat_write_program(bat, &program, &r->base.limits, &output, &error), &error);
}

/* 0, or an exit code after a report. The output may replace the program. */
static int parse_program(struct bat_request *r, const struct session *session, const struct arguments *args)
{
    if (!option_text(args, OPT_OUTPUT, NULL))
        return report_wrong(session, args, "-o OUT is required");
    *r = (struct bat_request){request_of(session, args), args->files[0], NULL};
    return 0;
}

int cmd_bat_inject(const struct session *session, const struct arguments *args)
{
    struct bat_request r = {0};
    struct apf_bat *bat;
    if (args->n_files < 2)
        return report_wrong(session, args, "a FILE and a TABLE are required");
    if (stdin_is_repeated(session, args, 2))
        return session->persona->usage_exit;
    int code = parse_program(&r, session, args);
    if (code == 0)
        code = bat_open(&bat, &r, args->files[1]);
    return code ? code : write_program(bat, &r);
}

int cmd_bat_strip(const struct session *session, const struct arguments *args)
{
    struct bat_request r = {0};
    if (!args->n_files)
        return report_wrong(session, args, "a FILE is required");
    int code = parse_program(&r, session, args);
    return code ? code : write_program(NULL, &r);
}
