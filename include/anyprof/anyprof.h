/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file anyprof.h
 * The whole public interface. Different handles are independent: each thread may use its own. What several threads may
 * do with one handle at once stands where the handle is declared; closing or freeing it is for one of them, when the
 * others are done.
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
