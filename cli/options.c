/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses options as LLVM's command line library does: one or two dashes, "-name=value" or "-name value", never
 * "-ovalue"; the last value of an option wins, except in lists, and where different options name formats; "--" ends
 * the options; "-" is a file. */
#include "options.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "memory.h"
#include "numbers.h"
#include "report.h"
#include "suggest.h"

struct parser {
    struct arguments *args;
    const struct session *session;
    const char *const *words;
    size_t n, next; /* the word after the one being looked at */
    bool wrong;     /* a word was wrong, which is reported */
    bool refused;   /* the value of the last option was wrong */
};

/* An option as it was written. */
struct given {
    const struct option *option;
    const char *name; /* without dashes, not terminated */
    size_t n_name;
    const char *value; /* after the '='; NULL: no '=' */
};

uint64_t option_number(const struct arguments *args, enum option_id id, uint64_t otherwise)
{
    return args->values[id].place ? args->values[id].number : otherwise;
}

void option_set(struct arguments *args, enum option_id id, uint64_t number)
{
    args->values[id].number = number;
    args->values[id].place = SIZE_MAX;
}

bool option_flag(const struct arguments *args, enum option_id id)
{
    return option_number(args, id, 0) != 0;
}

const char *option_text(const struct arguments *args, enum option_id id, const char *otherwise)
{
    return args->values[id].text ? args->values[id].text : otherwise;
}

double option_real(const struct arguments *args, enum option_id id, double otherwise)
{
    double number;
    const char *text = option_text(args, id, NULL);
    return text && parse_real(text, &number) ? number : otherwise;
}

/* Whether the program has LLVM's words for wrong options. */
static bool is_llvm(const struct parser *p)
{
    return session_is_llvm(p->session);
}

/* Reports what is wrong with an option as it was written. */
CLI_PRINTF(3, 4)
static void report_option(struct parser *p, const struct given *given, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report_usage(p->session, is_llvm(p) ? "for the %s%.*s option: %s" : "%s%.*s %s",
                 given->n_name == 1 ? "-" : "--", (int)given->n_name, given->name, text);
    p->wrong = p->refused = true;
}

/* Reports a wrong value of an option, by its long name, whichever name was written. `llvm` is what LLVM says after a
 * value of this kind; NULL: LLVM has no such kind. */
static void report_value(struct parser *p, const struct option *o, const char *value, const char *accepted,
                         const char *llvm)
{
    struct given by_name = {o, o->name, strlen(o->name), NULL};
    if (is_llvm(p))
        report_option(p, &by_name, "'%s' %s%s", value, llvm ? "" : "is not ", llvm ? llvm : accepted);
    else
        report_option(p, &by_name, "takes %s, not '%s'", accepted, value);
}

/* ---- values ---- */

static bool parse_flag(const char *text, uint64_t *number)
{
    static const char *const yes[] = {"", "true", "TRUE", "True", "1"};
    static const char *const no[] = {"false", "FALSE", "False", "0"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (strcmp(text, yes[i]) == 0) {
            *number = 1;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        if (strcmp(text, no[i]) == 0) {
            *number = 0;
            return true;
        }
    }
    return false;
}

/* A percentage, with or without '%'. The number is in millionths of a per cent, so that limits are compared without
 * rounding. */
static bool parse_percent(const char *text, uint64_t *number)
{
    const uint64_t unit = 1000000;
    size_t n = strlen(text), whole = strcspn(text, ".%"), decimals = 0;
    uint64_t per_cent, fraction = 0;
    n -= n && text[n - 1] == '%';
    if (!parse_decimal(text, whole, &per_cent) || per_cent > 100)
        return false;
    if (text[whole] == '.') {
        decimals = n - whole - 1;
        if (decimals > 6 || !parse_decimal(text + whole + 1, decimals, &fraction))
            return false;
    } else if (whole != n)
        return false;
    for (size_t i = decimals; i < 6; i++)
        fraction *= 10;
    *number = per_cent * unit + fraction;
    return *number <= 100 * unit;
}

static void set_number(struct parser *p, const struct option *o, const char *value)
{
    uint64_t number = 0;
    bool narrow = o->kind == OPTION_UINT;
    if (parse_number(value, &number) && (!narrow || number <= UINT32_MAX))
        p->args->values[o->id].number = number;
    else
        report_value(p, o, value,
                     narrow ? "a number from 0 to 4294967295" : "a number from 0 to 18446744073709551615",
                     narrow                  ? "value invalid for uint argument!"
                     : o->kind == OPTION_ULL ? "value invalid for ullong argument!"
                                             : "value invalid for ulong argument!");
}

static void set_depth(struct parser *p, const struct option *o, const char *value)
{
    uint64_t number = UINT32_MAX;
    if (strcmp(value, "-1") != 0 && (!parse_number(value, &number) || number > INT32_MAX))
        report_value(p, o, value, "a number from 0 to 2147483647, or -1 for no limit",
                     "value invalid for integer argument!");
    p->args->values[o->id].number = number;
}

/* Appends the numbers of "A,B,...". */
static void add_numbers(struct parser *p, const struct option *o, const char *value)
{
    struct option_value *v = &p->args->values[o->id];
    for (const char *at = value;; at++) {
        size_t n = strcspn(at, ",");
        char text[64]; /* a longer number is refused */
        uint64_t number = UINT64_MAX;
        snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : 0), at);
        if (!parse_number(text, &number) || number > UINT32_MAX) {
            report_value(p, o, text, "numbers from 0 to 4294967295", "value invalid for uint argument!");
            return;
        }
        v->numbers = (uint32_t *)checked_realloc(v->numbers, v->n_numbers + 1, sizeof *v->numbers);
        v->numbers[v->n_numbers++] = (uint32_t)number;
        at += n;
        if (!*at)
            return;
    }
}

