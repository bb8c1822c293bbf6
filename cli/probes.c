/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probes.h"

#include <stdio.h>
#include <string.h>

#include "name_candidates.h"
#include "near_search.h"
#include "numbers.h"
#include "places.h"

#define MOST_NAMES ((size_t)10)

/* ---- the request ---- */

/* Addresses are hexadecimal, as every tool prints them. */
bool probes_parse_address(const char *text, uint64_t *address)
{
    char prefixed[80];
    bool has_prefix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    int n = snprintf(prefixed, sizeof prefixed, "%s%s", has_prefix ? "" : "0x", text);
    return n > 0 && (size_t)n < sizeof prefixed && parse_number(prefixed, address);
}

/* A, or A-B, which does not include B. */
static bool parse_range(const char *text, uint64_t *low, uint64_t *high)
{
    const char *dash = strchr(text, '-');
    char first[64];
    size_t n = dash ? (size_t)(dash - text) : strlen(text);
    if (n >= sizeof first)
        return false;
    memcpy(first, text, n);
    first[n] = '\0';
    if (!probes_parse_address(first, low))
        return false;
    if (dash)
        return probes_parse_address(dash + 1, high) && *low < *high;
    *high = *low + (*low != UINT64_MAX); /* there is no probe at the last address */
    return true;
}

/* What is wrong with the options and the files; NULL: nothing. */
static const char *find_wrong(const struct probes_request *r)
{
    if (!r->path && !r->desc_section)
        return "a FILE is required";
    if (r->big_endian && !r->sections)
        return "--big-endian needs --section or --desc-section; an ELF file states its byte order";
    return NULL;
}

int probes_parse(struct probes_request *r, const struct session *session, const struct arguments *args)
{
    r->base = request_of(session, args);
    shown_names_begin(&r->names, session, args);
    r->path = args->n_files ? args->files[0] : NULL;
    r->desc_section = option_text(args, OPT_DESC_SECTION, NULL);
    r->sections = option_flag(args, OPT_SECTION) || r->desc_section;
    r->big_endian = option_flag(args, OPT_BIG_ENDIAN);
    r->keep_going = option_flag(args, OPT_KEEP_GOING);
    r->function = option_text(args, OPT_FUNCTION, NULL);
    r->address = option_text(args, OPT_ADDRESS, NULL);
    const char *wrong = find_wrong(r);
    if (wrong)
        return report_wrong(session, args, wrong);
    if (r->address && !parse_range(r->address, &r->low, &r->high)) {
        report_usage(session,
                     "--address takes an address or a range, such as 0x1000 or 0x1000-0x2000, not '%s'",
                     r->address);
        return session->persona->usage_exit;
    }
    return place_is_read(session, args, 1) ? session->persona->usage_exit : 0;
}

void probes_request_free(struct probes_request *r)
{
    shown_names_free(&r->names);
}

/* ---- the file ---- */

/* An apf_diag_fn; `user` is a struct probes_source. */
static int report_finding(void *user, const struct apf_diag *diag)
{
    struct probes_source *source = user;
    char file[4096];
    source->findings++;
    report_error(source->session, printable(file, sizeof file, diag->source), "%s", diag->error->message);
    return 0;
}

int probes_open(struct probes_source *source, const struct probes_request *r, const char *path)
{
    struct apf_input input = apf_input_file(path), desc = apf_input_file(r->desc_section);
    struct apf_probe_options options = {.size = sizeof options};
    struct apf_error error;
    source->session = r->base.session;
    struct apf_options common = r->base.limits;
    common.diag = source->ignores_damage ? NULL : report_finding;
    common.user = source;
    options.options = &common;
    options.flags = (source->ignores_damage || r->keep_going ? APF_PROBES_OPEN_KEEP_GOING : 0) |
                    (source->any_program ? APF_PROBES_OPEN_WITHOUT_PROBES : 0);
    options.big_endian = r->big_endian;
    int code = r->sections ? apf_probes_open_sections(&source->probes, path ? &input : NULL,
                                                      desc.path ? &desc : NULL, &options, &error)
                           : apf_probes_open(&source->probes, &input, &options, &error);
    if (code == APF_OK)
        return 0;
    report_failure(source->session, r->sections && (!path || error.input == 1) ? desc.path : path, &error);
    return EXIT_DATA;
}

/* Notes the functions with names like that of --function. */
static void report_near(const struct probes_source *source, const struct probes_request *r)
{
    struct near_search near;
    near_search_begin(&near, source->session, (struct apf_str){r->function, strlen(r->function)});
    for (size_t i = 0; apf_probes_desc(source->probes, i); i++)
        near_search_consider(&near, apf_probes_desc(source->probes, i)->name);
    (void)nearest_names_report(source->session, &near.near);
    near_search_free(&near);
}

/* Finds the function that --function means as a name of the source code. 0, or an exit code after a report. */
static int find_by_source(const struct probes_source *source, const struct probes_request *r, uint64_t *guid)
{
    const struct apf_probes *probes = source->probes;
    struct name_candidates c;
    int code = EXIT_DATA;
    name_candidates_begin(&c, source->session, r->function);
    for (size_t i = 0; apf_probes_desc(probes, i); i++)
        name_candidates_consider(&c, apf_probes_desc(probes, i)->name, apf_probes_desc(probes, i)->guid);
    for (size_t i = 0; apf_probes_node(probes, i); i++) /* a node may have no descriptor */
        if (!apf_probes_find_desc(probes, apf_probes_node(probes, i)->guid))
            name_candidates_consider(&c, apf_probes_name(probes, apf_probes_node(probes, i)->guid),
                                     apf_probes_node(probes, i)->guid);
    if (c.n == 1) {
        *guid = c.list[0].id;
        code = 0;
    } else if (c.n) {
        name_candidates_report(&c, source->session, r->path);
    } else {
        report_error(source->session, r->path, "no function is called '%s'", r->function);
        report_near(source, r);
    }
    name_candidates_free(&c);
    return code;
}

/* --function is a number or a name. No function of C or C++ has a name that begins with a digit. */
int probes_function(const struct probes_source *source, const struct probes_request *r, uint64_t *guid)
{
    const char *text = r->function;
    uint64_t guids[MOST_NAMES];
    char name[1024];
    if (!text || (text[0] >= '0' && text[0] <= '9' && parse_number(text, guid)))
        return 0;
    size_t n = apf_probes_find_named(source->probes, (struct apf_str){text, strlen(text)}, guids, MOST_NAMES);
    *guid = n ? guids[0] : apf_probe_guid((struct apf_str){text, strlen(text)});
    if (n == 1)
        return 0;
    if (n == 0)
        return find_by_source(source, r, guid);
    report_error(source->session, r->path, "%zu functions are called %s; give the whole name of one:", n,
                 text);
    for (size_t i = 0; i < n && i < MOST_NAMES; i++)
        report_note(source->session, "%s",
                    printable(name, sizeof name, apf_probes_name(source->probes, guids[i])));
    return EXIT_DATA;
}
