/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checksums and attributes in extbinary files. Each entry is that of a function at the top level; since LLVM 14, those
 * of the functions that are inlined in it are in it. */
#include "base/error.h"
#include "sample/binary/sample_ext.h"
#include "sample/layout/sample_layout.h"

#define INLINED_BYTES 4u
#define MOST_ATTRIBUTES UINT16_MAX

struct metadata {
    struct sample_decoder *d;
    bool has_checksums, has_attributes;
    bool has_inlined; /* entries end with those of inlined functions */
    bool dry;         /* only to see whether the section has this form */
};

/* Reads what is known of one function, and stores it in a node, if there is one. */
static int read_values(const struct metadata *m, uint32_t node, struct apf_error *error)
{
    struct sample_decoder *d = m->d;
    uint64_t checksum = m->has_checksums ? sample_decode_number(d) : 0;
    uint32_t attributes = 0;
    int code = d->c.failed ? sample_decode_cut(d, "checksum", error) : APF_OK;
    const uint8_t *start = d->c.p;
    if (code == APF_OK && m->has_attributes)
        code = sample_decode_u32(d, &attributes, "attributes", error);
    if (code == APF_OK && attributes > MOST_ATTRIBUTES) {
        d->c.p = start;
        return sample_decode_bound(d, APF_SAMPLE_MALFORMED, attributes, MOST_ATTRIBUTES, "attributes", error);
    }
    if (code != APF_OK || m->dry)
        return code;
    if (node == SAMPLE_NONE) {
        d->s->findings[SAMPLE_FINDING_METADATA_WITHOUT_FUNCTION]++;
        return APF_OK;
    }
    struct sample_node *f = &d->s->nodes.data[node];
    if (m->has_checksums)
        f->checksum = checksum;
    if (m->has_attributes)
        f->attributes = (uint16_t)attributes;
    return APF_OK;
}

/* Opens the level of a function: reads its values, and how many inlined functions follow. */
static int open_function(const struct metadata *m, uint32_t node, struct apf_error *error)
{
    struct sample_decoder *d = m->d;
    struct sample_level level = {node, 0};
    int code = read_values(m, node, error);
    if (code == APF_OK && m->has_inlined)
        code = sample_decode_count32(d, &level.left, INLINED_BYTES, "number of inlined functions", error);
    if (code != APF_OK)
        return code;
    if (d->levels.n > d->options->max_depth)
        return sample_decode_bound(d, APF_LIMIT, d->levels.n, d->options->max_depth, "depth of inlining",
                                   error);
    return VEC_PUSH(&d->levels, level) ? APF_OK : error_memory(error);
}

static int open_inlined(const struct metadata *m, uint32_t caller, struct apf_error *error)
{
    struct sample_decoder *d = m->d;
    uint64_t line = sample_decode_number(d), discriminator = sample_decode_number(d);
    uint32_t name, node = SAMPLE_NONE;
    int code = d->c.failed ? sample_decode_cut(d, "place of an inlined function", error) : APF_OK;
    if (code == APF_OK)
        code = sample_decode_name(d, &name, error);
    if (code != APF_OK)
        return code;
    uint64_t at = sample_place((uint32_t)line, (uint32_t)discriminator & d->mask);
    if (caller != SAMPLE_NONE)
        node = sample_find_inlined(d->s, caller, at, name);
    return open_function(m, node, error);
}

static int read_entry(const struct metadata *m, struct apf_error *error)
{
    struct sample_decoder *d = m->d;
    uint32_t context;
    int code = sample_decode_key(d, &context, error);
    d->levels.n = 0;
    if (code == APF_OK)
        code = open_function(m, sample_find_top(d->s, context), error);
    while (code == APF_OK && d->levels.n) {
        struct sample_level *level = &d->levels.data[d->levels.n - 1];
        if (level->left) {
            level->left--;
            code = open_inlined(m, level->node, error);
        } else {
            d->levels.n--;
        }
    }
    return code;
}

static int read_entries(const struct metadata *m, struct apf_error *error)
{
    int code = APF_OK;
    while (code == APF_OK && cursor_left(&m->d->c))
        code = read_entry(m, error);
    return code;
}

/* Whether the section has the form of LLVM 12 and 13, which no flag says: entries without inlined functions. Their
 * files have no section of contexts. */
static int find_form(struct metadata *m, const struct sample_sections *sections, struct apf_error *error)
{
    const struct cursor start = m->d->c;
    m->has_inlined = !m->d->has_contexts;
    if (!m->has_inlined || sample_sections_find(sections, SAMPLE_SECTION_CONTEXTS))
        return APF_OK;
    for (unsigned old = 0; old < 2; old++) {
        m->has_inlined = !old;
        m->dry = true;
        int code = read_entries(m, NULL);
        m->d->c = start;
        m->dry = false;
        if (code == APF_OK)
            return code;
        if (code == APF_NO_MEMORY)
            return error_memory(error);
    }
    m->has_inlined = true; /* neither: the error is that of the newer form */
    return APF_OK;
}

int sample_ext_metadata(struct sample_decoder *d, const struct sample_sections *sections,
                        const struct sample_section *section, struct apf_error *error)
{
    struct metadata m = {.d = d,
                         .has_checksums = (section->flags & SAMPLE_METADATA_PROBES) != 0,
                         .has_attributes = (section->flags & SAMPLE_METADATA_ATTRIBUTES) != 0};
    int code = find_form(&m, sections, error);
    return code == APF_OK ? read_entries(&m, error) : code;
}
