/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of LLVM releases: which versions and features each one writes and reads. A new release is one more row. */
#ifndef INSTR_RELEASES_H
#define INSTR_RELEASES_H

#include <stdbool.h>
#include <stdint.h>

#include <anyprof/instr.h>

struct release {
    const char *name;
    uint32_t raw_version;     /* written by instrumented programs */
    uint32_t indexed_version; /* written by llvm-profdata, and the newest that the compiler reads */
    uint32_t value_kinds;     /* number of value kinds that its readers accept */
    char separator;           /* between file and name of a local function in IR profiles */
    uint64_t variants;        /* APF_VARIANT_* bits that its readers know */
    uint8_t memprof_first, memprof_last; /* oldest and newest version of MemProf data that it reads */
    uint8_t memprof_usual;               /* version of MemProf data that it writes */
    uint8_t memprof_fields; /* highest field of MemProf data that it knows; 0: it knows no MemProf */
};

/* A set of releases is a uint64_t with bit i for row i. */

unsigned release_count(void);
const struct release *release_row(unsigned release);
/* The newest release of a set that is not empty. */
unsigned release_newest(uint64_t set);
/* The releases of a set that cannot read an indexed version. */
uint64_t releases_too_old(uint64_t set, uint32_t indexed_version);
/* The newest indexed version that all releases of a set, which is not empty, read. */
uint32_t releases_read_all(uint64_t set);
bool release_reads(unsigned release, uint32_t indexed_version);
bool release_reads_memprof(unsigned release, uint32_t memprof_version);
/* The scheme by which front ends hash functions for an indexed version: 0 .. 4. */
unsigned hash_scheme(uint32_t indexed_version);
/* The lowest and the highest indexed version with the hash scheme of this one. */
uint32_t hash_scheme_lowest(uint32_t indexed_version);
uint32_t hash_scheme_highest(uint32_t indexed_version);
/* Whether a front end's hash is a digest of the control flow. Control flow of up to ten parts is not digested, and all
 * releases since 12 give it the same hash. */
bool hash_is_digest(uint64_t hash);
/* Narrows the releases that may have made a front-end profile without digests to those before the 60-bit scheme, if
 * there are any: the releases differ in digests only, so the older scheme suits all of them. */
uint64_t releases_without_digests(uint64_t set);
/* The separator that consumers of an indexed version expect. */
char separator_of_version(uint32_t indexed_version);

/* Features of a profile by which the releases that may have made it are recognised. */
struct release_clues {
    uint32_t format;         /* enum apf_instr_format */
    uint32_t version;        /* of the format */
    uint64_t variant;        /* APF_VARIANT_* */
    uint64_t hash_bits;      /* hashes of all functions, ORed: front-end hashes of LLVM 22 have 60 bits */
    uint32_t max_kinds;      /* raw: entries in the array of site counts; else highest kind with sites + 1 */
    uint64_t digests;        /* number of hashes that would be digests if a front end made them */
    bool semicolons, colons; /* separators in the names of local functions */
};

/* Adds the hash of a function. Those that rustc makes, as its names tell, are the same with each LLVM, and say
 * nothing. */
void release_clues_hash(struct release_clues *c, uint64_t hash, struct apf_str name);
/* Adds the separator of a local function's name; once there is a semicolon, other names add nothing. */
void release_clues_name(struct release_clues *c, const char *name, size_t n);
/* Adds the features of another profile of the same file; format, version and variant stay those of the first. */
void release_clues_join(struct release_clues *to, const struct release_clues *from);
/* The set of releases that may have written a profile. 0 for text and for versions that no release writes. */
uint64_t releases_that_made(const struct release_clues *c);
/* The set of releases that can read a profile and know every variant bit that changes how counts are stored. A raw
 * profile is read by the releases that write its version; an indexed one by those that know the version, the value
 * kinds and the version of its MemProf section (APF_MEMPROF_NO_VERSION: it has none). 0 for text, which all releases
 * read. */
uint64_t releases_that_read(const struct release_clues *c, uint32_t memprof_version);
/* The position of the separator in the name of a local function in an IR profile, or 0 when the name is not local. */
size_t local_name_split(const char *name, size_t n, char separator);
/* The same for either separator, a semicolon before a colon: what is before it is the file. */
size_t local_name_file(const char *name, size_t n);

/* The features of an output for a target. */
struct target_choice {
    uint32_t version;
    char separator;       /* between file and name of a local function; '\0': names stay as they are */
    uint32_t value_kinds; /* number of value kinds that may be written */
    uint64_t variants;    /* variant bits that may be written */
};

/* The choice for an explicit target; the merge decides what `auto` is. */
struct target_choice target_choose(const struct apf_target *target);

#endif
