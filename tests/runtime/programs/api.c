/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls what its arguments say, one after the other, and prints what came of it. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void __llvm_profile_initialize(void);
void __llvm_profile_initialize_file(void);
int __llvm_profile_register_write_file_atexit(void);
void __llvm_profile_set_filename(const char *pattern);
const char *__llvm_profile_get_filename(void);
const char *__llvm_profile_get_path_prefix(void);
int __llvm_profile_write_file(void);
int __llvm_profile_dump(void);
void __llvm_profile_set_dumped(void);
void __llvm_profile_reset_counters(void);
int __llvm_profile_set_file_object(FILE *file, int merge);
void __llvm_profile_recursive_mkdir(char *path);
uint64_t __llvm_profile_get_magic(void);
uint64_t __llvm_profile_get_version(void);
uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *buffer);
int __llvm_profile_check_compatibility(const char *profile, uint64_t size);
int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size);
const char *__llvm_profile_begin_data(void);
const char *__llvm_profile_end_data(void);
const char *__llvm_profile_begin_names(void);
const char *__llvm_profile_end_names(void);
char *__llvm_profile_begin_counters(void);
char *__llvm_profile_end_counters(void);
char *__llvm_profile_begin_vnodes(void);
char *__llvm_profile_end_vnodes(void);
int __llvm_profile_is_continuous_mode_enabled(void);
void __llvm_profile_enable_continuous_mode(void);
void __llvm_profile_set_page_size(unsigned size);
uint8_t __llvm_profile_get_num_padding_bytes(uint64_t size);
void __llvm_profile_set_dir_mode(unsigned mode);
unsigned __llvm_profile_get_dir_mode(void);
uint64_t __llvm_profile_get_data_size(const void *begin, const void *end);
void __llvm_profile_instrument_target(uint64_t value, void *record, uint32_t site);
void __llvm_profile_instrument_target_value(uint64_t value, void *record, uint32_t site, uint64_t count);
void __llvm_profile_instrument_memop(uint64_t size, void *record, uint32_t site);
void lprofSetMaxValsPerSite(uint32_t most);
void __llvm_profile_set_num_value_sites(void *record, uint32_t kind, uint16_t sites);
const char *__llvm_profile_iterate_data(const void *record);
struct writer {
    uint32_t (*write)(struct writer *writer, const void *pieces, uint32_t n);
    void *context;
};
int __llvm_write_binary_ids(struct writer *writer);
void *__llvm_get_function_addr(const void *record);
void lprofMergeValueProfData(void *values, void *record);
void *getValueProfRecordValueData(void *kind);
FILE *lprofOpenFileEx(const char *path);
#if __clang_major__ >= 14
uint64_t __llvm_profile_get_num_data(const void *begin, const void *end);
uint64_t __llvm_profile_get_num_counters(const char *begin, const char *end);
uint64_t __llvm_profile_get_counters_size(const char *begin, const char *end);
size_t __llvm_profile_counter_entry_size(void);
#endif
#if __clang_major__ >= 18
char *__llvm_profile_begin_bitmap(void);
char *__llvm_profile_end_bitmap(void);
uint64_t __llvm_profile_get_num_bitmap_bytes(const char *begin, const char *end);
uint64_t __llvm_profile_get_name_size(const char *begin, const char *end);
void __llvm_profile_disable_continuous_mode(void);
uint64_t __llvm_profile_get_size_for_buffer_internal(const void *data, const void *data_end,
                                                     const char *counters, const char *counters_end,
                                                     const char *bitmap, const char *bitmap_end,
                                                     const char *names, const char *names_end,
                                                     const void *vtables, const void *vtables_end,
                                                     const char *vtable_names, const char *vtable_names_end);
int __llvm_profile_write_buffer_internal(char *buffer, const void *data, const void *data_end,
                                         const char *counters, const char *counters_end, const char *bitmap,
                                         const char *bitmap_end, const char *names, const char *names_end);
const char *__llvm_profile_begin_vtables(void);
const char *__llvm_profile_end_vtables(void);
const char *__llvm_profile_begin_vtabnames(void);
const char *__llvm_profile_end_vtabnames(void);
uint64_t __llvm_profile_get_num_vtable(const void *begin, const void *end);
uint64_t __llvm_profile_get_vtable_section_size(const void *begin, const void *end);
int __llvm_profile_get_padding_sizes_for_counters(uint64_t data, uint64_t counters, uint64_t bitmap,
                                                  uint64_t names, uint64_t vtables, uint64_t vtable_names,
                                                  uint64_t *before_counters, uint64_t *after_counters,
                                                  uint64_t *after_bitmap, uint64_t *after_names,
                                                  uint64_t *after_vtables, uint64_t *after_vtable_names);
