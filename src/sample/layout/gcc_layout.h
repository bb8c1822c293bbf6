/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layouts of GCC's AutoFDO profiles, and the numbers in them (docs/formats/gcc-afdo.md). Which release of GCC reads
 * which layout is in sample_releases.c. */
#ifndef SAMPLE_GCC_LAYOUT_H
#define SAMPLE_GCC_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first word, "gcda"; the files of gcov (.gcda) begin with it, too. */
#define GCC_MAGIC 0x67636461u
/* Bytes of magic, version, a word that GCC ignores, and the tag of the first section. */
#define GCC_HEADER 16u

/* Tags of sections. */
#define GCC_TAG_SUMMARY 0xa8000000u
#define GCC_TAG_NAMES 0xaa000000u
#define GCC_TAG_FUNCTIONS 0xac000000u
#define GCC_TAG_MODULES 0xae000000u
#define GCC_TAG_WORKING_SET 0xaf000000u

/* The version word of layout 704: "704*". */
#define GCC_WORD_704 0x3430372au
/* Version words of profiles are small numbers, except this one; those of .gcda files are text. */
#define GCC_MAX_SMALL_WORD 0xffffu

/* The index of an unknown source file. */
#define GCC_NO_FILE UINT32_MAX
/* The type of the histogram of call targets. */
#define GCC_TARGETS_TYPE 7u
/* The largest line and discriminator that a place, one word, holds. */
#define GCC_MAX_PLACE 0xffffu
#define GCC_WORKING_SETS 128u
/* Bytes of a function without its tree, without its time; of a node, a place with its count, a target, a place of a
 * call, a row of the summary, and a working set. */
#define GCC_HEAD_BYTES 8u
#define GCC_NODE_BYTES 12u
#define GCC_LINE_BYTES 16u
#define GCC_TARGET_BYTES 20u
#define GCC_CALL_BYTES 4u
#define GCC_ROW_BYTES 20u
#define GCC_WORKING_SET_BYTES 12u

enum {
    GCC_CAP_BYTE_STRINGS = 1, /* lengths of strings are in bytes, without padding; else in words, padded */
    GCC_CAP_FILES = 2,        /* a table of source files, and the number of a file with each name */
    GCC_CAP_SUMMARY = 4,
    GCC_CAP_TIMES = 8, /* functions have the time of their first sample */
    GCC_CAP_OLD_MODULES =
        16, /* the stored length of the empty section of modules is 1, as autofdo 0.19 writes it */
    GCC_CAP_MISLABELLED = 32,  /* the version word is that of another layout: never written */
    GCC_CAP_ALIASES = 64,      /* LLVM reads the layout: a function that comes once more is an alias to it */
    GCC_CAP_DEVELOPMENT = 128, /* only development versions of GCC 16 read the layout */
    /* What the releases of GCC that read the layout refuse. */
    GCC_CAP_NEEDS_MODULES = 256,     /* a profile without the section of modules */
    GCC_CAP_NEEDS_WORKING_SET = 512, /* a profile without the section of working sets */
    GCC_CAP_NO_NAME_0 = 1024,        /* a function with the name at index 0 */
    GCC_CAP_NO_REPEATS = 2048        /* a function that comes once more */
};

struct gcc_layout {
    const char *name; /* "1", "704", "2", "3a", "3b" or "3"; that of the real layout if it is mislabelled */
    const char *variant; /* the name, or "" if it says no more than the version */
    uint32_t word;       /* the version word */
    uint32_t version;    /* as it is reported: the word, or 704 */
    uint32_t caps;       /* GCC_CAP_* */
};

/* What a file may be, by its version word and whether it begins with a summary: *n rows, the likeliest one first. NULL:
 * no such version. */
const struct gcc_layout *gcc_layout_candidates(uint32_t word, bool summary, size_t *n);
/* The layout with a name, for writing; NULL: there is none. */
const struct gcc_layout *gcc_layout_named(const char *name);
/* The newest version word. */
uint32_t gcc_layout_newest(void);

/* Which suffixes of names a compiler ignores, so that a profile should have none of them. */
enum gcc_suffixes {
    GCC_SUFFIXES_KEEP,
    GCC_SUFFIXES_CLONES, /* ".cold", and ".isra", ".constprop", ".lto_priv", ".part" and ".cold" with a number */
    GCC_SUFFIXES_ALL     /* everything from the first dot on */
};

#endif
