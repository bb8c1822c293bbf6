/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof probes asm */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limits.h"
#include "places.h"
#include "probes.h"

extern char **environ;

/* What is kept while the assembler works: a directory with its input and its output. */
struct workplace {
    char *directory, *input, *output;
};

static char *join(const char *a, const char *b, const char *c)
{
    size_t na = strlen(a), nb = strlen(b), nc = strlen(c);
    char *text = (char *)checked_realloc(NULL, na + nb + nc + 1, 1);
    memcpy(text, a, na);
    memcpy(text + na, b, nb);
    memcpy(text + na + nb, c, nc + 1);
    return text;
}

/* Messages of the assembler name the file, so that it keeps its name. */
static bool make_workplace(struct workplace *place, const struct session *session, const char *path)
{
    const char *temp = getenv("TMPDIR"), *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    bool has_suffix = n > 2 && strcmp(name + n - 2, ".s") == 0;
    place->directory = join(temp && *temp ? temp : "/tmp", "/anyprof-XXXXXX", "");
    if (!mkdtemp(place->directory)) {
        report_errno(session, place->directory, errno);
        free(place->directory);
        return false;
    }
    char *named = join("/", name, has_suffix ? "" : ".s");
    place->input = join(place->directory, named, "");
    place->output = join(place->directory, "/", "object.o");
    free(named);
    return true;
}

static void leave_workplace(struct workplace *place)
{
    unlink(place->input);
    unlink(place->output);
    rmdir(place->directory);
    free(place->input);
    free(place->output);
    free(place->directory);
}

/* ---- being interrupted ---- */

/* What a signal has to clear away. */
static struct {
    volatile sig_atomic_t armed;
    pid_t child; /* 0: none */
    const struct workplace *place;
} interrupted;

static const int signals_heard[] = {SIGINT, SIGTERM, SIGHUP};
#define N_SIGNALS (sizeof signals_heard / sizeof *signals_heard)

