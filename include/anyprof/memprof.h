/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file memprof.h
 * Memory profiles (MemProf, -fmemory-profile): a section of indexed profiles, of versions 0 to 4, or a file in YAML.
 *
 * Functions have allocation contexts, which are call stacks with what was measured of the memory that was allocated
 * there, and call sites, which are places where they stand in the stacks of others. Profiles are opened with
 * apf_instr_open and merged with merge.h. The handle belongs to the apf_instr that it is of; everything it gives is
 * valid until that is closed. docs/formats/indexed.md, section 13, has the format.
 */
#ifndef ANYPROF_MEMPROF_H
#define ANYPROF_MEMPROF_H

#include <anyprof/instr.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A memory profile. It never changes: several threads may read it at once. */
struct apf_memprof;

/** What is measured of an allocation context: numbers of LLVM's schemas, and indices of apf_memprof_alloc.values.
 * Times are milliseconds, sizes bytes; densities are accesses for each byte times 100, lifetime densities these for
 * each second of lifetime. */
enum apf_memprof_field {
    APF_MEMPROF_ALLOC_COUNT = 1,
    APF_MEMPROF_TOTAL_ACCESS_COUNT = 2,
    APF_MEMPROF_MIN_ACCESS_COUNT = 3,
    APF_MEMPROF_MAX_ACCESS_COUNT = 4,
    APF_MEMPROF_TOTAL_SIZE = 5,
    APF_MEMPROF_MIN_SIZE = 6,
    APF_MEMPROF_MAX_SIZE = 7,
    APF_MEMPROF_ALLOC_TIMESTAMP = 8,
    APF_MEMPROF_DEALLOC_TIMESTAMP = 9,
    APF_MEMPROF_TOTAL_LIFETIME = 10,
    APF_MEMPROF_MIN_LIFETIME = 11,
    APF_MEMPROF_MAX_LIFETIME = 12,
    APF_MEMPROF_ALLOC_CPU_ID = 13,
    APF_MEMPROF_DEALLOC_CPU_ID = 14,
    APF_MEMPROF_NUM_MIGRATED_CPU = 15,
    APF_MEMPROF_NUM_LIFETIME_OVERLAPS = 16,
    APF_MEMPROF_NUM_SAME_ALLOC_CPU = 17,
    APF_MEMPROF_NUM_SAME_DEALLOC_CPU = 18,
    APF_MEMPROF_DATA_TYPE_ID = 19,
    APF_MEMPROF_TOTAL_ACCESS_DENSITY = 20,
    APF_MEMPROF_MIN_ACCESS_DENSITY = 21,
    APF_MEMPROF_MAX_ACCESS_DENSITY = 22,
    APF_MEMPROF_TOTAL_LIFETIME_ACCESS_DENSITY = 23,
    APF_MEMPROF_MIN_LIFETIME_ACCESS_DENSITY = 24,
    APF_MEMPROF_MAX_LIFETIME_ACCESS_DENSITY = 25,
    APF_MEMPROF_ACCESS_HISTOGRAM_SIZE = 26,
    APF_MEMPROF_ACCESS_HISTOGRAM = 27, /**< an address in the profiled process: means nothing */
    APF_MEMPROF_FIELDS = 28
};

/** LLVM's name of a field, such as "AllocCount"; NULL for what is none. */
APF_API const char *apf_memprof_field_name(enum apf_memprof_field field);

/** A place in a call stack. Functions are ids as in apf_record.id, of names without suffixes such as ".llvm.1". Its
 * layout is frozen. */
struct apf_memprof_frame {
    uint64_t function;
    uint32_t line_offset; /**< from the first line of the function */
    uint32_t column;
    uint32_t is_inline; /**< 1: the function is inlined into that of the next frame */
    uint32_t reserved;
};

/** Counts of allocation contexts, each stack once, and the largest total size of any. Its layout is frozen. */
struct apf_memprof_summary {
    uint64_t contexts, cold_contexts, hot_contexts;
    uint64_t max_cold_size, max_warm_size, max_hot_size;
};

