/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file io.h
 * Where bytes come from and go to, and the options every call shares.
 */
#ifndef ANYPROF_IO_H
#define ANYPROF_IO_H

#include <string.h>

#include <anyprof/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An input: a file by path, or bytes in memory that the caller keeps until the call returns.
 *
 * An input that is compressed as a whole with gzip or zstd, which its first bytes show, is unpacked once. Several
 * streams, one after the other, are one file. Damage, anything but zeros after the last stream, and data that unpack to
 * more than 1032 times their size and 64 MiB, or to more than max_bytes, are errors.
 *
 * Made by apf_input_file or apf_input_memory, whose result may be changed. `size` follows the rule at struct
 * apf_options; in an array all elements have the same size, which is the distance from one to the next. */
struct apf_input {
    size_t size;      /**< sizeof(struct apf_input) */
    const char *path; /**< the file to read, "-" = standard input; NULL: use data */
    const void *data; /**< the bytes, when path is NULL; may be NULL when n is 0 */
    size_t n;         /**< number of bytes */
    const char *name; /**< its name in messages; NULL: the path, or "<memory>" */
    uint64_t weight;  /**< counts are multiplied by it when merged; 0 means 1 */
    /** 0, or the number of bytes of `path` that are a directory in which the file was found: after them, no symbolic
     * link is followed, so that none that was put there meanwhile leads out of the directory. See apf_input_found. */
    size_t n_directory;
};

/** The file at `path`, "-" = standard input. */
static inline struct apf_input apf_input_file(const char *path)
{
    struct apf_input input;
    memset(&input, 0, sizeof input);
    input.size = sizeof input;
    input.path = path;
    return input;
}

/** n bytes of the caller's memory; messages call them `name` (NULL: "<memory>"). */
static inline struct apf_input apf_input_memory(const void *data, size_t n, const char *name)
{
    struct apf_input input = apf_input_file(NULL);
    input.data = data;
    input.n = n;
    input.name = name;
    return input;
}

/** Receives the next bytes of an output. Non-zero stops the writing with APF_IO and sys_errno = that value. */
typedef int apf_write_fn(void *user, const void *p, size_t n);

/** Returns the name of a function as it is to be shown, or the name itself. It stays until the next call. */
typedef struct apf_str apf_name_fn(void *user, struct apf_str name);

/** An output: a path or a callback.
 *
 * A path is written to a temporary file beside it (symbolic links are followed first), which gets the mode of the old
 * file and is renamed over it when everything was written and closed without error. Readers therefore see either the
 * old file or the new one, and the output may be one of the inputs. The output is a new file: other hard links keep the
 * old one. It gets the owner and group of the old file where the system permits that (as it does for root), else those
 * of the process; where the group cannot be kept, its members get no more rights than all others. Pipes, terminals and
 * devices are written directly; "-" is standard output. On a terminal, control characters other than line feeds and
 * tabs, and Unicode's marks of direction, become \xNN, because names in profiles can hold what a terminal obeys.
 *
 * Made by apf_output_file, apf_output_callback or apf_output_buffer, whose result may be changed. */
struct apf_output {
    size_t size; /**< sizeof(struct apf_output); see struct apf_options */
    const char *path;
    apf_write_fn *write; /**< used when path is NULL */
    void *user;
    uint32_t flags; /**< APF_OUTPUT_* */
    /** NULL, or what shows the names of functions, of which a profile has only those of symbols, to people: text that
     * prints, compares or looks up profiles or probes has what it returns in place of the names, and JSON has it beside
     * them. Names that are read again (converted profiles, orders for a linker) stay as they are; an
     * order has what is returned in comments. */
    apf_name_fn *show_name;
    void *names; /**< passed to show_name */
};

/** output.flags: a file is on the disk when the call returns, and never half of it, also if the machine loses its
 * power. An error at "output.sync" means that the file was replaced, but may be lost with the power. */
#define APF_OUTPUT_SYNC 1u

/** output.flags: a new file is executable wherever it is readable. */
#define APF_OUTPUT_EXECUTABLE 2u

/** output.flags: temporary files of this output that killed processes have left beside it are removed. */
#define APF_OUTPUT_CLEAN 4u

/** The file at `path`, "-" = standard output. */
static inline struct apf_output apf_output_file(const char *path)
{
    struct apf_output output;
    memset(&output, 0, sizeof output);
    output.size = sizeof output;
    output.path = path;
    return output;
}

/** A function that receives the bytes, and `user`. */
static inline struct apf_output apf_output_callback(apf_write_fn *write, void *user)
{
    struct apf_output output = apf_output_file(NULL);
    output.write = write;
    output.user = user;
    return output;
}

/** Writes bytes of the caller as an output, as described at struct apf_output. */
APF_API int apf_output_write(const struct apf_output *output, const void *p, size_t n,
                             struct apf_error *error);