#else
uint64_t __llvm_profile_get_size_for_buffer_internal(const void *data, const void *data_end,
                                                     const char *counters, const char *counters_end,
                                                     const char *names, const char *names_end);
int __llvm_profile_write_buffer_internal(char *buffer, const void *data, const void *data_end,
                                         const char *counters, const char *counters_end, const char *names,
                                         const char *names_end);
#endif
#if __clang_major__ >= 22
const char *__llvm_profile_begin_covinit(void);
const char *__llvm_profile_end_covinit(void);
int __llvm_write_custom_profile(const char *target, const void *data, const void *data_end,
                                const char *counters, const char *counters_end, const char *names,
                                const char *names_end, const uint64_t *version);
#elif __clang_major__ <= 19
uint32_t *__llvm_profile_begin_orderfile(void);
int __llvm_orderfile_write_file(void);
int __llvm_orderfile_dump(void);
#endif

#ifdef RAW_VERSION
unsigned long long __llvm_profile_raw_version = RAW_VERSION;
#endif

#ifdef OWN_RUNTIME
int __llvm_profile_runtime;
#endif

/* Functions whose calls are counted. */
static int once(int x)
{
    return x + 1;
}

static int twice(int x)
{
    return x + 2;
}

static int often(int x)
{
    return x + 3;
}

static int (*volatile calls[])(int) = {once, twice, often};

__attribute__((noinline)) int step(int i)
{
    return calls[i % 3](i);
}

/* --- what can be called ---------------------------------------------------------------------------------------- */

static FILE *stream;
static char *buffer;
static size_t buffer_size;

static uint32_t take_pieces(struct writer *writer, const void *pieces, uint32_t n)
{
    (void)pieces;
    *(uint32_t *)writer->context += n;
    return 0;
}

static void print_bounds(void)
{
    const char *data = __llvm_profile_begin_data(), *data_end = __llvm_profile_end_data();
    const char *counters = __llvm_profile_begin_counters(), *counters_end = __llvm_profile_end_counters();
    uint64_t first = *(const uint64_t *)counters;
    printf("data %d counters %d first %d names %d\n", (int)(data_end - data), (int)(counters_end - counters),
           (int)first, (int)(__llvm_profile_end_names() - __llvm_profile_begin_names()));
    printf("magic %llx version %llx\n", (unsigned long long)__llvm_profile_get_magic(),
           (unsigned long long)__llvm_profile_get_version());
    for (uint64_t i = 0; i < 17; i++)
        printf("%d ", __llvm_profile_get_num_padding_bytes(i));
    printf("data %d iterate %d nodes %d\n", (int)__llvm_profile_get_data_size(data, data_end),
           (int)(__llvm_profile_iterate_data(data) - data),
           __llvm_profile_end_vnodes() - __llvm_profile_begin_vnodes() >= 1024 * 24);
    printf("function %d\n", __llvm_get_function_addr(data) == NULL);
#if __clang_major__ >= 14
    printf("%d %d %d %d\n", (int)__llvm_profile_get_num_data(data, data_end),
           (int)__llvm_profile_get_num_counters(counters, counters_end),
           (int)__llvm_profile_get_counters_size(counters, counters_end),
           (int)__llvm_profile_counter_entry_size());
#endif
#if __clang_major__ >= 18
    uint64_t pads[6];
    const char *bitmap = __llvm_profile_begin_bitmap();
    printf("%d %d %d %d %d ", (int)(__llvm_profile_end_bitmap() - bitmap),
           (int)__llvm_profile_get_num_bitmap_bytes(bitmap, bitmap + 5),
           (int)__llvm_profile_get_name_size(data, data + 7),
           (int)__llvm_profile_get_num_vtable(data, data + 48),
           (int)__llvm_profile_get_vtable_section_size(data, data + 48));
    printf("%d %d\n", (int)(__llvm_profile_end_vtables() - __llvm_profile_begin_vtables()),
           (int)(__llvm_profile_end_vtabnames() - __llvm_profile_begin_vtabnames()));
    int result = __llvm_profile_get_padding_sizes_for_counters(64, 24, 3, 5, 24, 2, pads, pads + 1, pads + 2,
                                                               pads + 3, pads + 4, pads + 5);
    printf("%d: %d %d %d %d %d %d\n", result, (int)pads[0], (int)pads[1], (int)pads[2], (int)pads[3],
           (int)pads[4], (int)pads[5]);
#endif
#if __clang_major__ >= 22
    printf("covinit %d\n", (int)(__llvm_profile_end_covinit() - __llvm_profile_begin_covinit()));
#endif
    uint32_t pieces = 0;
    struct writer writer = {take_pieces, &pieces};
    int size = __llvm_write_binary_ids(NULL), wrote = __llvm_write_binary_ids(&writer);
    printf("binary ids %d, written %d %d\n", size, wrote, pieces != 0);
}

