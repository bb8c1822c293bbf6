/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Joins the headers of several profiles. */
#include <stdlib.h>

#include "base/error.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/text_bytes.h"
#include "base/utf8.h"
#include "base/yaml_text.h"
#include "bolt/bolt_yaml_model.h"

#define ALL_FLAGS (APF_BOLT_YAML_LBR | APF_BOLT_YAML_SAMPLE | APF_BOLT_YAML_MEMEVENT)

static int shown_length(struct apf_str s)
{
    return s.n < 60 ? (int)s.n : 60;
}

/* ---- sets of strings ---- */

/* Adds the parts of a string, separated by one of two characters, without surrounding blanks. */
static bool set_split(struct text_set *set, struct apf_str s, char one, char other)
{
    uint32_t number;
    for (size_t at = 0; at < s.n;) {
        size_t end = at;
        while (end < s.n && s.p[end] != one && s.p[end] != other)
            end++;
        struct apf_str part = {s.p + at, end - at};
        for (; part.n && *part.p == ' '; part.p++)
            part.n--;
        while (part.n && part.p[part.n - 1] == ' ')
            part.n--;
        if (part.n && text_set_add(set, part, &number, NULL) != APF_OK)
            return false;
        at = end + 1;
    }
    return true;
}

/* Joins the strings of a set, sorted, into one text in the arena. False: allocation failed. */
static bool set_join(struct apf_bolt_yaml *y, const struct text_set *set, const char *between,
                     struct apf_str *result)
{
    size_t n = set->list.n, n_between = strlen(between), bytes = 0;
    struct apf_str *items = calloc(2 * n + 1, sizeof *items);
    if (!items)
        return false;
    for (size_t i = 0; i < n; i++) {
        items[i] = set->list.data[i];
        bytes += items[i].n + n_between;
    }
    sort_merge(items, items + n, n, sizeof *items, sort_text_before, NULL);
    char *p = arena_bytes(&y->arena, bytes + 1);
    result->p = p;
    result->n = n ? bytes - n_between : 0;
    for (size_t i = 0; i < n && p; i++) {
        memcpy(p, items[i].p, items[i].n);
        p += items[i].n;
        memcpy(p, between, i + 1 < n ? n_between : 0);
        p += n_between;
    }
    free(items);
    return result->p;
}

/* ---- joining ---- */

static int report_conflict(const struct apf_bolt_yaml *y, const char *where, const char *what,
                           const char *mine, const char *theirs, struct apf_error *error)
{
    struct apf_str file = y->files.data[y->header.file];
    return error_plain(error, APF_YAML_CONFLICT, where,
                       "cannot merge profiles with %s: %s in this one, %s in %.*s", what, mine, theirs,
                       file.n < 4096 ? (int)file.n : 4096, file.p);
}

static const char *order_name(uint32_t order)
{
    return order == APF_BOLT_ORDER_LAYOUT ? "layout" : "depth first";
}

static const char *hash_name(uint32_t hash)
{
    return hash == APF_BOLT_XXH3 ? "xxh3" : "std-hash";
}

static int check_against(const struct apf_bolt_yaml *y, const struct apf_bolt_yaml_header *h,
                         struct apf_error *error)
{
    const struct apf_bolt_yaml_header *first = &y->header.first;
    bool sample = h->flags & APF_BOLT_YAML_SAMPLE;
    if ((h->flags ^ first->flags) & APF_BOLT_YAML_SAMPLE)
        return report_conflict(y, "yaml.header.profile-flags", "and without samples of instructions",
                               sample ? "sample" : "none", sample ? "none" : "sample", error);
    if ((h->order == APF_BOLT_ORDER_LAYOUT) != (first->order == APF_BOLT_ORDER_LAYOUT))
        return report_conflict(y, "yaml.header.dfs-order", "different orders of blocks", order_name(h->order),
                               order_name(first->order), error);
    if (h->hash != first->hash)
        return report_conflict(y, "yaml.header.hash-func", "different hash functions", hash_name(h->hash),
                               hash_name(first->hash), error);
    return APF_OK;
}

/* Reports once that a field differs. */
static int report_difference(const struct apf_bolt_yaml *y, bool *reported, uint32_t file, const char *where,
                             const char *what, const struct apf_str values[2], struct apf_error *error)
{
    struct apf_error finding;
    if (*reported || file == 0)
        return APF_OK;
    *reported = true;
    error_set_plain(&finding, APF_YAML_CONFLICT, where, "%s: %.*s, and %.*s before", what,
                    shown_length(values[0]), values[0].p, shown_length(values[1]), values[1].p);
    struct apf_diag d = {
        APF_SEVERITY_WARNING, APF_YAML_CONFLICT, file - 1, y->files.data[file], {NULL, 0}, 0, &finding};
    return error_report_diag(y->options.diag, y->options.user, &d, error);
}

static bool is_known(struct apf_str id)
{
    return id.n && !(id.n == 9 && memcmp(id.p, "<unknown>", 9) == 0);
}

