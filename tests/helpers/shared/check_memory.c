/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/check_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int keep(void *user, const struct apf_diag *d)
{
    struct checked *c = user;
    assert_true(c->n < MOST_CHECKED);
    assert_int_equal(d->code, d->error->code);
    assert_true(*d->error->message);
    struct checked_finding *f = &c->list[c->n++];
    f->severity = d->severity;
    f->code = d->code;
    f->offset = d->error->offset;
    f->found = d->error->found;
    f->expected = d->error->expected;
    f->line = d->error->line;
    f->hash = d->hash;
    snprintf(f->where, sizeof f->where, "%s", d->error->where);
    snprintf(f->function, sizeof f->function, "%.*s", (int)d->function.n, d->function.n ? d->function.p : "");
    return 0;
}

void check_memory_bytes(struct checked *c, const void *p, size_t n)
{
    check_memory_against(c, p, n, NULL);
}

void check_memory_against(struct checked *c, const void *p, size_t n,
                          const struct apf_check_programs *programs)
{
    uint8_t *copy = malloc(n ? n : 1);
    struct apf_input input = apf_input_memory(copy, n, "memory");
    struct apf_options options = {.size = sizeof options, .diag = keep, .user = c};
    struct apf_error error;
    memset(c, 0, sizeof *c);
    assert_non_null(copy);
    if (n)
        memcpy(copy, p, n);
    c->verdict.size = sizeof c->verdict;
    c->code = apf_check(&input, programs, &options, &c->verdict, &error);
    assert_int_equal(c->code, APF_OK);
    assert_int_equal(c->verdict.n_errors + c->verdict.n_warnings + c->verdict.n_notes, c->n);
    assert_int_equal(c->verdict.n_files, 1);
    free(copy);
}

static void show(const struct checked *c)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct checked_finding *f = &c->list[i];
        print_message("  %d %s %s at %llu: found %llu, expected %llu, function '%s'\n", f->severity,
                      apf_code_name(f->code), f->where, (unsigned long long)f->offset,
                      (unsigned long long)f->found, (unsigned long long)f->expected, f->function);
    }
}

void expect_checked(struct checked *c, uint32_t severity, int code, const char *where, uint64_t offset,
                    uint64_t found, uint64_t expected, const char *file, int line)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct checked_finding *f = &c->list[i];
        if (f->severity == severity && f->code == code && strcmp(f->where, where) == 0 &&
            f->offset == offset && f->found == found && f->expected == expected) {
            c->list[i] = c->list[--c->n];
            return;
        }
    }
    print_message("not found: %d %s %s at %llu: found %llu, expected %llu; but\n", severity,
                  apf_code_name(code), where, (unsigned long long)offset, (unsigned long long)found,
                  (unsigned long long)expected);
    show(c);
    _fail(file, line);
}

void expect_no_more(const struct checked *c, const char *file, int line)
{
    if (c->n == 0)
        return;
    print_message("more than expected:\n");
    show(c);
    _fail(file, line);
}
