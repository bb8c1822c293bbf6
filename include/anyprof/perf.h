/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file perf.h
 * Recordings of Linux' perf: perf.data, read as a stream of samples, without perf. In libanyprof-elf.
 */
#ifndef ANYPROF_PERF_H
#define ANYPROF_PERF_H

#include <anyprof/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the records of a recording end. What comes before is read in any case. */
enum apf_perf_end {
    APF_PERF_END_WHOLE = 0,
    APF_PERF_END_CUT = 1,     /**< inside a record, or before the end that the header announces */
    APF_PERF_END_BROKEN = 2,  /**< at a record that is shorter than its own header */
    APF_PERF_END_DAMAGED = 3, /**< at compressed records that cannot be unpacked */
    APF_PERF_END_ENDLESS = 4  /**< compressed records unpack to more than an input may */
};

/** The tracer whose data a recording has; perf inject makes samples of such data. */
enum apf_perf_tracer {
    APF_PERF_TRACER_NONE = 0,
    APF_PERF_TRACER_INTEL_PT = 1,
    APF_PERF_TRACER_INTEL_BTS = 2,
    APF_PERF_TRACER_CORESIGHT = 3,
    APF_PERF_TRACER_ARM_SPE = 4
    /* Other numbers are those of perf's enum auxtrace_type. */
};

/** Where the processor was. */
enum apf_perf_mode {
    APF_PERF_MODE_UNKNOWN = 0,
    APF_PERF_MODE_KERNEL = 1,
    APF_PERF_MODE_USER = 2,
    APF_PERF_MODE_HYPERVISOR = 3,
    APF_PERF_MODE_GUEST_KERNEL = 4,
    APF_PERF_MODE_GUEST_USER = 5
};

/** An entry of a branch stack. Its layout is frozen. */
struct apf_perf_branch {
    uint64_t from; /**< address of the branch */
    uint64_t to;   /**< its target */
    /** The fields of the kernel's struct perf_branch_entry, from the lowest bit on: mispredicted, predicted, in a
     * transaction, aborted it (1 bit each), cycles since the last branch (16), type (4), speculation (2), newer type
     * (4), privilege (3). The byte order of the recording does not matter. */
    uint64_t flags;
};

#define APF_PERF_BRANCH_MISPREDICTED 1u
#define APF_PERF_BRANCH_PREDICTED 2u

/** What a sample has: bits of apf_perf_sample.fields. */
#define APF_PERF_HAS_ADDRESS 1u
#define APF_PERF_HAS_BRANCHES 2u
#define APF_PERF_HAS_DATA 4u
#define APF_PERF_HAS_CHAIN 8u

/** Entries of call chains from here on are no addresses: they say in which mode the next ones are (-128 kernel, -512
 * user, and so on: see the kernel's enum perf_callchain_context). */
#define APF_PERF_CHAIN_MARKERS ((uint64_t)-4095)

/** A sample. Pointers are valid during the callback only. */
struct apf_perf_sample {
    uint32_t event;                         /**< its number */
    uint32_t fields;                        /**< APF_PERF_HAS_* */
    uint32_t pid, tid;                      /**< process and thread; UINT32_MAX: not known */
    uint32_t cpu;                           /**< number of the processor; 0 also where that is not known */
    uint32_t mode;                          /**< enum apf_perf_mode, at `address` */
    uint64_t time;                          /**< nanoseconds of the clock of the recording; 0: not known */
    uint64_t address;                       /**< of the instruction */
    uint64_t data;                          /**< of the data that it read or wrote */
    uint64_t period;                        /**< events that this sample stands for */
    const struct apf_perf_branch *branches; /**< the newest first, without those that did not jump */
    size_t n_branches;
    const uint64_t *chain; /**< call chain, the innermost first, with markers */
    size_t n_chain;
};

/** An event that was recorded. */
struct apf_perf_event {
    struct apf_str name; /**< such as "cycles:u" */
    uint32_t type;       /**< of the kernel's struct perf_event_attr, like the next four */
    uint32_t frequency;  /**< 1: `period` is the number of samples in a second */
    uint64_t config;
    uint64_t period; /**< a sample for so many events */
    uint64_t sample_type, branch_type;
    uint64_t n_samples;  /**< complete after apf_perf_read, like the next ones */
    uint64_t n_stacks;   /**< samples with branches */
    uint64_t n_branches; /**< their branches */
    uint64_t n_chains;   /**< samples with a call chain that is not empty */
    uint64_t sum;        /**< of the periods */
};

/** A file that was mapped where samples are, or whose build is recorded. */
struct apf_perf_file {
    struct apf_str path;     /**< as it was recorded: "[kernel.kallsyms]" and the like are no files */
    struct apf_str build_id; /**< its bytes, without zeros at the end; n == 0: not known */
    uint32_t kernel;         /**< 1: the kernel or a module */
    uint64_t n_samples;      /**< complete after apf_perf_read */
    uint64_t n_mappings;     /**< how often it was mapped as code */
};

/** What a recording is, and what is in it. Numbers are complete after apf_perf_read; texts with n == 0 are not
 * recorded, or not yet known. */