/* All of it may be called in a handler. */
static void clear_away(int number)
{
    if (interrupted.armed) {
        if (interrupted.child > 0)
            kill(interrupted.child, SIGTERM);
        unlink(interrupted.place->input);
        unlink(interrupted.place->output);
        rmdir(interrupted.place->directory);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* Signals that are ignored, as under nohup, stay so. */
static void hear_signals(const struct workplace *place)
{
    interrupted.place = place;
    interrupted.child = 0;
    interrupted.armed = 1;
    for (size_t i = 0; i < N_SIGNALS; i++) {
        struct sigaction old;
        if (sigaction(signals_heard[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            signal(signals_heard[i], clear_away);
    }
    signal(SIGCHLD, SIG_DFL); /* who ignores it is not told how the assembler ended */
}

static void stop_hearing(void)
{
    interrupted.armed = 0;
}

/* ---- the assembler ---- */

/* The words of AS, which blanks separate, and what it is to do. They are in one block with their text. */
static char **assembler_words(const char *text, const struct workplace *place)
{
    size_t n = strlen(text);
    char **words = (char **)checked_realloc(NULL, (n + 8) * sizeof *words + n + 1, 1);
    char *copy = (char *)(words + n + 8);
    size_t count = 0;
    memcpy(copy, text, n + 1);
    for (char *save, *word = strtok_r(copy, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save))
        words[count++] = word;
    static char option[] = "-o";
    words[count++] = option;
    words[count++] = place->output;
    words[count++] = place->input;
    words[count] = NULL;
    return words;
}

/* Signals that we ignore are ordinary ones to the assembler. */
static int spawn(pid_t *pid, char **words)
{
    posix_spawnattr_t attributes;
    sigset_t signals;
    int why = posix_spawnattr_init(&attributes);
    if (why)
        return why;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    for (size_t i = 0; i < N_SIGNALS; i++) {
        struct sigaction now;
        if (sigaction(signals_heard[i], NULL, &now) == 0 && now.sa_handler == clear_away)
            sigaddset(&signals, signals_heard[i]);
    }
    why = posix_spawnattr_setsigdefault(&attributes, &signals);
    if (!why)
        why = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (!why)
        why = posix_spawnp(pid, words[0], NULL, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    return why;
}

/* The exit code: that of the assembler. */
static int run_assembler(const struct session *session, const char *assembler, const struct workplace *place)
{
    char **words = assembler_words(assembler, place);
    int status = 0, why = spawn(&interrupted.child, words);
    if (why) {
        report_error(session, words[0], "the assembler cannot be run: %s", strerror(why));
    } else {
        while (waitpid(interrupted.child, &status, 0) < 0 && !why)
            why = errno == EINTR ? 0 : errno;
        if (why)
            report_error(session, words[0], "it is not known how the assembler ended: %s", strerror(why));
        else if (WIFSIGNALED(status))
            report_error(session, words[0], "the assembler was ended by signal %d", WTERMSIG(status));
    }
    interrupted.child = 0;
    free(words);
    return !why && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_DATA;
}

/* The object goes where it belongs when all of it is there. */
static int keep_object(const struct session *session, const char *from, const char *to)
{
    struct apf_output output = {to, NULL, NULL, 0};
    struct apf_error error;
    size_t n;
    char *object = read_whole(from, &n);
    if (!object) {
        report_error(session, to, "the assembler made no object: %s", strerror(errno));
        return EXIT_DATA;
    }
    int code = apf_output_write(&output, object, n, &error);
    if (code != APF_OK)
        report_failure(session, to, &error);
    free(object);
    return code == APF_OK ? 0 : EXIT_DATA;
}

/* ---- the command ---- */

static void say(const struct session *session, const struct apf_probe_asm_info *info)
{
    if (info->n_left_out)
        report_note(session,
                    "left out: %" PRIu64 " of .addrsig, .addrsig_sym, .cg_profile, which only LLVM's "
                    "assembler knows",
                    info->n_left_out);
    if (info->n_split)
        report_note(session,
                    "parts of functions in other sections than the function: %" PRIu64 "; they have probe "
                    "records of their own (LLVM 22 gives up on them)",
                    info->n_split);
    if (info->n_symbols)
        report_note(session, "of them without a symbol: %" PRIu64 "; FUNCTION.probes.N was made",
                    info->n_symbols);
}

/* `to` is what messages call the output. */
static int convert(const struct session *session, const struct arguments *args, const char *path,
                   const struct apf_output *output, const char *to)
{
    struct apf_input input = {path, NULL, 0, NULL, 0};
    struct apf_options options = limits_of(args);
    struct apf_probe_asm_info info = {0};
    struct apf_error error;
    info.size = sizeof info;
    if (apf_probe_assemble(&input, output, &options, &info, &error) != APF_OK) {
        report_failed_call(session, path, to, &error);
        return EXIT_DATA;
    }
    if (!option_flag(args, OPT_QUIET))
        say(session, &info);
    return 0;
}

/* An apf_write_fn: without a temporary file, which a signal could not clear away. */
static int write_bytes(void *user, const void *p, size_t n)
{
    return fwrite(p, 1, n, (FILE *)user) == n ? 0 : errno ? errno : EIO;
}

static int make_input(const struct session *session, const struct arguments *args, const char *path,
                      const struct workplace *place)
{
    FILE *file = fopen(place->input, "wb");
    struct apf_output output = {NULL, write_bytes, file, 0};
    if (!file) {
        report_errno(session, place->input, errno);
        return EXIT_DATA;
    }
    int code = convert(session, args, path, &output, place->input);
    if (fclose(file) != 0 && code == 0) {
        report_errno(session, place->input, errno);
        code = EXIT_DATA;
    }
    return code;
}

static int assemble(const struct session *session, const struct arguments *args, const char *path,
                    const char *to)
{
    struct workplace place;
    const char *assembler = getenv("AS");
    if (!assembler || !assembler[strspn(assembler, " \t\n")])
        assembler = "as";
    if (!make_workplace(&place, session, path))
        return EXIT_DATA;
    hear_signals(&place);
    int code = make_input(session, args, path, &place);
    if (code == 0)
        code = run_assembler(session, assembler, &place);
    if (code == 0)
        code = keep_object(session, place.output, to);
    stop_hearing();
    leave_workplace(&place);
    return code;
}

int cmd_probes_asm(const struct session *session, const struct arguments *args)
{
    const char *to = option_text(args, OPT_OUTPUT, NULL);
    bool object = option_flag(args, OPT_ASSEMBLE);
    const char *wrong = !args->n_files ? "a FILE is required" : object && !to ? "-c needs -o OUT.o" : NULL;
    if (wrong)
        return report_wrong(session, args, wrong);
    struct apf_output output = {to ? to : "-", NULL, NULL, 0};
    if (object && place_is_read(session, args, 1)) /* assembly may become assembly in its place */
        return session->persona->usage_exit;
    return object ? assemble(session, args, args->files[0], to)
                  : convert(session, args, args->files[0], &output, output.path);
}
