/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the pseudo probes of programs say: functions by their probes, in all copies, and what is inlined where. */
#include <anyprof/probe.h>

#include "base/error.h"
#include "base/options.h"
#include "report/report_sources.h"
#include "report/report_table.h"

struct probe_reader {
    struct apf_report *r;
    const struct apf_probes *probes;
    struct text_memo names; /* of the probes */
    VEC(uint32_t) frames;   /* of the nodes */
    uint64_t n_descs, n_records, n_inlined, n_types[3], n_other, bytes;
};

/* The function with a GUID, which is made if it is not there. NULL: allocation failed. */
static struct report_function *function_of(struct probe_reader *p, uint64_t guid)
{
    const struct apf_str text = apf_probes_name(p->probes, guid);
    struct report_function *f = report_function_of(p->r, text.n ? report_name_staying(p->r, &p->names, text)
                                                                : report_hash_name(p->r, guid));
    if (f && !f->id)
        f->id = guid;
    return f;
}

/* Nodes come after those that they are inlined in. */
static bool add_node(struct probe_reader *p, const struct apf_probe_node *node)
{
    struct report_tree *tree = &p->r->stacks;
    struct report_function *f = function_of(p, node->guid);
    if (!f)
        return false;
    f->total = report_sum(f->total, node->n_probes);
    f->most = node->n_probes > f->most ? node->n_probes : f->most;
    f->entries++;
    f->n_counts += node->depth && f->n_counts < UINT32_MAX;
    p->n_inlined += node->depth != 0;
    p->n_records += node->depth == 0;
    report_count(p->r, node->n_probes);
    const uint32_t parent = node->parent < p->frames.n ? p->frames.data[node->parent] : 0;
    const uint32_t frame = report_frame(tree, parent, f->name);
    if (frame == HASH_INDEX_NONE)
        return false;
    tree->frames.data[frame].self = report_sum(tree->frames.data[frame].self, node->n_probes);
    return VEC_PUSH(&p->frames, frame);
}

static bool add_program(struct probe_reader *p)
{
    const struct apf_probes_info *info = apf_probes_info(p->probes);
    const struct apf_probe_desc *desc;
    const struct apf_probe_node *node;
    const struct apf_probe *probe;
    p->frames.n = 0;
    p->n_descs += info->n_descs;
    p->bytes += info->probe_bytes + info->desc_bytes;
    for (size_t i = 0; (desc = apf_probes_desc(p->probes, i)) != NULL; i++) {
        struct report_function *f = function_of(p, desc->guid);
        if (!f)
            return false;
        f->hash = desc->hash;
    }
    for (size_t i = 0; (node = apf_probes_node(p->probes, i)) != NULL; i++)
        if (!add_node(p, node))
            return false;
    for (size_t i = 0; (probe = apf_probes_probe(p->probes, i)) != NULL; i++)
        ++*(probe->type < 3 ? &p->n_types[probe->type] : &p->n_other);
    return true;
}

static bool write_totals(struct probe_reader *p)
{
    const uint64_t nodes = p->n_records + p->n_inlined, probes = p->r->total;
    struct report_table *t =
        REPORT_TABLE(p->r, REPORT_PART_PROGRAM, "The program's probes", report_count_columns);
    return t && report_count_row(t, "functions with a descriptor", p->n_descs, p->n_descs) &&
           report_count_row(t, "functions in the code, with all copies", nodes, nodes) &&
           report_count_row(t, "of them inlined", p->n_inlined, nodes) &&
           report_count_row(t, "probes", probes, probes) &&
           report_count_row(t, "of blocks", p->n_types[APF_PROBE_TYPE_BLOCK], probes) &&
           report_count_row(t, "of direct calls", p->n_types[APF_PROBE_TYPE_DIRECT_CALL], probes) &&
           report_count_row(t, "of indirect calls", p->n_types[APF_PROBE_TYPE_INDIRECT_CALL], probes) &&
           (!p->n_other || report_count_row(t, "of other kinds", p->n_other, probes)) &&
           report_count_row(t, "bytes of their sections", p->bytes, p->bytes);
}

int report_read_probes(struct apf_report *r, const struct apf_input *inputs, size_t n,
                       const struct apf_options *common, struct apf_error *error)
{
    const struct apf_probe_options options = {.size = sizeof options, .options = common};
    struct probe_reader p = {.r = r};
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        struct apf_probes *probes = NULL;
        code = apf_probes_open(&probes, input_at(inputs, i), &options, error);
        if (code != APF_OK)
            (void)file_error(error, code, input_at(inputs, i), i);
        p.probes = probes;
        if (code == APF_OK && !add_program(&p))
            code = error_memory(error);
        text_memo_free(&p.names);
        p.names = (struct text_memo){.list = {.n = 0}};
        apf_probes_close(probes);
    }
    if (code == APF_OK && !write_totals(&p))
        code = error_memory(error);
    VEC_FREE(&p.frames);
    return code;
}
