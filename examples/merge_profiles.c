/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges profiles of any LLVM versions into one that a given compiler reads.
 *
 *     cc merge_profiles.c $(pkg-config --cflags --libs anyprof) -o merge_profiles
 *     ./merge_profiles llvm-16 app.profdata *.profraw
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <anyprof/error.h>
#include <anyprof/merge.h>

/* Called by the library for each finding, in the order of the inputs: unreadable files, functions that do not
 * match. */
static int on_finding(void *user, const struct apf_diag *d)
{
    (void)user;
    if (d->severity >= APF_SEVERITY_WARNING)
        fprintf(stderr, "%.*s%s%.*s%s%s\n", (int)d->source.n, d->source.p ? d->source.p : "",
                d->source.n ? ": " : "", (int)d->function.n, d->function.p ? d->function.p : "",
                d->function.n ? ": " : "", d->error->message);
    return 0; /* continue */
}

static int merge(struct apf_merge *m, const char *target, const char *out, const struct apf_input *inputs,
                 size_t n, struct apf_error *error)
{
    struct apf_write_options options = {0};
    struct apf_output output = apf_output_file(NULL);
    struct apf_tolerance all = {APF_FAIL_ALL, 0};
    options.size = sizeof options;
    output.path = out;
    int code = apf_target_parse(target, &options.target, error);
    if (code == APF_OK)
        code = apf_merge_add(m, inputs, n, error);
    if (code == APF_OK && apf_merge_verdict(m, &all) != APF_OK) {
        fprintf(stderr, "no input could be read\n");
        return APF_INVALID_PROFILE;
    }
    if (code == APF_OK)
        code = apf_merge_write(m, &options, &output, error);
    if (code != APF_OK)
        fprintf(stderr, "%s\n", error->message);
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: merge_profiles auto|llvm-N|indexed-N OUTPUT PROFILE...\n");
        return 2;
    }
    struct apf_error error;
    struct apf_merge *m;
    struct apf_merge_options options = {0};
    size_t n = (size_t)argc - 3;
    struct apf_input *inputs = calloc(n, sizeof *inputs);
    if (!inputs)
        return 1;
    for (size_t i = 0; i < n; i++)
        inputs[i] = apf_input_file(argv[i + 3]);
    options.size = sizeof options;
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.diag = on_finding;
    int code = apf_merge_new(&m, &options, &error);
    if (code == APF_OK) {
        code = merge(m, argv[1], argv[2], inputs, n, &error);
        const struct apf_merge_stats *s = apf_merge_stats(m);
        if (code == APF_OK)
            printf("%" PRIu64 " of %" PRIu64 " inputs, %" PRIu64 " functions, indexed version %" PRIu32 "\n",
                   s->n_merged, s->n_inputs, s->n_functions, s->version);
        apf_merge_free(m);
    }
    free(inputs);
    return code == APF_OK ? 0 : 1;
}
