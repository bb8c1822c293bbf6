/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the conditions of a program that was built for coverage which were never true, or never false, in functions
 * that ran.
 *
 *     cc untaken_branches.c $(pkg-config --cflags --libs anyprof-elf) -o untaken_branches
 *     ./untaken_branches app app.profraw
 */
#include <inttypes.h>
#include <stdio.h>

#include <anyprof/cov.h>

struct walk {
    const struct apf_cov *cov;
    struct apf_error *error;
    size_t n_functions;
    const struct apf_cov_function *function;
};

/* An apf_cov_region_fn. A side that is a constant, as in `x || 1`, cannot be taken. */
static int print_branch(void *user, const struct apf_cov_region *r)
{
    const struct walk *w = user;
    const int is_branch = r->kind == APF_COV_REGION_BRANCH || r->kind == APF_COV_REGION_CONDITION;
    const int never_true = r->count == 0 && !(r->constant & 1);
    const int never_false = r->false_count == 0 && !(r->constant & 2);
    if (!is_branch || r->excluded || (!never_true && !never_false))
        return 0;
    const struct apf_str file = apf_cov_file_name(w->cov, (size_t)r->file);
    printf("%.*s:%" PRIu32 ":%" PRIu32 ": %s in %.*s\n", (int)file.n, file.p, r->line, r->column,
           never_true && never_false ? "never evaluated"
           : never_true              ? "never true"
                                     : "never false",
           (int)w->function->name.n, w->function->name.p);
    return 0;
}

/* An apf_cov_function_fn. */
static int print_function(void *user, const struct apf_cov_function *function)
{
    struct walk *w = user;
    const size_t number = w->n_functions++;
    w->function = function;
    return function->count ? apf_cov_regions(w->cov, number, print_branch, w, w->error) : 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: untaken_branches PROGRAM PROFILE\n");
        return 2;
    }
    const struct apf_input program = apf_input_file(argv[1]), profile = apf_input_file(argv[2]);
    const struct apf_cov_options options = {
        .size = sizeof options, .programs = &program, .n_programs = 1, .profiles = &profile, .n_profiles = 1};
    struct apf_cov *cov;
    struct apf_error error;
    int code = apf_cov_open(&cov, &options, &error);
    if (code == APF_OK) {
        struct walk walk = {.cov = cov, .error = &error};
        code = apf_cov_functions(cov, 0, print_function, &walk, &error);
    }
    if (code != APF_OK)
        fprintf(stderr, "untaken_branches: %s: %s\n", error.file, error.message);
    apf_cov_close(cov);
    return code == APF_OK ? 0 : 1;
}
