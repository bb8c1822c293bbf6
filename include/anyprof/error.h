/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file error.h
 * Result codes, the error record and the diagnostic callback. Nothing here allocates.
 *
 * Every function of this library that can fail returns an `int` that is one of enum apf_code: APF_OK (0),
 * APF_END (1, an iteration is over) or a failure (10 and above). Its last argument is a `struct apf_error *`
 * that the caller owns and that may be NULL; it is written only on failure.
 */
#ifndef ANYPROF_ERROR_H
#define ANYPROF_ERROR_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define APF_API __attribute__((visibility("default")))
#else
#define APF_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Every code with its number, 1 if it says that an input is damaged, or 0, and the words LLVM uses for it (words of
 * anyprof where LLVM has no such code). The numbers never change; new ones are appended. */
#define APF_CODES(X)                                                                                         \
    X(OK, 0, 0, "success")                                                                                   \
    X(END, 1, 0, "end of File")                                                                              \
    X(UNRECOGNIZED_FORMAT, 10, 0, "unrecognized instrumentation profile encoding format")                    \
    X(BAD_MAGIC, 11, 0, "invalid instrumentation profile data (bad magic)")                                  \
    X(BAD_HEADER, 12, 1, "invalid instrumentation profile data (file header is corrupt)")                    \
    X(UNSUPPORTED_VERSION, 13, 0, "unsupported instrumentation profile format version")                      \
    X(UNSUPPORTED_HASH_TYPE, 14, 0, "unsupported instrumentation profile hash type")                         \
    X(TOO_LARGE, 15, 1, "too much profile data")                                                             \
    X(TRUNCATED, 16, 1, "truncated profile data")                                                            \
    X(MALFORMED, 17, 1, "malformed instrumentation profile data")                                            \
    X(MISSING_CORRELATION, 18, 0, "debug info/binary for correlation is required")                           \
    X(UNEXPECTED_CORRELATION, 19, 0, "debug info/binary for correlation is not necessary")                   \
    X(UNABLE_TO_CORRELATE, 20, 0, "unable to correlate profile")                                             \
    X(INVALID_PROFILE, 21, 0, "invalid profile created")                                                     \
    X(UNKNOWN_FUNCTION, 22, 0, "no profile data available for function")                                     \
    X(HASH_MISMATCH, 23, 0, "function control flow change detected (hash mismatch)")                         \
    X(COUNT_MISMATCH, 24, 0, "function basic block count change detected (counter mismatch)")                \
    X(BITMAP_MISMATCH, 25, 0, "function bitmap size change detected (bitmap size mismatch)")                 \
    X(COUNTER_OVERFLOW, 26, 0, "counter overflow")                                                           \
    X(VALUE_SITE_MISMATCH, 27, 0, "function value site count change detected (counter mismatch)")            \
    X(COMPRESS_FAILED, 28, 0, "failed to compress data (zlib)")                                              \
    X(UNCOMPRESS_FAILED, 29, 1, "failed to uncompress data (zlib)")                                          \
    X(EMPTY_PROFILE, 30, 0, "empty raw profile file")                                                        \
    X(COUNTER_TOO_LARGE, 31, 0, "excessively large counter value suggests corrupted profile data")           \
    X(LEVEL_CONFLICT, 32, 0, "Merge IR generated profile with Clang generated profile.")                     \
    X(COVERAGE_CONFLICT, 33, 0, "coverage and counts cannot be added to each other")                         \
    X(ENTRY_CONFLICT, 34, 0, "cannot merge FunctionEntryOnly profiles and BB profiles together")             \
    X(NO_MEMORY, 40, 0, "out of memory")                                                                     \
    X(IO, 41, 0, "input/output error")                                                                       \
    X(LIMIT, 42, 0, "a limit of this run was exceeded")                                                      \
    X(ARGUMENT, 43, 0, "invalid argument")                                                                   \
    X(UNSUPPORTED, 44, 0, "not supported")                                                                   \
    X(STOPPED, 45, 0, "stopped by the caller")                                                               \
    X(NOT_REPRESENTABLE, 46, 0, "the output cannot hold this")                                               \
    X(NOTE, 47, 0, "note")                                                                                   \
    X(DECOMPRESS_FAILED, 48, 1, "failed to unpack a compressed file")                                        \
    X(ALREADY_MERGED, 49, 0, "already in the output")                                                        \
    X(NOT_REMOVED, 50, 0, "merged, but not removed")                                                         \
    X(OUTPUT_BUSY, 51, 0, "another program changes the output")                                              \
    X(NO_PROBES, 52, 0, "no pseudo probe sections")                                                          \
    X(BAD_PROBES, 53, 0, "Pseudo Probe decoder fail in .pseudo_probe section")                               \
    X(BAD_PROBE_DESCS, 54, 0, "Pseudo Probe decoder fail in .pseudo_probe_desc section")                     \
    X(LEFT_OUT, 55, 0, "merged, but for a part that does not go with the others")                            \
    X(BAD_ASSEMBLY, 57, 0, "assembly with an error")                                                         \
    X(BAD_JSON, 58, 0, "JSON with an error")                                                                 \
    X(NO_BAT, 60, 0, "no BAT table found")                                                                   \
    X(BAD_BAT, 61, 0, "failed to parse BOLT address translation table")                                      \
    X(UNKNOWN_SECTION, 62, 0, "no such section")                                                             \
    X(BAD_ELF, 63, 0, "The file was not recognized as a valid object file")                                  \
    X(BAD_FDATA, 64, 0, "fdata with an error")                                                               \
    X(FDATA_CONFLICT, 65, 0, "fdata that do not go together")                                                \
    X(EMPTY_FDATA, 66, 0, "empty fdata")                                                                     \
    X(BAD_SAMPLES, 67, 0, "samples with an error")                                                           \
    X(BAD_YAML, 68, 0, "YAML profile with an error")                                                         \
    X(YAML_CONFLICT, 69, 0, "YAML profiles that do not go together")                                         \
    X(UNKNOWN_KEY, 70, 0, "a key that is not known")                                                         \
    X(BAD_RECORDING, 71, 0, "recording of perf with an error")                                               \
    X(NOT_RECORDED, 72, 0, "no samples of this program")                                                     \
    X(WRONG_DEBUG_FILE, 73, 0, "a debug file that is not of this program")                                   \
    X(SALVAGED, 78, 0, "damaged, and only what is intact was taken")                                         \
    X(METADATA_SKIPPED, 80, 0, "metadata of a function that cannot be used")                                 \
    X(INCONSISTENT, 90, 0, "parts of the profile contradict each other")                                     \
    X(SAMPLE_UNRECOGNIZED, 100, 0, "Unrecognized sample profile encoding format")                            \
    X(SAMPLE_BAD_MAGIC, 101, 0, "Invalid sample profile data (bad magic)")                                   \
    X(SAMPLE_VERSION, 102, 0, "Unsupported sample profile format version")                                   \
    X(SAMPLE_TOO_LARGE, 103, 1, "Too much profile data")                                                     \
    X(SAMPLE_TRUNCATED, 104, 1, "Truncated profile data")                                                    \
    X(SAMPLE_MALFORMED, 105, 1, "Malformed sample profile data")                                             \
    X(SAMPLE_NAME_TABLE, 106, 1, "Truncated function name table")                                            \
    X(SAMPLE_LINE_OFFSET, 107, 1, "Illegal line offset in sample profile data")                              \
    X(SAMPLE_OVERFLOW, 108, 0, "Counter overflow")                                                           \
    X(SAMPLE_HASH_MISMATCH, 109, 0, "Function hash mismatch")                                                \
    X(SAMPLE_UNWRITABLE, 110, 0, "Profile encoding format unsupported for writing operations")               \
    X(SAMPLE_UNCOMPRESS, 111, 1, "Uncompress failure")                                                       \
    X(BAD_SAMPLE_TEXT, 112, 1, "sample profile text with an error")                                          \
    X(SAMPLE_PROBE_CONFLICT, 113, 0, "cannot merge probe-based profile with non-probe-based profile")        \
    X(SAMPLE_CONTEXT_CONFLICT, 114, 0, "cannot merge CS profile with non-CS profile")                        \
    X(BAD_SAMPLE_GCC, 115, 1, "GCC AutoFDO profile with an error")                                           \
    X(AMBIGUOUS_NAME, 116, 0, "local functions of several files have this name")                             \
    X(BAD_PARTIAL, 117, 0, "partial profile with an error")                                                  \
    X(BAD_COVERAGE, 118, 1, "malformed coverage data")                                                       \
    X(COVERAGE_VERSION, 119, 0, "unsupported coverage format version")                                       \
    X(NO_COVERAGE, 120, 0, "no coverage data found")                                                         \
    X(BAD_PATCH, 121, 0, "unified diff with an error")

