/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory profiles of a merge: those in its result, and the part that is written. */
#include "base/error.h"
#include "instr/memprof/memprof_group.h"
#include "instr/memprof/memprof_merge.h"
#include "instr/memprof/memprof_write.h"
#include "instr/merge/merge.h"

/* ---- the result ---- */

bool merge_has_memprof(const struct apf_merge *m)
{
    bool any = m->memprof != NULL;
    for (unsigned c = 0; c < CLASS_COUNT; c++)
        any |= m->accepted >> c & 1 && m->classes[c].memprof;
    return any;
}

int merge_finish_memprof(struct apf_merge *m, struct apf_instr *view, struct apf_error *error)
{
    struct apf_merge_stats *s = &m->stats;
    s->memprof_functions = s->memprof_contexts = s->memprof_saturated = 0;
    if (!merge_has_memprof(m))
        return APF_OK;
    view->memprof = memprof_new(MEMPROF_MOST);
    if (!view->memprof)
        return error_memory(error);
    int code = m->memprof ? memprof_add(view->memprof, m->memprof, 1, error) : APF_OK;
    for (unsigned c = 0; code == APF_OK && c < CLASS_COUNT; c++)
        if (m->accepted >> c & 1 && m->classes[c].memprof)
            code = memprof_add(view->memprof, m->classes[c].memprof, 1, error);
    if (code != APF_OK)
        return code;
    /* A single profile keeps its order, which is LLVM's; with several, the order of arrival must not matter. */
    bool several = view->memprof->inputs > 1;
    if (several)
        memprof_drop_warm(view->memprof);
    code = memprof_group(view->memprof, several, error);
    s->memprof_functions = view->memprof->functions.n;
    s->memprof_contexts = view->memprof->allocs.n;
    s->memprof_saturated = memprof_saturated(view->memprof);
    return code;
}

/* ---- what is written ---- */

/* The abilities that all readers of an output share, and what they write themselves. */
struct readers {
    unsigned usual, fields;
    bool newest_version; /* all of them read the newest version */
};

/* The releases that write the indexed version, or the release that the output is for. */
static struct readers readers_of(const struct apf_target *target, uint32_t indexed_version)
{
    struct readers all = {0, APF_MEMPROF_FIELDS - 1, true};
    for (unsigned i = 0; i < release_count(); i++) {
        const struct release *row = release_row(i);
        bool match = target->kind == APF_TARGET_RELEASE ? i == target->release
                                                        : row->indexed_version == indexed_version;
        if (!match)
            continue;
        all.usual = row->memprof_usual;
        all.fields = row->memprof_fields < all.fields ? row->memprof_fields : all.fields;
        all.newest_version &= release_reads_memprof(i, MEMPROF_MAX_VERSION);
    }
    return all;
}

/* Whether a reader accepts the file with MemProf data of this version. */
static bool is_read(const struct apf_target *target, uint32_t indexed_version, uint32_t version)
{
    bool read = false;
    for (unsigned i = 0; i < release_count(); i++) {
        bool match =
            target->kind == APF_TARGET_RELEASE ? i == target->release : release_reads(i, indexed_version);
        read |= match && release_reads_memprof(i, version);
    }
    return read;
}

static uint64_t count_bits(uint32_t set)
{
    uint64_t n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

static void count_dropped(struct apf_merge_stats *s, const struct apf_memprof *memprof,
                          const struct memprof_choice *choice)
{
    const struct apf_memprof_info *info = &memprof->info;
    s->memprof_version = choice->version;
    s->dropped_fields = count_bits(info->fields & ~choice->fields);
    if (memprof_caps(choice->version) & MEMPROF_CAP_DATA)
        return;
    s->dropped_callees = memprof->callee_guids.n;
    s->dropped_data = memprof_data_count(info);
}

/* Chooses the usual version of the readers, or the newest one if only that can hold all data. The usual fields are the
 * few that compilers read; further fields of the inputs are kept if readers know them. */
int merge_choose_memprof(struct apf_merge *m, const struct apf_instr *view, const struct apf_write_options *o,
                         uint32_t indexed_version, struct memprof_choice *choice, struct apf_error *error)
{
    const struct apf_memprof *memprof = view->memprof;
    struct readers all = readers_of(&o->target, indexed_version);
    if (!memprof || !all.fields)
        return APF_OK;
    const struct apf_memprof_info *info = &memprof->info;
    bool newest = memprof->callee_guids.n || memprof_data_count(info);
    choice->version = newest && all.newest_version ? MEMPROF_MAX_VERSION : all.usual;
    if (o->flags & APF_WRITE_MEMPROF_VERSION) {
        if (!is_read(&o->target, indexed_version, o->memprof_version))
            return error_subject(
                error,
                error_plain(error, APF_ARGUMENT, "target.memprof_version",
                            "no LLVM that the output is for reads MemProf version %u in indexed version %u",
                            o->memprof_version, indexed_version),
                APF_SUBJECT_OPTION);
        choice->version = o->memprof_version;
    }
    bool few = memprof_caps(choice->version) & MEMPROF_CAP_FEW_FIELDS && !(o->flags & APF_WRITE_MEMPROF_FULL);
    choice->fields = memprof_fields_to(all.fields) & (few ? MEMPROF_HOT_COLD | info->schema : UINT32_MAX);
    count_dropped(&m->stats, memprof, choice);
    return APF_OK;
}
