/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile of BOLT, or two with a zero between them, merged in both orders. A written profile is read as the same
 * profile; adding it record by record gives the same profile. */
#include "fuzz_export.h"

#include <anyprof/bolt.h>

static int export_fdata(void *profile, const struct apf_export_options *options,
                        const struct apf_output *output, struct apf_export_result *result)
{
    return apf_fdata_export((struct apf_fdata *)profile, options, output, result, NULL);
}

static struct apf_fdata *fresh(void)
{
    struct apf_fdata *f;
    REQUIRE(apf_fdata_new(&f, NULL, NULL) == APF_OK);
    return f;
}

static int read_into(struct apf_fdata *f, const void *data, size_t n, struct apf_error *error)
{
    struct apf_input input = apf_input_memory(n ? data : "", n, "fuzz");
    return apf_fdata_read(f, &input, 1, error);
}

static struct apf_buffer written(struct apf_fdata *f)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    REQUIRE(apf_fdata_write(f, &output, NULL) == APF_OK);
    return out;
}

/* Requires that the profile is written as these bytes, and frees it. */
static void require_same(struct apf_fdata *f, const struct apf_buffer *expected)
{
    struct apf_buffer out = written(f);
    REQUIRE(out.n == expected->n && (out.n == 0 || memcmp(out.data, expected->data, out.n) == 0));
    apf_buffer_free(&out);
    apf_fdata_free(f);
}

static void check_again(const struct apf_fdata *f, const struct apf_buffer *text)
{
    const struct apf_fdata_info *info = apf_fdata_info(f);
    struct apf_fdata *again = fresh(), *made = fresh();
    struct apf_fdata_record r = {.size = sizeof r};
    uint64_t n = 0;
    REQUIRE(read_into(again, text->data, text->n, NULL) == APF_OK);
    REQUIRE(apf_fdata_info(again)->n_lines == info->n_branches + info->n_samples + info->n_memory);
    REQUIRE(apf_fdata_info(again)->n_memory == info->n_memory);
    REQUIRE(apf_fdata_declare(made, info->flags, info->events, (size_t)info->n_events, NULL) == APF_OK);
    for (; apf_fdata_record(f, n, &r, NULL) == APF_OK; n++)
        REQUIRE(apf_fdata_add(made, &r, NULL) == APF_OK);
    REQUIRE(n == info->n_branches + info->n_samples + info->n_memory);
    require_same(made, text);
    fuzz_check_exports(export_fdata, again);
    require_same(again, text);
}

static bool read_both(struct apf_fdata *f, const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
    struct apf_error error;
    size_t n = na;
    int code = read_into(f, a, na, &error);
    if (code == APF_OK) {
        n = nb;
        code = read_into(f, b, nb, &error);
    }
    if (code == APF_BAD_FDATA)
        REQUIRE(error.offset <= n && error.line > 0 && error.column > 0 && error.column <= error.offset + 1);
    else
        REQUIRE(code == APF_OK || code == APF_FDATA_CONFLICT || code == APF_UNSUPPORTED);
    return code == APF_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? (const uint8_t *)memchr(data, 0, size) : NULL;
    size_t na = zero ? (size_t)(zero - data) : size, nb = zero ? size - na - 1 : 0;
    const uint8_t *b = zero ? zero + 1 : data;
    if (fuzz_is_packed(data, na) || fuzz_is_packed(b, nb))
        return 0; /* fuzz_packed covers these: places in errors are not those in the input */
    struct apf_fdata *f = fresh(), *other = fresh();
    bool good = read_both(f, data, na, b, nb);
    REQUIRE(read_both(other, b, nb, data, na) == good);
    if (good) {
        struct apf_buffer text = written(f);
        if (apf_fdata_info(f)->known)
            check_again(f, &text);
        require_same(other, &text);
        apf_buffer_free(&text);
    } else {
        apf_fdata_free(other);
    }
    apf_fdata_free(f);
    return 0;
}
