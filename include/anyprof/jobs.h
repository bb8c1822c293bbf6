/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file jobs.h
 * What needs more than one kind of file. Part of libanyprof-elf.
 */
#ifndef ANYPROF_JOBS_H
#define ANYPROF_JOBS_H

#include <anyprof/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of files that people give to a profile tool. */
enum apf_file_kind {
    APF_KIND_UNKNOWN = 0,
    APF_KIND_EMPTY,         /**< no bytes */
    APF_KIND_INSTR_RAW,     /**< .profraw */
    APF_KIND_INSTR_INDEXED, /**< .profdata of an instrumentation profile */
    APF_KIND_INSTR_TEXT,    /**< .proftext (or any text that is nothing else) */
    APF_KIND_SAMPLE_BINARY, /**< sample profile, binary or extensible binary */
    APF_KIND_SAMPLE_TEXT,   /**< sample profile, text */
    APF_KIND_SAMPLE_GCOV,   /**< sample profile of AutoFDO for GCC */
    APF_KIND_MEMPROF_RAW,   /**< .memprofraw */
    APF_KIND_PERF_DATA,     /**< perf.data */
    APF_KIND_ELF,           /**< executable, shared library or object */
    APF_KIND_ARCHIVE,       /**< ar archive */
    APF_KIND_GZIP,          /**< compressed; what is in it cannot be unpacked */
    APF_KIND_ZSTD,          /**< the same */
    APF_KIND_BZIP2,         /**< compressed in a way that is not read */
    APF_KIND_XZ,            /**< the same */
    APF_KIND_MEMPROF_YAML   /**< memory profile in YAML */
};

/** apf_file_info.contents: sections of an ELF file that concern profiling. */
#define APF_ELF_INSTRUMENTED 1u /**< __llvm_prf_cnts: instrumented */
#define APF_ELF_COVERAGE_MAP 2u /**< __llvm_covmap */
#define APF_ELF_PROBES 4u       /**< .pseudo_probe */
#define APF_ELF_BAT 8u          /**< .note.bolt_bat: optimised by BOLT, with its address translation */
#define APF_ELF_DEBUG_INFO 16u  /**< .debug_info */

/** What a file is. */
struct apf_file_info {
    int32_t kind; /**< enum apf_file_kind; of a compressed file, of what is in it if that can be unpacked */
    uint32_t contents;    /**< ELF: APF_ELF_* */
    uint32_t elf_bits;    /**< ELF: 32 or 64 */
    uint32_t elf_machine; /**< ELF: e_machine */
    uint32_t big_endian;  /**< ELF: 1 = big-endian */
    uint32_t n_build_id;  /**< ELF: bytes of the GNU build id; 0 = none */
    uint8_t build_id[64]; /**< the first 64 of them */
    uint64_t size;        /**< of the file */
    int32_t compression; /**< how the whole file is compressed: APF_KIND_GZIP, APF_KIND_ZSTD; 0 = it is not */
    uint32_t reserved;
};

/** Tells what a file is from its bytes; the name plays no part. Fails only when it cannot be read. A damaged ELF file
 * is APF_KIND_ELF with what could be found. */
APF_API int apf_file_detect(struct apf_file_info *info, const struct apf_input *input,
                            const struct apf_options *options, struct apf_error *error);
/** A few words such as "an ELF file"; never NULL. */
APF_API const char *apf_file_kind_name(int kind);

#ifdef __cplusplus
}
#endif
#endif
