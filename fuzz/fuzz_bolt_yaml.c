/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile of BOLT in YAML, or two with a zero between them, merged in both orders. A written profile is read as the
 * same profile; adding it function by function gives the same profile. */
#include "fuzz_export.h"

#include <anyprof/bolt.h>

static int export_yaml(void *profile, const struct apf_export_options *options,
                       const struct apf_output *output, struct apf_export_result *result)
{
    return apf_bolt_yaml_export((struct apf_bolt_yaml *)profile, options, output, result, NULL);
}

static struct apf_bolt_yaml *fresh(void)
{
    struct apf_bolt_yaml *y;
    REQUIRE(apf_bolt_yaml_new(&y, NULL, NULL) == APF_OK);
    return y;
}

static int read_into(struct apf_bolt_yaml *y, const void *data, size_t n, struct apf_error *error)
{
    struct apf_input input = apf_input_memory(n ? data : "", n, "fuzz");
    return apf_bolt_yaml_read(y, &input, 1, error);
}

static struct apf_buffer written(struct apf_bolt_yaml *y)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    REQUIRE(apf_bolt_yaml_write(y, &output, NULL) == APF_OK);
    return out;
}

/* Requires that the profile is written as these bytes, and frees it. */
static void require_same(struct apf_bolt_yaml *y, const struct apf_buffer *expected)
{
    struct apf_buffer out = written(y);
    REQUIRE(out.n == expected->n && memcmp(out.data, expected->data, out.n) == 0);
    apf_buffer_free(&out);
    apf_bolt_yaml_free(y);
}

static void check_again(struct apf_bolt_yaml *y, const struct apf_buffer *text)
{
    struct apf_bolt_yaml *again = fresh(), *made = fresh();
    struct apf_bolt_yaml_header header = {.size = sizeof header};
    struct apf_bolt_yaml_function f = {.size = sizeof f};
    bool probes = false;
    REQUIRE(read_into(again, text->data, text->n, NULL) == APF_OK);
    REQUIRE(apf_bolt_yaml_info(again)->n_functions == apf_bolt_yaml_info(y)->n_functions);
    REQUIRE(apf_bolt_yaml_info(again)->n_unknown_keys == 0);
    fuzz_check_exports(export_yaml, again);
    require_same(again, text);
    REQUIRE(apf_bolt_yaml_header(y, &header, NULL) == APF_OK);
    REQUIRE(apf_bolt_yaml_declare(made, &header, NULL) == APF_OK);
    for (uint64_t i = 0; i < apf_bolt_yaml_info(y)->n_functions; i++) {
        REQUIRE(apf_bolt_yaml_function(y, i, &f, NULL) == APF_OK);
        REQUIRE(apf_bolt_yaml_add(made, &f, NULL) == APF_OK);
    }
    static const char desc[] = "\npseudo_probe_desc:\n";
    for (size_t i = 0; i + sizeof desc < text->n && !probes; i++)
        probes = memcmp((const char *)text->data + i, desc, sizeof desc - 1) == 0;
    if (probes) /* a profile with probes cannot be built this way */
        apf_bolt_yaml_free(made);
    else
        require_same(made, text);
}

static bool read_both(struct apf_bolt_yaml *y, const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
    struct apf_error error;
    size_t n = na;
    int code = read_into(y, a, na, &error);
    if (code == APF_OK && nb) {
        n = nb;
        code = read_into(y, b, nb, &error);
    }
    if (code == APF_BAD_YAML)
        REQUIRE(error.offset <= n && error.line > 0 && error.column > 0 && error.column <= error.offset + 1);
    else
        REQUIRE(code == APF_OK || code == APF_YAML_CONFLICT || code == APF_UNSUPPORTED);
    return code == APF_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? (const uint8_t *)memchr(data, 0, size) : NULL;
    size_t na = zero ? (size_t)(zero - data) : size, nb = zero ? size - na - 1 : 0;
    const uint8_t *b = zero ? zero + 1 : data;
    if (na == 0 || fuzz_is_packed(data, na) || fuzz_is_packed(b, nb))
        return 0; /* fuzz_packed covers these: places in errors are not those in the input */
    struct apf_bolt_yaml *y = fresh(), *other = fresh();
    bool good = read_both(y, data, na, b, nb);
    if (nb)
        REQUIRE(read_both(other, b, nb, data, na) == good);
    if (good) {
        REQUIRE(apf_bolt_yaml_sort(y, NULL) == APF_OK);
        struct apf_buffer text = written(y);
        check_again(y, &text);
        if (nb) {
            REQUIRE(apf_bolt_yaml_sort(other, NULL) == APF_OK);
            require_same(other, &text);
            other = NULL;
        }
        apf_buffer_free(&text);
    }
    apf_bolt_yaml_free(other);
    apf_bolt_yaml_free(y);
    return 0;
}
