/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nearest_names.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "edit_distance.h"
#include "memory.h"
#include "profile_file.h"
#include "report.h"

#define SHORTEST_PART 3u   /* letters of a name that are looked for within others */
#define LARGEST_CHANGE 8u  /* letters that may differ, however long a name is */
#define LARGEST_SCOPE 64u  /* letters that may differ in names with their scopes, to put these in order */
#define LONGEST_SHOWN 1024 /* of a name */

/* The letters to change; SIZE_MAX: more than `most`. */
static size_t count_at_most(struct apf_str a, struct apf_str b, size_t most)
{
    if (a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0)
        return memcmp(a.p, b.p, a.n) != 0;
    return edit_distance(a.p, a.n, b.p, b.n, most);
}

/* The letters to change, or SIZE_MAX if these are too many for one name to be meant by the other. */
static size_t count_changes(struct apf_str a, struct apf_str b)
{
    const size_t most = (a.n > b.n ? a.n : b.n) / 3;
    return count_at_most(a, b, most < LARGEST_CHANGE ? most : LARGEST_CHANGE);
}

static struct nearest_name compare(const struct nearest_names *s, struct apf_str name, struct apf_str plain)
{
    struct nearest_name c = {.n = name.n, .reason = UNLIKE, .whole = SIZE_MAX};
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

/* Whether a name is nearer than a candidate. If the wanted name has a scope, all of the names counts first; else it
 * only decides between equally near parts. Equally near names are in the order of their bytes. */
static bool is_nearer(const struct nearest_names *s, const struct nearest_name *a, struct apf_str name,
                      const struct nearest_name *b)
{
    const bool scoped = s->plain.n < s->compared.n;
    if (scoped && a->whole != b->whole)
        return a->whole < b->whole;
    if (a->reason != b->reason)
        return a->reason < b->reason;
    if (a->distance != b->distance)
        return a->distance < b->distance;
    if (a->whole != b->whole)
        return a->whole < b->whole;
    int order = memcmp(name.p, b->name, name.n < b->n ? name.n : b->n);
    return order ? order < 0 : name.n < b->n;
}

static bool is_same(struct apf_str name, const char *p, size_t n)
{
    return name.n == n && (n == 0 || memcmp(name.p, p, n) == 0);
}

static char *copy(struct apf_str text)
{
    return text.n ? (char *)memcpy(checked_realloc(NULL, text.n, 1), text.p, text.n) : NULL;
}

static void free_name(struct nearest_name *name)
{
    free(name->name);
    free(name->shown);
}

/* Keeps a name if it is among the nearest ones. */
static void keep(struct nearest_names *s, struct nearest_name c, struct apf_str name, struct apf_str shown)
{
    size_t at = s->n_best;
    while (at && is_nearer(s, &c, name, &s->best[at - 1]))
        at--;
    if (c.reason == UNLIKE || at == NEAREST_NAMED ||
        (at && is_same(name, s->best[at - 1].name, s->best[at - 1].n)))
        return;
    if (s->n_best == NEAREST_NAMED)
        free_name(&s->best[--s->n_best]);
    memmove(s->best + at + 1, s->best + at, (s->n_best - at) * sizeof *s->best);
    s->n_best++;
    c.name = copy(name);
    c.shown = copy(shown);
    c.n_shown = shown.n;
    s->best[at] = c;
}

static struct nearest_name consider(struct nearest_names *s, struct apf_str name, struct apf_str plain)
{
    s->any = true;
    s->found |= is_same(name, s->wanted.p, s->wanted.n);
    return name.n ? compare(s, name, plain) : (struct nearest_name){.reason = UNLIKE, .whole = SIZE_MAX};
}

static size_t count_scopes(struct apf_str name)
{
    size_t n = 0;
    for (size_t at = 1; at < name.n; at++)
        n += name.p[at - 1] == ':' && name.p[at] == ':';
    return n;
}

/* The end of a name, with n scopes at most: the wanted name may have been given without the outer ones. */
static struct apf_str last_scopes(struct apf_str name, size_t n)
{
    for (size_t at = name.n; at >= 2; at--)
        if (name.p[at - 2] == ':' && name.p[at - 1] == ':' && n-- == 0)
            return (struct apf_str){name.p + at, name.n - at};
    return name;
}

/* Sets how near the whole name is, of one that may be kept. */
static void compare_whole(const struct nearest_names *s, struct nearest_name *c, struct apf_str name)
{
    if (c->reason == UNLIKE)
        return;
    const struct apf_str last = last_scopes(name, s->n_scopes);
    c->whole = count_at_most(s->compared, name, LARGEST_SCOPE);
    const size_t in_part = count_at_most(s->compared, last, LARGEST_SCOPE);
    if (in_part < c->whole)
        c->whole = in_part + 1; /* a name with no other scopes is nearer */
}

int nearest_names_consider(void *user, struct apf_str name, struct apf_str plain)
{
    struct nearest_names *s = (struct nearest_names *)user;
    struct nearest_name c = consider(s, name, plain);
    compare_whole(s, &c, name);
    keep(s, c, name, (struct apf_str){NULL, 0});
    return 0;
}

void nearest_names_consider_shown(struct nearest_names *s, struct apf_str name, struct apf_str plain,
                                  struct source_parts source)
{
    struct nearest_name c = consider(s, name, plain), by_source = compare(s, source.shown, source.part);
    if (by_source.reason < c.reason || (by_source.reason == c.reason && by_source.distance < c.distance)) {
        c.reason = by_source.reason;
        c.distance = by_source.distance;
    }
    compare_whole(s, &c, source.compared);
    keep(s, c, name, source.shown);
}

/* Writes a name of the list, in quotation marks. */
static void write_name(char *to, size_t size, const struct nearest_name *name)
{
    char plain[LONGEST_SHOWN], shown[LONGEST_SHOWN];
    printable(plain, sizeof plain, (struct apf_str){name->name, name->n});
    printable(shown, sizeof shown, (struct apf_str){name->shown, name->n_shown});
    if (name->shown)
        snprintf(to, size, "'%s' (%s)", shown, plain);
    else
        snprintf(to, size, "'%s'", plain);
}

void nearest_names_begin(struct nearest_names *s, struct apf_str wanted, struct apf_str plain,
                         struct apf_str compared)
{
    *s = (struct nearest_names){.wanted = wanted, .plain = plain, .compared = compared};
    s->n_scopes = count_scopes(compared);
    s->mangled = (char *)checked_realloc(NULL, s->plain.n + 24, 1);
    snprintf(s->mangled, s->plain.n + 24, "%zu%.*s", s->plain.n, (int)s->plain.n, s->plain.p);
}

bool nearest_names_report(const struct session *session, const struct nearest_names *s)
{
    if (!s->n_best || s->found)
        return false;
    char names[NEAREST_NAMED][2 * LONGEST_SHOWN + 8];
    for (size_t i = 0; i < s->n_best; i++)
        write_name(names[i], sizeof names[i], &s->best[i]);
    if (s->n_best == 1)
        report_note(session, "the nearest name is %s", names[0]);
    else
        report_note(session, "the nearest names are %s%s%s and %s", names[0], s->n_best > 2 ? ", " : "",
                    s->n_best > 2 ? names[1] : "", names[s->n_best - 1]);
    return true;
}

void nearest_names_free(struct nearest_names *s)
{
    for (size_t i = 0; i < s->n_best; i++)
        free_name(&s->best[i]);
    free(s->mangled);
}
