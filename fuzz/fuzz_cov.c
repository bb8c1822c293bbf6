/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs with coverage: a profile in text and, after a byte 1, a diff; up to a byte 0, and then a file of any kind.
 * Whatever is accepted is written in every format, twice with the same bytes, walked, and compared with the diff and
 * with the coverage of no run. */
#include "fuzz_profile.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#include <anyprof/cov.h>

#define MOST_LINES 10000u
/* Lines of a tracefile are repeated for each line of the source: more than this is not looked at. */
#define MOST_BYTES ((size_t)1 << 18)

/* An apf_write_fn that ends outputs that are too long. */
static int write_some(void *user, const void *p, size_t n)
{
    struct apf_buffer *to = (struct apf_buffer *)user;
    return to->n + n > MOST_BYTES ? EFBIG : apf_buffer_write(to, p, n);
}

/* The source file that all names lead to: its name replaces their beginning, and a byte 0 ends it. */
static char source_path[] = "/tmp/anyprof-fuzz-cov.XXXXXX";

static const struct apf_name_change source_change = {{"", 0}, {source_path, sizeof source_path}};

/* Where pages are written. */
static char pages_path[] = "/tmp/anyprof-fuzz-pages.XXXXXX";

/* Removes the pages of an input, and returns how many there were. */
static size_t remove_pages(void)
{
    DIR *directory = opendir(pages_path);
    const struct dirent *entry;
    size_t n = 0;
    const int fd = directory ? dirfd(directory) : -1;
    REQUIRE(fd >= 0);
    while ((entry = readdir(directory)) != NULL)
        n += unlinkat(fd, entry->d_name, 0) == 0;
    closedir(directory);
    return n;
}

static void remove_files(void)
{
    remove(source_path);
    remove(pages_path);
}

static void make_files(void)
{
    const int fd = mkstemp(source_path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    REQUIRE(f && mkdtemp(pages_path));
    for (unsigned i = 0; i < 40; i++)
        fprintf(f, "line %u of the source%s\n", i,
                i == 3    ? " LCOV_EXCL_LINE"
                : i == 9  ? " LCOV_EXCL_BR_START"
                : i == 14 ? " GCOVR_EXCL_BR_STOP LCOV_EXCL_nothing"
                : i == 17 ? " LCOV_EXCL_BR_LINE"
                : i == 36 ? " GCOV_EXCL_START"
                : i == 39 ? " GCOV_EXCL_STOP"
                          : "");
    fclose(f);
    atexit(remove_files);
}

static struct apf_str show_name(void *user, struct apf_str name)
{
    (void)user;
    return name.n > 3 ? (struct apf_str){name.p + 1, name.n - 2} : name;
}

/* Writes a format; false: it is too long. */
static bool write_format(const struct apf_cov *cov, uint32_t format, uint32_t flags, struct apf_buffer *to)
{
    const struct apf_cov_write_options options = {.size = sizeof options,
                                                  .format = format,
                                                  .flags = flags,
                                                  .source_map = &source_change,
                                                  .n_source_map = 1,
                                                  .function_name = flags & APF_COV_COLORS ? show_name : NULL,
                                                  .width = flags & APF_COV_COLORS ? 60 : 0};
    const struct apf_output output = apf_output_callback(write_some, to);
    struct apf_error error;
    to->n = 0;
    const int code = apf_cov_write(cov, &options, &output, &error);
    REQUIRE(code == APF_OK || (code == APF_IO && error.sys_errno == EFBIG));
    return code == APF_OK;
}

static void write_all(const struct apf_cov *cov)
{
    static const uint32_t flags[] = {0, APF_COV_SUMMARY_ONLY | APF_COV_NO_COUNTS | APF_COV_REGIONS,
                                     APF_COV_SKIP_EXPANSIONS | APF_COV_NO_UNIFY | APF_COV_BRANCH_PERCENT |
                                         APF_COV_FUNCTION_VIEWS | APF_COV_COLORS | APF_COV_NO_REGIONS,
                                     APF_COV_INSTANTIATIONS | APF_COV_MCDC | APF_COV_EXPANSIONS |
                                         APF_COV_BRANCH_COUNTS | APF_COV_REGIONS | APF_COV_SKIP_BRANCHES};
    struct apf_buffer one = {NULL, 0, 0}, two = {NULL, 0, 0};
    for (uint32_t format = APF_COV_JSON; format <= APF_COV_HTML; format++)
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
            const bool first = write_format(cov, format, flags[i], &one);
            REQUIRE(write_format(cov, format, flags[i], &two) == first);
            REQUIRE(!first || (one.n == two.n && (one.n == 0 || memcmp(one.data, two.data, one.n) == 0)));
        }
    apf_buffer_free(&one);
    apf_buffer_free(&two);
}

