/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file anyprof.h
 * The whole public interface of libanyprof and libanyprof-elf; that of the runtime is in rt.h.
 *
 * Different handles are independent: each thread may use its own. What several threads may do with one handle at once
 * stands where the handle is declared; closing or freeing it is for one of them, when the others are done.
 *
 * How structures grow, so that programs keep working with a newer library without being compiled again:
 * - What the caller makes or has room for (options, inputs, results, records) begins with its `size`: see struct
 *   apf_options.
 * - What a function or a callback points to (info, results of inputs, functions of a list) grows at its end. It is read
 *   where it is: there are no arrays of such structures, they are asked for by their number.
 * - All others, such as struct apf_str and what arrays in other structures consist of, have a frozen layout. Something
 *   new takes a structure and a function of its own.
 * Enumerations grow at their end; arrays whose length is one of their numbers stand last.
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
#include <anyprof/error.h>
#include <anyprof/instr.h>
#include <anyprof/io.h>
#include <anyprof/jobs.h>
#include <anyprof/lookup.h>
#include <anyprof/memprof.h>
#include <anyprof/merge.h>
#include <anyprof/probe.h>
#include <anyprof/show.h>

#endif