enum apf_code {
#define APF_CODE_ENUM(name, number, damage, text) APF_##name = number,
    APF_CODES(APF_CODE_ENUM)
#undef APF_CODE_ENUM
};

/** A borrowed run of bytes, which may have any values and is not terminated. Its layout is frozen. */
struct apf_str {
    const char *p;
    size_t n;
};

/** Which file or argument of the call an error is about. */
enum apf_subject {
    APF_SUBJECT_INPUT = 0, /**< input number `input`; also every error that fits none of the other subjects */
    APF_SUBJECT_OUTPUT = 1, /**< the output, or the journal beside it */
    APF_SUBJECT_OPTION = 2, /**< an option of the call, which no file can make right */
    APF_SUBJECT_MEMPROF =
        3, /**< the memory profile in input number `input`: APF_FLAG_DROP_MEMPROF reads the rest */
};

/** What went wrong, where. Owned by the caller; usable uninitialised; written only when a call fails. Its layout is
 * frozen: later additions use the reserved fields.
 * Fields that do not apply are 0; `offset` is UINT64_MAX where the error has no place in a file. */
struct apf_error {
    int32_t code;      /**< enum apf_code */
    int32_t sys_errno; /**< errno for APF_IO, else 0 */
    /** Byte offset in the input, or UINT64_MAX. For a compressed input it is the offset in the unpacked bytes, or,
     * where `where` begins with "gzip." or "zstd.", in the compressed file. */
    uint64_t offset;
    uint64_t found;    /**< the value that was found ... */
    uint64_t expected; /**< ... and the one, or the bound, that would have been right */
    uint64_t input;    /**< index of the input, from 0 */
    uint32_t line;     /**< line of a text input, from 1; 0 = not a text input */
    uint32_t column;   /**< column in it, from 1 */
    const char *where; /**< static dotted path of the field, such as "raw.header.names_size"; never NULL */
    char message[240]; /**< the whole message, terminated: LLVM's words first, then place, found, expected */
    uint32_t subject;  /**< enum apf_subject */
    uint32_t reserved_bits;
    uint64_t reserved[2];
    /** Name of the file: of the input (apf_input.name, else its path) or of the output, as `subject` says; terminated,
     * empty where the error is about no file. A name of more than 255 bytes is cut to "..." and its last 252 bytes. */
    char file[256];
};

