/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof bat translate */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "bat.h"
#include "command.h"
#include "memory.h"
#include "numbers.h"

struct translate_request {
    struct bat_request bat;
    const char *const *words; /* addresses or functions; n_words 0: lines of standard input */
    size_t n_words;
    bool reverse, branch_source;
    bool streams; /* text for standard output is printed in batches */
};

/* The work on a request. */
struct translation {
    const struct translate_request *request;
    const struct session *session;
    struct apf_bat *bat;
    uint64_t *addresses;
    size_t n_addresses, room;
    struct apf_bat_place *places;
    size_t n_places, places_room;
    uint32_t *functions; /* buffer: the functions of a name */
    size_t functions_room;
    int failed; /* exit code of a batch that could not be printed, or 0 */
};

#define BATCH ((size_t)65536)

static int print_places(struct translation *t);

/* Makes room for `more` elements after the first n. */
static void *grow_array(void *data, size_t n, size_t more, size_t *room, size_t size)
{
    if (more <= *room - n)
        return data;
    *room = *room > more ? 2 * *room : *room + more + 64;
    return checked_realloc(data, *room, size);
}

/* ---- from the input of BOLT to its output ---- */

/* Adds all places of an offset in the input, because BOLT may have copied the code, or the place "nowhere". */
static void add_places(struct translation *t, uint32_t function, uint32_t offset)
{
    const struct apf_bat_place nowhere = {UINT64_MAX, APF_BAT_NONE, function, offset, APF_BAT_PLACE_OUTSIDE};
    size_t n = apf_bat_reverse(t->bat, function, offset, NULL, 0);
    t->places = grow_array(t->places, t->n_places, n + 1, &t->places_room, sizeof *t->places);
    t->places[t->n_places] = nowhere;
    apf_bat_reverse(t->bat, function, offset, t->places + t->n_places, n);
    t->n_places += n ? n : 1;
}

/* Adds the places of FUNCTION+OFFSET or FUNCTION, in all functions of that name. */
static bool reverse_name(struct translation *t, const char *word)
{
    const char *plus = strrchr(word, '+');
    size_t n = plus ? (size_t)(plus - word) : strlen(word);
    uint64_t offset = 0;
    if (plus && (!parse_number(plus + 1, &offset) || offset > UINT32_MAX)) {
        report_error(t->session, NULL, "'%s': the offset after + is not a number", word);
        return false;
    }
    size_t found = apf_bat_find_named(t->bat, (struct apf_str){word, n}, t->functions, t->functions_room);
    if (found == 0) {
        report_error(t->session, NULL, "no function in the table is called '%.*s'", (int)n, word);
        return false;
    }
    if (found > t->functions_room) {
        t->functions = grow_array(t->functions, 0, found, &t->functions_room, sizeof *t->functions);
        apf_bat_find_named(t->bat, (struct apf_str){word, n}, t->functions, found);
    }
    for (size_t i = 0; i < found; i++)
        add_places(t, t->functions[i], (uint32_t)offset);
    return true;
}

static bool reverse_word(struct translation *t, const char *word)
{
    uint64_t address;
    uint32_t offset;
    if (!isdigit((unsigned char)word[0]))
        return reverse_name(t, word);
    if (!parse_number(word, &address)) {
        report_error(t->session, NULL, "'%s' is neither a function nor a number", word);
        return false;
    }
    if (!t->request->bat.original) {
        report_error(t->session, NULL, "'%s' is an address; give --original=FILE to find its function", word);
        return false;
    }
    uint32_t function = apf_bat_find_function(t->bat, address, &offset);
    if (function != APF_BAT_NONE) {
        add_places(t, function, offset);
        return true;
    }
    report_error(t->session, NULL, "no function in the table has the address %s", word);
    return false;
}

/* ---- from the output of BOLT to its input ---- */

static bool add_word(struct translation *t, const char *word)
{
    uint64_t address;
    if (t->request->reverse)
        return reverse_word(t, word);
    if (!parse_number(word, &address)) {
        report_error(t->session, NULL, "'%s' is not an address", word);
        return false;
    }
    t->addresses = grow_array(t->addresses, t->n_addresses, 1, &t->room, sizeof *t->addresses);
    t->addresses[t->n_addresses++] = address;
    return true;
}

