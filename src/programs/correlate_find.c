/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the program that completes a profile. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/text_bytes.h"
#include "programs/correlate_directory.h"

struct program {
    struct correlate_program of;
    struct apf_str name; /* of the caller's input, or its path in the arena */
    bool found;          /* it was found in a directory */
};

struct apf_correlator {
    pthread_mutex_t lock; /* guards the list of programs, which grows while profiles are read */
    bool has_lock;
    struct apf_correlator_options options;
    struct apf_options common;
    struct apf_correlation_source source;
    VEC(struct program *) programs; /* the caller's programs come first */
    size_t n_given;
    struct correlate_directories directories;
    struct arena arena;
};

/* ---- programs ---- */

static int add_program(struct apf_correlator *c, const struct apf_input *input, bool found,
                       struct apf_error *error)
{
    struct correlate_request request = {input, &c->common, c->options.kind,
                                        found ? 0 : c->options.max_warnings};
    struct apf_str name = file_name(input);
    struct program *p = calloc(1, sizeof *p);
    if (!p)
        return error_memory(error);
    int code = correlate_program_read(&p->of, &request, error);
    p->found = found;
    p->name.n = name.n;
    p->name.p = arena_text(&c->arena, name.p, name.n);
    if (code == APF_OK && (!p->name.p || !VEC_PUSH(&c->programs, p)))
        code = error_memory(error);
    if (code == APF_OK)
        return code;
    correlate_program_free(&p->of);
    free(p);
    return code;
}

static bool has_id(const struct apf_bare_profile *profile, struct apf_str id)
{
    for (size_t i = 0; i < profile->n_ids; i++)
        if (text_equal(id, profile->ids[i]))
            return true;
    return false;
}

static struct program *by_id(const struct apf_correlator *c, const struct apf_bare_profile *profile)
{
    for (size_t i = 0; i < c->programs.n; i++) {
        struct program *p = c->programs.data[i];
        struct apf_str id = p->of.info.build_id;
        if (id.n && has_id(profile, id))
            return p;
    }
    return NULL;
}

/* Whether ids cannot exclude the program: it or the profile has none. */
static bool may_be(const struct program *p, const struct apf_bare_profile *profile)
{
    return !p->found && (!profile->n_ids || !p->of.info.build_id.n);
}

static bool same_machine(const struct program *p, const struct apf_bare_profile *profile)
{
    const struct apf_binary_functions_info *info = &p->of.info;
    return info->pointer_bits == profile->pointer_bits && info->big_endian == profile->big_endian;
}

static bool same_sizes(const struct program *p, const struct apf_bare_profile *profile)
{
    const struct apf_correlation *c = &p->of.correlation;
    return same_machine(p, profile) && c->counter_bytes == profile->counter_bytes &&
           (profile->bitmap_bytes == 0 || c->bitmap_bytes == profile->bitmap_bytes);
}

static struct program *by_size(const struct apf_correlator *c, const struct apf_bare_profile *profile,
                               size_t *n)
{
    struct program *only = NULL;
    *n = 0;
    for (size_t i = 0; i < c->n_given; i++) {
        struct program *p = c->programs.data[i];
        if (!may_be(p, profile) || !same_sizes(p, profile))
            continue;
        only = p;
        ++*n;
    }
    return only;
}

/* ---- errors ---- */

#define MOST_ID 20u /* bytes of an id in messages: all of the usual ids */

static void write_id(char *text, struct apf_str id)
{
    size_t n = id.n < MOST_ID ? id.n : MOST_ID;
    *text = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned)(uint8_t)id.p[i]);
}

