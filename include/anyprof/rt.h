/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file rt.h
 * The freestanding core of the profile runtime: libanyprof_rt_core.a. For programs without an operating system that
 * were compiled with -fprofile-instr-generate or -fprofile-generate by clang 13 to 23, or with rustc's equivalents.
 * It needs stdint and stddef, no memory, no files, no other library. docs/runtime_bare_metal.md says how it
 * is built and linked, examples/bare_metal is an example.
 *
 *   static int send(void *port, const void *bytes, size_t n) { ...; return 0; }
 *   int code = apf_rt_write(send, &port);
 *
 * What arrives is a .profraw file, of the raw version of the compiler that made the objects.
 *
 * Programs with an operating system link libanyprof_rt.a and need no call: it has the same interface, and that of
 * compiler-rt's profile runtime. */
#ifndef ANYPROF_RT_H
#define ANYPROF_RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Takes the next n bytes (n > 0) of the profile. Not 0: it cannot; nothing more is written. */
typedef int apf_rt_write_fn(void *context, const void *bytes, size_t n);

/** Results of the functions below that are not the callback's. */
enum apf_rt_result {
    APF_RT_OK = 0,
    /** The objects of this image are of different raw versions, or of an unknown one: see ANYPROF_RT_RAW_VERSION. */
    APF_RT_MIXED = -2,
    /** The objects are of a raw version that is newer than this runtime. */
    APF_RT_NEWER = -3,
    /** No counters: nothing of this image is instrumented, or its linker script hides the sections. */
    APF_RT_EMPTY = -4
};

/** How many bytes apf_rt_write will write, value data included, if no new value is met until then; 0 where it would
 * fail. */
uint64_t apf_rt_size(void);

/** Writes the profile of this image (the executable or shared library that this is linked into). 0, one of
 * apf_rt_result, or what the callback returned. Counters stay as they are. Interrupts and other threads may go on
 * counting; counts that change meanwhile are written as they were or as they are. */
int apf_rt_write(apf_rt_write_fn *write, void *context);

/** Sets all counters, bitmaps, timestamps and counts of values to where they were at the start. */
void apf_rt_reset(void);

/* ---- libanyprof_rt.a only ---- */

/** From now on a signal that ends the process writes the profile first: those of crashes, SIGTERM, SIGINT and the like,
 * as far as the program does not handle or ignore them. 0, or errno's number if one of them could not be had. As
 * ANYPROF_RT_OPTIONS=signals does. */
int apf_rt_flush_on_signals(void);

/** A program may define this: the options that it returns are read before those of ANYPROF_RT_OPTIONS. */
const char *apf_rt_default_options(void);

#ifdef __cplusplus
}
#endif

#endif
