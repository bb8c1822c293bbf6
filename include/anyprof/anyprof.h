/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file anyprof.h
 * The whole public interface of libanyprof and libanyprof-elf; that of the runtime is in rt.h.
 *
 * Different handles are independent: each thread may use its own. The declaration of a handle says what several threads
 * may do with it at once; one of them closes or frees it when the others are done.
 *
 * Structures grow in such a way that programs keep working with a newer library without being compiled again:
 * - Structures that the caller makes or provides (options, inputs, results, records) begin with their `size`: see
 *   struct apf_options.
 * - Structures that a function or a callback points to (info, results of inputs, functions of a list) grow at their
 *   end. There are no arrays of such structures, except in struct apf_correlation, which says how far apart they are.
 * - All others, such as struct apf_str and the elements of arrays in structures, have a frozen layout. An addition gets
 *   a structure and a function of its own.
 * Enumerations grow at their end; arrays whose length is an enumerator are the last fields.
 *
 * Of the things in a handle, a function with their name gives the i-th from 0 on, and the handle's info has their
 * number. What the handle keeps is returned as a pointer, valid until the handle is closed, or NULL past the end. What
 * is put together for the call (a record) is filled into a structure of the caller's; the result is APF_END past the
 * end. Elements whose layout is frozen may also be an array in the info. A const handle means that the call changes
 * nothing that another call can see, so that several threads may ask at once unless the declaration of the handle says
 * otherwise.
 *
 * One act has one verb:
 * - open reads files into a handle, which close ends; new makes an empty handle or a result, which free ends;
 * - add takes something into a handle, read takes in what files hold;
 * - find searches, by name, id, address or range; check looks for errors;
 * - print writes for people, or JSON of the same; write makes a file for programs: a profile, a section, a report.
 *
 * Each meaning has one type. A value of an enumeration is that enumeration as an argument, and in a structure a
 * uint32_t (in probes, of which there are many, a uint8_t) whose comment names the enumeration; facts that are true or
 * false are 0 or 1 in a uint32_t, flags a uint32_t. A result code is an int as the result of a function and an int32_t
 * in a structure. The text of a profile is in a struct apf_str, which is not terminated; names that you choose, of
 * files and for messages, and words of the library are terminated strings.
 *
 * The parameters of a function stand in this order: the object that it belongs to, or where it stores the handle that
 * it makes; what it reads (inputs, names, numbers, each array before its length); options and flags; the output; other
 * results; the error. A callback of the caller comes before the pointer that is passed to it as first argument.
 */
#ifndef ANYPROF_ANYPROF_H
#define ANYPROF_ANYPROF_H

#define APF_VERSION_MAJOR 0
#define APF_VERSION_MINOR 1
#define APF_VERSION_PATCH 0

#include <anyprof/bat.h>
#include <anyprof/bolt.h>
#include <anyprof/compare.h>
#include <anyprof/correlate.h>
#include <anyprof/cov.h>
#include <anyprof/error.h>
#include <anyprof/export.h>
#include <anyprof/instr.h>
#include <anyprof/io.h>
#include <anyprof/jobs.h>
#include <anyprof/lookup.h>
#include <anyprof/memprof.h>
#include <anyprof/merge.h>
#include <anyprof/perf.h>
#include <anyprof/probe.h>
#include <anyprof/profgen.h>
#include <anyprof/report.h>
#include <anyprof/sample.h>
#include <anyprof/sample_functions.h>
#include <anyprof/sample_lookup.h>
#include <anyprof/sample_merge.h>
#include <anyprof/sample_views.h>
#include <anyprof/sample_write.h>
#include <anyprof/show.h>
#include <anyprof/supplement.h>

#endif
