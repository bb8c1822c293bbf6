/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof probes desc, list, tree, stats */
#include <stdio.h>
#include <string.h>

#include "limits.h"
#include "places.h"
#include "probes.h"

/* ---- what to read ---- */

/* An apf_diag_fn. */
static int take_finding(void *user, const struct apf_diag *diag)
{
    struct probes_source *source = user;
    char file[4096];
    source->findings++;
    report_error(source->session, printable(file, sizeof file, diag->source), "%s", diag->error->message);
    return 0;
}

int probes_open(struct probes_source *source, const struct session *session, const struct arguments *args,
                const char *path)
{
    struct apf_input input = {path, NULL, 0, NULL, 0}, desc = {NULL, NULL, 0, NULL, 0};
    struct apf_probe_options options = {0};
    struct apf_error error;
    source->session = session;
    options.size = sizeof options;
    options.options = limits_of(args);
    options.options.diag = source->keep_going ? NULL : take_finding;
    options.options.user = source;
    options.flags = source->keep_going || option_flag(args, OPT_KEEP_GOING) ? APF_PROBES_KEEP_GOING : 0;
    options.big_endian = option_flag(args, OPT_BIG_ENDIAN);
    desc.path = option_text(args, OPT_DESC_SECTION, NULL);
    bool sections = option_flag(args, OPT_SECTION) || desc.path;
    int code = sections ? apf_probes_open_sections(&source->probes, path ? &input : NULL,
                                                   desc.path ? &desc : NULL, &options, &error)
                        : apf_probes_open(&source->probes, &input, &options, &error);
    if (code == APF_OK)
        return 0;
    report_failure(session, sections && (!path || error.input == 1) ? desc.path : path, &error);
    return EXIT_DATA;
}

void probes_close(struct probes_source *source)
{
    apf_probes_close(source->probes);
}

/* ---- which ---- */

#define MOST_NAMES ((size_t)10)

/* A GUID as a number, or a name. No function of C or C++ has a name that begins with a digit. */
int probes_function(const struct probes_source *source, const struct arguments *args, uint64_t *guid)
{
    const char *text = option_text(args, OPT_FUNCTION, NULL), *path = args->n_files ? args->files[0] : NULL;
    uint64_t guids[MOST_NAMES];
    char name[1024];
    if (!text || (text[0] >= '0' && text[0] <= '9' && parse_number(text, guid)))
        return 0;
    size_t n = apf_probes_called(source->probes, text, strlen(text), guids, MOST_NAMES);
    *guid = n ? guids[0] : apf_probe_guid(text, strlen(text));
    if (n == 1)
        return 0;
    if (n == 0) {
        report_error(source->session, path, "no function is called '%s'", text);
        return EXIT_DATA;
    }
    report_error(source->session, path, "%zu functions are called %s; give the whole name of one:", n, text);
    for (size_t i = 0; i < n && i < MOST_NAMES; i++)
        report_note(source->session, "%s",
                    printable(name, sizeof name, apf_probes_name(source->probes, guids[i])));
    return EXIT_DATA;
}

/* Addresses are hexadecimal, as every tool prints them. */
static bool parse_address(const char *text, uint64_t *address)
{
    char prefixed[80];
    bool has_prefix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    int n = snprintf(prefixed, sizeof prefixed, "%s%s", has_prefix ? "" : "0x", text);
    return n > 0 && (size_t)n < sizeof prefixed && parse_number(prefixed, address);
}

/* A, or A-B, which is without B. */
static bool parse_range(const char *text, uint64_t *low, uint64_t *high)
{
    const char *dash = strchr(text, '-');
    char first[64];
    size_t n = dash ? (size_t)(dash - text) : strlen(text);
    if (n >= sizeof first)
        return false;
    memcpy(first, text, n);
    first[n] = '\0';
    if (!parse_address(first, low))
        return false;
    if (dash)
        return parse_address(dash + 1, high) && *low < *high;
    *high = *low + (*low != UINT64_MAX); /* no probe is at the last address */
    return true;
}

bool probes_filter(struct apf_probes_print_options *options, const struct session *session,
                   const struct arguments *args)
{
    const char *function = option_text(args, OPT_FUNCTION, NULL);
    const char *address = option_text(args, OPT_ADDRESS, NULL);
    if (function)
        options->flags |= APF_PROBES_ONE_FUNCTION;
    if (address) {
        options->flags |= APF_PROBES_RANGE;
        if (!parse_range(address, &options->low, &options->high)) {
            report_usage(session,
                         "for the --address option: '%s' is neither an address nor a range of them. "
                         "Try 0x1000 or 0x1000-0x2000",
                         address);
            return false;
        }
    }
    return true;
}

/* ---- the commands ---- */

static uint32_t view_of(const struct command *command)
{
    switch (command->bit) {
    case COMMAND_PROBES_LIST:
        return APF_PROBES_LIST;
    case COMMAND_PROBES_TREE:
        return APF_PROBES_TREE;
    case COMMAND_PROBES_STATS:
        return APF_PROBES_STATS;
    default:
        return APF_PROBES_DESC;
    }
}

/* What is wrong with the command line; NULL: nothing. */
const char *probes_objection(const struct arguments *args)
{
    bool desc = option_text(args, OPT_DESC_SECTION, NULL) != NULL;
    if (!args->n_files && !desc)
        return "a FILE is required";
    if (option_flag(args, OPT_BIG_ENDIAN) && !desc && !option_flag(args, OPT_SECTION))
        return "--big-endian is for --section and --desc-section; an ELF file says what it is";
    return NULL;
}

int cmd_probes(const struct session *session, const struct arguments *args)
{
    struct probes_source source = {0};
    struct apf_probes_print_options options = {0};
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_error error;
    const char *wrong = probes_objection(args), *path = args->n_files ? args->files[0] : NULL;
    if (wrong)
        return report_wrong(session, args, wrong);
    if (!probes_filter(&options, session, args))
        return session->persona->usage_exit;
    if (place_is_read(session, args, 1))
        return session->persona->usage_exit;
    options.size = sizeof options;
    options.view = view_of(args->command);
    options.flags |= option_flag(args, OPT_JSON) ? APF_PROBES_JSON : 0;
    int code = probes_open(&source, session, args, path);
    if (!code)
        code = probes_function(&source, args, &options.guid);
    if (!code && apf_probes_print(source.probes, &options, &output, &error) != APF_OK) {
        report_failed_call(session, path, output.path, &error);
        code = EXIT_DATA;
    }
    probes_close(&source);
    return code ? code : source.findings ? EXIT_DATA : 0;
}
