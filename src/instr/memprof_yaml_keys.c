/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/memprof_yaml_keys.h"

#include <stdio.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/number.h"
#include "base/text_bytes.h"
#include "instr/name_blob.h"

#define LONGEST_SHOWN 60 /* of a key in a message */

/* ---- numbers and words ---- */

int memprof_yaml_number(struct memprof_yaml *r, const char *where, uint64_t most, uint64_t *v)
{
    const struct yaml_events *e = &r->events;
    if (e->kind != YAML_SCALAR || !number_auto(e->text.p, e->text.n, v))
        return yaml_bad(e, where, "expected a number of at most 64 bits");
    return *v > most ? yaml_bad(e, where, "a number of more than 32 bits") : APF_OK;
}

int memprof_yaml_u32(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    uint64_t v = 0;
    int code = memprof_yaml_number(r, key->where, UINT32_MAX, &v);
    uint32_t narrow = (uint32_t)v;
    memcpy((char *)object + key->at, &narrow, sizeof narrow);
    return code;
}

int memprof_yaml_u64(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    uint64_t v = 0;
    int code = memprof_yaml_number(r, key->where, UINT64_MAX, &v);
    memcpy((char *)object + key->at, &v, sizeof v);
    return code;
}

int memprof_yaml_bool(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    static const char *const words[] = {"false", "False", "FALSE", "no",   "No",   "NO",   "off", "Off",
                                        "OFF",   "n",     "N",     "true", "True", "TRUE", "yes", "Yes",
                                        "YES",   "on",    "On",    "ON",   "y",    "Y"};
    const struct yaml_events *e = &r->events;
    const size_t n = sizeof words / sizeof *words;
    size_t i = 0;
    while (i < n && !(e->kind == YAML_SCALAR && text_is(e->text, words[i])))
        i++;
    uint32_t v = i >= n / 2;
    memcpy((char *)object + key->at, &v, sizeof v);
    return i < n ? APF_OK : yaml_bad(e, key->where, "expected true or false");
}

/* ---- names ---- */

/* The last place of `what` in a name; n: it is not in it. */
static size_t find_last(const char *p, size_t n, const char *what)
{
    size_t length = strlen(what);
    for (size_t i = n < length ? 0 : n - length + 1; i-- > 0;)
        if (memcmp(p + i, what, length) == 0)
            return i;
    return n;
}

/* Ids are those of names without what compilers append: ".llvm.N", and ".part.N", in this order. */
static uint64_t id_of_function(struct apf_str name)
{
    static const char *const suffixes[] = {".llvm.", ".part."};
    for (size_t s = 0; s < 2; s++) {
        size_t at = find_last(name.p, name.n, suffixes[s]);
        if (at < name.n && find_last(name.p, name.n, ".") == at + strlen(suffixes[s]) - 1)
            name.n = at;
    }
    return md5_name_ref(name.p, name.n);
}

int memprof_yaml_guid(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    const struct yaml_events *e = &r->events;
    uint64_t v = 0;
    bool hex = e->text.n >= 2 && e->text.p[0] == '0' && (e->text.p[1] | 0x20) == 'x';
    if (e->kind != YAML_SCALAR)
        return yaml_bad(e, key->where, "expected an id or the name of a function");
    bool digits = true;
    for (size_t i = 0; i < e->text.n; i++)
        digits &= e->text.p[i] >= '0' && e->text.p[i] <= '9';
    if (digits)
        return yaml_bad(e, key->where, "use a hexadecimal GUID or a function instead");
    if (hex && !number_auto(e->text.p, e->text.n, &v))
        return yaml_bad(e, key->where, "invalid hex64 number");
    if (!hex)
        v = id_of_function(e->text);
    memcpy((char *)object + key->at, &v, sizeof v);
    return APF_OK;
}