/* Writes a page for each file, if they are few. */
static void write_pages(const struct apf_cov *cov)
{
    const struct apf_cov_write_options options = {.size = sizeof options,
                                                  .format = APF_COV_HTML,
                                                  .flags = APF_COV_MCDC | APF_COV_EXPANSIONS,
                                                  .source_map = &source_change,
                                                  .n_source_map = 1};
    struct apf_cov_totals totals = {.size = sizeof totals};
    struct apf_error error;
    REQUIRE(apf_cov_totals(cov, &options, &totals, &error) == APF_OK);
    if (apf_cov_n_files(cov) > 5 || totals.lines.n > MOST_LINES)
        return;
    REQUIRE(apf_cov_write_pages(cov, &options, pages_path, &error) == APF_OK);
    REQUIRE(remove_pages() == apf_cov_n_files(cov) + 1);
}

static int take_line(void *user, const struct apf_cov_line *line)
{
    uint64_t *last = (uint64_t *)user;
    REQUIRE(line->line > *last && line->sides.covered <= line->sides.n);
    *last = line->line;
    return line->line > MOST_LINES; /* hostile mappings have millions */
}

/* Says why it has its counts, or none. */
static void explain(const struct apf_cov *cov, struct apf_str name)
{
    struct apf_buffer text = {NULL, 0, 0};
    const struct apf_output output = apf_output_callback(write_some, &text);
    struct apf_error error;
    int found = 0;
    const int code = apf_cov_why(cov, name, &output, &found, &error);
    REQUIRE((code == APF_OK && found) || (code == APF_IO && error.sys_errno == EFBIG));
    apf_buffer_free(&text);
}

static int take_function(void *user, const struct apf_cov_function *f)
{
    const struct apf_cov *cov = (const struct apf_cov *)user;
    explain(cov, f->name);
    REQUIRE(f->file == UINT64_MAX || f->file < apf_cov_n_files(cov));
    REQUIRE(f->lines.covered <= f->lines.n && f->regions.covered <= f->regions.n);
    return 0;
}

static int take_region(void *user, const struct apf_cov_region *region)
{
    const struct apf_cov *cov = (const struct apf_cov *)user;
    REQUIRE(region->kind <= APF_COV_REGION_CONDITION && region->constant <= 3);
    REQUIRE(region->file == UINT64_MAX || region->file < apf_cov_n_files(cov));
    return 0;
}

static void walk_regions(const struct apf_cov *cov, uint64_t n_functions)
{
    struct apf_error error;
    for (uint64_t i = 0; i <= n_functions; i++) {
        const int code = apf_cov_regions(cov, (size_t)i, take_region, (void *)(uintptr_t)cov, &error);
        REQUIRE(code == (i < n_functions ? APF_OK : APF_ARGUMENT));
    }
}

/* Returns whether no file has too many lines. */
static bool walk_all(const struct apf_cov *cov)
{
    struct apf_error error;
    bool is_small = true;
    for (size_t i = 0; i < apf_cov_n_files(cov); i++) {
        uint64_t last = 0;
        const int code = apf_cov_lines(cov, i, take_line, &last, &error);
        REQUIRE(code == APF_OK || (code == APF_STOPPED && last > MOST_LINES));
        is_small = is_small && code == APF_OK;
        REQUIRE(apf_cov_source_files(cov, "") >= 1);
    }
    for (int left_out = 0; left_out < 2; left_out++)
        REQUIRE(apf_cov_functions(cov, left_out, take_function, (void *)(uintptr_t)cov, &error) == APF_OK);
    return is_small;
}

static void report_all(const struct apf_cov *cov)
{
    struct apf_buffer text = {NULL, 0, 0};
    const struct apf_output output = apf_output_callback(write_some, &text);
    const struct apf_str missing = {"a\xff", 2};
    struct apf_error error;
    const int code = apf_cov_report(cov, &missing, 1, &output, &error);
    REQUIRE(code == APF_OK || (code == APF_IO && error.sys_errno == EFBIG));
    apf_buffer_free(&text);
}