/** How far a call that reads inputs has come. */
struct apf_progress {
    uint64_t n_done;   /**< inputs that were read, bad ones included */
    uint64_t n_inputs; /**< all inputs of the call */
    uint64_t n_bad;    /**< inputs of n_done that cannot be used; empty ones are not counted */
    uint64_t bytes;    /**< read so far, as they are stored */
};

/** Receives the progress of a call, with numbers that never decrease: on the thread that made the call, after each
 * input, many times a second while a large one is read, added or written, and when everything was read. Other results
 * than 0 end the call soon, with APF_STOPPED: no output is written then, and a merge can only be freed. Otherwise the
 * result of the call does not depend on it. A file is unpacked to its end from gzip or zstd between two reports. */
typedef int apf_progress_fn(void *user, const struct apf_progress *progress);
struct apf_correlation_source; /* instr.h */

/** How many processors this process may use, by its affinity and the limits of its control group; at least 1. */
APF_API uint32_t apf_processors(void);

/** What is read of a character device at most. Terminals and /dev/null end before it; /dev/zero never ends. */
#define APF_DEVICE_MAX_BYTES ((uint64_t)256 << 20)

/** Options of every call that reads. NULL, or all zero after `size`, means the defaults. A call reads its options only
 * while it runs; what they point to still belongs to the caller.
 *
 * Every structure with `size` as its first field follows one rule: the caller sets it to the structure's sizeof, so
 * that a library of another version knows which fields there are. APF_ARGUMENT: `size` is not set, or a field after
 * those that this library knows is not zero, or an unknown bit of `flags` is set, which also holds for arguments. In
 * results that the caller provides (struct apf_bolt_funnel and the like) the caller sets `size`, too; the fields that
 * both sides know are filled in, the others are zero. */
struct apf_options {
    size_t size;      /**< sizeof(struct apf_options) */
    uint32_t threads; /**< worker threads; 0 = apf_processors(); results never depend on it */
    uint32_t flags;   /**< APF_FLAG_* */
    /** largest input (APF_LIMIT), packed and not, and piece of inflated data; 0 = 64 GiB; of a character device at most
     * APF_DEVICE_MAX_BYTES are read */
    uint64_t max_bytes;
    /** most functions in one input, and most entries of each kind in its memory profile (APF_LIMIT); 0, and anything
     * above it, = 2^28; of pseudo probes each of descriptors, functions and probes, 2^32 - 1 */
    uint64_t max_records;
    /** pseudo probes: how deep functions may be inlined (APF_LIMIT); 0 = no limit; sample profiles: see struct
     * apf_sample_read_options */
    uint64_t max_depth;
    apf_diag_fn *diag; /**< receives findings; NULL: they are only counted */
    void *user;        /**< passed to diag */
    /** Receives the progress of apf_instr_open and apf_sample_open, of calls that add to a merge or write it, and, only
     * after each input, of apf_bolt_read, apf_info_open and apf_check_print; NULL: no reports. */
    apf_progress_fn *progress;
    void *progress_user; /**< passed to progress */
    /** Completes raw profiles whose metadata is in their program (see instr.h); NULL: such profiles are refused
     * (APF_MISSING_CORRELATION). The source must live until the last call with these options has returned, or the last
     * call of a merge that was made with them. */
    const struct apf_correlation_source *correlation;
};

/** Read a file that has MemProf data by leaving that data out (reported as a finding). */
#define APF_FLAG_DROP_MEMPROF 1u
/** Keep the provably intact parts of a damaged instrumentation or sample profile, and report them: see struct
 * apf_salvage and struct apf_sample_salvage. */
#define APF_FLAG_SALVAGE 2u
/** apf_info_open: a raw file with a single profile is not read further than its binary ids, if it has any; its facts
 * are then those of its first bytes, as after a failure, and it may be damaged. Other calls ignore the flag. */
#define APF_FLAG_GLANCE 4u

/** What to do about inputs that are lost. A file of 0 bytes is a run that wrote nothing: except with APF_FAIL_SHARE it
 * is not lost, but if every input is lost or empty there is nothing to merge. */
enum apf_failure_mode {
    APF_FAIL_ANY = 0,  /**< one bad input makes the merge fail; a salvaged input is not bad */
    APF_FAIL_ALL = 1,  /**< the merge fails only when nothing is left */
    APF_FAIL_WARN = 2, /**< the merge never fails because of lost inputs */
    /** The merge fails when more than a share of the inputs is bad, empty or salvaged: salvaging never makes a merge
     * pass that would fail without it. */
    APF_FAIL_SHARE = 3
};

/** APF_FAIL_SHARE: 100 per cent, which is never exceeded. */
#define APF_LOSS_ALL 100000000u

/** How much may be lost. Its layout is frozen. */
struct apf_tolerance {
    uint32_t mode;     /**< enum apf_failure_mode */
    uint32_t max_loss; /**< APF_FAIL_SHARE: the share that may be lost, in millionths of a per cent */
};

