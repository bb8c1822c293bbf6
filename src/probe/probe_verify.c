/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/probe_verify.h"

#include <string.h>

#include "base/md5.h"
#include "base/search.h"

static bool is_wanted(const struct verification *v, uint64_t guid)
{
    return !(v->options.flags & APF_PROBES_PRINT_ONE_FUNCTION) || guid == v->options.guid;
}

/* Adds a finding; findings about the whole file have no GUID. */
static bool add_finding(struct verification *v, struct finding finding)
{
    bool whole = finding.kind == FINDING_DAMAGE || finding.kind == FINDING_MIXED ||
                 finding.kind == FINDING_NO_DESCRIPTORS || finding.kind == FINDING_NO_PROBES;
    return (!whole && !is_wanted(v, finding.guid)) || VEC_PUSH(&v->findings, finding);
}

/* ---- descriptors ---- */

static bool check_descs(struct verification *v)
{
    const struct apf_probes *p = v->probes;
    bool done = true;
    for (size_t i = 0; done && i < p->descs.n; i++) {
        const struct apf_probe_desc *desc = &p->descs.data[i];
        struct finding f = {.guid = desc->guid, .offset = desc->offset, .section = desc->section};
        uint64_t guid = md5_name_ref(desc->name.p, desc->name.n);
        if (guid != desc->guid) {
            f.kind = FINDING_GUID;
            f.other = guid;
            done = add_finding(v, f);
        }
        bool first = i == 0 || desc[-1].guid != desc->guid;
        f.kind = FINDING_HASHES;
        f.n = 0;
        for (size_t k = i + 1; first && k < p->descs.n && p->descs.data[k].guid == desc->guid; k++)
            f.n += p->descs.data[k].hash != desc->hash;
        if (done && f.n)
            done = add_finding(v, f);
    }
    return done;
}

/* ---- the file ---- */

/* Whether a file of the old encoding has parts of the current one: records before the first literal address, or
 * sentinels. */
static bool is_mixed(const struct apf_probes *p)
{
    if (!p->info.old_encoding)
        return false;
    for (size_t i = 0; i < p->nodes.n && i + 1 < p->chained_from; i++) {
        if (p->nodes.data[i].n_probes && p->nodes.data[i].n_nodes + i < p->chained_from)
            return true;
    }
    return p->info.n_sentinels > 0;
}

/* ---- records that are not where they seem to be ---- */

static bool sort_symbols(struct verification *v)
{
    const struct apf_probes *p = v->probes;
    v->by_address = arena_array(&v->arena, 2 * p->symbols.n, sizeof *v->by_address);
    for (size_t i = 0; v->by_address && i < p->symbols.n; i++)
        v->by_address[i] = (struct sort_key){p->symbols.data[i].address, i};
    if (v->by_address)
        sort_keys(v->by_address, v->by_address + p->symbols.n, p->symbols.n);
    return v->by_address != NULL;
}

/* Whether an address is in code that was split off a function, or in the function. */
static bool is_in_part(const struct verification *v, uint64_t address, const struct probe_symbol *function)
{
    size_t low, n = strlen(function->name);
    SEARCH(low, 0, v->probes->symbols.n, v->by_address[low].key <= address);
    return low && strncmp(v->probes->symbols.data[v->by_address[low - 1].value].name, function->name, n) == 0;
}

/* Whether a chained record comes from a later release, which stores the first distance from the function's start: none
 * of its addresses is in the function, and with that distance all are. */
static bool is_of_later_release(const struct verification *v, size_t number)
{
    const struct apf_probes *p = v->probes;
    const struct apf_probe_node *record = &p->nodes.data[number];
    const struct probe_symbol *symbol = probe_find_symbol(p, record->guid, record->text);
    size_t behind = number + record->n_nodes, first = record->first_probe;
    size_t end = behind < p->nodes.n ? p->nodes.data[behind].first_probe : p->probes.n;
    if (!symbol || !symbol->size || first == 0 || first == end)
        return false;
    for (size_t i = first; i < end; i++)
        if (p->probes.data[i].flags & APF_PROBE_FLAG_UNPLACED ||
            p->probes.data[i].address - symbol->address < symbol->size ||
            is_in_part(v, p->probes.data[i].address, symbol))
            return false;
    uint64_t distance = p->probes.data[first].address - p->probes.data[first - 1].address;
    uint64_t last = p->probes.data[end - 1].address - p->probes.data[first].address + distance;
    return distance < symbol->size && last < symbol->size;
}

