/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linked by -Wl,-u,apf_rt_live: makes the counters fill whole pages, with nothing else in them. As the last part of the
 * section it begins a page, and is one; so does the section, since it is as aligned as its parts. */
#include "rt_continuous.h"

#if defined(__x86_64__) || defined(__i386__)
enum { PAGE = 4096 };
#else
enum { PAGE = 65536 }; /* the largest that Linux is built with on most others */
#endif

static uint8_t counters[PAGE] __attribute__((section("__llvm_prf_cnts"), aligned(PAGE), used));

/* The reference keeps them where linkers drop what is unused. */
const void *const apf_rt_live = counters;