struct apf_memprof_info {
    uint32_t version; /**< of the section; APF_MEMPROF_NO_VERSION: it is YAML, or a merge */
    uint32_t schema;  /**< a bit for each field that the section has; 0 for YAML */
    uint32_t fields;  /**< a bit for each field that any context has */
    uint32_t reserved;
    uint64_t n_functions, n_allocs, n_call_sites;
    const struct apf_memprof_frame *frames; /**< those of all stacks, each once, in no order to rely on */
    uint64_t n_frames;
    uint64_t n_data;                    /**< data access profiles (version 4) */
    const struct apf_str *cold_symbols; /**< data that is known and was not seen */
    uint64_t n_cold_symbols;
    const uint64_t *cold_hashes; /**< the same for string literals, by hash */
    uint64_t n_cold_hashes;
    struct apf_memprof_summary summary; /**< as it is in a section of version 4, else computed */
};

struct apf_memprof_function {
    size_t size;   /**< sizeof(struct apf_memprof_function), set by the caller */
    uint64_t guid; /**< as apf_memprof_frame.function */
    uint64_t n_allocs, n_call_sites;
};

struct apf_memprof_alloc {
    size_t size;                         /**< sizeof(struct apf_memprof_alloc), set by the caller */
    uint32_t stack;                      /**< for apf_memprof_stack */
    uint32_t fields;                     /**< a bit for each field that is known */
    uint64_t values[APF_MEMPROF_FIELDS]; /**< by enum apf_memprof_field; 0 where it is not known */
};

struct apf_memprof_call_site {
    size_t size; /**< sizeof(struct apf_memprof_call_site), set by the caller */
    uint32_t stack;
    uint32_t reserved;
    const uint64_t *callees; /**< ids of called functions, where they are known (version 4) */
    uint64_t n_callees;
};

struct apf_memprof_location {
    size_t size;         /**< sizeof(struct apf_memprof_location), set by the caller */
    struct apf_str file; /**< n == 0: not known */
    uint32_t line;
    uint32_t reserved;
};

/** How often a static variable or a string literal was accessed. */
struct apf_memprof_data {
    size_t size;           /**< sizeof(struct apf_memprof_data), set by the caller */
    struct apf_str symbol; /**< p == NULL: a string literal */
    uint64_t hash;         /**< of the literal's bytes */
    uint64_t access_count;
    uint64_t n_locations;
};

/** The memory profile of a profile that was opened, or of a merge's view; NULL: it has none. */
APF_API const struct apf_memprof *apf_instr_memprof(const struct apf_instr *instr);
/** Facts about the memory profile as a whole. Never NULL; valid until its profile is closed. */
APF_API const struct apf_memprof_info *apf_memprof_info(const struct apf_memprof *memprof);

/** The i-th function, in the order of the file; APF_END: there is none. In a merge of several memory profiles the order
 * is that of the ids. */
APF_API int apf_memprof_function(const struct apf_memprof *memprof, size_t i,
                                 struct apf_memprof_function *function, struct apf_error *error);
/** The i-th allocation context or call site of a function; APF_END: there is none. */
APF_API int apf_memprof_alloc(const struct apf_memprof *memprof, size_t function, size_t i,
                              struct apf_memprof_alloc *alloc, struct apf_error *error);
/** The i-th call site of a function; APF_END: there is none. */
APF_API int apf_memprof_call_site(const struct apf_memprof *memprof, size_t function, size_t i,
                                  struct apf_memprof_call_site *site, struct apf_error *error);
/** The frames of a stack, the innermost first, as numbers of info.frames. Stores the first `max` and returns their
 * number. */
APF_API size_t apf_memprof_stack(const struct apf_memprof *memprof, uint32_t stack, uint32_t *frames,
                                 size_t max);
/** The i-th data access profile, and the k-th place in the source that it is from; APF_END: there is none. */
APF_API int apf_memprof_data(const struct apf_memprof *memprof, size_t i, struct apf_memprof_data *data,
                             struct apf_error *error);
/** The k-th place in the source that the i-th data access profile is from; APF_END: there is none. */
APF_API int apf_memprof_data_location(const struct apf_memprof *memprof, size_t i, size_t k,
                                      struct apf_memprof_location *location, struct apf_error *error);

/** Writes it as YAML, as llvm-profdata 22 shows a section: a summary in comments, functions, data access profiles. */
APF_API int apf_memprof_print(const struct apf_memprof *memprof, const struct apf_output *output,
                              struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