static int no_program(const struct apf_correlator *c, const struct apf_bare_profile *profile,
                      size_t n_fitting, struct apf_error *error)
{
    static const char where[] = "correlation.build_id";
    char id[2 * MOST_ID + 1], own[2 * MOST_ID + 1];
    if (n_fitting)
        return error_plain(error, APF_UNABLE_TO_CORRELATE, where,
                           "%zu of the programs may be its program, and there is no build ID to tell which",
                           n_fitting);
    if (!profile->n_ids)
        return error_plain(
            error, APF_UNABLE_TO_CORRELATE, where, "%s",
            c->n_given ? "none of the programs has as many counters"
                       : "unsupported profile binary correlation when there is no build ID in a profile");
    write_id(id, profile->ids[0]);
    if (c->n_given != 1 || c->options.n_directories) {
        const struct correlate_directories *d = &c->directories;
        error_set_plain(error, APF_UNABLE_TO_CORRELATE, where, "Missing build ID: %s", id);
        if (d->trouble.code != APF_OK)
            error_add(error, " (%s: %s)", d->troubled, d->trouble.message);
        return APF_UNABLE_TO_CORRELATE;
    }
    write_id(own, c->programs.data[0]->of.info.build_id);
    return error_plain(error, APF_UNABLE_TO_CORRELATE, where,
                       "the profile is of build ID %s, the program has %s: it is of another build", id, own);
}

/* ---- finding ---- */

/* A file with the id may be unusable, as a stripped program is; then the next one is tried, and the last error is
 * returned. */
static int look_in_directories(struct apf_correlator *c, const struct apf_bare_profile *profile,
                               struct program **program, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; i < profile->n_ids; i++) {
        const char *path;
        for (size_t k = 0; (path = correlate_directories_find(&c->directories, profile->ids[i], k)) != NULL;
             k++) {
            struct apf_input input = apf_input_file(path);
            code = add_program(c, &input, true, error);
            if (code == APF_NO_MEMORY)
                return code;
            *program = code == APF_OK ? c->programs.data[c->programs.n - 1] : NULL;
            if (*program)
                return APF_OK;
            if (error)
                error_add(error, " (%s)", path);
        }
        if (correlate_directories_failed(&c->directories))
            return error_memory(error);
    }
    return code;
}

static int check_machine(const struct program *p, const struct apf_bare_profile *profile,
                         struct apf_error *error)
{
    if (same_machine(p, profile))
        return APF_OK;
    struct error_at at = {"correlation.pointer_bits", NO_OFFSET, profile->pointer_bits,
                          p->of.info.pointer_bits};
    return error_at(error, APF_UNABLE_TO_CORRELATE, at, "the program is of another processor");
}

static int find_locked(struct apf_correlator *c, const struct apf_bare_profile *profile,
                       struct program **program, struct apf_error *error)
{
    size_t n = 0;
    *program = by_id(c, profile);
    if (!*program && c->options.n_directories) {
        int code = look_in_directories(c, profile, program, error);
        if (code != APF_OK)
            return code;
    }
    if (!*program)
        *program = by_size(c, profile, &n);
    /* If only one program was given, the error below says how it differs. */
    if (!*program && c->n_given == 1 && may_be(c->programs.data[0], profile))
        *program = c->programs.data[0];
    return *program && n <= 1 ? check_machine(*program, profile, error) : no_program(c, profile, n, error);
}

/* An apf_correlate_fn; user: the correlator. */
static int find_program(void *user, const struct apf_bare_profile *profile,
                        const struct apf_correlation **correlation, struct apf_error *error)
{
    struct apf_correlator *c = user;
    struct program *program;
    pthread_mutex_lock(&c->lock);
    int code = find_locked(c, profile, &program, error);
    pthread_mutex_unlock(&c->lock);
    if (code == APF_OK)
        *correlation = &program->of.correlation;
    return code;
}

/* ---- the correlator ---- */