/* Keeps the better of two values: a known one, of two known ones the first by bytes. */
static bool choose_text(struct apf_bolt_yaml *y, struct apf_str *mine, struct apf_str other)
{
    bool known = is_known(*mine), other_known = is_known(other);
    if (known > other_known ||
        (known == other_known && sort_compare_bytes(mine->p, mine->n, other.p, other.n) <= 0))
        return true;
    *mine = other;
    return yaml_keep(y, mine);
}

/* Once a value differs from the first one, the field becomes the set of all values. */
static bool unite(struct text_set *set, bool *differ, struct apf_str first, struct apf_str other,
                  const char *separators)
{
    if (!*differ && text_equal(first, other))
        return true;
    if (!*differ && !set_split(set, first, separators[0], separators[1]))
        return false;
    *differ = true;
    return set_split(set, other, separators[0], separators[1]);
}

static int join_header(struct apf_bolt_yaml *y, const struct apf_bolt_yaml_header *h, uint32_t file,
                       struct apf_error *error)
{
    struct yaml_header *to = &y->header;
    struct apf_bolt_yaml_header *first = &to->first;
    const struct apf_str names[2] = {h->binary_name, first->binary_name},
                         ids[2] = {h->build_id, first->build_id}, events[2] = {h->events, first->events};
    int code = check_against(y, h, error);
    if (code == APF_OK && !text_equal(names[0], names[1]))
        code = report_difference(y, &to->names_reported, file, "yaml.header.binary-name",
                                 "the binaries have different names", names, error);
    if (code == APF_OK && is_known(ids[0]) && is_known(ids[1]) && !text_equal(ids[0], ids[1]))
        code = report_difference(y, &to->ids_reported, file, "yaml.header.binary-build-id",
                                 "the binaries have different build ids", ids, error);
    if (code == APF_OK && !text_equal(events[0], events[1]))
        code = report_difference(y, &to->events_reported, file, "yaml.header.profile-events",
                                 "counts of other events are added", events, error);
    if (code != APF_OK)
        return code;
    first->flags |= h->flags;
    if (first->order == APF_BOLT_ORDER_UNSAID)
        first->order = h->order;
    bool good = unite(&to->origins, &to->origins_differ, first->origin, h->origin, ";;") &&
                unite(&to->events, &to->events_differ, first->events, h->events, ",;") &&
                choose_text(y, &first->binary_name, h->binary_name) &&
                choose_text(y, &first->build_id, h->build_id);
    return good ? APF_OK : error_memory(error);
}

int yaml_header_join(struct apf_bolt_yaml *y, const struct apf_bolt_yaml_header *h, uint32_t file,
                     struct apf_error *error)
{
    if (y->info.known)
        return join_header(y, h, file, error);
    struct apf_bolt_yaml_header *first = &y->header.first;
    *first = *h;
    if (!yaml_keep(y, &first->binary_name) || !yaml_keep(y, &first->build_id) ||
        !yaml_keep(y, &first->origin) || !yaml_keep(y, &first->events))
        return error_memory(error);
    y->header.file = file;
    y->info.known = 1;
    return APF_OK;
}

bool yaml_header_probes(struct apf_bolt_yaml *y, struct apf_str desc)
{
    if (y->header.probes) {
        if (!text_equal(y->header.desc, desc))
            y->info.probes_dropped = 1;
        return true;
    }
    y->header.probes = true;
    y->header.desc = desc;
    return yaml_keep(y, &y->header.desc);
}

int apf_bolt_yaml_declare(struct apf_bolt_yaml *y, const struct apf_bolt_yaml_header *header,
                          struct apf_error *error)
{
    struct apf_bolt_yaml_header h;
    int code = yaml_usable(y, error);
    if (code == APF_OK)
        code = OPTIONS_READ(apf_bolt_yaml_header, &h, header, error);
    if (code == APF_OK)
        code = flags_check(h.flags, ALL_FLAGS, "apf_bolt_yaml_header.flags", error);
    if (code != APF_OK)
        return code;
    if (h.order > APF_BOLT_ORDER_LAYOUT || h.hash > APF_BOLT_XXH3)
        return error_plain(error, APF_ARGUMENT, "yaml.header", "an unknown order or hash function");
    if (!utf8_valid(h.binary_name) || !utf8_valid(h.build_id) || !utf8_valid(h.origin) ||
        !utf8_valid(h.events))
        return error_plain(error, APF_ARGUMENT, "yaml.header", "a text that is not UTF-8");
    return yaml_header_join(y, &h, 0, error);
}

int apf_bolt_yaml_header(struct apf_bolt_yaml *y, struct apf_bolt_yaml_header *header,
                         struct apf_error *error)
{
    const struct yaml_header *from = &y->header;
    int code = yaml_usable(y, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_bolt_yaml_header, header, error);
    if (code != APF_OK)
        return code;
    if (!y->info.known)
        return error_plain(error, APF_ARGUMENT, "yaml.header", "no header was declared");
    struct apf_bolt_yaml_header h = from->first;
    if ((from->origins_differ && !set_join(y, &from->origins, "; ", &h.origin)) ||
        (from->events_differ && !set_join(y, &from->events, ";", &h.events)))
        return error_memory(error);
    result_fill(header, sizeof h, &h);
    return APF_OK;
}
