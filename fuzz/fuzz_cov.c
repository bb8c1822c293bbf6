/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs with coverage: a profile in text, up to a byte 0, and then a file of any kind. Whatever is accepted is
 * written in every format, twice with the same bytes. */
#include "fuzz_profile.h"

#include <errno.h>
#include <unistd.h>

#include <anyprof/cov.h>

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
        fprintf(f, "line %u of the source\n", i);
    fclose(f);
    atexit(remove_source);
}

/* Writes a format; false: it is too long. */
static bool write_format(const struct apf_cov *cov, uint32_t format, uint32_t flags, struct apf_buffer *to)
{
    const struct apf_name_change change = {{"", 0}, {source_path, sizeof source_path}};
    const struct apf_cov_write_options options = {
        .size = sizeof options, .format = format, .flags = flags, .source_map = &change, .n_source_map = 1};
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
    for (uint32_t flags = 0; flags <= APF_COV_LLVM; flags++) {
        const struct apf_cov_options options = {.size = sizeof options,
                                                .options = &common,
                                                .programs = &program,
                                                .n_programs = 1,
                                                .profiles = &profile,
                                                .n_profiles = n_profile != 0,
                                                .flags = flags};
        struct apf_cov_stats stats = {.size = sizeof stats};
        struct apf_cov *cov;
        struct apf_error error;
        const int code = apf_cov_open(&cov, &options, &error);
        REQUIRE(code == APF_OK || (error.code == code && error.where && error.message[0]));
        if (code != APF_OK)
            continue;
        REQUIRE(apf_cov_stats(cov, &stats, &error) == APF_OK);
        write_all(cov);
        apf_cov_close(cov);
    }
    return 0;
}
