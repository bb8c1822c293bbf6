/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file show.h
 * Printing an instrumentation profile as `llvm-profdata show` of LLVM 22 prints it.
 */
#ifndef ANYPROF_SHOW_H
#define ANYPROF_SHOW_H

#include <anyprof/instr.h>

#ifdef __cplusplus
extern "C" {
#endif

/** instr_print_options.flags: each stands for the option of that tool with its name. */
#define APF_INSTR_PRINT_ALL_FUNCTIONS 1u
#define APF_INSTR_PRINT_COUNTS 2u
#define APF_INSTR_PRINT_IC_TARGETS 4u
#define APF_INSTR_PRINT_VTABLES 8u
#define APF_INSTR_PRINT_MEMOP_SIZES 16u
#define APF_INSTR_PRINT_HOT_FUNCTIONS 32u
#define APF_INSTR_PRINT_DETAILED_SUMMARY 64u
#define APF_INSTR_PRINT_BELOW_CUTOFF 128u
#define APF_INSTR_PRINT_COVERED 256u
#define APF_INSTR_PRINT_CS 512u
#define APF_INSTR_PRINT_TEXT 1024u
#define APF_INSTR_PRINT_BINARY_IDS 2048u
#define APF_INSTR_PRINT_VERSION 4096u
#define APF_INSTR_PRINT_TRACES 8192u

struct apf_instr_print_options {
    size_t size;    /**< sizeof(struct apf_instr_print_options) */
    uint32_t flags; /**< APF_INSTR_PRINT_* */
    /** without APF_INSTR_PRINT_ALL_FUNCTIONS: functions whose name contains it; n == 0: none */
    struct apf_str function;
    uint64_t value_cutoff; /**< functions whose largest count is smaller are left out */
    uint64_t topn;         /**< number of functions with the largest counts that are listed */
    /** of the detailed summary, in millionths, in any order; NULL: the usual ones */
    const uint32_t *cutoffs;
    size_t n_cutoffs;
    /** NULL, or which other functions `function` means; not asked where the name contains it. Its results are those of
     * apf_name_filter_fn, but it cannot fail. */
    apf_name_filter_fn *also;
    void *user; /**< passed to also */
};

/** Prints a profile, byte for byte as that tool does. APF_ARGUMENT: APF_INSTR_PRINT_HOT_FUNCTIONS needs a cutoff of at
 * least 990000 among those that are given (that tool crashes). */
APF_API int apf_instr_print(const struct apf_instr *instr, const struct apf_instr_print_options *options,
                            const struct apf_output *output, struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
