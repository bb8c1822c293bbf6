/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "demangle.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "report.h"

extern char **environ;

/* ---- the library ---- */

int demangler_load(struct demangler *d, const struct session *session)
{
    d->session = session;
    d->by_library = true;
    mangled_names_begin();
    return 0;
}

size_t mangled_part(struct apf_str name)
{
    size_t at = name.n;
    while (at && name.p[at - 1] != ':' && name.p[at - 1] != ';')
        at--;
    return at;
}

/* The file before a symbol stays, and so does what BOLT puts after that of a local function: "/1", or "/a.c/1". */
static struct apf_str by_library(struct demangler *d, struct apf_str name)
{
    const size_t at = mangled_part(name);
    struct apf_str symbol = {name.p + at, name.n - at};
    const char *slash = symbol.n ? (const char *)memchr(symbol.p, '/', symbol.n) : NULL;
    if (slash)
        symbol.n = (size_t)(slash - symbol.p);
    if (!mangled_name_read(&d->names, symbol))
        return name;
    if (symbol.n == name.n)
        return (struct apf_str){d->names.text, d->names.n};
    const size_t end = at + d->names.n, rest = name.n - at - symbol.n;
    (void)name_text_set(&d->text, (struct apf_str){name.p, at});
    name_text_add(&d->text, at, (struct apf_str){d->names.text, d->names.n});
    name_text_add(&d->text, end, (struct apf_str){symbol.p + symbol.n, rest});
    return (struct apf_str){d->text.p, end + rest};
}

#define REMEMBERED_NAMES 256u

/* Where a name is remembered. */
static struct remembered_name *slot_of(struct demangler *d, struct apf_str name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < name.n; i++)
        hash = (hash ^ (uint8_t)name.p[i]) * 16777619u;
    if (!d->remembered) {
        d->remembered =
            (struct remembered_name *)checked_realloc(NULL, REMEMBERED_NAMES, sizeof *d->remembered);
        memset(d->remembered, 0, REMEMBERED_NAMES * sizeof *d->remembered);
    }
    return &d->remembered[hash % REMEMBERED_NAMES];
}

static struct apf_str by_memory(struct demangler *d, struct apf_str name)
{
    if (!name.n)
        return name;
    struct remembered_name *r = slot_of(d, name);
    if (r->n == name.n && memcmp(r->name.p, name.p, name.n) == 0)
        return (struct apf_str){r->shown.p, r->n_shown};
    const struct apf_str shown = by_library(d, name);
    if (shown.p == name.p)
        return name;
    (void)name_text_set(&r->name, name);
    (void)name_text_set(&r->shown, shown);
    r->n = name.n;
    r->n_shown = shown.n;
    return (struct apf_str){r->shown.p, r->n_shown};
}

/* ---- a program ---- */

void demangler_add(struct demangler *d, struct apf_str name)
{
    if ((d->n & (d->n - 1)) == 0)
        d->list = (struct demangled *)checked_realloc(d->list, d->n ? 2 * d->n : 1, sizeof *d->list);
    d->list[d->n++] = (struct demangled){checked_copy(name_text_set(&d->text, name)), NULL};
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct demangled *)a)->name, ((const struct demangled *)b)->name);
}

/* Writes the names, one on each line. */
static bool write_names(const struct demangler *d, FILE *file)
{
    for (size_t i = 0; i < d->n; i++)
        for (const char *p = d->list[i].name;; p++) {
            (void)putc(*p && *p != '\n' ? *p : *p ? '?' : '\n', file);
            if (!*p)
                break;
        }
    return fflush(file) == 0 && fseek(file, 0, SEEK_SET) == 0;
}

/* Runs a program that reads one file and writes the other. 0; an errno if it cannot be run; -1: it failed. */
static int run(char **words, FILE *from, FILE *to)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int status = 0, why = posix_spawn_file_actions_init(&actions);
    if (why != 0)
        return why;
    why = posix_spawn_file_actions_adddup2(&actions, fileno(from), STDIN_FILENO);
    if (why == 0)
        why = posix_spawn_file_actions_adddup2(&actions, fileno(to), STDOUT_FILENO);
    if (why == 0)
        why = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (why != 0)
        return why;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* Reads a line for each name. False: there are fewer, or more. */