/* Whether a file has records of later releases. In objects each section of code begins at 0, and sections come from one
 * compiler each. */
static bool has_later_records(const struct verification *v)
{
    const struct apf_probes *p = v->probes;
    if (p->info.relocatable)
        return false;
    for (size_t i = 0; i < p->nodes.n; i += p->nodes.data[i].n_nodes)
        if (probe_is_chained(p, (uint32_t)i) && is_of_later_release(v, i))
            return true;
    return false;
}

static bool verify_file(struct verification *v)
{
    const struct apf_probes *p = v->probes;
    bool done = true;
    for (size_t i = 0; done && i < p->damages.n; i++) {
        struct finding f = {.kind = FINDING_DAMAGE, .offset = p->damages.data[i].offset, .n = i};
        done = add_finding(v, f);
    }
    if (done && p->info.old_encoding)
        done = sort_symbols(v);
    if (done && (is_mixed(p) || (p->info.old_encoding && has_later_records(v)))) {
        struct finding f = {.kind = FINDING_MIXED};
        done = add_finding(v, f);
    }
    if (done && p->elf && p->descs.n && !p->info.n_probe_sections) {
        struct finding f = {.kind = FINDING_NO_PROBES};
        done = add_finding(v, f);
    }
    return done;
}

/* ---- functions ---- */

static uint64_t function_probes(const struct apf_probes *p, uint64_t guid)
{
    uint64_t n = 0;
    size_t first, n_nodes = apf_probes_find_nodes(p, guid, &first);
    for (size_t i = first; i < first + n_nodes; i++)
        n += p->nodes.data[p->by_guid[i]].n_probes;
    return n;
}

static bool check_functions(struct verification *v)
{
    const struct apf_probes *p = v->probes;
    struct finding none = {.kind = FINDING_NO_DESCRIPTORS};
    bool done = true;
    for (size_t i = 0; done && i < p->nodes.n; i++) {
        const struct apf_probe_node *node = &p->nodes.data[p->by_guid[i]];
        struct finding f = {.guid = node->guid, .offset = node->offset, .section = node->section};
        if (i && p->nodes.data[p->by_guid[i - 1]].guid == node->guid)
            continue;
        if (node->guid == 0) {
            f.kind = FINDING_NO_GUID;
            done = add_finding(v, f);
        } else if (p->descs.n == 0) {
            none.n += p->elf || p->info.n_desc_sections; /* sections alone may lack the other section */
        } else if (!apf_probes_find_desc(p, node->guid)) {
            f.kind = FINDING_NO_DESCRIPTOR;
            f.n = function_probes(p, node->guid);
            done = add_finding(v, f);
        }
    }
    return done && none.n ? add_finding(v, none) : done;
}

/* ---- probes ---- */

/* The symbol from which a record's addresses count; NULL: none. Addresses of the old encoding count from no symbol, and
 * are right also for code of a function that is elsewhere. */
static const struct probe_symbol *record_symbol(const struct apf_probes *p, size_t number)
{
    const struct apf_probe_node *record = &p->nodes.data[number];
    if (p->info.old_encoding)
        return NULL;
    return probe_find_symbol(p, record->symbol ? record->symbol : record->guid, record->text);
}