/** How serious a finding is. */
enum apf_severity { APF_SEVERITY_NOTE = 0, APF_SEVERITY_WARNING = 1, APF_SEVERITY_ERROR = 2 };

/** A finding that does not stop the work. All pointers are valid during the callback only. */
struct apf_diag {
    uint32_t severity;             /**< enum apf_severity */
    int32_t code;                  /**< enum apf_code */
    uint64_t input;                /**< index of the input it is about, or UINT64_MAX */
    struct apf_str source;         /**< its name */
    struct apf_str function;       /**< the function it is about; n == 0: none, or its name is unknown */
    uint64_t hash;                 /**< that function's hash */
    const struct apf_error *error; /**< details; never NULL */
};

/** Something that is odd about an accepted input, or missing in it. Its layout is frozen. */
struct apf_finding {
    /** enum apf_severity. APF_SEVERITY_WARNING: something is missing or may be wrong; APF_SEVERITY_NOTE: nothing is */
    uint32_t severity;
    int32_t code;      /**< enum apf_code */
    uint64_t n;        /**< how often, from 1 */
    const char *where; /**< static name, such as "quirk.MISSING_VALUE_DATA", as in apf_diag.error->where */
    const char *text;  /**< static explanation */
};

/** Receives findings on the calling thread, in input order. Non-zero stops the work with APF_STOPPED. */
typedef int apf_diag_fn(void *user, const struct apf_diag *diag);

/** "BAD_MAGIC" for APF_BAD_MAGIC; "UNKNOWN" for a number that is no code. */
APF_API const char *apf_code_name(int code);
/** LLVM's words for a code; "unknown error" for a number that is no code. */
APF_API const char *apf_code_text(int code);
/** 1 if an error with this code says that an input is damaged, so that APF_FLAG_SALVAGE may keep a part of it; else 0:
 * the input is of another kind or unsuitable, or the error is not about an input. */
APF_API int apf_code_is_damage(int code);
/** Makes text from a file safe to print. A control character, or a mark by which a terminal shows text in another
 * direction, becomes \xNN for each of its bytes; all else stays, backslashes too. Writes to `to` what fits into `size`
 * bytes and terminates it. Returns the length of the whole result without the terminator. */
APF_API size_t apf_text_escape(struct apf_str text, char *to, size_t size);
/** Version of the library that is linked, such as "0.1.0". */
APF_API const char *apf_version(void);
/** Writes the libraries that this one uses, with their versions, such as "zlib 1.3.1, libdeflate 1.20, zstd 1.5.6", to
 * `to`, as far as the text fits into `size` bytes, and terminates it. Returns the length of the whole text without the
 * terminator. */
APF_API size_t apf_libraries(char *to, size_t size);

#ifdef __cplusplus
}
#endif
#endif