/* The name of data up to the first dot that is not of ".__uniq.". */
static struct apf_str name_of_symbol(struct apf_str name)
{
    static const char unique[] = ".__uniq.";
    size_t from = 0, length = sizeof unique - 1;
    for (size_t i = 0; from == 0 && i + length <= name.n; i++)
        if (memcmp(name.p + i, unique, length) == 0)
            from = i + length;
    for (size_t i = from; i < name.n; i++)
        if (name.p[i] == '.' && i > 0) {
            name.n = i;
            break;
        }
    return name;
}

int memprof_yaml_symbol(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    const struct yaml_events *e = &r->events;
    if (e->kind != YAML_SCALAR || e->text.n == 0 || name_has_separator(e->text))
        return yaml_bad(e, key->where, "expected the name of a symbol");
    struct apf_str name = name_of_symbol(e->text);
    uint32_t v = memprof_string_number(r->m, name.p, name.n);
    memcpy((char *)object + key->at, &v, sizeof v);
    return APF_OK;
}

int memprof_yaml_file(struct memprof_yaml *r, const struct memprof_key *key, void *object)
{
    const struct yaml_events *e = &r->events;
    if (e->kind != YAML_SCALAR || name_has_separator(e->text))
        return yaml_bad(e, key->where, "expected the name of a file");
    uint32_t v = memprof_string_number(r->m, e->text.p, e->text.n);
    memcpy((char *)object + key->at, &v, sizeof v);
    return APF_OK;
}

/* ---- mappings and lists ---- */

static int bad_key(const struct yaml_events *e, size_t at, const char *where, const char *what,
                   const char *key)
{
    char words[sizeof "missing required key" + LONGEST_SHOWN + 4];
    snprintf(words, sizeof words, "%s '%.*s'", what, LONGEST_SHOWN, key);
    return yaml_bad_at(e, at, where, words);
}

static int read_entry(struct memprof_yaml *r, const struct memprof_key *keys, size_t n, uint64_t *seen,
                      void *object)
{
    size_t i = 0;
    if (r->events.kind != YAML_SCALAR)
        return yaml_bad(&r->events, "yaml.syntax", "expected a key");
    while (i < n && !text_is(r->events.text, keys[i].name))
        i++;
    if (i == n)
        return bad_key(&r->events, r->events.at, "memprof.yaml", "unknown key", r->events.text.p);
    if (*seen >> i & 1)
        return yaml_bad(&r->events, keys[i].where, "the same key a second time");
    *seen |= (uint64_t)1 << i;
    int code = yaml_next(&r->events);
    return code == APF_OK ? keys[i].read(r, &keys[i], object) : code;
}

int memprof_yaml_map(struct memprof_yaml *r, const struct memprof_key *keys, size_t n, const char *where,
                     void *object)
{
    uint64_t seen = 0;
    size_t at = r->events.at;
    if (r->events.kind != YAML_MAP)
        return yaml_bad(&r->events, where, "expected a mapping");
    int code = yaml_next(&r->events);
    while (code == APF_OK && r->events.kind != YAML_MAP_END) {
        code = read_entry(r, keys, n, &seen, object);
        if (code == APF_OK)
            code = yaml_next(&r->events);
    }
    for (size_t i = 0; i < n && code == APF_OK; i++)
        if (keys[i].required && !(seen >> i & 1))
            code = bad_key(&r->events, at, keys[i].where, "missing required key", keys[i].name);
    return code;
}

int memprof_yaml_list(struct memprof_yaml *r, const struct memprof_key *key, memprof_value_fn *item,
                      void *object)
{
    const struct yaml_events *e = &r->events;
    bool empty =
        e->kind == YAML_SCALAR && (e->text.n == 0 || text_is(e->text, "null") || text_is(e->text, "~"));
    if (empty)
        return APF_OK;
    if (e->kind != YAML_LIST)
        return yaml_bad(e, key->where, "expected a list");
    for (;;) {
        int code = yaml_next(&r->events);
        if (code != APF_OK || e->kind == YAML_LIST_END)
            return code;
        code = item(r, key, object);
        if (code != APF_OK)
            return code;
    }
}