static void set_enum(struct parser *p, const struct option *o, const char *value)
{
    for (const struct choice *c = o->choices; c->name; c++) {
        if (strcmp(c->name, value) == 0) {
            p->args->values[o->id].number = c->number;
            return;
        }
    }
    struct given by_name = {o, o->name, strlen(o->name), NULL};
    char known[512] = "";
    for (const struct choice *c = o->choices; c->name; c++) {
        size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", c->name);
    }
    if (is_llvm(p)) {
        report_option(p, &by_name, "Cannot find option named '%s'!", value);
        report_usage(p->session, "One of: %s", known);
    } else {
        report_option(p, &by_name, "takes one of %s, not '%s'", known, value);
    }
    value_unknown(p->session, p->args->command, o, value);
}

static void set_size(struct parser *p, const struct option *o, const char *value)
{
    uint64_t *number = &p->args->values[o->id].number;
    char words[80];
    if (!parse_size(value, number)) {
        report_value(p, o, value, "a number such as 500, 64K, 20M or 1G", NULL);
    } else if (o->number && *number > o->number) {
        snprintf(words, sizeof words, "a number up to %" PRIu64 "M", o->number >> 20);
        report_value(p, o, value, words, NULL);
    }
}

/* What an empty value, as of a variable that is not set, should be; NULL: it may be empty. */
static const char *needed_by(enum option_id id)
{
    switch ((int)id) {
    case OPT_OUTPUT:
    case OPT_REPORT:
    case OPT_HTML:
    case OPT_WRITE_YAML:
        return "the name of a file, or '-' for standard output";
    case OPT_AGAINST:
    case OPT_BINARY:
    case OPT_ORIGINAL:
    case OPT_DEBUG_BINARY:
    case OPT_PACKAGE:
    case OPT_RECORDINGS:
    case OPT_PERF_TEXTS:
    case OPT_RAW_COUNTS:
    case OPT_GIVEN_PROFILE:
    case OPT_ACCESSES:
        return "the name of a file";
    case OPT_DEBUG_DIRECTORIES:
        return "the name of a directory";
    default:
        return NULL;
    }
}

static void set_value(struct parser *p, const struct option *o, const char *value)
{
    struct option_value *v = &p->args->values[o->id];
    v->place = p->next;
    v->text = value;
    switch (o->kind) {
    case OPTION_FLAG:
        if (!parse_flag(value, &v->number))
            report_value(p, o, value, "true or false", "is invalid value for boolean argument! Try 0 or 1");
        break;
    case OPTION_PERCENT:
        if (!parse_percent(value, &v->number))
            report_value(p, o, value,
                         "a percentage from 0 to 100 with at most 6 decimals, such as 2.5 or 2.5%", NULL);
        break;
    case OPTION_REAL:
        if (!parse_real(value, &(double){0}))
            report_value(p, o, value, "a number such as 0.5", "value invalid for floating point argument!");
        break;
    case OPTION_SIZE:
        set_size(p, o, value);
        break;
    case OPTION_DURATION:
        if (!parse_duration(value, &v->number))
            report_value(p, o, value, "a time such as 30s, 5m, 12h or 7d", NULL);
        break;
    case OPTION_UINT:
    case OPTION_U64:
    case OPTION_ULL:
        set_number(p, o, value);
        break;
    case OPTION_DEPTH:
        set_depth(p, o, value);
        break;
    case OPTION_ENUM:
        set_enum(p, o, value);
        break;
    case OPTION_NUMBERS:
        add_numbers(p, o, value);
        break;
    case OPTION_LIST:
        if (!*value && o->id == OPT_PA)
            break; /* a flag */
        if (!*value && needed_by(o->id))
            report_value(p, o, value, needed_by(o->id), NULL);
        if (!*value && (o->id == OPT_DEBUG_INFO || o->id == OPT_BINARY_FILE))
            break; /* ignored, as in LLVM: a variable of a script may be empty */
        v->list = (const char **)checked_realloc((void *)v->list, v->n_list + 1, sizeof *v->list);
        v->list[v->n_list++] = value;
        break;
    case OPTION_STRING:
        if (!*value && is_llvm(p) && (o->id == OPT_DEBUG_BINARY || o->id == OPT_PACKAGE))
            *v = (struct option_value){.text = NULL}; /* not given, as in LLVM */
        else if (!*value && needed_by(o->id))
            report_value(p, o, value, needed_by(o->id), NULL);
        break;
    case OPTION_CHOICE:
        v->number = o->number;
        break;
    }
}

