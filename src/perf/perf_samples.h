/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The samples of a program in a recording, added up: branches together with the range of code that ran after each, or
 * addresses of instructions. Samples of other programs and of the kernel are counted and left out.
 *
 * Equal branches of a process are added up while recordings of any length are read; they are translated to addresses of
 * the program when all mappings are known. */
#ifndef PERF_PERF_SAMPLES_H
#define PERF_PERF_SAMPLES_H

#include "base/text_set.h"
#include "object/branch_counts.h"
#include "perf/perf_data.h"
#include "perf/perf_script.h"
#include "perf/process_map.h"

struct perf_samples_options {
    bool addresses;       /* add up samples of instructions, else branch stacks */
    bool keep_kernel;     /* also branches to and from the kernel */
    bool keep_newest;     /* also the newest entries of stacks of 32, of which one may be wrong */
    uint32_t pid;         /* only samples of this process; 0: of all processes */
    uint64_t max_samples; /* later samples are counted as `beyond` */
};

/* Numbers of samples and of entries of branch stacks; complete after perf_samples_finish. */
struct perf_samples_counts {
    uint64_t processes; /* that ran the program */
    uint64_t samples, beyond;
    uint64_t elsewhere;  /* samples of other programs; the rest is about the program */
    uint64_t empty;      /* branch stacks without an entry */
    uint64_t loads;      /* samples of memory loads */
    uint64_t other_mode; /* addresses where stacks were wanted, or the reverse */
    uint64_t entries;    /* entries of branch stacks; these are of them: */
    uint64_t kernel;     /* with an end in the kernel */
    uint64_t silent;     /* without a flag for mispredictions */
    uint64_t repeated;   /* left out, because the processor wrote the newest entry twice */
};

/* Counts of a process, used if it runs the program. */
struct process_samples {
    uint64_t samples, empty, entries, kernel, silent, loads, other_mode;
    uint32_t stack_of_32; /* period of the first sample with 32 entries; UINT32_MAX: none */
};

/* An event of a recording: where its name is, and its number in perf_samples.events. */
struct perf_recorded_event {
    struct apf_str name;
    uint64_t event;
};

/* All zero = empty. perf_samples_close frees what it holds. */
struct perf_samples {
    struct perf_samples_options options;
    struct perf_samples_counts counts;
    struct process_map map;
    struct perf_script script;             /* the reader's counts of lines, of text */
    struct perf_data_counts recorded;      /* and those of records, of perf.data */
    VEC(struct process_samples) processes; /* by their numbers in the map; may be shorter than the map */
    struct branch_counts traces;           /* see perf_samples.c for their fields */
    struct text_set events;                /* names of events, as they are printed */
    VEC(char) printed;                     /* the name that is looked for */
    VEC(struct perf_recorded_event)
    recorded_events;                      /* of the recording that is read, by their numbers in it */
    bool in_recording;                    /* perf.data is read */
    VEC(struct apf_perf_branch) branches; /* of a sample, without those of the kernel */
    uint64_t n_read;                      /* samples so far, up to options.max_samples */
    uint32_t period;
    bool certain;      /* the program certainly had a sample with 32 entries */
    bool drops_newest; /* the newest entries of stacks of 32 */
};

/* What equal samples say, in addresses of the program; UINT64_MAX: outside of it. */
struct perf_sample {
    enum { PERF_SAMPLE_ADDRESS, PERF_SAMPLE_BRANCH, PERF_SAMPLE_TRACE } kind;
    uint64_t address;     /* of the branch, or of the instruction */
    uint64_t target;      /* of the branch */
    uint64_t next;        /* PERF_SAMPLE_TRACE: the next branch that jumped */
    struct apf_str event; /* PERF_SAMPLE_ADDRESS: with a colon at its end; n == 0: not known */
    uint64_t count, mispredictions;
};

/* A result other than APF_OK ends the visit and is returned. */
typedef int perf_sample_fn(void *user, const struct perf_sample *sample, struct apf_error *error);

/* Begins with the samples of the program `elf`, whose path is `name`; elf and name must stay as long as `s`. */
int perf_samples_open(struct perf_samples *s, const struct perf_samples_options *options,
                      const struct elf_file *elf, const char *name, bool ignore_build_id,
                      struct apf_error *error);
void perf_samples_close(struct perf_samples *s);
/* Reads the text of `perf script` and adds its samples. */
int perf_samples_read_script(struct perf_samples *s, const struct apf_input *input, uint64_t max_bytes,
                             struct apf_error *error);
/* Reads perf.data and adds its samples. */
int perf_samples_read_data(struct perf_samples *s, const struct apf_input *input, uint64_t max_bytes,
                           struct apf_error *error);
/* To be called after all was read: completes the counts, and visits the different samples of the program in the
 * order in which each came first. APF_NOT_RECORDED: no process ran the program. */
int perf_samples_finish(struct perf_samples *s, perf_sample_fn *visit, void *user, struct apf_error *error);

#endif