static bool read_names(struct demangler *d, FILE *file)
{
    char *line = NULL;
    size_t room = 0, n = 0;
    if (fseek(file, 0, SEEK_SET) != 0)
        return false;
    while (getline(&line, &room, file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (n < d->n)
            d->list[n].shown = checked_copy(line);
        n++;
    }
    free(line);
    return n == d->n;
}

int demangler_run(struct demangler *d, const struct session *session, char **words)
{
    FILE *from = tmpfile(), *to = tmpfile();
    const bool ready = from && to && write_names(d, from);
    const int why = ready ? run(words, from, to) : errno;
    int code = EXIT_DATA;
    if (!ready)
        report_error(session, NULL, "%s", strerror(why));
    else if (why == ENOENT && session_is_llvm(session))
        report_error(session, NULL, "%s: could not find the demangler!", strerror(why));
    else if (why != 0)
        report_error(session, NULL, "%s: could not run the demangler%s%s", words[0], why > 0 ? ": " : "",
                     why > 0 ? strerror(why) : "");
    else if (!read_names(d, to))
        report_error(session, NULL, "demangler did not provide expected number of symbols");
    else
        code = 0;
    if (from)
        fclose(from);
    if (to)
        fclose(to);
    if (code == 0 && d->n)
        qsort(d->list, d->n, sizeof *d->list, compare);
    return code;
}

static struct apf_str by_program(struct demangler *d, struct apf_str name)
{
    (void)name_text_set(&d->text, name);
    const struct demangled key = {d->text.p, NULL};
    const struct demangled *found =
        (const struct demangled *)bsearch(&key, d->list, d->n, sizeof *d->list, compare);
    return found && found->shown ? (struct apf_str){found->shown, strlen(found->shown)} : name;
}

/* ---- both ---- */

struct apf_str demangler_show(void *user, struct apf_str name)
{
    struct demangler *d = (struct demangler *)user;
    if (d->by_library)
        return by_memory(d, name);
    return d->n ? by_program(d, name) : name;
}

static bool is_of_symbol(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$';
}

/* The length of the symbol, or else of the single byte, at the start of n > 0 bytes, without points at its end. */
static size_t symbol_length(const char *p, size_t n)
{
    size_t length = 0;
    while (length < n && is_of_symbol(p[length]))
        length++;
    while (length && p[length - 1] == '.')
        length--;
    return length ? length : 1;
}

struct apf_str demangler_show_text(struct demangler *d, struct apf_str text, struct name_text *to)
{
    size_t n = 0;
    name_text_add(to, 0, (struct apf_str){NULL, 0});
    for (size_t at = 0; at < text.n;) {
        const struct apf_str part = {text.p + at, symbol_length(text.p + at, text.n - at)};
        const struct apf_str shown = demangler_show(d, part);
        name_text_add(to, n, shown);
        n += shown.n;
        at += part.n;
    }
    return (struct apf_str){to->p, n};
}

void demangler_free(struct demangler *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->list[i].name);
        free(d->list[i].shown);
    }
    free(d->list);
    free(d->text.p);
    free(d->names.text);
    for (size_t i = 0; d->remembered && i < REMEMBERED_NAMES; i++) {
        free(d->remembered[i].name.p);
        free(d->remembered[i].shown.p);
    }
    free(d->remembered);
    if (!d->by_library)
        return;
    mangled_names_end();
    struct names_given_up *all = d->session->names_given_up;
    all->n_slow += d->names.n_slow;
    all->any_long |= d->names.any_long;
    all->is_stopped |= d->names.n_slow >= MOST_SLOW_NAMES;
    all->is_over |= d->names.is_over;
}

void demangler_report(const struct session *session)
{
    const struct names_given_up *all = session->names_given_up;
    if (all->is_over)
        report_warning(session, NULL,
                       "demangling was given up: names are of a kind that takes too long, or becomes too "
                       "long; all that followed are shown as they are");
    else if (all->n_slow)
        report_warning(session, NULL, "names that took too long to demangle are shown as they are: %zu%s",
                       all->n_slow, all->is_stopped ? "; and all that followed" : "");
    if (all->any_long)
        report_warning(
            session, NULL,
            "names that are too long to demangle are shown as they are: of C++ with more than %zu "
            "bytes, of Rust with more than %zu or with thousands of lifetimes, or of more than %zu as in the "
            "source code",
            LONGEST_CXX, LONGEST_RUST, LONGEST_DEMANGLED);
}
