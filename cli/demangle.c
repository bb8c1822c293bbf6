/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "demangle.h"

#include <dlfcn.h>
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

/* ---- the C++ runtime ---- */

bool demangler_try(struct demangler *d)
{
#ifdef ANYPROF_STATIC /* it loads no libraries */
    d->runtime = NULL;
    return false;
#else
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !d->library; i++)
        d->library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    void *symbol = d->library ? dlsym(d->library, "__cxa_demangle") : NULL;
    memcpy(&d->runtime, &symbol, sizeof symbol); /* C has no conversion for that */
    return d->runtime != NULL;
#endif
}

int demangler_load(struct demangler *d, const struct session *session)
{
    if (demangler_try(d))
        return 0;
#ifdef ANYPROF_STATIC
    report_error(
        session, NULL,
        "--demangle needs the C++ runtime, which this anyprof cannot load, since it is linked statically; "
        "-Xdemangler=PROGRAM runs one");
#else
    report_error(session, NULL,
                 "--demangle needs the C++ runtime, libstdc++.so.6, which is not there; -Xdemangler=PROGRAM "
                 "runs one");
#endif
    return EXIT_DATA;
}

/* Cuts the hash off that rustc before 1.97 puts after the path of a name: "::h" and 16 digits. */
static void cut_hash(char *text)
{
    const size_t n = strlen(text), length = 19;
    if (n > length && memcmp(text + n - length, "::h", 3) == 0 &&
        strspn(text + n - length + 3, "0123456789abcdef") == length - 3)
        text[n - length] = '\0';
}

/* Where the mangled part of a name begins: after the file that local functions have before it. */
static size_t mangled_part(struct apf_str name)
{
    size_t at = name.n;
    while (at && name.p[at - 1] != ':' && name.p[at - 1] != ';')
        at--;
    return at;
}

static struct apf_str by_runtime(struct demangler *d, struct apf_str name)
{
    const size_t at = mangled_part(name);
    int status = 0;
    const char *part = name_text_set(&d->text, name) + at;
    part += strncmp(part, "__Z", 3) == 0; /* of macOS */
    if (strncmp(part, "_Z", 2) != 0)
        return name;
    char *made = d->runtime(part, d->made, &d->n_made, &status);
    if (!made || status != 0)
        return name;
    d->made = made;
    cut_hash(made);
    if (at == 0)
        return (struct apf_str){made, strlen(made)};
    const size_t n = strlen(made);
    char *all = (char *)checked_realloc(NULL, at + n + 1, 1);
    memcpy(all, name.p, at);
    memcpy(all + at, made, n);
    const char *text = name_text_set(&d->text, (struct apf_str){all, at + n});
    free(all);
    return (struct apf_str){text, at + n};
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
    if (d->runtime)
        return by_runtime(d, name);
    return d->n ? by_program(d, name) : name;
}

void demangler_free(struct demangler *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->list[i].name);
        free(d->list[i].shown);
    }
    free(d->list);
    free(d->text.p);
    free(d->made);
    if (d->library)
        dlclose(d->library);
}
