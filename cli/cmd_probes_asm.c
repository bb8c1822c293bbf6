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

#include "command.h"
#include "memory.h"
#include "places.h"
#include "probes.h"

extern char **environ;

struct asm_request {
    struct request base;
    const char *path;
    const char *assembler; /* with arguments, separated by blanks; NULL: assembly is written */
};

/* A temporary directory with the input and the output of the assembler. */
struct workplace {
    char *directory, *input, *output;
};

static char *join_texts(const char *a, const char *b, const char *c)
{
    size_t na = strlen(a), nb = strlen(b), nc = strlen(c);
    char *text = (char *)checked_realloc(NULL, na + nb + nc + 1, 1);
    memcpy(text, a, na);
    memcpy(text + na, b, nb);
    memcpy(text + na + nb, c, nc + 1);
    return text;
}

/* The input gets the name of the file, which messages of the assembler then show. */
static bool make_workplace(struct workplace *place, const struct session *session, const char *path)
{
    const char *temp = getenv("TMPDIR"), *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    bool has_suffix = n > 2 && strcmp(name + n - 2, ".s") == 0;
    place->directory = join_texts(temp && *temp ? temp : "/tmp", "/anyprof-XXXXXX", "");
    if (!mkdtemp(place->directory)) {
        report_errno(session, place->directory, errno);
        free(place->directory);
        return false;
    }
    char *named = join_texts("/", name, has_suffix ? "" : ".s");
    place->input = join_texts(place->directory, named, "");
    place->output = join_texts(place->directory, "/", "object.o");
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

/* ---- signals ---- */

/* Read by the signal handler, which removes the files of `place` and ends `child`. */
static struct {
    volatile sig_atomic_t armed;
    pid_t child; /* 0: none */
    const struct workplace *place;
} interrupted;

static const int handled_signals[] = {SIGINT, SIGTERM, SIGHUP};
#define N_SIGNALS (sizeof handled_signals / sizeof *handled_signals)

/* The signal handler. Calls only functions that are safe in signal handlers. */
static void remove_and_end(int number)
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

/* Signals that are ignored, as under nohup, stay ignored. */
static void handle_signals(const struct workplace *place)
{
    interrupted.place = place;
    interrupted.child = 0;
    interrupted.armed = 1;
    for (size_t i = 0; i < N_SIGNALS; i++) {
        struct sigaction old;
        if (sigaction(handled_signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            signal(handled_signals[i], remove_and_end);
    }
    signal(SIGCHLD, SIG_DFL); /* waitpid needs it */
}

static void disarm_handler(void)
{
    interrupted.armed = 0;
}

/* ---- the assembler ---- */

/* The command line of the assembler, in one allocation with its text. */
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

/* The assembler gets the default action of signals that the command handles or ignores. */
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
        if (sigaction(handled_signals[i], NULL, &now) == 0 && now.sa_handler == remove_and_end)
            sigaddset(&signals, handled_signals[i]);
    }
    why = posix_spawnattr_setsigdefault(&attributes, &signals);
    if (!why)
        why = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (!why)
        why = posix_spawnp(pid, words[0], NULL, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    return why;
}

/* The exit code of the assembler. */
static int run_assembler(const struct asm_request *r, const struct workplace *place)
{
    const struct session *session = r->base.session;
    char **words = assembler_words(r->assembler, place);
    int status = 0, why = spawn(&interrupted.child, words);
    if (why) {
        report_error(session, words[0], "the assembler cannot be run: %s", strerror(why));
    } else {
        while (waitpid(interrupted.child, &status, 0) < 0 && !why)
            why = errno == EINTR ? 0 : errno;
        if (why)
            report_error(session, words[0], "cannot wait for the assembler: %s", strerror(why));
        else if (WIFSIGNALED(status))
            report_error(session, words[0], "the assembler was ended by signal %d", WTERMSIG(status));
    }
    interrupted.child = 0;
    free(words);
    return !why && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_DATA;
}

/* Writes the whole object to the output. */
static int write_object(const struct asm_request *r, const char *object_path)
{
    struct apf_output output = apf_output_file(r->base.output);
    struct apf_error error;
    size_t n;
    char *object = read_whole(object_path, &n);
    if (!object) {
        report_error(r->base.session, output.path, "the assembler made no object: %s", strerror(errno));
        return EXIT_DATA;
    }
    int code = apf_output_write(&output, object, n, &error);
    free(object);
    return exit_code(r->base.session, output.path, code, &error);
}

/* ---- the command ---- */

static void report_changes(const struct session *session, const struct apf_probe_asm_info *info)
{
    if (info->n_left_out)
        report_note(session,
                    "left out: %" PRIu64 " of .addrsig, .addrsig_sym, .cg_profile, which only LLVM's "
                    "assembler knows",
                    info->n_left_out);
    if (info->n_split)
        report_note(session,
                    "parts of functions in other sections than the function: %" PRIu64 "; they have probe "
                    "records of their own (LLVM 22 refuses them)",
                    info->n_split);
    if (info->n_symbols)
        report_note(session,
                    "parts of functions without a symbol: %" PRIu64
                    "; they got the symbols FUNCTION.probes.N",
                    info->n_symbols);
}

/* `name` is the output's name in messages. */
static int convert_assembly(const struct asm_request *r, const struct apf_output *output, const char *name)
{
    struct apf_input input = apf_input_file(r->path);
    struct apf_options options = r->base.limits;
    struct apf_probe_asm_info info = {.size = sizeof info};
    struct apf_error error;
    int code = apf_probe_assemble(&input, &options, output, &info, &error);
    if (code == APF_OK && !r->base.quiet)
        report_changes(r->base.session, &info);
    return exit_code_of_call(r->base.session, r->path, name, code, &error);
}

/* An apf_write_fn. Written by libanyprof, the file would have a temporary name that the signal handler cannot know. */
static int write_bytes(void *user, const void *p, size_t n)
{
    return fwrite(p, 1, n, (FILE *)user) == n ? 0 : errno ? errno : EIO;
}

static int make_input(const struct asm_request *r, const struct workplace *place)
{
    FILE *file = fopen(place->input, "wb");
    struct apf_output output = apf_output_callback(write_bytes, file);
    if (!file) {
        report_errno(r->base.session, place->input, errno);
        return EXIT_DATA;
    }
    int code = convert_assembly(r, &output, place->input);
    if (fclose(file) != 0 && code == 0) {
        report_errno(r->base.session, place->input, errno);
        code = EXIT_DATA;
    }
    return code;
}

static int assemble(const struct asm_request *r)
{
    struct workplace place;
    if (!make_workplace(&place, r->base.session, r->path))
        return EXIT_DATA;
    handle_signals(&place);
    int code = make_input(r, &place);
    if (code == 0)
        code = run_assembler(r, &place);
    if (code == 0)
        code = write_object(r, place.output);
    disarm_handler();
    leave_workplace(&place);
    return code;
}

/* 0, or an exit code after a report. */
static int parse_request(struct asm_request *r, const struct session *session, const struct arguments *args)
{
    const char *assembler = getenv("AS");
    bool object = option_flag(args, OPT_ASSEMBLE);
    if (!args->n_files)
        return report_wrong(session, args, "a FILE is required");
    if (object && !option_text(args, OPT_OUTPUT, NULL))
        return report_wrong(session, args, "-c needs -o OUT.o");
    if (!assembler || !assembler[strspn(assembler, " \t\n")])
        assembler = "as";
    r->base = request_of(session, args);
    r->path = args->files[0];
    r->assembler = object ? assembler : NULL;
    /* Assembly that is written may replace the input. */
    return place_is_read(session, args, object ? 1 : 0) ? session->persona->usage_exit : 0;
}

int cmd_probes_asm(const struct session *session, const struct arguments *args)
{
    struct asm_request r = {0};
    int code = parse_request(&r, session, args);
    if (code)
        return code;
    struct apf_output output = apf_output_file(r.base.output);
    return r.assembler ? assemble(&r) : convert_assembly(&r, &output, output.path);
}
