/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_target.h"

#include "rt_continuous.h"
#include "rt_file.h"
#include "rt_process.h"
#include "rt_run.h"
#include "rt_say.h"
#include "rt_store.h"
#include "rt_values.h"

#include <anyprof/rt.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Objects of IR instrumentation have the name that was given to the compiler. */
extern const char __llvm_profile_filename[] RT_WEAK RT_HIDDEN;

RT_LARGE struct rt_name rt_target_name;
int rt_target_dumped;
int (*rt_target_other)(const struct rt_image *image);

/* What compiler-rt does at the start: directories are made, and the file is emptied, once in a process and in all that
 * it starts. */
static void begin_compatibly(void)
{
    if (getenv(RT_BEGUN))
        return;
    setenv(RT_BEGUN, RT_BEGUN, 1);
    (void)rt_make_directories(rt_file.path);
    if (rt_target_name.pool)
        return;
    int fd = open(rt_file.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd >= 0)
        close(fd);
}

/* Looks at what is there already. In a pool all of it stays, whatever it is; and its name depends on the records of the
 * program, which would all have to be read at the start. */
static void begin(void)
{
    struct rt_image image = {0};
    if (rt_store_compatible) {
        if (rt_image_find(&image) == RT_FOUND && rt_name_expand(&rt_target_name, &image, rt_file.path) == 0)
            begin_compatibly();
    } else if (!rt_target_name.pool && rt_name_expand(&rt_target_name, &image, rt_file.path) == 0) {
        rt_store_begin(0);
    }
}

static void choose(const char *pattern, enum rt_name_source source)
{
    static int chosen; /* what is only read costs the time for a page as well */
    if (chosen && source < rt_target_name.source)
        return;
    chosen = 1;
    rt_name_parse(&rt_target_name, pattern, source);
    begin();
}

void rt_target_choose(void)
{
    struct rt_inside inside;
    const char *environment = getenv("LLVM_PROFILE_FILE");
    if (rt_process_look_in(&inside))
        return;
    if (environment && environment[0])
        choose(environment, RT_NAME_ENVIRONMENT);
    else if (RT_LINKED(&__llvm_profile_filename) && __llvm_profile_filename[0])
        choose(__llvm_profile_filename, RT_NAME_EMBEDDED);
    else
        choose("default.profraw", RT_NAME_DEFAULT);
    rt_process_leave(&inside);
}

void rt_target_set(const char *pattern)
{
    struct rt_inside inside;
    if (rt_process_look_in(&inside))
        return;
    choose(pattern ? pattern : "default.profraw", RT_NAME_CALL);
    rt_process_leave(&inside);
}

static const char *refusal(enum rt_found found)
{
    return found == RT_NEW_VERSION
               ? "this program was compiled by an LLVM that is newer than its profile runtime; no profile is "
                 "written"
               : "this program has objects of different LLVM versions; no profile is written";
}

static int write_inside(void)
{
    struct rt_image image;
    enum rt_found found = rt_image_find(&image);
    if (found != RT_FOUND) {
        rt_say(RT_ERROR, refusal(found), NULL, 0);
        return -1;
    }
    /* Nothing of this image is instrumented: nobody knows of which version an empty profile would have to be. */
    if (image.data_size == 0 && image.counters_size == 0)
        return 0;
    if (RT_LINKED(&rt_values_lost) && rt_values_lost)
        rt_say(RT_WARNING, "no memory for all values that were profiled; some are not counted", NULL, 0);
    if (rt_target_other)
        return rt_target_other(&image);
    if (!rt_target_name.text[0]) {
        rt_say(RT_ERROR, "the profile has no file name yet", NULL, 0);
        return -1;
    }
    if (rt_name_expand(&rt_target_name, &image, rt_file.path)) {
        rt_say(RT_ERROR, "too long a name:", rt_target_name.text, 0);
        return -1;
    }
    return rt_store_write(&image, (int)rt_target_name.pool, rt_target_name.continuous) ? -1 : 0;
}

int rt_target_write(void)
{
    struct rt_inside inside;
    int had = errno, error = rt_process_enter(&inside);
    if (error) {
        rt_say(RT_ERROR, "the profile is being written by somebody else; not written", NULL, error);
        return -1;
    }
    if (!rt_process_is_known())
        rt_say(RT_WARNING, "this process was made without fork: it counts again what its parent counted",
               NULL, 0);
    int result = write_inside();
    rt_process_leave(&inside);
    errno = had;
    return result;
}

int rt_target_finish(void)
{
    int result = rt_target_write();
    if (result == 0)
        rt_live_end();
    return result;
}

void rt_target_leave(void)
{
    /* After vfork the memory is the parent's, which goes on. */
    if (rt_target_dumped || rt_continuous_is_on() || !rt_process_is_known() || rt_run_moves())
        return;
    (void)rt_target_finish();
    rt_target_dumped = 1;
}

void rt_target_forked(void)
{
    struct rt_image image;
    int moves = rt_run_moves();
    if (rt_image_find(&image) != RT_FOUND)
        return;
    if (rt_live_is_on() && !moves)
        rt_continuous_forked(); /* its counts begin again */
    else if (!moves)
        rt_store_forked(&image);
    if (!rt_target_name.text[0] || rt_name_expand(&rt_target_name, &image, rt_file.path) ||
        rt_store_compatible)
        return;
    if (moves)
        rt_store_moved(&image, (int)rt_target_name.pool);
    else
        rt_store_begin((int)rt_target_name.pool);
}

void rt_target_reset(void)
{
    struct rt_inside inside;
    int error = rt_process_look_in(&inside);
    apf_rt_reset();
    rt_target_dumped = 0;
    if (error)
        return;
    rt_store_reset();
    rt_process_leave(&inside);
}
