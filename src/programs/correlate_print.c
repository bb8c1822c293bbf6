/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the counted functions that DWARF describes, as llvm-profdata show --debug-info does: text and YAML. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/text_append.h"
#include "base/yaml_text.h"
#include "programs/correlate_dwarf.h"

struct printing {
    struct apf_correlate_print_options options;
    struct apf_options common;
    struct correlate_program program;
    struct file_out *out;
    uint64_t n;
};

/* ---- YAML: all variables, also repeated ones of a function in several units ---- */

static void write_text(struct printing *p, const char *key, const char *before, const char *text)
{
    yaml_write_key(p->out, before, key);
    struct apf_str s = {text, strlen(text)};
    yaml_write_text(p->out, s);
    text_append(p->out, "\n");
}

static void write_hex(struct printing *p, const char *key, uint64_t v)
{
    yaml_write_key(p->out, "    ", key);
    text_append(p->out, "0x");
    yaml_write_hex_upper(p->out, v, hex_digits(v));
    text_append(p->out, "\n");
}

static void write_number(struct printing *p, const char *key, uint64_t v)
{
    yaml_write_key(p->out, "    ", key);
    text_decimal(p->out, v, 0);
    text_append(p->out, "\n");
}

static int write_file(struct printing *p, const struct dwarf_counters *c)
{
    size_t n = strlen(c->directory);
    bool joined = n && c->directory[n - 1] != '/';
    char *path = malloc(n + strlen(c->file) + 2);
    if (!path)
        return APF_NO_MEMORY;
    memcpy(path, c->directory, n);
    if (joined)
        path[n++] = '/';
    memcpy(path + n, c->file, strlen(c->file) + 1);
    write_text(p, "File", "    ", path);
    free(path);
    return 0;
}

static int write_counters(void *user, const struct dwarf_counters *c)
{
    struct printing *p = user;
    int usable = c->is_bitmap ? 0 : correlate_dwarf_usable(&p->program, c);
    if (usable != 1)
        return usable;
    if (p->n++ == 0)
        text_append(p->out, "---\nProbes:\n");
    write_text(p, "Function Name", "  - ", c->function_name);
    if (c->linkage_name)
        write_text(p, "Linkage Name", "    ", c->linkage_name);
    write_hex(p, "CFG Hash", c->hash);
    write_hex(p, "Counter Offset", c->address - p->program.counters.header.address);
    write_number(p, "Num Counters", (uint32_t)c->count);
    int code = c->file && *c->file ? write_file(p, c) : 0;
    if (c->line)
        write_number(p, "Line", c->line);
    return code;
}

static int print_yaml(struct printing *p, struct apf_error *error)
{
    struct correlate_program *program = &p->program;
    struct dwarf_counters_walk walk = {
        .max_bytes = program->max_bytes, .program = program->path, .places = true};
    int code = dwarf_counters_read(program->elf, &walk, write_counters, p, error);
    if (code == APF_OK && !correlate_dwarf_warn_missing(program, &walk))
        code = error_memory(error);
    if (code == APF_OK && p->n == 0)
        code = correlate_nothing(program, "could not find any profile data metadata in debug info",
                                 correlate_dwarf_why(&walk), error);
    text_append(p->out, "...\n");
    return code;
}

/* ---- text ---- */

static int write_names(struct printing *p, struct apf_error *error)
{
    size_t n = p->program.functions.n;
    struct arena arena = {0};
    struct sort_name *names = arena_array(&arena, 2 * n, sizeof *names);
    for (size_t i = 0; names && i < n; i++) {
        const struct apf_str *name = &p->program.functions.data[i].name;
        names[i] = (struct sort_name){0, name->p, (uint32_t)name->n, (uint32_t)i};
    }
    if (names)
        sort_names(names, names + n, n);
    for (size_t i = 0; names && i < n; i++) {
        bool again = i && names[i].n == names[i - 1].n && memcmp(names[i].p, names[i - 1].p, names[i].n) == 0;
        if (again)
            continue;
        (void)file_out_write(p->out, names[i].p, names[i].n);
        text_append(p->out, "\n");
    }
    arena_free(&arena);
    return names ? APF_OK : error_memory(error);
}

static int print_text(struct printing *p, struct apf_error *error)
{
    int code = correlate_dwarf_read(&p->program, error);
    if (code == APF_OK && p->options.flags & APF_CORRELATE_PRINT_NAMES)
        code = write_names(p, error);
    if (p->options.flags & APF_CORRELATE_PRINT_COUNTERS) {
        text_append(p->out, "Counters section size: 0x");
        text_hex(p->out, p->program.counters.header.size, 0);
        text_append(p->out, " bytes\n");
    }
    text_append(p->out, "Found ");
    text_decimal(p->out, p->program.functions.n, 0);
    text_append(p->out, " functions\n");
    return code;
}

/* ---- both ---- */

static int print_program(struct printing *p, const struct apf_input *program, const struct apf_output *output,
                         struct apf_error *error)
{
    const struct apf_options *o = &p->common;
    struct correlate_request request = {program, o, APF_METADATA_DEBUG_INFO, p->options.max_warnings};
    int code = correlate_program_begin(&p->program, &request, error);
    if (code == APF_OK)
        code = file_out_open(&p->out, output, error);
    if (code != APF_OK)
        return code;
    code = p->options.flags & APF_CORRELATE_PRINT_YAML ? print_yaml(p, error) : print_text(p, error);
    struct apf_error said;
    int told = correlate_warnings_report(&p->program, file_name(program), 0, o->diag, o->user, &said);
    if (code == APF_OK && told != APF_OK) {
        code = told;
        if (error)
            *error = said;
    }
    return file_out_finish(p->out, code, error);
}

#define ALL_FLAGS (APF_CORRELATE_PRINT_NAMES | APF_CORRELATE_PRINT_COUNTERS | APF_CORRELATE_PRINT_YAML)

int apf_correlate_print(const struct apf_input *program, const struct apf_correlate_print_options *options,
                        const struct apf_output *output, struct apf_error *error)
{
    struct printing p = {.n = 0};
    int code = OPTIONS_READ_BOTH(apf_correlate_print_options, &p.options, options, &p.common, error);
    if (code == APF_OK)
        code = flags_check(p.options.flags, ALL_FLAGS, "apf_correlate_print_options.flags", error);
    if (code == APF_OK)
        code = inputs_check(program, 1, error);
    if (code != APF_OK)
        return code;
    code = print_program(&p, program, output, error);
    correlate_program_free(&p.program);
    return file_error(error, code, program, 0);
}
