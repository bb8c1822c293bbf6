/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "profgen/profgen_funnel.h"
#include "profgen/profgen_handle.h"

#define ALL_FLAGS                                                                                            \
    (APF_PROFGEN_IGNORE_BUILD_ID | APF_PROFGEN_USE_LINES | APF_PROFGEN_NO_SYMBOLS | APF_PROFGEN_ABSOLUTE |   \
     APF_PROFGEN_FIRST_SEGMENT | APF_PROFGEN_IGNORE_CALLS | APF_PROFGEN_NO_INFERENCE |                       \
     APF_PROFGEN_NO_PREINLINER | APF_PROFGEN_NO_NESTING | APF_PROFGEN_MERGE_COLD | APF_PROFGEN_TRIM_COLD |   \
     APF_PROFGEN_REPLAY | APF_PROFGEN_LINE_COST | APF_PROFGEN_MERGED_BASE | APF_PROFGEN_UPDATE_TOTALS |      \
     APF_PROFGEN_ALL_FUNCTIONS | APF_PROFGEN_SYMBOL_LIST | APF_PROFGEN_ALL_INLINED | APF_PROFGEN_KERNEL)

/* ---- the handle ---- */

/* Depths of options are one more than they say, and 0 is no limit. */
static uint32_t depth_of(uint32_t option)
{
    return option - 1;
}

/* Opens the program that the profile is made of. */
static int open_program(struct apf_profgen *g, const struct apf_profgen_options *o, struct apf_error *error)
{
    int code = profgen_debug_copy(&g->debug, &g->input, o, options_max_bytes(&g->options), error);
    if (code == APF_OK)
        code = profgen_program_open(&g->program, &g->input, &g->options, g->flags, &g->debug.search, error);
    g->program.package = g->debug.package;
    if (code == APF_OK)
        code = profgen_debug_report(&g->program.debug, &g->options, error);
    if (code == APF_OK)
        code = profgen_debug_check(&g->debug, &g->program.debug, g->program.symbols, error);
    if (code == APF_OK && !o->original && profgen_has_table(&g->program.image))
        code = error_plain(error, APF_UNSUPPORTED, "profgen.original",
                           "BOLT wrote it; the profile is made of the program before BOLT, which "
                           "--original=FILE names");
    return file_error(error, code, &g->input, 0);
}

static int open_all(struct apf_profgen *g, const struct apf_input *program,
                    const struct apf_profgen_options *o, struct apf_error *error)
{
    g->recorded = input_copy(program);
    g->input = o->original ? input_copy(o->original) : g->recorded;
    g->flags = o->flags;
    g->pid = o->pid;
    g->depths =
        (struct profgen_depths){depth_of(o->recursion), depth_of(o->chain_depth), depth_of(o->context_depth)};
    g->search_depth = depth_of(o->search_depth);
    g->gcc = o->target.kind == APF_SAMPLE_FOR_GCC ? sample_target_row(&o->target) : NULL;
    profgen_context_options_read(&g->contexts, o);
    int code = open_program(g, o, error);
    if (code == APF_OK && o->original) {
        code = profgen_bolted_open(&g->bolted, &g->recorded, &g->program,
                                   g->flags & APF_PROFGEN_IGNORE_BUILD_ID, error);
        if (code == APF_OK)
            code = profgen_follower_open(&g->follower, &g->bolted, error);
    }
    return code;
}

int apf_profgen_open(struct apf_profgen **result, const struct apf_input *program,
                     const struct apf_profgen_options *options, struct apf_error *error)
{
    struct apf_profgen_options o = {0};
    struct apf_options common;
    *result = NULL;
    int code = OPTIONS_READ_BOTH(apf_profgen_options, &o, options, &common, error);
    if (code == APF_OK)
        code = flags_check(o.flags, ALL_FLAGS, "apf_profgen_options.flags", error);
    if (code == APF_OK && !sample_target_known(&o.target))
        code = error_plain(error, APF_ARGUMENT, "apf_profgen_options.target", "it is no known target");
    if (code == APF_OK)
        code = inputs_check(program, 1, error);
    if (code == APF_OK && o.original)
        code = inputs_check(o.original, 1, error);
    if (code != APF_OK)
        return code;
    struct apf_profgen *g = calloc(1, sizeof *g);
    if (!g)
        return error_memory(error);
    g->options = common;
    code = open_all(g, program, &o, error);
    if (code != APF_OK) {
        apf_profgen_close(g);
        return code;
    }
    *result = g;
    return APF_OK;
}