/* Compares the coverage with other coverage, or with a diff. */
static void diff_one(const struct apf_cov *cov, const struct apf_cov *base, const struct apf_input *patch)
{
    struct apf_buffer text = {NULL, 0, 0};
    for (uint32_t format = APF_COV_DIFF_TEXT; format <= APF_COV_DIFF_JSON; format++) {
        const struct apf_cov_diff_options options = {.size = sizeof options,
                                                     .patch = patch,
                                                     .base = base,
                                                     .format = format,
                                                     .root = format == APF_COV_DIFF_TEXT ? NULL : "/src",
                                                     .source_map = &source_change,
                                                     .n_source_map = 1};
        const struct apf_output output = apf_output_callback(write_some, &text);
        struct apf_cov_diff_result result = {.size = sizeof result};
        struct apf_error error;
        text.n = 0;
        const int code = apf_cov_diff(cov, &options, &output, &result, &error);
        REQUIRE(code == APF_OK || (code == APF_IO && error.sys_errno == EFBIG) ||
                (patch && (code == APF_BAD_PATCH || fuzz_is_packed(patch->data, patch->n))));
        REQUIRE(base != cov || result.lost + result.gained == 0);
        REQUIRE(code != APF_OK || !base ||
                result.now.covered - result.then.covered == result.gained - result.lost);
    }
    apf_buffer_free(&text);
}

static int is_shown(void *user, const struct apf_cov_function *f)
{
    (void)user;
    return f->count % 2 == 0;
}

/* Opens a program, or, with `twice`, the same one two times, with other names; NULL: it is refused. */
static struct apf_cov *open_program(const struct apf_input *program, const struct apf_input *profile,
                                    uint32_t flags, bool twice)
{
    const struct apf_options common = fuzz_options(NULL);
    const struct apf_input both[] = {*program, *program};
    const struct apf_name_change prefix = {{"/src/", 5}, {"b.h/../", 7}};
    const struct apf_cov_options options = {.size = sizeof options,
                                            .options = &common,
                                            .programs = both,
                                            .n_programs = twice ? 2 : 1,
                                            .profiles = profile,
                                            .n_profiles = profile && profile->n != 0,
                                            .flags = flags,
                                            .compilation_dir = twice ? "/elsewhere" : NULL,
                                            .architecture = flags & APF_COV_LLVM ? NULL : "x86_64",
                                            .prefix_maps = &prefix,
                                            .n_prefix_maps = twice,
                                            .source_map = &source_change,
                                            .n_source_map = 1,
                                            .function_filter = flags & APF_COV_BINARY ? is_shown : NULL};
    struct apf_cov *cov;
    struct apf_error error;
    const int code = apf_cov_open(&cov, &options, &error);
    REQUIRE(code == APF_OK || (error.code == code && error.where && error.message[0]));
    return code == APF_OK ? cov : NULL;
}

static void check_program(const struct apf_input *program, const struct apf_input *profile,
                          const struct apf_input *patch)
{
    static const uint32_t all_flags[] = {0, APF_COV_LLVM, APF_COV_UNION | APF_COV_MARKERS, APF_COV_BINARY};
    for (size_t k = 0; k < sizeof all_flags / sizeof *all_flags; k++) {
        struct apf_cov *cov = open_program(program, profile, all_flags[k], k == 2);
        struct apf_cov *unexecuted = cov ? open_program(program, NULL, all_flags[k], k == 2) : NULL;
        struct apf_cov_stats stats = {.size = sizeof stats};
        struct apf_error error;
        if (!cov)
            continue;
        REQUIRE(apf_cov_stats(cov, &stats, &error) == APF_OK);
        write_all(cov);
        write_pages(cov);
        report_all(cov);
        walk_regions(cov, stats.n_functions);
        diff_one(cov, NULL, patch);
        if (walk_all(cov) && unexecuted) {
            diff_one(cov, cov, NULL);
            diff_one(cov, unexecuted, NULL);
            diff_one(unexecuted, cov, NULL);
        }
        apf_cov_close(cov);
        apf_cov_close(unexecuted);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint8_t *end = n ? memchr(data, 0, n) : NULL;
    static bool has_files;
    if (!end)
        return 0;
    if (!has_files)
        make_files();
    has_files = true;
    const size_t n_text = (size_t)(end - data);
    const uint8_t *at = n_text ? memchr(data, 1, n_text) : NULL;
    const size_t n_profile = at ? (size_t)(at - data) : n_text;
    const struct apf_input profile = fuzz_input(data, n_profile),
                           patch = at ? fuzz_input(at + 1, n_text - n_profile - 1) : profile,
                           program = fuzz_input(end + 1, n - n_text - 1);
    check_program(&program, &profile, &patch);
    return 0;
}