static void print_continuous(void)
{
    printf("continuous %d", __llvm_profile_is_continuous_mode_enabled());
    __llvm_profile_enable_continuous_mode();
    printf(" %d", __llvm_profile_is_continuous_mode_enabled());
    __llvm_profile_set_page_size(4096);
    printf(" %d", __llvm_profile_is_continuous_mode_enabled() != 0);
#if __clang_major__ >= 18
    __llvm_profile_disable_continuous_mode();
    printf(" %d", __llvm_profile_is_continuous_mode_enabled());
#endif
    printf("\n");
}

static void take_buffer(size_t size)
{
    free(buffer);
    buffer_size = size;
    buffer = calloc(1, size);
}

/* By all sections given one by one. */
static void write_parts(void)
{
    const char *data = __llvm_profile_begin_data(), *data_end = __llvm_profile_end_data();
    const char *counters = __llvm_profile_begin_counters(), *counters_end = __llvm_profile_end_counters();
    const char *names = __llvm_profile_begin_names(), *names_end = __llvm_profile_end_names();
#if __clang_major__ >= 18
    const char *bitmap = __llvm_profile_begin_bitmap(), *bitmap_end = __llvm_profile_end_bitmap();
    take_buffer(__llvm_profile_get_size_for_buffer_internal(data, data_end, counters, counters_end, bitmap,
                                                            bitmap_end, names, names_end, NULL, NULL, NULL,
                                                            NULL));
    printf("%d\n", __llvm_profile_write_buffer_internal(buffer, data, data_end, counters, counters_end,
                                                        bitmap, bitmap_end, names, names_end));
#else
    take_buffer(__llvm_profile_get_size_for_buffer_internal(data, data_end, counters, counters_end, names,
                                                            names_end));
    printf("%d\n", __llvm_profile_write_buffer_internal(buffer, data, data_end, counters, counters_end, names,
                                                        names_end));
#endif
}

static void save_buffer(const char *path)
{
    FILE *file = fopen(path, "wb");
    printf("saved %d\n", file && fwrite(buffer, 1, buffer_size, file) == buffer_size && fclose(file) == 0);
}

/* A record with three sites, that nothing instrumented has. */
static void meet_values(void)
{
    static uint64_t made[16];
    __llvm_profile_set_num_value_sites(made, 0, 1);
    __llvm_profile_set_num_value_sites(made, 1, 2);
    __llvm_profile_instrument_target(5, made, 0);
    __llvm_profile_instrument_target_value(5, made, 0, 7);
    __llvm_profile_instrument_memop(12, made, 1);
    __llvm_profile_instrument_memop(600, made, 2);
    __llvm_profile_instrument_memop(600, NULL, 2);
}

/* Gives each record n sites of the first kind, and counts values there. */
static void make_sites(unsigned n)
{
    const char *end = __llvm_profile_end_data();
    for (const char *at = __llvm_profile_begin_data(); at < end; at = __llvm_profile_iterate_data(at)) {
        void *record = (void *)(uintptr_t)at;
        __llvm_profile_set_num_value_sites(record, 0, (uint16_t)n);
        for (unsigned i = 0; i < 10; i++)
            __llvm_profile_instrument_target((uint64_t)(uintptr_t)(i % 3 ? once : twice), record, i % n);
    }
}

/* Adds counts of two values at the first site and of one at the second to each record, which has two sites. */
static void merge_values(void)
{
    struct {
        uint32_t size, kinds, kind, sites;
        uint8_t lengths[8];
        uint64_t pairs[3][2];
    } values = {.size = sizeof values, .kinds = 1, .sites = 2, .lengths = {2, 1}};
    uint64_t *pair = getValueProfRecordValueData(&values.kind);
    for (unsigned i = 0; i < 3; i++) {
        *pair++ = (uint64_t)(uintptr_t)(i == 1 ? often : once);
        *pair++ = 100 * (i + 1);
    }
    const char *end = __llvm_profile_end_data();
    for (const char *at = __llvm_profile_begin_data(); at < end; at = __llvm_profile_iterate_data(at))
        lprofMergeValueProfData(&values, (void *)(uintptr_t)at);
}