static bool add_line(struct translation *t, char *line, size_t n)
{
    if (memchr(line, '\0', n)) {
        report_error(t->session, "<stdin>", "a zero byte in a line");
        return false;
    }
    char *start = line + strspn(line, " \t\r\n"), *end = start + strlen(start);
    while (end > start && strchr(" \t\r\n", end[-1]))
        end--;
    *end = '\0';
    return *start == '\0' || add_word(t, start);
}

static bool add_input(struct translation *t)
{
    char *line = NULL;
    size_t room = 0;
    bool good = true;
    for (ssize_t n; !t->failed && (n = getline(&line, &room, stdin)) >= 0;) {
        good = add_line(t, line, (size_t)n) && good;
        if (t->request->streams && t->n_addresses + t->n_places >= BATCH)
            t->failed = print_places(t);
    }
    /* getline also fails without memory for the line. */
    bool read = t->failed || (feof(stdin) && !ferror(stdin));
    if (!read)
        report_errno(t->session, "<stdin>", errno);
    free(line);
    return good && read;
}

static bool add_all(struct translation *t)
{
    bool good = true;
    if (t->request->n_words == 0)
        return add_input(t);
    for (size_t i = 0; i < t->request->n_words; i++)
        good = add_word(t, t->request->words[i]) && good;
    return good;
}

/* ---- the command ---- */

/* Prints the places that were added, and removes them. 0, or an exit code after a report. */
static int print_places(struct translation *t)
{
    const struct translate_request *r = t->request;
    struct apf_output output = apf_output_file(r->bat.base.output);
    struct apf_error error;
    uint32_t flags = (r->bat.base.json ? APF_BAT_PRINT_JSON : 0) | (r->reverse ? APF_BAT_PRINT_REVERSED : 0);
    if (!r->reverse && t->n_addresses) {
        if (t->places_room < t->n_addresses) {
            t->places = checked_realloc(t->places, t->n_addresses, sizeof *t->places);
            t->places_room = t->n_addresses;
        }
        t->n_places = t->n_addresses;
        apf_bat_translate(t->bat, t->addresses, t->n_addresses,
                          r->branch_source ? APF_BAT_TRANSLATE_BRANCH_SOURCE : 0, t->places);
    }
    int code = apf_bat_print_places(t->bat, t->places, t->n_places, flags, &output, &error);
    t->n_addresses = t->n_places = 0;
    return exit_code(t->session, output.path, code, &error);
}

/* 0, or an exit code after a report. */
static int parse_request(struct translate_request *r, const struct session *session,
                         const struct arguments *args)
{
    r->reverse = option_flag(args, OPT_REVERSE);
    r->branch_source = option_flag(args, OPT_BRANCH_SOURCE);
    r->streams = strcmp(option_text(args, OPT_OUTPUT, "-"), "-") == 0 && !option_flag(args, OPT_JSON);
    if (r->reverse && r->branch_source)
        return report_wrong(session, args, "--branch-source cannot be combined with --reverse");
    r->n_words = args->n_files > 1 ? args->n_files - 1 : 0;
    r->words = r->n_words ? args->files + 1 : NULL;
    return bat_parse(&r->bat, session, args);
}

int cmd_bat_translate(const struct session *session, const struct arguments *args)
{
    struct translate_request r = {0};
    struct translation t = {.request = &r, .session = session};
    int code = parse_request(&r, session, args);
    if (code == 0)
        code = bat_open(&t.bat, &r.bat, r.bat.path);
    if (code)
        return code;
    t.functions = grow_array(NULL, 0, 1, &t.functions_room, sizeof *t.functions);
    bool good = add_all(&t);
    code = t.failed ? t.failed : print_places(&t);
    apf_bat_close(t.bat);
    free(t.addresses);
    free(t.functions);
    free(t.places);
    return code ? code : good ? 0 : EXIT_DATA;
}
