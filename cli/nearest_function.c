/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nearest_function.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <anyprof/sample_lookup.h>

#include "edit_distance.h"
#include "memory.h"
#include "profile_file.h"
#include "report.h"
#include "sample_file.h"
#include "streams.h"

#define NAMED 3u           /* names in the note */
#define SHORTEST_PART 3u   /* letters of a name that are looked for within others */
#define LARGEST_CHANGE 8u  /* letters that may differ, however long a name is */
#define LONGEST_SHOWN 1024 /* of a name */

/* Why a name is near, the best reason first. */
enum reason { SPELLED_ALIKE, MANGLED, CONTAINED, UNLIKE };

struct candidate {
    char *name; /* owned */
    size_t n;
    enum reason reason;
    size_t distance; /* the letters to change or, for names that contain the wanted one, to remove */
};

struct search {
    struct apf_str wanted, plain; /* plain: without the file of a local function, or the scope */
    char *mangled;                /* the plain name after its length, as names of C++ and Rust contain it */
    struct candidate best[NAMED];
    size_t n_best;
    bool found; /* the profile has the name, but not what is looked for */
    bool any;   /* the profile has names */
};

/* ---- likeness ---- */

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

/* The letters to change, or SIZE_MAX if these are too many for one name to be meant by the other. */
static size_t count_changes(struct apf_str a, struct apf_str b)
{
    size_t most = (a.n > b.n ? a.n : b.n) / 3;
    if (a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0)
        return memcmp(a.p, b.p, a.n) != 0;
    return edit_distance(a.p, a.n, b.p, b.n, most < LARGEST_CHANGE ? most : LARGEST_CHANGE);
}

static struct candidate compare(const struct search *s, struct apf_str name, struct apf_str plain)
{
    struct candidate c = {NULL, name.n, UNLIKE, 0};
    size_t whole = count_changes(s->wanted, name), part = count_changes(s->plain, plain);
    c.distance = whole < part ? whole : part;
    if (c.distance != SIZE_MAX) {
        c.reason = SPELLED_ALIKE;
        return c;
    }
    c.distance = plain.n - (s->plain.n < plain.n ? s->plain.n : plain.n);
    if (s->plain.n >= SHORTEST_PART && name_contains(plain, s->plain.p, s->plain.n))
        c.reason = name_contains(plain, s->mangled, strlen(s->mangled)) ? MANGLED : CONTAINED;
    return c;
}

/* Whether a name is nearer than a candidate; equally near names are in the order of their bytes. */
static bool is_nearer(const struct candidate *a, struct apf_str name, const struct candidate *b)
{
    if (a->reason != b->reason)
        return a->reason < b->reason;
    if (a->distance != b->distance)
        return a->distance < b->distance;
    int order = memcmp(name.p, b->name, name.n < b->n ? name.n : b->n);
    return order ? order < 0 : name.n < b->n;
}

static bool is_same(struct apf_str name, const char *p, size_t n)
{
    return name.n == n && (n == 0 || memcmp(name.p, p, n) == 0);
}

/* An apf_lookup_name_fn. */
static int consider_name(void *user, struct apf_str name, struct apf_str plain)
{
    struct search *s = (struct search *)user;
    s->any = true;
    s->found |= is_same(name, s->wanted.p, s->wanted.n);
    struct candidate c = name.n ? compare(s, name, plain) : (struct candidate){NULL, 0, UNLIKE, 0};
    size_t at = s->n_best;
    while (at && is_nearer(&c, name, &s->best[at - 1]))
        at--;
    if (c.reason == UNLIKE || at == NAMED || (at && is_same(name, s->best[at - 1].name, s->best[at - 1].n)))
        return 0;
    if (s->n_best == NAMED)
        free(s->best[--s->n_best].name);
    memmove(s->best + at + 1, s->best + at, (s->n_best - at) * sizeof *s->best);
    s->n_best++;
    c.name = (char *)memcpy(checked_realloc(NULL, name.n, 1), name.p, name.n);
    s->best[at] = c;
    return 0;
}

/* ---- the note ---- */

static void report_names(const struct session *session, const struct search *s)
{
    char names[NAMED][LONGEST_SHOWN];
    for (size_t i = 0; i < s->n_best; i++) {
        struct apf_str name = {s->best[i].name, s->best[i].n};
        printable(names[i], sizeof names[i], name);
    }
    if (s->n_best == 1)
        report_note(session, "the nearest name is '%s'", names[0]);
    else
        report_note(session, "the nearest names are '%s'%s%s%s and '%s'", names[0],
                    s->n_best > 2 ? ", '" : "", s->n_best > 2 ? names[1] : "", s->n_best > 2 ? "'" : "",
                    names[s->n_best - 1]);
}

static void begin_search(struct search *s, struct apf_str name)
{
    *s = (struct search){.wanted = name, .plain = last_part(name)};
    s->mangled = (char *)checked_realloc(NULL, s->plain.n + 24, 1);
    snprintf(s->mangled, s->plain.n + 24, "%zu%.*s", s->plain.n, (int)s->plain.n, s->plain.p);
}

/* Prints what the search has found, unless it has the name itself. */
static void end_search(const struct session *session, const char *path, struct search *s)
{
    if (s->n_best && !s->found)
        report_names(session, s);
    else if (!s->any)
        report_note(session, "the profile has no functions");
    else if (!s->found && !stream_is(path))
        report_note(session, "no name is like it; '%s show --all-functions %s' lists all names",
                    session->persona->invoked, path);
}

static void free_search(struct search *s)
{
    for (size_t i = 0; i < s->n_best; i++)
        free(s->best[i].name);
    free(s->mangled);
}

void nearest_function_report(const struct session *session, const char *path, struct apf_lookup *lookup,
                             struct apf_str name)
{
    struct search s;
    begin_search(&s, name);
    /* Damage that the search for the name has not met is not reported: it is not the reason. */
    if (apf_lookup_names(lookup, consider_name, &s, NULL) == APF_OK)
        end_search(session, path, &s);
    free_search(&s);
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
    struct search s;
    const struct apf_str function = apf_sample_context_function(name);
    if (apf_sample_functions_new(&functions, sample, NULL) != APF_OK)
        return;
    begin_search(&s, function);
    for (uint64_t i = 0; apf_sample_function(functions, i, &f, NULL) == APF_OK; i += 1 + f.n_inlined) {
        s.any = true;
        if (f.name.text.p) /* else only its hash is known */
            consider_name(&s, f.name.text, last_part(f.name.text));
    }
    if (s.found && apf_sample_info(sample)->flags & APF_SAMPLE_CONTEXTS)
        report_note(session, "the function is there in other contexts; its name alone finds all of them");
    else if (s.found)
        report_note(session, "the profile has no contexts; the function's name alone finds it");
    else if (!report_hashed(session, functions, function) && !report_callers(session, functions, function))
        end_search(session, path, &s);
    free_search(&s);
    apf_sample_functions_free(functions);
}