void apf_profgen_close(struct apf_profgen *g)
{
    if (!g)
        return;
    profgen_traces_free(&g->traces);
    profgen_counts_free(&g->counts);
    apf_sample_close(g->given);
    profgen_accesses_free(&g->accesses);
    profgen_hits_free(&g->hits);
    profgen_follower_free(&g->follower);
    profgen_bolted_close(&g->bolted);
    profgen_program_close(&g->program);
    profgen_debug_free(&g->debug);
    free(g);
}

const char *apf_profgen_debug_file(const struct apf_profgen *g)
{
    return g->program.debug.path;
}

uint64_t profgen_raw_base(const struct apf_profgen *g)
{
    return g->flags & APF_PROFGEN_ABSOLUTE        ? 0
           : g->flags & APF_PROFGEN_FIRST_SEGMENT ? g->program.image.first_loaded
                                                  : g->program.image.base;
}

struct profgen_target profgen_target_of(struct apf_profgen *g)
{
    const bool bolted = g->follower.bolted != NULL;
    return (struct profgen_target){bolted ? &g->bolted.image : &g->program.image,
                                   &g->program,
                                   bolted ? &g->follower : NULL,
                                   &g->traces,
                                   g->gcc ? &g->hits : NULL,
                                   (g->flags & APF_PROFGEN_IGNORE_CALLS) != 0};
}

/* ---- what became of samples ---- */

const struct apf_profgen_funnel *apf_profgen_funnel(const struct apf_profgen *g)
{
    return &g->funnel;
}

/* Begins a document of JSON. */
static int open_report(struct json_writer *w, struct file_out **out, const char *schema,
                       const struct apf_output *output, struct apf_error *error)
{
    int code = output_check(output, error);
    if (code == APF_OK)
        code = file_out_open(out, output, error);
    if (code != APF_OK)
        return code;
    json_start(w, file_out_callback, *out, 2);
    json_object_begin(w);
    json_head(w, schema);
    return APF_OK;
}

static int close_report(struct json_writer *w, struct file_out *out, struct apf_error *error)
{
    json_object_end(w);
    return file_out_finish(out, json_finish(w, error), error);
}

int apf_profgen_funnel_write(const struct apf_profgen *g, const struct apf_output *output,
                             struct apf_error *error)
{
    struct json_writer w;
    struct file_out *out;
    int code = open_report(&w, &out, "anyprof-profgen/1", output, error);
    if (code != APF_OK)
        return code;
    profgen_funnel_write(&g->funnel, g->program.debug.path, &w);
    return close_report(&w, out, error);
}

int apf_profgen_funnel_write_all(struct apf_profgen *const *profgens, size_t n_profgens,
                                 const struct apf_output *output, struct apf_error *error)
{
    struct json_writer w;
    struct file_out *out;
    int code = open_report(&w, &out, "anyprof-profgen-programs/1", output, error);
    if (code != APF_OK)
        return code;
    json_key(&w, "programs");
    json_array_begin(&w);
    for (size_t i = 0; i < n_profgens; i++) {
        const struct apf_profgen *g = profgens[i];
        const struct profgen_target target = profgen_target_of(profgens[i]);
        json_object_begin(&w);
        json_entry_string(&w, "program", target.image->path);
        json_entry_string(&w, "original", target.follower ? g->program.image.path : NULL);
        profgen_funnel_write(&g->funnel, g->program.debug.path, &w);
        json_object_end(&w);
    }
    json_array_end(&w);
    return close_report(&w, out, error);
}
