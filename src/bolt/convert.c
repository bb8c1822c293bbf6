/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts samples of a program to a profile; if BOLT wrote the program, of BOLT's input. */
#include "bolt/convert.h"

#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "bolt/convert_flow.h"
#include "object/code_reader.h"

static struct apf_fdata_location location(const struct conversion *c, struct bolt_place place)
{
    struct apf_fdata_location l = {{"[unknown]", 9}, 0, APF_FDATA_NO_SYMBOL, 0};
    if (place.function == BOLT_NONE)
        return l;
    l.name = c->functions.list.data[place.function].name;
    l.offset = place.offset;
    l.symbol = APF_FDATA_SYMBOL;
    return l;
}

/* A program has the name of a function once, and fdata has it at both ends of each record: long names would make the
 * profile grow with the square of the input. These are the bytes that they may have together for each byte of the
 * program, and for any program; those of C++ take a small part of that. */
#define SHORT_NAME 256u
#define NAME_SHARING 64u
#define SHARING_ANYWAY ((uint64_t)64 << 20)

static uint64_t names_start(const struct conversion *c)
{
    uint64_t size = elf_file_size(c->bat->elf), most = (UINT64_MAX - SHARING_ANYWAY) / NAME_SHARING;
    return SHARING_ANYWAY + NAME_SHARING * (size < most ? size : most);
}

/* Takes the names of a record from what is left; false: they are more than that. */
static bool spend_names(uint64_t *left, const struct apf_fdata_record *r)
{
    uint64_t n = (r->from.name.n > SHORT_NAME ? r->from.name.n : 0) +
                 (uint64_t)(r->to.name.n > SHORT_NAME ? r->to.name.n : 0);
    if (n > *left)
        return false;
    *left -= n;
    return true;
}

static int add_edges(const struct conversion *c, struct apf_fdata *fdata, struct apf_error *error)
{
    int code = APF_OK;
    uint64_t names_left = names_start(c);
    for (size_t i = 0; code == APF_OK && i < c->edges.list.n; i++) {
        const struct bolt_edge *e = &c->edges.list.data[i];
        struct apf_fdata_record r = {.size = sizeof r,
                                     .kind = c->basic ? APF_FDATA_SAMPLE : APF_FDATA_BRANCH};
        r.from = location(c, e->from);
        r.to = location(c, e->to);
        r.count = e->count;
        r.mispredictions = e->mispredictions;
        code = spend_names(&names_left, &r)
                   ? apf_fdata_add(fdata, &r, error)
                   : error_plain(error, APF_LIMIT, "bolt.fdata", "long names are shared by too many records");
    }
    return code;
}

const char *bolt_program_name(const struct bolt_work *work)
{
    const struct apf_input *program = work->program;
    return program->path ? program->path : program->name ? program->name : "<unknown>";
}

int bolt_read_preagg(void *user, struct conversion *c, struct text_set *events, struct apf_error *error)
{
    const struct bolt_work *work = user;
    uint64_t max_bytes = options_max_bytes(work->options->options);
    struct file_bytes file = {0};
    int code = APF_OK;
    for (size_t i = 0; i < work->n && code == APF_OK; i++) {
        code = file_read(&file, input_at(work->samples, i), max_bytes, error);
        if (code == APF_OK)
            code = preagg_read((const char *)file.data, file.n, events, convert_sample, c, &c->funnel.records,
                               error);
        if (code != APF_OK)
            c->at_fault = i;
    }
    file_bytes_free(&file);
    return code;
}

static int to_fdata(const struct conversion *c, const struct text_set *events, struct apf_fdata *fdata,
                    struct apf_error *error)
{
    uint32_t flags = (c->bat->has_table ? APF_FDATA_BOLTED : 0) | (c->basic ? APF_FDATA_NO_LBR : 0);
    int code = apf_fdata_declare(fdata, flags, events->list.data, c->basic ? events->list.n : 0, error);
    return code == APF_OK ? add_edges(c, fdata, error) : code;
}

static int convert_work(struct conversion *c, const struct bolt_work *work, struct apf_error *error)
{
    struct text_set events = {.arena = {0}};
    if (!c->bat->elf)
        return error_plain(error, APF_UNSUPPORTED, "bolt.program",
                           "a section alone has no functions; give the program");
    if (c->bat->info.n_symbols == 0)
        return error_plain(
            error, APF_UNSUPPORTED, "bolt.program",
            "it has no symbols of functions, which profiles need; give the program as it was before it "
            "was stripped");
    if (work->yaml && !c->bat->has_table)
        return error_plain(
            error, APF_UNSUPPORTED, "bolt.yaml",
            "YAML needs hashes, which only LLVM can compute for a program without a BAT table; "
            "write fdata, and let llvm-bolt make YAML of it: llvm-bolt PROGRAM -data FDATA -w YAML "
            "-o /dev/null");
    const struct bolt_skip skip = {work->options->skip, work->options->skip_user};
    int code = bolt_functions_open(&c->functions, c->bat, &skip, error);
    c->yaml_only = !work->fdata;
    if (code == APF_OK) {
        c->tallies = arena_zeros(&c->tally_arena, c->functions.list.n, sizeof *c->tallies);
        code = c->tallies ? code_reader_open(&c->code, c->bat->elf, error) : error_memory(error);
    }
    if (code == APF_OK)
        code = work->read(work->user, c, &events, error);
    if (code == APF_OK)
        code = convert_samples(c, error);
    if (code == APF_OK)
        code = convert_flow(c, error);
    if (code == APF_OK && work->fdata)
        code = to_fdata(c, &events, work->fdata, error);
    if (code == APF_OK && work->yaml)
        code = convert_to_yaml(c, bolt_program_name(work), &events, work->yaml, error);
    tally_finish(c->tallies, &c->functions, &c->funnel);
    arena_free(&c->tally_arena);
    c->funnel.edges = c->edges.list.n;
    for (size_t i = 0; i < c->edges.list.n; i++)
        c->funnel.saturated += c->edges.list.data[i].count == APF_FDATA_MOST ||
                               c->edges.list.data[i].mispredictions == APF_FDATA_MOST;
    text_set_free(&events);
    code_reader_close(c->code);
    branch_counts_free(&c->samples);
    VEC_FREE(&c->late);
    bolt_edges_free(&c->edges);
    bolt_functions_close(&c->functions);
    return code;
}

int bolt_convert(const struct bolt_work *work, struct apf_bolt_funnel *funnel, struct apf_error *error)
{
    struct conversion c = {.at_fault = work->n};
    struct apf_bat *bat;
    c.basic = work->options->flags & APF_BOLT_CONVERT_BASIC;
    int code = bat_open_program(&bat, work->program, work->options->options, error);
    if (code != APF_OK) {
        if (error)
            error->input = work->n;
        return code;
    }
    c.bat = bat;
    code = convert_work(&c, work, error);
    apf_bat_close(bat);
    if (code != APF_OK) {
        if (error)
            error->input = c.at_fault;
        file_error(error, code,
                   c.at_fault < work->n    ? input_at(work->samples, c.at_fault)
                   : c.at_fault == work->n ? work->program
                                           : work->options->build_ids,
                   c.at_fault);
    }
    result_fill(funnel, sizeof c.funnel, &c.funnel);
    return code;
}
