/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of compiler-rt's profile runtime that programs call, with the same names and meaning; docs/runtime.md
 * lists where the meaning differs. All are hidden: each image has its own. */
#ifndef RT_API_H
#define RT_API_H

#include "rt_image.h"

#include <stdio.h>

/* --- files: rt_api_file.c, rt_api_file_object.c --------------------------------------------------------------- */

RT_HIDDEN void __llvm_profile_initialize(void);
RT_HIDDEN void __llvm_profile_initialize_file(void);
RT_HIDDEN int __llvm_profile_register_write_file_atexit(void);
RT_HIDDEN void __llvm_profile_set_filename(const char *pattern);
/* Returns memory from malloc, or a literal "" if the allocation failed. */
RT_HIDDEN const char *__llvm_profile_get_filename(void);
RT_HIDDEN const char *__llvm_profile_get_path_prefix(void);
RT_HIDDEN int __llvm_profile_write_file(void);
RT_HIDDEN int __llvm_profile_dump(void);
RT_HIDDEN void __llvm_profile_set_dumped(void);
RT_HIDDEN void __llvm_profile_reset_counters(void);
RT_HIDDEN int __llvm_profile_set_file_object(FILE *file, int merge);
/* Opens or creates a file to read and write, and locks it until it is closed. NULL and errno on failure. */
RT_HIDDEN FILE *lprofOpenFileEx(const char *path);
RT_HIDDEN void __llvm_profile_set_dir_mode(unsigned mode);
RT_HIDDEN unsigned __llvm_profile_get_dir_mode(void);
RT_HIDDEN void __llvm_profile_recursive_mkdir(char *path);

/* --- counters: rt_api_counters.c ------------------------------------------------------------------------------ */

RT_HIDDEN uint64_t __llvm_profile_get_magic(void);
RT_HIDDEN uint64_t __llvm_profile_get_version(void);
RT_HIDDEN const void *__llvm_profile_begin_data(void);
RT_HIDDEN const void *__llvm_profile_end_data(void);
RT_HIDDEN const char *__llvm_profile_begin_names(void);
RT_HIDDEN const char *__llvm_profile_end_names(void);
RT_HIDDEN const char *__llvm_profile_begin_vtabnames(void);
RT_HIDDEN const char *__llvm_profile_end_vtabnames(void);
RT_HIDDEN char *__llvm_profile_begin_counters(void);
RT_HIDDEN char *__llvm_profile_end_counters(void);
RT_HIDDEN char *__llvm_profile_begin_bitmap(void);
RT_HIDDEN char *__llvm_profile_end_bitmap(void);
RT_HIDDEN struct aprt_node *__llvm_profile_begin_vnodes(void);
RT_HIDDEN struct aprt_node *__llvm_profile_end_vnodes(void);
RT_HIDDEN const void *__llvm_profile_begin_vtables(void);
RT_HIDDEN const void *__llvm_profile_end_vtables(void);
RT_HIDDEN uint64_t __llvm_profile_get_num_data(const void *begin, const void *end);
RT_HIDDEN uint64_t __llvm_profile_get_data_size(const void *begin, const void *end);
RT_HIDDEN uint64_t __llvm_profile_get_num_counters(const char *begin, const char *end);
RT_HIDDEN uint64_t __llvm_profile_get_counters_size(const char *begin, const char *end);
RT_HIDDEN uint64_t __llvm_profile_get_num_bitmap_bytes(const char *begin, const char *end);
RT_HIDDEN uint64_t __llvm_profile_get_name_size(const char *begin, const char *end);
RT_HIDDEN uint64_t __llvm_profile_get_num_vtable(const void *begin, const void *end);
RT_HIDDEN uint64_t __llvm_profile_get_vtable_section_size(const void *begin, const void *end);
RT_HIDDEN uint8_t __llvm_profile_get_num_padding_bytes(uint64_t size);
RT_HIDDEN size_t __llvm_profile_counter_entry_size(void);

/* The bounds of __llvm_covinit, a section that compilers create on AIX only. */
RT_HIDDEN const void *__llvm_profile_begin_covinit(void);
RT_HIDDEN const void *__llvm_profile_end_covinit(void);

/* --- buffers: rt_api_buffer.c --------------------------------------------------------------------------------- */

/* Both include value data, unlike compiler-rt's, whose result is unreadable if the program has value sites. */
RT_HIDDEN uint64_t __llvm_profile_get_size_for_buffer(void);
RT_HIDDEN int __llvm_profile_write_buffer(char *buffer);
RT_HIDDEN int __llvm_profile_check_compatibility(const char *profile, uint64_t size);
RT_HIDDEN int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size);
/* Counts the value data of one record, as profiles have it. Nothing is counted unless the data has the record's numbers
 * of sites. */