struct apf_perf_info {
    size_t n_events;
    size_t n_files; /**< complete after apf_perf_read */
    struct apf_str hostname, release, version, arch, cpu, cpu_id,
        command;         /**< release: of the kernel; version: of perf */
    uint32_t big_endian; /**< 1: the machine that recorded is */
    uint32_t piped;      /**< 1: perf record -o - */
    uint32_t directory;  /**< 1: perf record --threads */
    uint32_t unfinished; /**< 1: the recorder was killed, and what it knew at the end is missing */
    uint32_t end;        /**< enum apf_perf_end */
    uint32_t tracer;     /**< enum apf_perf_tracer */
    uint64_t end_at;     /**< offset of that end in its file */
    uint64_t n_records;  /**< of all kinds */
    uint64_t n_samples;  /**< whole ones, of known events */
    uint64_t n_lost_records, n_lost_samples;       /**< that the recorder says were lost */
    uint64_t n_throttled;                          /**< times that the kernel paused an event */
    uint64_t n_damaged_samples, n_damaged_records; /**< whose parts do not fit in them; they are left out */
    uint64_t n_unknown_events;   /**< records of no event that is listed; they are left out */
    uint64_t n_unknown_records;  /**< of kinds that this library does not know */
    uint64_t n_damaged_features; /**< facts about the recording that cannot be read */
    uint64_t n_incomplete_maps;  /**< processes whose mappings perf could not list in time */
    uint64_t n_late;             /**< records that came after later ones were passed on */
    uint64_t n_not_taken;      /**< branches that were left out: they did not jump, or were only speculated */
    uint64_t n_unmapped;       /**< samples in no mapped file */
    uint64_t n_processes;      /**< with samples */
    uint64_t packed, unpacked; /**< bytes of compressed records */
    uint64_t aux_bytes;        /**< data of the tracer */
    uint64_t first_time, last_time; /**< of samples; 0: none has a time */
};

/** A place in a file. */
struct apf_perf_place {
    size_t size;         /**< sizeof(struct apf_perf_place), set by the caller */
    size_t file;         /**< its number */
    uint64_t offset;     /**< in the file; of the kernel, the address */
    uint64_t start;      /**< address where the mapping begins */
    uint32_t executable; /**< 1: the mapping is code */
};

/** A recording. One thread at a time. */
struct apf_perf;

/** Receives samples in the order of time. A result other than APF_OK ends the reading and is returned. */
typedef int apf_perf_sample_fn(void *user, const struct apf_perf_sample *sample, struct apf_error *error);

/** Opens a recording: a file of perf record, also one that was written to a pipe or comes through one, a directory
 * (perf record --threads); of either byte order; compressed by perf (-z), or as a whole. Reads what is known before the
 * samples. APF_BAD_RECORDING: it is none; APF_UNSUPPORTED: of a perf before 2009. max_bytes bounds the input, and
 * what compressed records unpack to; max_records the mappings in memory (APF_LIMIT; 0, and anything above it, = 2^23).
 */
APF_API int apf_perf_open(struct apf_perf **result, const struct apf_input *input,
                          const struct apf_options *options, struct apf_error *error);
/** Closes a recording. NULL is allowed. */
APF_API void apf_perf_close(struct apf_perf *perf);
/** Facts about the recording. Never NULL; valid until it is closed; apf_perf_read brings them up to date when it
 * returns, also with an error. */
APF_API const struct apf_perf_info *apf_perf_info(const struct apf_perf *perf);
/** Event number i, NULL if there is none; valid until the next sample, or until the recording is closed. Events that
 * come through a pipe are known once apf_perf_read has come to them. */
APF_API const struct apf_perf_event *apf_perf_event(const struct apf_perf *perf, size_t i);
/** File number i, in the order in which they came; NULL if there is none. Valid until the recording is closed, and
 * complete after apf_perf_read. */
APF_API const struct apf_perf_file *apf_perf_file(const struct apf_perf *perf, size_t i);

/** Reads all samples, in the order of time, in one pass and in memory that does not grow with their number: mappings
 * of processes, and records that wait for earlier ones (at most 64 MiB). May be called once. `visit` may be NULL.
 * Damage does not stop the reading: see apf_perf_info. APF_BAD_RECORDING: a sample comes before any event, or most
 * samples do not fit their event. */
APF_API int apf_perf_read(struct apf_perf *perf, apf_perf_sample_fn *visit, void *user,
                          struct apf_error *error);
/** Finds what was mapped at an address when the present sample was taken; only during the callback. APF_END: nothing
 * was. Addresses of the kernel are looked up in its own mappings, others in those of the sample's process. Nothing is
 * known of virtual machines, so their samples are in no file. */
APF_API int apf_perf_find(struct apf_perf *perf, uint64_t address, struct apf_perf_place *place,
                          struct apf_error *error);
/** Writes what the recording is and has, after apf_perf_read, as JSON: `anyprof-perf-info/1` of docs/json.md. */
APF_API int apf_perf_info_write(const struct apf_perf *perf, const struct apf_output *output,
                                struct apf_error *error);
/** Prints the same for people, with what the recording can be used for. */
APF_API int apf_perf_info_print(const struct apf_perf *perf, const struct apf_output *output,
                                struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