static bool check_record(struct verification *v, size_t number)
{
    const struct apf_probes *p = v->probes;
    const struct apf_probe_node *record = &p->nodes.data[number];
    const struct probe_symbol *symbol = record_symbol(p, number);
    size_t behind = number + record->n_nodes;
    size_t end = behind < p->nodes.n ? p->nodes.data[behind].first_probe : p->probes.n;
    struct finding outside = {FINDING_OUTSIDE, record->guid, 0, 0, record->offset, 0, record->section};
    struct finding inside = outside;
    struct finding lost = {FINDING_NO_SYMBOL, record->guid, record->symbol, 0, record->offset, 0,
                           record->section};
    for (size_t i = record->first_probe; i < end; i++) {
        const struct apf_probe *probe = &p->probes.data[i];
        lost.n += (probe->flags & APF_PROBE_FLAG_UNPLACED) != 0;
        if (v->places[i] == PLACE_INSIDE)
            inside.address = inside.n++ ? inside.address : probe->address;
        if (!symbol || !symbol->size || probe->address - symbol->address < symbol->size)
            continue;
        outside.address = outside.n++ ? outside.address : probe->address;
    }
    inside.kind = FINDING_INSIDE;
    bool done = (!outside.n || add_finding(v, outside)) && (!inside.n || add_finding(v, inside));
    return done && lost.n && p->elf ? add_finding(v, lost) : done;
}

static bool check_probes(struct verification *v)
{
    const struct apf_probes *p = v->probes;
    bool done = true;
    for (size_t i = 0; done && i < p->nodes.n; i += p->nodes.data[i].n_nodes)
        done = check_record(v, i);
    for (size_t i = 0; done && i < p->probes.n; i++) {
        const struct apf_probe *probe = &p->probes.data[i];
        struct finding f = {.address = probe->address, .offset = probe->offset, .n = probe->type};
        f.guid = p->nodes.data[probe->node].guid;
        f.section = p->nodes.data[probe->node].section;
        f.kind = FINDING_TYPE;
        if (probe->type > APF_PROBE_TYPE_DIRECT_CALL)
            done = add_finding(v, f);
        f.kind = FINDING_INDEX;
        if (done && probe->id == 0)
            done = add_finding(v, f);
    }
    return done;
}

bool verify_probes(struct verification *v)
{
    bool done = verify_code(v) && verify_file(v) && check_descs(v) && check_functions(v) && check_probes(v);
    v->verdict.n_findings = v->findings.n;
    return done;
}

/* ---- against another build ---- */

static bool sort_changed(struct verification *v)
{
    struct arena scratch = {0};
    size_t n = v->changed.n;
    struct sort_key *keys = arena_array(&scratch, 2 * n, sizeof *keys);
    struct changed_function *copy = arena_array(&scratch, n, sizeof *copy);
    bool done = keys && copy;
    for (size_t i = 0; done && i < n; i++) {
        keys[i].key = UINT64_MAX - v->changed.data[i].probes;
        keys[i].value = i;
        copy[i] = v->changed.data[i];
    }
    if (done)
        sort_keys(keys, keys + n, n);
    for (size_t i = 0; done && i < n; i++)
        v->changed.data[i] = copy[keys[i].value];
    arena_free(&scratch);
    return done;
}

bool verify_against(struct verification *v)
{
    const struct apf_probes *p = v->probes, *q = v->against, *const both[2] = {p, q};
    for (size_t i = 0; i < p->descs.n; i++) {
        const struct apf_probe_desc *desc = &p->descs.data[i], *other;
        if ((i && desc[-1].guid == desc->guid) || !is_wanted(v, desc->guid))
            continue;
        other = apf_probes_find_desc(q, desc->guid);
        if (!other) {
            v->new_functions++;
            continue;
        }
        uint64_t hashes[2] = {0, 0};
        probe_compare_hashes(both, desc->guid, hashes);
        struct changed_function f = {desc->guid, hashes[0], hashes[1], function_probes(p, desc->guid)};
        v->verdict.n_compared++;
        v->verdict.n_compared_probes += f.probes;
        if (f.hash == f.other_hash)
            continue;
        v->verdict.n_changed++;
        v->verdict.n_changed_probes += f.probes;
        if (!VEC_PUSH(&v->changed, f))
            return false;
    }
    for (size_t i = 0; i < q->descs.n; i++) {
        const struct apf_probe_desc *desc = &q->descs.data[i];
        bool first = i == 0 || desc[-1].guid != desc->guid;
        v->gone_functions += first && is_wanted(v, desc->guid) && !apf_probes_find_desc(p, desc->guid);
    }
    return sort_changed(v);
}

void verification_free(struct verification *v)
{
    VEC_FREE(&v->findings);
    VEC_FREE(&v->changed);
    arena_free(&v->arena);
}
