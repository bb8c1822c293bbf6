/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_target.h"

#include "rt_continuous.h"
#include "rt_decimal.h"
#include "rt_file.h"
#include "rt_message.h"
#include "rt_process.h"
#include "rt_run.h"
#include "rt_store.h"
#include "rt_values.h"

#include <anyprof/rt.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Objects of IR instrumentation define the name that was given to the compiler. */
extern const char __llvm_profile_filename[] RT_WEAK RT_HIDDEN;

int aprt_target_dumped;
int (*aprt_target_other)(const struct aprt_image *image);

/* Does what compiler-rt does at the start: creates directories and empties the file, once for a process and all that
 * it starts. */
static void begin_compatibly(void)
{
    if (getenv(RT_BEGUN))
        return;
    setenv(RT_BEGUN, RT_BEGUN, 1);
    (void)aprt_make_directories(aprt_file.path);
    if (aprt_name_chosen.pool)
        return;
    int fd = open(aprt_file.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd >= 0)
        close(fd);
}

/* Records the file at the path. Not needed in a pool, which keeps everything; and the name of its file depends on all
 * records, which would have to be read at the start. */
static void begin_run(void)
{
    struct aprt_image image = {0};
    if (aprt_compatible) {
        if (aprt_image_find(&image) == RT_FOUND &&
            aprt_name_expand(&aprt_name_chosen, &image, aprt_file.path) == 0)
            begin_compatibly();
    } else if (!aprt_name_chosen.pool && aprt_name_expand(&aprt_name_chosen, &image, aprt_file.path) == 0) {
        aprt_store_begin(0);
    }
}

static void choose_name(const char *pattern, enum aprt_name_source source)
{
    static int chosen; /* kept apart from the name: reading aprt_name_chosen would cost the time for a page */
    if (chosen && source < aprt_name_chosen.source)
        return;
    chosen = 1;
    aprt_name_parse(&aprt_name_chosen, pattern, source);
    begin_run();
}

void aprt_target_choose(void)
{
    struct aprt_inside inside;
    const char *environment = getenv("LLVM_PROFILE_FILE");
    if (aprt_process_enter_to_read(&inside))
        return;
    if (environment && environment[0])
        choose_name(environment, RT_NAME_ENVIRONMENT);
    else if (RT_LINKED(&__llvm_profile_filename) && __llvm_profile_filename[0])
        choose_name(__llvm_profile_filename, RT_NAME_EMBEDDED);
    else
        choose_name("default.profraw", RT_NAME_DEFAULT);
    aprt_process_leave(&inside);
}

/* Reports that the lock of the process is held, so that the call does nothing. */
static void report_busy(const char *what, const char *what_in_handler, int error)
{
    if (error == EDEADLK)
        aprt_message(RT_ERROR, what_in_handler, NULL, 0);
    else
        aprt_message(RT_ERROR, what, NULL, error);
}

void aprt_target_set(const char *pattern)
{
    struct aprt_inside inside;
    int error = aprt_process_enter_to_read(&inside);
    if (error) {
        report_busy("the profile is being written by another thread; its name stays",
                    "the profile is being written, and a signal handler sets its name; its name stays",
                    error);
        return;
    }
    choose_name(pattern ? pattern : "default.profraw", RT_NAME_CALL);
    aprt_process_leave(&inside);
}

/* Reports why no profile is written. */
static void refuse(enum aprt_found found, uint64_t version)
{
    char digits[RT_MOST_DIGITS + 1];
    digits[aprt_decimal(digits, version & RT_FORMAT_BITS)] = 0;
    if (found == RT_NEW_VERSION && aprt_compatible)
        aprt_message(RT_ERROR, "Runtime and instrumentation version mismatch : expected 10, but get", digits,
                     0);
    else
        aprt_message(RT_ERROR,
                     found == RT_NEW_VERSION
                         ? "this program was compiled by an LLVM that is newer than its profile runtime; no "
                           "profile is written"
                         : "this program has objects of different LLVM versions; no profile is written",
                     NULL, 0);
}

static int write_inside(void)
{
    struct aprt_image image;
    enum aprt_found found = aprt_image_find(&image);
    if (found != RT_FOUND) {
        refuse(found, image.version);
        return -1;
    }
    /* Nothing of this image is instrumented: the version of an empty profile is not known. compiler-rt writes one
     * nevertheless. */
    if (image.data_size == 0 && image.counters_size == 0 && !aprt_compatible)
        return 0;
    if (RT_LINKED(&aprt_values_lost) && aprt_values_lost)
        aprt_message_or(RT_WARNING, "no memory for all values that were profiled; some are not counted",
                        "Unable to track new values: Running out of static counters.  Consider using option "
                        "-mllvm -vp-counters-per-site=<n> to allocate more value profile counters at compile "
                        "time. ",
                        NULL, 0);
    if (aprt_target_other)
        return aprt_target_other(&image);
    if (!aprt_name_chosen.text[0]) {
        aprt_message_or(RT_ERROR, "the profile has no file name yet", RT_NO_NAME, NULL, 0);
        return -1;
    }
    if (aprt_name_expand(&aprt_name_chosen, &image, aprt_file.path)) {
        aprt_message(RT_ERROR, "the name is too long:", aprt_name_chosen.text, 0);
        return -1;
    }
    return aprt_store_write(&image, (int)aprt_name_chosen.pool, aprt_name_chosen.continuous) ? -1 : 0;
}

int aprt_target_write(void)
{
    struct aprt_inside inside;
    int had = errno, error = aprt_process_enter(&inside);
    if (error) {
        report_busy("the profile is being written by another thread; not written",
                    "the profile is being written, and a signal handler asks for it again; not written",
                    error);
        return -1;
    }
    if (!aprt_process_is_known())
        aprt_message(RT_WARNING,
                     "this process was made without fork: its profile repeats the counts of its parent", NULL,
                     0);
    int result = write_inside();
    aprt_process_leave(&inside);
    errno = had;
    return result;
}

int aprt_target_finish(void)
{
    int result = aprt_target_write();
    if (result == 0)
        aprt_live_end();
    return result;
}

void aprt_target_leave(void)
{
    /* After vfork the memory belongs to the parent, which continues. */
    if (aprt_target_dumped || aprt_continuous_is_on() || !aprt_process_is_known() || aprt_run_moves())
        return;
    (void)aprt_target_finish();
    aprt_target_dumped = 1;
}

/* Called in a forked process: its profile does not repeat the counts of its parent. */
static void restart_in_child(void)
{
    struct aprt_image image;
    int moves = aprt_run_moves();
    if (aprt_image_find(&image) != RT_FOUND)
        return;
    if (aprt_live_is_on() && !moves)
        aprt_continuous_forked(); /* starts to count from zero */
    else if (!moves)
        aprt_store_forked(&image);
    if (!aprt_name_chosen.text[0] || aprt_name_expand(&aprt_name_chosen, &image, aprt_file.path) ||
        aprt_compatible)
        return;
    if (moves)
        aprt_store_moved(&image, (int)aprt_name_chosen.pool);
    else
        aprt_store_begin((int)aprt_name_chosen.pool);
}

/* Runs as early as rt_process.c registers its handlers of forks. */
__attribute__((constructor(101))) static void watch_forks(void)
{
    aprt_process_forked = restart_in_child;
}

void aprt_target_reset(void)
{
    struct aprt_inside inside;
    int error = aprt_process_enter_to_read(&inside);
    apf_rt_reset();
    aprt_target_dumped = 0;
    if (error)
        return;
    aprt_store_reset();
    aprt_process_leave(&inside);
}