/* ---- words ---- */

/* Reports an option of LLVM's that is not supported or has no effect. */
static void report_idle(struct parser *p, const struct option *o)
{
    if (is_llvm(p) && p->session->persona->tool->group && !(o->flags & OPTION_LATER))
        return; /* scripts that were written for llvm-cov see no words that it does not have */
    if (o->flags & OPTION_LATER)
        report_error(p->session, NULL, "--%s is not supported: %s", o->name, o->help);
    else
        report_warning(p->session, NULL, "--%s has no effect%s", o->name,
                       *o->help ? o->help : " on instrumentation profiles");
    p->wrong |= (o->flags & OPTION_LATER) != 0;
}

static void report_no_value(struct parser *p, const struct given *given)
{
    char words[80];
    if (is_llvm(p)) {
        report_option(p, given, "requires a value!");
        return;
    }
    snprintf(words, sizeof words, "%s%.*s needs a value", given->n_name == 1 ? "-" : "--", (int)given->n_name,
             given->name);
    report_wrong(p->session, p->args, words);
    p->wrong = true;
}

/* Whether the next word is an option, and not the value of one: a value was forgotten, or a variable of a script is
 * empty. LLVM takes any word. */
static bool is_option_next(const struct parser *p, const struct option *o)
{
    const char *word = p->words[p->next];
    if (is_llvm(p) || o->id == OPT_COV_DEMANGLER || word[0] != '-' || !word[1])
        return false; /* the words of -Xdemangler are options of another program */
    const char *name = word + 1 + (word[1] == '-');
    return !*name || option_find(p->args->command, name, strcspn(name, "="));
}

static void report_option_next(struct parser *p, const struct given *given)
{
    const char *dashes = given->n_name == 1 ? "-" : "--", *next = p->words[p->next];
    char words[1024];
    snprintf(words, sizeof words,
             "%s%.*s needs a value, and %s is an option; %s%.*s=%s takes it as the value", dashes,
             (int)given->n_name, given->name, next, dashes, (int)given->n_name, given->name, next);
    report_wrong(p->session, p->args, words);
    p->wrong = true;
}

/* Whether --pa stands without a value: for perf2bolt it is a flag, which says what the file of -p is. */
static bool is_bare(const struct parser *p, const struct option *o)
{
    const char *next = p->next < p->n ? p->words[p->next] : NULL;
    return o->id == OPT_PA && (!next || (next[0] == '-' && next[1]));
}

static void apply_option(struct parser *p, const struct given *given)
{
    const struct option *o = given->option;
    char words[80];
    if (option_absent(o)) {
        snprintf(words, sizeof words, "--%s", o->name);
        report_absent(p->session, words);
        p->wrong = true;
        return;
    }
    bool alone = o->kind == OPTION_FLAG || o->kind == OPTION_CHOICE || is_bare(p, o);
    bool no_value =
        o->kind == OPTION_CHOICE || o->id == OPT_HELP || o->id == OPT_HELP_HIDDEN || o->id == OPT_VERSION;
    if (given->value && o->kind == OPTION_CHOICE && is_llvm(p)) {
        fprintf(stderr, "%s option: does not allow a value! '%s' specified.\n", o->group, given->value);
        p->wrong = true;
        return;
    }
    if (given->value && no_value) {
        report_option(p, given,
                      is_llvm(p) ? "does not allow a value! '%s' specified." : "takes no value, not '%s'",
                      given->value);
        return;
    }
    if (!given->value && !alone && p->next == p->n) {
        report_no_value(p, given);
        return;
    }
    if (!given->value && !alone && is_option_next(p, o)) {
        report_option_next(p, given);
        return;
    }
    const char *value = given->value ? given->value : alone ? "" : p->words[p->next++];
    if (o->flags & OPTION_LATER) {
        report_idle(p, o);
        return;
    }
    p->refused = false;
    const struct option_value before = p->args->values[o->id];
    set_value(p, o, value);
    const bool by_names =
        o->kind == OPTION_CHOICE || (before.text && !*before.text); /* not of --to=A --to=B */
    if (o->id == OPT_TO && by_names && before.place && before.number != p->args->values[o->id].number &&
        !p->refused) {
        report_wrong(p->session, p->args, "two formats are named for the output: give one of them");
        p->wrong = true;
    }
    if (o->flags & OPTION_NO_EFFECT && !p->refused)
        report_idle(p, o);
}

