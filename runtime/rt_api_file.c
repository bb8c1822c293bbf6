/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_api.h"

#include "rt_continuous.h"
#include "rt_file.h"
#include "rt_message.h"
#include "rt_old.h"
#include "rt_options.h"
#include "rt_process.h"
#include "rt_run.h"
#include "rt_store.h"
#include "rt_target.h"
#include "rt_values.h"

#include <anyprof/rt.h>

#include <stdlib.h>
#include <string.h>

static struct aprt_options options;

/* The reference links rt_gcov.c, whose callers come from an archive after this one. */
static int (*const gcov_too)(int) __attribute__((used)) = lprofLockFd;

/* Reads the limit of values per site from the environment. */
static void read_limit(void)
{
    const char *text = getenv("LLVM_VP_MAX_NUM_VALS_PER_SITE");
    if (!text || !text[0] || !RT_LINKED(&aprt_values_limit))
        return;
    long limit = strtol(text, NULL, 10);
    aprt_values_limit = limit < 0 || limit > RT_MOST_VALUES ? RT_MOST_VALUES : (unsigned)limit;
}

void __llvm_profile_initialize_file(void)
{
    aprt_verbose = getenv("LLVM_PROFILE_VERBOSE") != NULL;
    aprt_old_unmapped = getenv("LLVM_PROFILE_NO_MMAP") != NULL;
    aprt_options_read(&options);
    aprt_file_sync = options.sync;
    aprt_compatible = options.compatible;
    aprt_store_continued = getenv(RT_BEGUN) != NULL;
    aprt_wait_ms = options.wait * 1000;
    aprt_target_choose();
}

static void at_exit(void)
{
    if (aprt_target_dumped) {
        aprt_message_or(RT_NOTE, RT_DUMPED, NULL, 0);
        return;
    }
    (void)aprt_target_finish();
    /* A library may be unloaded and loaded again many times. */
    if (aprt_image_is_library()) {
        aprt_target_dumped = 1;
        aprt_store_reset();
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
    if (aprt_name_chosen.continuous || options.live)
        aprt_continuous_start();
    if (!aprt_name_chosen.continuous || !__llvm_profile_is_continuous_mode_enabled())
        (void)__llvm_profile_register_write_file_atexit();
    aprt_signal_register();
    int error = options.signals ? apf_rt_flush_on_signals() : 0;
    if (error)
        aprt_message(RT_WARNING, "not all signals can be handled", NULL, error);
}

void __llvm_profile_set_filename(const char *pattern)
{
    if (!__llvm_profile_is_continuous_mode_enabled())
        aprt_target_set(pattern);
}

const char *__llvm_profile_get_filename(void)
{
    struct aprt_image image;
    char *path = malloc(RT_PATH_MAX);
    if (!path || aprt_image_find(&image) != RT_FOUND || aprt_name_expand(&aprt_name_chosen, &image, path)) {
        free(path);
        return "";
    }
    return path;
}

RT_HIDDEN RT_LARGE char aprt_path_prefix[RT_PATH_MAX];

const char *__llvm_profile_get_path_prefix(void)
{
    char *prefix = aprt_path_prefix;
    struct aprt_image image;
    if (aprt_image_find(&image) != RT_FOUND || aprt_name_expand(&aprt_name_chosen, &image, prefix))
        return "";
    char *slash = strrchr(prefix, '/');
    prefix[slash ? slash + 1 - prefix : 0] = 0;
    return prefix;
}

int __llvm_profile_write_file(void)
{
    if (__llvm_profile_is_continuous_mode_enabled() || aprt_live_is_on()) {
        aprt_message_or(RT_NOTE, "the profile is always written; there is nothing to do", RT_WRITTEN_BEFORE,
                        NULL, 0);
        return 0;
    }
    if (aprt_target_dumped) {
        aprt_message_or(RT_NOTE, RT_DUMPED, NULL, 0);
        return 0;
    }
    return aprt_target_write();
}

/* compiler-rt's warning: without %m each run appends to the file, or replaces it. */
#define CLOBBERS                                                                                             \
    "Later invocation of __llvm_profile_dump can lead to clobbering  of previously dumped profile data : "   \
    "online profile merging is not on. Either use %m in profile name or change profile name before dumping."

int __llvm_profile_dump(void)
{
    if (aprt_compatible && !aprt_name_chosen.pool)
        aprt_message(RT_WARNING, CLOBBERS, NULL, 0);
    int live = aprt_live_is_on() && !aprt_target_dumped;
    int result = live ? aprt_target_finish() : __llvm_profile_write_file();
    aprt_target_dumped = 1;
    return result;
}

void __llvm_profile_set_dumped(void)
{
    aprt_target_dumped = 1;
}

void __llvm_profile_reset_counters(void)
{
    aprt_target_reset();
}

void __llvm_profile_set_dir_mode(unsigned mode)
{
    aprt_directory_mode = mode;
}

unsigned __llvm_profile_get_dir_mode(void)
{
    return aprt_directory_mode;
}

void __llvm_profile_recursive_mkdir(char *path)
{
    (void)aprt_make_directories(path);
}
