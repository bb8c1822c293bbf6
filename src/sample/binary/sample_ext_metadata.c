/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checksums and attributes in extbinary files. Each entry is that of a function at the top level; since LLVM 14, those
 * of the functions that are inlined in it are in it. */
#include "base/error.h"
#include "sample/binary/sample_ext.h"
#include "sample/layout/sample_layout.h"

#define INLINED_BYTES 4u

/* Reads what is known of one function, and stores it in a node, if there is one. */
static int read_values(struct sample_decoder *d, const struct sample_metadata_form *form, uint32_t node,
                       struct apf_error *error)
{
    uint64_t checksum = form->has_checksums ? sample_decode_number(d) : 0;
    uint32_t attributes = 0;
    int code = d->c.failed ? sample_decode_cut(d, "checksum", error) : APF_OK;
    if (code == APF_OK && form->has_attributes)
        code = sample_decode_u32(d, &attributes, "attributes", error);
    if (code != APF_OK || form->skips)
        return code;
    if (node == SAMPLE_NONE) {
        d->s->findings[SAMPLE_FINDING_METADATA_WITHOUT_FUNCTION]++;
        return APF_OK;
    }
    struct sample_node *f = &d->s->nodes.data[node];
    if (form->has_checksums)
        f->checksum = checksum;
    if (form->has_attributes)
        f->attributes = attributes;
    return APF_OK;
}

/* Opens the level of a function: reads its values, and how many inlined functions follow. */
static int open_function(struct sample_decoder *d, const struct sample_metadata_form *form, uint32_t node,
                         struct apf_error *error)
{
    struct sample_level level = {node, 0};
    int code = read_values(d, form, node, error);
    if (code == APF_OK && form->has_inlined)
        code = sample_decode_count32(d, &level.left, INLINED_BYTES, "number of inlined functions", error);
    if (code != APF_OK)
        return code;
    if (d->levels.n > d->options->max_depth)
        return sample_decode_bound(d, APF_LIMIT, d->levels.n, d->options->max_depth, "depth of inlining",
                                   error);
    return VEC_PUSH(&d->levels, level) ? APF_OK : error_memory(error);
}

static int open_inlined(struct sample_decoder *d, const struct sample_metadata_form *form, uint32_t caller,
                        struct apf_error *error)
{
    uint64_t line = sample_decode_number(d), discriminator = sample_decode_number(d);
    uint32_t name, node = SAMPLE_NONE;
    size_t i;
    int code = d->c.failed ? sample_decode_cut(d, "place of an inlined function", error) : APF_OK;
    if (code == APF_OK)
        code = sample_decode_index(d, d->table.n, "number of a name", &i, error);
    if (code == APF_OK && caller != SAMPLE_NONE) {
        code = sample_decode_name_of(d, i, &name, error);
        uint64_t at = sample_place((uint32_t)line, (uint32_t)discriminator & d->mask);
        node = code == APF_OK ? sample_find_inlined(d->s, caller, at, name) : node;
    }
    return code == APF_OK ? open_function(d, form, node, error) : code;
}

int sample_ext_metadata_entry(struct sample_decoder *d, const struct sample_metadata_form *form,
                              struct apf_error *error)
{
    uint32_t context, node = SAMPLE_NONE;
    size_t key;
    int code = sample_decode_index(d, sample_decode_keys(d), "key of a function", &key, error);
    if (code == APF_OK && !form->skips) {
        code = sample_decode_context_of(d, key, &context, error);
        node = code == APF_OK ? sample_find_top(d->s, context) : node;
    }
    d->levels.n = 0;
    if (code == APF_OK)
        code = open_function(d, form, node, error);
    while (code == APF_OK && d->levels.n) {
        struct sample_level *level = &d->levels.data[d->levels.n - 1];
        if (level->left) {
            level->left--;
            code = open_inlined(d, form, level->node, error);
        } else {
            d->levels.n--;
        }
    }
    return code;
}

static int read_entries(struct sample_decoder *d, const struct sample_metadata_form *form,
                        struct apf_error *error)
{
    int code = APF_OK;
    while (code == APF_OK && cursor_left(&d->c))
        code = sample_ext_metadata_entry(d, form, error);
    return code;
}

int sample_ext_metadata_form(struct sample_decoder *d, const struct sample_sections *sections,
                             const struct sample_section *section, struct sample_metadata_form *form,
                             struct apf_error *error)
{
    const struct cursor start = d->c;
    form->has_checksums = (section->flags & SAMPLE_METADATA_PROBES) != 0;
    form->has_attributes = (section->flags & SAMPLE_METADATA_ATTRIBUTES) != 0;
    form->has_inlined = !d->has_contexts;
    form->skips = false;
    if (d->has_contexts || sample_sections_find(sections, SAMPLE_SECTION_CONTEXTS))
        return APF_OK;
    for (unsigned old = 0; old < 2; old++) {
        form->has_inlined = !old;
        form->skips = true;
        int code = read_entries(d, form, NULL);
        d->c = start;
        form->skips = false;
        if (code == APF_OK)
            return code;
        if (code == APF_NO_MEMORY)
            return error_memory(error);
    }
    form->has_inlined = true; /* neither: the error is that of the newer form */
    return APF_OK;
}

int sample_ext_metadata(struct sample_decoder *d, const struct sample_sections *sections,
                        const struct sample_section *section, struct apf_error *error)
{
    struct sample_metadata_form form;
    int code = sample_ext_metadata_form(d, sections, section, &form, error);
    return code == APF_OK ? read_entries(d, &form, error) : code;
}
