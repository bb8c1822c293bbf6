/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs with coverage: a profile in text, up to a byte 0, and then a file of any kind. Whatever is accepted is
 * written in every format, twice with the same bytes, walked, and compared with the first part as a diff. */
#include "fuzz_profile.h"

#include <errno.h>
#include <unistd.h>

#include <anyprof/cov.h>

#define MOST_LINES 100000u
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

static void remove_source(void)
{
    remove(source_path);
}

static void make_source(void)
{
    const int fd = mkstemp(source_path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    REQUIRE(f);
    for (unsigned i = 0; i < 40; i++)
        fprintf(f, "line %u of the source%s\n", i,
                i == 3   ? " LCOV_EXCL_LINE"
                : i == 9 ? " LCOV_EXCL_BR_START"
                         : "");
    fclose(f);
    atexit(remove_source);
}

/* Writes a format; false: it is too long. */
static bool write_format(const struct apf_cov *cov, uint32_t format, uint32_t flags, struct apf_buffer *to)
{
    const struct apf_cov_write_options options = {.size = sizeof options,
                                                  .format = format,
                                                  .flags = flags,
                                                  .source_map = &source_change,
                                                  .n_source_map = 1};
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
                                     APF_COV_SKIP_EXPANSIONS | APF_COV_NO_UNIFY | APF_COV_BRANCH_PERCENT,
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

static int take_line(void *user, const struct apf_cov_line *line)
{
    uint64_t *last = (uint64_t *)user;
    REQUIRE(line->line > *last && line->sides.covered <= line->sides.n);
    *last = line->line;
    return line->line > MOST_LINES; /* hostile mappings have millions */
}

static int take_function(void *user, const struct apf_cov_function *f)
{
    const struct apf_cov *cov = (const struct apf_cov *)user;
    REQUIRE(f->file == UINT64_MAX || f->file < apf_cov_n_files(cov));
    REQUIRE(f->lines.covered <= f->lines.n && f->regions.covered <= f->regions.n);
    return 0;
}

static void walk_all(const struct apf_cov *cov)
{
    struct apf_error error;
    for (size_t i = 0; i < apf_cov_n_files(cov); i++) {
        uint64_t last = 0;
        const int code = apf_cov_lines(cov, i, take_line, &last, &error);
        REQUIRE(code == APF_OK || (code == APF_STOPPED && last > MOST_LINES));
        REQUIRE(apf_cov_source_files(cov, "") >= 1);
    }
    for (int left_out = 0; left_out < 2; left_out++)
        REQUIRE(apf_cov_functions(cov, left_out, take_function, (void *)(uintptr_t)cov, &error) == APF_OK);
}

/* Compares the coverage with itself, and with the input as a diff. */
static void diff_all(const struct apf_cov *cov, const struct apf_input *patch)
{
    struct apf_buffer text = {NULL, 0, 0};
    for (uint32_t format = APF_COV_DIFF_TEXT; format <= APF_COV_DIFF_JSON; format++)
        for (int has_base = 0; has_base < 2; has_base++) {
            const struct apf_cov_diff_options options = {.size = sizeof options,
                                                         .patch = has_base ? NULL : patch,
                                                         .base = has_base ? cov : NULL,
                                                         .format = format,
                                                         .root = "/src"};
            const struct apf_output output = apf_output_callback(write_some, &text);
            struct apf_cov_diff_result result = {.size = sizeof result};
            struct apf_error error;
            text.n = 0;
            const int code = apf_cov_diff(cov, &options, &output, &result, &error);
            REQUIRE(code == APF_OK || (!has_base && code == APF_BAD_PATCH) ||
                    (code == APF_IO && error.sys_errno == EFBIG));
            REQUIRE(!has_base || result.lost + result.gained == 0);
        }
    apf_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint8_t *end = n ? memchr(data, 0, n) : NULL;
    static bool has_source;
    if (!end)
        return 0;
    if (!has_source)
        make_source();
    has_source = true;
    const size_t n_profile = (size_t)(end - data), n_program = n - n_profile - 1;
    const struct apf_input profile = fuzz_input(data, n_profile), program = fuzz_input(end + 1, n_program);
    struct apf_options common = fuzz_options(NULL);
    static const uint32_t all_flags[] = {0, APF_COV_LLVM, APF_COV_UNION | APF_COV_MARKERS};
    for (size_t k = 0; k < sizeof all_flags / sizeof *all_flags; k++) {
        const struct apf_cov_options options = {.size = sizeof options,
                                                .options = &common,
                                                .programs = &program,
                                                .n_programs = 1,
                                                .profiles = &profile,
                                                .n_profiles = n_profile != 0,
                                                .flags = all_flags[k],
                                                .source_map = &source_change,
                                                .n_source_map = 1};
        struct apf_cov_stats stats = {.size = sizeof stats};
        struct apf_cov *cov;
        struct apf_error error;
        const int code = apf_cov_open(&cov, &options, &error);
        REQUIRE(code == APF_OK || (error.code == code && error.where && error.message[0]));
        if (code != APF_OK)
            continue;
        REQUIRE(apf_cov_stats(cov, &stats, &error) == APF_OK);
        write_all(cov);
        walk_all(cov);
        diff_all(cov, &profile);
        apf_cov_close(cov);
    }
    return 0;
}
