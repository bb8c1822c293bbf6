/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_api.h"

#include "rt_continuous.h"
#include "rt_file.h"
#include "rt_options.h"
#include "rt_process.h"
#include "rt_run.h"
#include "rt_say.h"
#include "rt_store.h"
#include "rt_target.h"
#include "rt_values.h"

#include <anyprof/rt.h>

#include <stdlib.h>
#include <string.h>

static struct rt_options options;

/* Brings rt_gcov.c along: who wants it is linked from another archive, behind this one. */
static int (*const gcov_too)(int) __attribute__((used)) = lprofLockFd;

/* LLVM_VP_MAX_NUM_VALS_PER_SITE. */
static void read_limit(void)
{
    const char *text = getenv("LLVM_VP_MAX_NUM_VALS_PER_SITE");
    if (!text || !text[0] || !RT_LINKED(&rt_values_limit))
        return;
    long limit = strtol(text, NULL, 10);
    rt_values_limit = limit < 0 || limit > RT_MOST_VALUES ? RT_MOST_VALUES : (unsigned)limit;
}

void __llvm_profile_initialize_file(void)
{
    rt_verbose = getenv("LLVM_PROFILE_VERBOSE") != NULL;
    rt_options_read(&options);
    rt_file_sync = options.sync;
    rt_store_compatible = rt_name_as_is = options.compatible;
    rt_store_continued = getenv(RT_BEGUN) != NULL;
    rt_patience = options.wait * 1000;
    rt_process_watch_forks();
    rt_target_choose();
}

static void at_exit(void)
{
    if (rt_target_dumped)
        return;
    (void)rt_target_finish();
    /* It may be unloaded, and loaded again, many times. */
    if (rt_run_is_library()) {
        rt_target_dumped = 1;
        rt_store_reset();
    }
}

int __llvm_profile_register_write_file_atexit(void)
{
    static int registered;
    if (registered)
        return 0;
    registered = 1;
    read_limit();
    return atexit(at_exit);
}

void __llvm_profile_initialize(void)
{
    __llvm_profile_initialize_file();
    if (rt_target_name.continuous || options.live)
        rt_continuous_start();
    if (!rt_target_name.continuous || !__llvm_profile_is_continuous_mode_enabled())
        (void)__llvm_profile_register_write_file_atexit();
    rt_signal_join();
    int error = options.signals ? apf_rt_flush_on_signals() : 0;
    if (error)
        rt_say(RT_WARNING, "not all signals can be handled", NULL, error);
}

void __llvm_profile_set_filename(const char *pattern)
{
    if (!__llvm_profile_is_continuous_mode_enabled())
        rt_target_set(pattern);
}

const char *__llvm_profile_get_filename(void)
{
    struct rt_image image;
    char *path = malloc(RT_PATH_MAX);
    if (!path || rt_image_find(&image) != RT_FOUND || rt_name_expand(&rt_target_name, &image, path)) {
        free(path);
        return "";
    }
    return path;
}

RT_HIDDEN RT_LARGE char rt_path_prefix[RT_PATH_MAX];

const char *__llvm_profile_get_path_prefix(void)
{
    char *prefix = rt_path_prefix;
    struct rt_image image;
    if (rt_image_find(&image) != RT_FOUND || rt_name_expand(&rt_target_name, &image, prefix))
        return "";
    char *slash = strrchr(prefix, '/');
    prefix[slash ? slash + 1 - prefix : 0] = 0;
    return prefix;
}

int __llvm_profile_write_file(void)
{
    if (__llvm_profile_is_continuous_mode_enabled() || rt_live_is_on()) {
        rt_say(RT_NOTE, "the profile is written all the time; nothing is to be done", NULL, 0);
        return 0;
    }
    if (rt_target_dumped) {
        rt_say(RT_NOTE, "the profile was dumped already; not written again", NULL, 0);
        return 0;
    }
    return rt_target_write();
}

int __llvm_profile_dump(void)
{
    int live = rt_live_is_on() && !rt_target_dumped;
    int result = live ? rt_target_finish() : __llvm_profile_write_file();
    rt_target_dumped = 1;
    return result;
}

void __llvm_profile_set_dumped(void)
{
    rt_target_dumped = 1;
}

void __llvm_profile_reset_counters(void)
{
    rt_target_reset();
}

void __llvm_profile_set_dir_mode(unsigned mode)
{
    rt_directory_mode = mode;
}

unsigned __llvm_profile_get_dir_mode(void)
{
    return rt_directory_mode;
}

void __llvm_profile_recursive_mkdir(char *path)
{
    (void)rt_make_directories(path);
}
