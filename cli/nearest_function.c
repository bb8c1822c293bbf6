/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nearest_function.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/sample_lookup.h>

#include "nearest_names.h"
#include "report.h"
#include "sample_file.h"
#include "streams.h"

#define LONGEST_SHOWN 1024 /* of a name */

/* Cuts off the parameters of a demangled name, "(int, char)" or "(int) const". */
static struct apf_str without_parameters(struct apf_str name)
{
    static const char constant[] = " const";
    size_t n = name.n, tail = sizeof constant - 1, depth = 0;
    if (n > tail && memcmp(name.p + n - tail, constant, tail) == 0)
        n -= tail;
    for (size_t i = n; i-- > 1;) {
        depth += name.p[i] == ')';
        if (depth == 0)
            break; /* the name does not end with parameters */
        if (name.p[i] == '(' && --depth == 0)
            return (struct apf_str){name.p, i};
    }
    return name;
}

static struct apf_str last_part(struct apf_str name)
{
    name = without_parameters(name);
    size_t at = name.n;
    while (at && name.p[at - 1] != ';' && name.p[at - 1] != ':')
        at--;
    struct apf_str part = {name.p + at, name.n - at};
    return part.n ? part : name;
}

/* Whether a text is n bytes at p. */
static bool is_same(struct apf_str name, const char *p, size_t n)
{
    return name.n == n && (n == 0 || memcmp(name.p, p, n) == 0);
}

/* Begins the search for a function. */
static void begin_search(struct nearest_names *s, struct apf_str name)
{
    nearest_names_begin(s, name, last_part(name));
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

void nearest_function_report(const struct session *session, const char *path, struct apf_lookup *lookup,
                             struct apf_str name)
{
    struct nearest_names s;
    begin_search(&s, name);
    /* Damage that the search for the name has not met is not reported: it is not the reason. */
    if (apf_lookup_names(lookup, nearest_names_consider, &s, NULL) == APF_OK)
        end_search(session, path, &s);
    nearest_names_free(&s);
}

/* ---- sample profiles ---- */

/* Notes in which functions at the top level this one is inlined. False: in none. */
static bool report_callers(const struct session *session, const struct apf_sample_functions *functions,
                           struct apf_str name)
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
        report_note(session, "it has no samples of its own: it is inlined in '%s'", caller);
    else
        report_note(session,
                    "it has no samples of its own: it is inlined in %" PRIu64 " functions, such as '%s'", n,
                    caller);
    return true;
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
    struct nearest_names s;
    const struct apf_str function = apf_sample_context_function(name);
    if (apf_sample_functions_new(&functions, sample, NULL) != APF_OK)
        return;
    begin_search(&s, function);
    for (uint64_t i = 0; apf_sample_function(functions, i, &f, NULL) == APF_OK; i += 1 + f.n_inlined) {
        s.any = true;
        if (f.name.text.p) /* else only its hash is known */
            nearest_names_consider(&s, f.name.text, last_part(f.name.text));
    }
    if (s.found && apf_sample_info(sample)->flags & APF_SAMPLE_CONTEXTS)
        report_note(session, "the function is there in other contexts; its name alone finds all of them");
    else if (s.found)
        report_note(session, "the profile has no contexts; the function's name alone finds it");
    else if (!report_hashed(session, functions, function) && !report_callers(session, functions, function))
        end_search(session, path, &s);
    nearest_names_free(&s);
    apf_sample_functions_free(functions);
}
