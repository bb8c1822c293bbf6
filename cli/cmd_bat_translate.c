/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof bat translate */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "bat.h"

/* What is asked for, and the answers. */
struct translation {
    const struct session *session;
    const struct arguments *args;
    struct apf_bat *bat;
    uint64_t *addresses;
    size_t n_addresses, room;
    struct apf_bat_place *places;
    size_t n_places, places_room;
    uint32_t *functions; /* that have a name */
    size_t functions_room;
    bool reverse, has_original;
    bool streams; /* text for standard output: as it comes, in batches */
    int failed;   /* what printing a batch ended with */
};

#define BATCH ((size_t)65536)

static int print(struct translation *t);

/* Room for `more` behind the n there are. */
static void *grow(void *data, size_t n, size_t more, size_t *room, size_t size)
{
    if (more <= *room - n)
        return data;
    *room = *room > more ? 2 * *room : *room + more + 64;
    return checked_realloc(data, *room, size);
}

/* ---- back ---- */

/* Code may have been copied any number of times. */
static void reverse(struct translation *t, uint32_t function, uint32_t offset)
{
    const struct apf_bat_place nowhere = {UINT64_MAX, APF_BAT_NONE, function, offset, APF_BAT_OUTSIDE};
    size_t n = apf_bat_reverse(t->bat, function, offset, NULL, 0);
    t->places = grow(t->places, t->n_places, n + 1, &t->places_room, sizeof *t->places);
    t->places[t->n_places] = nowhere;
    apf_bat_reverse(t->bat, function, offset, t->places + t->n_places, n);
    t->n_places += n ? n : 1;
}

/* FUNCTION+OFFSET, or FUNCTION. Several functions may have the name. */
static bool reverse_name(struct translation *t, const char *word)
{
    const char *plus = strrchr(word, '+');
    size_t n = plus ? (size_t)(plus - word) : strlen(word);
    uint64_t offset = 0;
    if (plus && (!parse_number(plus + 1, &offset) || offset > UINT32_MAX)) {
        report_error(t->session, NULL, "'%s': the offset behind + is no number", word);
        return false;
    }
    size_t found = apf_bat_called(t->bat, word, n, t->functions, t->functions_room);
    if (found == 0) {
        report_error(t->session, NULL, "no function in the table is called '%.*s'", (int)n, word);
        return false;
    }
    if (found > t->functions_room) {
        t->functions = grow(t->functions, 0, found, &t->functions_room, sizeof *t->functions);
        apf_bat_called(t->bat, word, n, t->functions, found);
    }
    for (size_t i = 0; i < found; i++)
        reverse(t, t->functions[i], (uint32_t)offset);
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
    if (!t->has_original) {
        report_error(t->session, NULL, "'%s' is an address; to find its function, --original=FILE is needed",
                     word);
        return false;
    }
    uint32_t function = apf_bat_function_at(t->bat, address, &offset);
    if (function != APF_BAT_NONE) {
        reverse(t, function, offset);
        return true;
    }
    report_error(t->session, NULL, "no function in the table has the address %s", word);
    return false;
}

/* ---- forth ---- */

static bool take_word(struct translation *t, const char *word)
{
    uint64_t address;
    if (t->reverse)
        return reverse_word(t, word);
    if (!parse_number(word, &address)) {
        report_error(t->session, NULL, "'%s' is no address", word);
        return false;
    }
    t->addresses = grow(t->addresses, t->n_addresses, 1, &t->room, sizeof *t->addresses);
    t->addresses[t->n_addresses++] = address;
    return true;
}

static bool take_line(struct translation *t, char *line, size_t n)
{
    if (memchr(line, '\0', n)) {
        report_error(t->session, "<stdin>", "a zero byte in a line");
        return false;
    }
    char *start = line + strspn(line, " \t\r\n"), *end = start + strlen(start);
    while (end > start && strchr(" \t\r\n", end[-1]))
        end--;
    *end = '\0';
    return *start == '\0' || take_word(t, start);
}

static bool take_input(struct translation *t)
{
    char *line = NULL;
    size_t room = 0;
    bool good = true;
    for (ssize_t n; !t->failed && (n = getline(&line, &room, stdin)) >= 0;) {
        good = take_line(t, line, (size_t)n) && good;
        if (t->streams && t->n_addresses + t->n_places >= BATCH)
            t->failed = print(t);
    }
    /* Else a line could not be read, or there was no memory for it. */
    bool read = t->failed || (feof(stdin) && !ferror(stdin));
    if (!read)
        report_errno(t->session, "<stdin>", errno);
    free(line);
    return good && read;
}

static bool take_all(struct translation *t)
{
    bool good = true;
    if (t->args->n_files < 2)
        return take_input(t);
    for (size_t i = 1; i < t->args->n_files; i++)
        good = take_word(t, t->args->files[i]) && good;
    return good;
}

/* ---- the command ---- */

/* What there is, and forgets it. */
static int print(struct translation *t)
{
    struct apf_output output = {option_text(t->args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_error error;
    uint32_t source = option_flag(t->args, OPT_BRANCH_SOURCE) ? APF_BAT_BRANCH_SOURCE : 0;
    uint32_t flags = option_flag(t->args, OPT_JSON) ? APF_BAT_JSON : 0;
    if (!t->reverse && t->n_addresses) {
        if (t->places_room < t->n_addresses) {
            t->places = checked_realloc(t->places, t->n_addresses, sizeof *t->places);
            t->places_room = t->n_addresses;
        }
        t->n_places = t->n_addresses;
        apf_bat_translate(t->bat, t->addresses, t->n_addresses, source, t->places);
    }
    flags |= t->reverse ? APF_BAT_REVERSED : 0;
    int code = apf_bat_print_places(t->bat, t->places, t->n_places, flags, &output, &error);
    t->n_addresses = t->n_places = 0;
    if (code == APF_OK)
        return 0;
    report_failure(t->session, output.path, &error);
    return EXIT_DATA;
}

int cmd_bat_translate(const struct session *session, const struct arguments *args)
{
    struct translation t = {.session = session, .args = args};
    t.reverse = option_flag(args, OPT_REVERSE);
    if (t.reverse && option_flag(args, OPT_BRANCH_SOURCE))
        return report_wrong(session, args, "--branch-source is for the way to the input, not for --reverse");
    int code = bat_open(&t.bat, session, args);
    if (code)
        return code;
    t.has_original = option_text(args, OPT_ORIGINAL, NULL) != NULL;
    code = bat_original(t.bat, session, args);
    t.functions = grow(NULL, 0, 1, &t.functions_room, sizeof *t.functions);
    t.streams = strcmp(option_text(args, OPT_OUTPUT, "-"), "-") == 0 && !option_flag(args, OPT_JSON);
    bool good = code == 0 && take_all(&t);
    if (code == 0)
        code = t.failed ? t.failed : print(&t);
    apf_bat_close(t.bat);
    free(t.addresses);
    free(t.functions);
    free(t.places);
    return code ? code : good ? 0 : EXIT_DATA;
}