static void report_unknown(struct parser *p, const char *word, const struct given *given)
{
    bool own = !p->session->persona->tool; /* LLVM names only the program */
    report_usage(p->session, "Unknown command line argument '%s'.  Try: '%s%s%s --help'", word,
                 p->session->persona->invoked, own ? " " : "", own ? p->args->command->name : "");
    option_unknown(p->session, p->args->command, word, given->name, given->n_name, given->value);
    p->wrong = true;
}

static void parse_word(struct parser *p, const char *word)
{
    const char *name = word + 1 + (word[1] == '-');
    struct given given = {NULL, name, strcspn(name, "="), NULL};
    if (name[given.n_name] == '=')
        given.value = name + given.n_name + 1;
    given.option = option_find(p->args->command, name, given.n_name);
    if (!given.option && !is_llvm(p) && (given.option = option_joined(p->args->command, word)) != NULL) {
        given.n_name = 1;
        given.value = name + 1;
    }
    if (given.option)
        apply_option(p, &given);
    else
        report_unknown(p, word, &given);
}

static void add_file(struct arguments *args, const char *word)
{
    args->files = (const char **)checked_realloc((void *)args->files, args->n_files + 1, sizeof *args->files);
    args->files[args->n_files++] = word;
}

static void check_files(struct parser *p)
{
    static const char skipped[] = "[options] ";
    const struct arguments *args = p->args;
    char words[160];
    if (args->n_files <= args->command->max_files)
        return;
    p->wrong = true;
    if (!is_llvm(p)) {
        const char *operands = args->command->usage;
        operands += strncmp(operands, skipped, strlen(skipped)) == 0 ? strlen(skipped) : 0;
        snprintf(words, sizeof words, "too many arguments, it takes %s", *operands ? operands : "none");
        report_wrong(p->session, args, words);
        return;
    }
    report_usage(p->session, "Too many positional arguments specified!");
    fprintf(stderr, "Can specify at most %zu positional arguments: See: %s --help\n",
            args->command->max_files, p->session->persona->invoked);
}

enum parse_result options_parse(struct arguments *args, const struct session *session,
                                const struct command *command, const char *const *words, size_t n)
{
    struct parser p = {args, session, words, n, 0, false, false};
    bool options = true;
    args->command = command;
    while (p.next < n) {
        const char *word = words[p.next++];
        if (!options || word[0] != '-' || word[1] == '\0')
            add_file(args, word);
        else if (strcmp(word, "--") == 0)
            options = false;
        else
            parse_word(&p, word);
        /* As in LLVM, words after these options are not parsed. */
        if (args->values[OPT_HELP].place)
            return PARSE_HELP;
        if (args->values[OPT_HELP_HIDDEN].place)
            return PARSE_HELP_HIDDEN;
        if (args->values[OPT_VERSION].place)
            return PARSE_VERSION;
    }
    check_files(&p);
    return p.wrong ? PARSE_WRONG : PARSE_OK;
}

void options_free(struct arguments *args)
{
    for (size_t i = 0; i < OPT_COUNT; i++) {
        free((void *)args->values[i].list);
        free(args->values[i].numbers);
    }
    free((void *)args->files);
    memset(args, 0, sizeof *args);
}

void options_warn(const struct session *session, const struct arguments *args, uint32_t flag)
{
    for (const struct option *o = option_table; o->name; o++) {
        bool given = o->commands & args->command->bit && o->flags & flag && args->values[o->id].place &&
                     !option_flag(args, OPT_QUIET);
        bool supplement = o->flags & OPTION_READS && *option_text(args, OPT_SUPPLEMENT, "");
        if (given && !supplement)
            report_warning(session, NULL, "--%s has no effect on %s profiles", o->name,
                           flag == OPTION_SAMPLES ? "instrumentation" : "sample");
    }
}