/** Which part of the functions a partial profile has: slice `number` of `n`, from 0, by a hash of what they are called.
 * Slices of the same number and `n` of several partial profiles have the same functions, so that machines can merge one
 * slice each. The inputs are listed in each slice; what is of no single function is in slice 0. All zero, or
 * n = 1: the whole. Its layout is frozen. */
struct apf_slice {
    uint32_t number;
    uint32_t n; /**< at most APF_MOST_SLICES */
};
#define APF_MOST_SLICES 65536u

/** A growing buffer that collects an output in memory: see apf_output_buffer. All zero = empty. Its layout is frozen.
 * */
struct apf_buffer {
    void *data; /**< NULL when empty */
    size_t n;
    size_t capacity;
};

/** Appends; an apf_write_fn. Returns 0, or ENOMEM. */
APF_API int apf_buffer_write(void *buffer, const void *p, size_t n);
/** An output that is appended to a buffer. */
static inline struct apf_output apf_output_buffer(struct apf_buffer *buffer)
{
    return apf_output_callback(apf_buffer_write, buffer);
}
/** Frees what the buffer holds and empties it; NULL is allowed. */
APF_API void apf_buffer_free(struct apf_buffer *buffer);

/** Returns whether a name is wanted (above 0) or left out (0); below 0 the filter ran out of memory, and the call that
 * uses it fails (APF_NO_MEMORY). It is called on the calling thread. */
typedef int apf_name_filter_fn(void *user, struct apf_str name);

/** A name, or the beginning of names, and its replacement. Its layout is frozen. */
struct apf_name_change {
    struct apf_str from, to;
};

/** Which files of directories are listed. NULL, or all zero after `size`: all. */
struct apf_paths_options {
    size_t size; /**< sizeof(struct apf_paths_options); see struct apf_options */
    /** NULL, or asked for the last part of the path of each regular file */
    apf_name_filter_fn *include;
    void *user; /**< passed to include */
};

/** What was left out of a list of the files of a directory. */
struct apf_skipped {
    size_t size;         /**< sizeof(struct apf_skipped), set by the caller */
    uint64_t n_links;    /**< symbolic links that lead to files and directories out of the directory */
    uint64_t n_excluded; /**< files whose name apf_paths_options.include does not want */
    uint64_t n_others;   /**< apf_profile_paths, apf_merge_paths: files that are no profiles */
    uint64_t n_output;   /**< apf_merge_paths: the output of an earlier merge, which would be counted twice */
    uint64_t n_set_aside; /**< apf_merge_paths: APF_PATH_SET_ASIDE */
    /** apf_merge_paths: APF_PATH_LIVE: complete profiles, but the process may still write its own */
    uint64_t n_live;
    /** pipes, sockets and devices, and symbolic links that lead to such or to nothing */
    uint64_t n_no_files;
};

/** The regular files below `path`, if it is a directory; else just `path`. The result is an array of n terminated paths
 * in one allocation, sorted by bytes; free it with apf_paths_free.
 *
 * `path` itself may be a symbolic link. Below it, links are not followed: the files and directories in the tree are
 * found under their own names, and those out of it do not belong to it; they are counted in *skipped (may be NULL). A
 * directory that is mounted several times counts once. A directory without permission to read it, a file without
 * permission to look at it, and a directory whose path would be longer than 16 KiB, is in the array like a file, so
 * that reading it reports the reason. Files that this library writes for itself are left out: APF_PATH_OURS.
 *
 * n may be 0. Fails when `path` does not exist, and, with the path in the message, when the system fails. */
APF_API int apf_paths_expand(const char *path, const struct apf_paths_options *options, char ***paths,
                             size_t *n, struct apf_skipped *skipped, struct apf_error *error);
/** Frees the array with its paths. NULL is allowed. */
APF_API void apf_paths_free(char **paths);
/** The input for a file that such a call has found at `path`. */
static inline struct apf_input apf_input_found(const char *path, const char *found)
{
    struct apf_input input = apf_input_file(found);
    input.n_directory = strcmp(path, found) == 0 ? 0 : strlen(path);
    return input;
}

/** What the name of a file says of its part in the work of this library and of the profile runtime. */
enum apf_path_role {
    APF_PATH_ANY = 0,
    /** .NAME.anyprof-tmpXXXXXXXX, an incomplete output, or .NAME.anyprof-merged, a journal: the library may remove
     * such files; .NAME.anyprof-part and .NAME.anyprof-lock: finished work of anyprof-mpi, which removes it */
    APF_PATH_OURS = 1,
    APF_PATH_SET_ASIDE =
        2,            /**< NAME.bad or NAME.bad.N: the runtime found there what is no complete profile */
    APF_PATH_LIVE = 3 /**< NAME.live.PID.profraw: counters of a process that has not written its profile */
};
/** The role of the file at a path, by the last part of the path alone; the file need not exist. */
APF_API enum apf_path_role apf_path_role(const char *path);

#ifdef __cplusplus
}
#endif
#endif