RT_HIDDEN void lprofMergeValueProfData(void *values, void *record);

/* --- continuous mode: rt_continuous.c ------------------------------------------------------------------------- */

RT_HIDDEN int __llvm_profile_is_continuous_mode_enabled(void);
RT_HIDDEN void __llvm_profile_enable_continuous_mode(void);
RT_HIDDEN void __llvm_profile_disable_continuous_mode(void);
RT_HIDDEN void __llvm_profile_set_page_size(unsigned size);

/* --- with the bounds of sections: rt_api_bounds.c -------------------------------------------------------------- */

/* The arguments are the begin and end of data, counters, bitmaps, names, vtables and vtable names. Programs of clang
 * 13 to 17 pass neither bitmaps nor vtables, those of clang 18 no vtables; the layout of the image's own records
 * decides which arguments there are. */
RT_HIDDEN uint64_t __llvm_profile_get_size_for_buffer_internal(const void *a, const void *b, const void *c,
                                                               const void *d, const void *e, const void *f,
                                                               const void *g, const void *h,
                                                               const void *vtables, const void *vtables_end,
                                                               const void *vtable_names,
                                                               const void *vtable_names_end);
RT_HIDDEN int __llvm_profile_write_buffer_internal(char *buffer, const void *a, const void *b, const void *c,
                                                   const void *d, const void *e, const void *f, const void *g,
                                                   const void *h);
/* The arguments are those of LLVM 19 and newer. */
RT_HIDDEN int __llvm_profile_get_padding_sizes_for_counters(uint64_t data, uint64_t counters, uint64_t bitmap,
                                                            uint64_t names, uint64_t vtables,
                                                            uint64_t vtable_names, uint64_t *before_counters,
                                                            uint64_t *after_counters, uint64_t *after_bitmap,
                                                            uint64_t *after_names, uint64_t *after_vtables,
                                                            uint64_t *after_vtable_names);
/* Writes the profile of an offload target beside the program's own. Not hidden, because offloading libraries look it
 * up by name. */
__attribute__((visibility("default"))) int
__llvm_write_custom_profile(const char *target, const void *data, const void *data_end, const void *counters,
                            const void *counters_end, const void *names, const void *names_end,
                            const uint64_t *version);

/* --- the order of functions: rt_api_order.c -------------------------------------------------------------------- */

RT_HIDDEN uint32_t *__llvm_profile_begin_orderfile(void);
RT_HIDDEN int __llvm_orderfile_write_file(void);
RT_HIDDEN int __llvm_orderfile_dump(void);

/* --- writers: rt_api_writer.c ---------------------------------------------------------------------------------- */

struct aprt_piece {
    const void *bytes; /* n items of `size` bytes each */
    size_t size, n;
    int zeros; /* set if bytes is NULL: the piece is n * size zeros */
};

struct aprt_writer {
    uint32_t (*write)(struct aprt_writer *writer, struct aprt_piece *pieces, uint32_t n);
    void *context;
};

/* Returns the number of bytes written (with NULL: to be written), or -1. */
RT_HIDDEN int __llvm_write_binary_ids(struct aprt_writer *writer);

/* --- values: rt_api_values.c ----------------------------------------------------------------------------------- */

RT_HIDDEN void lprofSetMaxValsPerSite(uint32_t most);
/* The values that were counted at the record's sites stay with the first of its sites. */
RT_HIDDEN void __llvm_profile_set_num_value_sites(void *record, uint32_t kind, uint16_t sites);
/* The pairs of value and count after the numbers of values per site, of the value data of one kind in a record. Weak,
 * since the name is not one of the runtime's own: a program may define it. */
RT_HIDDEN RT_WEAK void *getValueProfRecordValueData(void *kind);
RT_HIDDEN const void *__llvm_profile_iterate_data(const void *record);
RT_HIDDEN void *__llvm_get_function_addr(const void *record);

/* --- functions that objects of --coverage call: rt_gcov.c -------------------------------------------------------- */

RT_HIDDEN int lprofLockFd(int fd);
RT_HIDDEN int lprofUnlockFd(int fd);
RT_HIDDEN int lprofAtExit(void (*function)(void));
RT_HIDDEN const char *lprofGetPathPrefix(int *strip, size_t *length);
RT_HIDDEN void lprofApplyPathPrefix(char *to, const char *path, const char *prefix, size_t length, int strip);

#endif