/* Forked processes append to a file by turns. */
static void open_and_append(const char *path)
{
    FILE *file = lprofOpenFileEx(path);
    if (!file) {
        printf("not opened\n");
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int other = open(path, O_RDWR);
        printf("locked %d\n", fcntl(other, F_GETLK, &wanted) == 0 && wanted.l_type == F_WRLCK);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    fseek(file, 0, SEEK_END);
    printf("appended at %ld\n", ftell(file));
    fprintf(file, "more");
    fclose(file);
}

static void offload(const char *target)
{
#if __clang_major__ >= 22
    uint64_t version = __llvm_profile_get_version();
    printf("%d\n",
           __llvm_write_custom_profile(target, __llvm_profile_begin_data(), __llvm_profile_end_data(),
                                       __llvm_profile_begin_counters(), __llvm_profile_end_counters(),
                                       __llvm_profile_begin_names(), __llvm_profile_end_names(), &version));
#else
    (void)target;
#endif
}

static void order(void)
{
#if __clang_major__ <= 19
    int none = __llvm_profile_begin_orderfile() == NULL, wrote = __llvm_orderfile_write_file();
    printf("none %d failed %d %d\n", none, wrote != 0, __llvm_orderfile_dump() != 0);
#endif
}

/* Those without an argument. */
static int plain(const char *what)
{
    if (strcmp(what, "write") == 0)
        printf("write %d\n", __llvm_profile_write_file());
    else if (strcmp(what, "dump") == 0)
        printf("dump %d\n", __llvm_profile_dump());
    else if (strcmp(what, "dumped") == 0)
        __llvm_profile_set_dumped();
    else if (strcmp(what, "reset") == 0)
        __llvm_profile_reset_counters();
    else if (strcmp(what, "initialize") == 0)
        __llvm_profile_initialize();
    else if (strcmp(what, "initialize_file") == 0)
        __llvm_profile_initialize_file();
    else if (strcmp(what, "atexit") == 0)
        printf("atexit %d\n", __llvm_profile_register_write_file_atexit());
    else if (strcmp(what, "name") == 0)
        printf("name %s prefix %s\n", __llvm_profile_get_filename(), __llvm_profile_get_path_prefix());
    else if (strcmp(what, "bounds") == 0)
        print_bounds();
    else if (strcmp(what, "continuous") == 0)
        print_continuous();
    else if (strcmp(what, "parts") == 0)
        write_parts();
    else if (strcmp(what, "order") == 0)
        order();
    else if (strcmp(what, "values") == 0)
        meet_values();
    else if (strcmp(what, "merge_values") == 0)
        merge_values();
    else if (strcmp(what, "size") == 0)
        printf("size %d\n", (int)__llvm_profile_get_size_for_buffer());
    else if (strcmp(what, "check") == 0)
        printf("check %d\n", __llvm_profile_check_compatibility(buffer, buffer_size));
    else if (strcmp(what, "merge") == 0)
        printf("merge %d\n", __llvm_profile_merge_from_buffer(buffer, buffer_size));
    else if (strcmp(what, "leave") == 0)
        _exit(0);
    else
        return 0;
    return 1;
}

static int write_buffer(void)
{
    take_buffer(__llvm_profile_get_size_for_buffer());
    return __llvm_profile_write_buffer(buffer);
}

/* Those with one. */
static int with(const char *what, char *argument)
{
    if (strcmp(what, "step") == 0) {
        for (int n = atoi(argument); n; n--)
            (void)step(n);
    } else if (strcmp(what, "set") == 0) {
        __llvm_profile_set_filename(argument[0] ? argument : NULL);
    } else if (strcmp(what, "object") == 0 || strcmp(what, "merged") == 0) {
        stream = fopen(argument, what[0] == 'o' ? "wb" : "r+b");
        stream = stream ? stream : fopen(argument, "w+b");
        printf("object %d\n", stream ? __llvm_profile_set_file_object(stream, what[0] == 'm') : -2);
    } else if (strcmp(what, "mkdir") == 0) {
        __llvm_profile_recursive_mkdir(argument);
    } else if (strcmp(what, "mode") == 0) {
        printf("mode %o", __llvm_profile_get_dir_mode());
        __llvm_profile_set_dir_mode((unsigned)strtoul(argument, NULL, 8));
        printf(" %o\n", __llvm_profile_get_dir_mode());
    } else if (strcmp(what, "buffer") == 0) {
        printf("buffer %d\n", write_buffer());
        save_buffer(argument);
    } else if (strcmp(what, "save") == 0) {
        save_buffer(argument);
    } else if (strcmp(what, "cut") == 0) {
        buffer_size -= (size_t)atoi(argument);
    } else if (strcmp(what, "break") == 0) {
        buffer[atoi(argument)] ^= 1;
    } else if (strcmp(what, "most") == 0) {
        lprofSetMaxValsPerSite((uint32_t)atoi(argument));
    } else if (strcmp(what, "sites") == 0) {
        make_sites((unsigned)atoi(argument));
    } else if (strcmp(what, "open") == 0) {
        open_and_append(argument);
    } else if (strcmp(what, "offload") == 0) {
        offload(argument);
    } else {
        return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 1; i < argc; i++) {
        char *argument = strchr(argv[i], '=');
        if (argument)
            *argument++ = 0;
        if (argument ? !with(argv[i], argument) : !plain(argv[i]))
            printf("what is %s?\n", argv[i]);
    }
    return 0;
}