static int copy_directories(struct apf_correlator *c, struct apf_error *error)
{
    const struct apf_correlator_options *o = &c->options;
    const char **copy = arena_array(&c->arena, o->n_directories, sizeof *copy);
    for (size_t i = 0; copy && i < o->n_directories; i++)
        if (!(copy[i] = arena_text(&c->arena, o->directories[i], strlen(o->directories[i]))))
            copy = NULL;
    c->directories.list = copy;
    c->directories.n = o->n_directories;
    c->directories.max_bytes = options_max_bytes(&c->common);
    return copy ? APF_OK : error_memory(error);
}

static int read_programs(struct apf_correlator *c, struct apf_error *error)
{
    const struct apf_options *o = &c->common;
    for (size_t i = 0; i < c->options.n_programs; i++) {
        const struct apf_input *input = input_at(c->options.programs, i);
        int code = add_program(c, input, false, error);
        if (code == APF_OK)
            code = correlate_warnings_report(&c->programs.data[i]->of, file_name(input), i, o->diag, o->user,
                                             error);
        if (code != APF_OK)
            return file_error(error, code, input, i);
    }
    c->n_given = c->programs.n;
    return APF_OK;
}

int apf_correlator_open(struct apf_correlator **correlator, const struct apf_correlator_options *options,
                        struct apf_error *error)
{
    *correlator = NULL;
    struct apf_correlator *c = calloc(1, sizeof *c);
    if (!c)
        return error_memory(error);
    int code = OPTIONS_READ_BOTH(apf_correlator_options, &c->options, options, &c->common, error);
    if (code == APF_OK)
        code = inputs_check(c->options.programs, c->options.n_programs, error);
    c->options.options = NULL; /* it points to the caller's memory */
    c->has_lock = pthread_mutex_init(&c->lock, NULL) == 0;
    c->source.size = sizeof c->source;
    c->source.find = find_program;
    c->source.user = c;
    c->source.flags = c->options.n_programs == 1 && !c->options.n_directories ? APF_CORRELATION_ONLY_BARE : 0;
    if (code == APF_OK && c->options.kind != APF_METADATA_DEBUG_INFO &&
        c->options.kind != APF_METADATA_BINARY)
        code = error_plain(error, APF_ARGUMENT, "correlation.kind", "neither debug information nor a binary");
    if (code == APF_OK)
        code = c->has_lock ? copy_directories(c, error) : error_memory(error);
    if (code == APF_OK)
        code = read_programs(c, error);
    if (code == APF_OK)
        *correlator = c;
    else
        apf_correlator_close(c);
    return code;
}

static bool is_before(const void *context, const void *a, const void *b)
{
    const struct program *const *left = a, *const *right = b;
    (void)context;
    return sort_compare_bytes((*left)->name.p, (*left)->name.n, (*right)->name.p, (*right)->name.n) < 0;
}

int apf_correlator_report(struct apf_correlator *c, struct apf_error *error)
{
    const struct apf_options *o = &c->common;
    size_t n = c->programs.n - c->n_given;
    int code = VEC_RESERVE(&c->programs, n) ? APF_OK : error_memory(error);
    if (code == APF_OK && n) /* by name: the order of finding depends on threads */
        sort_merge(c->programs.data + c->n_given, c->programs.data + c->programs.n, n,
                   sizeof(struct program *), is_before, NULL);
    for (size_t i = c->n_given; code == APF_OK && i < c->programs.n; i++) {
        const struct program *p = c->programs.data[i];
        code = correlate_warnings_report(&p->of, p->name, UINT64_MAX, o->diag, o->user, error);
    }
    return code;
}

void apf_correlator_close(struct apf_correlator *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->programs.n; i++) {
        correlate_program_free(&c->programs.data[i]->of);
        free(c->programs.data[i]);
    }
    VEC_FREE(&c->programs);
    correlate_directories_free(&c->directories);
    arena_free(&c->arena);
    if (c->has_lock)
        pthread_mutex_destroy(&c->lock);
    free(c);
}

const struct apf_correlation_source *apf_correlator_source(const struct apf_correlator *c)
{
    return &c->source;
}
