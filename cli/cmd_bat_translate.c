/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof bat translate */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bat.h"

#define MOST_COPIES ((size_t)64) /* of one place that are shown */

/* What is asked for, and the answers. */
struct translation {
    const struct session *session;
    const struct arguments *args;
    struct apf_bat *bat;
    uint64_t *addresses;
    size_t n_addresses, room;
    struct apf_bat_place *places;
    size_t n_places, places_room;
    bool reverse, has_original;
};

static void *grow(void *data, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return data;
    *room = *room ? 2 * *room : 64;
    return checked_realloc(data, *room, size);
}

static struct apf_bat_place *new_place(struct translation *t)
{
    t->places = grow(t->places, t->n_places, &t->places_room, sizeof *t->places);
    return &t->places[t->n_places++];
}

/* ---- back ---- */

static void reverse(struct translation *t, uint32_t function, uint32_t offset)
{
    struct apf_bat_place found[MOST_COPIES];
    size_t n = apf_bat_reverse(t->bat, function, offset, found, MOST_COPIES);
    for (size_t i = 0; i < n && i < MOST_COPIES; i++)
        *new_place(t) = found[i];
    struct apf_bat_place nowhere = {UINT64_MAX, APF_BAT_NONE, function, offset, APF_BAT_OUTSIDE};
    if (n == 0)
        *new_place(t) = nowhere;
}

/* FUNCTION+OFFSET, or FUNCTION. Several functions may have the name. */
static bool reverse_name(struct translation *t, const char *word)
{
    const char *plus = strrchr(word, '+');
    size_t n = plus ? (size_t)(plus - word) : strlen(word);
    uint32_t functions[MOST_COPIES];
    uint64_t offset = 0;
    if (plus && (!parse_number(plus + 1, &offset) || offset > UINT32_MAX)) {
        report_error(t->session, NULL, "'%s': the offset behind + is no number", word);
        return false;
    }
    size_t found = apf_bat_called(t->bat, word, n, functions, MOST_COPIES);
    if (found == 0) {
        report_error(t->session, NULL, "no function in the table is called '%.*s'", (int)n, word);
        return false;
    }
    for (size_t i = 0; i < found && i < MOST_COPIES; i++)
        reverse(t, functions[i], (uint32_t)offset);
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
    t->addresses = grow(t->addresses, t->n_addresses, &t->room, sizeof *t->addresses);
    t->addresses[t->n_addresses++] = address;
    return true;
}

static bool take_line(struct translation *t, char *line)
{
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
    while (getline(&line, &room, stdin) >= 0)
        good = take_line(t, line) && good;
    bool read =
        feof(stdin) && !ferror(stdin); /* else a line could not be read, or there was no memory for it */
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

static int print(struct translation *t)
{
    struct apf_output output = {option_text(t->args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_error error;
    uint32_t source = option_flag(t->args, OPT_BRANCH_SOURCE) ? APF_BAT_BRANCH_SOURCE : 0;
    uint32_t flags = option_flag(t->args, OPT_JSON) ? APF_BAT_JSON : 0;
    if (!t->reverse && t->n_addresses) {
        t->places = checked_realloc(t->places, t->n_addresses, sizeof *t->places);
        t->n_places = t->n_addresses;
        apf_bat_translate(t->bat, t->addresses, t->n_addresses, source, t->places);
    }
    flags |= t->reverse ? APF_BAT_REVERSED : 0;
    if (apf_bat_print_places(t->bat, t->places, t->n_places, flags, &output, &error) == APF_OK)
        return 0;
    report_failure(t->session, output.path, &error);
    return EXIT_DATA;
}

int cmd_bat_translate(const struct session *session, const struct arguments *args)
{
    struct translation t = {.session = session, .args = args};
    t.reverse = option_flag(args, OPT_REVERSE);
    if (t.reverse && option_flag(args, OPT_BRANCH_SOURCE))
        return bat_usage(session, args, "--branch-source is for the way to the input, not for --reverse");
    int code = bat_open(&t.bat, session, args);
    if (code)
        return code;
    t.has_original = option_text(args, OPT_ORIGINAL, NULL) != NULL;
    code = bat_original(t.bat, session, args);
    bool good = code == 0 && take_all(&t);
    if (code == 0)
        code = print(&t);
    apf_bat_close(t.bat);
    free(t.addresses);
    free(t.places);
    return code ? code : good ? 0 : EXIT_DATA;
}
