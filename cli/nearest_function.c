/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nearest_function.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/sample_lookup.h>

#include "near_search.h"
#include "report.h"
#include "sample_file.h"
#include "streams.h"

#define LONGEST_SHOWN 1024 /* of a name */

/* Whether a text is n bytes at p. */
static bool is_same(struct apf_str name, const char *p, size_t n)
{
    return name.n == n && (n == 0 || memcmp(name.p, p, n) == 0);
}

/* Prints what the search has found, unless it has the name itself. */
static void end_search(const struct session *session, const char *path, struct nearest_names *s)
{
    if (nearest_names_report(session, s))
        return;
    if (!s->any)
        report_note(session, "the profile has no functions");
    else if (!s->found && !stream_is(path))
        report_note(session, "no name is like it; '%s show --all-functions %s' lists all names",
                    session->persona->invoked, path);
}

/* An apf_lookup_name_fn. */
static int consider_name(void *user, struct apf_str name, struct apf_str plain)
{
    (void)plain; /* which is found in the name again */
    near_search_consider((struct near_search *)user, name);
    return 0;
}

void nearest_function_report(const struct session *session, const char *path, struct apf_lookup *lookup,
                             struct apf_str name)
{
    struct near_search s;
    while (name.n > 2 && memcmp(name.p + name.n - 2, "::", 2) == 0) /* of a namespace or class */
        name.n -= 2;
    near_search_begin(&s, session, name);
    /* Damage that the search for the name has not met is not reported: it is not the reason. */
    if (apf_lookup_names(lookup, consider_name, &s, NULL) == APF_OK)
        end_search(session, path, &s.near);
    near_search_free(&s);
}

/* ---- sample profiles ---- */

/* Notes in which functions at the top level a function is inlined, which `it` is called. False: in none. */
static bool report_callers(const struct session *session, const struct apf_sample_functions *functions,
                           struct apf_str name, const char *it)
{
    struct apf_sample_function f = {.size = sizeof f};
    struct apf_str top = {NULL, 0}, first = {NULL, 0};
    char caller[LONGEST_SHOWN];
    uint64_t n = 0;
    bool counted = false; /* in the current one */
    for (uint64_t i = 0; apf_sample_function(functions, i, &f, NULL) == APF_OK; i++) {
        if (f.depth == 0) {
            top = f.name.text;
            counted = false;
        } else if (!counted && f.name.text.p && is_same(f.name.text, name.p, name.n)) {
            counted = true;
            first = n++ ? first : top;
        }
    }
    if (!n)
        return false;
    printable(caller, sizeof caller, first);
    if (n == 1)
        report_note(session, "%s has no samples of its own: it is inlined in '%s'", it, caller);
    else
        report_note(session,
                    "%s has no samples of its own: it is inlined in %" PRIu64 " functions, such as '%s'", it,
                    n, caller);
    return true;
}

static bool is_at_top(const struct apf_sample_functions *functions, struct apf_str name)
{
    struct apf_sample_function f = {.size = sizeof f};
    for (uint64_t i = 0; apf_sample_function(functions, i, &f, NULL) == APF_OK; i += 1 + f.n_inlined)
        if (f.name.text.p && is_same(f.name.text, name.p, name.n))
            return true;
    return false;
}

/* Considers the functions that are inlined, too, and prints what was found, with the callers of such functions. */
static void end_sample_search(const struct session *session, const char *path,
                              const struct apf_sample_functions *functions, struct near_search *s)
{
    struct apf_sample_function f = {.size = sizeof f};
    char name[LONGEST_SHOWN], it[LONGEST_SHOWN + 2];
    for (uint64_t i = 0; apf_sample_function(functions, i, &f, NULL) == APF_OK; i++)
        if (f.depth && f.name.text.p)
            near_search_consider(s, f.name.text);
    end_search(session, path, &s->near);
    for (size_t i = 0; i < s->near.n_best; i++) {
        const struct apf_str near = {s->near.best[i].name, s->near.best[i].n};
        snprintf(it, sizeof it, "'%s'", printable(name, sizeof name, near));
        if (!is_at_top(functions, near))
            (void)report_callers(session, functions, near, it);
    }
}

/* Notes which function has a name whose hash this number is. False: none, or it is no number. */
static bool report_hashed(const struct session *session, const struct apf_sample_functions *functions,
                          struct apf_str number)
{
    struct apf_sample_function f = {.size = sizeof f};
    char decimal[24], name[LONGEST_SHOWN];
    for (uint64_t i = 0; apf_sample_function(functions, i, &f, NULL) == APF_OK; i++) {
        int n = snprintf(decimal, sizeof decimal, "%" PRIu64, f.name.hash);
        if (!f.name.text.p || !is_same(number, decimal, (size_t)n))
            continue;
        printable(name, sizeof name, f.name.text);
        report_note(session, "it is the MD5 hash of '%s'", name);
        return true;
    }
    return false;
}

void nearest_sample_report(const struct session *session, const char *path, const struct apf_sample *sample,
                           struct apf_str name)
{
    struct apf_sample_functions *functions;
    struct apf_sample_function f = {.size = sizeof f};
    struct near_search s;
    const struct apf_str function = apf_sample_context_function(name);
    if (apf_sample_functions_new(&functions, sample, NULL) != APF_OK)
        return;
    near_search_begin(&s, session, function);
    for (uint64_t i = 0; apf_sample_function(functions, i, &f, NULL) == APF_OK; i += 1 + f.n_inlined) {
        s.near.any = true;
        if (f.name.text.p) /* else only its hash is known */
            near_search_consider(&s, f.name.text);
    }
    if (s.near.found && apf_sample_info(sample)->flags & APF_SAMPLE_CONTEXTS)
        report_note(session, "the function is there in other contexts; its name alone finds all of them");
    else if (s.near.found)
        report_note(session, "the profile has no contexts; the function's name alone finds it");
    else if (!report_hashed(session, functions, function) &&
             !report_callers(session, functions, function, "it"))
        end_sample_search(session, path, functions, &s);
    near_search_free(&s);
    apf_sample_functions_free(functions);
}
