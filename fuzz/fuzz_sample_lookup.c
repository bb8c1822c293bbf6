/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looks up single functions of a sample profile, which is the input. A profile that is read as a whole has every
 * function that it lists, with the text that the whole profile gives; through tables, whatever they say, lookups find
 * functions or fail, without misbehaving. */
#include <anyprof/sample_lookup.h>
#include <anyprof/sample_views.h>

#include "fuzz_profile.h"

#define MOST_NAMES 300u

struct names {
    struct apf_str list[MOST_NAMES];
    char digits[MOST_NAMES][24]; /* hashes */
    size_t n;
};

/* An apf_sample_lookup_name_fn. What a name points to stays valid, because it is in the tables of the lookup. */
static int keep_name(void *user, struct apf_sample_name name)
{
    struct names *names = (struct names *)user;
    size_t i = names->n;
    if (i == MOST_NAMES)
        return 1;
    names->list[i] = name.text;
    if (!name.text.p) {
        int n = snprintf(names->digits[i], sizeof names->digits[i], "%llu", (unsigned long long)name.hash);
        names->list[i].p = names->digits[i];
        names->list[i].n = (size_t)n;
    }
    names->n++;
    return 0;
}

/* Prints the functions with a name. */
static void print(const struct apf_sample *s, struct apf_str name, struct apf_buffer *out)
{
    struct apf_output output = apf_output_buffer(out);
    struct apf_sample_print_options o = {.size = sizeof o, .function = name};
    REQUIRE(apf_sample_print(s, &o, &output, NULL) == APF_OK);
}

/* Looks up a function; `whole` is the profile if it is readable as a whole. */
static void look_up(struct apf_sample_lookup *l, struct apf_str name, const struct apf_sample *whole,
                    const struct apf_input *input)
{
    const struct apf_sample *found;
    struct apf_error error;
    struct apf_buffer one = {NULL, 0, 0}, all = {NULL, 0, 0};
    int code = apf_sample_lookup_find(l, name, &found, &error);
    REQUIRE((code == APF_OK) == (found != NULL));
    if (code != APF_OK) {
        fuzz_check_error(code, &error, input);
        REQUIRE(!apf_sample_lookup_info(l)->whole || code == APF_UNKNOWN_FUNCTION);
        return;
    }
    REQUIRE(apf_sample_info(found)->n_functions);
    print(found, name, &one);
    if (whole && apf_sample_lookup_info(l)->whole && name.n) { /* all functions are printed for no name */
        print(whole, name, &all);
        fuzz_same(&one, &all);
    }
    apf_buffer_free(&one);
    apf_buffer_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const others[] = {"ab", "c", "main", "", "0", "14758615255017094680"};
    struct apf_input input = fuzz_input(data, size);
    struct apf_options common = fuzz_options(NULL);
    struct apf_sample_read_options o = {.size = sizeof o, .options = &common};
    struct apf_sample_lookup *l;
    struct apf_sample *whole = NULL;
    struct apf_error error;
    struct names names = {.n = 0};
    int code = apf_sample_lookup_open(&l, &input, &o, &error);
    REQUIRE((code == APF_OK) == (l != NULL));
    if (code != APF_OK) {
        fuzz_check_error(code, &error, &input);
        return 0;
    }
    (void)apf_sample_open(&whole, &input, &o, NULL);
    REQUIRE(whole || !apf_sample_lookup_info(l)->whole);
    (void)apf_sample_lookup_names(l, keep_name, &names, NULL);
    for (size_t i = 0; i < names.n; i++)
        look_up(l, names.list[i], whole, &input);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct apf_str name = {others[i], strlen(others[i])};
        look_up(l, name, whole, &input);
    }
    apf_sample_lookup_close(l);
    apf_sample_close(whole);
    return 0;
}
